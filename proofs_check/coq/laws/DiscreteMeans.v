(** * The means of a discrete law

    A law on any set gives an [expectation]: the sum of the positive part of a function, weighted by the law,
    less that of its negative part.  So the auditor's theorem speaks about every mechanism with a discrete law,
    among them the learner of this development. *)

From Coq Require Import Reals Lra Psatz List Lia.
From Privboost Require Import Sums Law Expectation.
Import ListNotations.
Local Open Scope R_scope.

Lemma total_plus {A} (g h : A -> R) M N : bounded M g -> bounded N h ->
  bounded (M + N) (fun x => g x + h x) /\ total (fun x => g x + h x) = total g + total h.
Proof.
  intros G H.
  assert (B : bounded (M + N) (fun x => g x + h x)).
  { split; [intros x; assert (a := proj1 G x); assert (b := proj1 H x); lra|].
    intros l D. rewrite lsum_plus. assert (a := proj2 G l D). assert (b := proj2 H l D). lra. }
  split; auto. apply Rle_antisym.
  - apply total_le. intros l D. rewrite lsum_plus.
    assert (a := total_ge M g l G D). assert (b := total_ge N h l H D). lra.
  - apply le_epsilon. intros eta E.
    destruct (total_approx M g (eta / 2) G) as (l & D & L); [lra|].
    destruct (total_approx N h (eta / 2) H) as (l' & D' & L'); [lra|].
    assert (T := total_ge (M + N) _ (nodup same (l ++ l')) B (NoDup_nodup _ _)). rewrite lsum_plus in T.
    assert (lsum g l <= lsum g (nodup same (l ++ l'))).
    { apply lsum_incl; auto; [apply G|]. intros x X. apply nodup_In, in_app_iff. auto. }
    assert (lsum h l' <= lsum h (nodup same (l ++ l'))).
    { apply lsum_incl; auto; [apply H|]. intros x X. apply nodup_In, in_app_iff. auto. }
    lra.
Qed.

Section DiscreteMean.
Context {A : Type}.
Variable p : A -> R.
Hypothesis p_law : law p.

Let weighted (f : A -> R) (x : A) : R := p x * f x.
Let plus_part (f : A -> R) (x : A) : R := Rmax (f x) 0.
Let minus_part (f : A -> R) (x : A) : R := Rmax (- f x) 0.

Definition discrete_mean (f : A -> R) : R := total (weighted (plus_part f)) - total (weighted (minus_part f)).

Lemma parts f x : f x = plus_part f x - minus_part f x /\ 0 <= plus_part f x /\ 0 <= minus_part f x.
Proof.
  unfold plus_part, minus_part. repeat split; try apply Rmax_r.
  apply Rmax_case_strong; apply Rmax_case_strong; intros; lra.
Qed.

Lemma weighted_bounded f b : (forall x, 0 <= f x <= b) -> bounded b (weighted f).
Proof.
  intros F. assert (P := law_sub p p_law). split.
  - intros x. apply Rmult_le_pos; [apply P | apply F].
  - intros l N. apply Rle_trans with (lsum (fun x => b * p x) l).
    + apply lsum_le. intros x _. unfold weighted. assert (a := proj1 P x). destruct (F x). nra.
    + rewrite lsum_scal. assert (a := proj2 P l N). assert (0 <= lsum p l) by (apply lsum_nonneg; intros; apply P).
      assert (0 <= b \/ l = []) as [C| ->] by (destruct l as [|x l]; [auto | left; destruct (F x); lra]); [nra|].
      simpl. destruct (Rle_dec 0 b); [lra|]. exfalso.
      destruct p_law as [_ [_ M]]. assert (1 <= 0); [|lra]. apply M. intros s (l & _ & _ & ->).
      destruct l as [|x l]; [simpl; lra|]. destruct (F x). lra.
Qed.

Lemma part_bounded f : has_bound f -> exists b, bounded b (weighted (plus_part f)) /\ bounded b (weighted (minus_part f)).
Proof.
  intros [b F]. exists b. split; apply weighted_bounded; intros x; specialize (F x);
    assert (P := Rle_abs (f x)); assert (Q := Rle_abs (- f x)); rewrite Rabs_Ropp in Q;
    assert (Z := Rabs_pos (f x)); unfold plus_part, minus_part; split; try apply Rmax_r; apply Rmax_lub; lra.
Qed.

(** Two ways to write a function as a difference of nonnegative ones give the same mean. *)
Lemma discrete_mean_difference f g h M N : has_bound f -> (forall x, f x = g x - h x) ->
  bounded M (weighted g) -> bounded N (weighted h) -> discrete_mean f = total (weighted g) - total (weighted h).
Proof.
  intros F E G H. destruct (part_bounded f F) as (b & P & Q). unfold discrete_mean.
  destruct (total_plus _ _ _ _ P H) as [_ T]. destruct (total_plus _ _ _ _ G Q) as [_ T'].
  assert (total (fun x => weighted (plus_part f) x + weighted h x) = total (fun x => weighted g x + weighted (minus_part f) x)).
  { apply total_ext. intros x. unfold weighted. destruct (parts f x) as (D & _). rewrite E in D. rewrite <- !Rmult_plus_distr_l. f_equal. lra. }
  lra.
Qed.

Definition mean_of_law : expectation A.
Proof.
  refine {| mean := discrete_mean |}.
  - intros f g F G H. destruct (part_bounded f F) as (b & P & Q). destruct (part_bounded g G) as (c & P' & Q').
    destruct (total_plus _ _ _ _ P Q') as [B T]. destruct (total_plus _ _ _ _ P' Q) as [B' T'].
    assert (total (fun x => weighted (plus_part f) x + weighted (minus_part g) x) <=
            total (fun x => weighted (plus_part g) x + weighted (minus_part f) x)); [|unfold discrete_mean; lra].
    apply total_mono with (2 := B'). intros x. unfold weighted. rewrite <- !Rmult_plus_distr_l.
    apply Rmult_le_compat_l; [apply p_law|]. specialize (H x).
    destruct (parts f x) as (D & _). destruct (parts g x) as (D' & _). lra.
  - intros f g F G. destruct (part_bounded f F) as (b & P & Q). destruct (part_bounded g G) as (c & P' & Q').
    destruct (total_plus _ _ _ _ P P') as [B T]. destruct (total_plus _ _ _ _ Q Q') as [B' T'].
    rewrite (discrete_mean_difference (fun x => f x + g x) (fun x => plus_part f x + plus_part g x)
      (fun x => minus_part f x + minus_part g x) (b + c) (b + c)).
    + rewrite (total_ext (weighted (fun x => plus_part f x + plus_part g x)) (fun x => weighted (plus_part f) x + weighted (plus_part g) x)),
        (total_ext (weighted (fun x => minus_part f x + minus_part g x)) (fun x => weighted (minus_part f) x + weighted (minus_part g) x))
        by (intros; unfold weighted; ring).
      unfold discrete_mean. lra.
    + now apply has_bound_plus.
    + intros x. destruct (parts f x) as (D & _). destruct (parts g x) as (D' & _). lra.
    + destruct B as [B0 B1]. split; [intros x; specialize (B0 x); revert B0; unfold weighted; intros; lra|].
      intros l N. rewrite (lsum_ext _ (fun x => weighted (plus_part f) x + weighted (plus_part g) x)); auto. intros; unfold weighted; ring.
    + destruct B' as [B0 B1]. split; [intros x; specialize (B0 x); revert B0; unfold weighted; intros; lra|].
      intros l N. rewrite (lsum_ext _ (fun x => weighted (minus_part f) x + weighted (minus_part g) x)); auto. intros; unfold weighted; ring.
  - intros c f F. destruct (part_bounded f F) as (b & P & Q).
    assert (S : forall d, 0 <= d -> forall g, bounded b (weighted g) ->
      bounded (d * b) (weighted (fun x => d * g x)) /\ total (weighted (fun x => d * g x)) = d * total (weighted g)).
    { intros d D g G. assert (X : forall x, d * weighted g x = weighted (fun x => d * g x) x) by (intros; unfold weighted; ring).
      split.
      - destruct (bounded_scal d b _ D G) as [B0 B1]. split; [intros x; rewrite <- X; auto|].
        intros l N. rewrite <- (lsum_ext _ _ l (fun x _ => X x)). auto.
      - rewrite <- (total_ext _ _ X). now apply total_scal with b. }
    destruct (Rle_dec 0 c) as [C|C].
    + destruct (S c C _ P) as [B1 T1]. destruct (S c C _ Q) as [B2 T2].
      rewrite (discrete_mean_difference _ _ _ _ _ (has_bound_scal c f F) (fun x => ltac:(destruct (parts f x) as (D & _); rewrite D at 1; ring) : c * f x = c * plus_part f x - c * minus_part f x) B1 B2).
      rewrite T1, T2. unfold discrete_mean. ring.
    + destruct (S (- c) ltac:(lra) _ P) as [B1 T1]. destruct (S (- c) ltac:(lra) _ Q) as [B2 T2].
      rewrite (discrete_mean_difference _ _ _ _ _ (has_bound_scal c f F) (fun x => ltac:(destruct (parts f x) as (D & _); rewrite D at 1; ring) : c * f x = - c * minus_part f x - - c * plus_part f x) B2 B1).
      rewrite T1, T2. unfold discrete_mean. ring.
  - assert (B1 : bounded 1 (weighted (fun _ => 1))) by (apply weighted_bounded; intros; lra).
    assert (B0 : bounded 0 (weighted (fun _ => 0))) by (apply weighted_bounded; intros; lra).
    rewrite (discrete_mean_difference (fun _ => 1) (fun _ => 1) (fun _ => 0) 1 0); auto.
    + rewrite (total_zero (weighted (fun _ => 0))) by (intros; unfold weighted; ring).
      rewrite (total_ext _ p) by (intros; unfold weighted; ring). apply law_total in p_law. lra.
    + apply has_bound_const.
    + intros; ring.
Defined.

Theorem probability_of_law (S : A -> bool) : probability mean_of_law S = prob p (fun x => S x = true).
Proof.
  rewrite prob_on by now apply law_sub. unfold probability. cbn.
  assert (B1 : bounded 1 (weighted (indicator S))) by (apply weighted_bounded; intros x; unfold indicator; destruct (S x); lra).
  assert (B0 : bounded 0 (weighted (fun _ => 0))) by (apply weighted_bounded; intros; lra).
  rewrite (discrete_mean_difference (indicator S) (indicator S) (fun _ => 0) 1 0); auto.
  - rewrite (total_zero (weighted (fun _ => 0))) by (intros; unfold weighted; ring). rewrite Rminus_0_r.
    apply total_ext. intros x. unfold weighted, indicator, on. destruct (S x), decide; try ring; congruence.
  - apply has_bound_indicator.
  - intros; ring.
Qed.
End DiscreteMean.

(** Pure privacy of discrete laws is (epsilon, 0)-privacy of their means. *)
Theorem private_of_close {A} eps (p q : A -> R) (P : law p) (Q : law q) :
  close eps p q -> close eps q p -> private eps 0 (mean_of_law p P) (mean_of_law q Q).
Proof.
  intros C D S. rewrite !probability_of_law, !Rplus_0_r.
  split; apply events_close; auto using law_sub.
Qed.
