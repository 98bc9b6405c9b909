(** * False claims about single transcripts, and about what is released, refuted

    The examples are those of [RefutedPure.v]: exponential noise of scale [s] on queries, Delta = 1. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Digits Pure Resample RefutedPure RefutedDraws.
Import ListNotations.
Open Scope R_scope.

Section Runs.
Variables (a s : R).
Hypothesis Ha : 0 < a < 1.
Hypothesis Hs : 0 < s.
Let N := exponential s Hs.
Let one_sided := svt a s Ha Hs.

(** ** A transcript costs what its positives cost, and the threshold *)

(** What [svt_transcript] says, with another cost of k positives. *)
Definition claim_transcript (cost : nat -> R) : Prop := forall q q' : list bool -> R,
  (forall past, Rabs (q' past - q past) <= 1) -> forall l,
  chance (one_sided 2 1 q) (same l) <= cost (positives l) * chance (one_sided 2 1 q') (same l).

Lemma opposite past : Rabs (after 1 past - before past) <= 1.
Proof. unfold after, before. destruct past; rewrite Rminus_0_r; unfold Rabs; destruct (Rcase_abs _); lra. Qed.

(** One positive costs no less than e^(2 Delta/s), and the threshold. *)
Theorem transcript_is_tight cost : claim_transcript cost -> / a * exp (2 / s) <= cost 1%nat.
Proof.
  intros C. replace 2 with (1 + 1) by ring. apply (tight_transcript a s Ha Hs); [lra|].
  apply (C before (after 1) opposite [false; true]).
Qed.

Let below (u : R) (t : Z) : R := 1 - S N (IZR t + u).
Let below_bounded u : bounded (below u).
Proof. exists 1. intros t. unfold below. pose proof (S_range N (IZR t + u)). lra. Qed.

Let below_moved u : u <= 0 -> ev (geometric a Ha) (below (u - 1)) = a * ev (geometric a Ha) (below u).
Proof.
  intros Hu. apply geometric_moved; [apply below_bounded| |].
  - unfold below. unfold N. rewrite S_at_left by lra. ring.
  - intros n Hn. unfold below. rewrite plus_IZR. f_equal. f_equal. ring.
Qed.

Let below_positive : 0 < ev (geometric a Ha) (below 0).
Proof.
  apply geometric_above with (k := 1%Z); [lia|apply below_bounded|]. unfold below, N. rewrite S_at_right by lra.
  assert (D : 0 < (1 + 0) / s) by (apply Rdiv_lt_0_compat; lra).
  assert (L : exp (- ((1 + 0) / s)) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in L. lra.
Qed.

Lemma chance_negative x : chance (one_sided 1 1 (fun _ => x)) (same [false]) = ev (geometric a Ha) (below (- x)).
Proof.
  unfold chance, one_sided, svt, sparse_vector. cbn [bind ev]. apply geometric_ext. intros t _. unfold below, same.
  cbn [run bind ev ret answer coin app]. cbn. fold N.
  replace (0 + 1 * IZR t - x) with (IZR t + - x) by ring. ring.
Qed.

(** A negative answer, if the query is two steps higher. *)
Lemma negative_far : chance (one_sided 1 1 (fun _ => 2)) (same [false]) = a * (a * chance (one_sided 1 1 (fun _ => 0)) (same [false]))
  /\ 0 < chance (one_sided 1 1 (fun _ => 0)) (same [false]).
Proof.
  rewrite !chance_negative, Ropp_0. split; [|exact below_positive].
  replace (- (2)) with (0 - 1 - 1) by ring. rewrite !below_moved by lra. reflexivity.
Qed.

(** A run without a positive has cost nothing: false. It has paid for the threshold. *)
Theorem prefix_pays_for_the_threshold :
  ~ (forall f, bounded f ->
     ev (one_sided 1 1 (fun _ => 0)) (fun l => exp (- (/ s * 1 * INR (positives l))) * f l)
     <= ev (one_sided 1 1 (fun _ => 1)) f).
Proof.
  intros C. specialize (C _ (bounded_event (same [false]))). cbv beta in C.
  assert (E : ev (one_sided 1 1 (fun _ => 0)) (fun l => exp (- (/ s * 1 * INR (positives l))) * (if same [false] l
    then 1 else 0))
    = chance (one_sided 1 1 (fun _ => 0)) (same [false])).
  { unfold chance. symmetry. apply ev_ext; [apply bounded_event|]. intros l. unfold same.
    destruct (list_eq_dec bool_dec [false] l) as [<-|]; [|ring].
    simpl. rewrite Rmult_0_r, Ropp_0, exp_0. ring. }
  rewrite E in C. change (ev (one_sided 1 1 (fun _ => 1)) (fun l => if same [false] l then 1 else 0))
    with (chance (one_sided 1 1 (fun _ => 1)) (same [false])) in C.
  rewrite !chance_negative, Ropp_0 in C. replace (- (1)) with (0 - 1) in C by ring. rewrite below_moved in C by lra.
  assert (a * ev (geometric a Ha) (below 0) < 1 * ev (geometric a Ha) (below 0))
    by (apply Rmult_lt_compat_r; [exact below_positive|lra]). lra.
Qed.

(** ** What is released with two-sided noise on the threshold *)

(** Discrete Laplace noise is no better than one-sided noise: nothing less than e^(eps1 + 2 Delta/s). *)
Theorem laplace_is_tight E :
  close E 0 (sparse_vector N 0 (two_sided a Ha) 1 2 1 before) (sparse_vector N 0 (two_sided a Ha) 1 2 1 (after 1)) ->
  / a * exp (2 / s) <= E.
Proof.
  intros H. specialize (H (same [false; true])). rewrite Rplus_0_r in H.
  assert (Half : forall q, 0 <= q [] -> chance (sparse_vector N 0 (two_sided a Ha) 1 2 1 q) (same [false; true])
    = / (1 + a) * chance (one_sided 2 1 q) (same [false; true])).
  { intros q Hq. apply (two_sided_half a Ha). intros t Ht. apply IZR_lt in Ht.
    unfold answer. cbn [run bind ev ret answer coin app]. unfold same. cbn -[S]. unfold N.
    rewrite (S_at_left s Hs (0 + 1 * IZR t - q [])) by lra. ring. }
  rewrite !Half in H by (unfold before, after; lra).
  replace 2 with (1 + 1) by ring. apply (tight_transcript a s Ha Hs); [lra|].
  apply Rmult_le_reg_l with (/ (1 + a)); [apply Rinv_0_lt_compat; lra|].
  apply Rle_trans with (1 := H). right. unfold one_sided. ring.
Qed.

(** ** Resampling: after a positive the next draw of the threshold is paid, whatever comes *)

(** One positive of two has cost only one draw: false. The second draw was used. *)
Theorem next_draw_is_paid E :
  chance (re a s Ha Hs 3 2 before) (same [false; true; false])
  <= E * chance (re a s Ha Hs 3 2 (twice 1)) (same [false; true; false]) ->
  (/ a) ^ 2 * exp (2 / s) <= E.
Proof.
  assert (P : forall q u v, q [] = - u -> q [false] = - v -> q [false; true] = - u ->
    chance (re a s Ha Hs 3 2 q) (same [false; true; false])
    = ev (geometric a Ha) (below u) * chance (svt a s Ha Hs 2 1 q) (same [false; true])).
  { intros q u v H1 H2 H3. rewrite (chance_pair a s Ha Hs q u v H1 H2).
    set (m := ev (geometric a Ha) (below u)). assert (Hm : 0 <= m) by (apply ev_pos, below_bounded).
    rewrite <- ev_scal; [|exact Hm|].
    2: { exists 1. intros t. pose proof (S_range N (IZR t + u)). pose proof (S_range N (IZR t + v)). fold N.
         split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
    unfold chance, re, resampled. cbn [bind ev].
    change (fun x => if same [false; true; false] x then 1 else 0) with (hit [false; true; false]).
    apply geometric_ext. intros t _.
    rewrite (rerun_negative a s Ha Hs q 2 1 _ [] [true; false]). cbn [app].
    rewrite (rerun_positive a s Ha Hs q 1 1 _ [false] [false]). cbn [app].
    rewrite (geometric_ext a Ha _ (below u)).
    - fold m. rewrite H1, H2.
      replace (0 + 1 * IZR t - - u) with (IZR t + u) by ring.
      replace (0 + 1 * IZR t - - v) with (IZR t + v) by ring. ring.
    - intros t' _. rewrite (rerun_negative a s Ha Hs q 0 0 _ [false; true] []). cbn [app rerun ret ev].
      rewrite H3. unfold below, hit, same, N.
      destruct (list_eq_dec bool_dec _ _) as [_|e]; [|exfalso; apply e; reflexivity].
      replace (0 + 1 * IZR t' - - u) with (IZR t' + u) by ring. ring. }
  intros H. rewrite (P before 0 0), (P (twice 1) (0 - 1) 1), below_moved in H by (unfold before, twice; lra).
  assert (Same : chance (svt a s Ha Hs 2 1 (twice 1)) (same [false; true])
    = chance (svt a s Ha Hs 2 1 (after 1)) (same [false; true]))
    by (rewrite !(chance_pair a s Ha Hs _ (-1) 1) by (unfold twice, after; ring); reflexivity).
  rewrite Same in H.
  assert (K : / a * exp ((1 + 1) / s) <= E * a).
  { apply (tight_transcript a s Ha Hs); [lra|].
    apply Rmult_le_reg_l with (1 := below_positive). apply Rle_trans with (1 := H). right. ring. }
  replace (1 + 1) with 2 in K by ring.
  apply Rmult_le_reg_r with a; [lra|]. apply Rle_trans with (2 := K). right. field. lra.
Qed.
End Runs.
