(** * Monotonic queries and a bare threshold: delta in closed form

    An instance of [Adversary.v] for every c. With Q(n, g) = e^(-g) (1 + g + ... + g^(n-1)/(n-1)!), the chance that
    a Gamma(n) variable exceeds g, and rho = e^kappa or e^(-kappa) for the two directions of a pair,

        M n g z = Q(n, g) - z Q(n, g rho)

    is what one test gains: the time of the n-th positive is compared with g. The best g is
    (ln z + n ln rho)/(rho - 1), and what it gains is [U n z]. For rho < 1 the test is turned round:
    1 - z - M. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Pure Points Hazard Race RaceCases Adversary.
Import ListNotations.
Open Scope R_scope.

(** A function that lies above lines whose slopes are continuous is differentiable. *)
Lemma derive_of_lines (f slope : R -> R) z : 0 < z ->
  (forall z w, 0 < z -> 0 < w -> f z + slope z * (w - z) <= f w) -> continuous slope z -> is_derive f z (slope z).
Proof.
  intros Hz Lines Cont. apply is_derive_Reals. intros e He.
  assert (C : continuity_pt slope z) by (apply continuity_pt_filterlim; exact Cont).
  destruct (C e He) as [d [Hd Near]]. simpl in Near. unfold R_dist in Near.
  assert (Hm : 0 < Rmin d z) by (apply Rmin_pos; assumption).
  exists (mkposreal _ Hm). intros h Hh Small. simpl in Small.
  assert (S1 : Rabs h < d) by (eapply Rlt_le_trans; [exact Small|apply Rmin_l]).
  assert (S2 : Rabs h < z) by (eapply Rlt_le_trans; [exact Small|apply Rmin_r]).
  assert (Hw : 0 < z + h) by (unfold Rabs in S2; destruct (Rcase_abs h); lra).
  pose proof (Lines z (z + h) Hz Hw) as A. pose proof (Lines (z + h) z Hw Hz) as B.
  assert (N : Rabs (slope (z + h) - slope z) < e).
  { apply Near. split; [split; [exact I|lra]|]. replace (z + h - z) with h by ring. exact S1. }
  assert (E : f (z + h) - f z = ((f (z + h) - f z) / h) * h) by (field; exact Hh).
  set (k := (f (z + h) - f z) / h) in *.
  destruct (Rlt_dec 0 h) as [P|P].
  - assert (slope z <= k) by (apply Rmult_le_reg_r with h; lra).
    assert (k <= slope (z + h)) by (apply Rmult_le_reg_r with h; lra).
    rewrite Rabs_pos_eq in N by lra. rewrite Rabs_pos_eq by lra. lra.
  - assert (k <= slope z) by (apply Rmult_le_reg_r with (- h); lra).
    assert (slope (z + h) <= k) by (apply Rmult_le_reg_r with (- h); lra).
    rewrite Rabs_left1 in N by lra. rewrite Rabs_left1 by lra. lra.
Qed.

(** ** The Gamma law *)
Fixpoint poly (n : nat) (g : R) : R :=
  match n with O => 0 | Datatypes.S k => poly k g + g ^ k / INR (fact k) end.
Definition Q (n : nat) (g : R) : R := exp (- g) * poly n g.

Lemma poly_derive n g : is_derive (poly (Datatypes.S n)) g (poly n g).
Proof.
  induction n as [|n IH].
  - apply (is_derive_ext (fun _ => 1)); [intros x; simpl; field|]. simpl. apply (is_derive_const 1 g).
  - change (poly (Datatypes.S n) g) with (poly n g + g ^ n / INR (fact n)).
    apply (is_derive_plus (poly (Datatypes.S n)) (fun x => x ^ Datatypes.S n / INR (fact (Datatypes.S n)))); [exact IH|].
    pose proof (INR_fact_neq_0 n) as F. assert (P : INR (Datatypes.S n) <> 0) by (apply not_0_INR; lia).
    assert (E : INR (fact (Datatypes.S n)) = INR (Datatypes.S n) * INR (fact n)) by (rewrite <- mult_INR; reflexivity).
    rewrite E. apply (is_derive_ext (fun x => / (INR (Datatypes.S n) * INR (fact n)) * x ^ Datatypes.S n));
      [intros x; unfold Rdiv; apply Rmult_comm|].
    evar_last; [apply is_derive_scal, is_derive_pow, (is_derive_id g)|].
    transitivity (/ (INR (Datatypes.S n) * INR (fact n)) * (INR (Datatypes.S n) * 1 * g ^ n)); [reflexivity|].
    field. split; assumption.
Qed.

Lemma Q_derive n g : is_derive (Q (Datatypes.S n)) g (- (exp (- g) * (g ^ n / INR (fact n)))).
Proof.
  unfold Q.
  assert (D1 : is_derive (fun g => exp (- g)) g (- exp (- g))) by (auto_derive; [auto|ring]).
  pose proof (is_derive_mult (fun g => exp (- g)) (poly (Datatypes.S n)) g _ _ D1 (poly_derive n g) Rmult_comm) as D.
  evar_last; [exact D|]. unfold plus, mult; simpl. ring.
Qed.

Lemma poly_pos n g : 0 <= g -> 0 <= poly n g.
Proof.
  intros H. induction n as [|n IH]; simpl; [lra|].
  assert (0 <= g ^ n / INR (fact n)); [|lra].
  apply Rmult_le_pos; [apply pow_le, H|left; apply Rinv_0_lt_compat, INR_fact_lt_0].
Qed.

Lemma Q_start n : Q (Datatypes.S n) 0 = 1.
Proof.
  unfold Q. rewrite Ropp_0, exp_0, Rmult_1_l. induction n as [|n IH]; [simpl; field|].
  change (poly (Datatypes.S n) 0 + 0 ^ Datatypes.S n / INR (fact (Datatypes.S n)) = 1).
  rewrite IH, pow_i by lia. unfold Rdiv. ring.
Qed.

Lemma Q_range n g : 0 <= g -> 0 <= Q n g <= 1.
Proof.
  intros H. split; [apply Rmult_le_pos; [left; apply exp_pos|apply poly_pos, H]|].
  destruct n as [|n]; [unfold Q; simpl; lra|]. rewrite <- (Q_start n).
  destruct (MVT_gen (Q (Datatypes.S n)) 0 g (fun g => - (exp (- g) * (g ^ n / INR (fact n))))) as (x & Hx & E).
  - intros x _. apply Q_derive.
  - intros x _. apply continuity_pt_filterlim. apply (ex_derive_continuous (Q (Datatypes.S n)) x). eexists.
  apply Q_derive.
  - rewrite Rmin_left, Rmax_right in Hx by lra.
    assert (0 <= exp (- x) * (x ^ n / INR (fact n)) * (g - 0)); [|lra].
    repeat apply Rmult_le_pos; try lra; [left; apply exp_pos|apply pow_le; lra|left;
        apply Rinv_0_lt_compat, INR_fact_lt_0].
Qed.

Section ClosedForm.
Variables rho sign : R.
Hypothesis Hrho : 0 < rho.
Hypothesis Hsign : (sign = 1 /\ 1 < rho) \/ (sign = - 1 /\ rho < 1).

Definition M (n : nat) (g z : R) : R := Q n g - z * Q n (g * rho).
Definition V (n : nat) (g z : R) : R := sign * M n g z + (1 - sign) / 2 * (1 - z).
Definition best (n : nat) (z : R) : R := (ln z + INR n * ln rho) / (rho - 1).
Definition G (n : nat) (z : R) : R := Rmax (best n z) 0.

Definition U (n : nat) (z : R) : R :=
  match n with O => Rmax (1 - z) 0 | Datatypes.S _ => V n (G n z) z end.
Definition line (n : nat) (z : R) : R := - (sign * Q n (G n z * rho)) - (1 - sign) / 2.

Let rho_one : rho - 1 <> 0.
Proof. destruct Hsign; lra. Qed.

Lemma V_linear n g z w : V n g w = V n g z + (- (sign * Q n (g * rho)) - (1 - sign) / 2) * (w - z).
Proof. unfold V, M. field. Qed.

Lemma V_next n g z : V (Datatypes.S n) g z
  = V n g z + sign * (g ^ n / INR (fact n)) * (exp (- g) - z * rho ^ n * exp (- (g * rho))).
Proof. unfold V, M, Q. simpl poly. rewrite Rpow_mult_distr. field. apply INR_fact_neq_0. Qed.

(** At the best g both sides of the test are equally likely. *)
Lemma balance n z : 0 < z -> exp (- best n z) = z * rho ^ n * exp (- (best n z * rho)).
Proof.
  intros Hz. rewrite <- (exp_ln z) at 2 by exact Hz. rewrite <- (exp_ln rho) at 1 by exact Hrho.
  rewrite <- (Rpower_pow n (exp (ln rho))) by apply exp_pos. unfold Rpower. rewrite ln_exp, <- !exp_plus. f_equal.
  unfold best. field. exact rho_one.
Qed.

Let tilt n g z := - exp (- g) + z * rho ^ Datatypes.S n * exp (- (g * rho)).

Lemma V_derive n g z : is_derive (fun g => V (Datatypes.S n) g z) g (sign * (g ^ n / INR (fact n)) * tilt n g z).
Proof.
  unfold V, M.
  assert (D2 : is_derive (fun g => Q (Datatypes.S n) (g * rho)) g (rho * - (exp (- (g * rho)) * ((g * rho) ^ n / INR
      (fact n))))).
  { apply (is_derive_comp (Q (Datatypes.S n)) (fun g => g * rho)); [apply Q_derive|]. auto_derive; [auto|ring]. }
  pose proof (Q_derive n g) as D1.
  pose proof (is_derive_scal (fun g => Q (Datatypes.S n) (g * rho)) g z _ D2) as D3.
  pose proof (is_derive_minus _ _ g _ _ D1 D3) as D4.
  pose proof (is_derive_scal _ g sign _ D4) as D5.
  pose proof (is_derive_plus _ _ g _ _ D5 (is_derive_const ((1 - sign) / 2 * (1 - z)) g)) as D6.
  evar_last; [exact D6|]. unfold plus, minus, opp, scal, zero; simpl. unfold plus, opp, mult; simpl.
  unfold tilt. rewrite Rpow_mult_distr. simpl. unfold Rdiv. ring.
Qed.

(** Below the best g the gain rises, above it falls. *)
Lemma tilt_sign n g z : 0 < z ->
  (g <= best (Datatypes.S n) z -> 0 <= sign * tilt n g z) /\ (best (Datatypes.S n) z <= g -> sign * tilt n g z <= 0).
Proof.
  intros Hz. unfold tilt. set (m := Datatypes.S n).
  assert (E : z * rho ^ m * exp (- (g * rho)) = exp (- g) * exp ((rho - 1) * (best m z - g))).
  { rewrite <- (exp_ln z) at 1 by exact Hz. rewrite <- (exp_ln rho) at 1 by exact Hrho.
    rewrite <- (Rpower_pow m (exp (ln rho))) by apply exp_pos. unfold Rpower. rewrite ln_exp, <- !exp_plus. f_equal.
    unfold best. field. exact rho_one. }
  rewrite E. pose proof (exp_pos (- g)) as P. set (x := (rho - 1) * (best m z - g)).
  replace (sign * (- exp (- g) + exp (- g) * exp x)) with (exp (- g) * (sign * (exp x - 1))) by ring.
  assert (Up : 0 <= x -> 0 <= exp x - 1) by (intros H; assert (exp 0 <= exp x)
      by (apply exp_mono; exact H); rewrite exp_0 in *; lra).
  assert (Dn : x <= 0 -> exp x - 1 <= 0) by (intros H; assert (exp x <= exp 0)
      by (apply exp_mono; exact H); rewrite exp_0 in *; lra).
  split; intros H.
  - apply Rmult_le_pos; [lra|]. destruct Hsign as [[-> R1]|[-> R1]].
    + assert (0 <= x) by (apply Rmult_le_pos; lra). specialize (Up ltac:(assumption)). lra.
    + assert (0 <= (1 - rho) * (best m z - g)) by (apply Rmult_le_pos; lra). unfold x in *.
    specialize (Dn ltac:(lra)). lra.
  - assert (0 <= exp (- g) * - (sign * (exp x - 1))); [|lra]. apply Rmult_le_pos; [lra|].
    destruct Hsign as [[-> R1]|[-> R1]].
    + assert (0 <= (rho - 1) * (g - best m z)) by (apply Rmult_le_pos; lra). unfold x in *.
    specialize (Dn ltac:(lra)). lra.
    + assert (0 <= (1 - rho) * (g - best m z)) by (apply Rmult_le_pos; lra). unfold x in *.
    specialize (Up ltac:(lra)). lra.
Qed.

(** The best test is the best. *)
Lemma V_best n g z : 0 < z -> 0 <= g -> V (Datatypes.S n) g z <= V (Datatypes.S n) (G (Datatypes.S n) z) z.
Proof.
  intros Hz Hg. set (m := Datatypes.S n). set (f := fun g => V m g z).
  assert (Hfact : 0 < INR (fact n)) by apply INR_fact_lt_0.
  assert (HG : 0 <= G m z) by apply Rmax_r.
  destruct (MVT_gen f g (G m z) (fun g => sign * (g ^ n / INR (fact n)) * tilt n g z)) as (x & Hx & E).
  { intros x _. apply V_derive. }
  { intros x _. apply continuity_pt_filterlim. apply (ex_derive_continuous f x). eexists. apply V_derive. }
  unfold f in E. fold m in E.
  assert (Px : 0 <= x) by (apply Rle_trans with (Rmin g (G m z)); [apply Rmin_glb; assumption|apply Hx]).
  assert (Pf : 0 <= x ^ n / INR (fact n)) by (apply Rmult_le_pos; [apply pow_le; exact Px|left;
      apply Rinv_0_lt_compat, Hfact]).
  destruct (tilt_sign n x z Hz) as [Up Dn]. fold m in Up, Dn.
  assert (K : 0 <= sign * (x ^ n / INR (fact n)) * tilt n x z * (G m z - g)); [|lra].
  replace (sign * (x ^ n / INR (fact n)) * tilt n x z * (G m z - g))
    with (x ^ n / INR (fact n) * (sign * tilt n x z * (G m z - g))) by ring.
  apply Rmult_le_pos; [exact Pf|].
  destruct (Rle_dec g (G m z)) as [L|L].
  - rewrite Rmin_left, Rmax_right in Hx by lra.
    unfold G in *. destruct (Rle_dec 0 (best m z)) as [B|B].
    + rewrite Rmax_left in * by lra. apply Rmult_le_pos; [apply Up; lra|lra].
    + rewrite Rmax_right in * by lra. replace (0 - g) with 0 by lra. lra.
  - rewrite Rmin_right, Rmax_left in Hx by lra.
    assert (best m z <= x) by (apply Rle_trans with (G m z); [apply Rmax_l|apply Hx]).
    assert (0 <= - (sign * tilt n x z) * (g - G m z)) by (apply Rmult_le_pos; [specialize (Dn H); lra|lra]). lra.
Qed.

(** [U n] is one more arrival with the same g. *)
Lemma U_next n z : 0 < z -> U n z = V (Datatypes.S n) (G n z) z.
Proof.
  intros Hz. rewrite V_next.
  assert (Zero : (0 < n)%nat \/ 0 <= best n z ->
    sign * (G n z ^ n / INR (fact n)) * (exp (- G n z) - z * rho ^ n * exp (- (G n z * rho))) = 0).
  { intros H. unfold G. destruct (Rle_dec 0 (best n z)) as [B|B].
    - rewrite Rmax_left by lra. rewrite (balance n z Hz). ring.
    - destruct H as [H|H]; [|lra]. rewrite Rmax_right by lra. rewrite pow_i by exact H. unfold Rdiv. ring. }
  destruct n as [|n]; [|rewrite Zero by (left; lia); simpl U; ring].
  assert (V0 : forall g, V 0 g z = (1 - sign) / 2 * (1 - z)) by (intros g; unfold V, M, Q; simpl; ring).
  assert (Eb : best 0 z = ln z / (rho - 1)) by (unfold best; simpl; rewrite Rmult_0_l, Rplus_0_r; reflexivity).
  rewrite V0. simpl U.
  assert (Lz : ln z <= 0 -> z <= 1).
  { intros H. destruct (Rle_dec z 1); [assumption|]. assert (ln 1 < ln z)
      by (apply ln_increasing; lra). rewrite ln_1 in *. lra. }
  assert (Gz : 0 <= ln z -> 1 <= z).
  { intros H. destruct (Rle_dec 1 z); [assumption|]. assert (ln z < ln 1)
      by (apply ln_increasing; lra). rewrite ln_1 in *. lra. }
  destruct (Rle_dec 0 (best 0 z)) as [B|B].
  - rewrite Zero by (right; exact B). rewrite Rplus_0_r. rewrite Eb in B.
    assert (El : ln z = ln z / (rho - 1) * (rho - 1)) by (field; exact rho_one).
    destruct Hsign as [[-> R1]|[-> R1]].
    + assert (0 <= ln z) by (rewrite El; apply Rmult_le_pos; lra). specialize (Gz ltac:(assumption)).
    rewrite Rmax_right by lra. lra.
    + assert (0 <= ln z / (rho - 1) * (1 - rho)) by (apply Rmult_le_pos; lra). specialize (Lz ltac:(lra)).
    rewrite Rmax_left by lra. lra.
  - unfold G. rewrite (Rmax_right (best 0 z) 0) by lra. simpl. rewrite !Rmult_0_l, Ropp_0, exp_0. rewrite Eb in B.
    assert (El : ln z = ln z / (rho - 1) * (rho - 1)) by (field; exact rho_one).
    destruct Hsign as [[-> R1]|[-> R1]].
    + assert (0 <= - (ln z / (rho - 1)) * (rho - 1))
        by (apply Rmult_le_pos; lra). specialize (Lz ltac:(lra)). rewrite Rmax_left by lra. field.
    + assert (0 <= - (ln z / (rho - 1)) * (1 - rho))
        by (apply Rmult_le_pos; lra). specialize (Gz ltac:(lra)). rewrite Rmax_right by lra. field.
Qed.

Lemma U_lines n z w : 0 < z -> 0 < w -> U (Datatypes.S n) z + line (Datatypes.S n) z * (w - z) <= U (Datatypes.S n) w.
Proof.
  intros Hz Hw. unfold line. simpl U. rewrite <- V_linear. apply V_best; [exact Hw|apply Rmax_r].
Qed.

Lemma line_continuous n z : 0 < z -> continuous (line (Datatypes.S n)) z.
Proof.
  intros Hz. set (m := Datatypes.S n).
  assert (CG : continuous (G m) z).
  { apply (continuous_ext (fun z => / 2 * (best m z + Rabs (best m z)))).
    - intros x. unfold G, Rmax, Rabs. destruct (Rle_dec _ _), (Rcase_abs _); lra.
    - assert (CB : continuous (best m) z).
      { apply (@ex_derive_continuous R_AbsRing R_NormedModule). unfold best. auto_derive. exact Hz. }
      apply (continuous_scal_r (/ 2) (fun z => best m z + Rabs (best m z))).
      apply (continuous_plus (best m) (fun z => Rabs (best m z))); [exact CB|].
      apply (continuous_comp (best m) Rabs); [exact CB|]. apply continuous_Rabs. }
  assert (CQ : continuous (fun z => Q m (G m z * rho)) z).
  { apply (continuous_comp (fun z => G m z * rho) (Q m)).
    - apply (continuous_mult (G m) (fun _ => rho)); [exact CG|apply continuous_const].
    - apply (@ex_derive_continuous R_AbsRing R_NormedModule). eexists. apply Q_derive. }
  unfold line. apply (continuous_minus (fun z => - (sign * Q m (G m z * rho)))
      (fun _ => (1 - sign) / 2)); [|apply continuous_const].
  apply (continuous_opp (fun z => sign * Q m (G m z * rho))).
  apply (continuous_scal_r sign (fun z => Q m (G m z * rho))). exact CQ.
Qed.

Lemma U_convex n z : 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w.
Proof.
  intros Hz. destruct n as [|n].
  - simpl. destruct (Rle_dec z 1) as [L|L].
    + exists (-1). intros w Hw. rewrite (Rmax_left (1 - z)) by lra. pose proof (Rmax_l (1 - w) 0). lra.
    + exists 0. intros w Hw. rewrite (Rmax_right (1 - z)) by lra. pose proof (Rmax_r (1 - w) 0). lra.
  - exists (line (Datatypes.S n) z). intros w Hw. apply U_lines; assumption.
Qed.

(** The tangent of [U (n+1)] at z, read at z and at z rho, lies above [U n]. *)
Lemma U_ends n z : 0 < z ->
  U n z <= U (Datatypes.S n) z /\
  U n (z * rho) = U (Datatypes.S n) z + line (Datatypes.S n) z * (z * rho - z).
Proof.
  intros Hz. assert (Hw : 0 < z * rho) by (apply Rmult_lt_0_compat; assumption). split.
  - rewrite U_next by exact Hz. apply V_best; [exact Hz|apply Rmax_r].
  - rewrite U_next by exact Hw. unfold line. simpl U. rewrite <- V_linear. f_equal.
    unfold G. f_equal. unfold best. rewrite ln_mult, S_INR by assumption. f_equal. ring.
Qed.

Lemma U_between n z w : 0 < z -> Rmin z (z * rho) <= w <= Rmax z (z * rho) ->
  U n w <= U (Datatypes.S n) z + line (Datatypes.S n) z * (w - z).
Proof.
  intros Hz Hw. assert (Hr : 0 < z * rho) by (apply Rmult_lt_0_compat; assumption).
  assert (Pw : 0 < w) by (apply Rlt_le_trans with (2 := proj1 Hw), Rmin_pos; assumption).
  destruct (U_ends n z Hz) as [E1 E2]. destruct (U_convex n w Pw) as [sigma L].
  pose proof (L z Hz) as L1. pose proof (L (z * rho) Hr) as L2. rewrite E2 in L2.
  set (r := z * rho) in *. set (A := U (Datatypes.S n) z) in *. set (k := line (Datatypes.S n) z) in *.
  assert (D : r - z <> 0).
  { unfold r. replace (z * rho - z) with (z * (rho - 1)) by ring.
  apply Rmult_integral_contrapositive; split; [lra|exact rho_one]. }
  set (v := (w - z) / (r - z)).
  assert (Ew : w = v * r + (1 - v) * z) by (unfold v; field; exact D).
  assert (Hv : 0 <= v <= 1).
  { unfold v. destruct (Rlt_dec z r) as [I|I].
    - rewrite Rmin_left, Rmax_right in Hw by lra. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (r - z); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - rewrite Rmin_right, Rmax_left in Hw by lra.
      replace ((w - z) / (r - z)) with ((z - w) / (z - r)) by (field; lra).
      split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (z - r); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rmult_le_compat_l with (r := v) in L2; [|lra]. apply Rmult_le_compat_l with (r := 1 - v) in L1; [|lra].
  apply Rmult_le_compat_l with (r := 1 - v) in E1; [|lra].
  assert (V0 : v * (r - z) = w - z) by (unfold v; field; exact D).
  assert (Z0 : v * (sigma * (r - w)) + (1 - v) * (sigma * (z - w)) = 0)
    by (replace (v * (sigma * (r - w)) + (1 - v) * (sigma * (z - w))) with (sigma * (v * (r - z) - (w - z))) by ring;
        rewrite V0; ring).
  assert (K0 : v * (k * (r - z)) = k * (w - z)) by (rewrite <- V0; ring).
  lra.
Qed.

Lemma U_start z : 0 < z -> 0 <= U 0 z /\ 1 - z <= U 0 z.
Proof. intros _. simpl. split; [apply Rmax_r|apply Rmax_l]. Qed.

Lemma U_slope n z : 0 < z -> is_derive (U (Datatypes.S n)) z (line (Datatypes.S n) z).
Proof. intros Hz. apply derive_of_lines; [exact Hz|apply U_lines|apply line_continuous, Hz]. Qed.

(** The tangent condition of [Adversary.v]. *)
Lemma U_tangent n z y : 0 < z -> Rmin 1 rho <= exp (- y) <= Rmax 1 rho ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + line (Datatypes.S n) z * (z * exp (- y) - z).
Proof.
  intros Hz Hy. apply U_between; [exact Hz|].
  assert (Top : Rmax z (z * rho) = z * Rmax 1 rho) by (rewrite <- RmaxRmult by lra; f_equal; ring).
  assert (Low : Rmin z (z * rho) = z * Rmin 1 rho).
  { unfold Rmin. destruct (Rle_dec 1 rho) as [L|L], (Rle_dec z (z * rho)) as [K|K]; try ring; exfalso.
    - apply K. rewrite <- (Rmult_1_r z) at 1. apply Rmult_le_compat_l; lra.
    - apply L. apply Rmult_le_reg_l with z; lra. }
  rewrite Top, Low. split; apply Rmult_le_compat_l; lra.
Qed.

Variables (s : R) (T : R).
Hypothesis Hs : 0 < s.
Variables q q' : list bool -> R.
Variable down up : R.
Hypothesis Hdown : 0 <= down.
Hypothesis Hup : 0 <= up.
Hypothesis Hends : forall y, - down <= y <= up -> Rmin 1 rho <= exp (- y) <= Rmax 1 rho.
Variables t t' : R.
Hypothesis Hq : forall past, - down <= ((t' - q' past) - (t - q past)) / s <= up.

Lemma closed_form eps n c :
  close (exp eps) (U c (exp eps)) (run (gumbel s Hs) T q t n c []) (run (gumbel s Hs) T q' t' n c []).
Proof.
  apply (adversary_delta U (fun n => line (Datatypes.S n)) down up); auto using U_start, U_slope, U_tangent, U_convex.
Qed.
End ClosedForm.

(** ** The theorem, in the words of the page *)
Section Monotonic.
Variables (s T kappa eps : R).
Hypothesis Hs : 0 < s.
Hypothesis Hk : 0 < kappa.
Variables q q' : list bool -> R.
Variables n c : nat.
Hypothesis Hc : (0 < c)%nat.
Let P (j : nat) (g : R) : R := 1 - Q j g.

(** THEOREM. Answers fall from D to D', so hazards fall: P(c, g) - e^eps P(c, g e^(-kappa)) with
    g = (c kappa - eps)/(1 - e^(-kappa)), or zero. *)
Theorem race_falling :
  (forall past, 0 <= (q past - q' past) / s <= kappa) ->
  let g := Rmax ((INR c * kappa - eps) / (1 - exp (- kappa))) 0 in
  close (exp eps) (P c g - exp eps * P c (g * exp (- kappa)))
    (run (gumbel s Hs) T q 0 n c []) (run (gumbel s Hs) T q' 0 n c []).
Proof.
  intros H g. set (rho := exp (- kappa)).
  assert (R1 : 0 < rho < 1).
  { split; [apply exp_pos|]. unfold rho. assert (exp (- kappa) < exp 0)
      by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  replace (P c g - exp eps * P c (g * rho)) with (U rho (-1) c (exp eps)).
  - apply (closed_form rho (-1) ltac:(lra) ltac:(right; lra) s T Hs q q' 0 kappa) with (t := 0) (t' := 0); try lra.
    + intros y Hy. rewrite Rmin_right, Rmax_left by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
    + intros past. specialize (H past).
      replace ((0 - q' past - (0 - q past)) / s) with ((q past - q' past) / s) by (unfold Rdiv; ring). lra.
  - destruct c as [|j]; [lia|]. cbn [U]. unfold V, M, P.
  replace (G rho (Datatypes.S j) (exp eps)) with g; [fold rho; field|].
    unfold g, G, best. f_equal. rewrite ln_exp. unfold rho. rewrite ln_exp. fold rho. field. lra.
Qed.

(** THEOREM. Answers rise from D to D': Q(c, g) - e^eps Q(c, g e^kappa) with g = (eps + c kappa)/(e^kappa - 1). *)
Theorem race_rising :
  (forall past, 0 <= (q' past - q past) / s <= kappa) ->
  let g := Rmax ((eps + INR c * kappa) / (exp kappa - 1)) 0 in
  close (exp eps) (Q c g - exp eps * Q c (g * exp kappa))
    (run (gumbel s Hs) T q 0 n c []) (run (gumbel s Hs) T q' 0 n c []).
Proof.
  intros H g. set (rho := exp kappa).
  assert (R1 : 1 < rho).
  { unfold rho. assert (exp 0 < exp kappa) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. }
  replace (Q c g - exp eps * Q c (g * rho)) with (U rho 1 c (exp eps)).
  - apply (closed_form rho 1 ltac:(lra) ltac:(left; lra) s T Hs q q' kappa 0) with (t := 0) (t' := 0); try lra.
    + intros y Hy. rewrite Rmin_left, Rmax_right by lra. unfold rho. rewrite <- exp_0. split; apply exp_mono; lra.
    + intros past. specialize (H past).
      replace ((0 - q' past - (0 - q past)) / s) with (- ((q' past - q past) / s)) by (field; lra). lra.
  - destruct c as [|j]; [lia|]. cbn [U]. unfold V, M.
  replace (G rho (Datatypes.S j) (exp eps)) with g; [fold rho; field|].
    unfold g, G, best. f_equal. rewrite ln_exp. unfold rho. rewrite ln_exp. reflexivity.
Qed.
End Monotonic.
