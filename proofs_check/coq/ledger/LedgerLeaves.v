(** * Leaves as the ledger writes them

    The ledger has the risk of a leaf as (a + b) L(a / (a + b)) with an example that adds p or q to its masses.  Its
    formulas follow from the theorems about leaves. *)
From Coq Require Import Reals Lra Psatz.
From Privboost Require Import Risk Arithmetic.
Local Open Scope R_scope.

Lemma risk_of_ledger L : concave_symmetric L -> L 0 = 0 -> bayes_risk L.
Proof. intros [C S] Z. now split. Qed.

Lemma abs_within x y : Rabs x <= y -> - y <= x <= y.
Proof. intros H. assert (A := Rle_abs x). assert (B := Rle_abs (- x)). rewrite Rabs_Ropp in B. lra. Qed.

Lemma one_class x y : x = 0 \/ y = 0 -> x * y = 0.
Proof. intros [-> | ->]; ring. Qed.

(** A share q of the mass of a leaf, also where the leaf is empty. *)
Lemma leaf_by_share L q a b : q * (a + b) = a -> (a + b) * L q = leaf L a b.
Proof.
  intros H. unfold leaf. destruct (Req_dec (a + b) 0) as [E|N]; [rewrite E; ring|].
  f_equal. f_equal. apply Rmult_eq_reg_r with (a + b); auto. rewrite H. field. exact N.
Qed.

Section Leaves.
Variable L : R -> R.
Hypothesis HL : bayes_risk L.

Lemma example_added a b p q m : 0 <= a -> 0 <= b -> a + b <= m - 1 -> 0 <= p -> 0 <= q -> p * q = 0 -> p + q <= 1 ->
  0 <= leaf L (a + p) (b + q) - leaf L a b <= sharp L m.
Proof.
  intros A B M P Q E W. destruct (Rmult_integral p q E) as [-> | ->]; rewrite Rplus_0_r; split.
  - assert (H := leaf_monotone_negative L HL a b q A B Q). lra.
  - apply increment_bound_negative; auto; lra.
  - assert (H := leaf_monotone_positive L HL a b p A B P). lra.
  - apply increment_bound; auto; lra.
Qed.

Lemma example_exchanged a b p q p' q' m : 0 <= a -> 0 <= b -> a + b <= m - 1 ->
  0 <= p -> 0 <= q -> p * q = 0 -> p + q <= 1 -> 0 <= p' -> 0 <= q' -> p' * q' = 0 -> p' + q' <= 1 ->
  Rabs (leaf L (a + p) (b + q) - leaf L (a + p') (b + q')) <= sharp L m.
Proof.
  intros A B M P Q E W P' Q' E' W'.
  assert (H := example_added a b p q m A B M P Q E W). assert (H' := example_added a b p' q' m A B M P' Q' E' W').
  apply Rabs_le. lra.
Qed.
End Leaves.

(** The tactics of the links. *)
Ltac leaves :=
  intros; match goal with C : concave_symmetric ?L, Z : ?L 0 = 0 |- _ => pose proof (risk_of_ledger L C Z) as HL end.
Ltac shown_by K := repeat match type of K with ?P -> _ => specialize (K ltac:(first [assumption | lra | nra])) end.
Ltac leaf_fact F := let K := fresh "K" in pose proof F as K; shown_by K.
Ltac leaf_lra :=
  unfold leaf, sharp in *;
  repeat match goal with
  | H : Rabs _ <= _ |- _ => apply abs_within in H
  | |- Rabs _ <= _ => apply Rabs_le
  | |- _ /\ _ => split
  end; try lra.
