(** * Releases one after the other, and releases cell by cell

    The learner is a list of steps.  A step draws an output from a law that depends on the data and on all outputs before
    it; the run of all steps releases the whole history.  Most steps release one entry for each cell of a partition (nodes
    of a level, leaves of a tree).  A row lies in one cell, so that one row more changes the law of one entry only: this is
    the level lemma, with a factor for rows that are added and its square for rows that are exchanged. *)
From Coq Require Import Reals Lra List Lia Permutation.
From Privboost Require Import Law Product.
From Privboost Require Export Neighbours.
Import ListNotations.
Local Open Scope R_scope.

(** ** Runs *)

Section Runs.
Context {D O : Type}.
Definition step := list O -> D -> O -> R.

Fixpoint run (steps : list step) (data : D) (history : list O) : list O -> R :=
  match steps with
  | [] => ret history
  | s :: rest => bind (s history data) (fun output => run rest data (output :: history))
  end.

Theorem run_law steps data h : (forall s, In s steps -> forall h, law (s h data)) -> law (run steps data h).
Proof.
  revert h; induction steps as [|s steps IH]; intros h L; [apply ret_law|].
  apply bind_law; [apply L; simpl; auto|]. intros o. apply IH. intros; apply L; simpl; auto.
Qed.

(** Adaptive composition: the costs of the steps, their second components, add up. *)
Theorem run_close (priced : list (step * R)) data data' h :
  (forall s e, In (s, e) priced -> forall h, law (s h data)) -> (forall s e, In (s, e) priced -> forall h, law (s h data')) ->
  (forall s e, In (s, e) priced -> forall h, close e (s h data) (s h data')) ->
  close (lsum snd priced) (run (map fst priced) data h) (run (map fst priced) data' h).
Proof.
  revert h; induction priced as [|[s e] priced IH]; intros h L L' C; [apply close_refl|].
  assert (run_sub : forall d, (forall s e, In (s, e) priced -> forall h, law (s h d)) ->
    forall h, sub_law (run (map fst priced) d h)).
  { intros d Ld g. apply law_sub, run_law. intros t T. apply in_map_iff in T. destruct T as ([t' e'] & <- & T).
    exact (Ld t' e' T). }
  apply bind_close.
  - apply law_sub. apply (L s e); simpl; auto.
  - apply law_sub. apply (L' s e); simpl; auto.
  - intros o. apply run_sub. intros t f T. apply (L t f); simpl; auto.
  - intros o. apply run_sub. intros t f T. apply (L' t f); simpl; auto.
  - apply C; simpl; auto.
  - intros o. apply IH; intros t f T; [apply (L t f) | apply (L' t f) | apply (C t f)]; simpl; auto.
Qed.
End Runs.
Arguments step : clear implicits.

(** ** Cells *)

Section Cells.
Context {Row A : Type}.
Variable place : Row -> nat.                      (* the cell of a row *)
Variable entry : list Row -> nat -> A -> R.       (* the law of the entry of a cell, for given rows *)
Variable cells : nat.
Definition entries (S : list Row) : list A -> R := product (map (entry S) (seq 0 cells)).

Variables (ok : list Row -> Prop) (c : R).
Hypothesis c_nonneg : 0 <= c.
Hypothesis entry_law : forall S i, law (entry S i).
Hypothesis entry_perm : forall S S' i x, Permutation S S' -> entry S i x = entry S' i x.
Hypothesis entry_local : forall e S i x, place e <> i -> entry (e :: S) i x = entry S i x.
Hypothesis entry_down : forall e S, ok (e :: S) -> close c (entry (e :: S) (place e)) (entry S (place e)).
Hypothesis entry_up : forall e S, ok (e :: S) -> close c (entry S (place e)) (entry (e :: S) (place e)).

Theorem entries_law S : law (entries S).
Proof. apply product_law. intros p P. apply in_map_iff in P. destruct P as (i & <- & _). apply entry_law. Qed.

Lemma entries_perm S S' xs : Permutation S S' -> entries S xs = entries S' xs.
Proof.
  intros P. unfold entries. generalize (seq 0 cells). intros l. revert xs. induction l as [|i l IH]; intros [|x xs]; simpl; auto.
  rewrite IH. f_equal. now apply entry_perm.
Qed.

Lemma entries_one e S : ok (e :: S) -> close c (entries (e :: S)) (entries S) /\ close c (entries S) (entries (e :: S)).
Proof.
  intros H. assert (P : forall S i x, 0 <= entry S i x) by (intros; apply (law_sub _ (entry_law S0 i))).
  split; apply product_close_at with (a := place e); auto using seq_NoDup; intros i N x; rewrite entry_local; auto.
Qed.

(** The level lemma. *)
Theorem entries_private relation S S' : (forall S S', Permutation S S' -> ok S -> ok S') -> ok S -> ok S' ->
  neighbours relation S S' -> close (touched relation * c) (entries S) (entries S').
Proof.
  intros K H H' N. assert (P : forall S xs, 0 <= entries S xs) by (intros; apply (law_sub _ (entries_law S0))).
  assert (Q : forall S S', Permutation S S' -> close 0 (entries S) (entries S')).
  { intros A1 A2 Hp xs. rewrite exp_0, (entries_perm _ _ _ Hp). lra. }
  destruct relation; simpl in *; unfold touched.
  - destruct N as (e & e' & rest & P1 & P2). replace (2 * c) with (0 + (c + (c + 0))) by ring.
    apply close_trans with (entries (e :: rest)); [now apply Q|].
    apply close_trans with (entries rest); [apply entries_one; eauto|].
    apply close_trans with (entries (e' :: rest)); [apply entries_one; eauto|].
    apply Q. now apply Permutation_sym.
  - destruct N as [(e & Pe) | [(e & Pe) | Pe]].
    + replace (1 * c) with (0 + c) by ring. apply close_trans with (entries (e :: S')); [now apply Q | apply entries_one; eauto].
    + replace (1 * c) with (c + 0) by ring. apply close_trans with (entries (e :: S)); [apply entries_one; eauto|].
      apply Q. now apply Permutation_sym.
    + apply close_weaken with 0; [lra | auto | now apply Q].
Qed.
End Cells.
