(** * The theorems on keys are about something: three keys, two rounds

    The person holds keys 0 and 1, and key 0 takes part only with them; key 2 is as it is. What is out takes part no more. *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Keys KeyBits RefutedKeys.
Import ListNotations.
Open Scope R_scope.

Lemma tenth : 0 <= / 10 <= 1. Proof. lra. Qed.
Lemma twentieth : 0 <= / 20 <= 1. Proof. lra. Qed.
Definition held (_ : history) : chances := fun i =>
  match i with O => exist _ (/ 10) tenth | 1%nat => exist _ (2 / 3) upper | _ => exist _ (/ 2) middle end.
Definition unheld (_ : history) : chances := fun i =>
  match i with O => exist _ (/ 20) twentieth | 1%nat => exist _ (/ 3) lower | _ => exist _ (/ 2) middle end.
Definition left_over (h : history) : list nat :=
  filter (fun i => if in_dec Nat.eq_dec i (concat h) then false else true) [0%nat; 1%nat; 2%nat].
Definition holder (_ : history) (i : nat) : bool := (i <? 2)%nat.
Definition alone (_ : history) (i : nat) : bool := (i =? 0)%nat.

(** Chances that differ by a factor of two at most, of "out" and of "not out". *)
Definition near (_ _ : nat) (x y : R) : Prop :=
  0 < x < 1 /\ 0 < y < 1 /\ (x <= 2 * y /\ y <= 2 * x) /\ 1 - x <= 2 * (1 - y) /\ 1 - y <= 2 * (1 - x).
Definition stick (k : nat) (z : R) : R := Rmax (1 - z / 2 ^ k) 0.
Definition to_come (r : nat) : R -> R := stick (2 * (2 - r)).
Definition within_round (r _ j : nat) : R -> R := stick (j + 2 * (2 - Datatypes.S r)).

Lemma stick_rises j k z : (j <= k)%nat -> 0 < z -> stick j z <= stick k z.
Proof.
  intros H Hz. unfold stick. apply Rmax_lub; [|apply Rmax_r]. apply Rle_trans with (2 := Rmax_l _ _).
  assert (/ 2 ^ k <= / 2 ^ j) by (apply Rinv_le_contravar; [apply pow_lt; lra|apply Rle_pow; [lra|exact H]]).
  assert (z * / 2 ^ k <= z * / 2 ^ j) by (apply Rmult_le_compat_l; lra). unfold Rdiv. lra.
Qed.
Lemma stick_half k z u : 0 < z -> / 2 <= u -> stick k (z * u) <= stick (Datatypes.S k) z.
Proof.
  intros Hz Hu. unfold stick. apply Rmax_lub; [|apply Rmax_r]. apply Rle_trans with (2 := Rmax_l _ _).
  assert (P : 0 < 2 ^ k) by (apply pow_lt; lra). cbn [pow].
  replace (z / (2 * 2 ^ k)) with (z * / 2 * / 2 ^ k) by (field; lra). unfold Rdiv.
  assert (z * / 2 * / 2 ^ k <= z * u * / 2 ^ k); [|lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P|apply Rmult_le_compat_l; lra].
Qed.
Lemma half_quotient x y : 0 < x -> x <= 2 * y -> / 2 <= y / x.
Proof. intros Hx H. apply Rmult_le_reg_r with x; [exact Hx|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma stick_bit k z x y r t : 0 < z -> near r t x y ->
  x * stick k (z * (y / x)) + (1 - x) * stick k (z * ((1 - y) / (1 - x))) <= stick (Datatypes.S k) z.
Proof.
  intros Hz (Hx & Hy & (A & _) & B & _).
  pose proof (stick_half k z _ Hz (half_quotient x y ltac:(lra) A)) as S1.
  pose proof (stick_half k z _ Hz (half_quotient (1 - x) (1 - y) ltac:(lra) B)) as S2.
  apply Rmult_le_compat_l with (r := x) in S1; [|lra]. apply Rmult_le_compat_l with (r := 1 - x) in S2; [|lra]. lra.
Qed.

Lemma two_held h : (length (filter (holder h) (left_over h)) <= 2 <= 2)%nat.
Proof. unfold left_over. cbn [filter]. repeat destruct (in_dec Nat.eq_dec _ _); simpl; lia. Qed.

Lemma bits_near (c c' : history -> chances) eps :
  (forall h i, holder h i = false -> at_ (c h) i = at_ (c' h) i) ->
  (forall h i, holder h i = true -> near (length h) 2 (at_ (c h) i) (at_ (c' h) i)) ->
  close (exp eps) (stick 4 (exp eps)) (rounds c left_over 2 []) (rounds c' left_over 2 []).
Proof.
  intros Same Near.
  apply (key_bits c c' left_over holder (fun _ => 2%nat) 2 2 two_held Same near) with (V := to_come) (U := within_round).
  - intros r t x y (Hx & Hy & _). split; assumption.
  - exact Near.
  - intros z Hz. unfold to_come, stick. simpl. split; [apply Rmax_r|]. replace (z / 1) with z by field. apply Rmax_l.
  - intros r t z Hz. apply Rle_refl.
  - intros r t j z Hz. apply stick_rises; [lia|exact Hz].
  - intros r t j z x y Hz N. apply (stick_bit _ z x y r t Hz N).
  - intros r t z Hz Hr Ht. apply stick_rises; [lia|exact Hz].
Qed.

Lemma held_same h i : holder h i = false -> at_ (held h) i = at_ (unheld h) i.
Proof. unfold holder. destruct i as [|[|i]]; try discriminate. reflexivity. Qed.
Lemma held_near h i : holder h i = true ->
  near (length h) 2 (at_ (held h) i) (at_ (unheld h) i) /\ near (length h) 2 (at_ (unheld h) i) (at_ (held h) i).
Proof. unfold holder, near. destruct i as [|[|i]]; try discriminate; unfold at_; simpl; intros _; lra. Qed.

(** Four bits, each of which costs ln 2 at most: epsilon = 5/2 is less than they may cost, and delta = 1 - e^(5/2)/16. *)
Example key_bits_holds : close (exp (5 / 2)) (stick 4 (exp (5 / 2))) (rounds held left_over 2 []) (rounds unheld left_over 2 []).
Proof. apply bits_near; [exact held_same|intros h i H; apply held_near, H]. Qed.

(** Key 0 comes out with chance 1/10 in a round: delta is 0.24 for the bits and 0.2 for the lone key, 0.1 in each of two rounds. *)
Example key_rounds_holds :
  close (exp (5 / 2)) (stick 4 (exp (5 / 2)) + delta2_from (fun _ => / 10) 0 2)
    (rounds held left_over 2 []) (rounds unheld (part' left_over alone) 2 []).
Proof.
  refine (proj1 (key_rounds held unheld left_over alone (fun _ => 1%nat) (fun _ => / 10) (fun _ => / 10) _ _ _ _
    (exp (5 / 2)) (stick 4 (exp (5 / 2))) 2 _ key_bits_holds _)).
  - intros; lra.
  - intros h. unfold left_over. cbn [filter]. repeat destruct (in_dec Nat.eq_dec _ _); simpl; lia.
  - intros h i. unfold alone. destruct i; [|discriminate]. unfold at_. simpl. intros; lra.
  - intros h. simpl. lra.
  - left. apply exp_pos.
  - apply bits_near; [intros h i H; symmetry; apply held_same, H|intros h i H; apply held_near, H].
Qed.
