(** * The grid: laws over the whole numbers, and what it costs to move one

    Everything that a release draws is a whole number of grid steps. [sumZ] adds up over all whole
    numbers, by two series. A law on the grid is given by its masses. *)
Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law.
Open Scope R_scope.

Definition sumZ (f : Z -> R) : R :=
  Series (fun n => f (Z.of_nat n)) + Series (fun n => f (- Z.of_nat (S n))%Z).
Definition summable (f : Z -> R) : Prop :=
  ex_series (fun n => f (Z.of_nat n)) /\ ex_series (fun n => f (- Z.of_nat (S n))%Z).

Lemma ex_series_below (f h : nat -> R) : (forall n, 0 <= f n <= h n) -> ex_series h -> ex_series f.
Proof.
  intros H Hh. apply (@ex_series_le R_AbsRing R_CompleteNormedModule) with (b := h); auto.
  intros n. unfold norm; simpl. unfold abs; simpl. rewrite Rabs_pos_eq; apply H.
Qed.

Lemma summable_below f h : (forall n, 0 <= f n <= h n) -> summable h -> summable f.
Proof. intros H [H1 H2]. split; [apply ex_series_below with (2 := H1)|apply ex_series_below with (2 := H2)]; auto. Qed.

Lemma summable_scal c f : summable f -> summable (fun n => c * f n).
Proof.
  intros [H1 H2]; split; apply (@ex_series_scal R_AbsRing R_NormedModule c); assumption.
Qed.

Lemma sumZ_mono f h : summable h -> (forall n, 0 <= f n <= h n) -> sumZ f <= sumZ h.
Proof. intros [H1 H2] H. unfold sumZ. apply Rplus_le_compat; apply Series_le; auto. Qed.

Lemma sumZ_scal c f : sumZ (fun n => c * f n) = c * sumZ f.
Proof. unfold sumZ. rewrite !Series_scal_l. ring. Qed.

Lemma sumZ_plus f h : summable f -> summable h -> sumZ (fun n => f n + h n) = sumZ f + sumZ h.
Proof. intros [F1 F2] [H1 H2]. unfold sumZ. rewrite !Series_plus by assumption. ring. Qed.

Lemma sumZ_ext f h : (forall n, f n = h n) -> sumZ f = sumZ h.
Proof. intros H. unfold sumZ. f_equal; apply Series_ext; intros; apply H. Qed.

(** Moving the whole grid by one step changes no sum. *)
Lemma sumZ_shift f : summable f -> sumZ (fun n => f (n + 1)%Z) = sumZ f.
Proof.
  intros [S1 S2]. unfold sumZ.
  replace (Series (fun n => f (Z.of_nat n + 1)%Z)) with (Series (fun n => f (Z.of_nat (S n)))).
  2: { apply Series_ext. intros n. f_equal. lia. }
  rewrite (Series_incr_1 (fun n => f (Z.of_nat n))) by exact S1.
  replace (Series (fun n => f (- Z.of_nat (S n) + 1)%Z)) with (Series (fun n => f (- Z.of_nat n)%Z)).
  2: { apply Series_ext. intros n. f_equal. lia. }
  rewrite (Series_incr_1 (fun n => f (- Z.of_nat n)%Z)).
  - simpl. ring.
  - apply (ex_series_incr_1 (fun n => f (- Z.of_nat n)%Z)). exact S2.
Qed.

(** ** Laws on the grid *)

Record masses := Masses {
  mass : Z -> R;
  mass_pos : forall n, 0 <= mass n;
  mass_summable : summable mass;
  mass_one : sumZ mass = 1 }.

Lemma weighted_summable (m : masses) f : bounded f -> summable (fun n => mass m n * f n).
Proof.
  intros [B H]. apply summable_below with (fun n => B * mass m n).
  - intros n. pose proof (mass_pos m n). specialize (H n). split; [apply Rmult_le_pos; lra|].
    rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
  - apply summable_scal, mass_summable.
Qed.

Program Definition grid (m : masses) : law Z :=
  {| ev := fun f => sumZ (fun n => mass m n * f n) |}.
Next Obligation.
  apply sumZ_mono; [apply weighted_summable; auto|]. intros n. pose proof (mass_pos m n).
  destruct H as [B H]. specialize (H n). split; [apply Rmult_le_pos; lra|].
  apply Rmult_le_compat_l; auto.
Qed.
Next Obligation.
  rewrite <- sumZ_plus by (apply weighted_summable; auto). apply sumZ_ext; intros; ring.
Qed.
Next Obligation. rewrite <- sumZ_scal. apply sumZ_ext; intros; ring. Qed.
Next Obligation. transitivity (sumZ (mass m)); [apply sumZ_ext; intros; ring|apply mass_one]. Qed.

(** ** The one property of threshold noise that the proofs use

    [climbs A p]: to move a draw of [p] up by one step costs at most the factor [A]. Nothing is asked
    about moving down. So the noise may be one-sided, with its tail to the right. *)
Definition climbs (A : R) (p : law Z) : Prop :=
  forall f h, bounded f -> bounded h -> (forall n, f n <= h (n + 1)%Z) -> ev p f <= A * ev p h.

(** For masses it is enough to look at neighbouring points. *)
Lemma climbs_masses A m :
  0 <= A -> (forall n, mass m n <= A * mass m (n + 1)%Z) -> climbs A (grid m).
Proof.
  intros HA H f h Hf Hh L. simpl.
  assert (Sh : summable (fun n => A * (mass m n * h n))) by (apply summable_scal, weighted_summable, Hh).
  rewrite <- sumZ_scal. rewrite <- (sumZ_shift (fun n => A * (mass m n * h n))) by exact Sh.
  destruct Sh as [S1 S2]. destruct Hf as [B Hf]. destruct Hh as [C Hh].
  apply sumZ_mono.
  - split.
    + apply ex_series_ext with (fun n => A * (mass m (Z.of_nat (S n)) * h (Z.of_nat (S n)))).
      { intros n. do 2 f_equal; f_equal; lia. }
      apply (ex_series_incr_1 (fun n => A * (mass m (Z.of_nat n) * h (Z.of_nat n)))), S1.
    + apply ex_series_ext with (fun n => A * (mass m (- Z.of_nat n) * h (- Z.of_nat n)%Z)).
      { intros n. do 2 f_equal; f_equal; lia. }
      apply (ex_series_incr_1 (fun n => A * (mass m (- Z.of_nat n) * h (- Z.of_nat n)%Z))), S2.
  - intros n. pose proof (mass_pos m n). pose proof (Hf n). split; [apply Rmult_le_pos; lra|].
    rewrite <- Rmult_assoc. apply Rmult_le_compat; auto; lra.
Qed.

Lemma bounded_shift (f : Z -> R) d : bounded f -> bounded (fun n => f (n + d)%Z).
Proof. apply (bounded_comp f (fun n => (n + d)%Z)). Qed.

(** Moving up by [m] steps costs [A^m]. *)
Lemma climbs_many A p : climbs A p -> 0 <= A -> forall (m : nat) f h, bounded f -> bounded h ->
  (forall n, f n <= h (n + Z.of_nat m)%Z) -> ev p f <= A ^ m * ev p h.
Proof.
  intros C HA. induction m as [|m IH]; intros f h Hf Hh L.
  - simpl. rewrite Rmult_1_l. apply ev_mono; auto. intros n. specialize (L n).
    rewrite Z.add_0_r in L. exact L.
  - apply Rle_trans with (A * ev p (fun n => h (n + Z.of_nat m)%Z)).
    + apply C; auto using bounded_shift. intros n. specialize (L n).
      replace (n + 1 + Z.of_nat m)%Z with (n + Z.of_nat (S m))%Z by lia. exact L.
    + simpl. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
      apply IH; auto using bounded_shift. intros n. lra.
Qed.
