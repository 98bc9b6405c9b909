(** * Ranking: who is released, given all draws

    No probability here. Candidate i has the value [y i] and the key [key i]. The highest value
    comes first; of equal values the lower key; of equal keys the lower place. Of all who reach the bar,
    the first [c] are released, in that order. The library sorts by the same three numbers. *)
Require Import List Bool Arith ZArith Lia Permutation Sorting.Sorted.
Import ListNotations.

Definition member (i : nat) (l : list nat) : bool := if in_dec Nat.eq_dec i l then true else false.

(** A bar, or none: then everybody takes part. *)
Definition reaches (bar : option Z) (value : Z) : bool :=
  match bar with Some b => (b <=? value)%Z | None => true end.

Section Ranking.
Variables (y key : nat -> Z).

Definition Beats (i j : nat) : Prop :=
  (y j < y i \/ (y i = y j /\ (key i < key j \/ (key i = key j /\ (i < j)%nat))))%Z.

Definition beats (i j : nat) : bool :=
  ((y j <? y i) || ((y i =? y j) && ((key i <? key j) || ((key i =? key j) && (i <? j)%nat))))%Z.

Lemma beats_spec i j : beats i j = true <-> Beats i j.
Proof.
  unfold beats, Beats. rewrite !orb_true_iff, !andb_true_iff, orb_true_iff, andb_true_iff.
  rewrite !Z.ltb_lt, !Z.eqb_eq, Nat.ltb_lt. lia.
Qed.

Fixpoint insert (i : nat) (l : list nat) : list nat :=
  match l with
  | [] => [i]
  | j :: rest => if beats i j then i :: l else j :: insert i rest
  end.

Definition sort (l : list nat) : list nat := fold_right insert [] l.

(** THE MECHANISM, given all draws. *)
Definition released (c : nat) (bar : option Z) (candidates : list nat) : list nat :=
  firstn c (sort (filter (fun i => reaches bar (y i)) candidates)).

(** ** Sorting sorts *)
Lemma insert_perm i l : Permutation (i :: l) (insert i l).
Proof.
  induction l as [|j l IH]; simpl; [reflexivity|]. destruct (beats i j); [reflexivity|].
  rewrite perm_swap. apply perm_skip, IH.
Qed.

Lemma sort_perm l : Permutation l (sort l).
Proof.
  induction l as [|i l IH]; simpl; [reflexivity|]. rewrite <- insert_perm. apply perm_skip, IH.
Qed.

Lemma insert_sorted i l : ~ In i l -> StronglySorted Beats l -> StronglySorted Beats (insert i l).
Proof.
  induction l as [|j l IH]; intros Hi H; simpl; [repeat constructor|].
  inversion H as [|? ? Hl Hj]; subst. destruct (beats i j) eqn:E.
  - apply beats_spec in E. constructor; auto. constructor; auto.
    rewrite Forall_forall in *. intros k Hk. specialize (Hj k Hk). unfold Beats in *. lia.
  - assert (N : ~ Beats i j) by (rewrite <- beats_spec; congruence).
    constructor; [apply IH; auto; intros ?; apply Hi; right; auto|].
    rewrite Forall_forall in *. intros k Hk. apply (Permutation_in k (Permutation_sym (insert_perm i l))) in Hk.
    destruct Hk as [->|Hk]; [|auto]. assert (k <> j) by (intros ->; apply Hi; left; auto).
    unfold Beats in *. lia.
Qed.

Lemma sort_sorted l : NoDup l -> StronglySorted Beats (sort l).
Proof.
  induction 1 as [|i l Hi H IH]; simpl; [constructor|]. apply insert_sorted; auto.
  intros K. apply Hi. apply (Permutation_in i (Permutation_sym (sort_perm l))), K.
Qed.

Lemma sorted_unique : forall l m, StronglySorted Beats l -> StronglySorted Beats m -> Permutation l m -> l = m.
Proof.
  induction l as [|i l IH]; intros m Hl Hm P; [symmetry; apply Permutation_nil, P|].
  destruct m as [|j m]; [apply Permutation_sym, Permutation_nil in P; discriminate|].
  inversion Hl as [|? ? Hl' Hi]; subst. inversion Hm as [|? ? Hm' Hj]; subst.
  rewrite Forall_forall in *. destruct (Nat.eq_dec i j) as [->|D].
  - f_equal. apply IH; auto. apply Permutation_cons_inv in P. exact P.
  - exfalso. assert (A : In i m).
    { destruct (Permutation_in i P (or_introl eq_refl)) as [E|?]; [congruence|auto]. }
    assert (B : In j l).
    { destruct (Permutation_in j (Permutation_sym P) (or_introl eq_refl)) as [E|?]; [congruence|auto]. }
    specialize (Hi j B). specialize (Hj i A). unfold Beats in *. lia.
Qed.

(** ** What it means to be released, without an algorithm *)
Definition Spec (c : nat) (bar : option Z) (candidates out : list nat) : Prop :=
  NoDup out /\ incl out candidates /\ StronglySorted Beats out /\ (length out <= c)%nat /\
  (forall i, In i out -> reaches bar (y i) = true) /\
  (forall j, In j candidates -> ~ In j out ->
     reaches bar (y j) = false \/ (length out = c /\ forall i, In i out -> Beats i j)).

Lemma sorted_firstn c : forall l, StronglySorted Beats l -> StronglySorted Beats (firstn c l).
Proof.
  induction c as [|c IH]; intros l H; simpl; [constructor|]. destruct l as [|i l]; [constructor|].
  inversion H as [|? ? Hl Hi]; subst. constructor; [auto|]. rewrite Forall_forall in *.
  intros j Hj. apply Hi. rewrite <- (firstn_skipn c l). apply in_or_app; auto.
Qed.

Lemma sorted_split l m : StronglySorted Beats (l ++ m) -> forall i j, In i l -> In j m -> Beats i j.
Proof.
  induction l as [|k l IH]; simpl; intros H i j Hi Hj; [destruct Hi|].
  inversion H as [|? ? Hl Hk]; subst. rewrite Forall_forall in Hk. destruct Hi as [->|Hi]; [|eauto].
  apply Hk, in_or_app; auto.
Qed.

Lemma sorted_app l m : StronglySorted Beats l -> StronglySorted Beats m ->
  (forall i j, In i l -> In j m -> Beats i j) -> StronglySorted Beats (l ++ m).
Proof.
  induction l as [|k l IH]; simpl; intros Hl Hm H; auto. inversion Hl as [|? ? Hl' Hk]; subst.
  constructor; [apply IH; auto|]. rewrite Forall_forall in *. intros j Hj. apply in_app_or in Hj.
  destruct Hj; auto.
Qed.

Theorem released_spec c bar candidates out : NoDup candidates ->
  released c bar candidates = out <-> Spec c bar candidates out.
Proof.
  intros ND. unfold released. set (W := filter (fun i => reaches bar (y i)) candidates).
  assert (NW : NoDup W) by (apply NoDup_filter, ND).
  assert (IW : forall i, In i W <-> In i candidates /\ reaches bar (y i) = true)
    by (intros i; unfold W; rewrite filter_In; reflexivity).
  pose proof (sort_perm W) as PW. pose proof (sort_sorted W NW) as SW.
  split.
  - intros <-. pose proof (firstn_skipn c (sort W)) as FS.
    assert (IF : forall i, In i (firstn c (sort W)) -> In i W).
    { intros i Hi. apply (Permutation_in i (Permutation_sym PW)). rewrite <- FS. apply in_or_app; auto. }
    repeat split.
    + assert (N : NoDup (sort W)) by (apply (Permutation_NoDup PW), NW).
      rewrite <- FS in N. clear -N. revert N. generalize (skipn c (sort W)), (firstn c (sort W)).
      intros m l. induction l as [|i l IH]; simpl; intros N; [constructor|].
      inversion N; subst. constructor; [intros K; apply H1, in_or_app; auto|auto].
    + intros i Hi. apply IW, IF, Hi.
    + apply sorted_firstn, SW.
    + apply firstn_le_length.
    + intros i Hi. apply IW, IF, Hi.
    + intros j Hj Hn. destruct (reaches bar (y j)) eqn:L; [right|left; auto].
      assert (Hs : In j (sort W)) by (apply (Permutation_in j PW), IW; auto).
      rewrite <- FS in Hs. apply in_app_or in Hs. destruct Hs as [Hs|Hs]; [contradiction|].
      split.
      * rewrite firstn_length. destruct (Nat.le_gt_cases c (length (sort W))); [lia|].
        rewrite skipn_all2 in Hs by lia. destruct Hs.
      * intros i Hi. apply (sorted_split (firstn c (sort W)) (skipn c (sort W))); auto.
        rewrite FS. exact SW.
  - intros (N & I & St & Len & Bar & Rest).
    set (rest := sort (filter (fun i => negb (member i out)) W)).
    assert (IR : forall j, In j rest <-> In j W /\ ~ In j out).
    { intros j. unfold rest. split.
      - intros H. apply (Permutation_in j (Permutation_sym (sort_perm _))) in H.
        rewrite filter_In in H. unfold member in H. destruct (in_dec Nat.eq_dec j out); [|tauto].
        destruct H; discriminate.
      - intros [H1 H2]. apply (Permutation_in j (sort_perm _)). rewrite filter_In. split; auto.
        unfold member. destruct (in_dec Nat.eq_dec j out); tauto. }
    assert (E : sort W = out ++ rest).
    { apply sorted_unique; auto.
      - apply sorted_app; auto; [apply sort_sorted, NoDup_filter, NW|].
        intros i j Hi Hj. apply IR in Hj. destruct Hj as [Hj Hn]. apply IW in Hj. destruct Hj as [Hj Hb].
        destruct (Rest j Hj Hn) as [K|[_ K]]; [congruence|auto].
      - rewrite <- PW. apply NoDup_Permutation; auto.
        + assert (Nr : NoDup rest) by (apply (Permutation_NoDup (sort_perm _)), NoDup_filter, NW).
          clear -N Nr IR. assert (D : forall i, In i out -> ~ In i rest) by (intros i H K; apply IR in K; tauto).
          clear IR. clearbody rest. induction out as [|i l IH]; simpl; auto. inversion N; subst. constructor.
          * intros K. apply in_app_or in K. destruct K as [K|K]; [auto|apply (D i (or_introl eq_refl) K)].
          * apply IH; auto. intros j Hj. apply D; right; auto.
        + intros i. rewrite in_app_iff, IR. split.
          * intros H. destruct (in_dec Nat.eq_dec i out); tauto.
          * intros [H|H]; [|tauto]. apply IW. auto. }
    rewrite E. destruct (Nat.eq_dec (length out) c) as [L|L].
    + rewrite <- L, firstn_app, Nat.sub_diag, firstn_O, app_nil_r. apply firstn_all.
    + assert (Z0 : rest = []).
      { destruct rest as [|j r] eqn:Er; auto. exfalso.
        assert (Hj : In j W /\ ~ In j out) by (apply IR; left; auto).
        destruct Hj as [Hj Hn]. apply IW in Hj. destruct Hj as [Hj Hb].
        destruct (Rest j Hj Hn) as [K|[K _]]; [congruence|contradiction]. }
      rewrite Z0, app_nil_r. apply firstn_all2. lia.
Qed.
End Ranking.

(** ** What the proof of privacy needs

    The released rise by exactly [rise], the others by at most [rise], keys stay. If fewer than [c]
    were released the bar rises by [rise], else it stays. Then the same are released. *)
Lemma same_released y y' key c bar candidates out (rise : Z) :
  NoDup candidates -> (0 <= rise)%Z ->
  (forall i, In i candidates -> In i out -> y' i = (y i + rise)%Z) ->
  (forall j, In j candidates -> ~ In j out -> (y' j <= y j + rise)%Z) ->
  released y key c bar candidates = out ->
  released y' key c (if (length out <? c)%nat then option_map (fun b => b + rise)%Z bar else bar)
    candidates = out.
Proof.
  intros ND Hr Hi Hj. rewrite !released_spec by assumption. intros (N & I & St & Len & Bar & Rest).
  assert (B : forall i, In i out -> y' i = (y i + rise)%Z) by (intros; apply Hi; auto).
  repeat split; auto.
  - clear - St B. induction St as [|i l Hl IH Hk]; constructor; [apply IH; intros; apply B; right; auto|].
    rewrite Forall_forall in *. intros k Hin. specialize (Hk k Hin). unfold Beats in *.
    rewrite (B i (or_introl eq_refl)), (B k (or_intror Hin)). lia.
  - intros i Hin. rewrite (B i Hin). specialize (Bar i Hin). destruct bar; destruct (_ <? _)%nat; simpl in *; lia.
  - intros j Hin Hn. specialize (Hj j Hin Hn). destruct (Rest j Hin Hn) as [L|[L K]].
    + destruct bar as [b|]; [|discriminate].
      destruct (Nat.ltb_spec (length out) c); [left; simpl in *; lia|right]. split; [lia|].
      intros i Hio. specialize (Bar i Hio). unfold Beats. rewrite (B i Hio). simpl in *. lia.
    + right. split; [auto|]. intros i Hio. specialize (K i Hio). unfold Beats in *. rewrite (B i Hio). lia.
Qed.

(** Candidates that are not released can be left out of the list, and the same are released. *)
Lemma released_without y key c bar candidates (drop : nat -> bool) :
  NoDup candidates ->
  (forall i, In i (released y key c bar candidates) -> drop i = false) ->
  released y key c bar (filter (fun i => negb (drop i)) candidates) = released y key c bar candidates.
Proof.
  intros ND H. apply released_spec; [apply NoDup_filter, ND|].
  pose proof (proj1 (released_spec y key c bar candidates _ ND) eq_refl) as (N & I & St & Len & Bar & Rest).
  repeat split; auto.
  - intros i Hi. rewrite filter_In. split; [auto|]. rewrite (H i Hi). reflexivity.
  - intros j Hj. rewrite filter_In in Hj. apply Rest. tauto.
Qed.

(** Values and keys of others do not matter. *)
Lemma released_ext y y' key c bar candidates : NoDup candidates ->
  (forall i, In i candidates -> y i = y' i) ->
  released y key c bar candidates = released y' key c bar candidates.
Proof.
  intros ND H. symmetry. apply released_spec; auto.
  pose proof (proj1 (released_spec y key c bar candidates _ ND) eq_refl) as (N & I & St & Len & Bar & Rest).
  repeat split; auto.
  - clear - St I H. revert I. induction St as [|i l Hl IH Hk]; intros I; constructor.
    + apply IH. intros j Hj. apply I; right; auto.
    + rewrite Forall_forall in *. intros k Hin. specialize (Hk k Hin). unfold Beats in *.
      rewrite <- (H i) by (apply I; left; auto). rewrite <- (H k) by (apply I; right; auto). exact Hk.
  - intros i Hi. rewrite <- H by auto. auto.
  - intros j Hj Hn. destruct (Rest j Hj Hn) as [L|[L K]]; [left; rewrite <- H by auto; auto|right].
    split; auto. intros i Hi. specialize (K i Hi). unfold Beats in *. rewrite <- (H i), <- (H j) by auto. exact K.
Qed.
