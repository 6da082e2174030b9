(** * Drawing a split: uniformly, by the exponential mechanism, by permute-and-flip

    A split is one of the candidates 0 .. n-1.  The two laws that look at the data take an exponent [u i] for each
    candidate: the rate times its score.  If no exponent rises by more than [a] and none falls by more than [b], the
    probability of each candidate changes by a factor of at most exp(a + b). *)
From Coq Require Import Reals Lra Psatz List Lia Arith.
From Privboost Require Import Law.
Import ListNotations.
Local Open Scope R_scope.

Definition below (n : nat) (p : nat -> R) (i : nat) : R := if Nat.ltb i n then p i else 0.

(** Probabilities of finitely many candidates that add up to 1. *)
Lemma below_law n p : (forall i, (i < n)%nat -> 0 <= p i) -> lsum p (seq 0 n) = 1 -> law (below n p).
Proof.
  intros P S. assert (N : forall i, 0 <= below n p i).
  { intros i. unfold below. destruct (Nat.ltb_spec i n); [auto | lra]. }
  assert (S' : lsum (below n p) (seq 0 n) = 1).
  { rewrite <- S. apply lsum_ext. intros i I. apply in_seq in I. unfold below. destruct (Nat.ltb_spec i n); [auto | lia]. }
  apply law_intro; auto.
  - intros l D. rewrite <- S'.
    apply Rle_trans with (lsum (below n p) (filter (fun i => Nat.ltb i n) l)).
    + clear - N. induction l as [|i l IH]; simpl; [lra|]. unfold below at 1. destruct (Nat.ltb_spec i n) as [I|I]; simpl.
      * unfold below at 2. destruct (Nat.ltb_spec i n); [lra | lia].
      * lra.
    + apply lsum_incl; auto; [now apply NoDup_filter|]. intros i I. apply filter_In in I. destruct I as [_ I].
      apply Nat.ltb_lt in I. apply in_seq. lia.
  - intros eta E. exists (seq 0 n). split; [apply seq_NoDup | lra].
Qed.

Lemma below_close n p q eps : (forall i, (i < n)%nat -> p i <= exp eps * q i) -> close eps (below n p) (below n q).
Proof. intros H i. unfold below. destruct (Nat.ltb_spec i n); [auto | lra]. Qed.

Lemma seq_not_nil n : (0 < n)%nat -> seq 0 n <> [].
Proof. destruct n; [lia | simpl; congruence]. Qed.

(** ** Uniform *)

Definition uniform (n : nat) : nat -> R := below n (fun _ => / INR n).

Theorem uniform_law n : (0 < n)%nat -> law (uniform n).
Proof.
  intros H. assert (P : 0 < INR n) by now apply lt_0_INR. apply below_law.
  - intros. now apply Rlt_le, Rinv_0_lt_compat.
  - rewrite (lsum_ext _ (fun _ => / INR n * 1)), lsum_scal by (intros; ring).
    assert (C : forall l : list nat, lsum (fun _ => 1) l = INR (length l)).
    { induction l as [|x l IH]; [reflexivity|]. change (length (x :: l)) with (S (length l)). rewrite S_INR. simpl. lra. }
    rewrite C, seq_length. field. lra.
Qed.

(** ** The exponential mechanism *)

Section Exponential.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Implicit Types u v : nat -> R.

Definition partition u : R := lsum (fun i => exp (u i)) (seq 0 n).
Definition exponential u : nat -> R := below n (fun i => exp (u i) / partition u).

Lemma partition_pos u : 0 < partition u.
Proof. apply lsum_pos; [now apply seq_not_nil | intros; apply exp_pos]. Qed.

Theorem exponential_law u : law (exponential u).
Proof.
  assert (P := partition_pos u). apply below_law.
  - intros. apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos | auto].
  - unfold Rdiv. rewrite (lsum_ext _ (fun i => / partition u * exp (u i))), lsum_scal by (intros; ring).
    fold (partition u). field. lra.
Qed.

Theorem exponential_close a b u v :
  (forall i, (i < n)%nat -> u i <= v i + a) -> (forall i, (i < n)%nat -> v i <= u i + b) ->
  close (a + b) (exponential u) (exponential v).
Proof.
  intros A B. apply below_close. intros i I. assert (P := partition_pos u). assert (Q := partition_pos v).
  assert (T : partition v <= exp b * partition u).
  { unfold partition. rewrite <- lsum_scal. apply lsum_le. intros j J. apply in_seq in J.
    rewrite <- exp_plus. apply exp_le. specialize (B j ltac:(lia)). lra. }
  assert (N : exp (u i) <= exp a * exp (v i)) by (rewrite <- exp_plus; apply exp_le; specialize (A i I); lra).
  assert (E := exp_pos (u i)). rewrite exp_plus.
  apply Rmult_le_reg_r with (partition u * partition v); [now apply Rmult_lt_0_compat|].
  replace (exp (u i) / partition u * (partition u * partition v)) with (exp (u i) * partition v) by (field; lra).
  replace (exp a * exp b * (exp (v i) / partition v) * (partition u * partition v))
    with ((exp a * exp (v i)) * (exp b * partition u)) by (field; lra).
  apply Rmult_le_compat; lra.
Qed.
End Exponential.
