(** * False claims about the top by picks, refuted

    s = 1. Two candidates whose strengths are 2 and 1, or 1 and 2: the scores move within an interval of length ln 4. *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Ledger Filter Picks Top GumbelTop RefutedRace RefutedLedger.
Import ListNotations.
Open Scope R_scope.

(** Scores are 0, but for candidate [i], which has ln 2. *)
Definition ahead (i j : nat) : R := if (j =? i)%nat then ln 2 else 0.

Lemma ahead_strength i j : strength 1 (ahead i) j = if (j =? i)%nat then 2 else 1.
Proof.
  unfold strength, ahead. destruct (j =? i)%nat; rewrite Rdiv_1; [apply exp_ln; lra|apply exp_0].
Qed.

Lemma ahead_moves i k j : - ln 2 <= ahead k j - ahead i j <= - ln 2 + 2 * ln 2.
Proof. pose proof ln2_pos. unfold ahead. destruct (j =? i)%nat, (j =? k)%nat; lra. Qed.

Definition begins (i : nat) (picked : list nat) : bool := match picked with j :: _ => (j =? i)%nat | [] => false end.

Lemma two_first i : chance (top 1 (ahead i) 1 [0%nat; 1%nat] []) (begins 0) = if (i =? 0)%nat then 2 / 3 else if (i =? 1)%nat then / 3 else / 2.
Proof.
  unfold chance, strengths. cbn [top bind ev pick total ret app begins Nat.eqb]. unfold strengths. cbn [total].
  rewrite !ahead_strength. destruct i as [|[|i]]; simpl; lra.
Qed.

(** ** Half of the range is enough: false, with delta and without *)
Lemma half_range_reaches : reached (ln 2) ends 1 (exp 0) <= / 4.
Proof.
  pose proof ln2_pos. rewrite exp_0. cbn [reached].
  apply (real_lub (fun y => exists t, 0 <= t <= ln 2 /\ y = two (ln 2) ends t 1) (two (ln 2) ends 0 1)).
  - exists 0. split; [lra|reflexivity].
  - intros y (t & Ht & ->). apply two_range; auto using ends_profile; lra.
  - intros y (t & Ht & ->). unfold two, share, ends. rewrite !Rmult_1_l.
    assert (E2 : exp (- ln 2) = / 2) by (rewrite exp_Ropp, exp_ln by lra; reflexivity).
    assert (H1 : 1 <= exp (ln 2 - t)) by (apply Rle_trans with (exp 0); [rewrite exp_0; lra|apply exp_mono; lra]).
    rewrite (Rmax_right (1 - exp (ln 2 - t))) by lra. rewrite Rmult_0_r, Rplus_0_r, E2.
    set (x := exp t). assert (Hx : 1 <= x <= 2).
    { unfold x. split; [apply Rle_trans with (exp 0); [rewrite exp_0; lra|apply exp_mono; lra]|].
      rewrite <- (exp_ln 2) by lra. apply exp_mono. lra. }
    replace (exp (t - ln 2)) with (x * / 2) by (unfold x, Rminus; rewrite exp_plus, E2; reflexivity).
    replace (exp (- t)) with (/ x) by (unfold x; rewrite exp_Ropp; reflexivity).
    assert (Ix : 0 < / x <= 1) by (split; [apply Rinv_0_lt_compat; lra|rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
    rewrite Rmax_left by lra.
    replace ((1 - x * / 2) / (1 - / 2) * (1 - / x)) with ((2 - x) * (x - 1) * / x) by (field; lra).
    assert (Q : (2 - x) * (x - 1) <= / 4).
    { assert (0 <= (x - 3 / 2) * (x - 3 / 2)) by apply Rle_0_sqr.
      replace ((2 - x) * (x - 1)) with (/ 4 - (x - 3 / 2) * (x - 3 / 2)) by field. lra. }
    assert (P : 0 <= (2 - x) * (x - 1)) by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((2 - x) * (x - 1) * 1); [apply Rmult_le_compat_l; lra|lra].
Qed.

Theorem half_the_range_is_too_little : ~ (forall q q' low width eps c l, 0 < width ->
  (forall i, In i l -> low <= q' i - q i <= low + 2 * width) ->
  close (exp eps) (reached (width / 1) ends c (exp eps)) (top 1 q c l []) (top 1 q' c l [])).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (ahead 0) (ahead 1) (- ln 2) (ln 2) 0 1%nat [0%nat; 1%nat] ltac:(lra) (fun j _ => ahead_moves 0 1 j) (begins 0)).
  rewrite !two_first, Rdiv_1 in C. cbn [Nat.eqb] in C. pose proof half_range_reaches as R. rewrite exp_0 in *. lra.
Qed.

(** A third candidate, and strengths 2, 1, 1 against 1, 2, 2. *)
Definition behind (j : nat) : R := match j with O => 0 | _ => ln 2 end.
Theorem half_the_range_is_too_little_pure : ~ (forall q q' low width c l, 0 < width ->
  (forall i, In i l -> low <= q' i - q i <= low + 2 * width) ->
  close (exp (width / 1 * INR c)) 0 (top 1 q c l []) (top 1 q' c l [])).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (ahead 0) behind (- ln 2) (ln 2) 1%nat [0%nat; 1%nat; 2%nat] ltac:(lra)).
  assert (M : forall i, In i [0%nat; 1%nat; 2%nat] -> - ln 2 <= behind i - ahead 0 i <= - ln 2 + 2 * ln 2).
  { intros i _. unfold behind, ahead. destruct i; simpl; lra. }
  specialize (C M (begins 0)). rewrite Rdiv_1 in C. replace (ln 2 * INR 1) with (ln 2) in C by (simpl; ring).
  rewrite exp_ln in C by lra. unfold chance in C. cbn [top bind ev pick total ret app begins Nat.eqb] in C. unfold strengths in C.
  cbn [total] in C. rewrite !ahead_strength in C. unfold strength, behind in C. rewrite !Rdiv_1, exp_0, exp_ln in C by lra.
  simpl in C. lra.
Qed.

(** ** What is added may differ from candidate to candidate: false *)
Theorem shift_is_common : ~ (forall q q' c l event, (forall i, In i l -> exists m, q' i = q i + m) ->
  chance (top 1 q' c l []) event = chance (top 1 q c l []) event).
Proof.
  intros C. specialize (C (ahead 0) (ahead 1) 1%nat [0%nat; 1%nat] (begins 0)).
  rewrite !two_first in C. simpl in C. assert (/ 3 = 2 / 3); [|lra]. apply C.
  intros i _. exists (ahead 1 i - ahead 0 i). ring.
Qed.

(** ** Whoever was picked may be picked again: false *)
Theorem picks_do_not_go_back : ~ (forall q l i j, NoDup l -> In i l -> In j l -> i <> j ->
  in_order 1 q l [i; j] 0 = strength 1 q i / strengths 1 q l * (strength 1 q j / strengths 1 q l)).
Proof.
  intros C. specialize (C (ahead 2) [0%nat; 1%nat] 0%nat 1%nat).
  assert (N : NoDup [0%nat; 1%nat]) by (repeat constructor; simpl; intuition discriminate).
  rewrite in_order_is in C; [|exact N|simpl; auto]. cbn [peeled remove Nat.eq_dec] in C. simpl in C.
  unfold strengths in C. cbn [total] in C. rewrite !ahead_strength in C. simpl in C.
  assert (K : 1 / (1 + (1 + 0)) * (1 / (1 + 0) * 1) * exp (- (0 * (1 + (1 + 0)))) = 1 / (1 + (1 + 0)) * (1 / (1 + (1 + 0)))).
  { apply C; simpl; auto. }
  rewrite Rmult_0_l, Ropp_0, exp_0 in K. lra.
Qed.

(** ** The moments of exponential noise are exponential too: false *)
Theorem exponential_noise_has_other_moments : ~ (forall q i t, 0 < t ->
  1 - S (exponential 1 Rlt_0_1) (- 1 * ln t - q i) = exp (- (t * strength 1 q i))).
Proof.
  intros C. specialize (C (ahead 1) 0%nat 1 Rlt_0_1). rewrite ahead_strength in C. simpl in C. unfold S_exponential in C.
  rewrite ln_1 in C. unfold ahead in C. simpl in C. replace (- 1 * 0 - 0) with 0 in C by ring.
  rewrite Rmax_left in C by lra. replace (- (0 / 1)) with 0 in C by field. rewrite exp_0 in C.
  pose proof (exp_pos (- (1 * 1))). lra.
Qed.
