(** * The theorems on an uneven reach are about something: scores move by - 1 to 2 grid steps *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Draws Points Pure Hazard Race PartialShift RaceCases ShiftCases RaceNoise
  Ranking Ranked RankedCases ReachCases RefutedDraws RefutedRanked Instances.
Import ListNotations.
Open Scope R_scope.

(** The first query rises by two, all others fall by one. *)
Definition still (_ : list bool) : R := 0.
Definition uneven (step : R) (past : list bool) : R := match past with [] => step * 2 | _ => - step end.
Lemma uneven_within step past : 0 < step -> - (step * INR 1) <= uneven step past - still past <= step * INR 2.
Proof. intros H. unfold uneven, still. destruct past; simpl; lra. Qed.

Local Notation E := (exponential 1 Rlt_0_1).
Local Notation p := (grid_exponential 1 1 one_over_one).
Example svt_reach_holds :
  let eps := 1 * INR 2 / 1 + INR 2 * (/ 1 * (1 * INR 3)) in
  close (exp eps) 0 (sparse_vector E 0 p 1 9 2 still) (sparse_vector E 0 p 1 9 2 (uneven 1)).
Proof.
  apply (svt_reach 0 1 1 2 9 2 Rlt_0_1 still (uneven 1) (fun past => uneven_within 1 past Rlt_0_1) E 1 p Rlt_0_1
    (grid_exponential_climbs 1 1 one_over_one)).
Qed.
Example ranked_reach_holds :
  close (exp 6) 0 (ranked_release 1 1 1 one_over_one one_over_one (ret (fun i => Z.of_nat i)) [0%nat; 1%nat] 2 0 (scores 0 0))
                  (ranked_release 1 1 1 one_over_one one_over_one (ret (fun i => Z.of_nat i)) [0%nat; 1%nat] 2 0 (scores 2 (-1))).
Proof.
  refine (proj1 (ranked_reach 1 1 1 one_over_one one_over_one _ _ first_two 2 1 2 0 _ _ _ _ 6 _ _)); try (simpl; lra); [lia|].
  intros i _. destruct i; simpl; lia.
Qed.

(** Steps of ln(3/2), and a shift by one of the two. *)
Local Notation g := (ln 3 - ln 2).
Local Notation race := (sparse_vector (gumbel 1 Rlt_0_1) 0 (two_sided (/ 2) half) g 9 2).
Example theorem_one_reach_holds :
  close (exp 1) (race_gain (g * INR (1 + 2) / 1) (two_sided_masses (/ 2) half) (Z.of_nat 2) 1 2) (race (uneven g)) (race still).
Proof.
  apply (theorem_one_reach 0 g 1 2 9 2 g_positive still (uneven g) (fun past => uneven_within g past g_positive) 1 1 (/ 2)
    Rlt_0_1 half). lia.
Qed.
Example theorem_four_reach_holds :
  close (exp 1) (shifted 2 (/ 2) half 1 1 2 (step 1 g (2 + Nat.min 1 1)) (step 1 g (2 - 1))) (race (uneven g)) (race still).
Proof.
  apply (theorem_four_reach 0 g 1 2 9 2 g_positive still (uneven g) (fun past => uneven_within g past g_positive) 1 1 (/ 2)
    Rlt_0_1 half 2 1); [lra|lia|lia|exact order_allowed].
Qed.
