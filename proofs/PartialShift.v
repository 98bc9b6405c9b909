(** * The partial shift: noise on the threshold, moved by a part of Delta

    The setting is that of [Race.v], with noise on the threshold. On the neighbour it is moved by [k] grid
    steps, up or down, for the proof alone. That costs the Rényi moment of the shift itself, once; then log-hazards
    change by something between (k g - high)/s and (k g + low)/s. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over the grid, moved by any number of steps *)
Lemma summable_up f : summable f -> summable (fun n => f (n + 1)%Z).
Proof.
  intros [S1 S2]. split.
  - apply ex_series_ext with (fun n => f (Z.of_nat (Datatypes.S n))); [intros n; f_equal; lia|].
    apply (ex_series_incr_1 (fun n => f (Z.of_nat n))), S1.
  - apply ex_series_ext with (fun n => f (- Z.of_nat n)%Z); [intros n; f_equal; lia|].
    apply (ex_series_incr_1 (fun n => f (- Z.of_nat n)%Z)), S2.
Qed.

Lemma summable_down f : summable f -> summable (fun n => f (n - 1)%Z).
Proof.
  intros [S1 S2]. split.
  - apply (ex_series_incr_1 (fun n => f (Z.of_nat n - 1)%Z)).
    apply ex_series_ext with (fun n => f (Z.of_nat n)); [intros n; f_equal; lia|]. exact S1.
  - apply ex_series_ext with (fun n => f (- Z.of_nat (Datatypes.S (Datatypes.S n)))%Z); [intros n; f_equal; lia|].
    apply (ex_series_incr_1 (fun n => f (- Z.of_nat (Datatypes.S n))%Z)), S2.
Qed.

Lemma sumZ_moved (k : Z) : forall f, summable f -> sumZ (fun n => f (n + k)%Z) = sumZ f.
Proof.
  assert (Up : forall (j : nat) f, summable f -> sumZ (fun n => f (n + Z.of_nat j)%Z) = sumZ f).
  { induction j as [|j IH]; intros f Hf; [apply sumZ_ext; intros n; f_equal; lia|].
    rewrite <- (sumZ_shift f Hf). rewrite <- (IH (fun n => f (n + 1)%Z) (summable_up f Hf)).
    apply sumZ_ext. intros n. f_equal. lia. }
  assert (Down : forall (j : nat) f, summable f -> sumZ (fun n => f (n - Z.of_nat j)%Z) = sumZ f).
  { induction j as [|j IH]; intros f Hf; [apply sumZ_ext; intros n; f_equal; lia|].
    pose proof (summable_down f Hf) as Hd. rewrite <- (IH f Hf).
    assert (Sd : summable (fun n => f (n - Z.of_nat (Datatypes.S j))%Z)).
    { clear IH Hd. assert (P : forall i, summable (fun n => f (n - Z.of_nat i)%Z)).
      { induction i as [|i Hi]; [destruct Hf as [H1 H2]; split;
          [apply ex_series_ext with (2 := H1)|apply ex_series_ext with (2 := H2)]; intros n; f_equal; lia|].
        apply summable_down in Hi. destruct Hi as [H1 H2].
        split; [apply ex_series_ext with (2 := H1)|apply ex_series_ext with (2 := H2)]; intros n; f_equal; lia. }
      apply P. }
    rewrite <- (sumZ_shift _ Sd). apply sumZ_ext. intros n. f_equal. lia. }
  intros f Hf. destruct (Z.le_gt_cases 0 k) as [H|H].
  - rewrite <- (Up (Z.to_nat k) f Hf). apply sumZ_ext. intros n. f_equal. lia.
  - rewrite <- (Down (Z.to_nat (- k)) f Hf). apply sumZ_ext. intros n. f_equal. lia.
Qed.

Lemma grid_point m f : bounded f -> mass m 0 * f 0%Z <= ev (grid m) f.
Proof.
  intros Hf. pose proof (weighted_summable m f Hf) as [S1 S2]. destruct Hf as [B Hf].
  assert (Hpos : forall n, 0 <= mass m n * f n) by (intros n; apply Rmult_le_pos; [apply mass_pos|apply Hf]).
  assert (Nonneg : forall u : nat -> R, (forall n, 0 <= u n) -> ex_series u -> 0 <= Series u).
  { intros u Hu Ex. replace 0 with (Series (fun n => 0 * u n)) by (rewrite Series_scal_l; ring).
    apply Series_le; [|exact Ex]. intros n. specialize (Hu n). lra. }
  cbn [grid ev]. unfold sumZ. rewrite (Series_incr_1 (fun n => mass m (Z.of_nat n) * f (Z.of_nat n))) by exact S1.
  pose proof (Nonneg _ (fun n => Hpos (- Z.of_nat (Datatypes.S n))%Z) S2).
  assert (E : ex_series (fun n => mass m (Z.of_nat (Datatypes.S n)) * f (Z.of_nat (Datatypes.S n))))
    by apply (ex_series_incr_1 (fun n => mass m (Z.of_nat n) * f (Z.of_nat n))), S1.
  pose proof (Nonneg _ (fun n => Hpos (Z.of_nat (Datatypes.S n))) E). simpl Z.of_nat in *. lra.
Qed.

Lemma grid_positive m f : bounded f -> 0 < mass m 0 -> 0 < f 0%Z -> 0 < ev (grid m) f.
Proof.
  intros Hf Hm H0. apply Rlt_le_trans with (2 := grid_point m f Hf). apply Rmult_lt_0_compat; assumption.
Qed.

Section Shift.
Variable a : R.
Hypothesis Ha : 1 < a.

(** ** Mixing does not raise the moment *)
Lemma tangent x y r : 0 < x -> 0 < y ->
  a * exp ((a - 1) * r) * x <= power a x y + (a - 1) * exp (a * r) * y.
Proof.
  intros Hx Hy. pose proof (bernoulli a Ha (ln x - ln y - r)) as B.
  assert (E : power a x y = y * (exp (a * r) * exp (a * (ln x - ln y - r)))).
  { unfold power. rewrite <- (exp_ln y) at 2 by exact Hy. rewrite <- !exp_plus. f_equal. ring. }
  assert (X : exp (ln x - ln y - r) = x / y * exp (- r)).
  { unfold Rminus. rewrite !exp_plus, exp_ln, exp_Ropp, exp_ln by assumption. reflexivity. }
  rewrite X in B. rewrite E. pose proof (exp_pos (a * r)) as P.
  apply Rmult_le_compat_l with (r := y * exp (a * r)) in B; [|apply Rmult_le_pos; lra].
  replace (exp ((a - 1) * r)) with (exp (a * r) * exp (- r)) by (rewrite <- exp_plus; f_equal; ring).
  replace (y * exp (a * r) * (1 + a * (x / y * exp (- r) - 1)))
    with (a * (exp (a * r) * exp (- r)) * x - (a - 1) * exp (a * r) * y) in B by (field; lra).
  lra.
Qed.

Lemma power_ev {X} (p : law X) x y :
  bounded x -> bounded y -> bounded (fun t => power a (x t) (y t)) ->
  (forall t, 0 < x t) -> (forall t, 0 < y t) -> 0 < ev p x -> 0 < ev p y ->
  power a (ev p x) (ev p y) <= ev p (fun t => power a (x t) (y t)).
Proof.
  intros Bx By BF Px Py Hx Hy. set (X0 := ev p x) in *. set (Y0 := ev p y) in *. set (r := ln X0 - ln Y0).
  assert (P1 : 0 <= a * exp ((a - 1) * r)) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
  assert (P2 : 0 <= (a - 1) * exp (a * r)) by (apply Rmult_le_pos; [lra|left; apply exp_pos]).
  assert (L : a * exp ((a - 1) * r) * X0 <= ev p (fun t => power a (x t) (y t)) + (a - 1) * exp (a * r) * Y0).
  { unfold X0, Y0. rewrite <- !ev_scal by assumption. rewrite <- ev_plus by (auto using bounded_scal).
    apply ev_mono; auto using bounded_scal, bounded_plus. intros t. apply tangent; auto. }
  assert (E : power a X0 Y0 = exp (a * r) * Y0).
  { unfold power, r. rewrite <- (exp_ln Y0) at 3 by exact Hy. rewrite <- exp_plus. f_equal. ring. }
  assert (E2 : exp ((a - 1) * r) * X0 = exp (a * r) * Y0).
  { unfold r. rewrite <- (exp_ln X0) at 2 by exact Hx. rewrite <- (exp_ln Y0) at 3 by exact Hy.
    rewrite <- !exp_plus. f_equal. ring. }
  rewrite E. rewrite Rmult_assoc, E2 in L. lra.
Qed.

Lemma total_term {X} (l : list X) f x : In x l -> (forall y, 0 <= f y) -> f x <= total l f.
Proof.
  intros H P. induction l as [|z l IH]; [destruct H|]. simpl. destruct H as [->|H].
  - assert (0 <= total l f) by (apply total_pos; auto). lra.
  - specialize (IH H). specialize (P z). lra.
Qed.

(** ** The theorem *)
Variable s : R.
Hypothesis Hs : 0 < s.
Variables (T g : R) (m : masses).
Variable k : Z.
Hypothesis Hmass : forall n, 0 < mass m n.

(** How much less likely a draw is after the shift; it must be bounded from both sides. *)
Definition tilt (t : Z) : R := mass m (t + k) / mass m t.
Variable W : R.
Hypothesis HW : forall t, / W <= tilt t <= W.
Hypothesis PW : 0 < W.

(** The Rényi moment of the shift: the sum of p(t)^a p(t + k)^(1 - a). *)
Definition shift_moment : R := ev (grid m) (fun t => power a 1 (tilt t)).

Lemma tilt_pos t : 0 < tilt t.
Proof. apply Rdiv_lt_0_compat; apply Hmass. Qed.

Lemma tilt_bounded : bounded (fun t => power a 1 (tilt t)).
Proof.
  exists (exp ((a - 1) * ln W)). intros t. split; [left; apply power_pos|]. unfold power. apply exp_mono.
  rewrite ln_1, Rmult_0_r, Rplus_0_l. pose proof (tilt_pos t). specialize (HW t).
  assert (- ln W <= ln (tilt t)).
  { rewrite <- ln_Rinv by exact PW. destruct (proj1 HW) as [L|L].
    - left. apply ln_increasing; [apply Rinv_0_lt_compat, PW|exact L].
    - right. rewrite L. reflexivity. }
  assert (0 <= (a - 1) * (ln (tilt t) + ln W)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma untilt f : bounded f -> ev (grid m) (fun t => tilt t * f (t + k)%Z) = ev (grid m) f.
Proof.
  intros Hf. cbn [grid ev]. rewrite <- (sumZ_moved k (fun n => mass m n * f n)) by (apply weighted_summable, Hf).
  apply sumZ_ext. intros n. unfold tilt. field. apply Rgt_not_eq, Hmass.
Qed.

Variables q q' : list bool -> R.
Variables low high : R.
Hypothesis Hq : forall past, - low <= q' past - q past <= high.
Let up := (g * IZR k + low) / s.
Let down := (high - g * IZR k) / s.
Hypothesis Hup : 0 <= up.
Hypothesis Hdown : 0 <= down.
Hypothesis Horder : 0 < 1 + a * (exp (- down) - 1).

Let N := gumbel s Hs.
Definition worst : R := Rmax (charge a up) (charge a (- down)).

Lemma given_threshold t n c : moment s Hs T a q (g * IZR t) q' (g * IZR (t + k)) n c [] <= worst ^ c.
Proof.
  apply run_moment; [exact Ha|apply worst_ge_1; [exact Ha|exact Hup]|]. intros past. rewrite log_hazard by exact Hs.
  apply charge_ends; auto. specialize (Hq past). rewrite plus_IZR. unfold up, down, Rdiv.
  assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat; exact Hs).
  rewrite Ropp_mult_distr_l. split; apply Rmult_le_compat_r; lra.
Qed.

(** THEOREM (the partial shift). The sum of P^a Q^(1-a) over all results of the run is at most the moment of the
    shift times one charge for each of the c positives. *)
Theorem partial_shift n c :
  total (outcomes n c []) (fun l =>
    power a (chance (sparse_vector N T (grid m) g n c q) (same l))
            (chance (sparse_vector N T (grid m) g n c q') (same l)))
  <= shift_moment * worst ^ c.
Proof.
  set (P := fun l (t : Z) => likelihood s Hs T q (g * IZR t) n c [] l).
  set (Q := fun l (t : Z) => likelihood s Hs T q' (g * IZR t) n c [] l).
  set (L := outcomes n c []).
  assert (BP : forall l, bounded (P l)) by (intros l; exists 1; intros t; apply chance_range).
  assert (BQ : forall l, bounded (Q l)) by (intros l; exists 1; intros t; apply chance_range).
  assert (W1 : 1 <= worst) by (apply worst_ge_1; [exact Ha|exact Hup]).
  assert (WC : 0 <= worst ^ c) by (apply pow_le; lra).
  assert (PP : forall l t, In l L -> 0 < P l t) by (intros; apply likelihood_pos; assumption).
  assert (PQ : forall l t, In l L -> 0 < Q l t) by (intros; apply likelihood_pos; assumption).
  assert (BT : bounded tilt).
  { exists W. intros t. split; [left; apply tilt_pos|apply HW]. }
  assert (Given : forall t, total L (fun l => power a (P l t) (Q l (t + k)%Z)) <= worst ^ c)
    by (intros t; apply given_threshold).
  assert (Split : forall l t, In l L ->
    power a (P l t) (tilt t * Q l (t + k)%Z) = power a 1 (tilt t) * power a (P l t) (Q l (t + k)%Z)).
  { intros l t Hl. rewrite <- power_mult; [f_equal; ring|lra|apply tilt_pos|auto|auto]. }
  assert (BF : forall l, In l L -> bounded (fun t => power a (P l t) (tilt t * Q l (t + k)%Z))).
  { intros l Hl. destruct tilt_bounded as [B HB]. exists (B * worst ^ c). intros t. split; [left; apply power_pos|].
    rewrite Split by exact Hl. apply Rmult_le_compat; try (left; apply power_pos); [apply HB|].
    apply Rle_trans with (2 := Given t).
    apply (total_term L (fun l => power a (P l t) (Q l (t + k)%Z))); [exact Hl|intros; left; apply power_pos]. }
  apply Rle_trans with (total L (fun l => ev (grid m) (fun t => power a (P l t) (tilt t * Q l (t + k)%Z)))).
  - apply total_mono. intros l Hl.
    change (chance (sparse_vector N T (grid m) g n c q) (same l)) with (ev (grid m) (P l)).
    change (chance (sparse_vector N T (grid m) g n c q') (same l)) with (ev (grid m) (Q l)).
    rewrite <- (untilt (Q l)) by auto.
    apply power_ev; auto.
    + apply bounded_mult; [exact BT|apply bounded_shift; auto].
    + intros t. apply Rmult_lt_0_compat; [apply tilt_pos|auto].
    + apply grid_positive; auto.
    + rewrite untilt by auto. apply grid_positive; auto.
  - rewrite <- (ev_total (grid m) L (fun l t => power a (P l t) (tilt t * Q l (t + k)%Z))) by exact BF.
    unfold shift_moment. rewrite Rmult_comm, <- ev_scal by (auto using tilt_bounded).
    apply ev_mono; [apply (bounded_total L (fun l t => power a (P l t) (tilt t * Q l (t + k)%Z))), BF
                   |apply bounded_scal; auto using tilt_bounded|].
    intros t. rewrite Rmult_comm. apply Rle_trans
        with (power a 1 (tilt t) * total L (fun l => power a (P l t) (Q l (t + k)%Z))).
    + rewrite <- total_scal. apply total_mono. intros l Hl. rewrite Split by exact Hl. apply Rle_refl.
    + apply Rmult_le_compat_l; [left; apply power_pos|apply Given].
Qed.
End Shift.

(** ** Given its noise, a mechanism is (epsilon, U(e^epsilon))-private for every epsilon: then delta is the mean of U over what the
    shift of the noise loses *)
Lemma shifted_mean {X} (m : masses) (k : Z) W (P P' : Z -> law X) (U : R -> R) eps : (forall n, 0 < mass m n) ->
  (forall t, tilt m k t <= W) -> (forall z, 0 < z -> 0 <= U z <= 1) ->
  (forall t z, 0 < z -> close z (U z) (P t) (P' (t + k)%Z)) ->
  close (exp eps) (ev (grid m) (fun t => U (exp eps * tilt m k t))) (bind (grid m) P) (bind (grid m) P').
Proof.
  intros Hm HW HU H event. unfold chance. cbn [bind ev].
  set (p := fun t => chance (P t) event). set (p' := fun t => chance (P' t) event). change (ev (grid m) p
    <= exp eps * ev (grid m) p' + ev (grid m) (fun t => U (exp eps * tilt m k t))).
  assert (Bp : bounded p) by (exists 1; intros t; apply chance_range).
  assert (Bp' : bounded p') by (exists 1; intros t; apply chance_range).
  assert (Pt : forall t, 0 < tilt m k t) by (intros t; apply tilt_pos, Hm). pose proof (exp_pos eps) as Pe.
  assert (Pz : forall t, 0 < exp eps * tilt m k t) by (intros t; apply Rmult_lt_0_compat; auto).
  assert (BU : bounded (fun t => U (exp eps * tilt m k t))) by (exists 1; intros t; apply HU, Pz).
  assert (BT : bounded (fun t => tilt m k t * p' (t + k)%Z)).
  { apply bounded_mult; [|apply bounded_shift, Bp']. exists W. intros t. split; [left; apply Pt|apply HW]. }
  rewrite <- (untilt m k Hm p') by exact Bp'. rewrite <- (ev_scal (grid m) (exp eps) _ (Rlt_le _ _ Pe) BT).
  rewrite <- ev_plus by (try apply bounded_scal; assumption || lra).
  apply ev_mono; [exact Bp|apply bounded_plus; [apply bounded_scal; [lra|exact BT]|exact BU]|].
  intros t. rewrite <- Rmult_assoc. apply (H t _ (Pz t) event).
Qed.
