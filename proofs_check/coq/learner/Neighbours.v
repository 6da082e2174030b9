(** * Neighbouring data sets, and the admission of raw rows

    Data sets are lists whose order does not matter.  [Exchange]: the values of one row differ, and the number of rows is
    public.  [AddRemove]: one data set has a row that the other lacks, and the number of rows is secret; data sets that
    are equal but for the order count as neighbours too.  (`Relation` in `fast/protocol.py`.) *)
From Coq Require Import Reals Lra List Lia Permutation.
From Privboost Require Export Grid Sensitivity.
Import ListNotations.
Local Open Scope R_scope.

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
Variable admission : Raw -> option Row.
Definition admitted (S : list Raw) : list Row := flat_map (fun r => match admission r with Some x => [x] | None => [] end) S.

Lemma admitted_perm S S' : Permutation S S' -> Permutation (admitted S) (admitted S').
Proof. intros. now apply Permutation_flat_map. Qed.

Lemma admitted_length S : (length (admitted S) <= length S)%nat.
Proof. induction S as [|r S IH]; simpl; auto. destruct (admission r); simpl; lia. Qed.

(** Rows are dropped under add/remove only: there invalid='drop' is allowed. *)
Definition may_drop (r : relation) : Prop := match r with Exchange => forall x, admission x <> None | AddRemove => True end.

Lemma add_one_admitted S S' : add_one S S' -> neighbours AddRemove (admitted S) (admitted S').
Proof.
  intros (e & P). apply admitted_perm in P. simpl in P. destruct (admission e) as [x|].
  - left. now exists x.
  - now right; right.
Qed.

Theorem admitted_neighbours r S S' : may_drop r -> neighbours r S S' -> neighbours r (admitted S) (admitted S').
Proof.
  destruct r; simpl; intros M N.
  - destruct N as (e & e' & rest & P & P'). apply admitted_perm in P, P'. simpl in P, P'.
    destruct (admission e) as [x|] eqn:E; [|now apply M in E]. destruct (admission e') as [x'|] eqn:E'; [|now apply M in E'].
    now exists x, x', (admitted rest).
  - destruct N as [N | [N | N]].
    + now apply add_one_admitted.
    + destruct (add_one_admitted _ _ N) as [A | [A | A]]; auto using Permutation_sym.
    + auto using admitted_perm.
Qed.
End Admission.

(** Under add/remove, rows beyond the public bound are left out (`most` in `fast/admission.py`).  Leaving out can turn one
    more row into an exchange: both data sets are then neighbours of a third one. *)
Lemma truncated_neighbours {A} (m : nat) (e : A) (before after : list A) : exists middle,
  (length middle <= m)%nat /\ neighbours AddRemove (firstn m (before ++ e :: after)) middle /\
  neighbours AddRemove middle (firstn m (before ++ after)).
Proof.
  rewrite !firstn_app. destruct (Nat.le_gt_cases m (length before)) as [L | L].
  - replace (m - length before)%nat with 0%nat by lia. simpl. rewrite app_nil_r. exists (firstn m before).
    split; [apply firstn_le_length|]. split; simpl; auto.
  - rewrite (firstn_all2 before) by lia. destruct (m - length before)%nat as [|k] eqn:K; [lia|].
    exists (before ++ firstn k after). split; [rewrite app_length; assert (F := firstn_le_length k after); lia|]. split.
    + left. exists e. cbn [firstn]. apply Permutation_sym, Permutation_middle.
    + destruct (Nat.le_gt_cases (length after) k) as [F | F].
      * right; right. rewrite !firstn_all2 by lia. apply Permutation_refl.
      * right; left. assert (N : nth_error after k <> None) by (apply nth_error_Some; lia).
        destruct (nth_error after k) as [x|] eqn:Hx; [|congruence]. exists x.
        apply nth_error_split in Hx. destruct Hx as (l1 & l2 & -> & <-).
        change (Datatypes.S (length l1)) with (1 + length l1)%nat. rewrite Nat.add_comm.
        rewrite firstn_app_2, firstn_app, firstn_all, Nat.sub_diag. simpl. rewrite app_nil_r, app_assoc.
        apply Permutation_sym. apply Permutation_cons_append.
Qed.
