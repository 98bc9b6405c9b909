(** * False claims about keys, refuted *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Keys KeyBits.
Import ListNotations.
Open Scope R_scope.

Lemma middle : 0 <= / 2 <= 1. Proof. lra. Qed.
Lemma upper : 0 <= 2 / 3 <= 1. Proof. lra. Qed.
Lemma lower : 0 <= / 3 <= 1. Proof. lra. Qed.
Definition always (x : R) (H : 0 <= x <= 1) (_ : history) : chances := fun _ => exist _ x H.
(** Key 0, until it is out. *)
Definition until_out (h : history) : list nat := match concat h with [] => [0%nat] | _ => [] end.
Definition some_out (h : history) : bool := match concat h with [] => false | _ => true end.
Definition all_lone (_ : history) (_ : nat) : bool := true.

(** ** Keys that one person alone brings in cost nothing: false *)
Theorem lone_keys_are_paid : ~ (forall p p' part lone E delta1 n, 0 <= E ->
  close E delta1 (rounds p part n []) (rounds p' part n []) -> close E delta1 (rounds p' part n []) (rounds p part n []) ->
  close E delta1 (rounds p part n []) (rounds p' (part' part lone) n [])).
Proof.
  intros C. assert (Same : close 1 0 (rounds (always (/ 2) middle) until_out 1 []) (rounds (always (/ 2) middle) until_out 1 []))
    by (intros event; lra).
  specialize (C _ _ _ all_lone 1 0 1%nat ltac:(lra) Same Same some_out). unfold chance in C. simpl in C. unfold at_ in C. simpl in C. lra.
Qed.

(** ** What one round adds is enough for two: false *)
Theorem every_round_is_paid : ~ (forall p p' part lone delta2 E delta1 n, 0 <= E ->
  (forall h, 1 - fold_right (fun i x => (1 - at_ (p h) i) * x) 1 (filter (lone h) (part h)) <= delta2) ->
  close E delta1 (rounds p part n []) (rounds p' part n []) -> close E delta1 (rounds p' part n []) (rounds p part n []) ->
  close E (delta1 + delta2) (rounds p part n []) (rounds p' (part' part lone) n [])).
Proof.
  intros C. assert (Same : close 1 0 (rounds (always (/ 2) middle) until_out 2 []) (rounds (always (/ 2) middle) until_out 2 []))
    by (intros event; lra).
  specialize (C (always (/ 2) middle) (always (/ 2) middle) until_out all_lone (/ 2) 1 0 2%nat ltac:(lra)).
  assert (D : forall h, 1 - fold_right (fun i x => (1 - at_ (always (/ 2) middle h) i) * x) 1 (filter (all_lone h) (until_out h)) <= / 2).
  { intros h. unfold until_out. destruct (concat h); unfold at_; simpl; lra. }
  specialize (C D Same Same some_out). unfold chance in C. simpl in C. unfold at_ in C. simpl in C. lra.
Qed.

(** ** A bit costs nothing, since only bits come out: false *)
Theorem bits_are_paid : ~ (forall p p' part (V : nat -> R -> R) eps last,
  (forall z, 0 < z -> 0 <= V last z /\ 1 - z <= V last z) -> (forall r z, 0 < z -> V (Datatypes.S r) z <= V r z) ->
  close (exp eps) (V 0%nat (exp eps)) (rounds p part last []) (rounds p' part last [])).
Proof.
  intros C. specialize (C (always (2 / 3) upper) (always (/ 3) lower) until_out (fun _ z => Rmax (1 - z) 0) 0 1%nat).
  specialize (C (fun z _ => conj (Rmax_r (1 - z) 0) (Rmax_l (1 - z) 0)) (fun _ _ _ => Rle_refl _) some_out).
  rewrite exp_0 in C. rewrite Rmax_right in C by lra. unfold chance in C. simpl in C. unfold at_ in C. simpl in C. lra.
Qed.
