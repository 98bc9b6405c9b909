(** * Ranked selection by Gumbel noise: noise on the bar, and Theorem 1

    The release of [RankedRace.v], with the rates that scores and bar have: e^((score - bar)/s). *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Points Hazard PartialShift RaceCases Adversary ClosedForm RaceNoise RankedRace.
Import ListNotations.
Open Scope R_scope.

Section Bar.
Variables (s T g : R) (candidates : list nat) (c : nat).
Hypothesis Hs : 0 < s.

Definition rate_at (q : nat -> R) (t : Z) (i : nat) : R := exp ((q i - (T + g * IZR t)) / s).
Lemma rate_at_pos q t i : 0 < rate_at q t i.
Proof. apply exp_pos. Qed.

(** [p] is the law of the bar's noise, in grid steps of size [g]. *)
Definition ranked_gumbel (p : law Z) (q : nat -> R) : law (list nat) :=
  t <- p ;; by_rates (rate_at q t) (rate_at_pos q t) c candidates.

Lemma rates_apart q q' t t' i : ln (rate_at q t i) - ln (rate_at q' t' i) = (g * IZR t' - g * IZR t - (q' i - q i)) / s.
Proof. unfold rate_at. rewrite !ln_exp. field. lra. Qed.

Section Any.
Variables U slope : nat -> R -> R.
Variables down up : R.
Hypothesis Hdown : 0 <= down.
Hypothesis Hup : 0 <= up.
Hypothesis U_zero : forall z, 0 < z -> 0 <= U 0 z /\ 1 - z <= U 0 z.
Hypothesis U_continuous : forall z, 0 < z -> continuous (U 0) z.
Hypothesis U_derive : forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z).
Hypothesis U_tangent : forall n z y, 0 < z -> - down <= y <= up ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z).
Variables q q' : nat -> R.

(** THEOREM (no noise on the bar). Any functions with the right tangents bound delta, as for runs ([Adversary.v]). *)
Theorem ranked_adversary eps : (forall i, In i candidates -> - down <= (q i - q' i) / s <= up) ->
  close (exp eps) (U c (exp eps)) (ranked_gumbel (ret 0%Z) q) (ranked_gumbel (ret 0%Z) q').
Proof.
  intros H event. unfold chance. cbn [ranked_gumbel bind ret ev by_rates].
  apply (race_in_moments U slope down up); auto using rate_at_pos, exp_pos; [|lra|].
  - intros x. destruct (event x); lra.
  - intros i Hi. rewrite rates_apart. specialize (H i Hi).
    replace ((g * 0 - g * 0 - (q' i - q i)) / s) with ((q i - q' i) / s) by (field; lra). exact H.
Qed.

(** THEOREM (noise on the bar, moved by k steps). Delta is the mean of U over what the shift loses. *)
Theorem ranked_shifted (m : masses) (k : Z) W eps : (forall n, 0 < mass m n) ->
  (forall t, / W <= tilt m k t <= W) -> (forall z, 0 < z -> U c z <= 1) ->
  (forall i, In i candidates -> - down <= (g * IZR k - (q' i - q i)) / s <= up) ->
  close (exp eps) (ev (grid m) (fun t => U c (exp eps * tilt m k t))) (ranked_gumbel (grid m) q) (ranked_gumbel (grid m) q').
Proof.
  intros Hm HW HU Hq. unfold ranked_gumbel.
  apply (shifted_mean m k W _ _ (U c) eps Hm (fun t => proj2 (HW t))).
  - intros z Hz. split; [apply (U_floor U slope down up); auto|apply HU, Hz].
  - intros t z Hz event. unfold chance. cbn [by_rates ev].
    apply (race_in_moments U slope down up); auto using rate_at_pos; [|lra|].
    + intros x. destruct (event x); lra.
    + intros i Hi. rewrite rates_apart, plus_IZR. specialize (Hq i Hi).
      replace (g * (IZR t + IZR k) - g * IZR t - (q' i - q i)) with (g * IZR k - (q' i - q i)) by ring. exact Hq.
Qed.
End Any.

Lemma ends_continuous z : 0 < z -> continuous (fun z => Rmax (1 - z) 0) z.
Proof.
  intros _. apply (continuous_ext (fun z => (1 - z + Rabs (1 - z)) / 2)).
  - intros x. unfold Rmax, Rabs. destruct (Rle_dec (1 - x) 0), (Rcase_abs (1 - x)); lra.
  - assert (C : continuous (fun z => 1 - z) z) by (apply (@ex_derive_continuous R_AbsRing R_NormedModule); auto_derive; auto).
    apply (continuous_mult (fun z => 1 - z + Rabs (1 - z)) (fun _ => / 2)); [|apply continuous_const].
    apply (continuous_plus (fun z => 1 - z) (fun z => Rabs (1 - z))); [exact C|].
    apply (continuous_comp (fun z => 1 - z) Rabs); [exact C|apply continuous_Rabs].
Qed.

(** ** Theorem 1, ranked: discrete Laplace noise on the bar, scores that move by - l to u grid steps *)
Variables (ratio eps : R) (l u : nat).
Hypothesis Hg : 0 < g.
Hypothesis Hr : 0 < ratio < 1.
Hypothesis Hlu : (0 < l + u)%nat.
Variables q q' : nat -> R.
Hypothesis Hq : forall i, In i candidates -> - (g * INR l) <= q' i - q i <= g * INR u.
Let m := two_sided_masses ratio Hr.

Theorem ranked_theorem_one :
  let kappa := g * INR (l + u) / s in
  close (exp eps) (race_gain kappa m (Z.of_nat (Nat.max l u)) eps c) (ranked_gumbel (two_sided ratio Hr) q) (ranked_gumbel (two_sided ratio Hr) q') /\
  close (exp eps) (race_gain kappa m (Z.of_nat (Nat.max l u)) eps c) (ranked_gumbel (two_sided ratio Hr) q') (ranked_gumbel (two_sided ratio Hr) q).
Proof.
  intros kappa.
  assert (Hk : 0 < kappa) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [exact Hg|apply lt_0_INR, Hlu]|exact Hs]).
  assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs). set (rho := exp (- kappa)).
  assert (R1 : 0 < rho < 1).
  { split; [apply exp_pos|]. unfold rho. assert (exp (- kappa) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  assert (Sg : (-1 = 1 /\ 1 < rho) \/ (-1 = -1 /\ rho < 1)) by (right; lra).
  assert (One : forall (low high : nat) (r r' : nat -> R), (low + high = l + u)%nat -> (high <= Nat.max l u)%nat ->
    (forall i, In i candidates -> - (g * INR low) <= r' i - r i <= g * INR high) ->
    close (exp eps) (race_gain kappa m (Z.of_nat (Nat.max l u)) eps c) (ranked_gumbel (two_sided ratio Hr) r) (ranked_gumbel (two_sided ratio Hr) r')).
  { intros low high r r' E Hm H event.
    apply Rle_trans with (exp eps * chance (ranked_gumbel (two_sided ratio Hr) r') event + race_gain kappa m (Z.of_nat high) eps c);
      [revert event|apply Rplus_le_compat_l, race_gain_rises; assumption].
    apply (ranked_shifted (ClosedForm.U rho (-1)) (fun n => line rho (-1) (Datatypes.S n)) 0 kappa (Rle_refl 0) (Rlt_le _ _ Hk))
      with (m := m) (k := Z.of_nat high) (W := (/ ratio) ^ Z.abs_nat (Z.of_nat high)).
    - apply U_start.
    - exact ends_continuous.
    - intros n z Hz. apply U_slope; [lra|exact Sg|exact Hz].
    - intros n z y Hz Hy. apply ClosedForm.U_tangent; [lra|exact Sg|exact Hz|].
      rewrite Rmin_right, Rmax_left by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
    - intros n. apply two_sided_above, Hr.
    - apply laplace_tilt.
    - intros z Hz. apply (gain_range kappa Hk c z Hz).
    - intros i Hin. specialize (H i Hin). rewrite <- INR_IZR_INZ. unfold kappa. rewrite <- E, plus_INR, Ropp_0.
      split; [apply Rmult_le_pos; lra|]. unfold Rdiv. apply Rmult_le_compat_r; lra. }
  split; [apply (One l u)|apply (One u l)]; auto; try lia. intros i Hin. specialize (Hq i Hin). lra.
Qed.
End Bar.
