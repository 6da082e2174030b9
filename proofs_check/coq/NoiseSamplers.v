(** * Samplers of geometric and of discrete Laplace noise

    | here                   | Python                                                                         |
    |------------------------|--------------------------------------------------------------------------------|
    | [count_successes]      | reference/privacy/samplers.py, [_sample_geometric]: the count of the upper part |
    | [by_digits]            | [_sample_geometric] and fast/bits.py, [_signed_geometric]: independent digits  |
    | [laplace_two_sided]    | fast/bits.py, [discrete_laplace]: k or -1 - k                                  |
    | [laplace_zero_first]   | reference/privacy/samplers.py, [sample_discrete_laplace]: zero, size, sign     |

    The coins are any programs with the right laws; [Coins.lazy_coin_law] makes them from fair bits. *)
From Coq Require Import Reals Lra Psatz List Lia Arith ZArith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs Coins Product Laplace.
Import ListNotations.
Local Open Scope R_scope.

(** ** The geometric law *)
Definition geometric (x : R) (k : nat) : R := (1 - x) * x ^ k.
Definition geometric_from (x : R) (k y : nat) : R := if Nat.leb k y then geometric x (y - k) else 0.

Lemma geometric_from_sum x k n : lsum (geometric_from x k) (seq 0 (k + n)) = 1 - x ^ n.
Proof.
  induction n as [|n IH].
  - rewrite Nat.add_0_r. cbn [pow]. rewrite (lsum_ext _ (fun _ => 0 * 0)), lsum_scal; [ring|].
    intros y Y. apply in_seq in Y. unfold geometric_from. destruct (Nat.leb_spec k y); [lia | ring].
  - rewrite Nat.add_succ_r, seq_S, lsum_app, IH. cbn [lsum Nat.add]. unfold geometric_from, geometric.
    destruct (Nat.leb_spec k (k + n)); [|lia]. replace (k + n - k)%nat with n by lia. cbn [pow]. ring.
Qed.

Lemma geometric_from_law x k : 0 <= x < 1 -> law (geometric_from x k).
Proof.
  intros X. assert (P : forall y, 0 <= geometric_from x k y).
  { intros y. unfold geometric_from, geometric. destruct Nat.leb; [|lra]. apply Rmult_le_pos; [lra | apply pow_le; lra]. }
  apply law_intro; auto.
  - intros l N. apply Rle_trans with (lsum (geometric_from x k) (seq 0 (k + S (list_max l)))).
    + apply lsum_incl; auto. intros y Y. apply in_seq.
      assert (H := proj1 (list_max_le l (list_max l)) (le_n _)). rewrite Forall_forall in H. specialize (H y Y). lia.
    + rewrite geometric_from_sum. assert (0 <= x ^ S (list_max l)) by (apply pow_le; lra). lra.
  - intros eta E. destruct (pow_lt_1_zero x ltac:(rewrite Rabs_pos_eq; lra) eta E) as [N H].
    exists (seq 0 (k + N)). split; [apply seq_NoDup|]. rewrite geometric_from_sum.
    specialize (H N (le_n N)). rewrite Rabs_pos_eq in H by (apply pow_le; lra). lra.
Qed.

Lemma geometric_law x : 0 <= x < 1 -> law (geometric x).
Proof.
  intros X. apply (law_ext (geometric_from x 0)); [|now apply geometric_from_law].
  intros k. unfold geometric_from. simpl. now rewrite Nat.sub_0_r.
Qed.

(** ** Counting the successes of a coin before its first failure *)
Section Counting.
Variable x : R.
Hypothesis x_in : 0 <= x < 1.
Variable toss : prog bool.
Hypothesis toss_law : law_of toss = coin x.

Definition count_on (k : nat) : prog (nat + nat) := Bind toss (fun b => Ret (if b then inl (S k) else inr k)).
Definition count_successes : prog nat := Loop count_on 0%nat.

Lemma bind_count_on {A} k (next : nat + nat -> A -> R) y : (forall r, sub_law (next r)) ->
  bind (law_of (count_on k)) next y = x * next (inl (S k)) y + (1 - x) * next (inr k) y.
Proof.
  intros N. unfold count_on. rewrite law_of_bind', toss_law.
  assert (C : sub_law (coin x)) by (apply law_sub, coin_law; lra).
  rewrite bind_assoc; auto; [|intros; apply law_of_sub].
  rewrite bind_coin; [|lra | intros; apply bind_sub; auto; apply law_of_sub].
  now rewrite !law_of_ret', !bind_ret'.
Qed.

Lemma count_on_law k : law (law_of (count_on k)).
Proof.
  unfold count_on. rewrite law_of_bind', toss_law. apply bind_law; [apply coin_law; lra|].
  intros b. rewrite law_of_ret'. apply ret_law.
Qed.

Theorem count_successes_law : law_of count_successes = geometric x.
Proof.
  apply functional_extensionality. intros y.
  assert (Sub : forall r, sub_law (continue (geometric_from x) r)) by (intros; apply continue_sub; intros; apply law_sub, geometric_from_law; auto).
  destruct (loop_law count_on (fun _ => True) (geometric_from x)) with (s := 0%nat) as [_ E]; auto.
  - intros k _. now apply geometric_from_law.
  - intros k z _. rewrite bind_count_on by auto. cbn [continue]. unfold ret, geometric_from, geometric.
    destruct (decide (k = z)) as [<-|D].
    + rewrite Nat.leb_refl, Nat.sub_diag. destruct (Nat.leb_spec (S k) k); [lia|]. cbn [pow]. ring.
    + destruct (Nat.leb_spec k z), (Nat.leb_spec (S k) z); try lia; try ring.
      replace (z - k)%nat with (S (z - S k)) by lia. cbn [pow]. ring.
  - apply ends_geometrically with (good := fun _ => True) (c := 1 - x); auto; [lra | apply count_on_law|].
    intros k _.
    apply Rle_trans with (law_of (count_on k) (inr k)).
    + right. rewrite <- (bind_ret_right (law_of (count_on k)) (inr k)) by apply law_of_sub.
      rewrite bind_count_on by (intros; apply ret_sub). unfold ret.
      destruct (decide (inl (S k) = inr k)) as [Q|_]; [discriminate|]. destruct (decide (inr k = inr k)); [ring | congruence].
    + rewrite <- (prob_point (law_of (count_on k)) (inr k)) by apply law_of_sub.
      apply prob_mono; [apply law_of_sub|]. intros r ->. now exists k.
  - rewrite E. unfold geometric_from. simpl. now rewrite Nat.sub_0_r.
Qed.
End Counting.

(** ** Binary digits

    A geometric number is its last digit plus twice a geometric number of the squared ratio, and the two are
    independent. *)
Lemma bind_ret_point {A B} (p : A -> R) (f : A -> B) a y : sub_law p -> f a = y -> (forall x, f x = y -> x = a) ->
  bind p (fun x => ret (f x)) y = p a.
Proof.
  intros P F U. rewrite <- image_bind by auto. unfold image. rewrite <- (prob_point p a) by auto.
  apply prob_ext; auto. intros x. split; [apply U | intros ->; auto].
Qed.
Lemma bind_ret_nothing {A B} (p : A -> R) (f : A -> B) y : sub_law p -> (forall x, f x <> y) -> bind p (fun x => ret (f x)) y = 0.
Proof.
  intros P U. unfold bind. apply total_zero. intros x. unfold ret. destruct (decide (f x = y)) as [E|_]; [now apply U in E | ring].
Qed.

Section Digits.
Variable toss : nat -> prog bool.        (* the coin of each digit *)
Variable upper : prog nat.               (* the digits above, as a number *)

Fixpoint by_digits (n j : nat) : prog nat :=
  match n with
  | O => upper
  | S n' => Bind (toss j) (fun b => Bind (by_digits n' (S j)) (fun g => Ret (2 * g + digit b)%nat))
  end.

Theorem by_digits_law x n j : 0 < x < 1 ->
  (forall i, (i < n)%nat -> law_of (toss (j + i)) = coin (x ^ (2 ^ i) / (1 + x ^ (2 ^ i)))) ->
  law_of upper = geometric (x ^ (2 ^ n)) -> law_of (by_digits n j) = geometric x.
Proof.
  revert x j; induction n as [|n IH]; intros x j X T U.
  - simpl in U. rewrite Rmult_1_r in U. exact U.
  - assert (X2 : 0 < x ^ 2 < 1) by (simpl; nra).
    assert (Pow : forall i, (x ^ 2) ^ (2 ^ i) = x ^ (2 ^ S i)) by (intros i; rewrite <- pow_mult; reflexivity).
    assert (H : law_of (by_digits n (S j)) = geometric (x ^ 2)).
    { apply IH; auto.
      - intros i I. rewrite Pow. replace (S j + i)%nat with (j + S i)%nat by lia. apply T. lia.
      - rewrite Pow. exact U. }
    assert (G : sub_law (geometric (x ^ 2))) by (apply law_sub, geometric_law; lra).
    specialize (T O ltac:(lia)). simpl in T. rewrite Nat.add_0_r, Rmult_1_r in T.
    assert (C : 0 <= x / (1 + x) <= 1).
    { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + x); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    apply functional_extensionality. intros y. cbn [by_digits].
    rewrite law_of_bind', T, bind_coin by (auto; intros; apply law_of_sub).
    rewrite !law_of_bind', H.
    replace (fun g : nat => law_of (Ret (2 * g + digit true)%nat)) with (fun g : nat => ret (2 * g + digit true)%nat)
      by (apply functional_extensionality; intros; now rewrite law_of_ret').
    replace (fun g : nat => law_of (Ret (2 * g + digit false)%nat)) with (fun g : nat => ret (2 * g + digit false)%nat)
      by (apply functional_extensionality; intros; now rewrite law_of_ret').
    unfold digit. assert (Y := Nat.div2_odd y). set (h := Nat.div2 y) in *. destruct (Nat.odd y); cbn [Nat.b2n] in Y.
    + rewrite (bind_ret_point _ _ h y), (bind_ret_nothing _ _ y) by (auto; intros; lia).
      rewrite Y. unfold geometric. rewrite <- pow_mult. rewrite pow_add. cbn [pow]. field. lra.
    + rewrite (bind_ret_nothing _ _ y), (bind_ret_point _ _ h y) by (auto; intros; lia).
      rewrite Y, Nat.add_0_r. unfold geometric. rewrite <- pow_mult. cbn [pow]. field. lra.
Qed.
End Digits.

(** ** Discrete Laplace noise *)
Section LaplaceSamplers.
Variable s : R.
Hypothesis s_pos : 0 < s.
Let x := ratio s.

Lemma dlap_value k : dlap s 0 k = (1 - x) / (1 + x) * x ^ Z.abs_nat k.
Proof.
  unfold dlap, x. rewrite Z.sub_0_r, <- exp_ratio by auto. f_equal. f_equal. f_equal. rewrite Nat2Z.inj_abs_nat. reflexivity.
Qed.

Variable magnitude : prog nat.
Hypothesis magnitude_law : law_of magnitude = geometric x.

(** *** fast: an independent sign; a negative one turns k into -1 - k *)
Variable negative : prog bool.
Hypothesis negative_law : law_of negative = coin (x / (1 + x)).

Definition laplace_two_sided : prog Z :=
  Bind magnitude (fun k => Bind negative (fun b => Ret (if b then (-1 - Z.of_nat k)%Z else Z.of_nat k))).

Lemma x_in : 0 < x < 1.
Proof. now apply ratio_in. Qed.

Theorem laplace_two_sided_law : law_of laplace_two_sided = dlap s 0.
Proof.
  assert (X := x_in). assert (G : sub_law (geometric x)) by (apply law_sub, geometric_law; lra).
  assert (C : 0 <= x / (1 + x) <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + x); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply functional_extensionality. intros z. unfold laplace_two_sided. rewrite law_of_bind', magnitude_law.
  set (a := if Z.leb 0 z then Z.to_nat z else Z.to_nat (-1 - z)).
  assert (E : bind (geometric x) (fun k => law_of (Bind negative (fun b => Ret (if b then (-1 - Z.of_nat k)%Z else Z.of_nat k)))) z =
    geometric x a * (if Z.leb 0 z then 1 - x / (1 + x) else x / (1 + x))).
  { set (w := if Z.leb 0 z then 1 - x / (1 + x) else x / (1 + x)).
    assert (Row : forall k, law_of (Bind negative (fun b => Ret (if b then (-1 - Z.of_nat k)%Z else Z.of_nat k))) z = w * ret k a).
    { intros k. rewrite law_of_bind', negative_law, bind_coin by (auto; intros; apply law_of_sub).
      rewrite !law_of_ret'. unfold ret, w, a. destruct (Z.leb_spec 0 z);
        destruct (decide (_ = z)), (decide (_ = z)), (decide (k = _)); try lia; ring. }
    unfold bind. rewrite (total_ext _ (fun k => w * (geometric x k * ret k a))) by (intros k; rewrite Row; ring).
    assert (W : 0 <= w) by (unfold w; destruct Z.leb; lra).
    rewrite (total_scal w 1); auto.
    - change (total (fun k => geometric x k * ret k a)) with (bind (geometric x) ret a). rewrite bind_ret_right by auto. ring.
    - apply (column_bounded (geometric x) ret a); auto. intros; apply ret_sub. }
  rewrite E, dlap_value. unfold geometric, a. destruct (Z.leb_spec 0 z).
  - replace (Z.abs_nat z) with (Z.to_nat z) by lia. field. lra.
  - replace (Z.abs_nat z) with (S (Z.to_nat (-1 - z))) by lia. cbn [pow]. field. lra.
Qed.

(** *** reference: zero or not, then the size, then a fair sign *)
Variables zero sign : prog bool.
Hypothesis zero_law : law_of zero = coin ((1 - x) / (1 + x)).
Hypothesis sign_law : law_of sign = coin (1 / 2).

Definition laplace_zero_first : prog Z :=
  Bind zero (fun b => if b then Ret 0%Z else
  Bind magnitude (fun k => Bind sign (fun b => Ret (if b then (1 + Z.of_nat k)%Z else (- (1 + Z.of_nat k))%Z)))).

Theorem laplace_zero_first_law : law_of laplace_zero_first = dlap s 0.
Proof.
  assert (X := x_in). assert (G : sub_law (geometric x)) by (apply law_sub, geometric_law; lra).
  assert (C : 0 <= (1 - x) / (1 + x) <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + x); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply functional_extensionality. intros z. unfold laplace_zero_first.
  rewrite law_of_bind', zero_law, bind_coin by (auto; intros; apply law_of_sub).
  rewrite law_of_ret', law_of_bind', magnitude_law.
  set (a := (Z.abs_nat z - 1)%nat).
  assert (E : bind (geometric x) (fun k => law_of (Bind sign (fun b => Ret (if b then (1 + Z.of_nat k)%Z else (- (1 + Z.of_nat k))%Z)))) z =
    if Z.eqb z 0 then 0 else geometric x a / 2).
  { assert (Row : forall k, law_of (Bind sign (fun b => Ret (if b then (1 + Z.of_nat k)%Z else (- (1 + Z.of_nat k))%Z))) z =
      (if Z.eqb z 0 then 0 else 1 / 2) * ret k a).
    { intros k. rewrite law_of_bind', sign_law, bind_coin by (try lra; intros; apply law_of_sub).
      rewrite !law_of_ret'. unfold ret, a. destruct (Z.eqb_spec z 0);
        destruct (decide (_ = z)), (decide (_ = z)), (decide (k = _)); try lia; lra. }
    unfold bind. rewrite (total_ext _ (fun k => (if Z.eqb z 0 then 0 else 1 / 2) * (geometric x k * ret k a))) by (intros k; rewrite Row; ring).
    rewrite (total_scal _ 1).
    - change (total (fun k => geometric x k * ret k a)) with (bind (geometric x) ret a). rewrite bind_ret_right by auto.
      destruct Z.eqb; lra.
    - destruct Z.eqb; lra.
    - apply (column_bounded (geometric x) ret a); auto. intros; apply ret_sub. }
  rewrite E, dlap_value. unfold ret, geometric, a. destruct (Z.eqb_spec z 0) as [->|NZ].
  - destruct (decide (0%Z = 0%Z)); [|congruence]. simpl. field. lra.
  - destruct (decide (0%Z = z)); [congruence|].
    replace (Z.abs_nat z) with (S (Z.abs_nat z - 1)) at 2 by lia. cbn [pow]. field. lra.
Qed.
End LaplaceSamplers.

(** ** From fair bits to discrete Laplace noise, for every scale and every number of digits *)
Section FromBits.
Variable s : R.
Hypothesis s_pos : 0 < s.
Variable n_digits : nat.

Definition bits_coin (p : R) : prog bool := lazy_coin (exact_verdict p).
Definition digit_bias (i : nat) : R := ratio s ^ (2 ^ i) / (1 + ratio s ^ (2 ^ i)).
Definition geometric_from_bits : prog nat :=
  by_digits (fun i => bits_coin (digit_bias i)) (count_successes (bits_coin (ratio s ^ (2 ^ n_digits)))) n_digits 0.
Definition laplace_from_bits : prog Z := laplace_two_sided geometric_from_bits (bits_coin (digit_bias 0)).

Lemma power_in n : 0 < ratio s ^ (2 ^ n) < 1.
Proof.
  assert (X := ratio_in s s_pos). split; [apply pow_lt; lra|].
  apply pow_lt_1_compat; [lra|]. assert (2 ^ n <> 0)%nat by (apply Nat.pow_nonzero; lia). lia.
Qed.

Lemma bias_in i : 0 <= digit_bias i <= 1.
Proof.
  assert (P := power_in i). unfold digit_bias. split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
  apply Rmult_le_reg_r with (1 + ratio s ^ (2 ^ i)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Theorem geometric_from_bits_law : law_of geometric_from_bits = geometric (ratio s).
Proof.
  assert (P := power_in n_digits). apply by_digits_law; [now apply ratio_in| |].
  - intros i _. apply exact_coin_law, bias_in.
  - apply count_successes_law; [lra|]. apply exact_coin_law. lra.
Qed.

(** The law for all scales; it is a law ([dlap_law]), so the program ends with probability 1. *)
Theorem laplace_from_bits_law : law_of laplace_from_bits = dlap s 0.
Proof.
  apply laplace_two_sided_law; auto; [apply geometric_from_bits_law|].
  rewrite <- (pow_1 (ratio s)). change 1%nat with (2 ^ 0)%nat. apply exact_coin_law, bias_in.
Qed.
End FromBits.
