(** * Ranked selection by Gumbel noise, with a bar

    Candidate i gets the value q i + v i, v Gumbel noise of scale s; those that reach the bar b come out, the highest first, at most
    c. In moments, e^(-(q i + v i - b)/s): they are exponential with the rates e^((q i - b)/s) ([GumbelTop.v]), the bar is the
    time 1, and the first c moments up to then come out. *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid Noise Draws Points Hazard PartialShift RaceCases Adversary ClosedForm RaceNoise Ledger.
Import ListNotations.
Open Scope R_scope.

(** ** Continuous functions on the line *)
Definition smooth (f : R -> R) : Prop := forall x, continuous f x.
Lemma smooth_const c : smooth (fun _ => c).
Proof. intros x. apply continuous_const. Qed.
Lemma smooth_plus f g : smooth f -> smooth g -> smooth (fun t => f t + g t).
Proof. intros F G x. apply (continuous_plus f g); auto. Qed.
Lemma smooth_mult f g : smooth f -> smooth g -> smooth (fun t => f t * g t).
Proof. intros F G x. apply (continuous_mult f g); auto. Qed.
Lemma smooth_exp a b : smooth (fun t => exp (a * t + b)).
Proof. intros x. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto. Qed.
Lemma smooth_ext f g : (forall t, f t = g t) -> smooth f -> smooth g.
Proof. intros E F x. apply (continuous_ext f); auto. Qed.
Lemma smooth_total {X} (l : list X) (f : X -> R -> R) : (forall i, In i l -> smooth (f i)) -> smooth (fun t => total l (fun i => f i t)).
Proof.
  induction l as [|i l IH]; intros H; cbn [total]; [apply smooth_const|].
  apply (smooth_plus (f i)); [apply H; left; reflexivity|]. apply IH. intros j Hj. apply H. right. exact Hj.
Qed.
Lemma smooth_integrable f a b : smooth f -> ex_RInt f a b.
Proof. intros F. apply (@ex_RInt_continuous R_CompleteNormedModule). intros; apply F. Qed.
Lemma smooth_upto f a : smooth f -> forall t, is_derive (fun t => RInt f a t) t (f t).
Proof.
  intros F t. apply is_derive_RInt with (a := a); [|apply F].
  exists (mkposreal 1 Rlt_0_1). intros x _. apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, F.
Qed.
Lemma smooth_from f b : smooth f -> smooth (fun t => RInt f t b).
Proof.
  intros F t. apply (@ex_derive_continuous R_AbsRing R_NormedModule). exists (@opp R_NormedModule (f t)).
  apply (@is_derive_RInt' R_NormedModule f (fun t => RInt f t b) t b); [|apply F].
  exists (mkposreal 1 Rlt_0_1). intros x _. apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, F.
Qed.

(** ** The release, given the rates *)
Section Release.
Variable rate : nat -> R.
Definition rates (l : list nat) : R := total l rate.

(** The mean of [f] over what comes out, if [past] is out and the moments of [l] are all later than [since]: the next is that of i, at t, with the
    density rate i e^(- rates l t) / e^(- rates l since); or none comes before 1. *)
Fixpoint mean (n : nat) (l past : list nat) (f : list nat -> R) (since : R) : R :=
  match n with
  | O => f past
  | Datatypes.S m =>
      exp (rates l * since)
      * (RInt (fun t => total l (fun i => rate i * exp (- (rates l * t)) * mean m (remove Nat.eq_dec i l) (past ++ [i]) f t)) since 1
         + exp (- rates l) * f past)
  end.

Lemma mean_smooth f : forall n l past, smooth (mean n l past f).
Proof.
  induction n as [|n IH]; intros l past; cbn [mean]; [apply smooth_const|].
  apply smooth_mult.
  - apply (smooth_ext (fun t => exp (rates l * t + 0))); [intros; rewrite Rplus_0_r; reflexivity|apply smooth_exp].
  - apply smooth_plus; [apply smooth_from|apply smooth_const]. apply smooth_total. intros i _.
    apply smooth_mult; [|apply IH]. apply smooth_mult; [apply smooth_const|].
    apply (smooth_ext (fun t => exp (- rates l * t + 0))); [intros; f_equal; ring|apply smooth_exp].
Qed.

Definition inside n l past f (t : R) : R :=
  total l (fun i => rate i * exp (- (rates l * t)) * mean n (remove Nat.eq_dec i l) (past ++ [i]) f t).
Lemma inside_smooth n l past f : smooth (inside n l past f).
Proof.
  apply smooth_total. intros i _. apply smooth_mult; [|apply mean_smooth]. apply smooth_mult; [apply smooth_const|].
  apply (smooth_ext (fun t => exp (- rates l * t + 0))); [intros; f_equal; ring|apply smooth_exp].
Qed.

Hypothesis Hrate : forall i, 0 < rate i.

Lemma mean_mono f h : (forall x, f x <= h x) -> forall n l past since, since <= 1 ->
  mean n l past f since <= mean n l past h since.
Proof.
  intros L. induction n as [|n IH]; intros l past since Hs; cbn [mean]; [apply L|].
  apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Rplus_le_compat.
  - apply RInt_le; [exact Hs|apply smooth_integrable, inside_smooth|apply smooth_integrable, inside_smooth|].
    intros t Ht. apply total_mono. intros i _. apply Rmult_le_compat_l; [|apply IH; lra].
    apply Rmult_le_pos; [left; apply Hrate|left; apply exp_pos].
  - apply Rmult_le_compat_l; [left; apply exp_pos|apply L].
Qed.

Lemma mean_linear c f h : forall n l past since,
  mean n l past (fun x => c * f x + h x) since = c * mean n l past f since + mean n l past h since.
Proof.
  induction n as [|n IH]; intros l past since; cbn [mean]; [reflexivity|].
  assert (E : RInt (inside n l past (fun x => c * f x + h x)) since 1
              = c * RInt (inside n l past f) since 1 + RInt (inside n l past h) since 1).
  { transitivity (RInt (fun t => c * inside n l past f t + inside n l past h t) since 1).
    - apply RInt_ext. intros t _. unfold inside.
      lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
      generalize (rates l) as k. intros k. rewrite <- total_scal.
      rewrite <- total_plus. apply total_ext. intros i _. rewrite IH. ring.
    - apply is_RInt_unique. apply (@is_RInt_plus R_NormedModule (fun t => c * inside n l past f t)).
      + apply (@is_RInt_scal R_NormedModule (inside n l past f) since 1 c).
        apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, inside_smooth.
      + apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, inside_smooth. }
  unfold inside in E. rewrite E. ring.
Qed.

Lemma rates_pos l : 0 <= rates l.
Proof. apply total_pos. intros i _. left. apply Hrate. Qed.

(** The next moment is some time, or none is before 1. *)
Lemma density_one l since : exp (rates l * since) * (RInt (fun t => rates l * exp (- (rates l * t))) since 1 + exp (- rates l)) = 1.
Proof.
  assert (I : RInt (fun t => rates l * exp (- (rates l * t))) since 1 = exp (- (rates l * since)) - exp (- rates l)).
  { apply is_RInt_unique.
    replace (exp (- (rates l * since)) - exp (- rates l))
      with (minus (- exp (- (rates l * 1))) (- exp (- (rates l * since)))) by (unfold minus, plus, opp; simpl; rewrite Rmult_1_r; ring).
    apply (is_RInt_derive (fun t => - exp (- (rates l * t)))).
    - intros t _. auto_derive; [auto|]. ring.
    - intros t _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto. }
  rewrite I. replace (exp (- (rates l * since)) - exp (- rates l) + exp (- rates l)) with (exp (- (rates l * since))) by ring.
  rewrite <- exp_plus, Rplus_opp_r. apply exp_0.
Qed.

Lemma mean_one : forall n l past since, mean n l past (fun _ => 1) since = 1.
Proof.
  induction n as [|n IH]; intros l past since; cbn [mean]; [reflexivity|].
  apply eq_trans with (2 := density_one l since). f_equal. f_equal; [|ring]. apply RInt_ext. intros t _.
  lazymatch goal with |- @eq _ ?x ?y => change (@eq R x y) end.
  set (e := exp (- (rates l * t))). rewrite (Rmult_comm (rates l) e). unfold rates. rewrite <- total_scal.
  apply total_ext. intros i _. rewrite IH. ring.
Qed.

Program Definition by_rates (c : nat) (l : list nat) : law (list nat) := {| ev := fun f => mean c l [] f 0 |}.
Next Obligation. apply mean_mono; auto. lra. Qed.
Next Obligation.
  pose proof (mean_linear 1 f h c l [] 0) as L. rewrite Rmult_1_l in L. rewrite <- L. f_equal.
  apply FunctionalExtensionality.functional_extensionality. intros x. ring.
Qed.
Next Obligation.
  pose proof (mean_linear c0 f (fun _ => 0) c l [] 0) as L.
  assert (Z0 : mean c l [] (fun _ : list nat => 0) 0 = 0).
  { pose proof (mean_linear (-1) (fun _ => 0) (fun _ => 0) c l [] 0) as M. cbv beta in M.
    replace (fun _ : list nat => -1 * 0 + 0) with (fun _ : list nat => 0) in M
      by (apply FunctionalExtensionality.functional_extensionality; intros; ring). lra. }
  rewrite Z0, Rplus_0_r in L. rewrite <- L. f_equal. apply FunctionalExtensionality.functional_extensionality. intros x. ring.
Qed.
Next Obligation. apply mean_one. Qed.
End Release.

(** ** Two datasets: the lemma of the best adversary, in moments *)
Section Two.
Variables U slope : nat -> R -> R.
Variables down up : R.
Hypothesis Hdown : 0 <= down.
Hypothesis Hup : 0 <= up.
Hypothesis U_zero : forall z, 0 < z -> 0 <= U 0 z /\ 1 - z <= U 0 z.
Hypothesis U_continuous : forall z, 0 < z -> continuous (U 0) z.
Hypothesis U_derive : forall n z, 0 < z -> is_derive (U (Datatypes.S n)) z (slope n z).
Hypothesis U_tangent : forall n z y, 0 < z -> - down <= y <= up ->
  U n (z * exp (- y)) <= U (Datatypes.S n) z + slope n z * (z * exp (- y) - z).
Variables rate rate' : nat -> R.
Hypothesis Hrate : forall i, 0 < rate i.
Hypothesis Hrate' : forall i, 0 < rate' i.

Let floor n z : 0 < z -> 0 <= U n z /\ 1 - z <= U n z.
Proof. apply (U_floor U slope down up); auto. Qed.

Let cont n z : 0 < z -> continuous (U n) z.
Proof.
  intros Hz. destruct n as [|n]; [apply U_continuous, Hz|].
  apply (@ex_derive_continuous R_AbsRing R_NormedModule). exists (slope n z). apply U_derive, Hz.
Qed.

Lemma race_in_moments f : (forall x, 0 <= f x <= 1) -> forall n l past since z, since <= 1 -> 0 < z ->
  (forall i, In i l -> - down <= ln (rate i) - ln (rate' i) <= up) ->
  mean rate n l past f since <= z * mean rate' n l past f since + U n z.
Proof.
  intros Hf. induction n as [|n IH]; intros l past since z Hs Hz Hl.
  { apply enough; [apply Hf|apply floor, Hz]. }
  set (L := rates rate l). set (L' := rates rate' l).
  set (zt := fun t => z * exp ((L - L') * (t - since))).
  assert (Pz : forall t, 0 < zt t) by (intros t; apply Rmult_lt_0_compat; [exact Hz|apply exp_pos]).
  assert (Pw : forall i t, 0 < zt t * (rate' i / rate i))
    by (intros i t; apply Rmult_lt_0_compat; [apply Pz|apply Rdiv_lt_0_compat; auto]).
  (* what the rest may reach *)
  set (k := fun t => total l (fun i => rate i * exp (- (L * t)) * U n (zt t * (rate' i / rate i)))).
  assert (Sz : smooth zt).
  { apply smooth_mult; [apply smooth_const|].
    apply (smooth_ext (fun t => exp ((L - L') * t + - ((L - L') * since)))); [intros t; f_equal; ring|apply smooth_exp]. }
  assert (Sk : smooth k).
  { apply smooth_total. intros i _. apply smooth_mult.
    - apply smooth_mult; [apply smooth_const|].
      apply (smooth_ext (fun t => exp (- L * t + 0))); [intros; f_equal; ring|apply smooth_exp].
    - intros t. apply (continuous_comp (fun t => zt t * (rate' i / rate i)) (U n)).
      + apply (smooth_mult zt (fun _ => rate' i / rate i)); [exact Sz|apply smooth_const].
      + apply cont, Pw. }
  set (phi := fun t => exp (- (L * t)) * U (Datatypes.S n) (zt t)).
  assert (Drop : RInt k since 1 + phi 1 <= phi since).
  { set (psi := fun t => RInt k since t + phi t).
    set (dpsi := fun t => k t + (- L * exp (- (L * t)) * U (Datatypes.S n) (zt t)
                                 + exp (- (L * t)) * ((L - L') * zt t * slope n (zt t)))).
    assert (Der : forall t, is_derive psi t (dpsi t)).
    { intros t. unfold psi, dpsi. apply (is_derive_plus (fun t => RInt k since t) phi); [apply smooth_upto, Sk|].
      assert (D1 : is_derive (fun t => exp (- (L * t))) t (- L * exp (- (L * t)))) by (auto_derive; [auto|ring]).
      assert (D2 : is_derive zt t ((L - L') * zt t)) by (unfold zt; auto_derive; [auto|unfold Rminus; ring]).
      pose proof (is_derive_comp (U (Datatypes.S n)) zt t _ _ (U_derive n (zt t) (Pz t)) D2) as D3.
      exact (is_derive_mult (fun t => exp (- (L * t))) (fun t => U (Datatypes.S n) (zt t)) t _ _ D1 D3 Rmult_comm). }
    assert (Neg : forall t, dpsi t <= 0).
    { intros t. unfold dpsi, k. set (e := exp (- (L * t))). assert (Pe : 0 < e) by apply exp_pos.
      set (u := U (Datatypes.S n) (zt t)). set (sl := slope n (zt t)).
      assert (T : total l (fun i => rate i * e * U n (zt t * (rate' i / rate i)))
                  <= total l (fun i => e * (rate i * u + sl * zt t * (rate' i - rate i)))).
      { apply total_mono. intros i Hi.
        assert (Ey : exp (- (ln (rate i) - ln (rate' i))) = rate' i / rate i).
        { replace (- (ln (rate i) - ln (rate' i))) with (ln (rate' i) + - ln (rate i)) by ring.
          rewrite exp_plus, exp_Ropp, !exp_ln by auto. reflexivity. }
        pose proof (U_tangent n (zt t) _ (Pz t) (Hl i Hi)) as Tg. rewrite Ey in Tg. fold u sl in Tg.
        apply Rmult_le_compat_l with (r := rate i * e) in Tg; [|apply Rmult_le_pos; [left; apply Hrate|lra]].
        apply Rle_trans with (1 := Tg). right. pose proof (Hrate i). field. lra. }
      apply Rle_trans with (total l (fun i => e * (rate i * u + sl * zt t * (rate' i - rate i)))
                            + (- L * e * u + e * ((L - L') * zt t * sl))); [lra|].
      right. rewrite total_scal.
      assert (Q : total l (fun i => rate i * u + sl * zt t * (rate' i - rate i)) = L * u + sl * zt t * (L' - L)).
      { generalize u, sl, (zt t). unfold L, L', rates. clear. intros a b x. induction l as [|i m IHm]; cbn [total]; [ring|]. rewrite IHm. ring. }
      rewrite Q. ring. }
    assert (P0 : psi since = phi since) by (unfold psi; rewrite RInt_point; unfold zero; simpl; ring).
    destruct (MVT_gen psi since 1 dpsi) as (t & _ & E).
    - intros t _. apply Der.
    - intros t _. apply continuity_pt_filterlim. apply (@ex_derive_continuous R_AbsRing R_NormedModule psi t). exists (dpsi t). apply Der.
    - specialize (Neg t). assert (0 <= - dpsi t * (1 - since)) by (apply Rmult_le_pos; lra).
      change (psi 1 <= phi since). lra. }
  cbn [mean]. fold (inside rate n l past f). fold (inside rate' n l past f). fold L L'.
  change (RInt (fun t => total l (fun i => rate i * exp (- (L * t)) * mean rate n (remove Nat.eq_dec i l) (past ++ [i]) f t)) since 1)
    with (RInt (inside rate n l past f) since 1).
  change (RInt (fun t => total l (fun i => rate' i * exp (- (L' * t)) * mean rate' n (remove Nat.eq_dec i l) (past ++ [i]) f t)) since 1)
    with (RInt (inside rate' n l past f) since 1).
  set (w := z * exp (- ((L - L') * since))).
  assert (Step : RInt (inside rate n l past f) since 1 <= w * RInt (inside rate' n l past f) since 1 + RInt k since 1).
  { apply (is_RInt_le (inside rate n l past f) (fun t => w * inside rate' n l past f t + k t) since 1); [exact Hs| | |].
    - apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, inside_smooth.
    - apply (@is_RInt_plus R_NormedModule (fun t => w * inside rate' n l past f t)).
      + apply (@is_RInt_scal R_NormedModule (inside rate' n l past f) since 1 w).
        apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, inside_smooth.
      + apply (@RInt_correct R_CompleteNormedModule), smooth_integrable, Sk.
    - intros t Ht. unfold inside, k. fold L L'. rewrite <- total_scal.
      rewrite <- total_plus. apply total_mono. intros i Hi.
      assert (Hrem : forall j, In j (remove Nat.eq_dec i l) -> - down <= ln (rate j) - ln (rate' j) <= up)
        by (intros j Hj; apply in_remove in Hj; apply Hl, Hj).
      pose proof (IH (remove Nat.eq_dec i l) (past ++ [i]) t _ ltac:(lra) (Pw i t) Hrem) as I.
      apply Rmult_le_compat_l with (r := rate i * exp (- (L * t))) in I;
        [|apply Rmult_le_pos; [left; apply Hrate|left; apply exp_pos]].
      apply Rle_trans with (1 := I). right. rewrite Rmult_plus_distr_l. f_equal.
      assert (E : exp (- (L * t)) * zt t = w * exp (- (L' * t))).
      { unfold zt, w. rewrite <- !Rmult_assoc, (Rmult_comm _ z), !Rmult_assoc, <- !exp_plus. do 2 f_equal. ring. }
      transitivity (rate' i * (exp (- (L * t)) * zt t) * mean rate' n (remove Nat.eq_dec i l) (past ++ [i]) f t).
      + pose proof (Hrate i). field. lra.
      + rewrite E. ring. }
  assert (Last : exp (- L) * f past <= w * (exp (- L') * f past) + phi 1).
  { assert (F : f past <= zt 1 * f past + U (Datatypes.S n) (zt 1)) by (apply enough; [apply Hf|apply floor, Pz]).
    apply Rmult_le_compat_l with (r := exp (- L)) in F; [|left; apply exp_pos]. apply Rle_trans with (1 := F). right.
    unfold phi. rewrite (Rmult_1_r L), Rmult_plus_distr_l. f_equal.
    assert (E : exp (- L) * zt 1 = w * exp (- L')).
    { unfold zt, w. rewrite <- !Rmult_assoc, (Rmult_comm _ z), !Rmult_assoc, <- !exp_plus. do 2 f_equal. ring. }
    rewrite <- !Rmult_assoc, E. ring. }
  apply Rle_trans with (exp (L * since) * (w * (RInt (inside rate' n l past f) since 1 + exp (- L') * f past) + phi since)).
  - apply Rmult_le_compat_l; [left; apply exp_pos|]. lra.
  - right. rewrite Rmult_plus_distr_l. f_equal.
    + rewrite <- Rmult_assoc. assert (E : exp (L * since) * w = z * exp (L' * since)).
      { unfold w. rewrite <- !Rmult_assoc, (Rmult_comm _ z), !Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
      rewrite E. ring.
    + unfold phi. rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0, Rmult_1_l. unfold zt.
      replace ((L - L') * (since - since)) with 0 by ring. rewrite exp_0, Rmult_1_r. reflexivity.
Qed.
End Two.
