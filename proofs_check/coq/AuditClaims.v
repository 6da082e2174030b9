(** * The auditor's theorem for the kinds of claims

    [Auditor.reported_bound_holds] speaks of points (epsilon, delta) that a null promises.  Here are the kinds of
    claims of auditor/claims.py whose points are simple functions of the null, for a mechanism that answers
    every call in the same way and independently.

    | here           | Python                                                    |
    |----------------|-----------------------------------------------------------|
    | [eps_points]   | [PrivacyClaim.points_of], kind eps: the bound is on epsilon |
    | [delta_points] | kind delta: the bound is on delta                         |
    | [curve_points] | kind curve: the bound is on the scale of all epsilons     |
    | [for_group]    | [_for_group]: pairs that differ in several rows           |

    For gdp, zcdp and rdp the points come from published conversions.  [reported_bound_holds] applies to them
    with its hypothesis on nulls, which says that the conversion is right. *)

From Coq Require Import Reals Lra Psatz List Lia Arith.
From Privboost Require Import Sums Law Expectation Betting Ville Auditor DiscreteMeans.
Import ListNotations.
Local Open Scope R_scope.

Definition eps_points (nulls : list R) (delta : R) (null j : nat) : R * R := (nth null nulls 0, delta).
Definition delta_points (nulls : list R) (eps : R) (null j : nat) : R * R := (eps, nth null nulls 0).
Definition curve_points (nulls : list R) (curve : list (R * R)) (null j : nat) : R * R :=
  let '(eps, delta) := nth j curve (0, 1) in (nth null nulls 0 * eps, delta).
Definition for_group (rows : nat) (points : nat -> nat -> R * R) (null j : nat) : R * R :=
  let '(eps, delta) := points null j in (INR rows * eps, Rmin (delta * geometric (exp eps) rows) 1).

Lemma nth_nonneg (l : list R) i : List.Forall (fun x => 0 <= x) l -> 0 <= nth i l 0.
Proof.
  intros H. destruct (Nat.lt_ge_cases i (length l)) as [L|L].
  - rewrite Forall_forall in H. apply H. now apply nth_In.
  - rewrite nth_overflow by auto. lra.
Qed.

Lemma geometric_nonneg q n : 0 <= q -> 0 <= geometric q n.
Proof. intros Q. induction n; simpl; nra. Qed.

(** Everything is private at delta = 1. *)
Lemma private_at_one {A} eps (P Q : expectation A) : private eps 1 P Q.
Proof.
  assert (H : forall (L : expectation A) S, 0 <= probability L S <= 1).
  { intros L S. split.
    - apply mean_nonneg; [apply has_bound_indicator|]. intros x. unfold indicator. destruct (S x); lra.
    - rewrite <- (mean_const L 1). apply mean_le; [apply has_bound_indicator | apply has_bound_const|].
      intros x. unfold indicator. destruct (S x); lra. }
  intros S. assert (a := H P S). assert (b := H Q S). assert (e := exp_pos eps). split; nra.
Qed.

Section Memoryless.
Variable output : Type.
Variables left right : nat -> expectation output.    (* the law of the output on either side of a pair *)
Definition same_answers (_ : list (call output)) (k : nat) (s : side) : expectation output :=
  match s with OnLeft => left k | OnRight => right k end.

Variable n_pairs : nat.
Hypothesis some_pair : (0 < n_pairs)%nat.
Variable alpha : R.
Hypothesis alpha_in : 0 < alpha < 1.
Variable nulls : list R.
Hypothesis nulls_nonneg : List.Forall (fun null => 0 <= null) nulls.
Variables (claim : nat) (pure : bool).
Variable strategy : list (call output) -> nat -> nat -> decision output.
Variable next_pair : list (call output) -> nat.
Variable looks : list (call output) -> bool.
Variable log_wealth : nat -> nat -> list (call output) -> R.

(** The error of rounding in the logarithm of wealth, as in [Auditor]. *)
Definition rounds_well (points : nat -> nat -> R * R) : Prop := forall k null h,
  0 <= log_wealth k null h -> exp (log_wealth k null h - rounding) <= wealth output points claim pure strategy k null h.

(** Exact logarithms round well, so the hypothesis can be met. *)
Lemma exact_logarithms_round_well points :
  (forall k null h, log_wealth k null h = let w := wealth output points claim pure strategy k null h in
    if Rlt_dec 0 w then ln w else - 1) -> rounds_well points.
Proof.
  intros L k null h N. rewrite L in *. cbv zeta in *. destruct Rlt_dec as [P|P]; [|lra].
  rewrite <- (exp_ln _ P) at 2. apply exp_le. unfold rounding. lra.
Qed.

(** The bound on the parameter that the audit reports after some calls. *)
Definition report : list (call output) -> R := reported output n_pairs alpha nulls looks log_wealth.
Definition ever_reports_above (truth : R) : R := ever (next_law output next_pair same_answers) (fun h => truth < report h).

(** ** A claim of epsilon at a fixed delta *)
Theorem epsilon_bound_holds eps delta : 0 <= eps -> 0 <= delta ->
  (forall k, (k < n_pairs)%nat -> private eps delta (left k) (right k)) ->
  rounds_well (eps_points nulls delta) -> ever_reports_above eps <= alpha.
Proof.
  intros E D P W. apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. cbn. split; auto. now apply nth_nonneg.
  - intros i _ T j h k K. cbn. apply private_weaker with eps delta; auto; lra.
Qed.

(** ** A claim of delta at a fixed epsilon *)
Theorem delta_bound_holds eps delta : 0 <= eps -> 0 <= delta ->
  (forall k, (k < n_pairs)%nat -> private eps delta (left k) (right k)) ->
  rounds_well (delta_points nulls eps) -> ever_reports_above delta <= alpha.
Proof.
  intros E D P W. apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. cbn. split; auto. now apply nth_nonneg.
  - intros i _ T j h k K. cbn. apply private_weaker with eps delta; auto; lra.
Qed.

(** ** A curve: several points at once, and the scale of their epsilons *)
Theorem curve_bound_holds curve scale : List.Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve -> 0 <= scale ->
  (forall k j, (k < n_pairs)%nat -> (j < length curve)%nat ->
    private (scale * fst (nth j curve (0, 1))) (snd (nth j curve (0, 1))) (left k) (right k)) ->
  rounds_well (curve_points nulls curve) -> ever_reports_above scale <= alpha.
Proof.
  intros C S P W.
  assert (N : forall j, 0 <= fst (nth j curve (0, 1)) /\ 0 <= snd (nth j curve (0, 1))).
  { intros j. destruct (Nat.lt_ge_cases j (length curve)) as [L|L].
    - rewrite Forall_forall in C. apply C. now apply nth_In.
    - rewrite nth_overflow by auto. cbn. lra. }
  apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. unfold curve_points. specialize (N j). destruct (nth j curve (0, 1)) as [e d]. cbn in *.
    assert (0 <= nth null nulls 0) by now apply nth_nonneg. split; [nra | tauto].
  - intros i _ T j h k K. unfold curve_points. cbn [same_answers]. specialize (N j). specialize (P k j K).
    destruct (Nat.lt_ge_cases j (length curve)) as [L|L].
    + specialize (P L). destruct (nth j curve (0, 1)) as [e d]. cbn in *.
      apply private_weaker with (scale * e) d; auto; [nra | lra].
    + rewrite nth_overflow by auto. apply private_at_one.
Qed.

(** ** Pairs that differ in several rows, joined by a chain of neighbours: the bound is still on the epsilon of
    neighbours *)
Theorem group_bound_holds rows eps delta (chain : nat -> nat -> expectation output) : 0 <= eps -> 0 <= delta ->
  (forall k, (k < n_pairs)%nat -> chain k O = left k /\ chain k rows = right k /\
    forall i, (i < rows)%nat -> private eps delta (chain k i) (chain k (S i))) ->
  rounds_well (for_group rows (eps_points nulls delta)) -> ever_reports_above eps <= alpha.
Proof.
  intros E D P W. apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. cbn. assert (0 <= nth null nulls 0) by now apply nth_nonneg.
    split; [apply Rmult_le_pos; auto using pos_INR|].
    apply Rmin_glb; [|lra]. apply Rmult_le_pos; auto. apply geometric_nonneg. apply Rlt_le, exp_pos.
  - intros i _ T j h k K. cbn. destruct (P k K) as (<- & <- & N).
    apply Rmin_case; [|apply private_at_one]. apply group_privacy; auto.
    intros i' I. apply private_weaker with eps delta; auto. lra.
Qed.
End Memoryless.

(** ** A mechanism with discrete laws that is private in the sense of [Law.close] *)
Corollary discrete_bound_holds output (p q : nat -> output -> R) (P : forall k, law (p k)) (Q : forall k, law (q k))
  n_pairs alpha nulls claim pure strategy next_pair looks log_wealth eps :
  (0 < n_pairs)%nat -> 0 < alpha < 1 -> List.Forall (fun null => 0 <= null) nulls -> 0 <= eps ->
  (forall k, (k < n_pairs)%nat -> close eps (p k) (q k) /\ close eps (q k) (p k)) ->
  rounds_well output claim pure strategy log_wealth (eps_points nulls 0) ->
  ever_reports_above output (fun k => mean_of_law (p k) (P k)) (fun k => mean_of_law (q k) (Q k))
    n_pairs alpha nulls next_pair looks log_wealth eps <= alpha.
Proof.
  intros N A G E C W. apply epsilon_bound_holds with claim pure strategy 0; auto; [lra|].
  intros k K. apply private_of_close; now apply C.
Qed.
