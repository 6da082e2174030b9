(** * Means of bounded functions, and approximate differential privacy

    A mechanism that is audited may have outputs of any type.  All that the auditor's theorem uses of their
    law is the mean of bounded functions: a positive linear functional with mean 1 for the constant 1.  Every
    discrete law gives one ([DiscreteMeans]). *)

From Coq Require Import Reals Lra Psatz List Lia Arith.
From Privboost Require Import Sums.
Import ListNotations.
Local Open Scope R_scope.

Definition has_bound {A : Type} (f : A -> R) : Prop := exists b, forall x, Rabs (f x) <= b.

Record expectation (A : Type) : Type := {
  mean : (A -> R) -> R;
  mean_le : forall f g, has_bound f -> has_bound g -> (forall x, f x <= g x) -> mean f <= mean g;
  mean_plus : forall f g, has_bound f -> has_bound g -> mean (fun x => f x + g x) = mean f + mean g;
  mean_scal : forall c f, has_bound f -> mean (fun x => c * f x) = c * mean f;
  mean_one : mean (fun _ => 1) = 1 }.
Arguments mean {A}. Arguments mean_le {A}. Arguments mean_plus {A}. Arguments mean_scal {A}. Arguments mean_one {A}.

(** ** Bounded functions *)
Section Bounded.
Context {A : Type}.
Implicit Types f g : A -> R.

Lemma has_bound_const c : has_bound (fun _ : A => c).
Proof. exists (Rabs c). intros; lra. Qed.

Lemma has_bound_between f a b : (forall x, a <= f x <= b) -> has_bound f.
Proof.
  intros H. exists (Rmax (Rabs a) (Rabs b)). intros x. specialize (H x).
  apply Rabs_le. assert (Rabs a <= Rmax (Rabs a) (Rabs b)) by apply Rmax_l.
  assert (Rabs b <= Rmax (Rabs a) (Rabs b)) by apply Rmax_r.
  assert (- a <= Rabs a) by (rewrite <- Rabs_Ropp; apply Rle_abs). assert (b <= Rabs b) by apply Rle_abs. lra.
Qed.

Lemma has_bound_plus f g : has_bound f -> has_bound g -> has_bound (fun x => f x + g x).
Proof.
  intros [a F] [b G]. exists (a + b). intros x.
  apply Rle_trans with (1 := Rabs_triang _ _). specialize (F x). specialize (G x). lra.
Qed.

Lemma has_bound_scal c f : has_bound f -> has_bound (fun x => c * f x).
Proof.
  intros [a F]. exists (Rabs c * a). intros x. rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos | auto].
Qed.

Lemma has_bound_ext f g : (forall x, f x = g x) -> has_bound f -> has_bound g.
Proof. intros E [a F]. exists a. intros x. now rewrite <- E. Qed.

Lemma has_bound_lsum {B} (h : B -> A -> R) l : (forall y, In y l -> has_bound (h y)) -> has_bound (fun x => lsum (fun y => h y x) l).
Proof.
  induction l as [|y l IH]; intros H; simpl; [apply has_bound_const|].
  apply has_bound_plus; [apply H; simpl; auto | apply IH; intros z I; apply H; simpl; auto].
Qed.
End Bounded.

(** ** Means *)
Section Means.
Context {A : Type}.
Variable E : expectation A.

Lemma mean_ext f g : has_bound f -> (forall x, f x = g x) -> mean E f = mean E g.
Proof.
  intros B H. assert (G : has_bound g) by (apply (has_bound_ext f); auto).
  apply Rle_antisym; apply mean_le; auto; intros x; rewrite H; lra.
Qed.

Lemma mean_const c : mean E (fun _ => c) = c.
Proof.
  transitivity (mean E (fun _ => c * 1)).
  - apply mean_ext; [apply has_bound_const | intros; ring].
  - rewrite mean_scal by apply has_bound_const. rewrite mean_one. ring.
Qed.

Lemma mean_nonneg f : has_bound f -> (forall x, 0 <= f x) -> 0 <= mean E f.
Proof. intros B H. rewrite <- (mean_const 0). apply mean_le; auto. apply has_bound_const. Qed.

Lemma mean_lsum {B} (h : B -> A -> R) l : (forall y, In y l -> has_bound (h y)) ->
  mean E (fun x => lsum (fun y => h y x) l) = lsum (fun y => mean E (h y)) l.
Proof.
  induction l as [|y l IH]; intros H; simpl; [apply mean_const|].
  rewrite mean_plus, IH; auto.
  - intros z I; apply H; simpl; auto.
  - apply H; simpl; auto.
  - apply has_bound_lsum. intros z I; apply H; simpl; auto.
Qed.

(** The probability of an event is the mean of its indicator. *)
Definition indicator (S : A -> bool) (x : A) : R := if S x then 1 else 0.
Definition probability (S : A -> bool) : R := mean E (indicator S).

Lemma has_bound_indicator S : has_bound (indicator S).
Proof. apply (has_bound_between _ 0 1). intros x. unfold indicator. destruct (S x); lra. Qed.
End Means.

(** ** Approximate differential privacy of two laws, on all events and in both directions *)
Definition private {A} (eps delta : R) (P Q : expectation A) : Prop :=
  forall S, probability P S <= exp eps * probability Q S + delta /\
            probability Q S <= exp eps * probability P S + delta.

Lemma private_sym {A} eps delta (P Q : expectation A) : private eps delta P Q -> private eps delta Q P.
Proof. intros H S. destruct (H S); auto. Qed.

Lemma private_weaker {A} eps delta eps' delta' (P Q : expectation A) :
  eps <= eps' -> delta <= delta' -> private eps delta P Q -> private eps' delta' P Q.
Proof.
  intros E D H S. destruct (H S) as [H1 H2].
  assert (X : exp eps <= exp eps') by (destruct E as [E|E]; [left; now apply exp_increasing | rewrite E; lra]).
  assert (N : forall L : expectation A, 0 <= probability L S).
  { intros L. apply mean_nonneg; [apply has_bound_indicator|]. intros x. unfold indicator. destruct (S x); lra. }
  assert (NP := N P). assert (NQ := N Q). split; nra.
Qed.

(** Groups: along a chain of [n] neighbours the epsilons add up and the deltas grow geometrically. *)
Fixpoint geometric (q : R) (n : nat) : R := match n with O => 0 | S n' => 1 + q * geometric q n' end.

Theorem group_privacy {A} eps delta (chain : nat -> expectation A) n :
  0 <= delta -> (forall i, (i < n)%nat -> private eps delta (chain i) (chain (S i))) ->
  private (INR n * eps) (delta * geometric (exp eps) n) (chain O) (chain n).
Proof.
  intros D H.
  assert (Step : forall (P : nat -> expectation A) m, (forall i, (i < m)%nat -> private eps delta (P i) (P (S i))) ->
    forall S, probability (P O) S <= exp (INR m * eps) * probability (P m) S + delta * geometric (exp eps) m).
  { intros P m. revert P. induction m as [|m IH]; intros P N S.
    - simpl. rewrite Rmult_0_l, exp_0. lra.
    - assert (B := IH (fun i => P (Datatypes.S i)) ltac:(intros i I; apply N; lia) S). simpl in B.
      destruct (N O ltac:(lia) S) as [C _]. rewrite S_INR. cbn [geometric].
      replace ((INR m + 1) * eps) with (eps + INR m * eps) by ring. rewrite exp_plus.
      assert (X := exp_pos eps). nra. }
  intros S. split; [now apply Step|].
  assert (B := Step (fun i => chain (n - i)%nat) n). simpl in B. rewrite Nat.sub_0_r, Nat.sub_diag in B.
  apply B. intros i I. apply private_sym.
  replace (n - i)%nat with (Datatypes.S (n - Datatypes.S i)) by lia. apply H. lia.
Qed.

(** ** Privacy for functions of finitely many cells in place of events

    A function that is constant on each of finitely many cells is a list of its values; outside of all cells
    it is 0.  Python: [partition.cells(outputs)] gives the cell of each output. *)
Section Cells.
Context {A : Type}.
Variable cell : A -> nat.
Definition on_cells (w : list R) (x : A) : R := nth (cell x) w 0.
Definition in_cell (c : nat) (x : A) : bool := Nat.eqb (cell x) c.

Lemma nth_as_sum (w : list R) k : forall n, (length w <= n)%nat ->
  nth k w 0 = lsum (fun c => nth c w 0 * (if Nat.eqb k c then 1 else 0)) (seq 0 n).
Proof.
  assert (Z : forall s n, (k < s \/ s + n <= k)%nat ->
    lsum (fun c => nth c w 0 * (if Nat.eqb k c then 1 else 0)) (seq s n) = 0).
  { intros s n; revert s; induction n as [|n IH]; intros s H; simpl; auto.
    rewrite IH by lia. destruct (Nat.eqb_spec k s); [lia | ring]. }
  intros n L. destruct (Nat.lt_ge_cases k n) as [K|K].
  - replace n with (k + (1 + (n - k - 1)))%nat by lia. rewrite !seq_app, !lsum_app. rewrite (Z O k) by lia.
    cbn [seq lsum Nat.add]. rewrite Nat.eqb_refl, (Z (k + 1)%nat) by lia. ring.
  - rewrite Z by lia. apply nth_overflow. lia.
Qed.

Lemma has_bound_on_cells w : has_bound (on_cells w).
Proof.
  apply has_bound_ext with (fun x => lsum (fun c => nth c w 0 * indicator (in_cell c) x) (seq 0 (length w))).
  - intros x. unfold on_cells. symmetry. now apply nth_as_sum.
  - apply has_bound_lsum. intros c _. apply has_bound_scal, has_bound_indicator.
Qed.

Lemma mean_on_cells (E : expectation A) w n : (length w <= n)%nat ->
  mean E (on_cells w) = lsum (fun c => nth c w 0 * probability E (in_cell c)) (seq 0 n).
Proof.
  intros L. rewrite (mean_ext _ _ (fun x => lsum (fun c => nth c w 0 * indicator (in_cell c) x) (seq 0 n))).
  - rewrite mean_lsum by (intros; apply has_bound_scal, has_bound_indicator). apply lsum_ext.
    intros c _. now rewrite mean_scal by apply has_bound_indicator.
  - apply has_bound_on_cells.
  - intros x. now apply nth_as_sum.
Qed.

Lemma nth_map_seq (g : nat -> R) n k : nth k (map g (seq 0 n)) 0 = if Nat.ltb k n then g k else 0.
Proof.
  destruct (Nat.ltb_spec k n) as [K|K].
  - rewrite (nth_indep _ _ (g O)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. reflexivity.
  - apply nth_overflow. rewrite map_length, seq_length. lia.
Qed.

Theorem private_on_cells eps delta (P Q : expectation A) (w : list R) top :
  (forall S, probability P S <= exp eps * probability Q S + delta) ->
  (forall c, 0 <= nth c w 0 <= top) ->
  mean P (on_cells w) - exp eps * mean Q (on_cells w) <= top * delta.
Proof.
  intros H W. set (n := length w).
  set (gap := fun c => probability P (in_cell c) - exp eps * probability Q (in_cell c)).
  set (likely := fun c => if Rlt_dec 0 (gap c) then 1 else 0).
  set (S := fun x => if Nat.ltb (cell x) n then (if Rlt_dec 0 (gap (cell x)) then true else false) else false).
  assert (I : forall x, indicator S x = on_cells (map likely (seq 0 n)) x).
  { intros x. unfold indicator, on_cells, S, likely. rewrite nth_map_seq.
    destruct (Nat.ltb (cell x) n), (Rlt_dec 0 (gap (cell x))); reflexivity. }
  assert (M : forall E : expectation A, probability E S = lsum (fun c => likely c * probability E (in_cell c)) (seq 0 n)).
  { intros E. unfold probability at 1. rewrite (mean_ext E _ _ (has_bound_indicator S) I).
    rewrite (mean_on_cells E _ n) by (rewrite map_length, seq_length; lia).
    apply lsum_ext. intros c C. apply in_seq in C. rewrite nth_map_seq.
    destruct (Nat.ltb_spec c n); [reflexivity | lia]. }
  specialize (H S). rewrite !M in H.
  rewrite (mean_on_cells P w n), (mean_on_cells Q w n) by (unfold n; lia).
  assert (T : 0 <= top) by (destruct (W O); lra).
  assert (D : lsum (fun c => nth c w 0 * gap c) (seq 0 n) <= top * lsum (fun c => likely c * gap c) (seq 0 n)).
  { rewrite <- lsum_scal. apply lsum_le. intros c _. destruct (W c). unfold likely.
    destruct (Rlt_dec 0 (gap c)); nra. }
  assert (G : forall a : nat -> R, lsum (fun c => a c * gap c) (seq 0 n) =
    lsum (fun c => a c * probability P (in_cell c)) (seq 0 n) - exp eps * lsum (fun c => a c * probability Q (in_cell c)) (seq 0 n)).
  { intros a. unfold gap. generalize (seq 0 n) as cells. induction cells as [|c l IHl]; simpl; [ring|]. rewrite IHl. ring. }
  rewrite !G in D. nra.
Qed.
End Cells.
