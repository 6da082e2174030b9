(** * Independent draws, one for each entry of a list

    A step of the learner releases a list: the split of every node of a level, or the noisy masses of every leaf.  The
    entries are drawn independently, so that the law of the list is a product. *)
From Coq Require Import Reals Lra List Lia FinFun.
From Privboost Require Import Law.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint product {A} (ps : list (A -> R)) (xs : list A) : R :=
  match ps, xs with
  | [], [] => 1
  | p :: ps', x :: xs' => p x * product ps' xs'
  | _, _ => 0
  end.

(** A law is still one when its outcomes are renamed one to one. *)
Lemma law_named {A B} (f : A -> B) (g : B -> R) : Injective f -> named f g -> (forall y, 0 <= g y) ->
  law (fun x => g (f x)) -> law g.
Proof.
  intros I N P L. assert (B' : sub_law g) by (apply (bounded_named f); auto; now apply law_sub).
  apply law_total. split; auto. rewrite <- (total_inj f g 1 I B' N). now apply law_total.
Qed.

Section Product.
Context {A : Type}.

Lemma product_nonneg (ps : list (A -> R)) xs : (forall p, In p ps -> forall x, 0 <= p x) -> 0 <= product ps xs.
Proof.
  revert xs; induction ps as [|p ps IH]; intros [|x xs] H; simpl; try lra.
  apply Rmult_le_pos; [apply H; simpl; auto | apply IH; intros; apply H; simpl; auto].
Qed.

Definition cons_pair (z : A * list A) : list A := fst z :: snd z.

Theorem product_law (ps : list (A -> R)) : (forall p, In p ps -> law p) -> law (product ps).
Proof.
  induction ps as [|p ps IH]; intros H.
  - assert (E : forall xs, product (@nil (A -> R)) xs = ret (@nil A) xs).
    { intros [|x xs]; unfold ret; simpl; destruct decide; congruence. }
    apply law_ext with (ret []); [auto | apply ret_law].
  - apply (law_named cons_pair).
    + intros [a b] [c d] E. unfold cons_pair in E; simpl in E. congruence.
    + intros [|x xs]; simpl; [congruence | now exists (x, xs)].
    + intros xs. apply product_nonneg. intros q Q x. apply H, law_sub in Q. apply Q.
    + apply (joint_law p (fun _ => product ps)); [apply H; simpl; auto | intros _; apply IH; intros; apply H; simpl; auto].
Qed.

(** The entries [i] of a list of indices contribute [e i] each. *)
Theorem product_close {I} (l : list I) (p q : I -> A -> R) (e : I -> R) :
  (forall i x, 0 <= p i x) -> (forall i x, 0 <= q i x) -> (forall i, In i l -> close (e i) (p i) (q i)) ->
  close (lsum e l) (product (map p l)) (product (map q l)).
Proof.
  intros P Q C. induction l as [|i l IH]; intros [|x xs]; simpl; try (rewrite ?exp_0; lra).
  rewrite exp_plus.
  replace (exp (e i) * exp (lsum e l) * (q i x * product (map q l) xs))
    with ((exp (e i) * q i x) * (exp (lsum e l) * product (map q l) xs)) by ring.
  apply Rmult_le_compat; [apply P | | apply C; simpl; auto | apply IH; intros; apply C; simpl; auto].
  apply product_nonneg. intros r R y. apply in_map_iff in R. destruct R as (j & <- & _). apply P.
Qed.

(** Only one entry differs. *)
Lemma lsum_only {I} (e : I -> R) (a : I) l : NoDup l -> 0 <= e a -> (forall i, i <> a -> e i = 0) -> lsum e l <= e a.
Proof.
  intros N P Z. induction N as [|i l NI N IH]; simpl; [auto|]. destruct (decide (i = a)) as [->|D].
  - rewrite (lsum_ext e (fun _ => 0 * 0) l), lsum_scal; [lra|].
    intros j J. rewrite Z; [ring|]. intros ->. contradiction.
  - rewrite (Z i D). lra.
Qed.

Theorem product_close_at {I} (l : list I) (p q : I -> A -> R) (a : I) eps : NoDup l -> 0 <= eps ->
  (forall i x, 0 <= p i x) -> (forall i x, 0 <= q i x) -> (forall i, i <> a -> forall x, p i x = q i x) ->
  close eps (p a) (q a) -> close eps (product (map p l)) (product (map q l)).
Proof.
  intros N E P Q Same C. set (e := fun i => if decide (i = a) then eps else 0).
  assert (B : lsum e l <= eps).
  { replace eps with (e a) by (unfold e; destruct decide; congruence).
    apply lsum_only; auto; unfold e; [destruct decide; lra|]. intros i D. destruct decide; congruence. }
  apply close_weaken with (lsum e l); auto.
  - intros xs. apply product_nonneg. intros r R x. apply in_map_iff in R. destruct R as (j & <- & _). apply Q.
  - apply product_close; auto. intros i _ x. unfold e. destruct (decide (i = a)) as [->|D]; [apply C|].
    rewrite exp_0, (Same i D). lra.
Qed.
End Product.
