(** * Samplers of discrete Laplace noise

    | here                   | Python                                                                         |
    |------------------------|--------------------------------------------------------------------------------|
    | [laplace_two_sided]    | fast/bits.py, [discrete_laplace]: k or -1 - k                                  |
    | [laplace_zero_first]   | reference/privacy/samplers.py, [sample_discrete_laplace]: zero, size, sign     | *)
From Coq Require Import Reals Lra Psatz List Lia ZArith FunctionalExtensionality.
From Privboost Require Import Sums Law Programs Coins Laplace Geometric.
Local Open Scope R_scope.

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

(** As fast draws it: any number of digits in each part. *)
Definition parts_from_bits (digits_of : nat -> nat) : prog nat :=
  geometric_in_parts digits_of (fun w => bits_coin (ratio s ^ w / (1 + ratio s ^ w))) (fun w => bits_coin (ratio s ^ w)).

Theorem parts_from_bits_law digits_of : law_of (parts_from_bits digits_of) = geometric (ratio s).
Proof.
  assert (X := ratio_in s s_pos).
  assert (P : forall w, (0 < w)%nat -> 0 < ratio s ^ w < 1).
  { intros w W. split; [apply pow_lt; lra | apply pow_lt_1_compat; [lra | lia]]. }
  apply geometric_in_parts_law; auto; intros w W; specialize (P w W); apply exact_coin_law; [|lra].
  split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + ratio s ^ w); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma sign_from_bits_law : law_of (bits_coin (digit_bias 0)) = coin (ratio s / (1 + ratio s)).
Proof. rewrite <- (pow_1 (ratio s)). change 1%nat with (2 ^ 0)%nat. apply exact_coin_law, bias_in. Qed.

Theorem fast_laplace_from_bits_law digits_of :
  law_of (laplace_two_sided (parts_from_bits digits_of) (bits_coin (digit_bias 0))) = dlap s 0.
Proof. apply laplace_two_sided_law; auto; [apply parts_from_bits_law | apply sign_from_bits_law]. Qed.

(** The law for all scales; it is a law ([dlap_law]), so the program ends with probability 1. *)
Theorem laplace_from_bits_law : law_of laplace_from_bits = dlap s 0.
Proof.
  apply laplace_two_sided_law; auto; [apply geometric_from_bits_law | apply sign_from_bits_law].
Qed.
End FromBits.
