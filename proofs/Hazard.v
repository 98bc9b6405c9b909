(** * The one-step inequality of the race

    A query with cumulative hazard h is negative with probability e^(-h). On two datasets its hazards are h
    and h' = h e^(-y). Rényi divergences of order a > 1 add up p^a q^(1-a) over what can happen; [power p q]
    is this product. *)
Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Noise.
Open Scope R_scope.

Section Order.
Variable a : R.
Hypothesis Ha : 1 < a.

Definition power (x y : R) : R := exp (a * ln x + (1 - a) * ln y).

Lemma power_pos x y : 0 < power x y.
Proof. apply exp_pos. Qed.

Lemma power_mult x y z w : 0 < x -> 0 < y -> 0 < z -> 0 < w -> power (x * z) (y * w) = power x y * power z w.
Proof. intros. unfold power. rewrite !ln_mult, <- exp_plus by assumption. f_equal. ring. Qed.

Lemma power_same x : 0 < x -> power x x = x.
Proof.
  intros H. unfold power. replace (a * ln x + (1 - a) * ln x) with (ln x) by ring. apply exp_ln, H.
Qed.

(** Bernoulli's inequality: exp is convex. *)
Lemma bernoulli x : 1 + a * (exp x - 1) <= exp (a * x).
Proof.
  pose proof (exp_chord (- (a * x)) (/ a)) as C.
  assert (I : 0 <= / a <= 1).
  { split; [left; apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  specialize (C I). replace (- (/ a * - (a * x))) with x in C by (field; lra). rewrite Ropp_involutive in C.
  apply Rmult_le_compat_l with (r := a) in C; [|lra].
  replace (a * (/ a * exp (a * x) + (1 - / a))) with (exp (a * x) + a - 1) in C by (field; lra). lra.
Qed.

Lemma young v A B : 0 <= v <= 1 -> exp (v * A + (1 - v) * B) <= v * exp A + (1 - v) * exp B.
Proof.
  intros H. pose proof (exp_chord (B - A) v H) as C. pose proof (exp_pos B).
  replace (v * A + (1 - v) * B) with (- (v * (B - A)) + B) by ring. rewrite exp_plus.
  apply Rle_trans with ((v * exp (- (B - A)) + (1 - v)) * exp B).
  - apply Rmult_le_compat_r; lra.
  - rewrite Rmult_plus_distr_r, Rmult_assoc, <- exp_plus. replace (- (B - A) + B) with A by ring. lra.
Qed.

(** ** ln of G(x) = (1 - e^(-x))/x is convex, because G(x) is the integral of e^(-x u) over 0 < u < 1 *)
Definition G (x : R) : R := (1 - exp (- x)) / x.

Lemma G_integral x : 0 < x -> is_RInt (fun u => exp (- (x * u))) 0 1 (G x).
Proof.
  intros H. unfold G.
  replace ((1 - exp (- x)) / x) with (minus (- exp (- (x * 1)) / x) (- exp (- (x * 0)) / x)).
  - apply (is_RInt_derive (fun u => - exp (- (x * u)) / x)).
    + intros u _. auto_derive; [auto|]. field. lra.
    + intros u _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto.
  - unfold minus, plus, opp; simpl. rewrite Rmult_1_r, Rmult_0_r, Ropp_0, exp_0. field. lra.
Qed.

Lemma below_one x : 0 < x -> 0 < 1 - exp (- x) < 1.
Proof.
  intros H. pose proof (exp_pos (- x)). assert (L : exp (- x) < exp 0) by (apply exp_increasing; lra).
  rewrite exp_0 in L. lra.
Qed.

Lemma G_pos x : 0 < x -> 0 < G x.
Proof. intros H. apply Rdiv_lt_0_compat; [apply below_one|]; lra. Qed.

Lemma G_convex h h' : 0 < h -> 0 < h' -> 0 < a * h + (1 - a) * h' ->
  a * ln (G h) + (1 - a) * ln (G h') <= ln (G (a * h + (1 - a) * h')).
Proof.
  intros Hh Hh' HM. set (M := a * h + (1 - a) * h') in *. set (v := / a).
  assert (Hv : 0 <= v <= 1).
  { split; [left; apply Rinv_0_lt_compat; lra|]. unfold v. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (G_pos _ HM) as GM. pose proof (G_pos _ Hh') as Gh'. pose proof (G_pos _ Hh) as Gh.
  set (k := v * ln (G M) + (1 - v) * ln (G h')).
  assert (L : G h <= exp k).
  { assert (I : is_RInt (fun u => exp k * (v * / G M) * exp (- (M * u))
      + exp k * ((1 - v) * / G h') * exp (- (h' * u))) 0 1
                 (exp k * (v * / G M) * G M + exp k * ((1 - v) * / G h') * G h')).
    { apply (@is_RInt_plus R_NormedModule).
      - apply (@is_RInt_scal R_NormedModule (fun u => exp (- (M * u)))). apply G_integral, HM.
      - apply (@is_RInt_scal R_NormedModule (fun u => exp (- (h' * u)))). apply G_integral, Hh'. }
    replace (exp k) with (exp k * (v * / G M) * G M + exp k * ((1 - v) * / G h') * G h') by (field; lra).
    apply (is_RInt_le (fun u => exp (- (h * u)))
      (fun u => exp k * (v * / G M) * exp (- (M * u)) + exp k * ((1 - v) * / G h') * exp (- (h' * u))) 0 1);
      [lra|apply G_integral, Hh|exact I|].
    intros u _.
    pose proof (young v (- (M * u) - ln (G M)) (- (h' * u) - ln (G h')) Hv) as Y.
    replace (v * (- (M * u) - ln (G M)) + (1 - v) * (- (h' * u) - ln (G h'))) with (- (h * u) - k) in Y.
    2: { unfold k, M, v. field. lra. }
    unfold Rminus in Y. rewrite !exp_plus, !exp_Ropp, !exp_ln in Y by assumption.
    rewrite <- !exp_Ropp in Y. fold (Rminus 1 v) in Y. pose proof (exp_pos k) as Pk.
    apply Rmult_le_compat_l with (r := exp k) in Y; [|lra].
    replace (exp k * (exp (- (h * u)) * exp (- k))) with (exp (- (h * u))) in Y
      by (rewrite (exp_Ropp k); field; lra).
    apply Rle_trans with (1 := Y). right. ring. }
  assert (LL : ln (G h) <= k).
  { rewrite <- (ln_exp k). destruct L as [L|L]; [left; apply ln_increasing; auto|right; rewrite L; reflexivity]. }
  apply Rmult_le_compat_l with (r := a) in LL; [|lra]. unfold k in LL.
  replace (a * (v * ln (G M) + (1 - v) * ln (G h')))
      with (ln (G M) + (a - 1) * ln (G h')) in LL by (unfold v; field; lra).
  lra.
Qed.

(** ** What a positive costs: e^(a y)/(1 + a (e^y - 1)), for a log-hazard that rises by y *)
Definition charge (y : R) : R := exp (a * y) / (1 + a * (exp y - 1)).

(** THE ONE-STEP INEQUALITY: a positive, which is charged C, and a negative, which is free. *)
Theorem one_step h h' C :
  0 < h -> 0 < h' -> let y := ln h - ln h' in
  0 < 1 + a * (exp y - 1) -> charge y <= C ->
  power (1 - exp (- h)) (1 - exp (- h')) + C * power (exp (- h)) (exp (- h')) <= C.
Proof.
  intros Hh Hh' y Hy HC. set (M := a * h + (1 - a) * h').
  assert (EM : M = h' * (1 + a * (exp y - 1))).
  { unfold M, y, Rminus at 3. rewrite exp_plus, exp_Ropp, !exp_ln by assumption. field. lra. }
  assert (HM : 0 < M) by (rewrite EM; apply Rmult_lt_0_compat; assumption).
  pose proof (below_one h Hh) as P. pose proof (below_one h' Hh') as P'. pose proof (below_one M HM) as PM.
  assert (Neg : power (exp (- h)) (exp (- h')) = exp (- M)).
  { unfold power. rewrite !ln_exp. f_equal. unfold M. ring. }
  assert (Pos : power (1 - exp (- h)) (1 - exp (- h')) <= charge y * (1 - exp (- M))).
  { replace (1 - exp (- h)) with (h * G h) by (unfold G; field; lra).
    replace (1 - exp (- h')) with (h' * G h') by (unfold G; field; lra).
    rewrite power_mult by (auto using G_pos).
    apply Rle_trans with (power h h' * G M).
    - apply Rmult_le_compat_l; [left; apply power_pos|]. unfold power.
      rewrite <- (exp_ln (G M)) by (apply G_pos, HM). apply exp_mono. apply G_convex; assumption.
    - right. unfold charge, G. rewrite EM.
      replace (power h h') with (exp (a * y) * h').
      + field. split; lra.
      + unfold power, y. rewrite <- (exp_ln h') at 2 by assumption. rewrite <- exp_plus. f_equal. ring. }
  rewrite Neg. apply Rle_trans with (C * (1 - exp (- M)) + C * exp (- M)).
  - apply Rplus_le_compat_r. apply Rle_trans with (1 := Pos). apply Rmult_le_compat_r; lra.
  - right. ring.
Qed.

(** ** The charge is largest at an end of an interval around zero *)
Lemma exp_order u : 0 <= u -> exp u <= exp (a * u).
Proof. intros H. apply exp_mono. rewrite <- (Rmult_1_l u) at 1. apply Rmult_le_compat_r; lra. Qed.

Lemma charge_right y k : 0 <= y <= k -> charge y <= charge k.
Proof.
  intros H. unfold charge. set (u := k - y). assert (Hu : 0 <= u) by (unfold u; lra).
  assert (Wy : 1 <= exp y) by (rewrite <- exp_0; apply exp_mono; lra).
  assert (Wk : 1 <= exp k) by (rewrite <- exp_0; apply exp_mono; lra).
  assert (D1 : 0 < 1 + a * (exp y - 1)) by (assert (0 <= a * (exp y - 1)) by (apply Rmult_le_pos; lra); lra).
  assert (D2 : 0 < 1 + a * (exp k - 1)) by (assert (0 <= a * (exp k - 1)) by (apply Rmult_le_pos; lra); lra).
  apply Rmult_le_reg_r with ((1 + a * (exp y - 1)) * (1 + a * (exp k - 1))); [apply Rmult_lt_0_compat; lra|].
  replace (exp (a * y) / (1 + a * (exp y - 1)) * ((1 + a * (exp y - 1)) * (1 + a * (exp k - 1))))
    with (exp (a * y) * (1 + a * (exp k - 1))) by (field; lra).
  replace (exp (a * k) / (1 + a * (exp k - 1)) * ((1 + a * (exp y - 1)) * (1 + a * (exp k - 1))))
    with (exp (a * k) * (1 + a * (exp y - 1))) by (field; lra).
  replace (exp (a * k)) with (exp (a * y) * exp (a * u)) by (rewrite <- exp_plus; f_equal; unfold u; ring).
  replace (exp k) with (exp y * exp u) by (rewrite <- exp_plus; f_equal; unfold u; ring).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos|].
  pose proof (bernoulli u). pose proof (exp_order u Hu).
  assert (0 <= (exp y - 1) * (a * (exp (a * u) - exp u))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  lra.
Qed.

Lemma charge_left y k : - k <= y <= 0 -> 0 < 1 + a * (exp (- k) - 1) -> charge y <= charge (- k).
Proof.
  intros H D2. unfold charge. set (u := y + k). assert (Hu : 0 <= u) by (unfold u; lra).
  assert (Le : exp (- k) <= exp y) by (apply exp_mono; lra).
  assert (D1 : 0 < 1 + a * (exp y - 1)).
  { apply Rlt_le_trans with (1 := D2). apply Rplus_le_compat_l, Rmult_le_compat_l; lra. }
  apply Rmult_le_reg_r with ((1 + a * (exp y - 1)) * (1 + a * (exp (- k) - 1))); [apply Rmult_lt_0_compat; lra|].
  replace (exp (a * y) / (1 + a * (exp y - 1)) * ((1 + a * (exp y - 1)) * (1 + a * (exp (- k) - 1))))
    with (exp (a * y) * (1 + a * (exp (- k) - 1))) by (field; lra).
  replace (exp (a * - k) / (1 + a * (exp (- k) - 1)) * ((1 + a * (exp y - 1)) * (1 + a * (exp (- k) - 1))))
    with (exp (a * - k) * (1 + a * (exp y - 1))) by (field; lra).
  replace (exp (a * y)) with (exp (a * - k) * exp (a * u)) by (rewrite <- exp_plus; f_equal; unfold u; ring).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos|].
  replace (exp (- k)) with (exp y * exp (- u)) by (rewrite <- exp_plus; f_equal; unfold u; ring).
  pose proof (bernoulli (- u)) as Be. pose proof (exp_pos (a * u)) as Pu. pose proof (exp_pos u) as Pe.
  (* with w = e^y <= 1: the difference is linear in w, and at w = 1 it is Bernoulli's inequality *)
  assert (E1 : exp (a * u) * exp (a * - u) = 1)
    by (rewrite <- exp_plus; replace (a * u + a * - u) with 0 by ring; apply exp_0).
  assert (E2 : exp u * exp (- u) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (Y1 : exp y <= 1) by (rewrite <- exp_0; apply exp_mono; lra). pose proof (exp_pos y).
  assert (B1 : exp (a * u) * (1 + a * (exp (- u) - 1)) <= 1).
  { apply Rle_trans with (exp (a * u) * exp (a * - u)); [apply Rmult_le_compat_l; lra|lra]. }
  assert (B2 : 1 <= exp (a * u) * exp (- u)).
  { apply Rle_trans with (exp u * exp (- u)); [lra|].
    apply Rmult_le_compat_r; [left; apply exp_pos|apply exp_order, Hu]. }
  assert (B3 : 0 <= (1 - exp y) * (a * (exp (a * u) * exp (- u) - 1)))
    by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  replace (exp (a * u) * (1 + a * (exp y * exp (- u) - 1)))
    with (exp (a * u) * (1 + a * (exp (- u) - 1)) - a * (1 - exp y) * (exp (a * u) * exp (- u))) by ring.
  lra.
Qed.

Lemma charge_zero : charge 0 = 1.
Proof. unfold charge. rewrite Rmult_0_r, exp_0. field. Qed.

Lemma charge_ends y down up : - down <= y <= up -> 0 <= down -> 0 <= up ->
  0 < 1 + a * (exp (- down) - 1) ->
  0 < 1 + a * (exp y - 1) /\ charge y <= Rmax (charge up) (charge (- down)).
Proof.
  intros H Hd Hu D. split.
  - apply Rlt_le_trans with (1 := D). apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
    assert (exp (- down) <= exp y) by (apply exp_mono; lra). lra.
  - destruct (Rle_dec 0 y) as [Hy|Hy].
    + apply Rle_trans with (2 := Rmax_l _ _). apply charge_right; lra.
    + apply Rle_trans with (2 := Rmax_r _ _). apply charge_left; lra.
Qed.
End Order.
