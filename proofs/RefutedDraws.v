(** * False claims about lots, draws, rounding and sorting, refuted

    As in the other files of this kind: what a true theorem asks for is taken away, or its number is changed. *)
Require Import Reals Lra Lia List Bool Arith ZArith Sorting.Sorted.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Digits Rounding Ranking RankedCases RefutedPure.
Import ListNotations.
Open Scope R_scope.

(** ** Lots *)

(** Lots that depend on the data: false, even if nothing else does. *)
Theorem lots_must_not_see_data : ~ (forall (lots lots' : law bool) (k k' : bool -> law bool) E delta,
  0 <= E -> 0 <= delta -> (forall x, close E delta (k x) (k' x)) -> close E delta (bind lots k) (bind lots' k')).
Proof.
  intros C. specialize (C (ret true) (ret false) ret ret 1 0 ltac:(lra) ltac:(lra)).
  specialize (C (fun x event => ltac:(lra)) (fun b => b)). unfold chance in C. simpl in C. lra.
Qed.

Lemma half_range : 0 <= / 2 <= 1.
Proof. lra. Qed.

(** A guarantee that holds on average over the lots, for who knows the lots: false. *)
Theorem known_lots_need_every_lot : ~ (forall (lots : law bool) (k k' : bool -> law bool) E delta,
  0 <= E -> 0 <= delta -> close E delta (bind lots k) (bind lots k') ->
  close E delta (x <- lots ;; y <- k x ;; ret (x, y)) (x <- lots ;; y <- k' x ;; ret (x, y))).
Proof.
  intros C. specialize (C (coin (/ 2) half_range) ret (fun x => ret (negb x)) 1 0 ltac:(lra) ltac:(lra)).
  assert (A : close 1 0 (x <- coin (/ 2) half_range ;; ret x) (x <- coin (/ 2) half_range ;; ret (negb x)))
    by (intros event; unfold chance; simpl; destruct (event true), (event false); lra).
  specialize (C A (fun w => eqb (fst w) (snd w))). unfold chance in C. simpl in C. lra.
Qed.

(** What is made of a result may look at the data again: false. *)
Theorem afterwards_must_not_see_data : ~ (forall (p p' : law bool) (g g' : bool -> bool) E delta,
  close E delta p p' -> close E delta (x <- p ;; ret (g x)) (x <- p' ;; ret (g' x))).
Proof.
  intros C. specialize (C (ret true) (ret true) (fun x => x) negb 1 0 (fun event => ltac:(lra)) (fun b => b)).
  unfold chance in C. simpl in C. lra.
Qed.

(** ** Draws *)
Section Draws.
Variable a : R.
Hypothesis Ha : 0 < a < 1.

Lemma at_zero (p : law Z) z : ev p (fun n => if (n =? z)%Z then 1 else 0) = chance p (fun n => (n =? z)%Z).
Proof. reflexivity. Qed.

(** One step up costs 1/a; nothing less will do. *)
Theorem geometric_climb_is_tight A : climbs A (geometric a Ha) -> / a <= A.
Proof.
  intros C. specialize (C (fun n => if (n =? 0)%Z then 1 else 0) (fun n => if (n =? 1)%Z then 1 else 0)).
  rewrite !at_zero, !geometric_point in C. unfold geometric_mass in C. simpl in C. rewrite !Rmult_1_r in C.
  assert (L : 1 - a <= A * ((1 - a) * a)).
  { apply C; try apply bounded_event.
    intros n. destruct (Z.eqb_spec n 0), (Z.eqb_spec (n + 1) 1); lra || lia. }
  apply Rmult_le_reg_r with ((1 - a) * a); [apply Rmult_lt_0_compat; lra|].
  apply Rle_trans with (2 := L). right. field. lra.
Qed.

(** Where a function is zero to the left, two-sided noise is one-sided noise, scaled. *)
Lemma two_sided_half f : (forall n, (n < 0)%Z -> f n = 0) ->
  ev (two_sided a Ha) f = / (1 + a) * ev (geometric a Ha) f.
Proof.
  intros H. rewrite geometric_ev. cbn [two_sided grid ev two_sided_masses mass]. unfold sumZ.
  rewrite (Series_ext (fun n => two_sided_mass a (- Z.of_nat (Datatypes.S n)) * f (- Z.of_nat (Datatypes.S n))%Z)
             (fun n => 0 * a ^ n)) by (intros n; rewrite H by lia; ring).
  rewrite Series_scal_l, Rmult_0_l, Rplus_0_r, <- Rmult_assoc, <- Series_scal_l. apply Series_ext. intros n.
  rewrite two_sided_right. field. lra.
Qed.

Theorem two_sided_climb_is_tight A : climbs A (two_sided a Ha) -> / a <= A.
Proof.
  intros C. specialize (C (fun n => if (n =? 0)%Z then 1 else 0) (fun n => if (n =? 1)%Z then 1 else 0)).
  rewrite !two_sided_half in C by (intros n Hn; destruct n; try lia; reflexivity).
  rewrite !at_zero, !geometric_point in C. unfold geometric_mass in C. simpl in C. rewrite !Rmult_1_r in C.
  assert (L : / (1 + a) * (1 - a) <= A * (/ (1 + a) * ((1 - a) * a))).
  { apply C; try apply bounded_event.
    intros n. destruct (Z.eqb_spec n 0), (Z.eqb_spec (n + 1) 1); lra || lia. }
  assert (Pi : 0 < / (1 + a)) by (apply Rinv_0_lt_compat; lra).
  apply Rmult_le_reg_r with (/ (1 + a) * ((1 - a) * a)); [repeat apply Rmult_lt_0_compat; lra|].
  apply Rle_trans with (2 := L). right. field. lra.
Qed.

(** Noise with its tail to the left cannot be moved up, at any cost. *)
Theorem left_tail_does_not_climb A : ~ climbs A (mirrored a Ha).
Proof.
  intros C. specialize (C (fun n => if (n =? 0)%Z then 1 else 0) (fun n => if (n =? 1)%Z then 1 else 0)).
  unfold mirrored in C. cbn [bind ev ret] in C.
  rewrite (geometric_ext a Ha (fun n => if (- n =? 1)%Z then 1 else 0) (fun _ => 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (- n) 1); lia || reflexivity).
  rewrite (geometric_ext a Ha _ (fun n => if (n =? 0)%Z then 1 else 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (- n) 0), (Z.eqb_spec n 0); lia || reflexivity).
  rewrite at_zero, geometric_point, ev_const, Rmult_0_r in C by lra. unfold geometric_mass in C. simpl in C.
  assert (L : (1 - a) * 1 <= 0); [|lra].
  apply C; try apply bounded_event.
  intros n. destruct (Z.eqb_spec n 0), (Z.eqb_spec (n + 1) 1); lra || lia.
Qed.

(** The coin of a toss the wrong way round: false, but for a fair coin. *)
Theorem toss_is_not_mirrored : a <> / 2 ->
  ~ (forall f, bounded f ->
     ev (geometric a Ha) f = a * f 0%Z + (1 - a) * ev (geometric a Ha) (fun n => f (n + 1)%Z)).
Proof.
  intros D C. specialize (C (fun n => if (n =? 0)%Z then 1 else 0) (bounded_event (fun n => (n =? 0)%Z))). cbv beta in C.
  rewrite (geometric_ext a Ha (fun n => if (n + 1 =? 0)%Z then 1 else 0) (fun _ => 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (n + 1) 0); lia || reflexivity).
  rewrite at_zero, geometric_point, ev_const in C by lra. unfold geometric_mass in C. simpl in C. lra.
Qed.

(** A geometric variable with a fair sign instead of a difference of two: false. Zero comes too often. *)
Theorem random_sign_is_not_two_sided :
  chance (s <- coin (/ 2) half_range ;; n <- geometric a Ha ;; ret (if s : bool then n else - n)%Z) (fun n => (n =? 0)%Z)
  <> mass (two_sided_masses a Ha) 0.
Proof.
  intros C. unfold chance in C. cbn [bind ev ret coin] in C.
  rewrite (geometric_ext a Ha (fun n => if (- n =? 0)%Z then 1 else 0) (fun n => if (n =? 0)%Z then 1 else 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (- n) 0), (Z.eqb_spec n 0); lia || reflexivity).
  rewrite at_zero, geometric_point in C. unfold geometric_mass in C. cbn [Z.leb Z.compare Z.to_nat pow] in C.
  cbn [two_sided_masses mass] in C. unfold two_sided_mass in C. simpl in C.
  assert (L : 1 < 1 + a) by lra. apply Rmult_lt_compat_l with (r := (1 - a) / (1 + a)) in L;
    [|apply two_sided_factor, Ha].
  replace ((1 - a) / (1 + a) * (1 + a)) with (1 - a) in L by (field; lra). lra.
Qed.

(** Digits that all have the same chance, a not squared from one to the next: false. *)
Theorem digits_need_squares :
  ~ (forall f, bounded f -> ev (geometric a Ha) f
     = ev (d <- coin _ (digit_range a Ha) ;; n <- geometric a Ha ;; ret ((if d : bool then 1 else 0) + 2 * n)%Z) f).
Proof.
  intros C. specialize (C (fun n => if (n =? 0)%Z then 1 else 0) (bounded_event (fun n => (n =? 0)%Z))).
  cbn [bind ev ret coin] in C.
  rewrite (geometric_ext a Ha (fun n => if (1 + 2 * n =? 0)%Z then 1 else 0) (fun _ => 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (1 + 2 * n) 0); lia || reflexivity).
  rewrite (geometric_ext a Ha (fun n => if (0 + 2 * n =? 0)%Z then 1 else 0) (fun n => if (n =? 0)%Z then 1 else 0)) in C
    by (intros n Hn; destruct (Z.eqb_spec (0 + 2 * n) 0), (Z.eqb_spec n 0); lia || reflexivity).
  rewrite at_zero, geometric_point, ev_const in C by lra. unfold geometric_mass in C. simpl in C.
  rewrite Rmult_0_r, Rplus_0_l, Rmult_1_r in C. apply Rmult_eq_compat_r with (r := 1 + a) in C.
  replace ((1 - a / (1 + a)) * (1 - a) * (1 + a)) with (1 - a) in C by (field; lra).
  assert (0 < (1 - a) * a) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** The digits above a fixed number of places left out: false. Nothing would be beyond them. *)
Theorem digits_need_the_rest :
  ~ (forall f, bounded f -> ev (geometric a Ha) f
     = ev (d <- coin _ (digit_range a Ha) ;; ret (if d : bool then 1 else 0)%Z) f).
Proof.
  intros C. specialize (C (fun n => if (2 <=? n)%Z then 1 else 0) (bounded_event (fun n => (2 <=? n)%Z))).
  pose proof (geometric_tail a Ha 2) as G. unfold chance in G. change (Z.of_nat 2) with 2%Z in G.
  rewrite G in C. simpl in C. pose proof (pow_pos a Ha 2). simpl in *. lra.
Qed.
End Draws.

(** Exponential noise rounded to the nearest step instead of floored: it reaches k steps with the chance of k - 1/2. That
    is not the law that is drawn. *)
Theorem nearest_is_not_drawn g s (H : 0 < g / s) (Hs : 0 < s) (k : nat) : (0 < k)%nat ->
  chance (grid_exponential g s H) (fun n => (Z.of_nat k <=? n)%Z) < S (exponential s Hs) (g * (INR k - / 2)).
Proof.
  intros Hk. assert (Hg : 0 < g) by (apply Rmult_lt_reg_r with (/ s); [apply Rinv_0_lt_compat; lra|]; lra).
  assert (K : 1 <= INR k) by (apply (le_INR 1); lia).
  assert (P : 0 < g * (INR k - / 2)) by (apply Rmult_lt_0_compat; lra).
  unfold grid_exponential. rewrite geometric_tail, exp_power. simpl. unfold S_exponential.
  rewrite Rmax_left by lra. apply exp_increasing.
  replace (INR k * - (g / s)) with (- (g * (INR k - / 2) / s) - / 2 * (g / s)) by (field; lra). lra.
Qed.

(** ** Rounding *)

(** A grid whose steps do not divide Delta: half a step can move a score by a whole one. *)
Theorem grid_must_divide : ~ (forall g q q' Delta, 0 < g -> Rabs (q' - q) <= Delta ->
  g * Rabs (IZR (steps g q') - IZR (steps g q)) <= Delta).
Proof.
  intros C. specialize (C 1 0 (/ 2) (/ 2) ltac:(lra)). unfold steps in C.
  rewrite (Int_part_spec (0 / 1 + / 2) 0), (Int_part_spec (/ 2 / 1 + / 2) 1) in C by lra.
  replace (/ 2 - 0) with (/ 2) in C by ring. replace (1 - 0) with 1 in C by ring.
  rewrite !Rabs_pos_eq in C by lra. lra.
Qed.

(** Rounding half to even turns a sensitivity of 1 into 2, so it does not commute with shifts either.

    [half_even n] rounds n/2: 0.5 goes to 0 and 1.5 goes to 2. *)
Definition half_even (n : Z) : Z :=
  if Z.even n then n / 2 else if Z.even (n / 2) then n / 2 else n / 2 + 1.

Theorem half_even_doubles : exists n n' : Z, (n' - n = 2 * 1)%Z /\ (half_even n' - half_even n = 2)%Z.
Proof. exists 1%Z, 3%Z. split; reflexivity. Qed.

Theorem half_even_does_not_commute : ~ (forall n m : Z, half_even (n + 2 * m) = (half_even n + m)%Z).
Proof. intros C. specialize (C 1%Z 1%Z). discriminate. Qed.

(** ** Who is released: other ways to choose *)
Definition says_the_same (chosen : (nat -> Z) -> (nat -> Z) -> nat -> option Z -> list nat -> list nat) : Prop :=
  forall y key c bar candidates out, NoDup candidates ->
    chosen y key c bar candidates = out <-> Spec y key c bar candidates out.

Lemma first_two : NoDup [0%nat; 1%nat].
Proof. repeat constructor; simpl; intuition discriminate. Qed.

(** The first who reach the bar, unsorted, as in a queue: false. *)
Theorem places_do_not_rank :
  ~ says_the_same (fun y key c bar candidates => firstn c (filter (fun i => reaches bar (y i)) candidates)).
Proof.
  intros C. destruct (C (fun i => Z.of_nat i) (fun _ => 0%Z) 1%nat None [0%nat; 1%nat] [0%nat] first_two) as [H _].
  specialize (H eq_refl). destruct H as (_ & _ & _ & _ & _ & R).
  destruct (R 1%nat ltac:(simpl; auto) ltac:(simpl; lia)) as [K|[_ K]]; [discriminate|].
  specialize (K 0%nat ltac:(simpl; auto)). unfold Beats in K. simpl in K. lia.
Qed.

(** Equal values by place instead of by key: false. *)
Theorem ties_need_keys : ~ says_the_same (fun y key => released y (fun _ => 0%Z)).
Proof.
  intros C. destruct (C (fun _ => 0%Z) (fun i => (- Z.of_nat i)%Z) 1%nat None [0%nat; 1%nat] [0%nat] first_two) as [H _].
  specialize (H eq_refl). destruct H as (_ & _ & _ & _ & _ & R).
  destruct (R 1%nat ltac:(simpl; auto) ltac:(simpl; lia)) as [K|[_ K]]; [discriminate|].
  specialize (K 0%nat ltac:(simpl; auto)). unfold Beats in K. simpl in K. lia.
Qed.

(** Above the bar instead of at it or above: false. *)
Theorem bar_may_be_reached :
  ~ says_the_same (fun y key c bar => released y key c (option_map (fun b => b + 1)%Z bar)).
Proof.
  intros C. destruct (C (fun _ => 0%Z) (fun _ => 0%Z) 1%nat (Some 0%Z) [0%nat] []
    ltac:(repeat constructor; simpl; auto)) as [H _].
  specialize (H eq_refl). destruct H as (_ & _ & _ & _ & _ & R).
  destruct (R 0%nat ltac:(simpl; auto) ltac:(simpl; auto)) as [K|[K _]]; discriminate.
Qed.
