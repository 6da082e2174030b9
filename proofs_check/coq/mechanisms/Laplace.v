(** * The discrete Laplace mechanism

    Noise on the integers: k has probability proportional to exp(-|k| / scale).  Masses, nets and noise of the learner
    are whole numbers of grid steps, and so is the scale's unit. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia.
From Privboost Require Import Law Product.
Import ListNotations.
Local Open Scope R_scope.

Definition ratio (s : R) : R := exp (- / s).
Definition dlap (s : R) (a k : Z) : R := (1 - ratio s) / (1 + ratio s) * exp (- IZR (Z.abs (k - a)) / s).

Lemma ratio_in s : 0 < s -> 0 < ratio s < 1.
Proof.
  intros H. unfold ratio. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  apply Rinv_0_lt_compat in H. lra.
Qed.

Lemma norm_pos s : 0 < s -> 0 < (1 - ratio s) / (1 + ratio s).
Proof. intros H. apply ratio_in in H. apply Rdiv_lt_0_compat; lra. Qed.

Lemma dlap_pos s a k : 0 < s -> 0 < dlap s a k.
Proof. intros H. apply Rmult_lt_0_compat; [now apply norm_pos | apply exp_pos]. Qed.

Lemma dlap_ratio s a b k : 0 < s -> dlap s a k <= exp (IZR (Z.abs (a - b)) / s) * dlap s b k.
Proof.
  intros H. unfold dlap. rewrite <- Rmult_assoc, (Rmult_comm (exp _)), Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_l; [apply Rlt_le, norm_pos; auto|]. apply exp_le.
  assert (M : - IZR (Z.abs (k - a)) <= IZR (Z.abs (a - b)) + - IZR (Z.abs (k - b))).
  { rewrite <- !opp_IZR, <- plus_IZR. apply IZR_le. lia. }
  assert (I : 0 < / s) by now apply Rinv_0_lt_compat.
  assert (N : - IZR (Z.abs (k - a)) / s <= IZR (Z.abs (a - b)) / s + - IZR (Z.abs (k - b)) / s).
  { unfold Rdiv. rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; lra. }
  exact N.
Qed.

(** Normalisation: the windows a - n .. a + n. *)
Fixpoint window (a : Z) (n : nat) : list Z :=
  match n with O => [a] | S n' => (a - Z.of_nat n)%Z :: (a + Z.of_nat n)%Z :: window a n' end.

Lemma window_in a n k : In k (window a n) <-> (Z.abs (k - a) <= Z.of_nat n)%Z.
Proof.
  induction n as [|n IH].
  - simpl. lia.
  - cbn [window In]. rewrite IH. lia.
Qed.

Lemma window_nodup a n : NoDup (window a n).
Proof.
  induction n as [|n IH]; [repeat constructor; simpl; auto|].
  cbn [window]. constructor; [|constructor; auto].
  - cbn [In]. rewrite window_in. lia.
  - rewrite window_in. lia.
Qed.

Lemma exp_ratio s n : 0 < s -> exp (- IZR (Z.of_nat n) / s) = ratio s ^ n.
Proof.
  intros H. induction n as [|n IH].
  - simpl. unfold Rdiv. replace (- 0 * / s) with 0 by ring. apply exp_0.
  - simpl pow. rewrite <- IH. unfold ratio. rewrite <- exp_plus. f_equal. rewrite Nat2Z.inj_succ, succ_IZR. field. lra.
Qed.

Lemma window_sum s a n : 0 < s -> lsum (dlap s a) (window a n) = 1 - 2 * ratio s ^ S n / (1 + ratio s).
Proof.
  intros H. assert (Q := ratio_in s H). induction n as [|n IH].
  - simpl. unfold dlap. replace (a - a)%Z with 0%Z by lia. simpl. unfold Rdiv at 2. replace (- 0 * / s) with 0 by ring.
    rewrite exp_0. field. lra.
  - cbn [window lsum]. rewrite IH. unfold dlap.
    replace (Z.abs (a - Z.of_nat (S n) - a)) with (Z.of_nat (S n)) by lia.
    replace (Z.abs (a + Z.of_nat (S n) - a)) with (Z.of_nat (S n)) by lia.
    rewrite exp_ratio by auto. simpl pow. field. lra.
Qed.

Lemma in_window a l : exists n, incl l (window a n).
Proof.
  induction l as [|k l [n IH]]; [exists O; intros x []|].
  exists (Nat.max n (Z.abs_nat (k - a))). intros x [<-|X].
  - apply window_in. lia.
  - apply IH in X. apply window_in in X. apply window_in. lia.
Qed.

Theorem dlap_law s a : 0 < s -> law (dlap s a).
Proof.
  intros H. assert (Q := ratio_in s H). apply law_intro.
  - intros x. now apply Rlt_le, dlap_pos.
  - intros l N. destruct (in_window a l) as [n I].
    apply Rle_trans with (lsum (dlap s a) (window a n)).
    + apply lsum_incl; auto. intros; now apply Rlt_le, dlap_pos.
    + rewrite window_sum by auto.
      assert (0 < ratio s ^ S n) by (apply pow_lt; lra).
      assert (0 < 2 * ratio s ^ S n / (1 + ratio s)) by (apply Rdiv_lt_0_compat; lra). lra.
  - intros eta E. destruct (pow_lt_1_zero (ratio s)) with (y := eta / 2) as [n P]; [rewrite Rabs_right; lra | lra |].
    exists (window a n). split; [apply window_nodup|]. rewrite window_sum by auto.
    specialize (P (S n) ltac:(lia)). assert (0 < ratio s ^ S n) by (apply pow_lt; lra).
    rewrite Rabs_right in P by lra.
    assert (2 * ratio s ^ S n / (1 + ratio s) < eta); [|lra].
    apply Rmult_lt_reg_r with (1 + ratio s); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** ** Vectors: independent noise on every entry *)

Definition noisy (s : R) (a : list Z) : list Z -> R := product (map (dlap s) a).

Theorem noisy_law s a : 0 < s -> law (noisy s a).
Proof. intros H. apply product_law. intros p P. apply in_map_iff in P. destruct P as (x & <- & _). now apply dlap_law. Qed.

(** The distance in L1 of two vectors over the same indices. *)
Definition distance {I} (a b : I -> Z) (l : list I) : Z := fold_right (fun i d => Z.abs (a i - b i) + d)%Z 0%Z l.

(** Noise of scale [s] on vectors at a distance of [d] in L1: a privacy loss of at most d / s. *)
Theorem noisy_close {I} s (a b : I -> Z) (l : list I) : 0 < s ->
  close (IZR (distance a b l) / s) (noisy s (map a l)) (noisy s (map b l)).
Proof.
  intros H. unfold noisy. rewrite !map_map.
  replace (IZR (distance a b l) / s) with (lsum (fun i => IZR (Z.abs (a i - b i)) / s) l).
  - apply product_close; intros; try (now apply Rlt_le, dlap_pos). intros x. now apply dlap_ratio.
  - induction l as [|i l IH]; [simpl; field; lra|]. cbn [lsum]. rewrite IH.
    change (distance a b (i :: l)) with (Z.abs (a i - b i) + distance a b l)%Z. rewrite plus_IZR. field. lra.
Qed.

Corollary noisy_close_pairs s (l : list (Z * Z)) : 0 < s ->
  close (IZR (distance fst snd l) / s) (noisy s (map fst l)) (noisy s (map snd l)).
Proof. apply noisy_close. Qed.
