(** * Keys that nobody listed: the steps of the rounds

    In each round a bit is drawn for each key that takes part: whether it comes out. What takes part, and with which chances, depends
    on what came out in the rounds before, [h], the newest first. [p] are the chances on D, which has a person that D' has not,
    [p'] those with the weights of D'. A key is *lone* if it takes part on D and not on D'. *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Ledger.
Import ListNotations.
Open Scope R_scope.

Definition chances := nat -> { x : R | 0 <= x <= 1 }.
Definition at_ (c : chances) (i : nat) : R := proj1_sig (c i).
Lemma at_range c i : 0 <= at_ c i <= 1.
Proof. exact (proj2_sig (c i)). Qed.

Fixpoint bits (c : chances) (l : list nat) : law (list nat) :=
  match l with
  | [] => ret []
  | i :: rest => b <- coin (at_ c i) (at_range c i) ;; more <- bits c rest ;; ret (if b then i :: more else more)
  end.

Definition history := list (list nat).
Fixpoint rounds (c : history -> chances) (part : history -> list nat) (n : nat) (h : history) : law history :=
  match n with
  | O => ret h
  | Datatypes.S m => new <- bits (c h) (part h) ;; rounds c part m (new :: h)
  end.

(** Keys that are left out of a draw change nothing for the others. *)
Lemma bits_without c (keep : nat -> bool) : forall l f, bounded f ->
  ev (bits c (filter keep l)) f = ev (bits c l) (fun new => f (filter keep new)).
Proof.
  induction l as [|i l IH]; intros f Hf; [reflexivity|].
  assert (B : forall b, bounded (fun more : list nat => f (if b : bool then i :: more else more)))
    by (intros b; apply (bounded_comp f (fun more => if b then i :: more else more)), Hf).
  assert (Bk : forall b, bounded (fun more : list nat => f (filter keep (if b : bool then i :: more else more))))
    by (intros b; apply (bounded_comp f (fun more => filter keep (if b then i :: more else more))), Hf).
  cbn [filter bits]. destruct (keep i) eqn:K; cbn [bits bind coin ev ret].
  - rewrite (IH (fun more => f (i :: more)) (B true)), (IH (fun more => f more) (B false)).
    cbn [filter]. rewrite K. reflexivity.
  - rewrite IH by exact Hf. cbn [filter]. rewrite K. ring.
Qed.

Lemma bits_none c (lone : nat -> bool) : forall l,
  ev (bits c l) (fun new => if forallb (fun i => negb (lone i)) new then 1 else 0)
  = fold_right (fun i x => (1 - at_ c i) * x) 1 (filter lone l).
Proof.
  induction l as [|i l IH]; [reflexivity|]. cbn [bits bind coin ev ret forallb filter].
  destruct (lone i); cbn [negb andb fold_right].
  - rewrite IH, ev_const by lra. ring.
  - rewrite IH. ring.
Qed.

Lemma product_floor c tail : 0 <= tail <= 1 -> forall l (t : nat), (length l <= t)%nat -> (forall i, In i l -> at_ c i <= tail) ->
  (1 - tail) ^ t <= fold_right (fun i x => (1 - at_ c i) * x) 1 l.
Proof.
  intros Ht. assert (P : forall t, 0 <= (1 - tail) ^ t <= 1).
  { intros t. split; [apply pow_le; lra|]. apply Rle_trans with (1 ^ t); [apply pow_incr; lra|rewrite pow1; lra]. }
  induction l as [|i l IH]; intros t L H; cbn [fold_right length] in *; [apply P|].
  destruct t as [|t]; [lia|]. cbn [pow].
  specialize (IH t ltac:(lia) (fun j Hj => H j (or_intror Hj))). pose proof (H i (or_introl eq_refl)).
  specialize (P t). apply Rmult_le_compat; lra.
Qed.

Section Keys.
Variables p p' : history -> chances.
Variable part : history -> list nat.
Variable lone : history -> nat -> bool.
Definition part' (h : history) : list nat := filter (fun i => negb (lone h i)) (part h).

(** No lone key came out in any round. *)
Fixpoint clean (h : history) : bool :=
  match h with [] => true | new :: before => forallb (fun i => negb (lone before i)) new && clean before end.

(** In a round, at most [kept] lone keys, each out with a chance of at most [tail]; [delta2] bounds that one of them is out. *)
Variable kept : history -> nat.
Variable tail : history -> R.
Variable delta2 : nat -> R.
Hypothesis Htail : forall h, 0 <= tail h <= 1.
Hypothesis Hkept : forall h, (length (filter (lone h) (part h)) <= kept h)%nat.
Hypothesis Hlone : forall h i, lone h i = true -> at_ (p h) i <= tail h /\ at_ (p' h) i <= tail h.
Hypothesis Hdelta2 : forall h, 1 - (1 - tail h) ^ kept h <= delta2 (length h).

Fixpoint delta2_from (r n : nat) : R :=
  match n with O => 0 | Datatypes.S m => delta2 r + delta2_from (Datatypes.S r) m end.

Section OneSide.
Variable c : history -> chances.
Hypothesis Hc : forall h i, lone h i = true -> at_ (c h) i <= tail h.

Lemma stays_unclean : forall n h, clean h = false ->
  ev (rounds c part n h) (fun x => if negb (clean x) then 1 else 0) = 1.
Proof.
  induction n as [|n IH]; intros h H; cbn [rounds bind ev ret]; [rewrite H; reflexivity|].
  transitivity (ev (bits (c h) (part h)) (fun _ => 1)); [|apply ev_one]. apply ev_ext; [apply bounded_next, bounded_event|].
  intros new. apply IH. cbn [clean]. rewrite H. apply andb_false_r.
Qed.

Lemma unclean_chance : forall n h, clean h = true ->
  ev (rounds c part n h) (fun x => if negb (clean x) then 1 else 0) <= delta2_from (length h) n.
Proof.
  induction n as [|n IH]; intros h H; cbn [rounds bind ev ret delta2_from]; [rewrite H; simpl; lra|].
  set (rest := delta2_from (Datatypes.S (length h)) n).
  set (good := fun new : list nat => forallb (fun i => negb (lone h i)) new).
  assert (R0 : 0 <= rest).
  { apply Rle_trans with (2 := IH ([] :: h) ltac:(cbn [clean forallb]; exact H)). apply ev_pos, bounded_event. }
  assert (Bg : bounded (fun new => if good new then 1 else 0)) by (exists 1; intros new; destruct (good new); lra).
  assert (Bb : bounded (fun new => if good new then 0 else 1)) by (exists 1; intros new; destruct (good new); lra).
  apply Rle_trans with (ev (bits (c h) (part h)) (fun new => (if good new then 0 else 1) + rest)).
  - apply ev_mono; [apply bounded_next, bounded_event|apply bounded_plus; [exact Bb|apply bounded_const, R0]|].
    intros new. destruct (good new) eqn:G.
    + rewrite Rplus_0_l. apply (IH (new :: h)). cbn [clean]. unfold good in G. rewrite G. exact H.
    + rewrite stays_unclean; [lra|]. cbn [clean]. unfold good in G. rewrite G. reflexivity.
  - rewrite (ev_plus _ (fun new => if good new then 0 else 1) (fun _ => rest)), ev_const
      by (assumption || apply bounded_const, R0).
    apply Rplus_le_compat_r. apply Rle_trans with (2 := Hdelta2 h).
    assert (S1 : ev (bits (c h) (part h)) (fun new => if good new then 0 else 1)
                 + ev (bits (c h) (part h)) (fun new => if good new then 1 else 0) = 1).
    { rewrite <- ev_plus by assumption. transitivity (ev (bits (c h) (part h)) (fun _ => 1)); [|apply ev_one].
      apply ev_ext; [apply bounded_plus; assumption|]. intros new. destruct (good new); ring. }
    assert (F : (1 - tail h) ^ kept h <= ev (bits (c h) (part h)) (fun new => if good new then 1 else 0)).
    { unfold good. rewrite bits_none. apply product_floor; [apply Htail|apply Hkept|].
      intros i Hi. apply filter_In in Hi. apply Hc, Hi. }
    lra.
Qed.
End OneSide.

Section Event.
Variable event : history -> bool.

(** Among outcomes without lone keys, K and M(D') are the same. *)
Lemma drop_lone : forall n h, ev (rounds p' part n h) (fun x => if event x && clean x then 1 else 0)
  <= ev (rounds p' part' n h) (fun x => if event x then 1 else 0).
Proof.
  assert (Zero : forall n h, clean h = false -> ev (rounds p' part n h) (fun x => if event x && clean x then 1 else 0) = 0).
  { induction n as [|n IH]; intros h H; cbn [rounds bind ev ret]; [rewrite H, andb_false_r; reflexivity|].
    transitivity (ev (bits (p' h) (part h)) (fun _ => 0)); [|apply ev_const; lra].
    apply ev_ext; [apply bounded_next, bounded_event|]. intros new. apply IH. cbn [clean]. rewrite H. apply andb_false_r. }
  induction n as [|n IH]; intros h; cbn [rounds bind ev ret]; [destruct (event h), (clean h); simpl; lra|].
  unfold part' at 1. rewrite bits_without by (apply bounded_next, bounded_event).
  apply ev_mono; [apply bounded_next, bounded_event| |].
  - apply (bounded_comp (fun new => ev (rounds p' part' n (new :: h)) (fun x => if event x then 1 else 0))
      (filter (fun i => negb (lone h i)))). apply bounded_next, bounded_event.
  - intros new. destruct (forallb (fun i => negb (lone h i)) new) eqn:G.
    + replace (filter (fun i => negb (lone h i)) new) with new; [apply IH|].
      clear - G. induction new as [|i new IH]; [reflexivity|]. cbn [forallb filter] in *. apply andb_prop in G.
      destruct G as [A B]. rewrite A, <- IH; auto.
    + rewrite Zero; [apply ev_pos, bounded_event|]. cbn [clean]. rewrite G. reflexivity.
Qed.

Lemma add_lone : forall n h, clean h = true -> ev (rounds p' part' n h) (fun x => if event x then 1 else 0)
  <= ev (rounds p' part n h) (fun x => (if event x && clean x then 1 else 0) + (if negb (clean x) then 1 else 0)).
Proof.
  assert (Bd : bounded (fun x => (if event x && clean x then 1 else 0) + (if negb (clean x) then 1 else 0)))
    by (apply bounded_plus; apply bounded_event).
  induction n as [|n IH]; intros h H; cbn [rounds bind ev ret]; [rewrite H, andb_true_r; simpl; lra|].
  unfold part' at 1. rewrite bits_without by (apply bounded_next, bounded_event).
  apply ev_mono; [|apply bounded_next, Bd|].
  - apply (bounded_comp (fun new => ev (rounds p' part' n (new :: h)) (fun x => if event x then 1 else 0))
      (filter (fun i => negb (lone h i)))). apply bounded_next, bounded_event.
  - intros new. destruct (forallb (fun i => negb (lone h i)) new) eqn:G.
    + replace (filter (fun i => negb (lone h i)) new) with new; [apply IH; cbn [clean]; rewrite G; exact H|].
      clear - G. induction new as [|i new IH]; [reflexivity|]. cbn [forallb filter] in *. apply andb_prop in G.
      destruct G as [A B]. rewrite A, <- IH; auto.
    + assert (S1 : ev (rounds p' part n (new :: h)) (fun x => if negb (clean x) then 1 else 0) = 1)
        by (apply stays_unclean; cbn [clean]; rewrite G; reflexivity).
      apply Rle_trans with 1; [apply ev_range; intros x; destruct (event x); lra|].
      apply Rle_trans with (1 := Req_le _ _ (eq_sym S1)).
      apply ev_mono; [apply bounded_event|exact Bd|]. intros x. destruct (event x), (clean x); simpl; lra.
Qed.
End Event.

(** THEOREM. If the bits with both kinds of weights are close, for the keys that take part on D, then all rounds are, but for the
    chance that a lone key comes out in some round. *)
Theorem key_rounds E delta1 n : 0 <= E ->
  close E delta1 (rounds p part n []) (rounds p' part n []) ->
  close E delta1 (rounds p' part n []) (rounds p part n []) ->
  close E (delta1 + delta2_from 0 n) (rounds p part n []) (rounds p' part' n []) /\
  close E (delta1 + delta2_from 0 n) (rounds p' part' n []) (rounds p part n []).
Proof.
  intros HE F G.
  pose proof (unclean_chance p (fun h i H => proj1 (Hlone h i H)) n [] eq_refl) as U.
  pose proof (unclean_chance p' (fun h i H => proj2 (Hlone h i H)) n [] eq_refl) as U'. cbn [length] in U, U'.
  split; intros event.
  - pose proof (F (fun x => event x && clean x)) as C. unfold chance in *.
    assert (Sp : ev (rounds p part n []) (fun x => if event x then 1 else 0)
      <= ev (rounds p part n []) (fun x => (if event x && clean x then 1 else 0) + (if negb (clean x) then 1 else 0))).
    { apply ev_mono; [apply bounded_event|apply bounded_plus; apply bounded_event|].
      intros x. destruct (event x), (clean x); simpl; lra. }
    rewrite ev_plus in Sp by apply bounded_event. pose proof (drop_lone event n []) as D.
    apply Rmult_le_compat_l with (r := E) in D; [|exact HE]. lra.
  - pose proof (G (fun x => event x && clean x)) as C. unfold chance in *.
    pose proof (add_lone event n [] eq_refl) as A. rewrite ev_plus in A by apply bounded_event.
    assert (D : ev (rounds p part n []) (fun x => if event x && clean x then 1 else 0)
                <= ev (rounds p part n []) (fun x => if event x then 1 else 0)).
    { apply ev_mono; try apply bounded_event. intros x. destruct (event x), (clean x); simpl; lra. }
    apply Rmult_le_compat_l with (r := E) in D; [|exact HE]. lra.
Qed.
End Keys.
