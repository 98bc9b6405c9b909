(** * A queue of so many rounds over what occurs in the data

    Every candidate is asked once a round, until it is positive or the rounds are over. Its standing is the number of
    rounds that were left: who is positive in an earlier round comes first, and within a round the order is that of the
    shuffle. That one draw of its round for each candidate has the law of the queue is not proved here. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Points Ranking Unlisted.
Import ListNotations.
Open Scope R_scope.

Fixpoint attempts (rounds : nat) (p : R) (Hp : 0 <= p <= 1) : law Z :=
  match rounds with
  | O => ret (-1)%Z
  | Datatypes.S rest => a <- coin p Hp ;; if a : bool then ret (Z.of_nat rest) else attempts rest p Hp
  end.

Lemma attempts_pass rounds p Hp : chance (attempts rounds p Hp) (fun z => (0 <=? z)%Z) = 1 - (1 - p) ^ rounds.
Proof.
  unfold chance. induction rounds as [|rest IH]; [simpl; ring|]. cbn [attempts bind ev coin]. rewrite IH. cbn [ret ev].
  destruct (Z.leb_spec 0 (Z.of_nat rest)); [|lia]. simpl. ring.
Qed.

Section Queue.
Variable N : noise.
Variable threshold : law Z.               (* in grid steps *)
Variable keys : law (nat -> Z).
Variables (T g : R) (rounds c : nat).
Hypothesis Hg : 0 <= g.

(** A score of [x] steps, given the threshold noise [t]. *)
Definition gap (x t : Z) : R := T + g * IZR t - g * IZR x.
Definition queued (x t : Z) : law Z := attempts rounds (S N (gap x t)) (S_range N (gap x t)).

(** The chance to be positive in one of the rounds, averaged over the threshold noise: F = 1 - S. *)
Definition passes_queue (x : Z) : R := ev threshold (fun t => 1 - (1 - S N (gap x t)) ^ rounds).

Lemma passes_is x : passes Z threshold queued x = passes_queue x.
Proof.
  unfold passes, passes_queue. apply ev_ext; [exists 1; intros; apply chance_range|]. intros t. apply attempts_pass.
Qed.

Lemma passes_queue_rises x y : (x <= y)%Z -> passes_queue x <= passes_queue y.
Proof.
  intros H. apply IZR_le in H. rewrite <- !passes_is. unfold passes.
  apply ev_mono; try (exists 1; intros; apply chance_range). intros t. unfold queued. rewrite !attempts_pass.
  assert (L : gap y t <= gap x t)
    by (unfold gap; assert (0 <= g * (IZR y - IZR x)) by (apply Rmult_le_pos; lra); lra).
  pose proof (S_falls N _ _ L). pose proof (S_range N (gap y t)).
  assert ((1 - S N (gap y t)) ^ rounds <= (1 - S N (gap x t)) ^ rounds) by (apply pow_incr; lra). lra.
Qed.

Variables (items : list nat) (own : nat -> bool).
Hypothesis Hitems : NoDup items.
Variables q q' : nat -> Z.
Variables m most : nat.                   (* Delta in grid steps; items that a person holds at most *)
Hypothesis Hmost : (length (filter own items) <= most)%nat.
Hypothesis Hown : forall i, In i items -> own i = true -> (q i <= Z.of_nat m)%Z /\ q' i = 0%Z.
Variables E delta0 : R.
Hypothesis HE : 0 <= E.

Let M (candidates : list nat) := select Z threshold keys queued c candidates.
Let others := filter (fun i => negb (own i)) items.

(** THEOREM. If the queue over a fixed list is (E, delta0)-private, the queue over what occurs is, with
    most * E[1 - F(T + noise - Delta)^rounds] more. *)
Theorem queue_unlisted :
  close E delta0 (M items q) (M items q') -> close E delta0 (M items q') (M items q) ->
  close E (delta0 + INR most * passes_queue (Z.of_nat m)) (M items q) (M others q') /\
  close E (delta0 + INR most * passes_queue (Z.of_nat m)) (M others q') (M items q).
Proof.
  intros F G. apply unlisted; auto.
  - rewrite <- passes_is. apply ev_pos. exists 1. intros; apply chance_range.
  - intros i Hi Ho. destruct (Hown i Hi Ho) as [H1 H2]. rewrite H2, !passes_is. split; apply passes_queue_rises; lia.
Qed.
End Queue.
