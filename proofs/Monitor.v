(** * The monitor: a limit for each person in place of a cutoff

    One person in particular. Question after question is asked, for ever, and each may depend on all answers. [others v x] is the
    score of everybody else who is in, given the answers [v]: who that is depends on their own rows and on the answers, so it
    is the same whether the person is there or not. [weight v x] is what the person adds while they are in. *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Hazard Race RaceCases Adversary ClosedForm Filter.
Import ListNotations.
Open Scope R_scope.

(** ** One comparison under Gumbel noise, with hazards h and h' *)
Definition odds (h h' : R) (alarm : bool) : R :=
  if alarm then (1 - exp (- h')) / (1 - exp (- h)) else exp (- h') / exp (- h).

Lemma odds_pos h h' y : 0 < h -> 0 < h' -> 0 < odds h h' y.
Proof.
  intros H H'. pose proof (below_one h H). pose proof (below_one h' H').
  destruct y; simpl; apply Rdiv_lt_0_compat; try lra; apply exp_pos.
Qed.

Lemma bounded_bool (f : bool -> R) : (forall y, 0 <= f y) -> bounded f.
Proof.
  intros H. exists (f true + f false). intros y. pose proof (H true). pose proof (H false). destruct y; lra.
Qed.

Section Monitor.
Variable s : R.
Hypothesis Hs : 0 < s.
Variable Question : Type.
Local Notation answers := (view Question bool).
Variable choose : answers -> option Question.
Variables bar others weight : answers -> Question -> R.

(** The hazard of an alarm, at the score [q]. *)
Definition alarm_hazard (v : answers) (x : Question) (q : R) : R := exp (- ((bar v x - q) / s)).

Lemma alarm_answer v x q f :
  ev (answer (gumbel s Hs) (bar v x - q)) f
  = (1 - exp (- alarm_hazard v x q)) * f true + exp (- alarm_hazard v x q) * f false.
Proof. unfold answer. simpl. unfold S_gumbel. fold (alarm_hazard v x q). ring. Qed.

Lemma alarm_pos v x q : 0 < alarm_hazard v x q.
Proof. apply exp_pos. Qed.

Lemma alarm_logs v x q q' : ln (alarm_hazard v x q) - ln (alarm_hazard v x q') = (q - q') / s.
Proof. unfold alarm_hazard. rewrite !ln_exp. field. lra. Qed.

Lemma alarm_law v x q q' f : bounded f ->
  ev (answer (gumbel s Hs) (bar v x - q)) (fun y => odds (alarm_hazard v x q) (alarm_hazard v x q') y * f y)
  <= ev (answer (gumbel s Hs) (bar v x - q')) f.
Proof.
  intros _. rewrite !alarm_answer. simpl. pose proof (below_one _ (alarm_pos v x q)). pose proof (exp_pos (- alarm_hazard v x q)).
  right. field. lra.
Qed.

(** The monitor, with scores [q]: nothing is refused. *)
Definition monitor (q : answers -> Question -> R) (n : nat) : law answers :=
  filtered Question bool choose (fun _ _ => true) (fun v x => answer (gumbel s Hs) (bar v x - q v x)) n [].

(** ** Hits: out after k alarms that counted the person *)
Section Hits.
Variable k : nat.

Fixpoint hits (v : answers) : nat :=
  match v with
  | [] => O
  | (x, Some true) :: before => if Req_EM_T (weight before x) 0 then hits before else Datatypes.S (hits before)
  | _ :: before => hits before
  end.

Definition with_hits (v : answers) (x : Question) : R := others v x + (if (hits v <? k)%nat then weight v x else 0).

(** Any function with the right tangents, as for a bare threshold ([Adversary.v]). *)
Section Any.
Variables U slope : nat -> R -> R.
Variables down up : R.
Hypothesis Hdown : 0 <= down.
Hypothesis Hup : 0 <= up.
Hypothesis U_zero : forall z, 0 < z -> 0 <= U 0 z /\ 1 - z <= U 0 z.
Hypothesis U_derive : forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z).
Hypothesis U_tangent : forall n z y, 0 < z -> - down <= y <= up ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z).
Hypothesis U_convex : forall n z, 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w.
(** The scores of two datasets: they differ only while the person is in, and counted. *)
Variables q q' : answers -> Question -> R.
Hypothesis same_out : forall v x, (k <= hits v)%nat \/ weight v x = 0 -> q v x = q' v x.
Hypothesis apart : forall v x, - down <= (q v x - q' v x) / s <= up.

Lemma hits_any eps n : close (exp eps) (U k (exp eps)) (monitor q n) (monitor q' n).
Proof.
  pose (h := fun v x => alarm_hazard v x (q v x)). pose (h' := fun v x => alarm_hazard v x (q' v x)).
  pose (ratio := fun v x => odds (h v x) (h' v x)).
  assert (Rp : forall v x y, 0 < ratio v x y) by (intros; apply odds_pos; apply alarm_pos).
  assert (Floor : forall m z, 0 < z -> 0 <= U m z /\ 1 - z <= U m z)
    by (intros; apply (U_floor U slope down up); auto).
  pose (V := fun v => U (k - hits v) (exp eps * passed Question bool ratio v)).
  assert (Pz : forall v, 0 < exp eps * passed Question bool ratio v)
    by (intros v; apply Rmult_lt_0_compat; [apply exp_pos|apply passed_pos; exact Rp]).
  replace (U k (exp eps)) with (V []) by (unfold V; simpl; rewrite Nat.sub_0_r, Rmult_1_r; reflexivity).
  apply (filter_delta Question bool choose (fun _ _ => true) (fun v x => answer (gumbel s Hs) (bar v x - q v x))
    (fun v x => answer (gumbel s Hs) (bar v x - q' v x)) ratio) with (sound := fun _ => True); auto.
  - intros v x. apply bounded_bool. intros y. left. apply Rp.
  - intros v x f Hf. apply alarm_law, Hf.
  - apply exp_pos.
  - intros v _. apply Floor, Pz.
  - intros v x _ _. apply bounded_bool. intros y. apply Floor, Pz.
  - intros v x _ _. rewrite alarm_answer. fold (h v x). unfold V. cbn [hits passed].
    set (z := exp eps * passed Question bool ratio v). assert (Hz : 0 < z) by apply Pz.
    rewrite <- !Rmult_assoc. fold z.
    assert (Same : (k <= hits v)%nat \/ weight v x = 0 ->
      (1 - exp (- h v x)) * U (k - hits v) (z * ratio v x true) + exp (- h v x) * U (k - hits v) (z * ratio v x false)
      = U (k - hits v) z).
    { intros E. assert (Q : h v x = h' v x) by (unfold h, h'; rewrite (same_out v x E); reflexivity).
      unfold ratio, odds. rewrite Q. pose proof (below_one _ (alarm_pos v x (q' v x))) as B. fold (h' v x) in B.
      pose proof (exp_pos (- h' v x)).
      replace (z * ((1 - exp (- h' v x)) / (1 - exp (- h' v x)))) with z by (field; lra).
      replace (z * (exp (- h' v x) / exp (- h' v x))) with z by (field; lra). ring. }
    destruct (Req_EM_T (weight v x) 0) as [E|E]; [right; apply Same; right; exact E|].
    destruct (Nat.le_gt_cases k (hits v)) as [L|L].
    + replace (k - Datatypes.S (hits v))%nat with (k - hits v)%nat by lia. right. apply Same. left. exact L.
    + set (m := (k - Datatypes.S (hits v))%nat). replace (k - hits v)%nat with (Datatypes.S m) by lia.
      apply (adversary_step U slope down up U_derive U_tangent U_convex m z (h v x) (h' v x) Hz
        (alarm_pos v x _) (alarm_pos v x _)). unfold h, h'. rewrite alarm_logs. apply apart.
  - intros v x _ D. discriminate.
Qed.
End Any.

(** ** Counts and weights that are not negative: both closed forms *)
Variable kappa : R.
Hypothesis Hk : (0 < k)%nat.
Hypothesis Hkappa : 0 < kappa.
Hypothesis Hweight : forall v x, 0 <= weight v x / s <= kappa.

Lemma with_out v x : (k <= hits v)%nat \/ weight v x = 0 -> with_hits v x = others v x.
Proof.
  intros H. unfold with_hits. destruct (Nat.ltb_spec (hits v) k) as [L|L]; [|lra]. destruct H as [H|H]; [lia|]. lra.
Qed.

Lemma with_apart v x : 0 <= (with_hits v x - others v x) / s <= kappa.
Proof.
  unfold with_hits. destruct (hits v <? k)%nat.
  - replace ((others v x + weight v x - others v x) / s) with (weight v x / s) by (field; lra). apply Hweight.
  - replace ((others v x + 0 - others v x) / s) with 0 by (field; lra). lra.
Qed.

Let closed rho sign down up (q q' : answers -> Question -> R) :
  0 < rho -> (sign = 1 /\ 1 < rho) \/ (sign = - 1 /\ rho < 1) -> 0 <= down -> 0 <= up ->
  (forall y, - down <= y <= up -> Rmin 1 rho <= exp (- y) <= Rmax 1 rho) ->
  (forall v x, (k <= hits v)%nat \/ weight v x = 0 -> q v x = q' v x) ->
  (forall v x, - down <= (q v x - q' v x) / s <= up) ->
  forall eps n, close (exp eps) (ClosedForm.U rho sign k (exp eps)) (monitor q n) (monitor q' n).
Proof.
  intros Hrho Hsign Hd Hu Hends So Ap eps n.
  apply (hits_any (ClosedForm.U rho sign) (fun n => line rho sign (Datatypes.S n)) down up); auto.
  - apply U_start.
  - intros m z Hz. apply U_slope; auto.
  - intros m z y Hz Hy. apply ClosedForm.U_tangent; auto.
  - apply ClosedForm.U_convex; auto.
Qed.

(** THEOREM 7 (hits), from the side that has the person. *)
Theorem hits_with eps n :
  let g := Rmax ((INR k * kappa - eps) / (1 - exp (- kappa))) 0 in
  close (exp eps) ((1 - Q k g) - exp eps * (1 - Q k (g * exp (- kappa)))) (monitor with_hits n) (monitor others n).
Proof.
  intros g. set (rho := exp (- kappa)).
  assert (R1 : 0 < rho < 1).
  { split; [apply exp_pos|]. unfold rho. assert (exp (- kappa) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  replace ((1 - Q k g) - exp eps * (1 - Q k (g * rho))) with (ClosedForm.U rho (-1) k (exp eps)).
  - apply (closed rho (-1) 0 kappa); try lra.
    + intros y Hy. rewrite Rmin_right, Rmax_left by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
    + exact with_out.
    + intros v x. pose proof (with_apart v x). lra.
  - destruct k as [|j]; [lia|]. cbn [ClosedForm.U]. unfold V, M.
    replace (ClosedForm.G rho (Datatypes.S j) (exp eps)) with g; [fold rho; field|].
    unfold g, ClosedForm.G, best. f_equal. rewrite ln_exp. unfold rho. rewrite ln_exp. fold rho. field. lra.
Qed.

(** THEOREM 7, from the other side. *)
Theorem hits_without eps n :
  let g := Rmax ((eps + INR k * kappa) / (exp kappa - 1)) 0 in
  close (exp eps) (Q k g - exp eps * Q k (g * exp kappa)) (monitor others n) (monitor with_hits n).
Proof.
  intros g. set (rho := exp kappa).
  assert (R1 : 1 < rho).
  { unfold rho. assert (exp 0 < exp kappa) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  replace (Q k g - exp eps * Q k (g * rho)) with (ClosedForm.U rho 1 k (exp eps)).
  - apply (closed rho 1 kappa 0); try lra.
    + intros y Hy. rewrite Rmin_left, Rmax_right by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
    + intros v x H. symmetry. apply with_out, H.
    + intros v x. pose proof (with_apart v x) as A.
      replace ((others v x - with_hits v x) / s) with (- ((with_hits v x - others v x) / s)) by (field; lra). lra.
  - destruct k as [|j]; [lia|]. cbn [ClosedForm.U]. unfold V, M.
    replace (ClosedForm.G rho (Datatypes.S j) (exp eps)) with g; [fold rho; field|].
    unfold g, ClosedForm.G, best. f_equal. rewrite ln_exp. unfold rho. rewrite ln_exp. reflexivity.
Qed.
End Hits.

(** ** Weights: an alarm charges a person by their weight in it, and whoever could not pay is left out before *)
Section Weights.
Variables a B kappa : R.
Hypothesis Ha : 1 < a.
Hypothesis HB : 0 <= B.
Hypothesis Hkappa : 0 <= kappa.
Hypothesis Horder : 0 < 1 + a * (exp (- kappa) - 1).
Hypothesis Hweight : forall v x, Rabs (weight v x) / s <= kappa.

(** What a weight costs: a Rényi divergence of order a. *)
Definition weight_cost (w : R) : R := ln (Rmax (charge a (Rabs w / s)) (charge a (- (Rabs w / s)))) / (a - 1).

Fixpoint charged (v : answers) : R :=
  match v with
  | [] => 0
  | (x, Some true) :: before =>
      charged before + (if Rle_dec (charged before + weight_cost (weight before x)) B then weight_cost (weight before x) else 0)
  | _ :: before => charged before
  end.
Definition is_in (v : answers) (x : Question) : bool :=
  if Rle_dec (charged v + weight_cost (weight v x)) B then true else false.
Definition with_weights (v : answers) (x : Question) : R := others v x + (if is_in v x then weight v x else 0).

Lemma cost_ge_1 w : 1 <= Rmax (charge a (Rabs w / s)) (charge a (- (Rabs w / s))).
Proof.
  apply (worst_ge_1 a Ha). apply Rmult_le_pos; [apply Rabs_pos|left; apply Rinv_0_lt_compat, Hs].
Qed.

Lemma cost_pos w : 0 <= weight_cost w.
Proof.
  unfold weight_cost. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
  rewrite <- ln_1. pose proof (cost_ge_1 w) as [H|H]; [left; apply ln_increasing; lra|right; rewrite <- H; reflexivity].
Qed.

(** Two datasets: one has the person, or the other. *)
Variables q q' : answers -> Question -> R.
Hypothesis apart : forall v x, Rabs (q v x - q' v x) <= (if is_in v x then Rabs (weight v x) else 0).

Lemma weights_any eps n : close (exp eps) (factor a eps * exp ((a - 1) * B)) (monitor q n) (monitor q' n).
Proof.
  pose (h := fun v x => alarm_hazard v x (q v x)). pose (h' := fun v x => alarm_hazard v x (q' v x)).
  pose (ratio := fun v x => odds (h v x) (h' v x)).
  pose (pay := fun v x (y : bool) => if y then (if is_in v x then weight_cost (weight v x) else 0) else 0).
  assert (Rp : forall v x y, 0 < ratio v x y) by (intros; apply odds_pos; apply alarm_pos).
  assert (Pp : forall v x y, 0 <= pay v x y).
  { intros v x [|]; simpl; [|lra]. destruct (is_in v x); [apply cost_pos|lra]. }
  assert (Paid : forall v, paid Question bool unit (fun _ => pay) tt v = charged v).
  { induction v as [|[x [[|]|]] v IH]; cbn [paid charged]; rewrite ?IH; try reflexivity.
    - simpl. unfold is_in. destruct (Rle_dec _ B); reflexivity.
    - simpl. ring. }
  assert (Within : forall v, charged v <= B).
  { induction v as [|[x [[|]|]] v IH]; cbn [charged]; auto. destruct (Rle_dec _ B); lra. }
  apply (renyi_filter Question bool choose (fun _ _ => true) (fun v x => answer (gumbel s Hs) (bar v x - q v x))
    (fun v x => answer (gumbel s Hs) (bar v x - q' v x)) ratio) with (worth := fun _ => 1) (pay := pay)
    (pure := fun v => - ln (passed Question bool ratio v)); auto.
  - intros v x. apply bounded_bool. intros y. left. apply Rp.
  - intros v x f Hf. apply alarm_law, Hf.
  - intros; lra.
  - intros; lra.
  - intros v x _. apply bounded_bool. intros y. unfold lost. rewrite Rmult_1_r. left. apply exp_pos.
  - (* payments suffice: the one-step inequality *)
    intros v x _. rewrite alarm_answer. fold (h v x). unfold lost, ratio, odds. rewrite !Rmult_1_r.
    pose proof (alarm_pos v x (q v x)) as Ph. pose proof (alarm_pos v x (q' v x)) as Ph'. fold (h v x) in Ph. fold (h' v x) in Ph'.
    pose proof (below_one _ Ph) as Bh. pose proof (below_one _ Ph') as Bh'.
    pose proof (exp_pos (- h v x)) as Eh. pose proof (exp_pos (- h' v x)) as Eh'.
    set (w := if is_in v x then Rabs (weight v x) else 0).
    assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs).
    assert (Hw : 0 <= w / s <= kappa).
    { unfold w. specialize (Hweight v x). destruct (is_in v x); split; try lra; unfold Rdiv; try lra.
      apply Rmult_le_pos; [apply Rabs_pos|lra]. }
    assert (Hy : - (w / s) <= ln (h v x) - ln (h' v x) <= w / s).
    { unfold h, h'. rewrite alarm_logs. specialize (apart v x). fold w in apart.
      assert (- w <= q v x - q' v x <= w) by (unfold Rabs in apart; destruct (Rcase_abs _) in apart; lra).
      unfold Rdiv. rewrite Ropp_mult_distr_l. split; apply Rmult_le_compat_r; lra. }
    assert (O : 0 < 1 + a * (exp (- (w / s)) - 1)).
    { apply Rlt_le_trans with (1 := Horder). apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
      assert (exp (- kappa) <= exp (- (w / s))) by (apply exp_mono; lra). lra. }
    destruct (charge_ends a Ha _ (w / s) (w / s) Hy (proj1 Hw) (proj1 Hw) O) as [D C].
    set (worst := Rmax (charge a (w / s)) (charge a (- (w / s)))) in *.
    assert (W1 : 1 <= worst) by (apply (worst_ge_1 a Ha); apply Hw).
    pose proof (one_step a Ha (h v x) (h' v x) worst Ph Ph' D C) as St.
    assert (Pw : exp ((a - 1) * (if is_in v x then weight_cost (weight v x) else 0)) = worst).
    { unfold worst, w, weight_cost. destruct (is_in v x).
      - replace ((a - 1) * (ln (Rmax (charge a (Rabs (weight v x) / s)) (charge a (- (Rabs (weight v x) / s)))) / (a - 1)))
          with (ln (Rmax (charge a (Rabs (weight v x) / s)) (charge a (- (Rabs (weight v x) / s))))) by (field; lra).
        apply exp_ln. pose proof (cost_ge_1 (weight v x)). lra.
      - unfold Rdiv. rewrite Rmult_0_l, Ropp_0, charge_zero, Rmax_left, Rmult_0_r by lra. apply exp_0. }
    assert (Term : forall p p' c, 0 < p -> 0 < p' -> p * exp ((a - 1) * (- ln (p' / p) - c)) = power a p p' * exp (- ((a - 1) * c))).
    { intros p p' c Hp Hp'. unfold Rdiv. rewrite ln_mult, ln_Rinv by (auto using Rinv_0_lt_compat). unfold power.
      rewrite <- (exp_ln p) at 1 by exact Hp. rewrite <- !exp_plus. f_equal. ring. }
    unfold pay. cbv iota beta. rewrite !Term by lra.
    rewrite (exp_Ropp ((a - 1) * (if is_in v x then weight_cost (weight v x) else 0))), Pw, Rmult_0_r, Ropp_0, exp_0, Rmult_1_r.
    apply Rmult_le_reg_r with worst; [lra|]. rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_l by lra. lra.
  - intros v. rewrite Ropp_involutive, exp_ln by (apply passed_pos; exact Rp). apply Rle_refl.
  - intros v x. apply Rle_refl.
  - intros v x _ y. right. rewrite Paid. apply Within.
Qed.
End Weights.

(** THEOREM 8 (weights), both sides. Weights may have either sign. *)
Theorem weights_limit a B kappa eps n : 1 < a -> 0 <= B -> 0 <= kappa -> 0 < 1 + a * (exp (- kappa) - 1) ->
  (forall v x, Rabs (weight v x) / s <= kappa) ->
  close (exp eps) (factor a eps * exp ((a - 1) * B)) (monitor (with_weights a B) n) (monitor others n) /\
  close (exp eps) (factor a eps * exp ((a - 1) * B)) (monitor others n) (monitor (with_weights a B) n).
Proof.
  intros Ha HB Hk Ho Hw. split; apply (weights_any a B kappa); auto; intros v x; unfold with_weights; destruct (is_in a B v x).
  - replace (others v x + weight v x - others v x) with (weight v x) by ring. lra.
  - rewrite Rplus_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - replace (others v x - (others v x + weight v x)) with (- weight v x) by ring. rewrite Rabs_Ropp. lra.
  - rewrite Rplus_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.
End Monitor.
