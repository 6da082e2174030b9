(** * The protocols, with their budgets and noise

    The general theorem (Privacy.v) asks that noise and rates pay for what the budgets say.  Here they are those of
    `fast/budgets.py`, and what is left to ask are the ranges of the public parameters.  The default
    protocol, with everything spelled out in whole numbers, is in Default.v.

    - [exact_private]: all boosted trees of sound protocols in exact arithmetic, as in `reference`.
    - [boosted_private]: the same in `fast`, whose scores are floats: two assumptions about rounding.
    - [forest_private]: forests with noisy counts, or with drawn classes. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia Arith.
From Privboost Require Import Law Risk Learner Privacy.
Import ListNotations.
Local Open Scope R_scope.

Definition is_uniform (s : split_law) : bool := match s with Uniform => true | _ => false end.
Definition first_tree (h : history) : bool :=
  forallb (fun o => match o with Leaves _ => false | _ => true end) h.

Lemma touched_in r : 1 <= touched r <= 2.
Proof. destruct r; simpl; lra. Qed.

Lemma power_two k : (1 <= k)%nat -> 2 <= 2 ^ k.
Proof. destruct k as [|k]; [lia|]. intros _. simpl. assert (1 <= 2 ^ k) by (apply pow_R1_Rle; lra). lra. Qed.

(** ** Boosted trees *)

(** The public inputs of boosted trees; `Protocol`, `Parameters` and `Setting` in `fast`. *)
Record boosted (X : Type) := {
  b_relation : relation; b_splits : split_law; b_leaves : leaf_rule; b_estimates : bool;
  b_trees : nat; b_depth : nat; b_size : nat; b_candidates : nat; b_test : nat -> X -> bool;
  b_weigh : history -> X -> bool -> Z;
  b_alpha : history -> R;
  b_centre : history -> Z -> Z -> Z; b_bound : Z;
  b_epsilon : R; b_share : R; b_alpha_share : R
}.
Arguments b_relation {X}. Arguments b_splits {X}. Arguments b_leaves {X}. Arguments b_estimates {X}.
Arguments b_trees {X}. Arguments b_depth {X}. Arguments b_size {X}. Arguments b_candidates {X}. Arguments b_test {X}.
Arguments b_weigh {X}. Arguments b_alpha {X}. Arguments b_centre {X}. Arguments b_bound {X}.
Arguments b_epsilon {X}. Arguments b_share {X}. Arguments b_alpha_share {X}.

(** The ranges that `Protocol` and `Parameters` check before a fit begins. *)
Record in_ranges {X} (B : boosted X) : Prop := {
  some_tree : (1 <= b_trees B)%nat;
  some_level : (1 <= b_depth B)%nat;
  some_size : (1 <= b_size B)%nat;
  a_candidate : (1 <= b_candidates B)%nat;
  epsilon_positive : 0 < b_epsilon B;
  share_in_range : 0 < b_share B < 1;
  alpha_share_in_range : 0 < b_alpha_share B < 1;
  bound_positive : (1 <= b_bound B)%Z;
  no_votes : b_leaves B <> ClassVotes
}.

Section Boosted.
Context {X : Type}.
Variable B : boosted X.
Hypothesis ranges : in_ranges B.

Let T := INR (b_trees B).
Let d := INR (b_depth B).
Definition estimates : bool := andb (b_estimates B) (Nat.ltb 1 (b_depth B)).
Definition splits_share : R := if is_uniform (b_splits B) then 0 else b_share B.
Definition budget_of_leaves : R := (1 - splits_share) * b_epsilon B / T.
Definition budget_of_alpha : R :=
  if estimates then splits_share * b_alpha_share B * b_epsilon B / (T * (d - 1)) else 0.
Definition budget_of_splits : R :=
  splits_share * (if estimates then 1 - b_alpha_share B else 1) * b_epsilon B / (T * d).

Definition weight_bound (h : history) : Z :=
  match b_leaves B with NoisyNet => GRID / 2 | _ => if first_tree h then GRID / 2 else GRID end.
Definition scale_of_leaves (h : history) : R :=
  match b_leaves B with
  | LinkClampNoise => 2 * IZR (b_bound B) * 2 ^ b_depth B / budget_of_leaves
  | _ => touched (b_relation B) * IZR (weight_bound h) / budget_of_leaves
  end.

(** [rate], [deepest], [computed] and [rounding] belong to the arithmetic: exact, or in floats.  [price] is what the
    splits of a level cost: their budget, or less where scores all change in one direction and the rate does not use it. *)
Definition boosting_at price rate deepest computed rounding : setting X := {|
  by_relation := b_relation B; splits_by := b_splits B; leaves_by := b_leaves B; estimates_alpha := estimates;
  trees := b_trees B; depth := b_depth B; size := b_size B; candidates := b_candidates B; test := b_test B;
  cap := weight_bound; weigh := b_weigh B; alpha_of := b_alpha B;
  rate := rate; deepest := deepest; computed := computed; rounding := rounding;
  centre := b_centre B; bound := b_bound B;
  leaf_scale := scale_of_leaves;
  alpha_scale := fun h => IZR (weight_bound h) / budget_of_alpha;
  split_budget := price; alpha_budget := budget_of_alpha; leaf_budget := budget_of_leaves
|}.
Definition boosting := boosting_at budget_of_splits.

(** The sensitivity of scores, `sensitivity` in `fast/growth/splits.py` (in grid steps). *)
Definition delta (h : history) : R :=
  IZR (weight_bound h) * sharp (m_alpha (Rmax 0 (Rmin 1 (b_alpha B h)))) (INR (b_size B)).

Lemma T_pos : 1 <= T.
Proof. apply (le_INR 1), ranges. Qed.
Lemma d_pos : 1 <= d.
Proof. apply (le_INR 1), ranges. Qed.

Lemma splits_share_in : 0 <= splits_share < 1.
Proof. unfold splits_share. assert (S := share_in_range B ranges). destruct is_uniform; lra. Qed.

Lemma leaves_positive : 0 < budget_of_leaves.
Proof.
  assert (A := T_pos). assert (S := splits_share_in). assert (E := epsilon_positive B ranges).
  unfold budget_of_leaves. apply Rdiv_lt_0_compat; [nra | lra].
Qed.

Lemma splits_nonneg : 0 <= budget_of_splits.
Proof.
  assert (A := T_pos). assert (C := d_pos). assert (S := splits_share_in). assert (E := epsilon_positive B ranges).
  assert (G := alpha_share_in_range B ranges). unfold budget_of_splits. apply Rle_mult_inv_pos; [|nra].
  apply Rmult_le_pos; [apply Rmult_le_pos|]; destruct estimates; lra.
Qed.

Lemma deep : estimates = true -> 2 <= d.
Proof. unfold estimates. intros E. apply andb_prop in E. destruct E as [_ E]. apply Nat.ltb_lt in E. apply (le_INR 2). lia. Qed.

Lemma alpha_positive : estimates = true -> b_splits B <> Uniform -> 0 < budget_of_alpha.
Proof.
  intros E U. assert (A := T_pos). assert (C := deep E). assert (S := share_in_range B ranges).
  assert (G := alpha_share_in_range B ranges). assert (Q := epsilon_positive B ranges).
  unfold budget_of_alpha, splits_share. rewrite E. destruct (b_splits B); [congruence | |]; simpl;
    (apply Rdiv_lt_0_compat; [repeat apply Rmult_lt_0_compat; lra | nra]).
Qed.

Lemma weight_bound_in h : (512 <= weight_bound h <= 1024)%Z.
Proof. unfold weight_bound. destruct (b_leaves B), (first_tree h); split; vm_compute; congruence. Qed.

(** Uniform splits have no alpha to estimate: `Protocol` refuses the combination. *)
Hypothesis no_idle_estimate : b_estimates B = true -> b_splits B <> Uniform.

Lemma estimates_not_uniform : estimates = true -> b_splits B <> Uniform.
Proof. unfold estimates. intros E. apply andb_prop in E. now apply no_idle_estimate. Qed.

Theorem boosting_at_sound price rate deepest computed rounding : let P := boosting_at price rate deepest computed rounding in
  0 <= price -> (forall h, 0 <= rate h) ->
  (b_splits B <> Uniform -> forall h l S c, (c < b_candidates B)%nat -> (length S <= b_size B)%nat ->
    Rabs (computed h (children P h l S) c - exponent P h (children P h l S) c) <= rounding h) ->
  (b_splits B <> Uniform -> forall h, 0 < rate h ->
    touched (b_relation B) * (rate h * delta h + 4 * rounding h) <= price) ->
  sound P.
Proof.
  intros P Q R A S. assert (L := leaves_positive). assert (t := touched_in (b_relation B)).
  assert (W := weight_bound_in). assert (Bb := bound_positive B ranges). assert (C := some_level B ranges).
  assert (W' : forall h, 512 <= IZR (weight_bound h)) by (intros h; apply IZR_le, W).
  assert (pow := power_two _ C).
  apply IZR_le in Bb.
  assert (far : forall h, IZR (reach P h) = match b_leaves B with LinkClampNoise => 2 * IZR (b_bound B) | _ => IZR (weight_bound h) end).
  { intros h. unfold reach, P. cbn [leaves_by boosting_at bound cap]. destruct (b_leaves B); now rewrite ?mult_IZR. }
  split; simpl; auto.
  - apply ranges.
  - intros h. specialize (W h). lia.
  - assert (K := bound_positive B ranges). lia.
  - split; [exact Q|]. destruct (Bool.bool_dec estimates true) as [E | E].
    + apply Rlt_le, alpha_positive; auto. now apply estimates_not_uniform.
    + unfold budget_of_alpha. destruct estimates; [congruence | lra].
  - intros h. specialize (W' h). unfold scale_of_leaves.
    destruct (b_leaves B); (apply Rdiv_lt_0_compat; [|auto]); repeat apply Rmult_lt_0_compat; lra.
  - intros h. specialize (W' h). change (touched (b_relation B) * (IZR (reach P h) / scale_of_leaves h) <= budget_of_leaves).
    rewrite far. unfold scale_of_leaves. destruct (b_leaves B); try (right; field; lra).
    replace (touched (b_relation B) * (2 * IZR (b_bound B) / (2 * IZR (b_bound B) * 2 ^ b_depth B / budget_of_leaves)))
      with (touched (b_relation B) / 2 ^ b_depth B * budget_of_leaves) by (field; lra).
    rewrite <- (Rmult_1_l budget_of_leaves) at 2. apply Rmult_le_compat_r; [lra|].
    apply Rmult_le_reg_r with (2 ^ b_depth B); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - intros E h. specialize (W' h). apply Rdiv_lt_0_compat; [lra | apply alpha_positive; auto; now apply estimates_not_uniform].
  - intros E h. specialize (W' h). assert (G := alpha_positive E (estimates_not_uniform E)). right. field. lra.
  - intros. apply ranges.
Qed.

Theorem boosting_spent rate deepest computed rounding : spent (boosting rate deepest computed rounding) = b_epsilon B.
Proof.
  assert (A := T_pos). assert (C := d_pos). unfold spent; simpl. fold T d.
  unfold budget_of_splits, budget_of_alpha, budget_of_leaves. destruct (Bool.bool_dec estimates true) as [E | E].
  - assert (D := deep E). rewrite E. rewrite minus_INR by apply ranges. fold d. simpl INR. field. lra.
  - destruct estimates; [congruence|]. field. lra.
Qed.

Theorem boosting_sound rate deepest computed rounding : let P := boosting rate deepest computed rounding in
  (forall h, 0 <= rate h) ->
  (b_splits B <> Uniform -> forall h l S c, (c < b_candidates B)%nat -> (length S <= b_size B)%nat ->
    Rabs (computed h (children P h l S) c - exponent P h (children P h l S) c) <= rounding h) ->
  (b_splits B <> Uniform -> forall h, 0 < rate h ->
    touched (b_relation B) * (rate h * delta h + 4 * rounding h) <= budget_of_splits) ->
  sound P.
Proof. apply boosting_at_sound, splits_nonneg. Qed.

(** *** Exact arithmetic: `reference` *)

Definition exact_rate (h : history) : R := if decide (delta h = 0) then 0 else budget_of_splits / (touched (b_relation B) * delta h).
Definition exact : setting X :=
  boosting exact_rate None (exponent (boosting exact_rate None (fun _ _ _ => 0) (fun _ => 0))) (fun _ => 0).

Lemma delta_nonneg h : 0 <= delta h.
Proof.
  assert (W := proj1 (weight_bound_in h)). apply IZR_le in W. assert (S := some_size B ranges). apply le_INR in S. simpl in S.
  apply Rmult_le_pos; [lra|]. apply sharp_nonneg; [apply m_alpha_risk | lra].
  unfold Rmax, Rmin. repeat destruct Rle_dec; lra.
Qed.

Lemma exact_sound : sound exact.
Proof.
  assert (Q := splits_nonneg). assert (t := touched_in (b_relation B)). apply boosting_sound.
  - intros h. unfold exact_rate. destruct decide; [lra|]. assert (D := delta_nonneg h).
    apply Rle_mult_inv_pos; [auto | apply Rmult_lt_0_compat; lra].
  - intros _ h l S c _ _. set (q := children _ h l S). change (exponent _ h q c) with (exponent exact h q c) at 1. rewrite Rminus_diag_eq by reflexivity.
    rewrite Rabs_R0. lra.
  - intros _ h. unfold exact_rate. destruct decide; [lra|]. intros _. right. field. lra.
Qed.
End Boosted.

Theorem exact_private {X Raw Model} (B : boosted X) (admission : Raw -> option (row X)) (model : history -> Model)
    (E : Model -> Prop) (S S' : list Raw) :
  in_ranges B -> (b_estimates B = true -> b_splits B <> Uniform) ->
  may_drop admission (b_relation B) -> fits (exact B) S -> fits (exact B) S' -> neighbours (b_relation B) S S' ->
  prob (image model (learner (exact B) (admitted admission S))) E <=
  exp (b_epsilon B) * prob (image model (learner (exact B) (admitted admission S'))) E.
Proof.
  intros R N M F F' Q. assert (Sp : spent (exact B) = b_epsilon B) by now apply boosting_spent.
  rewrite <- Sp. apply (model_private (exact B)); auto. now apply exact_sound.
Qed.

Theorem boosted_private {X Raw Model} (B : boosted X) rate deepest computed rounding (admission : Raw -> option (row X))
    (model : history -> Model) (E : Model -> Prop) (S S' : list Raw) : let P := boosting B rate deepest computed rounding in
  in_ranges B -> (b_estimates B = true -> b_splits B <> Uniform) ->
  (forall h, 0 <= rate h) ->
  (b_splits B <> Uniform -> forall h l S c, (c < b_candidates B)%nat -> (length S <= b_size B)%nat ->
    Rabs (computed h (children P h l S) c - exponent P h (children P h l S) c) <= rounding h) ->
  (b_splits B <> Uniform -> forall h, 0 < rate h ->
    touched (b_relation B) * (rate h * delta B h + 4 * rounding h) <= budget_of_splits B) ->
  may_drop admission (b_relation B) -> fits P S -> fits P S' -> neighbours (b_relation B) S S' ->
  prob (image model (learner P (admitted admission S))) E <=
  exp (b_epsilon B) * prob (image model (learner P (admitted admission S'))) E.
Proof.
  intros P R N K A L M F F' Q. assert (Sp : spent P = b_epsilon B) by now apply boosting_spent.
  rewrite <- Sp. apply (model_private P); auto. now apply boosting_sound.
Qed.

(** The total of `PrivacyLedger`, where it is less than epsilon: under add/remove a rate for the printed sensitivity is that
    of scores that change in both directions, and a level costs half of its budget (`_level_expense` in `fast/budgets.py`). *)
Theorem boosted_private_at_price {X Raw Model} (B : boosted X) price rate deepest computed rounding
    (admission : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop) (S S' : list Raw) :
  let P := boosting_at B price rate deepest computed rounding in
  in_ranges B -> (b_estimates B = true -> b_splits B <> Uniform) -> 0 <= price ->
  (forall h, 0 <= rate h) ->
  (b_splits B <> Uniform -> forall h l S c, (c < b_candidates B)%nat -> (length S <= b_size B)%nat ->
    Rabs (computed h (children P h l S) c - exponent P h (children P h l S) c) <= rounding h) ->
  (b_splits B <> Uniform -> forall h, 0 < rate h -> touched (b_relation B) * (rate h * delta B h + 4 * rounding h) <= price) ->
  may_drop admission (b_relation B) -> fits P S -> fits P S' -> neighbours (b_relation B) S S' ->
  prob (image model (learner P (admitted admission S))) E <=
  exp (spent P) * prob (image model (learner P (admitted admission S'))) E.
Proof.
  intros P R N Q K A L M F F' D. apply (model_private P); auto. now apply boosting_at_sound.
Qed.

(** ** Forests: rows count once, splits are uniform, a vote or two noisy counts for each leaf *)

Section Forest.
Context {X : Type}.
Variables (r : relation) (votes printed : bool) (n_trees n_depth n_candidates : nat) (the_test : nat -> X -> bool) (epsilon : R).
Hypotheses (trees_pos : (1 <= n_trees)%nat) (candidates_pos : (1 <= n_candidates)%nat) (epsilon_pos : 0 < epsilon).

(** The budget of one leaf: that of its tree, or an even share of it as in the paper. *)
Definition forest_leaf_budget : R := epsilon / INR n_trees / (if printed then 2 ^ n_depth else 1).

Definition forest : setting X := {|
  by_relation := r; splits_by := Uniform; leaves_by := if votes then ClassVotes else NoisyMasses; estimates_alpha := false;
  trees := n_trees; depth := n_depth; size := 0; candidates := n_candidates; test := the_test;
  cap := fun _ => 1%Z; weigh := fun _ _ _ => 1%Z; alpha_of := fun _ => 0;
  rate := fun _ => 0; deepest := None; computed := fun _ _ _ => 0; rounding := fun _ => 0;
  centre := fun _ _ _ => 0%Z; bound := 0%Z;
  leaf_scale := fun _ => (if votes then 2 else touched r) / forest_leaf_budget;
  alpha_scale := fun _ => 1;
  split_budget := 0; alpha_budget := 0; leaf_budget := epsilon / INR n_trees
|}.

Lemma forest_sound : sound forest.
Proof.
  assert (T : 1 <= INR n_trees) by now apply (le_INR 1). assert (t := touched_in r).
  assert (p : 1 <= (if printed then 2 ^ n_depth else 1)) by (destruct printed; [apply pow_R1_Rle|]; lra).
  assert (b : 0 < epsilon / INR n_trees) by (apply Rdiv_lt_0_compat; lra).
  assert (L : 0 < forest_leaf_budget) by (apply Rdiv_lt_0_compat; lra).
  assert (I : 0 < / (if printed then 2 ^ n_depth else 1)) by (apply Rinv_0_lt_compat; lra).
  assert (J : (if printed then 2 ^ n_depth else 1) * / (if printed then 2 ^ n_depth else 1) = 1) by (apply Rinv_r; lra).
  assert (le : forest_leaf_budget <= epsilon / INR n_trees) by (unfold forest_leaf_budget, Rdiv at 1; nra).
  split; simpl; auto; try lra; try lia; try congruence.
  - intros _. destruct votes; apply Rdiv_lt_0_compat; lra.
  - intros h. unfold reach. simpl. destruct votes.
    + replace (touched r * (1 / (2 / forest_leaf_budget))) with (touched r / 2 * forest_leaf_budget) by (field; lra). nra.
    + replace (touched r * (1 / (touched r / forest_leaf_budget))) with forest_leaf_budget by (field; lra). auto.
  - intros _. lra.
Qed.

Theorem forest_private {Raw Model} (admission : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop) (S S' : list Raw) :
  may_drop admission r -> neighbours r S S' ->
  prob (image model (learner forest (admitted admission S))) E <= exp epsilon * prob (image model (learner forest (admitted admission S'))) E.
Proof.
  intros M N. assert (T : 1 <= INR n_trees) by now apply (le_INR 1).
  assert (Sp : spent forest = epsilon) by (unfold spent; simpl; field; lra).
  rewrite <- Sp at 1. apply (model_private forest); auto using forest_sound; left; reflexivity.
Qed.
End Forest.
