(** * From single outcomes to all events, and many draws at once *)
Require Import Reals Lra Lia List Bool Arith ZArith.
From Coquelicot Require Import Coquelicot.
From Overbar Require Import Law Grid.
Import ListNotations.
Open Scope R_scope.

Fixpoint total {X} (l : list X) (f : X -> R) : R :=
  match l with [] => 0 | x :: rest => f x + total rest f end.

Lemma total_mono {X} (l : list X) f h : (forall x, In x l -> f x <= h x) -> total l f <= total l h.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|]. apply Rplus_le_compat; auto.
Qed.

Lemma total_scal {X} c (l : list X) f : total l (fun x => c * f x) = c * total l f.
Proof. induction l as [|x l IH]; simpl; [ring|rewrite IH; ring]. Qed.

Lemma total_pos {X} (l : list X) f : (forall x, In x l -> 0 <= f x) -> 0 <= total l f.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (0 <= f x) by auto. assert (0 <= total l f) by auto. lra.
Qed.

Lemma total_ext {X} (l : list X) f h : (forall x, In x l -> f x = h x) -> total l f = total l h.
Proof. intros E. apply Rle_antisym; apply total_mono; intros x Hx; rewrite (E x Hx); lra. Qed.

Lemma total_plus {X} (l : list X) f h : total l (fun x => f x + h x) = total l f + total l h.
Proof. induction l as [|x l IH]; cbn [total]; [ring|]. rewrite IH. ring. Qed.

(** Where nothing more comes: an amount above 1 - z, and above 0, is enough. *)
Lemma enough x z u : 0 <= x <= 1 -> 0 <= u /\ 1 - z <= u -> x <= z * x + u.
Proof.
  intros Hx Hu. destruct (Rle_dec (1 - z) 0) as [L|L].
  - assert (0 <= x * (z - 1)) by (apply Rmult_le_pos; lra). lra.
  - assert (x * (1 - z) <= 1 * (1 - z)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma bounded_total {X Y} (l : list X) (f : X -> Y -> R) :
  (forall x, In x l -> bounded (f x)) -> bounded (fun y => total l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; simpl; intros H; [apply bounded_const; lra|].
  apply (bounded_plus (f x)); auto.
Qed.

Lemma ev_total {X Y} (p : law Y) (l : list X) (f : X -> Y -> R) :
  (forall x, In x l -> bounded (f x)) ->
  ev p (fun y => total l (fun x => f x y)) = total l (fun x => ev p (f x)).
Proof.
  induction l as [|x l IH]; simpl; intros H; [apply ev_const; lra|].
  rewrite (ev_plus p (f x)) by (auto; apply bounded_total; auto). rewrite IH; auto.
Qed.

(** A law that gives only outcomes in the list [l]: what differs elsewhere does not matter. *)
Definition supported {X} (l : list X) (p : law X) : Prop :=
  forall f h, bounded f -> bounded h -> (forall x, In x l -> f x <= h x) -> ev p f <= ev p h.

Section Points.
Variable X : Type.
Variable eq_dec : forall x y : X, {x = y} + {x <> y}.
Definition is (x y : X) : bool := if eq_dec x y then true else false.

Lemma total_is (l : list X) f y : NoDup l -> (forall x, 0 <= f x) ->
  total l (fun x => f x * (if is x y then 1 else 0)) = if in_dec eq_dec y l then f y else 0.
Proof.
  intros N Hf. induction N as [|x l Hx N IH]; [reflexivity|]. cbn [total]. rewrite IH. unfold is.
  destruct (eq_dec x y) as [->|D].
  - destruct (in_dec eq_dec y l) as [K|K]; [contradiction|].
    destruct (in_dec eq_dec y (y :: l)) as [J|J]; [ring|exfalso; apply J; left; auto].
  - destruct (in_dec eq_dec y l) as [K|K], (in_dec eq_dec y (x :: l)) as [J|J]; try ring.
    + exfalso; apply J; right; auto.
    + exfalso; destruct J; auto.
Qed.

(** If every single outcome costs at most [E], so does every event. *)
Lemma close_of_points (l : list X) (p p' : law X) E :
  NoDup l -> supported l p -> 0 <= E ->
  (forall x, In x l -> chance p (is x) <= E * chance p' (is x)) -> close E 0 p p'.
Proof.
  intros N S HE H. apply close_of_functions. intros f [B Hf].
  assert (Hp : forall x, bounded (fun y => f x * (if is x y then 1 else 0))).
  { intros x. apply bounded_scal; [apply Hf|apply bounded_event]. }
  assert (Hb : bounded (fun y => total l (fun x => f x * (if is x y then 1 else 0))))
    by (apply bounded_total; auto).
  assert (Hf' : bounded f) by (exists B; auto).
  apply Rle_trans with (ev p (fun y => total l (fun x => f x * (if is x y then 1 else 0)))).
  { apply S; auto. intros y Hy. rewrite total_is by (auto; intros; apply Hf).
    destruct (in_dec eq_dec y l); [lra|contradiction]. }
  rewrite (ev_total p l (fun x y => f x * (if is x y then 1 else 0))) by auto.
  apply Rle_trans with (E * total l (fun x => ev p' (fun y => f x * (if is x y then 1 else 0)))).
  { rewrite <- total_scal. apply total_mono. intros x Hx.
    rewrite !ev_scal by (try apply bounded_event; apply Hf).
    fold (chance p (is x)). fold (chance p' (is x)). specialize (H x Hx).
    replace (E * (f x * chance p' (is x))) with (f x * (E * chance p' (is x))) by ring.
    apply Rmult_le_compat_l; [apply Hf|exact H]. }
  apply Rmult_le_compat_l; auto. rewrite <- (ev_total p' l (fun x y => f x * (if is x y then 1 else 0))) by auto.
  apply ev_mono; auto. intros y. rewrite total_is by (auto; intros; apply Hf).
  destruct (in_dec eq_dec y l); [lra|apply Hf].
Qed.
End Points.

(** ** The points of the grid determine a law *)

(** The points from - (n + 1) to n. *)
Fixpoint around (n : nat) : list Z :=
  match n with
  | O => [0; -1]%Z
  | S n' => Z.of_nat n :: (- Z.of_nat (S n))%Z :: around n'
  end.

Lemma around_range n z : In z (around n) -> (- Z.of_nat (S n) <= z <= Z.of_nat n)%Z.
Proof.
  induction n as [|n IH]; simpl In; intros H; [lia|].
  destruct H as [<-|[<-|H]]; try lia. specialize (IH H). lia.
Qed.

Lemma around_NoDup n : NoDup (around n).
Proof.
  induction n as [|n IH]; [repeat constructor; simpl; lia|]. simpl around.
  constructor; [|constructor; [|exact IH]].
  - intros [H|H]; [lia|]. apply around_range in H. lia.
  - intros H. apply around_range in H. lia.
Qed.

Lemma around_total n f :
  total (around n) f = sum_n (fun i => f (Z.of_nat i)) n + sum_n (fun i => f (- Z.of_nat (S i))%Z) n.
Proof.
  induction n as [|n IH]; [rewrite !sum_O; simpl; ring|]. rewrite !sum_Sn. cbn [around total]. rewrite IH.
  unfold plus; simpl. ring.
Qed.

(** A law whose points have the masses [m] is the law of [m]. *)
Lemma points_determine (p : law Z) m : (forall z, chance p (fun n => (n =? z)%Z) = mass m z) ->
  forall f, bounded f -> ev p f = ev (grid m) f.
Proof.
  intros H.
  assert (Above : forall f, bounded f -> ev (grid m) f <= ev p f).
  { intros f Hf. pose proof (weighted_summable m f Hf) as [S1 S2]. cbn [grid ev]. unfold sumZ.
    assert (Part : forall n, sum_n (fun i => mass m (Z.of_nat i) * f (Z.of_nat i)) n
      + sum_n (fun i => mass m (- Z.of_nat (S i)) * f (- Z.of_nat (S i))%Z) n <= ev p f).
    { intros n. rewrite <- (around_total n (fun z => mass m z * f z)). destruct Hf as [B Hf].
      assert (Hb : forall z, bounded (fun y => f z * (if is Z Z.eq_dec z y then 1 else 0)))
        by (intros z; apply bounded_scal; [apply Hf|apply bounded_event]).
      apply Rle_trans with (ev p (fun y => total (around n) (fun z => f z * (if is Z Z.eq_dec z y then 1 else 0)))).
      - rewrite (ev_total p (around n) (fun z y => f z * (if is Z Z.eq_dec z y then 1 else 0))) by auto.
        apply total_mono. intros z _. rewrite ev_scal by (apply Hf || apply bounded_event). rewrite Rmult_comm, <- H.
        apply Rmult_le_compat_l; [apply Hf|]. apply ev_mono; try apply bounded_event. intros y. unfold is.
        destruct (Z.eqb_spec y z), (Z.eq_dec z y); lra || congruence.
      - apply ev_mono; [apply bounded_total; auto|exists B; auto|]. intros y.
        rewrite total_is by (apply around_NoDup || intros; apply Hf).
        destruct (in_dec Z.eq_dec y (around n)); [lra|apply Hf]. }
    apply (is_lim_seq_le (fun n => sum_n (fun i => mass m (Z.of_nat i) * f (Z.of_nat i)) n
      + sum_n (fun i => mass m (- Z.of_nat (S i)) * f (- Z.of_nat (S i))%Z) n) (fun _ => ev p f)
      (Series (fun i => mass m (Z.of_nat i) * f (Z.of_nat i))
       + Series (fun i => mass m (- Z.of_nat (S i)) * f (- Z.of_nat (S i))%Z))
           (ev p f)); [exact Part| |apply is_lim_seq_const].
    apply is_lim_seq_plus'; apply (Series_correct _); assumption. }
  intros f Hf. apply Rle_antisym; [|apply Above, Hf]. destruct Hf as [B Hf].
  assert (Rest : bounded (fun z => B - f z)) by (exists B; intros z; specialize (Hf z); lra).
  assert (Bf : bounded f) by (exists B; auto). assert (HB : 0 <= B) by (specialize (Hf 0%Z); lra).
  assert (Sum : forall q : law Z, ev q (fun z => B - f z) + ev q f = B).
  { intros q. rewrite <- ev_plus by assumption. transitivity (ev q (fun _ => B)); [|apply ev_const, HB].
    apply ev_ext; [apply bounded_plus; assumption|intros z; ring]. }
  pose proof (Above _ Rest). pose proof (Sum p). pose proof (Sum (grid m)). lra.
Qed.

(** ** A draw for each candidate *)
Definition update (v : nat -> Z) (i : nat) (x : Z) : nat -> Z := fun j => if (j =? i)%nat then x else v j.

Fixpoint draw_all (p : nat -> law Z) (candidates : list nat) : law (nat -> Z) :=
  match candidates with
  | [] => ret (fun _ => 0%Z)
  | i :: rest => x <- p i ;; v <- draw_all p rest ;; ret (update v i x)
  end.

Definition sum_nat (l : list nat) (up : nat -> nat) : nat := fold_right (fun i n => (up i + n)%nat) 0%nat l.

(** To move the draw of each candidate [i] up by [up i] steps costs [A^(sum of up)]. *)
Lemma draw_all_climbs A p candidates (up : nat -> nat) : 0 <= A ->
  (forall i, climbs A (p i)) ->
  forall f h, bounded f -> bounded h ->
    (forall v w, (forall i, In i candidates -> w i = (v i + Z.of_nat (up i))%Z) -> f v <= h w) ->
    ev (draw_all p candidates) f <= A ^ sum_nat candidates up * ev (draw_all p candidates) h.
Proof.
  intros HA Hp. induction candidates as [|i rest IH]; intros f h Hf Hh L.
  - simpl. rewrite Rmult_1_l. apply L. intros i [].
  - simpl sum_nat. rewrite pow_add, Rmult_assoc. cbn [draw_all bind ev].
    assert (Bn : forall f, bounded f -> forall k : Z -> law (nat -> Z),
               bounded (fun x => ev (k x) (fun v => ev (ret (update v i x)) f))).
    { intros f0 [B H] k. apply bounded_ev. exists B. intros; apply H. }
    rewrite <- (ev_scal (p i)) by (try apply pow_le; auto).
    apply climbs_many; auto.
    { apply bounded_scal; [apply pow_le; auto|apply Bn; auto]. }
    intros x. cbn [ret ev]. apply IH.
    + apply (bounded_comp f (fun v => update v i x)), Hf.
    + apply (bounded_comp h (fun v => update v i (x + Z.of_nat (up i)))), Hh.
    + intros v w E. apply L. intros j Hj. unfold update. destruct (Nat.eqb_spec j i) as [->|D]; [reflexivity|].
      apply E. destruct Hj; [congruence|auto].
Qed.

(** Candidates on whose draws [f] does not depend can be left out. *)
Lemma draw_all_without p candidates (drop : nat -> bool) f : bounded f ->
  (forall v w, (forall i, drop i = false -> v i = w i) -> f v = f w) ->
  ev (draw_all p candidates) f = ev (draw_all p (filter (fun i => negb (drop i)) candidates)) f.
Proof.
  revert f. induction candidates as [|i rest IH]; intros f Hf H; [reflexivity|].
  assert (Bn : forall l, bounded (fun x => ev (draw_all p l) (fun v => f (update v i x)))).
  { intros l. destruct Hf as [B Hf]. apply bounded_ev. exists B. auto. }
  cbn [filter draw_all bind ev ret]. destruct (drop i) eqn:D; cbn [negb].
  - rewrite <- (ev_const (p i) (ev (draw_all p (filter (fun i0 => negb (drop i0)) rest)) f))
      by (apply ev_pos, Hf).
    apply ev_ext; auto. intros x. rewrite <- IH by auto. apply ev_ext.
    + apply (bounded_comp f (fun v => update v i x)), Hf.
    + intros v. apply H. intros j Hj. unfold update. destruct (Nat.eqb_spec j i); [congruence|reflexivity].
  - cbn [draw_all bind ev ret]. apply ev_ext; auto. intros x. apply IH.
    + apply (bounded_comp f (fun v => update v i x)), Hf.
    + intros v w E. apply H. intros j Hj. unfold update. destruct (j =? i)%nat; auto.
Qed.

(** The draw of one candidate has the law of that candidate. *)
Lemma draw_all_one p candidates i f : NoDup candidates -> In i candidates -> bounded f ->
  ev (draw_all p candidates) (fun v => f (v i)) = ev (p i) f.
Proof.
  intros N Hi Hf. induction N as [|j rest Hj N IH]; [destruct Hi|]. cbn [draw_all bind ev ret].
  destruct (Nat.eq_dec i j) as [->|D].
  - apply ev_ext.
    + destruct Hf as [B Hf]. apply (bounded_ev _ (fun x v => f (update v j x j))). exists B. auto.
    + intros x. unfold update. rewrite Nat.eqb_refl. apply ev_const. destruct Hf as [B Hf]. apply Hf.
  - destruct Hi as [->|Hi]; [congruence|]. rewrite <- (IH Hi).
    rewrite <- (ev_const (p j) (ev (draw_all p rest) (fun v => f (v i))))
      by (apply ev_pos, (bounded_comp f), Hf).
    apply ev_ext.
    + destruct Hf as [B Hf]. apply (bounded_ev _ (fun x v => f (update v j x i))). exists B. auto.
    + intros x. apply ev_ext; [apply (bounded_comp f), Hf|]. intros v. unfold update.
      destruct (Nat.eqb_spec i j); [congruence|reflexivity].
Qed.
