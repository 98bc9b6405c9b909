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

    Queries that only rise, by one step at most: the shorter end is none. *)
Lemma unmoved t : tilt (two_sided_masses rare rare_range) 0 t = 1.
Proof.
  unfold tilt. rewrite Z.add_0_r. apply Rinv_r, Rgt_not_eq, two_sided_above, rare_range.
Qed.
Theorem shorter_end_loses_too_little : ~ (forall g l u eps q q', 0 < g -> (0 < l + u)%nat ->
  (forall past, - (g * INR l) <= q' past - q past <= g * INR u) ->
  close (exp eps) (race_gain (g * INR (l + u) / 1) (two_sided_masses rare rare_range) (Z.of_nat (Nat.min l u)) eps 1)
    (rare_run g q) (rare_run g q')).
Proof.
  intros C. apply monotonic_loss_is_paid. intros eps q q' H. pose proof ln2_pos.
  specialize (C (ln 2) 0%nat 1%nat eps q q' ltac:(lra) ltac:(lia) (fun past => ltac:(specialize (H past); simpl; lra))).
  replace (gain (ln 2) 1 (exp eps)) with (race_gain (ln 2 * INR (0 + 1) / 1) (two_sided_masses rare rare_range) 0 eps 1);
    [exact C|]. unfold race_gain. replace (ln 2 * INR (0 + 1) / 1) with (ln 2) by (simpl; field).
  rewrite (ev_ext _ _ (fun _ => gain (ln 2) 1 (exp eps))).
  - apply ev_const, gain_range; [exact H0|apply exp_pos].
  - exists 1. intros t. rewrite unmoved, Rmult_1_r. apply gain_range; [exact H0|apply exp_pos].
  - intros t. rewrite unmoved, Rmult_1_r. reflexivity.
Qed.

(** The same for a part of the shift (Theorem 4): its own divergence is charged by the shorter end. *)
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
