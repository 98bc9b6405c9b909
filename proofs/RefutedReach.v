(** * False claims about an uneven reach, refuted: scores move by - l to u, and l is not u *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases ShiftCases ClosedForm RaceNoise
  RefutedPure RefutedRuns RefutedRace RefutedDelta.
Import ListNotations.
Open Scope R_scope.

(** ** Pure runs *)
Lemma one_half : 0 < / 2 < 1. Proof. lra. Qed.
Lemma climbs_two b : b = / ln 2 -> 0 < b /\ climbs (exp (1 / b)) (geometric (/ 2) one_half).
Proof.
  intros ->. pose proof ln2_pos. split; [apply Rinv_0_lt_compat; lra|]. unfold Rdiv. rewrite Rinv_inv, Rmult_1_l, exp_ln by lra.
  pose proof (geometric_climbs (/ 2) one_half) as C. rewrite Rinv_inv in C. exact C.
Qed.

(** What [svt_reach] says, with other numbers of steps for the threshold and for a positive. *)
Definition claim_reach (threshold each : nat -> nat -> nat) : Prop := forall (N : noise) b p l u n c q q', 0 < b ->
  climbs (exp (1 / b)) p -> (forall past, - (1 * INR l) <= q' past - q past <= 1 * INR u) ->
  close (exp (1 * INR (threshold l u) / b + INR c * (rate N * (1 * INR (each l u))))) 0
    (sparse_vector N 0 p 1 n c q) (sparse_vector N 0 p 1 n c q').

(** The shorter end pays for the threshold: false. A query rises by 2, and one that falls could fall by 1. *)
Theorem shorter_end_is_too_little : ~ claim_reach Nat.min Nat.add.
Proof.
  intros C. pose proof ln2_pos. destruct (climbs_two _ eq_refl) as [Hb Hp].
  assert (Hs : 0 < 6 / ln 2) by (apply Rdiv_lt_0_compat; lra).
  specialize (C (exponential (6 / ln 2) Hs) _ _ 1%nat 2%nat 1%nat 1%nat (fun _ => 0) (fun _ => 2) Hb Hp
    ltac:(intros; simpl; lra) (same [false])).
  destruct (negative_far (/ 2) (6 / ln 2) one_half Hs) as [E P]. unfold svt in E, P. rewrite E in C.
  set (x := chance _ _) in *.
  replace (1 * INR (Nat.min 1 2) / / ln 2 + INR 1 * (rate (exponential (6 / ln 2) Hs) * (1 * INR (1 + 2)))) with (3 / 2 * ln 2) in C
    by (simpl; field; lra).
  assert (exp (3 / 2 * ln 2) < 4).
  { replace 4 with (exp (ln 2 + ln 2)) by (rewrite exp_plus, exp_ln; lra). apply exp_increasing. lra. }
  assert (exp (3 / 2 * ln 2) * x < 4 * x) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

(** The larger end in place of the width pays for a positive: false. The first query rises by 1, the second falls by 2. *)
Theorem larger_end_is_too_little : ~ claim_reach Nat.max Nat.max.
Proof.
  intros C. pose proof ln2_pos. destruct (climbs_two _ eq_refl) as [Hb Hp].
  specialize (C (exponential 1 Rlt_0_1) _ _ 2%nat 1%nat 2%nat 1%nat before (after 2) Hb Hp
    ltac:(intros past; unfold before, after; destruct past; simpl; lra)).
  apply (tight (/ 2) 1 one_half Rlt_0_1 2) in C; [|lra].
  assert (L : exp (1 * INR (Nat.max 2 1) / / ln 2 + INR 1 * (rate (exponential 1 Rlt_0_1) * (1 * INR (Nat.max 2 1))))
    < / / 2 * exp ((1 + 2) / 1)); [|lra].
  replace (/ / 2 * exp ((1 + 2) / 1)) with (exp (ln 2 + (1 + 2) / 1)) by (rewrite exp_plus, exp_ln, Rinv_inv by lra; reflexivity).
  apply exp_increasing.
  assert (ln 2 < 1) by (apply exp_lt_inv; rewrite exp_ln by lra; pose proof (exp_ineq1 1); lra).
  simpl. replace (1 * (1 + 1) / / ln 2) with (2 * ln 2) by (field; lra). lra.
Qed.

(** ** (epsilon, delta): the shift of the threshold is charged by the shorter end, in both directions: false

    Both ends are positive: l = 1, u = 2. A query rises by two steps of ln 2, and the noise of the threshold falls by 512 with each step.
    With epsilon = ln 4096 = ln 512 + ln 8 the shift by one step loses too little for any gain; a negative answer has nearly the chance
    2^(-5) before, and at most 7 * 2^(-20) after. *)
Definition few : R := / 512.
Lemma few_range : 0 < few < 1. Proof. unfold few. lra. Qed.
Local Notation few_m := (two_sided_masses few few_range).

Lemma silent h t : (0 < h)%nat -> chance (run (gumbel 1 Rlt_0_1) 0 (query (INR h)) (ln 2 * IZR t) 1 1 []) (same [false])
  = exp (- (INR h * ln 2 * exp (- (ln 2 * IZR t)))).
Proof.
  intros Hh. assert (Ph : 0 < INR h * ln 2) by (apply Rmult_lt_0_compat; [apply lt_0_INR; exact Hh|apply ln2_pos]).
  change (likelihood 1 Rlt_0_1 0 (query (INR h)) (ln 2 * IZR t) 1 1 [] [false] = exp (- (INR h * ln 2 * exp (- (ln 2 * IZR t))))).
  rewrite (likelihood_false 1 Rlt_0_1 0) by (left; reflexivity).
  replace (hazard 1 0 (query (INR h)) (ln 2 * IZR t) []) with (INR h * ln 2 * exp (- (ln 2 * IZR t))).
  - unfold likelihood, chance. simpl. ring.
  - unfold hazard, query. replace (- ((0 + ln 2 * IZR t - ln (INR h * ln 2)) / 1)) with (ln (INR h * ln 2) + - (ln 2 * IZR t)) by field.
    rewrite exp_plus, exp_ln by exact Ph. reflexivity.
Qed.

Lemma far_tail : ev (grid few_m) (fun t => if (2 <=? t)%Z then 1 else 0) <= few * few.
Proof.
  pose (one := fun t : Z => if (2 <=? t)%Z then 1 else 0). pose (two := fun t : Z => if (0 <=? t)%Z then 1 else 0).
  assert (B1 : bounded one) by (exists 1; intros t; unfold one; destruct (2 <=? t)%Z; lra).
  assert (B2 : bounded two) by (exists 1; intros t; unfold two; destruct (0 <=? t)%Z; lra).
  change (sumZ (fun t => mass few_m t * one t) <= few * few).
  rewrite <- (sumZ_moved 2) by apply (weighted_summable few_m one B1).
  rewrite (sumZ_ext _ (fun t => few * few * (mass few_m t * two t))).
  - rewrite sumZ_scal. change (sumZ (fun t => mass few_m t * two t)) with (ev (grid few_m) two).
    rewrite <- (Rmult_1_r (few * few)) at 2. apply Rmult_le_compat_l; [unfold few; lra|].
    apply (ev_range (grid few_m) two 1). intros t. unfold two. destruct (0 <=? t)%Z; lra.
  - intros t. unfold one, two. simpl mass. unfold two_sided_mass. destruct (Z.leb_spec 2 (t + 2)), (Z.leb_spec 0 t); try lia; [|ring].
    replace (Z.abs_nat (t + 2)) with (Datatypes.S (Datatypes.S (Z.abs_nat t))) by lia. simpl. ring.
Qed.

Lemma near_point : ev (grid few_m) (fun t => if (t =? 1)%Z then 1 else 0) <= few.
Proof.
  pose (one := fun t : Z => if (t =? 1)%Z then 1 else 0). pose (two := fun t : Z => if (t =? 0)%Z then 1 else 0).
  assert (B1 : bounded one) by (exists 1; intros t; unfold one; destruct (t =? 1)%Z; lra).
  change (sumZ (fun t => mass few_m t * one t) <= few).
  rewrite <- (sumZ_moved 1) by apply (weighted_summable few_m one B1).
  rewrite (sumZ_ext _ (fun t => few * (mass few_m t * two t))).
  - rewrite sumZ_scal. change (sumZ (fun t => mass few_m t * two t)) with (ev (grid few_m) two).
    apply Rle_trans with (few * 1); [|lra]. apply Rmult_le_compat_l; [unfold few; lra|].
    apply (ev_range (grid few_m) two 1). intros t. unfold two. destruct (t =? 0)%Z; lra.
  - intros t. unfold one, two. simpl mass. unfold two_sided_mass. destruct (Z.eqb_spec (t + 1) 1), (Z.eqb_spec t 0); try lia; [|ring].
    subst t. simpl. ring.
Qed.

Theorem shorter_end_loses_too_little : ~ (forall ratio (Hr : 0 < ratio < 1) g l u eps q q', 0 < g -> (0 < l)%nat -> (l < u)%nat ->
  (forall past, - (g * INR l) <= q' past - q past <= g * INR u) ->
  close (exp eps) (race_gain (g * INR (l + u) / 1) (two_sided_masses ratio Hr) (Z.of_nat (Nat.min l u)) eps 1)
    (sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided ratio Hr) g 1 1 q) (sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided ratio Hr) g 1 1 q')).
Proof.
  intros C. pose proof ln2_pos as L2.
  assert (L4 : ln 4096 = 12 * ln 2).
  { replace 4096 with (2 ^ 12) by (simpl; ring). rewrite ln_pow by lra. simpl. ring. }
  assert (M : forall past, - (ln 2 * INR 1) <= query (INR 20) past - query (INR 5) past <= ln 2 * INR 2).
  { intros past. unfold query. replace (INR 20) with (2 * (2 * 5)) by (simpl; ring). replace (INR 5) with 5 by (simpl; ring).
    assert (0 < ln 5) by (rewrite <- ln_1; apply ln_increasing; lra).
    rewrite !ln_mult by lra. simpl. lra. }
  specialize (C few few_range (ln 2) 1%nat 2%nat (ln 4096) (query (INR 5)) (query (INR 20)) L2 ltac:(lia) ltac:(lia) M (same [false])).
  assert (Z0 : race_gain (ln 2 * INR (1 + 2) / 1) few_m (Z.of_nat (Nat.min 1 2)) (ln 4096) 1 = 0).
  { replace (ln 2 * INR (1 + 2) / 1) with (3 * ln 2) by (simpl; field). unfold race_gain.
    rewrite exp_ln by lra. change (Z.of_nat (Nat.min 1 2)) with 1%Z.
    assert (G : forall t, gain (3 * ln 2) 1 (4096 * tilt few_m 1 t) = 0).
    { intros t. pose proof (laplace_tilt few few_range 1 t) as Lt. simpl in Lt. rewrite Rmult_1_r, Rinv_inv in Lt.
      change (tilt (two_sided_masses few few_range) 1 t) with (tilt few_m 1 t) in Lt. set (w := tilt few_m 1 t) in *. unfold few in Lt.
      assert (Pz : 8 <= 4096 * w) by lra.
      rewrite gain_closed by (lia || lra). cbv zeta.
      assert (E : exp (- (3 * ln 2)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in E.
      assert (Lz : 3 * ln 2 <= ln (4096 * w)).
      { replace (3 * ln 2) with (ln 8); [destruct Pz as [Pz|Pz]; [left; apply ln_increasing; lra|right; rewrite Pz; reflexivity]|].
        replace 8 with (2 ^ 3) by (simpl; ring). rewrite ln_pow by lra. simpl. ring. }
      rewrite Rmax_right; [rewrite Rmult_0_l, Q_start; ring|]. change (INR 1) with 1. unfold Rdiv.
      assert (0 <= (ln (4096 * w) - 3 * ln 2) * / (1 - exp (- (3 * ln 2)))); [|lra].
      apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
    rewrite (ev_ext _ _ (fun _ => 0)); [apply ev_const; lra| |exact G]. exists 0. intros t. rewrite G. lra. }
  rewrite Z0, exp_ln, Rplus_0_r in C by lra.
  set (f := fun t : Z => chance (run (gumbel 1 Rlt_0_1) 0 (query (INR 5)) (ln 2 * IZR t) 1 1 []) (same [false])).
  set (f' := fun t : Z => chance (run (gumbel 1 Rlt_0_1) 0 (query (INR 20)) (ln 2 * IZR t) 1 1 []) (same [false])).
  change (ev (grid few_m) f <= 4096 * ev (grid few_m) f') in C.
  assert (Low : 511 / 513 * / 2 ^ 5 <= ev (grid few_m) f).
  { pose proof (grid_point few_m f ltac:(exists 1; intros t; apply chance_range)) as G.
    replace (f 0%Z) with (/ 2 ^ 5) in G by (unfold f; rewrite silent, Rmult_0_r, Ropp_0, exp_0, Rmult_1_r, half_power by lia; reflexivity).
    replace (mass few_m 0) with (511 / 513) in G by (simpl; unfold two_sided_mass, few; simpl; field). exact G. }
  assert (High : ev (grid few_m) f' <= / 2 ^ 20 + (/ 2 ^ 10 * few + few * few)).
  { pose (near := fun t : Z => if (t =? 1)%Z then 1 else 0). pose (far := fun t : Z => if (2 <=? t)%Z then 1 else 0).
    assert (B1 : bounded near) by (exists 1; intros t; unfold near; destruct (t =? 1)%Z; lra).
    assert (B2 : bounded far) by (exists 1; intros t; unfold far; destruct (2 <=? t)%Z; lra).
    assert (P10 : 0 <= / 2 ^ 10) by (left; apply Rinv_0_lt_compat, pow_lt; lra).
    assert (P20 : 0 <= / 2 ^ 20) by (left; apply Rinv_0_lt_compat, pow_lt; lra).
    apply Rle_trans with (ev (grid few_m) (fun t => / 2 ^ 20 + (/ 2 ^ 10 * near t + far t))).
    - apply ev_mono; [exists 1; intros t; apply chance_range| |].
      + apply (bounded_plus (fun _ => / 2 ^ 20)); [apply bounded_const, P20|].
        apply (bounded_plus (fun t => / 2 ^ 10 * near t)); [apply bounded_scal; assumption|exact B2].
      + intros t. unfold near, far, f'. destruct (Z.leb_spec 2 t) as [A|A].
        * pose proof (chance_range (run (gumbel 1 Rlt_0_1) 0 (query (INR 20)) (ln 2 * IZR t) 1 1 []) (same [false])).
          destruct (t =? 1)%Z; lra.
        * rewrite silent by lia. destruct (Z.eqb_spec t 1) as [->|D].
          -- replace (exp (- (ln 2 * 1))) with (/ 2) by (rewrite Rmult_1_r, exp_Ropp, exp_ln by lra; reflexivity).
             replace (INR 20 * ln 2 * / 2) with (INR 10 * ln 2) by (simpl; field). rewrite half_power. lra.
          -- assert (T0 : IZR t <= 0) by (apply IZR_le; lia).
             assert (E : 1 <= exp (- (ln 2 * IZR t))).
             { rewrite <- exp_0. apply exp_mono. assert (0 <= ln 2 * - IZR t) by (apply Rmult_le_pos; lra). lra. }
             rewrite <- half_power. assert (P : 0 <= INR 20 * ln 2) by (apply Rmult_le_pos; [apply pos_INR|lra]).
             assert (exp (- (INR 20 * ln 2 * exp (- (ln 2 * IZR t)))) <= exp (- (INR 20 * ln 2))); [|lra].
             apply exp_mono. apply Ropp_le_contravar. rewrite <- (Rmult_1_r (INR 20 * ln 2)) at 1. apply Rmult_le_compat_l; assumption.
    - assert (B3 : bounded (fun t => / 2 ^ 10 * near t)) by (apply bounded_scal; assumption).
      assert (B4 : bounded (fun t => / 2 ^ 10 * near t + far t)) by (apply bounded_plus; assumption).
      assert (B5 : bounded (fun _ : Z => / 2 ^ 20)) by (apply bounded_const, P20).
      rewrite (ev_plus (grid few_m) _ _ B5 B4), (ev_plus (grid few_m) _ _ B3 B2), (ev_const (grid few_m) _ P20), (ev_scal (grid few_m) _ _ P10 B1).
      pose proof near_point as N1. pose proof far_tail as N2. fold near in N1. fold far in N2.
      apply Rmult_le_compat_l with (r := / 2 ^ 10) in N1; [|exact P10]. lra. }
  set (x := ev (grid few_m) f) in *. set (y := ev (grid few_m) f') in *. clearbody x y. unfold few in High. simpl in Low, High. lra.
Qed.

(** The same for a part of the shift (Theorem 4): its own divergence is charged by the shorter end. Here queries only rise, by one step
    at most: the shorter end is none. *)
Lemma unmoved t : tilt (two_sided_masses rare rare_range) 0 t = 1.
Proof.
  unfold tilt. rewrite Z.add_0_r. apply Rinv_r, Rgt_not_eq, two_sided_above, rare_range.
Qed.
Theorem shorter_end_diverges_too_little : ~ (forall a g l u k eps q q', 1 < a -> 0 < g -> (l <= u)%nat -> (k <= u)%nat ->
  0 < 1 + a * (exp (- step 1 g (u - k)) - 1) -> (forall past, - (g * INR l) <= q' past - q past <= g * INR u) ->
  close (exp eps) (shifted a rare rare_range eps (Nat.min k l) 1 (step 1 g (u + Nat.min k l)) (step 1 g (u - k)))
    (rare_run g q) (rare_run g q')).
Proof.
  intros C. apply monotonic_shift_is_paid. intros a eps q q' Ha H. pose proof ln2_pos.
  specialize (C a (ln 2) 0%nat 1%nat 1%nat eps q q' Ha ltac:(lra) ltac:(lia) ltac:(lia)).
  assert (S1 : step 1 (ln 2) (1 + Nat.min 1 0) = ln 2) by (unfold step; simpl; field).
  assert (S0 : step 1 (ln 2) (1 - 1) = 0) by (unfold step; simpl; field).
  unfold shifted in C. rewrite S1, S0 in C.
  assert (M : shift_moment a (two_sided_masses rare rare_range) (Z.of_nat (Nat.min 1 0)) = 1).
  { unfold shift_moment. simpl Z.of_nat. rewrite (ev_ext _ _ (fun _ => 1)); [apply ev_one| |];
      [exists 1|]; intros t; rewrite unmoved, power_same; lra. }
  rewrite M, Rmult_1_l in C. apply C; [rewrite Ropp_0, exp_0; lra|]. intros past. specialize (H past). simpl. lra.
Qed.
