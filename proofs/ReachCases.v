(** * A reach that goes further to one side: [- l, u] in place of one Delta

    One more person moves every score by something from - l to u, in grid steps. The most is the larger of both, the width is
    l + u. Each theorem has both directions: the person is added, or taken away. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases ShiftCases RaceNoise
  Ranking Ranked RankedCases.
Import ListNotations.
Open Scope R_scope.

Lemma exp_power_mono x (j k : nat) : 0 <= x -> (j <= k)%nat -> exp x ^ j <= exp (INR k * x).
Proof.
  intros Hx H. rewrite exp_power. apply exp_mono, Rmult_le_compat_r; [exact Hx|apply le_INR, H].
Qed.

Section Queries.
Variables (T g : R) (l u n c : nat).
Hypothesis Hg : 0 < g.
Variables q q' : list bool -> R.
Hypothesis Hq : forall past, - (g * INR l) <= q' past - q past <= g * INR u.
Let back past : - (g * INR u) <= q past - q' past <= g * INR l.
Proof. specialize (Hq past). lra. Qed.
Let steps_pos j : 0 <= g * INR j.
Proof. apply Rmult_le_pos; [lra|apply pos_INR]. Qed.
Let most := Nat.max l u.

(** THEOREM (pure). most/b + c width rate, for a threshold whose noise costs e^(g/b) for a step up. *)
Theorem svt_reach (N : noise) (b : R) (p : law Z) : 0 < b -> climbs (exp (g / b)) p ->
  let eps := g * INR most / b + INR c * (rate N * (g * INR (l + u))) in
  close (exp eps) 0 (sparse_vector N T p g n c q) (sparse_vector N T p g n c q') /\
  close (exp eps) 0 (sparse_vector N T p g n c q') (sparse_vector N T p g n c q).
Proof.
  intros Hb Hp eps. assert (Hgb : 0 <= g / b) by (left; apply Rdiv_lt_0_compat; assumption).
  assert (One : forall (low high : nat) (r r' : list bool -> R), (high <= most)%nat -> (low + high = l + u)%nat ->
    (forall past, - (g * INR low) <= r' past - r past <= g * INR high) ->
    close (exp eps) 0 (sparse_vector N T p g n c r) (sparse_vector N T p g n c r')).
  { intros low high r r' Hm Hs Hr event.
    pose proof (svt_pure N T p (exp (g / b)) (Rlt_le _ _ (exp_pos _)) Hp g (Rlt_le _ _ Hg) n c r r' (g * INR low) high
      (steps_pos low) Hr event) as P. apply Rle_trans with (1 := P). rewrite !Rplus_0_r.
    apply Rmult_le_compat_r; [apply chance_range|]. unfold eps. rewrite exp_plus. apply Rmult_le_compat;
      [apply pow_le; left; apply exp_pos|left; apply exp_pos| |].
    - apply Rle_trans with (1 := exp_power_mono (g / b) high most Hgb Hm). right. f_equal. unfold Rdiv. ring.
    - apply exp_mono. rewrite <- Hs, plus_INR. right. ring. }
  split; [apply (One l u)|apply (One u l)]; auto; unfold most; lia.
Qed.

(** ** (epsilon, delta): Gumbel noise on queries, discrete Laplace noise on the threshold *)
Variables (s eps ratio : R).
Hypothesis Hs : 0 < s.
Hypothesis Hr : 0 < ratio < 1.
Let m := two_sided_masses ratio Hr.
Let svt := sparse_vector (gumbel s Hs) T (two_sided ratio Hr) g n c.
Let mass_above t : 0 < mass m t.
Proof. apply two_sided_above, Hr. Qed.

(** THEOREM 1: kappa is the width by s; a shift of the threshold by the most is charged, though one direction needs less. *)
Theorem theorem_one_reach : (0 < l + u)%nat ->
  let kappa := g * INR (l + u) / s in
  close (exp eps) (race_gain kappa m (Z.of_nat most) eps c) (svt q) (svt q') /\
  close (exp eps) (race_gain kappa m (Z.of_nat most) eps c) (svt q') (svt q).
Proof.
  intros Hlu kappa.
  assert (Hk : 0 < kappa) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [exact Hg|apply lt_0_INR, Hlu]|exact Hs]).
  assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs).
  assert (One : forall (low high : nat) (r r' : list bool -> R), (low + high = l + u)%nat -> (high <= most)%nat ->
    (forall past, - (g * INR low) <= r' past - r past <= g * INR high) ->
    close (exp eps) (race_gain kappa m (Z.of_nat most) eps c) (svt r) (svt r')).
  { intros low high r r' E Hm H event.
    apply Rle_trans with (exp eps * chance (svt r') event + race_gain kappa m (Z.of_nat high) eps c);
      [revert event|apply Rplus_le_compat_l, race_gain_rises; assumption].
    apply (race_shifted kappa) with (W := (/ ratio) ^ Z.abs_nat (Z.of_nat high)); auto.
    - apply laplace_tilt.
    - intros past. specialize (H past). rewrite <- INR_IZR_INZ. unfold kappa. rewrite <- E, plus_INR.
      split; [apply Rmult_le_pos; lra|]. unfold Rdiv. apply Rmult_le_compat_r; lra. }
  split; [apply (One l u)|apply (One u l)]; auto; unfold most; lia.
Qed.

(** THEOREM 4: the threshold moves by [k] steps, 0 <= k <= u, where u is the longer end of the reach. If it is the other
    one, exchange the two datasets. *)
Theorem theorem_four_reach (a : R) (k : nat) : 1 < a -> (l <= u)%nat -> (k <= u)%nat ->
  0 < 1 + a * (exp (- step s g (u - k)) - 1) ->
  let delta := shifted a ratio Hr eps k c (step s g (u + Nat.min k l)) (step s g (u - k)) in
  close (exp eps) delta (svt q) (svt q') /\ close (exp eps) delta (svt q') (svt q).
Proof.
  intros Ha Hlu Hk O delta. assert (Hg0 : 0 <= g) by lra.
  assert (One : forall (low high j : nat) (r r' : list bool -> R), (j <= high)%nat -> (j <= k)%nat ->
    (low + j <= u + Nat.min k l)%nat -> (high - j <= u - k)%nat ->
    (forall past, - (g * INR low) <= r' past - r past <= g * INR high) -> close (exp eps) delta (svt r) (svt r')).
  { intros low high j r r' Hj Hjk Hup Hdown H.
    assert (U : (g * IZR (Z.of_nat j) + g * INR low) / s = step s g (low + j))
      by (unfold step; rewrite <- INR_IZR_INZ, plus_INR; f_equal; ring).
    assert (F : (g * INR high - g * IZR (Z.of_nat j)) / s = step s g (high - j))
      by (unfold step; rewrite <- INR_IZR_INZ, minus_INR by exact Hj; f_equal; ring).
    assert (Oj : 0 < 1 + a * (exp (- step s g (high - j)) - 1)).
    { apply Rlt_le_trans with (1 := O). apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
      assert (exp (- step s g (u - k)) <= exp (- step s g (high - j))); [|lra].
      apply exp_mono, Ropp_le_contravar, step_mono; auto. }
    pose proof (partial_shift_delta a eps s T g Ha Hs r r' (g * INR low) (g * INR high) H n c ratio Hr (Z.of_nat j)) as P.
    cbv zeta in P. rewrite U, F in P. specialize (P (step_pos s g Hs Hg0 _) (step_pos s g Hs Hg0 _) Oj).
    intros event. apply Rle_trans with (1 := P event). apply Rplus_le_compat_l. unfold delta, shifted.
    apply Rmult_le_compat_l; [left; apply factor_pos, Ha|].
    assert (W1 : 1 <= Rmax (charge a (step s g (low + j))) (charge a (- step s g (high - j))))
      by (apply worst_ge_1; [exact Ha|apply step_pos; auto]).
    apply Rmult_le_compat.
    - unfold shift_moment. apply ev_pos. apply (tilt_bounded a Ha m (Z.of_nat j) mass_above ((/ ratio) ^ Z.abs_nat (Z.of_nat j)));
        [apply laplace_tilt|apply pow_lt, Rinv_0_lt_compat; lra].
    - apply pow_le; lra.
    - apply shift_moment_rises; assumption.
    - apply pow_incr. split; [lra|]. apply Rmax_lub.
      + apply Rle_trans with (2 := Rmax_l _ _). apply charge_right; [exact Ha|]. split; [apply step_pos; auto|apply step_mono; auto].
      + apply Rle_trans with (2 := Rmax_r _ _). apply charge_left; [exact Ha| |exact O].
        pose proof (step_pos s g Hs Hg0 (high - j)). pose proof (step_mono s g Hs Hg0 _ _ Hdown). lra. }
  split.
  - apply (One l u k); auto; lia.
  - apply (One u l (Nat.min k l)); auto; lia.
Qed.
End Queries.

(** ** Ranked selection, pure *)
Section Scores.
Variables (g s b : R).
Hypothesis Hs : 0 < g / s.
Hypothesis Hb : 0 < g / b.
Variable keys : law (nat -> Z).
Variable candidates : list nat.
Hypothesis Hc : NoDup candidates.
Variables (c l u : nat) (T : Z).
Hypothesis Hpos : (0 < c)%nat.
Variables q q' : nat -> Z.
Hypothesis Hq : forall i, In i candidates -> (- Z.of_nat l <= q' i - q i <= Z.of_nat u)%Z.
Let release := ranked_release g s b Hs Hb keys candidates c T.

(** THEOREM. max(c width/s, most/b + (c - 1) width/s). *)
Theorem ranked_reach eps :
  INR c * (g * INR (l + u) / s) <= eps ->
  g * INR (Nat.max l u) / b + (INR c - 1) * (g * INR (l + u) / s) <= eps ->
  close (exp eps) 0 (release q) (release q') /\ close (exp eps) 0 (release q') (release q).
Proof.
  intros E1 E2. assert (C1 : 0 <= INR c - 1) by (pose proof (le_INR 1 c Hpos) as L; simpl in L; lra).
  assert (One : forall (low high : nat) (r r' : nat -> Z), (high <= Nat.max l u)%nat -> (low + high = l + u)%nat ->
    (forall i, In i candidates -> (- Z.of_nat low <= r' i - r i <= Z.of_nat high)%Z) ->
    close (exp eps) 0 (release r) (release r')).
  { intros low high r r' Hm Hw H.
    apply ranked_pure with (A := exp (g / s)) (Ab := exp (g / b)) (low := low) (high := high); auto using grid_exponential_climbs.
    - rewrite <- exp_0. apply exp_mono. lra.
    - rewrite <- exp_0. apply exp_mono. lra.
    - rewrite exp_power. apply exp_mono. rewrite Hw, mult_INR. apply Rle_trans with (2 := E1). right. unfold Rdiv. ring.
    - rewrite !exp_power, <- exp_plus. apply exp_mono. rewrite Hw, mult_INR, minus_INR by lia. change (INR 1) with 1.
      apply Rle_trans with (2 := E2). apply Rplus_le_compat; [|right; unfold Rdiv; ring].
      apply Rle_trans with (INR (Nat.max l u) * (g / b)); [apply Rmult_le_compat_r; [lra|apply le_INR, Hm]|right; unfold Rdiv; ring]. }
  split; [apply (One l u)|apply (One u l)]; auto; try lia. intros i Hi. specialize (Hq i Hi). lia.
Qed.
End Scores.
