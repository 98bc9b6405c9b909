(** * Ranked selection over what occurs in the data

    [ranked] is a [select]: the standing of a candidate is its value minus the bar. So the theorem for
    unlisted candidates applies, with one chance to pass: delta' = m P(an item of score Delta reaches
    the bar). *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Points Ranking Ranked Unlisted.
Import ListNotations.
Open Scope R_scope.

(** Moving all values and the bar together changes nothing. *)
Lemma released_minus y key c b candidates : NoDup candidates ->
  released (fun i => y i - b)%Z key c (Some 0%Z) candidates = released y key c (Some b) candidates.
Proof.
  intros ND. apply released_spec; auto.
  destruct (proj1 (released_spec y key c (Some b) candidates _ ND) eq_refl) as (N & I & St & Len & Bar & Rest).
  repeat split; auto.
  - clear - St. induction St as [|i l Hl IH Hk]; constructor; auto.
    rewrite Forall_forall in *. intros k Hin. specialize (Hk k Hin). unfold Beats in *. lia.
  - intros i Hi. specialize (Bar i Hi). simpl in *. lia.
  - intros j Hj Hn. destruct (Rest j Hj Hn) as [L|[L K]]; [left; simpl in *; lia|right].
    split; auto. intros i Hi. specialize (K i Hi). unfold Beats in *. lia.
Qed.

(** A draw for each candidate, and a function of it: the same as drawing the function's value. *)
Lemma draw_all_map p (s : nat -> Z -> Z) candidates f h : bounded f -> bounded h ->
  (forall v w, (forall i, In i candidates -> w i = s i (v i)) -> h w = f v) ->
  ev (draw_all (fun i => x <- p ;; ret (s i x)) candidates) h = ev (draw_all (fun _ => p) candidates) f.
Proof.
  revert f h. induction candidates as [|i rest IH]; intros f h Hf Hh H.
  - simpl. apply H. intros i [].
  - cbn [draw_all bind ev ret]. apply ev_ext.
    + destruct Hh as [B Hh]. apply (bounded_ev _ (fun x v => h (update v i (s i x)))). exists B. auto.
    + intros x. apply IH; [apply (bounded_comp f), Hf|apply (bounded_comp h), Hh|].
      intros v w E. apply H. intros j Hj. unfold update. destruct (Nat.eqb_spec j i) as [->|D]; [reflexivity|].
      apply E. destruct Hj; [congruence|auto].
Qed.

Section UnlistedRanked.
Variables value_noise bar_noise : law Z.
Variable keys : law (nat -> Z).
Variables (c : nat) (T : Z).

Definition lead (x b : Z) : law Z := v <- value_noise ;; ret (x + v - (T + b))%Z.

Lemma ranked_is_select candidates q f : NoDup candidates -> bounded f ->
  ev (ranked value_noise bar_noise keys candidates c (Some T) q) f
  = ev (select Z bar_noise keys lead c candidates q) f.
Proof.
  intros ND [B Hf]. unfold ranked, select. cbn [bind ev ret].
  apply ev_ext; [apply bounded_ev; exists B; intros; apply ev_range; auto|]. intros key.
  apply ev_ext; [apply bounded_ev; exists B; auto|]. intros b. symmetry.
  apply (draw_all_map value_noise (fun i x => q i + x - (T + b))%Z).
  - exists B; auto.
  - exists B; auto.
  - intros v w E. f_equal. unfold noisy. simpl option_map.
    rewrite <- (released_minus (fun i => q i + v i)%Z) by assumption. apply released_ext; auto.
Qed.

(** The higher the score, the more likely it passes. *)
Lemma passes_rises x y : (x <= y)%Z -> passes Z bar_noise lead x <= passes Z bar_noise lead y.
Proof.
  intros H. unfold passes. apply ev_mono; try (exists 1; intros; apply chance_range).
  intros b. unfold chance, lead. cbn [bind ev ret]. apply ev_mono; try (exists 1; intros; destruct (0 <=? _)%Z; lra).
  intros v. destruct (Z.leb_spec 0 (x + v - (T + b))), (Z.leb_spec 0 (y + v - (T + b))); lra || lia.
Qed.

Variables (items : list nat) (own : nat -> bool).
Hypothesis Hitems : NoDup items.
Variables q q' : nat -> Z.
Variables m most : nat.
Hypothesis Hmost : (length (filter own items) <= most)%nat.
Hypothesis Hown : forall i, In i items -> own i = true -> (q i <= Z.of_nat m)%Z /\ q' i = 0%Z.
Variables E delta0 : R.
Hypothesis HE : 0 <= E.

Let M (candidates : list nat) := ranked value_noise bar_noise keys candidates c (Some T).
Let others := filter (fun i => negb (own i)) items.

(** THEOREM. [m] is Delta in grid steps. *)
Theorem ranked_unlisted :
  close E delta0 (M items q) (M items q') -> close E delta0 (M items q') (M items q) ->
  close E (delta0 + INR most * passes Z bar_noise lead (Z.of_nat m)) (M items q) (M others q') /\
  close E (delta0 + INR most * passes Z bar_noise lead (Z.of_nat m)) (M others q') (M items q).
Proof.
  intros F G. set (delta := passes Z bar_noise lead (Z.of_nat m)).
  assert (Hd : 0 <= delta) by (apply ev_pos; exists 1; intros; apply chance_range).
  assert (C : forall l s event, NoDup l -> chance (M l s) event = chance (select Z bar_noise keys lead c l s) event)
    by (intros; apply ranked_is_select; auto using bounded_event).
  assert (No : NoDup others) by (apply NoDup_filter, Hitems).
  destruct (unlisted Z bar_noise keys lead c items Hitems own most delta Hmost q q' E delta0 HE Hd) as [P Q].
  - intros i Hi Ho. destruct (Hown i Hi Ho) as [H1 H2]. rewrite H2.
    split; apply passes_rises; lia.
  - intros event. rewrite <- !C by assumption. apply F.
  - intros event. rewrite <- !C by assumption. apply G.
  - split; intros event; rewrite !C by assumption; [apply P|apply Q].
Qed.
End UnlistedRanked.
