(** * Private boosting, corrected: the exponential mechanism draws splits that meet the weak learning assumption

    Splits that meet the assumption are called fat, the others slim.  A fat split of a leaf gains at least
    gamma^2 alpha / 2 of the leaf's Matsushita risk ([fat_gain]).  If slim ones gain at most delta times that
    and are not too many, then all n splits that are drawn are fat with probability at least 1 - xi.

    | here                | ledger                                                         |
    |---------------------|----------------------------------------------------------------|
    | [one_split]         | thBOOSTDP1.one-split, for every finite list of splits          |
    | [all_splits]        | thBOOSTDP1.all-splits, for every adaptive sequence of draws    |
    | [exponent_bound]    | thBOOSTDP1.corrected-exponent                                  |
    | [private_boosting]  | thBOOSTDP1.corrected                                           | *)

From Coq Require Import Reals Lra Psatz List Lia.
From Privboost Require Import Sums Expectation Ville BoostedTrees.
Import ListNotations.
Local Open Scope R_scope.

(** ** What a fat split gains in M-alpha risk: alpha times Matsushita risk plus 1 - alpha times 0/1 risk *)
Definition m_alpha_risk (alpha : R) (l : leaf) : R := alpha * matsushita l + (1 - alpha) * (2 * minority l).

Theorem fat_gain gamma alpha l r : 0 <= gamma <= 1 -> 0 <= alpha <= 1 -> good_split gamma l r ->
  gamma ^ 2 / 2 * alpha * matsushita (join l r) <=
  m_alpha_risk alpha (join l r) - (m_alpha_risk alpha l + m_alpha_risk alpha r).
Proof.
  intros G A S. assert (D := split_drop gamma l r G S).
  assert (M : minority l + minority r <= minority (join l r)).
  { unfold minority, join; cbn. apply Rmin_glb.
    - assert (a := Rmin_l (positives l) (negatives l)). assert (b := Rmin_l (positives r) (negatives r)). lra.
    - assert (a := Rmin_r (positives l) (negatives l)). assert (b := Rmin_r (positives r) (negatives r)). lra. }
  unfold m_alpha_risk. nra.
Qed.

(** ** One draw of the exponential mechanism *)

(** The arithmetic of thBOOSTDP1.one-split: numbers of fat and slim splits, and their masses. *)
Lemma fat_is_likely kappa unit delta x xi n fat slim sum_fat sum_slim :
  0 <= slim -> 0 < sum_fat -> 0 <= sum_slim ->
  fat * exp (kappa * unit) <= sum_fat -> sum_slim <= slim * exp (kappa * delta * unit) ->
  x <= kappa * unit * (1 - delta) -> slim * exp (- x / 2) <= fat -> 0 < xi -> 1 <= n -> ln (n / xi) <= x / 2 ->
  1 - xi / n <= sum_fat / (sum_fat + sum_slim).
Proof.
  intros SL PF PS F S exponent fat_enough xi_pos n_pos budget.
  assert (Ratio : sum_slim * (n / xi) <= sum_fat).
  { assert (N : 0 < n / xi) by (apply Rdiv_lt_0_compat; lra).
    assert (B : n / xi <= exp (x / 2)) by (rewrite <- (exp_ln (n / xi)) by auto; now apply exp_le).
    apply Rle_trans with (slim * exp (kappa * delta * unit) * exp (x / 2)).
    - apply Rmult_le_compat; auto. lra.
    - apply Rle_trans with (2 := F).
      apply Rle_trans with (slim * exp (- x / 2) * exp (kappa * unit)).
      + rewrite !Rmult_assoc. apply Rmult_le_compat_l; auto. rewrite <- !exp_plus. apply exp_le. lra.
      + apply Rmult_le_compat_r; [apply Rlt_le, exp_pos | auto]. }
  apply Rmult_le_reg_r with (sum_fat + sum_slim); [lra|].
  replace (sum_fat / (sum_fat + sum_slim) * (sum_fat + sum_slim)) with sum_fat by (field; lra).
  assert (sum_slim <= xi / n * sum_fat).
  { apply Rmult_le_compat_r with (r := xi / n) in Ratio; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
    replace (sum_slim * (n / xi) * (xi / n)) with sum_slim in Ratio by (field; lra). lra. }
  assert (0 < xi / n) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

Section OneSplit.
Variable split : Type.
Variable gain : split -> R.
Variables kappa unit delta x xi n : R.
Variables fat slim : list split.
Hypothesis kappa_nonneg : 0 <= kappa.
Hypothesis fat_gains : forall s, In s fat -> unit <= gain s.
Hypothesis slim_gains : forall s, In s slim -> gain s <= delta * unit.
Hypothesis exponent : x <= kappa * unit * (1 - delta).
Hypothesis fat_enough : INR (length slim) * exp (- x / 2) <= INR (length fat).
Hypothesis xi_pos : 0 < xi.
Hypothesis n_pos : 1 <= n.
Hypothesis budget : ln (n / xi) <= x / 2.

Definition mass (splits : list split) : R := lsum (fun s => exp (kappa * gain s)) splits.
Definition chance_of_fat : R := mass fat / (mass fat + mass slim).

Lemma lsum_const {A} c (l : list A) : lsum (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|y l IH]; [simpl; ring|]. cbn [lsum length]. rewrite IH, S_INR. ring. Qed.

Theorem one_split : fat <> [] -> 1 - xi / n <= chance_of_fat.
Proof.
  intros Some. apply fat_is_likely with kappa unit delta x (INR (length fat)) (INR (length slim)); auto.
  - apply pos_INR.
  - apply lsum_pos; auto. intros; apply exp_pos.
  - apply lsum_nonneg. intros; apply Rlt_le, exp_pos.
  - rewrite <- lsum_const. apply lsum_le. intros s I. apply exp_le. apply Rmult_le_compat_l; auto.
  - rewrite <- lsum_const. apply lsum_le. intros s I. apply exp_le. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
Qed.
End OneSplit.

(** ** All draws: what is drawn next may depend on all earlier draws *)
Theorem all_splits {O} (step : list O -> expectation O) (slim : list O -> O -> bool) eta :
  0 <= eta -> (forall h, probability (step h) (slim h) <= eta) ->
  forall n, within step (fun h => exists o h', h = o :: h' /\ slim h' o = true) n [] <= INR n * eta.
Proof.
  intros E H n. set (alarm := fun h => exists o h', h = o :: h' /\ slim h' o = true).
  assert (G : forall n h, ~ alarm h -> within step alarm n h <= INR n * eta).
  { intros k; induction k as [|m IH]; intros h N; cbn [within]; (destruct (decide (alarm h)) as [A|_]; [contradiction|]).
    - simpl; lra.
    - rewrite S_INR. apply Rle_trans with (mean (step h) (fun o => INR m * eta + indicator (slim h) o)).
      + apply mean_le; [apply within_bound | apply has_bound_plus; [apply has_bound_const | apply has_bound_indicator]|].
        assert (P : 0 <= INR m * eta) by (apply Rmult_le_pos; auto using pos_INR).
        intros o. unfold indicator. destruct (slim h o) eqn:Q.
        * assert (W := within_in step alarm m (o :: h)). lra.
        * rewrite Rplus_0_r. apply IH. intros (o' & h' & X & Y). injection X as <- <-. congruence.
      + rewrite mean_plus by (apply has_bound_const || apply has_bound_indicator). rewrite mean_const.
        specialize (H h). unfold probability in H. lra. }
  apply G. intros (o & h' & X & _). discriminate.
Qed.

(** ** The exponent in terms of the data

    A budget beta eps, divided by T d draws and by 2^depth, over twice the sensitivity 3 + 2 alpha (sqrt m - 1),
    with alpha = err / err1 and a leaf whose Matsushita risk is at least 2 mean m minority. *)
Section Exponent.
Variables m beta eps tests power err err1 mean minor delta gamma leaf_m : R.
Hypothesis m_in : 1 < m.
Hypothesis beta_nonneg : 0 <= beta.
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis tests_in : 1 <= tests <= ln m.
Hypothesis power_in : 1 <= power.
Hypothesis err_in : 0 <= err <= err1.
Hypothesis err1_in : 0 < err1 <= 1 / 2.
Hypothesis mean_nonneg : 0 <= mean.
Hypothesis minor_nonneg : 0 <= minor.
Hypothesis delta_in : 0 <= delta <= 1.
Hypothesis leaf_at_least : 2 * mean * m * minor <= leaf_m.

Let alpha := err / err1.
Definition calibrated_sensitivity : R := 3 + 2 * alpha * (sqrt m - 1).
Definition kappa : R := beta * eps / (tests * power) / (2 * calibrated_sensitivity).
Definition own_gain : R := gamma ^ 2 / 2 * alpha * leaf_m.
Definition efficiency_bound : R :=
  beta * mean * (1 - delta) * gamma ^ 2 / 3 * (minor * err / power) * (eps * sqrt m / ln m).

Lemma alpha_in : 0 <= alpha <= 1.
Proof.
  unfold alpha. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
  apply Rmult_le_reg_r with err1; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma sqrt_m : 1 < sqrt m /\ sqrt m * sqrt m = m.
Proof. split; [rewrite <- sqrt_1; apply sqrt_lt_1; lra | apply sqrt_sqrt; lra]. Qed.

Lemma scale_bound : 2 * err * sqrt m / 3 * calibrated_sensitivity <= m * alpha.
Proof.
  destruct sqrt_m as [S1 S2]. destruct alpha_in as [A1 A2]. unfold calibrated_sensitivity.
  assert (E : err <= alpha / 2).
  { unfold alpha. apply Rmult_le_reg_r with (2 * err1); [lra|].
    replace (err / err1 / 2 * (2 * err1)) with err by (field; lra). nra. }
  (* 2/3 (3 + 2 alpha (s - 1)) <= 2 s, since alpha <= 1 and s >= 1 *)
  assert (C : 2 / 3 * (3 + 2 * alpha * (sqrt m - 1)) <= 2 * sqrt m) by nra.
  apply Rle_trans with (err * sqrt m * (2 * sqrt m)).
  - replace (2 * err * sqrt m / 3 * (3 + 2 * alpha * (sqrt m - 1))) with (err * sqrt m * (2 / 3 * (3 + 2 * alpha * (sqrt m - 1)))) by field.
    apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra.
  - replace (err * sqrt m * (2 * sqrt m)) with (2 * err * (sqrt m * sqrt m)) by ring. rewrite S2.
    replace (2 * err * m) with (m * (2 * err)) by ring. apply Rmult_le_compat_l; lra.
Qed.

Theorem exponent_bound : efficiency_bound <= kappa * own_gain * (1 - delta).
Proof.
  destruct sqrt_m as [S1 S2]. destruct alpha_in as [A1 A2]. assert (B := scale_bound).
  set (c := calibrated_sensitivity) in *. assert (C : 3 <= c) by (unfold c, calibrated_sensitivity; nra).
  assert (G : 0 <= gamma ^ 2) by apply pow2_ge_0. assert (L : 0 < ln m) by lra.
  assert (X : 0 <= beta * eps * gamma ^ 2 * (1 - delta)).
  { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; auto. now apply Rmult_le_pos. }
  assert (Lo : efficiency_bound = beta * eps * gamma ^ 2 * (1 - delta) * (mean * minor / 2) * (2 * err * sqrt m / 3) * (/ (ln m * power))).
  { unfold efficiency_bound. field. lra. }
  assert (Hi : kappa * own_gain * (1 - delta) = beta * eps * gamma ^ 2 * (1 - delta) * (leaf_m * alpha / (4 * c)) * / (tests * power)).
  { unfold kappa, own_gain. fold c. field. lra. }
  rewrite Lo, Hi.
  assert (Y : mean * minor / 2 * (2 * err * sqrt m / 3) <= leaf_m * alpha / (4 * c)).
  { apply Rmult_le_reg_r with (4 * c); [lra|]. replace (leaf_m * alpha / (4 * c) * (4 * c)) with (leaf_m * alpha) by (field; lra).
    assert (Z : 0 <= mean * minor) by now apply Rmult_le_pos.
    apply Rle_trans with (2 * (mean * minor) * (m * alpha)); [|nra].
    replace (mean * minor / 2 * (2 * err * sqrt m / 3) * (4 * c)) with (2 * (mean * minor) * (2 * err * sqrt m / 3 * c)) by field.
    apply Rmult_le_compat_l; lra. }
  assert (Y0 : 0 <= mean * minor / 2 * (2 * err * sqrt m / 3)).
  { apply Rmult_le_pos; apply Rmult_le_pos; try lra; apply Rmult_le_pos; lra. }
  rewrite (Rmult_assoc (beta * eps * gamma ^ 2 * (1 - delta)) (mean * minor / 2)).
  apply Rmult_le_compat.
  - now apply Rmult_le_pos.
  - apply Rlt_le, Rinv_0_lt_compat. apply Rmult_lt_0_compat; lra.
  - now apply Rmult_le_compat_l.
  - apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_r; lra.
Qed.

Lemma kappa_nonneg : 0 <= kappa.
Proof.
  destruct sqrt_m as [S1 S2]. destruct alpha_in as [A1 A2].
  assert (C : 0 < calibrated_sensitivity) by (unfold calibrated_sensitivity; nra).
  unfold kappa. apply Rmult_le_pos; [apply Rmult_le_pos; [now apply Rmult_le_pos|]|]; apply Rlt_le, Rinv_0_lt_compat;
    [apply Rmult_lt_0_compat; lra | lra].
Qed.

(** ** thBOOSTDP1.corrected: one of n splits; [all_splits] with eta = xi / n makes it all of them *)
Theorem private_boosting (split : Type) (gain : split -> R) fat slim xi n :
  fat <> [] -> 0 < xi -> 1 <= n ->
  (forall s, In s fat -> own_gain <= gain s) -> (forall s, In s slim -> gain s <= delta * own_gain) ->
  INR (length slim) * exp (- efficiency_bound / 2) <= INR (length fat) -> ln (n / xi) <= efficiency_bound / 2 ->
  1 - xi / n <= chance_of_fat split gain kappa fat slim.
Proof.
  intros Some X N F S Many Budget. apply one_split with own_gain delta efficiency_bound; auto; [apply kappa_nonneg | apply exponent_bound].
Qed.
End Exponent.

(** ** The same for the splits of one leaf

    A split is what it makes of the leaf: its two children.  It gains what the M-alpha risk of the leaf exceeds that of
    the children by; fat splits meet the weak learning assumption, and [minor] is the share of the leaf's lesser class in
    all mass, mean * m.  That fat splits gain enough is no longer assumed. *)
Definition gain_of (alpha : R) (s : leaf * leaf) : R :=
  m_alpha_risk alpha (join (fst s) (snd s)) - (m_alpha_risk alpha (fst s) + m_alpha_risk alpha (snd s)).

Theorem private_boosting_of_leaf m beta eps tests power err err1 mean minor delta gamma (whole : leaf) fat slim xi n :
  1 < m -> 0 <= beta -> 0 <= eps -> 1 <= tests <= ln m -> 1 <= power -> 0 <= err <= err1 -> 0 < err1 <= 1 / 2 -> 0 <= mean ->
  0 <= minor -> 0 <= delta <= 1 -> 0 <= gamma <= 1 -> valid whole -> minority whole = mean * m * minor ->
  fat <> [] -> 0 < xi -> 1 <= n ->
  (forall s, In s fat -> good_split gamma (fst s) (snd s) /\ join (fst s) (snd s) = whole) ->
  (forall s, In s slim -> gain_of (err / err1) s <= delta * own_gain err err1 gamma (matsushita whole)) ->
  INR (length slim) * exp (- efficiency_bound m beta eps power err mean minor delta gamma / 2) <= INR (length fat) ->
  ln (n / xi) <= efficiency_bound m beta eps power err mean minor delta gamma / 2 ->
  1 - xi / n <= chance_of_fat (leaf * leaf) (gain_of (err / err1)) (kappa m beta eps tests power err err1) fat slim.
Proof.
  intros M B Ep Te Po Er Er1 Me Mi De Ga V L Some X N F S Many Budget.
  apply (private_boosting m beta eps tests power err err1 mean minor delta gamma (matsushita whole)); auto.
  - assert (H := minority_half whole V). rewrite L in H. lra.
  - intros s I. destruct (F s I) as [G J]. unfold own_gain. rewrite <- J. apply fat_gain; auto. now apply alpha_in.
Qed.
