(** * False claims about ranked selection and unlisted candidates, refuted *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Draws Digits Points Ranking Ranked Unlisted UnlistedRanked RefutedPure.
Import ListNotations.
Open Scope R_scope.

Definition flag (b : bool) : R := if b then 1 else 0.
Lemma flag_bounded {X} (b : X -> bool) : bounded (fun x => flag (b x)).
Proof. exists 1. intros x. unfold flag. destruct (b x); lra. Qed.

Section Refuted.
Variable a : R.
Hypothesis Ha : 0 < a < 1.
Let noise := geometric a Ha.
Let keys : law (nat -> Z) := ret (fun _ => 0%Z).

(** What one candidate, or two, draw. *)
Definition scores (x y : Z) (i : nat) : Z := match i with O => x | _ => y end.

Lemma hit_one bar_noise c T q out :
  chance (ranked noise bar_noise keys [0%nat] c T q) (same_list out)
  = ev bar_noise (fun b => ev noise (fun v =>
      flag (same_list out (released (fun i => q i + (if (i =? 0)%nat then v else 0))%Z
          (fun _ => 0%Z) c (noisy T b) [0%nat])))).
Proof. reflexivity. Qed.

Lemma hit_two bar_noise c T q out :
  chance (ranked noise bar_noise keys [0%nat; 1%nat] c T q) (same_list out)
  = ev bar_noise (fun b => ev noise (fun v => ev noise (fun w =>
      flag (same_list out (released (fun i => q i + (if (i =? 0)%nat then v else if (i =? 1)%nat then w else 0))%Z
              (fun _ => 0%Z) c (noisy T b) [0%nat; 1%nat]))))).
Proof. reflexivity. Qed.

Lemma one_below y (b : Z) c : (0 < c)%nat ->
  same_list [] (released y (fun _ => 0%Z) c (Some b) [0%nat]) = (y 0%nat <? b)%Z.
Proof.
  intros Hc. unfold released. cbn [filter reaches]. destruct c as [|c]; [lia|].
  destruct (Z.leb_spec b (y 0%nat)), (Z.ltb_spec (y 0%nat) b); try lia; reflexivity.
Qed.

Lemma one_above y (b : Z) c : (0 < c)%nat ->
  same_list [0%nat] (released y (fun _ => 0%Z) c (Some b) [0%nat]) = (b <=? y 0%nat)%Z.
Proof.
  intros Hc. unfold released. cbn [filter reaches]. destruct c as [|c]; [lia|].
  destruct (Z.leb_spec b (y 0%nat)); cbn; rewrite ?firstn_nil; reflexivity.
Qed.

Lemma two_first y : same_list [0%nat] (released y (fun _ => 0%Z) 1 None [0%nat; 1%nat]) = (y 1%nat <=? y 0%nat)%Z.
Proof.
  unfold released, beats. cbn [filter reaches sort fold_right insert]. unfold beats.
  destruct (Z.ltb_spec (y 1%nat) (y 0%nat)), (Z.eqb_spec (y 0%nat) (y 1%nat)), (Z.leb_spec (y 1%nat) (y 0%nat));
    try lia; reflexivity.
Qed.

Lemma two_both y : same_list [0%nat; 1%nat] (released y (fun _ => 0%Z) 2 (Some 0%Z) [0%nat; 1%nat])
  = ((y 1%nat <=? y 0%nat) && (0 <=? y 1%nat))%Z.
Proof.
  unfold released. cbn [filter reaches].
  destruct (Z.leb_spec 0 (y 0%nat)), (Z.leb_spec 0 (y 1%nat)), (Z.leb_spec (y 1%nat) (y 0%nat)); try lia;
    cbn [sort fold_right insert]; unfold beats;
    destruct (Z.ltb_spec (y 1%nat) (y 0%nat)), (Z.eqb_spec (y 0%nat) (y 1%nat)); try lia; reflexivity.
Qed.

Lemma ratio_out E x k : 0 < x -> 0 < k -> x <= E * (k * x) + 0 -> / k <= E.
Proof.
  intros Hx Hk H. apply Rmult_le_reg_r with (k * x); [apply Rmult_lt_0_compat; auto|].
  rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. lra.
Qed.

(** ** A full answer costs 2 Delta/s for each item, not Delta/s

    The better of two, which move by one step in opposite directions. *)
Lemma nested_bounded (b : Z -> Z -> bool) : bounded (fun v => ev noise (fun w => flag (b v w))).
Proof. apply bounded_ev. exists 1. intros. unfold flag. destruct (b x y); lra. Qed.

Lemma none_below (b : Z -> bool) : (forall w, (0 <= w)%Z -> b w = false) -> ev noise (fun w => flag (b w)) = 0.
Proof.
  intros H. rewrite (geometric_ext a Ha _ (fun _ => 0)); [apply ev_const; lra|].
  intros w Hw. unfold flag. rewrite H by exact Hw. reflexivity.
Qed.

Lemma some_positive (b : Z -> bool) k : (0 <= k)%Z -> b k = true -> 0 < ev noise (fun w => flag (b w)).
Proof.
  intros Hk H. apply geometric_above with (k := k); auto; [apply flag_bounded|]. unfold flag. rewrite H. lra.
Qed.

Theorem ranked_full_is_tight E :
  close E 0 (ranked noise (ret 0%Z) keys [0%nat; 1%nat] 1 None (scores 0 0))
            (ranked noise (ret 0%Z) keys [0%nat; 1%nat] 1 None (scores (-1) 1)) -> (/ a) ^ 2 <= E.
Proof.
  intros H. specialize (H (same_list [0%nat])). rewrite !hit_two in H. cbn [ret ev noisy option_map] in H.
  set (lead := fun d : Z => ev noise (fun v => ev noise (fun w => flag (w + d <=? v)%Z))).
  assert (P : forall x y, ev noise (fun v => ev noise (fun w => flag (same_list [0%nat]
      (released (fun i => scores x y i + (if (i =? 0)%nat then v else if (i =? 1)%nat then w else 0))%Z
          (fun _ => 0%Z) 1 None [0%nat; 1%nat]))))
      = lead (y - x)%Z).
  { intros x y. apply geometric_ext. intros v _. apply geometric_ext. intros w _. rewrite two_first. cbn [scores Nat.eqb].
    unfold flag. destruct (Z.leb_spec (y + w) (x + v)), (Z.leb_spec (w + (y - x)) v); auto; lia. }
  rewrite !P in H. change (0 - 0)%Z with 0%Z in H. change (1 - -1)%Z with 2%Z in H.
  assert (Up : forall d, (0 <= d)%Z -> lead (d + 1)%Z = a * lead d).
  { intros d Hd. unfold lead. apply geometric_moved; [apply (nested_bounded (fun v w => (w + (d + 1) <=? v)%Z))| |].
    - apply none_below. intros w Hw. apply Z.leb_gt. lia.
    - intros n Hn. apply geometric_ext. intros w _. unfold flag.
      destruct (Z.leb_spec (w + (d + 1)) (n + 1)), (Z.leb_spec (w + d) n); auto; lia. }
  assert (P0 : 0 < lead 0%Z).
  { unfold lead. apply geometric_above with (k := 0%Z); [lia|apply (nested_bounded (fun v w => (w + 0 <=? v)%Z))|].
    apply some_positive with (k := 0%Z); [lia|reflexivity]. }
  change 2%Z with (0 + 1 + 1)%Z in H. rewrite !Up in H by lia.
  replace ((/ a) ^ 2) with (/ (a * a)) by (simpl; field; lra).
  apply ratio_out with (lead 0%Z); [exact P0|apply Rmult_lt_0_compat; lra|]. rewrite Rmult_assoc. exact H.
Qed.

(** ** Every item is paid for, not only one of them

    Two items above a fixed bar, which both fall by one step. *)
Theorem ranked_items_are_paid E :
  close E 0 (ranked noise (ret 0%Z) keys [0%nat; 1%nat] 2 (Some 0%Z) (scores 0 0))
            (ranked noise (ret 0%Z) keys [0%nat; 1%nat] 2 (Some 0%Z) (scores (-1) (-1))) -> (/ a) ^ 2 <= E.
Proof.
  intros H. specialize (H (same_list [0%nat; 1%nat])). rewrite !hit_two in H. cbn [ret ev noisy option_map] in H.
  set (both := fun d : Z => ev noise (fun v => ev noise (fun w => flag ((w <=? v) && (d <=? w))%Z))).
  assert (P : forall x, ev noise (fun v => ev noise (fun w => flag (same_list [0%nat; 1%nat]
      (released (fun i => scores x x i + (if (i =? 0)%nat then v else if (i =? 1)%nat then w else 0))%Z
          (fun _ => 0%Z) 2 (Some (0 + 0)%Z) [0%nat; 1%nat]))))
      = both (- x)%Z).
  { intros x. apply geometric_ext. intros v _. apply geometric_ext. intros w _. rewrite two_both. cbn [scores Nat.eqb].
    unfold flag. destruct (Z.leb_spec (x + w) (x + v)), (Z.leb_spec 0 (x + w)), (Z.leb_spec w v), (Z.leb_spec (- x) w);
      auto; lia. }
  rewrite !P in H. change (- 0)%Z with 0%Z in H. change (- -1)%Z with 1%Z in H.
  assert (Up : both 1%Z = a * a * both 0%Z).
  { unfold both. rewrite Rmult_assoc, <- (ev_scal noise a)
      by (try apply (nested_bounded (fun v w => ((w <=? v) && (0 <=? w))%Z)); lra).
    apply geometric_moved; [apply (nested_bounded (fun v w => ((w <=? v) && (1 <=? w))%Z))| |].
    - apply none_below. intros w Hw. apply andb_false_iff.
      destruct (Z.leb_spec w 0), (Z.leb_spec 1 w); auto; lia.
    - intros n Hn. apply geometric_moved; [apply flag_bounded| |].
      + unfold flag. rewrite andb_false_r. reflexivity.
      + intros w Hw. unfold flag.
        destruct (Z.leb_spec (w + 1) (n + 1)), (Z.leb_spec 1 (w + 1)), (Z.leb_spec w n), (Z.leb_spec 0 w); auto; lia. }
  assert (P0 : 0 < both 0%Z).
  { unfold both. apply geometric_above with (k := 0%Z); [lia|apply (nested_bounded
      (fun v w => ((w <=? v) && (0 <=? w))%Z))|].
    apply some_positive with (k := 0%Z); [lia|reflexivity]. }
  rewrite Up in H. replace ((/ a) ^ 2) with (/ (a * a)) by (simpl; field; lra).
  apply ratio_out with (both 0%Z); [exact P0|apply Rmult_lt_0_compat; lra|]. exact H.
Qed.

(** ** An answer with room left pays for the bar

    One candidate, which rises by one step; nothing is released. *)
Section Bar.
Variable b : R.
Hypothesis Hb : 0 < b < 1.
Let bar := geometric b Hb.

Theorem ranked_bar_is_paid E :
  close E 0 (ranked noise bar keys [0%nat] 1 (Some 0%Z) (fun _ => 0%Z))
            (ranked noise bar keys [0%nat] 1 (Some 0%Z) (fun _ => 1%Z)) -> / b <= E.
Proof.
  intros H. specialize (H (same_list [])). rewrite !hit_one in H.
  set (below := fun d : Z => ev bar (fun t => ev noise (fun v => flag (d + v <? t)%Z))).
  assert (P : forall x, ev bar (fun t => ev noise (fun v => flag (same_list []
      (released (fun i => x + (if (i =? 0)%nat then v else 0))%Z
          (fun _ => 0%Z) 1 (noisy (Some 0%Z) t) [0%nat])))) = below x).
  { intros x. apply geometric_ext. intros t _. apply geometric_ext. intros v _.
    unfold noisy. cbn [option_map]. rewrite one_below by lia. cbn [Nat.eqb]. rewrite Z.add_0_l. reflexivity. }
  rewrite !P in H.
  assert (Up : below 1%Z = b * below 0%Z).
  { unfold below. apply geometric_moved; [apply (nested_bounded (fun t v => (1 + v <? t)%Z))| |].
    - apply none_below. intros w Hw. apply Z.ltb_ge. lia.
    - intros n Hn. apply geometric_ext. intros v _. unfold flag.
      destruct (Z.ltb_spec (1 + v) (n + 1)), (Z.ltb_spec (0 + v) n); auto; lia. }
  assert (P0 : 0 < below 0%Z).
  { unfold below. apply geometric_above with (k := 1%Z); [lia|apply (nested_bounded (fun t v => (0 + v <? t)%Z))|].
    apply some_positive with (k := 0%Z); [lia|reflexivity]. }
  rewrite Up in H. apply ratio_out with (below 0%Z); [exact P0|lra|exact H].
Qed.

(** ** A bar with its tail to the left leaks without bound *)
Theorem left_tailed_bar_leaks E :
  ~ close E 0 (ranked noise (mirrored b Hb) keys [0%nat] 1 (Some 0%Z) (fun _ => (-1)%Z))
              (ranked noise (mirrored b Hb) keys [0%nat] 1 (Some 0%Z) (fun _ => 0%Z)).
Proof.
  intros H. specialize (H (same_list [])). rewrite !hit_one in H. unfold mirrored in H. cbn [bind ev ret] in H.
  assert (P : forall x, ev (geometric b Hb) (fun t => ev noise (fun v => flag (same_list []
      (released (fun i => x + (if (i =? 0)%nat then v else 0))%Z (fun _ => 0%Z) 1 (noisy (Some 0%Z) (- t)) [0%nat]))))
      = ev (geometric b Hb) (fun t => ev noise (fun v => flag (x + v <? - t)%Z))).
  { intros x. apply geometric_ext. intros t _. apply geometric_ext. intros v _.
    unfold noisy. cbn [option_map]. rewrite one_below by lia. cbn [Nat.eqb]. rewrite Z.add_0_l. reflexivity. }
  rewrite !P in H.
  assert (Right : ev (geometric b Hb) (fun t => ev noise (fun v => flag (0 + v <? - t)%Z)) = 0).
  { rewrite (geometric_ext b Hb _ (fun _ => 0)); [apply ev_const; lra|]. intros t Ht.
    apply none_below. intros v Hv. apply Z.ltb_ge. lia. }
  assert (Left : 0 < ev (geometric b Hb) (fun t => ev noise (fun v => flag (-1 + v <? - t)%Z))).
  { apply geometric_above with (k := 0%Z); [lia|apply (nested_bounded (fun t v => (-1 + v <? - t)%Z))|].
    apply some_positive with (k := 0%Z); [lia|reflexivity]. }
  rewrite Right in H. lra.
Qed.

(** ** Candidates read off the data: the delta is needed, and no smaller one will do

    One item, which only one person holds, with score 1; without that person there is no item. *)
Theorem unlisted_delta_is_tight E delta :
  close E delta (ranked noise bar keys [0%nat] 1 (Some 0%Z) (fun _ => 1%Z))
                (ranked noise bar keys [] 1 (Some 0%Z) (fun _ => 0%Z)) ->
  passes Z bar (lead noise 0) 1 <= delta.
Proof.
  intros H. specialize (H (same_list [0%nat])). rewrite hit_one in H.
  assert (None_ : chance (ranked noise bar keys [] 1 (Some 0%Z) (fun _ => 0%Z)) (same_list [0%nat]) = 0).
  { unfold chance, ranked. cbn [bind ev ret draw_all keys]. rewrite (geometric_ext b Hb _
      (fun _ => 0)); [apply ev_const; lra|].
    intros t _. reflexivity. }
  rewrite None_, Rmult_0_r, Rplus_0_l in H. apply Rle_trans with (2 := H). right.
  unfold passes, chance, lead. cbn [bind ev ret]. apply geometric_ext. intros t _. apply geometric_ext. intros v _.
  unfold noisy. cbn [option_map]. rewrite one_above by lia. cbn [Nat.eqb]. unfold flag.
  destruct (Z.leb_spec 0 (1 + v - (0 + t))), (Z.leb_spec (0 + t) (1 + v)); auto; lia.
Qed.

Theorem unlisted_delta_is_positive : 0 < passes Z bar (lead noise 0) 1.
Proof.
  unfold passes. apply geometric_above with (k := 0%Z); [lia|exists 1; intros; apply chance_range|].
  unfold chance, lead. cbn [bind ev ret]. apply geometric_above with (k := 0%Z); [lia| |].
  - exists 1. intros v. destruct (0 <=? _)%Z; lra.
  - simpl. lra.
Qed.
End Bar.

(** ** Noise on values with its tail to the left leaks without bound *)
Theorem left_tailed_values_leak E :
  ~ close E 0 (ranked (mirrored a Ha) (ret 0%Z) keys [0%nat] 1 (Some 0%Z) (fun _ => 0%Z))
              (ranked (mirrored a Ha) (ret 0%Z) keys [0%nat] 1 (Some 0%Z) (fun _ => (-1)%Z)).
Proof.
  intros H. specialize (H (same_list [0%nat])).
  assert (P : forall x, chance (ranked (mirrored a Ha) (ret 0%Z) keys [0%nat] 1 (Some 0%Z)
      (fun _ => x)) (same_list [0%nat])
      = ev noise (fun v => flag (0 <=? x - v)%Z)).
  { intros x. unfold chance, ranked, mirrored. cbn [bind ev ret draw_all keys]. apply geometric_ext. intros v _.
    unfold noisy. cbn [option_map]. rewrite one_above by lia. unfold update. cbn [Nat.eqb]. reflexivity. }
  rewrite !P in H.
  rewrite (none_below (fun v => (0 <=? -1 - v)%Z)) in H by (intros v Hv; apply Z.leb_gt; lia).
  pose proof (some_positive (fun v => (0 <=? 0 - v)%Z) 0 (Z.le_refl 0) eq_refl). lra.
Qed.
End Refuted.
