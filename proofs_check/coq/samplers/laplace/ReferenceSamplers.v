(** * The noise of the reference as a program that a machine can run

    Coins compare bits, one by one, with bounds on their probability (Coins.v); here the bounds are those of
    Enclosures.v.  Python: [sample_discrete_laplace] in reference/privacy/samplers.py. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia FunctionalExtensionality.
From Privboost Require Import Law Programs Coins Laplace Geometric LaplaceSamplers Enclosures.
Import ListNotations.

Section Verdict.
Variable least : nat.                       (* the bounds that are used first have 2 least bits *)
Variable bound : nat -> Z * Z.              (* bounds of 2 half bits on a probability, by half *)

Definition compare_with_bounds (c d : nat) : option bool :=
  let half := Nat.max least d in
  let b := bound half in
  let unit := two_to (half + half - d) in
  if ((Z.of_nat c + 1) * unit <=? fst b)%Z then Some true
  else if (snd b <=? Z.of_nat c * unit)%Z then Some false else None.
Definition bounded_coin : prog bool := lazy_coin compare_with_bounds.

Local Open Scope R_scope.

Theorem bounded_coin_law p : 0 <= p <= 1 ->
  (forall half, (least <= half)%nat -> chance_in (half + half) (bound half) p /\ (snd (bound half) - fst (bound half) <= two_to half)%Z) ->
  law_of bounded_coin = coin p.
Proof.
  intros P B. unfold bounded_coin.
  assert (U : forall d, let half := Nat.max least d in
    0 < IZR (two_to (half + half - d)) /\ IZR (two_to (half + half)) = 2 ^ d * IZR (two_to (half + half - d))).
  { intros d half. split; [apply IZR_lt, two_to_pos|]. rewrite !two_to_R, <- pow_add. f_equal. unfold half. lia. }
  apply lazy_coin_law with 2; auto; intros c d V; unfold compare_with_bounds in V; destruct (U d) as [Up Us]; cbv zeta in *;
    set (half := Nat.max least d) in *; destruct (B half ltac:(unfold half; lia)) as [[B1 B2] Nar];
    set (unit := two_to (half + half - d)) in *; assert (T : 0 < 2 ^ d) by (apply pow_lt; lra); rewrite Us in B1, B2;
    assert (Ic : IZR (Z.of_nat c) = INR c) by now rewrite INR_IZR_INZ.
  - destruct (Z.leb_spec ((Z.of_nat c + 1) * unit) (fst (bound half))) as [L|L].
    + apply IZR_le in L. rewrite mult_IZR, plus_IZR, Ic in L. apply quotient_le; auto.
      apply Rmult_le_reg_r with (IZR unit); auto. lra.
    + destruct (snd (bound half) <=? Z.of_nat c * unit)%Z; discriminate.
  - destruct (Z.leb_spec ((Z.of_nat c + 1) * unit) (fst (bound half))) as [L|L]; [discriminate|].
    destruct (Z.leb_spec (snd (bound half)) (Z.of_nat c * unit)) as [G|G]; [|discriminate].
    apply IZR_le in G. rewrite mult_IZR, Ic in G. apply quotient_ge; auto. apply Rmult_le_reg_r with (IZR unit); auto. lra.
  - destruct (Z.leb_spec ((Z.of_nat c + 1) * unit) (fst (bound half))) as [L|L]; [discriminate|].
    destruct (Z.leb_spec (snd (bound half)) (Z.of_nat c * unit)) as [G|G]; [discriminate|].
    apply IZR_lt in L, G. rewrite mult_IZR, plus_IZR, Ic in L. rewrite mult_IZR, Ic in G.
    assert (W : IZR (snd (bound half)) - IZR (fst (bound half)) <= IZR unit).
    { rewrite <- minus_IZR. apply IZR_le. apply Z.le_trans with (two_to half); auto. unfold unit.
      replace (half + half - d)%nat with (half + (half - d))%nat by (unfold half; lia). rewrite two_to_add.
      assert (H := two_to_pos half). assert (H' := two_to_pos (half - d)). nia. }
    apply Rabs_le. split; apply Rmult_le_reg_r with (IZR unit); auto; nra.
Qed.
End Verdict.

(** Bounds on the chances of a scale; those of the first width are computed once. *)
Section Known.
Variables (num den : Z) (n least : nat).

Definition chance_bound (first : list (Z * Z)) (i half : nat) : Z * Z :=
  nth i (if Nat.eqb half least then first else enclose_chances num den n (half + half)) (0, 0)%Z.

Local Open Scope R_scope.
Hypothesis num_pos : (0 < num)%Z.
Hypothesis den_pos : (0 < den)%Z.
Hypothesis least_72 : (72 <= least)%nat.
Hypothesis least_wide : (n + halvings num den + 7 <= least)%nat.
Let first := enclose_chances num den n (least + least).

Lemma chance_bound_right i half : (i < n + 2)%nat -> (least <= half)%nat ->
  chance_in (half + half) (chance_bound first i half) (nth i (chances num den n) 0) /\
  (2 * (snd (chance_bound first i half) - fst (chance_bound first i half)) <= two_to half)%Z.
Proof.
  intros I L. replace (chance_bound first i half) with (nth i (enclose_chances num den n (half + half)) (0, 0)%Z)
    by (unfold chance_bound; destruct (Nat.eqb_spec half least) as [->|_]; reflexivity).
  assert (R := enclose_chances_right num den num_pos den_pos n (half + half)).
  assert (Nar := enclose_chances_narrow num den num_pos den_pos n half ltac:(lia) ltac:(lia)).
  assert (Lc : length (chances num den n) = (n + 2)%nat) by (unfold chances; rewrite app_length, map_length, seq_length; reflexivity).
  rewrite <- Lc in I. revert R Nar i I. generalize (chances num den n). generalize (enclose_chances num den n (half + half)). clear.
  intros bs ps R. induction R as [|b p bs ps C R IH]; intros Nar i I; [cbn in I; lia|]. inversion Nar; subst.
  destruct i as [|i]; [cbn; auto|]. cbn [nth]. apply IH; auto. cbn in I. lia.
Qed.

Lemma known_coin_law i : (i < n + 2)%nat -> 0 <= nth i (chances num den n) 0 <= 1 ->
  law_of (bounded_coin least (chance_bound first i)) = coin (nth i (chances num den n) 0).
Proof.
  intros I P. apply bounded_coin_law; auto. intros half L. destruct (chance_bound_right i half I L) as [C Nar]. split; auto.
  assert (T := two_to_pos half). lia.
Qed.
End Known.

(** ** Noise of scale numerator / denominator *)
Section Noise.
Variables num den : Z.
Let n := bit_length (num / den).
Let least := (n + 72)%nat.

(** Bounds on 1 - 2 p. *)
Definition zero_bound (first : list (Z * Z)) (half : nat) : Z * Z :=
  let b := chance_bound num den n least first n half in (two_to (half + half) - 2 * snd b, two_to (half + half) - 2 * fst b)%Z.

Definition reference_laplace : prog Z :=
  let first := enclose_chances num den n (least + least) in
  let toss i := bounded_coin least (chance_bound num den n least first i) in
  laplace_zero_first (by_digits toss (count_successes (toss (n + 1)%nat)) n 0)
    (bounded_coin least (zero_bound first)) (Bind Bit (fun b => Ret (negb b))).

Local Open Scope R_scope.
Hypothesis num_pos : (0 < num)%Z.
Hypothesis den_pos : (0 < den)%Z.
Hypothesis not_tiny : (den <= num * two_to 64)%Z.
Let s := IZR num / IZR den.
Let first := enclose_chances num den n (least + least).

Lemma s_pos : 0 < s.
Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

Lemma ratio_is : exp (- (IZR den / IZR num)) = ratio s.
Proof. assert (N := num_pos). assert (D := den_pos). apply IZR_lt in N, D. unfold ratio, s. f_equal. field. lra. Qed.

Lemma wide : (n + halvings num den + 7 <= least)%nat.
Proof. assert (H := halvings_small num den num_pos not_tiny). unfold least. lia. Qed.

Lemma toss_law i : (i < n + 2)%nat -> 0 <= nth i (chances num den n) 0 <= 1 ->
  law_of (bounded_coin least (chance_bound num den n least first i)) = coin (nth i (chances num den n) 0).
Proof. intros. assert (W := wide). apply known_coin_law; auto. unfold least. lia. Qed.

Theorem reference_laplace_law : law_of reference_laplace = dlap s 0.
Proof.
  assert (X := ratio_in s s_pos).
  assert (Pw : forall k, 0 < ratio s ^ k <= 1).
  { intros k. split; [apply pow_lt; lra|]. apply Rle_trans with (1 ^ k); [apply pow_incr; lra | rewrite pow1; lra]. }
  assert (Digit : forall y, 0 < y -> 0 <= y / (1 + y) <= 1).
  { intros y Y. split; [apply Rlt_le, Rdiv_lt_0_compat; lra | apply quotient_le; lra]. }
  assert (Ln : length (map (fun k => ratio s ^ (2 ^ k) / (1 + ratio s ^ (2 ^ k))) (seq 0 n)) = n) by (now rewrite map_length, seq_length).
  assert (Ci : forall i, (i < n)%nat -> nth i (chances num den n) 0 = ratio s ^ (2 ^ i) / (1 + ratio s ^ (2 ^ i))).
  { intros i I. unfold chances. rewrite ratio_is, app_nth1 by lia.
    rewrite (nth_indep _ 0 (ratio s ^ (2 ^ 0) / (1 + ratio s ^ (2 ^ 0)))) by lia.
    rewrite (map_nth (fun k => ratio s ^ (2 ^ k) / (1 + ratio s ^ (2 ^ k))) (seq 0 n) 0%nat), seq_nth by lia. reflexivity. }
  assert (Cn : nth n (chances num den n) 0 = ratio s / (1 + ratio s)).
  { unfold chances. rewrite ratio_is, app_nth2 by lia. rewrite Ln, Nat.sub_diag. reflexivity. }
  assert (Cm : nth (n + 1) (chances num den n) 0 = ratio s ^ (2 ^ n)).
  { unfold chances. rewrite ratio_is, app_nth2 by lia. rewrite Ln. replace (n + 1 - n)%nat with 1%nat by lia. reflexivity. }
  unfold reference_laplace. fold first. apply laplace_zero_first_law; [apply s_pos | | |].
  - apply by_digits_law; [exact X | |].
    + intros i I. rewrite Nat.add_0_l, <- Ci by auto. apply toss_law; [lia|]. rewrite Ci by auto. apply Digit, Pw.
    + apply count_successes_law.
      * split; [apply Rlt_le, Pw|]. apply pow_lt_1_compat; [lra|]. assert (2 ^ n <> 0)%nat by (apply Nat.pow_nonzero; lia). lia.
      * rewrite <- Cm. apply toss_law; [lia|]. rewrite Cm. assert (H := Pw (2 ^ n)%nat). lra.
  - assert (Z : (1 - ratio s) / (1 + ratio s) = 1 - 2 * (ratio s / (1 + ratio s))) by (field; lra).
    apply bounded_coin_law.
    + split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] | apply quotient_le; lra].
    + intros half L. assert (W := wide). destruct (chance_bound_right num den n least num_pos den_pos ltac:(unfold least; lia) W n half ltac:(lia) L) as [[C1 C2] Nar]. fold first in C1, C2, Nar. rewrite Cn in C1, C2. rewrite Z.
      unfold zero_bound, chance_in; cbn [fst snd]. rewrite !minus_IZR, !mult_IZR. split; [split; lra | lia].
  - apply functional_extensionality. intros y. rewrite law_of_bind', law_of_bit', bind_fair by (intros; apply law_of_sub).
    rewrite !law_of_ret'. unfold ret, coin. destruct y; cbn [negb]; repeat destruct decide; try congruence; lra.
Qed.
End Noise.
