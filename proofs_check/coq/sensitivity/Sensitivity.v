(** * The sensitivity of trees, for every partition and every Bayes risk

    Weighted labelled examples lie in the cells 0 .. k-1 of a partition, such as the leaves of a tree or the two children of
    a node.  The risk of a sample is the sum of the risks of its cells.  Exchanging one example, or adding one, changes it
    by at most cap * m L(1/m), where weights are at most [cap] and [m] is the size of the (larger) sample; for every m this
    is attained.  The corollaries are the statements of the paper, for all neighbours: an exchanged example may change
    its weight and class, and may leave a cell, enter it, or stay. *)
From Coq Require Import Reals Lra Psatz List Arith Lia Permutation.
From Privboost Require Import Risk.
Import ListNotations.
Local Open Scope R_scope.

Record example := { weight : R; label : bool; place : nat }.

Definition in_cell (l : nat) (c : bool) (e : example) : bool := andb (Nat.eqb (place e) l) (Bool.eqb (label e) c).

Fixpoint mass (S : list example) (l : nat) (c : bool) : R :=
  match S with
  | [] => 0
  | e :: S' => (if in_cell l c e then weight e else 0) + mass S' l c
  end.

Definition cell_risk (L : R -> R) (S : list example) (l : nat) : R := leaf L (mass S l true) (mass S l false).

Fixpoint over_cells (k : nat) (g : nat -> R) : R := match k with O => 0 | S k' => over_cells k' g + g k' end.
Definition risk_of (L : R -> R) (k : nat) (S : list example) : R := over_cells k (cell_risk L S).

(** Weights within the cap; an example may also lie outside of all cells. *)
Definition within (cap : R) (S : list example) : Prop := Forall (fun e => 0 <= weight e <= cap) S.

Definition exchange {A} (S S' : list A) : Prop :=
  exists e e' rest, Permutation S (e :: rest) /\ Permutation S' (e' :: rest).
Definition add_one {A} (S S' : list A) : Prop := exists e, Permutation S (e :: S').

(** ** Sums over cells *)

Lemma cells_ext k g h : (forall l, (l < k)%nat -> g l = h l) -> over_cells k g = over_cells k h.
Proof. induction k; simpl; intros H; [auto|]. rewrite IHk, H; auto. Qed.

Lemma cells_zero k g : (forall l, (l < k)%nat -> g l = 0) -> over_cells k g = 0.
Proof. induction k; simpl; intros H; [auto|]. rewrite IHk, H; auto. ring. Qed.

Lemma cells_minus k g h : over_cells k g - over_cells k h = over_cells k (fun l => g l - h l).
Proof. induction k; simpl; [ring|]. rewrite <- IHk. ring. Qed.

Lemma cells_single k g i : (forall l, l <> i -> g l = 0) -> over_cells k g = if Nat.ltb i k then g i else 0.
Proof.
  intros H. induction k as [|k IH]; auto. cbn [over_cells]. rewrite IH. destruct (Nat.eq_dec i k) as [->|N].
  - destruct (Nat.ltb_spec k k); [lia|]. destruct (Nat.ltb_spec k (S k)); [lra | lia].
  - rewrite (H k) by auto. destruct (Nat.ltb_spec i k), (Nat.ltb_spec i (S k)); try lia; lra.
Qed.

(** ** Masses *)

Lemma mass_nonneg cap S l c : within cap S -> 0 <= mass S l c.
Proof. induction 1 as [|e S He _ IH]; simpl; [lra|]. destruct (in_cell l c e); lra. Qed.

Lemma mass_le cap S l : within cap S -> mass S l true + mass S l false <= cap * INR (length S).
Proof.
  induction 1 as [|e S He _ IH]; [simpl; lra|]. change (length (e :: S)) with (Datatypes.S (length S)).
  rewrite S_INR. cbn [mass]. unfold in_cell. destruct (Nat.eqb (place e) l), (label e); simpl; lra.
Qed.

Lemma mass_perm S S' l c : Permutation S S' -> mass S l c = mass S' l c.
Proof. induction 1; simpl; lra. Qed.

Lemma mass_elsewhere e S l c : place e <> l -> mass (e :: S) l c = mass S l c.
Proof.
  intros N. cbn [mass]. unfold in_cell. apply Nat.eqb_neq in N. rewrite N. simpl. ring.
Qed.

Lemma cell_risk_perm L S S' l : Permutation S S' -> cell_risk L S l = cell_risk L S' l.
Proof. intros P. unfold cell_risk. now rewrite !(mass_perm S S') by auto. Qed.

Lemma risk_perm L k S S' : Permutation S S' -> risk_of L k S = risk_of L k S'.
Proof. intros P. apply cells_ext. intros. now apply cell_risk_perm. Qed.

Lemma within_perm cap S S' : Permutation S S' -> within cap S -> within cap S'.
Proof. intros P V. unfold within. eapply Permutation_Forall; eauto. Qed.

(** ** The sharp bound *)

Section Sharp.
Variables (L : R -> R) (cap : R).
Hypothesis HL : bayes_risk L.
Hypothesis cap_pos : 0 < cap.

(** The increments of a cell, scaled to weights of at most 1. *)
Lemma scaled_increment a b t m : 0 <= a -> 0 <= b -> 0 <= t <= cap -> a + b <= cap * (m - 1) ->
  leaf L (a + t) b - leaf L a b <= cap * sharp L m.
Proof.
  intros A B T M. assert (I : 0 < / cap) by now apply Rinv_0_lt_compat.
  assert (J : cap * / cap = 1) by (apply Rinv_r; lra).
  assert (P : / cap * a + / cap * b <= m - 1).
  { replace (m - 1) with (/ cap * (cap * (m - 1))) by (field; lra). nra. }
  assert (Q := increment_bound L HL (/ cap * a) (/ cap * b) (/ cap * t) m ltac:(nra) ltac:(nra) ltac:(nra) P).
  rewrite <- Rmult_plus_distr_l, !leaf_homogeneous in Q by lra.
  apply Rmult_le_compat_l with (r := cap) in Q; [|lra].
  replace (cap * (/ cap * leaf L (a + t) b - / cap * leaf L a b)) with (leaf L (a + t) b - leaf L a b) in Q by (field; lra).
  exact Q.
Qed.

(** One more example in its own cell. *)
Lemma cell_one_more e S m : within cap (e :: S) -> INR (length S) <= m - 1 ->
  0 <= cell_risk L (e :: S) (place e) - cell_risk L S (place e) <= cap * sharp L m.
Proof.
  intros V Hm. inversion V as [|? ? He VS]; subst. unfold cell_risk. cbn [mass]. unfold in_cell. rewrite Nat.eqb_refl.
  assert (A := mass_nonneg cap S (place e) true VS). assert (B := mass_nonneg cap S (place e) false VS).
  assert (C := mass_le cap S (place e) VS).
  assert (D : cap * INR (length S) <= cap * (m - 1)) by (apply Rmult_le_compat_l; lra).
  destruct (label e); cbn [andb Bool.eqb]; rewrite Rplus_0_l, (Rplus_comm (weight e)).
  - split; [|apply scaled_increment; lra].
    assert (M := leaf_monotone_positive L HL _ _ (weight e) A B ltac:(lra)). lra.
  - split.
    + assert (M := leaf_monotone_negative L HL _ _ (weight e) A B ltac:(lra)). lra.
    + rewrite (leaf_swap L HL _ (_ + _)), (leaf_swap L HL (mass S (place e) true)) by lra. apply scaled_increment; lra.
Qed.

(** One more example raises the risk of no cell but its own. *)
Lemma any_cell_one_more e S m l : within cap (e :: S) -> INR (length S) <= m - 1 ->
  0 <= cell_risk L (e :: S) l - cell_risk L S l <= cap * sharp L m.
Proof.
  intros V Hm. destruct (Nat.eq_dec (place e) l) as [<-|N]; [now apply cell_one_more|].
  unfold cell_risk. rewrite !mass_elsewhere by auto.
  assert (0 <= sharp L m) by (apply sharp_nonneg; auto; assert (H := pos_INR (length S)); lra).
  assert (0 <= cap * sharp L m) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem one_more k e S m : within cap (e :: S) -> INR (length S) <= m - 1 ->
  0 <= risk_of L k (e :: S) - risk_of L k S <= cap * sharp L m.
Proof.
  intros V Hm. unfold risk_of. rewrite cells_minus, (cells_single _ _ (place e)).
  - destruct Nat.ltb; [now apply cell_one_more|].
    assert (0 <= sharp L m) by (apply sharp_nonneg; auto; assert (H := pos_INR (length S)); lra).
    split; [lra | apply Rmult_le_pos; lra].
  - intros l Hl. unfold cell_risk. rewrite !mass_elsewhere by auto. ring.
Qed.

Theorem add_remove_sensitivity k S S' : within cap S -> add_one S S' ->
  0 <= risk_of L k S - risk_of L k S' <= cap * sharp L (INR (length S)).
Proof.
  intros V (e & P). rewrite (risk_perm L k S _ P), (Permutation_length P).
  apply one_more; [now apply within_perm with S|]. simpl length. rewrite S_INR. lra.
Qed.

Theorem exchange_sensitivity k S S' : within cap S -> within cap S' -> exchange S S' ->
  Rabs (risk_of L k S - risk_of L k S') <= cap * sharp L (INR (length S)).
Proof.
  intros V V' (e & e' & rest & P & P').
  rewrite (risk_perm L k S _ P), (risk_perm L k S' _ P'), (Permutation_length P). simpl length. rewrite S_INR.
  assert (A := one_more k e rest (INR (length rest) + 1) (within_perm _ _ _ P V) ltac:(lra)).
  assert (B := one_more k e' rest (INR (length rest) + 1) (within_perm _ _ _ P' V') ltac:(lra)).
  apply Rabs_le. lra.
Qed.

(** One leaf alone, which the exchanged example may leave or enter. *)
Theorem leaf_sensitivity l S S' : within cap S -> within cap S' -> exchange S S' ->
  Rabs (cell_risk L S l - cell_risk L S' l) <= cap * sharp L (INR (length S)).
Proof.
  intros V V' (e & e' & rest & P & P').
  rewrite (cell_risk_perm L S _ l P), (cell_risk_perm L S' _ l P'), (Permutation_length P). simpl length. rewrite S_INR.
  assert (A := any_cell_one_more e rest (INR (length rest) + 1) l (within_perm _ _ _ P V) ltac:(lra)).
  assert (B := any_cell_one_more e' rest (INR (length rest) + 1) l (within_perm _ _ _ P' V') ltac:(lra)).
  apply Rabs_le. lra.
Qed.

(** ** No smaller constant serves *)

Definition negative : example := {| weight := cap; label := false; place := 0%nat |}.
Definition positive : example := {| weight := cap; label := true; place := 0%nat |}.

Lemma pure_mass n l : mass (repeat negative n) l true = 0 /\
  mass (repeat negative n) l false = if Nat.eqb 0 l then cap * INR n else 0.
Proof.
  induction n as [|n [A B]]; [split; simpl; [reflexivity | destruct l; simpl; ring]|].
  change (repeat negative (S n)) with (negative :: repeat negative n). cbn [mass]. rewrite A, B, S_INR.
  unfold in_cell, negative; cbn [label place weight Bool.eqb].
  destruct (Nat.eqb 0 l); simpl; split; ring.
Qed.

Lemma pure_within n : within cap (repeat negative n).
Proof. apply Forall_forall. intros e H. apply repeat_spec in H. subst; simpl. lra. Qed.

Lemma pure_risk k n : risk_of L k (repeat negative n) = 0.
Proof.
  apply cells_zero. intros l _. unfold cell_risk. destruct (pure_mass n l) as [-> ->].
  apply leaf_pure_negative; auto. assert (H := pos_INR n). destruct Nat.eqb; nra.
Qed.

Lemma one_positive_risk k n : (1 <= k)%nat -> risk_of L k (positive :: repeat negative n) = cap * sharp L (INR n + 1).
Proof.
  intros K. unfold risk_of. rewrite (cells_single _ _ 0%nat).
  - destruct (Nat.ltb_spec 0 k); [|lia]. unfold cell_risk. cbn [mass]. destruct (pure_mass n 0) as [-> ->].
    unfold in_cell, positive; cbn [label place weight Nat.eqb Bool.eqb andb].
    rewrite (sharp_is_leaf L), <- leaf_homogeneous by (assert (H0 := pos_INR n); lra). f_equal; ring.
  - intros l Hl. unfold cell_risk. rewrite !mass_elsewhere by (simpl; auto).
    destruct (pure_mass n l) as [-> ->]. replace (Nat.eqb 0 l) with false by (symmetry; apply Nat.eqb_neq; auto).
    apply leaf_empty.
Qed.

Theorem exchange_attained k m : (1 <= k)%nat -> (1 <= m)%nat ->
  exists S S', within cap S /\ within cap S' /\ exchange S S' /\ length S = m /\
  Rabs (risk_of L k S - risk_of L k S') = cap * sharp L (INR m).
Proof.
  intros Hk Hm. destruct m as [|n]; [lia|].
  exists (positive :: repeat negative n), (repeat negative (S n)). repeat split.
  - constructor; [simpl; lra | apply pure_within].
  - apply pure_within.
  - exists positive, negative, (repeat negative n). split; apply Permutation_refl.
  - simpl. now rewrite repeat_length.
  - rewrite pure_risk, one_positive_risk, S_INR, Rminus_0_r by auto. apply Rabs_right, Rle_ge.
    assert (H := pos_INR n). apply Rmult_le_pos; [lra | apply sharp_nonneg; auto; lra].
Qed.

Theorem add_remove_attained k m : (1 <= k)%nat -> (1 <= m)%nat ->
  exists S S', within cap S /\ add_one S S' /\ length S = m /\ risk_of L k S - risk_of L k S' = cap * sharp L (INR m).
Proof.
  intros Hk Hm. destruct m as [|n]; [lia|]. exists (positive :: repeat negative n), (repeat negative n). repeat split.
  - constructor; [simpl; lra | apply pure_within].
  - exists positive. apply Permutation_refl.
  - simpl. now rewrite repeat_length.
  - rewrite pure_risk, one_positive_risk, S_INR by auto. ring.
Qed.
End Sharp.

(** ** The statements of the paper: weights of at most 1, one leaf, m examples *)

Section Paper.
Variables (S S' : list example) (l : nat).
Hypotheses (V : within 1 S) (V' : within 1 S') (E : exchange S S').
Let m := INR (length S).

Lemma size_positive : 1 <= m.
Proof.
  unfold m. destruct E as (e & e' & rest & P & _). rewrite (Permutation_length P). simpl length. rewrite S_INR.
  assert (H := pos_INR (length rest)). lra.
Qed.

Lemma leaf_change L : bayes_risk L -> Rabs (cell_risk L S l - cell_risk L S' l) <= sharp L m.
Proof. intros HL. rewrite <- (Rmult_1_l (sharp L m)). apply leaf_sensitivity; auto. lra. Qed.

(** Theorem th3P, and the value without the maximum and the summand 1. *)
Theorem th3P L : bayes_risk L ->
  Rabs (cell_risk L S l - cell_risk L S' l) <= Rmax 3 (1 + sharp L (m + 1)).
Proof.
  intros HL. assert (C := leaf_change L HL). assert (H := size_positive).
  assert (M := sharp_monotone L HL m (m + 1) ltac:(lra)). assert (R := Rmax_r 3 (1 + sharp L (m + 1))). lra.
Qed.

(** Lemma lemPhiProof, for its four risks. *)
Theorem lemPhiProof_matsushita : Rabs (cell_risk matsushita S l - cell_risk matsushita S' l) <= Rmax 3 (1 + 2 * sqrt m).
Proof.
  assert (C := th3P matsushita matsushita_risk). assert (H := size_positive). rewrite sharp_matsushita in C by lra.
  now replace (m + 1 - 1) with m in C by ring.
Qed.

Theorem lemPhiProof_square : Rabs (cell_risk square S l - cell_risk square S' l) <= Rmax 3 (1 + 4 * m / (m + 1)).
Proof.
  assert (C := th3P square square_risk). assert (H := size_positive). rewrite sharp_square in C by lra.
  now replace (m + 1 - 1) with m in C by ring.
Qed.

Theorem lemPhiProof_zero_one : Rabs (cell_risk zero_one S l - cell_risk zero_one S' l) <= Rmax 3 (1 + 2).
Proof.
  assert (C := th3P zero_one zero_one_risk). assert (H := size_positive). now rewrite sharp_zero_one in C by lra.
Qed.

Lemma sharp_log n : 1 <= n -> sharp log_risk (n + 1) <= (1 + ln (n + 1)) / ln 2.
Proof.
  intros N. assert (P := ln_2_pos). assert (I : 0 < / ln 2) by now apply Rinv_0_lt_compat.
  unfold sharp, log_risk, xlnx. replace (1 - 1 / (n + 1)) with (n * / (n + 1)) by (field; lra).
  replace (1 / (n + 1)) with (/ (n + 1)) by (field; lra).
  assert (0 < / (n + 1)) by (apply Rinv_0_lt_compat; lra).
  rewrite ln_Rinv, ln_mult, ln_Rinv by lra.
  assert (T := xlnx_tangent (n) (n + 1) ltac:(lra) ltac:(lra)). unfold xlnx in T.
  replace ((n + 1) * (- (/ (n + 1) * - ln (n + 1) + n * / (n + 1) * (ln n + - ln (n + 1))) / ln 2))
    with ((ln (n + 1) + n * (ln (n + 1) - ln n)) / ln 2) by (field; lra).
  unfold Rdiv. apply Rmult_le_compat_r; lra.
Qed.

Theorem lemPhiProof_log : Rabs (cell_risk log_risk S l - cell_risk log_risk S' l) <= Rmax 3 (1 + (1 + ln (m + 1)) / ln 2).
Proof.
  assert (C := th3P log_risk log_risk_risk). assert (H := size_positive). assert (B := sharp_log m H).
  apply Rle_trans with (1 := C). apply Rle_max_compat_l. lra.
Qed.

(** Corollary sensALPHA. *)
Theorem sensALPHA alpha : 0 <= alpha <= 1 ->
  Rabs (cell_risk (m_alpha alpha) S l - cell_risk (m_alpha alpha) S' l) <= 3 + 2 * alpha * (sqrt m - 1).
Proof.
  intros A. assert (C := leaf_change (m_alpha alpha) (m_alpha_risk alpha A)). assert (H := size_positive).
  assert (M := sharp_monotone _ (m_alpha_risk alpha A) m (m + 1) ltac:(lra)).
  rewrite (sharp_m_alpha alpha (m + 1)) in M by lra. replace (m + 1 - 1) with m in M by ring. lra.
Qed.
End Paper.
