(** * The pure theorem in epsilons

    [svt_pure] with Delta = m grid steps, in the two settings of the library, and for the laws that a
    release draws: epsilon = eps1 + eps2. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Pure.
Import ListNotations.
Open Scope R_scope.

Lemma exp_pow x (m : nat) : (0 < m)%nat -> exp (x / INR m) ^ m = exp x.
Proof.
  intros H. assert (P : forall j, exp (x / INR m) ^ j = exp (INR j * (x / INR m))).
  { induction j as [|j IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
    rewrite S_INR. simpl. rewrite IH, <- exp_plus. f_equal. ring. }
  rewrite P. f_equal. field. apply not_0_INR. lia.
Qed.

Section Cases.
Variables (N : noise) (T : R).
Variables (g : R) (m : nat).
Hypothesis Hg : 0 <= g.
Hypothesis Hm : (0 < m)%nat.
Let Delta := g * INR m.
Variables eps1 eps2 : R.
Variable p : law Z.
Hypothesis Hp : climbs (exp (eps1 / INR m)) p.     (* the threshold noise costs eps1 for Delta *)
Hypothesis Heps : 0 <= eps1.
Variables n c : nat.
Variables q q' : list bool -> R.

(** General queries: one person moves each answer by at most Delta, up or down; f = 2. *)
Corollary svt_general :
  (forall past, Rabs (q' past - q past) <= Delta) ->
  INR c * (rate N * (2 * Delta)) = eps2 ->
  close (exp (eps1 + eps2)) 0 (sparse_vector N T p g n c q) (sparse_vector N T p g n c q').
Proof.
  intros H E. assert (D : 0 <= Delta) by (apply Rmult_le_pos; [exact Hg|apply pos_INR]).
  assert (I : forall past, - Delta <= q' past - q past <= g * INR m).
  { intros past. specialize (H past). fold Delta. unfold Rabs in H. destruct (Rcase_abs _) in H; lra. }
  pose proof (svt_pure N T p _ (Rlt_le _ _ (exp_pos _)) Hp g Hg n c q q' Delta m D I) as P.
  rewrite exp_pow, <- exp_plus in P by exact Hm.
  replace (eps1 + eps2) with (eps1 + rate N * (Delta + g * INR m) * INR c);
    [exact P|rewrite <- E; unfold Delta; ring].
Qed.

(** Monotonic queries: one person moves all answers in one direction; f = 1. The first direction
    pays for the threshold, the second does not even move it. *)
Corollary svt_monotonic :
  (forall past, 0 <= q' past - q past <= Delta) \/ (forall past, 0 <= q past - q' past <= Delta) ->
  INR c * (rate N * Delta) = eps2 ->
  close (exp (eps1 + eps2)) 0 (sparse_vector N T p g n c q) (sparse_vector N T p g n c q').
Proof.
  intros H E. assert (D : 0 <= Delta) by (apply Rmult_le_pos; [exact Hg|apply pos_INR]).
  destruct H as [H|H].
  - assert (I : forall past, - 0 <= q' past - q past <= g * INR m)
      by (intros past; specialize (H past); fold Delta; lra).
    pose proof (svt_pure N T p _ (Rlt_le _ _ (exp_pos _)) Hp g Hg n c q q' 0 m (Rle_refl 0) I) as P.
    rewrite exp_pow, <- exp_plus in P by exact Hm.
    replace (eps1 + eps2) with (eps1 + rate N * (0 + g * INR m) * INR c);
      [exact P|rewrite <- E; unfold Delta; ring].
  - assert (I : forall past, - Delta <= q' past - q past <= g * INR 0)
      by (intros past; specialize (H past); simpl INR; lra).
    pose proof (svt_pure N T p _ (Rlt_le _ _ (exp_pos _)) Hp g Hg n c q q' Delta 0 D I) as P.
    intros event. specialize (P event). apply Rle_trans with (1 := P). rewrite !Rplus_0_r.
    apply Rmult_le_compat_r; [apply chance_range|]. simpl pow. rewrite Rmult_1_l. apply exp_mono.
    rewrite <- E. simpl INR. rewrite Rmult_0_r, Rplus_0_r. lra.
Qed.
End Cases.

(** ** What is released: noise of the threshold from the grid *)
Section Released.
Variables (eps1 : R) (m : nat).
Hypothesis Heps : 0 < eps1.
Hypothesis Hm : (0 < m)%nat.

(** a = e^(-g/b), where b = Delta/eps1 is the scale of the threshold noise and Delta = m g. *)
Definition ratio : R := exp (- (eps1 / INR m)).

Lemma ratio_range : 0 < ratio < 1.
Proof.
  split; [apply exp_pos|]. unfold ratio. rewrite <- exp_0. apply exp_increasing.
  assert (0 < eps1 / INR m) by (apply Rdiv_lt_0_compat; [lra|apply lt_0_INR; lia]). lra.
Qed.

Lemma ratio_inv : / ratio = exp (eps1 / INR m).
Proof. unfold ratio. rewrite exp_Ropp, Rinv_inv. reflexivity. Qed.

Lemma discrete_laplace_climbs : climbs (exp (eps1 / INR m)) (two_sided ratio ratio_range).
Proof. rewrite <- ratio_inv. apply two_sided_climbs. Qed.

(** One-sided noise, with its tail to the right, is as good. *)
Lemma one_sided_climbs : climbs (exp (eps1 / INR m)) (geometric ratio ratio_range).
Proof. rewrite <- ratio_inv. apply geometric_climbs. Qed.

Variables (T g s : R) (n c : nat).
Hypothesis Hg : 0 <= g.
Hypothesis Hs : 0 < s.
Variables q q' : list bool -> R.
Let Delta := g * INR m.

(** THEOREM. What the library releases by default: exponential noise of scale s on queries, one-sided noise on the
    threshold. It is (eps1 + c 2 Delta/s)-private. *)
Theorem svt_one_sided :
  (forall past, Rabs (q' past - q past) <= Delta) ->
  close (exp (eps1 + INR c * (2 * Delta / s))) 0
    (sparse_vector (exponential s Hs) T (geometric ratio ratio_range) g n c q)
    (sparse_vector (exponential s Hs) T (geometric ratio ratio_range) g n c q').
Proof.
  intros H. apply svt_general with (m := m); auto using one_sided_climbs.
  simpl rate. unfold Delta, Rdiv. ring.
Qed.

(** THEOREM. For monotonic queries, in both directions: (eps1 + c Delta/s). *)
Theorem svt_one_sided_monotonic :
  (forall past, 0 <= q' past - q past <= Delta) \/ (forall past, 0 <= q past - q' past <= Delta) ->
  close (exp (eps1 + INR c * (Delta / s))) 0
    (sparse_vector (exponential s Hs) T (geometric ratio ratio_range) g n c q)
    (sparse_vector (exponential s Hs) T (geometric ratio ratio_range) g n c q').
Proof.
  intros H. apply svt_monotonic with (m := m) (eps2 := INR c * (Delta / s)); auto using one_sided_climbs.
  - lra.
  - simpl rate. unfold Delta, Rdiv. ring.
Qed.

(** THEOREM. The same with discrete Laplace noise on the threshold. *)
Theorem svt_exponential_laplace :
  (forall past, Rabs (q' past - q past) <= Delta) ->
  close (exp (eps1 + INR c * (2 * Delta / s))) 0
    (sparse_vector (exponential s Hs) T (two_sided ratio ratio_range) g n c q)
    (sparse_vector (exponential s Hs) T (two_sided ratio ratio_range) g n c q').
Proof.
  intros H. apply svt_general with (m := m); auto using discrete_laplace_climbs.
  simpl rate. unfold Delta, Rdiv. ring.
Qed.
End Released.
