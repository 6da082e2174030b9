(** * The hypotheses of the main theorems can be met

    A theorem whose hypotheses contradict each other says nothing.  For each main theorem there is an example here that
    meets all of its hypotheses, with numbers for which the conclusion is not trivial. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia Permutation.
From Privboost Require Import Sums Law Risk Learner Privacy Protocols Default Expectation Betting Ville Auditor DiscreteMeans AuditClaims.
From Privboost Require Import Binary64 Rounding.
From Privboost Require BoostedTrees MAlpha BoostedSums PrivateBoosting.
Import ListNotations.
Local Open Scope R_scope.

(** ** The default learner: two rows of one bit, of which the label of one is exchanged, or one is removed *)
Definition two_rows : list (row bool) := [(true, true); (false, false)].

Definition some_parameters (r : relation) : net_parameters :=
  {| net_relation := r; net_trees := 3; net_depth := 2; net_size := 2; epsilon_num := 1; epsilon_den := 2; alpha_num := 1; alpha_den := 1 |}.

Example default_exchange (E : history -> Prop) : let P := sound_net (some_parameters Exchange) 1 (fun _ x => x) in
  prob (image (fun h => h) (learner P (admitted Some two_rows))) E <=
  exp (1 / 2) * prob (image (fun h => h) (learner P (admitted Some [(true, false); (false, false)]))) E.
Proof.
  apply default_private; cbn; try lia; [discriminate|].
  exists (true, true), (true, false), [(false, false)]. split; apply Permutation_refl.
Qed.

(** Rows without a value are dropped. *)
Example default_add_remove (E : history -> Prop) : let P := sound_net (some_parameters AddRemove) 1 (fun _ x => x) in
  prob (image (fun h => h) (learner P (admitted (fun x => x) (None :: map Some two_rows)))) E <=
  exp (1 / 2) * prob (image (fun h => h) (learner P (admitted (fun x => x) [Some (false, false); None]))) E.
Proof.
  apply default_private; cbn; try lia; auto.
  left. exists (Some (true, true)). cbn. eapply perm_trans; [apply perm_swap|]. apply perm_skip, perm_swap.
Qed.

(** ** Private splits: SOUND on the same rows; [exact_sound] shows that the hypotheses of [boosted_private] can be met too *)
Definition some_sound : boosted bool := {|
  b_relation := Exchange; b_splits := Exponential; b_leaves := NoisyMasses; b_estimates := true; b_trees := 2; b_depth := 3;
  b_size := 2; b_candidates := 2; b_test := fun c x => if Nat.eqb c 0 then x else negb x; b_weigh := fun _ _ _ => 700%Z;
  b_alpha := fun _ => 1 / 2; b_centre := fun _ _ _ => 0%Z; b_bound := 1024%Z; b_epsilon := 1; b_share := 1 / 2; b_alpha_share := 1 / 4 |}.

Example sound_exchange (E : history -> Prop) :
  prob (image (fun h => h) (learner (exact some_sound) (admitted Some two_rows))) E <=
  exp 1 * prob (image (fun h => h) (learner (exact some_sound) (admitted Some [(true, false); (false, false)]))) E.
Proof.
  apply (exact_private some_sound).
  - split; cbn; try lia; try lra; discriminate.
  - discriminate.
  - cbn. discriminate.
  - right. cbn. lia.
  - right. cbn. lia.
  - exists (true, true), (true, false), [(false, false)]. split; apply Permutation_refl.
Qed.

(** ** The auditor: an answer that is always the same is private for every epsilon *)
Example constant_audit : let same := fun _ : nat => mean_of_law (ret true) (ret_law true) in
  let strategy := fun (_ : list (call bool)) (_ _ : nat) => {| point := 0; cell := fun x : bool => if x then 0%nat else 1%nat;
    guesses := [GuessLeft; GuessRight]; graded_point := 0; graded_cell := fun _ => 0%nat; graded_stakes := [1 / 2]; graded_leads := false |} in
  let pure_after := fun (_ : nat) (_ : list (call bool)) => true in
  let log_wealth := fun k null h => let w := wealth bool (eps_points [0; 1] 0) 1 pure_after strategy k null h in
    if Rlt_dec 0 w then ln w else - 1 in
  ever_reports_above bool same same 1 (1 / 20) [0; 1] (fun _ => 0%nat) (fun _ => true) log_wealth 0 <= 1 / 20.
Proof.
  intros same strategy pure_after log_wealth.
  apply epsilon_bound_holds with (claim := 1%nat) (pure_after := pure_after) (strategy := strategy) (delta := 0); try lra.
  - lia.
  - repeat constructor; lra.
  - intros k _ S. rewrite exp_0. lra.
  - now apply exact_logarithms_round_well.
Qed.

(** ** Rounding: an audit in which nothing is staked, and exact results are rounded to themselves *)
Lemma near_itself d x : 0 <= x -> near d x x.
Proof. intros X. apply near_higher with 0%nat; [lia | now apply near_refl]. Qed.

Lemma to_nearest_itself x : to_nearest x x.
Proof.
  unfold to_nearest. rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; [assert (U := u_in); lra | apply Rabs_pos].
Qed.

Lemma added_exactly terms : added (length terms) terms (sum terms).
Proof.
  assert (one : forall d x, added d [x] x) by (induction d; constructor; auto).
  induction terms as [|x terms IH]; [constructor|]. apply (added_two _ [x] terms x (sum terms)); auto.
  apply to_nearest_itself.
Qed.

(** Columns that are all worth 1 *)
Definition all_at_1 (pure : bool) : list (R * option R) := map (fun wc => (fst wc, Some 0)) (columns pure).

Lemma log_mean_at_1 pure : log_mean_computed (all_at_1 pure) 0.
Proof.
  exists 0, (map fst (columns pure)), (map fst (columns pure)), (length (map fst (columns pure))), 1, 0.
  assert (E : map snd (all_at_1 pure) = map (fun _ => Some 0) (columns pure)) by (unfold all_at_1; now rewrite map_map).
  rewrite E. split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]].
  - destruct pure; now left.
  - intros L I. apply in_map_iff in I. destruct I as (_ & [= <-] & _). lra.
  - unfold all_at_1. generalize (columns_weights pure). generalize (columns pure) as l.
    induction l as [|wc l IH]; intros W; cbn [map]; constructor.
    + inversion W as [|? ? W1 W2]; subst. exists 0, 1, (fst wc).
      cbn [fst]. rewrite Rminus_0_r, Ropp_0, exp_0, Rmult_1_r.
      split; [|split; [|split]]; try apply near_nearly; apply near_itself; lra.
    + apply IH. now inversion W.
  - apply Permutation_refl.
  - destruct pure; cbn; lia.
  - replace 1 with (sum (map fst (columns pure))); [apply added_exactly|].
    unfold sum. rewrite lsum_map. apply columns_sum.
  - split; [|lra]. rewrite ln_1. intros _. apply near_itself. lra.
  - replace (0 + 0) with 0 by ring. apply to_nearest_itself.
Qed.

Lemma nothing_staked ratio delta f s : event_factor ratio delta f [] s 0 = 1 /\ graded_factor ratio delta f [] s 0 = 1.
Proof.
  split; [unfold event_factor, sides_guessed; cbn; unfold Rdiv; ring|].
  unfold graded_factor, charge, top_left, top_right. cbn. rewrite Rabs_R0. destruct hit; unfold Rdiv; ring.
Qed.

Example audit_without_stakes : let nothing := fun (_ : list (call bool)) (_ _ : nat) =>
    {| point := 0; cell := fun _ : bool => 0%nat; guesses := []; graded_point := 0; graded_cell := fun _ => 0%nat;
       graded_stakes := []; graded_leads := false |} in
  computed_in_binary64 bool (eps_points [0; 1] 0) 1 (1 / 20) 1 (fun _ _ => true) nothing
    (fun h => Nat.leb (length h) 1000) (fun _ _ _ => 0).
Proof.
  intros nothing k null h K _ calls. apply Nat.leb_le in K. assert (U := u_in). assert (calls_nonneg := pos_INR calls).
  assert (C : (calls <= length h)%nat).
  { unfold calls. clear. induction h as [|o h IH]; cbn; [lia|]. destruct (Nat.eqb _ _); lia. }
  assert (I : INR calls <= 1000).
  { replace 1000 with (INR 1000) by (rewrite INR_IZR_INZ; reflexivity). apply le_INR. lia. }
  split; [lra|].
  assert (A : forall followed,
    columns_computed bool (eps_points [0; 1] 0) (fun _ _ => true) nothing k null followed h (all_at_1 true)).
  { intros followed. unfold columns_computed, all_at_1, pure. generalize (columns true) as l.
    induction l as [|wc l IH]; cbn [map]; constructor; auto. split; [reflexivity|]. exists [], 0%nat.
    split; [lia|]. split; [constructor|]. split; [|split; [apply calls_nonneg | constructor]].
    cbn [worth fold_right snd]. clear. unfold column_wealth.
    induction h as [|o h IH]; cbn [product]; [reflexivity|]. rewrite <- IH. destruct (andb _ _); [|ring].
    unfold column_factor. destruct wc as [w [f|f|f g]]; cbn -[event_factor graded_factor];
      rewrite ?(proj1 (nothing_staked _ _ _ _)), ?(proj2 (nothing_staked _ _ _ _)); ring. }
  exists 0, (limit bool 1 (1 / 20) k h), (all_at_1 true). split; [apply A|]. split; [|split; [|lra]].
  - destruct (Nat.ltb null 1); [|apply log_mean_at_1].
    exists 0, (all_at_1 true), 0, by_claim, (ln (1 - by_claim)), (ln by_claim), (ln (1 - by_claim)), (ln by_claim).
    rewrite !Rplus_0_r. unfold by_claim.
    assert (L : ln (2 / 10) < ln (1 - 2 / 10)) by (apply ln_increasing; lra).
    assert (L1 : ln (1 - 2 / 10) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    do 3 (split; [apply A || apply log_mean_at_1|]). split; [apply near_itself; lra|].
    split; [|split; [|do 2 (split; [apply to_nearest_itself|])]].
    + split; [lra|]. intros _. replace (1 + - (2 / 10)) with (1 - 2 / 10) by ring. apply near_itself. lra.
    + split; [lra|]. intros _. apply near_itself. lra.
    + exists (ln (2 / 10) - ln (1 - 2 / 10)), (1 / 4), (ln (1 + 1 / 4)). rewrite Rmax_left, Rmin_right by lra.
      replace (exp (ln (2 / 10) - ln (1 - 2 / 10))) with (1 / 4).
      2: { unfold Rminus at 1. rewrite exp_plus, exp_Ropp, !exp_ln by lra. field. }
      assert (L2 : 0 < ln (1 + 1 / 4)) by (rewrite <- ln_1; apply ln_increasing; lra).
      split; [|split; [apply near_nearly, near_itself; lra|split]].
      * replace (- (ln (2 / 10) - ln (1 - 2 / 10))) with (ln (1 - 2 / 10) - ln (2 / 10)) by ring.
        apply near_itself. lra.
      * apply near_nearly, near_itself. lra.
      * rewrite <- ln_mult by lra. replace ((1 - 2 / 10) * (1 + 1 / 4)) with 1 by field.
        rewrite ln_1. apply to_nearest_itself.
  - unfold limit, error_of_a_pair. cbn [INR]. fold calls. unfold rounding.
    assert (L : ln (1 / 20 / 1) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    exists (1 / 20 / 1), (- ln (1 / 20 / 1)), (1 / 1000000), (1 / 10000000000000), (INR calls * (1 / 10000000000000)).
    assert (M := Rmax_l (1 / 1000000) (INR calls * (1 / 10000000000000))).
    split; [|split; [lra|]]; repeat (split; [apply near_itself; lra|]); apply near_itself; lra.
Qed.

(** ** Boosted trees: one split that parts the classes *)
Example one_split_is_enough :
  lsum BoostedTrees.minority [BoostedTrees.Build_leaf 1 0; BoostedTrees.Build_leaf 0 1] / (1 + 1) <= exp (- 1 / 2) / 2.
Proof.
  set (l := BoostedTrees.Build_leaf 1 0). set (r := BoostedTrees.Build_leaf 0 1).
  assert (Q : sqrt ((1 + 0) * (0 + 1)) = 1) by (replace ((1 + 0) * (0 + 1)) with 1 by ring; apply sqrt_1).
  assert (G : BoostedTrees.grown 1 [BoostedTrees.join l r] 1 ([] ++ l :: r :: [])).
  { replace 1 with (0 + BoostedTrees.matsushita (BoostedTrees.join l r) / lsum BoostedTrees.matsushita ([] ++ BoostedTrees.join l r :: [])) at 2.
    - apply BoostedTrees.one_more; [apply BoostedTrees.not_yet|].
      unfold BoostedTrees.good_split, BoostedTrees.valid, BoostedTrees.edge; cbn. repeat split; try lra.
      replace (1 / (1 + 0) - 0 / (0 + 1)) with 1 by field. rewrite Rabs_pos_eq; lra.
    - unfold BoostedTrees.matsushita; cbn. rewrite Q. field. }
  replace (1 + 1) with (BoostedTrees.positives (BoostedTrees.join l r) + BoostedTrees.negatives (BoostedTrees.join l r)) by (cbn; ring).
  apply (BoostedTrees.boosted_trees 1 (exp (- 1 / 2)) (BoostedTrees.join l r) 1 [l; r]); try lra; auto using exp_pos.
  - split; cbn; lra.
  - cbn. lra.
  - unfold Rdiv at 2. rewrite Rmult_1_l, ln_Rinv, ln_exp by apply exp_pos. lra.
Qed.

(** ** Linear combinations: one example, on which every hypothesis is right; any number of rounds is possible *)
Section OneExample.
Let right : nat -> unit -> R := fun _ _ => 1.
Lemma learns a T : BoostedSums.weak_learning unit [tt] 1 1 1 a right T.
Proof.
  intros t _. assert (P := BoostedSums.mean_weight_pos unit [tt] ltac:(discriminate) 1 a ltac:(lra) right t).
  replace (BoostedSums.edge unit [tt] 1 a right t) with (BoostedSums.mean_weight unit [tt] 1 a right t).
  - rewrite Rabs_pos_eq; unfold Rdiv; rewrite Rinv_r; lra.
  - unfold BoostedSums.edge, BoostedSums.mean_weight, BoostedSums.average, right; cbn. lra.
Qed.

Example few_mistakes : exists t, (t <= 20)%nat /\ BoostedSums.mistakes unit [tt] 1 4 right t <= 3 / 10.
Proof.
  apply (BoostedSums.boosting_rounds unit [tt] ltac:(discriminate) 1 1 1 4); try lra; try apply learns.
  - intros. unfold right. lra.
  - replace (INR 20) with 20 by (simpl; ring). lra.
Qed.

Example first_round : BoostedSums.mistakes unit [tt] 1 1 right 1 <= 7 / 8.
Proof.
  apply (BoostedSums.boosting_accumulated unit [tt] ltac:(discriminate) 1 1 1 1) with (pi := 0); try lra; try apply learns.
  - intros. unfold right. lra.
  - unfold BoostedSums.squared_weights, BoostedSums.mean_weight, BoostedSums.average; cbn.
    unfold MAlpha.weight, MAlpha.slope, MAlpha.soft. rewrite Rmax_right, Rmin_right by lra.
    replace (0 + 0) with 0 by ring. unfold Rdiv. rewrite Rmult_0_l. lra.
Qed.
End OneExample.

(** ** Private splits: with a budget that is large enough, the split of [one_split_is_enough] is drawn rather than one that
    changes nothing *)
Example split_is_likely xi : 0 < xi -> exists eps,
  let l := BoostedTrees.Build_leaf 1 0 in let r := BoostedTrees.Build_leaf 0 1 in let nothing := BoostedTrees.Build_leaf 0 0 in
  1 - xi <= PrivateBoosting.chance_of_fat _ (PrivateBoosting.gain_of ((1 / 4) / (1 / 2)))
    (PrivateBoosting.kappa (exp 1) 1 eps 1 2 (1 / 4) (1 / 2)) [(l, r)] [(BoostedTrees.join l r, nothing)].
Proof.
  intros X. set (unit_bound := PrivateBoosting.efficiency_bound (exp 1) 1 1 2 (1 / 4) (2 / exp 1) (1 / 2) 0 1).
  assert (e1 : 1 < exp 1) by (assert (H := exp_ineq1_le 1); lra).
  assert (s1 : 0 < sqrt (exp 1)) by (apply sqrt_lt_R0; lra).
  assert (U : 0 < unit_bound).
  { unfold unit_bound, PrivateBoosting.efficiency_bound. rewrite ln_exp.
    repeat apply Rmult_lt_0_compat; try lra; apply Rinv_0_lt_compat; lra. }
  set (eps := 2 * Rmax 0 (ln (1 / xi)) / unit_bound).
  assert (eps0 : 0 <= eps).
  { apply Rle_mult_inv_pos; auto. assert (H := Rmax_l 0 (ln (1 / xi))). lra. }
  exists eps. intros l r nothing. replace (1 - xi) with (1 - xi / 1) by field.
  assert (B : PrivateBoosting.efficiency_bound (exp 1) 1 eps 2 (1 / 4) (2 / exp 1) (1 / 2) 0 1 = 2 * Rmax 0 (ln (1 / xi))).
  { transitivity (eps * unit_bound); [|unfold eps; field; lra].
    unfold unit_bound, PrivateBoosting.efficiency_bound. rewrite ln_exp. field. lra. }
  assert (Q : sqrt ((1 + 0) * (0 + 1)) = 1) by (replace ((1 + 0) * (0 + 1)) with 1 by ring; apply sqrt_1).
  apply (PrivateBoosting.private_boosting_of_leaf (exp 1) 1 eps 1 2 (1 / 4) (1 / 2) (2 / exp 1) (1 / 2) 0 1 (BoostedTrees.join l r));
    rewrite ?B, ?ln_exp; try lra; try discriminate.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - split; cbn; lra.
  - unfold BoostedTrees.minority; cbn. rewrite Rmin_left by lra. field. lra.
  - intros s [<- | []]. split; [|reflexivity].
    unfold BoostedTrees.good_split, BoostedTrees.valid, BoostedTrees.edge; cbn. repeat split; try lra.
    replace (1 / (1 + 0) - 0 / (0 + 1)) with 1 by field. rewrite Rabs_pos_eq; lra.
  - intros s [<- | []]. rewrite Rmult_0_l. unfold PrivateBoosting.gain_of, PrivateBoosting.m_alpha_risk, BoostedTrees.matsushita, BoostedTrees.minority; cbn.
    replace ((1 + 0 + 0) * (0 + 1 + 0)) with ((1 + 0) * (0 + 1)) by ring. rewrite Q, Rmult_0_l, sqrt_0.
    rewrite !Rmin_left by lra. lra.
  - simpl length. simpl INR. rewrite Rmult_1_l. assert (H := Rmax_l 0 (ln (1 / xi))).
    apply Rle_trans with (exp 0); [apply exp_le; lra | rewrite exp_0; lra].
  - assert (H := Rmax_r 0 (ln (1 / xi))). lra.
Qed.
