(** * Scores on the grid

    A score q goes to floor(q/g + 1/2) grid steps. That commutes with shifts by whole steps, so
    a sensitivity of m steps stays m steps. *)
Require Import Reals Lra Lia ZArith.
Open Scope R_scope.

Definition steps (g q : R) : Z := Int_part (q / g + / 2).

Lemma Int_part_spec x z : IZR z <= x < IZR z + 1 -> Int_part x = z.
Proof.
  intros H. unfold Int_part. assert (up x = (z + 1)%Z); [|lia].
  symmetry. apply tech_up; rewrite plus_IZR; lra.
Qed.

Lemma Int_part_bounds x : IZR (Int_part x) <= x < IZR (Int_part x) + 1.
Proof. pose proof (base_Int_part x). lra. Qed.

(** THEOREM. Flooring commutes with shifts by whole steps. *)
Theorem steps_shift g q (m : Z) : 0 < g -> steps g (q + g * IZR m) = (steps g q + m)%Z.
Proof.
  intros Hg. unfold steps. apply Int_part_spec. rewrite plus_IZR.
  replace ((q + g * IZR m) / g + / 2) with (q / g + / 2 + IZR m) by (field; lra).
  pose proof (Int_part_bounds (q / g + / 2)). lra.
Qed.

Lemma steps_rises g q q' : 0 < g -> q <= q' -> (steps g q <= steps g q')%Z.
Proof.
  intros Hg H. unfold steps. apply Zlt_succ_le. apply lt_IZR. rewrite succ_IZR.
  pose proof (Int_part_bounds (q / g + / 2)). pose proof (Int_part_bounds (q' / g + / 2)).
  assert (q / g <= q' / g) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra). lra.
Qed.

(** THEOREM. The sensitivity stays what it is, in both settings: [low] and [high] are whole steps. *)
Theorem steps_sensitivity g q q' (low high : Z) : 0 < g ->
  - (g * IZR low) <= q' - q <= g * IZR high ->
  (- low <= steps g q' - steps g q <= high)%Z.
Proof.
  intros Hg H.
  assert (steps g q' <= steps g (q + g * IZR high))%Z by (apply steps_rises; lra).
  assert (steps g (q + g * IZR (- low)) <= steps g q')%Z by (apply steps_rises; [auto|rewrite opp_IZR; lra]).
  rewrite steps_shift in * by exact Hg. lia.
Qed.
