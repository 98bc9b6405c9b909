(** * The top c by peeling: picks one after the other, each with chance proportional to e^(score/s)

    So does the top c by Gumbel noise: see [GumbelTop.v]. *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points Ledger Filter Picks.
Import ListNotations.
Open Scope R_scope.

Section Top.
Variable s : R.
Hypothesis Hs : 0 < s.

Definition strength (q : nat -> R) (i : nat) : R := exp (q i / s).
Definition strengths (q : nat -> R) (l : list nat) : R := total l (strength q).

Lemma strengths_pos q first rest : 0 < strengths q (first :: rest).
Proof.
  unfold strengths. cbn [total]. pose proof (exp_pos (q first / s)). unfold strength at 1.
  assert (0 <= total rest (strength q)) by (apply total_pos; intros; left; apply exp_pos). lra.
Qed.

(** One pick, the exponential mechanism. *)
Program Definition pick (q : nat -> R) (first : nat) (rest : list nat) : law nat :=
  {| ev := fun f => total (first :: rest) (fun i => strength q i * f i) / strengths q (first :: rest) |}.
Next Obligation.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, (strengths_pos q first rest)|].
  apply Rplus_le_compat; [|apply total_mono; intros i _]; (apply Rmult_le_compat_l; [left; apply exp_pos|auto]).
Qed.
Next Obligation.
  pose proof (strengths_pos q first rest) as P. apply Rmult_eq_reg_r with (strengths q (first :: rest)); [|lra].
  assert (E : total (first :: rest) (fun i => strength q i * (f i + h i))
    = total (first :: rest) (fun i => strength q i * f i) + total (first :: rest) (fun i => strength q i * h i)).
  { clear P. induction (first :: rest) as [|i l IH]; cbn [total]; [ring|]. rewrite IH. ring. }
  cbn [total] in E. rewrite E. field. lra.
Qed.
Next Obligation.
  pose proof (strengths_pos q first rest) as P. apply Rmult_eq_reg_r with (strengths q (first :: rest)); [|lra].
  assert (E : total (first :: rest) (fun i => strength q i * (c * f i)) = c * total (first :: rest) (fun i => strength q i * f i)).
  { clear P. rewrite <- total_scal. induction (first :: rest) as [|i l IH]; cbn [total]; [ring|]. rewrite IH. ring. }
  cbn [total] in E. rewrite E. field. lra.
Qed.
Next Obligation.
  pose proof (strengths_pos q first rest) as P. apply Rmult_eq_reg_r with (strengths q (first :: rest)); [|lra].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, !Rmult_1_r, Rmult_1_l by lra. unfold strengths. cbn [total]. f_equal.
  clear P. induction rest as [|i l IH]; cbn [total]; [reflexivity|]. rewrite Rmult_1_r, IH. reflexivity.
Qed.

(** At most [c] more of the candidates [l], behind those picked before. *)
Fixpoint top (q : nat -> R) (c : nat) (l past : list nat) : law (list nat) :=
  match c, l with
  | Datatypes.S c', first :: rest => i <- pick q first rest ;; top q c' (remove Nat.eq_dec i l) (past ++ [i])
  | _, _ => ret past
  end.

(** ** The free shift *)
Lemma pick_same q q' m first rest f : (forall i, In i (first :: rest) -> q' i = q i + m) ->
  ev (pick q' first rest) f = ev (pick q first rest) f.
Proof.
  intros H. assert (E : forall i, In i (first :: rest) -> strength q' i = exp (m / s) * strength q i).
  { intros i Hi. unfold strength. rewrite (H i Hi), <- exp_plus. f_equal. field. lra. }
  assert (T : forall h, total (first :: rest) (fun i => strength q' i * h i)
                        = exp (m / s) * total (first :: rest) (fun i => strength q i * h i)).
  { intros h. rewrite <- total_scal. apply total_ext. intros i Hi. rewrite (E i Hi). ring. }
  assert (Z : strengths q' (first :: rest) = exp (m / s) * strengths q (first :: rest)).
  { unfold strengths. rewrite <- total_scal. apply total_ext. exact E. }
  cbn [pick ev]. rewrite T, Z. pose proof (strengths_pos q first rest). pose proof (exp_pos (m / s)). field. lra.
Qed.

Lemma pick_supported q first rest f h : bounded f -> bounded h -> (forall i, In i (first :: rest) -> f i = h i) ->
  ev (pick q first rest) f = ev (pick q first rest) h.
Proof.
  intros _ _ E. cbn [pick ev]. f_equal. apply total_ext. intros i Hi. rewrite (E i Hi). reflexivity.
Qed.

(** THEOREM (the free shift). A number that is added to the scores of all candidates changes nothing. *)
Theorem top_free_shift q q' m : forall c l past f, bounded f -> (forall i, In i l -> q' i = q i + m) ->
  ev (top q' c l past) f = ev (top q c l past) f.
Proof.
  induction c as [|c IH]; intros l past f Hf H; [reflexivity|]. destruct l as [|first rest]; [reflexivity|].
  cbn [top bind ev]. rewrite (pick_same q q' m) by exact H. apply pick_supported; try (apply bounded_next, Hf).
  intros i _. apply IH; [exact Hf|]. intros j Hj. apply in_remove in Hj. apply H, Hj.
Qed.

(** ** Two datasets: scores move within an interval of length [width], wherever it lies *)
Variables low width : R.
Hypothesis Hwidth : 0 < width.
Let kappa := width / s.
Let Hkappa : 0 < kappa.
Proof. apply Rdiv_lt_0_compat; assumption. Qed.

Section All.
Variables q q' : nat -> R.
Hypothesis Hq : forall i, low <= q' i - q i <= low + width.

Definition likelier (first : nat) (rest : list nat) (i : nat) : R :=
  strength q' i / strengths q' (first :: rest) / (strength q i / strengths q (first :: rest)).
(** The end t of a pick. *)
Definition end_of (first : nat) (rest : list nat) : R :=
  ln (strengths q' (first :: rest)) - ln (strengths q (first :: rest)) - low / s.

Lemma likelier_is first rest i :
  likelier first rest i = exp ((q' i - q i) / s + ln (strengths q (first :: rest)) - ln (strengths q' (first :: rest))).
Proof.
  pose proof (strengths_pos q first rest). pose proof (strengths_pos q' first rest). unfold likelier, strength, Rminus.
  rewrite !exp_plus, exp_Ropp, !exp_ln by assumption.
  replace ((q' i + - q i) / s) with (q' i / s + - (q i / s)) by (field; lra). rewrite exp_plus, exp_Ropp.
  pose proof (exp_pos (q i / s)). field. lra.
Qed.

Lemma likelier_range first rest i :
  exp (- end_of first rest) <= likelier first rest i <= exp (kappa - end_of first rest).
Proof.
  rewrite likelier_is. specialize (Hq i). assert (Hi : 0 < / s) by (apply Rinv_0_lt_compat, Hs).
  assert (A : low / s <= (q' i - q i) / s) by (apply Rmult_le_compat_r; lra).
  assert (B : (q' i - q i) / s <= (low + width) / s) by (apply Rmult_le_compat_r; lra).
  replace ((low + width) / s) with (low / s + kappa) in B by (unfold kappa, Rdiv; ring).
  unfold end_of. split; apply exp_mono; lra.
Qed.

Lemma likelier_law first rest f : ev (pick q first rest) (fun i => likelier first rest i * f i) = ev (pick q' first rest) f.
Proof.
  pose proof (strengths_pos q first rest) as P. pose proof (strengths_pos q' first rest) as P'. cbn [pick ev].
  unfold Rdiv at 1 2. rewrite (Rmult_comm (total _ _)), (Rmult_comm (total _ (fun i => strength q' i * f i))).
  rewrite <- !total_scal. unfold likelier.
  set (z := strengths q (first :: rest)) in *. set (z' := strengths q' (first :: rest)) in *.
  apply total_ext. intros i _. unfold strength. pose proof (exp_pos (q i / s)). field. lra.
Qed.

Lemma likelier_mean first rest : ev (pick q first rest) (likelier first rest) = 1.
Proof.
  rewrite <- (ev_one (pick q' first rest)), <- (likelier_law first rest (fun _ => 1)). apply ev_ext; [|intros; ring].
  exists (exp (kappa - end_of first rest)). intros i. pose proof (likelier_range first rest i).
  pose proof (exp_pos (- end_of first rest)). lra.
Qed.

Lemma likelier_pos first rest i : 0 < likelier first rest i.
Proof. rewrite likelier_is. apply exp_pos. Qed.

Lemma likelier_bounded first rest : bounded (likelier first rest).
Proof.
  exists (exp (kappa - end_of first rest)). intros i. pose proof (likelier_range first rest i).
  pose proof (likelier_pos first rest i). lra.
Qed.

Lemma top_functions : forall c l past z f, 0 < z -> (forall y, 0 <= f y <= 1) ->
  ev (top q c l past) f <= z * ev (top q' c l past) f + reached kappa ends c z.
Proof.
  assert (Leaf : forall c past z (f : list nat -> R), 0 < z -> (forall y, 0 <= f y <= 1) ->
    f past <= z * f past + reached kappa ends c z).
  { intros c past z f Hz Hf. apply enough; [apply Hf|apply (reached_floor kappa Hkappa c z Hz)]. }
  induction c as [|c IH]; intros l past z f Hz Hf; [apply Leaf; assumption|].
  destruct l as [|first rest]; [apply Leaf; assumption|]. cbn [top bind ev].
  set (g' := fun i => ev (top q' c (remove Nat.eq_dec i (first :: rest)) (past ++ [i])) f).
  assert (Bf : bounded f) by (exists 1; exact Hf). assert (Bg' : bounded g') by (apply bounded_next, Bf).
  pose proof (likelier_bounded first rest) as Bl.
  assert (Pz : forall i, 0 < z * likelier first rest i) by (intros i; apply Rmult_lt_0_compat; [lra|apply likelier_pos]).
  assert (BW : bounded (fun i => reached kappa ends c (z * likelier first rest i))).
  { exists 1. intros i. apply reached_profile; [exact Hkappa|apply ends_profile|apply Pz]. }
  assert (Br : bounded (fun i => likelier first rest i * g' i)) by (apply bounded_mult; assumption).
  destruct (range_step kappa Hkappa (pick q first rest) (likelier first rest) (reached kappa ends c) (end_of first rest) z
    (reached_profile kappa Hkappa ends c ends_profile) Hz (likelier_range first rest) (likelier_mean first rest)) as [Ht Step].
  apply Rle_trans with (ev (pick q first rest)
    (fun i => z * (likelier first rest i * g' i) + reached kappa ends c (z * likelier first rest i))).
  - apply ev_mono; [apply bounded_next, Bf|apply bounded_plus; [apply bounded_scal; [lra|exact Br]|exact BW]|].
    intros i. apply Rle_trans with (1 := IH _ _ (z * likelier first rest i) f (Pz i) Hf). unfold g'. right. ring.
  - rewrite ev_plus, ev_scal, likelier_law by (try apply bounded_scal; assumption || lra). fold g'.
    apply Rplus_le_compat_l. apply Rle_trans with (1 := Step).
    apply reached_step; auto using ends_profile.
Qed.

Lemma top_single : forall c l past f, bounded f ->
  ev (top q c l past) f <= exp (kappa * INR c) * ev (top q' c l past) f.
Proof.
  induction c as [|c IH]; intros l past f Hf; [simpl; rewrite Rmult_0_r, exp_0; lra|].
  assert (E1 : 1 <= exp (kappa * INR (Datatypes.S c))).
  { apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_mono, Rmult_le_pos; [lra|apply pos_INR]. }
  destruct l as [|first rest].
  { cbn [top ret ev]. destruct Hf as [B Hf]. specialize (Hf past). rewrite <- (Rmult_1_l (f past)) at 1.
    apply Rmult_le_compat_r; lra. }
  cbn [top bind ev].
  set (g' := fun i => ev (top q' c (remove Nat.eq_dec i (first :: rest)) (past ++ [i])) f).
  assert (Bg' : bounded g') by (apply bounded_next, Hf). pose proof (likelier_bounded first rest) as Bl.
  destruct (range_step kappa Hkappa (pick q first rest) (likelier first rest) ends (end_of first rest) 1
    ends_profile Rlt_0_1 (likelier_range first rest) (likelier_mean first rest)) as [Ht _].
  assert (Ec : 0 <= exp (kappa * INR c)) by (left; apply exp_pos).
  apply Rle_trans with (ev (pick q first rest) (fun i => exp (kappa * INR c) * exp kappa * (likelier first rest i * g' i))).
  - apply ev_mono; [apply bounded_next, Hf| |].
    + apply bounded_scal; [apply Rmult_le_pos; [exact Ec|left; apply exp_pos]|apply bounded_mult; assumption].
    + intros i. apply Rle_trans with (1 := IH _ _ f Hf). fold (g' i). rewrite Rmult_assoc.
      apply Rmult_le_compat_l; [exact Ec|]. rewrite <- Rmult_assoc. rewrite <- (Rmult_1_l (g' i)) at 1.
      apply Rmult_le_compat_r; [destruct Bg' as [B H]; apply H|].
      apply Rle_trans with (exp kappa * exp (- end_of first rest)).
      * rewrite <- exp_plus, <- exp_0. apply exp_mono. lra.
      * apply Rmult_le_compat_l; [left; apply exp_pos|apply likelier_range].
  - rewrite ev_scal, likelier_law by (first [apply bounded_mult; assumption|apply Rmult_le_pos; [exact Ec|left; apply exp_pos]]).
    rewrite <- exp_plus. right. f_equal. f_equal. rewrite S_INR. ring.
Qed.
End All.

Variables q q' : nat -> R.
Variable candidates : list nat.
Hypothesis Hq : forall i, In i candidates -> low <= q' i - q i <= low + width.

(** Others are never picked. *)
Let others (i : nat) : R := if in_dec Nat.eq_dec i candidates then q' i else q i + low.
Let others_range i : low <= others i - q i <= low + width.
Proof. unfold others. destruct (in_dec Nat.eq_dec i candidates) as [H|H]; [apply Hq, H|lra]. Qed.
Let others_same c past f : bounded f -> ev (top others c candidates past) f = ev (top q' c candidates past) f.
Proof.
  intros Hf. apply (top_free_shift q' others 0); [exact Hf|]. intros i Hi. unfold others.
  destruct (in_dec Nat.eq_dec i candidates); [lra|contradiction].
Qed.

(** THEOREM 6, for the top c by picks. *)
Theorem top_delta eps c :
  close (exp eps) (reached (width / s) ends c (exp eps)) (top q c candidates []) (top q' c candidates []).
Proof.
  intros event. unfold chance. rewrite <- others_same by apply bounded_event.
  apply (top_functions q others others_range c candidates [] (exp eps)); [apply exp_pos|].
  intros y. destruct (event y); lra.
Qed.

(** THEOREM. The same with delta = 0: each pick costs width/s. *)
Theorem top_picks_pure c :
  close (exp (width / s * INR c)) 0 (top q c candidates []) (top q' c candidates []).
Proof.
  apply close_of_functions. intros f Hf. rewrite <- others_same by exact Hf.
  apply (top_single q others others_range c candidates [] f Hf).
Qed.
End Top.
