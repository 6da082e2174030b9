(** * The released model is differentially private

    The steps of the learner, one after the other: splits, the estimate of alpha, leaves.  Each is private for its price,
    so their run is private for the sum of the prices, and so is every model made from it. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia Permutation FunctionalExtensionality.
From Privboost Require Import Law Product Laplace SplitLaws PermuteFlip Risk Learner.
Import ListNotations.
Local Open Scope R_scope.

Section Privacy.
Context {X : Type}.
Variable P : setting X.
Hypothesis H : sound P.
Implicit Types (h : history) (S : list (row X)) (r : row X).

(** ** Weights and masses *)

Lemma weight_in h r : (1 <= row_weight P h r <= cap P h)%Z.
Proof. unfold row_weight. assert (C := cap_positive P H h). lia. Qed.

Lemma contribution_elsewhere h l y r : node P h r <> l -> contribution P h l y r = 0%Z.
Proof. intros N. unfold contribution, contribution_of. apply Nat.eqb_neq in N. now rewrite N. Qed.

Lemma contribution_in h l y r : (0 <= contribution P h l y r)%Z /\
  (contribution P h l true r + contribution P h l false r <= cap P h)%Z.
Proof.
  assert (W := weight_in h r). unfold contribution, contribution_of. destruct (Nat.eqb (node P h r) l), (snd r), y; simpl; lia.
Qed.

Lemma class_mass_cons h r S l y : class_mass P h (r :: S) l y = (contribution P h l y r + class_mass P h S l y)%Z.
Proof. reflexivity. Qed.

Lemma class_mass_perm h S S' l y : Permutation S S' -> class_mass P h S l y = class_mass P h S' l y.
Proof. unfold class_mass, mass_of. induction 1; simpl; lia. Qed.

Lemma alpha_in h : 0 <= alpha P h <= 1.
Proof. unfold alpha, Rmax, Rmin. repeat destruct Rle_dec; lra. Qed.

(** ** Leaves *)

Lemma reach_nonneg h : (0 <= reach P h)%Z.
Proof. unfold reach. assert (C := cap_positive P H h). assert (B := bound_nonneg P H). destruct (leaves_by P); lia. Qed.

Lemma release_law h p n : law (release P h p n).
Proof.
  assert (N := leaf_noise P H h). unfold release. destruct (leaves_by P); try now apply noisy_law.
  apply image_law, exponential_law. lia.
Qed.

Lemma release_close h p n p' n' : (Z.abs (p - p') + Z.abs (n - n') <= cap P h)%Z ->
  close (IZR (reach P h) / leaf_scale P h) (release P h p n) (release P h p' n').
Proof.
  intros D. assert (N := leaf_noise P H h). assert (I : 0 < / leaf_scale P h) by now apply Rinv_0_lt_compat.
  assert (B := bound_nonneg P H).
  assert (near : forall l : list (Z * Z), (distance fst snd l <= reach P h)%Z ->
    close (IZR (reach P h) / leaf_scale P h) (noisy (leaf_scale P h) (map fst l)) (noisy (leaf_scale P h) (map snd l))).
  { intros l L. apply close_weaken with (IZR (distance fst snd l) / leaf_scale P h).
    - apply Rmult_le_compat_r; [lra | now apply IZR_le].
    - intros x. apply (law_sub _ (noisy_law _ _ N)).
    - now apply noisy_close_pairs. }
  unfold release, reach in *. destruct (leaves_by P).
  - apply (near [(p - n, p' - n')%Z]). simpl. lia.
  - apply (near [(p, p'); (n, n')]). simpl. lia.
  - set (clamp := fun z => Z.max (- bound P) (Z.min z (bound P))).
    apply (near [(clamp (centre P h p n), clamp (centre P h p' n'))]). unfold clamp, distance. cbn [fold_right fst snd]. lia.
  - apply image_close; [apply law_sub, exponential_law; lia|].
    set (a := Z.max 0 (Z.max (p - p') (n - n'))). set (b := Z.max 0 (Z.max (p' - p) (n' - n))).
    apply close_weaken with (IZR a / leaf_scale P h + IZR b / leaf_scale P h).
    + unfold Rdiv. rewrite <- Rmult_plus_distr_r, <- plus_IZR. apply Rmult_le_compat_r; [lra | apply IZR_le; lia].
    + intros i. apply (law_sub _ (exponential_law 2 ltac:(lia) _)).
    + assert (up : forall x y c : Z, (x <= y + c)%Z -> IZR x / leaf_scale P h <= IZR y / leaf_scale P h + IZR c / leaf_scale P h).
      { intros x y c L. unfold Rdiv. rewrite <- Rmult_plus_distr_r, <- plus_IZR.
        apply Rmult_le_compat_r; [lra | now apply IZR_le]. }
      apply exponential_close; [lia | |]; intros i _; apply up; destruct i; lia.
Qed.

Lemma leaf_one_more h e S l :
  close (IZR (reach P h) / leaf_scale P h) (leaf_of P h (e :: S) l) (leaf_of P h S l) /\
  close (IZR (reach P h) / leaf_scale P h) (leaf_of P h S l) (leaf_of P h (e :: S) l).
Proof.
  unfold leaf_of. rewrite !class_mass_cons.
  destruct (contribution_in h l true e) as [A C]. destruct (contribution_in h l false e) as [B _].
  split; apply release_close; lia.
Qed.

Lemma leaf_step_law h S : law (leaf_step P h S).
Proof. apply image_law, entries_law. intros. apply release_law. Qed.

Theorem leaf_step_private h S S' : neighbours (by_relation P) S S' ->
  close (leaf_budget P) (leaf_step P h S) (leaf_step P h S').
Proof.
  intros N. apply image_close; [apply law_sub, entries_law; intros; apply release_law|].
  assert (C : 0 <= IZR (reach P h) / leaf_scale P h).
  { apply Rle_mult_inv_pos; [apply IZR_le, reach_nonneg | apply leaf_noise; auto]. }
  eapply close_weaken; [apply (leaves_paid P H h) | |].
  - intros xs. apply (law_sub _ (entries_law (leaf_of P h) _ (fun S i => release_law h _ _) S')).
  - apply entries_private with (place := node P h) (ok := fun _ => True); auto.
    + intros. apply release_law.
    + intros A B i x Q. unfold leaf_of. now rewrite !(class_mass_perm h A B) by auto.
    + intros e A i x Q. unfold leaf_of. rewrite !class_mass_cons, !contribution_elsewhere by auto. reflexivity.
    + intros e A _. exact (proj1 (leaf_one_more h e A (node P h e))).
    + intros e A _. exact (proj2 (leaf_one_more h e A (node P h e))).
Qed.

(** ** The estimate of alpha *)

Lemma minority_one_more h e S : (0 <= minority P h (e :: S) - minority P h S <= cap P h)%Z.
Proof.
  unfold minority. assert (C := cap_positive P H h).
  assert (G : forall k i, (0 <= fold_right (fun l z => Z.min (class_mass P h (e :: S) l true) (class_mass P h (e :: S) l false) + z) 0 (seq i k)
    - fold_right (fun l z => Z.min (class_mass P h S l true) (class_mass P h S l false) + z) 0 (seq i k) <= cap P h)%Z /\
    ((node P h e < i)%nat -> fold_right (fun l z => Z.min (class_mass P h (e :: S) l true) (class_mass P h (e :: S) l false) + z)%Z 0%Z (seq i k)
    = fold_right (fun l z => Z.min (class_mass P h S l true) (class_mass P h S l false) + z)%Z 0%Z (seq i k))).
  { induction k as [|k IH]; intros i; [simpl; lia|]. cbn [seq fold_right]. destruct (IH (Datatypes.S i)) as [A B].
    rewrite !class_mass_cons. destruct (Nat.eq_dec (node P h e) i) as [E|E].
    - specialize (B ltac:(lia)). rewrite B. split; [|lia].
      destruct (contribution_in h i true e) as [T U]. destruct (contribution_in h i false e) as [F _]. lia.
    - rewrite !contribution_elsewhere by auto. split; [lia|]. intros L. rewrite B by lia. reflexivity. }
  apply G.
Qed.

Lemma minority_perm h S S' : Permutation S S' -> minority P h S = minority P h S'.
Proof.
  intros Q. unfold minority. induction (seq _ _) as [|l ls IH]; simpl; [auto|].
  now rewrite IH, !(class_mass_perm h S S') by auto.
Qed.

Lemma minority_step_law h S : estimates_alpha P = true -> law (minority_step P h S).
Proof. intros E. apply image_law, dlap_law, alpha_noise; auto. Qed.

Theorem minority_step_private h S S' : estimates_alpha P = true -> neighbours (by_relation P) S S' ->
  close (alpha_budget P) (minority_step P h S) (minority_step P h S').
Proof.
  intros E N. assert (A := alpha_noise P H E h). apply image_close; [now apply law_sub, dlap_law|].
  apply close_weaken with (IZR (Z.abs (minority P h S - minority P h S')) / alpha_scale P h).
  - eapply Rle_trans; [|apply (alpha_paid P H E h)]. apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|].
    apply IZR_le. assert (C := cap_positive P H h). destruct (by_relation P).
    + destruct N as (e & e' & rest & Q & Q'). rewrite (minority_perm h _ _ Q), (minority_perm h _ _ Q').
      assert (U := minority_one_more h e rest). assert (V := minority_one_more h e' rest). lia.
    + destruct N as [(e & Q) | [(e & Q) | Q]]; rewrite (minority_perm h _ _ Q); try lia.
      * assert (U := minority_one_more h e S'). lia.
      * assert (U := minority_one_more h e S). lia.
  - intros x. now apply Rlt_le, dlap_pos.
  - intros x. now apply dlap_ratio.
Qed.

(** ** Splits *)

Let n := candidates P.
Let n_pos : (0 < n)%nat := some_candidate P H.

Lemma law_of_masses_law h q : law (law_of_masses P h q).
Proof.
  unfold law_of_masses. destruct decide; [now apply uniform_law|].
  destruct (splits_by P); [now apply uniform_law | now apply exponential_law | now apply permute_and_flip_law].
Qed.

Lemma raised_le x y a : 0 <= a -> x <= y + a -> raised P x <= raised P y + a.
Proof. intros A L. unfold raised. destruct (deepest P); [|lra]. unfold Rmax. repeat destruct Rle_dec; lra. Qed.

(** Scores that all fall together, by at most [d]: the exponents of [q] against those of [q']. *)
Lemma exponents_compare h q q' d : 0 <= d ->
  (forall c, (c < n)%nat -> score P h q c <= score P h q' c <= score P h q c + d) ->
  exists g, 0 <= g <= d /\ forall c, (c < n)%nat ->
    exponent P h q' c <= exponent P h q c + rate P h * (d - g) /\ exponent P h q c <= exponent P h q' c + rate P h * g.
Proof.
  intros D F. set (best := largest n (score P h q)). set (best' := largest n (score P h q')).
  assert (K := rate_nonneg P H h). exists (best' - best).
  assert (G : 0 <= best' - best <= d).
  { assert (best <= best').
    { apply largest_le; auto. intros c C. specialize (F c C). assert (L := largest_ge n n_pos (score P h q') c C). fold best' in L. lra. }
    assert (best' <= best + d); [|lra].
    apply largest_le; auto. intros c C. specialize (F c C). assert (L := largest_ge n n_pos (score P h q) c C). fold best in L. lra. }
  split; auto. intros c C. specialize (F c C). unfold exponent. fold n best best'.
  split; apply raised_le; try (apply Rmult_le_pos; lra); rewrite <- Rmult_plus_distr_l; apply Rmult_le_compat_l; lra.
Qed.

(** The computed exponents are near the exact ones. *)
Definition near h (q : child_masses) : Prop :=
  forall c, (c < n)%nat -> Rabs (computed P h q c - exponent P h q c) <= rounding P h.

Lemma law_of_masses_close h q q' d : splits_by P <> Uniform -> 0 <= d -> near h q -> near h q' ->
  (forall c, (c < n)%nat -> score P h q c <= score P h q' c <= score P h q c + d) ->
  0 < rate P h ->
  close (rate P h * d + 4 * rounding P h) (law_of_masses P h q) (law_of_masses P h q') /\
  close (rate P h * d + 4 * rounding P h) (law_of_masses P h q') (law_of_masses P h q).
Proof.
  intros NU D R R' F K. destruct (exponents_compare h q q' d D F) as (g & G & C).
  assert (between : forall p, near h p -> forall c, (c < n)%nat ->
     exponent P h p c - rounding P h <= computed P h p c <= exponent P h p c + rounding P h).
  { intros p Rp c Hc. specialize (Rp c Hc). apply Rcomplements.Rabs_le_between' in Rp. lra. }
  assert (down : forall c, (c < n)%nat -> computed P h q c <= computed P h q' c + (rate P h * g + 2 * rounding P h)).
  { intros c Hc. specialize (C c Hc). assert (A := between q R c Hc). assert (B := between q' R' c Hc). lra. }
  assert (up : forall c, (c < n)%nat -> computed P h q' c <= computed P h q c + (rate P h * (d - g) + 2 * rounding P h)).
  { intros c Hc. specialize (C c Hc). assert (A := between q R c Hc). assert (B := between q' R' c Hc). lra. }
  unfold law_of_masses. destruct decide; [lra|].
  assert (E1 : rate P h * d + 4 * rounding P h = (rate P h * g + 2 * rounding P h) + (rate P h * (d - g) + 2 * rounding P h)) by ring.
  assert (E2 : rate P h * d + 4 * rounding P h = (rate P h * (d - g) + 2 * rounding P h) + (rate P h * g + 2 * rounding P h)) by ring.
  destruct (splits_by P); [congruence | |].
  - split; [rewrite E1 | rewrite E2]; apply exponential_close; auto.
  - split; [rewrite E1 | rewrite E2]; apply permute_and_flip_close; auto.
Qed.

Lemma examples_within h l c S : within (IZR (cap P h)) (map (child_example P h l c) S).
Proof.
  apply Forall_forall. intros e Q. apply in_map_iff in Q. destruct Q as (r & <- & _). simpl.
  assert (W := weight_in h r). split; apply IZR_le; lia.
Qed.

Lemma children_near h l S : splits_by P <> Uniform -> (length S <= size P)%nat -> near h (children P h l S).
Proof. intros NU L c C. now apply (accurate P H NU). Qed.

Lemma score_risk h l S c : score P h (children P h l S) c = - risk_of (m_alpha (alpha P h)) 2 (map (child_example P h l c) S).
Proof. unfold score, risk_of, children, cell_risk. cbn [over_cells]. ring. Qed.

Lemma scores_fall h l e S c : (length (e :: S) <= size P)%nat ->
  score P h (children P h l (e :: S)) c <= score P h (children P h l S) c <=
  score P h (children P h l (e :: S)) c + IZR (cap P h) * sharp (m_alpha (alpha P h)) (INR (size P)).
Proof.
  intros L. rewrite !score_risk. cbn [map]. assert (C := cap_positive P H h). apply IZR_le in C.
  assert (Q := one_more (m_alpha (alpha P h)) (IZR (cap P h)) (m_alpha_risk _ (alpha_in h)) ltac:(lra) 2
    (child_example P h l c e) (map (child_example P h l c) S) (INR (size P)) (examples_within h l c (e :: S))).
  rewrite map_length in Q. apply le_INR in L. change (length (e :: S)) with (Datatypes.S (length S)) in L. rewrite S_INR in L.
  specialize (Q ltac:(lra)). lra.
Qed.

Lemma children_perm h l S S' : Permutation S S' -> children P h l S = children P h l S'.
Proof.
  intros Q. apply functional_extensionality. intros c. apply functional_extensionality. intros right.
  apply functional_extensionality. intros y. apply mass_perm. now apply Permutation_map.
Qed.

Lemma children_local h l e S : node P h e <> l -> children P h l (e :: S) = children P h l S.
Proof.
  intros N. apply functional_extensionality. intros c. apply functional_extensionality. intros right.
  apply functional_extensionality. intros y. unfold children. cbn [map]. apply mass_elsewhere.
  simpl. apply Nat.eqb_neq in N. rewrite N. destruct right; lia.
Qed.

Lemma split_step_law h S : law (split_step P h S).
Proof. apply image_law, entries_law. intros. apply law_of_masses_law. Qed.

Theorem split_step_private h S S' : fits P S -> fits P S' -> neighbours (by_relation P) S S' ->
  close (split_budget P) (split_step P h S) (split_step P h S').
Proof.
  intros B B' N. apply image_close; [apply law_sub, entries_law; intros; apply law_of_masses_law|].
  assert (T : 0 <= touched (by_relation P)) by (destruct (by_relation P); simpl; lra).
  assert (base : forall (ok : list (row X) -> Prop) c, 0 <= c -> touched (by_relation P) * c <= split_budget P ->
    (forall S S' : list (row X), Permutation S S' -> ok S -> ok S') -> ok S -> ok S' ->
    (forall e A, ok (e :: A) -> close c (split_of P h (e :: A) (node P h e)) (split_of P h A (node P h e)) /\
                                close c (split_of P h A (node P h e)) (split_of P h (e :: A) (node P h e))) ->
    close (split_budget P) (entries (split_of P h) (2 ^ length (levels h)) S) (entries (split_of P h) (2 ^ length (levels h)) S')).
  { intros ok c C paid K O O' one. apply close_weaken with (touched (by_relation P) * c); auto.
    - intros xs. apply (law_sub _ (entries_law (split_of P h) _ (fun S i => law_of_masses_law h _) S')).
    - apply entries_private with (place := node P h) (ok := ok); auto.
      + intros. apply law_of_masses_law.
      + intros A A' i x Q. unfold split_of. now rewrite (children_perm h i A A').
      + intros e A i x Q. unfold split_of. now rewrite children_local.
      + intros e A O1. now apply one.
      + intros e A O1. now apply one. }
  destruct (decide (splits_by P = Uniform \/ rate P h = 0)) as [free | costs].
  - (* no look at the data *)
    apply (base (fun _ => True) 0); auto; try lra; [assert (Q := budgets_nonneg P H); lra|].
    intros e A _. unfold split_of, law_of_masses. destruct decide; [split; apply close_refl|].
    destruct free as [-> | Z]; [split; apply close_refl | contradiction].
  - assert (NU : splits_by P <> Uniform) by tauto. assert (K := rate_nonneg P H h).
    assert (K' : 0 < rate P h) by (destruct K as [K | K]; [auto | exfalso; apply costs; auto]).
    destruct B as [B | B]; [contradiction|]. destruct B' as [B' | B']; [contradiction|].
    set (d := IZR (cap P h) * sharp (m_alpha (alpha P h)) (INR (size P))).
    assert (D : 0 <= d).
    { assert (C := cap_positive P H h). apply IZR_le in C. assert (R := some_row P H NU). apply le_INR in R. simpl in R.
      apply Rmult_le_pos; [lra|]. apply sharp_nonneg; [apply m_alpha_risk, alpha_in | lra]. }
    assert (eta : 0 <= rounding P h).
    { eapply Rle_trans; [apply Rabs_pos | exact (accurate P H NU h 0%nat S 0%nat n_pos B)]. }
    apply (base (fun A => (length A <= size P)%nat) (rate P h * d + 4 * rounding P h)); auto.
    + assert (0 <= rate P h * d) by now apply Rmult_le_pos. lra.
    + now apply splits_paid.
    + intros A A' Q L. now rewrite <- (Permutation_length Q).
    + intros e A L. unfold split_of. apply law_of_masses_close; auto.
      * now apply children_near.
      * apply children_near; auto. simpl in L. lia.
      * intros c _. now apply scores_fall.
Qed.

(** ** All steps *)

Lemma price_list s e : In (s, e) (steps P) ->
  (s = minority_step P /\ e = alpha_budget P /\ estimates_alpha P = true) \/ (s = split_step P /\ e = split_budget P) \/
  (s = leaf_step P /\ e = leaf_budget P).
Proof.
  unfold steps. intros I. apply in_concat in I. destruct I as (l & L & I). apply repeat_spec in L. subst l.
  unfold steps_of_tree in I. apply in_app_iff in I. destruct I as [I | [I | []]].
  - apply in_flat_map in I. destruct I as (level & _ & I). unfold steps_of_level in I.
    destruct (estimates_alpha P); simpl in I; [destruct (Nat.ltb 0 level); simpl in I|]; intuition congruence.
  - injection I as <- <-. auto.
Qed.

Theorem learner_law S : law (learner P S).
Proof.
  apply run_law. intros s I. apply in_map_iff in I. destruct I as ([s' e] & <- & I). simpl.
  intros h. destruct (price_list _ _ I) as [(-> & _ & E) | [(-> & _) | (-> & _)]].
  - now apply minority_step_law.
  - apply split_step_law.
  - apply leaf_step_law.
Qed.

Lemma lsum_repeat {A} (g : A -> R) l k : lsum g (concat (repeat l k)) = INR k * lsum g l.
Proof. induction k as [|k IH]; [simpl; ring|]. rewrite S_INR. cbn [repeat concat]. rewrite lsum_app, IH. ring. Qed.

Lemma total_price : lsum snd (steps P) = spent P.
Proof.
  unfold steps, spent. rewrite lsum_repeat. f_equal. unfold steps_of_tree. rewrite lsum_app. cbn [lsum snd].
  assert (L : forall k i, lsum snd (flat_map (steps_of_level P) (seq (Datatypes.S i) k)) =
    INR k * split_budget P + (if estimates_alpha P then INR k * alpha_budget P else 0)).
  { induction k as [|k IH]; intros i; [destruct (estimates_alpha P); simpl; ring|].
    rewrite S_INR. cbn [seq flat_map]. rewrite lsum_app, IH. unfold steps_of_level.
    destruct (estimates_alpha P); simpl; ring. }
  destruct (depth P) as [|d]; [simpl; destruct (estimates_alpha P); simpl; ring|].
  cbn [seq flat_map]. rewrite lsum_app, L. unfold steps_of_level.
  replace (Datatypes.S d - 1)%nat with d by lia. rewrite S_INR. destruct (estimates_alpha P); simpl; ring.
Qed.

Theorem learner_private S S' : fits P S -> fits P S' -> neighbours (by_relation P) S S' ->
  close (spent P) (learner P S) (learner P S').
Proof.
  intros F F' N. rewrite <- total_price. apply run_close.
  - intros s e I h. destruct (price_list _ _ I) as [(-> & _ & E) | [(-> & _) | (-> & _)]];
      [now apply minority_step_law | apply split_step_law | apply leaf_step_law].
  - intros s e I h. destruct (price_list _ _ I) as [(-> & _ & E) | [(-> & _) | (-> & _)]];
      [now apply minority_step_law | apply split_step_law | apply leaf_step_law].
  - intros s e I h. destruct (price_list _ _ I) as [(-> & -> & E) | [(-> & ->) | (-> & ->)]].
    + now apply minority_step_private.
    + now apply split_step_private.
    + now apply leaf_step_private.
Qed.
End Privacy.

(** ** From raw rows to any set of models *)

Theorem model_private {X Raw Model : Type} (P : setting X) (admission : Raw -> option (row X)) (model : history -> Model)
    (E : Model -> Prop) (S S' : list Raw) :
  sound P -> may_drop admission (by_relation P) -> fits P S -> fits P S' -> neighbours (by_relation P) S S' ->
  prob (image model (learner P (admitted admission S))) E <= exp (spent P) * prob (image model (learner P (admitted admission S'))) E.
Proof.
  intros H M F F' N.
  assert (G : forall A : list Raw, fits P A -> fits P (admitted admission A)).
  { intros A [U | L]; [now left | right]. assert (Q := admitted_length admission A). lia. }
  apply post_processing; try (now apply law_sub, learner_law).
  apply learner_private; auto. now apply admitted_neighbours.
Qed.

(** Data sets with more rows than the public bound: the rows beyond it are left out, and the price is at most doubled. *)
Theorem truncated_model_private {X Raw Model : Type} (P : setting X) (admission : Raw -> option (row X))
    (model : history -> Model) (E : Model -> Prop) (before after : list Raw) (e : Raw) : let first := firstn (size P) in
  sound P -> by_relation P = AddRemove ->
  prob (image model (learner P (admitted admission (first (before ++ e :: after))))) E <=
    exp (2 * spent P) * prob (image model (learner P (admitted admission (first (before ++ after))))) E /\
  prob (image model (learner P (admitted admission (first (before ++ after))))) E <=
    exp (2 * spent P) * prob (image model (learner P (admitted admission (first (before ++ e :: after))))) E.
Proof.
  intros first H R. destruct (truncated_neighbours (size P) e before after) as (middle & L & N1 & N2).
  assert (F : forall l : list Raw, fits P (first l)) by (intros; right; apply firstn_le_length).
  assert (Fm : fits P middle) by now right.
  assert (M : may_drop admission (by_relation P)) by now rewrite R.
  assert (one : forall A B, fits P A -> fits P B -> neighbours AddRemove A B ->
    prob (image model (learner P (admitted admission A))) E <= exp (spent P) * prob (image model (learner P (admitted admission B))) E).
  { intros A B FA FB N. apply model_private; auto. now rewrite R. }
  assert (sym : forall A B : list Raw, neighbours AddRemove A B -> neighbours AddRemove B A)
    by (simpl; intros A B [Q | [Q | Q]]; auto using Permutation_sym).
  replace (2 * spent P) with (spent P + spent P) by ring. rewrite exp_plus.
  assert (X1 := exp_pos (spent P)).
  split; rewrite Rmult_assoc.
  - apply Rle_trans with (1 := one _ _ (F _) Fm N1). apply Rmult_le_compat_l; [lra | auto].
  - apply Rle_trans with (1 := one _ _ (F _) Fm (sym _ _ N2)). apply Rmult_le_compat_l; [lra | auto].
Qed.
