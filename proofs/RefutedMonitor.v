(** * False claims about the monitor, refuted

    One question again and again, s = 1. Its hazard is m ln 2, so that it stays silent with chance 2^(-m). *)
Require Import Reals Lra Lia List Bool Arith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Noise Points Hazard Race PartialShift RaceCases ClosedForm Filter Monitor RefutedRace RefutedDelta.
Import ListNotations.
Open Scope R_scope.

Definition again (_ : view unit bool) : option unit := Some tt.
Definition at_zero (_ : view unit bool) (_ : unit) : R := 0.
Definition score (m : nat) (_ : view unit bool) (_ : unit) : R := ln (INR m * ln 2).
Definition all_alarms (v : view unit bool) : bool := forallb (fun e => match snd e with Some true => true | _ => false end) v.
Local Notation watch q n := (monitor 1 Rlt_0_1 unit again at_zero q n).

Lemma score_hazard m v q : (0 < m)%nat -> q = ln (INR m * ln 2) -> exp (- alarm_hazard 1 unit at_zero v tt q) = / 2 ^ m.
Proof.
  intros H ->. rewrite <- half_power. do 2 f_equal. unfold alarm_hazard, at_zero.
  replace (- ((0 - ln (INR m * ln 2)) / 1)) with (ln (INR m * ln 2)) by field.
  apply exp_ln, Rmult_lt_0_compat; [apply lt_0_INR; lia|apply ln2_pos].
Qed.

(** Scores that stay the same until an answer is "no": all answers are alarms. *)
Lemma all_chance m q : (0 < m)%nat -> forall n,
  (forall v, all_alarms v = true -> (length v < n)%nat -> q v tt = ln (INR m * ln 2)) ->
  chance (watch q n) all_alarms = (1 - / 2 ^ m) ^ n.
Proof.
  intros Hm n Hq. unfold chance, monitor.
  assert (Zero : forall j v, all_alarms v = false -> ev (filtered unit bool again (fun _ _ => true)
    (fun v x => answer (gumbel 1 Rlt_0_1) (at_zero v x - q v x)) j v) (fun x => if all_alarms x then 1 else 0) = 0).
  { induction j as [|j IH]; intros v Hv; [simpl; rewrite Hv; reflexivity|]. cbn [filtered again]. cbn [bind ev].
    rewrite alarm_answer, !IH; [ring| |]; cbn [all_alarms forallb snd]; [reflexivity|exact Hv]. }
  assert (G : forall j v, all_alarms v = true -> (length v + j = n)%nat -> ev (filtered unit bool again (fun _ _ => true)
    (fun v x => answer (gumbel 1 Rlt_0_1) (at_zero v x - q v x)) j v) (fun x => if all_alarms x then 1 else 0)
    = (1 - / 2 ^ m) ^ j).
  { induction j as [|j IH]; intros v Hv L; [simpl; rewrite Hv; reflexivity|]. cbn [filtered again]. cbn [bind ev].
    rewrite alarm_answer, IH, Zero; [|reflexivity|exact Hv|simpl; lia].
    rewrite (score_hazard m v (q v tt) Hm) by (apply Hq; [exact Hv|lia]). simpl. ring. }
  apply (G n []); simpl; auto.
Qed.

(** ** One hit more is free: false

    A person who doubles the hazard, and is left out after the second hit in place of the first. *)
Definition doubles (_ : view unit bool) (_ : unit) : R := ln 2.

Lemma doubled v : (hits unit doubles v < 2)%nat -> with_hits unit (score 1) doubles 2 v tt = ln (INR 2 * ln 2).
Proof.
  intros H. unfold with_hits. apply Nat.ltb_lt in H. rewrite H. unfold score, doubles. simpl INR. pose proof ln2_pos.
  rewrite !ln_mult by lra. rewrite ln_1. replace (1 + 1) with 2 by ring. ring.
Qed.

Lemma few_hits v : (hits unit doubles v <= length v)%nat.
Proof.
  induction v as [|[x [[|]|]] v IH]; cbn [hits length]; try lia. destruct (Req_EM_T _ 0); lia.
Qed.

Lemma two_alarms : chance (watch (with_hits unit (score 1) doubles 2) 2) all_alarms = 9 / 16
  /\ chance (watch (score 1) 2) all_alarms = 1 / 4.
Proof.
  split.
  - rewrite (all_chance 2); [simpl; lra|lia|]. intros v _ L. apply doubled. pose proof (few_hits v). lia.
  - rewrite (all_chance 1); [simpl; lra|lia|]. reflexivity.
Qed.

Lemma one_hit_reaches : let g := Rmax ((INR 1 * ln 2 - 0) / (1 - exp (- ln 2))) 0 in
  (1 - Q 1 g) - exp 0 * (1 - Q 1 (g * exp (- ln 2))) = / 4.
Proof.
  cbv zeta. pose proof ln2_pos. rewrite exp_Ropp, exp_ln, exp_0 by lra.
  replace ((INR 1 * ln 2 - 0) / (1 - / 2)) with (INR 2 * ln 2) by (simpl; field).
  rewrite Rmax_left by (simpl; lra). replace (INR 2 * ln 2 * / 2) with (INR 1 * ln 2) by (simpl; field).
  unfold Q. cbn [poly pow fact]. rewrite !half_power. simpl. lra.
Qed.

Lemma one_hit_reaches_back : let g := Rmax ((0 + INR 1 * ln 2) / (exp (ln 2) - 1)) 0 in
  Q 1 g - exp 0 * Q 1 (g * exp (ln 2)) = / 4.
Proof.
  cbv zeta. pose proof ln2_pos. rewrite exp_ln, exp_0 by lra.
  replace ((0 + INR 1 * ln 2) / (2 - 1)) with (INR 1 * ln 2) by (simpl; field).
  rewrite Rmax_left by (simpl; lra). replace (INR 1 * ln 2 * 2) with (INR 2 * ln 2) by (simpl; ring).
  unfold Q. cbn [poly pow fact]. rewrite !half_power. simpl. lra.
Qed.

Theorem hits_must_end : ~ (forall others weight k kappa eps n, (0 < k)%nat -> 0 < kappa ->
  (forall v x, 0 <= weight v x / 1 <= kappa) ->
  let g := Rmax ((INR k * kappa - eps) / (1 - exp (- kappa))) 0 in
  close (exp eps) ((1 - Q k g) - exp eps * (1 - Q k (g * exp (- kappa))))
    (watch (with_hits unit others weight (Datatypes.S k)) n) (watch others n)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (score 1) doubles 1%nat (ln 2) 0 2%nat ltac:(lia) ltac:(lra) ltac:(intros; unfold doubles; lra)).
  cbv zeta in C. rewrite one_hit_reaches in C. specialize (C all_alarms). destruct two_alarms as [A B].
  rewrite A, B, exp_0 in C. lra.
Qed.

Theorem hits_must_end_without : ~ (forall others weight k kappa eps n, (0 < k)%nat -> 0 < kappa ->
  (forall v x, 0 <= weight v x / 1 <= kappa) ->
  let g := Rmax ((eps + INR k * kappa) / (exp kappa - 1)) 0 in
  close (exp eps) (Q k g - exp eps * Q k (g * exp kappa))
    (watch others n) (watch (with_hits unit others weight (Datatypes.S k)) n)).
Proof.
  intros C. pose proof ln2_pos.
  specialize (C (score 1) doubles 1%nat (ln 2) 0 2%nat ltac:(lia) ltac:(lra) ltac:(intros; unfold doubles; lra)).
  cbv zeta in C. rewrite one_hit_reaches_back in C. specialize (C (fun v => negb (all_alarms v))). destruct two_alarms as [A B].
  assert (N : forall p : law (view unit bool), chance p (fun v => negb (all_alarms v)) = 1 - chance p all_alarms).
  { intros p. assert (S1 : ev p (fun v => (if negb (all_alarms v) then 1 else 0) + (if all_alarms v then 1 else 0)) = 1).
    { transitivity (ev p (fun _ => 1)); [|apply ev_one]. apply ev_ext; [apply bounded_plus; apply bounded_event|]. intros v. destruct (all_alarms v); simpl; ring. }
    rewrite ev_plus in S1 by apply bounded_event. unfold chance. lra. }
  rewrite !N, A, B, exp_0 in C. lra.
Qed.

(** ** Whoever is within the limit may be counted once more: false

    A person is in while what was charged is within B, in place of what would be charged after an alarm. Order 2 and B = 0:
    they are in until the first alarm. Without them the hazards are ln(3/2) and ln 8, with them ln(20/9) and ln 3, which is
    less than double and more than half. *)
Section Late.
Variables (others weight : view unit bool -> unit -> R) (a B : R).
Fixpoint late (v : view unit bool) : R :=
  match v with
  | [] => 0
  | (x, Some true) :: before => late before + (if Rle_dec (late before) B then weight_cost 1 a (weight before x) else 0)
  | _ :: before => late before
  end.
Definition with_late (v : view unit bool) (x : unit) : R := others v x + (if Rle_dec (late v) B then weight v x else 0).
End Late.

Definition hazards_of (first second : R) (v : view unit bool) (_ : unit) : R := ln (match v with [] => first | _ => second end).
Definition both_ways (v : view unit bool) (x : unit) : R :=
  hazards_of (ln (20 / 9)) (ln 3) v x - hazards_of (ln (3 / 2)) (ln 8) v x.
(** An alarm at once, or none at all. *)
Definition at_once_or_none (v : view unit bool) : bool :=
  match v with [(_, Some second); (_, Some first)] => first || negb second | _ => false end.

Lemma ln_above x : 1 < x -> 0 < ln x.
Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma once_or_none q x y : 1 < x -> 1 < y -> q [] tt = ln (ln x) -> q [(tt, Some false)] tt = ln (ln y) ->
  chance (watch q 2) at_once_or_none = 1 - / x + / x * / y.
Proof.
  intros Hx Hy E1 E2. unfold chance, monitor. cbn [filtered again bind ev ret]. rewrite !alarm_answer.
  assert (H : forall v z q, 1 < z -> q = ln (ln z) -> exp (- alarm_hazard 1 unit at_zero v tt q) = / z).
  { intros v z q0 Hz ->. unfold alarm_hazard, at_zero. replace (- ((0 - ln (ln z)) / 1)) with (ln (ln z)) by field.
    rewrite exp_ln by (apply ln_above, Hz). rewrite exp_Ropp, exp_ln by lra. reflexivity. }
  rewrite (H [] x _ Hx E1), (H [(tt, Some false)] y _ Hy E2). cbn [at_once_or_none negb orb]. ring.
Qed.

Theorem leaving_out_comes_first : ~ (forall others weight a B kappa eps n, 1 < a -> 0 <= B -> 0 <= kappa ->
  0 < 1 + a * (exp (- kappa) - 1) -> (forall v x, Rabs (weight v x) / 1 <= kappa) ->
  close (exp eps) (factor a eps * exp ((a - 1) * B)) (watch (with_late others weight a B) n) (watch others n)).
Proof.
  intros C. assert (Double : forall x y, 1 < x -> x < y < x * x -> 0 < ln (ln y) - ln (ln x) /\ exp (- (ln (ln y) - ln (ln x))) > / 2).
  { intros x y Hx Hy. pose proof (ln_above x Hx). assert (ln x < ln y) by (apply ln_increasing; lra).
    assert (ln y < ln x + ln x) by (rewrite <- ln_mult by lra; apply ln_increasing; lra).
    split; [apply bigger; lra|]. replace (- (ln (ln y) - ln (ln x))) with (ln (ln x) + - ln (ln y)) by ring.
    rewrite exp_plus, exp_Ropp, !exp_ln by lra. apply Rmult_lt_reg_r with (ln y); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (Double (3 / 2) (20 / 9)) as [P1 D1]; [lra|lra|]. destruct (Double 3 8) as [P2 D2]; [lra|lra|].
  set (kappa := Rmax (ln (ln (20 / 9)) - ln (ln (3 / 2))) (ln (ln 8) - ln (ln 3))).
  specialize (C (hazards_of (ln (3 / 2)) (ln 8)) both_ways 2 0 kappa 0 2%nat ltac:(lra) ltac:(lra)).
  assert (K : 0 <= kappa) by (apply Rle_trans with (2 := Rmax_l _ _); lra).
  assert (O : 0 < 1 + 2 * (exp (- kappa) - 1)) by (unfold kappa, Rmax; destruct (Rle_dec _ _); lra).
  assert (W : forall v x, Rabs (both_ways v x) / 1 <= kappa).
  { intros v x. unfold both_ways, hazards_of, kappa. destruct v.
    - rewrite Rabs_pos_eq by lra. apply Rle_trans with (2 := Rmax_l _ _). lra.
    - rewrite <- Rabs_Ropp, Rabs_pos_eq by lra. apply Rle_trans with (2 := Rmax_r _ _). lra. }
  specialize (C K O W at_once_or_none).
  assert (In : forall v, late both_ways 2 0 v = 0 -> with_late (hazards_of (ln (3 / 2)) (ln 8)) both_ways 2 0 v tt
    = hazards_of (ln (20 / 9)) (ln 3) v tt).
  { intros v E. unfold with_late. rewrite E. destruct (Rle_dec 0 0); [|lra]. unfold both_ways. ring. }
  rewrite (once_or_none _ (20 / 9) 3) in C by (try lra; apply In; reflexivity).
  rewrite (once_or_none _ (3 / 2) 8) in C by (try lra; reflexivity).
  rewrite factor_two, Rmult_0_r, exp_0 in C. lra.
Qed.
