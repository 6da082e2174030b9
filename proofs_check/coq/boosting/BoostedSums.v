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

(** ** The arithmetic of the two theorems, as the ledger states it

    [f] is the mean surrogate after all rounds, [E] the sum of the squared edges, [err] the share of mistakes. *)
Lemma enough_squared_weights alpha M gamma a pi xi S E f err :
  0 < alpha -> 0 < M -> 0 < gamma -> 0 <= pi < 1 -> alpha / M ^ 2 * (1 - pi) <= a <= alpha / M ^ 2 * (1 + pi) ->
  0 <= S -> gamma ^ 2 * M ^ 2 * S <= E -> f <= 1 - a * (1 - a * M ^ 2 / (8 * alpha)) * E -> err <= f ->
  2 * (1 - xi) / ((1 - pi ^ 2) * gamma ^ 2 * alpha) <= S -> err <= xi.
Proof.
  intros alpha_in M_pos gamma_pos P A N Edges Falls Few Enough.
  assert (M2 : 0 < M ^ 2) by (apply pow_lt; auto). assert (G2 : 0 < gamma ^ 2) by (apply pow_lt; auto).
  assert (P2 : 0 < 1 - pi ^ 2) by nra.
  set (b := a * M ^ 2).
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
  set (fall := a * (1 - a * M ^ 2 / (8 * alpha))) in *.
  assert (F : fall * M ^ 2 = b * (1 - b / (8 * alpha))) by (unfold fall, b; field; lra).
  assert (F0 : 0 <= fall).
  { apply Rmult_le_reg_r with (M ^ 2); auto. rewrite F, Rmult_0_l. apply Rle_trans with (2 := K).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
  assert (Q : (1 - xi) <= (1 - pi ^ 2) * alpha / 2 * (gamma ^ 2 * S)).
  { apply Rmult_le_compat_l with (r := (1 - pi ^ 2) * alpha / 2 * gamma ^ 2) in Enough.
    - replace ((1 - pi ^ 2) * alpha / 2 * gamma ^ 2 * (2 * (1 - xi) / ((1 - pi ^ 2) * gamma ^ 2 * alpha))) with (1 - xi) in Enough
        by (field; lra). lra.
    - apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]. }
  assert ((1 - pi ^ 2) * alpha / 2 * (gamma ^ 2 * S) <= fall * M ^ 2 * (gamma ^ 2 * S)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | rewrite F; lra]. }
  apply Rmult_le_compat_l with (r := fall) in Edges; auto.
  replace (fall * (gamma ^ 2 * M ^ 2 * S)) with (fall * M ^ 2 * (gamma ^ 2 * S)) in Edges by ring.
  lra.
Qed.

Lemma enough_rounds alpha M gamma a xi T E f err :
  0 < alpha -> 0 < M -> 0 < gamma -> a = 4 * alpha / M ^ 2 -> 0 < xi ->
  f <= 1 - a * (1 - a * M ^ 2 / (8 * alpha)) * E -> err <= f -> gamma ^ 2 * M ^ 2 * (T * (xi / 2) ^ 2) <= E ->
  2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2) <= T -> err <= xi.
Proof.
  intros alpha_in M_pos gamma_pos A X Falls Few Edges Enough.
  assert (M2 : 0 < M ^ 2) by (apply pow_lt; auto). assert (G2 : 0 < gamma ^ 2) by (apply pow_lt; auto).
  assert (X2 : 0 < xi ^ 2) by (apply pow_lt; auto).
  assert (F : a * (1 - a * M ^ 2 / (8 * alpha)) = 2 * alpha / M ^ 2) by (rewrite A; field; lra). rewrite F in Falls.
  apply Rmult_le_compat_l with (r := 2 * alpha / M ^ 2) in Edges; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
  replace (2 * alpha / M ^ 2 * (gamma ^ 2 * M ^ 2 * (T * (xi / 2) ^ 2))) with (alpha * gamma ^ 2 * xi ^ 2 / 2 * T) in Edges
    by (field; lra).
  apply Rmult_le_compat_l with (r := alpha * gamma ^ 2 * xi ^ 2 / 2) in Enough.
  - replace (alpha * gamma ^ 2 * xi ^ 2 / 2 * (2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2))) with (1 - xi) in Enough
      by (field; lra). lra.
  - apply Rlt_le. apply Rmult_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; lra.
Qed.

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
Definition squared_edges (T : nat) : R := lsum (fun t => edge t ^ 2) (seq 0 T).

Lemma mean_surrogate_falls T : mean_surrogate T <= 1 - a * (1 - a * M ^ 2 / (8 * alpha)) * squared_edges T.
Proof.
  induction T as [|T IH].
  - unfold mean_surrogate, squared_edges. cbn. rewrite average_const, surrogate_at_zero by auto. lra.
  - assert (R := one_round T). unfold squared_edges in *. rewrite seq_S, lsum_app. cbn [lsum Nat.add]. lra.
Qed.

Lemma weak_edge T t : weak_learning T -> (t < T)%nat -> gamma ^ 2 * M ^ 2 * mean_weight t ^ 2 <= edge t ^ 2.
Proof.
  intros W L. specialize (W t L). assert (P := mean_weight_pos t). set (w := mean_weight t) in *.
  assert (A : gamma * M * w <= Rabs (edge t)).
  { unfold Rdiv in W. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq w) in W by lra.
    apply Rmult_le_compat_r with (r := w) in W; [|lra].
    replace (Rabs (edge t) * / w * w) with (Rabs (edge t)) in W by (field; lra). lra. }
  rewrite <- (pow2_abs (edge t)). assert (0 <= gamma * M * w) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  replace (gamma ^ 2 * M ^ 2 * w ^ 2) with ((gamma * M * w) ^ 2) by ring. apply pow_incr. lra.
Qed.

Lemma squared_edges_from T c : weak_learning T -> (forall t, (t < T)%nat -> c t <= mean_weight t ^ 2) ->
  gamma ^ 2 * M ^ 2 * lsum c (seq 0 T) <= squared_edges T.
Proof.
  intros W C. rewrite <- lsum_scal. apply lsum_le. intros t I. apply in_seq in I. apply Rle_trans with (2 := weak_edge T t W ltac:(lia)).
  apply Rmult_le_compat_l; [|apply C; lia]. apply Rmult_le_pos; apply pow2_ge_0.
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
  intros P A W S. destruct alpha_in.
  apply (enough_squared_weights alpha M gamma a pi xi (squared_weights T) (squared_edges T) (mean_surrogate T)); auto.
  - apply lsum_nonneg. intros. apply pow2_ge_0.
  - apply squared_edges_from; auto. intros. lra.
  - apply mean_surrogate_falls.
  - apply mistakes_le_surrogate.
Qed.

(** ** thBoostLC1.rounds: with the best step, a number of rounds suffices for one of the combinations *)
Theorem boosting_rounds xi T : a = 4 * alpha / M ^ 2 -> 0 < xi -> weak_learning T ->
  2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2) <= INR T -> exists t, (t <= T)%nat /\ mistakes t <= xi.
Proof.
  intros A X W N. apply Classical_Prop.NNPP. intros None. destruct alpha_in.
  assert (All : forall t, (t <= T)%nat -> xi < mistakes t).
  { intros t L. apply Rnot_le_lt. intros Few. apply None. now exists t. }
  apply None. exists T. split; [lia|].
  apply (enough_rounds alpha M gamma a xi (INR T) (squared_edges T) (mean_surrogate T)); auto.
  - apply mean_surrogate_falls.
  - apply mistakes_le_surrogate.
  - replace (INR T * (xi / 2) ^ 2) with (lsum (fun _ : nat => (xi / 2) ^ 2) (seq 0 T)).
    + apply squared_edges_from; auto. intros t L. assert (B := mistakes_le_weight t). specialize (All t ltac:(lia)). nra.
    + rewrite <- (seq_length T 0) at 2. generalize (seq 0 T) as l.
      induction l as [|t l IH]; [cbn; ring|]. cbn [lsum length]. rewrite IH, S_INR. ring.
Qed.
End Boosting.
