(** * Filters: a supermartingale makes an (epsilon, delta) filter

    Whoever asks sees all that was answered and refused, and chooses the next question: of a run that goes on, or the
    first of another. The filter, which looks at the same, lets it pass or refuses. To end a run is a question too, with
    one answer. [reply v x] is the law of the next answer on one dataset, given the view [v]; [reply'] that on its neighbour. *)
Require Import Reals Lra Lia List Bool.
From Overbar Require Import Law Noise Points Hazard PartialShift RaceCases.
Import ListNotations.
Open Scope R_scope.

Section Filter.
Variables Question Answer : Type.
Definition view := list (Question * option Answer).      (* the newest first; None: refused *)
Variable choose : view -> option Question.               (* None: no more *)
Variable allowed : view -> Question -> bool.

Fixpoint filtered (by_law : view -> Question -> law Answer) (n : nat) (v : view) : law view :=
  match n with
  | O => ret v
  | Datatypes.S n' =>
    match choose v with
    | None => ret v
    | Some x =>
        if allowed v x then a <- by_law v x ;; filtered by_law n' ((x, Some a) :: v)
        else filtered by_law n' ((x, None) :: v)
    end
  end.

Variables reply reply' : view -> Question -> law Answer.
(** How many times as likely an answer is on the neighbour: e^(- loss). *)
Variable ratio : view -> Question -> Answer -> R.
Hypothesis ratio_pos : forall v x a, 0 < ratio v x a.
Hypothesis ratio_bounded : forall v x, bounded (ratio v x).
Hypothesis ratio_law : forall v x f, bounded f -> ev (reply v x) (fun a => ratio v x a * f a) <= ev (reply' v x) f.

(** The same for all answers so far. *)
Fixpoint passed (v : view) : R :=
  match v with
  | [] => 1
  | (x, Some a) :: before => passed before * ratio before x a
  | (_, None) :: before => passed before
  end.

Lemma passed_pos v : 0 < passed v.
Proof. induction v as [|[x [a|]] v IH]; cbn [passed]; [lra| |exact IH]. apply Rmult_lt_0_compat; [exact IH|apply ratio_pos]. Qed.

(** ** Any supermartingale *)
Section Any.
Variable E : R.                            (* e^epsilon *)
Hypothesis HE : 0 < E.
Variable U : view -> R.
Variable sound : view -> Prop.             (* what the filter keeps true *)
Hypothesis sound_answered : forall v x a, sound v -> allowed v x = true -> sound ((x, Some a) :: v).
Hypothesis sound_refused : forall v x, sound v -> allowed v x = false -> sound ((x, None) :: v).
Hypothesis U_floor : forall v, sound v -> 0 <= U v /\ 1 - E * passed v <= U v.
Hypothesis U_bounded : forall v x, sound v -> allowed v x = true -> bounded (fun a => U ((x, Some a) :: v)).
(** It never rises on average. *)
Hypothesis U_falls : forall v x, sound v -> allowed v x = true -> ev (reply v x) (fun a => U ((x, Some a) :: v)) <= U v.
Hypothesis U_refused : forall v x, sound v -> allowed v x = false -> U ((x, None) :: v) <= U v.

Lemma filter_functions : forall n v f, sound v -> (forall y, 0 <= f y <= 1) ->
  ev (filtered reply n v) f <= E * passed v * ev (filtered reply' n v) f + U v.
Proof.
  assert (Leaf : forall v f, sound v -> (forall y : view, 0 <= f y <= 1) -> f v <= E * passed v * f v + U v).
  { intros v f Hv Hf. apply enough; [apply Hf|apply U_floor, Hv]. }
  induction n as [|n IH]; intros v f Hv Hf; [apply Leaf; assumption|].
  cbn [filtered]. destruct (choose v) as [x|]; [|apply Leaf; assumption].
  destruct (allowed v x) eqn:A.
  - cbn [bind ev]. set (g := fun a => ev (filtered reply n ((x, Some a) :: v)) f).
    set (g' := fun a => ev (filtered reply' n ((x, Some a) :: v)) f).
    assert (Bf : bounded f) by (exists 1; exact Hf).
    assert (Bg : bounded g) by (apply bounded_next, Bf). assert (Bg' : bounded g') by (apply bounded_next, Bf).
    assert (Br : bounded (fun a => ratio v x a * g' a)) by (apply bounded_mult; [apply ratio_bounded|exact Bg']).
    pose proof (passed_pos v) as Pv. assert (C : 0 <= E * passed v) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (ev (reply v x) (fun a => E * passed v * (ratio v x a * g' a) + U ((x, Some a) :: v))).
    + apply ev_mono; auto; [apply bounded_plus; auto using bounded_scal|]. intros a.
      apply Rle_trans with (1 := IH _ f (sound_answered v x a Hv A) Hf). cbn [passed]. unfold g'. right. ring.
    + rewrite ev_plus, ev_scal by (auto using bounded_scal). apply Rplus_le_compat; [|apply U_falls; assumption].
      apply Rmult_le_compat_l; [exact C|]. apply ratio_law, Bg'.
  - apply Rle_trans with (1 := IH _ f (sound_refused v x Hv A) Hf). cbn [passed].
    apply Rplus_le_compat_l, U_refused; assumption.
Qed.

(** THEOREM (filters). If U ends above 1 - e^(epsilon - loss) and above 0 and never rises on average, delta is what it begins with. *)
Theorem filter_delta n : sound [] -> close E (U []) (filtered reply n []) (filtered reply' n []).
Proof.
  intros H event. unfold chance.
  pose proof (filter_functions n [] (fun y => if event y then 1 else 0) H) as F. cbn [passed] in F.
  rewrite Rmult_1_r in F. apply F. intros y. destruct (event y); lra.
Qed.
End Any.

(** ** Several ways to add up, as a ledger has them

    Of each way [w] is known what was paid in it, which never falls, and a potential. The filter lets a question
    pass if after every answer the pure cost is within epsilon, or what was paid in some way within its limit. *)
Section Ways.
Variable eps : R.
Variable Way : Type.
Variable ways : list Way.
Variable limit : Way -> R.
Variable pay : Way -> view -> Question -> Answer -> R.
Variable potential : Way -> view -> R -> R -> R.   (* given the view: of what is left, and of e^(epsilon - loss) *)

Fixpoint paid (w : Way) (v : view) : R :=
  match v with
  | [] => 0
  | (x, Some a) :: before => paid w before + pay w before x a
  | (_, None) :: before => paid w before
  end.

Hypothesis pay_pos : forall w v x a, 0 <= pay w v x a.
Hypothesis limit_pos : forall w, In w ways -> 0 <= limit w.
Hypothesis potential_floor : forall w v b z, In w ways -> 0 <= b -> 0 < z -> 0 <= potential w v b z /\ 1 - z <= potential w v b z.
(** What is still to come, if the answer can be paid. *)
Definition after (w : Way) (v : view) (x : Question) (b z : R) (a : Answer) : R :=
  if Rle_dec (pay w v x a) b then potential w ((x, Some a) :: v) (b - pay w v x a) (z * ratio v x a) else 0.
Hypothesis potential_bounded : forall w v x b z, In w ways -> allowed v x = true -> 0 <= b -> 0 < z -> bounded (after w v x b z).
Hypothesis potential_falls : forall w v x b z, In w ways -> allowed v x = true -> 0 <= b -> 0 < z ->
  ev (reply v x) (after w v x b z) <= potential w v b z.
Hypothesis potential_refused : forall w v x b z, In w ways -> allowed v x = false -> 0 <= b -> 0 < z ->
  potential w ((x, None) :: v) b z <= potential w v b z.

(** A pure cost holds for each single view, so it may be computed afterwards: what a run did not use comes back. *)
Variable pure : view -> R.
Hypothesis pure_cost : forall v, exp (- pure v) <= passed v.

Definition fits (v : view) : Prop := pure v <= eps \/ exists w, In w ways /\ paid w v <= limit w.
Hypothesis allowed_fits : forall v x, allowed v x = true -> forall a, fits ((x, Some a) :: v).
Hypothesis pure_refused : forall v x, pure ((x, None) :: v) <= pure v.

Let U (v : view) : R :=
  total ways (fun w => if Rle_dec (paid w v) (limit w)
                       then potential w v (limit w - paid w v) (exp eps * passed v) else 0).

Lemma z_pos v : 0 < exp eps * passed v.
Proof. apply Rmult_lt_0_compat; [apply exp_pos|apply passed_pos]. Qed.

Lemma term_pos w v : In w ways -> 0 <= (if Rle_dec (paid w v) (limit w)
  then potential w v (limit w - paid w v) (exp eps * passed v) else 0).
Proof.
  intros Hw. destruct (Rle_dec (paid w v) (limit w)); [|lra]. apply potential_floor; [exact Hw|lra|apply z_pos].
Qed.

(** THEOREM. The deltas of the ways add up; the pure way has none. *)
Theorem ledger_delta n : fits [] ->
  close (exp eps) (total ways (fun w => potential w [] (limit w) (exp eps))) (filtered reply n []) (filtered reply' n []).
Proof.
  intros F0.
  assert (E : total ways (fun w => potential w [] (limit w) (exp eps)) = U []).
  { unfold U. cbn [paid passed]. apply Rle_antisym; apply total_mono; intros w Hw;
      (destruct (Rle_dec 0 (limit w)) as [L|L]; [|specialize (limit_pos w Hw); lra]);
      rewrite Rminus_0_r, Rmult_1_r; apply Rle_refl. }
  rewrite E. apply filter_delta with (sound := fits); auto.
  - apply exp_pos.
  - intros v x H _. unfold fits in *. cbn [paid]. specialize (pure_refused v x).
    destruct H as [H|H]; [left; lra|right; exact H].
  - intros v H. split; [apply total_pos; intros w Hw; apply term_pos, Hw|].
    destruct H as [H|(w & Hw & H)].
    + assert (1 <= exp eps * passed v).
      { apply Rle_trans with (exp eps * exp (- pure v)).
        - rewrite <- exp_plus, <- exp_0. apply exp_mono. lra.
        - apply Rmult_le_compat_l; [left; apply exp_pos|apply pure_cost]. }
      assert (0 <= U v) by (apply total_pos; intros w Hw; apply term_pos, Hw). lra.
    + apply Rle_trans with (if Rle_dec (paid w v) (limit w)
        then potential w v (limit w - paid w v) (exp eps * passed v) else 0).
      * destruct (Rle_dec (paid w v) (limit w)); [|lra]. apply potential_floor; [exact Hw|lra|apply z_pos].
      * unfold U. pose proof term_pos as P. clear - Hw P. revert P Hw. generalize ways as l.
        intros l P Hw. induction l as [|y l IH]; [destruct Hw|]. cbn [total].
        assert (T : 0 <= total l (fun w => if Rle_dec (paid w v) (limit w)
          then potential w v (limit w - paid w v) (exp eps * passed v) else 0))
          by (apply total_pos; intros w' Hw'; apply P; right; exact Hw').
        destruct Hw as [->|Hw]; [lra|].
        pose proof (P y v (or_introl eq_refl)). specialize (IH (fun w' v' H' => P w' v' (or_intror H')) Hw). lra.
  - (* bounded *)
    intros v x _ A. unfold U. cbn [paid passed].
    apply (bounded_total ways (fun w a => if Rle_dec (paid w v + pay w v x a) (limit w)
      then potential w ((x, Some a) :: v) (limit w - (paid w v + pay w v x a)) (exp eps * (passed v * ratio v x a)) else 0)).
    intros w Hw. destruct (Rle_dec (paid w v) (limit w)) as [L|L].
    + destruct (potential_bounded w v x (limit w - paid w v) (exp eps * passed v) Hw A ltac:(lra) (z_pos v)) as [B H].
      exists B. intros a. specialize (H a). unfold after in H.
      destruct (Rle_dec (pay w v x a) (limit w - paid w v)), (Rle_dec (paid w v + pay w v x a) (limit w)); try lra.
      replace (limit w - (paid w v + pay w v x a)) with (limit w - paid w v - pay w v x a) by ring.
      rewrite <- Rmult_assoc. exact H.
    + exists 0. intros a. specialize (pay_pos w v x a). destruct (Rle_dec (paid w v + pay w v x a) (limit w)); lra.
  - (* never rises *)
    intros v x _ A. unfold U. cbn [paid passed].
    assert (Same : forall w, In w ways -> paid w v <= limit w -> forall a,
      (if Rle_dec (paid w v + pay w v x a) (limit w)
       then potential w ((x, Some a) :: v) (limit w - (paid w v + pay w v x a)) (exp eps * (passed v * ratio v x a)) else 0)
      = after w v x (limit w - paid w v) (exp eps * passed v) a).
    { intros w Hw L a. unfold after.
      destruct (Rle_dec (pay w v x a) (limit w - paid w v)), (Rle_dec (paid w v + pay w v x a) (limit w)); try lra.
      f_equal; ring. }
    assert (None_ : forall w, ~ paid w v <= limit w -> forall a,
      (if Rle_dec (paid w v + pay w v x a) (limit w)
       then potential w ((x, Some a) :: v) (limit w - (paid w v + pay w v x a)) (exp eps * (passed v * ratio v x a)) else 0) = 0).
    { intros w L a. specialize (pay_pos w v x a). destruct (Rle_dec (paid w v + pay w v x a) (limit w)); lra. }
    assert (B : forall w, In w ways -> bounded (fun a => if Rle_dec (paid w v + pay w v x a) (limit w)
       then potential w ((x, Some a) :: v) (limit w - (paid w v + pay w v x a)) (exp eps * (passed v * ratio v x a)) else 0)).
    { intros w Hw. destruct (Rle_dec (paid w v) (limit w)) as [L|L].
      - destruct (potential_bounded w v x (limit w - paid w v) (exp eps * passed v) Hw A ltac:(lra) (z_pos v)) as [C H].
        exists C. intros a. rewrite Same by assumption. apply H.
      - exists 0. intros a. rewrite None_ by exact L. lra. }
    rewrite (ev_total (reply v x) ways (fun w a => if Rle_dec (paid w v + pay w v x a) (limit w)
       then potential w ((x, Some a) :: v) (limit w - (paid w v + pay w v x a)) (exp eps * (passed v * ratio v x a)) else 0)) by exact B.
    apply total_mono. intros w Hw. destruct (Rle_dec (paid w v) (limit w)) as [L|L].
    + rewrite (ev_ext _ _ (after w v x (limit w - paid w v) (exp eps * passed v))) by (auto; apply Same; assumption).
      apply potential_falls; [exact Hw|exact A|lra|apply z_pos].
    + rewrite (ev_ext _ _ (fun _ => 0)) by (auto; apply None_, L). rewrite ev_const; lra.
  - intros v x _ A. unfold U. cbn [paid passed]. apply total_mono. intros w Hw.
    destruct (Rle_dec (paid w v) (limit w)); [|lra]. apply potential_refused; [exact Hw|exact A|lra|apply z_pos].
Qed.
End Ways.

(** ** A Rényi order *)
Section Order.
Variable a : R.
Hypothesis Ha : 1 < a.

(** What is left, b, and z = e^(epsilon - loss). *)
Definition renyi_potential (b z : R) : R := factor a (ln z) * exp ((a - 1) * b).

Lemma renyi_floor b z : 0 <= b -> 0 < z -> 0 <= renyi_potential b z /\ 1 - z <= renyi_potential b z.
Proof.
  intros Hb Hz. pose proof (factor_pos a Ha (ln z)) as F. unfold renyi_potential.
  pose proof (one_outcome a Ha (ln z) 1 1 Rlt_0_1 Rlt_0_1) as O. rewrite exp_ln, power_same in O by lra.
  assert (1 <= exp ((a - 1) * b)).
  { apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_mono, Rmult_le_pos; lra. }
  assert (factor a (ln z) * 1 <= factor a (ln z) * exp ((a - 1) * b)) by (apply Rmult_le_compat_l; lra).
  split; lra.
Qed.

Lemma renyi_moves b z c r : 0 < z -> 0 < r ->
  renyi_potential (b - c) (z * r) = renyi_potential b z * exp ((a - 1) * (- ln r - c)).
Proof.
  intros Hz Hr. unfold renyi_potential, factor. rewrite ln_mult by assumption. set (k := ln (a / (a - 1))).
  replace ((a - 1) * (ln z + ln r + k)) with ((a - 1) * (ln z + k) + (a - 1) * ln r) by ring.
  replace ((a - 1) * (b - c)) with ((a - 1) * b + (a - 1) * - c) by ring.
  replace ((a - 1) * (- ln r - c)) with (- ((a - 1) * ln r) + (a - 1) * - c) by ring.
  rewrite !exp_plus, exp_Ropp. field.
  repeat split; try apply Rgt_not_eq, exp_pos; lra.
Qed.

(** A question pays by its answer. [worth v] is 1 if every question pays for itself: then e^((a-1)(loss - what was paid)) is at most 1
    on average. A run that pays when it begins is worth more until it has ended: what it may still give is paid for. *)
Variable worth : view -> R.
Hypothesis worth_start : worth [] = 1.
Hypothesis worth_floor : forall v, 1 <= worth v.
Hypothesis worth_refused : forall v x, allowed v x = false -> worth ((x, None) :: v) <= worth v.
Variable pay : view -> Question -> Answer -> R.
Hypothesis pay_pos : forall v x y, 0 <= pay v x y.
Definition lost (v : view) (x : Question) (y : Answer) : R :=
  exp ((a - 1) * (- ln (ratio v x y) - pay v x y)) * worth ((x, Some y) :: v).
Hypothesis pay_bounded : forall v x, allowed v x = true -> bounded (lost v x).
Hypothesis pay_enough : forall v x, allowed v x = true -> ev (reply v x) (lost v x) <= worth v.
Variables eps limit : R.
Hypothesis limit_pos : 0 <= limit.
Variable pure : view -> R.
Hypothesis pure_cost : forall v, exp (- pure v) <= passed v.
Hypothesis pure_refused : forall v x, pure ((x, None) :: v) <= pure v.
Let spent := paid unit (fun _ => pay) tt.
Hypothesis allowed_fits : forall v x, allowed v x = true -> forall y,
  pure ((x, Some y) :: v) <= eps \/ spent ((x, Some y) :: v) <= limit.

(** THEOREM (a Rényi order beside the pure one). *)
Theorem renyi_filter n :
  close (exp eps) (factor a eps * exp ((a - 1) * limit)) (filtered reply n []) (filtered reply' n []).
Proof.
  pose (potential := fun (_ : unit) (v : view) b z => renyi_potential b z * worth v).
  assert (D : total [tt] (fun w => potential w [] limit (exp eps)) = factor a eps * exp ((a - 1) * limit)).
  { cbn [total]. unfold potential, renyi_potential. rewrite worth_start, ln_exp. ring. }
  assert (Pos : forall v b z, 0 <= b -> 0 < z -> 0 <= renyi_potential b z /\ 0 <= worth v).
  { intros v b z Hb Hz. pose proof (worth_floor v). split; [apply renyi_floor; assumption|lra]. }
  assert (Le : forall v x b z y, 0 <= b -> 0 < z ->
    0 <= after unit (fun _ => pay) potential tt v x b z y <= renyi_potential b z * lost v x y).
  { intros v x b z y Hb Hz. unfold after, potential, lost. destruct (Pos ((x, Some y) :: v) b z Hb Hz) as [P1 P2].
    assert (0 <= renyi_potential b z * (exp ((a - 1) * (- ln (ratio v x y) - pay v x y)) * worth ((x, Some y) :: v))).
    { apply Rmult_le_pos; [exact P1|apply Rmult_le_pos; [left; apply exp_pos|exact P2]]. }
    destruct (Rle_dec (pay v x y) b); [|lra]. rewrite renyi_moves by auto. lra. }
  assert (Bd : forall v x b z, allowed v x = true -> 0 <= b -> 0 < z -> bounded (after unit (fun _ => pay) potential tt v x b z)).
  { intros v x b z A Hb Hz. destruct (pay_bounded v x A) as [B H]. exists (renyi_potential b z * B). intros y.
    pose proof (Le v x b z y Hb Hz) as L. split; [lra|]. apply Rle_trans with (1 := proj2 L).
    apply Rmult_le_compat_l; [apply (Pos v b z Hb Hz)|apply H]. }
  rewrite <- D.
  apply (ledger_delta eps unit [tt] (fun _ => limit) (fun _ => pay) potential) with (pure := pure); auto.
  - intros w v b z _ Hb Hz. pose proof (renyi_floor b z Hb Hz) as [F1 F2]. pose proof (worth_floor v) as W. unfold potential.
    assert (renyi_potential b z * 1 <= renyi_potential b z * worth v) by (apply Rmult_le_compat_l; lra). lra.
  - intros [] v x b z _. apply Bd.
  - intros [] v x b z _ A Hb Hz. destruct (Pos v b z Hb Hz) as [P1 P2].
    apply Rle_trans with (ev (reply v x) (fun y => renyi_potential b z * lost v x y)).
    + apply ev_mono; [apply Bd; assumption|apply bounded_scal; auto|intros y; apply Le; assumption].
    + rewrite ev_scal by auto. apply Rmult_le_compat_l; auto.
  - intros [] v x b z _ A Hb Hz. unfold potential. apply Rmult_le_compat_l; [apply (Pos v b z Hb Hz)|apply worth_refused, A].
  - intros v x A y. destruct (allowed_fits v x A y) as [H|H]; [left; exact H|right; exists tt; split; [left; reflexivity|exact H]].
  - right. exists tt. split; [left; reflexivity|exact limit_pos].
Qed.
End Order.

(** ** A potential with a reserve

    G B z is the potential when B is left and z = e^(epsilon - loss). A question costs [cost v x], fixed before it is answered. *)
Section Reserve.
Variables eps reserve budget : R.
Variable G : R -> R -> R.
Variable cost : view -> Question -> R.
Hypothesis cost_pos : forall v x, 0 <= cost v x.
Hypothesis G_floor : forall b z, reserve <= b -> 0 < z -> 0 <= G b z <= 1 /\ 1 - z <= G b z.
Hypothesis G_falls : forall v x b z, allowed v x = true -> reserve <= b -> 0 < z ->
  ev (reply v x) (fun y => G b (z * ratio v x y)) <= G (b + cost v x) z.
Let spent := paid unit (fun _ v x _ => cost v x) tt.
Hypothesis allowed_fits : forall v x, allowed v x = true -> spent v + cost v x <= budget - reserve.

(** THEOREM (a potential with a reserve). *)
Theorem potential_filter n : reserve <= budget ->
  close (exp eps) (G budget (exp eps)) (filtered reply n []) (filtered reply' n []).
Proof.
  intros Hb.
  assert (D : total [tt] (fun _ : unit => G (budget - reserve + reserve) (exp eps)) = G budget (exp eps)).
  { cbn [total]. rewrite Rplus_0_r. f_equal. ring. }
  rewrite <- D.
  (* the pure way is not used: its cost is the loss itself, and more than epsilon *)
  apply (ledger_delta eps unit [tt] (fun _ => budget - reserve) (fun _ v x _ => cost v x) (fun _ _ b => G (b + reserve)))
    with (pure := fun v => - ln (passed v)); auto.
  - intros; lra.
  - intros w v b z _ Hb0 Hz. specialize (G_floor (b + reserve) z ltac:(lra) Hz). lra.
  - intros [] v x b z _ _ Hb0 Hz. exists 1. intros y. unfold after. destruct (Rle_dec (cost v x) b); [|lra].
    apply G_floor; [lra|apply Rmult_lt_0_compat; auto].
  - intros [] v x b z _ A Hb0 Hz. unfold after. destruct (Rle_dec (cost v x) b) as [L|L].
    + apply Rle_trans with (1 := G_falls v x (b - cost v x + reserve) z A ltac:(lra) Hz). right. f_equal. ring.
    + rewrite ev_const by lra. apply G_floor; [lra|exact Hz].
  - intros; apply Rle_refl.
  - intros v. rewrite Ropp_involutive, exp_ln by apply passed_pos. apply Rle_refl.
  - intros v x A y. right. exists tt. split; [left; reflexivity|]. cbn [paid]. apply (allowed_fits v x A).
  - intros; apply Rle_refl.
  - right. exists tt. split; [left; reflexivity|]. cbn [paid]. lra.
Qed.
End Reserve.
End Filter.
