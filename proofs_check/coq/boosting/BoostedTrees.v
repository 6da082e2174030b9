(** * The corrected theorem of boosted trees

    A tree is grown by splits that each have an edge of at least gamma.  The leaf that is split holds a share
    of the tree's Matsushita risk.  When these shares add up to (2 / gamma^2) ln (1 / xi), the leaves err on at
    most a share xi / 2 of the mass.

    | here               | paper and ledger                                                |
    |--------------------|-----------------------------------------------------------------|
    | [leaf]             | mass of the positive and of the negative examples of a leaf     |
    | [matsushita]       | 2 sqrt(p n), the unnormalised Matsushita risk                   |
    | [edge]             | wlaKMDT: difference of the parts of both classes that go left   |
    | [grown]            | one split after the other, of any leaf, by any rule             |
    | [split_drop]       | boost.leaf-drop-half, boost.tree-drop                           |
    | [boosted_trees]    | boost.any-alpha: the theorem with shares of the Matsushita risk |
    | [boosted_trees_alpha] | boost.theorem: the same with shares times alpha_l            | *)

From Coq Require Import Reals Lra Psatz List Lia.
From Privboost Require Import Sums.
Import ListNotations.
Local Open Scope R_scope.

Record leaf := { positives : R; negatives : R }.
Definition valid (l : leaf) : Prop := 0 <= positives l /\ 0 <= negatives l.
Definition join (l r : leaf) : leaf := {| positives := positives l + positives r; negatives := negatives l + negatives r |}.
Definition matsushita (l : leaf) : R := 2 * sqrt (positives l * negatives l).
Definition minority (l : leaf) : R := Rmin (positives l) (negatives l).
Definition edge (l r : leaf) : R :=
  Rabs (positives l / (positives l + positives r) - negatives l / (negatives l + negatives r)).

(** A split of a leaf into [l] and [r] that meets the weak learning assumption. *)
Definition good_split (gamma : R) (l r : leaf) : Prop :=
  valid l /\ valid r /\ 0 < positives (join l r) /\ 0 < negatives (join l r) /\ gamma <= edge l r.

(** ** One split *)
Theorem split_drop gamma l r : 0 <= gamma <= 1 -> good_split gamma l r ->
  matsushita l + matsushita r <= (1 - gamma ^ 2 / 2) * matsushita (join l r).
Proof.
  destruct l as [p1 n1], r as [p2 n2]. intros [Hg0 Hg1] ([H1 H2] & [H3 H4] & Hp & Hn & He). unfold matsushita, edge in *. cbn in *.
  set (a := sqrt (p1 * n1)). set (b := sqrt (p2 * n2)). set (s := sqrt (p1 * n2)). set (t := sqrt (n1 * p2)).
  set (q := (p1 + p2) * (n1 + n2)).
  assert (Ha : 0 <= a) by apply sqrt_pos. assert (Hb : 0 <= b) by apply sqrt_pos.
  assert (Hs : 0 <= s) by apply sqrt_pos. assert (Ht : 0 <= t) by apply sqrt_pos.
  assert (A2 : a * a = p1 * n1) by (apply sqrt_sqrt; apply Rmult_le_pos; lra).
  assert (B2 : b * b = p2 * n2) by (apply sqrt_sqrt; apply Rmult_le_pos; lra).
  assert (S2 : s * s = p1 * n2) by (apply sqrt_sqrt; apply Rmult_le_pos; lra).
  assert (T2 : t * t = n1 * p2) by (apply sqrt_sqrt; apply Rmult_le_pos; lra).
  assert (AB : a * b = s * t).
  { unfold a, b, s, t. rewrite <- !sqrt_mult by (apply Rmult_le_pos; lra). f_equal. ring. }
  assert (Q : q = a * a + b * b + s * s + t * t) by (rewrite A2, B2, S2, T2; unfold q; ring).
  assert (Hq : 0 < q) by (unfold q; apply Rmult_lt_0_compat; lra).
  set (e := p1 / (p1 + p2) - n1 / (n1 + n2)) in *.
  assert (E : e * q = s * s - t * t) by (rewrite S2, T2; unfold e, q; field; lra).
  (* the squared edge is at most ((s - t)^2) / q, by the inequality of the means *)
  assert (K : e * e * q <= (s - t) * (s - t)).
  { apply Rmult_le_reg_r with q; [assumption|]. replace (e * e * q * q) with (e * q * (e * q)) by ring.
    rewrite E. replace ((s * s - t * t) * (s * s - t * t)) with ((s - t) * (s - t) * ((s + t) * (s + t))) by ring.
    apply Rmult_le_compat_l; [apply Rle_0_sqr|]. rewrite Q. assert (Z := Rle_0_sqr (a - b)). unfold Rsqr in Z. nra. }
  assert (G2 : gamma * gamma <= e * e).
  { replace (e * e) with (Rabs e * Rabs e) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; apply Rle_0_sqr).
    apply Rmult_le_compat; assumption. }
  (* (a + b)^2 = q - (s - t)^2 *)
  assert (C2 : (a + b) * (a + b) <= q * (1 - gamma * gamma)).
  { replace ((a + b) * (a + b)) with (q - (s - t) * (s - t)) by (rewrite Q; nra). nra. }
  enough (a + b <= (1 - gamma ^ 2 / 2) * sqrt q) by lra.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; [nra | apply sqrt_pos]]. unfold Rsqr.
  replace ((1 - gamma ^ 2 / 2) * sqrt q * ((1 - gamma ^ 2 / 2) * sqrt q))
    with ((1 - gamma ^ 2 / 2) * (1 - gamma ^ 2 / 2) * (sqrt q * sqrt q)) by ring.
  rewrite sqrt_sqrt by lra. apply Rle_trans with (1 := C2).
  rewrite (Rmult_comm q). apply Rmult_le_compat_r; [lra|]. simpl. nra.
Qed.

(** The same for the shares a and b of the two classes that go to one child: eqKM122.leaf. *)
Corollary shares_drop gamma a b : 0 < gamma -> 0 <= a <= 1 -> 0 <= b <= 1 -> gamma <= Rabs (a - b) ->
  sqrt ((1 - a) * (1 - b)) + sqrt (a * b) <= 1 - gamma ^ 2 / 2.
Proof.
  intros G A B H. assert (gamma <= 1) by (revert H; unfold Rabs; destruct Rcase_abs; lra).
  assert (D := split_drop gamma {| positives := a; negatives := b |} {| positives := 1 - a; negatives := 1 - b |} ltac:(lra)).
  unfold good_split, valid, matsushita, join, edge in D; cbn in D.
  replace (a + (1 - a)) with 1 in D by ring. replace (b + (1 - b)) with 1 in D by ring.
  replace (1 * 1) with 1 in D by ring. rewrite sqrt_1 in D.
  assert (E : 2 * sqrt (a * b) + 2 * sqrt ((1 - a) * (1 - b)) <= (1 - gamma * (gamma * 1) / 2) * (2 * 1)); [|lra].
  apply D. repeat split; try lra. unfold Rdiv. rewrite Rinv_1, !Rmult_1_r. exact H.
Qed.

(** ** Growing a tree

    [grown gamma T0 S T]: the leaves [T] come from the leaves [T0] by good splits, and [S] is the sum of the
    shares of the tree's Matsushita risk in the leaves that were split. *)
Inductive grown (gamma : R) (T0 : list leaf) : R -> list leaf -> Prop :=
| not_yet : grown gamma T0 0 T0
| one_more : forall S before after l r,
    grown gamma T0 S (before ++ join l r :: after) -> good_split gamma l r ->
    grown gamma T0 (S + matsushita (join l r) / lsum matsushita (before ++ join l r :: after)) (before ++ l :: r :: after).

Lemma matsushita_nonneg l : 0 <= matsushita l.
Proof. unfold matsushita. assert (H := sqrt_pos (positives l * negatives l)). lra. Qed.

Lemma exp_above x : 1 + x <= exp x.
Proof. destruct (Req_dec x 0) as [->|H]; [rewrite exp_0; lra|]. assert (E := exp_ineq1 x H). lra. Qed.

Theorem matsushita_decays gamma T0 S T : 0 < gamma <= 1 -> grown gamma T0 S T ->
  lsum matsushita T <= lsum matsushita T0 * exp (- (gamma ^ 2 / 2) * S).
Proof.
  intros Hg H. induction H as [|S before after l r H IH G].
  - rewrite Rmult_0_r, exp_0. lra.
  - assert (D := split_drop gamma l r ltac:(lra) G). destruct G as (_ & _ & Hp & Hn & _).
    set (w := matsushita (join l r)) in *. set (M := lsum matsushita (before ++ join l r :: after)) in *.
    assert (W : 0 < w). { unfold w, matsushita. assert (0 < sqrt (positives (join l r) * negatives (join l r))) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra). lra. }
    assert (EM : M = lsum matsushita before + w + lsum matsushita after) by (unfold M; rewrite lsum_app; cbn [lsum]; unfold w; ring).
    assert (HM : 0 < M).
    { rewrite EM. assert (0 <= lsum matsushita before) by (apply lsum_nonneg; intros; apply matsushita_nonneg).
      assert (0 <= lsum matsushita after) by (apply lsum_nonneg; intros; apply matsushita_nonneg). lra. }
    apply Rle_trans with (M * exp (- (gamma ^ 2 / 2) * (w / M))).
    + apply Rle_trans with (M * (1 + - (gamma ^ 2 / 2) * (w / M))).
      * replace (M * (1 + - (gamma ^ 2 / 2) * (w / M))) with (M - gamma ^ 2 / 2 * w) by (field; lra).
        rewrite lsum_app. cbn [lsum]. lra.
      * apply Rmult_le_compat_l; [lra | apply exp_above].
    + rewrite Rmult_plus_distr_l, exp_plus, <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply exp_pos | exact IH].
Qed.

Lemma grown_valid gamma T0 S T : List.Forall valid T0 -> grown gamma T0 S T -> List.Forall valid T.
Proof.
  intros V H. induction H as [|S before after l r H IH G]; auto.
  apply Forall_app in IH. destruct IH as [B A]. inversion A; subst. destruct G as (L & R & _).
  apply Forall_app. split; auto.
Qed.

Lemma minority_half l : valid l -> minority l <= matsushita l / 2.
Proof.
  intros [P N]. unfold minority, matsushita. set (p := positives l) in *. set (n := negatives l) in *.
  replace (2 * sqrt (p * n) / 2) with (sqrt (p * n)) by field.
  rewrite <- (sqrt_square (Rmin p n)) by (apply Rmin_glb; assumption). apply sqrt_le_1_alt.
  apply Rmult_le_compat; try (apply Rmin_glb; assumption); [apply Rmin_l | apply Rmin_r].
Qed.

Lemma matsushita_le_mass l : valid l -> matsushita l <= positives l + negatives l.
Proof.
  intros [P N]. unfold matsushita. rewrite sqrt_mult by assumption.
  assert (A := sqrt_sqrt _ P). assert (B := sqrt_sqrt _ N).
  assert (Z := Rle_0_sqr (sqrt (positives l) - sqrt (negatives l))). unfold Rsqr in Z. nra.
Qed.

(** ** boost.any-alpha: whatever leaves are split in whatever order *)
Theorem boosted_trees gamma xi root S T : 0 < gamma <= 1 -> 0 < xi -> valid root -> 0 < positives root + negatives root ->
  grown gamma [root] S T -> 2 / gamma ^ 2 * ln (1 / xi) <= S ->
  lsum minority T / (positives root + negatives root) <= xi / 2.
Proof.
  intros Hg Hx V Hm H HS. set (m := positives root + negatives root) in *.
  assert (D := matsushita_decays gamma _ S T Hg H). cbn [lsum] in D. rewrite Rplus_0_r in D.
  assert (O := grown_valid gamma [root] S T ltac:(constructor; auto) H).
  assert (B : lsum minority T <= lsum matsushita T / 2).
  { clear - O. induction O as [|l T V O IH]; cbn; [lra|]. assert (X := minority_half l V). lra. }
  assert (AM := matsushita_le_mass root V). fold m in AM.
  assert (G2 : 0 < gamma ^ 2) by (apply pow_lt; lra).
  assert (X : exp (- (gamma ^ 2 / 2) * S) <= xi).
  { rewrite <- (exp_ln xi) at 1 by assumption. apply exp_le.
    unfold Rdiv in HS at 2. rewrite Rmult_1_l, ln_Rinv in HS by assumption.
    apply Rmult_le_compat_l with (r := gamma ^ 2 / 2) in HS; [|lra].
    replace (gamma ^ 2 / 2 * (2 / gamma ^ 2 * - ln xi)) with (- ln xi) in HS by (field; lra). lra. }
  assert (P : 0 < exp (- (gamma ^ 2 / 2) * S)) by apply exp_pos.
  apply Rmult_le_reg_r with m; [assumption|]. replace (lsum minority T / m * m) with (lsum minority T) by (field; lra).
  assert (matsushita root * exp (- (gamma ^ 2 / 2) * S) <= m * xi); [|lra].
  apply Rmult_le_compat; auto; [apply matsushita_nonneg | lra].
Qed.

(** ** boost.theorem: shares times alpha_l, for any numbers alpha_l in [0, 1] *)
Inductive grown_alpha (gamma : R) (T0 : list leaf) : R -> R -> list leaf -> Prop :=
| not_yet_alpha : grown_alpha gamma T0 0 0 T0
| one_more_alpha : forall S A alpha before after l r,
    grown_alpha gamma T0 S A (before ++ join l r :: after) -> good_split gamma l r -> 0 <= alpha <= 1 ->
    grown_alpha gamma T0 (S + matsushita (join l r) / lsum matsushita (before ++ join l r :: after))
      (A + alpha * (matsushita (join l r) / lsum matsushita (before ++ join l r :: after))) (before ++ l :: r :: after).

Theorem boosted_trees_alpha gamma xi root S A T : 0 < gamma <= 1 -> 0 < xi -> valid root ->
  0 < positives root + negatives root -> grown_alpha gamma [root] S A T -> 2 / gamma ^ 2 * ln (1 / xi) <= A ->
  lsum minority T / (positives root + negatives root) <= xi / 2.
Proof.
  intros Hg Hx V Hm H HA.
  assert (Both : grown gamma [root] S T /\ A <= S).
  { clear HA. induction H as [|S A al before after l r H [G L] GS AL]; [split; [constructor | lra]|].
    split; [now constructor|].
    set (share := matsushita (join l r) / lsum matsushita (before ++ join l r :: after)).
    assert (0 <= share); [|nra].
    apply Rmult_le_pos; [apply matsushita_nonneg|]. apply Rlt_le, Rinv_0_lt_compat.
    rewrite lsum_app. cbn [lsum]. destruct GS as (_ & _ & Hp & Hn & _).
    assert (0 < matsushita (join l r)). { unfold matsushita. assert (0 < sqrt (positives (join l r) * negatives (join l r))) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra). lra. }
    assert (0 <= lsum matsushita before) by (apply lsum_nonneg; intros; apply matsushita_nonneg).
    assert (0 <= lsum matsushita after) by (apply lsum_nonneg; intros; apply matsushita_nonneg). lra. }
  destruct Both as [G L]. apply boosted_trees with gamma S; auto. lra.
Qed.
