(** * Ranked selection by Gumbel noise, with a bar: the release is what independent draws give

    Candidate i gets the value q i + v i, v Gumbel noise of scale s, and comes out if it reaches the bar b, the highest first, at most c.
    Its moment e^(-(q i + v i - b)/s) is exponential, with the rate e^((q i - b)/s) ([GumbelTop.gumbel_moment]); the bar is the time 1. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Ledger Top GumbelTop RankedRace RankedGumbel.
Import ListNotations.
Open Scope R_scope.

Lemma total_one (l : list nat) i x : NoDup l -> In i l -> total l (fun j => if Nat.eq_dec j i then x else 0) = x.
Proof.
  intros N. induction N as [|j l Hj N IH]; intros Hi; [destruct Hi|]. cbn [total]. destruct (Nat.eq_dec j i) as [->|D].
  - rewrite (total_ext l _ (fun _ => 0 * 0)); [rewrite total_scal; ring|].
    intros k Hk. destruct (Nat.eq_dec k i) as [->|_]; [contradiction|ring].
  - destruct Hi as [Hi|Hi]; [congruence|]. rewrite (IH Hi). ring.
Qed.

Section Draw.
Variables (s b : R) (q : nat -> R).
Let above (i : nat) : R := q i - b.
Local Notation rate := (strength s above).
Local Notation rates := (strengths s above).

(** The chance that after the time [since] those of [order] come first, in this order and before 1, and that the others of [l] do not come
    out: they are later than 1, or, if c are out, later than the last of these. The densities of independent moments are integrated. *)
Fixpoint in_time (c : nat) (l order : list nat) (since : R) : R :=
  match order, c with
  | [], O => exp (- (since * rates l))
  | [], Datatypes.S _ => exp (- (1 * rates l))
  | _ :: _, O => 0
  | i :: more, Datatypes.S n => RInt (fun t => rate i * exp (- (t * rate i)) * in_time n (remove Nat.eq_dec i l) more t) since 1
  end.

Lemma mean_extends : forall n l past f since, (forall m, f (past ++ m) = 0) -> mean rate n l past f since = 0.
Proof.
  induction n as [|n IH]; intros l past f since H; cbn [mean]; [rewrite <- (app_nil_r past); apply H|].
  rewrite (RInt_ext _ (fun _ => 0)).
  - rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. rewrite <- (app_nil_r past), H. ring.
  - intros t _. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
    rewrite (total_ext l _ (fun _ => 0 * 0)); [rewrite total_scal; ring|].
    intros i _. rewrite IH; [ring|]. intros m. rewrite <- app_assoc. apply H.
Qed.

Let hits (order x : list nat) : R := if is (list nat) (list_eq_dec Nat.eq_dec) order x then 1 else 0.

Let hits_not past i j more m : i <> j -> hits (past ++ i :: more) ((past ++ [j]) ++ m) = 0.
Proof.
  intros D. unfold hits, is. destruct (list_eq_dec Nat.eq_dec _ _) as [e|e]; [|reflexivity]. exfalso. rewrite <- app_assoc in e.
  apply app_inv_head in e. simpl in e. congruence.
Qed.

Let hits_self order : hits order order = 1.
Proof. unfold hits, is. destruct (list_eq_dec Nat.eq_dec order order); [reflexivity|congruence]. Qed.

Let hits_longer past i m : hits past ((past ++ [i]) ++ m) = 0.
Proof.
  unfold hits, is. destruct (list_eq_dec Nat.eq_dec _ _) as [e|e]; [|reflexivity]. exfalso.
  apply (f_equal (@length nat)) in e. rewrite !app_length in e. simpl in e. lia.
Qed.

Lemma in_time_is : forall order c l past since, NoDup l -> orderly l order -> (length order <= c)%nat ->
  in_time c l order since = exp (- (since * rates l)) * mean rate c l past (hits (past ++ order)) since.
Proof.
  induction order as [|i more IH]; intros [|c] l past since N O L; cbn [orderly length] in *; try lia; cbn [in_time mean].
  - rewrite app_nil_r, hits_self. ring.
  - rewrite app_nil_r, hits_self, (RInt_ext _ (fun _ => 0)).
    + rewrite RInt_const. unfold scal; simpl. unfold mult; simpl. rewrite Rmult_0_r, Rplus_0_l, Rmult_1_r, Rmult_1_l.
      rewrite <- Rmult_assoc, <- exp_plus, (Rmult_comm since). fold (strengths s above l).
      change (RankedRace.rates rate l) with (rates l). rewrite Rplus_opp_l, exp_0. ring.
    + intros t _. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
      rewrite (total_ext l _ (fun _ => 0 * 0)); [rewrite total_scal; ring|].
      intros j _. rewrite mean_extends; [ring|]. intros m. apply hits_longer.
  - destruct O as [Hi O]. change (RankedRace.rates rate l) with (rates l).
    assert (Zero : hits (past ++ i :: more) past = 0).
    { unfold hits, is. destruct (list_eq_dec Nat.eq_dec _ _) as [e|e]; [|reflexivity]. exfalso.
      apply (f_equal (@length nat)) in e. rewrite app_length in e. simpl in e. lia. }
    rewrite Zero, Rmult_0_r, Rplus_0_r, <- Rmult_assoc, <- exp_plus, (Rmult_comm since), Rplus_opp_l, exp_0, Rmult_1_l.
    apply RInt_ext. intros t _. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end. symmetry.
    rewrite (total_ext l _ (fun j => if Nat.eq_dec j i
      then rate i * exp (- (rates l * t)) * mean rate c (remove Nat.eq_dec i l) (past ++ [i]) (hits (past ++ i :: more)) t else 0)).
    + rewrite total_one by assumption.
      rewrite (IH c (remove Nat.eq_dec i l) (past ++ [i]) t) by (auto using NoDup_remove_one; lia).
      rewrite <- app_assoc. cbn [app]. rewrite (rates_without s above i l N Hi).
      replace (- ((rate i + rates (remove Nat.eq_dec i l)) * t)) with (- (t * rate i) + - (t * rates (remove Nat.eq_dec i l))) by ring.
      rewrite exp_plus. ring.
    + intros j _. destruct (Nat.eq_dec j i) as [->|D]; [reflexivity|]. rewrite mean_extends; [ring|]. intros m. apply hits_not. congruence.
Qed.

End Draw.

(** THEOREM. Given the noise of the bar, the chance that the release of [RankedGumbel.v] is a given list is the integral of the densities
    of independent moments (lists of at most c different candidates). *)
Theorem ranked_is_drawn s T g q t c l order : NoDup l -> orderly l order -> (length order <= c)%nat ->
  in_time s (T + g * IZR t) q c l order 0
  = chance (by_rates (rate_at s T g q t) (rate_at_pos s T g q t) c l) (is (list nat) (list_eq_dec Nat.eq_dec) order).
Proof.
  intros N O L. rewrite (in_time_is s (T + g * IZR t) q order c l [] 0 N O L), Rmult_0_l, Ropp_0, exp_0. apply Rmult_1_l.
Qed.
