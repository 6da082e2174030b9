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
Variable claim : nat.
Variable pure_after : nat -> list (call output) -> bool.
Variable strategy : list (call output) -> nat -> nat -> decision output.
Variable next_pair : list (call output) -> nat.
Variable looks : list (call output) -> bool.
Variable log_wealth : nat -> nat -> list (call output) -> R.

(** The error of rounding in the logarithm of wealth, as in [Auditor]. *)
Definition rounds_well (points : nat -> nat -> R * R) : Prop := forall k null h, looks h = true ->
  0 <= log_wealth k null h -> exp (log_wealth k null h - rounding (calls_of output k h)) <= wealth output points claim pure_after strategy k null h.

(** Exact logarithms round well, so the hypothesis can be met. *)
Lemma exact_logarithms_round_well points :
  (forall k null h, log_wealth k null h = let w := wealth output points claim pure_after strategy k null h in
    if Rlt_dec 0 w then ln w else - 1) -> rounds_well points.
Proof.
  intros L k null h _ N. rewrite L in *. cbv zeta in *. destruct Rlt_dec as [P|P]; [|lra].
  rewrite <- (exp_ln _ P) at 2. apply exp_le.
  assert (M : 1 / 1000000 <= rounding (calls_of output k h)) by apply Rmax_l. lra.
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
Lemma curve_nonneg curve : List.Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve ->
  forall j, 0 <= fst (nth j curve (0, 1)) /\ 0 <= snd (nth j curve (0, 1)).
Proof.
  intros C j. rewrite Forall_forall in C.
  destruct (nth_in_or_default j curve (0, 1)) as [I|E]; [auto | rewrite E; cbn; lra].
Qed.

Lemma curve_points_nonneg curve null j : List.Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve ->
  0 <= fst (curve_points nulls curve null j) /\ 0 <= snd (curve_points nulls curve null j).
Proof.
  intros C. assert (N := curve_nonneg curve C j). unfold curve_points. destruct (nth j curve (0, 1)) as [e d]. cbn in *.
  assert (0 <= nth null nulls 0) by now apply nth_nonneg. split; [nra | tauto].
Qed.

Theorem curve_bound_holds curve scale : List.Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve -> 0 <= scale ->
  (forall k e d, (k < n_pairs)%nat -> In (e, d) curve -> private (scale * e) d (left k) (right k)) ->
  rounds_well (curve_points nulls curve) -> ever_reports_above scale <= alpha.
Proof.
  intros C S P W. assert (G := curve_nonneg curve C).
  apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. now apply curve_points_nonneg.
  - intros i _ T j h k K. unfold curve_points. cbn [same_answers].
    destruct (nth_in_or_default j curve (0, 1)) as [inside|outside]; [|rewrite outside; apply private_at_one].
    specialize (G j). destruct (nth j curve (0, 1)) as [e d]. cbn in *.
    apply private_weaker with (scale * e) d; [nra | lra | now apply P].
Qed.

(** ** Pairs that differ in several rows, joined by a chain of neighbours: the bound is still on the parameter of
    neighbours *)
Definition joined (rows : nat) (chain : nat -> nat -> expectation output) : Prop :=
  forall k, (k < n_pairs)%nat -> chain k O = left k /\ chain k rows = right k.
Definition neighbours_keep (rows : nat) (chain : nat -> nat -> expectation output) (point : R * R) : Prop :=
  forall k i, (k < n_pairs)%nat -> (i < rows)%nat -> private (fst point) (snd point) (chain k i) (chain k (S i)).

(** A claim whose nulls, from the truth on, promise points that neighbours keep. *)
Lemma group_of_neighbours rows chain points truth : 0 <= truth -> joined rows chain ->
  (forall null j, 0 <= fst (points null j) /\ 0 <= snd (points null j)) ->
  (forall i j, truth <= nth i nulls 0 -> neighbours_keep rows chain (points i j)) ->
  rounds_well (for_group rows points) -> ever_reports_above truth <= alpha.
Proof.
  intros T J P N W. apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros null j. unfold for_group. specialize (P null j). destruct (points null j) as [e d]. cbn in *.
    split; [apply Rmult_le_pos; try tauto; apply pos_INR|].
    apply Rmin_glb; [|lra]. apply Rmult_le_pos; [tauto|]. apply geometric_nonneg. apply Rlt_le, exp_pos.
  - intros i _ I j h k K. unfold for_group. specialize (P i j). specialize (N i j I).
    destruct (points i j) as [e d]. cbn in *. destruct (J k K) as [<- <-].
    apply Rmin_case; [|apply private_at_one]. apply group_privacy; [tauto|]. intros i' I'. now apply N.
Qed.

Theorem group_bound_holds rows eps delta chain : 0 <= eps -> 0 <= delta ->
  joined rows chain -> neighbours_keep rows chain (eps, delta) ->
  rounds_well (for_group rows (eps_points nulls delta)) -> ever_reports_above eps <= alpha.
Proof.
  intros E D J N. apply group_of_neighbours with chain; auto.
  - intros null j. cbn. split; auto. now apply nth_nonneg.
  - intros i j T k i' K I. apply private_weaker with eps delta; [exact T | apply Rle_refl | now apply N].
Qed.

Theorem group_delta_bound_holds rows eps delta chain : 0 <= eps -> 0 <= delta ->
  joined rows chain -> neighbours_keep rows chain (eps, delta) ->
  rounds_well (for_group rows (delta_points nulls eps)) -> ever_reports_above delta <= alpha.
Proof.
  intros E D J N. apply group_of_neighbours with chain; auto.
  - intros null j. cbn. split; auto. now apply nth_nonneg.
  - intros i j T k i' K I. apply private_weaker with eps delta; [apply Rle_refl | exact T | now apply N].
Qed.

Theorem group_curve_bound_holds rows curve scale chain :
  List.Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve -> 0 <= scale -> joined rows chain ->
  (forall e d, In (e, d) curve -> neighbours_keep rows chain (scale * e, d)) ->
  rounds_well (for_group rows (curve_points nulls curve)) -> ever_reports_above scale <= alpha.
Proof.
  intros C S J N. assert (G := curve_nonneg curve C). apply group_of_neighbours with chain; auto.
  - intros null j. now apply curve_points_nonneg.
  - intros i j T k i' K I. unfold curve_points.
    destruct (nth_in_or_default j curve (0, 1)) as [inside|outside]; [|rewrite outside; apply private_at_one].
    specialize (G j). destruct (nth j curve (0, 1)) as [e d]. cbn in *.
    apply private_weaker with (scale * e) d; [nra | lra | now apply N].
Qed.

(** Points that are rounded up promise less: [_rounded_up], and every delta in [claims.py]. *)
Theorem rounded_up_points_hold (points points' : nat -> nat -> R * R) truth : 0 <= truth ->
  (forall i j, 0 <= fst (points i j) <= fst (points' i j) /\ 0 <= snd (points i j) <= snd (points' i j)) ->
  (forall i j k, (i < length nulls)%nat -> truth <= nth i nulls 0 -> (k < n_pairs)%nat ->
    private (fst (points i j)) (snd (points i j)) (left k) (right k)) ->
  rounds_well points' -> ever_reports_above truth <= alpha.
Proof.
  intros T D P W. apply reported_bound_holds with (2 := alpha_in) (4 := W); auto.
  - intros i j. destruct (D i j). lra.
  - intros i I N j h k K. cbn. destruct (D i j).
    apply private_weaker with (fst (points i j)) (snd (points i j)); try lra. now apply P.
Qed.
End Memoryless.

(** ** The lower envelope of delta(epsilon): [envelope_tests] and [envelope_of]

    Each epsilon has a test of delta of its own, on the same calls, at an equal share of the error.  The true
    delta does not increase, so a bound at epsilon [j] also holds at every smaller epsilon [i]. *)
Section Envelope.
Context (output : Type) (left right : nat -> expectation output) (n_pairs : nat) (alpha : R) (nulls : list R)
  (next_pair : list (call output) -> nat) (looks : list (call output) -> bool) (k : nat)
  (epsilons deltas : nat -> R) (claim : nat -> nat) (pure_after : nat -> nat -> list (call output) -> bool)
  (strategy : nat -> list (call output) -> nat -> nat -> decision output)
  (log_wealth : nat -> nat -> nat -> list (call output) -> R).
Hypothesis some_pair : (0 < n_pairs)%nat.
Hypothesis alpha_in : 0 < alpha < 1.
Hypothesis some_epsilon : (1 <= k)%nat.
Hypothesis nulls_nonneg : List.Forall (fun null => 0 <= null) nulls.
Hypothesis deltas_fall : forall i j, (i <= j < k)%nat -> deltas j <= deltas i.

Let reported_by j h := report output n_pairs (alpha / INR k) nulls looks (log_wealth j) h.
Let calls := next_law output next_pair (same_answers output left right).

Lemma share_in : 0 < alpha / INR k < 1.
Proof.
  assert (1 <= INR k) by now apply (le_INR 1).
  split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with (INR k); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra.
Qed.

Lemma envelope_of_bounds :
  (forall j, (j < k)%nat -> ever calls (fun h => deltas j < reported_by j h) <= alpha / INR k) ->
  ever calls (fun h => exists i j, (i <= j < k)%nat /\ deltas i < reported_by j h) <= alpha.
Proof.
  intros B. assert (1 <= INR k) by now apply (le_INR 1).
  eapply Rle_trans; [apply ever_weaken with (other := fun h => exists j, (j < k)%nat /\ deltas j < reported_by j h)|].
  { intros h (i & j & I & R). exists j. split; [apply I|]. eapply Rle_lt_trans; [apply (deltas_fall i j I) | exact R]. }
  eapply Rle_trans; [apply ever_any|].
  apply Rle_trans with (lsum (fun _ : nat => alpha / INR k) (seq 0 k)).
  - apply lsum_le. intros i I. apply in_seq in I. apply B. lia.
  - right. transitivity (INR (length (seq 0 k)) * (alpha / INR k)); [|rewrite seq_length; field; lra].
    generalize (seq 0 k) as l. induction l as [|i l IH]; [cbn; ring|]. cbn [lsum length]. rewrite IH, S_INR. ring.
Qed.

Theorem envelope_holds :
  (forall i, (i < k)%nat -> 0 <= epsilons i /\ 0 <= deltas i /\
    rounds_well output (claim i) (pure_after i) (strategy i) looks (log_wealth i) (delta_points nulls (epsilons i))) ->
  (forall i j, (i < k)%nat -> (j < n_pairs)%nat -> private (epsilons i) (deltas i) (left j) (right j)) ->
  ever calls (fun h => exists i j, (i <= j < k)%nat /\ deltas i < reported_by j h) <= alpha.
Proof.
  intros W P. apply envelope_of_bounds. intros i I. destruct (W i I) as (E & D & R).
  apply (delta_bound_holds output left right n_pairs some_pair (alpha / INR k) share_in)
    with (claim := claim i) (pure_after := pure_after i) (strategy := strategy i) (eps := epsilons i); auto.
Qed.

Theorem group_envelope_holds rows chain : joined output left right n_pairs rows chain ->
  (forall i, (i < k)%nat -> 0 <= epsilons i /\ 0 <= deltas i /\ rounds_well output (claim i) (pure_after i) (strategy i)
    looks (log_wealth i) (for_group rows (delta_points nulls (epsilons i)))) ->
  (forall i, (i < k)%nat -> neighbours_keep output n_pairs rows chain (epsilons i, deltas i)) ->
  ever calls (fun h => exists i j, (i <= j < k)%nat /\ deltas i < reported_by j h) <= alpha.
Proof.
  intros J W N. apply envelope_of_bounds. intros i I. destruct (W i I) as (E & D & R).
  apply (group_delta_bound_holds output left right n_pairs some_pair (alpha / INR k) share_in)
    with (claim := claim i) (pure_after := pure_after i) (strategy := strategy i) (rows := rows) (eps := epsilons i)
      (chain := chain); auto.
Qed.
End Envelope.

(** ** A mechanism with discrete laws that is private in the sense of [Law.close] *)
Corollary discrete_bound_holds output (p q : nat -> output -> R) (P : forall k, law (p k)) (Q : forall k, law (q k))
  n_pairs alpha nulls claim pure_after strategy next_pair looks log_wealth eps :
  (0 < n_pairs)%nat -> 0 < alpha < 1 -> List.Forall (fun null => 0 <= null) nulls -> 0 <= eps ->
  (forall k, (k < n_pairs)%nat -> close eps (p k) (q k) /\ close eps (q k) (p k)) ->
  rounds_well output claim pure_after strategy looks log_wealth (eps_points nulls 0) ->
  ever_reports_above output (fun k => mean_of_law (p k) (P k)) (fun k => mean_of_law (q k) (Q k))
    n_pairs alpha nulls next_pair looks log_wealth eps <= alpha.
Proof.
  intros N A G E C W. apply epsilon_bound_holds with claim pure_after strategy 0; auto; [lra|].
  intros k K. apply private_of_close; now apply C.
Qed.
