(** * Programs that read fair bits

    A program returns a value, reads a fair bit, continues with the result of another program, or repeats a body
    until it returns a result.  With fuel [n] every loop makes at most [n] turns: [run n p x] is the probability
    that [p] has returned [x] by then.  The law of a program is the limit; what is missing to 1 is the probability
    that it never comes to an end. *)
From Coq Require Import Reals Lra Psatz List Lia.
From Privboost Require Import Sums Law Limits.
Import ListNotations.
Local Open Scope R_scope.

Inductive prog : Type -> Type :=
| Ret : forall A, A -> prog A
| Bit : prog bool
| Bind : forall A B, prog A -> (A -> prog B) -> prog B
| Loop : forall S A, (S -> prog (S + A)) -> S -> prog A.
Arguments Ret {A}. Arguments Bind {A B}. Arguments Loop {S A}.

Definition fair (_ : bool) : R := 1 / 2.

(** The results of at most [m] turns of a loop whose body has the law [p]. *)
Definition continue {S A} (next : S -> A -> R) (r : S + A) : A -> R :=
  match r with inl s => next s | inr a => ret a end.
Fixpoint turns {S A} (p : S -> S + A -> R) (m : nat) (s : S) : A -> R :=
  match m with O => fun _ => 0 | Datatypes.S m' => bind (p s) (continue (turns p m')) end.

Fixpoint run {A} (n : nat) (p : prog A) : A -> R :=
  match p in prog A return A -> R with
  | @Ret _ a => ret a
  | Bit => fair
  | @Bind _ _ q k => bind (run n q) (fun x => run n (k x))
  | @Loop _ _ body s => turns (fun s => run n (body s)) n s
  end.

Definition law_of {A} (p : prog A) : A -> R := limit (fun n => run n p).

(** ** Sums over few outcomes *)
Lemma total_list {A} (g : A -> R) l : (forall x, 0 <= g x) -> NoDup l -> (forall x, In x l) -> total g = lsum g l.
Proof.
  intros P N F. assert (B : bounded (lsum g l) g).
  { split; auto. intros l' N'. apply lsum_incl; auto. intros x _. apply F. }
  apply Rle_antisym; [now apply total_bounded | now apply total_ge with (lsum g l)].
Qed.

Lemma total_bool (g : bool -> R) : (forall b, 0 <= g b) -> total g = g true + g false.
Proof.
  intros P. rewrite (total_list g [true; false]); auto.
  - simpl. ring.
  - repeat constructor; simpl; intuition congruence.
  - intros []; simpl; auto.
Qed.

Lemma fair_law : law fair.
Proof.
  apply law_intro.
  - intros; unfold fair; lra.
  - intros l N. apply Rle_trans with (lsum fair [true; false]); [|unfold fair; simpl; lra].
    apply lsum_incl; auto; [intros; unfold fair; lra|]. intros [] _; simpl; auto.
  - intros eta E. exists [true; false]. split; [repeat constructor; simpl; intuition congruence|]. unfold fair; simpl; lra.
Qed.

Lemma bind_fair {A} (k : bool -> A -> R) y : (forall b, sub_law (k b)) -> bind fair k y = (k true y + k false y) / 2.
Proof.
  intros K. unfold bind. rewrite total_bool; [unfold fair; field|]. intros b. apply Rmult_le_pos; [unfold fair; lra | apply K].
Qed.

(** ** Binds *)
Section Binds.
Context {A B : Type}.
Implicit Types (p : A -> R) (k : A -> B -> R).

Lemma bind_mono p p' k k' y : sub_law p -> sub_law p' -> (forall x, sub_law (k x)) -> (forall x, sub_law (k' x)) ->
  (forall x, p x <= p' x) -> (forall x, p x <> 0 -> k x y <= k' x y) -> bind p k y <= bind p' k' y.
Proof.
  intros P P' K K' H1 H2. unfold bind. apply total_mono with 1; [|now apply column_bounded].
  intros x. assert (a := proj1 P x). assert (b := proj1 (K' x) y). assert (c := H1 x).
  destruct (decide (p x = 0)) as [Z|NZ]; [rewrite Z; nra|]. specialize (H2 x NZ). nra.
Qed.

Lemma bind_ext p p' k k' y : (forall x, p x = p' x) -> (forall x, p x <> 0 -> k x y = k' x y) -> bind p k y = bind p' k' y.
Proof.
  intros H1 H2. unfold bind. apply total_ext. intros x. rewrite <- H1.
  destruct (decide (p x = 0)) as [Z|NZ]; [rewrite Z; ring | now rewrite H2].
Qed.

Lemma total_bind p k : sub_law p -> (forall x, sub_law (k x)) -> total (bind p k) = total (fun x => p x * total (k x)).
Proof. intros P K. exact (prob_bind p k everything P K). Qed.
End Binds.

Lemma zero_sub {A} : sub_law (fun _ : A => 0).
Proof.
  split; [intros; lra|]. intros l _. rewrite (lsum_ext _ (fun _ => 0 * 0)), lsum_scal by (intros; ring). lra.
Qed.

Lemma continue_sub {S A} (next : S -> A -> R) r : (forall s, sub_law (next s)) -> sub_law (continue next r).
Proof. intros H. destruct r; simpl; auto. apply law_sub, ret_law. Qed.

Lemma turns_sub {S A} (p : S -> S + A -> R) m s : (forall s, sub_law (p s)) -> sub_law (turns p m s).
Proof.
  intros P. revert s; induction m as [|m IH]; intros s; simpl; [apply zero_sub|].
  apply bind_sub; auto. intros r. now apply continue_sub.
Qed.

Lemma run_sub {A} (p : prog A) : forall n, sub_law (run n p).
Proof.
  induction p as [A a| |A B q IHq k IHk|S A body IH s]; intros n; simpl.
  - apply law_sub, ret_law.
  - apply law_sub, fair_law.
  - apply bind_sub; auto.
  - apply turns_sub. intros s'. apply IH.
Qed.

Lemma turns_mono {S A} (p p' : S -> S + A -> R) m m' s y : (forall s, sub_law (p s)) -> (forall s, sub_law (p' s)) ->
  (forall s r, p s r <= p' s r) -> (m <= m')%nat -> turns p m s y <= turns p' m' s y.
Proof.
  intros P P' H L. revert m' L s y; induction m as [|m IH]; intros m' L s y.
  - apply turns_sub; auto.
  - destruct m' as [|m']; [lia|]. simpl. apply bind_mono; auto.
    + intros r. apply continue_sub. intros; now apply turns_sub.
    + intros r. apply continue_sub. intros; now apply turns_sub.
    + intros [s'|a] _; simpl; [apply IH; lia | lra].
Qed.

Lemma run_grows {A} (p : prog A) : growing (fun n => run n p).
Proof.
  induction p as [A a| |A B q IHq k IHk|S A body IH s]; intros n x; cbn [run]; try lra.
  - apply bind_mono; auto using run_sub. intros y _. apply IHk.
  - apply turns_mono; auto using run_sub. intros s' r. apply IH.
Qed.

(** ** Equations for the law of a program *)
Lemma law_of_sub {A} (p : prog A) : sub_law (law_of p).
Proof. apply limit_sub; [apply run_sub | apply run_grows]. Qed.

Lemma run_le {A} (p : prog A) n x : run n p x <= law_of p x.
Proof. exact (limit_ge _ 1 (run_sub p) n x). Qed.

Lemma law_of_cv {A} (p : prog A) x : Un_cv (fun n => run n p x) (law_of p x).
Proof. exact (limit_cv _ 1 (run_sub p) (run_grows p) x). Qed.

Lemma law_of_ret {A} (a x : A) : law_of (Ret a) x = ret a x.
Proof. apply UL_sequence with (fun _ => ret a x); [apply (law_of_cv (Ret a))|]. intros e E. exists 0%nat. intros. now rewrite R_dist_eq. Qed.

Lemma law_of_bit x : law_of Bit x = fair x.
Proof. apply UL_sequence with (fun _ => fair x); [apply (law_of_cv Bit)|]. intros e E. exists 0%nat. intros. now rewrite R_dist_eq. Qed.

Theorem law_of_bind {A B} (p : prog A) (k : A -> prog B) y : law_of (Bind p k) y = bind (law_of p) (fun x => law_of (k x)) y.
Proof.
  apply UL_sequence with (fun n => run n (Bind p k) y); [apply law_of_cv|]. cbn [run].
  apply (bind_limit (fun n => run n p) (fun n x => run n (k x))); auto using run_sub, run_grows.
Qed.

(** A number of turns, each of which is run to its end, is no more than the loop. *)
Lemma turns_cv {S A} (body : S -> prog (S + A)) m s y :
  Un_cv (fun n => turns (fun s => run n (body s)) m s y) (turns (fun s => law_of (body s)) m s y).
Proof.
  revert s y; induction m as [|m IH]; intros s y; simpl.
  - intros e E. exists 0%nat. intros. now rewrite R_dist_eq.
  - set (k := fun n => continue (turns (fun s => run n (body s)) m)).
    assert (K : forall n r, sub_law (k n r)) by (intros; apply continue_sub; intros; apply turns_sub; intros; apply run_sub).
    assert (G : forall r, growing (fun n => k n r)).
    { intros [s'|a] n x; simpl; [|lra]. apply turns_mono; auto using run_sub. intros; apply run_grows. }
    assert (L := bind_limit (fun n => run n (body s)) k y (run_sub (body s)) (run_grows (body s)) K G).
    replace (bind (law_of (body s)) (continue (turns (fun s => law_of (body s)) m)) y)
      with (bind (limit (fun n => run n (body s))) (fun x => limit (fun n => k n x)) y); [exact L|].
    apply bind_ext; [reflexivity|]. intros r _.
    apply UL_sequence with (fun n => k n r y); [exact (limit_cv (fun n => k n r) 1 (fun n => K n r) (G r) y)|].
    destruct r as [s'|a]; simpl; [apply IH|]. intros e E. exists 0%nat. intros. now rewrite R_dist_eq.
Qed.

Lemma turns_le {S A} (body : S -> prog (S + A)) m s y : turns (fun s => law_of (body s)) m s y <= law_of (Loop body s) y.
Proof.
  apply Rle_cv_lim with (Un := fun n => turns (fun s => run (n + m) (body s)) m s y) (Vn := fun _ => law_of (Loop body s) y).
  - intros n. apply Rle_trans with (run (n + m) (Loop body s) y); [|apply run_le]. cbn [run].
    apply turns_mono; auto using run_sub; [intros; lra | lia].
  - intros e E. destruct (turns_cv body m s y e E) as [N H]. exists N. intros n L. apply H. lia.
  - intros e E. exists 0%nat. intros. now rewrite R_dist_eq.
Qed.

(** A sub-law of total 1 that lies below a law is that law. *)
Lemma below_law_is_law {A} (p q : A -> R) : sub_law p -> 1 <= total p -> law q -> (forall x, p x <= q x) -> forall y, p y = q y.
Proof.
  intros P T Q Le y. apply Rle_antisym; auto. apply Rnot_lt_le. intros Lt.
  apply law_total in Q. destruct Q as [Qs Qt].
  destruct (total_approx 1 p (q y - p y) P) as (l & N & H); [lra|].
  set (l' := if in_dec same y l then l else y :: l).
  assert (N' : NoDup l') by (unfold l'; destruct in_dec; [auto | constructor; auto]).
  assert (I' : In y l') by (unfold l'; destruct in_dec; simpl; auto).
  assert (U : lsum q l' <= 1) by (apply Qs; auto).
  assert (D : lsum p l' + (q y - p y) <= lsum q l').
  { apply in_split in I'. destruct I' as (l1 & l2 & E). rewrite E, !lsum_app. cbn [lsum].
    assert (lsum p l1 <= lsum q l1) by (apply lsum_le; auto).
    assert (lsum p l2 <= lsum q l2) by (apply lsum_le; auto). lra. }
  assert (lsum p l <= lsum p l').
  { unfold l'. destruct in_dec; [lra|]. cbn [lsum]. assert (a := proj1 P y). lra. }
  lra.
Qed.

(** ** The law of a loop

    [q] is the law of a loop if it solves the loop's equation on all states that satisfy an invariant, and the
    loop comes to an end with probability 1: after [m] turns it is still running with a probability of at most
    [left m], which tends to 0. *)
Theorem loop_law {S A} (body : S -> prog (S + A)) (good : S -> Prop) (q : S -> A -> R) :
  (forall s, good s -> law (q s)) ->
  (forall s s', good s -> law_of (body s) (inl s') <> 0 -> good s') ->
  (forall s y, good s -> q s y = bind (law_of (body s)) (continue q) y) ->
  forall s, good s -> Un_cv (fun m => total (turns (fun s => law_of (body s)) m s)) 1 ->
  law (law_of (Loop body s)) /\ forall y, law_of (Loop body s) y = q s y.
Proof.
  intros Q Inv Eq s G T.
  set (q' := fun s => if decide (good s) then q s else fun _ : A => 0).
  assert (Q' : forall s, sub_law (q' s)) by (intros s'; unfold q'; destruct decide; [apply law_sub; auto | apply zero_sub]).
  assert (Le : forall n m s y, good s -> turns (fun s => run n (body s)) m s y <= q s y).
  { intros n; induction m as [|m IH]; intros s' y G'; simpl; [apply Q; auto|]. rewrite Eq by auto.
    apply Rle_trans with (bind (law_of (body s')) (continue q') y).
    - apply bind_mono; auto using run_sub, law_of_sub.
      + intros r. apply continue_sub. intros; apply turns_sub. intros; apply run_sub.
      + intros r. now apply continue_sub.
      + intros r. apply run_le.
      + intros [t|a] NZ; simpl; [|lra]. unfold q'. destruct (decide (good t)) as [Gt|Gt]; [now apply IH|].
        exfalso. apply Gt. apply Inv with s'; auto. assert (a := run_le (body s') n (inl t)).
        assert (b := proj1 (run_sub (body s') n) (inl t)). intros Z. rewrite Z in a. lra.
    - right. apply bind_ext; auto. intros [t|a] NZ; simpl; auto. unfold q'. destruct (decide (good t)); auto.
      exfalso. eauto. }
  assert (Upper : forall y, law_of (Loop body s) y <= q s y).
  { intros y. apply (limit_le _ 1 (run_sub (Loop body s))). intros n. cbn [run]. now apply Le. }
  assert (One : total (law_of (Loop body s)) = 1).
  { apply Rle_antisym; [apply total_bounded, law_of_sub|].
    apply Rle_cv_lim with (Un := fun m => total (turns (fun s => law_of (body s)) m s)) (Vn := fun _ => total (law_of (Loop body s))); auto.
    - intros m. apply total_mono with 1; [intros y; apply turns_le | apply law_of_sub].
    - intros e E. exists 0%nat. intros. now rewrite R_dist_eq. }
  split; [apply law_total; split; [apply law_of_sub | exact One]|].
  intros y. apply below_law_is_law; auto using law_of_sub. lra.
Qed.

(** A loop whose every turn ends it with probability at least [c] comes to an end. *)
Lemma ends_geometrically {S A} (p : S -> S + A -> R) (good : S -> Prop) c :
  0 < c <= 1 -> (forall s, law (p s)) -> (forall s s', good s -> p s (inl s') <> 0 -> good s') ->
  (forall s, good s -> c <= prob (p s) (fun r => exists a, r = inr a)) ->
  forall s, good s -> Un_cv (fun m => total (turns p m s)) 1.
Proof.
  intros C P Inv E.
  assert (B : forall m s, good s -> 1 - (1 - c) ^ m <= total (turns p m s)).
  { induction m as [|m IH]; intros s G.
    - cbn [turns pow]. rewrite total_zero by auto. lra.
    - cbn [turns]. assert (Ps := fun s => law_sub _ (P s)).
      rewrite total_bind by (auto; intros; apply continue_sub; intros; now apply turns_sub).
      set (x := (1 - c) ^ m). assert (X : 0 <= x <= 1) by (unfold x; split; [apply pow_le; lra | apply Rle_trans with (1 ^ m); [apply pow_incr; lra | rewrite pow1; lra]]).
      set (stop := fun r : S + A => exists a, r = inr a).
      assert (H : total (fun r => (1 - x) * p s r) + total (fun r => x * on stop (p s) r) <= total (fun r => p s r * total (continue (turns p m) r))).
      { rewrite (total_scal (1 - x) 1), (total_scal x 1) by (first [lra | apply on_bounded, Ps | apply Ps]).
        apply le_epsilon. intros eta Eta.
        assert (B1 : bounded 1 (fun r => p s r * total (continue (turns p m) r))).
        { apply bounded_le with (p s); [|apply Ps]. intros r. assert (a := proj1 (Ps s) r).
          assert (b : 0 <= total (continue (turns p m) r) <= 1).
          { assert (S1 : sub_law (continue (turns p m) r)) by (apply continue_sub; intros; now apply turns_sub).
            split; [now apply total_nonneg with 1 | now apply total_bounded]. }
          nra. }
        destruct (total_approx 1 (p s) (eta / 2) (Ps s)) as (l & N & L); [lra|].
        destruct (total_approx 1 (on stop (p s)) (eta / 2) (on_bounded 1 stop _ (Ps s))) as (l2 & N2 & L2); [lra|].
        set (u := nodup same (l ++ l2)).
        assert (U1 : lsum (p s) l <= lsum (p s) u).
        { apply lsum_incl; auto; [apply Ps|]. intros z Z. apply nodup_In, in_app_iff; auto. }
        assert (U2 : lsum (on stop (p s)) l2 <= lsum (on stop (p s)) u).
        { apply lsum_incl; auto; [apply (on_bounded 1 stop _ (Ps s))|]. intros z Z. apply nodup_In, in_app_iff; auto. }
        assert (U3 := total_ge 1 _ u B1 (NoDup_nodup _ _)).
        assert (U4 : (1 - x) * lsum (p s) u + x * lsum (on stop (p s)) u <= lsum (fun r => p s r * total (continue (turns p m) r)) u).
        { rewrite <- !lsum_scal, <- lsum_plus. apply lsum_le. intros r _. unfold on, stop.
          assert (a := proj1 (Ps s) r). destruct (decide (exists a, r = inr a)) as [[z ->]|NS].
          - simpl. assert (R := ret_law z). apply law_total in R. destruct R as [_ R]. rewrite R. lra.
          - destruct r as [s'|z]; [|exfalso; apply NS; now exists z]. simpl.
            destruct (decide (p s (inl s') = 0)) as [Z|NZ]; [rewrite Z; lra|].
            assert (i := IH s' (Inv s s' G NZ)). fold x in i. nra. }
        assert (b1 : (1 - x) * (total (p s) - eta / 2) <= (1 - x) * lsum (p s) u) by (apply Rmult_le_compat_l; lra).
        assert (b2 : x * (total (on stop (p s)) - eta / 2) <= x * lsum (on stop (p s)) u) by (apply Rmult_le_compat_l; lra).
        nra. }
      rewrite (total_scal (1 - x) 1), (total_scal x 1) in H by (first [lra | apply on_bounded, Ps | apply Ps]).
      assert (T := P s). apply law_total in T. destruct T as [_ T]. rewrite T in H.
      assert (e := E s G). rewrite prob_on in e by auto. fold stop in e. cbn [pow]. fold x. nra. }
  intros s G eta Eta.
  destruct (pow_lt_1_zero (1 - c) ltac:(apply Rabs_def1; lra) eta Eta) as [N H]. exists N. intros m L.
  specialize (H m L). specialize (B m s G). assert (U : total (turns p m s) <= 1) by (apply total_bounded, turns_sub; intros; now apply law_sub).
  assert (0 <= (1 - c) ^ m) by (apply pow_le; lra). rewrite Rabs_pos_eq in H by auto.
  unfold R_dist. apply Rabs_def1; lra.
Qed.
