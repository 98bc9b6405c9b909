(** * False claims about ledgers and filters, refuted

    Runs of one question: randomised response, which says yes with chance 2/3 or 1/3, so that a yes costs ln 2. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Points Hazard PartialShift RaceCases Ledger LedgerRuns Filter RefutedRace.
Import ListNotations.
Open Scope R_scope.

Lemma two_thirds : 0 <= 2 / 3 <= 1. Proof. lra. Qed.
Lemma one_third : 0 <= / 3 <= 1. Proof. lra. Qed.
Definition likely : law bool := coin (2 / 3) two_thirds.
Definition unlikely : law bool := coin (/ 3) one_third.
Lemma both_answers (p : R) H : supported [true; false] (coin p H).
Proof.
  intros f h _ _ L. pose proof (L true ltac:(simpl; auto)). pose proof (L false ltac:(simpl; auto)). simpl.
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.
Definition responses (answer : law bool) (H : supported [true; false] answer) : data unit unit bool unit [true; false] :=
  Data unit unit bool unit [true; false] (fun _ => ret tt) (fun _ _ _ _ => answer) (fun _ _ _ _ => H).
Definition with_person := responses likely (both_answers _ _).
Definition without := responses unlikely (both_answers _ _).
Local Notation weights d h := (weight unit unit bool unit bool_dec [true; false] d tt h).
Local Notation game price cost budget d choose n :=
  (play unit unit bool unit [true; false] price cost budget d choose n [] [] []).
Definition said_yes (e : event unit unit bool) : bool := match e with Answered _ _ a => a | _ => false end.
Definition yeses (v : list (event unit unit bool)) : nat := length (filter said_yes v).

(** A yes and a no of one run cost at most ln 2 each; a run has one question, or the claim says so itself. *)
Lemma weights_are h : exists yes no : nat, weights with_person h = (2 / 3) ^ yes * (/ 3) ^ no
  /\ weights without h = (/ 3) ^ yes * (2 / 3) ^ no /\ (yes + no)%nat = length h.
Proof.
  unfold weight. simpl. induction h as [|[[] [|]] h (y & n & A & B & L)]; cbn [likelihood length] in *.
  - exists 0%nat, 0%nat. simpl. repeat split; lra.
  - exists (Datatypes.S y), n. rewrite A, B. unfold chance. simpl. repeat split; try lia; lra.
  - exists y, (Datatypes.S n). rewrite A, B. unfold chance. simpl. repeat split; try lia; lra.
Qed.

Lemma weights_bound h : weights with_person h <= exp (INR (length h) * ln 2) * weights without h.
Proof.
  destruct (weights_are h) as (y & n & -> & -> & <-).
  replace (exp (INR (y + n) * ln 2)) with (2 ^ (y + n)).
  2: { rewrite <- (exp_ln 2) at 1 by lra. generalize (y + n)%nat. intros m. induction m as [|m IH].
       - simpl. rewrite Rmult_0_l, exp_0. reflexivity.
       - rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, <- IH. simpl. ring. }
  rewrite pow_add. replace (2 ^ y * 2 ^ n * ((/ 3) ^ y * (2 / 3) ^ n))
    with ((2 ^ y * (/ 3) ^ y) * (2 ^ n * (2 / 3) ^ n)) by ring.
  rewrite <- !Rpow_mult_distr. replace (2 * / 3) with (2 / 3) by field.
  apply Rmult_le_compat_l; [apply pow_le; lra|]. apply pow_incr. lra.
Qed.

(** ** A run may reserve less than its endings can cost: false *)
Definition ask_once (v : list (event unit unit bool)) : option (action unit unit) :=
  match length v with O => Some (Open _ _ tt) | 1%nat => Some (Ask _ _ 0%nat tt) | _ => None end.

Theorem what_is_held_counts : ~ (forall price cost budget choose n, 0 <= budget ->
  (forall p h, weight unit unit bool unit bool_dec [true; false] with_person p h
     <= exp (cost p h) * weight unit unit bool unit bool_dec [true; false] without p h) ->
  close (exp budget) 0 (game price cost budget with_person choose n) (game price cost budget without choose n)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (fun _ => 0) (fun _ h => INR (length h) * ln 2) 0 ask_once 2%nat ltac:(lra)
    (fun p h => match p with tt => weights_bound h end) (fun v => (0 <? yeses v)%nat)).
  unfold chance in C. cbn [play ask_once length] in C. unfold spent in C. cbn [total] in C.
  destruct (Rle_dec (0 + 0) 0) as [L|L]; [|lra]. simpl in C. rewrite exp_0 in C. lra.
Qed.

(** ** A run that is closed may be paid back as if it had said nothing: false

    A run says one thing, and then no more. Whatever it has said, it has cost no more than was reserved; what is missing is
    that an ending costs what was said. *)
Definition once (answer : law bool) (h : past unit bool) : law bool := match h with [] => answer | _ => ret false end.
Lemma once_answers (p : R) H h : supported [true; false] (once (coin p H) h).
Proof. destruct h; [apply both_answers|]. intros f f' _ _ L. apply (L false). simpl. auto. Qed.
Definition once_data (p : R) (H : 0 <= p <= 1) : data unit unit bool unit [true; false] :=
  Data unit unit bool unit [true; false] (fun _ => ret tt) (fun _ _ h _ => once (coin p H) h) (fun _ _ h _ => once_answers p H h).
Local Notation once_with := (once_data (2 / 3) two_thirds).
Local Notation once_without := (once_data (/ 3) one_third).

Lemma once_bound h : weights once_with h <= exp (ln 2) * weights once_without h.
Proof.
  rewrite exp_ln by lra. change (likelihood unit unit bool unit bool_dec [true; false] once_with tt tt h
    <= 2 * likelihood unit unit bool unit bool_dec [true; false] once_without tt tt h).
  induction h as [|[[] a] h IH]; cbn [likelihood]; [lra|]. destruct h as [|e h]; cbn [once_data reply once].
  - unfold chance. destruct a; simpl; lra.
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply chance_range|exact IH].
Qed.

Definition ask_twice (v : list (event unit unit bool)) : option (action unit unit) :=
  match length v with
  | O => Some (Open _ _ tt) | 1%nat => Some (Ask _ _ 0%nat tt) | 2%nat => Some (Close _ _ 0%nat)
  | 3%nat => Some (Open _ _ tt) | 4%nat => Some (Ask _ _ 1%nat tt) | _ => None
  end.

Theorem endings_are_paid : ~ (forall price cost budget choose n, 0 <= budget ->
  (forall p h, weight unit unit bool unit bool_dec [true; false] once_with p h
     <= exp (price p) * weight unit unit bool unit bool_dec [true; false] once_without p h) ->
  (forall p h, 0 <= cost p h <= price p) ->
  close (exp budget) 0 (game price cost budget once_with choose n) (game price cost budget once_without choose n)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (fun _ => ln 2) (fun _ _ => 0) (ln 2) ask_twice 5%nat ltac:(lra)
    (fun p h => match p with tt => once_bound h end) ltac:(intros; lra) (fun v => (1 <? yeses v)%nat)).
  unfold chance in C. cbn [play ask_twice length] in C. unfold spent in C. cbn [total] in C.
  destruct (Rle_dec (0 + ln 2) (ln 2)) as [L|L]; [|lra]. simpl in C. unfold charge in C. simpl in C.
  destruct (Rle_dec (0 + 0 + ln 2) (ln 2)) as [M|M]; [|lra]. simpl in C. rewrite exp_ln in C by lra. lra.
Qed.

(** ** A smaller budget would do for sparse vector runs: false, it is attained

    A query that falls by one, from the bar to one below, and no noise on the threshold: a grid of step zero. *)
Lemma half_way : 0 < / 2 < 1. Proof. lra. Qed.
Lemma all_fit : (/ / 2) ^ 0 <= exp 0. Proof. rewrite exp_0. simpl. lra. Qed.
Definition one_yes : svt 1 0.
Proof.
  refine (Svt 1 0 (exponential 1 Rlt_0_1) 1 (geometric (/ 2) half_way) 0 1 1 0 0 (/ / 2)
            _ _ _ _ _ _ (geometric_climbs (/ 2) half_way) all_fit); simpl; lra.
Defined.
Definition one_run (v : list (event (svt 1 0) unit bool)) : option (action (svt 1 0) unit) :=
  match length v with O => Some (Open _ _ one_yes) | 1%nat => Some (Ask _ _ 0%nat tt) | _ => None end.

Local Notation svt_game value := (play (svt 1 0) unit bool Z [true; false] (svt_price 1 0) (svt_cost 1 0 unit) 1
  (svt_data 1 0 unit (fun _ => value)) one_run 2 [] [] []).

Theorem svt_budget_is_attained E : close E 0 (svt_game 1) (svt_game 0) -> exp 1 <= E.
Proof.
  intros C. specialize (C (fun v => match v with Answered _ _ true :: _ => true | _ => false end)).
  assert (V : forall value, 0 <= value <= 1 -> chance (svt_game value)
      (fun v => match v with Answered _ _ true :: _ => true | _ => false end) = exp (value - 1)).
  { intros value Hv. unfold chance. cbn [play one_run length]. unfold spent. cbn [total].
    destruct (Rle_dec (0 + svt_price 1 0 one_yes) 1) as [L|L].
    2: { exfalso. apply L. unfold svt_price, each. simpl. lra. }
    cbn [bind ev svt_data begin reply ret app nth_error put]. unfold svt_reply. cbn [filter length].
    replace (0 <? cutoff 1 0 one_yes)%nat with true by reflexivity. unfold answer. cbn [coin ev].
    transitivity (ev (threshold 1 0 one_yes) (fun _ => exp (value - 1))); [|apply ev_const; left; apply exp_pos].
    apply ev_ext.
    - exists 1. intros t. pose proof (S_range (query_noise 1 0 one_yes) (bar 1 0 one_yes + step 1 0 one_yes * IZR t - value)). lra.
    - intros t. simpl. unfold S_exponential.
      replace (1 + 0 * IZR t - value) with (1 - value) by ring. rewrite Rmax_left by lra.
      replace (- ((1 - value) / 1)) with (value - 1) by field. ring. }
  rewrite !V in C by lra. replace (1 - 1) with 0 in C by ring. rewrite exp_0 in C.
  replace (0 - 1) with (- (1)) in C by ring. rewrite exp_Ropp in C. pose proof (exp_pos 1) as P.
  apply Rmult_le_reg_r with (/ exp 1); [apply Rinv_0_lt_compat, P|]. rewrite Rinv_r by lra. lra.
Qed.

(** ** Filters *)
Definition yes_ratio (a : bool) : R := if a then / 2 else 2.
Lemma yes_ratio_pos a : 0 < yes_ratio a. Proof. destruct a; simpl; lra. Qed.
Lemma yes_ratio_bounded : bounded yes_ratio. Proof. exists 2. intros []; simpl; lra. Qed.
Lemma yes_ratio_law f : bounded f -> ev likely (fun a => yes_ratio a * f a) <= ev unlikely f.
Proof. intros _. simpl. lra. Qed.
Definition as_often (n : nat) (v : view unit bool) : option unit := if (length v <? n)%nat then Some tt else None.
Definition yes_in (v : view unit bool) : nat := length (filter (fun e => match snd e with Some true => true | _ => false end) v).
Local Notation asked n answer := (filtered unit bool (as_often n) (fun _ _ => true) (fun _ _ => answer) n []).

(** Any function that ends above 1 - e^(epsilon - loss) makes a filter: false, its mean must not rise. *)
Theorem mean_must_not_rise : ~ (forall E n (U : view unit bool -> R), 0 < E ->
  (forall v, 0 <= U v /\ 1 - E * passed unit bool (fun _ _ => yes_ratio) v <= U v) ->
  close E (U []) (asked n likely) (asked n unlikely)).
Proof.
  intros C. specialize (C 1 1%nat (fun v => match v with [] => 0 | _ => 1 end) ltac:(lra)).
  assert (F : forall v : view unit bool, 0 <= match v with [] => 0 | _ => 1 end
    /\ 1 - 1 * passed unit bool (fun _ _ => yes_ratio) v <= match v with [] => 0 | _ => 1 end).
  { intros v. pose proof (passed_pos unit bool (fun _ _ => yes_ratio) (fun _ _ => yes_ratio_pos) v).
    destruct v; simpl in *; lra. }
  specialize (C F (fun v => (0 <? yes_in v)%nat)). unfold chance in C. simpl in C. lra.
Qed.

(** A pure cost may be one on average: false, it must hold for each view. An answer loses (ln 2)/3 on average, and ln 2 if it is a yes. *)
Theorem pure_cost_is_for_each_view : ~ (forall eps n (pure : view unit bool -> R), 0 <= eps -> pure [] = 0 ->
  (forall v a, pure v + ev likely (fun y => - ln (yes_ratio y)) <= pure ((tt, Some a) :: v)) ->
  (forall v, (length v <= n)%nat -> pure v <= eps) ->
  close (exp eps) 0 (asked n likely) (asked n unlikely)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (ln 2 / 3) 1%nat (fun v => INR (length v) * (ln 2 / 3)) ltac:(lra) ltac:(simpl; ring)).
  assert (M : forall (v : view unit bool) (a : bool), INR (length v) * (ln 2 / 3) + ev likely (fun y => - ln (yes_ratio y))
    <= INR (length ((tt, Some a) :: v)) * (ln 2 / 3)).
  { intros v a. cbn [length]. rewrite S_INR. simpl. rewrite ln_Rinv by lra. lra. }
  assert (B : forall v : view unit bool, (length v <= 1)%nat -> INR (length v) * (ln 2 / 3) <= ln 2 / 3).
  { intros v L. rewrite <- (Rmult_1_l (ln 2 / 3)) at 2. apply Rmult_le_compat_r; [lra|]. apply (le_INR _ 1), L. }
  specialize (C M B (fun v => (0 <? yes_in v)%nat)). unfold chance in C. simpl in C.
  assert (exp (ln 2 / 3) < exp (ln 2)) by (apply exp_increasing; lra). rewrite exp_ln in * by lra. lra.
Qed.

(** Half of the cost is enough: false. *)
Theorem half_the_cost_is_too_little : ~ (forall eps budget n (G : R -> R -> R) cost, 0 <= cost -> 0 <= budget ->
  (forall b z, 0 <= b -> 0 < z -> 0 <= G b z <= 1 /\ 1 - z <= G b z) ->
  (forall b z, 0 <= b -> 0 < z -> ev likely (fun a => G b (z * yes_ratio a)) <= G (b + 2 * cost) z) ->
  INR n * cost <= budget ->
  close (exp eps) (G budget (exp eps)) (asked n likely) (asked n unlikely)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (ln 2) (ln 2) 2%nat (fun b z => Rmax (1 - z * exp (- b)) 0) (ln 2 / 2) ltac:(lra) ltac:(lra)).
  assert (Below : forall b, 0 <= b -> 0 < exp (- b) <= 1).
  { intros b Hb. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_mono. lra. }
  assert (F : forall b z, 0 <= b -> 0 < z -> 0 <= Rmax (1 - z * exp (- b)) 0 <= 1 /\ 1 - z <= Rmax (1 - z * exp (- b)) 0).
  { intros b z Hb Hz. specialize (Below b Hb). assert (0 < z * exp (- b)) by (apply Rmult_lt_0_compat; lra).
    assert (z * exp (- b) <= z * 1) by (apply Rmult_le_compat_l; lra).
    pose proof (Rmax_l (1 - z * exp (- b)) 0). pose proof (Rmax_r (1 - z * exp (- b)) 0).
    repeat split; try lra. apply Rmax_lub; lra. }
  assert (D : forall b z, 0 <= b -> 0 < z -> ev likely (fun a => Rmax (1 - z * yes_ratio a * exp (- b)) 0)
    <= Rmax (1 - z * exp (- (b + 2 * (ln 2 / 2)))) 0).
  { intros b z Hb Hz. replace (- (b + 2 * (ln 2 / 2))) with (- b + - ln 2) by field.
    rewrite exp_plus, exp_Ropp, (exp_Ropp (ln 2)), exp_ln by lra. rewrite <- exp_Ropp. set (e := exp (- b)).
    specialize (Below b Hb). fold e in Below. assert (0 < z * e) by (apply Rmult_lt_0_compat; lra). simpl.
    pose proof (Rmax_l (1 - z * (e * / 2)) 0). pose proof (Rmax_r (1 - z * (e * / 2)) 0).
    assert (Rmax (1 - z * / 2 * e) 0 <= Rmax (1 - z * (e * / 2)) 0) by (apply Rmax_lub; lra).
    assert (Rmax (1 - z * 2 * e) 0 <= Rmax (1 - z * (e * / 2)) 0) by (apply Rmax_lub; lra). lra. }
  specialize (C F D). simpl in C.
  specialize (C ltac:(lra) (fun v => (1 <? yes_in v)%nat)). unfold chance in C. simpl in C.
  rewrite exp_Ropp, exp_ln in C by lra. rewrite Rmax_right in C by lra. lra.
Qed.

(** ** What a harmless answer did not use of a divergence comes back: false

    Yes has the chances 1/4 and 1/16, so that the moment of order 2 is 8/5. If only a yes is paid, one may ask until it comes. *)
Lemma quarter_is : 0 <= / 4 <= 1. Proof. lra. Qed.
Lemma sixteenth_is : 0 <= / 16 <= 1. Proof. lra. Qed.
Definition rarely : law bool := coin (/ 4) quarter_is.
Definition hardly : law bool := coin (/ 16) sixteenth_is.
Definition rare_ratio (a : bool) : R := if a then / 4 else 5 / 4.
Definition until_yes (v : view unit bool) (_ : unit) : bool := (yes_in v =? 0)%nat.

Theorem divergence_does_not_come_back : ~ (forall (p p' : law bool) (ratio : bool -> R) a eps cost n,
  1 < a -> 0 <= cost ->
  (forall f, bounded f -> ev p (fun y => ratio y * f y) <= ev p' f) -> (forall y, 0 < ratio y) -> bounded ratio ->
  ev p (fun y => exp ((a - 1) * - ln (ratio y))) <= exp ((a - 1) * cost) ->
  (* an answer that is less likely on the neighbour pays, the other one does not, and one payment is allowed *)
  ratio true < 1 < ratio false ->
  close (exp eps) (factor a eps * exp ((a - 1) * cost))
    (filtered unit bool (as_often n) until_yes (fun _ _ => p) n [])
    (filtered unit bool (as_often n) until_yes (fun _ _ => p') n [])).
Proof.
  intros C. assert (L : 0 < ln (8 / 5)) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (C rarely hardly rare_ratio 2 0 (ln (8 / 5)) 4%nat ltac:(lra) ltac:(lra)).
  assert (R1 : forall f, bounded f -> ev rarely (fun y => rare_ratio y * f y) <= ev hardly f) by (intros f _; simpl; lra).
  assert (R2 : forall y, 0 < rare_ratio y) by (intros []; simpl; lra).
  assert (R3 : bounded rare_ratio) by (exists (5 / 4); intros []; simpl; lra).
  assert (M : ev rarely (fun y => exp ((2 - 1) * - ln (rare_ratio y))) <= exp ((2 - 1) * ln (8 / 5))).
  { replace ((2 - 1) * ln (8 / 5)) with (ln (8 / 5)) by ring. rewrite exp_ln by lra. simpl.
    replace ((2 - 1) * - ln (/ 4)) with (- ln (/ 4)) by ring. replace ((2 - 1) * - ln (5 / 4)) with (- ln (5 / 4)) by ring.
    rewrite !exp_Ropp, !exp_ln by lra. lra. }
  specialize (C R1 R2 R3 M ltac:(simpl; lra) (fun v => (0 <? yes_in v)%nat)). clear R1 R2 R3 M.
  rewrite factor_two, exp_0 in C. replace ((2 - 1) * ln (8 / 5)) with (ln (8 / 5)) in C by ring. rewrite exp_ln in C by lra.
  unfold chance in C. simpl in C. lra.
Qed.
