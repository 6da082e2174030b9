(** * Finite sums, suprema, and sums over arbitrary sets

    A sum of nonnegative numbers over any set is the supremum of its finite partial sums.  Laws and the probabilities
    of events (Law.v) are such sums.  Nothing here speaks of probability.

    The logic is that of Coq's real numbers together with the principle of excluded middle.  Together they decide every
    proposition ([decide]), so no set below needs a decidable equality. *)
From Coq Require Import Reals Lra List Lia FinFun Classical_Prop.
From Coq Require ClassicalDedekindReals.
From Coquelicot Require Import Rbar Lub.
Import ListNotations.
Notation Forall := List.Forall.
Local Open Scope R_scope.

Definition decide (P : Prop) : {P} + {~ P} :=
  match ClassicalDedekindReals.sig_not_dec P with
  | left not_not => left (NNPP P not_not)
  | right not_p => right not_p
  end.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H | ->]; [apply Rlt_le, exp_increasing; auto | lra]. Qed.

(** ** Sums over lists *)

Section ListSums.
Context {A : Type}.
Implicit Types (g h : A -> R) (l : list A).

Fixpoint lsum g l : R := match l with [] => 0 | x :: l' => g x + lsum g l' end.

Lemma lsum_app g l l' : lsum g (l ++ l') = lsum g l + lsum g l'.
Proof. induction l; simpl; lra. Qed.

Lemma lsum_le g h l : (forall x, In x l -> g x <= h x) -> lsum g l <= lsum h l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (g x <= h x) by auto. assert (lsum g l <= lsum h l) by auto. lra.
Qed.

Lemma lsum_ext g h l : (forall x, In x l -> g x = h x) -> lsum g l = lsum h l.
Proof. induction l; simpl; intros H; [auto|]. rewrite H, IHl; auto. Qed.

Lemma lsum_scal c g l : lsum (fun x => c * g x) l = c * lsum g l.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.

Lemma lsum_plus g h l : lsum (fun x => g x + h x) l = lsum g l + lsum h l.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.

Lemma lsum_nonneg g l : (forall x, In x l -> 0 <= g x) -> 0 <= lsum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (0 <= g x) by auto. assert (0 <= lsum g l) by auto. lra.
Qed.

Lemma lsum_pos g l : l <> [] -> (forall x, In x l -> 0 < g x) -> 0 < lsum g l.
Proof.
  destruct l as [|a l]; [congruence|]. intros _ H. simpl.
  assert (0 < g a) by (apply H; simpl; auto).
  assert (0 <= lsum g l) by (apply lsum_nonneg; intros x I; apply Rlt_le, H; simpl; auto). lra.
Qed.

(** A list without repetitions that is part of another list has the smaller sum. *)
Lemma lsum_incl g l l' : (forall x, 0 <= g x) -> NoDup l -> incl l l' -> lsum g l <= lsum g l'.
Proof.
  intros P N. revert l'. induction N as [|x l NI N IH]; intros l' I; simpl.
  - apply lsum_nonneg; auto.
  - assert (X : In x l') by (apply I; simpl; auto).
    apply in_split in X. destruct X as (l1 & l2 & ->).
    rewrite lsum_app; simpl.
    assert (lsum g l <= lsum g (l1 ++ l2)); [|rewrite lsum_app in *; lra].
    apply IH. intros y Y. assert (Z : In y (l1 ++ x :: l2)) by (apply I; simpl; auto).
    apply in_app_iff in Z. apply in_app_iff. simpl in Z.
    destruct Z as [Z|[Z|Z]]; auto. subst; contradiction.
Qed.
End ListSums.

Lemma lsum_map {A B} (g : B -> R) (h : A -> B) l : lsum g (map h l) = lsum (fun x => g (h x)) l.
Proof. induction l; simpl; congruence. Qed.

(** ** Suprema

    [sup] is a total function; it is the least upper bound of every set that is inhabited and bounded. *)

Definition sup (E : R -> Prop) : R := real (Lub_Rbar E).

Lemma sup_is_lub E b : (exists s, E s) -> is_upper_bound E b -> is_lub E (sup E).
Proof.
  intros [s S] B. unfold sup. destruct (Lub_Rbar_correct E) as [U M].
  destruct (Lub_Rbar E) as [r| |]; simpl in *.
  - split; [exact U|]. intros b' B'. exact (M (Finite b') B').
  - exfalso. exact (M (Finite b) B).
  - exfalso. exact (U s S).
Qed.

Lemma sup_unique E r : (exists s, E s) -> is_lub E r -> sup E = r.
Proof.
  intros S [U M]. destruct (sup_is_lub E r S U) as [U' M']. apply Rle_antisym; auto.
Qed.

(** ** Sums over sets: the finite sums of [g] over outcomes in [E], and their supremum *)

Definition finite_sum {A} (g : A -> R) (E : A -> Prop) (s : R) : Prop :=
  exists l, NoDup l /\ Forall E l /\ s = lsum g l.

Definition sum_on {A} (g : A -> R) (E : A -> Prop) : R := sup (finite_sum g E).
Definition everything {A} (_ : A) : Prop := True.
Definition total {A} (g : A -> R) : R := sum_on g everything.

(** [bounded M g]: nonnegative, and no finite sum exceeds [M]. *)
Definition bounded {A} (M : R) (g : A -> R) : Prop :=
  (forall x, 0 <= g x) /\ forall l, NoDup l -> lsum g l <= M.

Section SetSums.
Context {A : Type}.
Implicit Types (g h : A -> R) (E : A -> Prop) (l : list A).

Lemma forall_everything l : Forall everything l.
Proof. apply Forall_forall. constructor. Qed.

Lemma empty_sum g E : exists s, finite_sum g E s.
Proof. exists 0, []. repeat constructor. Qed.

Lemma sum_on_lub M g E : bounded M g -> is_lub (finite_sum g E) (sum_on g E).
Proof. intros [_ B]. apply sup_is_lub with M; [apply empty_sum|]. intros s (l & N & _ & ->). auto. Qed.

Lemma sum_on_le g E b : (forall l, NoDup l -> Forall E l -> lsum g l <= b) -> sum_on g E <= b.
Proof.
  intros H. assert (U : is_upper_bound (finite_sum g E) b) by (intros s (l & N & F & ->); auto).
  destruct (sup_is_lub _ _ (empty_sum g E) U) as [_ M]. apply M, U.
Qed.

Lemma sum_on_ge M g E l : bounded M g -> NoDup l -> Forall E l -> lsum g l <= sum_on g E.
Proof. intros B N F. apply (sum_on_lub M g E B). now exists l. Qed.

Lemma total_le g b : (forall l, NoDup l -> lsum g l <= b) -> total g <= b.
Proof. intros H. apply sum_on_le; auto. Qed.

Lemma total_ge M g l : bounded M g -> NoDup l -> lsum g l <= total g.
Proof. intros B N. apply sum_on_ge with M; auto using forall_everything. Qed.

Lemma total_member M g x : bounded M g -> g x <= total g.
Proof.
  intros B. replace (g x) with (lsum g [x]) by (simpl; ring). apply total_ge with M; auto.
  repeat constructor. simpl; auto.
Qed.

Lemma total_nonneg M g : bounded M g -> 0 <= total g.
Proof. intros B. apply (total_ge M g []); auto. constructor. Qed.

Lemma total_bounded M g : bounded M g -> total g <= M.
Proof. intros [_ B]. now apply total_le. Qed.

Lemma bounded_total M g : bounded M g -> bounded (total g) g.
Proof. intros B. split; [apply B|]. intros. now apply total_ge with M. Qed.

Lemma bounded_le M g h : (forall x, 0 <= h x <= g x) -> bounded M g -> bounded M h.
Proof.
  intros H [P B]. split; [apply H|]. intros l N.
  apply Rle_trans with (lsum g l); auto. apply lsum_le. intros; apply H.
Qed.

Lemma total_approx M g eta : bounded M g -> 0 < eta -> exists l, NoDup l /\ total g - eta < lsum g l.
Proof.
  intros B E. apply NNPP. intros C.
  assert (total g <= total g - eta); [|lra].
  apply total_le. intros l N. apply Rnot_lt_le. intros H. apply C. now exists l.
Qed.

Lemma total_ext g h : (forall x, g x = h x) -> total g = total h.
Proof.
  intros H. unfold total, sum_on, sup. f_equal. apply Lub_Rbar_eqset. intros s.
  split; intros (l & N & F & ->); exists l; repeat split; auto; apply lsum_ext; auto.
Qed.

Lemma total_zero g : (forall x, g x = 0) -> total g = 0.
Proof.
  intros H. assert (Z : forall l, lsum g l = 0).
  { intros l. rewrite (lsum_ext g (fun x => 0 * g x)), lsum_scal by (intros; rewrite H; ring). ring. }
  assert (B : bounded 0 g) by (split; intros; [rewrite H | rewrite Z]; lra).
  apply Rle_antisym; [now apply total_bounded | now apply total_nonneg with 0].
Qed.

Lemma total_mono M g h : (forall x, g x <= h x) -> bounded M h -> total g <= total h.
Proof.
  intros H B. apply total_le. intros l N. apply Rle_trans with (lsum h l); [now apply lsum_le|].
  now apply total_ge with M.
Qed.

Lemma bounded_scal c M g : 0 <= c -> bounded M g -> bounded (c * M) (fun x => c * g x).
Proof.
  intros C [P B]. split; [intros; apply Rmult_le_pos; auto|].
  intros l N. rewrite lsum_scal. apply Rmult_le_compat_l; auto.
Qed.

Lemma total_scal c M g : 0 <= c -> bounded M g -> total (fun x => c * g x) = c * total g.
Proof.
  intros C B. assert (S := bounded_scal c M g C B). apply Rle_antisym.
  - apply total_le. intros l N. rewrite lsum_scal. apply Rmult_le_compat_l; auto. now apply total_ge with M.
  - apply le_epsilon. intros eta E.
    destruct (total_approx M g (eta / (c + 1)) B) as (l & N & H); [apply Rdiv_lt_0_compat; lra|].
    assert (T := total_ge _ _ l S N). rewrite lsum_scal in T.
    assert (c * (eta / (c + 1)) <= eta).
    { replace eta with ((c + 1) * (eta / (c + 1))) at 2 by (field; lra).
      apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra | lra]. }
    assert (c * (total g - eta / (c + 1)) <= c * lsum g l) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** A sum over an event is the sum over all outcomes of the function that is 0 off the event. *)
Definition on E g (x : A) : R := if decide (E x) then g x else 0.

Lemma lsum_on E g l : lsum (on E g) l = lsum g (filter (fun x => if decide (E x) then true else false) l).
Proof. induction l as [|x l IH]; simpl; auto. unfold on at 1. destruct (decide (E x)); simpl; rewrite IH; lra. Qed.

Lemma lsum_on_all E g l : Forall E l -> lsum (on E g) l = lsum g l.
Proof.
  intros F. apply lsum_ext. intros x X. unfold on. destruct (decide (E x)); auto.
  rewrite Forall_forall in F. now apply F in X.
Qed.

Lemma on_bounded M E g : bounded M g -> bounded M (on E g).
Proof. intros B. apply bounded_le with g; auto. intros x. unfold on. destruct decide; assert (H := proj1 B x); lra. Qed.

Lemma sum_on_total M g E : bounded M g -> sum_on g E = total (on E g).
Proof.
  intros B. apply Rle_antisym.
  - apply sum_on_le. intros l N F. rewrite <- (lsum_on_all E) by auto. apply total_ge with M; auto using on_bounded.
  - apply total_le. intros l N. rewrite lsum_on. apply sum_on_ge with M; auto.
    + now apply NoDup_filter.
    + apply Forall_forall. intros x X. apply filter_In in X. destruct X as [_ X]. now destruct (decide (E x)).
Qed.
End SetSums.

(** ** Sums over pairs (Tonelli) *)

Section Pairs.
Context {A B : Type}.
Variables (g : A * B -> R) (M : R).
Hypothesis bound : bounded M g.

Definition same (x y : A) : {x = y} + {x <> y} := decide (x = y).
Definition seconds (x : A) (l : list (A * B)) : list B :=
  map snd (filter (fun z => if same (fst z) x then true else false) l).
Definition groups (xs : list A) (ys : A -> list B) : list (A * B) := flat_map (fun x => map (pair x) (ys x)) xs.

Lemma in_seconds x l y : In y (seconds x l) <-> In (x, y) l.
Proof.
  unfold seconds. rewrite in_map_iff. split.
  - intros ([a b] & <- & H). apply filter_In in H. simpl in *. destruct H as [H H'].
    destruct (same a x); [subst; auto | discriminate].
  - intros H. exists (x, y). split; auto. apply filter_In. simpl. destruct (same x x); [auto | congruence].
Qed.

Lemma seconds_nodup x l : NoDup l -> NoDup (seconds x l).
Proof.
  induction 1 as [|[a b] l NI N IH]; [constructor|]. unfold seconds in *; simpl.
  destruct (same a x); simpl; auto. subst. constructor; auto. intros H. apply NI. now apply in_seconds.
Qed.

Lemma pairs_nodup (x : A) (ys : list B) l : NoDup ys -> NoDup l -> (forall y, ~ In (x, y) l) ->
  NoDup (map (pair x) ys ++ l).
Proof.
  intros N Nl D. induction N as [|y ys NI N IH]; simpl; auto. constructor; auto.
  rewrite in_app_iff. intros [H|H]; [|now apply D in H].
  apply in_map_iff in H. destruct H as (y' & E & H). injection E as ->. contradiction.
Qed.

Lemma lsum_groups xs ys : lsum g (groups xs ys) = lsum (fun x => lsum (fun y => g (x, y)) (ys x)) xs.
Proof. induction xs as [|x xs IH]; simpl; auto. now rewrite lsum_app, IH, lsum_map. Qed.

Lemma row_bounded x : bounded M (fun y => g (x, y)).
Proof.
  split; [intros; apply bound|]. intros l N. rewrite <- (lsum_map g (pair x)). apply bound.
  rewrite <- app_nil_r. apply pairs_nodup; auto. constructor.
Qed.

Lemma rows_approx xs eta : 0 < eta -> NoDup xs -> exists l, NoDup l /\ (forall x y, In (x, y) l -> In x xs) /\
  lsum (fun x => total (fun y => g (x, y))) xs <= lsum g l + INR (length xs) * eta.
Proof.
  intros E N. induction N as [|x xs NI N (l & Nl & Il & Sl)].
  - exists []. repeat split; [constructor | simpl; auto | simpl; lra].
  - destruct (total_approx M _ eta (row_bounded x) E) as (ys & Ny & Sy).
    exists (map (pair x) ys ++ l). repeat split.
    + apply pairs_nodup; auto. intros y H. apply Il in H. contradiction.
    + intros a b H. apply in_app_iff in H. destruct H as [H|H].
      * apply in_map_iff in H. destruct H as (y & Q & _). injection Q as -> ->. simpl; auto.
      * right. eapply Il; eauto.
    + rewrite lsum_app, lsum_map. cbn [lsum]. change (length (x :: xs)) with (S (length xs)). rewrite S_INR. lra.
Qed.

Lemma rows_bounded : bounded M (fun x => total (fun y => g (x, y))).
Proof.
  split; [intros; apply total_nonneg with M, row_bounded|]. intros xs N. apply le_epsilon. intros eta E.
  set (n := INR (length xs)). assert (P : 0 <= n) by apply pos_INR.
  destruct (rows_approx xs (eta / (n + 1))) as (l & Nl & _ & H); auto; [apply Rdiv_lt_0_compat; lra|].
  assert (Q := proj2 bound l Nl). fold n in H.
  assert (n * (eta / (n + 1)) <= eta); [|lra].
  replace eta with ((n + 1) * (eta / (n + 1))) at 2 by (field; lra).
  apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra | lra].
Qed.

Lemma nested_le : total g <= total (fun x => total (fun y => g (x, y))).
Proof.
  apply total_le. intros l N. set (xs := nodup same (map fst l)).
  apply Rle_trans with (lsum g (groups xs (fun x => seconds x l))).
  - apply lsum_incl; auto; [apply bound|]. intros [a b] H. apply in_flat_map. exists a. split.
    + apply nodup_In, in_map_iff. now exists (a, b).
    + apply in_map, in_seconds; auto.
  - rewrite lsum_groups. apply Rle_trans with (lsum (fun x => total (fun y => g (x, y))) xs).
    + apply lsum_le. intros x _. apply total_ge with M; [apply row_bounded | now apply seconds_nodup].
    + apply total_ge with M; [apply rows_bounded | apply NoDup_nodup].
Qed.
End Pairs.

Theorem tonelli {A B} (g : A * B -> R) M : bounded M g -> total g = total (fun x => total (fun y => g (x, y))).
Proof.
  intros H. apply Rle_antisym; [now apply nested_le with M|].
  apply total_bounded. apply rows_bounded. now apply bounded_total with M.
Qed.

(** A sum does not change when its outcomes are renamed one to one. *)
Lemma bounded_inj {A B} (f : A -> B) (g : B -> R) M : Injective f -> bounded M g -> bounded M (fun x => g (f x)).
Proof.
  intros I [P S]. split; [auto|]. intros l N. rewrite <- (lsum_map g f). apply S. now apply Injective_map_NoDup.
Qed.

(** Outcomes that have no name contribute nothing. *)
Definition named {A B} (f : A -> B) (g : B -> R) : Prop := forall y, g y <> 0 -> exists x, f x = y.

Lemma lsum_named {A B} (f : A -> B) (g : B -> R) l : named f g -> NoDup l ->
  exists l', NoDup l' /\ (forall x, In x l' -> In (f x) l) /\ lsum g l = lsum (fun x => g (f x)) l'.
Proof.
  intros S N. induction N as [|y l NI N (l' & N' & I' & E')]; [exists []; repeat split; [constructor | simpl; auto]|].
  destruct (decide (g y = 0)) as [Z|NZ].
  - exists l'. repeat split; auto; [intros; simpl; auto | simpl; lra].
  - destruct (S y NZ) as [x <-]. exists (x :: l'). repeat split.
    + constructor; auto.
    + intros x' [<-|X]; simpl; auto.
    + simpl. lra.
Qed.

Lemma bounded_named {A B} (f : A -> B) (g : B -> R) M : named f g -> (forall y, 0 <= g y) ->
  bounded M (fun x => g (f x)) -> bounded M g.
Proof.
  intros S P [_ H]. split; auto. intros l N. destruct (lsum_named f g l S N) as (l' & N' & _ & ->). auto.
Qed.

Lemma total_inj {A B} (f : A -> B) (g : B -> R) M : Injective f -> bounded M g -> named f g ->
  total (fun x => g (f x)) = total g.
Proof.
  intros I H S. apply Rle_antisym; apply total_le; intros l N.
  - rewrite <- (lsum_map g f). apply total_ge with M; auto. now apply Injective_map_NoDup.
  - destruct (lsum_named f g l S N) as (l' & N' & _ & ->). apply total_ge with M; auto. now apply bounded_inj.
Qed.

Theorem tonelli_swap {A B} (g : A -> B -> R) M : bounded M (fun z => g (fst z) (snd z)) ->
  total (fun x => total (fun y => g x y)) = total (fun y => total (fun x => g x y)).
Proof.
  intros H. set (swap := fun z : B * A => (snd z, fst z)).
  assert (I : Injective swap) by (intros [a b] [c d] E; unfold swap in E; simpl in E; congruence).
  transitivity (total (fun z => g (fst z) (snd z))); [symmetry; exact (tonelli _ M H)|].
  transitivity (total (fun z : B * A => g (snd z) (fst z))).
  - symmetry. apply (total_inj swap _ M I H). intros [a b] _. now exists (b, a).
  - exact (tonelli _ M (bounded_inj swap _ M I H)).
Qed.
