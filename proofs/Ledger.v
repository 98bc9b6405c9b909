(** * The pure ledger: runs that are begun, asked in turns, closed and paid back

    Whoever asks sees every answer and decides after each of them what comes next: reserve for a new run, ask any
    run that is open, or close one. A run may have a secret, as the noise of a threshold is, which is drawn when
    it begins. The ledger refuses a reservation that does not fit. While a run is open, all that was reserved for it
    counts as spent; when it is closed, what its ending costs. *)
Require Import Reals Lra Lia List Bool Arith.
From Overbar Require Import Law Noise Points.
Import ListNotations.
Open Scope R_scope.

(** What a law with finitely many outcomes expects. *)
Lemma ev_points {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) l (p : law X) f :
  NoDup l -> supported l p -> bounded f -> ev p f = total l (fun x => chance p (is X eq_dec x) * f x).
Proof.
  intros N Sp [B Hf].
  assert (Hb : forall x, bounded (fun y => f x * (if is X eq_dec x y then 1 else 0)))
    by (intros x; apply bounded_scal; [apply Hf|apply bounded_event]).
  transitivity (ev p (fun y => total l (fun x => f x * (if is X eq_dec x y then 1 else 0)))).
  - assert (E : forall y, In y l -> f y = total l (fun x => f x * (if is X eq_dec x y then 1 else 0))).
    { intros y Hy. rewrite total_is by (auto; intros; apply Hf). destruct (in_dec eq_dec y l); [reflexivity|contradiction]. }
    assert (Bt : bounded (fun y => total l (fun x => f x * (if is X eq_dec x y then 1 else 0)))) by (apply bounded_total; auto).
    assert (Bf : bounded f) by (exists B; auto).
    apply Rle_antisym; apply Sp; auto; intros y Hy; rewrite <- (E y Hy); lra.
  - rewrite (ev_total p l (fun x y => f x * (if is X eq_dec x y then 1 else 0))) by auto. apply total_ext. intros x _.
    rewrite ev_scal by (apply Hf || apply bounded_event). apply Rmult_comm.
Qed.

Section Ledger.
Variables Plan Question Answer Secret : Type.
Variable eq_dec : forall x y : Answer, {x = y} + {x <> y}.
Variable answers : list Answer.            (* all that there are *)
Hypothesis Hanswers : NoDup answers.

(** What a run was asked and has answered, the newest first. *)
Definition past := list (Question * Answer).

(** The runs of all plans on one dataset. *)
Record data := Data {
  begin : Plan -> law Secret;
  reply : Plan -> Secret -> past -> Question -> law Answer;
  replies : forall p s h x, supported answers (reply p s h x) }.

(** The chance that a run gives these answers to these questions. *)
Fixpoint likelihood (d : data) (p : Plan) (s : Secret) (h : past) : R :=
  match h with
  | [] => 1
  | (x, a) :: before => likelihood d p s before * chance (reply d p s before x) (is Answer eq_dec a)
  end.
Definition weight (d : data) (p : Plan) (h : past) : R := ev (begin d p) (fun s => likelihood d p s h).

Lemma likelihood_range d p s h : 0 <= likelihood d p s h <= 1.
Proof.
  induction h as [|[x a] h IH]; cbn [likelihood]; [lra|].
  pose proof (chance_range (reply d p s h x) (is Answer eq_dec a)).
  split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.

Lemma likelihood_bounded d p h : bounded (fun s => likelihood d p s h).
Proof. exists 1. intros s. apply likelihood_range. Qed.

(** ** The ledger *)
Record row := Row { plan : Plan; own : past; is_open : bool }.
Inductive action := Open (p : Plan) | Ask (i : nat) (x : Question) | Close (i : nat).
Inductive event := Done (a : action) | Refused (a : action) | Answered (i : nat) (x : Question) (a : Answer).

Variable price : Plan -> R.                (* what is reserved *)
Variable cost : Plan -> past -> R.         (* what an ending costs *)
Variable budget : R.

Definition charge (r : row) : R := if is_open r then price (plan r) else cost (plan r) (own r).
Definition spent (rows : list row) : R := total rows charge.

Fixpoint put {X} (i : nat) (y : X) (l : list X) : list X :=
  match l, i with
  | [], _ => []
  | _ :: rest, O => y :: rest
  | x :: rest, Datatypes.S j => x :: put j y rest
  end.

Section Play.
Variable d : data.
Variable choose : list event -> option action.   (* whoever asks, knowing all that has happened; None: no more *)

(** At most [n] more actions. [rows] is the ledger, [secrets] has a secret for each row. *)
Fixpoint play (n : nat) (rows : list row) (secrets : list Secret) (view : list event) : law (list event) :=
  match n with
  | O => ret view
  | Datatypes.S n' =>
    match choose view with
    | None => ret view
    | Some (Open p) =>
        if Rle_dec (spent rows + price p) budget
        then s <- begin d p ;; play n' (rows ++ [Row p [] true]) (secrets ++ [s]) (Done (Open p) :: view)
        else play n' rows secrets (Refused (Open p) :: view)
    | Some (Ask i x) =>
        match nth_error rows i, nth_error secrets i with
        | Some (Row p h true), Some s =>
            a <- reply d p s h x ;; play n' (put i (Row p ((x, a) :: h) true) rows) secrets (Answered i x a :: view)
        | _, _ => play n' rows secrets (Refused (Ask i x) :: view)
        end
    | Some (Close i) =>
        match nth_error rows i with
        | Some (Row p h true) => play n' (put i (Row p h false) rows) secrets (Done (Close i) :: view)
        | _ => play n' rows secrets (Refused (Close i) :: view)
        end
    end
  end.

(** The mean of [k] over all secrets, times the chance that each run has given the answers in its row. *)
Fixpoint joint (rows : list row) (k : list Secret -> R) : R :=
  match rows with
  | [] => k []
  | r :: rest => ev (begin d (plan r)) (fun s => likelihood d (plan r) s (own r) * joint rest (fun ss => k (s :: ss)))
  end.

Lemma joint_range B : forall rows k, (forall ss, 0 <= k ss <= B) -> 0 <= joint rows k <= B.
Proof.
  induction rows as [|r rest IH]; intros k H; cbn [joint]; [apply H|]. apply ev_range. intros s.
  specialize (IH (fun ss => k (s :: ss)) (fun ss => H (s :: ss))). pose proof (likelihood_range d (plan r) s (own r)).
  split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * joint rest (fun ss => k (s :: ss))).
  - apply Rmult_le_compat_r; lra.
  - lra.
Qed.

Lemma joint_bounded r rest k : bounded k ->
  bounded (fun s => likelihood d (plan r) s (own r) * joint rest (fun ss => k (s :: ss))).
Proof.
  intros [B H]. apply bounded_mult; [apply likelihood_bounded|]. exists B. intros s. apply joint_range. auto.
Qed.

Lemma bounded_cons (k : list Secret -> R) s : bounded k -> bounded (fun ss => k (s :: ss)).
Proof. apply (bounded_comp k (fun ss => s :: ss)). Qed.

Lemma joint_ext : forall rows k k', bounded k ->
  (forall ss, length ss = length rows -> k ss = k' ss) -> joint rows k = joint rows k'.
Proof.
  induction rows as [|r rest IH]; intros k k' B E; cbn [joint]; [apply E; reflexivity|].
  apply ev_ext; [apply joint_bounded, B|]. intros s. f_equal. apply IH; [apply bounded_cons, B|].
  intros ss L. apply E. simpl. lia.
Qed.

Lemma joint_scal : forall rows c k, 0 <= c -> bounded k -> joint rows (fun ss => c * k ss) = c * joint rows k.
Proof.
  induction rows as [|r rest IH]; intros c k Hc B; cbn [joint]; [reflexivity|].
  rewrite <- ev_scal by (auto using joint_bounded). apply ev_ext.
  - apply (joint_bounded r rest (fun ss => c * k ss)), bounded_scal; auto.
  - intros s. rewrite IH by (auto using bounded_cons). ring.
Qed.

Lemma joint_plus : forall rows k k', bounded k -> bounded k' ->
  joint rows (fun ss => k ss + k' ss) = joint rows k + joint rows k'.
Proof.
  induction rows as [|r rest IH]; intros k k' B B'; cbn [joint]; [reflexivity|].
  rewrite <- ev_plus by (auto using joint_bounded). apply ev_ext.
  - apply (joint_bounded r rest (fun ss => k ss + k' ss)), bounded_plus; auto.
  - intros s. rewrite IH by (auto using bounded_cons). ring.
Qed.

Lemma joint_total {X} rows (l : list X) (k : X -> list Secret -> R) : (forall x, bounded (k x)) ->
  joint rows (fun ss => total l (fun x => k x ss)) = total l (fun x => joint rows (k x)).
Proof.
  intros B. induction l as [|x l IH]; cbn [total].
  - transitivity (joint rows (fun ss => 0 * 1)).
    + apply joint_ext; [apply bounded_const; lra|intros; ring].
    + rewrite (joint_scal rows 0 (fun _ => 1)); [ring|lra|apply bounded_const; lra].
  - rewrite (joint_plus rows (k x)), IH; auto. apply bounded_total. auto.
Qed.

(** A new run is the last. *)
Lemma joint_new p : forall rows k, bounded k ->
  joint (rows ++ [Row p [] true]) k = joint rows (fun ss => ev (begin d p) (fun s => k (ss ++ [s]))).
Proof.
  induction rows as [|r rest IH]; intros k B; cbn [joint app plan own likelihood].
  - apply ev_ext; [|intros; ring]. destruct B as [C H]. exists C. intros s. rewrite Rmult_1_l. apply H.
  - apply ev_ext; [apply (joint_bounded r (rest ++ [Row p [] true])), B|].
    intros s. rewrite IH by (apply bounded_cons, B). reflexivity.
Qed.

(** One more answer of run [i]. *)
Lemma joint_ask p h b x a : forall rows i k, bounded k -> nth_error rows i = Some (Row p h b) ->
  joint rows (fun ss => match nth_error ss i with
    | Some s => chance (reply d p s h x) (is Answer eq_dec a) | None => 0 end * k ss)
  = joint (put i (Row p ((x, a) :: h) b) rows) k.
Proof.
  induction rows as [|r rest IH]; intros [|i] k B E; try discriminate; cbn [put joint nth_error plan own likelihood] in *.
  - injection E as ->. cbn [plan own]. apply ev_ext.
    + destruct B as [C H]. apply bounded_mult; [apply likelihood_bounded|]. exists C. intros s.
      apply joint_range. intros ss. pose proof (chance_range (reply d p s h x) (is Answer eq_dec a)). specialize (H (s :: ss)).
      split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (1 * k (s :: ss)); [apply Rmult_le_compat_r; lra|lra].
    + intros s. rewrite joint_scal; [ring|apply chance_range|apply bounded_cons, B].
  - apply ev_ext.
    + apply (joint_bounded r rest (fun ss => match nth_error ss (Datatypes.S i) with
        | Some s => chance (reply d p s h x) (is Answer eq_dec a) | None => 0 end * k ss)).
      apply bounded_mult; [|exact B]. exists 1. intros ss. destruct (nth_error ss (Datatypes.S i)); [apply chance_range|lra].
    + intros s. f_equal. apply IH; [apply bounded_cons, B|exact E].
Qed.

Lemma joint_const : forall rows c, 0 <= c ->
  joint rows (fun _ => c) = c * fold_right (fun r x => weight d (plan r) (own r) * x) 1 rows.
Proof.
  induction rows as [|r rest IH]; intros c Hc; cbn [joint fold_right]; [ring|].
  set (w := fold_right _ 1 rest) in *.
  assert (Hw : 0 <= c * w) by (rewrite <- IH by exact Hc; apply (joint_range c); intros; lra).
  transitivity (ev (begin d (plan r)) (fun s => (c * w) * likelihood d (plan r) s (own r))).
  - apply ev_ext; [apply (joint_bounded r rest (fun _ => c)), bounded_const, Hc|]. intros s. rewrite IH by exact Hc. ring.
  - rewrite ev_scal by (auto using likelihood_bounded). unfold weight. ring.
Qed.

(** The same row, closed. *)
Lemma joint_close p h : forall rows i k, nth_error rows i = Some (Row p h true) ->
  joint (put i (Row p h false) rows) k = joint rows k.
Proof.
  induction rows as [|r rest IH]; intros [|i] k E; try discriminate; cbn [put joint nth_error] in *.
  - injection E as ->. reflexivity.
  - f_equal. apply FunctionalExtensionality.functional_extensionality. intros s. rewrite IH; auto.
Qed.
End Play.

(** ** The theorem *)
Variables d d' : data.
(** Each ending of a run costs what is said, and never more than was reserved. *)
Hypothesis Hcost : forall p h, weight d p h <= exp (cost p h) * weight d' p h.
Hypothesis Hprice : forall p h, cost p h <= price p.

Lemma put_spent p h b r : forall rows i, nth_error rows i = Some (Row p h b) ->
  spent (put i r rows) = spent rows - charge (Row p h b) + charge r.
Proof.
  unfold spent. induction rows as [|r0 rest IH]; intros [|i] E; try discriminate; cbn [put nth_error total] in *.
  - injection E as ->. ring.
  - rewrite (IH i E). ring.
Qed.

Lemma weight_pos x p h : 0 <= weight x p h.
Proof. apply ev_pos, likelihood_bounded. Qed.

Lemma all_rows : forall rows,
  0 <= fold_right (fun r x => weight d (plan r) (own r) * x) 1 rows
  <= exp (spent rows) * fold_right (fun r x => weight d' (plan r) (own r) * x) 1 rows.
Proof.
  unfold spent. induction rows as [|r rest IH]; cbn [fold_right total]; [rewrite exp_0; lra|].
  set (w := fold_right _ 1 rest) in *. set (w' := fold_right (fun r x => weight d' (plan r) (own r) * x) 1 rest) in *.
  pose proof (weight_pos d (plan r) (own r)) as P.
  assert (C : weight d (plan r) (own r) <= exp (charge r) * weight d' (plan r) (own r)).
  { apply Rle_trans with (1 := Hcost _ _). apply Rmult_le_compat_r; [apply weight_pos|]. apply exp_mono.
    unfold charge. destruct (is_open r); [apply Hprice|lra]. }
  split; [apply Rmult_le_pos; lra|]. rewrite exp_plus.
  replace (exp (charge r) * exp (total rest charge) * (weight d' (plan r) (own r) * w'))
    with ((exp (charge r) * weight d' (plan r) (own r)) * (exp (total rest charge) * w')) by ring.
  apply Rmult_le_compat; lra.
Qed.

Variable choose : list event -> option action.

Lemma whole : forall n rows view f, bounded f -> spent rows <= budget ->
  joint d rows (fun ss => ev (play d choose n rows ss view) f)
  <= exp budget * joint d' rows (fun ss => ev (play d' choose n rows ss view) f).
Proof.
  assert (Leaf : forall rows (view : list event) f, bounded f -> spent rows <= budget ->
    joint d rows (fun _ => f view) <= exp budget * joint d' rows (fun _ => f view)).
  { intros rows view f [B Hf] H. rewrite !joint_const by apply Hf. pose proof (all_rows rows) as A.
    set (w := fold_right _ 1 rows) in *. set (w' := fold_right (fun r x => weight d' (plan r) (own r) * x) 1 rows) in *.
    assert (W : 0 <= w').
    { unfold w'. clear. induction rows as [|r rest IH]; cbn [fold_right]; [lra|]. apply Rmult_le_pos; [apply weight_pos|exact IH]. }
    assert (exp (spent rows) * w' <= exp budget * w') by (apply Rmult_le_compat_r; [exact W|apply exp_mono, H]).
    replace (exp budget * (f view * w')) with (f view * (exp budget * w')) by ring.
    apply Rmult_le_compat_l; [apply Hf|lra]. }
  induction n as [|n IH]; intros rows view f Hf H; [apply Leaf; assumption|].
  assert (Bp : forall x m rows' view', bounded (fun ss => ev (play x choose m rows' ss view') f))
    by (intros; apply bounded_next, Hf).
  cbn [play]. destruct (choose view) as [[p|i x|i]|].
  - (* a reservation *)
    destruct (Rle_dec (spent rows + price p) budget) as [L|L]; [|apply IH; assumption].
    pose proof (IH (rows ++ [Row p [] true]) (Done (Open p) :: view) f Hf) as I.
    rewrite !joint_new in I by apply Bp. apply I. unfold spent in *.
    clear - L. revert L. generalize budget. induction rows as [|r rest IH]; intros b L; cbn [app total] in *.
    + unfold charge at 1. simpl. lra.
    + specialize (IH (b - charge r)). lra.
  - (* a question *)
    destruct (nth_error rows i) as [[p h [|]]|] eqn:E.
    2: { apply IH; assumption. }
    2: { apply IH; assumption. }
    assert (Split : forall y : data, joint y rows (fun ss => ev match nth_error ss i with
        | Some s => a <- reply y p s h x ;; play y choose n (put i (Row p ((x, a) :: h) true) rows) ss (Answered i x a :: view)
        | None => play y choose n rows ss (Refused (Ask i x) :: view) end f)
      = total answers (fun a => joint y (put i (Row p ((x, a) :: h) true) rows)
          (fun ss => ev (play y choose n (put i (Row p ((x, a) :: h) true) rows) ss (Answered i x a :: view)) f))).
    { intros y. rewrite (joint_ext y rows _ (fun ss => total answers (fun a => match nth_error ss i with
          | Some s => chance (reply y p s h x) (is Answer eq_dec a) | None => 0 end
          * ev (play y choose n (put i (Row p ((x, a) :: h) true) rows) ss (Answered i x a :: view)) f))).
      - rewrite (joint_total y rows answers (fun a ss => match nth_error ss i with
          | Some s => chance (reply y p s h x) (is Answer eq_dec a) | None => 0 end
          * ev (play y choose n (put i (Row p ((x, a) :: h) true) rows) ss (Answered i x a :: view)) f)).
        + apply total_ext. intros a _. apply joint_ask; [apply Bp|exact E].
        + intros a. apply bounded_mult; [|apply Bp]. exists 1. intros ss.
          destruct (nth_error ss i); [apply chance_range|lra].
      - destruct Hf as [B Hf]. exists B. intros ss. destruct (nth_error ss i); apply ev_range; auto.
      - intros ss L. destruct (nth_error ss i) as [s|] eqn:N.
        + cbn [bind ev]. rewrite (ev_points eq_dec answers) by (auto using replies, bounded_next). reflexivity.
        + exfalso. apply nth_error_None in N. assert (i < length rows)%nat by (apply nth_error_Some; congruence). lia. }
    rewrite !Split, <- total_scal. apply total_mono. intros a _. apply IH; [exact Hf|].
    rewrite (put_spent p h true (Row p ((x, a) :: h) true) rows i E). unfold charge. simpl. lra.
  - (* an ending *)
    destruct (nth_error rows i) as [[p h [|]]|] eqn:E; try (apply IH; assumption).
    pose proof (IH (put i (Row p h false) rows) (Done (Close i) :: view) f Hf) as I.
    rewrite !(joint_close _ p h rows i _ E) in I. apply I.
    rewrite (put_spent p h true (Row p h false) rows i E). unfold charge. simpl. specialize (Hprice p h). lra.
  - apply Leaf; assumption.
Qed.

(** THEOREM (the pure ledger). Whoever chooses, however runs are interleaved, and whatever was given back of runs that
    were closed: all answers together, and all that the ledger allowed and refused, keep the budget. *)
Theorem pure_ledger n : 0 <= budget -> close (exp budget) 0 (play d choose n [] [] []) (play d' choose n [] [] []).
Proof.
  intros H. apply close_of_functions. intros f Hf. apply (whole n [] [] f Hf). exact H.
Qed.
End Ledger.
