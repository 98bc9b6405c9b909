(** * The pure theorem of the sparse vector technique

    The queries are adaptive: [q past] is the answer, on one dataset, to the query that is asked after
    the answers [past]. [q'] are the answers on a neighbouring dataset, with

        - low <= q' past - q past <= high      for every past.

    In general low = high = Delta. If one person moves all answers in one direction (monotonic), low or
    high is zero. So one theorem has all cases. The theorem is about one direction of a pair; for the
    other direction exchange [low] and [high]. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise.
Import ListNotations.
Open Scope R_scope.

Definition positives (answers : list bool) : nat := length (filter (fun b => b) answers).

Lemma positives_app l m : positives (l ++ m) = (positives l + positives m)%nat.
Proof. unfold positives. rewrite filter_app, app_length. reflexivity. Qed.

Section Run.
Variable N : noise.        (* noise of the queries *)
Variable T : R.            (* the public threshold, correction included *)

(** What is left of a run that has given the answers [past]: at most [n] more queries, at most [c] more
    positives, threshold noise [t]. Its result is the list of all answers, the oldest first. *)
Fixpoint run (q : list bool -> R) (t : R) (n c : nat) (past : list bool) : law (list bool) :=
  match n, c with
  | Datatypes.S n', Datatypes.S c' =>
      a <- answer N (T + t - q past) ;;
      run q t n' (if a then c' else c) (past ++ [a])
  | _, _ => ret past
  end.

(** The heart of the proof. If every gap grows by 0 to [width], a negative gets no less likely, and a
    positive less likely by at most e^(rate * width). *)
Lemma run_step q q' t t' width :
  0 <= width ->
  (forall past, 0 <= (T + t' - q' past) - (T + t - q past) <= width) ->
  forall n c past f, bounded f ->
    ev (run q t n c past) (fun l => exp (- (rate N * width * INR (positives l))) * f l)
    <= exp (- (rate N * width * INR (positives past))) * ev (run q' t' n c past) f.
Proof.
  intros Hw H. set (k := rate N * width).
  assert (Hk : 0 <= k) by (apply Rmult_le_pos; [apply rate_pos|exact Hw]).
  assert (E1 : forall l, 0 <= exp (- (k * INR (positives l))) <= 1).
  { intros l. split; [left; apply exp_pos|]. rewrite <- exp_0. apply exp_mono.
    pose proof (Rmult_le_pos k (INR (positives l)) Hk (pos_INR _)). lra. }
  induction n as [|n IH]; intros c past f Hf; [simpl; lra|].
  destruct c as [|c]; [simpl; lra|].
  cbn [run bind ev]. unfold answer. cbn [coin ev]. specialize (H past).
  set (x := T + t - q past) in *. set (x' := T + t' - q' past) in *.
  pose proof (IH c (past ++ [true]) f Hf) as IHt. pose proof (IH (Datatypes.S c) (past ++ [false]) f Hf) as IHf.
  rewrite positives_app in IHt, IHf. change (positives [true]) with 1%nat in IHt.
  change (positives [false]) with 0%nat in IHf. rewrite Nat.add_0_r in IHf.
  rewrite plus_INR in IHt. change (INR 1) with 1 in IHt.
  set (Pt := ev (run q' t' n c (past ++ [true])) f) in *.
  set (Pf := ev (run q' t' n (Datatypes.S c) (past ++ [false])) f) in *.
  assert (0 <= Pt) by (apply ev_pos, Hf). assert (0 <= Pf) by (apply ev_pos, Hf).
  pose proof (S_range N x) as R1. pose proof (S_range N x') as R2.
  set (e := exp (- (k * INR (positives past)))) in *.
  assert (He : 0 < e) by apply exp_pos.
  replace (exp (- (k * (INR (positives past) + 1)))) with (exp (- k) * e) in IHt
    by (unfold e; rewrite <- exp_plus; f_equal; ring).
  assert (A : S N x * exp (- k) <= S N x').
  { apply Rmult_le_reg_r with (exp k); [apply exp_pos|].
    rewrite Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0, Rmult_1_r, Rmult_comm.
    apply Rle_trans with (exp (rate N * (x' - x)) * S N (x + (x' - x))).
    - apply S_slow. lra.
    - replace (x + (x' - x)) with x' by ring. apply Rmult_le_compat_r; [lra|]. apply exp_mono.
      apply Rmult_le_compat_l; [apply rate_pos|lra]. }
  assert (B : S N x' <= S N x) by (apply S_falls; lra).
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
  - apply Rle_trans with (S N x * (exp (- k) * e * Pt)).
    + apply Rmult_le_compat_l; [lra|exact IHt].
    + replace (S N x * (exp (- k) * e * Pt)) with (S N x * exp (- k) * (e * Pt)) by ring.
      replace (e * (S N x' * Pt)) with (S N x' * (e * Pt)) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact A].
  - apply Rle_trans with ((1 - S N x) * (e * Pf)).
    + apply Rmult_le_compat_l; [lra|exact IHf].
    + replace (e * ((1 - S N x') * Pf)) with ((1 - S N x') * (e * Pf)) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
Qed.

(** A run never has more than [c] more positives than it began with. *)
Lemma run_support q t : forall n c past f h, bounded f -> bounded h ->
  (forall l, (positives l <= positives past + c)%nat -> f l <= h l) ->
  ev (run q t n c past) f <= ev (run q t n c past) h.
Proof.
  induction n as [|n IH]; intros c past f h Hf Hh L; [apply L; lia|].
  destruct c as [|c]; [apply L; lia|]. cbn [run bind ev]. unfold answer. cbn [coin ev].
  pose proof (S_range N (T + t - q past)).
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); apply IH; auto;
    intros l Hl; apply L; rewrite positives_app in Hl;
    [change (positives [true]) with 1%nat in Hl|change (positives [false]) with 0%nat in Hl]; lia.
Qed.

(** ** The mechanism: one draw of the threshold noise, then the run

    [p] is the law of the threshold noise in grid steps, [g] the size of a step. *)
Variable p : law Z.
Variable A : R.
Hypothesis HA : 0 <= A.
Hypothesis Hp : climbs A p.
Variable g : R.
Hypothesis Hg : 0 <= g.
Variables n c : nat.       (* at most n queries, at most c positives *)

Definition sparse_vector (q : list bool -> R) : law (list bool) :=
  t <- p ;; run q (g * IZR t) n c [].

Variables q q' : list bool -> R.
Variables (low : R) (high : nat).   (* high in grid steps: the threshold noise is moved by it *)
Hypothesis Hlow : 0 <= low.
Hypothesis Hq : forall past, - low <= q' past - q past <= g * INR high.

(** What one positive costs. *)
Let cost := rate N * (low + g * INR high).

Let Hcost : 0 <= cost.
Proof.
  apply Rmult_le_pos; [apply rate_pos|]. pose proof (Rmult_le_pos g (INR high) Hg (pos_INR _)). lra.
Qed.

(** THEOREM (costs of prefixes). A result with k positives costs [A^high * exp (k * cost)]. *)
Theorem svt_prefix f : bounded f ->
  ev (sparse_vector q) (fun l => exp (- (cost * INR (positives l))) * f l)
  <= A ^ high * ev (sparse_vector q') f.
Proof.
  intros Hf. cbn [sparse_vector bind ev].
  assert (Hw : bounded (fun l => exp (- (cost * INR (positives l))) * f l)).
  { apply bounded_mult; auto. exists 1. intros l. split; [left; apply exp_pos|].
    rewrite <- exp_0. apply exp_mono. pose proof (Rmult_le_pos _ _ Hcost (pos_INR (positives l))). lra. }
  apply climbs_many; auto; try (apply bounded_next; auto).
  intros t. pose proof (Rmult_le_pos g (INR high) Hg (pos_INR _)) as Hh.
  assert (M : forall past, 0 <= (T + g * IZR (t + Z.of_nat high) - q' past) - (T + g * IZR t - q past)
                              <= low + g * INR high).
  { intros past. specialize (Hq past). rewrite plus_IZR, <- INR_IZR_INZ. lra. }
  pose proof (run_step q q' (g * IZR t) _ (low + g * INR high) ltac:(lra) M n c [] f Hf) as St.
  unfold cost. change (positives []) with 0%nat in St. simpl INR in St.
  rewrite Rmult_0_r, Ropp_0, exp_0, Rmult_1_l in St. exact St.
Qed.

(** The same for one transcript, in the usual form. *)
Definition same (l m : list bool) : bool := if list_eq_dec bool_dec l m then true else false.

Corollary svt_transcript l :
  chance (sparse_vector q) (same l)
  <= A ^ high * exp (cost * INR (positives l)) * chance (sparse_vector q') (same l).
Proof.
  pose proof (svt_prefix _ (bounded_event (same l))) as P.
  set (w := exp (cost * INR (positives l))). unfold chance.
  assert (E : ev (sparse_vector q) (fun m => exp (- (cost * INR (positives m))) * (if same l m then 1 else 0))
              = / w * ev (sparse_vector q) (fun m => if same l m then 1 else 0)).
  { assert (Hw : 0 < / w) by apply Rinv_0_lt_compat, exp_pos.
    rewrite <- ev_scal by (try apply bounded_event; lra). symmetry.
    apply ev_ext; [apply bounded_scal; [lra|apply bounded_event]|].
    intros m. unfold same. destruct (list_eq_dec bool_dec l m) as [e|e]; [|ring].
    subst m. unfold w. rewrite exp_Ropp. reflexivity. }
  cbv beta in P. rewrite E in P. apply Rmult_le_reg_l with (/ w); [apply Rinv_0_lt_compat, exp_pos|].
  apply Rle_trans with (1 := P). right. field. apply Rgt_not_eq, exp_pos.
Qed.

(** THEOREM (the pure theorem). Every event, for a run that stops after [c] positives. *)
Theorem svt_pure : close (A ^ high * exp (cost * INR c)) 0 (sparse_vector q) (sparse_vector q').
Proof.
  apply close_of_functions. intros f Hf.
  set (w := exp (cost * INR c)). assert (Hw : 0 < w) by apply exp_pos.
  pose proof (svt_prefix f Hf) as P.
  assert (B : bounded (fun l => exp (- (cost * INR (positives l))) * f l)).
  { apply bounded_mult; auto. exists 1. intros l. split; [left; apply exp_pos|].
    rewrite <- exp_0. apply exp_mono. pose proof (Rmult_le_pos _ _ Hcost (pos_INR (positives l))). lra. }
  assert (E : / w * ev (sparse_vector q) f
              <= ev (sparse_vector q) (fun l => exp (- (cost * INR (positives l))) * f l)).
  { assert (0 < / w) by (apply Rinv_0_lt_compat; exact Hw).
    rewrite <- ev_scal by (auto; lra). cbn [sparse_vector bind ev].
    apply ev_mono; try apply bounded_next; auto. apply bounded_scal; auto; lra.
    intros t. apply run_support; auto; [apply bounded_scal; auto; lra|].
    intros l Hl. destruct Hf as [C Hf]. apply Rmult_le_compat_r; [apply Hf|].
    unfold w. rewrite <- exp_Ropp. apply exp_mono, Ropp_le_contravar, Rmult_le_compat_l; [exact Hcost|].
    apply le_INR. exact Hl. }
  apply Rmult_le_reg_l with (/ w); [apply Rinv_0_lt_compat; exact Hw|].
  apply Rle_trans with (1 := E). apply Rle_trans with (1 := P). right. field. lra.
Qed.
End Run.
