(** * The theorems on the monitor are about something: numbers in place of letters *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Hazard Race RaceCases ClosedForm Filter Monitor RefutedRace.
Import ListNotations.
Open Scope R_scope.

(** Two kinds of questions: the person counts in one of them. Which is asked depends on the last answer. *)
Definition by_last (v : view bool bool) : option bool := match v with (_, Some a) :: _ => Some a | _ => Some true end.
Definition bars (v : view bool bool) (x : bool) : R := if x then 1 else INR (length v).
Definition rest (v : view bool bool) (_ : bool) : R := INR (length v).
Definition counts (_ : view bool bool) (x : bool) : R := if x then 1 else 0.
Lemma counts_within v x : 0 <= counts v x / 1 <= 1.
Proof. destruct x; simpl; lra. Qed.
Local Notation watch q := (monitor 1 Rlt_0_1 bool by_last bars q 9).

Example hits_with_holds :
  let g := Rmax ((INR 2 * 1 - / 2) / (1 - exp (- (1)))) 0 in
  close (exp (/ 2)) ((1 - Q 2 g) - exp (/ 2) * (1 - Q 2 (g * exp (- (1))))) (watch (with_hits bool rest counts 2)) (watch rest).
Proof. apply (hits_with 1 Rlt_0_1 bool by_last bars rest counts 2 1); [lia|lra|exact counts_within]. Qed.
Example hits_without_holds :
  let g := Rmax ((/ 2 + INR 2 * 1) / (exp 1 - 1)) 0 in
  close (exp (/ 2)) (Q 2 g - exp (/ 2) * Q 2 (g * exp 1)) (watch rest) (watch (with_hits bool rest counts 2)).
Proof. apply (hits_without 1 Rlt_0_1 bool by_last bars rest counts 2 1); [lia|lra|exact counts_within]. Qed.

(** Order 2, weights up to ln(3/2), of which [true] has all and [false] a part, with the other sign. *)
Definition parts (_ : view bool bool) (x : bool) : R := if x then ln 3 - ln 2 else - ((ln 3 - ln 2) / 3).
Example weights_limit_holds :
  close (exp 1) (factor 2 1 * exp ((2 - 1) * / 3)) (watch (with_weights 1 bool rest parts 2 (/ 3))) (watch rest).
Proof.
  assert (L : 0 < ln 3 - ln 2) by (apply bigger; lra).
  refine (proj1 (weights_limit 1 Rlt_0_1 bool by_last bars rest parts 2 (/ 3) (ln 3 - ln 2) 1 9 _ _ _ _ _)); try lra.
  - replace (- (ln 3 - ln 2)) with (ln 2 + - ln 3) by ring. rewrite exp_plus, exp_Ropp, !exp_ln by lra. lra.
  - intros v x. unfold parts. destruct x; [rewrite Rabs_pos_eq by lra; lra|]. rewrite Rabs_Ropp, Rabs_pos_eq by lra. lra.
Qed.
