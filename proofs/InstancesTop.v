(** * The theorems on the top by picks are about something: numbers in place of letters *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Ledger Filter Picks Top GumbelTop RefutedRace RefutedLedger RefutedTop.
Import ListNotations.
Open Scope R_scope.

Local Notation three := [0%nat; 1%nat; 2%nat].
Lemma three_differ : NoDup three.
Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma width_pos : 0 < 2 * ln 2.
Proof. pose proof ln2_pos. lra. Qed.

(** Candidate 0 falls by ln 2, candidate 1 rises by ln 2, candidate 2 stays. *)
Example top_delta_holds :
  close (exp (/ 2)) (reached (2 * ln 2 / 1) ends 2 (exp (/ 2))) (top 1 (ahead 0) 2 three []) (top 1 (ahead 1) 2 three []).
Proof. apply (top_delta 1 Rlt_0_1 (- ln 2) (2 * ln 2) width_pos). intros i _. apply ahead_moves. Qed.
Example top_picks_pure_holds :
  close (exp (2 * ln 2 / 1 * INR 2)) 0 (top 1 (ahead 0) 2 three []) (top 1 (ahead 1) 2 three []).
Proof. apply (top_picks_pure 1 Rlt_0_1 (- ln 2) (2 * ln 2) width_pos). intros i _. apply ahead_moves. Qed.
Example top_free_shift_holds :
  chance (top 1 (fun i => ahead 0 i + 7) 2 three []) (begins 0) = chance (top 1 (ahead 0) 2 three []) (begins 0).
Proof. apply (top_free_shift 1 Rlt_0_1 _ _ 7); [apply bounded_event|auto]. Qed.
Example gumbel_is_peeling_holds :
  in_order 1 (ahead 0) three [1%nat; 0%nat] 0
  = chance (top 1 (ahead 0) 2 three []) (is (list nat) (list_eq_dec Nat.eq_dec) [1%nat; 0%nat]).
Proof. apply gumbel_is_peeling; [exact three_differ|simpl; auto]. Qed.
Example gumbel_moment_holds : 1 - S (gumbel 1 Rlt_0_1) (- (1) * ln 3 - ahead 0 0) = exp (- (3 * strength 1 (ahead 0) 0)).
Proof. apply (gumbel_moment 1 Rlt_0_1 (ahead 0) 0 3). lra. Qed.

(** Randomised response has the range 2 ln 2. *)
Lemma response_range a : exp (- ln 2) <= yes_ratio a <= exp (2 * ln 2 - ln 2).
Proof.
  replace (2 * ln 2 - ln 2) with (ln 2) by ring. rewrite exp_Ropp, exp_ln by lra. destruct a; simpl; lra.
Qed.
Example picks_delta_holds :
  close (exp (/ 2)) (reached (2 * ln 2) ends 3 (exp (/ 2)))
    (filtered unit bool (as_often 5) (places unit bool 3) (fun _ _ => likely) 5 [])
    (filtered unit bool (as_often 5) (places unit bool 3) (fun _ _ => unlikely) 5 []).
Proof.
  apply (picks_delta (2 * ln 2) width_pos unit bool (as_often 5) (fun _ _ => likely) (fun _ _ => unlikely)
    (fun _ _ => yes_ratio) (fun _ _ => ln 2)).
  - intros _ _. exact response_range.
  - intros _ _ f _. simpl. lra.
Qed.
