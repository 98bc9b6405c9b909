(** * False claims about ranked selection by Gumbel noise, refuted

    One candidate, s = 1. Its rate is m ln 2, so that it does not reach the bar with chance 2^(-m). *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Points PartialShift RaceNoise Top GumbelTop RankedRace RankedGumbel RankedDraw
  RefutedRace RefutedDelta.
Import ListNotations.
Open Scope R_scope.

Definition score_of (m : nat) (_ : nat) : R := ln (INR m * ln 2).
Definition nobody (x : list nat) : bool := match x with [] => true | _ => false end.

Lemma none_reaches (rate : nat -> R) : mean rate 1 [0%nat] [] (fun x => if nobody x then 1 else 0) 0 = exp (- rate 0%nat).
Proof.
  cbn [mean app nobody]. rewrite (RInt_ext _ (fun _ => 0)).
  - rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. unfold rates. cbn [total].
    rewrite !Rmult_0_r, exp_0, !Rplus_0_r. ring.
  - intros t _. cbn [total]. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end. ring.
Qed.

Lemma score_rate m : (0 < m)%nat -> exp (- rate_at 1 0 (ln 2) (score_of m) 0 0%nat) = / 2 ^ m.
Proof.
  intros H. rewrite <- half_power. do 2 f_equal. unfold rate_at, score_of.
  replace ((ln (INR m * ln 2) - (0 + ln 2 * 0)) / 1) with (ln (INR m * ln 2)) by field.
  apply exp_ln, Rmult_lt_0_compat; [apply lt_0_INR; lia|apply ln2_pos].
Qed.

(** ** Places are free: false *)
Theorem ranked_places_are_paid : ~ (forall q q' candidates c eps, (forall i, In i candidates -> Rabs (q i - q' i) <= ln 2) ->
  close (exp eps) (Rmax (1 - exp eps) 0) (ranked_gumbel 1 0 (ln 2) candidates c (ret 0%Z) q)
    (ranked_gumbel 1 0 (ln 2) candidates c (ret 0%Z) q')).
Proof.
  intros C. pose proof ln2_pos. specialize (C (score_of 1) (score_of 2) [0%nat] 1%nat 0).
  assert (M : forall i, In i [0%nat] -> Rabs (score_of 1 i - score_of 2 i) <= ln 2).
  { intros i _. unfold score_of. replace (INR 1) with 1 by (simpl; ring). replace (INR 2) with 2 by (simpl; ring).
    rewrite !ln_mult, ln_1 by lra. unfold Rabs. destruct (Rcase_abs _); lra. }
  specialize (C M nobody). unfold chance in C. cbn [ranked_gumbel bind ret ev by_rates] in C.
  rewrite !none_reaches, !score_rate, exp_0, Rmax_right in C by (lia || lra). simpl in C. lra.
Qed.

(** ** What the shift of the bar loses is free: false *)
Lemma rare_none m : (0 < m)%nat -> let p := chance (ranked_gumbel 1 0 (ln 2) [0%nat] 1 (two_sided rare rare_range) (score_of m)) nobody in
  rare_zero * / 2 ^ m <= p <= rare_zero * / 2 ^ m + (1 - rare_zero).
Proof.
  intros Hm. set (f := fun t : Z => mean (rate_at 1 0 (ln 2) (score_of m) t) 1 [0%nat] [] (fun x => if nobody x then 1 else 0) 0).
  assert (F0 : f 0%Z = / 2 ^ m) by (unfold f; rewrite none_reaches; apply score_rate, Hm).
  cbv zeta. rewrite <- F0. apply (rare_mean f).
  intros t. apply (ev_range (by_rates (rate_at 1 0 (ln 2) (score_of m) t) (rate_at_pos 1 0 (ln 2) (score_of m) t) 1 [0%nat])).
  intros x. destruct (nobody x); lra.
Qed.

Theorem ranked_loss_is_paid : ~ (forall q q' candidates c eps, (0 < c)%nat ->
  (forall i, In i candidates -> 0 <= q' i - q i <= ln 2) ->
  close (exp eps) (gain (ln 2) c (exp eps)) (ranked_gumbel 1 0 (ln 2) candidates c (two_sided rare rare_range) q)
    (ranked_gumbel 1 0 (ln 2) candidates c (two_sided rare rare_range) q')).
Proof.
  intros C. pose proof ln2_pos. specialize (C (score_of 3) (score_of 6) [0%nat] 1%nat (ln 4) ltac:(lia)).
  assert (M : forall i, In i [0%nat] -> 0 <= score_of 6 i - score_of 3 i <= ln 2).
  { intros i _. unfold score_of. replace (INR 6) with (2 * 3) by (simpl; ring). replace (INR 3) with 3 by (simpl; ring).
    rewrite !ln_mult by lra. lra. }
  specialize (C M nobody). rewrite no_gain, exp_ln4 in C by (lra || rewrite ln4_twice; lra).
  pose proof (rare_none 3 ltac:(lia)) as B3. pose proof (rare_none 6 ltac:(lia)) as B6. cbv zeta in B3, B6.
  rewrite rare_zero_is in *. simpl pow in *. lra.
Qed.

(** ** The others need only come after the last that is out, as in the top without a bar: false *)
Fixpoint without_bar (s b : R) (q : nat -> R) (c : nat) (l order : list nat) (since : R) : R :=
  match order, c with
  | [], _ => exp (- (since * strengths s (fun i => q i - b) l))
  | _ :: _, O => 0
  | i :: more, Datatypes.S n => RInt (fun t => strength s (fun i => q i - b) i * exp (- (t * strength s (fun i => q i - b) i))
      * without_bar s b q n (remove Nat.eq_dec i l) more t) since 1
  end.

(** Two candidates, both of rate ln 2, and two places: candidate 0 alone comes out with chance 1/4, not 3/8. *)
Lemma falling_integral c k : 0 < k -> RInt (fun t => c * exp (- (t * k))) 0 1 = c / k * (1 - exp (- k)).
Proof.
  intros Hk. apply is_RInt_unique.
  replace (c / k * (1 - exp (- k))) with (minus (- (c / k) * exp (- (1 * k))) (- (c / k) * exp (- (0 * k)))).
  2: { unfold minus, plus, opp; simpl. rewrite Rmult_0_l, Rmult_1_l, Ropp_0, exp_0. ring. }
  apply (is_RInt_derive (fun t => - (c / k) * exp (- (t * k)))).
  - intros t _. auto_derive; [auto|]. field. lra.
  - intros t _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto.
Qed.

Theorem others_miss_the_bar : ~ (forall s T g q t c l order, NoDup l -> orderly l order -> (length order <= c)%nat -> order <> [] ->
  without_bar s (T + g * IZR t) q c l order 0
  = chance (by_rates (rate_at s T g q t) (rate_at_pos s T g q t) c l) (is (list nat) (list_eq_dec Nat.eq_dec) order)).
Proof.
  intros C. pose proof ln2_pos.
  assert (N : NoDup [0%nat; 1%nat]) by (repeat constructor; simpl; intuition discriminate).
  specialize (C 1 0 (ln 2) (score_of 1) 0%Z 2%nat [0%nat; 1%nat] [0%nat] N ltac:(simpl; auto) ltac:(simpl; lia) ltac:(discriminate)).
  rewrite <- ranked_is_drawn in C by (auto; simpl; auto).
  assert (R1 : forall i, strength 1 (fun i => score_of 1 i - (0 + ln 2 * 0)) i = ln 2).
  { intros i. unfold strength, score_of. replace ((ln (INR 1 * ln 2) - (0 + ln 2 * 0)) / 1) with (ln (ln 2)) by (simpl; rewrite Rmult_1_l; field).
    apply exp_ln. lra. }
  cbn [without_bar in_time remove Nat.eq_dec] in C. unfold strengths in C. simpl in C. rewrite !R1 in C.
  rewrite (RInt_ext _ (fun t => ln 2 * exp (- (t * (2 * ln 2))))) in C.
  2: { intros t _. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
       replace (- (t * (2 * ln 2))) with (- (t * ln 2) + - (t * (ln 2 + 0))) by ring. rewrite exp_plus. ring. }
  rewrite (RInt_ext (fun t => _ * exp (- (t * _)) * exp (- (1 * _))) (fun t => ln 2 * / 2 * exp (- (t * ln 2)))) in C.
  2: { intros t _. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
       rewrite Rmult_1_l, Rplus_0_r, exp_Ropp, exp_Ropp, exp_ln by lra. ring. }
  rewrite !falling_integral in C by lra. replace (2 * ln 2) with (INR 2 * ln 2) in C by (simpl; ring). rewrite half_power in C.
  rewrite exp_Ropp, exp_ln in C by lra. simpl in C.
  replace (ln 2 / ((1 + 1) * ln 2)) with (/ 2) in C by (field; lra). replace (ln 2 * / 2 / ln 2) with (/ 2) in C by (field; lra). lra.
Qed.
