(** * Noise on a query, and the laws a threshold draws from

    A query with answer [q] is compared with a noisy threshold. Its gap is x = threshold - q, and it is
    positive with probability S x. Only this function of the noise matters, since the noise itself
    is never released. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid.
Open Scope R_scope.

Lemma exp_mono x y : x <= y -> exp x <= exp y.
Proof. intros [H|H]; [left; apply exp_increasing; exact H|right; rewrite H; reflexivity]. Qed.

(** [rate]: ln S falls by at most [rate] for each unit of the gap. *)
Record noise := {
  S : R -> R;
  S_range : forall x, 0 <= S x <= 1;
  S_falls : forall x y, x <= y -> S y <= S x;
  rate : R;
  rate_pos : 0 <= rate;
  S_slow : forall x d, 0 <= d -> S x <= exp (rate * d) * S (x + d) }.

Definition answer (N : noise) (gap : R) : law bool := coin (S N gap) (S_range N gap).

(** ** The three kinds of query noise with a pure guarantee *)
Section Kinds.
Variable s : R.
Hypothesis Hs : 0 < s.

Let Hi : 0 < / s.
Proof. apply Rinv_0_lt_compat; exact Hs. Qed.

(** Exponential noise of scale [s]: the rate 1/s is attained at every gap above zero. *)
Definition S_exponential (x : R) : R := exp (- (Rmax x 0 / s)).

Program Definition exponential : noise := {| S := S_exponential; rate := / s |}.
Next Obligation.
  unfold S_exponential. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_mono.
  pose proof (Rmax_r x 0). assert (0 <= Rmax x 0 * / s) by (apply Rmult_le_pos; lra). unfold Rdiv; lra.
Qed.
Next Obligation.
  unfold S_exponential. apply exp_mono. apply Ropp_le_contravar. unfold Rdiv.
  apply Rmult_le_compat_r; [lra|]. apply Rle_max_compat_r; exact H.
Qed.
Next Obligation. lra. Qed.
Next Obligation.
  unfold S_exponential. rewrite <- exp_plus. apply exp_mono.
  assert (Rmax (x + d) 0 <= Rmax x 0 + d)
    by (pose proof (Rmax_l x 0); pose proof (Rmax_r x 0); apply Rmax_lub; lra).
  assert (Rmax (x + d) 0 / s <= (Rmax x 0 + d) / s)
    by (unfold Rdiv; apply Rmult_le_compat_r; lra).
  replace ((Rmax x 0 + d) / s) with (Rmax x 0 / s + / s * d) in H1 by (unfold Rdiv; ring). lra.
Qed.

(** Gumbel noise of scale [s]: the chance of a negative is exp(-e^(-x/s)). *)
Definition S_gumbel (x : R) : R := 1 - exp (- exp (- (x / s))).

(** exp is convex: between 0 and -h it lies below its chord. *)
Lemma exp_chord h v : 0 <= v <= 1 -> exp (- (v * h)) <= v * exp (- h) + (1 - v).
Proof.
  intros H. pose proof (exp_pos (- (v * h))) as P.
  assert (A : exp (- (v * h)) * (1 + (- h + v * h)) <= exp (- h)).
  { replace (exp (- h)) with (exp (- (v * h)) * exp (- h + v * h))
      by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [lra|]. apply exp_ineq1_le. }
  assert (B : exp (- (v * h)) * (1 + v * h) <= 1).
  { apply Rle_trans with (exp (- (v * h)) * exp (v * h)).
    - apply Rmult_le_compat_l; [lra|]. apply exp_ineq1_le.
    - rewrite <- exp_plus, Rplus_opp_l, exp_0. lra. }
  apply Rle_trans with
    (v * (exp (- (v * h)) * (1 + (- h + v * h))) + (1 - v) * (exp (- (v * h)) * (1 + v * h))).
  - right; ring.
  - apply Rplus_le_compat; [apply Rmult_le_compat_l; lra|].
    rewrite <- (Rmult_1_r (1 - v)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Program Definition gumbel : noise := {| S := S_gumbel; rate := / s |}.
Next Obligation.
  unfold S_gumbel. pose proof (exp_pos (- exp (- (x / s)))). pose proof (exp_pos (- (x / s))).
  assert (exp (- exp (- (x / s))) <= exp 0) by (apply exp_mono; lra). rewrite exp_0 in H1. lra.
Qed.
Next Obligation.
  unfold S_gumbel. assert (L : x / s <= y / s) by (unfold Rdiv; apply Rmult_le_compat_r; lra).
  assert (exp (- (y / s)) <= exp (- (x / s))) by (apply exp_mono; lra).
  assert (exp (- exp (- (x / s))) <= exp (- exp (- (y / s)))) by (apply exp_mono; lra). lra.
Qed.
Next Obligation. lra. Qed.
Next Obligation.
  unfold S_gumbel. set (h := exp (- (x / s))). set (v := exp (- (/ s * d))).
  assert (Hd : 0 <= / s * d) by (apply Rmult_le_pos; lra).
  assert (Hv : 0 < v <= 1).
  { split; [apply exp_pos|]. unfold v. rewrite <- exp_0. apply exp_mono. lra. }
  replace (exp (- ((x + d) / s))) with (v * h)
    by (unfold v, h; rewrite <- exp_plus; f_equal; unfold Rdiv; ring).
  pose proof (exp_chord h v ltac:(lra)) as C.
  assert (E : exp (/ s * d) = / v) by (unfold v; rewrite exp_Ropp, Rinv_inv; reflexivity).
  rewrite E. apply Rmult_le_reg_l with v; [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.

(** Laplace noise of scale [s]. *)
Definition S_laplace (x : R) : R :=
  if Rle_dec 0 x then exp (- (x / s)) / 2 else 1 - exp (x / s) / 2.

Program Definition laplace : noise := {| S := S_laplace; rate := / s |}.
Next Obligation.
  unfold S_laplace. destruct (Rle_dec 0 x) as [H|H].
  - pose proof (exp_pos (- (x / s))). assert (0 <= x / s) by (apply Rmult_le_pos; lra).
    assert (exp (- (x / s)) <= exp 0) by (apply exp_mono; lra). rewrite exp_0 in *. lra.
  - pose proof (exp_pos (x / s)).
    assert (0 <= (- x) * / s) by (apply Rmult_le_pos; lra).
    assert (exp (x / s) <= exp 0) by (apply exp_mono; unfold Rdiv; lra). rewrite exp_0 in *. lra.
Qed.
Next Obligation.
  unfold S_laplace. assert (L : x / s <= y / s) by (unfold Rdiv; apply Rmult_le_compat_r; lra).
  destruct (Rle_dec 0 x) as [Hx|Hx], (Rle_dec 0 y) as [Hy|Hy]; try lra.
  - assert (exp (- (y / s)) <= exp (- (x / s))) by (apply exp_mono; lra). lra.
  - assert (0 <= y / s) by (apply Rmult_le_pos; lra).
    assert (0 <= (- x) * / s) by (apply Rmult_le_pos; lra).
    assert (exp (- (y / s)) <= exp 0) by (apply exp_mono; lra).
    assert (exp (x / s) <= exp 0) by (apply exp_mono; unfold Rdiv; lra). rewrite exp_0 in *. lra.
  - assert (exp (x / s) <= exp (y / s)) by (apply exp_mono; lra). lra.
Qed.
Next Obligation. lra. Qed.
Next Obligation.
  unfold S_laplace. assert (Hd : 0 <= / s * d) by (apply Rmult_le_pos; lra).
  set (E := exp (/ s * d)).
  assert (HE : 1 <= E) by (unfold E; rewrite <- exp_0; apply exp_mono; lra).
  assert (Split : (x + d) / s = x / s + / s * d) by (unfold Rdiv; ring).
  destruct (Rle_dec 0 x) as [Hx|Hx], (Rle_dec 0 (x + d)) as [Hy|Hy]; try lra.
  - right. unfold E. rewrite Split. replace (- (x / s)) with (/ s * d + - (x / s + / s * d)) by ring.
    rewrite exp_plus. field.
  - (* x < 0 <= x + d: u + 1/u is at least 2 *)
    replace (E * (exp (- ((x + d) / s)) / 2)) with (exp (- (x / s)) / 2).
    2: { unfold E. rewrite Split. replace (- (x / s)) with (/ s * d + - (x / s + / s * d)) by ring.
         rewrite exp_plus. field. }
    set (u := exp (x / s)). set (w := exp (- (x / s))). assert (0 < w) by apply exp_pos.
    assert (U : w * u = 1) by (unfold u, w; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    assert (P : 0 <= w * ((u - 1) * (u - 1))) by (apply Rmult_le_pos; [lra|apply Rle_0_sqr]).
    replace (w * ((u - 1) * (u - 1))) with (w * u * u - 2 * (w * u) + w) in P by ring.
    rewrite U in P. lra.
  - (* both below zero *)
    rewrite Split, exp_plus. fold E. set (u := exp (x / s)).
    assert (0 < u) by apply exp_pos.
    assert (u * E < 1).
    { unfold u, E. rewrite <- exp_plus, <- Split, <- exp_0. apply exp_increasing.
      assert (0 < (- (x + d)) * / s) by (apply Rmult_lt_0_compat; lra). unfold Rdiv; lra. }
    assert (u <= u * E) by (rewrite <- (Rmult_1_r u) at 1; apply Rmult_le_compat_l; lra).
    assert (0 <= (E - 1) * (1 - (u * E + u) / 2)) by (apply Rmult_le_pos; lra).
    replace (E * (1 - u * E / 2)) with (1 - u / 2 + (E - 1) * (1 - (u * E + u) / 2)) by field. lra.
Qed.
End Kinds.
