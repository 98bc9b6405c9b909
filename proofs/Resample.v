(** * Threshold noise drawn anew after each positive

    The setting is that of [Pure.v]. Each draw of the threshold noise is paid for: a run costs
    c (eps1 + cost) in all. After k < c positives it is in its (k+1)-th stretch and has paid for k + 1
    draws. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Pure.
Import ListNotations.
Open Scope R_scope.

Section Resample.
Variables (N : noise) (T : R).
Variable p : law Z.
Variable A : R.
Hypothesis HA : 1 <= A.
Hypothesis Hp : climbs A p.
Variable g : R.
Hypothesis Hg : 0 <= g.

(** After the last positive nothing is drawn any more. *)
Fixpoint rerun (q : list bool -> R) (n c : nat) (t : R) (past : list bool) : law (list bool) :=
  match n, c with
  | Datatypes.S n', Datatypes.S c' =>
      a <- answer N (T + t - q past) ;;
      if a : bool then
        match c' with
        | O => ret (past ++ [true])
        | _ => t' <- p ;; rerun q n' c' (g * IZR t') (past ++ [true])
        end
      else rerun q n' c t (past ++ [false])
  | _, _ => ret past
  end.

Definition resampled (n c : nat) (q : list bool -> R) : law (list bool) :=
  t <- p ;; rerun q n c (g * IZR t) [].

Variables q q' : list bool -> R.
Variables (low : R) (high : nat).
Hypothesis Hlow : 0 <= low.
Hypothesis Hq : forall past, - low <= q' past - q past <= g * INR high.

Let width := low + g * INR high.
Let cost := rate N * width.
Let B := A ^ high.      (* the cost of moving the threshold noise once *)

Let Hhigh : 0 <= g * INR high.
Proof. apply Rmult_le_pos; [exact Hg|apply pos_INR]. Qed.
Let Hcost : 0 <= cost.
Proof. apply Rmult_le_pos; [apply rate_pos|]. unfold width; lra. Qed.
Let HB : 1 <= B.
Proof. apply pow_R1_Rle. exact HA. Qed.

Variable c : nat.

(** What k positives cost, but for the first draw of the threshold noise. *)
Definition weight (k : nat) : R := exp (cost * INR k) * B ^ Nat.min k (c - 1).

Lemma weight_ge_1 k : 1 <= weight k.
Proof.
  unfold weight. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; try lra.
  - rewrite <- exp_0. apply exp_mono, Rmult_le_pos; [exact Hcost|apply pos_INR].
  - apply pow_R1_Rle, HB.
Qed.

Lemma weight_next k : (k + 2 <= c)%nat -> weight (k + 1) = exp cost * B * weight k.
Proof.
  intros H. unfold weight. rewrite !Nat.min_l by lia. rewrite plus_INR, pow_add.
  change (INR 1) with 1. rewrite Rmult_plus_distr_l, exp_plus, Rmult_1_r, pow_1. ring.
Qed.

Lemma weight_last k : (k + 1 = c)%nat -> weight (k + 1) = exp cost * weight k.
Proof.
  intros H. unfold weight. replace (Nat.min (k + 1) (c - 1)) with (Nat.min k (c - 1)) by lia.
  rewrite plus_INR. change (INR 1) with 1. rewrite Rmult_plus_distr_l, exp_plus, Rmult_1_r. ring.
Qed.

Lemma weight_rises j k : (j <= k)%nat -> weight j <= weight k.
Proof.
  intros H. unfold weight. apply Rmult_le_compat; try (left; apply exp_pos).
  - apply pow_le; lra.
  - apply exp_mono, Rmult_le_compat_l; [exact Hcost|]. apply le_INR; lia.
  - apply Rle_pow; [exact HB|lia].
Qed.

Definition discounted (f : list bool -> R) (l : list bool) : R := / weight (positives l) * f l.

Lemma discount_range k : 0 < / weight k <= 1.
Proof.
  pose proof (weight_ge_1 k). split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Lemma discounted_bounded f : bounded f -> bounded (discounted f).
Proof.
  intros H. unfold discounted. apply bounded_mult; auto. exists 1. intros l.
  pose proof (discount_range (positives l)). lra.
Qed.

Lemma rerun_step : forall n left t past f, bounded f -> (positives past + left = c)%nat ->
  ev (rerun q n left t past) (discounted f)
  <= / weight (positives past) * ev (rerun q' n left (t + g * INR high) past) f.
Proof.
  induction n as [|n IH]; intros left t past f Hf E; [unfold discounted; simpl; lra|].
  destruct left as [|left]; [unfold discounted; simpl; lra|].
  cbn [rerun bind ev]. unfold answer. cbn [coin ev].
  set (x := T + t - q past). set (x' := T + (t + g * INR high) - q' past).
  pose proof (Hq past) as Hd. pose proof (S_range N x) as R1. pose proof (S_range N x') as R2.
  pose proof (discount_range (positives past)) as W.
  assert (P0 : S N x <= exp cost * S N x').
  { apply Rle_trans with (exp (rate N * (x' - x)) * S N (x + (x' - x))).
    - apply S_slow. unfold x, x'; lra.
    - replace (x + (x' - x)) with x' by ring. apply Rmult_le_compat_r; [lra|]. apply exp_mono.
      apply Rmult_le_compat_l; [apply rate_pos|unfold x, x', width; lra]. }
  assert (N0 : S N x' <= S N x) by (apply S_falls; unfold x, x'; lra).
  assert (Et : positives (past ++ [true]) = (positives past + 1)%nat) by (rewrite positives_app; reflexivity).
  assert (Ef : positives (past ++ [false]) = positives past)
    by (rewrite positives_app, Nat.add_0_r; reflexivity).
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
  - (* positive *)
    assert (G : forall l r, 0 <= r -> l <= / exp cost * / weight (positives past) * r ->
                S N x * l <= / weight (positives past) * (S N x' * r)).
    { intros l r Hr L. apply Rle_trans with (S N x * (/ exp cost * / weight (positives past) * r)).
      - apply Rmult_le_compat_l; lra.
      - apply Rle_trans with (exp cost * S N x' * (/ exp cost * / weight (positives past) * r)).
        + apply Rmult_le_compat_r; [|lra]. pose proof (exp_pos cost).
          apply Rmult_le_pos; [apply Rmult_le_pos|lra]; [left; apply Rinv_0_lt_compat; lra|lra].
        + right. field. split; [pose proof (weight_ge_1 (positives past)); lra|apply Rgt_not_eq, exp_pos]. }
    destruct left as [|left].
    + apply G; [destruct Hf as [C Hf]; apply Hf|]. unfold discounted; simpl ev. rewrite Et, weight_last by lia.
      pose proof (weight_ge_1 (positives past)). pose proof (exp_pos cost).
      rewrite Rinv_mult. lra.
    + apply G; [apply ev_pos; auto|]. cbn [bind ev].
      pose proof (weight_ge_1 (positives past)) as W1. pose proof (weight_ge_1 (positives past + 1)) as W2.
      pose proof (exp_pos cost) as Hc.
      apply Rle_trans with (B * (/ weight (positives past + 1) *
        ev p (fun t' => ev (rerun q' n (Datatypes.S left) (g * IZR t') (past ++ [true])) f))).
      * assert (Hpos : 0 <= / weight (positives past + 1)) by (left; apply Rinv_0_lt_compat; lra).
        rewrite <- ev_scal by (auto; apply bounded_next; auto).
        unfold B. apply climbs_many; auto; try lra.
        { apply bounded_next, discounted_bounded, Hf. }
        { apply bounded_scal; auto; apply bounded_next; auto. }
        intros t'. rewrite plus_IZR, <- INR_IZR_INZ, Rmult_plus_distr_l, <- Et.
        apply IH; auto. rewrite Et. lia.
      * set (r := ev p _). assert (Hr : 0 <= r) by (apply ev_pos, bounded_next; auto).
        rewrite weight_next by lia. right. field. lra.
  - (* negative *)
    rewrite <- Ef. specialize (IH (Datatypes.S left) t (past ++ [false]) f Hf ltac:(lia)).
    rewrite Ef in *. set (r := ev (rerun q' n (Datatypes.S left) (t + g * INR high) (past ++ [false])) f) in *.
    assert (0 <= r) by (apply ev_pos; auto).
    apply Rle_trans with ((1 - S N x) * (/ weight (positives past) * r)).
    + apply Rmult_le_compat_l; lra.
    + replace (/ weight (positives past) * ((1 - S N x') * r))
        with ((1 - S N x') * (/ weight (positives past) * r)) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
Qed.

Lemma rerun_support : forall n left t past f h, bounded f -> bounded h ->
  (forall l, (positives l <= positives past + left)%nat -> f l <= h l) ->
  ev (rerun q n left t past) f <= ev (rerun q n left t past) h.
Proof.
  induction n as [|n IH]; intros left t past f h Hf Hh L; [apply L; lia|].
  destruct left as [|left]; [apply L; lia|]. cbn [rerun bind ev]. unfold answer. cbn [coin ev].
  pose proof (S_range N (T + t - q past)).
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]).
  - destruct left as [|left].
    + apply L. rewrite positives_app. change (positives [true]) with 1%nat. lia.
    + cbn [bind ev]. apply ev_mono; try (apply bounded_next; auto). intros t'. apply IH; auto.
      intros l Hl. apply L. rewrite positives_app in Hl. change (positives [true]) with 1%nat in Hl. lia.
  - apply IH; auto. intros l Hl. apply L. rewrite positives_app in Hl.
    change (positives [false]) with 0%nat in Hl. lia.
Qed.

(** THEOREM (costs of prefixes). With k positives it has cost B^(min(k, c - 1) + 1) e^(k cost). *)
Theorem resampled_prefix n f : bounded f ->
  ev (resampled n c q) (discounted f) <= B * ev (resampled n c q') f.
Proof.
  intros Hf. cbn [resampled bind ev]. unfold B. apply climbs_many; auto; try lra;
    try (apply bounded_next; auto using discounted_bounded).
  intros t. pose proof (rerun_step n c (g * IZR t) [] f Hf eq_refl) as St.
  rewrite plus_IZR, <- INR_IZR_INZ, Rmult_plus_distr_l.
  assert (E : weight 0 = 1)
    by (unfold weight; simpl; rewrite Rmult_0_r, exp_0; ring).
  change (positives []) with 0%nat in St. rewrite E, Rinv_1, Rmult_1_l in St. exact St.
Qed.

(** THEOREM. The whole run costs c times (one draw of the threshold noise and one positive). *)
Theorem resampled_pure n : (0 < c)%nat ->
  close ((B * exp cost) ^ c) 0 (resampled n c q) (resampled n c q').
Proof.
  intros Hc. apply close_of_functions. intros f Hf.
  pose proof (resampled_prefix n f Hf) as P. pose proof (discount_range c) as W.
  assert (E : / weight c * ev (resampled n c q) f <= ev (resampled n c q) (discounted f)).
  { rewrite <- ev_scal by (auto; lra). cbn [resampled bind ev].
    apply ev_mono; try (apply bounded_next; auto using discounted_bounded). apply bounded_scal; auto; lra.
    intros t. apply rerun_support; auto using discounted_bounded; [apply bounded_scal; auto; lra|].
    intros l Hl. destruct Hf as [C Hf]. unfold discounted. apply Rmult_le_compat_r; [apply Hf|].
    apply Rinv_le_contravar; [pose proof (weight_ge_1 (positives l)); lra|].
    apply weight_rises. exact Hl. }
  assert (Wc : (B * exp cost) ^ c = B * weight c).
  { unfold weight. rewrite Rpow_mult_distr, Nat.min_r by lia.
    replace (B * (exp (cost * INR c) * B ^ (c - 1))) with (B ^ Datatypes.S (c - 1) * exp (cost * INR c))
      by (simpl; ring).
    replace (Datatypes.S (c - 1)) with c by lia. f_equal. clear.
    induction c as [|k IH]; [simpl; rewrite Rmult_0_r, exp_0; reflexivity|].
    rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. ring. }
  rewrite Wc. pose proof (weight_ge_1 c).
  apply Rmult_le_reg_l with (/ weight c); [lra|].
  apply Rle_trans with (1 := E). apply Rle_trans with (1 := P). right. field. lra.
Qed.
End Resample.
