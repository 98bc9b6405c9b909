(** * Keys that nobody listed: one bit after the other

    Of each key only a bit comes out. [V r z] is what an adversary can still reach when r rounds are over, z = e^(epsilon - loss so far);
    [U r t j z] the same within round r, of a person who keeps t keys in it, when j of their bits are still to come. *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Keys.
Import ListNotations.
Open Scope R_scope.

Section Bits.
Variables p p' : history -> chances.
Variable part : history -> list nat.
Variable holds : history -> nat -> bool.         (* the person keeps this key in this round *)
Variable kept : history -> nat.
Variables most last : nat.                       (* keys that a person keeps at most, and rounds *)
Hypothesis Hkept : forall h, (length (filter (holds h) (part h)) <= kept h <= most)%nat.
Hypothesis Hsame : forall h i, holds h i = false -> at_ (p h) i = at_ (p' h) i.

(** [apart r t x y]: chances that such a bit may have, in round r, for who keeps t keys. *)
Variable apart : nat -> nat -> R -> R -> Prop.
Hypothesis apart_inside : forall r t x y, apart r t x y -> 0 < x < 1 /\ 0 < y < 1.
Hypothesis Hapart : forall h i, holds h i = true -> apart (length h) (kept h) (at_ (p h) i) (at_ (p' h) i).

Variable V : nat -> R -> R.
Variable U : nat -> nat -> nat -> R -> R.
Hypothesis V_last : forall z, 0 < z -> 0 <= V last z /\ 1 - z <= V last z.
Hypothesis U_none : forall r t z, 0 < z -> V (Datatypes.S r) z <= U r t 0 z.
Hypothesis U_more : forall r t j z, 0 < z -> U r t j z <= U r t (Datatypes.S j) z.
(** One bit in front. *)
Hypothesis U_bit : forall r t j z x y, 0 < z -> apart r t x y ->
  x * U r t j (z * (y / x)) + (1 - x) * U r t j (z * ((1 - y) / (1 - x))) <= U r t (Datatypes.S j) z.
Hypothesis U_all : forall r t z, 0 < z -> (r < last)%nat -> (t <= most)%nat -> U r t t z <= V r z.

Lemma round_bits h : forall l j z (g g' : list nat -> R), 0 < z -> (length (filter (holds h) l) <= j)%nat ->
  (forall new, 0 <= g new <= 1) -> (forall new, 0 <= g' new <= 1) ->
  (forall new w, 0 < w -> g new <= w * g' new + V (Datatypes.S (length h)) w) ->
  ev (bits (p h) l) g <= z * ev (bits (p' h) l) g' + U (length h) (kept h) j z.
Proof.
  assert (Grow : forall j z, 0 < z -> V (Datatypes.S (length h)) z <= U (length h) (kept h) j z).
  { induction j as [|j IH]; intros z Hz; [apply U_none, Hz|]. apply Rle_trans with (1 := IH z Hz). apply U_more, Hz. }
  induction l as [|i l IH]; intros j z g g' Hz L Bg Bg' H; cbn [bits bind coin ev ret].
  { apply Rle_trans with (1 := H [] z Hz). apply Rplus_le_compat_l, Grow, Hz. }
  set (x := at_ (p h) i). set (y := at_ (p' h) i).
  assert (Next : forall (b : bool) k w, (length (filter (holds h) l) <= k)%nat -> 0 < w ->
    ev (bits (p h) l) (fun more => g (if b then i :: more else more))
    <= w * ev (bits (p' h) l) (fun more => g' (if b then i :: more else more)) + U (length h) (kept h) k w).
  { intros b k w Lk Hw. apply IH; auto. }
  cbn [filter] in L. destruct (holds h i) eqn:K; cbn [length] in L.
  - destruct j as [|j]; [lia|]. pose proof (Hapart h i K) as A. fold x y in A. destruct (apart_inside _ _ _ _ A) as [Hx Hy].
    pose proof (U_bit (length h) (kept h) j z x y Hz A) as Step.
    assert (W1 : 0 < z * (y / x)) by (apply Rmult_lt_0_compat; [lra|apply Rdiv_lt_0_compat; lra]).
    assert (W2 : 0 < z * ((1 - y) / (1 - x))) by (apply Rmult_lt_0_compat; [lra|apply Rdiv_lt_0_compat; lra]).
    pose proof (Next true j _ ltac:(lia) W1) as N1. pose proof (Next false j _ ltac:(lia) W2) as N2. cbv iota in N1, N2.
    apply Rmult_le_compat_l with (r := x) in N1; [|lra]. apply Rmult_le_compat_l with (r := 1 - x) in N2; [|lra].
    set (A1 := ev (bits (p' h) l) (fun more => g' (i :: more))) in *. set (A2 := ev (bits (p' h) l) (fun more => g' more)) in *.
    assert (E1 : x * (z * (y / x) * A1) = z * (y * A1)) by (field; lra).
    assert (E2 : (1 - x) * (z * ((1 - y) / (1 - x)) * A2) = z * ((1 - y) * A2)) by (field; lra).
    rewrite Rmult_plus_distr_l in N1, N2. lra.
  - pose proof (Hsame h i K) as E. fold x y in E. pose proof (at_range (p h) i) as Hx. fold x in Hx.
    pose proof (Next true j z L Hz) as N1. pose proof (Next false j z L Hz) as N2. cbv iota in N1, N2.
    apply Rmult_le_compat_l with (r := x) in N1; [|lra]. apply Rmult_le_compat_l with (r := 1 - x) in N2; [|lra].
    rewrite <- E. lra.
Qed.

Lemma all_rounds : forall n h z f, (length h + n = last)%nat -> 0 < z -> (forall x, 0 <= f x <= 1) ->
  ev (rounds p part n h) f <= z * ev (rounds p' part n h) f + V (length h) z.
Proof.
  induction n as [|n IH]; intros h z f L Hz Hf; cbn [rounds bind ev ret].
  - replace (length h) with last by lia. apply enough; [apply Hf|apply V_last, Hz].
  - apply Rle_trans with (z * ev (bits (p' h) (part h)) (fun new => ev (rounds p' part n (new :: h)) f)
                          + U (length h) (kept h) (kept h) z).
    + apply (round_bits h (part h) (kept h) z); auto; [apply Hkept| | |].
      * intros new. apply ev_range, Hf.
      * intros new. apply ev_range, Hf.
      * intros new w Hw. apply (IH (new :: h) w f); auto. cbn [length]. lia.
    + apply Rplus_le_compat_l, U_all; [exact Hz|lia|apply Hkept].
Qed.

(** THEOREM. Bits of the keys that take part on D, with the chances of D and of D': (epsilon, V 0 (e^epsilon)). *)
Theorem key_bits eps : close (exp eps) (V 0 (exp eps)) (rounds p part last []) (rounds p' part last []).
Proof.
  intros event. unfold chance.
  apply (all_rounds last [] (exp eps)); [reflexivity|apply exp_pos|]. intros x. destruct (event x); lra.
Qed.
End Bits.
