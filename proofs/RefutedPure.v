(** * False claims about the sparse vector technique, refuted

    Each theorem here takes away something that the true theorem asks for or pays, and shows that the
    claim is then wrong. The bounds of [Pure.v] are attained: no smaller factor will do. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Digits Pure Resample.
Import ListNotations.
Open Scope R_scope.

Section Geometric.
Variable a : R.
Hypothesis Ha : 0 < a < 1.

(** One-sided noise is never below zero. *)
Lemma geometric_ext f h : (forall n, (0 <= n)%Z -> f n = h n) -> ev (geometric a Ha) f = ev (geometric a Ha) h.
Proof. intros H. rewrite !geometric_ev. f_equal. apply Series_ext. intros n. rewrite H by lia. reflexivity. Qed.

Lemma geometric_above f k : (0 <= k)%Z -> bounded f -> 0 < f k -> 0 < ev (geometric a Ha) f.
Proof.
  intros Hk Hf H.
  apply Rlt_le_trans with (f k * chance (geometric a Ha) (fun n => (n =? k)%Z)).
  - apply Rmult_lt_0_compat; auto. rewrite geometric_point. unfold geometric_mass.
    destruct (Z.leb_spec 0 k); [|lia]. apply Rmult_lt_0_compat; [lra|apply pow_pos, Ha].
  - unfold chance. rewrite <- ev_scal by (try apply bounded_event; lra).
    apply ev_mono; auto; [apply bounded_scal; [lra|apply bounded_event]|].
    destruct Hf as [B Hf]. intros n. destruct (Z.eqb_spec n k) as [->|]; [lra|].
    rewrite Rmult_0_r. apply Hf.
Qed.

(** If [h] is [f] moved up by one step, its expectation is [a] times as large. *)
Lemma geometric_moved f h : bounded h -> h 0%Z = 0 -> (forall n, (0 <= n)%Z -> h (n + 1)%Z = f n) ->
  ev (geometric a Ha) h = a * ev (geometric a Ha) f.
Proof.
  intros Hh H0 H. rewrite geometric_toss by exact Hh. rewrite H0, Rmult_0_r, Rplus_0_l.
  f_equal. apply geometric_ext. exact H.
Qed.

End Geometric.

Section Tight.
Variables (a s : R).
Hypothesis Ha : 0 < a < 1.
Hypothesis Hs : 0 < s.
Let N := exponential s Hs.

Lemma S_at_right x : 0 <= x -> S N x = exp (- (x / s)).
Proof. intros H. simpl. unfold S_exponential. rewrite Rmax_left by lra. reflexivity. Qed.
Lemma S_at_left x : x <= 0 -> S N x = 1.
Proof.
  intros H. simpl. unfold S_exponential. rewrite Rmax_right by lra.
  unfold Rdiv. rewrite Rmult_0_l, Ropp_0. apply exp_0.
Qed.

Definition svt (n c : nat) (q : list bool -> R) := sparse_vector N 0 (geometric a Ha) 1 n c q.

(** A negative answer, then a positive one, on datasets where the first query rises by 1 and the second
    falls by [fall]. *)
Definition before : list bool -> R := fun _ => 0.
Definition after (fall : R) : list bool -> R := fun past => match past with [] => 1 | _ => - fall end.

Let pair (x y : R) : R := (1 - S N x) * S N y.

Let pair_bounded u v : bounded (fun t : Z => pair (IZR t + u) (IZR t + v)).
Proof.
  exists 1. intros t. unfold pair. pose proof (S_range N (IZR t + u)). pose proof (S_range N (IZR t + v)).
  split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.

Lemma chance_pair q u v : q [] = - u -> q [false] = - v ->
  chance (svt 2 1 q) (same [false; true]) = ev (geometric a Ha) (fun t => pair (IZR t + u) (IZR t + v)).
Proof.
  intros Hu Hv. unfold chance, svt, sparse_vector. cbn [bind ev]. apply geometric_ext. intros t _. unfold pair, same.
  cbn [run bind ev ret answer coin app]. rewrite Hu, Hv. cbn.
  replace (0 + 1 * IZR t - - u) with (IZR t + u) by ring.
  replace (0 + 1 * IZR t - - v) with (IZR t + v) by ring. ring.
Qed.

Lemma pair_positive : 0 < ev (geometric a Ha) (fun t => pair (IZR t + 0) (IZR t + 0)).
Proof.
  apply geometric_above with (k := 1%Z); [lia|apply pair_bounded|].
  unfold pair. rewrite !S_at_right by lra.
  assert (D : 0 < (1 + 0) / s) by (apply Rdiv_lt_0_compat; lra).
  assert (L : exp (- ((1 + 0) / s)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in L.
  pose proof (exp_pos (- ((1 + 0) / s))). apply Rmult_lt_0_compat; lra.
Qed.

Lemma pair_moved fall : 0 <= fall ->
  ev (geometric a Ha) (fun t => pair (IZR t + -1) (IZR t + fall))
  = a * exp (- ((1 + fall) / s)) * ev (geometric a Ha) (fun t => pair (IZR t + 0) (IZR t + 0)).
Proof.
  intros Hf. rewrite Rmult_assoc, <- (ev_scal (geometric a Ha)).
  - apply geometric_moved; [apply pair_bounded| |].
    + unfold pair. rewrite (S_at_left (0 + -1)) by lra. ring.
    + intros n Hn. apply IZR_le in Hn. unfold pair. rewrite plus_IZR.
      rewrite !S_at_right by lra.
      replace (- ((IZR n + 1 + fall) / s)) with (- ((1 + fall) / s) + - ((IZR n + 0) / s)) by (unfold Rdiv; ring).
      rewrite exp_plus. replace (IZR n + 1 + -1) with (IZR n + 0) by ring. ring.
  - left; apply exp_pos.
  - apply pair_bounded.
Qed.

Lemma tight_transcript fall E : 0 <= fall ->
  chance (svt 2 1 before) (same [false; true]) <= E * chance (svt 2 1 (after fall)) (same [false; true]) ->
  / a * exp ((1 + fall) / s) <= E.
Proof.
  intros Hf H.
  rewrite (chance_pair before 0 0), (chance_pair (after fall) (-1) fall) in H
    by (unfold before, after; ring).
  rewrite pair_moved in H by exact Hf. pose proof pair_positive as P.
  set (x := ev (geometric a Ha) (fun t => pair (IZR t + 0) (IZR t + 0))) in *.
  assert (K : 1 <= E * (a * exp (- ((1 + fall) / s)))).
  { apply Rmult_le_reg_r with x; [exact P|]. rewrite Rmult_1_l, Rmult_assoc. exact H. }
  rewrite exp_Ropp in K. pose proof (exp_pos ((1 + fall) / s)) as Pe. set (e := exp ((1 + fall) / s)) in *.
  apply Rmult_le_reg_r with (a * / e); [apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]|].
  apply Rle_trans with (2 := K). right. field. lra.
Qed.

Lemma tight fall E : 0 <= fall ->
  close E 0 (svt 2 1 before) (svt 2 1 (after fall)) -> / a * exp ((1 + fall) / s) <= E.
Proof.
  intros Hf H. apply tight_transcript; [exact Hf|]. specialize (H (same [false; true])). lra.
Qed.

(** General queries, Delta = 1: nothing less than e^(eps1 + 2 Delta/s) will do. So it is wrong to leave
    out the factor 2, the threshold's share, or the positives' share. *)
Theorem general_is_tight E :
  close E 0 (svt 2 1 before) (svt 2 1 (after 1)) -> / a * exp (2 / s) <= E.
Proof. intros H. replace 2 with (1 + 1) by ring. apply tight; [lra|exact H]. Qed.

(** Monotonic queries: nothing less than e^(eps1 + Delta/s). *)
Theorem monotonic_is_tight E :
  close E 0 (svt 2 1 before) (svt 2 1 (after 0)) -> / a * exp (1 / s) <= E.
Proof. intros H. replace (1 / s) with ((1 + 0) / s) by (f_equal; ring). apply tight; [lra|exact H]. Qed.

(** The false claims, in full. *)
Definition claim_without_factor_two : Prop := forall q q' : list bool -> R,
  (forall past, Rabs (q' past - q past) <= 1) -> close (/ a * exp (1 / s)) 0 (svt 2 1 q) (svt 2 1 q').
Definition claim_without_threshold : Prop := forall q q' : list bool -> R,
  (forall past, Rabs (q' past - q past) <= 1) -> close (exp (2 / s)) 0 (svt 2 1 q) (svt 2 1 q').
Definition claim_without_positives : Prop := forall q q' : list bool -> R,
  (forall past, Rabs (q' past - q past) <= 1) -> close (/ a) 0 (svt 2 1 q) (svt 2 1 q').

Let neighbours past : Rabs (after 1 past - before past) <= 1.
Proof. unfold after, before. destruct past; rewrite Rminus_0_r; unfold Rabs; destruct (Rcase_abs _); lra. Qed.

Let inv_above : 1 < / a.
Proof. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. Qed.
Let exp_above x : 0 < x -> 1 < exp (x / s).
Proof. intros H. rewrite <- exp_0. apply exp_increasing, Rdiv_lt_0_compat; lra. Qed.

Theorem factor_two_is_needed : ~ claim_without_factor_two.
Proof.
  intros C. specialize (C before (after 1) neighbours). apply general_is_tight in C.
  assert (exp (2 / s) <= exp (1 / s)) by (apply Rmult_le_reg_l with (/ a); [lra|exact C]).
  assert (exp (1 / s) < exp (2 / s)); [|lra]. apply exp_increasing. unfold Rdiv.
  apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat|]; lra.
Qed.

Theorem threshold_is_paid : ~ claim_without_threshold.
Proof.
  intros C. specialize (C before (after 1) neighbours). apply general_is_tight in C.
  pose proof (exp_above 2 ltac:(lra)). assert (1 * exp (2 / s) < / a * exp (2 / s))
      by (apply Rmult_lt_compat_r; lra). lra.
Qed.

Theorem positives_are_paid : ~ claim_without_positives.
Proof.
  intros C. specialize (C before (after 1) neighbours). apply general_is_tight in C.
  pose proof (exp_above 2 ltac:(lra)). assert (/ a * 1 < / a * exp (2 / s)) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

(** ** Resampling: the threshold is paid each time it is drawn *)
Definition re (n c : nat) (q : list bool -> R) := resampled N 0 (geometric a Ha) 1 n c q.
Definition twice (fall : R) : list bool -> R :=
  fun past => match past with [] => 1 | [_] => - fall | [_; _] => 1 | _ => - fall end.

(** After [past] only what goes on from [past] can come out. *)
Lemma rerun_extends q : forall n c t past f, (forall l, f (past ++ l) = 0) ->
  ev (rerun N 0 (geometric a Ha) 1 q n c t past) f = 0.
Proof.
  induction n as [|n IH]; intros c t past f H; [simpl; rewrite <- (app_nil_r past); apply H|].
  destruct c as [|c]; [simpl; rewrite <- (app_nil_r past); apply H|].
  cbn [rerun bind ev]. unfold answer. cbn [coin ev].
  rewrite (IH (Datatypes.S c) t (past ++ [false])) by (intros l; rewrite <- app_assoc; apply H).
  destruct c as [|c].
  - cbn [ret ev]. rewrite H. ring.
  - cbn [bind ev]. rewrite (geometric_ext a Ha _ (fun _ => 0)).
    + rewrite ev_const by lra. ring.
    + intros t' _. apply IH. intros l. rewrite <- app_assoc. apply H.
Qed.

Lemma same_other past x y l : x <> y -> forall m, same (past ++ x :: l) ((past ++ [y]) ++ m) = false.
Proof.
  intros D m. unfold same. destruct (list_eq_dec bool_dec _ _) as [e|e]; auto. exfalso.
  rewrite <- app_assoc in e. apply app_inv_head in e. injection e. auto.
Qed.

Definition hit (l m : list bool) : R := if same l m then 1 else 0.

Lemma rerun_negative q n c t past l :
  ev (rerun N 0 (geometric a Ha) 1 q (Datatypes.S n) (Datatypes.S c) t past) (hit (past ++ false :: l))
  = (1 - S N (0 + t - q past)) * ev (rerun N 0 (geometric a Ha) 1 q n (Datatypes.S c) t (past ++ [false])) (hit
      (past ++ false :: l)).
Proof.
  cbn [rerun bind ev]. unfold answer. cbn [coin ev]. destruct c as [|c].
  - cbn [ret ev]. unfold hit at 1. rewrite <- (app_nil_r (past ++ [true])), same_other by discriminate. ring.
  - cbn [bind ev]. rewrite (geometric_ext a Ha _ (fun _ => 0)).
    + rewrite ev_const by lra. ring.
    + intros t' _. apply rerun_extends. intros m. unfold hit. rewrite same_other by discriminate. reflexivity.
Qed.

Lemma rerun_positive q n c t past l :
  ev (rerun N 0 (geometric a Ha) 1 q (Datatypes.S n) (Datatypes.S c) t past) (hit (past ++ true :: l))
  = S N (0 + t - q past) *
    match c with
    | O => hit (past ++ true :: l) (past ++ [true])
    | _ => ev (geometric a Ha) (fun t' => ev (rerun N 0 (geometric a Ha) 1 q n c (1 * IZR t') (past ++ [true])) (hit
        (past ++ true :: l)))
    end.
Proof.
  cbn [rerun bind ev]. unfold answer. cbn [coin ev].
  rewrite (rerun_extends q n (Datatypes.S c) t (past ++ [false])).
  - destruct c as [|c]; cbn [ret bind ev]; ring.
  - intros m. unfold hit. rewrite same_other by discriminate. reflexivity.
Qed.

Lemma chance_twice q u v : q [] = - u -> q [false] = - v -> q [false; true] = - u -> q [false; true; false] = - v ->
  chance (re 4 2 q) (same [false; true; false; true])
  = ev (geometric a Ha) (fun t => pair (IZR t + u) (IZR t + v)) * ev (geometric a Ha)
      (fun t => pair (IZR t + u) (IZR t + v)).
Proof.
  intros H1 H2 H3 H4. set (m := ev (geometric a Ha) (fun t => pair (IZR t + u) (IZR t + v))).
  assert (Hm : 0 <= m) by (apply ev_pos, pair_bounded).
  transitivity (ev (geometric a Ha) (fun t => m * pair (IZR t + u) (IZR t + v))).
  2: { rewrite ev_scal; [reflexivity|exact Hm|apply pair_bounded]. }
  unfold chance, re, resampled. cbn [bind ev]. change
      (fun x => if same [false; true; false; true] x then 1 else 0) with (hit [false; true; false; true]).
  apply geometric_ext. intros t _.
  rewrite (rerun_negative q 3 1 _ [] [true; false; true]). cbn [app].
  rewrite (rerun_positive q 2 1 _ [false] [false; true]). cbn [app].
  rewrite (geometric_ext a Ha _ (fun t' => pair (IZR t' + u) (IZR t' + v))).
  - fold m. rewrite H1, H2. unfold pair.
    replace (0 + 1 * IZR t - - u) with (IZR t + u) by ring.
    replace (0 + 1 * IZR t - - v) with (IZR t + v) by ring. ring.
  - intros t' _. rewrite (rerun_negative q 1 0 _ [false; true] [true]). cbn [app].
    rewrite (rerun_positive q 0 0 _ [false; true; false] []). cbn [app]. rewrite H3, H4. unfold pair, hit, same.
    destruct (list_eq_dec bool_dec _ _) as [_|e]; [|exfalso; apply e; reflexivity].
    replace (0 + 1 * IZR t' - - u) with (IZR t' + u) by ring.
    replace (0 + 1 * IZR t' - - v) with (IZR t' + v) by ring. ring.
Qed.

(** Two stretches of a resampled run cost twice as much: it is wrong to pay for one draw of two. *)
Theorem resampled_is_tight E :
  close E 0 (re 4 2 before) (re 4 2 (twice 1)) -> (/ a * exp (2 / s)) ^ 2 <= E.
Proof.
  intros H. specialize (H (same [false; true; false; true])).
  rewrite (chance_twice before 0 0), (chance_twice (twice 1) (-1) 1) in H by (unfold before, twice; ring).
  rewrite pair_moved in H by lra. rewrite Rplus_0_r in H. pose proof pair_positive as P.
  set (x := ev (geometric a Ha) (fun t => pair (IZR t + 0) (IZR t + 0))) in *.
  replace (1 + 1) with 2 in H by ring. rewrite exp_Ropp in H. pose proof (exp_pos (2 / s)) as Pe.
  set (e := exp (2 / s)) in *. assert (Px : 0 < x * x) by (apply Rmult_lt_0_compat; exact P).
  assert (K : 1 <= E * (a * / e * (a * / e))).
  { apply Rmult_le_reg_r with (x * x); [exact Px|]. apply Rle_trans with (1 := Req_le _ _ (Rmult_1_l (x * x))).
    apply Rle_trans with (1 := H). right; ring. }
  assert (Q : 0 < a * / e) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  apply Rmult_le_reg_r with (a * / e * (a * / e)); [apply Rmult_lt_0_compat; exact Q|].
  apply Rle_trans with (2 := K). right. field. lra.
Qed.

(** ** Noise on the threshold with its tail to the left *)
Definition mirrored : law Z := n <- geometric a Ha ;; ret (- n)%Z.

Lemma mirrored_negative (x : R) :
  chance (sparse_vector N 0 mirrored 1 1 1 (fun _ => x)) (same [false])
  = ev (geometric a Ha) (fun n => 1 - S N (0 + 1 * IZR (- n) - x)).
Proof.
  unfold chance, sparse_vector, mirrored. cbn [bind ev ret]. apply geometric_ext. intros n _.
  cbn [run bind ev ret answer coin app]. unfold same. cbn. ring.
Qed.

(** The query is -1 on one dataset and 0 on the other. A negative answer tells them apart. *)
Theorem left_tail_leaks E :
  ~ close E 0 (sparse_vector N 0 mirrored 1 1 1 (fun _ => -1)) (sparse_vector N 0 mirrored 1 1 1 (fun _ => 0)).
Proof.
  intros H. specialize (H (same [false])). rewrite !mirrored_negative in H.
  assert (Right : ev (geometric a Ha) (fun n => 1 - S N (0 + 1 * IZR (- n) - 0)) = 0).
  { rewrite (geometric_ext a Ha _ (fun _ => 0)); [apply ev_const; lra|]. intros n Hn. apply IZR_le in Hn.
    rewrite S_at_left by (rewrite opp_IZR; lra). ring. }
  assert (Left : 0 < ev (geometric a Ha) (fun n => 1 - S N (0 + 1 * IZR (- n) - -1))).
  { apply geometric_above with (k := 0%Z); [lia| |].
    - exists 1. intros n. pose proof (S_range N (0 + 1 * IZR (- n) - -1)). lra.
    - rewrite S_at_right by (simpl; lra). replace (0 + 1 * IZR (- 0) - -1) with 1 by (simpl; ring).
      assert (D : 0 < 1 / s) by (apply Rdiv_lt_0_compat; lra).
      assert (L : exp (- (1 / s)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in L. lra. }
  rewrite Right in H. lra.
Qed.
End Tight.
