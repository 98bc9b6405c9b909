(** * Ranked selection in epsilons, for the noise that a release draws

    Exponential noise floored to the grid: scale [s] on values, scale [b] on the bar, steps of size
    [g], Delta = m steps. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Draws Points Digits Ranking Ranked.
Import ListNotations.
Open Scope R_scope.

Lemma exp_power x (k : nat) : exp x ^ k = exp (INR k * x).
Proof.
  induction k as [|k IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. ring.
Qed.

Lemma step_range x : 0 < x -> 0 < exp (- x) < 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

(** Noise of scale [s] on a grid of [g]: P(at least k steps) = e^(-k g/s). *)
Definition grid_exponential (g s : R) (H : 0 < g / s) : law Z := geometric (exp (- (g / s))) (step_range _ H).

(** THEOREM. It is exponential noise floored to the grid: it reaches z steps when an exponential variable reaches z g. *)
Theorem floored_exponential g s (H : 0 < g / s) (Hs : 0 < s) (z : Z) :
  chance (grid_exponential g s H) (fun n => (z <=? n)%Z) = S (exponential s Hs) (g * IZR z).
Proof.
  assert (Hg : 0 < g) by (apply Rmult_lt_reg_r with (/ s); [apply Rinv_0_lt_compat; lra|]; lra).
  simpl S. unfold S_exponential. destruct (Z.le_gt_cases 0 z) as [P|P].
  - pose proof (geometric_tail (exp (- (g / s))) (step_range _ H) (Z.to_nat z)) as G. rewrite Z2Nat.id in G by exact P.
    unfold grid_exponential. rewrite G, exp_power. rewrite Rmax_left by (apply Rmult_le_pos; [lra|apply IZR_le, P]).
    f_equal. rewrite INR_IZR_INZ, Z2Nat.id by exact P. field. lra.
  - pose proof (geometric_tail (exp (- (g / s))) (step_range _ H) 0) as G. rewrite Rmax_right.
    + replace (- (0 / s)) with 0 by (field; lra). rewrite exp_0. transitivity (exp (- (g / s)) ^ 0); [|reflexivity].
      rewrite <- G. unfold grid_exponential, chance. rewrite !geometric_ev.
      f_equal. apply Coquelicot.Series.Series_ext. intros n.
      destruct (Z.leb_spec z (Z.of_nat n)), (Z.leb_spec (Z.of_nat 0) (Z.of_nat n)); reflexivity || lia.
    + apply IZR_lt in P. assert (0 <= g * - IZR z) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma grid_exponential_climbs g s H : climbs (exp (g / s)) (grid_exponential g s H).
Proof.
  replace (exp (g / s)) with (/ exp (- (g / s))) by (rewrite exp_Ropp, Rinv_inv; reflexivity).
  apply geometric_climbs.
Qed.

Section Cases.
Variables (g s b : R).
Hypothesis Hs : 0 < g / s.
Hypothesis Hb : 0 < g / b.
Variable keys : law (nat -> Z).
Variable candidates : list nat.
Hypothesis Hc : NoDup candidates.
Variables (c m : nat) (T : Z).
Hypothesis Hpos : (0 < c)%nat.
Let Delta := g * INR m.

Definition ranked_release : (nat -> Z) -> law (list nat) :=
  ranked (grid_exponential g s Hs) (grid_exponential g b Hb) keys candidates c (Some T).

Variables q q' : nat -> Z.

Let interval low high eps :
  (forall i, In i candidates -> (- Z.of_nat low <= q' i - q i <= Z.of_nat high)%Z) ->
  (high <= m)%nat ->
  INR c * (INR (low + high) * (g / s)) <= eps ->
  INR m * (g / b) + (INR c - 1) * (INR (low + high) * (g / s)) <= eps ->
  close (exp eps) 0 (ranked_release q) (ranked_release q').
Proof.
  intros H L E1 E2. apply ranked_pure with (A := exp (g / s)) (Ab := exp (g / b)) (low := low) (high := high);
    auto using grid_exponential_climbs.
  - rewrite <- exp_0. apply exp_mono. lra.
  - rewrite <- exp_0. apply exp_mono. lra.
  - rewrite exp_power. apply exp_mono. rewrite mult_INR, Rmult_assoc. exact E1.
  - rewrite !exp_power, <- exp_plus. apply exp_mono. rewrite mult_INR, minus_INR by lia.
    change (INR 1) with 1. rewrite Rmult_assoc. apply Rle_trans with (2 := E2). apply Rplus_le_compat_r.
    apply Rmult_le_compat_r; [lra|]. apply le_INR, L.
Qed.

(** THEOREM. General scores: max(c 2 Delta/s, Delta/b + (c - 1) 2 Delta/s). *)
Theorem ranked_general eps :
  (forall i, In i candidates -> (Z.abs (q' i - q i) <= Z.of_nat m)%Z) ->
  INR c * (2 * Delta / s) <= eps ->
  Delta / b + (INR c - 1) * (2 * Delta / s) <= eps ->
  close (exp eps) 0 (ranked_release q) (ranked_release q').
Proof.
  intros H E1 E2. apply (interval m m); [intros i Hi; specialize (H i Hi); lia|lia| |];
    rewrite plus_INR; unfold Delta, Rdiv in *.
  - replace (INR c * ((INR m + INR m) * (g * / s))) with (INR c * (2 * (g * INR m) * / s)) by ring. exact E1.
  - replace (INR m * (g * / b) + (INR c - 1) * ((INR m + INR m) * (g * / s)))
      with (g * INR m * / b + (INR c - 1) * (2 * (g * INR m) * / s)) by ring. exact E2.
Qed.

(** THEOREM. Monotonic scores: max(c Delta/s, Delta/b + (c - 1) Delta/s). *)
Theorem ranked_monotonic eps :
  (forall i, In i candidates -> (0 <= q' i - q i <= Z.of_nat m)%Z) \/
  (forall i, In i candidates -> (0 <= q i - q' i <= Z.of_nat m)%Z) ->
  INR c * (Delta / s) <= eps ->
  Delta / b + (INR c - 1) * (Delta / s) <= eps ->
  close (exp eps) 0 (ranked_release q) (ranked_release q').
Proof.
  intros H E1 E2.
  assert (F1 : INR c * (INR m * (g / s)) <= eps)
    by (replace (INR m * (g / s)) with (Delta / s) by (unfold Delta, Rdiv; ring); exact E1).
  assert (F2 : INR m * (g / b) + (INR c - 1) * (INR m * (g / s)) <= eps)
    by (replace (INR m * (g / s)) with (Delta / s) by (unfold Delta, Rdiv; ring);
        replace (INR m * (g / b)) with (Delta / b) by (unfold Delta, Rdiv; ring); exact E2).
  destruct H as [H|H].
  - apply (interval 0 m); [|lia|exact F1|exact F2]. intros i Hi. specialize (H i Hi). simpl. lia.
  - apply (interval m 0); [|lia|rewrite Nat.add_0_r; exact F1|rewrite Nat.add_0_r; exact F2].
    intros i Hi. specialize (H i Hi). simpl. lia.
Qed.
End Cases.
