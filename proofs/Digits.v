(** * How the noise is drawn

    The geometric law is the exponential law floored to the grid; the discrete Laplace law is the difference
    of two geometric ones; the binary digits of a geometric variable are independent coins. This is how
    the library draws the threshold noise ([overbar.sampling.threshold]). *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Draws Points.
Open Scope R_scope.

Lemma Series_from (u : nat -> R) (k : nat) : ex_series u -> (forall n, (n < k)%nat -> u n = 0) ->
  Series u = Series (fun n => u (k + n)%nat).
Proof.
  intros Ex H. destruct k as [|k]; [reflexivity|].
  rewrite (Series_incr_n u (Datatypes.S k)) by (auto; lia). simpl Init.Nat.pred.
  assert (Z0 : forall j, (j <= k)%nat -> sum_f_R0 u j = 0).
  { induction j as [|j IH]; intros L; simpl; [apply H; lia|]. rewrite IH, H by lia. ring. }
  rewrite Z0 by lia. ring.
Qed.

Section Digits.
Variable a : R.
Hypothesis Ha : 0 < a < 1.

Lemma tail_series (k : nat) :
  Series (fun n => a ^ n * (if (Z.of_nat k <=? Z.of_nat n)%Z then 1 else 0)) = a ^ k / (1 - a).
Proof.
  rewrite (Series_from _ k).
  - rewrite (Series_ext _ (fun n => a ^ k * a ^ n)).
    + rewrite Series_scal_l, (geom_sum a Ha). reflexivity.
    + intros n. destruct (Z.leb_spec (Z.of_nat k) (Z.of_nat (k + n))); [|lia]. rewrite pow_add. ring.
  - apply ex_series_below with (h := fun n => a ^ n); [|apply geom_exists, Ha].
    intros n. pose proof (pow_pos a Ha n). destruct (_ <=? _)%Z; lra.
  - intros n Hn. destruct (Z.leb_spec (Z.of_nat k) (Z.of_nat n)); [lia|ring].
Qed.

(** THEOREM. P(at least k steps) = a^k. With a = e^(-g/s) this is P(exponential >= k g): the exponential
    law, floored to the grid. *)
Theorem geometric_tail (k : nat) : chance (geometric a Ha) (fun n => (Z.of_nat k <=? n)%Z) = a ^ k.
Proof. unfold chance. rewrite geometric_ev, tail_series. field. lra. Qed.

(** A toss at a time: go on while the coin shows true. *)
Theorem geometric_toss f : bounded f ->
  ev (geometric a Ha) f = (1 - a) * f 0%Z + a * ev (geometric a Ha) (fun n => f (n + 1)%Z).
Proof.
  intros [B Hf]. rewrite !geometric_ev. rewrite Series_incr_1.
  - rewrite (Series_ext (fun k => a ^ Datatypes.S k * f (Z.of_nat (Datatypes.S k)))
              (fun k => a * (a ^ k * f (Z.of_nat k + 1)%Z))).
    + rewrite Series_scal_l. simpl. ring.
    + intros n. replace (Z.of_nat (Datatypes.S n)) with (Z.of_nat n + 1)%Z by lia. simpl. ring.
  - apply ex_series_below with (h := fun n => B * a ^ n).
    + intros n. pose proof (pow_pos a Ha n). specialize (Hf (Z.of_nat n)). split; [apply Rmult_le_pos; lra|].
      rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
    + apply (@ex_series_scal R_AbsRing R_NormedModule B), geom_exists, Ha.
Qed.

Lemma geometric_point z : chance (geometric a Ha) (fun n => (n =? z)%Z) = geometric_mass a z.
Proof.
  unfold geometric_mass. destruct (Z.leb_spec 0 z) as [H|H].
  - set (k := Z.to_nat z). assert (P : chance (geometric a Ha) (fun n => (Z.of_nat k <=? n)%Z)
      = chance (geometric a Ha) (fun n => (n =? z)%Z) + chance (geometric a Ha)
          (fun n => (Z.of_nat (Datatypes.S k) <=? n)%Z)).
    { unfold chance. rewrite <- ev_plus by apply bounded_event. apply ev_ext; [apply bounded_event|].
      intros n. destruct (Z.leb_spec (Z.of_nat k) n), (Z.eqb_spec n z), (Z.leb_spec (Z.of_nat (Datatypes.S k)) n);
        try lra; lia. }
    rewrite !geometric_tail in P. change (a ^ Datatypes.S k) with (a * a ^ k) in P. lra.
  - unfold chance. rewrite geometric_ev.
    rewrite (Series_ext _ (fun n => 0 * a ^ n)).
    + rewrite Series_scal_l. ring.
    + intros n. destruct (Z.eqb_spec (Z.of_nat n) z); [lia|ring].
Qed.

Definition difference : law Z := x <- geometric a Ha ;; y <- geometric a Ha ;; ret (x - y)%Z.

Lemma square_range : 0 < a * a < 1.
Proof.
  split; [apply Rmult_lt_0_compat; lra|].
  apply Rlt_trans with (a * 1); [apply Rmult_lt_compat_l; lra|lra].
Qed.

Lemma double_pow n : a ^ n * a ^ n = (a * a) ^ n.
Proof. rewrite Rpow_mult_distr. reflexivity. Qed.

Lemma difference_point z : chance difference (fun n => (n =? z)%Z) = mass (two_sided_masses a Ha) z.
Proof.
  unfold chance, difference. cbn [bind ev ret].
  transitivity (ev (geometric a Ha) (fun x => geometric_mass a (x - z))).
  { apply ev_ext; [apply bounded_ev; exists 1; intros; destruct (_ =? _)%Z; lra|]. intros x.
    rewrite <- geometric_point. apply ev_ext; [apply (bounded_event (fun y => (x - y =? z)%Z))|].
    intros y. destruct (Z.eqb_spec (x - y) z), (Z.eqb_spec y (x - z)); try lra; lia. }
  rewrite geometric_ev. cbn [two_sided_masses mass]. unfold two_sided_mass.
  pose proof square_range as Hsq. set (k := Z.abs_nat z).
  assert (Q : Series (fun n => (1 - a) * a ^ k * (a * a) ^ n) = (1 - a) * a ^ k * / (1 - a * a))
    by (rewrite Series_scal_l, (geom_sum (a * a) Hsq); reflexivity).
  assert (Target : (1 - a) * ((1 - a) * a ^ k * / (1 - a * a)) = (1 - a) / (1 + a) * a ^ k)
    by (field; split; [lra|]; replace (1 - a * a) with ((1 - a) * (1 + a)) by ring;
        apply Rmult_integral_contrapositive; lra).
  rewrite <- Target, <- Q. f_equal. destruct (Z.le_gt_cases 0 z) as [H|H].
  - rewrite (Series_from _ k).
    + apply Series_ext. intros n. unfold geometric_mass.
      destruct (Z.leb_spec 0 (Z.of_nat (k + n) - z)); [|lia].
      replace (Z.to_nat (Z.of_nat (k + n) - z)) with n by lia. rewrite pow_add, <- double_pow. ring.
    + apply ex_series_below with (h := fun n => (1 - a) * a ^ n).
      * intros n. pose proof (pow_pos a Ha n). unfold geometric_mass. destruct (0 <=? _)%Z; [|split; [lra|]].
        -- set (j := Z.to_nat _). pose proof (pow_pos a Ha j). assert (a ^ j <= 1) by (apply (pow_falls a Ha 0); lia).
           split; [repeat apply Rmult_le_pos; lra|]. rewrite Rmult_comm, Rmult_assoc.
           apply Rmult_le_compat_l; [lra|]. rewrite <- (Rmult_1_l (a ^ n)) at 2. apply Rmult_le_compat_r; lra.
        -- rewrite Rmult_0_r. apply Rmult_le_pos; lra.
      * apply (@ex_series_scal R_AbsRing R_NormedModule (1 - a)), geom_exists, Ha.
    + intros n Hn. unfold geometric_mass. destruct (Z.leb_spec 0 (Z.of_nat n - z)); [lia|ring].
  - apply Series_ext. intros n. unfold geometric_mass.
    destruct (Z.leb_spec 0 (Z.of_nat n - z)); [|lia].
    replace (Z.to_nat (Z.of_nat n - z)) with (k + n)%nat by lia. rewrite pow_add, <- double_pow. ring.
Qed.

(** THEOREM. The difference of two geometric variables has the two-sided law. *)
Theorem difference_two_sided f : bounded f -> ev difference f = ev (two_sided a Ha) f.
Proof. apply (points_determine difference (two_sided_masses a Ha) difference_point). Qed.

Lemma digit_range : 0 <= a / (1 + a) <= 1.
Proof.
  split; [left; apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_reg_r with (1 + a); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** One digit, and the rest of the number with a^2 in place of a. *)
Lemma one_digit f : bounded f ->
  ev (geometric a Ha) f
  = ev (d <- coin _ digit_range ;; n <- geometric (a * a) square_range ;; ret ((if d : bool then 1 else 0) + 2 * n)%Z) f.
Proof.
  intros [B Hf]. cbn [bind ev ret coin]. rewrite !geometric_ev.
  assert (Ex : forall h : nat -> R, (forall n, 0 <= h n <= B) -> ex_series (fun n => (a * a) ^ n * h n)).
  { intros h Hh. apply ex_series_below with (h := fun n => B * (a * a) ^ n).
    - intros n. pose proof (pow_pos _ square_range n). specialize (Hh n). split; [apply Rmult_le_pos; lra|].
      rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
    - apply (@ex_series_scal R_AbsRing R_NormedModule B), geom_exists, square_range. }
  assert (P : Series (fun n => a ^ n * f (Z.of_nat n))
    = Series (fun n => (a * a) ^ n * f (0 + 2 * Z.of_nat n)%Z) + a * Series
        (fun n => (a * a) ^ n * f (1 + 2 * Z.of_nat n)%Z)).
  { pose proof (PSeries_odd_even (fun n => f (Z.of_nat n)) a) as O.
    unfold PSeries in O. unfold ex_pseries in O.
    assert (W : forall n, @pow_n R_AbsRing (a ^ 2) n = (a * a) ^ n).
    { induction n as [|n IH]; [reflexivity|]. simpl in *. rewrite IH. unfold mult; simpl. ring. }
    rewrite (Series_ext _ (fun n => f (Z.of_nat n) * a ^ n)) by (intros; ring). rewrite O.
    - f_equal; [|f_equal]; apply Series_ext; intros n; replace (a ^ 2) with (a * a) by ring;
        rewrite Rmult_comm; f_equal; f_equal; lia.
    - apply ex_series_ext with (fun n => (a * a) ^ n * f (Z.of_nat (2 * n))).
      + intros n. symmetry. exact (f_equal (fun w => w * f (Z.of_nat (2 * n))) (W n)).
      + apply (Ex (fun n => f (Z.of_nat (2 * n)))). intros; apply Hf.
    - apply ex_series_ext with (fun n => (a * a) ^ n * f (Z.of_nat (2 * n + 1))).
      + intros n. symmetry. exact (f_equal (fun w => w * f (Z.of_nat (2 * n + 1))) (W n)).
      + apply (Ex (fun n => f (Z.of_nat (2 * n + 1)))). intros; apply Hf. }
  rewrite P. field. lra.
Qed.
End Digits.

(** The lowest [J] digits by a coin each, and what is above them by a geometric draw of its own. *)
Fixpoint by_digits (J : nat) : forall a, 0 < a < 1 -> law Z :=
  match J with
  | O => geometric
  | Datatypes.S J' => fun a Ha =>
      d <- coin _ (digit_range a Ha) ;; n <- by_digits J' (a * a) (square_range a Ha) ;;
      ret ((if d : bool then 1 else 0) + 2 * n)%Z
  end.

(** THEOREM. Drawn by digits, a geometric variable has the geometric law. *)
Theorem by_digits_geometric J : forall a (Ha : 0 < a < 1) f, bounded f ->
  ev (by_digits J a Ha) f = ev (geometric a Ha) f.
Proof.
  induction J as [|J IH]; intros a Ha f Hf; [reflexivity|]. rewrite one_digit by exact Hf.
  cbn [by_digits bind ev ret coin].
  rewrite (IH _ _ (fun n => f (1 + 2 * n)%Z)) by (apply (bounded_comp f), Hf).
  rewrite (IH _ _ (fun n => f (0 + 2 * n)%Z)) by (apply (bounded_comp f), Hf). reflexivity.
Qed.
