(** * The top c by Gumbel noise is peeling

    Candidate i gets the value q i + v i, v Gumbel noise of scale s. Call e^(-(q i + v i)/s) its moment: the highest value comes
    first. Moments are exponential variables, each with the rate e^(q i/s). *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Ledger Filter Picks Top.
Import ListNotations.
Open Scope R_scope.

Section Gumbel.
Variable s : R.
Hypothesis Hs : 0 < s.
Variable q : nat -> R.
Local Notation rate := (strength s q).
Local Notation rates := (strengths s q).

(** THEOREM. Moments are exponential. The moment is later than t if the noise is below - s ln t - q i. *)
Theorem gumbel_moment i t : 0 < t -> 1 - S (gumbel s Hs) (- s * ln t - q i) = exp (- (t * rate i)).
Proof.
  intros Ht. simpl. unfold S_gumbel. replace (- ((- s * ln t - q i) / s)) with (ln t + q i / s) by (field; lra).
  rewrite exp_plus, exp_ln by exact Ht. unfold strength. ring.
Qed.

Definition from_on (f : R -> R) (since : R) : R := real (Lim (fun m => RInt f since m) p_infty).

(** The chance that after the time [since] those of [order] come first, in this order, and the others of [l] later: the density
    of the first moment is integrated over what may follow. *)
Fixpoint in_order (l order : list nat) (since : R) : R :=
  match order with
  | [] => exp (- (since * rates l))
  | i :: more => from_on (fun t => rate i * exp (- (t * rate i)) * in_order (remove Nat.eq_dec i l) more t) since
  end.

Fixpoint orderly (l order : list nat) : Prop :=
  match order with [] => True | i :: more => In i l /\ orderly (remove Nat.eq_dec i l) more end.

Fixpoint peeled (l order : list nat) : R :=
  match order with [] => 1 | i :: more => rate i / rates l * peeled (remove Nat.eq_dec i l) more end.

Lemma from_on_exp c k since : 0 < k -> from_on (fun t => c * exp (- (t * k))) since = c / k * exp (- (since * k)).
Proof.
  intros Hk. unfold from_on.
  assert (I : forall m, RInt (fun t => c * exp (- (t * k))) since m = c / k * (exp (- (since * k)) - exp (- (m * k)))).
  { intros m. apply is_RInt_unique.
    replace (c / k * (exp (- (since * k)) - exp (- (m * k))))
      with (minus (- (c / k) * exp (- (m * k))) (- (c / k) * exp (- (since * k)))) by (unfold minus, plus, opp; simpl; ring).
    apply (is_RInt_derive (fun t => - (c / k) * exp (- (t * k)))).
    - intros t _. auto_derive; [auto|]. field. lra.
    - intros t _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto. }
  rewrite <- (Lim_ext (fun m => RInt (fun t => c * exp (- (t * k))) since m)
    (fun m => c / k * (exp (- (since * k)) - exp (- (m * k))))) by exact I.
  assert (L : is_lim (fun m => c / k * (exp (- (since * k)) - exp (- (m * k)))) p_infty (c / k * exp (- (since * k)))).
  { replace (Finite (c / k * exp (- (since * k)))) with (Rbar_mult (c / k) (exp (- (since * k)) - 0)).
    2: { simpl. f_equal. ring. }
    apply is_lim_scal_l. apply is_lim_minus'; [apply is_lim_const|].
    apply (is_lim_comp exp (fun m => - (m * k)) p_infty 0 m_infty).
    - apply is_lim_exp_m.
    - apply (is_lim_opp (fun m => m * k) p_infty p_infty).
      pose proof (is_lim_scal_r (fun m => m) k p_infty p_infty (is_lim_id p_infty)) as M.
      replace (Rbar_mult p_infty k) with p_infty in M; [exact M|].
      simpl. destruct (Rle_dec 0 k) as [G|G]; [|lra]. destruct (Rle_lt_or_eq_dec 0 k G); [reflexivity|lra].
    - exists 0. intros; discriminate. }
  rewrite (is_lim_unique _ _ _ L). reflexivity.
Qed.

Lemma rates_without i : forall l, NoDup l -> In i l -> rates l = rate i + rates (remove Nat.eq_dec i l).
Proof.
  unfold strengths. intros l N. induction N as [|j l Hj N IH]; intros H; [destruct H|]. cbn [remove total].
  destruct (Nat.eq_dec i j) as [->|D].
  - rewrite notin_remove by exact Hj. reflexivity.
  - destruct H as [H|H]; [congruence|]. cbn [total]. rewrite (IH H). ring.
Qed.

Lemma NoDup_remove_one i : forall l, NoDup l -> NoDup (remove Nat.eq_dec i l).
Proof.
  intros l N. induction N as [|j l Hj N IH]; cbn [remove]; [constructor|].
  destruct (Nat.eq_dec i j) as [->|D]; [exact IH|]. constructor; [|exact IH]. intros H. apply in_remove in H. tauto.
Qed.

Lemma in_order_is : forall order l since, NoDup l -> orderly l order ->
  in_order l order since = peeled l order * exp (- (since * rates l)).
Proof.
  induction order as [|i more IH]; intros l since N O; cbn [in_order peeled orderly] in *; [ring|]. destruct O as [Hi O].
  pose proof (exp_pos (q i / s)) as Pi. fold (rate i) in Pi.
  assert (Pl : 0 < rates l) by (destruct l; [destruct Hi|apply strengths_pos]).
  transitivity (from_on (fun t => rate i * peeled (remove Nat.eq_dec i l) more * exp (- (t * rates l))) since).
  - unfold from_on. f_equal. apply Lim_ext. intros m. apply RInt_ext. intros t _. symmetry.
    rewrite IH by (auto using NoDup_remove_one). rewrite (rates_without i l N Hi).
    replace (- (t * (rate i + rates (remove Nat.eq_dec i l))))
      with (- (t * rate i) + - (t * rates (remove Nat.eq_dec i l))) by ring.
    rewrite exp_plus. lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end. ring.
  - rewrite from_on_exp by exact Pl. field. lra.
Qed.

(** ** The same number is the chance of the picks *)
Lemma top_extends : forall c l past f, bounded f -> (forall m, f (past ++ m) = 0) -> ev (top s q c l past) f = 0.
Proof.
  induction c as [|c IH]; intros l past f B H; [simpl; rewrite <- (app_nil_r past); apply H|].
  destruct l as [|first rest]; [simpl; rewrite <- (app_nil_r past); apply H|]. cbn [top bind ev].
  rewrite <- (ev_const (pick s q first rest) 0) by lra. apply ev_ext; [apply bounded_next, B|].
  intros i. apply IH; [exact B|]. intros m. rewrite <- app_assoc. apply H.
Qed.

Lemma top_chance : forall order l past, NoDup l -> orderly l order ->
  chance (top s q (length order) l past) (is (list nat) (list_eq_dec Nat.eq_dec) (past ++ order)) = peeled l order.
Proof.
  induction order as [|i more IH]; intros l past N O; cbn [orderly peeled length] in *.
  - rewrite app_nil_r. unfold chance, is. simpl. destruct (list_eq_dec Nat.eq_dec past past); [reflexivity|congruence].
  - destruct O as [Hi O]. destruct l as [|first rest]; [destruct Hi|]. unfold chance. cbn [top bind ev pick].
    set (l := first :: rest) in *.
    assert (Pl : 0 < rates l) by apply strengths_pos.
    assert (E : total l (fun j => rate j * ev (top s q (length more) (remove Nat.eq_dec j l) (past ++ [j]))
        (fun x => if is (list nat) (list_eq_dec Nat.eq_dec) (past ++ i :: more) x then 1 else 0))
      = total l (fun j => rate i * peeled (remove Nat.eq_dec i l) more * (if is nat Nat.eq_dec j i then 1 else 0))).
    { apply total_ext. intros j Hj. unfold is at 2. destruct (Nat.eq_dec j i) as [->|D].
      - rewrite Rmult_1_r, <- (IH (remove Nat.eq_dec i l) (past ++ [i])) by (auto using NoDup_remove_one).
        unfold chance. rewrite <- app_assoc. reflexivity.
      - rewrite top_extends; [ring|apply bounded_event|]. intros m. unfold is.
        destruct (list_eq_dec Nat.eq_dec _ _) as [e|e]; [|reflexivity]. exfalso. rewrite <- app_assoc in e.
        apply app_inv_head in e. simpl in e. congruence. }
    rewrite E. rewrite (total_is nat Nat.eq_dec l (fun _ => rate i * peeled (remove Nat.eq_dec i l) more) i N).
    + destruct (in_dec Nat.eq_dec i l) as [G|G]; [unfold Rdiv; ring|contradiction].
    + intros _. apply Rmult_le_pos; [left; apply exp_pos|].
      rewrite <- (IH (remove Nat.eq_dec i l) []) by (auto using NoDup_remove_one). apply chance_range.
Qed.

(** THEOREM. The chance that the moments of some candidates come first, in a given order, is that of picking them in this order. *)
Theorem gumbel_is_peeling l order : NoDup l -> orderly l order ->
  in_order l order 0 = chance (top s q (length order) l []) (is (list nat) (list_eq_dec Nat.eq_dec) order).
Proof.
  intros N O. rewrite in_order_is by assumption. rewrite Rmult_0_l, Ropp_0, exp_0, Rmult_1_r.
  symmetry. apply (top_chance order l [] N O).
Qed.
End Gumbel.
