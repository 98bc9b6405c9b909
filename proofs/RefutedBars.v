(** * False claims about the bar and about several items of one person, refuted *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Draws Digits Points Ranking Ranked Unlisted UnlistedRanked UnlistedQueue
  RefutedPure RefutedRanked.
Import ListNotations.
Open Scope R_scope.

Section Bars.
Variable a : R.
Hypothesis Ha : 0 < a < 1.
Let noise := geometric a Ha.
Let keys : law (nat -> Z) := ret (fun _ => 0%Z).

Let three_bounded (b : Z -> Z -> Z -> bool) :
  bounded (fun t => ev noise (fun v => ev noise (fun w => flag (b t v w)))).
Proof. exists 1. intros. apply ev_range. intros. apply ev_range. intros. unfold flag. destruct (b _ _ _); lra. Qed.

Let two_bounded (b : Z -> Z -> bool) : bounded (fun v => ev noise (fun w => flag (b v w))).
Proof. exists 1. intros. apply ev_range. intros. unfold flag. destruct (b _ _); lra. Qed.

Let mono_two (b b' : Z -> Z -> bool) : (forall v w, (0 <= v)%Z -> (0 <= w)%Z -> b v w = true -> b' v w = true) ->
  ev noise (fun v => ev noise (fun w => flag (b v w))) <= ev noise (fun v => ev noise (fun w => flag (b' v w))).
Proof.
  intros H. apply Rle_trans with (ev noise (fun v => ev noise (fun w => flag ((0 <=? v)%Z && (0 <=? w)%Z && b v w)))).
  - right. apply geometric_ext. intros v Hv. apply geometric_ext. intros w Hw.
    destruct (Z.leb_spec 0 v), (Z.leb_spec 0 w); try lia. reflexivity.
  - apply ev_mono; [apply (two_bounded (fun v w => (0 <=? v)%Z && (0 <=? w)%Z && b v w))|apply two_bounded|].
    intros v. apply ev_mono; try apply flag_bounded. intros w. unfold flag.
    destruct (Z.leb_spec 0 v), (Z.leb_spec 0 w), (b v w) eqn:E; simpl; try (destruct (b' v w); lra).
    rewrite H by assumption. lra.
Qed.

(** ** Scores that move in both directions cost twice, with a bar too *)
Lemma two_first_bar y (b : Z) : same_list [0%nat] (released y (fun _ => 0%Z) 1 (Some b) [0%nat; 1%nat])
  = ((b <=? y 0%nat) && (y 1%nat <=? y 0%nat))%Z.
Proof.
  unfold released. cbn [filter reaches].
  destruct (Z.leb_spec b (y 0%nat)), (Z.leb_spec b (y 1%nat)), (Z.leb_spec (y 1%nat) (y 0%nat)); try lia;
    cbn [sort fold_right insert]; unfold beats;
    destruct (Z.ltb_spec (y 1%nat) (y 0%nat)), (Z.eqb_spec (y 0%nat) (y 1%nat)); try lia; reflexivity.
Qed.

Let lead (d : Z) : R := ev noise (fun v => ev noise (fun w => flag (w + d <=? v)%Z)).

Let lead_up d : (0 <= d)%Z -> lead (d + 1)%Z = a * lead d.
Proof.
  intros Hd. unfold lead. apply geometric_moved; [apply (two_bounded (fun v w => (w + (d + 1) <=? v)%Z))| |].
  - apply none_below. intros w Hw. apply Z.leb_gt. lia.
  - intros n Hn. apply geometric_ext. intros w _. unfold flag.
    destruct (Z.leb_spec (w + (d + 1)) (n + 1)), (Z.leb_spec (w + d) n); auto; lia.
Qed.

Let lead_positive : 0 < lead 0%Z.
Proof.
  unfold lead. apply geometric_above with (k := 0%Z); [lia|apply (two_bounded (fun v w => (w + 0 <=? v)%Z))|].
  apply some_positive with (k := 0%Z); [lia|reflexivity].
Qed.

Let lead_far n : lead (Z.of_nat n) = a ^ n * lead 0%Z.
Proof.
  induction n as [|n IH]; [simpl; ring|]. rewrite Nat2Z.inj_succ, <- Z.add_1_r, lead_up, IH by lia. simpl. ring.
Qed.

(** One item of two, noise of one scale on values and bar, scores that move by - l to u: the larger end in place of the width. *)
Theorem ranked_width_is_needed (l u : nat) : (0 < l)%nat -> (0 < u)%nat -> a <= / 2 ->
  ~ (forall T, close ((/ a) ^ Nat.max l u) 0 (ranked noise noise keys [0%nat; 1%nat] 1 (Some T) (scores 0 0))
       (ranked noise noise keys [0%nat; 1%nat] 1 (Some T) (scores (- Z.of_nat l) (Z.of_nat u)))).
Proof.
  intros Hl Hu Small C. specialize (C (-1)%Z (same_list [0%nat])).
  assert (P : forall x y, chance (ranked noise noise keys [0%nat; 1%nat] 1 (Some (-1)%Z) (scores x y)) (same_list [0%nat])
      = ev noise (fun b => ev noise (fun v => ev noise (fun w => flag ((-1 + b <=? x + v) && (y + w <=? x + v))%Z)))).
  { intros x y. unfold chance, ranked. cbn [bind ev ret draw_all keys].
    apply geometric_ext. intros b _. apply geometric_ext. intros v _. apply geometric_ext. intros w _.
    unfold noisy. cbn [option_map]. rewrite two_first_bar. reflexivity. }
  rewrite !P in C.
  assert (Low : (1 - a ^ 2) * lead 0%Z
    <= ev noise (fun b => ev noise (fun v => ev noise (fun w => flag ((-1 + b <=? 0 + v) && (0 + w <=? 0 + v))%Z)))).
  { assert (Few : 1 - a ^ 2 = ev noise (fun b => flag (b <? 2)%Z)).
    { pose proof (geometric_tail a Ha 2) as G. unfold chance in G. rewrite <- G.
      transitivity (ev noise (fun b => flag (b <? 2)%Z + (if (Z.of_nat 2 <=? b)%Z then 1 else 0))
        - ev noise (fun b => if (Z.of_nat 2 <=? b)%Z then 1 else 0)).
      - f_equal. symmetry. transitivity (ev noise (fun _ => 1)); [|apply ev_one]. apply ev_ext.
        + apply bounded_plus; [apply flag_bounded|apply bounded_event].
        + intros b. unfold flag. destruct (Z.ltb_spec b 2), (Z.leb_spec (Z.of_nat 2) b); lra || lia.
      - rewrite ev_plus by (apply flag_bounded || apply bounded_event). ring. }
    rewrite Few, Rmult_comm, <- ev_scal by (try apply flag_bounded; pose proof lead_positive; lra).
    apply ev_mono; [apply bounded_scal; [pose proof lead_positive; lra|apply flag_bounded]|
      apply (three_bounded (fun b v w => ((-1 + b <=? 0 + v) && (0 + w <=? 0 + v))%Z))|].
    intros b. unfold flag at 1. destruct (Z.ltb_spec b 2) as [L|L].
    - rewrite Rmult_1_r. unfold lead.
      apply (mono_two (fun v w => (w + 0 <=? v)%Z) (fun v w => ((-1 + b <=? 0 + v) && (0 + w <=? 0 + v))%Z)).
      intros v w Hv Hw. destruct (Z.leb_spec (w + 0) v); [|discriminate]. intros _.
      destruct (Z.leb_spec (-1 + b) (0 + v)), (Z.leb_spec (0 + w) (0 + v)); auto; lia.
    - rewrite Rmult_0_r. apply ev_pos, (two_bounded (fun v w => ((-1 + b <=? 0 + v) && (0 + w <=? 0 + v))%Z)). }
  set (far := (fun v w => (w + Z.of_nat (l + u) <=? v)%Z)).
  assert (High : ev noise (fun b => ev noise (fun v => ev noise (fun w =>
      flag ((-1 + b <=? - Z.of_nat l + v) && (Z.of_nat u + w <=? - Z.of_nat l + v))%Z))) <= a ^ (l + u) * lead 0%Z).
  { rewrite <- lead_far, <- (ev_const noise (lead (Z.of_nat (l + u)))) by (apply ev_pos, (two_bounded far)).
    apply ev_mono; [apply (three_bounded (fun b v w => ((-1 + b <=? - Z.of_nat l + v) && (Z.of_nat u + w <=? - Z.of_nat l + v))%Z))| |].
    - apply bounded_const, ev_pos, (two_bounded far).
    - intros b. unfold lead.
      apply (mono_two (fun v w => ((-1 + b <=? - Z.of_nat l + v) && (Z.of_nat u + w <=? - Z.of_nat l + v))%Z) far).
      intros v w _ _. destruct (Z.leb_spec (-1 + b) (- Z.of_nat l + v)), (Z.leb_spec (Z.of_nat u + w) (- Z.of_nat l + v));
        try discriminate. intros _. apply Z.leb_le. lia. }
  pose proof lead_positive as P0. assert (Hi : 0 < / a) by (apply Rinv_0_lt_compat; lra).
  apply Rmult_le_compat_l with (r := (/ a) ^ Nat.max l u) in High; [|apply pow_le; lra].
  assert (Short : (/ a) ^ Nat.max l u * a ^ (l + u) <= a).
  { replace (l + u)%nat with (Nat.max l u + Datatypes.S (Nat.min l u - 1))%nat by lia.
    rewrite pow_add, <- Rmult_assoc, <- Rpow_mult_distr, Rinv_l, pow1, Rmult_1_l by lra. cbn [pow].
    rewrite <- (Rmult_1_r a) at 3. apply Rmult_le_compat_l; [lra|]. rewrite <- (pow1 (Nat.min l u - 1)). apply pow_incr. lra. }
  rewrite <- Rmult_assoc in High. apply Rmult_le_compat_r with (r := lead 0%Z) in Short; [|lra].
  assert (K : (1 - a ^ 2) * lead 0%Z <= a * lead 0%Z) by lra. apply Rmult_le_reg_r in K; [|exact P0].
  assert (a * a <= / 2 * / 2) by (apply Rmult_le_compat; lra). simpl in K. lra.
Qed.

(** Delta = 1: e^(Delta/s) is what monotonic scores pay. *)
Theorem ranked_factor_two_is_needed : a <= / 2 ->
  ~ (forall T, close (/ a) 0 (ranked noise noise keys [0%nat; 1%nat] 1 (Some T) (scores 0 0))
                             (ranked noise noise keys [0%nat; 1%nat] 1 (Some T) (scores (-1) 1))).
Proof. intros Small C. apply (ranked_width_is_needed 1 1); auto. rewrite pow_1. exact C. Qed.

(** ** The bar is not always free *)
Variable b : R.
Hypothesis Hb : 0 < b < 1.
Let bar := geometric b Hb.

(** Noise on the bar that costs more than an item does (b < a): what the items cost is not enough. *)
Theorem bar_is_not_always_free : b < a ->
  ~ (forall q q' : nat -> Z, (forall i, In i [0%nat] -> (0 <= q' i - q i <= 1)%Z) ->
     close (/ a) 0 (ranked noise bar keys [0%nat] 1 (Some 0%Z) q) (ranked noise bar keys [0%nat] 1 (Some 0%Z) q')).
Proof.
  intros L C. specialize (C (fun _ => 0%Z) (fun _ => 1%Z) ltac:(intros; lia)).
  apply (ranked_bar_is_paid a Ha b Hb) in C.
  assert (/ a < / b) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat|]; lra). lra.
Qed.

(** ** Each of the items that one person alone holds adds to delta

    Two such items; what one of them adds is not enough. *)
Theorem unlisted_every_item_counts E delta :
  close E delta (ranked noise bar keys [0%nat; 1%nat] 1 (Some 0%Z) (fun _ => 1%Z))
                (ranked noise bar keys [] 1 (Some 0%Z) (fun _ => 0%Z)) ->
  passes Z bar (UnlistedRanked.lead noise 0) 1 < delta.
Proof.
  intros H. specialize (H (fun out => negb (same_list [] out))).
  assert (None_ : chance (ranked noise bar keys [] 1 (Some 0%Z) (fun _ => 0%Z)) (fun out => negb (same_list [] out)) = 0).
  { unfold chance, ranked. cbn [bind ev ret draw_all keys].
    rewrite (geometric_ext b Hb _ (fun _ => 0)); [apply ev_const; lra|]. intros t _. reflexivity. }
  rewrite None_, Rmult_0_r, Rplus_0_l in H. apply Rlt_le_trans with (2 := H).
  assert (Some_ : chance (ranked noise bar keys [0%nat; 1%nat] 1 (Some 0%Z) (fun _ => 1%Z))
    (fun out => negb (same_list [] out))
    = ev bar (fun t => ev noise (fun v => flag (t <=? 1 + v)%Z
        + ev noise (fun w => flag ((1 + v <? t) && (t <=? 1 + w))%Z)))).
  { unfold chance, ranked. cbn [bind ev ret draw_all keys]. apply geometric_ext. intros t _. apply geometric_ext.
    intros v _.
    transitivity (ev noise (fun w => flag (t <=? 1 + v)%Z + flag ((1 + v <? t) && (t <=? 1 + w))%Z)).
    - apply geometric_ext. intros w _. unfold noisy, released, update. cbn [option_map filter reaches Nat.eqb].
      rewrite Z.add_0_l.
      destruct (Z.leb_spec t (1 + v)), (Z.leb_spec t (1 + w)), (Z.ltb_spec (1 + v) t); try lia;
        cbn [sort fold_right insert firstn same_list andb]; unfold beats; cbn [Nat.eqb];
        try (destruct (_ || _)%bool); cbn; ring.
    - rewrite ev_plus by apply flag_bounded. f_equal. apply ev_const. unfold flag. destruct (t <=? 1 + v)%Z; lra. }
  rewrite Some_.
  assert (Split : ev bar (fun t => ev noise (fun v => flag (t <=? 1 + v)%Z
        + ev noise (fun w => flag ((1 + v <? t) && (t <=? 1 + w))%Z)))
    = ev bar (fun t => ev noise (fun v => flag (t <=? 1 + v)%Z))
      + ev bar (fun t => ev noise (fun v => ev noise (fun w => flag ((1 + v <? t) && (t <=? 1 + w))%Z)))).
  { rewrite <- ev_plus.
    - apply geometric_ext. intros t _. apply ev_plus; [apply flag_bounded|].
      apply (two_bounded (fun v w => ((1 + v <? t) && (t <=? 1 + w))%Z)).
    - apply (two_bounded (fun t v => (t <=? 1 + v)%Z)).
    - apply (three_bounded (fun t v w => ((1 + v <? t) && (t <=? 1 + w))%Z)). }
  rewrite Split.
  assert (One : passes Z bar (UnlistedRanked.lead noise 0) 1 = ev bar (fun t => ev noise (fun v => flag (t
    <=? 1 + v)%Z))).
  { unfold passes, chance, UnlistedRanked.lead. cbn [bind ev ret]. apply geometric_ext. intros t _.
    apply geometric_ext. intros v _.
    unfold flag. destruct (Z.leb_spec 0 (1 + v - (0 + t))), (Z.leb_spec t (1 + v)); auto; lia. }
  rewrite One.
  assert (More : 0 < ev bar (fun t => ev noise (fun v => ev noise (fun w => flag ((1 + v <? t) && (t <=? 1 + w))%Z)))).
  { apply geometric_above with (k := 2%Z); [lia|apply (three_bounded (fun t v w => ((1 + v <? t) && (t <=? 1 + w))%Z))|].
    apply geometric_above with (k := 0%Z); [lia|apply (two_bounded (fun v w => ((1 + v <? 2) && (2 <=? 1 + w))%Z))|].
    apply some_positive with (k := 1%Z); [lia|reflexivity]. }
  lra.
Qed.

(** Each round adds too: what one round adds is not enough for two. *)
Theorem unlisted_every_round_counts s (Hs : 0 < s) E delta :
  close E delta (select Z bar keys (queued (exponential s Hs) 1 1 2) 1 [0%nat] (fun _ => 0%Z))
                (select Z bar keys (queued (exponential s Hs) 1 1 2) 1 [] (fun _ => 0%Z)) ->
  passes_queue (exponential s Hs) bar 1 1 1 0 < delta.
Proof.
  intros H. specialize (H (same_list [0%nat])).
  assert (None_ : chance (select Z bar keys (queued (exponential s Hs) 1 1 2) 1 [] (fun _ => 0%Z))
    (same_list [0%nat]) = 0).
  { unfold chance, select. cbn [bind ev ret draw_all keys].
    rewrite (geometric_ext b Hb _ (fun _ => 0)); [apply ev_const; lra|]. intros t _. reflexivity. }
  rewrite None_, Rmult_0_r, Rplus_0_l in H. apply Rlt_le_trans with (2 := H).
  assert (One : chance (select Z bar keys (queued (exponential s Hs) 1 1 2) 1 [0%nat] (fun _ => 0%Z)) (same_list [0%nat])
    = passes_queue (exponential s Hs) bar 1 1 2 0).
  { rewrite <- passes_is. unfold chance, select, passes, chance. cbn [bind ev ret draw_all keys].
    apply geometric_ext. intros t _. apply ev_ext; [apply bounded_event|]. intros v.
    rewrite one_above by lia. reflexivity. }
  rewrite One. unfold passes_queue.
  set (x := fun t => S (exponential s Hs) (gap 1 1 0 t)).
  assert (Hx : forall t, 0 <= x t <= 1) by (intros t; apply S_range).
  assert (Two : forall t, 0 <= x t * (1 - x t) <= 1).
  { intros t. specialize (Hx t). split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
  assert (Split : ev bar (fun t => 1 - (1 - x t) ^ 2)
    = ev bar (fun t => 1 - (1 - x t) ^ 1) + ev bar (fun t => x t * (1 - x t))).
  { rewrite <- ev_plus.
    - apply geometric_ext. intros t _. ring.
    - exists 1. intros t. specialize (Hx t). simpl. lra.
    - exists 1. exact Two. }
  change (ev bar (fun t => 1 - (1 - x t) ^ 1) < ev bar (fun t => 1 - (1 - x t) ^ 2)). rewrite Split.
  assert (More : 0 < ev bar (fun t => x t * (1 - x t))).
  { apply geometric_above with (k := 0%Z); [lia|exists 1; exact Two|]. unfold x, gap.
    replace (1 + 1 * 0 - 1 * 0) with 1 by ring. rewrite S_at_right by lra.
    assert (D : 0 < 1 / s) by (apply Rdiv_lt_0_compat; lra).
    assert (L : exp (- (1 / s)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in L.
    apply Rmult_lt_0_compat; [apply exp_pos|lra]. }
  lra.
Qed.
End Bars.
