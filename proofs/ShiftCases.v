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
Let C := (1 - r) / (1 + r).

Let Hmass t : 0 < mass m t.
Proof. apply two_sided_above, Hr. Qed.

(** One term of the moment, as exponentials: p(t)^a p(t + k)^(1 - a). *)
Let term (k t : Z) : R := mass m t * power a 1 (tilt m k t).

Let term_summable k : summable (term k).
Proof.
  apply weighted_summable. apply (tilt_bounded a Ha m k Hmass ((/ r) ^ Z.abs_nat k)).
  - apply laplace_tilt.
  - apply pow_lt, Rinv_0_lt_compat; lra.
Qed.

Lemma shift_moment_even k : shift_moment a m (- k) = shift_moment a m k.
Proof.
  change (sumZ (term (- k)) = sumZ (term k)). rewrite <- (sumZ_reflect (term k)) by apply term_summable.
  apply sumZ_ext. intros t. unfold term, tilt. simpl. unfold two_sided_mass.
  replace (Z.abs_nat (- t)) with (Z.abs_nat t) by lia.
  replace (Z.abs_nat (- t + k)) with (Z.abs_nat (t + - k)) by lia. reflexivity.
Qed.

Let size (t : Z) : R := INR (Z.abs_nat t).

Let term_exp k t : term k t = C * exp (a * (ln r * size t)) * exp ((1 - a) * (ln r * size (t + k))).
Proof.
  assert (HC : 0 < C) by (apply two_sided_factor, Hr).
  assert (Pw : forall j, r ^ j = exp (ln r * INR j)).
  { intros j. rewrite Rmult_comm. fold (Rpower r (INR j)). rewrite Rpower_pow by lra. reflexivity. }
  assert (Tilt : tilt m k t = exp (ln r * size (t + k) - ln r * size t)).
  { unfold tilt. simpl. unfold two_sided_mass. fold C. rewrite !Pw. unfold size, Rminus. rewrite exp_plus, exp_Ropp.
    field. split; [apply Rgt_not_eq, exp_pos|lra]. }
  unfold term. simpl mass. unfold two_sided_mass. fold C. rewrite Pw. fold (size t).
  rewrite Tilt. unfold power. rewrite ln_1, ln_exp, Rmult_0_r, Rplus_0_l, !Rmult_assoc. f_equal.
  rewrite <- !exp_plus. f_equal. ring.
Qed.

Lemma shift_moment_next (k : nat) : shift_moment a m (Z.of_nat k) <= shift_moment a m (Z.of_nat (Datatypes.S k)).
Proof.
  change (sumZ (term (Z.of_nat k)) <= sumZ (term (Z.of_nat (Datatypes.S k)))).
  assert (Moved : forall j, summable (fun u => term j (u - Z.of_nat k)%Z)).
  { intros j. assert (P : forall i f, summable f -> summable (fun n => f (n - Z.of_nat i)%Z)).
    { induction i as [|i IH]; intros f Hf.
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
  assert (HC : 0 < C) by (apply two_sided_factor, Hr).
  assert (Hln : ln r < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply Series_le.
  - intros n. assert (Pos : forall j u, 0 <= term j u).
    { intros j u. unfold term. apply Rmult_le_pos; left; [apply Hmass|apply power_pos]. }
    split; [apply Rplus_le_le_0_compat; apply Pos|]. rewrite !term_exp.
    (* the point n is paired with the point - n - 1 *)
    set (near := exp (a * (ln r * size (Z.of_nat n - Z.of_nat k)))).
    set (far := exp (a * (ln r * size (- Z.of_nat (Datatypes.S n) - Z.of_nat k)))).
    replace (size (Z.of_nat n - Z.of_nat k + Z.of_nat k)) with (INR n) by (unfold size; f_equal; lia).
    replace (size (- Z.of_nat (Datatypes.S n) - Z.of_nat k + Z.of_nat k))
        with (INR (Datatypes.S n)) by (unfold size; f_equal; lia).
    replace (size (Z.of_nat n - Z.of_nat k + Z.of_nat (Datatypes.S k)))
        with (INR (Datatypes.S n)) by (unfold size; f_equal; lia).
    replace (size (- Z.of_nat (Datatypes.S n) - Z.of_nat k + Z.of_nat (Datatypes.S k)))
        with (INR n) by (unfold size; f_equal; lia).
    set (low := exp ((1 - a) * (ln r * INR n))). set (high := exp ((1 - a) * (ln r * INR (Datatypes.S n)))).
    assert (F : far <= near).
    { apply exp_mono. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_neg_l; [lra|].
      unfold size. apply le_INR. lia. }
    assert (H : low <= high).
    { apply exp_mono. apply Rmult_le_compat_neg_l; [lra|]. apply Rmult_le_compat_neg_l; [lra|]. apply le_INR. lia. }
    assert (0 <= C * ((near - far) * (high - low))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    replace (C * ((near - far) * (high - low)))
      with (C * near * high + C * far * low - (C * near * low + C * far * high)) in H0 by ring. lra.
  - apply (@ex_series_plus R_AbsRing R_NormedModule _ _ B1 B2).
Qed.

Lemma shift_moment_rises (j k : nat) : (j <= k)%nat -> shift_moment a m (Z.of_nat j) <= shift_moment a m (Z.of_nat k).
Proof.
  induction 1 as [|k H IH]; [apply Rle_refl|]. apply Rle_trans with (1 := IH). apply shift_moment_next.
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
