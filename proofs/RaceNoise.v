(** * Theorem 1 of the race: noise on the threshold, moved by all of Delta

    Gumbel noise on queries, discrete Laplace noise on the threshold. [gain c z] is what the best test gains against c
    independent pairs of arrival times, Exp(rate e^kappa) against Exp(rate 1), at z = e^epsilon. With noise on the
    threshold, delta is its average over the loss l of the shift: gain c (e^(epsilon - l)). *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases ShiftCases Adversary ClosedForm.
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

End Gain.

(** A larger shift loses more: [gain] is convex. *)
Lemma race_gain_rises kappa ratio (Hr : 0 < ratio < 1) eps c (j k : nat) : 0 < kappa -> (j <= k)%nat ->
  race_gain kappa (two_sided_masses ratio Hr) (Z.of_nat j) eps c <= race_gain kappa (two_sided_masses ratio Hr) (Z.of_nat k) eps c.
Proof.
  intros Hk H. pose proof (exp_pos eps) as Pe. pose proof (below_one kappa Hk) as R1.
  assert (Pz : forall w, 0 < w -> 0 < exp eps * w) by (intros; apply Rmult_lt_0_compat; assumption).
  apply (spread_rises ratio Hr (fun w => gain kappa c (exp eps * w))); [| | |exact H].
  - intros w Hw. apply gain_range; auto.
  - intros z Hz. destruct (U_convex (exp (- kappa)) (-1) (exp_pos _) ltac:(right; lra) c (exp eps * z) (Pz z Hz)) as [sigma S].
    exists (sigma * exp eps). intros w Hw. specialize (S _ (Pz w Hw)). unfold gain.
    replace (sigma * exp eps * (w - z)) with (sigma * (exp eps * w - exp eps * z)) by ring. exact S.
  - intros i. exists 1. intros t. apply gain_range; [exact Hk|]. apply Pz, tilt_pos. intros n. apply two_sided_above, Hr.
Qed.

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
  - intros event.
    assert (R0 : close (exp eps) (race_gain (Delta / s) m (Z.of_nat 0) eps c) (svt q) (svt q')).
    { apply (race_shifted (Delta / s)) with (W := (/ ratio) ^ Z.abs_nat (Z.of_nat 0)); auto; [apply laplace_tilt|].
      intros past. specialize (H past). simpl Z.of_nat. rewrite Rmult_0_r. replace (0 - (q' past - q past)) with (q past - q' past) by ring.
      split; [apply Rmult_le_pos; lra|unfold Rdiv; apply Rmult_le_compat_r; lra]. }
    apply Rle_trans with (1 := R0 event). apply Rplus_le_compat_l, race_gain_rises; [exact Hk|lia].
Qed.
End Theorem1.
