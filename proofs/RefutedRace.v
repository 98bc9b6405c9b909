(** * False claims about the race, refuted

    One query, order a = 2, s = 1. Its chance of a negative is e^(-h) with a hazard h that we choose. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases Adversary ClosedForm RaceNoise.
Import ListNotations.
Open Scope R_scope.

(** The query whose hazard is h ln 2, so that it is negative with chance 2^(-h). *)
Definition query (h : R) : list bool -> R := fun _ => ln (h * ln 2).

Lemma ln2_pos : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma query_hazard h past : 0 < h -> hazard 1 0 (query h) 0 past = h * ln 2.
Proof.
  intros H. unfold hazard, query. replace (- ((0 + 0 - ln (h * ln 2)) / 1)) with (ln (h * ln 2)) by field.
  apply exp_ln. apply Rmult_lt_0_compat; [exact H|apply ln2_pos].
Qed.

Lemma half_power (k : nat) : exp (- (INR k * ln 2)) = / 2 ^ k.
Proof.
  rewrite exp_Ropp. f_equal. induction k as [|k IH]; [simpl; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH, exp_ln by lra. simpl. ring.
Qed.

Lemma factor_two : factor 2 0 = / 4.
Proof.
  unfold factor. replace ((2 - 1) * (0 + ln (2 / (2 - 1)))) with (ln 2) by (replace (2 / (2 - 1)) with 2 by field; ring).
  rewrite exp_ln by lra. lra.
Qed.

Lemma square x y : 0 < x -> 0 < y -> power 2 x y = x * x / y.
Proof.
  intros Hx Hy. unfold power. replace (2 * ln x + (1 - 2) * ln y) with (ln x + ln x + - ln y) by ring.
  rewrite !exp_plus, exp_Ropp, !exp_ln by assumption. reflexivity.
Qed.

(** The sum of P^2/Q over the two answers. *)
Lemma one_query (j k : nat) : (0 < j)%nat -> (0 < k)%nat ->
  moment 1 Rlt_0_1 0 2 (query (INR j)) 0 (query (INR k)) 0 1 1 []
  = (1 - / 2 ^ j) * (1 - / 2 ^ j) / (1 - / 2 ^ k) + / 2 ^ j * / 2 ^ j / / 2 ^ k.
Proof.
  intros Hj Hk. assert (Pj : 0 < INR j) by (apply lt_0_INR; exact Hj). assert (Pk : 0 < INR k)
      by (apply lt_0_INR; exact Hk).
  assert (B : forall i, (0 < i)%nat -> 0 < / 2 ^ i < 1).
  { intros i Hi. split; [apply Rinv_0_lt_compat, pow_lt; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar.
    - rewrite Rmult_1_l. apply pow_lt; lra.
    - apply Rlt_pow_R1; [lra|exact Hi]. }
  pose proof (B j Hj). pose proof (B k Hk).
  unfold moment. cbn [outcomes app total].
  rewrite !(likelihood_true 1 Rlt_0_1 0) by (left; reflexivity).
  rewrite !(likelihood_false 1 Rlt_0_1 0) by (left; reflexivity).
  rewrite !query_hazard, !half_power by assumption.
  assert (One : forall q l, likelihood 1 Rlt_0_1 0 q 0 0 0 l l = 1 /\ likelihood 1 Rlt_0_1 0 q 0 0 1 l l = 1).
  { intros q l. unfold likelihood, chance. simpl. unfold same.
    destruct (list_eq_dec bool_dec l l); [split; reflexivity|congruence]. }
  cbn [app]. rewrite !(fun q => proj1 (One q [true])), !(fun q => proj2 (One q [false])), !Rmult_1_r.
  rewrite !square by lra. ring.
Qed.

Lemma query_moves j k past : (0 < j)%nat -> (0 < k)%nat -> query (INR k) past - query (INR j) past
    = ln (INR k) - ln (INR j).
Proof.
  intros Hj Hk. unfold query. rewrite !ln_mult by (try apply ln2_pos; apply lt_0_INR; assumption). ring.
Qed.

(** The query falls by ln 2, so its hazard is halved: charge 2 (ln 2) = 4/3 is enough, 5/4 is needed. *)
Lemma falls : moment 1 Rlt_0_1 0 2 (query (INR 2)) 0 (query (INR 1)) 0 1 1 [] = 5 / 4.
Proof. rewrite one_query by lia. simpl. field. Qed.

(** The query rises by ln(3/2): nothing is charged for that by a claim that forgets falling hazards. *)
Lemma rises : moment 1 Rlt_0_1 0 2 (query (INR 2)) 0 (query (INR 3)) 0 1 1 [] = 8 / 7.
Proof. rewrite one_query by lia. simpl. field. Qed.

(** What [race_bare] says, with another charge. *)
Definition claim (charged : R -> R -> R) : Prop := forall q q' low high n c,
  0 <= low -> 0 <= high -> (forall past, - low <= q' past - q past <= high) ->
  0 < 1 + 2 * (exp (- (high / 1)) - 1) ->
  moment 1 Rlt_0_1 0 2 q 0 q' 0 n c [] <= charged low high ^ c.

Lemma bigger x y : 0 < x < y -> 0 < ln y - ln x.
Proof. intros H. assert (ln x < ln y) by (apply ln_increasing; lra). lra. Qed.

(** Positives cost nothing: false. *)
Theorem race_positives_are_paid : ~ claim (fun _ _ => 1).
Proof.
  intros C. pose proof (bigger 1 2 ltac:(lra)) as L. rewrite ln_1, Rminus_0_r in L.
  specialize (C (query (INR 2)) (query (INR 1)) (ln 2) 0 1%nat 1%nat).
  rewrite falls, pow_1 in C. assert (5 / 4 <= 1); [|lra]. apply C; try lra.
  - intros past. rewrite query_moves by lia. simpl. rewrite ln_1. replace (1 + 1) with 2 by ring. lra.
  - unfold Rdiv. rewrite Rmult_0_l, Ropp_0, exp_0. lra.
Qed.

(** Half the step is enough: false. *)
Theorem race_full_step_is_needed :
  ~ claim (fun low high => Rmax (charge 2 (low / 2)) (charge 2 (- (high / 2)))).
Proof.
  intros C. pose proof (bigger 1 2 ltac:(lra)) as L. rewrite ln_1, Rminus_0_r in L.
  specialize (C (query (INR 2)) (query (INR 1)) (ln 2) 0 1%nat 1%nat). rewrite falls, pow_1 in C.
  assert (H : 5 / 4 <= Rmax (charge 2 (ln 2 / 2)) (charge 2 (- (0 / 2)))).
  { apply C; try lra.
    - intros past. rewrite query_moves by lia. simpl. rewrite ln_1. replace (1 + 1) with 2 by ring. lra.
    - unfold Rdiv. rewrite Rmult_0_l, Ropp_0, exp_0. lra. }
  replace (- (0 / 2)) with 0 in H by field. rewrite charge_zero in H.
  set (z := exp (ln 2 / 2)) in *.
  assert (Z2 : z * z = 2) by (unfold z; rewrite <- exp_plus; replace (ln 2 / 2 + ln 2 / 2)
      with (ln 2) by field; apply exp_ln; lra).
  assert (Pz : 0 < z) by apply exp_pos.
  assert (Zl : 1.3 < z).
  { destruct (Rle_dec z 1.3) as [Le|]; [|lra]. exfalso.
    assert (z * z <= 1.3 * 1.3) by (apply Rmult_le_compat; lra). lra. }
  assert (Ch : charge 2 (ln 2 / 2) < 5 / 4).
  { unfold charge. fold z. replace (2 * (ln 2 / 2)) with (ln 2) by field. rewrite exp_ln by lra.
    apply Rmult_lt_reg_r with (1 + 2 * (z - 1)); [lra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Rmax (charge 2 (ln 2 / 2)) 1 < 5 / 4) by (apply Rmax_lub_lt; lra). lra.
Qed.

(** Hazards that fall need not be charged: false. *)
Theorem race_falling_hazards_are_paid : ~ claim (fun low _ => charge 2 low).
Proof.
  intros C. pose proof (bigger 2 3 ltac:(lra)) as L.
  specialize (C (query (INR 2)) (query (INR 3)) 0 (ln 3 - ln 2) 1%nat 1%nat). rewrite rises, pow_1, charge_zero in C.
  assert (8 / 7 <= 1); [|lra]. apply C; try lra.
  - intros past. rewrite query_moves by lia. replace (INR 3) with 3 by (simpl; ring). replace (INR 2) with 2
      by (simpl; ring). lra.
  - replace (- ((ln 3 - ln 2) / 1)) with (ln 2 + - ln 3) by field.
    rewrite exp_plus, exp_Ropp, !exp_ln by lra. lra.
Qed.

(** Exponential noise with a bare threshold: false. One negative answer tells two datasets apart, with the chance
    that an exponential variable is below Delta. *)
Theorem bare_exponential_leaks s (Hs : 0 < s) E delta :
  close E delta (run (exponential s Hs) 0 (fun _ => -1) 0 1 1 []) (run (exponential s Hs) 0 (fun _ => 0) 0 1 1 []) ->
  1 - exp (- (1 / s)) <= delta.
Proof.
  intros H. specialize (H (same [false])).
  assert (P : forall x, chance (run (exponential s Hs) 0
      (fun _ => x) 0 1 1 []) (same [false]) = 1 - S_exponential s (0 + 0 - x)).
  { intros x. unfold chance. cbn [run bind ev ret answer coin app]. unfold same. cbn. ring. }
  rewrite !P in H. unfold S_exponential in H.
  replace (Rmax (0 + 0 - 0) 0) with 0 in H by (rewrite Rmax_right; lra).
  replace (Rmax (0 + 0 - -1) 0) with 1 in H by (rewrite Rmax_left; lra).
  replace (- (0 / s)) with 0 in H by (field; lra). rewrite exp_0 in H. lra.
Qed.

(** ** Moving the threshold noise is free: false

    Threshold noise that is hardly ever anything but zero, and the query that rises by ln(3/2), one grid step.
    Moved by that
    step, hazards only rise, and 9/8 would be enough; but 8/7 is nearly reached. *)
Definition rare : R := / 10000.
Lemma rare_range : 0 < rare < 1.
Proof. unfold rare. lra. Qed.

Definition claim_free_shift : Prop := forall g q q' low high (k : Z),
  (forall past, - low <= q' past - q past <= high) ->
  0 <= (g * IZR k + low) / 1 -> 0 <= (high - g * IZR k) / 1 ->
  0 < 1 + 2 * (exp (- ((high - g * IZR k) / 1)) - 1) ->
  let law q := sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided rare rare_range) g 1 1 q in
  total (outcomes 1 1 []) (fun l => power 2 (chance (law q) (same l)) (chance (law q') (same l)))
  <= Rmax (charge 2 ((g * IZR k + low) / 1)) (charge 2 (- ((high - g * IZR k) / 1))).

Lemma answers g h l : (0 < h)%nat -> In l (outcomes 1 1 []) ->
  likelihood 1 Rlt_0_1 0 (query (INR h)) (g * IZR 0) 1 1 [] l = match l with [true] => 1 - / 2 ^ h | _ => / 2 ^ h end.
Proof.
  intros Hh Hl. assert (Ph : 0 < INR h) by (apply lt_0_INR; exact Hh). rewrite Rmult_0_r.
  destruct Hl as [<-|[<-|[]]].
  - rewrite (likelihood_true 1 Rlt_0_1 0) by (left; reflexivity). rewrite query_hazard, half_power by exact Ph.
    unfold likelihood, chance. simpl. ring.
  - rewrite (likelihood_false 1 Rlt_0_1 0) by (left; reflexivity). rewrite query_hazard, half_power by exact Ph.
    unfold likelihood, chance. simpl. ring.
Qed.

(** With such noise the chance of an answer is nearly that of a bare threshold. *)
Definition rare_zero : R := mass (two_sided_masses rare rare_range) 0.
Lemma rare_zero_is : rare_zero = 9999 / 10001.
Proof. unfold rare_zero; simpl; unfold two_sided_mass, rare; simpl; field. Qed.

Definition rare_run (g : R) (q : list bool -> R) : law (list bool) :=
  sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided rare rare_range) g 1 1 q.

(** The mean over such noise is nearly what comes without any. *)
Lemma rare_mean f : (forall t, 0 <= f t <= 1) ->
  rare_zero * f 0%Z <= ev (two_sided rare rare_range) f <= rare_zero * f 0%Z + (1 - rare_zero).
Proof.
  intros Hf. assert (Bf : bounded f) by (exists 1; exact Hf).
  assert (Bg : bounded (fun t => 1 - f t)) by (exists 1; intros t; specialize (Hf t); lra).
  pose proof (grid_point (two_sided_masses rare rare_range) f Bf) as Low.
  pose proof (grid_point (two_sided_masses rare rare_range) (fun t => 1 - f t) Bg) as High.
  assert (Sum : ev (two_sided rare rare_range) f + ev (two_sided rare rare_range) (fun t => 1 - f t) = 1).
  { rewrite <- ev_plus by assumption. transitivity (ev (two_sided rare rare_range) (fun _ => 1)); [|apply ev_one].
    apply ev_ext; [apply bounded_plus; assumption|intros t; ring]. }
  cbv beta in High. unfold two_sided in *. fold rare_zero in Low, High. lra.
Qed.

Lemma rare_bounds g h l : (0 < h)%nat -> In l (outcomes 1 1 []) ->
  let x := match l with [true] => 1 - / 2 ^ h | _ => / 2 ^ h end in
  rare_zero * x <= chance (rare_run g (query (INR h))) (same l) <= rare_zero * x + (1 - rare_zero).
Proof.
  intros Hh Hl x. set (f := fun t : Z => likelihood 1 Rlt_0_1 0 (query (INR h)) (g * IZR t) 1 1 [] l).
  rewrite <- (answers g h l Hh Hl : f 0%Z = x). apply (rare_mean f). intros t. apply chance_range.
Qed.

Theorem shift_is_paid : ~ claim_free_shift.
Proof.
  intros C. pose proof (bigger 2 3 ltac:(lra)) as L. set (g := ln 3 - ln 2) in *.
  specialize (C g (query (INR 2)) (query (INR 3)) 0 g 1%Z).
  change (fun q => sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided rare rare_range) g 1 1 q) with (rare_run g) in C.
  set (law := rare_run g) in *. pose proof rare_zero_is as E0. pose proof (rare_bounds g) as Bounds. fold law in Bounds.
  assert (Large : 9 / 8 < total (outcomes 1 1 [])
      (fun l => power 2 (chance (law (query (INR 2))) (same l)) (chance (law (query (INR 3))) (same l)))).
  { cbn [outcomes app total].
    pose proof (Bounds 2%nat [true] ltac:(lia) ltac:(left; reflexivity)) as A1.
    pose proof (Bounds 3%nat [true] ltac:(lia) ltac:(left; reflexivity)) as A2.
    pose proof (Bounds 2%nat [false] ltac:(lia) ltac:(right; left; reflexivity)) as A3.
    pose proof (Bounds 3%nat [false] ltac:(lia) ltac:(right; left; reflexivity)) as A4.
    cbn beta iota zeta in A1, A2, A3, A4. rewrite E0 in A1, A2, A3, A4. simpl pow in A1, A2, A3, A4.
    set (x1 := chance (law (query (INR 2))) (same [true])) in *.
    set (y1 := chance (law (query (INR 3))) (same [true])) in *.
    set (x2 := chance (law (query (INR 2))) (same [false])) in *.
    set (y2 := chance (law (query (INR 3))) (same [false])) in *.
    rewrite !square by lra.
    assert (Q : forall x y x0 y0, 0 < x0 <= x -> 0 < y <= y0 -> x0 * x0 / y0 <= x * x / y).
    { intros x y x0 y0 Hx Hy. unfold Rdiv. apply Rmult_le_compat; try lra.
      - apply Rmult_le_pos; lra.
      - left; apply Rinv_0_lt_compat; lra.
      - apply Rmult_le_compat; lra.
      - apply Rinv_le_contravar; lra. }
    pose proof (Q x1 y1 0.7498 0.8752 ltac:(lra) ltac:(lra)).
    pose proof (Q x2 y2 0.2499 0.1252 ltac:(lra) ltac:(lra)). lra. }
  assert (Small : Rmax (charge 2 ((g * 1 + 0) / 1)) (charge 2 (- ((g - g * 1) / 1))) <= 9 / 8).
  { replace ((g * 1 + 0) / 1) with g by field. replace (- ((g - g * 1) / 1)) with 0 by field. rewrite charge_zero.
    assert (Eg : exp g = 3 / 2) by (unfold g, Rminus; rewrite exp_plus, exp_Ropp, !exp_ln by lra; reflexivity).
    assert (Ch : charge 2 g = 9 / 8).
    { unfold charge. replace (2 * g) with (g + g) by ring. rewrite exp_plus, Eg. field. }
    rewrite Ch. apply Rmax_lub; lra. }
  assert (K : total (outcomes 1 1 []) (fun l => power 2 (chance (law (query (INR 2))) (same l)) (chance (law (query
      (INR 3))) (same l)))
              <= Rmax (charge 2 ((g * 1 + 0) / 1)) (charge 2 (- ((g - g * 1) / 1)))).
  { apply C.
    - intros past. rewrite query_moves by lia. replace (INR 3) with 3 by (simpl; ring). replace (INR 2) with 2
        by (simpl; ring).
      fold g. lra.
    - replace ((g * 1 + 0) / 1) with g by field. lra.
    - replace ((g - g * 1) / 1) with 0 by field. lra.
    - replace (- ((g - g * 1) / 1)) with 0 by field. rewrite exp_0. lra. }
  lra.
Qed.

(** ** A bare threshold needs a delta

    One query, which moves by ln 2: whatever E is, some negative answer costs more. So zero is no value of [U]. *)
Lemma one_negative (h : nat) : (0 < h)%nat ->
  chance (run (gumbel 1 Rlt_0_1) 0 (query (INR h)) 0 1 1 []) (same [false]) = / 2 ^ h.
Proof.
  intros Hh. pose proof (answers 0 h [false] Hh ltac:(right; left; reflexivity)) as A.
  rewrite Rmult_0_l in A. exact A.
Qed.

Theorem bare_needs_delta E :
  ~ (forall q q' : list bool -> R, (forall past, Rabs (q' past - q past) <= ln 2) ->
     close E 0 (run (gumbel 1 Rlt_0_1) 0 q 0 1 1 []) (run (gumbel 1 Rlt_0_1) 0 q' 0 1 1 [])).
Proof.
  intros C. assert (Up : forall k : nat, (0 < k)%nat -> 2 ^ k <= E).
  { intros k Hk. assert (P : 0 < 2 ^ k) by (apply pow_lt; lra).
    specialize (C (query (INR k)) (query (INR (k + k)))).
    assert (M : forall past, Rabs (query (INR (k + k)) past - query (INR k) past) <= ln 2).
    { intros past. rewrite query_moves by lia. rewrite plus_INR. assert (Pk : 0 < INR k) by (apply lt_0_INR; exact Hk).
      replace (INR k + INR k) with (2 * INR k) by ring. rewrite ln_mult by lra.
      replace (ln 2 + ln (INR k) - ln (INR k)) with (ln 2) by ring. rewrite Rabs_pos_eq; [lra|left; apply ln2_pos]. }
    specialize (C M (same [false])). rewrite !one_negative in C by lia. rewrite pow_add, Rplus_0_r in C.
    apply Rmult_le_compat_r with (r := 2 ^ k * 2 ^ k) in C; [|apply Rmult_le_pos; lra].
    replace (/ 2 ^ k * (2 ^ k * 2 ^ k)) with (2 ^ k) in C by (field; lra).
    replace (E * / (2 ^ k * 2 ^ k) * (2 ^ k * 2 ^ k)) with E in C by (field; lra). exact C. }
  assert (Large : forall k : nat, INR k <= 2 ^ k).
  { induction k as [|k IH]; [simpl; lra|]. rewrite S_INR. simpl.
    assert (1 <= 2 ^ k) by (apply pow_R1_Rle; lra). lra. }
  set (k := Z.to_nat (up E)). assert (Hk : E < INR k).
  { rewrite INR_IZR_INZ. destruct (archimed E) as [A _].
    apply Rlt_le_trans with (IZR (up E)); [lra|apply IZR_le; unfold k; lia]. }
  pose proof (Up (Datatypes.S k) ltac:(lia)) as U1.
  pose proof (Large (Datatypes.S k)) as L1. rewrite S_INR in L1. lra.
Qed.

(** ** The closed form is attained

    One query whose hazard is halved, epsilon = 0: delta must be 1/4, and 1/4 is what [race_falling] and [gain] say. So no
    smaller step, and no smaller function, will do. *)
Lemma gain_half : gain (ln 2) 1 1 = 1 / 4.
Proof.
  rewrite gain_closed by (lra || lia || apply ln2_pos). cbv zeta. rewrite ln_1, exp_Ropp, exp_ln by lra.
  replace ((INR 1 * ln 2 - 0) / (1 - / 2)) with (INR 2 * ln 2) by (simpl; field).
  rewrite Rmax_left by (apply Rmult_le_pos; [apply pos_INR|left; apply ln2_pos]).
  unfold Q. cbn [poly pow fact]. rewrite half_power.
  replace (INR 2 * ln 2 * / 2) with (INR 1 * ln 2) by (simpl; field). rewrite half_power. simpl. field.
Qed.

Theorem closed_form_is_tight delta :
  close (exp 0) delta (run (gumbel 1 Rlt_0_1) 0 (query (INR 2)) 0 1 1 []) (run (gumbel 1 Rlt_0_1) 0 (query
      (INR 1)) 0 1 1 []) ->
  gain (ln 2) 1 (exp 0) <= delta.
Proof.
  intros C. specialize (C (same [true])).
  assert (P : forall h, (0 < h)%nat ->
    chance (run (gumbel 1 Rlt_0_1) 0 (query (INR h)) 0 1 1 []) (same [true]) = 1 - / 2 ^ h).
  { intros h Hh. pose proof (answers 0 h [true] Hh ltac:(left; reflexivity)) as A. rewrite Rmult_0_l in A. exact A. }
  rewrite !P in C by lia. rewrite exp_0 in *. simpl pow in C.
  rewrite gain_half. lra.
Qed.
