(** * The printed formulas of the M-alpha loss, as the ledger states them

    The paper gives the inverse link, the conjugate and the surrogate with |z| and sign(z); MAlpha.v has them for all z at
    once.  Off the plateau the two are equal, so that theorems of MAlpha.v are those of the ledger. *)
From Coq Require Import Reals Lra Psatz.
From Privboost Require Import MAlpha.
Local Open Scope R_scope.

Definition printed_root (a z : R) : R := sqrt (a ^ 2 + (Rabs z / 2 + -1 * (1 + -1 * a)) ^ 2).
Definition printed_risk (a u : R) : R := 2 * (a * sqrt (u * (1 + -1 * u)) + (1 + -1 * a) * Rmin u (1 + -1 * u)).

Lemma risk_as_printed a u : printed_risk a u = risk a u.
Proof. unfold printed_risk, risk. replace (1 + -1 * u) with (1 - u) by ring. ring. Qed.

Section Off.
Variables a z : R.
Hypothesis a_in : 0 < a <= 1.
Hypothesis off : z < -1 * (2 * (1 + -1 * a)) \/ 2 * (1 + -1 * a) < z.

Lemma soft_off : soft a z = if Rlt_dec z 0 then z / 2 + (1 - a) else z / 2 - (1 - a).
Proof.
  unfold soft. destruct (Rlt_dec z 0); destruct off; try lra.
  - rewrite Rmax_right, Rmin_left by lra. ring.
  - rewrite Rmax_left, Rmin_right by lra. ring.
Qed.

Lemma root_as_printed : printed_root a z = root a (soft a z).
Proof.
  unfold printed_root, root. rewrite soft_off. f_equal. destruct (Rlt_dec z 0).
  - rewrite Rabs_left by lra. field.
  - rewrite Rabs_pos_eq by lra. field.
Qed.

Lemma inverse_link_as_printed sign : sign = (if Rlt_dec z 0 then -1 else 1) ->
  (1 + (z / 2 + -1 * (sign * (1 + -1 * a))) / printed_root a z) / 2 = inverse_link a z.
Proof.
  intros ->. rewrite root_as_printed, inverse_link_form by exact a_in. unfold slope. f_equal. f_equal. f_equal.
  rewrite soft_off. destruct (Rlt_dec z 0); ring.
Qed.

Lemma conjugate_as_printed : 1 + z / 2 + (printed_root a z + -1 * a) = conjugate a z.
Proof. unfold conjugate, surrogate. rewrite root_as_printed, soft_opp, root_opp by exact a_in. field. Qed.

Lemma surrogate_as_printed : 1 + -1 * (z / 2) + (printed_root a z + -1 * a) = surrogate a z.
Proof. unfold surrogate. rewrite root_as_printed. ring. Qed.

(** The two sides of the plateau have the two sides of 1/2. *)
Lemma inverse_link_side : 0 < inverse_link a z < 1 /\ (z < 0 -> inverse_link a z < 1 / 2) /\ (0 < z -> 1 / 2 < inverse_link a z).
Proof.
  split; [apply weight_in; exact a_in|]. rewrite inverse_link_form by exact a_in. unfold slope.
  assert (P := root_pos a a_in (soft a z)). rewrite soft_off.
  assert (I : 0 < / root a (if Rlt_dec z 0 then z / 2 + (1 - a) else z / 2 - (1 - a)))
    by (rewrite <- soft_off; now apply Rinv_0_lt_compat).
  split; intros Z; destruct (Rlt_dec z 0); try lra; destruct off; try lra; unfold Rdiv; nra.
Qed.

Theorem link_as_printed u : u = inverse_link a z ->
  a * ((2 * u + -1 * 1) / sqrt (u * (1 + -1 * u))) + (if Rlt_dec z 0 then -1 else 1) * (2 * (1 + -1 * a)) = z.
Proof.
  intros ->. destruct inverse_link_side as [_ [L R]].
  assert (B : 2 * (1 - a) < Rabs z) by (unfold Rabs; destruct (Rcase_abs z), off; lra).
  assert (K := link_of_inverse_link a a_in z B). unfold link in K.
  replace (1 + -1 * inverse_link a z) with (1 - inverse_link a z) by ring.
  destruct (Rlt_dec z 0) as [Z | Z]; destruct (Rlt_dec (inverse_link a z) (1 / 2)) as [H | H].
  - etransitivity; [|exact K]. unfold Rdiv. ring.
  - specialize (L Z). lra.
  - assert (0 < z) by (destruct off; lra). specialize (R ltac:(lra)). lra.
  - etransitivity; [|exact K]. unfold Rdiv. ring.
Qed.
End Off.

(** Every slope between -2 (1 - a) and 2 (1 - a) is one at 1/2. *)
Theorem slopes_at_half a s v : 0 <= a <= 1 -> - (2 * (1 - a)) <= s <= 2 * (1 - a) -> 0 <= v <= 1 ->
  risk a v <= risk a (1 / 2) - s * (v - 1 / 2).
Proof.
  intros A S V. unfold risk. replace (1 / 2 * (1 - 1 / 2)) with ((1 / 2) ^ 2) by field. rewrite sqrt_pow2 by lra.
  replace (1 - 1 / 2) with (1 / 2) by field. rewrite (Rmin_left (1 / 2) (1 / 2)) by lra.
  assert (Q : sqrt (v * (1 - v)) <= 1 / 2).
  { rewrite <- (sqrt_pow2 (1 / 2)) by lra. apply sqrt_le_1_alt. assert (H := pow2_ge_0 (v - 1 / 2)). nra. }
  assert (a * sqrt (v * (1 - v)) <= a * (1 / 2)) by (apply Rmult_le_compat_l; lra).
  unfold Rmin. destruct (Rle_dec v (1 - v)); nra.
Qed.
