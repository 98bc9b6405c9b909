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

(** ** Nobody has to be left out: false

    Order 2, a limit of zero, and a hazard that grows by half with the person: four questions. *)
Definition half_more (_ : view unit bool) (_ : unit) : R := ln 3 - ln 2.

Theorem leaving_out_is_needed : ~ (forall others weight a B kappa eps n, 1 < a -> 0 <= B -> 0 <= kappa ->
  0 < 1 + a * (exp (- kappa) - 1) -> (forall v x, Rabs (weight v x) / 1 <= kappa) ->
  close (exp eps) (factor a eps * exp ((a - 1) * B)) (watch (fun v x => others v x + weight v x) n) (watch others n)).
Proof.
  intros C. assert (L : 0 < ln 3 - ln 2) by (apply bigger; lra).
  specialize (C (score 2) half_more 2 0 (ln 3 - ln 2) 0 4%nat ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (O : 0 < 1 + 2 * (exp (- (ln 3 - ln 2)) - 1)).
  { replace (- (ln 3 - ln 2)) with (ln 2 + - ln 3) by ring. rewrite exp_plus, exp_Ropp, !exp_ln by lra. lra. }
  specialize (C O ltac:(intros; unfold half_more; rewrite Rabs_pos_eq; lra) all_alarms).
  rewrite (all_chance 3), (all_chance 2) in C; try lia; [|reflexivity|].
  - rewrite Rmult_0_r, exp_0, Rmult_1_r in C.
    assert (F : factor 2 0 = / 4).
    { unfold factor. replace ((2 - 1) * (0 + ln (2 / (2 - 1)))) with (ln 2) by (replace (2 / (2 - 1)) with 2 by field; ring).
      rewrite exp_ln by lra. lra. }
    rewrite F in C. simpl in C. lra.
  - intros v _ _. unfold score, half_more. pose proof ln2_pos. rewrite !ln_mult by (simpl; lra).
    replace (INR 3) with 3 by (simpl; ring). replace (INR 2) with 2 by (simpl; ring). ring.
Qed.
