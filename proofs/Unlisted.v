(** * Candidates read off the data

    [D] has a person that [D'] has not. The candidates are the items that occur: on [D] the list
    [items], on [D'] those of them that somebody else holds too. [own i] says that only this person
    holds item [i]. Given the draw [t] of the threshold noise, each candidate gets a standing of its own,
    by a law that depends on its score alone; those with a standing of at least zero pass, and the first c
    of them are released: the higher standing first, then by the order of the shuffle ([key]).

    - Ranked selection: the standing is the value minus the bar.
    - A queue of R rounds: the standing is R minus the round in which the item is first positive.

    The shuffle is a law of keys for all items there could be. Leaving items out leaves the order of the
    others as it is; so it is for a uniformly random order. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Points Ranking.
Import ListNotations.
Open Scope R_scope.

Section Unlisted.
Variable T : Type.
Variable threshold : law T.
Variable keys : law (nat -> Z).
Variable standing : Z -> T -> law Z.      (* of a score, given the threshold noise *)
Variable c : nat.

Definition select (candidates : list nat) (q : nat -> Z) : law (list nat) :=
  key <- keys ;;
  t <- threshold ;;
  v <- draw_all (fun i => standing (q i) t) candidates ;;
  ret (released v key c (Some 0%Z) candidates).

(** The chance that an item of score [x] passes, whoever else is there. *)
Definition passes (x : Z) : R := ev threshold (fun t => chance (standing x t) (fun z => (0 <=? z)%Z)).

Variable items : list nat.
Hypothesis Hitems : NoDup items.
Variable own : nat -> bool.
Let others := filter (fun i => negb (own i)) items.

(** While nothing that is the person's own comes out, it does not matter that it takes part. *)
Definition clean (out : list nat) : bool := forallb (fun i => negb (own i)) out.

Lemma given_all key t q (event : list nat -> bool) :
  ev (draw_all (fun i => standing (q i) t) items)
     (fun v => if event (released v key c (Some 0%Z) others) then 1 else 0)
  = ev (draw_all (fun i => standing (q i) t) others)
     (fun v => if event (released v key c (Some 0%Z) others) then 1 else 0).
Proof.
  unfold others. apply draw_all_without.
  - exists 1. intros v. destruct (event _); lra.
  - intros v w E. rewrite (released_ext v w); auto; [apply NoDup_filter, Hitems|].
    intros i Hi. apply filter_In in Hi. apply E. destruct (own i); [destruct Hi; discriminate|reflexivity].
Qed.

Lemma clean_same key v : clean (released v key c (Some 0%Z) items) = true ->
  released v key c (Some 0%Z) others = released v key c (Some 0%Z) items.
Proof.
  intros C. unfold others. apply released_without; auto. intros i Hi. unfold clean in C.
  rewrite forallb_forall in C. specialize (C i Hi). destruct (own i); [discriminate|reflexivity].
Qed.

Lemma drop_own q event :
  chance (select items q) (fun out => event out && clean out) <= chance (select others q) event.
Proof.
  unfold chance, select. rewrite <- (Rmult_1_l (ev (bind keys _) (fun x => if event x then 1 else 0))).
  apply bind_mono; try apply bounded_event; [lra|]. intros key.
  apply bind_mono; try apply bounded_event; [lra|]. intros t. rewrite Rmult_1_l. cbn [bind ev ret].
  rewrite <- given_all. apply ev_mono.
  - exists 1. intros v. destruct (_ && _); lra.
  - exists 1. intros v. destruct (event _); lra.
  - intros v. destruct (clean (released v key c (Some 0%Z) items)) eqn:C; rewrite ?andb_true_r, ?andb_false_r.
    + rewrite clean_same by exact C. lra.
    + destruct (event _); lra.
Qed.

Lemma add_own q event :
  chance (select others q) event <=
  chance (select items q) (fun out => event out && clean out) + chance (select items q) (fun out => negb (clean out)).
Proof.
  unfold chance. rewrite <- ev_plus by apply bounded_event. unfold select.
  assert (Bd : bounded (fun out => (if event out && clean out then 1 else 0) + (if negb (clean out) then 1 else 0)))
    by (apply bounded_plus; apply bounded_event).
  set (h := fun out => (if event out && clean out then 1 else 0) + (if negb (clean out) then 1 else 0)) in *.
  rewrite <- (Rmult_1_l (ev (bind keys _) h)).
  apply bind_mono; try apply bounded_event; [lra|exact Bd|]. intros key.
  apply bind_mono; try apply bounded_event; [lra|exact Bd|]. intros t. rewrite Rmult_1_l. cbn [bind ev ret].
  rewrite <- given_all. apply ev_mono.
  - exists 1. intros v. destruct (event _); lra.
  - apply (bounded_comp h (fun v => released v key c (Some 0%Z) items)), Bd.
  - intros v. unfold h. destruct (clean (released v key c (Some 0%Z) items)) eqn:C; simpl.
    + rewrite andb_true_r, clean_same by exact C. lra.
    + rewrite andb_false_r. destruct (event _); lra.
Qed.

Variable most : nat.                      (* items that a person holds at most *)
Variable delta : R.                       (* what an own item adds *)
Hypothesis Hmost : (length (filter own items) <= most)%nat.

(** An own item comes out only if it passes: at most [most] of them, each with a small chance. *)
Lemma own_passes q : (forall i, In i items -> own i = true -> passes (q i) <= delta) -> 0 <= delta ->
  chance (select items q) (fun out => negb (clean out)) <= INR most * delta.
Proof.
  intros H Hd. unfold chance, select. cbn [bind ev ret].
  set (some := fun t => total (filter own items) (fun i => chance (standing (q i) t) (fun z => (0 <=? z)%Z))).
  assert (Hsome : bounded some).
  { unfold some. apply (bounded_total (filter own items) (fun i t => chance (standing (q i) t) (fun z => (0 <=? z)%Z))).
    intros i _. exists 1. intros t. apply chance_range. }
  assert (Each : forall key t,
    ev (draw_all (fun i => standing (q i) t) items)
       (fun v => if negb (clean (released v key c (Some 0%Z) items)) then 1 else 0) <= some t).
  { intros key t. unfold some.
    assert (E : forall i, In i (filter own items) ->
      chance (standing (q i) t) (fun z => (0 <=? z)%Z)
      = ev (draw_all (fun i => standing (q i) t) items) (fun v => if (0 <=? v i)%Z then 1 else 0)).
    { intros i Hi. apply filter_In in Hi. symmetry.
      apply (draw_all_one (fun i => standing (q i) t) items i (fun z => if (0 <=? z)%Z then 1 else 0));
        [exact Hitems|tauto|apply bounded_event]. }
    assert (E2 : total (filter own items) (fun i => chance (standing (q i) t) (fun z => (0 <=? z)%Z))
      = total (filter own items) (fun i => ev (draw_all (fun i => standing (q i) t) items)
          (fun v => if (0 <=? v i)%Z then 1 else 0))).
    { apply Rle_antisym; apply total_mono; intros i Hi; rewrite (E i Hi); lra. }
    rewrite E2. rewrite <- (ev_total _ _ (fun i v => if (0 <=? v i)%Z then 1 else 0))
      by (intros i _; exists 1; intros v; destruct (0 <=? v i)%Z; lra).
    apply ev_mono.
    - exists 1. intros v. destruct (negb _); lra.
    - apply (bounded_total (filter own items) (fun i v => if (0 <=? v i)%Z then 1 else 0)).
      intros i _; exists 1; intros v; destruct (0 <=? v i)%Z; lra.
    - intros v. assert (P : forall i, 0 <= (if (0 <=? v i)%Z then 1 else 0)) by (intros; destruct (0 <=? v i)%Z; lra).
      destruct (clean (released v key c (Some 0%Z) items)) eqn:C; simpl.
      + apply total_pos. auto.
      + destruct (proj1 (released_spec v key c (Some 0%Z) items _ Hitems) eq_refl) as (_ & In_ & _ & _ & Bar & _).
        assert (X : exists i, In i (filter own items) /\ (0 <=? v i)%Z = true).
        { unfold clean in C. apply not_true_iff_false in C. rewrite forallb_forall in C.
          destruct (existsb own (released v key c (Some 0%Z) items)) eqn:Ex.
          - apply existsb_exists in Ex. destruct Ex as (i & Hi & Ho). exists i. split; [apply filter_In; split; auto|].
            apply (Bar i Hi).
          - exfalso. apply C. intros i Hi. destruct (own i) eqn:Ho; auto.
            assert (existsb own (released v key c (Some 0%Z) items) = true)
                by (apply existsb_exists; eauto). congruence. }
        destruct X as (i & Hi & Hp). clear - Hi Hp P. induction (filter own items) as [|j l IH]; [destruct Hi|].
        cbn [total]. destruct Hi as [->|Hi].
        * rewrite Hp. assert (0 <= total l (fun i => if (0 <=? v i)%Z then 1 else 0)) by (apply total_pos; auto). lra.
        * specialize (IH Hi). specialize (P j). lra. }
  apply Rle_trans with (ev threshold some).
  - rewrite <- (ev_const keys (ev threshold some)) by (apply ev_pos, Hsome).
    apply ev_mono; [|apply bounded_const, ev_pos, Hsome|].
    { apply bounded_ev. exists 1. intros. apply ev_range. intros. destruct (negb _); lra. }
    intros key. apply ev_mono; auto. apply bounded_ev. exists 1. intros. destruct (negb _); lra.
  - unfold some. rewrite (ev_total threshold _ (fun i t => chance (standing (q i) t) (fun z => (0 <=? z)%Z)))
      by (intros i _; exists 1; intros t; apply chance_range).
    apply Rle_trans with (total (filter own items) (fun _ => delta)).
    + apply total_mono. intros i Hi. apply filter_In in Hi. apply H; tauto.
    + apply Rle_trans with (INR (length (filter own items)) * delta).
      * right. clear. induction (filter own items) as [|j l IH]; [simpl; ring|].
        cbn [total]. rewrite IH. simpl length. rewrite S_INR. ring.
      * apply Rmult_le_compat_r; [exact Hd|]. apply le_INR, Hmost.
Qed.

(** THEOREM. [q] are the scores on D, [q'] those on D'. If the run over a fixed list of candidates is
    (E, delta0)-private in both directions, so is the run over what occurs, with most * delta more.
    [delta] bounds the chance that an own item passes: on D, where its score may be Delta, and with score
    zero. *)
Theorem unlisted q q' E delta0 :
  0 <= E -> 0 <= delta ->
  (forall i, In i items -> own i = true -> passes (q i) <= delta /\ passes (q' i) <= delta) ->
  close E delta0 (select items q) (select items q') ->
  close E delta0 (select items q') (select items q) ->
  close E (delta0 + INR most * delta) (select items q) (select others q') /\
  close E (delta0 + INR most * delta) (select others q') (select items q).
Proof.
  intros HE Hd Hown F G.
  assert (Split : forall s event, chance (select items s) event <=
    chance (select items s) (fun out => event out && clean out) + chance (select items s) (fun out => negb (clean out))).
  { intros s event. unfold chance. rewrite <- ev_plus by apply bounded_event.
    apply ev_mono; [apply bounded_event|apply bounded_plus; apply bounded_event|].
    intros x. destruct (event x), (clean x); simpl; lra. }
  split; intros event.
  - pose proof (Split q event). pose proof (F (fun out => event out && clean out)).
    pose proof (drop_own q' event). pose proof (own_passes q (fun i Hi Ho => proj1 (Hown i Hi Ho)) Hd).
    assert (E * chance (select items q') (fun out => event out && clean out) <= E * chance (select others q') event)
      by (apply Rmult_le_compat_l; auto). lra.
  - pose proof (add_own q' event). pose proof (G (fun out => event out && clean out)).
    pose proof (own_passes q' (fun i Hi Ho => proj2 (Hown i Hi Ho)) Hd).
    assert (chance (select items q) (fun out => event out && clean out) <= chance (select items q) event).
    { unfold chance. apply ev_mono; try apply bounded_event. intros x. destruct (event x), (clean x); simpl; lra. }
    assert (E * chance (select items q) (fun out => event out && clean out) <= E * chance (select items q) event)
      by (apply Rmult_le_compat_l; auto). lra.
Qed.
End Unlisted.
