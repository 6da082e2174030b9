(** * Bounds in whole numbers on the chances of the digits of noise

    | here              | Python                                                                            |
    |-------------------|-----------------------------------------------------------------------------------|
    | [enclose_exp]     | fast/bits.py: [enclose_exp], the series of exp in whole numbers                   |
    | [enclose_chances] | fast/bits.py: [enclose_chances]                                                   |

    Coq can run these functions.  They are proved to be bounds, and to be narrow enough that draws which are compared
    with them come to an end. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia.
Import ListNotations.
Local Open Scope Z_scope.

Definition ceiling (a b : Z) : Z := - (- a / b).
Definition bit_length (z : Z) : nat := if z <=? 0 then 0 else Z.to_nat (Z.log2 z + 1).
Definition two_to (n : nat) : Z := 2 ^ Z.of_nat n.

(** ** The series of exp(-x / y), from the terms that are left, the last term and their number *)
Fixpoint series (fuel : nat) (x y term sum count : Z) : Z * Z :=
  match fuel with
  | O => (sum, count)
  | S fuel' =>
      if term =? 0 then (sum, count) else
      let term' := term * x / (y * (count + 1)) in
      series fuel' x y term' (if Z.odd (count + 1) then sum - term' else sum + term') (count + 1)
  end.

Definition enclose_exp (x y : Z) (precision : nat) : Z * Z :=
  let '(sum, count) := series (precision + 3) x y (two_to precision) (two_to precision) 0 in
  (sum - 2 * count, sum + 2 * count).

(** ** Squares, and chances made of powers *)
Definition square (precision : nat) (b : Z * Z) : Z * Z :=
  (fst b * fst b / two_to precision, ceiling (snd b * snd b) (two_to precision)).
Fixpoint squared (n precision : nat) (b : Z * Z) : Z * Z :=
  match n with O => b | S n' => squared n' precision (square precision b) end.

(** Bounds on 2^width v / (1 + v) and 2^width v, from bounds on 2^precision v. *)
Definition digit_bounds (precision width : nat) (b : Z * Z) : Z * Z :=
  (fst b * two_to width / (two_to precision + fst b), ceiling (snd b * two_to width) (two_to precision + snd b)).
Definition more_bounds (precision width : nat) (b : Z * Z) : Z * Z :=
  (fst b * two_to width / two_to precision, ceiling (snd b * two_to width) (two_to precision)).

Fixpoint digits_bounds (n precision width : nat) (b : Z * Z) : list (Z * Z) :=
  match n with O => [] | S n' => digit_bounds precision width b :: digits_bounds n' precision width (square precision b) end.

Definition halvings (numerator denominator : Z) : nat := bit_length (denominator / numerator).

(** Every digit, a negative sign, more digits. *)
Definition enclose_chances (numerator denominator : Z) (n_digits width : nat) : list (Z * Z) :=
  let halved := halvings numerator denominator in
  let precision := (width + halved + n_digits + 12)%nat in
  let b := squared halved precision (enclose_exp denominator (numerator * two_to halved) precision) in
  digits_bounds n_digits precision width b ++ [digit_bounds precision width b; more_bounds precision width (squared n_digits precision b)].

Local Open Scope R_scope.

(** ** Quotients *)
Lemma two_to_pos n : (0 < two_to n)%Z.
Proof. unfold two_to. apply Z.pow_pos_nonneg; lia. Qed.

Lemma two_to_S n : two_to (S n) = (2 * two_to n)%Z.
Proof. unfold two_to. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. reflexivity. Qed.

Lemma two_to_add n m : two_to (n + m) = (two_to n * two_to m)%Z.
Proof. unfold two_to. rewrite Nat2Z.inj_add, Z.pow_add_r by lia. reflexivity. Qed.

Lemma two_to_R n : IZR (two_to n) = 2 ^ n.
Proof. induction n as [|n IH]; [reflexivity|]. rewrite two_to_S, mult_IZR, IH. reflexivity. Qed.

Lemma floor_in a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b < IZR (a / b) + 1.
Proof.
  intros B. assert (Bp : 0 < IZR b) by now apply IZR_lt. assert (M := Z.mod_pos_bound a b B). assert (D := Z.div_mod a b ltac:(lia)).
  assert (E : IZR a = IZR b * IZR (a / b) + IZR (a mod b)) by (rewrite <- mult_IZR, <- plus_IZR; now f_equal).
  destruct M as [M0 M1]. apply IZR_le in M0. apply IZR_lt in M1.
  assert (Q : IZR a / IZR b = IZR (a / b) + IZR (a mod b) / IZR b) by (rewrite E; field; lra).
  rewrite Q. assert (0 <= IZR (a mod b) / IZR b < 1); [|lra]. split.
  - apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
  - apply Rmult_lt_reg_r with (IZR b); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma ceiling_in a b : (0 < b)%Z -> IZR a / IZR b <= IZR (ceiling a b) < IZR a / IZR b + 1.
Proof.
  intros B. assert (F := floor_in (- a) b B). unfold ceiling. rewrite opp_IZR in *. unfold Rdiv in *.
  rewrite Ropp_mult_distr_l_reverse in F. lra.
Qed.

Lemma quotient_le a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof. intros B H. apply Rmult_le_reg_r with b; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

Lemma quotient_ge a b c : 0 < b -> c * b <= a -> c <= a / b.
Proof. intros B H. apply Rmult_le_reg_r with b; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

(** ** The series *)
Section Series.
Variables a b : Z.
Hypothesis a_in : (0 <= a <= b)%Z.
Hypothesis b_pos : (0 < b)%Z.
Variable precision : nat.
Let K := 2 ^ precision.
Let x := IZR a / IZR b.
Let U (k : nat) : R := x ^ k / INR (fact k).

Lemma x_unit : 0 <= x <= 1.
Proof.
  assert (B : 0 < IZR b) by now apply IZR_lt. destruct a_in as [A0 A1]. apply IZR_le in A0, A1. unfold x. split.
  - apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
  - apply quotient_le; lra.
Qed.

Lemma K_pos : 0 < K.
Proof. apply pow_lt. lra. Qed.

Lemma U_next k : U (S k) = U k * x / INR (S k).
Proof.
  unfold U. change (fact (S k)) with (S k * fact k)%nat. rewrite mult_INR. cbn [pow]. field.
  split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

Lemma U_nonneg k : 0 <= U k.
Proof. unfold U. apply Rmult_le_pos; [apply pow_le, x_unit | apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0]. Qed.

Lemma U_decreasing : Un_decreasing U.
Proof.
  intros k. rewrite U_next. assert (X := x_unit). assert (N := U_nonneg k).
  assert (1 <= INR (S k)) by (apply (le_INR 1); lia).
  apply Rmult_le_reg_r with (INR (S k)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Lemma remainder n : Rabs (exp (- x) - sum_f_R0 (tg_alt U) n) <= U (S n).
Proof.
  assert (Z : Un_cv U 0) by apply cv_speed_pow_fact.
  assert (E : Un_cv (sum_f_R0 (tg_alt U)) (exp (- x))).
  { assert (H := proj2_sig (exist_exp (- x))). change (proj1_sig (exist_exp (- x))) with (exp (- x)) in H.
    intros eps Eps. destruct (H eps Eps) as [N HN]. exists N. intros m M. rewrite <- (sum_eq (fun i => / INR (fact i) * (- x) ^ i)).
    - now apply HN.
    - intros i _. unfold tg_alt, U. replace (- x) with (-1 * x) by ring. rewrite Rpow_mult_distr. field. apply INR_fact_neq_0. }
  assert (A := fun N => alternated_series_ineq U (exp (- x)) N U_decreasing Z E).
  assert (N := U_nonneg (S n)). destruct (Nat.Even_or_Odd n) as [[m M]|[m M]].
  - destruct (A m) as [L H]. rewrite <- M in L, H. cbn [sum_f_R0] in L. unfold tg_alt in L at 2.
    replace ((-1) ^ S n) with (-1) in L by (rewrite M; symmetry; apply pow_1_odd). apply Rabs_le. lra.
  - destruct (A m) as [L _]. destruct (A (S m)) as [_ H].
    replace (S (2 * m)) with n in L by lia. replace (2 * S m)%nat with (S n) in H by lia. cbn [sum_f_R0] in H. unfold tg_alt in H at 2.
    replace ((-1) ^ S n) with 1 in H by (replace (S n) with (2 * S m)%nat by lia; symmetry; apply pow_1_even). apply Rabs_le. lra.
Qed.

(** The last term is too small by at most 3/2, and the sum is wrong by at most 3/2 for each term. *)
Definition on_course (k : nat) (term sum : Z) : Prop :=
  (0 <= term)%Z /\ 0 <= K * U k - IZR term <= (if Nat.leb k 1 then INR k else 3 / 2) /\
  Rabs (IZR sum - K * sum_f_R0 (tg_alt U) k) <= 3 / 2 * INR k /\
  (match k with O => True | S k' => term * two_to k' <= two_to precision end)%Z.

Lemma on_course_next k term sum : on_course k term sum ->
  let term' := (term * a / (b * (Z.of_nat k + 1)))%Z in
  on_course (S k) term' (if Z.odd (Z.of_nat k + 1) then sum - term' else sum + term').
Proof.
  intros (T0 & Te & Se & Small) term'. assert (X := x_unit). assert (Kp := K_pos).
  assert (D : (0 < b * (Z.of_nat k + 1))%Z) by nia. assert (F := floor_in (term * a) _ D). fold term' in F.
  assert (T0' : (0 <= term')%Z) by (apply Z.div_pos; [nia | auto]).
  assert (B : 0 < IZR b) by now apply IZR_lt.
  assert (I : IZR (Z.of_nat k + 1) = INR (S k)) by (rewrite INR_IZR_INZ; f_equal; lia).
  assert (I1 : 1 <= INR (S k)) by (apply (le_INR 1); lia).
  assert (Q : IZR (term * a) / IZR (b * (Z.of_nat k + 1)) = IZR term * x / INR (S k)).
  { rewrite !mult_IZR, I. unfold x. field. lra. }
  rewrite Q in F.
  assert (Un := U_next k). set (e := K * U k - IZR term) in *.
  assert (Ee : K * U (S k) - IZR term * x / INR (S k) = e * x / INR (S k)) by (rewrite Un; unfold e; field; lra).
  assert (Inv : 0 < / INR (S k)) by (apply Rinv_0_lt_compat; lra).
  assert (E1 : 0 <= K * U (S k) - IZR term' <= (if Nat.leb (S k) 1 then INR (S k) else 3 / 2)).
  { assert (E0 : 0 <= e * x / INR (S k)) by (apply Rmult_le_pos; [nra | lra]).
    split; [lra|]. assert (H : e * x / INR (S k) <= (if Nat.leb (S k) 1 then 0 else 1 / 2)); [|destruct (Nat.leb_spec (S k) 1)].
    - destruct k as [|[|k]].
      + cbn [Nat.leb] in *. simpl in Te. replace e with 0 by lra. unfold Rdiv. lra.
      + cbn [Nat.leb] in *. simpl INR in *. nra.
      + cbn [Nat.leb] in *. assert (3 <= INR (S (S (S k)))) by (rewrite !S_INR; assert (H := pos_INR k); lra).
        apply Rmult_le_reg_r with (INR (S (S (S k)))); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
    - replace k with 0%nat in * by lia. simpl in *. lra.
    - lra. }
  assert (E2 : K * U (S k) - IZR term' <= 3 / 2).
  { destruct (Nat.leb_spec (S k) 1); [|lra]. replace k with 0%nat in * by lia. simpl in *. lra. }
  repeat split; auto; try lra.
  - cbn [sum_f_R0]. unfold tg_alt at 2. rewrite S_INR. rewrite Z.add_1_r, <- Nat2Z.inj_succ.
    assert (P : (Z.odd (Z.of_nat (S k)) = true /\ (-1) ^ S k = -1) \/ (Z.odd (Z.of_nat (S k)) = false /\ (-1) ^ S k = 1)).
    { destruct (Nat.Even_or_Odd (S k)) as [[m M]|[m M]]; rewrite M; [right | left]; split.
      - rewrite Nat2Z.inj_mul, Z.odd_mul. reflexivity.
      - apply pow_1_even.
      - rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Z.odd_add, Z.odd_mul. reflexivity.
      - rewrite Nat.add_1_r. apply pow_1_odd. }
    destruct P as [[-> P]|[-> P]]; rewrite P; [rewrite minus_IZR | rewrite plus_IZR];
      apply Rabs_le; unfold Rabs in Se; destruct Rcase_abs in Se; lra.
  - assert (Le : (term' * (Z.of_nat k + 1) <= term)%Z).
    { assert (H : (b * (Z.of_nat k + 1) * term' <= term * a)%Z) by (apply Z.mul_div_le; auto). nia. }
    destruct k as [|k]; [rewrite Nat2Z.inj_0 in Le; unfold two_to at 1; simpl (2 ^ Z.of_nat 0)%Z|rewrite two_to_S; assert (Tp := two_to_pos k); nia].
    assert (U0 : K * U 0 = K) by (unfold U; simpl; field).
    unfold e in Te. rewrite U0 in Te.
    assert (H : IZR term <= IZR (two_to precision)) by (rewrite two_to_R; fold K; lra). apply le_IZR in H. lia.
Qed.

Lemma series_ends fuel : forall k term sum, on_course k term sum -> (precision + 2 <= fuel + k)%nat ->
  exists n sum', series fuel a b term sum (Z.of_nat k) = (sum', Z.of_nat n) /\ on_course n 0 sum' /\ (n <= fuel + k)%nat.
Proof.
  induction fuel as [|fuel IH]; intros k term sum C Le; cbn [series].
  - exists k, sum. split; [reflexivity|]. split; [|lia]. assert (term = 0)%Z; [|subst; auto].
    destruct C as (T0 & _ & _ & Small). destruct k as [|k]; [lia|].
    assert (H : (two_to precision * 2 <= two_to k)%Z).
    { replace k with (precision + 1 + (k - precision - 1))%nat by lia. rewrite !two_to_add.
      assert (Q1 := two_to_pos (k - precision - 1)). change (two_to 1) with 2%Z. assert (Q := two_to_pos precision). nia. }
    assert (Q := two_to_pos precision). nia.
  - destruct (Z.eqb_spec term 0) as [->|NZ]; [exists k, sum; split; [reflexivity|]; split; [auto | lia]|].
    assert (C' := on_course_next k term sum C). cbv zeta in *. replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) in * by lia.
    destruct (IH (S k) _ _ C' ltac:(lia)) as (n & sum' & H1 & H2 & H3). exists n, sum'. split; [exact H1|]. split; [auto | lia].
Qed.

Theorem enclose_exp_right : (8 <= precision)%nat -> let r := enclose_exp a b precision in
  IZR (fst r) <= K * exp (- x) <= IZR (snd r) /\ (0 <= fst r)%Z /\ (snd r - fst r <= 4 * (Z.of_nat precision + 3))%Z.
Proof.
  intros P8. unfold enclose_exp. assert (X := x_unit). assert (Kp := K_pos).
  assert (C : on_course 0 (two_to precision) (two_to precision)).
  { assert (U0 : U 0 = 1) by (unfold U; simpl; field). repeat split.
    - assert (H := two_to_pos precision). lia.
    - rewrite two_to_R, U0. fold K. lra.
    - rewrite two_to_R, U0. fold K. simpl. lra.
    - cbn [sum_f_R0]. unfold tg_alt. rewrite two_to_R, U0. fold K. simpl. rewrite Rabs_pos_eq; lra. }
  destruct (series_ends (precision + 3) 0 _ _ C ltac:(lia)) as (n & sum & H & (_ & Te & Se & _) & Ln).
  change (Z.of_nat 0) with 0%Z in H. rewrite H. cbn [fst snd]. assert (R := remainder n). assert (Un := U_next n). assert (N := U_nonneg n). assert (N1 := U_nonneg (S n)).
  destruct n as [|n].
  { exfalso. simpl in Te. unfold U in Te. simpl in Te. lra. }
  assert (Last : K * U (S (S n)) <= 1 / 2).
  { assert (I : INR (S (S n)) = INR n + 2) by (rewrite !S_INR; ring). assert (In := pos_INR n).
    assert (Q : K * U (S (S n)) * INR (S (S n)) = K * U (S n) * x) by (rewrite Un; field; lra).
    assert (Q1 : K * U (S n) * x <= K * U (S n)) by (assert (0 <= K * U (S n)) by (apply Rmult_le_pos; lra); nra).
    destruct n as [|n]; [simpl in Te; simpl INR in Q; lra|].
    replace (if Nat.leb (S (S n)) 1 then INR (S (S n)) else 3 / 2) with (3 / 2) in Te by reflexivity.
    rewrite I, S_INR in Q. assert (Inn := pos_INR n). assert (0 <= K * U (S (S (S n)))) by (apply Rmult_le_pos; lra). nra. }
  assert (R' : Rabs (K * exp (- x) - K * sum_f_R0 (tg_alt U) (S n)) <= 1 / 2).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq K) by lra.
    apply Rle_trans with (K * U (S (S n))); auto. apply Rmult_le_compat_l; lra. }
  assert (I : IZR (Z.of_nat (S n)) = INR (S n)) by (now rewrite INR_IZR_INZ).
  assert (I1 : 1 <= INR (S n)) by (apply (le_INR 1); lia).
  assert (Both : IZR sum - 2 * INR (S n) <= K * exp (- x) <= IZR sum + 2 * INR (S n)).
  { unfold Rabs in Se, R'. destruct Rcase_abs in Se; destruct Rcase_abs in R'; lra. }
  repeat split.
  - rewrite minus_IZR, mult_IZR, I. lra.
  - rewrite plus_IZR, mult_IZR, I. lra.
  - assert (E : / 3 <= exp (- x)).
    { apply Rle_trans with (exp (- (1))).
      - rewrite exp_Ropp. apply Rinv_le_contravar; [apply exp_pos | apply exp_le_3].
      - destruct (Req_dec x 1) as [X1|Ne]; [rewrite X1; lra|]. apply Rlt_le, exp_increasing. lra. }
    assert (L : (12 * (Z.of_nat precision + 3) <= two_to precision)%Z).
    { clear - P8. induction P8 as [|p P8 IH]; [vm_compute; congruence|]. rewrite two_to_S. lia. }
    assert (L' : 12 * IZR (Z.of_nat (S n)) <= K).
    { unfold K. rewrite <- two_to_R, <- mult_IZR. apply IZR_le. lia. }
    rewrite I in L'. assert (0 <= IZR (sum - 2 * Z.of_nat (S n))); [|now apply le_IZR].
    rewrite minus_IZR, mult_IZR, I. nra.
  - lia.
Qed.
End Series.

(** ** Bounds on a number times 2^precision *)
Section Powers.
Variable precision : nat.
Let K := two_to precision.

(** [b] bounds 2^precision [v], and its ends are not further apart than [e]. *)
Definition bounds_of (b : Z * Z) (v : R) : Prop :=
  IZR (fst b) <= IZR K * v <= IZR (snd b) /\ (0 <= fst b)%Z /\ 0 <= v <= 1.

Lemma K_positive : (0 < K)%Z.
Proof. apply two_to_pos. Qed.

Lemma K_real : 0 < IZR K.
Proof. apply IZR_lt, K_positive. Qed.

Lemma first_below b v : bounds_of b v -> (fst b <= K)%Z.
Proof. intros (B & _ & V). assert (Kp := K_real). apply le_IZR. nra. Qed.

Lemma second_nonneg b v : bounds_of b v -> (0 <= snd b)%Z.
Proof. intros (B & _ & V). assert (Kp := K_real). apply le_IZR. nra. Qed.

Lemma square_bounds b v : bounds_of b v -> bounds_of (square precision b) (v * v).
Proof.
  intros H. assert (S0 := second_nonneg b v H). destruct H as ((L & U) & F0 & V). assert (Kp := K_real). unfold square. fold K. split; [|split]; cbn [fst snd].
  - assert (F := floor_in (fst b * fst b) K K_positive). assert (C := ceiling_in (snd b * snd b) K K_positive).
    rewrite mult_IZR in F, C. apply IZR_le in F0, S0.
    assert (F1 : IZR (fst b) * IZR (fst b) / IZR K <= IZR K * (v * v)).
    { apply quotient_le; nra. }
    assert (C1 : IZR K * (v * v) <= IZR (snd b) * IZR (snd b) / IZR K).
    { apply quotient_ge; auto. assert (0 <= IZR K * v) by nra. nra. }
    lra.
  - apply Z.div_pos; [nia | apply K_positive].
  - nra.
Qed.

Lemma square_narrow b v e : bounds_of b v -> (snd b - fst b <= e)%Z -> (0 <= e)%Z -> (e * e <= K)%Z ->
  (snd (square precision b) - fst (square precision b) <= 2 * e + 3)%Z.
Proof.
  intros H E E0 EE. assert (F1 := first_below b v H). assert (S0 := second_nonneg b v H). destruct H as (B & F0 & V).
  assert (Kp := K_positive). unfold square, ceiling; cbn [fst snd]. fold K.
  assert (Q1 := Z.div_mod (fst b * fst b) K ltac:(lia)). assert (M1 := Z.mod_pos_bound (fst b * fst b) K Kp).
  assert (Q2 := Z.div_mod (- (snd b * snd b)) K ltac:(lia)). assert (M2 := Z.mod_pos_bound (- (snd b * snd b)) K Kp).
  set (f := (fst b * fst b / K)%Z) in *. set (g := (- (snd b * snd b) / K)%Z) in *.
  assert (D : (snd b * snd b - fst b * fst b <= e * (2 * K + e))%Z).
  { destruct (Z.le_gt_cases (snd b) (fst b)) as [L|L]; [nia|].
    assert (snd b + fst b <= 2 * K + e)%Z by lia. nia. }
  assert ((- g - f) * K < (2 * e + 4) * K)%Z by nia. nia.
Qed.

Lemma squared_bounds n : forall b v, bounds_of b v -> bounds_of (squared n precision b) (v ^ (2 ^ n)).
Proof.
  induction n as [|n IH]; intros b v H; cbn [squared]; [simpl; now rewrite Rmult_1_r|].
  replace (v ^ (2 ^ S n)) with ((v * v) ^ (2 ^ n)); [now apply IH, square_bounds|].
  replace (v * v) with (v ^ 2) by ring. rewrite <- pow_mult. reflexivity.
Qed.

Lemma squared_narrow n : forall b v e, bounds_of b v -> (snd b - fst b <= e)%Z -> (0 <= e)%Z ->
  (two_to n * (e + 3) * (two_to n * (e + 3)) <= K)%Z ->
  (snd (squared n precision b) - fst (squared n precision b) <= two_to n * (e + 3))%Z.
Proof.
  induction n as [|n IH]; intros b v e H E E0 EE; cbn [squared]; [change (two_to 0) with 1%Z; lia|].
  rewrite two_to_S in *. assert (T := two_to_pos n).
  replace (2 * two_to n * (e + 3))%Z with (two_to n * (2 * e + 3 + 3))%Z by ring.
  apply IH with (v * v); [now apply square_bounds | | lia | replace (2 * e + 3 + 3)%Z with (2 * (e + 3))%Z by ring; nia].
  apply square_narrow with v; auto. nia.
Qed.

(** Chances, as bounds on 2^width times a probability. *)
Definition chance_in (width : nat) (c : Z * Z) (p : R) : Prop := IZR (fst c) <= IZR (two_to width) * p <= IZR (snd c).

Lemma digit_chance width b v : bounds_of b v -> chance_in width (digit_bounds precision width b) (v / (1 + v)).
Proof.
  intros H. assert (S0 := second_nonneg b v H). destruct H as ((L & U) & F0 & V). assert (Kp := K_real). assert (W : 0 < IZR (two_to width)) by apply IZR_lt, two_to_pos.
  unfold chance_in, digit_bounds; cbn [fst snd]. fold K. assert (KZ := K_positive).
  assert (F := floor_in (fst b * two_to width) (K + fst b) ltac:(lia)). assert (C := ceiling_in (snd b * two_to width) (K + snd b) ltac:(lia)).
  rewrite mult_IZR, plus_IZR in F, C. apply IZR_le in F0, S0.
  assert (V1 : IZR (two_to width) * (v / (1 + v)) * (1 + v) = IZR (two_to width) * v) by (field; lra).
  set (q := IZR (two_to width) * (v / (1 + v))) in *.
  assert (Q0 : q = IZR (two_to width) - IZR (two_to width) / (1 + v)) by (unfold q; field; lra).
  split.
  - apply Rle_trans with (IZR (fst b) * IZR (two_to width) / (IZR K + IZR (fst b))); [lra|].
    apply quotient_le; [lra|].
    apply Rmult_le_reg_r with (1 + v); [lra|]. replace (q * (IZR K + IZR (fst b)) * (1 + v)) with ((q * (1 + v)) * (IZR K + IZR (fst b))) by ring.
    rewrite V1. nra.
  - apply Rle_trans with (IZR (snd b) * IZR (two_to width) / (IZR K + IZR (snd b))); [|lra].
    apply quotient_ge; [lra|].
    apply Rmult_le_reg_r with (1 + v); [lra|]. replace (q * (IZR K + IZR (snd b)) * (1 + v)) with ((q * (1 + v)) * (IZR K + IZR (snd b))) by ring.
    rewrite V1. nra.
Qed.

Lemma more_chance width b v : bounds_of b v -> chance_in width (more_bounds precision width b) v.
Proof.
  intros ((L & U) & F0 & V). assert (Kp := K_real). assert (W : 0 < IZR (two_to width)) by apply IZR_lt, two_to_pos.
  unfold chance_in, more_bounds; cbn [fst snd]. fold K.
  assert (F := floor_in (fst b * two_to width) K K_positive). assert (C := ceiling_in (snd b * two_to width) K K_positive).
  rewrite mult_IZR in F, C. split.
  - apply Rle_trans with (IZR (fst b) * IZR (two_to width) / IZR K); [lra|].
    apply quotient_le; nra.
  - apply Rle_trans with (IZR (snd b) * IZR (two_to width) / IZR K); [|lra].
    apply quotient_ge; nra.
Qed.

(** Bounds on v that are closer than 2^precision d / 2^width make chances that are closer than d + 2. *)
Lemma digit_narrow width b v d : bounds_of b v -> (fst b <= snd b)%Z -> ((snd b - fst b) * two_to width <= d * K)%Z ->
  (snd (digit_bounds precision width b) - fst (digit_bounds precision width b) <= d + 2)%Z.
Proof.
  intros H Or E. assert (S0 := second_nonneg b v H). destruct H as (B & F0 & V). assert (KZ := K_positive). assert (Kp := K_real).
  assert (W := two_to_pos width).
  unfold digit_bounds; cbn [fst snd]. fold K.
  assert (F := floor_in (fst b * two_to width) (K + fst b) ltac:(lia)). assert (C := ceiling_in (snd b * two_to width) (K + snd b) ltac:(lia)).
  rewrite mult_IZR, plus_IZR in F, C. apply IZR_le in F0, S0, Or, E. apply IZR_lt in W. rewrite !mult_IZR, minus_IZR in E.
  set (f := IZR (fst b)) in *. set (s := IZR (snd b)) in *. set (k := IZR K) in *. set (w := IZR (two_to width)) in *.
  assert (D : s * w / (k + s) - f * w / (k + f) <= IZR d).
  { replace (s * w / (k + s) - f * w / (k + f)) with (((s - f) * w) * (k / ((k + s) * (k + f)))) by (field; lra).
    apply Rle_trans with ((IZR d * k) * (/ k)); [|right; field; lra].
    apply Rmult_le_compat; try lra.
    - apply Rmult_le_pos; lra.
    - apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. nra.
    - apply quotient_le; [nra|]. apply Rmult_le_reg_l with k; auto.
      replace (k * (/ k * ((k + s) * (k + f)))) with ((k + s) * (k + f)) by (field; lra). nra. }
  apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR, minus_IZR, plus_IZR. lra.
Qed.

Lemma more_narrow width b d : ((snd b - fst b) * two_to width <= d * K)%Z ->
  (snd (more_bounds precision width b) - fst (more_bounds precision width b) <= d + 2)%Z.
Proof.
  intros E. assert (Kp := K_real). unfold more_bounds; cbn [fst snd]. fold K.
  assert (F := floor_in (fst b * two_to width) K K_positive). assert (C := ceiling_in (snd b * two_to width) K K_positive).
  rewrite mult_IZR in F, C. apply IZR_le in E. rewrite !mult_IZR, minus_IZR in E.
  assert (D : IZR (snd b) * IZR (two_to width) / IZR K - IZR (fst b) * IZR (two_to width) / IZR K <= IZR d).
  { unfold Rdiv. rewrite <- Rmult_minus_distr_r. apply quotient_le; lra. }
  apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR, minus_IZR, plus_IZR. lra.
Qed.
End Powers.

(** ** The chances of a scale numerator / denominator *)
Lemma bit_length_above z : (z < two_to (bit_length z))%Z.
Proof.
  unfold bit_length, two_to. destruct (Z.leb_spec z 0); [simpl; lia|]. assert (L := Z.log2_spec z ltac:(lia)).
  assert (N := Z.log2_nonneg z). rewrite Z2Nat.id, Z.add_1_r by lia. apply L.
Qed.

Section Chances.
Variables num den : Z.
Hypothesis num_pos : (0 < num)%Z.
Hypothesis den_pos : (0 < den)%Z.
Variable n_digits : nat.
Let q := exp (- (IZR den / IZR num)).
Let halved := halvings num den.

(** The probabilities that [enclose_chances] bounds. *)
Definition chances : list R :=
  map (fun k => q ^ (2 ^ k) / (1 + q ^ (2 ^ k))) (seq 0 n_digits) ++ [q / (1 + q); q ^ (2 ^ n_digits)].

Lemma q_in : 0 < q < 1.
Proof.
  apply IZR_lt in num_pos as N. apply IZR_lt in den_pos as D. unfold q. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing.
  assert (0 < IZR den / IZR num) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

(** The series is asked for exp of a number of at most 1, and the root of q is squared up to q. *)
Let root := exp (- (IZR den / IZR (num * two_to halved))).

Lemma halved_enough : (0 <= den <= num * two_to halved)%Z.
Proof.
  assert (H := bit_length_above (den / num)). fold (halvings num den) in H. fold halved in H.
  assert (D := Z.div_mod den num ltac:(lia)). assert (M := Z.mod_pos_bound den num num_pos). nia.
Qed.

Lemma root_power : root ^ (2 ^ halved) = q.
Proof.
  unfold root, q. assert (T := two_to_pos halved). apply IZR_lt in T, num_pos as N.
  assert (P : forall x n, exp x ^ n = exp (INR n * x)).
  { intros x n. induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|]. cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
  rewrite P. f_equal. rewrite mult_IZR, two_to_R in *. rewrite pow_INR. change (INR 2) with 2. field. lra.
Qed.

Section Width.
Variable width : nat.
Let precision := (width + halved + n_digits + 12)%nat.
Let b := squared halved precision (enclose_exp den (num * two_to halved) precision).

Lemma root_bounds : bounds_of precision (enclose_exp den (num * two_to halved) precision) root /\
  (snd (enclose_exp den (num * two_to halved) precision) - fst (enclose_exp den (num * two_to halved) precision) <= 4 * (Z.of_nat precision + 3))%Z.
Proof.
  assert (T := two_to_pos halved).
  destruct (enclose_exp_right den (num * two_to halved) halved_enough ltac:(nia) precision ltac:(unfold precision; lia)) as (H & F & E).
  split; auto. split; [rewrite two_to_R; exact H|]. split; auto.
  assert (D := den_pos). assert (M : (0 < num * two_to halved)%Z) by nia. apply IZR_lt in D, M. unfold root. split; [apply Rlt_le, exp_pos|].
  rewrite <- exp_0. apply Rlt_le, exp_increasing. assert (0 < IZR den / IZR (num * two_to halved)) by (apply Rdiv_lt_0_compat; lra). lra.
Qed.

Lemma b_bounds : bounds_of precision b q.
Proof. rewrite <- root_power. apply squared_bounds, root_bounds. Qed.

Lemma digits_right n : forall c v, bounds_of precision c v ->
  Forall2 (chance_in width) (digits_bounds n precision width c) (map (fun k => v ^ (2 ^ k) / (1 + v ^ (2 ^ k))) (seq 0 n)).
Proof.
  induction n as [|n IH]; intros c v H; cbn [digits_bounds seq map]; [constructor|]. constructor.
  - simpl. rewrite Rmult_1_r. now apply digit_chance.
  - rewrite <- seq_shift, map_map. replace (map _ (seq 0 n)) with (map (fun k => (v * v) ^ (2 ^ k) / (1 + (v * v) ^ (2 ^ k))) (seq 0 n)).
    + apply IH. now apply square_bounds.
    + apply map_ext. intros k. replace ((v * v) ^ (2 ^ k)) with (v ^ (2 ^ S k)); auto.
      replace (v * v) with (v ^ 2) by ring. rewrite <- pow_mult. reflexivity.
Qed.

Theorem enclose_chances_right : Forall2 (chance_in width) (enclose_chances num den n_digits width) chances.
Proof.
  unfold enclose_chances, chances. fold halved. fold precision. fold b. assert (B := b_bounds).
  apply Forall2_app; [now apply digits_right|]. constructor; [now apply digit_chance|]. constructor; [now apply more_chance, squared_bounds | constructor].
Qed.
End Width.

(** With enough bits, bounds are closer than half the numbers that half of the bits can give. *)
Lemma half_exponential n : (72 <= n)%nat -> (Z.of_nat n * Z.of_nat n <= two_to n)%Z.
Proof.
  intros L. induction L as [|n L IH]; [vm_compute; congruence|]. rewrite two_to_S. nia.
Qed.

Theorem enclose_chances_narrow half : (72 <= half)%nat -> (n_digits + halved + 7 <= half)%nat ->
  Forall (fun c => 2 * (snd c - fst c) <= two_to half)%Z (enclose_chances num den n_digits (half + half)).
Proof.
  intros Least Wide.
  set (width := (half + half)%nat). set (precision := (width + halved + n_digits + 12)%nat).
  set (e := (4 * (Z.of_nat precision + 3))%Z).
  assert (E3 : (e + 3 <= 16 * Z.of_nat half)%Z) by (unfold e, precision, width; lia).
  assert (Sq := half_exponential half ltac:(lia)). assert (Th := two_to_pos half).
  assert (Size : forall s, (s <= halved + n_digits)%nat -> (two_to s * (e + 3) * (two_to s * (e + 3)) <= two_to precision)%Z).
  { intros s Ls. replace precision with (s + s + (half + 8 + (precision - (s + s + half + 8))))%nat by (unfold precision, width; lia).
    rewrite !two_to_add. assert (T := two_to_pos s). change (two_to 8) with 256%Z.
    assert (T' := two_to_pos (precision - (s + s + half + 8))).
    assert (Q : ((e + 3) * (e + 3) <= two_to half * 256)%Z) by nia.
    replace (two_to s * (e + 3) * (two_to s * (e + 3)))%Z with (two_to s * two_to s * ((e + 3) * (e + 3)))%Z by ring.
    apply Z.mul_le_mono_nonneg_l; [clear - T; nia|]. clear - Q T' Th. set (d := two_to (precision - _)) in *. nia. }
  assert (Close : forall s c, (s <= halved + n_digits)%nat -> (snd c - fst c <= two_to s * (e + 3))%Z ->
    ((snd c - fst c) * two_to width <= (e + 3) * two_to precision)%Z).
  { intros s c Ls H. replace precision with (s + width + (precision - (s + width)))%nat by (unfold precision, width; lia).
    rewrite !two_to_add. assert (T := two_to_pos s). assert (T1 := two_to_pos width). assert (T2 := two_to_pos (precision - (s + width))).
    assert (0 <= e)%Z by (unfold e; lia). apply Z.le_trans with (two_to s * (e + 3) * two_to width)%Z; [apply Z.mul_le_mono_nonneg_r; lia|].
    replace ((e + 3) * (two_to s * two_to width * two_to (precision - (s + width))))%Z
      with (two_to s * (e + 3) * two_to width * two_to (precision - (s + width)))%Z by ring.
    rewrite <- (Z.mul_1_r (two_to s * (e + 3) * two_to width)) at 1. apply Z.mul_le_mono_nonneg_l; [|lia].
    apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg|]; lia. }
  assert (Final : (2 * (e + 3 + 2) <= two_to half)%Z) by nia.
  destruct (root_bounds width) as [Rb Re]. fold precision in Rb, Re. fold e in Re.
  set (r := enclose_exp den (num * two_to halved) precision) in *.
  assert (E0 : (0 <= e)%Z) by (unfold e; lia).
  assert (Steps : forall s, (s <= halved + n_digits)%nat -> (snd (squared s precision r) - fst (squared s precision r) <= two_to s * (e + 3))%Z).
  { intros s Ls. apply squared_narrow with root; auto. }
  assert (Add : forall n m c, squared (n + m) precision c = squared m precision (squared n precision c)).
  { induction n as [|n IH]; intros m c; cbn [squared Nat.add]; auto. }
  assert (Bs : forall s, bounds_of precision (squared s precision r) (root ^ (2 ^ s))) by (intros; now apply squared_bounds).
  assert (Order : forall s, (fst (squared s precision r) <= snd (squared s precision r))%Z).
  { intros s. destruct (Bs s) as ((L & U) & _). apply le_IZR. lra. }
  assert (Digit : forall s, (s <= halved + n_digits)%nat ->
    (2 * (snd (digit_bounds precision width (squared s precision r)) - fst (digit_bounds precision width (squared s precision r))) <= two_to half)%Z).
  { intros s Ls. assert (D := digit_narrow precision width _ _ (e + 3) (Bs s) (Order s) (Close s _ Ls (Steps s Ls))). lia. }
  assert (Digits : forall n s, (s + n <= halved + n_digits)%nat ->
    Forall (fun c => 2 * (snd c - fst c) <= two_to half)%Z (digits_bounds n precision width (squared s precision r))).
  { induction n as [|n IH]; intros s Ls; cbn [digits_bounds]; constructor; [apply Digit; lia|].
    replace (square precision (squared s precision r)) with (squared (s + 1) precision r) by (now rewrite Add). apply IH. lia. }
  unfold enclose_chances. fold halved. fold precision. fold r. apply Forall_app. split; [apply Digits; lia|].
  constructor; [apply Digit; lia|]. constructor; [|constructor]. rewrite <- Add.
  assert (M := more_narrow precision width _ (e + 3) (Close _ _ (le_n _) (Steps _ (le_n _)))). lia.
Qed.

Lemma halvings_small : (den <= num * two_to 64)%Z -> (halved <= 65)%nat.
Proof.
  intros Small. assert (D : (den / num <= two_to 64)%Z) by (apply Z.div_le_upper_bound; auto).
  unfold halved, halvings, bit_length. destruct (Z.leb_spec (den / num) 0); [lia|].
  assert (L := Z.log2_le_mono _ _ D). change (Z.log2 (two_to 64)) with 64%Z in L. assert (N := Z.log2_nonneg (den / num)). lia.
Qed.
End Chances.
