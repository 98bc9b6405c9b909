(** * The race: Rényi privacy of a run with a bare threshold, and the partial shift

    Gumbel noise on queries: the hazard of a query with gap x is e^(-x/s). The sum of P^a Q^(1-a) over all
    results of a run is e^((a - 1) D), D the Rényi divergence of order a. It is bounded by one charge for
    each positive, however many queries there are. *)
Require Import Reals Lra Lia List Bool ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Pure Points Hazard.
Import ListNotations.
Open Scope R_scope.

(** All results that a run can have. *)
Fixpoint outcomes (n c : nat) (past : list bool) : list (list bool) :=
  match n, c with
  | Datatypes.S n', Datatypes.S c' => outcomes n' c' (past ++ [true]) ++ outcomes n' c (past ++ [false])
  | _, _ => [past]
  end.

Lemma outcomes_extend : forall n c past l, In l (outcomes n c past) -> exists m, l = past ++ m.
Proof.
  induction n as [|n IH]; intros c past l H; [destruct H as [<-|[]]; exists []; rewrite app_nil_r; auto|].
  destruct c as [|c]; [destruct H as [<-|[]]; exists []; rewrite app_nil_r; auto|].
  simpl in H. apply in_app_or in H. destruct H as [H|H]; apply IH in H; destruct H as [m ->];
    [exists (true :: m)|exists (false :: m)]; rewrite <- app_assoc; reflexivity.
Qed.

Lemma total_app {X} (l m : list X) f : total (l ++ m) f = total l f + total m f.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Section Race.
Variable s : R.
Hypothesis Hs : 0 < s.
Let N := gumbel s Hs.
Variable T : R.

Definition hazard (q : list bool -> R) (t : R) (past : list bool) : R := exp (- ((T + t - q past) / s)).

Lemma survival q t past : S N (T + t - q past) = 1 - exp (- hazard q t past).
Proof. reflexivity. Qed.

Lemma run_extends q t : forall n c past f, (forall l, f (past ++ l) = 0) -> ev (run N T q t n c past) f = 0.
Proof.
  induction n as [|n IH]; intros c past f H; [simpl; rewrite <- (app_nil_r past); apply H|].
  destruct c as [|c]; [simpl; rewrite <- (app_nil_r past); apply H|].
  cbn [run bind ev]. unfold answer. cbn [coin ev].
  rewrite !IH by (intros l; rewrite <- app_assoc; apply H). ring.
Qed.

Lemma same_other past x y l : x <> y -> forall m, same ((past ++ [x]) ++ l) ((past ++ [y]) ++ m) = false.
Proof.
  intros D m. unfold same. destruct (list_eq_dec bool_dec _ _) as [e|e]; auto. exfalso.
  rewrite <- !app_assoc in e. apply app_inv_head in e. injection e. auto.
Qed.

(** The chance of one result. *)
Definition likelihood q t n c past (l : list bool) : R := chance (run N T q t n c past) (same l).

Lemma likelihood_true q t n c past l : In l (outcomes n c (past ++ [true])) ->
  likelihood q t (Datatypes.S n) (Datatypes.S c) past l
  = (1 - exp (- hazard q t past)) * likelihood q t n c (past ++ [true]) l.
Proof.
  intros H. apply outcomes_extend in H. destruct H as [m ->]. unfold likelihood, chance.
  cbn [run bind ev]. unfold answer. cbn [coin ev]. rewrite survival.
  rewrite (run_extends q t n (Datatypes.S c) (past ++ [false])); [ring|].
  intros k. rewrite same_other by discriminate. reflexivity.
Qed.

Lemma likelihood_false q t n c past l : In l (outcomes n (Datatypes.S c) (past ++ [false])) ->
  likelihood q t (Datatypes.S n) (Datatypes.S c) past l
  = exp (- hazard q t past) * likelihood q t n (Datatypes.S c) (past ++ [false]) l.
Proof.
  intros H. apply outcomes_extend in H. destruct H as [m ->]. unfold likelihood, chance.
  cbn [run bind ev]. unfold answer. cbn [coin ev]. rewrite survival.
  rewrite (run_extends q t n c (past ++ [true])); [ring|].
  intros k. rewrite same_other by discriminate. reflexivity.
Qed.

Lemma hazard_pos q t past : 0 < hazard q t past.
Proof. apply exp_pos. Qed.

Lemma likelihood_pos q t : forall n c past l, In l (outcomes n c past) -> 0 < likelihood q t n c past l.
Proof.
  assert (Last : forall past, 0 < chance (ret past) (same past)).
  { intros past. unfold chance; simpl. unfold same. destruct (list_eq_dec bool_dec past past); [lra|congruence]. }
  induction n as [|n IH]; intros c past l H; [destruct H as [<-|[]]; apply Last|].
  destruct c as [|c]; [destruct H as [<-|[]]; apply Last|].
  simpl in H. apply in_app_or in H. pose proof (below_one _ (hazard_pos q t past)).
  destruct H as [H|H]; [rewrite likelihood_true by exact H|rewrite likelihood_false by exact H];
    apply Rmult_lt_0_compat; auto; [lra|apply exp_pos].
Qed.

(** Nothing else can come out. *)
Lemma outcomes_supported q t : forall n c past, supported (outcomes n c past) (run N T q t n c past).
Proof.
  induction n as [|n IH]; intros c past f h Hf Hh L; [apply L; left; auto|].
  destruct c as [|c]; [apply L; left; auto|]. cbn [run bind ev]. unfold answer. cbn [coin ev].
  pose proof (S_range N (T + t - q past)).
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); apply IH; auto;
    intros l Hl; apply L; simpl; apply in_or_app; auto.
Qed.

Variable a : R.
Hypothesis Ha : 1 < a.

(** The sum of P^a Q^(1-a) over all results. *)
Definition moment q t q' t' n c past : R :=
  total (outcomes n c past) (fun l => power a (likelihood q t n c past l) (likelihood q' t' n c past l)).

Lemma run_moment q t q' t' C : 1 <= C ->
  (forall past, 0 < 1 + a * (exp (ln (hazard q t past) - ln (hazard q' t' past)) - 1) /\
                charge a (ln (hazard q t past) - ln (hazard q' t' past)) <= C) ->
  forall n c past, moment q t q' t' n c past <= C ^ c.
Proof.
  intros HC H.
  assert (Last : forall past (p p' : law (list bool)), chance p (same past) = 1 -> chance p' (same past) = 1 ->
    power a (chance p (same past)) (chance p' (same past)) = 1)
    by (intros past p p' -> ->; apply power_same; lra).
  assert (One : forall past, chance (ret past) (same past) = 1).
  { intros past. unfold chance; simpl. unfold same. destruct (list_eq_dec bool_dec past past); [lra|congruence]. }
  induction n as [|n IH]; intros c past.
  { unfold moment, likelihood. cbn [outcomes total run]. rewrite Last by apply One.
    rewrite Rplus_0_r. apply pow_R1_Rle, HC. }
  destruct c as [|c].
  { unfold moment, likelihood. cbn [outcomes total run]. rewrite Last by apply One. simpl. lra. }
  unfold moment. cbn [outcomes]. rewrite total_app.
  set (h := hazard q t past). set (h' := hazard q' t' past).
  pose proof (hazard_pos q t past) as Hh. pose proof (hazard_pos q' t' past) as Hh'.
  pose proof (below_one _ Hh) as Bh. pose proof (below_one _ Hh') as Bh'.
  assert (E1 : total (outcomes n c (past ++ [true]))
      (fun l => power a (likelihood q t (Datatypes.S n) (Datatypes.S c) past l)
                        (likelihood q' t' (Datatypes.S n) (Datatypes.S c) past l))
    <= power a (1 - exp (- h)) (1 - exp (- h')) * C ^ c).
  { apply Rle_trans with (power a (1 - exp (- h)) (1 - exp (- h')) * moment q t q' t' n c (past ++ [true])).
    - unfold moment. rewrite <- total_scal. apply total_mono. intros l Hl.
      rewrite !likelihood_true by exact Hl. rewrite power_mult; try (apply likelihood_pos; exact Hl); unfold h, h'; lra.
    - apply Rmult_le_compat_l; [left; apply power_pos|apply IH]. }
  assert (E2 : total (outcomes n (Datatypes.S c) (past ++ [false]))
      (fun l => power a (likelihood q t (Datatypes.S n) (Datatypes.S c) past l)
                        (likelihood q' t' (Datatypes.S n) (Datatypes.S c) past l))
    <= power a (exp (- h)) (exp (- h')) * C ^ Datatypes.S c).
  { apply Rle_trans with (power a (exp (- h)) (exp (- h')) * moment q t q' t' n (Datatypes.S c) (past ++ [false])).
    - unfold moment. rewrite <- total_scal. apply total_mono. intros l Hl.
      rewrite !likelihood_false by exact Hl.
      rewrite power_mult; try (apply likelihood_pos; exact Hl); try apply exp_pos. apply Rle_refl.
    - apply Rmult_le_compat_l; [left; apply power_pos|apply IH]. }
  destruct (H past) as [D B]. pose proof (one_step a Ha h h' C Hh Hh' D B) as O.
  apply Rle_trans with (1 := Rplus_le_compat _ _ _ _ E1 E2). simpl.
  replace (power a (1 - exp (- h)) (1 - exp (- h')) * C ^ c + power a (exp (- h)) (exp (- h')) * (C * C ^ c))
    with ((power a (1 - exp (- h)) (1 - exp (- h')) + C * power a (exp (- h)) (exp (- h'))) * C ^ c) by ring.
  apply Rmult_le_compat_r; [apply pow_le; lra|exact O].
Qed.

Lemma log_hazard q t q' t' past : ln (hazard q t past) - ln (hazard q' t' past) = ((t' - q' past) - (t - q past)) / s.
Proof. unfold hazard. rewrite !ln_exp. field. lra. Qed.

Lemma worst_ge_1 down up : 0 <= up -> 1 <= Rmax (charge a up) (charge a (- down)).
Proof.
  intros H. apply Rle_trans with (2 := Rmax_l _ _). rewrite <- (charge_zero a). apply charge_right; lra.
Qed.

(** THEOREM (a bare threshold). One person moves every answer by - low to high. With D the Rényi divergence of
    order a, (a - 1) D <= c ln max(charge(low/s), charge(- high/s)). Monotonic queries have low = 0 or
    high = 0. *)
Theorem race_bare q q' low high n c :
  0 <= low -> 0 <= high ->
  (forall past, - low <= q' past - q past <= high) ->
  0 < 1 + a * (exp (- (high / s)) - 1) ->
  moment q 0 q' 0 n c [] <= Rmax (charge a (low / s)) (charge a (- (high / s))) ^ c.
Proof.
  intros Hl Hh Hq D. assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat; lra).
  assert (P1 : 0 <= low / s) by (apply Rmult_le_pos; lra). assert (P2 : 0 <= high / s) by (apply Rmult_le_pos; lra).
  apply run_moment; [apply worst_ge_1; exact P1|]. intros past. rewrite log_hazard.
  apply charge_ends; auto. specialize (Hq past).
  replace ((0 - q' past - (0 - q past)) / s) with ((q past - q' past) * / s) by (unfold Rdiv; ring).
  split.
  - replace (- (high / s)) with (- high * / s) by (unfold Rdiv; ring). apply Rmult_le_compat_r; lra.
  - unfold Rdiv. apply Rmult_le_compat_r; lra.
Qed.
End Race.
