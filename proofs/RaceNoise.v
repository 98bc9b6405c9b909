(** * Theorem 1 of the race: noise on the threshold, moved by all of Delta

    Gumbel noise on queries, discrete Laplace noise on the threshold. [gain c z] is what the best test gains against c
    independent pairs of arrival times, Exp(rate e^kappa) against Exp(rate 1), at z = e^epsilon. With noise on the
    threshold, delta is its average over the loss l of the shift: gain c (e^(epsilon - l)). *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases Adversary ClosedForm.
Import ListNotations.
Open Scope R_scope.

(** THEOREM. Noise on the threshold, moved by k steps: delta is the mean over what the shift loses of any functions with the right
    tangents ([Adversary.v]). *)
Theorem adversary_shifted (U slope : nat -> R -> R) down up s (Hs : 0 < s) T g (m : masses) k W q q' eps n c :
  0 <= down -> 0 <= up -> (forall z, 0 < z -> 0 <= U 0%nat z /\ 1 - z <= U 0%nat z) ->
  (forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z)) ->
  (forall n z y, 0 < z -> - down <= y <= up -> U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z)) ->
  (forall n z, 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w) ->
  (forall z, 0 < z -> U c z <= 1) -> (forall t, 0 < mass m t) -> (forall t, tilt m k t <= W) ->
  (forall past, - down <= (g * IZR k - (q' past - q past)) / s <= up) ->
  close (exp eps) (ev (grid m) (fun t => U c (exp eps * tilt m k t)))
    (sparse_vector (gumbel s Hs) T (grid m) g n c q) (sparse_vector (gumbel s Hs) T (grid m) g n c q').
Proof.
  intros Hd Hu U0 Ud Ut Uc U1 Hm HW Hq. unfold sparse_vector. apply (shifted_mean m k W _ _ (U c) eps Hm HW).
  - intros z Hz. split; [apply (U_floor U slope down up); auto|apply U1, Hz].
  - intros t z Hz. rewrite <- (exp_ln z) by exact Hz. apply (adversary_delta U slope down up); auto.
    intros past. specialize (Hq past). rewrite plus_IZR.
    replace ((g * (IZR t + IZR k) - q' past - (g * IZR t - q past)) / s)
      with ((g * IZR k - (q' past - q past)) / s) by (f_equal; ring). exact Hq.
Qed.

Section Gain.
Variable kappa : R.
Hypothesis Hk : 0 < kappa.
Let rho := exp (- kappa).

Let Hrho : 0 < rho < 1.
Proof.
  split; [apply exp_pos|]. unfold rho. assert (exp (- kappa) < exp 0) by (apply exp_increasing; lra).
  rewrite exp_0 in *. lra.
Qed.
Let Hsign : (-1 = 1 /\ 1 < rho) \/ (-1 = -1 /\ rho < 1).
Proof. right; lra. Qed.

Definition gain : nat -> R -> R := U rho (-1).

(** P(c, g) - z P(c, g e^(-kappa)), with P = 1 - Q the lower incomplete gamma ratio. *)
Lemma gain_closed (c : nat) z : (0 < c)%nat -> 0 < z ->
  let g := Rmax ((INR c * kappa - ln z) / (1 - exp (- kappa))) 0 in
  gain c z = (1 - Q c g) - z * (1 - Q c (g * exp (- kappa))).
Proof.
  intros Hc Hz g. destruct c as [|j]; [lia|]. unfold gain. cbn [U]. unfold V, M.
  replace (G rho (Datatypes.S j) z) with g; [fold rho; field|].
  unfold g, G, best. f_equal. unfold rho. rewrite ln_exp. fold rho. field. lra.
Qed.

Lemma gain_range c z : 0 < z -> 0 <= gain c z <= 1.
Proof.
  intros Hz. destruct c as [|j].
  - unfold gain. simpl. split; [apply Rmax_r|apply Rmax_lub; lra].
  - split.
    + pose proof (V_best rho (-1) ltac:(lra) Hsign j 0 z Hz (Rle_refl 0)) as B.
      assert (E : V rho (-1) (Datatypes.S j) 0 z = 0)
        by (unfold V, M; rewrite Rmult_0_l, Q_start; field).
      rewrite E in B. exact B.
    + rewrite gain_closed by (lia || assumption). cbv zeta. set (g := Rmax _ 0).
      assert (Hg : 0 <= g) by apply Rmax_r. pose proof (exp_pos (- kappa)).
      pose proof (Q_range (Datatypes.S j) g Hg).
      pose proof (Q_range (Datatypes.S j) (g * exp (- kappa)) ltac:(apply Rmult_le_pos; lra)).
      assert (0 <= z * (1 - Q (Datatypes.S j) (g * exp (- kappa)))) by (apply Rmult_le_pos; lra). lra.
Qed.

Variables (s T g : R).
Hypothesis Hs : 0 < s.
Variable m : masses.
Hypothesis Hmass : forall n, 0 < mass m n.
Variable k : Z.
Variable W : R.
Hypothesis HW : forall t, / W <= tilt m k t <= W.
Hypothesis PW : 0 < W.

Let tilt_above t : 0 < tilt m k t.
Proof. apply (tilt_pos m k Hmass). Qed.
Let tilt_nice : bounded (tilt m k).
Proof. exists W. intros t. split; [left; apply tilt_above|apply HW]. Qed.

(** delta: the gain, averaged over the loss of the shift. *)
Definition race_gain (eps : R) (c : nat) : R := ev (grid m) (fun t => gain c (exp eps * tilt m k t)).

Let gain_nice eps c : bounded (fun t => gain c (exp eps * tilt m k t)).
Proof. exists 1. intros t. apply gain_range. apply Rmult_lt_0_compat; [apply exp_pos|apply tilt_above]. Qed.

(** Moved by k steps, hazards fall by 0 to kappa. *)
Theorem race_shifted q q' eps n c :
  (forall past, 0 <= (g * IZR k - (q' past - q past)) / s <= kappa) ->
  close (exp eps) (race_gain eps c)
    (sparse_vector (gumbel s Hs) T (grid m) g n c q) (sparse_vector (gumbel s Hs) T (grid m) g n c q').
Proof.
  intros Hq. apply (adversary_shifted gain (fun n => line rho (-1) (Datatypes.S n)) 0 kappa) with (W := W); auto; try lra.
  - apply U_start.
  - intros j z Hz. apply U_slope; [lra|exact Hsign|exact Hz].
  - intros j z y Hz Hy. apply U_tangent; [lra|exact Hsign|exact Hz|].
    rewrite Rmin_right, Rmax_left by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
  - intros j z Hz. apply U_convex; [lra|exact Hsign|exact Hz].
  - intros z Hz. apply gain_range, Hz.
  - intros t. apply HW.
  - intros past. rewrite Ropp_0. apply Hq.
Qed.

(** Without a shift there is no loss, and no more is gained than with one: [gain] is convex. *)
Lemma gain_average eps c : (0 < c)%nat -> gain c (exp eps) <= race_gain eps c.
Proof.
  intros Hc. destruct c as [|j]; [lia|]. pose proof (exp_pos eps) as Pe. set (z := exp eps) in *.
  set (slope := - line rho (-1) (Datatypes.S j) z).
  assert (Hsl : 0 <= slope).
  { unfold slope, line. assert (Hg : 0 <= G rho (Datatypes.S j) z * rho) by (apply Rmult_le_pos; [apply Rmax_r|lra]).
    pose proof (Q_range (Datatypes.S j) _ Hg). lra. }
  assert (L : forall t, gain (Datatypes.S j) z + slope * z
      <= gain (Datatypes.S j) (z * tilt m k t) + slope * z * tilt m k t).
  { intros t. assert (Hw : 0 < z * tilt m k t) by (apply Rmult_lt_0_compat; [exact Pe|apply tilt_above]).
    pose proof (U_lines rho (-1) ltac:(lra) Hsign j z (z * tilt m k t) Pe Hw) as Ln. unfold gain, slope. lra. }
  assert (One : ev (grid m) (tilt m k) = 1).
  { transitivity (ev (grid m) (fun t => tilt m k t * (fun _ => 1) (t + k)%Z)).
    - apply ev_ext; [exact tilt_nice|intros t; ring].
    - rewrite (untilt m k Hmass (fun _ => 1)) by (apply bounded_const; lra). apply ev_one. }
  pose proof (gain_range (Datatypes.S j) z Pe) as Gr.
  assert (Hsz : 0 <= slope * z) by (apply Rmult_le_pos; lra).
  assert (Av : gain (Datatypes.S j) z + slope * z <= race_gain eps (Datatypes.S j) + slope * z * 1).
  { rewrite <- One. unfold race_gain. fold z. rewrite <- (ev_const (grid m) (gain (Datatypes.S j) z + slope * z)) by lra.
    rewrite <- (ev_scal (grid m) (slope * z) _ Hsz tilt_nice).
    rewrite <- ev_plus; [|apply gain_nice|apply bounded_scal; [exact Hsz|exact tilt_nice]].
    apply ev_mono; [apply bounded_const; lra|apply bounded_plus; [apply gain_nice|apply bounded_scal; auto]|]. exact L. }
  lra.
Qed.
End Gain.

(** ** Theorem 1, with discrete Laplace noise on the threshold *)
Section Theorem1.
Variables (s T g ratio eps : R).
Hypothesis Hs : 0 < s.
Hypothesis Hg : 0 < g.
Hypothesis Hr : 0 < ratio < 1.
Variables (d n c : nat).             (* Delta is d grid steps *)
Hypothesis Hd : (0 < d)%nat.
Hypothesis Hc : (0 < c)%nat.
Variables q q' : list bool -> R.
Let Delta := g * INR d.
Let m := two_sided_masses ratio Hr.
Let svt := sparse_vector (gumbel s Hs) T (two_sided ratio Hr) g n c.

Let mass_above t : 0 < mass m t.
Proof. apply two_sided_above, Hr. Qed.
Let Wd : 0 < (/ ratio) ^ Z.abs_nat (Z.of_nat d).
Proof. apply pow_lt, Rinv_0_lt_compat; lra. Qed.
Let HDelta : 0 < Delta.
Proof. apply Rmult_lt_0_compat; [exact Hg|apply lt_0_INR; exact Hd]. Qed.
Let Hi : 0 < / s.
Proof. apply Rinv_0_lt_compat, Hs. Qed.

(** General queries: kappa = 2 Delta/s. *)
Theorem theorem_one_general :
  (forall past, Rabs (q' past - q past) <= Delta) ->
  close (exp eps) (race_gain (2 * Delta / s) m (Z.of_nat d) eps c) (svt q) (svt q').
Proof.
  intros H. apply (race_shifted (2 * Delta / s)) with (W := (/ ratio) ^ Z.abs_nat (Z.of_nat d)); auto.
  - apply Rmult_lt_0_compat; lra.
  - apply laplace_tilt.
  - intros past. specialize (H past). rewrite <- INR_IZR_INZ. fold Delta.
    assert (- Delta <= q' past - q past <= Delta) by (unfold Rabs in H; destruct (Rcase_abs _) in H; lra).
    split; [apply Rmult_le_pos; lra|unfold Rdiv; apply Rmult_le_compat_r; lra].
Qed.

(** Monotonic queries, both directions: kappa = Delta/s. *)
Theorem theorem_one_monotonic :
  (forall past, 0 <= q' past - q past <= Delta) \/ (forall past, 0 <= q past - q' past <= Delta) ->
  close (exp eps) (race_gain (Delta / s) m (Z.of_nat d) eps c) (svt q) (svt q').
Proof.
  assert (Hk : 0 < Delta / s) by (apply Rmult_lt_0_compat; lra).
  intros [H|H].
  - apply (race_shifted (Delta / s)) with (W := (/ ratio) ^ Z.abs_nat (Z.of_nat d)); auto.
    + apply laplace_tilt.
    + intros past. specialize (H past). rewrite <- INR_IZR_INZ. fold Delta.
      split; [apply Rmult_le_pos; lra|unfold Rdiv; apply Rmult_le_compat_r; lra].
  - assert (Bare : forall t, close (exp eps) (gain (Delta / s) c (exp eps))
      (run (gumbel s Hs) T q (g * IZR t) n c []) (run (gumbel s Hs) T q' (g * IZR t) n c [])).
    { intros t. set (rho := exp (- (Delta / s))).
      assert (R1 : 0 < rho < 1).
      { split; [apply exp_pos|]. unfold rho. assert (exp (- (Delta / s)) < exp 0)
          by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
      apply (closed_form rho (-1) ltac:(lra) ltac:(right; lra) s T Hs q q' 0 (Delta / s)); try lra.
      - intros y Hy. rewrite Rmin_right, Rmax_left by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
      - intros past. specialize (H past).
        replace ((g * IZR t - q' past - (g * IZR t - q past)) / s) with ((q past - q' past) * / s) by (unfold Rdiv; ring).
        split; [assert (0 <= (q past - q' past) * / s)
            by (apply Rmult_le_pos; lra); lra|unfold Rdiv; apply Rmult_le_compat_r; lra]. }
    pose proof (gain_range (Delta / s) Hk c (exp eps) (exp_pos eps)) as Gr.
    pose proof (close_lots (two_sided ratio Hr) _ _ (exp eps) _ (Rlt_le _ _ (exp_pos eps)) (proj1 Gr) Bare) as C.
    intros event. apply Rle_trans with (1 := C event). apply Rplus_le_compat_l.
    apply (gain_average (Delta / s) Hk) with (W := (/ ratio) ^ Z.abs_nat (Z.of_nat d)); auto. apply laplace_tilt.
Qed.
End Theorem1.
