(** * From moments to (epsilon, delta), and the laws that a release draws

    The conversion is that of Canonne, Kamath and Steinke (2020), Proposition 12, for the sums of P^a Q^(1-a) that
    [Race.v] and [PartialShift.v] bound. So these theorems speak of every event, like all others. *)
Require Import Reals Lra Lia List Bool ZArith.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard Race PartialShift.
Import ListNotations.
Open Scope R_scope.

(** The chance of an event, as a sum over outcomes. *)
Section Events.
Variable X : Type.
Variable eq_dec : forall x y : X, {x = y} + {x <> y}.
Variables (l : list X) (p : law X) (event : X -> bool).
Hypothesis ND : NoDup l.
Let f (x : X) : R := if event x then 1 else 0.
Let sum : R := total l (fun x => f x * chance p (is X eq_dec x)).

Let Hf x : 0 <= f x <= 1.
Proof. unfold f; destruct (event x); lra. Qed.

Let each x : bounded (fun y => f x * (if is X eq_dec x y then 1 else 0)).
Proof. apply bounded_scal; [apply Hf|apply bounded_event]. Qed.

Let all : bounded (fun y => total l (fun x => f x * (if is X eq_dec x y then 1 else 0))).
Proof. apply (bounded_total l (fun x y => f x * (if is X eq_dec x y then 1 else 0))). intros; apply each. Qed.

Let sum_ev : ev p (fun y => total l (fun x => f x * (if is X eq_dec x y then 1 else 0))) = sum.
Proof.
  rewrite (ev_total p l (fun x y => f x * (if is X eq_dec x y then 1 else 0))) by (intros; apply each).
  apply Rle_antisym; apply total_mono; intros x _; rewrite ev_scal
    by (try apply bounded_event; apply Hf); apply Rle_refl.
Qed.

Lemma event_floor : sum <= chance p event.
Proof.
  rewrite <- sum_ev. apply ev_mono; [exact all|apply bounded_event|]. intros y.
  rewrite total_is by (auto; intros; apply Hf). fold (f y). destruct (in_dec eq_dec y l); [lra|apply Hf].
Qed.

Lemma event_sum : supported l p -> chance p event <= sum.
Proof.
  intros Sp. rewrite <- sum_ev. apply Sp; [apply bounded_event|exact all|]. intros y Hy.
  rewrite total_is by (auto; intros; apply Hf). destruct (in_dec eq_dec y l); [unfold f; lra|contradiction].
Qed.
End Events.
Arguments event_floor {X}. Arguments event_sum {X}.

Section Conversion.
Variable a : R.
Hypothesis Ha : 1 < a.
Variable eps : R.

(** delta = moment * factor, with factor = e^(-(a-1) eps) (1 - 1/a)^(a-1) / a. *)
Definition factor : R := / (a * exp ((a - 1) * (eps + ln (a / (a - 1))))).

Lemma factor_pos : 0 < factor.
Proof. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra|apply exp_pos]. Qed.

Lemma one_outcome x y : 0 < x -> 0 < y -> x <= exp eps * y + factor * power a x y.
Proof.
  intros Hx Hy. set (r := eps + ln (a / (a - 1))).
  assert (Hd : 0 < a / (a - 1)) by (apply Rdiv_lt_0_compat; lra).
  pose proof (tangent a Ha x y r Hx Hy) as Tg. pose proof (exp_pos ((a - 1) * r)) as Pe.
  replace (exp (a * r)) with (exp ((a - 1) * r) * exp r) in Tg by (rewrite <- exp_plus; f_equal; ring).
  assert (Er : exp r = exp eps * (a / (a - 1))) by (unfold r; rewrite exp_plus, exp_ln by exact Hd; reflexivity).
  unfold factor. fold r. rewrite Er in Tg.
  apply Rmult_le_reg_l with (a * exp ((a - 1) * r)); [apply Rmult_lt_0_compat; lra|].
  apply Rle_trans with (1 := Tg). right. field. lra.
Qed.

Theorem moment_to_delta {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (l : list X) (p p' : law X) (moment : R) :
  NoDup l -> supported l p ->
  (forall x, In x l -> 0 < chance p (is X eq_dec x) /\ 0 < chance p' (is X eq_dec x)) ->
  total l (fun x => power a (chance p (is X eq_dec x)) (chance p' (is X eq_dec x))) <= moment ->
  close (exp eps) (factor * moment) p p'.
Proof.
  intros ND Sp Pos M event. pose proof factor_pos as Ff. set (f := fun x => if event x then 1 else 0).
  assert (Hf : forall x, 0 <= f x <= 1) by (intros x; unfold f; destruct (event x); lra).
  pose proof (event_sum eq_dec l p event ND Sp : chance p event <= total l
      (fun x => f x * chance p (is X eq_dec x))) as P1.
  pose proof (event_floor eq_dec l p' event ND : total l
      (fun x => f x * chance p' (is X eq_dec x)) <= chance p' event) as P2.
  apply Rle_trans with (1 := P1).
  apply Rle_trans with (total l (fun x => exp eps * (f x * chance p' (is X eq_dec x)))
                        + total l (fun x => factor * power a (chance p (is X eq_dec x)) (chance p' (is X eq_dec x)))).
  - clear - Pos Ha Hf Ff. induction l as [|x l IH]; [simpl; lra|]. cbn [total].
    assert (I : forall y, In y l -> 0 < chance p (is X eq_dec y) /\ 0 < chance p' (is X eq_dec y))
      by (intros y Hy; apply Pos; right; exact Hy).
    specialize (IH I). destruct (Pos x (or_introl eq_refl)) as [A B].
    pose proof (one_outcome _ _ A B) as O. specialize (Hf x).
    assert (Pw : 0 < factor * power a (chance p (is X eq_dec x)) (chance p' (is X eq_dec x)))
      by (apply Rmult_lt_0_compat; [exact Ff|apply power_pos]).
    set (u := factor * _) in *. apply Rmult_le_compat_l with (r := f x) in O; [|lra].
    assert (f x * u <= u) by (rewrite <- (Rmult_1_l u) at 2; apply Rmult_le_compat_r; lra). lra.
  - rewrite !total_scal. apply Rplus_le_compat; apply Rmult_le_compat_l; auto; [left; apply exp_pos|lra].
Qed.
End Conversion.

Lemma outcomes_NoDup : forall n c past, NoDup (outcomes n c past).
Proof.
  induction n as [|n IH]; intros c past; [repeat constructor; auto|].
  destruct c as [|c]; [repeat constructor; auto|]. simpl.
  assert (D : forall l, In l (outcomes n c (past ++ [true])) -> ~ In l (outcomes n (Datatypes.S c) (past ++ [false]))).
  { intros l H1 H2. apply outcomes_extend in H1. apply outcomes_extend in H2. destruct H1 as [u ->], H2 as [v E].
    rewrite <- !app_assoc in E. apply app_inv_head in E. discriminate. }
  revert D. generalize (IH c (past ++ [true])), (IH (Datatypes.S c) (past ++ [false])).
  generalize (outcomes n c (past ++ [true])), (outcomes n (Datatypes.S c) (past ++ [false])). clear.
  intros l m. induction l as [|x l IH]; simpl; intros Nl Nm D; auto. inversion Nl; subst. constructor.
  - intros H. apply in_app_or in H. destruct H as [H|H]; [auto|apply (D x (or_introl eq_refl) H)].
  - apply IH; auto.
Qed.

Section Cases.
Variables (a eps s T g : R).
Hypothesis Ha : 1 < a.
Hypothesis Hs : 0 < s.
Variables q q' : list bool -> R.
Variables low high : R.
Hypothesis Hq : forall past, - low <= q' past - q past <= high.
Variables n c : nat.

(** THEOREM (a bare threshold, Gumbel noise). *)
Theorem bare_delta : 0 <= low -> 0 <= high -> 0 < 1 + a * (exp (- (high / s)) - 1) ->
  close (exp eps) (factor a eps * Rmax (charge a (low / s)) (charge a (- (high / s))) ^ c)
    (run (gumbel s Hs) T q 0 n c []) (run (gumbel s Hs) T q' 0 n c []).
Proof.
  intros Hl Hh Ho. apply (moment_to_delta a Ha eps (list_eq_dec bool_dec) (outcomes n c [])).
  - apply outcomes_NoDup.
  - apply outcomes_supported.
  - intros l Hi. split; apply (likelihood_pos s Hs T _ 0 n c [] l Hi).
  - apply (race_bare s Hs T a Ha q q' low high n c); assumption.
Qed.

(** Discrete Laplace noise on the threshold, e^(-g/b) = ratio. *)
Variable ratio : R.
Hypothesis Hr : 0 < ratio < 1.
Variable k : Z.
Let m := two_sided_masses ratio Hr.

Let mass_above t : 0 < mass m t.
Proof. apply two_sided_above, Hr. Qed.

Lemma laplace_tilt t : / (/ ratio) ^ Z.abs_nat k <= tilt m k t <= (/ ratio) ^ Z.abs_nat k.
Proof.
  assert (Hf : 0 < (1 - ratio) / (1 + ratio)) by (apply two_sided_factor, Hr).
  assert (E : tilt m k t = ratio ^ Z.abs_nat (t + k) / ratio ^ Z.abs_nat t).
  { unfold tilt. simpl. unfold two_sided_mass. field.
    split; [apply Rgt_not_eq, pow_pos, Hr|]. split; lra. }
  rewrite E, pow_inv, Rinv_inv. pose proof (pow_pos ratio Hr (Z.abs_nat t)) as P.
  pose proof (pow_pos ratio Hr (Z.abs_nat k)) as Pk. split.
  - apply Rmult_le_reg_r with (ratio ^ Z.abs_nat t); [exact P|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- pow_add by lra. apply pow_falls; [exact Hr|lia].
  - apply Rmult_le_reg_r with (ratio ^ Z.abs_nat t * ratio ^ Z.abs_nat k); [apply Rmult_lt_0_compat; assumption|].
    replace (ratio ^ Z.abs_nat (t + k) / ratio ^ Z.abs_nat t * (ratio ^ Z.abs_nat t * ratio ^ Z.abs_nat k))
      with (ratio ^ (Z.abs_nat (t + k) + Z.abs_nat k)) by (rewrite pow_add; field; lra).
    replace (/ ratio ^ Z.abs_nat k * (ratio ^ Z.abs_nat t * ratio ^ Z.abs_nat k))
        with (ratio ^ Z.abs_nat t) by (field; lra).
    apply pow_falls; [exact Hr|lia].
Qed.

(** THEOREM (the partial shift, Gumbel noise on queries, discrete Laplace noise on the threshold). [k] may be
    any number of steps with - low <= k g <= high; k g = high is Theorem 1 of the race, k = 0 the bare one. *)
Theorem partial_shift_delta :
  let up := (g * IZR k + low) / s in
  let down := (high - g * IZR k) / s in
  0 <= up -> 0 <= down -> 0 < 1 + a * (exp (- down) - 1) ->
  close (exp eps) (factor a eps * (shift_moment a m k * Rmax (charge a up) (charge a (- down)) ^ c))
    (sparse_vector (gumbel s Hs) T (two_sided ratio Hr) g n c q)
    (sparse_vector (gumbel s Hs) T (two_sided ratio Hr) g n c q').
Proof.
  intros up down Hu Hd Ho. apply (moment_to_delta a Ha eps (list_eq_dec bool_dec) (outcomes n c [])).
  - apply outcomes_NoDup.
  - intros f h Hf Hh L. cbn [sparse_vector bind ev].
    apply ev_mono; try (apply bounded_next; assumption). intros t. apply outcomes_supported; assumption.
  - assert (P : forall x l, In l (outcomes n c []) ->
      0 < chance (sparse_vector (gumbel s Hs) T (two_sided ratio Hr) g n c x) (is _ (list_eq_dec bool_dec) l)).
    { intros x l Hl. unfold chance, sparse_vector. cbn [bind ev].
      apply (grid_positive m (fun t => ev (run (gumbel s Hs) T x (g * IZR t) n c [])
          (fun y => if is _ (list_eq_dec bool_dec) l y then 1 else 0)));
        [apply bounded_next, bounded_event|apply mass_above|].
      apply (likelihood_pos s Hs T x (g * IZR 0) n c [] l Hl). }
    intros l Hl. split; apply P; exact Hl.
  - assert (PWk : 0 < (/ ratio) ^ Z.abs_nat k) by (apply pow_lt, Rinv_0_lt_compat; lra).
    exact (partial_shift a Ha s Hs T g m k mass_above _ laplace_tilt PWk q q' low high Hq Hu Hd Ho n c).
Qed.
End Cases.
