(** * Sparse vector runs in a pure ledger

    Plans of any noises, cutoffs and grids, as many runs as the budget takes, asked in turns. A run is paid by its
    ending: nothing if nothing was asked, else the threshold and each positive. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Overbar Require Import Law Grid Noise Points Ledger.
Import ListNotations.
Open Scope R_scope.

(** One person moves every answer by something in [- l, u]. A plan has [low] for l, and for u a whole number [high] of grid
    steps, both at least as large. Moving the noise of the threshold up by [high] steps costs [eps1]. *)
Section Runs.
Variables l u : R.
Record svt := Svt {
  query_noise : noise;
  bar : R;                                (* the public threshold *)
  threshold : law Z;
  step : R;
  cutoff : nat;
  low : R;
  high : nat;
  eps1 : R;
  climb : R;
  reaches_low : l <= low;
  reaches_high : u <= step * INR high;
  step_pos : 0 <= step;
  low_pos : 0 <= low;
  eps1_pos : 0 <= eps1;
  climb_pos : 0 <= climb;
  threshold_climbs : climbs climb threshold;
  threshold_paid : climb ^ high <= exp eps1 }.

(** What a positive costs. *)
Definition each (p : svt) : R := rate (query_noise p) * (low p + step p * INR (high p)).

Lemma each_pos p : 0 <= each p.
Proof.
  apply Rmult_le_pos; [apply rate_pos|]. pose proof (low_pos p).
  pose proof (Rmult_le_pos _ _ (step_pos p) (pos_INR (high p))). lra.
Qed.

Variable Query : Type.
Let positives (h : past Query bool) : nat := length (filter (fun asked => snd asked) h).

(** A run that has found as many as it may says no more. [value] has the true answers on one dataset. *)
Definition svt_reply (value : Query -> R) (p : svt) (t : Z) (h : past Query bool) (x : Query) : law bool :=
  if (positives h <? cutoff p)%nat then answer (query_noise p) (bar p + step p * IZR t - value x) else ret false.

Lemma svt_replies value p t h x : supported [true; false] (svt_reply value p t h x).
Proof.
  intros f f' _ _ L. pose proof (L true ltac:(simpl; auto)). pose proof (L false ltac:(simpl; auto)).
  unfold svt_reply. destruct (_ <? _)%nat; [|exact H0]. simpl.
  pose proof (S_range (query_noise p) (bar p + step p * IZR t - value x)).
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Definition svt_data (value : Query -> R) : data svt Query bool Z [true; false] :=
  Data svt Query bool Z [true; false] threshold (svt_reply value) (svt_replies value).

Definition svt_price (p : svt) : R := eps1 p + each p * INR (cutoff p).
Definition svt_cost (p : svt) (h : past Query bool) : R :=
  match h with [] => 0 | _ => eps1 p + each p * INR (Nat.min (positives h) (cutoff p)) end.

Lemma svt_cost_price p h : svt_cost p h <= svt_price p.
Proof.
  pose proof (each_pos p) as E. pose proof (eps1_pos p). unfold svt_cost, svt_price. destruct h as [|x h].
  - pose proof (Rmult_le_pos _ _ E (pos_INR (cutoff p))). lra.
  - apply Rplus_le_compat_l, Rmult_le_compat_l; [exact E|]. apply le_INR. lia.
Qed.

Variables value value' : Query -> R.
Hypothesis Hvalue : forall x, - l <= value' x - value x <= u.

(** The threshold of the neighbour is moved up by all of [high]. *)
Lemma svt_likelihood p t : forall h,
  likelihood svt Query bool Z bool_dec [true; false] (svt_data value) p t h
  <= exp (each p * INR (Nat.min (positives h) (cutoff p)))
     * likelihood svt Query bool Z bool_dec [true; false] (svt_data value') p (t + Z.of_nat (high p))%Z h.
Proof.
  induction h as [|[x a] h IH]; cbn [likelihood]; [simpl; rewrite Rmult_0_r, exp_0; lra|].
  set (k := likelihood _ _ _ _ _ _ (svt_data value) p t h) in *.
  set (k' := likelihood _ _ _ _ _ _ (svt_data value') p (t + Z.of_nat (high p))%Z h) in *.
  assert (Pl : 0 <= k) by apply likelihood_range. assert (Pl' : 0 <= k') by apply likelihood_range.
  set (e := exp (each p * INR (Nat.min (positives h) (cutoff p)))) in *. assert (Pe : 0 < e) by apply exp_pos.
  cbn [svt_data reply]. unfold svt_reply. destruct (Nat.ltb_spec (positives h) (cutoff p)) as [L|L].
  - set (N := query_noise p). set (gap := bar p + step p * IZR t - value x).
    set (gap' := bar p + step p * IZR (t + Z.of_nat (high p)) - value' x).
    assert (M : 0 <= gap' - gap <= low p + step p * INR (high p)).
    { unfold gap, gap'. specialize (Hvalue x). pose proof (reaches_low p). pose proof (reaches_high p). rewrite plus_IZR, <- INR_IZR_INZ. lra. }
    pose proof (S_range N gap) as R1. pose proof (S_range N gap') as R2.
    assert (C : forall g b, chance (answer N g) (is bool bool_dec b) = if b then S N g else 1 - S N g)
      by (intros g b; unfold chance, is; simpl; destruct b; simpl; ring).
    rewrite !C. destruct a.
    + replace (positives ((x, true) :: h)) with (Datatypes.S (positives h)) by reflexivity.
      replace (Nat.min (Datatypes.S (positives h)) (cutoff p)) with (Datatypes.S (Nat.min (positives h) (cutoff p))) by lia.
      rewrite S_INR, Rmult_plus_distr_l, Rmult_1_r, exp_plus. fold e.
      assert (Sl : S N gap <= exp (each p) * S N gap').
      { apply Rle_trans with (exp (rate N * (gap' - gap)) * S N (gap + (gap' - gap))); [apply S_slow; lra|].
        replace (gap + (gap' - gap)) with gap' by ring. apply Rmult_le_compat_r; [lra|]. apply exp_mono.
        unfold each. apply Rmult_le_compat_l; [apply rate_pos|lra]. }
      replace (e * exp (each p) * (k' * S N gap')) with ((e * k') * (exp (each p) * S N gap')) by ring.
      apply Rmult_le_compat; lra.
    + replace (positives ((x, false) :: h)) with (positives h) by reflexivity. fold e.
      pose proof (S_falls N gap gap' ltac:(lra)). rewrite <- Rmult_assoc. apply Rmult_le_compat; lra.
  - replace (Nat.min (positives ((x, a) :: h)) (cutoff p)) with (Nat.min (positives h) (cutoff p)).
    2: { destruct a; [change (positives ((x, true) :: h)) with (Datatypes.S (positives h)); lia|reflexivity]. }
    fold e. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply chance_range|exact IH].
Qed.

Lemma svt_ending p h :
  weight svt Query bool Z bool_dec [true; false] (svt_data value) p h
  <= exp (svt_cost p h) * weight svt Query bool Z bool_dec [true; false] (svt_data value') p h.
Proof.
  unfold svt_cost. destruct h as [|xa h].
  - unfold weight. simpl. rewrite !ev_one, exp_0. lra.
  - set (h0 := xa :: h). set (e := exp (each p * INR (Nat.min (positives h0) (cutoff p)))).
    assert (Pe : 0 <= e) by (left; apply exp_pos).
    apply Rle_trans with (climb p ^ high p * (e * weight svt Query bool Z bool_dec [true; false] (svt_data value') p h0)).
    + unfold weight. cbn [svt_data begin]. rewrite <- ev_scal by (auto; apply likelihood_bounded).
      apply climbs_many; [apply threshold_climbs|apply climb_pos|apply likelihood_bounded
                         |apply bounded_scal, likelihood_bounded; exact Pe|].
      intros t. apply svt_likelihood.
    + rewrite exp_plus. fold e. rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; [apply ev_pos, likelihood_bounded|].
      apply Rmult_le_compat_r; [exact Pe|apply threshold_paid].
Qed.

(** THEOREM. Sparse vector runs under one pure budget, begun and asked in any order. What a closed run has not used may
    be spent again. *)
Theorem svt_ledger budget choose n : 0 <= budget ->
  close (exp budget) 0
    (play svt Query bool Z [true; false] svt_price svt_cost budget (svt_data value) choose n [] [] [])
    (play svt Query bool Z [true; false] svt_price svt_cost budget (svt_data value') choose n [] [] []).
Proof.
  apply pure_ledger with (eq_dec := bool_dec).
  - repeat constructor; simpl; intuition discriminate.
  - apply svt_ending.
  - apply svt_cost_price.
Qed.
End Runs.
