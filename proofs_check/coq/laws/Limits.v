(** * Limits of laws that grow

    A program that loops yields, after n turns, a sub-law: the outcomes that it has reached by then.  These grow with n.
    The law of the program is their limit, and the limit passes through sums, events and binds (monotone convergence). *)
From Coq Require Import Reals Lra List Lia.
From Privboost Require Import Law.
Import ListNotations.
Local Open Scope R_scope.

Definition growing {A} (p : nat -> A -> R) : Prop := forall n x, p n x <= p (S n) x.
Definition limit {A} (p : nat -> A -> R) (x : A) : R := sup (fun s => exists n, s = p n x).

Section Convergence.
Context {A : Type}.
Variables (g : nat -> A -> R) (M : R).
Hypothesis bound : forall n, bounded M (g n).
Hypothesis grows : growing g.

Lemma member_le n x : g n x <= M.
Proof. apply Rle_trans with (total (g n)); [now apply total_member with M | now apply total_bounded]. Qed.

Lemma grows_le n n' x : (n <= n')%nat -> g n x <= g n' x.
Proof. induction 1; [lra|]. eapply Rle_trans; [eassumption | apply grows]. Qed.

Lemma limit_lub x : is_lub (fun s => exists n, s = g n x) (limit g x).
Proof.
  apply sup_is_lub with M; [now exists (g 0%nat x), 0%nat|]. intros s [n ->]. apply member_le.
Qed.

Lemma limit_ge n x : g n x <= limit g x.
Proof. apply limit_lub. now exists n. Qed.

Lemma limit_le x b : (forall n, g n x <= b) -> limit g x <= b.
Proof. intros H. apply limit_lub. intros s [n ->]. auto. Qed.

Lemma limit_approx x eta : 0 < eta -> exists n, limit g x - eta < g n x.
Proof.
  intros E. apply Classical_Prop.NNPP. intros C. assert (limit g x <= limit g x - eta); [|lra].
  apply limit_le. intros n. apply Rnot_lt_le. intros H. apply C. now exists n.
Qed.

Lemma limit_cv x : Un_cv (fun n => g n x) (limit g x).
Proof.
  intros eta E. destruct (limit_approx x eta E) as [n N]. exists n. intros n' H.
  assert (L := limit_ge n' x). assert (Q := grows_le n n' x H). unfold R_dist. apply Rabs_def1; lra.
Qed.

Lemma lsum_limit_approx l eta : 0 < eta -> exists n, lsum (limit g) l <= lsum (g n) l + INR (length l) * eta.
Proof.
  intros E. induction l as [|x l [n IH]]; [exists 0%nat; simpl; lra|].
  destruct (limit_approx x eta E) as [n' N]. exists (Nat.max n n').
  change (length (x :: l)) with (S (length l)). rewrite S_INR. cbn [lsum].
  assert (Q := grows_le n' (Nat.max n n') x ltac:(lia)).
  assert (lsum (g n) l <= lsum (g (Nat.max n n')) l) by (apply lsum_le; intros; apply grows_le; lia). lra.
Qed.

Lemma lsum_limit l b : (forall n, lsum (g n) l <= b) -> lsum (limit g) l <= b.
Proof.
  intros H. apply le_epsilon. intros eta E. set (k := INR (length l)). assert (K : 0 <= k) by apply pos_INR.
  destruct (lsum_limit_approx l (eta / (k + 1))) as [n N]; [apply Rdiv_lt_0_compat; lra|].
  fold k in N. specialize (H n). assert (k * (eta / (k + 1)) <= eta); [|lra].
  replace eta with ((k + 1) * (eta / (k + 1))) at 2 by (field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra | lra].
Qed.

Lemma limit_bounded : bounded M (limit g).
Proof.
  split.
  - intros x. apply Rle_trans with (g 0%nat x); [apply bound | apply limit_ge].
  - intros l N. apply lsum_limit. intros n. now apply bound.
Qed.

(** The sum of the limits is the limit of the sums. *)
Theorem total_limit : Un_cv (fun n => total (g n)) (total (limit g)).
Proof.
  intros eta E. destruct (total_approx M (limit g) (eta / 2) limit_bounded) as (l & N & H); [lra|].
  set (k := INR (length l)). assert (K : 0 <= k) by apply pos_INR.
  destruct (lsum_limit_approx l (eta / 2 / (k + 1))) as [n Hn]; [apply Rdiv_lt_0_compat; lra|]. fold k in Hn.
  assert (k * (eta / 2 / (k + 1)) < eta / 2).
  { apply Rlt_le_trans with ((k + 1) * (eta / 2 / (k + 1))); [|right; field; lra].
    apply Rmult_lt_compat_r; [apply Rdiv_lt_0_compat; lra | lra]. }
  exists n. intros n' Q. unfold R_dist.
  assert (U : total (g n') <= total (limit g)) by (apply total_mono with M; [intros; apply limit_ge | apply limit_bounded]).
  assert (lsum (g n) l <= lsum (g n') l) by (apply lsum_le; intros; now apply grows_le).
  assert (L := total_ge M (g n') l (bound n') N). apply Rabs_def1; lra.
Qed.
End Convergence.

(** ** Events and binds *)

Section Events.
Context {A : Type}.
Variable p : nat -> A -> R.
Hypothesis subs : forall n, sub_law (p n).
Hypothesis grows : growing p.

Theorem limit_sub : sub_law (limit p).
Proof. exact (limit_bounded p 1 subs grows). Qed.

Theorem prob_limit E : Un_cv (fun n => prob (p n) E) (prob (limit p) E).
Proof.
  set (g := fun n => on E (p n)).
  assert (B : forall n, bounded 1 (g n)) by (intros; apply on_bounded, subs).
  assert (G : growing g) by (intros n x; unfold g, on; destruct decide; [apply grows | lra]).
  assert (L : total (limit g) = prob (limit p) E).
  { rewrite prob_on by apply limit_sub. apply total_ext. intros x.
    apply UL_sequence with (fun n => g n x); [now apply limit_cv with 1|]. unfold g, on.
    destruct (decide (E x)); [exact (limit_cv p 1 subs grows x)|]. intros eta H. exists 0%nat. intros. now rewrite R_dist_eq. }
  rewrite <- L. intros eta H. destruct (total_limit g 1 B G eta H) as [n N]. exists n. intros n' Q.
  rewrite prob_on by auto. now apply N.
Qed.

(** A loop that comes to an end with probability 1 follows a law. *)
Theorem limit_law : Un_cv (fun n => total (p n)) 1 -> law (limit p).
Proof.
  intros H. apply law_total. split; [apply limit_sub|].
  apply UL_sequence with (2 := H). exact (total_limit p 1 subs grows).
Qed.
End Events.

Theorem bind_limit {A B} (p : nat -> A -> R) (k : nat -> A -> B -> R) y :
  (forall n, sub_law (p n)) -> growing p -> (forall n x, sub_law (k n x)) -> (forall x, growing (fun n => k n x)) ->
  Un_cv (fun n => bind (p n) (k n) y) (bind (limit p) (fun x => limit (fun n => k n x)) y).
Proof.
  intros P G K H. set (g := fun n x => p n x * k n x y).
  assert (B' : forall n, bounded 1 (g n)) by (intros; now apply column_bounded).
  assert (G' : growing g).
  { intros n x. apply Rmult_le_compat; [apply P | apply K | apply G | apply H]. }
  replace (bind (limit p) _ y) with (total (limit g)); [now apply total_limit with 1|].
  apply total_ext. intros x. apply UL_sequence with (fun n => g n x); [now apply limit_cv with 1|].
  apply CV_mult; [exact (limit_cv p 1 P G x)|].
  exact (limit_cv (fun n => k n x) 1 (fun n => K n x) (H x) y).
Qed.
