(** * Theorem 4 as it is computed: both directions of a pair

    Delta is [d] grid steps; the noise of the threshold is moved by [k] of them, 0 <= k <= d. For
    monotonic queries one direction moves up by k steps, the other down by the smaller of k and d - k, and
    both cost no more than what is charged. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift RaceCases.
Import ListNotations.
Open Scope R_scope.

Section Order.
Variable a : R.
Hypothesis Ha : 1 < a.

(** ** A fall of the hazard costs at least as much as an equal rise *)
Lemma mean_integral z : 0 < z -> is_RInt (fun u => exp (z * u) + exp (- (z * u))) 0 1 ((exp z - exp (- z)) / z).
Proof.
  intros H.
  replace ((exp z - exp (- z)) / z)
    with (minus ((exp (z * 1) - exp (- (z * 1))) / z) ((exp (z * 0) - exp (- (z * 0))) / z)).
  - apply (is_RInt_derive (fun u => (exp (z * u) - exp (- (z * u))) / z)).
    + intros u _. auto_derive; [auto|]. field. lra.
    + intros u _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto.
  - unfold minus, plus, opp; simpl. rewrite Rmult_1_r, Rmult_0_r, Ropp_0, exp_0. field. lra.
Qed.

Lemma mean_rises x y : 0 <= x <= y -> exp x + exp (- x) <= exp y + exp (- y).
Proof.
  intros H. assert (L : exp x <= exp y) by (apply exp_mono; lra).
  assert (B : 1 <= exp x * exp y) by (rewrite <- exp_plus, <- exp_0; apply exp_mono; lra).
  rewrite !exp_Ropp. pose proof (exp_pos x). pose proof (exp_pos y). set (u := exp x) in *. set (v := exp y) in *.
  assert (I : / (u * v) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (P : 0 <= (v - u) * (1 - / (u * v))) by (apply Rmult_le_pos; lra).
  replace ((v - u) * (1 - / (u * v))) with (v + / v - (u + / u)) in P by (field; lra). lra.
Qed.

Lemma charge_mirror u : 0 <= u -> 0 < 1 + a * (exp (- u) - 1) -> charge a u <= charge a (- u).
Proof.
  intros [Hu|<-] D; [|rewrite Ropp_0; apply Rle_refl].
  assert (L : (exp ((a - 1) * u) - exp (- ((a - 1) * u))) / ((a - 1) * u) <= (exp (a * u) - exp (- (a * u))) / (a * u)).
  { assert (P1 : 0 < (a - 1) * u) by (apply Rmult_lt_0_compat; lra).
    assert (P2 : 0 < a * u) by (apply Rmult_lt_0_compat; lra).
    apply (is_RInt_le (fun t => exp ((a - 1) * u * t) + exp (- ((a - 1) * u * t)))
                      (fun t => exp (a * u * t) + exp (- (a * u * t))) 0 1);
      [lra|apply mean_integral, P1|apply mean_integral, P2|].
    intros t Ht. apply mean_rises. split; [apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; lra. }
  apply Rmult_le_compat_r with (r := a * (a - 1) * u) in L;
    [|apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra]].
  replace ((exp ((a - 1) * u) - exp (- ((a - 1) * u))) / ((a - 1) * u) * (a * (a - 1) * u))
    with (a * (exp ((a - 1) * u) - exp (- ((a - 1) * u)))) in L by (field; lra).
  replace ((exp (a * u) - exp (- (a * u))) / (a * u) * (a * (a - 1) * u))
    with ((a - 1) * (exp (a * u) - exp (- (a * u)))) in L by (field; lra).
  assert (W : 1 <= exp u) by (rewrite <- exp_0; apply exp_mono; lra).
  assert (D2 : 0 < 1 + a * (exp u - 1)) by (assert (0 <= a * (exp u - 1)) by (apply Rmult_le_pos; lra); lra).
  unfold charge. apply Rmult_le_reg_r with ((1 + a * (exp u - 1)) * (1 + a * (exp (- u) - 1)));
      [apply Rmult_lt_0_compat; lra|].
  replace (exp (a * u) / (1 + a * (exp u - 1)) * ((1 + a * (exp u - 1)) * (1 + a * (exp (- u) - 1))))
    with (exp (a * u) * (1 + a * (exp (- u) - 1))) by (field; lra).
  replace (exp (a * - u) / (1 + a * (exp (- u) - 1)) * ((1 + a * (exp u - 1)) * (1 + a * (exp (- u) - 1))))
    with (exp (a * - u) * (1 + a * (exp u - 1))) by (field; lra).
  replace (exp ((a - 1) * u)) with (exp (a * u) * exp (- u)) in L by (rewrite <- exp_plus; f_equal; ring).
  replace (exp (- ((a - 1) * u))) with (exp (- (a * u)) * exp u) in L by (rewrite <- exp_plus; f_equal; ring).
  replace (a * - u) with (- (a * u)) by ring. lra.
Qed.

(** ** The moment of the shift: the same up and down, and larger for longer shifts *)
Lemma sumZ_reflect f : summable f -> sumZ (fun n => f (- n)%Z) = sumZ f.
Proof.
  intros [S1 S2]. unfold sumZ.
  rewrite (Series_incr_1 (fun n => f (- Z.of_nat n)%Z)) by (apply (ex_series_incr_1 (fun n => f (- Z.of_nat n)%Z)), S2).
  rewrite (Series_incr_1 (fun n => f (Z.of_nat n))) by exact S1.
  replace (Series (fun n => f (- - Z.of_nat (Datatypes.S n))%Z)) with (Series (fun n => f (Z.of_nat (Datatypes.S n))))
    by (apply Series_ext; intros n; f_equal; lia).
  simpl Z.of_nat. simpl Z.opp. ring.
Qed.

Variable r : R.
Hypothesis Hr : 0 < r < 1.
Let m := two_sided_masses r Hr.

Let Hmass t : 0 < mass m t.
Proof. apply two_sided_above, Hr. Qed.

Let moment_bounded k : bounded (fun t => power a 1 (tilt m k t)).
Proof.
  apply (tilt_bounded a Ha m k Hmass ((/ r) ^ Z.abs_nat k)); [apply laplace_tilt|apply pow_lt, Rinv_0_lt_compat; lra].
Qed.

(** A larger shift spreads the loss: the mean of a function rises, if it is convex in z = e^(- loss). *)
Section Spread.
Variable f : R -> R.
Hypothesis f_pos : forall z, 0 < z -> 0 <= f z.
Hypothesis f_convex : forall z, 0 < z -> exists sigma, forall w, 0 < w -> f z + sigma * (w - z) <= f w.
Hypothesis f_bounded : forall k, bounded (fun t => f (tilt m k t)).
Let term (k t : Z) : R := mass m t * f (tilt m k t).

(** Masses p >= p' against masses x >= y: the likely point with the unlikely one is worth more. *)
Lemma exchange p p' x y : 0 < p' <= p -> 0 < y <= x -> p * f (x / p) + p' * f (y / p') <= p * f (y / p) + p' * f (x / p').
Proof.
  intros Hp Hx. assert (Hi : 0 < / p) by (apply Rinv_0_lt_compat; lra).
  assert (Hi' : / p <= / p') by (apply Rinv_le_contravar; lra).
  set (low := y / p). set (high := x / p'). set (u := x / p). set (v := y / p').
  assert (L : 0 < low) by (apply Rdiv_lt_0_compat; lra).
  assert (U1 : low <= u) by (apply Rmult_le_compat_r; lra). assert (U2 : u <= high) by (apply Rmult_le_compat_l; lra).
  assert (V1 : low <= v) by (apply Rmult_le_compat_l; lra). assert (V2 : v <= high) by (apply Rmult_le_compat_r; lra).
  assert (Between : forall w, low <= w <= high -> (high - low) * f w <= (high - w) * f low + (w - low) * f high).
  { intros w Hw. destruct (f_convex w ltac:(lra)) as [sigma S].
    pose proof (Rmult_le_compat_l (high - w) _ _ ltac:(lra) (S low L)) as S1.
    pose proof (Rmult_le_compat_l (w - low) _ _ ltac:(lra) (S high ltac:(lra))) as S2.
    apply Rle_trans with (2 := Rplus_le_compat _ _ _ _ S1 S2). right. ring. }
  pose proof (Between u (conj U1 U2)) as Bu. pose proof (Between v (conj V1 V2)) as Bv.
  apply Rmult_le_compat_l with (r := p) in Bu; [|lra]. apply Rmult_le_compat_l with (r := p') in Bv; [|lra].
  assert (E1 : p * (u - low) = x - y) by (unfold u, low; field; lra).
  assert (E2 : p' * (high - v) = x - y) by (unfold high, v; field; lra).
  destruct (Rle_lt_or_eq_dec low high ltac:(lra)) as [D|D].
  - apply Rmult_le_reg_l with (high - low); [lra|].
    replace ((high - low) * (p * f u + p' * f v)) with (p * ((high - low) * f u) + p' * ((high - low) * f v)) by ring.
    apply Rle_trans with (1 := Rplus_le_compat _ _ _ _ Bu Bv).
    replace (p * ((high - u) * f low + (u - low) * f high) + p' * ((high - v) * f low + (v - low) * f high))
      with ((p * (high - low) - p * (u - low)) * f low + p * (u - low) * f high
            + (p' * (high - v) * f low + (p' * (high - low) - p' * (high - v)) * f high)) by ring.
    rewrite E1, E2. right. ring.
  - replace u with low by lra. replace v with high by lra. lra.
Qed.

Let term_summable k : summable (term k).
Proof. apply weighted_summable, f_bounded. Qed.

Lemma spread_next (k : nat) : ev (grid m) (fun t => f (tilt m (Z.of_nat k) t)) <= ev (grid m) (fun t => f (tilt m (Z.of_nat (Datatypes.S k)) t)).
Proof.
  change (sumZ (term (Z.of_nat k)) <= sumZ (term (Z.of_nat (Datatypes.S k)))).
  assert (Moved : forall j, summable (fun u => term j (u - Z.of_nat k)%Z)).
  { intros j. assert (P : forall i h, summable h -> summable (fun n => h (n - Z.of_nat i)%Z)).
    { induction i as [|i IH]; intros h Hf.
      - destruct Hf as [H1 H2]; split; [apply ex_series_ext with (2 := H1)|apply ex_series_ext with (2 := H2)];
          intros n; f_equal; lia.
      - apply summable_down in Hf. apply IH in Hf. destruct Hf as [H1 H2].
        split; [apply ex_series_ext with (2 := H1)|apply ex_series_ext with (2 := H2)]; intros n; f_equal; lia. }
    apply (P k (term j)), term_summable. }
  assert (E : forall j, sumZ (term j) = sumZ (fun u => term j (u - Z.of_nat k)%Z)).
  { intros j. rewrite <- (sumZ_moved (- Z.of_nat k) (term j)) by apply term_summable.
    apply sumZ_ext. intros u. f_equal. }
  rewrite !E. unfold sumZ.
  destruct (Moved (Z.of_nat k)) as [A1 A2]. destruct (Moved (Z.of_nat (Datatypes.S k))) as [B1 B2].
  rewrite <- (Series_plus _ _ A1 A2), <- (Series_plus _ _ B1 B2).
  assert (Pos : forall j u, 0 <= term j u).
  { intros j u. apply Rmult_le_pos; [left; apply Hmass|apply f_pos, Rdiv_lt_0_compat; apply Hmass]. }
  apply Series_le; [|apply (@ex_series_plus R_AbsRing R_NormedModule _ _ B1 B2)].
  intros n. split; [apply Rplus_le_le_0_compat; apply Pos|].
  (* the point n is paired with the point - n - 1 *)
  unfold term, tilt. change (mass m) with (two_sided_mass r).
  replace (two_sided_mass r (Z.of_nat n - Z.of_nat k + Z.of_nat k)) with (two_sided_mass r (Z.of_nat n)) by (f_equal; lia).
  replace (two_sided_mass r (- Z.of_nat (Datatypes.S n) - Z.of_nat k + Z.of_nat k))
    with (two_sided_mass r (- Z.of_nat (Datatypes.S n))) by (f_equal; lia).
  replace (two_sided_mass r (Z.of_nat n - Z.of_nat k + Z.of_nat (Datatypes.S k)))
    with (two_sided_mass r (- Z.of_nat (Datatypes.S n))) by (unfold two_sided_mass; do 2 f_equal; lia).
  replace (two_sided_mass r (- Z.of_nat (Datatypes.S n) - Z.of_nat k + Z.of_nat (Datatypes.S k)))
    with (two_sided_mass r (Z.of_nat n)) by (unfold two_sided_mass; do 2 f_equal; lia).
  assert (Falls : forall t u, (Z.abs_nat t <= Z.abs_nat u)%nat -> two_sided_mass r u <= two_sided_mass r t).
  { intros t u H. apply Rmult_le_compat_l; [left; apply two_sided_factor, Hr|apply pow_falls; assumption]. }
  apply exchange; split; try apply two_sided_above, Hr; apply Falls; lia.
Qed.

Lemma spread_rises (j k : nat) : (j <= k)%nat ->
  ev (grid m) (fun t => f (tilt m (Z.of_nat j) t)) <= ev (grid m) (fun t => f (tilt m (Z.of_nat k) t)).
Proof. induction 1 as [|k H IH]; [apply Rle_refl|]. apply Rle_trans with (1 := IH). apply spread_next. Qed.
End Spread.

Lemma shift_moment_even k : shift_moment a m (- k) = shift_moment a m k.
Proof.
  pose (term := fun k t => mass m t * power a 1 (tilt m k t)). change (sumZ (term (- k)%Z) = sumZ (term k)).
  rewrite <- (sumZ_reflect (term k)) by apply weighted_summable, moment_bounded.
  apply sumZ_ext. intros t. unfold term, tilt. simpl. unfold two_sided_mass.
  replace (Z.abs_nat (- t)) with (Z.abs_nat t) by lia.
  replace (Z.abs_nat (- t + k)) with (Z.abs_nat (t + - k)) by lia. reflexivity.
Qed.

Lemma shift_moment_rises (j k : nat) : (j <= k)%nat -> shift_moment a m (Z.of_nat j) <= shift_moment a m (Z.of_nat k).
Proof.
  intros H. apply (spread_rises (power a 1)); [intros; left; apply power_pos| |exact moment_bounded|exact H].
  intros z Hz. exists (- (a - 1) * exp (a * - ln z)). intros w Hw.
  pose proof (tangent a Ha 1 w (- ln z) Rlt_0_1 Hw) as Tw.
  assert (E : power a 1 z = exp ((a - 1) * - ln z)) by (unfold power; f_equal; rewrite ln_1; ring).
  assert (Ez : exp (a * - ln z) * z = exp ((a - 1) * - ln z)).
  { rewrite <- (exp_ln z) at 2 by exact Hz. rewrite <- exp_plus. f_equal. ring. }
  rewrite E. replace (- (a - 1) * exp (a * - ln z) * (w - z)) with ((a - 1) * (exp (a * - ln z) * z) - (a - 1) * exp (a * - ln z) * w) by ring.
  rewrite Ez. lra.
Qed.

(** ** The theorem *)
Variables (eps s T g : R).
Hypothesis Hs : 0 < s.
Hypothesis Hg : 0 <= g.
Variables q q' : list bool -> R.
Variables (d k n c : nat).
Hypothesis Hk : (k <= d)%nat.
Let Delta := g * INR d.

(** How far a log-hazard moves over so many grid steps. *)
Definition step (j : nat) : R := g * INR j / s.

Lemma step_pos j : 0 <= step j.
Proof. apply Rmult_le_pos; [apply Rmult_le_pos; [exact Hg|apply pos_INR]|left; apply Rinv_0_lt_compat, Hs]. Qed.

Lemma step_mono i j : (i <= j)%nat -> step i <= step j.
Proof.
  intros H. unfold step, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Hs|].
  apply Rmult_le_compat_l; [exact Hg|]. apply le_INR, H.
Qed.

Let svt := sparse_vector (gumbel s Hs) T (two_sided r Hr) g n c.

(** What is charged, with rise and fall as on the page of the partial shift. *)
Definition shifted (rise fall : R) : R :=
  factor a eps * (shift_moment a m (Z.of_nat k) * Rmax (charge a rise) (charge a (- fall)) ^ c).

(** THEOREM 4, general queries. The other direction of the pair is the same statement. *)
Theorem theorem_four_general :
  (forall past, Rabs (q' past - q past) <= Delta) ->
  0 < 1 + a * (exp (- step (d - k)) - 1) ->
  close (exp eps) (shifted (step (d + k)) (step (d - k))) (svt q) (svt q').
Proof.
  intros H O.
  assert (I : forall past, - Delta <= q' past - q past <= Delta).
  { intros past. specialize (H past). unfold Rabs in H. destruct (Rcase_abs _) in H; lra. }
  assert (U : (g * IZR (Z.of_nat k) + Delta) / s = step (d + k))
    by (unfold step, Delta; rewrite <- INR_IZR_INZ, plus_INR; f_equal; ring).
  assert (F : (Delta - g * IZR (Z.of_nat k)) / s = step (d - k))
    by (unfold step, Delta; rewrite <- INR_IZR_INZ, minus_INR by exact Hk; f_equal; ring).
  pose proof (partial_shift_delta a eps s T g Ha Hs q q' Delta Delta I n c r Hr (Z.of_nat k)) as P.
  cbv zeta in P. rewrite U, F in P. apply P; auto using step_pos.
Qed.

Let shift_pos j : 0 <= shift_moment a m j.
Proof.
  unfold shift_moment. apply ev_pos. apply (tilt_bounded a Ha m j Hmass ((/ r) ^ Z.abs_nat j));
    [apply laplace_tilt|apply pow_lt, Rinv_0_lt_compat; lra].
Qed.

(** THEOREM 4, monotonic queries, in both directions. *)
Theorem theorem_four_monotonic :
  (forall past, 0 <= q' past - q past <= Delta) \/ (forall past, 0 <= q past - q' past <= Delta) ->
  0 < 1 + a * (exp (- step (d - k)) - 1) ->
  close (exp eps) (shifted (step k) (step (d - k))) (svt q) (svt q').
Proof.
  intros [H|H] O.
  - assert (I : forall past, - 0 <= q' past - q past <= Delta) by (intros past; specialize (H past); lra).
    assert (U : (g * IZR (Z.of_nat k) + 0) / s = step k)
      by (unfold step; rewrite <- INR_IZR_INZ; f_equal; ring).
    assert (F : (Delta - g * IZR (Z.of_nat k)) / s = step (d - k))
      by (unfold step, Delta; rewrite <- INR_IZR_INZ, minus_INR by exact Hk; f_equal; ring).
    pose proof (partial_shift_delta a eps s T g Ha Hs q q' 0 Delta I n c r Hr (Z.of_nat k)) as P.
    cbv zeta in P. rewrite U, F in P. apply P; auto using step_pos.
  - assert (I : forall past, - Delta <= q' past - q past <= 0) by (intros past; specialize (H past); lra).
    set (j := Nat.min k (d - k)).
    assert (U : (g * IZR (- Z.of_nat j) + Delta) / s = step (d - j))
      by (unfold step, Delta; rewrite opp_IZR, <- INR_IZR_INZ, minus_INR by lia; f_equal; ring).
    assert (F : (0 - g * IZR (- Z.of_nat j)) / s = step j)
      by (unfold step; rewrite opp_IZR, <- INR_IZR_INZ; f_equal; ring).
    assert (Oj : 0 < 1 + a * (exp (- step j) - 1)).
    { apply Rlt_le_trans with (1 := O). apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
      assert (exp (- step (d - k)) <= exp (- step j)); [|lra]. apply exp_mono, Ropp_le_contravar, step_mono. lia. }
    pose proof (partial_shift_delta a eps s T g Ha Hs q q' Delta 0 I n c r Hr (- Z.of_nat j)) as P.
    cbv zeta in P. rewrite U, F in P. specialize (P (step_pos _) (step_pos _) Oj).
    intros event. apply Rle_trans with (1 := P event). apply Rplus_le_compat_l. unfold shifted.
    apply Rmult_le_compat_l; [left; apply factor_pos, Ha|].
    assert (W1 : 1 <= Rmax (charge a (step (d - j))) (charge a (- step j)))
        by (apply worst_ge_1; [exact Ha|apply step_pos]).
    apply Rmult_le_compat.
    + apply shift_pos.
    + apply pow_le; lra.
    + rewrite shift_moment_even. apply shift_moment_rises. lia.
    + apply pow_incr. split; [lra|]. apply Rmax_lub.
      * (* the rise of this direction: k steps, or d - k, which mirrors a fall that is charged *)
        destruct (Nat.le_ge_cases k (d - k)) as [L|L].
        -- replace (d - j)%nat with (d - k)%nat by lia. apply Rle_trans with (2 := Rmax_r _ _).
           apply charge_mirror; [apply step_pos|exact O].
        -- replace (d - j)%nat with k by lia. apply Rmax_l.
      * apply Rle_trans with (2 := Rmax_r _ _). apply charge_left; [exact Ha| |exact O].
        pose proof (step_pos j). pose proof (step_mono j (d - k) ltac:(lia)). lra.
Qed.
End Order.
