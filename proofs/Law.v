(** * Laws of probability, and programs that draw

    A law over [X] is given by what it expects of every bounded function [f : X -> R] with values
    at least zero: [ev p f] is the expectation of [f]. The probability of an event is the expectation
    of the function that is 1 on it and 0 elsewhere. Four rules are all that the proofs use.

    [ret x] always gives [x]. [bind p next] draws [x] from [p] and goes on with [next x]; written
    [x <- p ;; next x]. With coins and with draws from the grid ([Grid.v]) these make up every
    mechanism here: read them as programs. *)
Require Import Reals Lra.
Open Scope R_scope.

Definition bounded {X : Type} (f : X -> R) : Prop := exists B, forall x, 0 <= f x <= B.

Record law (X : Type) := Law {
  ev : (X -> R) -> R;
  ev_mono : forall f h, bounded f -> bounded h -> (forall x, f x <= h x) -> ev f <= ev h;
  ev_plus : forall f h, bounded f -> bounded h -> ev (fun x => f x + h x) = ev f + ev h;
  ev_scal : forall c f, 0 <= c -> bounded f -> ev (fun x => c * f x) = c * ev f;
  ev_one : ev (fun _ => 1) = 1 }.
Arguments ev {X}. Arguments ev_mono {X}. Arguments ev_plus {X}. Arguments ev_scal {X}. Arguments ev_one {X}.

(** ** Bounded functions *)

Lemma bounded_const {X} c : 0 <= c -> bounded (fun _ : X => c).
Proof. intros H; exists c; intros; lra. Qed.

Lemma bounded_plus {X} (f h : X -> R) : bounded f -> bounded h -> bounded (fun x => f x + h x).
Proof. intros [B Hf] [C Hh]; exists (B + C); intros x; specialize (Hf x); specialize (Hh x); lra. Qed.

Lemma bounded_mult {X} (f h : X -> R) : bounded f -> bounded h -> bounded (fun x => f x * h x).
Proof.
  intros [B Hf] [C Hh]; exists (B * C); intros x; specialize (Hf x); specialize (Hh x).
  split; [apply Rmult_le_pos; lra|apply Rmult_le_compat; lra].
Qed.

Lemma bounded_scal {X} c (f : X -> R) : 0 <= c -> bounded f -> bounded (fun x => c * f x).
Proof. intros; apply bounded_mult; [apply bounded_const|]; assumption. Qed.

Lemma bounded_comp {X Y} (f : Y -> R) (g : X -> Y) : bounded f -> bounded (fun x => f (g x)).
Proof. intros [B H]; exists B; intros; apply H. Qed.

(** ** First consequences of the four rules *)

Lemma ev_const {X} (p : law X) c : 0 <= c -> ev p (fun _ => c) = c.
Proof.
  intros H. transitivity (ev p (fun _ => c * 1)).
  - apply Rle_antisym; apply ev_mono; try (apply bounded_const; lra); intros; lra.
  - rewrite ev_scal; [rewrite ev_one; ring|lra|apply bounded_const; lra].
Qed.

Lemma ev_ext {X} (p : law X) f h : bounded f -> (forall x, f x = h x) -> ev p f = ev p h.
Proof.
  intros Hf E. assert (bounded h) by (destruct Hf as [B Hf]; exists B; intros x; rewrite <- E; apply Hf).
  apply Rle_antisym; apply ev_mono; auto; intros x; rewrite E; lra.
Qed.

Lemma ev_range {X} (p : law X) f B : (forall x, 0 <= f x <= B) -> 0 <= ev p f <= B.
Proof.
  intros H. assert (Hf : bounded f) by (exists B; exact H).
  assert (HB : 0 <= B \/ ~ 0 <= B) by lra. destruct HB as [HB|HB].
  - split.
    + rewrite <- (ev_const p 0) by lra. apply ev_mono; auto; [apply bounded_const; lra|intros; apply H].
    + rewrite <- (ev_const p B) by lra. apply ev_mono; auto; [apply bounded_const; lra|intros; apply H].
  - exfalso. (* there is no x at all, and yet the expectation of 1 would be 1 *)
    assert (N : forall x : X, False) by (intros x; specialize (H x); lra).
    assert (1 = 0); [|lra]. rewrite <- (ev_one p). rewrite <- (ev_const p 0) by lra.
    apply ev_ext; [apply bounded_const; lra|intros x; destruct (N x)].
Qed.

Lemma ev_pos {X} (p : law X) f : bounded f -> 0 <= ev p f.
Proof. intros [B H]; apply (ev_range p f B H). Qed.

(** ** Programs *)

Program Definition ret {X} (x : X) : law X := {| ev := fun f => f x |}.

Lemma bounded_ev {X Y} (k : X -> law Y) (f : X -> Y -> R) :
  (exists B, forall x y, 0 <= f x y <= B) -> bounded (fun x => ev (k x) (f x)).
Proof. intros [B H]; exists B; intros x; apply ev_range, H. Qed.

Lemma bounded_next {X Y} (k : X -> law Y) f : bounded f -> bounded (fun x => ev (k x) f).
Proof. intros [B H]; apply bounded_ev; exists B; auto. Qed.

Program Definition bind {X Y} (p : law X) (next : X -> law Y) : law Y :=
  {| ev := fun f => ev p (fun x => ev (next x) f) |}.
Next Obligation.
  apply ev_mono; try apply bounded_next; auto. intros x; apply ev_mono; auto.
Qed.
Next Obligation.
  rewrite <- ev_plus by (apply bounded_next; auto).
  apply ev_ext; [apply bounded_next, bounded_plus; auto|intros x; apply ev_plus; auto].
Qed.
Next Obligation.
  rewrite <- ev_scal by (try apply bounded_next; auto).
  apply ev_ext; [apply bounded_next, bounded_scal; auto|intros x; apply ev_scal; auto].
Qed.
Next Obligation.
  transitivity (ev p (fun _ => 1)); [|apply ev_one].
  apply ev_ext; [apply bounded_next, bounded_const; lra|intros; apply ev_one].
Qed.

Notation "x <- p ;; q" := (bind p (fun x => q)) (at level 61, p at next level, right associativity).

(** A coin that shows [true] with probability [p]. *)
Program Definition coin (p : R) (H : 0 <= p <= 1) : law bool :=
  {| ev := fun f => p * f true + (1 - p) * f false |}.
Next Obligation. apply Rplus_le_compat; apply Rmult_le_compat_l; auto; lra. Qed.
Next Obligation. ring. Qed.
Next Obligation. ring. Qed.
Next Obligation. ring. Qed.

(** ** What is shown: (epsilon, delta)-differential privacy of one law against another

    [E] stands for e^epsilon. The second form is the usual one, about events. *)
Definition chance {X} (p : law X) (event : X -> bool) : R :=
  ev p (fun x => if event x then 1 else 0).

Definition close {X} (E delta : R) (p p' : law X) : Prop :=
  forall event, chance p event <= E * chance p' event + delta.

Lemma bounded_event {X} (event : X -> bool) : bounded (fun x => if event x then 1 else 0).
Proof. exists 1; intros x; destruct (event x); lra. Qed.

Lemma chance_range {X} (p : law X) event : 0 <= chance p event <= 1.
Proof. apply ev_range; intros x; destruct (event x); lra. Qed.

Lemma close_of_functions {X} (E : R) (p p' : law X) :
  (forall f, bounded f -> ev p f <= E * ev p' f) -> close E 0 p p'.
Proof. intros H event. rewrite Rplus_0_r. apply H, bounded_event. Qed.

(** Drawing first from a law that is the same on both sides changes nothing. *)
Lemma bind_mono {X Y} (p : law X) (k k' : X -> law Y) (E : R) f h :
  0 <= E -> bounded f -> bounded h ->
  (forall x, ev (k x) f <= E * ev (k' x) h) ->
  ev (bind p k) f <= E * ev (bind p k') h.
Proof.
  intros HE Hf Hh H. simpl. rewrite <- ev_scal by (try apply bounded_next; auto).
  apply ev_mono; [apply bounded_next; auto|apply bounded_scal, bounded_next; auto|exact H].
Qed.

(** ** Two things that keep a guarantee *)

(** THEOREM (lots). Whoever asks may draw lots, of any law that does not depend on the data, and what is asked may
    depend on them. *)
Theorem close_lots {X Y} (lots : law X) (k k' : X -> law Y) E delta :
  0 <= E -> 0 <= delta -> (forall x, close E delta (k x) (k' x)) -> close E delta (bind lots k) (bind lots k').
Proof.
  intros HE Hd H event. unfold chance. cbn [bind ev].
  set (f := fun y => if event y then 1 else 0). assert (Bf : bounded f) by apply bounded_event.
  rewrite <- (ev_const lots delta Hd), <- ev_scal, <- ev_plus
    by (auto using bounded_next, bounded_const, bounded_scal).
  apply ev_mono; auto using bounded_next, bounded_plus, bounded_scal, bounded_const.
  intros x. apply (H x event).
Qed.

(** THEOREM (afterwards). What is made of a result costs nothing more. *)
Theorem close_after {X Y} (p p' : law X) (g : X -> Y) E delta :
  close E delta p p' -> close E delta (x <- p ;; ret (g x)) (x <- p' ;; ret (g x)).
Proof. intros H event. apply (H (fun x => event (g x))). Qed.

(** Lots and result together: even who knows the lots learns no more. *)
Corollary close_lots_known {X Y} (lots : law X) (k k' : X -> law Y) E delta :
  0 <= E -> 0 <= delta -> (forall x, close E delta (k x) (k' x)) ->
  close E delta (x <- lots ;; y <- k x ;; ret (x, y)) (x <- lots ;; y <- k' x ;; ret (x, y)).
Proof. intros HE Hd H. apply close_lots; auto. intros x. apply close_after, H. Qed.
