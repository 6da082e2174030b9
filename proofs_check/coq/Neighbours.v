(** * Neighbouring data sets, and the admission of raw rows

    Data sets are lists whose order does not matter.  [Exchange]: the values of one row differ, and the number of rows is
    public.  [AddRemove]: one data set has a row that the other lacks, and the number of rows is secret; data sets that
    are equal but for the order count as neighbours too.  (`Relation` in `fast/protocol.py`.) *)
From Coq Require Import Reals Lra List Lia Permutation.
From Privboost Require Export Sensitivity.
Import ListNotations.
Local Open Scope R_scope.

Inductive relation := Exchange | AddRemove.

Definition neighbours {A} (r : relation) (S S' : list A) : Prop :=
  match r with
  | Exchange => exchange S S'
  | AddRemove => add_one S S' \/ add_one S' S \/ Permutation S S'
  end.

(** The number of rows in which neighbours differ, when an exchange is one row less and another one more. *)
Definition touched (r : relation) : R := match r with Exchange => 2 | AddRemove => 1 end.

(** Admission looks at one raw row at a time: it yields a row, or drops it (`Admission` in `fast/admission.py`). *)
Section Admission.
Context {Raw Row : Type}.
Variable admit : Raw -> option Row.
Definition admitted (S : list Raw) : list Row := flat_map (fun r => match admit r with Some x => [x] | None => [] end) S.

Lemma admitted_perm S S' : Permutation S S' -> Permutation (admitted S) (admitted S').
Proof. intros. now apply Permutation_flat_map. Qed.

Lemma admitted_length S : (length (admitted S) <= length S)%nat.
Proof. induction S as [|r S IH]; simpl; auto. destruct (admit r); simpl; lia. Qed.

(** Rows are dropped under add/remove only: there invalid='drop' is allowed. *)
Definition may_drop (r : relation) : Prop := match r with Exchange => forall x, admit x <> None | AddRemove => True end.

Lemma add_one_admitted S S' : add_one S S' -> neighbours AddRemove (admitted S) (admitted S').
Proof.
  intros (e & P). apply admitted_perm in P. simpl in P. destruct (admit e) as [x|].
  - left. now exists x.
  - now right; right.
Qed.

Theorem admitted_neighbours r S S' : may_drop r -> neighbours r S S' -> neighbours r (admitted S) (admitted S').
Proof.
  destruct r; simpl; intros M N.
  - destruct N as (e & e' & rest & P & P'). apply admitted_perm in P, P'. simpl in P, P'.
    destruct (admit e) as [x|] eqn:E; [|now apply M in E]. destruct (admit e') as [x'|] eqn:E'; [|now apply M in E'].
    now exists x, x', (admitted rest).
  - destruct N as [N | [N | N]].
    + now apply add_one_admitted.
    + destruct (add_one_admitted _ _ N) as [A | [A | A]]; auto using Permutation_sym.
    + auto using admitted_perm.
Qed.
End Admission.
