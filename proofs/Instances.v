(** * The theorems are about something

    A theorem whose assumptions never hold says nothing. Here each headline theorem is applied to numbers and nothing is
    left to assume: noise of scale 1, a grid of 1, and two datasets that differ. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Draws Digits Rounding Points Pure Cases Resample Ranking Ranked RankedCases
  Unlisted UnlistedRanked UnlistedQueue
  Hazard Race PartialShift RaceCases ShiftCases Adversary OnePositive ClosedForm RaceNoise
  RefutedPure RefutedRace RefutedDelta RefutedDraws RefutedRanked.
Import ListNotations.
Open Scope R_scope.

Lemma half : 0 < / 2 < 1.
Proof. lra. Qed.
Lemma one_positive_number : (0 < 1)%nat.
Proof. lia. Qed.

(** ** Lots and what comes after *)
Example close_lots_known_holds :
  close 2 0 (x <- coin (/ 2) half_range ;; y <- coin (/ 2) half_range ;; ret (x, y))
            (x <- coin (/ 2) half_range ;; y <- coin (/ 4) quarter_range ;; ret (x, y)).
Proof.
  apply close_lots_known; try lra. intros _ event. unfold chance. simpl. destruct (event true), (event false); lra.
Qed.

(** ** Draws and rounding *)
Example geometric_climbs_holds : climbs (/ / 2) (geometric (/ 2) half).
Proof. apply geometric_climbs. Qed.
Example two_sided_climbs_holds : climbs (/ / 2) (two_sided (/ 2) half).
Proof. apply two_sided_climbs. Qed.
Example geometric_tail_holds : chance (geometric (/ 2) half) (fun n => (Z.of_nat 3 <=? n)%Z) = / 8.
Proof. rewrite geometric_tail. simpl. lra. Qed.
Example geometric_toss_holds :
  chance (geometric (/ 2) half) (fun n => (n =? 0)%Z)
  = (1 - / 2) * 1 + / 2 * chance (geometric (/ 2) half) (fun n => (n + 1 =? 0)%Z).
Proof. apply (geometric_toss (/ 2) half (fun n => if (n =? 0)%Z then 1 else 0)). apply bounded_event. Qed.
Example by_digits_holds : chance (by_digits 3 (/ 2) half) (fun n => (n =? 9)%Z) = / 2 ^ 10.
Proof.
  unfold chance. rewrite by_digits_geometric by apply bounded_event. rewrite at_zero, geometric_point.
  unfold geometric_mass. simpl. lra.
Qed.
Example difference_holds : chance (difference (/ 2) half) (fun n => (n =? 0)%Z) = / 3.
Proof.
  unfold chance. rewrite difference_two_sided by apply bounded_event.
  rewrite two_sided_half by (intros n Hn; destruct n; try lia; reflexivity).
  rewrite at_zero, geometric_point. unfold geometric_mass. simpl. lra.
Qed.
Lemma one_over_one : 0 < 1 / 1.
Proof. lra. Qed.
Example floored_exponential_holds :
  chance (grid_exponential 1 1 one_over_one) (fun n => (2 <=? n)%Z) = S (exponential 1 Rlt_0_1) (1 * 2).
Proof. apply floored_exponential. Qed.
Example steps_shift_holds : steps 1 (/ 2 + 1 * 3) = (steps 1 (/ 2) + 3)%Z.
Proof. apply steps_shift. lra. Qed.
Example steps_sensitivity_holds : (- 0 <= steps 1 (3 / 2) - steps 1 (/ 2) <= 1)%Z.
Proof. apply steps_sensitivity; simpl; lra. Qed.

(** ** The sparse vector technique: the first query rises by 1, all others fall by 1 (or stay) *)
Local Notation N := (exponential 1 Rlt_0_1).
Local Notation p := (geometric (/ 2) half).
Lemma both_ways past : - 1 <= after 1 past - before past <= 1 * INR 1.
Proof. unfold after, before. destruct past; simpl; lra. Qed.
Lemma within past : Rabs (after 1 past - before past) <= 1 * INR 1.
Proof. pose proof (both_ways past). simpl in *. unfold Rabs. destruct (Rcase_abs _); lra. Qed.
Lemma one_way past : 0 <= after 0 past - before past <= 1 * INR 1.
Proof. unfold after, before. destruct past; simpl; lra. Qed.

Example svt_transcript_holds :
  chance (sparse_vector N 0 p 1 9 2 before) (same [false; true])
  <= (/ / 2) ^ 1 * exp (/ 1 * (1 + 1 * INR 1) * INR 1) * chance (sparse_vector N 0 p 1 9 2 (after 1))
    (same [false; true]).
Proof.
  apply (svt_transcript N 0 p (/ / 2) ltac:(lra) (geometric_climbs (/ 2) half) 1 ltac:(lra) 9 2 before (after 1) 1 1
    ltac:(lra) both_ways [false; true]).
Qed.
Example svt_pure_holds :
  close ((/ / 2) ^ 1 * exp (/ 1 * (1 + 1 * INR 1) * INR 2)) 0
    (sparse_vector N 0 p 1 9 2 before) (sparse_vector N 0 p 1 9 2 (after 1)).
Proof.
  apply (svt_pure N 0 p (/ / 2) ltac:(lra) (geometric_climbs (/ 2) half) 1 ltac:(lra) 9 2 before (after 1) 1 1
    ltac:(lra) both_ways).
Qed.

Local Notation one_sided := (geometric (ratio 1 1) (ratio_range 1 1 Rlt_0_1 one_positive_number)).
Example svt_one_sided_holds :
  close (exp (1 + INR 2 * (2 * (1 * INR 1) / 1))) 0 (sparse_vector N 0 one_sided 1 9 2 before)
                                                    (sparse_vector N 0 one_sided 1 9 2 (after 1)).
Proof. apply svt_one_sided; [lra|exact within]. Qed.
Example svt_one_sided_monotonic_holds :
  close (exp (1 + INR 2 * (1 * INR 1 / 1))) 0 (sparse_vector N 0 one_sided 1 9 2 before)
                                              (sparse_vector N 0 one_sided 1 9 2 (after 0)).
Proof. apply svt_one_sided_monotonic; [lra|left; exact one_way]. Qed.
Local Notation laplace := (two_sided (ratio 1 1) (ratio_range 1 1 Rlt_0_1 one_positive_number)).
Example svt_exponential_laplace_holds :
  close (exp (1 + INR 2 * (2 * (1 * INR 1) / 1))) 0 (sparse_vector N 0 laplace 1 9 2 before)
                                                    (sparse_vector N 0 laplace 1 9 2 (after 1)).
Proof. apply svt_exponential_laplace; [lra|exact within]. Qed.
Example resampled_pure_holds :
  close (((/ / 2) ^ 1 * exp (/ 1 * (1 + 1 * INR 1))) ^ 2) 0 (resampled N 0 p 1 9 2 before)
    (resampled N 0 p 1 9 2 (after 1)).
Proof.
  apply (resampled_pure N 0 p (/ / 2) ltac:(lra) (geometric_climbs (/ 2) half) 1 ltac:(lra) before (after 1) 1 1
    ltac:(lra) both_ways 2 9). lia.
Qed.

(** ** Ranked selection *)
Example released_spec_holds : Spec (scores 3 3) (scores 7 2) 1 (Some 1%Z) [0%nat; 1%nat] [1%nat].
Proof. apply released_spec; [exact first_two|reflexivity]. Qed.

Local Notation keys := (n <- p ;; ret (fun i => if (i =? 0)%nat then n else 1%Z)).
Local Notation release := (ranked_release 1 1 1 one_over_one one_over_one keys [0%nat; 1%nat] 1 0).

Example ranked_general_holds : close (exp 2) 0 (release (scores 0 0)) (release (scores 1 (-1))).
Proof.
  apply ranked_general with (m := 1%nat); [exact first_two|lia| |simpl; lra|simpl; lra].
  intros i _. destruct i; simpl; lia.
Qed.
Lemma one_person i : In i [0%nat; 1%nat] -> (0 <= scores 1 5 i - scores 0 5 i <= Z.of_nat 1)%Z.
Proof. intros _. destruct i; simpl; lia. Qed.
Example ranked_monotonic_holds : close (exp 1) 0 (release (scores 1 5)) (release (scores 0 5)).
Proof.
  apply ranked_monotonic with (m := 1%nat); [exact first_two|lia|right; exact one_person|simpl; lra|simpl; lra].
Qed.
Example ranked_free_bar_holds :
  close ((/ / 2) ^ (2 * (1 + 1))) 0 (ranked p p keys [0%nat; 1%nat] 2 (Some 0%Z) (scores 0 0))
                                    (ranked p p keys [0%nat; 1%nat] 2 (Some 0%Z) (scores 1 (-1))).
Proof.
  apply ranked_free_bar with (Ab := / / 2); try lra; try apply geometric_climbs; [exact first_two| |lia|].
  - intros i _. destruct i; simpl; lia.
  - simpl. lra.
Qed.
Example ranked_top_holds :
  close ((/ / 2) ^ (2 * (1 + 1))) 0 (ranked p (ret 0%Z) keys [0%nat; 1%nat] 2 None (scores 0 0))
                                    (ranked p (ret 0%Z) keys [0%nat; 1%nat] 2 None (scores 1 (-1))).
Proof.
  apply ranked_top with (Ab := 1); try lra; try apply geometric_climbs; [exact first_two| |reflexivity].
  intros i _. destruct i; simpl; lia.
Qed.

(** Item 0 is held by one person alone. *)
Example ranked_unlisted_holds :
  close (exp 1) (0 + INR 1 * passes Z (grid_exponential 1 1 one_over_one) (lead (grid_exponential 1 1 one_over_one) 0) 1)
    (release (scores 1 5)) (ranked_release 1 1 1 one_over_one one_over_one keys [1%nat] 1 0 (scores 0 5)).
Proof.
  apply (ranked_unlisted (grid_exponential 1 1 one_over_one) (grid_exponential 1 1 one_over_one) keys 1 0 [0%nat; 1%nat]
    (fun i => (i =? 0)%nat) first_two (scores 1 5) (scores 0 5) 1 1).
  - simpl. lia.
  - intros i _ Hi. apply Nat.eqb_eq in Hi. subst i. simpl. lia.
  - left. apply exp_pos.
  - exact ranked_monotonic_holds.
  - apply ranked_monotonic with (m := 1%nat); [exact first_two|lia|left; exact one_person|simpl; lra|simpl; lra].
Qed.

(** An item that nobody else holds, and whose score is zero, beside another: three rounds. *)
Local Notation queue := (select Z p keys (queued N 0 1 3) 1).
Example queue_unlisted_holds :
  close 1 (0 + INR 1 * passes_queue N p 0 1 3 1) (queue [0%nat; 1%nat] (scores 0 5)) (queue [1%nat] (scores 0 5)).
Proof.
  apply (queue_unlisted N p keys 0 1 3 1 ltac:(lra) [0%nat; 1%nat] (fun i => (i =? 0)%nat) first_two
    (scores 0 5) (scores 0 5) 1 1);
    try lra; [simpl; lia| |intros event; lra|intros event; lra].
  intros i _ Hi. apply Nat.eqb_eq in Hi. subst i. simpl. lia.
Qed.

(** ** (epsilon, delta): a query that rises by ln(3/2), or one that falls by ln 2 *)
Local Notation G := (gumbel 1 Rlt_0_1).
Local Notation g := (ln 3 - ln 2).
Lemma g_positive : 0 < g.
Proof. apply bigger. lra. Qed.
Lemma rises_by_g past : query (INR 3) past - query (INR 2) past = g.
Proof. rewrite query_moves by lia. f_equal; f_equal; simpl; ring. Qed.
Lemma exp_g : exp (- g) = 2 / 3.
Proof.
  replace (- (ln 3 - ln 2)) with (ln 2 + - ln 3) by ring. rewrite exp_plus, exp_Ropp, !exp_ln by lra. reflexivity.
Qed.

Example one_step_holds :
  power 2 (1 - exp (- (2))) (1 - exp (- (1))) + charge 2 (ln 2 - ln 1) * power 2 (exp (- (2))) (exp (- (1)))
  <= charge 2 (ln 2 - ln 1).
Proof. apply one_step; try lra. rewrite ln_1, Rminus_0_r, exp_ln; lra. Qed.

Example bare_delta_holds :
  close (exp 1) (factor 2 1 * Rmax (charge 2 (0 / 1)) (charge 2 (- (g / 1))) ^ 2)
    (run G 0 (query (INR 2)) 0 9 2 []) (run G 0 (query (INR 3)) 0 9 2 []).
Proof.
  pose proof g_positive. apply bare_delta; try lra.
  - intros past. rewrite rises_by_g. lra.
  - replace (- (g / 1)) with (- g) by field. rewrite exp_g. lra.
Qed.

Local Notation run_with_noise := (sparse_vector G 0 (two_sided (/ 2) half) g 9 2).
(** Two grid steps to Delta, and a shift by one of them: neither Theorem 1, which shifts by both, nor Theorem 2. *)
Lemma rises_by_two_g past : query (INR 9) past - query (INR 4) past = g * INR 2.
Proof.
  rewrite query_moves by lia. replace (INR 9) with (3 * 3) by (simpl; ring). replace (INR 4) with (2 * 2) by (simpl; ring).
  rewrite !ln_mult by lra. simpl. ring.
Qed.
Example partial_shift_delta_holds :
  close (exp 1) (factor 2 1 * (shift_moment 2 (two_sided_masses (/ 2) half) 1
                  * Rmax (charge 2 ((g * 1 + 0) / 1)) (charge 2 (- ((g * 2 - g * 1) / 1))) ^ 2))
    (run_with_noise (query (INR 4))) (run_with_noise (query (INR 9))).
Proof.
  pose proof g_positive. apply (partial_shift_delta 2 1 1 0 g ltac:(lra) Rlt_0_1 _ _ 0 (g * 2)); try lra.
  - intros past. rewrite rises_by_two_g. simpl INR. lra.
  - replace (- ((g * 2 - g * 1) / 1)) with (- g) by field. rewrite exp_g. lra.
Qed.

Lemma within_g past : Rabs (query (INR 3) past - query (INR 2) past) <= g * INR 1.
Proof. pose proof g_positive. rewrite rises_by_g, Rabs_pos_eq; simpl; lra. Qed.
Lemma one_way_g past : 0 <= query (INR 3) past - query (INR 2) past <= g * INR 1.
Proof. pose proof g_positive. rewrite rises_by_g. simpl. lra. Qed.
Lemma within_two_g past : Rabs (query (INR 9) past - query (INR 4) past) <= g * INR 2.
Proof. pose proof g_positive. rewrite rises_by_two_g, Rabs_pos_eq; simpl; lra. Qed.
Lemma one_way_two_g past : 0 <= query (INR 9) past - query (INR 4) past <= g * INR 2.
Proof. pose proof g_positive. rewrite rises_by_two_g. simpl. lra. Qed.
Lemma order_allowed : 0 < 1 + 2 * (exp (- step 1 g (2 - 1)) - 1).
Proof. unfold step. simpl. replace (- (g * 1 / 1)) with (- g) by field. rewrite exp_g. lra. Qed.

Example theorem_four_general_holds :
  close (exp 1) (shifted 2 (/ 2) half 1 1 2 (step 1 g (2 + 1)) (step 1 g (2 - 1)))
    (run_with_noise (query (INR 4))) (run_with_noise (query (INR 9))).
Proof. pose proof g_positive. apply theorem_four_general; try lra; [lia|exact within_two_g|exact order_allowed]. Qed.
Example theorem_four_monotonic_holds :
  close (exp 1) (shifted 2 (/ 2) half 1 1 2 (step 1 g 1) (step 1 g (2 - 1)))
    (run_with_noise (query (INR 4))) (run_with_noise (query (INR 9))).
Proof. pose proof g_positive. apply theorem_four_monotonic; try lra; [lia|left; exact one_way_two_g|exact order_allowed]. Qed.
Example theorem_one_general_holds :
  close (exp 1) (race_gain (2 * (g * INR 1) / 1) (two_sided_masses (/ 2) half) (Z.of_nat 1) 1 2)
    (run_with_noise (query (INR 2))) (run_with_noise (query (INR 3))).
Proof. apply theorem_one_general; try lia; [exact g_positive|exact within_g]. Qed.
Example theorem_one_monotonic_holds :
  close (exp 1) (race_gain (g * INR 1 / 1) (two_sided_masses (/ 2) half) (Z.of_nat 1) 1 2)
    (run_with_noise (query (INR 2))) (run_with_noise (query (INR 3))).
Proof. apply theorem_one_monotonic; try lia; [exact g_positive|left; exact one_way_g]. Qed.

(** Theorem 9 at half of the shift, for one positive: the first query rises by two steps, all others stay, and the threshold moves by
    one, so that hazards rise and fall by g. Both directions. *)
Local Notation noise_masses := (two_sided_masses (/ 2) half).
Local Notation one_of_noise := (sparse_vector G 0 (grid noise_masses) g 9 1).
Local Notation mean_of_ends k := (ev (grid noise_masses) (fun t => OnePositive.U g 1 (exp 1 * tilt noise_masses k t))).
Definition first_rises (past : list bool) : R := match past with [] => 2 * g | _ => 0 end.
Definition none_rises (_ : list bool) : R := 0.
Lemma half_shift k q q' : (k = 1 \/ k = -1)%Z -> (forall past, - g <= (g * IZR k - (q' past - q past)) / 1 <= g) ->
  close (exp 1) (mean_of_ends k) (one_of_noise q) (one_of_noise q').
Proof.
  intros Hk Hq. pose proof g_positive as P.
  apply (adversary_shifted (OnePositive.U g) (OnePositive.slope g) g g) with (W := (/ / 2) ^ Z.abs_nat k); auto; try lra.
  - intros z Hz. simpl. split; [apply Rmax_r|apply Rmax_l].
  - intros [|j] z Hz; simpl.
    + apply W_derive; assumption.
    + apply (@Derive.is_derive_const Hierarchy.R_AbsRing Hierarchy.R_NormedModule 1 z).
  - intros. apply OnePositive.U_tangent; assumption.
  - intros. apply OnePositive.U_convex; assumption.
  - intros z Hz. apply W_below_one; assumption.
  - intros t. apply two_sided_above, half.
  - intros t. apply (laplace_tilt (/ 2) half k t).
Qed.
Example adversary_shifted_holds :
  close (exp 1) (mean_of_ends 1%Z) (one_of_noise none_rises) (one_of_noise first_rises) /\
  close (exp 1) (mean_of_ends (-1)%Z) (one_of_noise first_rises) (one_of_noise none_rises).
Proof.
  pose proof g_positive. split; apply half_shift; auto; intros past; unfold none_rises, first_rises; destruct past; lra.
Qed.

Example one_positive_holds :
  close (exp 1) ((exp (ln 2) - 1) / (exp (ln 2) + 1) * exp (- (1 / (exp (ln 2) - 1))))
    (run G 0 (one_then_the_other 2 2) 0 9 1 []) (run G 0 (one_then_the_other 1 4) 0 9 1 []).
Proof. apply one_positive; try lra; [exact ln2_pos|exact both_directions]. Qed.
Example race_falling_holds :
  let x := Rmax ((INR 2 * g - 1) / (1 - exp (- g))) 0 in
  close (exp 1) ((1 - Q 2 x) - exp 1 * (1 - Q 2 (x * exp (- g))))
    (run G 0 (query (INR 3)) 0 9 2 []) (run G 0 (query (INR 2)) 0 9 2 []).
Proof.
  pose proof g_positive. apply race_falling; [exact g_positive|lia|]. intros past. rewrite rises_by_g.
  replace (g / 1) with g by field. lra.
Qed.
Example race_rising_holds :
  let x := Rmax ((1 + INR 2 * g) / (exp g - 1)) 0 in
  close (exp 1) (Q 2 x - exp 1 * Q 2 (x * exp g))
    (run G 0 (query (INR 2)) 0 9 2 []) (run G 0 (query (INR 3)) 0 9 2 []).
Proof.
  pose proof g_positive. apply race_rising; [exact g_positive|lia|]. intros past. rewrite rises_by_g.
  replace (g / 1) with g by field. lra.
Qed.
