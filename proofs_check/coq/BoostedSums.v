(** * Boosting linear combinations, with weights of the accumulated margins

    Weak hypotheses are added one by one, each with the coefficient [a] times the mean of weight times margin.
    Weights are the inverse link at minus the margin so far.

    | here                     | paper and ledger                                            |
    |--------------------------|-------------------------------------------------------------|
    | [aligned t x]            | y h_t(x), in [-M, M]                                        |
    | [margin t x]             | y H_t(x)                                                    |
    | [mean_weight], [edge]    | the mean of the weights, and of weight times y h            |
    | [weak_learning]          | wlaKMLC: the edge of the normalised weights is at least gamma M |
    | [mistakes t]             | the share of examples whose margin is at most 0             |
    | [boosting_accumulated]   | thBoostLC1.accumulated                                      |
    | [boosting_rounds]        | thBoostLC1.rounds                                           | *)

From Coq Require Import Reals Lra Psatz List Lia.
From Privboost Require Import Sums MAlpha.
Import ListNotations.
Local Open Scope R_scope.

Section Boosting.
Variable example : Type.
Variable examples : list example.
Hypothesis some_example : examples <> [].
Variables alpha M gamma a : R.
Hypothesis alpha_in : 0 < alpha <= 1.
Hypothesis M_pos : 0 < M.
Hypothesis gamma_pos : 0 < gamma.
Variable aligned : nat -> example -> R.
Hypothesis aligned_in : forall t x, - M <= aligned t x <= M.

Definition average (f : example -> R) : R := lsum f examples / INR (length examples).

Fixpoint margin (t : nat) : example -> R :=
  match t with
  | O => fun _ => 0
  | S t' => fun x => margin t' x + a * average (fun x => weight alpha (margin t' x) * aligned t' x) * aligned t' x
  end.

Definition mean_weight (t : nat) : R := average (fun x => weight alpha (margin t x)).
Definition edge (t : nat) : R := average (fun x => weight alpha (margin t x) * aligned t x).
Definition mean_surrogate (t : nat) : R := average (fun x => surrogate alpha (margin t x)).
Definition mistakes (t : nat) : R := average (fun x => if Rle_dec (margin t x) 0 then 1 else 0).

(** The edge of the weights divided by their sum is [edge t / mean_weight t]. *)
Definition weak_learning (T : nat) : Prop := forall t, (t < T)%nat -> gamma * M <= Rabs (edge t / mean_weight t).
Definition squared_weights (T : nat) : R := lsum (fun t => mean_weight t ^ 2) (seq 0 T).

(** ** Averages *)
Lemma count_pos : 0 < INR (length examples).
Proof. apply lt_0_INR. destruct examples; [congruence | simpl; lia]. Qed.

Lemma average_le f g : (forall x, f x <= g x) -> average f <= average g.
Proof.
  intros H. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, count_pos|]. now apply lsum_le.
Qed.

Lemma average_linear f g c : average (fun x => f x + c * g x) = average f + c * average g.
Proof. unfold average. rewrite lsum_plus, lsum_scal. unfold Rdiv. ring. Qed.

Lemma average_const c : average (fun _ => c) = c.
Proof.
  assert (P := count_pos). unfold average.
  assert (E : forall l : list example, lsum (fun _ => c) l = c * INR (length l)).
  { induction l as [|x l IH]; [simpl; ring|]. cbn [lsum length]. rewrite IH, S_INR. ring. }
  rewrite E. field. lra.
Qed.

Lemma mean_weight_pos t : 0 < mean_weight t.
Proof.
  apply Rdiv_lt_0_compat; [|apply count_pos]. apply lsum_pos; auto. intros x _. now apply weight_in.
Qed.

(** ** One round *)
Lemma one_round t : mean_surrogate (S t) <= mean_surrogate t - a * (1 - a * M ^ 2 / (8 * alpha)) * edge t ^ 2.
Proof.
  set (beta := a * edge t).
  apply Rle_trans with (average (fun x => (surrogate alpha (margin t x) + beta ^ 2 * M ^ 2 / (8 * alpha))
                                          + - beta * (weight alpha (margin t x) * aligned t x))).
  - apply average_le. intros x. cbn [margin]. fold (edge t). fold beta.
    assert (D := surrogate_descent alpha alpha_in (margin t x) (beta * aligned t x)).
    assert (Q : (beta * aligned t x) ^ 2 / (8 * alpha) <= beta ^ 2 * M ^ 2 / (8 * alpha)).
    { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|]. rewrite Rpow_mult_distr.
      apply Rmult_le_compat_l; [apply pow2_ge_0|]. specialize (aligned_in t x). nra. }
    lra.
  - rewrite average_linear. fold (edge t).
    replace (average (fun x => surrogate alpha (margin t x) + beta ^ 2 * M ^ 2 / (8 * alpha)))
      with (mean_surrogate t + beta ^ 2 * M ^ 2 / (8 * alpha)).
    + unfold beta. right. field. lra.
    + unfold mean_surrogate. rewrite <- (average_const (beta ^ 2 * M ^ 2 / (8 * alpha))) at 1.
      rewrite <- (Rmult_1_l (average (fun _ => beta ^ 2 * M ^ 2 / (8 * alpha)))), <- average_linear.
      unfold average. f_equal. apply lsum_ext. intros; ring.
Qed.

(** ** All rounds *)
Lemma mean_surrogate_falls T : 0 <= a * (1 - a * M ^ 2 / (8 * alpha)) -> weak_learning T ->
  mean_surrogate T <= 1 - a * (1 - a * M ^ 2 / (8 * alpha)) * (gamma ^ 2 * M ^ 2) * squared_weights T.
Proof.
  set (fall := a * (1 - a * M ^ 2 / (8 * alpha))). intros F. induction T as [|T IH]; intros W.
  - unfold mean_surrogate, squared_weights. cbn. rewrite average_const, surrogate_at_zero by auto. lra.
  - assert (R := one_round T). fold fall in R. specialize (IH ltac:(intros t L; apply W; lia)).
    assert (E : gamma ^ 2 * M ^ 2 * mean_weight T ^ 2 <= edge T ^ 2).
    { specialize (W T ltac:(lia)). assert (P := mean_weight_pos T). set (w := mean_weight T) in *.
      assert (A : gamma * M * w <= Rabs (edge T)).
      { unfold Rdiv in W. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq w) in W by lra.
        apply Rmult_le_compat_r with (r := w) in W; [|lra].
        replace (Rabs (edge T) * / w * w) with (Rabs (edge T)) in W by (field; lra). lra. }
      rewrite <- (pow2_abs (edge T)). assert (0 <= gamma * M * w) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
      replace (gamma ^ 2 * M ^ 2 * w ^ 2) with ((gamma * M * w) ^ 2) by ring. apply pow_incr. lra. }
    unfold squared_weights. rewrite seq_S, lsum_app. cbn [lsum]. fold (squared_weights T). cbn [Nat.add].
    assert (fall * (gamma ^ 2 * M ^ 2 * mean_weight T ^ 2) <= fall * edge T ^ 2) by (apply Rmult_le_compat_l; auto).
    lra.
Qed.

(** The share of mistakes is at most the mean surrogate, and half of it at most the mean weight. *)
Lemma mistakes_le_surrogate t : mistakes t <= mean_surrogate t.
Proof.
  apply average_le. intros x. destruct Rle_dec as [L|L].
  - now apply surrogate_mistake.
  - now apply Rlt_le, surrogate_pos.
Qed.

Lemma mistakes_le_weight t : mistakes t / 2 <= mean_weight t.
Proof.
  assert (H : average (fun x => 0 + 1 / 2 * (if Rle_dec (margin t x) 0 then 1 else 0)) <= mean_weight t).
  { apply average_le. intros x. assert (W := weight_in alpha alpha_in (margin t x)). destruct Rle_dec as [L|L]; [|lra].
    assert (K := weight_mistake alpha alpha_in _ L). lra. }
  rewrite average_linear, average_const in H. fold (mistakes t) in H. lra.
Qed.

Lemma mistakes_le_one t : mistakes t <= 1.
Proof. rewrite <- (average_const 1). apply average_le. intros x. destruct Rle_dec; lra. Qed.

(** ** thBoostLC1.accumulated: enough squared mean weights make few mistakes *)
Theorem boosting_accumulated pi xi T : 0 <= pi < 1 ->
  alpha / M ^ 2 * (1 - pi) <= a <= alpha / M ^ 2 * (1 + pi) -> weak_learning T ->
  2 * (1 - xi) / ((1 - pi ^ 2) * gamma ^ 2 * alpha) <= squared_weights T -> mistakes T <= xi.
Proof.
  intros P A W S.
  assert (M2 : 0 < M ^ 2) by (apply pow_lt; auto). assert (G2 : 0 < gamma ^ 2) by (apply pow_lt; auto).
  assert (P2 : 0 < 1 - pi ^ 2) by nra.
  set (b := a * M ^ 2).
  assert (Ea : a = b / M ^ 2) by (unfold b; field; lra).
  assert (B : alpha * (1 - pi) <= b <= alpha * (1 + pi)).
  { unfold b. split.
    - apply Rmult_le_reg_r with (/ M ^ 2); [now apply Rinv_0_lt_compat|].
      replace (a * M ^ 2 * / M ^ 2) with a by (field; lra). unfold Rdiv in A. lra.
    - apply Rmult_le_reg_r with (/ M ^ 2); [now apply Rinv_0_lt_compat|].
      replace (a * M ^ 2 * / M ^ 2) with a by (field; lra). unfold Rdiv in A. lra. }
  assert (K : (1 - pi ^ 2) * alpha / 2 <= b * (1 - b / (8 * alpha))).
  { apply Rmult_le_reg_r with (8 * alpha); [lra|].
    replace (b * (1 - b / (8 * alpha)) * (8 * alpha)) with (b * (8 * alpha - b)) by (field; lra).
    assert (0 <= (b - alpha * (1 - pi)) * (alpha * (1 + pi) - b)) by (apply Rmult_le_pos; lra). nra. }
  set (fall := a * (1 - a * M ^ 2 / (8 * alpha))).
  assert (F : fall * M ^ 2 = b * (1 - b / (8 * alpha))) by (unfold fall, b; field; lra).
  assert (F0 : 0 <= fall).
  { apply Rmult_le_reg_r with (M ^ 2); auto. rewrite F, Rmult_0_l. apply Rle_trans with (2 := K).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
  assert (H := mean_surrogate_falls T F0 W). fold fall in H.
  assert (E := mistakes_le_surrogate T).
  assert (Q : (1 - xi) <= (1 - pi ^ 2) * alpha / 2 * (gamma ^ 2 * squared_weights T)).
  { apply Rmult_le_compat_l with (r := (1 - pi ^ 2) * alpha / 2 * gamma ^ 2) in S.
    - replace ((1 - pi ^ 2) * alpha / 2 * gamma ^ 2 * (2 * (1 - xi) / ((1 - pi ^ 2) * gamma ^ 2 * alpha))) with (1 - xi) in S by (field; lra). lra.
    - apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
  assert (N : 0 <= squared_weights T) by (apply lsum_nonneg; intros; apply pow2_ge_0).
  assert ((1 - pi ^ 2) * alpha / 2 * (gamma ^ 2 * squared_weights T) <= fall * M ^ 2 * (gamma ^ 2 * squared_weights T)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | rewrite F; lra]. }
  replace (fall * (gamma ^ 2 * M ^ 2) * squared_weights T) with (fall * M ^ 2 * (gamma ^ 2 * squared_weights T)) in H by ring.
  lra.
Qed.

(** ** thBoostLC1.rounds: with the best step, a number of rounds suffices for one of the combinations *)
Theorem boosting_rounds xi T : a = 4 * alpha / M ^ 2 -> 0 < xi -> weak_learning T ->
  2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2) <= INR T -> exists t, (t <= T)%nat /\ mistakes t <= xi.
Proof.
  intros A X W N. apply Classical_Prop.NNPP. intros None.
  assert (All : forall t, (t <= T)%nat -> xi < mistakes t).
  { intros t L. apply Rnot_le_lt. intros H. apply None. now exists t. }
  assert (M2 : 0 < M ^ 2) by (apply pow_lt; auto). assert (G2 : 0 < gamma ^ 2) by (apply pow_lt; auto).
  assert (X2 : 0 < xi ^ 2) by (apply pow_lt; auto).
  assert (F : a * (1 - a * M ^ 2 / (8 * alpha)) = 2 * alpha / M ^ 2) by (rewrite A; field; lra).
  assert (F0 : 0 <= a * (1 - a * M ^ 2 / (8 * alpha))) by (rewrite F; apply Rlt_le, Rdiv_lt_0_compat; lra).
  assert (H := mean_surrogate_falls T F0 W). rewrite F in H.
  assert (E := mistakes_le_surrogate T). specialize (All T (le_n T)) as AT.
  assert (S : INR T * (xi ^ 2 / 4) <= squared_weights T).
  { assert (L : forall n, (n <= T)%nat -> INR n * (xi ^ 2 / 4) <= squared_weights n).
    { induction n as [|n IH]; intros L; [unfold squared_weights; cbn; lra|].
      specialize (IH ltac:(lia)). unfold squared_weights in *. rewrite seq_S, lsum_app, S_INR. cbn [lsum Nat.add].
      assert (B := mistakes_le_weight n). specialize (All n ltac:(lia)). nra. }
    now apply L. }
  replace (2 * alpha / M ^ 2 * (gamma ^ 2 * M ^ 2) * squared_weights T) with (2 * alpha * gamma ^ 2 * squared_weights T) in H by (field; lra).
  assert (Q : 2 * alpha * gamma ^ 2 * (INR T * (xi ^ 2 / 4)) <= 2 * alpha * gamma ^ 2 * squared_weights T).
  { apply Rmult_le_compat_l; auto. apply Rmult_le_pos; lra. }
  apply Rmult_le_compat_l with (r := alpha * gamma ^ 2 * xi ^ 2 / 2) in N.
  - replace (alpha * gamma ^ 2 * xi ^ 2 / 2 * (2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2))) with (1 - xi) in N by (field; lra). lra.
  - apply Rlt_le. apply Rmult_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; lra.
Qed.
End Boosting.
