(** * Ranked selection: a full answer does not pay for the bar

    All numbers are whole grid steps. Scores [q], one draw of [value_noise] for each candidate, a bar
    [T] plus one draw of [bar_noise]; equal values in the order of random keys, which may have any
    law that does not depend on the data. Who is released is in [Ranking.v]. One person moves every score
    by - low to high steps. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Points Ranking.
Import ListNotations.
Open Scope R_scope.

Definition same_list : list nat -> list nat -> bool := is _ (list_eq_dec Nat.eq_dec).

Section Ranked.
Variables value_noise bar_noise : law Z.
Variable keys : law (nat -> Z).
Variable candidates : list nat.
Hypothesis Hc : NoDup candidates.
Variables (c : nat) (T : option Z).    (* the public bar; None for the top c without a bar *)

Definition noisy (b : Z) : option Z := option_map (fun t => t + b)%Z T.

Definition ranked (q : nat -> Z) : law (list nat) :=
  key <- keys ;;
  b <- bar_noise ;;
  v <- draw_all (fun _ => value_noise) candidates ;;
  ret (released (fun i => q i + v i)%Z key c (noisy b) candidates).

Variables A Ab : R.
Hypothesis HA : 1 <= A.
Hypothesis HAb : 1 <= Ab.
Hypothesis Hv : climbs A value_noise.
Variables q q' : nat -> Z.
Variables low high : nat.
Hypothesis Hq : forall i, In i candidates -> (- Z.of_nat low <= q' i - q i <= Z.of_nat high)%Z.

(** Does an outcome pay for the bar? *)
Definition pays (out : list nat) : bool :=
  match T with Some _ => (length out <? c)%nat | None => false end.

Section Outcome.
Variable out : list nat.

(** How far the noise of a candidate is moved: the values of the released rise by exactly [high]. *)
Let up (i : nat) : nat := if member i out then Z.to_nat (Z.of_nat high - (q' i - q i)) else 0%nat.

Let sum_up : (sum_nat candidates up <= length out * (low + high))%nat.
Proof.
  assert (P : forall l, incl l candidates -> (sum_nat l up <= length (filter
      (fun i => member i out) l) * (low + high))%nat).
  { induction l as [|i l IH]; intros I; [simpl; lia|]. specialize (IH (fun x H => I x (or_intror H))).
    specialize (Hq i (I i (or_introl eq_refl))). unfold sum_nat in *. cbn [filter fold_right].
    unfold up at 1. destruct (member i out); simpl length; lia. }
  apply Nat.le_trans with (1 := P candidates (fun x H => H)). apply Nat.mul_le_mono_r.
  apply NoDup_incl_length; [apply NoDup_filter, Hc|].
  intros i Hi. apply filter_In in Hi. destruct Hi as [_ Hi]. unfold member in Hi.
  destruct (in_dec Nat.eq_dec i out); [auto|discriminate].
Qed.

(** The bar moves only if there is one, and there was room for more. *)
Let moved (b : Z) : Z := if pays out then (b + Z.of_nat high)%Z else b.

Lemma given_bar key b :
  ev (draw_all (fun _ => value_noise) candidates)
     (fun v => if same_list out (released (fun i => q i + v i)%Z key c (noisy b) candidates) then 1 else 0)
  <= A ^ (length out * (low + high)) *
     ev (draw_all (fun _ => value_noise) candidates)
     (fun v => if same_list out (released (fun i => q' i + v i)%Z key c (noisy (moved b)) candidates) then 1 else 0).
Proof.
  apply Rle_trans with (A ^ sum_nat candidates up *
     ev (draw_all (fun _ => value_noise) candidates)
     (fun v => if same_list out (released (fun i => q' i + v i)%Z key c (noisy (moved b)) candidates) then 1 else 0)).
  - apply draw_all_climbs; [lra|auto|apply bounded_event|apply bounded_event|].
    intros v w E. unfold same_list at 1, is. destruct (list_eq_dec Nat.eq_dec out _) as [e|e].
    2: { destruct (same_list _ _); lra. }
    assert (R : released (fun i => q' i + w i)%Z key c (noisy (moved b)) candidates = out).
    { replace (noisy (moved b))
        with (if (length out <? c)%nat then option_map (fun b => b + Z.of_nat high)%Z (noisy b) else noisy b)
        by (unfold noisy, moved, pays; destruct T, (_ <? _)%nat; simpl; auto; f_equal; lia).
      apply same_released with (y := fun i => (q i + v i)%Z); auto; [lia| |].
      - intros i Hi Ho. rewrite (E i Hi). specialize (Hq i Hi). unfold up, member.
        destruct (in_dec Nat.eq_dec i out); [|contradiction]. lia.
      - intros j Hj Ho. rewrite (E j Hj). specialize (Hq j Hj). unfold up, member.
        destruct (in_dec Nat.eq_dec j out); [contradiction|]. lia. }
    rewrite R. unfold same_list, is. destruct (list_eq_dec Nat.eq_dec out out); [lra|congruence].
  - apply Rmult_le_compat_r; [apply ev_pos, bounded_event|]. apply Rle_pow; [exact HA|exact sum_up].
Qed.

(** THEOREM (what an outcome costs). With k = length out items: A^(k (low + high)), and also
    Ab^high if there is a bar and k < c. *)
Theorem ranked_outcome :
  (pays out = true -> climbs Ab bar_noise) ->
  chance (ranked q) (same_list out)
  <= (if pays out then Ab ^ high else 1) * A ^ (length out * (low + high))
     * chance (ranked q') (same_list out).
Proof.
  intros Hb. unfold chance. apply bind_mono.
  { apply Rmult_le_pos; [destruct (pays out); [apply pow_le|]|apply pow_le]; lra. }
  { apply bounded_event. } { apply bounded_event. }
  intros key. cbn [bind ev ret].
  set (W := A ^ (length out * (low + high))). assert (HW : 0 <= W) by (apply pow_le; lra).
  rewrite Rmult_assoc, <- ev_scal.
  2: exact HW.
  2: { apply (bounded_ev _ (fun b v => if same_list out (released _ key c (noisy b) candidates) then 1 else 0)).
       exists 1. intros; destruct (same_list _ _); lra. }
  assert (B1 : forall s : nat -> Z, bounded (fun b => ev (draw_all (fun _ => value_noise) candidates)
     (fun v => if same_list out (released (fun i => s i + v i)%Z key c (noisy b) candidates) then 1 else 0))).
  { intros s. apply (bounded_ev _ (fun b v => if same_list out (released
      (fun i => s i + v i)%Z key c (noisy b) candidates) then 1 else 0)).
    exists 1. intros; destruct (same_list _ _); lra. }
  pose proof (given_bar key) as G. unfold moved in G. destruct (pays out).
  - apply climbs_many; [auto|lra|apply B1|apply bounded_scal; auto|]. intros b. apply G.
  - rewrite Rmult_1_l. apply ev_mono; [apply B1|apply bounded_scal; auto|]. intros b. apply G.
Qed.
End Outcome.

(** All lists of at most [n] candidates. *)
Fixpoint short_lists (n : nat) : list (list nat) :=
  match n with
  | O => [[]]
  | S n' => [] :: flat_map (fun i => map (cons i) (short_lists n')) candidates
  end.

Lemma short_lists_all : forall n l, (length l <= n)%nat -> incl l candidates -> In l (short_lists n).
Proof.
  induction n as [|n IH]; intros l L I; (destruct l as [|i l]; [left; reflexivity|]); simpl in L; [lia|].
  right. apply in_flat_map. exists i. split; [apply I; left; auto|]. apply in_map, IH; [lia|].
  intros j Hj. apply I; right; auto.
Qed.

Lemma ranked_supported s : supported (nodup (list_eq_dec Nat.eq_dec) (short_lists c)) (ranked s).
Proof.
  intros f h Hf Hh L. cbn [ranked bind ev ret]. destruct Hf as [B Hf], Hh as [C Hh].
  apply ev_mono; [apply bounded_ev; exists B; intros; apply ev_range; auto|apply bounded_ev; exists C; intros;
      apply ev_range; auto|].
  intros key. apply ev_mono; [apply bounded_ev; exists B; intros; auto|apply bounded_ev; exists C; intros; auto|].
  intros b. apply ev_mono; [exists B; intros; auto|exists C; intros; auto|]. intros v. apply L. apply nodup_In.
  destruct (proj1 (released_spec _ key c (noisy b) candidates _ Hc) (eq_refl (released
      (fun i => (s i + v i)%Z) key c (noisy b) candidates)))
    as (_ & I & _ & Len & _). apply short_lists_all; auto.
Qed.

Lemma short_lists_length : forall n l, In l (short_lists n) -> (length l <= n)%nat.
Proof.
  induction n as [|n IH]; intros l H; simpl in H; destruct H as [<-|H]; simpl; try lia; try contradiction.
  apply in_flat_map in H. destruct H as (i & _ & H). apply in_map_iff in H. destruct H as (m & <- & H).
  simpl. specialize (IH m H). lia.
Qed.

(** THEOREM. The whole run costs the worse of two outcomes: a full answer, which does not pay for the bar,
    and one that is short of one item. *)
Theorem ranked_pure E :
  climbs Ab bar_noise ->
  A ^ (c * (low + high)) <= E ->
  Ab ^ high * A ^ ((c - 1) * (low + high)) <= E ->
  close E 0 (ranked q) (ranked q').
Proof.
  intros Hb E1 E2.
  assert (HE : 1 <= E) by (apply Rle_trans with (2 := E1), pow_R1_Rle, HA).
  apply close_of_points with (eq_dec := list_eq_dec Nat.eq_dec) (l := nodup (list_eq_dec Nat.eq_dec) (short_lists c)).
  - apply NoDup_nodup.
  - apply ranked_supported.
  - lra.
  - intros out Hin. apply nodup_In, short_lists_length in Hin.
    apply Rle_trans with (1 := ranked_outcome out (fun _ => Hb)).
    apply Rmult_le_compat_r; [apply chance_range|].
    destruct (pays out) eqn:L.
    + assert (length out < c)%nat by (unfold pays in L; destruct T; [apply Nat.ltb_lt, L|discriminate]).
      apply Rle_trans with (2 := E2). apply Rmult_le_compat_l; [apply pow_le; lra|].
      apply Rle_pow; [exact HA|]. apply Nat.mul_le_mono_r. lia.
    + rewrite Rmult_1_l. apply Rle_trans with (2 := E1). apply Rle_pow; [exact HA|]. apply Nat.mul_le_mono_r. lia.
Qed.

(** COROLLARY (the bar is free). If moving the bar costs no more than one item does, the run costs what
    its c items cost, as if there were no bar. *)
Corollary ranked_free_bar : (0 < c)%nat ->
  climbs Ab bar_noise -> Ab ^ high <= A ^ (low + high) ->
  close (A ^ (c * (low + high))) 0 (ranked q) (ranked q').
Proof.
  intros C Hb F. apply ranked_pure; auto; [lra|].
  replace (c * (low + high))%nat with ((low + high) + (c - 1) * (low + high))%nat by nia.
  rewrite pow_add. apply Rmult_le_compat_r; [apply pow_le; lra|exact F].
Qed.

(** THEOREM (the top c, without a bar). *)
Theorem ranked_top : T = None -> close (A ^ (c * (low + high))) 0 (ranked q) (ranked q').
Proof.
  intros N. apply close_of_points with (eq_dec := list_eq_dec Nat.eq_dec) (l := nodup (list_eq_dec Nat.eq_dec)
      (short_lists c)).
  - apply NoDup_nodup.
  - apply ranked_supported.
  - apply pow_le; lra.
  - intros out Hin. apply nodup_In, short_lists_length in Hin.
    assert (P : pays out = false) by (unfold pays; rewrite N; reflexivity).
    pose proof (ranked_outcome out) as R. rewrite P, Rmult_1_l in R.
    apply Rle_trans with (1 := R (fun H => False_ind _ (diff_false_true H))).
    apply Rmult_le_compat_r; [apply chance_range|]. apply Rle_pow; [exact HA|]. apply Nat.mul_le_mono_r. lia.
Qed.
End Ranked.
