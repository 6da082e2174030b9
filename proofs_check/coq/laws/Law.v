(** * Laws, events, composition and post-processing

    A law on a set gives each outcome a probability.  The set is arbitrary; the law is discrete.  The probability of an
    event is the supremum of the sums over finite lists of distinct outcomes of the event (Sums.v). *)
From Coq Require Import Reals Lra List Lia FinFun FunctionalExtensionality.
From Privboost Require Export Sums.
Import ListNotations.
Local Open Scope R_scope.

(** ** Definitions *)

(** Nonnegative, and no finite sum exceeds 1: what a program yields that may not have come to an end. *)
Definition sub_law {A} (p : A -> R) : Prop := bounded 1 p.

(** Nonnegative, and the finite sums have the least upper bound 1. *)
Definition law {A} (p : A -> R) : Prop := (forall x, 0 <= p x) /\ is_lub (finite_sum p everything) 1.

Definition prob {A} (p : A -> R) (E : A -> Prop) : R := sum_on p E.

(** [close eps p p']: each outcome is at most exp(eps) times as likely under [p] as under [p']. *)
Definition close {A} (eps : R) (p p' : A -> R) : Prop := forall x, p x <= exp eps * p' x.

(** One certain outcome. *)
Definition ret {A} (a x : A) : R := if decide (a = x) then 1 else 0.

(** Draw from [p], then from the law that the outcome names; [joint] keeps both outcomes, [bind] the second one. *)
Definition joint {A B} (p : A -> R) (k : A -> B -> R) (z : A * B) : R := p (fst z) * k (fst z) (snd z).
Definition bind {A B} (p : A -> R) (k : A -> B -> R) (y : B) : R := total (fun x => p x * k x y).

(** The law of [f x] for [x] drawn from [p]. *)
Definition image {A B} (f : A -> B) (p : A -> R) (y : B) : R := prob p (fun x => f x = y).

(** ** Laws *)

Section Laws.
Context {A : Type}.
Implicit Types (p q : A -> R) (E F : A -> Prop).

Lemma law_sub p : law p -> sub_law p.
Proof. intros [P [U _]]. split; auto. intros l N. apply U. exists l. auto using forall_everything. Qed.

Lemma law_total p : law p <-> sub_law p /\ total p = 1.
Proof.
  split.
  - intros H. split; [now apply law_sub|]. apply sup_unique; [apply empty_sum | apply H].
  - intros [H T]. split; [apply H|]. rewrite <- T. now apply sum_on_lub with 1.
Qed.

(** A law is given by its finite sums: none exceeds 1, and some come as near to 1 as one likes. *)
Lemma law_intro p : (forall x, 0 <= p x) -> (forall l, NoDup l -> lsum p l <= 1) ->
  (forall eta, 0 < eta -> exists l, NoDup l /\ 1 - eta <= lsum p l) -> law p.
Proof.
  intros P S N. assert (B : sub_law p) by (split; auto). apply law_total. split; auto.
  apply Rle_antisym; [now apply total_bounded|]. apply le_epsilon. intros eta E.
  destruct (N eta E) as (l & D & H). assert (G := total_ge 1 p l B D). lra.
Qed.

Lemma law_ext p q : (forall x, p x = q x) -> law p -> law q.
Proof. intros E. replace q with p; auto. now apply functional_extensionality. Qed.

Lemma prob_lub p E : sub_law p -> is_lub (finite_sum p E) (prob p E).
Proof. intros H. now apply sum_on_lub with 1. Qed.

Lemma prob_on p E : sub_law p -> prob p E = total (on E p).
Proof. intros H. now apply sum_on_total with 1. Qed.

Lemma prob_everything p : law p -> prob p everything = 1.
Proof. intros H. now apply law_total in H. Qed.

Lemma prob_in p E : sub_law p -> 0 <= prob p E <= 1.
Proof.
  intros H. rewrite prob_on by auto. assert (S := on_bounded 1 E p H).
  split; [now apply total_nonneg with 1 | now apply total_bounded].
Qed.

Lemma prob_mono p E F : sub_law p -> (forall x, E x -> F x) -> prob p E <= prob p F.
Proof.
  intros H I. apply sum_on_le. intros l N L. apply sum_on_ge with 1; auto. eapply Forall_impl; eauto.
Qed.

Lemma prob_ext p q E F : (forall x, p x = q x) -> (forall x, E x <-> F x) -> prob p E = prob q F.
Proof.
  intros H I. unfold prob, sum_on, sup. f_equal. apply Lub.Lub_Rbar_eqset. intros s.
  split; intros (l & N & L & ->); exists l; repeat split; auto;
    try (eapply Forall_impl; [|exact L]; intros; apply I; auto); apply lsum_ext; auto.
Qed.

Lemma prob_point p x : sub_law p -> prob p (fun y => y = x) = p x.
Proof.
  intros H. apply Rle_antisym.
  - apply sum_on_le. intros l N F. destruct N as [|y l NI N]; [simpl; apply H|].
    inversion F as [|? ? -> F']; subst. destruct l as [|z l]; [simpl; lra|].
    inversion F' as [|? ? -> _]; subst. simpl in NI. tauto.
  - replace (p x) with (lsum p [x]) by (simpl; ring).
    apply sum_on_ge with 1; auto; repeat constructor; simpl; auto.
Qed.

(** ** Privacy of outcomes is privacy of events *)

Theorem events_close eps p p' E : sub_law p' -> close eps p p' -> prob p E <= exp eps * prob p' E.
Proof.
  intros H C. apply sum_on_le. intros l N F.
  apply Rle_trans with (lsum (fun x => exp eps * p' x) l); [apply lsum_le; auto|].
  rewrite lsum_scal. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. now apply sum_on_ge with 1.
Qed.

Theorem close_iff_events eps p p' : sub_law p -> sub_law p' ->
  close eps p p' <-> forall E, prob p E <= exp eps * prob p' E.
Proof.
  intros H H'. split; [intros C E; now apply events_close|].
  intros C x. rewrite <- (prob_point p x), <- (prob_point p' x) by auto. apply C.
Qed.

Lemma close_refl p : close 0 p p.
Proof. intros x. rewrite exp_0. lra. Qed.

Lemma close_weaken d eps p p' : d <= eps -> (forall x, 0 <= p' x) -> close d p p' -> close eps p p'.
Proof.
  intros L P C x. apply Rle_trans with (1 := C x). apply Rmult_le_compat_r; auto. now apply exp_le.
Qed.

Lemma close_trans d e p q r : close d p q -> close e q r -> close (d + e) p r.
Proof.
  intros C D x. rewrite exp_plus, Rmult_assoc. apply Rle_trans with (1 := C x).
  apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | apply D].
Qed.
End Laws.

(** ** Certain outcomes *)

Lemma ret_law {A} (a : A) : law (ret a).
Proof.
  apply law_intro.
  - intros x. unfold ret. destruct decide; lra.
  - intros l N. induction N as [|x l NI N IH]; simpl; [lra|]. unfold ret at 1. destruct (decide (a = x)) as [->|D]; [|lra].
    replace (lsum (ret x) l) with (lsum (fun _ => 0 * 0) l); [rewrite lsum_scal; lra|].
    apply lsum_ext. intros y Y. unfold ret. destruct (decide (x = y)); [subst; contradiction | ring].
  - intros eta E. exists [a]. split; [repeat constructor; simpl; auto|].
    simpl. unfold ret. destruct (decide (a = a)); [lra | congruence].
Qed.

Lemma prob_ret {A} (a : A) E : prob (ret a) E = if decide (E a) then 1 else 0.
Proof.
  assert (L := ret_law a). rewrite prob_on by now apply law_sub.
  destruct (decide (E a)) as [H|H].
  - rewrite <- (proj2 (proj1 (law_total _) L)). apply total_ext. intros x. unfold on, ret.
    destruct (decide (E x)), (decide (a = x)); auto. subst; contradiction.
  - apply total_zero. intros x. unfold on, ret. destruct (decide (E x)), (decide (a = x)); auto. subst; contradiction.
Qed.

(** ** Composition *)

Section Composition.
Context {A B : Type}.
Implicit Types (p : A -> R) (k : A -> B -> R).

Lemma joint_sub p k : sub_law p -> (forall x, sub_law (k x)) -> sub_law (joint p k).
Proof.
  intros P K. split; [intros z; apply Rmult_le_pos; [apply P | apply K]|]. intros l N.
  set (xs := nodup same (map fst l)).
  apply Rle_trans with (lsum (joint p k) (groups xs (fun x => seconds x l))).
  - apply lsum_incl; auto; [intros z; apply Rmult_le_pos; [apply P | apply K]|].
    intros [a b] H. apply in_flat_map. exists a. split; [|now apply in_map, in_seconds].
    apply nodup_In, in_map_iff. now exists (a, b).
  - rewrite lsum_groups. apply Rle_trans with (lsum p xs); [|apply P, NoDup_nodup].
    apply lsum_le. intros x _. unfold joint; simpl. rewrite lsum_scal. rewrite <- (Rmult_1_r (p x)) at 2.
    apply Rmult_le_compat_l; [apply P | apply K]. now apply seconds_nodup.
Qed.

Lemma prob_joint p k E : sub_law p -> (forall x, sub_law (k x)) ->
  prob (joint p k) E = total (fun x => p x * prob (k x) (fun y => E (x, y))).
Proof.
  intros P K. rewrite prob_on by now apply joint_sub.
  rewrite (tonelli _ 1) by now apply on_bounded, joint_sub.
  apply total_ext. intros x. rewrite prob_on by auto.
  rewrite <- (total_scal (p x) 1) by (first [apply on_bounded, K | apply P | apply K]).
  apply total_ext. intros y. unfold on, joint. simpl. destruct (decide (E (x, y))); ring.
Qed.

Theorem joint_law p k : law p -> (forall x, law (k x)) -> law (joint p k).
Proof.
  intros P K. assert (PS := law_sub p P). assert (KS := fun x => law_sub (k x) (K x)).
  apply law_total. split; [now apply joint_sub|].
  change (total (joint p k)) with (prob (joint p k) everything). rewrite prob_joint by auto.
  rewrite <- (proj2 (proj1 (law_total p) P)). apply total_ext. intros x.
  change (fun y => everything (x, y)) with (@everything B). rewrite prob_everything by auto. ring.
Qed.

(** Adaptive composition: the second release may depend on the first. *)
Theorem joint_close d e p p' k k' : (forall x, 0 <= p x) -> (forall x y, 0 <= k x y) ->
  close d p p' -> (forall x, close e (k x) (k' x)) -> close (d + e) (joint p k) (joint p' k').
Proof.
  intros P K C1 C2 [x y]. unfold joint; simpl. rewrite exp_plus.
  replace (exp d * exp e * (p' x * k' x y)) with ((exp d * p' x) * (exp e * k' x y)) by ring.
  apply Rmult_le_compat; auto. apply C2.
Qed.

Lemma column_bounded p k y : sub_law p -> (forall x, sub_law (k x)) -> bounded 1 (fun x => p x * k x y).
Proof.
  intros P K. apply (bounded_inj (fun x => (x, y)) (joint p k)); [|now apply joint_sub].
  intros a b E. congruence.
Qed.

Lemma prob_bind p k E : sub_law p -> (forall x, sub_law (k x)) ->
  prob (bind p k) E = total (fun x => p x * prob (k x) E).
Proof.
  intros P K. assert (J := joint_sub p k P K).
  assert (S : bounded 1 (fun z : B * A => p (snd z) * k (snd z) (fst z))).
  { apply (bounded_inj (fun z : B * A => (snd z, fst z)) (joint p k)); auto. intros [a b] [c d] H; simpl in H; congruence. }
  assert (B' : sub_law (bind p k)) by exact (rows_bounded _ 1 S).
  rewrite prob_on by auto.
  transitivity (total (fun y => total (fun x => on E (fun y => p x * k x y) y))).
  - apply total_ext. intros y. unfold on, bind. destruct (decide (E y)); auto.
    symmetry. now apply total_zero.
  - rewrite (tonelli_swap (fun y x => on E (fun y => p x * k x y) y) 1).
    + apply total_ext. intros x. rewrite prob_on, <- (total_scal (p x) 1) by (first [apply on_bounded, K | apply P | apply K]).
      apply total_ext. intros y. unfold on. destruct decide; ring.
    + apply bounded_le with (2 := S). intros [y x]. unfold on; simpl. assert (0 <= p x * k x y) by (apply Rmult_le_pos; [apply P|apply K]).
      destruct decide; lra.
Qed.

Lemma bind_sub p k : sub_law p -> (forall x, sub_law (k x)) -> sub_law (bind p k).
Proof.
  intros P K. apply (rows_bounded (fun z : B * A => p (snd z) * k (snd z) (fst z)) 1).
  apply (bounded_inj (fun z : B * A => (snd z, fst z)) (joint p k)); [|now apply joint_sub].
  intros [a b] [c d] H; simpl in H; congruence.
Qed.

Theorem bind_law p k : law p -> (forall x, law (k x)) -> law (bind p k).
Proof.
  intros P K. assert (PS := law_sub p P). assert (KS := fun x => law_sub (k x) (K x)).
  apply law_total. split; [now apply bind_sub|].
  change (total (bind p k)) with (prob (bind p k) everything). rewrite prob_bind by auto.
  rewrite <- (proj2 (proj1 (law_total p) P)). apply total_ext. intros x. rewrite prob_everything by auto. ring.
Qed.

Theorem bind_close d e p p' k k' : sub_law p -> sub_law p' -> (forall x, sub_law (k x)) -> (forall x, sub_law (k' x)) ->
  close d p p' -> (forall x, close e (k x) (k' x)) -> close (d + e) (bind p k) (bind p' k').
Proof.
  intros P P' K K' C1 C2 y. unfold bind.
  rewrite <- (total_scal (exp (d + e)) 1) by (first [apply Rlt_le, exp_pos | now apply column_bounded]).
  apply total_mono with (exp (d + e) * 1).
  - intros x. apply (joint_close d e p p' k k') with (x := (x, y)); auto; [apply P | intros; apply K].
  - apply bounded_scal; [apply Rlt_le, exp_pos | now apply column_bounded].
Qed.

(** ** Post-processing, by a function and at random *)

Lemma image_bind (f : A -> B) p y : sub_law p -> image f p y = bind p (fun x => ret (f x)) y.
Proof.
  intros P. unfold image, bind. rewrite prob_on by auto. apply total_ext. intros x. unfold on, ret.
  destruct (decide (f x = y)); ring.
Qed.

Theorem image_law (f : A -> B) p : law p -> law (image f p).
Proof.
  intros L. apply law_ext with (bind p (fun x => ret (f x))).
  - intros y. symmetry. now apply image_bind, law_sub.
  - apply bind_law; auto. intros. apply ret_law.
Qed.

Lemma image_close (f : A -> B) eps p q : sub_law q -> close eps p q -> close eps (image f p) (image f q).
Proof. intros Q C y. unfold image. now apply events_close. Qed.

Lemma prob_image (f : A -> B) p (E : B -> Prop) : sub_law p -> prob (image f p) E = prob p (fun x => E (f x)).
Proof.
  intros P.
  rewrite (prob_ext _ _ E E (fun y => image_bind f p y P)) by tauto.
  rewrite prob_bind by (auto; intros; apply law_sub, ret_law).
  rewrite prob_on by auto. apply total_ext. intros x. rewrite prob_ret. unfold on.
  destruct (decide (E (f x))); ring.
Qed.

(** A model made from what was released: whatever set of models one looks at. *)
Corollary post_processing eps p p' (f : A -> B) (E : B -> Prop) : sub_law p -> sub_law p' ->
  close eps p p' -> prob (image f p) E <= exp eps * prob (image f p') E.
Proof. intros. rewrite !prob_image by auto. now apply events_close. Qed.

(** A kernel that draws more, without a look at the data. *)
Corollary random_post_processing eps p p' k (E : B -> Prop) : sub_law p -> sub_law p' -> (forall x, sub_law (k x)) ->
  close eps p p' -> prob (bind p k) E <= exp eps * prob (bind p' k) E.
Proof.
  intros P P' K C. apply events_close; [now apply bind_sub|]. replace eps with (eps + 0) by ring.
  apply bind_close; auto using close_refl.
Qed.
End Composition.

(** ** The equations of a monad *)

Lemma bind_ret_left {A B} (a : A) (k : A -> B -> R) y : (forall x, sub_law (k x)) -> bind (ret a) k y = k a y.
Proof.
  intros K. unfold bind. apply Rle_antisym.
  - apply total_le. intros l N. induction N as [|x l NI N IH]; simpl; [apply K|].
    unfold ret at 1. destruct (decide (a = x)) as [<-|D]; [|lra].
    replace (lsum _ l) with 0; [lra|]. symmetry. rewrite (lsum_ext _ (fun _ => 0 * 0)), lsum_scal by
      (intros z Z; unfold ret; destruct (decide (a = z)); [subst; contradiction | ring]). ring.
  - apply Rle_trans with (ret a a * k a y); [unfold ret; destruct decide; [lra | congruence]|].
    apply (total_member 1 (fun x => ret a x * k x y)). apply column_bounded; auto. apply law_sub, ret_law.
Qed.

Lemma bind_ret_right {A} (p : A -> R) y : sub_law p -> bind p ret y = p y.
Proof.
  intros P. rewrite <- (prob_point p y), prob_on by auto. apply total_ext. intros x. unfold on, ret.
  destruct decide; ring.
Qed.

Lemma bind_assoc {A B C} (p : A -> R) (k : A -> B -> R) (r : B -> C -> R) z : sub_law p ->
  (forall x, sub_law (k x)) -> (forall y, sub_law (r y)) ->
  bind (bind p k) r z = bind p (fun x => bind (k x) r) z.
Proof.
  intros P K Q. unfold bind.
  transitivity (total (fun y => total (fun x => p x * k x y * r y z))).
  { apply total_ext. intros y. rewrite Rmult_comm, <- (total_scal (r y z) 1) by (first [now apply column_bounded | apply Q]).
    apply total_ext. intros; ring. }
  rewrite (tonelli_swap (fun y x => p x * k x y * r y z) 1).
  - apply total_ext. intros x. rewrite <- (total_scal (p x) 1) by (first [now apply column_bounded | apply P]).
    apply total_ext. intros; ring.
  - assert (S : bounded 1 (fun w : B * A => p (snd w) * k (snd w) (fst w))).
    { apply (bounded_inj (fun w : B * A => (snd w, fst w)) (joint p k)); [|now apply joint_sub].
      intros [a b] [c d] H; simpl in H; congruence. }
    apply bounded_le with (2 := S). intros [y x]; simpl.
    assert (0 <= p x * k x y) by (apply Rmult_le_pos; [apply P | apply K]).
    assert (0 <= r y z) by apply Q. assert (r y z <= 1); [|nra].
    rewrite <- (prob_point (r y) z) by auto. now apply prob_in.
Qed.
