(** * The best adversary: any function with the right tangents bounds delta

    The lemma of the page on a bare threshold, in its general form. z stands for e^(epsilon - loss so far),
    [U n z] for what an adversary can still reach with n positives left. If each [U (n+1)] is convex and its
    tangent at z, read at z e^(-y), lies above [U n] for every change y of a log-hazard, then a run with c
    positives is (epsilon, U c (e^epsilon))-private. Closed forms of delta are instances. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Pure Points Hazard Race RaceCases.
Import ListNotations.
Open Scope R_scope.

Section Adversary.
Variable U : nat -> R -> R.
Variable slope : nat -> R -> R.      (* the derivative of U (n+1) *)
Variables down up : R.
Hypothesis Hdown : 0 <= down.
Hypothesis Hup : 0 <= up.
Hypothesis U_zero : forall z, 0 < z -> 0 <= U 0 z /\ 1 - z <= U 0 z.
Hypothesis U_derive : forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z).
(** The tangent condition. *)
Hypothesis U_tangent : forall n z y, 0 < z -> - down <= y <= up ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z).
(** Convexity: through every point there is a line below the graph. *)
Hypothesis U_convex : forall n z, 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w.

Lemma U_more n z : 0 < z -> U n z <= U (Datatypes.S n) z.
Proof.
  intros Hz. pose proof (U_tangent n z 0 Hz ltac:(lra)) as H. rewrite Ropp_0, exp_0, Rmult_1_r in H. lra.
Qed.

Lemma U_floor n z : 0 < z -> 0 <= U n z /\ 1 - z <= U n z.
Proof.
  intros Hz. induction n as [|n IH]; [apply U_zero, Hz|]. pose proof (U_more n z Hz). lra.
Qed.

(** One query, with hazards h and h'. *)
Lemma adversary_step n z h h' : 0 < z -> 0 < h -> 0 < h' -> - down <= ln h - ln h' <= up ->
  (1 - exp (- h)) * U n (z * ((1 - exp (- h')) / (1 - exp (- h))))
  + exp (- h) * U (Datatypes.S n) (z * (exp (- h') / exp (- h))) <= U (Datatypes.S n) z.
Proof.
  intros Hz Hh Hh' Hy. set (y := ln h - ln h').
  pose proof (below_one h Hh) as Bh. pose proof (below_one h' Hh') as Bh'.
  set (mean := z * ((1 - exp (- h')) / (1 - exp (- h)))).
  assert (Hm : 0 < mean) by (apply Rmult_lt_0_compat; [exact Hz|apply Rdiv_lt_0_compat; lra]).
  destruct (U_convex n mean Hm) as [sigma Line].
  assert (Ey : exp (- y) = h' / h).
  { unfold y. replace (- (ln h - ln h')) with (ln h' + - ln h) by ring.
    rewrite exp_plus, exp_Ropp, !exp_ln by assumption. reflexivity. }
  set (at_ := fun v => z * exp ((h - h') * v)).
  assert (Pat : forall v, 0 < at_ v) by (intros v; apply Rmult_lt_0_compat; [exact Hz|apply exp_pos]).
  set (A := U n mean - sigma * mean).
  (* what is still to come at time v, and a line below what has come *)
  set (psi := fun v => exp (- (h * v)) * U (Datatypes.S n) (at_ v) + A * (1 - exp (- (h * v)))
      + sigma * z * (1 - exp (- (h' * v)))).
  set (dpsi := fun v => (- h * exp (- (h * v)) * U (Datatypes.S n) (at_ v)
                         + exp (- (h * v)) * ((h - h') * at_ v * slope n (at_ v)))
                        + A * (h * exp (- (h * v))) + sigma * z * (h' * exp (- (h' * v)))).
  assert (Der : forall v, is_derive psi v (dpsi v)).
  { intros v. unfold psi, dpsi.
    apply (is_derive_plus (fun v => exp (- (h * v)) * U (Datatypes.S n) (at_ v) + A * (1 - exp (- (h * v))))
             (fun v => sigma * z * (1 - exp (- (h' * v))))).
    - apply (is_derive_plus (fun v => exp (- (h * v)) * U (Datatypes.S n) (at_ v)) (fun v => A * (1 - exp (- (h * v))))).
      + assert (D1 : is_derive (fun v => exp (- (h * v))) v (- h * exp (- (h * v)))) by (auto_derive; [auto|ring]).
        assert (D2 : is_derive at_ v ((h - h') * at_ v)) by (unfold at_; auto_derive; [auto|ring]).
        pose proof (is_derive_comp (U (Datatypes.S n)) at_ v _ _ (U_derive n (at_ v) (Pat v)) D2) as D3.
        pose proof (is_derive_mult (fun v => exp (- (h * v)))
            (fun v => U (Datatypes.S n) (at_ v)) v _ _ D1 D3 Rmult_comm) as D4.
        exact D4.
      + auto_derive; [auto|ring].
    - auto_derive; [auto|ring]. }
  assert (Neg : forall v, dpsi v <= 0).
  { intros v. pose proof (U_tangent n (at_ v) y (Pat v) Hy) as Tg. rewrite Ey in Tg.
    assert (Pw : 0 < at_ v * (h' / h)) by (apply Rmult_lt_0_compat; [apply Pat|apply Rdiv_lt_0_compat; assumption]).
    pose proof (Line _ Pw) as Ln. pose proof (exp_pos (- (h * v))) as Pe.
    assert (Ex : z * exp (- (h' * v)) = exp (- (h * v)) * at_ v).
    { unfold at_. rewrite (Rmult_comm z (exp ((h - h') * v))), <- Rmult_assoc, <- exp_plus.
      replace (- (h * v) + (h - h') * v) with (- (h' * v)) by ring. ring. }
    assert (K : 0 <= exp (- (h * v)) * (h * (U (Datatypes.S n) (at_ v) + slope n (at_ v) * (at_ v * (h' / h) - at_ v)
                  - (U n mean + sigma * (at_ v * (h' / h) - mean))))).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
    replace (dpsi v) with (- (exp (- (h * v)) * (h * (U (Datatypes.S n) (at_ v)
        + slope n (at_ v) * (at_ v * (h' / h) - at_ v)
                  - (U n mean + sigma * (at_ v * (h' / h) - mean)))))); [lra|].
    unfold dpsi, A. replace (sigma * z * (h' * exp (- (h' * v)))) with (sigma * h' * (z * exp (- (h' * v)))) by ring.
    rewrite Ex. field. lra. }
  destruct (MVT_gen psi 0 1 dpsi) as (v & _ & E).
  - intros v _. apply Der.
  - intros v _. apply continuity_pt_filterlim. apply (ex_derive_continuous psi v). exists (dpsi v). apply Der.
  - specialize (Neg v). rewrite Rminus_0_r, Rmult_1_r in E.
    assert (L : psi 1 <= psi 0) by lra. unfold psi, at_ in L.
    rewrite !Rmult_1_r, !Rmult_0_r, Ropp_0, exp_0 in L.
    replace (z * 1) with z in L by ring.
    replace (exp (h - h')) with (exp (- h') / exp (- h)) in L.
    2: { unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. f_equal. ring. }
    assert (M : sigma * z * (1 - exp (- h')) = sigma * mean * (1 - exp (- h))) by (unfold mean; field; lra).
    rewrite M in L. unfold A in L. lra.
Qed.

Definition above (x : R) : R := Rmax x 0.

Lemma above_scal k x : 0 <= k -> above (k * x) = k * above x.
Proof.
  intros Hk. unfold above. destruct (Rle_dec 0 x) as [H|H].
  - rewrite !Rmax_left; try lra. apply Rmult_le_pos; lra.
  - rewrite !Rmax_right; try lra. assert (0 <= k * - x) by (apply Rmult_le_pos; lra). lra.
Qed.

Variable s : R.
Hypothesis Hs : 0 < s.
Variable T : R.
Variables q q' : list bool -> R.
Variables t t' : R.                  (* what is added to the threshold, on either side *)
Hypothesis Hq : forall past, - down <= ((t' - q' past) - (t - q past)) / s <= up.

Lemma tree : forall n c past z, 0 < z ->
  total (outcomes n c past) (fun l => above (likelihood s Hs T q t n c past l - z * likelihood s Hs T q' t' n c past
      l)) <= U c z.
Proof.
  assert (Leaf : forall c past z (p : law (list bool)), 0 < z -> chance p (same past) = 1 ->
    above (chance p (same past) - z * chance p (same past)) <= U c z).
  { intros c past z p Hz ->. rewrite Rmult_1_r. unfold above. pose proof (U_floor c z Hz). apply Rmax_lub; lra. }
  assert (One : forall past, chance (ret past) (same past) = 1).
  { intros past. unfold chance; simpl. unfold same. destruct (list_eq_dec bool_dec past past); [lra|congruence]. }
  induction n as [|n IH]; intros c past z Hz.
  { unfold likelihood. cbn [outcomes total run]. rewrite Rplus_0_r. apply Leaf; auto. }
  destruct c as [|c].
  { unfold likelihood. cbn [outcomes total run]. rewrite Rplus_0_r. apply Leaf; auto. }
  cbn [outcomes]. rewrite total_app.
  set (h := hazard s T q t past). set (h' := hazard s T q' t' past).
  pose proof (hazard_pos s T q t past) as Hh. pose proof (hazard_pos s T q' t' past) as Hh'.
  fold h in Hh. fold h' in Hh'. pose proof (below_one _ Hh) as Bh. pose proof (below_one _ Hh') as Bh'.
  pose proof (exp_pos (- h)) as Ph. pose proof (exp_pos (- h')) as Ph'.
  assert (Hy : - down <= ln h - ln h' <= up).
  { unfold h, h'. rewrite log_hazard by exact Hs. apply Hq. }
  apply Rle_trans with (2 := adversary_step c z h h' Hz Hh Hh' Hy). apply Rplus_le_compat.
  - apply Rle_trans with ((1 - exp (- h)) * total (outcomes n c (past ++ [true]))
      (fun l => above (likelihood s Hs T q t n c (past ++ [true]) l
                       - z * ((1 - exp (- h')) / (1 - exp (- h))) * likelihood s Hs T q' t' n c (past ++ [true]) l))).
    + rewrite <- total_scal. apply total_mono. intros l Hl. rewrite !likelihood_true by exact Hl.
      fold h. fold h'. rewrite <- above_scal by lra. right. f_equal. field. lra.
    + apply Rmult_le_compat_l; [lra|]. apply IH. apply Rmult_lt_0_compat; [exact Hz|apply Rdiv_lt_0_compat; lra].
  - apply Rle_trans with (exp (- h) * total (outcomes n (Datatypes.S c) (past ++ [false]))
      (fun l => above (likelihood s Hs T q t n (Datatypes.S c) (past ++ [false]) l
                       - z * (exp (- h') / exp (- h)) * likelihood s Hs T q' t' n (Datatypes.S c) (past ++ [false]) l))).
    + rewrite <- total_scal. apply total_mono. intros l Hl. rewrite !likelihood_false by exact Hl.
      fold h. fold h'. rewrite <- above_scal by lra. right. f_equal. field. lra.
    + apply Rmult_le_compat_l; [lra|]. apply IH. apply Rmult_lt_0_compat; [exact Hz|apply Rdiv_lt_0_compat; lra].
Qed.

(** THEOREM. *)
Theorem adversary_delta eps n c :
  close (exp eps) (U c (exp eps)) (run (gumbel s Hs) T q t n c []) (run (gumbel s Hs) T q' t' n c []).
Proof.
  intros event. pose proof (tree n c [] (exp eps) (exp_pos eps)) as Tr.
  set (p := run (gumbel s Hs) T q t n c []). set (p' := run (gumbel s Hs) T q' t' n c []).
  set (L := outcomes n c []) in *. set (f := fun x : list bool => if event x then 1 else 0).
  assert (Hf : forall x, 0 <= f x <= 1) by (intros x; unfold f; destruct (event x); lra).
  assert (ND : NoDup L) by apply outcomes_NoDup.
  pose proof (event_sum (list_eq_dec bool_dec) L p event ND (outcomes_supported s Hs T q t n c [])) as P1.
  pose proof (event_floor (list_eq_dec bool_dec) L p' event ND) as P2.
  assert (K : total L (fun x => f x * chance p (same x)) <= exp eps * total L (fun x => f x * chance p' (same x))
              + total L (fun l => above (chance p (same l) - exp eps * chance p' (same l)))).
  { rewrite <- total_scal. clear - Hf. induction L as [|x l IH]; [simpl; lra|]. cbn [total]. specialize (Hf x) as Hx.
    set (u := chance p (same x)). set (w := chance p' (same x)).
    assert (f x * (u - exp eps * w) <= above (u - exp eps * w)).
    { unfold above. pose proof (Rmax_l (u - exp eps * w) 0). pose proof (Rmax_r (u - exp eps * w) 0).
      destruct (Rle_dec 0 (u - exp eps * w)) as [G|G].
      - apply Rle_trans with (1 * (u - exp eps * w)); [apply Rmult_le_compat_r; lra|lra].
      - assert (0 <= f x * - (u - exp eps * w)) by (apply Rmult_le_pos; lra). lra. }
    lra. }
  change (total L (fun x => f x * chance p (same x)))
      with (total L (fun x => f x * chance p (is _ (list_eq_dec bool_dec) x))) in K.
  change (total L (fun x => f x * chance p' (same x)))
      with (total L (fun x => f x * chance p' (is _ (list_eq_dec bool_dec) x))) in K.
  fold f in P1, P2. pose proof (exp_pos eps) as Pe.
  assert (exp eps * total L (fun x => f x * chance p' (is _ (list_eq_dec bool_dec) x)) <= exp eps * chance p' event)
    by (apply Rmult_le_compat_l; [lra|exact P2]).
  unfold likelihood in Tr. fold p p' in Tr. lra.
Qed.
End Adversary.
