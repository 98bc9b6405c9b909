(** * The theorems on ranked selection by Gumbel noise are about something: three candidates, two places *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Points ClosedForm RaceNoise GumbelTop RankedRace RankedGumbel RankedDraw Instances.
Import ListNotations.
Open Scope R_scope.

Local Notation three := [0%nat; 1%nat; 2%nat].
(** Candidate 0 rises by two, candidate 1 falls by one, candidate 2 stays. *)
Definition first_scores (i : nat) : R := INR i.
Definition other_scores (i : nat) : R := match i with O => 2 | 1%nat => 0 | _ => INR i end.
Lemma scores_move i : In i three -> - (1 * INR 1) <= other_scores i - first_scores i <= 1 * INR 2.
Proof. unfold other_scores, first_scores. intros [<-|[<-|[<-|[]]]]; simpl; lra. Qed.
Local Notation release := (ranked_gumbel 1 1 1 three 2).

(** Delta is 0.31. *)
Example ranked_theorem_one_holds :
  close (exp 5) (race_gain (1 * INR (1 + 2) / 1) (two_sided_masses (/ 2) half) (Z.of_nat 2) 5 2)
    (release (two_sided (/ 2) half) first_scores) (release (two_sided (/ 2) half) other_scores).
Proof. refine (proj1 (ranked_theorem_one 1 1 1 three 2 Rlt_0_1 (/ 2) 5 1 2 Rlt_0_1 half _ _ _ scores_move)). lia. Qed.

(** Without noise on the bar, and candidate 0 alone rises, by two: the hazard grows from the first to the second. *)
Definition one_rises (i : nat) : R := match i with O => 2 | _ => INR i end.
Lemma rho_is : 1 < exp 2.
Proof. assert (exp 0 < exp 2) by (apply exp_increasing; lra). rewrite exp_0 in *. lra. Qed.
Example ranked_adversary_holds :
  close (exp 1) (U (exp 2) 1 2 (exp 1)) (release (ret 0%Z) first_scores) (release (ret 0%Z) one_rises).
Proof.
  pose proof rho_is. assert (Sg : (1 = 1 /\ 1 < exp 2) \/ (1 = -1 /\ exp 2 < 1)) by (left; lra).
  apply (ranked_adversary 1 1 1 three 2 Rlt_0_1 (U (exp 2) 1) (fun n => line (exp 2) 1 (Datatypes.S n)) 2 0); try lra.
  - apply U_start.
  - exact ends_continuous.
  - intros n z Hz. apply U_slope; [lra|exact Sg|exact Hz].
  - intros n z y Hz Hy. apply U_tangent; [lra|exact Sg|exact Hz|]. rewrite Rmin_left, Rmax_right by lra.
    rewrite <- exp_0. split; apply Noise.exp_mono; lra.
  - intros i [<-|[<-|[<-|[]]]]; unfold first_scores, one_rises; simpl; lra.
Qed.

(** The noise of the bar has moved it up by one step. Candidate 2 comes out and then candidate 0, of three and at most two; candidate 2 alone. *)
Local Notation drawn order := (chance (by_rates (rate_at 1 1 1 first_scores 1) (rate_at_pos 1 1 1 first_scores 1) 2 three)
  (is (list nat) (list_eq_dec Nat.eq_dec) order)).
Example ranked_is_drawn_holds :
  in_time 1 (1 + 1 * IZR 1) first_scores 2 three [2%nat; 0%nat] 0 = drawn [2%nat; 0%nat] /\
  in_time 1 (1 + 1 * IZR 1) first_scores 2 three [2%nat] 0 = drawn [2%nat].
Proof.
  assert (N : NoDup three) by (repeat constructor; simpl; intuition discriminate).
  split; apply ranked_is_drawn; simpl; auto; intuition.
Qed.
