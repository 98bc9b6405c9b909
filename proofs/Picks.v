(** * The top c by picks of bounded range: delta, pick by pick

    z stands for e^(epsilon - loss so far). A pick has range kappa if on the neighbour every answer is e^(-t) to e^(kappa - t) times
    as likely, for some t. [two W t z] is what is reached by the worst such pick in front of what is still to come, W. *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Filter.
Import ListNotations.
Open Scope R_scope.

Section Range.
Variable kappa : R.
Hypothesis Hkappa : 0 < kappa.

Definition share (t : R) : R := (1 - exp (t - kappa)) / (1 - exp (- kappa)).
Definition two (W : R -> R) (t z : R) : R :=
  share t * W (z * exp (- t)) + (1 - share t) * W (z * exp (kappa - t)).

Lemma small : 0 < exp (- kappa) < 1.
Proof. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Lemma share_range t : 0 <= t <= kappa -> 0 <= share t <= 1.
Proof.
  intros H. pose proof small. assert (A : exp (- kappa) <= exp (t - kappa)) by (apply exp_mono; lra).
  assert (B : exp (t - kappa) <= exp 0) by (apply exp_mono; lra). rewrite exp_0 in B. unfold share. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_r with (1 - exp (- kappa)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Definition convex (W : R -> R) : Prop := forall x y l, 0 < x -> 0 < y -> 0 <= l <= 1 ->
  W (l * x + (1 - l) * y) <= l * W x + (1 - l) * W y.
(** A profile: between 0 and 1, and convex in z. *)
Definition profile (W : R -> R) : Prop := convex W /\ forall z, 0 < z -> 0 <= W z <= 1.

(** Of all picks with ends e^(-t) and e^(kappa - t), the one with these two answers reaches most. *)
Lemma range_step {X} (p : law X) (ratio : X -> R) (W : R -> R) t z : profile W -> 0 < z ->
  (forall x, exp (- t) <= ratio x <= exp (kappa - t)) -> ev p ratio = 1 ->
  0 <= t <= kappa /\ ev p (fun x => W (z * ratio x)) <= two W t z.
Proof.
  intros [Cx Rg] Hz Hr Mean. set (lo := exp (- t)) in *. set (hi := exp (kappa - t)) in *.
  assert (Plo : 0 < lo) by apply exp_pos. assert (Lt : lo < hi) by (apply exp_increasing; lra).
  assert (Br : bounded ratio) by (exists hi; intros x; specialize (Hr x); lra).
  assert (M1 : lo <= 1).
  { rewrite <- Mean. rewrite <- (ev_const p lo) by lra. apply ev_mono; auto; [apply bounded_const; lra|intros; apply Hr]. }
  assert (M2 : 1 <= hi).
  { rewrite <- Mean. rewrite <- (ev_const p hi) by lra. apply ev_mono; auto; [apply bounded_const; lra|intros; apply Hr]. }
  split.
  { split.
    - destruct (Rle_dec 0 t) as [L|L]; [exact L|]. assert (exp 0 < lo) by (apply exp_increasing; lra). rewrite exp_0 in *. lra.
    - destruct (Rle_dec t kappa) as [L|L]; [exact L|]. assert (hi < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  set (lam := fun x => (hi - ratio x) * / (hi - lo)). assert (Pi : 0 < / (hi - lo)) by (apply Rinv_0_lt_compat; lra).
  assert (Lr : forall x, 0 <= lam x <= 1).
  { intros x. specialize (Hr x). unfold lam. split; [apply Rmult_le_pos; lra|].
    apply Rmult_le_reg_r with (hi - lo); [lra|]. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Bl : bounded lam) by (exists 1; exact Lr).
  assert (Bm : bounded (fun x => 1 - lam x)) by (exists 1; intros x; specialize (Lr x); lra).
  assert (Bs : bounded (fun x => (hi - lo) * lam x)) by (apply (bounded_scal (hi - lo) lam); [lra|exact Bl]).
  assert (Sum : ev p (fun x => (hi - lo) * lam x + ratio x) = hi).
  { transitivity (ev p (fun _ => hi)); [|apply ev_const; lra]. apply ev_ext; [exact (bounded_plus _ _ Bs Br)|]. intros x. unfold lam. field. lra. }
  rewrite (ev_plus p _ _ Bs Br), (ev_scal p (hi - lo) lam), Mean in Sum by (lra || exact Bl).
  assert (El : ev p lam = share t).
  { apply Rmult_eq_reg_l with (hi - lo); [|lra]. replace ((hi - lo) * ev p lam) with (hi - 1) by lra.
    unfold share. pose proof small as Sm. apply Rmult_eq_reg_r with (1 - exp (- kappa)); [|lra].
    replace ((hi - lo) * ((1 - exp (t - kappa)) / (1 - exp (- kappa))) * (1 - exp (- kappa)))
      with ((hi - lo) * (1 - exp (t - kappa))) by (field; lra).
    assert (E1 : hi * exp (- kappa) = lo) by (unfold hi, lo; rewrite <- exp_plus; f_equal; ring).
    assert (E2 : hi * exp (t - kappa) = 1) by (unfold hi; rewrite <- exp_plus, <- exp_0; f_equal; ring).
    assert (E3 : lo * exp (t - kappa) = exp (- kappa)) by (unfold lo; rewrite <- exp_plus; f_equal; ring).
    replace ((hi - 1) * (1 - exp (- kappa))) with (hi - 1 - hi * exp (- kappa) + exp (- kappa)) by ring.
    replace ((hi - lo) * (1 - exp (t - kappa))) with (hi - lo - hi * exp (t - kappa) + lo * exp (t - kappa)) by ring.
    rewrite E1, E2, E3. ring. }
  assert (Em : ev p (fun x => 1 - lam x) = 1 - share t).
  { assert (S1 : ev p (fun x => lam x + (1 - lam x)) = 1).
    { transitivity (ev p (fun _ => 1)); [|apply ev_one]. apply ev_ext; [exact (bounded_plus _ _ Bl Bm)|intros; ring]. }
    rewrite (ev_plus p _ _ Bl Bm) in S1. lra. }
  pose proof (Rg (z * lo) ltac:(apply Rmult_lt_0_compat; lra)) as A.
  pose proof (Rg (z * hi) ltac:(apply Rmult_lt_0_compat; lra)) as B.
  assert (B1 : bounded (fun x => W (z * lo) * lam x)) by (apply (bounded_scal (W (z * lo)) lam); [lra|exact Bl]).
  assert (B2 : bounded (fun x => W (z * hi) * (1 - lam x)))
    by (apply (bounded_scal (W (z * hi)) (fun x => 1 - lam x)); [lra|exact Bm]).
  apply Rle_trans with (ev p (fun x => W (z * lo) * lam x + W (z * hi) * (1 - lam x))).
  - apply ev_mono.
    + exists 1. intros x. apply Rg. apply Rmult_lt_0_compat; [lra|]. specialize (Hr x). lra.
    + exact (bounded_plus _ _ B1 B2).
    + intros x. specialize (Cx (z * lo) (z * hi) (lam x) ltac:(apply Rmult_lt_0_compat; lra)
        ltac:(apply Rmult_lt_0_compat; lra) (Lr x)).
      replace (lam x * (z * lo) + (1 - lam x) * (z * hi)) with (z * ratio x) in Cx by (unfold lam; field; lra). lra.
  - rewrite (ev_plus p _ _ B1 B2), (ev_scal p _ lam), (ev_scal p _ (fun x => 1 - lam x)), El, Em by (lra || assumption).
    unfold two. fold lo hi. lra.
Qed.

(** ** n picks: the largest over t of what is reached, in front of [start] *)
Fixpoint reached (start : R -> R) (n : nat) (z : R) : R :=
  match n with
  | O => start z
  | Datatypes.S m => real (Lub_Rbar (fun y => exists t, 0 <= t <= kappa /\ y = two (reached start m) t z))
  end.

Lemma real_lub (E : R -> Prop) y0 : E y0 -> (forall y, E y -> 0 <= y <= 1) ->
  (forall y, E y -> y <= real (Lub_Rbar E)) /\ (forall b, (forall y, E y -> y <= b) -> real (Lub_Rbar E) <= b).
Proof.
  intros H0 H. destruct (Lub_Rbar_correct E) as [U L]. destruct (Lub_Rbar E) as [x| |]; simpl in *.
  - split; [exact U|]. intros b Hb. apply (L (Finite b)). exact Hb.
  - exfalso. apply (L (Finite 1)). intros y Hy. apply H, Hy.
  - exfalso. apply (U y0 H0).
Qed.

Lemma two_range W t z : profile W -> 0 < z -> 0 <= t <= kappa -> 0 <= two W t z <= 1.
Proof.
  intros [_ Rg] Hz Ht. pose proof (share_range t Ht).
  pose proof (Rg (z * exp (- t)) ltac:(apply Rmult_lt_0_compat; [lra|apply exp_pos])).
  pose proof (Rg (z * exp (kappa - t)) ltac:(apply Rmult_lt_0_compat; [lra|apply exp_pos])). unfold two. split.
  - assert (0 <= share t * W (z * exp (- t))) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - share t) * W (z * exp (kappa - t))) by (apply Rmult_le_pos; lra). lra.
  - assert (share t * W (z * exp (- t)) <= share t * 1) by (apply Rmult_le_compat_l; lra).
    assert ((1 - share t) * W (z * exp (kappa - t)) <= (1 - share t) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma reached_profile start n : profile start -> profile (reached start n).
Proof.
  intros H0. induction n as [|n IH]; [exact H0|]. cbn [reached].
  assert (Ub : forall z, 0 < z -> let E := fun y => exists t, 0 <= t <= kappa /\ y = two (reached start n) t z in
    (forall y, E y -> y <= real (Lub_Rbar E)) /\ (forall b, (forall y, E y -> y <= b) -> real (Lub_Rbar E) <= b)).
  { intros z Hz E. apply (real_lub E (two (reached start n) 0 z)).
    - exists 0. split; [lra|reflexivity].
    - intros y (t & Ht & ->). apply two_range; assumption. }
  split.
  - intros x y l Hx Hy Hl.
    assert (Hm : 0 < l * x + (1 - l) * y).
    { destruct (Rle_dec l (/ 2)) as [L|L].
      - assert (0 < (1 - l) * y) by (apply Rmult_lt_0_compat; lra). assert (0 <= l * x) by (apply Rmult_le_pos; lra). lra.
      - assert (0 < l * x) by (apply Rmult_lt_0_compat; lra). assert (0 <= (1 - l) * y) by (apply Rmult_le_pos; lra). lra. }
    apply (Ub _ Hm). intros v (t & Ht & ->).
    pose proof (proj1 (Ub x Hx) _ (ex_intro _ t (conj Ht eq_refl))) as Ax.
    pose proof (proj1 (Ub y Hy) _ (ex_intro _ t (conj Ht eq_refl))) as Ay.
    apply Rle_trans with (l * two (reached start n) t x + (1 - l) * two (reached start n) t y).
    + destruct IH as [Cx _]. pose proof (exp_pos (- t)) as P1. pose proof (exp_pos (kappa - t)) as P2.
      pose proof (Cx (x * exp (- t)) (y * exp (- t)) l ltac:(apply Rmult_lt_0_compat; lra)
        ltac:(apply Rmult_lt_0_compat; lra) Hl) as C1.
      pose proof (Cx (x * exp (kappa - t)) (y * exp (kappa - t)) l ltac:(apply Rmult_lt_0_compat; lra)
        ltac:(apply Rmult_lt_0_compat; lra) Hl) as C2.
      replace (l * (x * exp (- t)) + (1 - l) * (y * exp (- t))) with ((l * x + (1 - l) * y) * exp (- t)) in C1 by ring.
      replace (l * (x * exp (kappa - t)) + (1 - l) * (y * exp (kappa - t)))
        with ((l * x + (1 - l) * y) * exp (kappa - t)) in C2 by ring.
      pose proof (share_range t Ht) as Sr. unfold two.
      apply Rmult_le_compat_l with (r := share t) in C1; [|lra].
      apply Rmult_le_compat_l with (r := 1 - share t) in C2; [|lra]. lra.
    + apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - intros z Hz. destruct (Ub z Hz) as [U L]. split.
    + apply Rle_trans with (two (reached start n) 0 z); [apply two_range; auto; lra|]. apply U. exists 0. split; [lra|reflexivity].
    + apply L. intros y (t & Ht & ->). apply two_range; assumption.
Qed.

Lemma reached_step start n t z : profile start -> 0 < z -> 0 <= t <= kappa ->
  two (reached start n) t z <= reached start (Datatypes.S n) z.
Proof.
  intros H0 Hz Ht. cbn [reached].
  apply (real_lub (fun y => exists t, 0 <= t <= kappa /\ y = two (reached start n) t z) (two (reached start n) 0 z)).
  - exists 0. split; [lra|reflexivity].
  - intros y (u & Hu & ->). apply two_range; auto using reached_profile.
  - exists t. auto.
Qed.

Lemma reached_more start n z : profile start -> 0 < z -> reached start n z <= reached start (Datatypes.S n) z.
Proof.
  intros H0 Hz. apply Rle_trans with (two (reached start n) 0 z); [|apply reached_step; auto; lra].
  pose proof small. unfold two, share. rewrite Rminus_0_l, Ropp_0, exp_0, Rmult_1_r. right. field. lra.
Qed.

(** What is reached with nothing to come: the hockey stick itself. *)
Definition ends (z : R) : R := Rmax (1 - z) 0.

Lemma ends_profile : profile ends.
Proof.
  unfold ends. split.
  - intros x y l Hx Hy Hl. pose proof (Rmax_l (1 - x) 0). pose proof (Rmax_r (1 - x) 0).
    pose proof (Rmax_l (1 - y) 0). pose proof (Rmax_r (1 - y) 0).
    assert (l * (1 - x) <= l * Rmax (1 - x) 0) by (apply Rmult_le_compat_l; lra).
    assert ((1 - l) * (1 - y) <= (1 - l) * Rmax (1 - y) 0) by (apply Rmult_le_compat_l; lra).
    assert (0 <= l * Rmax (1 - x) 0) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - l) * Rmax (1 - y) 0) by (apply Rmult_le_pos; lra). apply Rmax_lub; lra.
  - intros z Hz. split; [apply Rmax_r|]. apply Rmax_lub; lra.
Qed.

Lemma reached_floor n z : 0 < z -> 0 <= reached ends n z /\ 1 - z <= reached ends n z.
Proof.
  intros Hz. induction n as [|n IH]; [unfold reached, ends; split; [apply Rmax_r|apply Rmax_l]|].
  pose proof (reached_more ends n z ends_profile Hz). lra.
Qed.

(** ** Any adaptive sequence of picks *)
Section Adaptive.
Variables Question Answer : Type.
Variable choose : view Question Answer -> option Question.
Variables pick pick' : view Question Answer -> Question -> law Answer.
Variable ratio : view Question Answer -> Question -> Answer -> R.
Variable from : view Question Answer -> Question -> R.
Hypothesis ratio_range : forall v x a, exp (- from v x) <= ratio v x a <= exp (kappa - from v x).
Hypothesis ratio_law : forall v x f, bounded f -> ev (pick v x) (fun a => ratio v x a * f a) = ev (pick' v x) f.
Variable c : nat.

Fixpoint given (v : view Question Answer) : nat :=
  match v with [] => O | (_, Some _) :: w => Datatypes.S (given w) | (_, None) :: w => given w end.
Definition places (v : view Question Answer) (_ : Question) : bool := (given v <? c)%nat.

(** THEOREM 6, for any picks of range kappa, each chosen by what was picked before. *)
Theorem picks_delta eps n :
  close (exp eps) (reached ends c (exp eps)) (filtered Question Answer choose places pick n [])
    (filtered Question Answer choose places pick' n []).
Proof.
  assert (Rp : forall v x a, 0 < ratio v x a) by (intros v x a; pose proof (ratio_range v x a); pose proof (exp_pos (- from v x)); lra).
  assert (Rb : forall v x, bounded (ratio v x))
    by (intros v x; exists (exp (kappa - from v x)); intros a; pose proof (ratio_range v x a); pose proof (Rp v x a); lra).
  pose (U := fun v => reached ends (c - given v) (exp eps * passed Question Answer ratio v)).
  assert (Pz : forall v, 0 < exp eps * passed Question Answer ratio v)
    by (intros v; apply Rmult_lt_0_compat; [apply exp_pos|apply passed_pos; exact Rp]).
  assert (Mean : forall v x, ev (pick v x) (ratio v x) = 1).
  { intros v x. rewrite <- (ev_one (pick' v x)), <- (ratio_law v x (fun _ => 1)) by (apply bounded_const; lra).
    apply ev_ext; [apply Rb|intros; ring]. }
  replace (reached ends c (exp eps)) with (U []) by (unfold U; simpl; rewrite Nat.sub_0_r, Rmult_1_r; reflexivity).
  apply filter_delta with (ratio := ratio) (sound := fun _ => True); auto.
  - intros v x f Hf. right. apply ratio_law, Hf.
  - apply exp_pos.
  - intros v _. apply reached_floor, Pz.
  - intros v x _ _. exists 1. intros a. apply reached_profile; [apply ends_profile|apply Pz].
  - intros v x _ A. unfold places in A. apply Nat.ltb_lt in A. unfold U. cbn [given passed].
    set (m := (c - Datatypes.S (given v))%nat). replace (c - given v)%nat with (Datatypes.S m) by lia.
    destruct (range_step (pick v x) (ratio v x) (reached ends m) (from v x) (exp eps * passed Question Answer ratio v)
      (reached_profile ends m ends_profile) (Pz v) (ratio_range v x) (Mean v x)) as [Ht Step].
    apply Rle_trans with (two (reached ends m) (from v x) (exp eps * passed Question Answer ratio v)).
    + apply Rle_trans with (2 := Step). right. apply ev_ext.
      * exists 1. intros a. apply reached_profile; [apply ends_profile|].
        apply Rmult_lt_0_compat; [apply exp_pos|]. apply Rmult_lt_0_compat; [apply passed_pos; exact Rp|apply Rp].
      * intros a. f_equal. ring.
    + apply reached_step; auto using ends_profile.
  - intros v x _ _. unfold U. cbn [given passed]. apply Rle_refl.
Qed.
End Adaptive.
End Range.
