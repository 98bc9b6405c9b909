(** * The laws that are really drawn

    [geometric a]: P(n) = (1 - a) a^n for n >= 0. This is exponential noise floored to the grid, with
    a = e^(-g/s). [two_sided a]: P(n) = (1 - a)/(1 + a) a^|n|, the discrete Laplace law. To move
    either up by one step costs the factor 1/a. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid.
Open Scope R_scope.

Section Draws.
Variable a : R.
Hypothesis Ha : 0 < a < 1.

Lemma geom_exists : ex_series (fun n => a ^ n).
Proof. apply ex_series_geom. rewrite Rabs_pos_eq; lra. Qed.

Lemma geom_sum : Series (pow a) = / (1 - a).
Proof. apply Series_geom. rewrite Rabs_pos_eq; lra. Qed.

Lemma geom_exists_next : ex_series (fun n => a ^ (n + 1)).
Proof.
  apply ex_series_ext with (fun n => a ^ (Datatypes.S n)); [intros n; f_equal; lia|].
  apply (ex_series_incr_1 (fun n => a ^ n)), geom_exists.
Qed.

Lemma geom_sum_next : Series (fun n => a ^ (n + 1)) = a / (1 - a).
Proof.
  rewrite (Series_ext _ (fun n => a * a ^ n)); [|intros n; rewrite pow_add; ring].
  rewrite Series_scal_l. rewrite geom_sum. reflexivity.
Qed.

Lemma pow_pos n : 0 < a ^ n.
Proof. apply pow_lt; lra. Qed.

(** ** One-sided *)
Definition geometric_mass (n : Z) : R := if (0 <=? n)%Z then (1 - a) * a ^ Z.to_nat n else 0.

Lemma geometric_pos n : 0 <= geometric_mass n.
Proof.
  unfold geometric_mass. destruct (0 <=? n)%Z; [|lra].
  apply Rmult_le_pos; [lra|]. left; apply pow_pos.
Qed.

Lemma geometric_right n : geometric_mass (Z.of_nat n) = (1 - a) * a ^ n.
Proof.
  unfold geometric_mass. destruct (Z.leb_spec 0 (Z.of_nat n)); [|lia]. rewrite Nat2Z.id. reflexivity.
Qed.

Lemma geometric_left n : geometric_mass (- Z.of_nat (Datatypes.S n)) = 0 * a ^ n.
Proof.
  unfold geometric_mass. destruct (Z.leb_spec 0 (- Z.of_nat (Datatypes.S n))); [lia|ring].
Qed.

Lemma geometric_summable : summable geometric_mass.
Proof.
  split.
  - apply ex_series_ext with (fun n => (1 - a) * a ^ n); [intros n; symmetry; apply geometric_right|].
    apply (@ex_series_scal R_AbsRing R_NormedModule (1 - a)), geom_exists.
  - apply ex_series_ext with (fun n => 0 * a ^ n); [intros n; symmetry; apply geometric_left|].
    apply (@ex_series_scal R_AbsRing R_NormedModule 0), geom_exists.
Qed.

Lemma geometric_one : sumZ geometric_mass = 1.
Proof.
  unfold sumZ. rewrite (Series_ext _ _ geometric_right).
  rewrite (Series_ext (fun n => geometric_mass (- Z.of_nat (Datatypes.S n))) _ geometric_left).
  rewrite !Series_scal_l, geom_sum. field. lra.
Qed.

Definition geometric_masses : masses := Masses geometric_mass geometric_pos geometric_summable geometric_one.

Definition geometric : law Z := grid geometric_masses.

(** Expectations under it are one series. *)
Lemma geometric_ev f : ev geometric f = (1 - a) * Series (fun n => a ^ n * f (Z.of_nat n)).
Proof.
  cbn [geometric grid ev geometric_masses mass]. unfold sumZ. rewrite <- Series_scal_l.
  rewrite (Series_ext (fun n => geometric_mass (- Z.of_nat (Datatypes.S n)) * f (- Z.of_nat (Datatypes.S n))%Z)
             (fun n => 0 * a ^ n)) by (intros n; rewrite geometric_left; ring).
  rewrite Series_scal_l, Rmult_0_l, Rplus_0_r. apply Series_ext. intros n.
  rewrite geometric_right. ring.
Qed.

Theorem geometric_climbs : climbs (/ a) geometric.
Proof.
  apply climbs_masses; [left; apply Rinv_0_lt_compat; lra|]. intros n. simpl. unfold geometric_mass.
  destruct (Z.leb_spec 0 n), (Z.leb_spec 0 (n + 1)); try lia.
  - replace (Z.to_nat (n + 1)) with (Datatypes.S (Z.to_nat n)) by lia. simpl. right; field; lra.
  - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra|]. apply Rmult_le_pos; [lra|left; apply pow_pos].
  - lra.
Qed.

(** ** Two-sided *)
Definition two_sided_mass (n : Z) : R := (1 - a) / (1 + a) * a ^ Z.abs_nat n.

Lemma two_sided_right n : two_sided_mass (Z.of_nat n) = (1 - a) / (1 + a) * a ^ n.
Proof. unfold two_sided_mass. rewrite Zabs2Nat.id. reflexivity. Qed.

Lemma two_sided_left n :
  two_sided_mass (- Z.of_nat (Datatypes.S n)) = (1 - a) / (1 + a) * a ^ (n + 1).
Proof. unfold two_sided_mass. do 2 f_equal. lia. Qed.

Lemma two_sided_factor : 0 < (1 - a) / (1 + a).
Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma two_sided_above n : 0 < two_sided_mass n.
Proof. apply Rmult_lt_0_compat; [apply two_sided_factor|apply pow_pos]. Qed.

Lemma two_sided_pos n : 0 <= two_sided_mass n.
Proof.
  left. apply two_sided_above.
Qed.

Lemma two_sided_summable : summable two_sided_mass.
Proof.
  split.
  - apply ex_series_ext with (fun n => (1 - a) / (1 + a) * a ^ n);
      [intros n; symmetry; apply two_sided_right|].
    apply (@ex_series_scal R_AbsRing R_NormedModule ((1 - a) / (1 + a))), geom_exists.
  - apply ex_series_ext with (fun n => (1 - a) / (1 + a) * a ^ (n + 1));
      [intros n; symmetry; apply two_sided_left|].
    apply (@ex_series_scal R_AbsRing R_NormedModule ((1 - a) / (1 + a))), geom_exists_next.
Qed.

Lemma two_sided_one : sumZ two_sided_mass = 1.
Proof.
  unfold sumZ. rewrite (Series_ext _ _ two_sided_right).
  rewrite (Series_ext (fun n => two_sided_mass (- Z.of_nat (Datatypes.S n))) _ two_sided_left).
  rewrite !Series_scal_l, geom_sum_next.
  rewrite geom_sum. field. lra.
Qed.

Definition two_sided_masses : masses := Masses two_sided_mass two_sided_pos two_sided_summable two_sided_one.

Definition two_sided : law Z := grid two_sided_masses.

Lemma pow_falls m n : (m <= n)%nat -> a ^ n <= a ^ m.
Proof.
  intros H. replace n with (m + (n - m))%nat by lia. rewrite pow_add.
  pose proof (pow_pos m). assert (a ^ (n - m) <= 1).
  { rewrite <- (pow1 (n - m)). apply pow_incr. lra. }
  rewrite <- (Rmult_1_r (a ^ m)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Theorem two_sided_climbs : climbs (/ a) two_sided.
Proof.
  apply climbs_masses; [left; apply Rinv_0_lt_compat; lra|]. intros n. simpl. unfold two_sided_mass.
  rewrite (Rmult_comm (/ a)), Rmult_assoc. apply Rmult_le_compat_l; [left; apply two_sided_factor|].
  apply Rmult_le_reg_l with a; [lra|].
  replace (a * (a ^ Z.abs_nat (n + 1) * / a)) with (a ^ Z.abs_nat (n + 1)) by (field; lra).
  change (a * a ^ Z.abs_nat n) with (a ^ Datatypes.S (Z.abs_nat n)). apply pow_falls. lia.
Qed.
End Draws.
