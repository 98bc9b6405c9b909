(** * The best adversary for one positive: delta = tanh(kappa/2) e^(-epsilon/(e^kappa - 1))

    Theorem 3 of the page on a bare threshold, for c = 1: an instance of [Adversary.v]. With
    b = e^kappa - 1 and t = tanh(kappa/2) = b/(b + 2) the function is t z^(-1/b) for z >= 1, and its mirror
    image 1 - z + t z^(1 + 1/b) for z < 1. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Pure Points Hazard Race RaceCases Adversary.
Import ListNotations.
Open Scope R_scope.

Section OnePositive.
Variable kappa : R.
Hypothesis Hk : 0 < kappa.
Let b := exp kappa - 1.
Let t := b / (b + 2).

Let Hb : 0 < b.
Proof. unfold b. assert (exp 0 < exp kappa) by (apply exp_increasing; exact Hk). rewrite exp_0 in *. lra. Qed.
Let Ht : 0 < t < 1.
Proof.
  unfold t. split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (b + 2); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Let join : 2 * t = b * (1 - t).
Proof. unfold t. field. lra. Qed.

(** z^x *)
Definition pw (z x : R) : R := exp (x * ln z).
Let right_ (z : R) : R := t * pw z (- / b).
Let left_ (z : R) : R := 1 - z + t * pw z (1 + / b).
Let right' (z : R) : R := - (t / b) * pw z (- / b - 1).
Let left' (z : R) : R := - 1 + t * (1 + / b) * pw z (/ b).

Lemma pw_pos z x : 0 < pw z x.
Proof. apply exp_pos. Qed.
Lemma pw_one x : pw 1 x = 1.
Proof. unfold pw. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.
Lemma pw_plus z x y : pw z (x + y) = pw z x * pw z y.
Proof. unfold pw. rewrite <- exp_plus. f_equal. ring. Qed.
Lemma pw_first z : 0 < z -> pw z 1 = z.
Proof. intros H. unfold pw. rewrite Rmult_1_l. apply exp_ln, H. Qed.
Lemma pw_mult z w x : 0 < z -> 0 < w -> pw (z * w) x = pw z x * pw w x.
Proof. intros. unfold pw. rewrite ln_mult, <- exp_plus by assumption. f_equal. ring. Qed.

Lemma pw_derive x z : 0 < z -> is_derive (fun z => pw z x) z (x * pw z (x - 1)).
Proof.
  intros H. unfold pw. auto_derive; [exact H|].
  replace ((x - 1) * ln z) with (x * ln z + - ln z) by ring. rewrite exp_plus, exp_Ropp, exp_ln by exact H.
  field. lra.
Qed.

(** The graph of z^x lies above its tangent, for x <= 0 and for x >= 1. *)
Lemma pw_tangent x z w : 0 < z -> 0 < w -> x <= 0 \/ 1 < x -> pw z x + x * pw z (x - 1) * (w - z) <= pw w x.
Proof.
  intros Hz Hw Hx. set (u := ln w - ln z).
  assert (Ew : w = z * exp u).
  { unfold u, Rminus. rewrite exp_plus, exp_Ropp, !exp_ln by assumption. field. lra. }
  assert (Pw : pw w x = pw z x * exp (x * u)) by (unfold pw, u; rewrite <- exp_plus; f_equal; ring).
  assert (Pz : pw z (x - 1) * z = pw z x).
  { rewrite <- (pw_first z Hz) at 2. rewrite <- pw_plus. f_equal. ring. }
  assert (B : 1 + x * (exp u - 1) <= exp (x * u)).
  { destruct Hx as [Hx|Hx]; [|apply bernoulli; exact Hx].
    pose proof (exp_ineq1_le (x * u)). pose proof (exp_ineq1_le u).
    assert (0 <= (- x) * (exp u - 1 - u)) by (apply Rmult_le_pos; lra). lra. }
  rewrite Pw, Ew. replace (pw z x + x * pw z (x - 1) * (z * exp u - z))
    with (pw z x + x * (pw z (x - 1) * z) * (exp u - 1)) by ring.
  rewrite Pz. replace (pw z x + x * pw z x * (exp u - 1)) with (pw z x * (1 + x * (exp u - 1))) by ring.
  apply Rmult_le_compat_l; [left; apply pw_pos|exact B].
Qed.

Let right_line z w : 0 < z -> 0 < w -> right_ z + right' z * (w - z) <= right_ w.
Proof.
  intros Hz Hw. assert (Hi : 0 < / b) by (apply Rinv_0_lt_compat, Hb).
  pose proof (pw_tangent (- / b) z w Hz Hw ltac:(left; lra)) as P. unfold right_, right'.
  apply Rmult_le_compat_l with (r := t) in P; [|lra].
  apply Rle_trans with (2 := P). right. unfold Rdiv. ring.
Qed.

Let left_line z w : 0 < z -> 0 < w -> left_ z + left' z * (w - z) <= left_ w.
Proof.
  intros Hz Hw. assert (Hi : 0 < / b) by (apply Rinv_0_lt_compat, Hb).
  pose proof (pw_tangent (1 + / b) z w Hz Hw ltac:(right; lra)) as P. unfold left_, left'.
  replace (1 + / b - 1) with (/ b) in P by ring.
  apply Rmult_le_compat_l with (r := t) in P; [|lra].
  apply Rle_trans with (1 - w + t * (pw z (1 + / b) + (1 + / b) * pw z (/ b) * (w - z))); [right; ring|lra].
Qed.

(** Both pieces meet at 1, with the same value and the same slope. *)
Let meet : right_ 1 = left_ 1.
Proof. unfold right_, left_. rewrite !pw_one. ring. Qed.
Let meet' : right' 1 = left' 1.
Proof.
  unfold right', left'. rewrite !pw_one, !Rmult_1_r.
  apply Rmult_eq_reg_r with b; [|lra]. pose proof join.
  replace (- (t / b) * b) with (- t) by (field; lra).
  replace ((-1 + t * (1 + / b)) * b) with (- b + t * b + t) by (field; lra). lra.
Qed.

(** Slopes rise, as the lines lie below the graph. *)
Let right_slope z : 1 <= z -> right' 1 <= right' z.
Proof.
  intros [H|<-]; [|apply Rle_refl]. pose proof (right_line 1 z ltac:(lra) ltac:(lra)).
  pose proof (right_line z 1 ltac:(lra) ltac:(lra)).
  assert (0 <= (right' z - right' 1) * (z - 1)) by lra.
  destruct (Rle_dec (right' 1) (right' z)) as [|N]; [assumption|]. exfalso.
  assert ((right' z - right' 1) * (z - 1) < 0); [|lra].
  assert (0 < (right' 1 - right' z) * (z - 1)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Let left_slope z : 0 < z <= 1 -> left' z <= left' 1.
Proof.
  intros [H0 [H| ->]]; [|apply Rle_refl]. pose proof (left_line 1 z ltac:(lra) ltac:(lra)).
  pose proof (left_line z 1 ltac:(lra) ltac:(lra)).
  assert (0 <= (left' 1 - left' z) * (1 - z)) by lra.
  destruct (Rle_dec (left' z) (left' 1)) as [|N]; [assumption|]. exfalso.
  assert (0 < (left' z - left' 1) * (1 - z)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Definition W (z : R) : R := if Rle_dec 1 z then right_ z else left_ z.
Definition W' (z : R) : R := if Rle_dec 1 z then right' z else left' z.

Lemma W_line z w : 0 < z -> 0 < w -> W z + W' z * (w - z) <= W w.
Proof.
  intros Hz Hw. unfold W, W'. destruct (Rle_dec 1 z) as [Iz|Iz], (Rle_dec 1 w) as [Iw|Iw].
  - apply right_line; assumption.
  - pose proof (right_line z 1 Hz ltac:(lra)). pose proof (left_line 1 w ltac:(lra) Hw). pose proof (right_slope z Iz).
    rewrite <- meet, <- meet' in *.
    assert (0 <= (right' z - right' 1) * (1 - w)) by (apply Rmult_le_pos; lra). lra.
  - pose proof (left_line z 1 Hz ltac:(lra)). pose proof (right_line 1 w ltac:(lra) Hw).
  pose proof (left_slope z ltac:(lra)).
    rewrite meet, meet' in *.
    assert (0 <= (left' 1 - left' z) * (w - 1)) by (apply Rmult_le_pos; lra). lra.
  - apply left_line; assumption.
Qed.

Lemma W_derive z : 0 < z -> is_derive W z (W' z).
Proof.
  intros Hz.
  assert (Dr : derivable_pt_lim right_ z (right' z)).
  { apply is_derive_Reals. unfold right_, right'. evar_last; [apply is_derive_scal, pw_derive, Hz|].
    unfold scal; simpl. unfold mult; simpl. unfold Rdiv. ring. }
  assert (Dl : derivable_pt_lim left_ z (left' z)).
  { apply is_derive_Reals. unfold left_, left'. evar_last.
    - apply (is_derive_plus (fun z => 1 - z) (fun z => t * pw z (1 + / b))).
      + auto_derive; auto.
      + apply is_derive_scal, pw_derive, Hz.
    - unfold plus, scal; simpl. unfold mult; simpl. replace (1 + / b - 1) with (/ b) by ring. ring. }
  apply is_derive_Reals. intros e He.
  destruct (Dr e He) as [d1 B1]. destruct (Dl e He) as [d2 B2].
  set (far := if Req_EM_T z 1 then 1 else Rabs (z - 1)).
  assert (Hfar : 0 < far) by (unfold far; destruct (Req_EM_T z 1); [lra|apply Rabs_pos_lt; lra]).
  assert (Hd : 0 < Rmin (Rmin d1 d2) far).
  { apply Rmin_pos; [apply Rmin_pos; apply cond_pos|exact Hfar]. }
  exists (mkposreal _ Hd). intros h Hh Small. simpl in Small.
  assert (S1 : Rabs h < d1) by (eapply Rlt_le_trans; [exact Small|]; eapply Rle_trans; [apply Rmin_l|apply Rmin_l]).
  assert (S2 : Rabs h < d2) by (eapply Rlt_le_trans; [exact Small|]; eapply Rle_trans; [apply Rmin_l|apply Rmin_r]).
  assert (S3 : Rabs h < far) by (eapply Rlt_le_trans; [exact Small|apply Rmin_r]).
  specialize (B1 h Hh S1). specialize (B2 h Hh S2). unfold W, W'. unfold far in S3.
  destruct (Req_EM_T z 1) as [-> |N].
  - destruct (Rle_dec 1 1) as [_|K]; [|lra]. destruct (Rle_dec 1 (1 + h)); [exact B1|].
    rewrite meet, meet'. exact B2.
  - assert (- Rabs (z - 1) < h < Rabs (z - 1)) by (unfold Rabs in *; destruct (Rcase_abs h), (Rcase_abs (z - 1)); lra).
    destruct (Rle_dec 1 z) as [Iz|Iz].
    + rewrite Rabs_pos_eq in H by lra. destruct (Rle_dec 1 (z + h)); [exact B1|lra].
    + rewrite Rabs_left in H by lra. destruct (Rle_dec 1 (z + h)); [lra|exact B2].
Qed.

(** The family of [Adversary.v]: after the first positive nothing is bounded any more, so 1. *)
Definition U (n : nat) (z : R) : R :=
  match n with O => Rmax (1 - z) 0 | Datatypes.S O => W z | _ => 1 end.
Definition slope (n : nat) (z : R) : R := match n with O => W' z | _ => 0 end.

Lemma W_below_one z : 0 < z -> W z <= 1.
Proof.
  intros Hz. assert (Hi : 0 < / b) by (apply Rinv_0_lt_compat, Hb). unfold W.
  destruct (Rle_dec 1 z) as [Iz|Iz].
  - assert (0 <= ln z) by (rewrite <- ln_1; destruct Iz as [L|<-]; [left; apply ln_increasing; lra|right; reflexivity]).
    assert (pw z (- / b) <= 1).
    { unfold pw. rewrite <- exp_0. apply exp_mono. assert (0 <= / b * ln z) by (apply Rmult_le_pos; lra). lra. }
    unfold right_. pose proof (pw_pos z (- / b)).
    apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra|lra].
  - assert (ln z < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (pw z (/ b) <= 1).
    { unfold pw. rewrite <- exp_0. apply exp_mono. assert (0 <= / b * - ln z) by (apply Rmult_le_pos; lra). lra. }
    unfold left_. rewrite pw_plus, pw_first by exact Hz. pose proof (pw_pos z (/ b)).
    assert (t * (z * pw z (/ b)) <= 1 * (z * 1)).
    { apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; lra. }
    lra.
Qed.

(** The tangent at z, read at z e^kappa and at z e^(-kappa), lies above max(1 - z, 0) there. *)
Lemma W_ends z : 0 < z ->
  Rmax (1 - z * exp (- kappa)) 0 <= W z + W' z * (z * exp (- kappa) - z) /\
  Rmax (1 - z * exp kappa) 0 <= W z + W' z * (z * exp kappa - z).
Proof.
  intros Hz. assert (Hi : 0 < / b) by (apply Rinv_0_lt_compat, Hb).
  assert (Ek : exp kappa = b + 1) by (unfold b; ring).
  assert (En : exp (- kappa) = / (b + 1)) by (rewrite exp_Ropp, Ek; reflexivity).
  rewrite Ek, En. unfold W, W'. destruct (Rle_dec 1 z) as [Iz|Iz].
  - set (p := pw z (- / b)). assert (Pp : 0 < p) by apply pw_pos.
    assert (E1 : right' z * z = - (t / b) * p).
    { unfold right', p. rewrite <- (pw_first z Hz) at 2. rewrite Rmult_assoc, <- pw_plus.
      replace (- / b - 1 + 1) with (- / b) by ring. reflexivity. }
    assert (V1 : right_ z + right' z * (z * (b + 1) - z) = 0).
    { replace (right' z * (z * (b + 1) - z)) with (right' z * z * b) by ring. rewrite E1.
      unfold right_. fold p. field. lra. }
    assert (V2 : right_ z + right' z * (z * / (b + 1) - z) = t * p * ((b + 2) / (b + 1))).
    { replace (right' z * (z * / (b + 1) - z)) with (right' z * z * (/ (b + 1) - 1)) by ring. rewrite E1.
      unfold right_. fold p. field. lra. }
    rewrite V1, V2. split.
    + replace (t * p * ((b + 2) / (b + 1))) with (b / (b + 1) * p) by (unfold t; field; lra).
      apply Rmax_lub; [|apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra|lra]].
      pose proof (pw_tangent (- / b) 1 z ltac:(lra) Hz ltac:(left; lra)) as Tg. rewrite !pw_one in Tg. fold p in Tg.
      apply Rle_trans with (b / (b + 1) * (1 + - / b * 1 * (z - 1))).
      * right. field. lra.
      * apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|exact Tg].
    + apply Rmax_lub; [|lra]. assert (1 <= z * (b + 1)); [|lra].
      rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra.
  - set (p := pw z (/ b)). assert (Pp : 0 < p) by apply pw_pos.
    assert (E0 : left_ z = 1 - z + t * (z * p)).
    { unfold left_, p. rewrite pw_plus, pw_first by exact Hz. reflexivity. }
    assert (V1 : left_ z + left' z * (z * / (b + 1) - z) = 1 - z * / (b + 1)).
    { rewrite E0. unfold left'. fold p. field. lra. }
    assert (V2 : left_ z + left' z * (z * (b + 1) - z) = 1 - z * (b + 1) + b * z * p).
    { rewrite E0. unfold left'. fold p. unfold t. field. lra. }
    rewrite V1, V2. split.
    + apply Rmax_lub; [lra|]. assert (z * / (b + 1) <= 1 * 1); [|lra].
      apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|].
      rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
    + assert (0 <= b * z * p) by (repeat apply Rmult_le_pos; lra). apply Rmax_lub; [lra|].
      (* 1 - (b+1) z + b z^(1 + 1/b) >= 0: the graph of z^(1 + 1/b) above its tangent at 1 *)
      pose proof (pw_tangent (1 + / b) 1 z ltac:(lra) Hz ltac:(right; lra)) as Tg. rewrite !pw_one in Tg.
      rewrite pw_plus, pw_first in Tg by exact Hz. fold p in Tg.
      apply Rmult_le_compat_l with (r := b) in Tg; [|lra].
      replace (b * (1 + (1 + / b) * 1 * (z - 1))) with ((b + 1) * z - 1) in Tg by (field; lra). lra.
Qed.

Lemma floor_convex x y v : 0 <= v <= 1 ->
  Rmax (1 - (v * x + (1 - v) * y)) 0 <= v * Rmax (1 - x) 0 + (1 - v) * Rmax (1 - y) 0.
Proof.
  intros H. pose proof (Rmax_l (1 - x) 0). pose proof (Rmax_r (1 - x) 0). pose proof (Rmax_l (1 - y) 0).
  pose proof (Rmax_r (1 - y) 0).
  set (X := Rmax (1 - x) 0) in *. set (Y := Rmax (1 - y) 0) in *.
  assert (0 <= v * (X - (1 - x))) by (apply Rmult_le_pos; lra). assert (0 <= (1 - v) * (Y - (1 - y)))
      by (apply Rmult_le_pos; lra).
  assert (0 <= v * X) by (apply Rmult_le_pos; lra). assert (0 <= (1 - v) * Y) by (apply Rmult_le_pos; lra).
  apply Rmax_lub; lra.
Qed.

Lemma U_tangent n z y : 0 < z -> - kappa <= y <= kappa ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z).
Proof.
  intros Hz Hy. assert (Hw : 0 < z * exp (- y)) by (apply Rmult_lt_0_compat; [exact Hz|apply exp_pos]).
  destruct n as [|[|n]]; simpl.
  - destruct (W_ends z Hz) as [E1 E2].
    (* z e^(-y) lies between the two ends *)
    set (lo := z * exp (- kappa)) in *. set (hi := z * exp kappa) in *. set (w := z * exp (- y)).
    assert (B : lo <= w <= hi).
    { unfold lo, w, hi. split; apply Rmult_le_compat_l; try lra; apply exp_mono; lra. }
    assert (D : lo < hi) by (unfold lo, hi; apply Rmult_lt_compat_l; [exact Hz|apply exp_increasing; lra]).
    set (v := (hi - w) / (hi - lo)).
    assert (Hv : 0 <= v <= 1).
    { unfold v. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (hi - lo); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (Ew : w = v * lo + (1 - v) * hi) by (unfold v; field; lra).
    rewrite Ew. apply Rle_trans with (1 := floor_convex lo hi v Hv).
    apply Rmult_le_compat_l with (r := v) in E1; [|lra]. apply Rmult_le_compat_l with (r := 1 - v) in E2; [|lra].
    lra.
  - pose proof (W_below_one _ Hw). lra.
  - lra.
Qed.

Lemma U_convex n z : 0 < z -> exists sigma, forall w, 0 < w -> U n z + sigma * (w - z) <= U n w.
Proof.
  intros Hz. destruct n as [|[|n]]; simpl.
  - destruct (Rle_dec z 1) as [L|L].
    + exists (-1). intros w Hw. rewrite (Rmax_left (1 - z)) by lra. pose proof (Rmax_l (1 - w) 0). lra.
    + exists 0. intros w Hw. rewrite (Rmax_right (1 - z)) by lra. pose proof (Rmax_r (1 - w) 0). lra.
  - exists (W' z). intros w Hw. apply W_line; assumption.
  - exists 0. intros; lra.
Qed.

Variables (s : R) (T : R).
Hypothesis Hs : 0 < s.
Variables q q' : list bool -> R.
Hypothesis Hq : forall past, Rabs (q past - q' past) / s <= kappa.

(** THEOREM 3 for one positive: general queries, as many as you like, no noise on the threshold. *)
Theorem one_positive eps n : 0 <= eps ->
  close (exp eps) ((exp kappa - 1) / (exp kappa + 1) * exp (- (eps / (exp kappa - 1))))
    (run (gumbel s Hs) T q 0 n 1 []) (run (gumbel s Hs) T q' 0 n 1 []).
Proof.
  intros He.
  assert (E : (exp kappa - 1) / (exp kappa + 1) * exp (- (eps / (exp kappa - 1))) = U 1 (exp eps)).
  { simpl. unfold W. destruct (Rle_dec 1 (exp eps)) as [I|I].
    - unfold right_, t, pw. rewrite ln_exp. fold b. replace (b + 2) with (exp kappa + 1) by (unfold b; ring).
      f_equal. f_equal. unfold Rdiv. ring.
    - exfalso. apply I. rewrite <- exp_0. apply exp_mono, He. }
  rewrite E. apply (adversary_delta U slope kappa kappa); [lra|lra|..].
  - intros z Hz. simpl. split; [apply Rmax_r|apply Rmax_l].
  - intros k z Hz. destruct k as [|k]; simpl.
    + apply (is_derive_ext W); [reflexivity|apply W_derive, Hz].
    + apply (is_derive_const 1 z).
  - apply U_tangent.
  - apply U_convex.
  - intros past. specialize (Hq past). assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs).
    assert (P : - Rabs (q past - q' past) <= q past - q' past <= Rabs (q past - q' past))
      by (unfold Rabs; destruct (Rcase_abs _); lra).
    assert (- Rabs (q past - q' past) * / s <= (q past - q' past) * / s) by (apply Rmult_le_compat_r; lra).
    assert ((q past - q' past) * / s <= Rabs (q past - q' past) * / s) by (apply Rmult_le_compat_r; lra).
    replace ((0 - q' past - (0 - q past)) / s) with ((q past - q' past) * / s) by (unfold Rdiv; ring).
    unfold Rdiv in *. lra.
Qed.
End OnePositive.
