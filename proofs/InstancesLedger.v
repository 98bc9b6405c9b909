(** * The theorems on ledgers and filters are about something: numbers in place of letters *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Points RaceCases Ledger LedgerRuns Filter RefutedRace RefutedLedger.
Import ListNotations.
Open Scope R_scope.

(** ** Two sparse vector runs, asked in turns; the first is closed, and what it has not used pays for a third

    A run reserves ln 2 + 4. One that was asked and found nothing has cost ln 2, so that a budget of 11 takes
    a third run after it; after a yes, which costs 2 more, the third is refused. *)
Lemma unit_reach : (/ / 2) ^ 1 <= exp (ln 2).
Proof. rewrite exp_ln by lra. simpl. lra. Qed.
Definition two_yes : svt 1 1.
Proof.
  refine (Svt 1 1 (exponential 1 Rlt_0_1) 0 (geometric (/ 2) half_way) 1 2 1 1 (ln 2) (/ / 2)
            _ _ _ _ _ _ (geometric_climbs (/ 2) half_way) unit_reach); simpl; try lra.
  left. apply ln2_pos.
Defined.
Lemma third_fits :
  svt_cost 1 1 bool two_yes [(true, false)] + 2 * svt_price 1 1 two_yes <= 11 < svt_cost 1 1 bool two_yes [(true, true)] + 2 * svt_price 1 1 two_yes.
Proof.
  assert (0 < ln 2 < 1).
  { split; [apply ln2_pos|]. apply exp_lt_inv. rewrite exp_ln by lra. pose proof (exp_ineq1 1). lra. }
  assert (/ 3 < ln 2).
  { apply exp_lt_inv. rewrite exp_ln by lra. assert (E : exp (/ 3) * exp (/ 3) * exp (/ 3) = exp 1) by (rewrite <- !exp_plus; f_equal; field).
    pose proof exp_le_3. pose proof (exp_pos (/ 3)). apply Rnot_le_lt. intros L.
    assert (2 * 2 <= exp (/ 3) * exp (/ 3)) by (apply Rmult_le_compat; lra).
    assert (2 * 2 * 2 <= exp (/ 3) * exp (/ 3) * exp (/ 3)) by (apply Rmult_le_compat; lra). lra. }
  unfold svt_cost, svt_price, each. simpl. lra.
Qed.
Definition in_turns (v : list (event (svt 1 1) bool bool)) : option (action (svt 1 1) bool) :=
  match length v with
  | O | 1%nat => Some (Open _ _ two_yes)
  | 2%nat => Some (Ask _ _ 0%nat true)
  | 3%nat => Some (Ask _ _ 1%nat false)
  | 4%nat => Some (Close _ _ 0%nat)
  | 5%nat => Some (Open _ _ two_yes)
  | 6%nat => Some (Ask _ _ 2%nat (match v with _ :: _ :: Answered _ _ a :: _ => a | _ => true end))
  | _ => Some (Ask _ _ 1%nat true)
  end.
(** The query [true] rises by one, the query [false] falls by one. *)
Definition moved (x : bool) : R := if x then 1 else -1.
Lemma moved_within x : - 1 <= moved x - 0 <= 1.
Proof. destruct x; simpl; lra. Qed.
Local Notation svt_game value := (play (svt 1 1) bool bool Z [true; false] (svt_price 1 1) (svt_cost 1 1 bool) 11
  (svt_data 1 1 bool value) in_turns 9 [] [] []).
Example svt_ledger_holds : close (exp 11) 0 (svt_game (fun _ => 0)) (svt_game moved).
Proof. apply svt_ledger; [exact moved_within|lra]. Qed.

(** ** Randomised response, asked as often as the filter allows *)
Local Notation ratios := (fun (_ : view unit bool) (_ : unit) => yes_ratio).
Local Notation answers p := (fun (_ : view unit bool) (_ : unit) => p).

(** The potential max(0, 1 - e^(epsilon - loss - (b - 1/2))), which is a potential from b = 1/2 on: that is the reserve. A question costs ln 2,
    and two are allowed. *)
Definition stick (b z : R) : R := Rmax (1 - z * exp (- b)) 0.
Definition kept (b : R) : R -> R := stick (b - / 2).
Definition up_to_two (v : view unit bool) (_ : unit) : bool := (length v <? 2)%nat.
Lemma stick_floor b z : 0 <= b -> 0 < z -> 0 <= stick b z <= 1 /\ 1 - z <= stick b z.
Proof.
  intros Hb Hz. unfold stick. pose proof (exp_pos (- b)). assert (exp (- b) <= exp 0) by (apply exp_mono; lra).
  rewrite exp_0 in *. assert (0 < z * exp (- b)) by (apply Rmult_lt_0_compat; lra).
  assert (z * exp (- b) <= z * 1) by (apply Rmult_le_compat_l; lra).
  pose proof (Rmax_l (1 - z * exp (- b)) 0). pose proof (Rmax_r (1 - z * exp (- b)) 0).
  repeat split; try lra. apply Rmax_lub; lra.
Qed.
Lemma stick_falls b z : 0 <= b -> 0 < z -> ev likely (fun a => stick b (z * yes_ratio a)) <= stick (b + ln 2) z.
Proof.
  intros Hb Hz. unfold stick. replace (- (b + ln 2)) with (- b + - ln 2) by ring.
  rewrite exp_plus, (exp_Ropp (ln 2)), exp_ln by lra. pose proof (exp_pos (- b)).
  assert (0 < z * exp (- b)) by (apply Rmult_lt_0_compat; lra). simpl.
  pose proof (Rmax_l (1 - z * (exp (- b) * / 2)) 0). pose proof (Rmax_r (1 - z * (exp (- b) * / 2)) 0).
  assert (Rmax (1 - z * / 2 * exp (- b)) 0 <= Rmax (1 - z * (exp (- b) * / 2)) 0) by (apply Rmax_lub; lra).
  assert (Rmax (1 - z * 2 * exp (- b)) 0 <= Rmax (1 - z * (exp (- b) * / 2)) 0) by (apply Rmax_lub; lra). lra.
Qed.
Lemma two_paid (v : view unit bool) :
  paid unit bool unit (fun _ _ _ _ => ln 2) tt v <= INR (length v) * ln 2.
Proof.
  pose proof ln2_pos. induction v as [|[x [a|]] v IH]; cbn [paid length]; [simpl; lra| |]; rewrite S_INR; lra.
Qed.
Example potential_filter_holds :
  close (exp 1) (kept (2 * ln 2 + / 2) (exp 1)) (filtered unit bool (as_often 5) up_to_two (answers likely) 5 [])
                                                (filtered unit bool (as_often 5) up_to_two (answers unlikely) 5 []).
Proof.
  pose proof ln2_pos.
  apply (potential_filter unit bool (as_often 5) up_to_two (answers likely) (answers unlikely) ratios)
    with (reserve := / 2) (cost := fun _ _ => ln 2); try lra.
  - intros _ _. exact yes_ratio_pos.
  - intros _ _. exact yes_ratio_bounded.
  - intros _ _. exact yes_ratio_law.
  - intros; lra.
  - intros b z Hb. apply stick_floor. lra.
  - intros _ _ b z _ Hb Hz. unfold kept. replace (b + ln 2 - / 2) with (b - / 2 + ln 2) by ring. apply stick_falls; lra.
  - intros v x A. pose proof (two_paid v) as P. unfold up_to_two in A. apply Nat.ltb_lt in A.
    assert (INR (length v) <= 1) by (apply (le_INR (length v) 1); lia).
    assert (INR (length v) * ln 2 <= 1 * ln 2) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** Order 2: a question costs ln(3/2), and a pure one ln 2. Runs have two questions and pay for both when they begin; four questions
    are allowed. *)
Definition up_to_four (v : view unit bool) (_ : unit) : bool := (length v <? 4)%nat.
Definition was_answered (e : unit * option bool) : bool := match snd e with Some _ => true | None => false end.
Definition pure_so_far (v : view unit bool) : R := INR (length (filter was_answered v)) * ln 2.
Lemma pure_holds (v : view unit bool) : exp (- pure_so_far v) <= passed unit bool ratios v.
Proof.
  unfold pure_so_far. induction v as [|[x [a|]] v IH]; cbn [filter snd length passed] in *.
  - simpl. rewrite Rmult_0_l, Ropp_0, exp_0. lra.
  - change (was_answered (x, Some a)) with true. cbn [length]. rewrite S_INR.
    replace (- ((INR (length (filter was_answered v)) + 1) * ln 2))
      with (- (INR (length (filter was_answered v)) * ln 2) + - ln 2) by ring.
    rewrite exp_plus, (exp_Ropp (ln 2)), exp_ln by lra. apply Rmult_le_compat; [left; apply exp_pos|lra|exact IH|].
    destruct a; simpl; lra.
  - exact IH.
Qed.
Definition begun (v : view unit bool) : bool := Nat.odd (length (filter was_answered v)).
Definition to_give (v : view unit bool) : R := if begun v then 3 / 2 else 1.
Definition pays (v : view unit bool) (_ : unit) (_ : bool) : R := if begun v then 0 else 2 * ln (3 / 2).
Lemma begun_next v x y : begun ((x, Some y) :: v) = negb (begun v).
Proof. unfold begun. cbn [filter was_answered snd length]. rewrite Nat.odd_succ. symmetry. apply Nat.negb_odd. Qed.
Lemma begun_refused v x : begun ((x, None) :: v) = begun v.
Proof. reflexivity. Qed.
Lemma pays_so_far v : paid unit bool unit (fun _ => pays) tt v
  = (INR (length (filter was_answered v)) + (if begun v then 1 else 0)) * ln (3 / 2).
Proof.
  induction v as [|[x [y|]] v IH]; cbn [paid]; [simpl; ring| |].
  - rewrite IH, begun_next. change (filter was_answered ((x, Some y) :: v)) with ((x, Some y) :: filter was_answered v).
    cbn [length]. rewrite S_INR. unfold pays. destruct (begun v); simpl; ring.
  - exact IH.
Qed.
Lemma answered_few v : (length (filter was_answered v) <= length v)%nat.
Proof. induction v as [|e v IH]; cbn [filter length]; [lia|]. destruct (was_answered e); cbn [length]; lia. Qed.

Example renyi_filter_holds :
  close (exp 1) (factor 2 1 * exp ((2 - 1) * (4 * ln (3 / 2))))
    (filtered unit bool (as_often 6) up_to_four (answers likely) 6 [])
    (filtered unit bool (as_often 6) up_to_four (answers unlikely) 6 []).
Proof.
  assert (L : 0 < ln (3 / 2)) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply (renyi_filter unit bool (as_often 6) up_to_four (answers likely) (answers unlikely) ratios)
    with (worth := to_give) (pay := pays) (pure := pure_so_far); try lra.
  - intros _ _. exact yes_ratio_pos.
  - intros _ _. exact yes_ratio_bounded.
  - intros _ _. exact yes_ratio_law.
  - reflexivity.
  - intros v. unfold to_give. destruct (begun v); lra.
  - intros v x _. unfold to_give. rewrite begun_refused. apply Rle_refl.
  - intros v x y. unfold pays. destruct (begun v); lra.
  - intros v x _. exists (exp (ln 2) * (3 / 2)). intros y. unfold lost.
    assert (W : 0 <= to_give ((x, Some y) :: v) <= 3 / 2) by (unfold to_give; destruct (begun _); lra).
    split; [apply Rmult_le_pos; [left; apply exp_pos|lra]|]. apply Rmult_le_compat; [left; apply exp_pos|lra| |lra].
    apply exp_mono. pose proof ln2_pos. unfold pays. destruct y, (begun v); simpl; try rewrite ln_Rinv by lra; lra.
  - intros v x _. unfold lost, to_give, pays. simpl. rewrite !begun_next.
    assert (E : forall r k, 0 < r -> exp ((2 - 1) * (- ln r - k)) = / r * exp (- k)).
    { intros r k Hr. replace ((2 - 1) * (- ln r - k)) with (- ln r + - k) by ring.
      rewrite exp_plus, exp_Ropp, exp_ln by exact Hr. reflexivity. }
    rewrite !E by lra. destruct (begun v); simpl.
    + rewrite Ropp_0, exp_0. lra.
    + replace (- (2 * ln (3 / 2))) with (- ln (3 / 2) + - ln (3 / 2)) by ring.
      rewrite exp_plus, exp_Ropp, exp_ln by lra. lra.
  - exact pure_holds.
  - intros v x. unfold pure_so_far. simpl. lra.
  - intros v x A y. right. unfold up_to_four in A. apply Nat.ltb_lt in A. rewrite pays_so_far.
    apply Rmult_le_compat_r; [lra|]. pose proof (answered_few ((x, Some y) :: v)) as F. cbn [length] in F.
    set (n := length (filter was_answered ((x, Some y) :: v))) in *.
    assert (N : (n < 4)%nat \/ n = 4%nat) by lia. unfold begun. fold n. destruct N as [N| ->]; [|simpl; lra].
    assert (I3 : INR n <= INR 3) by (apply le_INR; lia). replace (INR 3) with 3 in I3 by (simpl; ring). destruct (Nat.odd n); lra.
Qed.

(** ** A ledger with two Rényi orders and the pure way, epsilon = 3

    Two questions: [true] is randomised response, [false] says yes with chance 1/4 or 1/16. The pure cost is that of the answers, and a
    no to [false] has none. A question passes if some way has room after either answer: the pure one within 3, order 2 within 2,
    or order 3 within 13/5. In these ways [true] costs 0.69, 0.41 and 0.51, a yes to [false] 1.39, 0.47 and 0.75. So each lets pass
    what the other two refuse: any number of noes to [false]; four yeses to [false]; five questions [true]. Delta is 0.16. *)
Definition law_of (x : bool) : law bool := if x then likely else rarely.
Definition law_of' (x : bool) : law bool := if x then unlikely else hardly.
Definition ratio_of (x : bool) : bool -> R := if x then yes_ratio else rare_ratio.
Definition pure_of (x a : bool) : R := if x then ln 2 else if a then ln 4 else 0.
Fixpoint pure_sum (v : view bool bool) : R :=
  match v with [] => 0 | (x, Some a) :: before => pure_sum before + pure_of x a | _ :: before => pure_sum before end.
Definition order (w : bool) : R := if w then 2 else 3.
Definition room (w : bool) : R := if w then 2 else 13 / 5.
Definition moment (w x : bool) : R := if w then (if x then 3 / 2 else 8 / 5) else (if x then 11 / 4 else 112 / 25).
Definition order_pay (w : bool) (_ : view bool bool) (x _ : bool) : R := ln (moment w x) / (order w - 1).
Definition some_room (v : view bool bool) : bool :=
  if Rle_dec (pure_sum v) 3 then true
  else if Rle_dec (paid bool bool bool order_pay true v) (room true) then true
  else if Rle_dec (paid bool bool bool order_pay false v) (room false) then true else false.
Definition either_way (v : view bool bool) (x : bool) : bool := some_room ((x, Some true) :: v) && some_room ((x, Some false) :: v).
(** After a yes to the first question always [false], else always [true]. Each of the three ways is then the only one that lets some question pass. *)
Definition in_turn (v : view bool bool) : option bool := match rev v with (_, Some true) :: _ => Some false | _ => Some true end.

Lemma ratio_of_pos x a : 0 < ratio_of x a.
Proof. destruct x, a; simpl; lra. Qed.
Lemma order_above w : 1 < order w.
Proof. destruct w; simpl; lra. Qed.
Lemma moment_pos w x : 1 < moment w x.
Proof. destruct w, x; simpl; lra. Qed.
Lemma order_pay_pos w v x a : 0 <= order_pay w v x a.
Proof.
  pose proof (order_above w). pose proof (moment_pos w x). left. apply Rdiv_lt_0_compat; [|lra]. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
Lemma order_paid w v x : ev (law_of x) (fun a => exp ((order w - 1) * (- ln (ratio_of x a) - order_pay w v x a))) <= 1.
Proof.
  assert (T : forall r m, 0 < r -> 0 < m -> exp ((order w - 1) * (- ln r - ln m / (order w - 1))) = (/ r) ^ (if w then 1 else 2) * / m).
  { intros r m Hr Hm. pose proof (order_above w).
    replace ((order w - 1) * (- ln r - ln m / (order w - 1))) with ((order w - 1) * - ln r + - ln m) by (field; lra).
    rewrite exp_plus, (exp_Ropp (ln m)), exp_ln by exact Hm. f_equal. destruct w; simpl.
    - replace ((2 - 1) * - ln r) with (- ln r) by ring. rewrite exp_Ropp, exp_ln by exact Hr. ring.
    - replace ((3 - 1) * - ln r) with (- ln r + - ln r) by ring. rewrite exp_plus, exp_Ropp, exp_ln by exact Hr. ring. }
  unfold order_pay. destruct x; simpl; rewrite !T by (apply Rlt_trans with (2 := moment_pos w _) || idtac; lra); destruct w; simpl; lra.
Qed.

Example ledger_delta_holds :
  close (exp 3) (factor 2 3 * exp ((2 - 1) * 2) + (factor 3 3 * exp ((3 - 1) * (13 / 5)) + 0))
    (filtered bool bool in_turn either_way (fun _ => law_of) 9 []) (filtered bool bool in_turn either_way (fun _ => law_of') 9 []).
Proof.
  pose proof ln2_pos.
  replace (factor 2 3 * exp ((2 - 1) * 2) + (factor 3 3 * exp ((3 - 1) * (13 / 5)) + 0))
    with (total [true; false] (fun w => renyi_potential (order w) (room w) (exp 3)))
    by (cbn [total]; unfold renyi_potential; rewrite ln_exp; reflexivity).
  assert (Le : forall w v x b z a, 0 <= b -> 0 < z -> 0 <= after bool bool (fun _ => ratio_of) bool order_pay
    (fun w _ => renyi_potential (order w)) w v x b z a
    <= renyi_potential (order w) b z * exp ((order w - 1) * (- ln (ratio_of x a) - order_pay w v x a))).
  { intros w v x b z a Hb Hz. unfold after. pose proof (renyi_floor (order w) (order_above w) b z Hb Hz) as [P _].
    assert (0 <= renyi_potential (order w) b z * exp ((order w - 1) * (- ln (ratio_of x a) - order_pay w v x a)))
      by (apply Rmult_le_pos; [exact P|left; apply exp_pos]).
    destruct (Rle_dec _ b); [|lra]. rewrite renyi_moves by (apply order_above || apply ratio_of_pos || assumption). lra. }
  assert (Few : forall f : bool -> R, (forall a, 0 <= f a) -> bounded f).
  { intros f H0. exists (f true + f false). intros a. pose proof (H0 true). pose proof (H0 false). destruct a; lra. }
  apply (ledger_delta bool bool in_turn either_way (fun _ => law_of) (fun _ => law_of') (fun _ => ratio_of))
    with (pay := order_pay) (potential := fun w _ => renyi_potential (order w)) (pure := pure_sum).
  - intros _ x a. apply ratio_of_pos.
  - intros _ x. apply Few. intros a. left. apply ratio_of_pos.
  - intros _ x f _. destruct x; simpl; lra.
  - exact order_pay_pos.
  - intros [|] _; simpl; lra.
  - intros w v b z _. apply renyi_floor, order_above.
  - intros w v x b z _ _ Hb Hz. apply Few. intros a. apply Le; assumption.
  - intros w v x b z _ _ Hb Hz. pose proof (renyi_floor (order w) (order_above w) b z Hb Hz) as [P _].
    apply Rle_trans with (ev (law_of x) (fun a => renyi_potential (order w) b z * exp ((order w - 1) * (- ln (ratio_of x a) - order_pay w v x a)))).
    + apply ev_mono; [apply Few; intros a; apply Le; assumption| |intros a; apply Le; assumption].
      apply Few. intros a. apply Rmult_le_pos; [exact P|left; apply exp_pos].
    + rewrite ev_scal by (exact P || (apply Few; intros a; left; apply exp_pos)).
      rewrite <- (Rmult_1_r (renyi_potential (order w) b z)) at 2. apply Rmult_le_compat_l; [exact P|apply order_paid].
  - intros w v x b z _ _ _ _. apply Rle_refl.
  - intros v. induction v as [|[x [a|]] v IH]; cbn [pure_sum passed]; [rewrite Ropp_0, exp_0; lra| |exact IH].
    rewrite Ropp_plus_distr, exp_plus. apply Rmult_le_compat; [left; apply exp_pos|left; apply exp_pos|exact IH|].
    destruct x, a; simpl; rewrite ?Ropp_0, ?exp_0, ?exp_Ropp, ?exp_ln by lra; lra.
  - intros v x A a. unfold either_way in A. apply andb_true_iff in A.
    assert (S : some_room ((x, Some a) :: v) = true) by (destruct a; apply A). unfold some_room in S. unfold fits.
    destruct (Rle_dec (pure_sum _) 3) in S; [left; assumption|right].
    destruct (Rle_dec (paid _ _ _ _ true _) _) in S; [exists true; simpl; auto|].
    destruct (Rle_dec (paid _ _ _ _ false _) _) in S; [exists false; simpl; auto|discriminate].
  - intros v x. apply Rle_refl.
  - left. simpl. lra.
Qed.
