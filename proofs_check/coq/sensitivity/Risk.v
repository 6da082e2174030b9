(** * Bayes risks, and the risk of a leaf

    A Bayes risk [L] is concave, symmetric and 0 at 0.  The risk of a leaf with mass [a] of one class and [b] of the other
    is (a + b) L(a / (a + b)); the sensitivity of a tree is governed by [sharp L m] = m L(1/m).  What is proved here
    holds for every such [L]; the second half has the four Bayes risks of the paper and their mixture, M-alpha. *)
From Coq Require Import Reals Lra Psatz.
Local Open Scope R_scope.

Record bayes_risk (L : R -> R) : Prop := {
  br_concave : forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 ->
     t * L x + (1 - t) * L y <= L (t * x + (1 - t) * y);
  br_zero : L 0 = 0;
  br_sym : forall x, 0 <= x <= 1 -> L (1 - x) = L x }.

Definition leaf (L : R -> R) (a b : R) : R := (a + b) * L (a / (a + b)).
Definition sharp (L : R -> R) (m : R) : R := m * L (1 / m).

Lemma share_in a b : 0 <= a -> 0 <= b -> 0 < a + b -> 0 <= a / (a + b) <= 1.
Proof.
  intros. split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (a + b); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section Risk.
Variable L : R -> R.
Hypothesis HL : bayes_risk L.
Notation f := (leaf L).

Lemma risk_one : L 1 = 0.
Proof. replace 1 with (1 - 0) by ring. rewrite br_sym by (auto; lra). now apply br_zero. Qed.

Lemma leaf_empty : f 0 0 = 0.
Proof. unfold leaf. ring. Qed.

Lemma leaf_pure a : 0 <= a -> f a 0 = 0.
Proof.
  intros H. unfold leaf. destruct (Req_dec a 0) as [->|N]; [ring|].
  replace (a / (a + 0)) with 1 by (field; lra). rewrite risk_one. ring.
Qed.

Lemma leaf_pure_negative b : 0 <= b -> f 0 b = 0.
Proof.
  intros H. unfold leaf. destruct (Req_dec b 0) as [->|N]; [ring|].
  replace (0 / (0 + b)) with 0 by (field; lra). rewrite (br_zero L HL). ring.
Qed.

Lemma leaf_swap a b : 0 <= a -> 0 <= b -> f a b = f b a.
Proof.
  intros Ha Hb. unfold leaf. destruct (Req_dec (a + b) 0) as [E|N].
  - rewrite E, (Rplus_comm b a), E. ring.
  - replace (b / (b + a)) with (1 - a / (a + b)) by (field; lra).
    rewrite br_sym; [ring | auto |].
    apply share_in; lra.
Qed.

Lemma leaf_homogeneous w a b : 0 <= w -> 0 <= a -> 0 <= b -> f (w * a) (w * b) = w * f a b.
Proof.
  intros Hw Ha Hb. unfold leaf.
  destruct (Req_dec w 0) as [->|N]; [ring|].
  destruct (Req_dec (a + b) 0) as [E|M].
  - replace (w * a + w * b) with (w * (a + b)) by ring. rewrite E. ring.
  - replace (w * a / (w * a + w * b)) with (a / (a + b)).
    + ring.
    + assert (w * a + w * b <> 0) by (rewrite <- Rmult_plus_distr_l; apply Rmult_integral_contrapositive_currified; lra).
      field. lra.
Qed.

(** Two leaves that are merged have more risk than they had before. *)
Theorem leaf_superadditive a b c d : 0 <= a -> 0 <= b -> 0 <= c -> 0 <= d ->
  f a b + f c d <= f (a + c) (b + d).
Proof.
  intros Ha Hb Hc Hd.
  destruct (Req_dec (a + b) 0) as [E|N].
  { replace a with 0 by lra. replace b with 0 by lra. rewrite leaf_empty, !Rplus_0_l. lra. }
  destruct (Req_dec (c + d) 0) as [E|M].
  { replace c with 0 by lra. replace d with 0 by lra. rewrite leaf_empty, !Rplus_0_r. lra. }
  assert (P : 0 < a + b) by lra. assert (Q : 0 < c + d) by lra.
  set (s := a + b) in *. set (r := c + d) in *.
  assert (C := br_concave L HL (a / s) (c / r) (s / (s + r))
     (share_in a b Ha Hb P) (share_in c d Hc Hd Q) (share_in s r ltac:(lra) ltac:(lra) ltac:(lra))).
  replace (s / (s + r) * (a / s) + (1 - s / (s + r)) * (c / r)) with ((a + c) / (s + r)) in C
    by (field; lra).
  unfold leaf. fold s r. replace (a + c + (b + d)) with (s + r) by (unfold s, r; ring).
  apply Rmult_le_compat_l with (r := s + r) in C; [| lra].
  replace ((s + r) * (s / (s + r) * L (a / s) + (1 - s / (s + r)) * L (c / r)))
    with (s * L (a / s) + r * L (c / r)) in C by (field; lra).
  exact C.
Qed.

Theorem leaf_nonneg a b : 0 <= a -> 0 <= b -> 0 <= f a b.
Proof.
  intros Ha Hb. assert (S := leaf_superadditive a 0 0 b Ha (Rle_refl 0) (Rle_refl 0) Hb).
  rewrite leaf_pure, leaf_pure_negative in S by lra. now rewrite !Rplus_0_r, Rplus_0_l in S.
Qed.

Theorem leaf_monotone a b s t : 0 <= a -> 0 <= b -> 0 <= s -> 0 <= t -> f a b <= f (a + s) (b + t).
Proof.
  intros Ha Hb Hs Ht.
  assert (S := leaf_superadditive a b s t Ha Hb Hs Ht). assert (N := leaf_nonneg s t Hs Ht). lra.
Qed.

Corollary leaf_monotone_positive a b t : 0 <= a -> 0 <= b -> 0 <= t -> f a b <= f (a + t) b.
Proof. intros. rewrite <- (Rplus_0_r b) at 2. apply leaf_monotone; lra. Qed.

Corollary leaf_monotone_negative a b t : 0 <= a -> 0 <= b -> 0 <= t -> f a b <= f a (b + t).
Proof. intros. rewrite <- (Rplus_0_r a) at 2. apply leaf_monotone; lra. Qed.

(** In one of its two masses the risk of a leaf is concave, and 0 at 0: chords from 0 lie below it. *)
Lemma leaf_chord a b t : 0 <= a -> 0 <= b -> 0 < a + t -> 0 <= t ->
  a / (a + t) * f (a + t) b <= f a b.
Proof.
  intros Ha Hb Hat Ht. set (k := a / (a + t)).
  assert (K : 0 <= k <= 1) by (apply share_in; auto).
  rewrite <- leaf_homogeneous by lra.
  replace (k * (a + t)) with a by (unfold k; field; lra).
  replace (f a b) with (f (a + 0) (k * b + (1 - k) * b)) by (f_equal; ring).
  apply leaf_monotone; nra.
Qed.

(** More mass of one class adds most where that class was absent. *)
Theorem leaf_increment a b t : 0 <= a -> 0 <= b -> 0 <= t -> f (a + t) b - f a b <= f t b.
Proof.
  intros Ha Hb Ht. destruct (Req_dec (a + t) 0) as [E|N].
  - replace a with 0 by lra. replace t with 0 by lra. rewrite Rplus_0_r, leaf_pure_negative by lra. lra.
  - assert (A := leaf_chord a b t Ha Hb ltac:(lra) Ht).
    assert (B := leaf_chord t b a Ht Hb ltac:(lra) Ha). rewrite (Rplus_comm t a) in B.
    assert (E : a / (a + t) * f (a + t) b + t / (a + t) * f (a + t) b = f (a + t) b) by (field; lra).
    lra.
Qed.

(** Mass of at most 1, in a leaf that weighs at most [m] then. *)
Theorem increment_bound a b t m : 0 <= a -> 0 <= b -> 0 <= t <= 1 -> a + b <= m - 1 ->
  f (a + t) b - f a b <= sharp L m.
Proof.
  intros Ha Hb Ht Hm. apply Rle_trans with (f t b); [apply leaf_increment; lra|].
  replace (sharp L m) with (f 1 (m - 1)).
  - replace 1 with (t + (1 - t)) at 1 by ring. replace (m - 1) with (b + (m - 1 - b)) by ring.
    apply leaf_monotone; lra.
  - unfold leaf, sharp. replace (1 + (m - 1)) with m by ring. reflexivity.
Qed.

Corollary increment_bound_negative a b t m : 0 <= a -> 0 <= b -> 0 <= t <= 1 -> a + b <= m - 1 ->
  f a (b + t) - f a b <= sharp L m.
Proof.
  intros. rewrite (leaf_swap a (b + t)), (leaf_swap a b) by lra. apply increment_bound; lra.
Qed.

Lemma sharp_is_leaf m : sharp L m = f 1 (m - 1).
Proof. unfold leaf, sharp. replace (1 + (m - 1)) with m by ring. reflexivity. Qed.

Lemma sharp_nonneg m : 1 <= m -> 0 <= sharp L m.
Proof. intros. rewrite sharp_is_leaf. apply leaf_nonneg; lra. Qed.

Lemma sharp_monotone m n : 1 <= m <= n -> sharp L m <= sharp L n.
Proof.
  intros. rewrite !sharp_is_leaf. replace (n - 1) with (m - 1 + (n - m)) by ring. apply leaf_monotone_negative; lra.
Qed.

(** No Bayes risk with L(1/2) = 1 has a smaller sensitivity than the 0/1 risk, which has 2. *)
Theorem sharp_least m : L (1 / 2) = 1 -> 2 <= m -> 2 <= sharp L m.
Proof.
  intros half H. assert (C := br_concave L HL (1/2) 0 (2 / m) ltac:(lra) ltac:(lra)).
  assert (I : 0 < / m) by (apply Rinv_0_lt_compat; lra).
  assert (J : m * / m = 1) by (apply Rinv_r; lra).
  rewrite half, (br_zero L HL) in C.
  replace (2 / m * (1 / 2) + (1 - 2 / m) * 0) with (1 / m) in C by (field; lra).
  unfold sharp. unfold Rdiv in *. specialize (C ltac:(nra)). nra.
Qed.
End Risk.

(** ** The Bayes risks of the paper *)

Definition zero_one (u : R) : R := 2 * Rmin u (1 - u).
Definition square (u : R) : R := 4 * (u * (1 - u)).
Definition matsushita (u : R) : R := 2 * sqrt (u * (1 - u)).
Definition m_alpha (alpha u : R) : R := alpha * matsushita u + (1 - alpha) * zero_one u.

(** x ln x, which is 0 at 0. *)
Definition xlnx (x : R) : R := x * ln x.
Definition log_risk (u : R) : R := - (xlnx u + xlnx (1 - u)) / ln 2.

Lemma zero_one_risk : bayes_risk zero_one.
Proof. unfold zero_one. split; intros; unfold Rmin; repeat destruct Rle_dec; try lra; nra. Qed.

Lemma square_risk : bayes_risk square.
Proof.
  unfold square. split; intros; try lra.
  assert (0 <= t * (1 - t) * ((x - y) * (x - y))) by (apply Rmult_le_pos; [nra | apply Rle_0_sqr]). nra.
Qed.

Lemma sqrt_concave p q t : 0 <= p -> 0 <= q -> 0 <= t <= 1 -> t * sqrt p + (1 - t) * sqrt q <= sqrt (t * p + (1 - t) * q).
Proof.
  intros P Q T. assert (A := sqrt_pos p). assert (B := sqrt_pos q).
  rewrite <- (sqrt_square (t * sqrt p + (1 - t) * sqrt q)) by nra. apply sqrt_le_1_alt.
  assert (sqrt p * sqrt p = p) by now apply sqrt_sqrt. assert (sqrt q * sqrt q = q) by now apply sqrt_sqrt.
  assert (0 <= t * (1 - t) * ((sqrt p - sqrt q) * (sqrt p - sqrt q))) by (apply Rmult_le_pos; [nra | apply Rle_0_sqr]).
  nra.
Qed.

Lemma matsushita_risk : bayes_risk matsushita.
Proof.
  unfold matsushita. split; intros.
  - assert (S := sqrt_concave (x * (1 - x)) (y * (1 - y)) t ltac:(nra) ltac:(nra) ltac:(lra)).
    assert (M := br_concave square square_risk x y t ltac:(lra) ltac:(lra) ltac:(lra)). unfold square in M.
    assert (sqrt (t * (x * (1 - x)) + (1 - t) * (y * (1 - y))) <=
            sqrt ((t * x + (1 - t) * y) * (1 - (t * x + (1 - t) * y)))) by (apply sqrt_le_1_alt; lra).
    lra.
  - rewrite Rmult_0_l, sqrt_0. ring.
  - do 2 f_equal. ring.
Qed.

Lemma m_alpha_risk alpha : 0 <= alpha <= 1 -> bayes_risk (m_alpha alpha).
Proof.
  intros A. unfold m_alpha. split; intros.
  - assert (M := br_concave _ matsushita_risk x y t ltac:(lra) ltac:(lra) ltac:(lra)).
    assert (Z := br_concave _ zero_one_risk x y t ltac:(lra) ltac:(lra) ltac:(lra)). nra.
  - rewrite (br_zero _ matsushita_risk), (br_zero _ zero_one_risk). ring.
  - rewrite (br_sym _ matsushita_risk), (br_sym _ zero_one_risk) by auto. reflexivity.
Qed.

(** ln x <= x - 1, in the form x - z <= x ln(x / z). *)
Lemma xlnx_tangent x z : 0 <= x -> 0 < z -> x - z <= xlnx x - x * ln z.
Proof.
  intros [X | <-] Z; [|unfold xlnx; lra]. unfold xlnx. rewrite <- Rmult_minus_distr_l.
  assert (H := exp_ineq1_le (ln (z / x))). unfold Rdiv in H.
  assert (I : 0 < / x) by now apply Rinv_0_lt_compat.
  rewrite exp_ln in H by nra. rewrite ln_mult, ln_Rinv in H by auto.
  assert (J : x * / x = 1) by (apply Rinv_r; lra).
  assert (x * (1 + (ln z + - ln x)) <= x * (z * / x)) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Lemma xlnx_convex x y t : 0 <= x -> 0 <= y -> 0 <= t <= 1 -> xlnx (t * x + (1 - t) * y) <= t * xlnx x + (1 - t) * xlnx y.
Proof.
  intros X Y T. set (z := t * x + (1 - t) * y). destruct (Req_dec z 0) as [E|N].
  - assert (t * x = 0 /\ (1 - t) * y = 0) as [A B] by (unfold z in E; split; nra).
    rewrite E. unfold xlnx. rewrite Rmult_0_l, <- !Rmult_assoc, A, B. lra.
  - assert (P : 0 < z) by (unfold z in *; nra).
    assert (A := xlnx_tangent x z X P). assert (B := xlnx_tangent y z Y P).
    assert (xlnx z = (t * x + (1 - t) * y) * ln z) by reflexivity.
    assert (t * (x - z) + (1 - t) * (y - z) = 0) by (unfold z; ring).
    assert (t * (x - z) <= t * (xlnx x - x * ln z)) by (apply Rmult_le_compat_l; lra).
    assert ((1 - t) * (y - z) <= (1 - t) * (xlnx y - y * ln z)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma ln_2_pos : 0 < ln 2.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma log_risk_risk : bayes_risk log_risk.
Proof.
  assert (L := ln_2_pos). assert (I : 0 < / ln 2) by now apply Rinv_0_lt_compat. unfold log_risk, Rdiv. split; intros.
  - assert (A := xlnx_convex x y t ltac:(lra) ltac:(lra) ltac:(lra)).
    assert (B := xlnx_convex (1 - x) (1 - y) t ltac:(lra) ltac:(lra) ltac:(lra)).
    replace (t * (1 - x) + (1 - t) * (1 - y)) with (1 - (t * x + (1 - t) * y)) in B by ring. nra.
  - unfold xlnx. rewrite Rminus_0_r, ln_1. ring.
  - replace (1 - (1 - x)) with x by ring. rewrite (Rplus_comm (xlnx (1 - x))). reflexivity.
Qed.

(** Each is 1 at 1/2. *)
Lemma risks_half : zero_one (1/2) = 1 /\ square (1/2) = 1 /\ matsushita (1/2) = 1 /\ log_risk (1/2) = 1.
Proof.
  assert (L := ln_2_pos). repeat split.
  - unfold zero_one. rewrite Rmin_left; lra.
  - unfold square. lra.
  - unfold matsushita. replace (1/2 * (1 - 1/2)) with ((1/2) * (1/2)) by lra. rewrite sqrt_square; lra.
  - unfold log_risk, xlnx. replace (1 - 1/2) with (/ 2) by lra. replace (1/2) with (/ 2) by lra.
    rewrite ln_Rinv by lra. field. lra.
Qed.

(** ** Their sharp values m L(1/m) *)

Lemma sharp_zero_one m : 2 <= m -> sharp zero_one m = 2.
Proof.
  intros. assert (I : 0 < / m) by (apply Rinv_0_lt_compat; lra). assert (J : m * / m = 1) by (apply Rinv_r; lra).
  unfold sharp, zero_one, Rdiv. rewrite Rmin_left by nra. nra.
Qed.

Lemma sharp_square m : 1 <= m -> sharp square m = 4 * (m - 1) / m.
Proof. intros. unfold sharp, square. field. lra. Qed.

Lemma sharp_matsushita m : 1 <= m -> sharp matsushita m = 2 * sqrt (m - 1).
Proof.
  intros. unfold sharp, matsushita. replace (1 / m * (1 - 1 / m)) with ((m - 1) * (/ m * / m)) by (field; lra).
  assert (0 < / m) by (apply Rinv_0_lt_compat; lra).
  rewrite sqrt_mult by nra. rewrite sqrt_square by lra. field. lra.
Qed.

(** What `fast/growth/splits.py` computes, in units of the weight bound. *)
Lemma sharp_m_alpha alpha m : 2 <= m -> sharp (m_alpha alpha) m = 2 * (alpha * sqrt (m - 1) + (1 - alpha)).
Proof.
  intros H. assert (A := sharp_matsushita m ltac:(lra)). assert (B := sharp_zero_one m H).
  unfold sharp, m_alpha in *. rewrite Rmult_plus_distr_l.
  replace (m * (alpha * matsushita (1 / m))) with (alpha * (m * matsushita (1 / m))) by ring.
  replace (m * ((1 - alpha) * zero_one (1 / m))) with ((1 - alpha) * (m * zero_one (1 / m))) by ring.
  rewrite A, B. ring.
Qed.

(** What `leaf_risk` of `fast/loss.py` computes. *)
Lemma leaf_m_alpha alpha a b : 0 <= a -> 0 <= b ->
  leaf (m_alpha alpha) a b = 2 * alpha * sqrt (a * b) + 2 * (1 - alpha) * Rmin a b.
Proof.
  intros A B. unfold leaf, m_alpha. destruct (Req_dec (a + b) 0) as [E|N].
  - assert (a = 0) by lra. assert (b = 0) by lra. subst. rewrite Rmult_0_r, sqrt_0, Rmin_left by lra. ring.
  - set (s := a + b) in *. assert (S : 0 < s) by (unfold s in *; lra).
    assert (I : 0 < / s) by now apply Rinv_0_lt_compat.
    unfold matsushita, zero_one. replace (1 - a / s) with (b / s) by (unfold s; field; unfold s in *; lra).
    replace (a / s * (b / s)) with (a * b * (/ s * / s)) by (field; lra).
    rewrite sqrt_mult by nra. rewrite sqrt_square by lra.
    replace (Rmin (a / s) (b / s)) with (Rmin a b / s); [field; lra|].
    unfold Rmin, Rdiv. repeat destruct Rle_dec; nra.
Qed.
