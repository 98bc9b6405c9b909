(** * False claims about (epsilon, delta), refuted

    One query or two, s = 1, with hazards that are multiples of ln 2 as in [RefutedRace.v]. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases Adversary
  ClosedForm RaceNoise
  RefutedRace.
Import ListNotations.
Open Scope R_scope.

Lemma exp_ln4 : exp (ln 4) = 4.
Proof. apply exp_ln; lra. Qed.

(** A query that rises by ln 2, at epsilon = ln 4. A negative answer has the chances 1/8 and 1/64. *)
Lemma rise past : query (INR 6) past - query (INR 3) past = ln 2.
Proof.
  rewrite query_moves by lia. replace (INR 6) with (2 * 3) by (simpl; ring). replace (INR 3) with 3 by (simpl; ring).
  rewrite ln_mult by lra. ring.
Qed.

Lemma rise_bare delta :
  close (exp (ln 4)) delta (run (gumbel 1 Rlt_0_1) 0 (query (INR 3)) 0 1 1 [])
    (run (gumbel 1 Rlt_0_1) 0 (query (INR 6)) 0 1 1 []) ->
  6 / 100 <= delta.
Proof. intros C. specialize (C (same [false])). rewrite !one_negative, exp_ln4 in C by lia. simpl in C. lra. Qed.

(** The same with noise on the threshold, which hardly ever moves it. *)
Lemma rise_rare delta :
  close (exp (ln 4)) delta (rare_run (ln 2) (query (INR 3))) (rare_run (ln 2) (query (INR 6))) -> 6 / 100 <= delta.
Proof.
  intros C. specialize (C (same [false])). rewrite exp_ln4 in C.
  pose proof (rare_bounds (ln 2) 3 [false] ltac:(lia) ltac:(right; left; reflexivity)) as B3.
  pose proof (rare_bounds (ln 2) 6 [false] ltac:(lia) ltac:(right; left; reflexivity)) as B6.
  cbv zeta in B3, B6. rewrite rare_zero_is in *. simpl pow in *. lra.
Qed.

(** What is charged at order 4: less than that, in all the false claims below. *)
Lemma factor_four : factor 4 (ln 4) = 27 / 16384.
Proof.
  unfold factor. replace (4 / (4 - 1)) with (4 / 3) by field.
  assert (E : exp (ln 4 + ln (4 / 3)) = 16 / 3) by (rewrite exp_plus, !exp_ln by lra; field).
  replace ((4 - 1) * (ln 4 + ln (4 / 3)))
    with ((ln 4 + ln (4 / 3)) + (ln 4 + ln (4 / 3)) + (ln 4 + ln (4 / 3))) by ring.
  set (x := ln 4 + ln (4 / 3)) in *. rewrite !exp_plus, E. field.
Qed.

Lemma charge_four y : charge 4 y = exp y ^ 4 / (1 + 4 * (exp y - 1)).
Proof. unfold charge. replace (4 * y) with (y + y + y + y) by ring. rewrite !exp_plus. f_equal. ring. Qed.

Lemma charge_two : charge 4 (2 * ln 2) = 256 / 13.
Proof.
  rewrite charge_four. replace (2 * ln 2) with (ln 2 + ln 2) by ring. rewrite exp_plus, exp_ln by lra. field.
Qed.
Lemma charge_one : charge 4 (ln 2) = 16 / 5.
Proof. rewrite charge_four, exp_ln by lra. field. Qed.
Lemma charge_fall : charge 4 (- ln 2) = - / 16.
Proof. rewrite charge_four, exp_Ropp, exp_ln by lra. field. Qed.

(** ** Theorem 4: moving the threshold noise is free: false

    All of Delta = ln 2, one step: so hazards fall nowhere, and rise by Delta or by twice as much. *)
Definition claim_free_shift_delta (rises : R) : Prop := forall a eps q q', 1 < a ->
  (forall past, 0 <= q' past - q past <= ln 2) ->
  close (exp eps) (factor a eps * Rmax (charge a rises) (charge a (- 0)) ^ 1) (rare_run (ln 2) q) (rare_run (ln 2) q').

Theorem monotonic_shift_is_paid : ~ claim_free_shift_delta (ln 2).
Proof.
  intros C. pose proof ln2_pos. specialize (C 4 (ln 4) (query (INR 3)) (query (INR 6)) ltac:(lra)
    (fun past => ltac:(rewrite rise; lra))).
  apply rise_rare in C. rewrite factor_four, pow_1, charge_one, Ropp_0, charge_zero, Rmax_left in C by lra. lra.
Qed.

(** Even if the queries moved in one direction only, the charge for general ones would not do. *)
Theorem general_shift_is_paid : ~ claim_free_shift_delta (2 * ln 2).
Proof.
  intros C. pose proof ln2_pos. specialize (C 4 (ln 4) (query (INR 3)) (query (INR 6)) ltac:(lra)
    (fun past => ltac:(rewrite rise; lra))).
  apply rise_rare in C. rewrite factor_four, pow_1, charge_two, Ropp_0, charge_zero, Rmax_left in C by lra. lra.
Qed.

(** ** Any order will do: false, orders end where 1 + a (e^(- fall) - 1) does *)
Theorem orders_end : ~ (forall a eps q q', 1 < a -> (forall past, 0 <= q' past - q past <= ln 2) ->
  close (exp eps) (factor a eps * Rmax (charge a 0) (charge a (- ln 2)) ^ 1)
    (run (gumbel 1 Rlt_0_1) 0 q 0 1 1 []) (run (gumbel 1 Rlt_0_1) 0 q' 0 1 1 [])).
Proof.
  intros C. pose proof ln2_pos. specialize (C 4 (ln 4) (query (INR 3)) (query (INR 6)) ltac:(lra)
    (fun past => ltac:(rewrite rise; lra))).
  apply rise_bare in C. rewrite factor_four, pow_1, charge_fall, charge_zero, Rmax_left in C by lra. lra.
Qed.

(** ** Theorem 1: what the shift loses is free: false *)
Lemma no_gain kappa : 0 < kappa -> kappa <= ln 4 -> gain kappa 1 (exp (ln 4)) = 0.
Proof.
  intros Hk L. rewrite gain_closed by (lia || lra || apply exp_pos). cbv zeta. rewrite ln_exp.
  assert (E : exp (- kappa) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in E.
  rewrite Rmax_right.
  - rewrite Rmult_0_l, Q_start. ring.
  - change (INR 1) with 1. unfold Rdiv.
    assert (0 <= (ln 4 - kappa) * / (1 - exp (- kappa))); [|lra].
    apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Definition claim_free_loss (kappa : R) : Prop := forall eps q q',
  (forall past, 0 <= q' past - q past <= ln 2) ->
  close (exp eps) (gain kappa 1 (exp eps)) (rare_run (ln 2) q) (rare_run (ln 2) q').

Lemma ln4_twice : ln 4 = 2 * ln 2.
Proof. replace 4 with (2 * 2) by ring. rewrite ln_mult by lra. ring. Qed.

Lemma loss_is_paid kappa : 0 < kappa -> kappa <= ln 4 -> ~ claim_free_loss kappa.
Proof.
  intros Hk L C. pose proof ln2_pos.
  specialize (C (ln 4) (query (INR 3)) (query (INR 6)) (fun past => ltac:(rewrite rise; lra))).
  apply rise_rare in C. rewrite no_gain in C by assumption. lra.
Qed.

Theorem monotonic_loss_is_paid : ~ claim_free_loss (ln 2).
Proof. pose proof ln2_pos. apply loss_is_paid; [lra|rewrite ln4_twice; lra]. Qed.

Theorem general_loss_is_paid : ~ claim_free_loss (2 * ln 2).
Proof. pose proof ln2_pos. apply loss_is_paid; [lra|rewrite ln4_twice; lra]. Qed.

(** ** The second closed form is attained too, by a query whose hazard doubles *)
Theorem rising_is_tight delta :
  close (exp 0) delta (run (gumbel 1 Rlt_0_1) 0 (query (INR 1)) 0 1 1 [])
    (run (gumbel 1 Rlt_0_1) 0 (query (INR 2)) 0 1 1 []) ->
  let g := Rmax ((0 + INR 1 * ln 2) / (exp (ln 2) - 1)) 0 in
  Q 1 g - exp 0 * Q 1 (g * exp (ln 2)) <= delta.
Proof.
  intros C. specialize (C (same [false])). rewrite !one_negative in C by lia. cbv zeta.
  rewrite exp_0 in *. rewrite exp_ln by lra. simpl pow in C. pose proof ln2_pos.
  replace ((0 + INR 1 * ln 2) / (2 - 1)) with (INR 1 * ln 2) by (simpl; field).
  rewrite Rmax_left by (simpl; lra). unfold Q. cbn [poly pow fact]. rewrite half_power.
  replace (INR 1 * ln 2 * 2) with (INR 2 * ln 2) by (simpl; ring). rewrite half_power. simpl. lra.
Qed.

(** ** One positive: general queries cost no more than monotonic ones: false

    The first query falls by ln 2, the second rises by ln 2, and epsilon = 0. *)
Definition one_then_the_other (h k : nat) (past : list bool) : R :=
  match past with [] => query (INR h) past | _ => query (INR k) past end.

Lemma two_queries h k event : (0 < h)%nat -> (0 < k)%nat ->
  chance (run (gumbel 1 Rlt_0_1) 0 (one_then_the_other h k) 0 2 1 []) event
  = (1 - / 2 ^ h) * (if event [true] then 1 else 0)
    + / 2 ^ h * ((1 - / 2 ^ k) * (if event [false; true] then 1 else 0)
                 + / 2 ^ k * (if event [false; false] then 1 else 0)).
Proof.
  intros Hh Hk.
  assert (V : forall i, (0 < i)%nat -> exp (- exp (- ((0 + 0 - ln (INR i * ln 2)) / 1))) = / 2 ^ i).
  { intros i Hi. rewrite <- half_power. do 2 f_equal.
    replace (- ((0 + 0 - ln (INR i * ln 2)) / 1)) with (ln (INR i * ln 2)) by field.
    apply exp_ln, Rmult_lt_0_compat; [apply lt_0_INR; lia|apply ln2_pos]. }
  unfold chance, answer. cbn [run bind ev ret coin app answer one_then_the_other gumbel S]. unfold S_gumbel, query.
  rewrite !V by assumption. ring.
Qed.

Lemma both_directions past : Rabs (one_then_the_other 2 2 past - one_then_the_other 1 4 past) / 1 <= ln 2.
Proof.
  pose proof ln2_pos. assert (L2 : ln (INR 2) = ln 2) by (f_equal; simpl; ring).
  assert (L4 : ln (INR 4) = 2 * ln 2) by (rewrite <- ln4_twice; f_equal; simpl; ring).
  assert (L1 : ln (INR 1) = 0) by (simpl; apply ln_1). unfold Rdiv. rewrite Rinv_1, Rmult_1_r.
  destruct past; unfold one_then_the_other; rewrite query_moves, ?L1, ?L2, ?L4 by lia;
    unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

Theorem one_positive_both_directions : ~ (forall q q', (forall past, Rabs (q past - q' past) / 1 <= ln 2) ->
  close (exp 0) (gain (ln 2) 1 (exp 0)) (run (gumbel 1 Rlt_0_1) 0 q 0 2 1 []) (run (gumbel 1 Rlt_0_1) 0 q' 0 2 1 [])).
Proof.
  intros C. pose proof ln2_pos. specialize (C (one_then_the_other 2 2) (one_then_the_other 1 4)).
  specialize (C both_directions (fun l => match l with [false; true] => false | _ => true end)).
  rewrite !two_queries in C by lia.
  rewrite exp_0, gain_half in C. simpl in C. lra.
Qed.

(** ** The lemma on the best adversary needs its tangents: false for any smooth convex functions above 1 - z *)
Theorem tangents_are_needed : ~ (forall (U slope : nat -> R -> R),
  (forall z, 0 < z -> 0 <= U 0%nat z /\ 1 - z <= U 0%nat z) ->
  (forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z)) ->
  (forall n z, 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w) ->
  forall q q', (forall past, Rabs (q' past - q past) <= ln 2) ->
  forall eps, close (exp eps) (U 1%nat (exp eps)) (run (gumbel 1 Rlt_0_1) 0 q 0 1 1 [])
    (run (gumbel 1 Rlt_0_1) 0 q' 0 1 1 [])).
Proof.
  intros C. specialize (C (fun n z => match n with O => Rmax (1 - z) 0 | _ => 0 end) (fun _ _ => 0)).
  apply (bare_needs_delta (exp 0)). intros q q' H. apply C; auto.
  - intros z _. split; [apply Rmax_r|apply Rmax_l].
  - intros n z _. apply (is_derive_const 0 z).
  - intros [|n] z Hz; [|exists 0; intros; lra]. destruct (Rle_dec z 1) as [L|L].
    + exists (-1). intros w Hw. rewrite (Rmax_left (1 - z)) by lra. pose proof (Rmax_l (1 - w) 0). lra.
    + exists 0. intros w Hw. rewrite (Rmax_right (1 - z)) by lra. pose proof (Rmax_r (1 - w) 0). lra.
Qed.

(** ** One step: a positive is free: false *)
Theorem one_step_is_charged : ~ (forall a h h', 1 < a -> 0 < h -> 0 < h' -> 0 < 1 + a * (exp (ln h - ln h') - 1) ->
  power a (1 - exp (- h)) (1 - exp (- h')) + 1 * power a (exp (- h)) (exp (- h')) <= 1).
Proof.
  intros C. pose proof ln2_pos. specialize (C 2 (INR 2 * ln 2) (INR 1 * ln 2)). rewrite !half_power in C. simpl in C.
  rewrite !square in C by lra.
  assert (K : (1 - / (2 * (2 * 1))) * (1 - / (2 * (2 * 1))) / (1 - / (2 * 1))
              + 1 * (/ (2 * (2 * 1)) * / (2 * (2 * 1)) / / (2 * 1)) <= 1); [apply C; try lra|lra].
  rewrite !ln_mult by lra. replace (ln (1 + 1) + ln (ln 2) - (ln 1 + ln (ln 2))) with (ln 2)
    by (rewrite ln_1; replace (1 + 1) with 2 by ring; ring).
  rewrite exp_ln; lra.
Qed.

(** ** From moments to delta: the power a of 1 - 1/a instead of a - 1: false *)
Lemma quarter_range : 0 <= / 4 <= 1.
Proof. lra. Qed.
Lemma middle_range : 0 <= / 2 <= 1.
Proof. lra. Qed.

Theorem factor_is_needed : ~ (forall a eps (l : list bool) (p p' : law bool) (moment : R), 1 < a ->
  NoDup l -> supported l p ->
  (forall x, In x l -> 0 < chance p (is bool bool_dec x) /\ 0 < chance p' (is bool bool_dec x)) ->
  total l (fun x => power a (chance p (is bool bool_dec x)) (chance p' (is bool bool_dec x))) <= moment ->
  close (exp eps) ((1 - / a) * factor a eps * moment) p p').
Proof.
  intros C. specialize (C 2 0 [true; false] (coin (/ 2) middle_range) (coin (/ 4) quarter_range) (4 / 3) ltac:(lra)).
  assert (K : chance (coin (/ 2) middle_range) (fun b => b)
    <= exp 0 * chance (coin (/ 4) quarter_range) (fun b => b) + (1 - / 2) * factor 2 0 * (4 / 3)).
  { apply C.
    - repeat constructor; simpl; intuition discriminate.
    - intros f h Hf Hh L. simpl. pose proof (L true ltac:(simpl; auto)). pose proof (L false ltac:(simpl; auto)). lra.
    - intros x _. unfold chance. destruct x; simpl; lra.
    - unfold chance. simpl. rewrite !square by lra. lra. }
  rewrite factor_two, exp_0 in K. unfold chance in K. simpl in K. lra.
Qed.
