(** * Coins of any bias, from fair bits

    The binary digits of a uniform number are compared with enclosures of the probability until they decide.

    | here                | Python                                                                       |
    |---------------------|------------------------------------------------------------------------------|
    | [lazy_coin]         | reference/privacy/samplers.py: [_count_below] for one boundary, [_toss]      |
    | [verdict]           | the comparison of a cell of digits with an enclosure of the probability      |
    | [count_successes]   | [_sample_geometric]: the digits above those drawn one by one                 | *)
From Coq Require Import Reals Lra Psatz List Lia Arith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs.
Import ListNotations.
Local Open Scope R_scope.

(** ** Equations between laws as functions *)
Lemma law_of_ret' {A} (a : A) : law_of (Ret a) = ret a.
Proof. apply functional_extensionality, law_of_ret. Qed.
Lemma law_of_bit' : law_of Bit = fair.
Proof. apply functional_extensionality, law_of_bit. Qed.
Lemma law_of_bind' {A B} (p : prog A) (k : A -> prog B) : law_of (Bind p k) = bind (law_of p) (fun x => law_of (k x)).
Proof. apply functional_extensionality, law_of_bind. Qed.
Lemma bind_ret' {A B} (a : A) (k : A -> B -> R) : (forall x, sub_law (k x)) -> bind (ret a) k = k a.
Proof. intros K. apply functional_extensionality. intros y. now apply bind_ret_left. Qed.
Lemma ret_sub {A} (a : A) : sub_law (ret a).
Proof. apply law_sub, ret_law. Qed.
Lemma total_law {A} (p : A -> R) : law p -> total p = 1.
Proof. intros L. apply law_total in L. apply L. Qed.
Lemma constant_cv c : Un_cv (fun _ => c) c.
Proof. intros e E. exists 0%nat. intros. now rewrite R_dist_eq. Qed.

(** ** The law of a coin *)
Definition coin (x : R) (b : bool) : R := if b then x else 1 - x.

Lemma coin_law x : 0 <= x <= 1 -> law (coin x).
Proof.
  intros X. apply law_intro.
  - intros []; simpl; lra.
  - intros l N. apply Rle_trans with (lsum (coin x) [true; false]); [|simpl; lra].
    apply lsum_incl; auto; [intros []; simpl; lra|]. intros [] _; simpl; auto.
  - intros eta E. exists [true; false]. split; [repeat constructor; simpl; intuition congruence | simpl; lra].
Qed.

Lemma bind_coin {A} x (k : bool -> A -> R) y : 0 <= x <= 1 -> (forall b, sub_law (k b)) ->
  bind (coin x) k y = x * k true y + (1 - x) * k false y.
Proof.
  intros X K. unfold bind. rewrite total_bool; [reflexivity|]. intros b. apply Rmult_le_pos; [|apply K].
  destruct b; simpl; lra.
Qed.

(** ** Lazy comparison of the digits of a uniform number with a probability *)
Section Lazy.
Variable p : R.
Hypothesis p_in : 0 <= p <= 1.

(** After [d] digits the uniform number lies in the cell from [c / 2^d] to [(c + 1) / 2^d].  The verdict on a cell
    is right when it is given, and it is given unless the cell is near to [p]. *)
Variable verdict : nat -> nat -> option bool.
Variable C : R.
Hypothesis says_below : forall c d, verdict c d = Some true -> (INR c + 1) / 2 ^ d <= p.
Hypothesis says_above : forall c d, verdict c d = Some false -> p <= INR c / 2 ^ d.
Hypothesis says_nothing : forall c d, verdict c d = None -> Rabs (INR c - p * 2 ^ d) <= C.

Definition digit (b : bool) : nat := if b then 1%nat else 0%nat.
Definition compare_digit (s : nat * nat) : prog ((nat * nat) + bool) :=
  let '(c, d) := s in
  match verdict c d with
  | Some b => Ret (inr b)
  | None => Bind Bit (fun b => Ret (inl (2 * c + digit b, S d)%nat))
  end.
Definition lazy_coin : prog bool := Loop compare_digit (0, 0)%nat.

(** The probability that the rest of the digits makes the number less than [p]. *)
Definition clamp (x : R) : R := Rmax 0 (Rmin 1 x).
Definition rest (s : nat * nat) : bool -> R := coin (clamp (p * 2 ^ snd s - INR (fst s))).

Lemma clamp_in x : 0 <= clamp x <= 1.
Proof. unfold clamp. split; [apply Rmax_l|]. apply Rmax_lub; [lra | apply Rmin_l]. Qed.

Lemma clamp_halves x : (clamp (2 * x) + clamp (2 * x - 1)) / 2 = clamp x.
Proof. unfold clamp, Rmax, Rmin. repeat destruct Rle_dec; lra. Qed.

Lemma two_pow d : 0 < 2 ^ d.
Proof. apply pow_lt. lra. Qed.

Lemma INR_child c b : INR (2 * c + digit b) = 2 * INR c + (if b then 1 else 0).
Proof. rewrite plus_INR, mult_INR. destruct b; simpl; lra. Qed.

Lemma undecided_body c d : verdict c d = None ->
  law_of (compare_digit (c, d)) = bind fair (fun b => ret (inl (2 * c + digit b, S d)%nat)).
Proof.
  intros V. unfold compare_digit. rewrite V, law_of_bind', law_of_bit'.
  f_equal. apply functional_extensionality. intros b. apply law_of_ret'.
Qed.

Lemma bind_undecided {A} c d (k : (nat * nat) + bool -> A -> R) y : verdict c d = None -> (forall r, sub_law (k r)) ->
  bind (law_of (compare_digit (c, d))) k y = (k (inl (2 * c + 1, S d)%nat) y + k (inl (2 * c, S d)%nat) y) / 2.
Proof.
  intros V K. rewrite undecided_body by auto.
  rewrite bind_assoc; auto using ret_sub; [|apply law_sub, fair_law].
  rewrite bind_fair by (intros; apply bind_sub; auto using ret_sub).
  rewrite !bind_ret' by auto. unfold digit. now rewrite Nat.add_0_r.
Qed.

Lemma bind_decided {A} c d b (k : (nat * nat) + bool -> A -> R) : verdict c d = Some b -> (forall r, sub_law (k r)) ->
  bind (law_of (compare_digit (c, d))) k = k (inr b).
Proof. intros V K. unfold compare_digit. rewrite V, law_of_ret'. now apply bind_ret'. Qed.

Lemma rest_sub s : sub_law (rest s).
Proof. apply law_sub, coin_law, clamp_in. Qed.

Lemma rest_equation s y : rest s y = bind (law_of (compare_digit s)) (continue rest) y.
Proof.
  destruct s as [c d]. assert (T := two_pow d). assert (K : forall r, sub_law (continue rest r)) by (intros; apply continue_sub, rest_sub).
  destruct (verdict c d) as [b|] eqn:V.
  - rewrite (bind_decided c d b) by auto. unfold rest, coin; cbn [fst snd continue].
    assert (E : clamp (p * 2 ^ d - INR c) = if b then 1 else 0).
    { unfold clamp. destruct b.
      - apply says_below in V. apply Rmult_le_compat_r with (r := 2 ^ d) in V; [|lra].
        replace ((INR c + 1) / 2 ^ d * 2 ^ d) with (INR c + 1) in V by (field; lra). rewrite Rmin_left, Rmax_right; lra.
      - apply says_above in V. apply Rmult_le_compat_r with (r := 2 ^ d) in V; [|lra].
        replace (INR c / 2 ^ d * 2 ^ d) with (INR c) in V by (field; lra). rewrite Rmin_right, Rmax_left; lra. }
    rewrite E. unfold ret. destruct (decide (b = y)) as [<-|N]; destruct b; try lra; destruct y; congruence || lra.
  - rewrite bind_undecided by auto. cbn [continue]. unfold rest, coin; cbn [fst snd].
    assert (E1 := clamp_halves (p * 2 ^ d - INR c)). 
    assert (X1 : p * 2 ^ S d - INR (2 * c + 1) = 2 * (p * 2 ^ d - INR c) - 1).
    { change 1%nat with (digit true). rewrite INR_child. cbn [pow]. lra. }
    assert (X0 : p * 2 ^ S d - INR (2 * c) = 2 * (p * 2 ^ d - INR c)) by (rewrite mult_INR; cbn [pow INR]; lra).
    rewrite X1, X0. destruct y; lra.
Qed.

(** Few cells stay undecided: at every depth their number is at most that of the cells within [C + 1] of [p]. *)
Definition near (e : nat) (x : R) : R := Rmax (p * 2 ^ e - (C + 1)) (Rmin (p * 2 ^ e + (C + 1)) x).

Lemma near_mono e x y : x <= y -> near e x <= near e y.
Proof. unfold near, Rmax, Rmin. repeat destruct Rle_dec; lra. Qed.

Lemma near_range e x y : 0 <= C -> near e y - near e x <= 2 * (C + 1).
Proof. unfold near, Rmax, Rmin. repeat destruct Rle_dec; lra. Qed.

Lemma still_running m : forall c d, 1 - (near (d + m) ((INR c + 1) * 2 ^ m) - near (d + m) (INR c * 2 ^ m)) / 2 ^ m <=
  total (turns (fun s => law_of (compare_digit s)) (S m) (c, d)).
Proof.
  assert (Sub : forall s, sub_law (law_of (compare_digit s))) by (intros; apply law_of_sub).
  assert (Decided : forall m c d b, verdict c d = Some b -> total (turns (fun s => law_of (compare_digit s)) (S m) (c, d)) = 1).
  { intros m' c d b V. cbn [turns]. rewrite (bind_decided c d b) by (auto; intros; apply continue_sub; intros; now apply turns_sub).
    apply total_law, ret_law. }
  assert (Small : forall e c k, 0 < k -> 0 <= (near e ((INR c + 1) * k) - near e (INR c * k)) / k).
  { intros e c k K. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; auto].
    assert (H := near_mono e (INR c * k) ((INR c + 1) * k) ltac:(nra)). lra. }
  induction m as [|m IH]; intros c d.
  - destruct (verdict c d) as [b|] eqn:V.
    + rewrite (Decided 0%nat c d b V). specialize (Small (d + 0)%nat c (2 ^ 0) ltac:(simpl; lra)). lra.
    + apply Rle_trans with 0; [|apply total_nonneg with 1; now apply turns_sub].
      apply says_nothing in V. rewrite Nat.add_0_r. cbn [pow]. rewrite !Rmult_1_r.
      assert (B : - C <= INR c - p * 2 ^ d <= C) by (unfold Rabs in V; destruct Rcase_abs in V; lra).
      unfold near, Rmax, Rmin. repeat destruct Rle_dec; lra.
  - destruct (verdict c d) as [b|] eqn:V.
    + rewrite (Decided (S m) c d b V). specialize (Small (d + S m)%nat c (2 ^ S m) (two_pow (S m))). lra.
    + remember (S m) as k eqn:Ek. cbn [turns].
      assert (K : forall r, sub_law (continue (turns (fun s => law_of (compare_digit s)) k) r))
        by (intros; apply continue_sub; intros; now apply turns_sub).
      rewrite (total_ext _ (fun y => bind fair (fun b => turns (fun s => law_of (compare_digit s)) k (2 * c + digit b, S d)%nat) y)).
      2:{ intros y. rewrite bind_undecided by auto. rewrite bind_fair by (intros; now apply turns_sub).
          unfold digit. rewrite Nat.add_0_r. reflexivity. }
      rewrite total_bind by (try (intros; now apply turns_sub); apply law_sub, fair_law).
      rewrite total_bool by (intros b; apply Rmult_le_pos; [unfold fair; lra | apply total_nonneg with 1; now apply turns_sub]).
      unfold fair, digit. rewrite Nat.add_0_r. subst k.
      assert (A := IH (2 * c + 1)%nat (S d)). assert (B := IH (2 * c)%nat (S d)).
      replace (S d + m)%nat with (d + S m)%nat in A, B by lia.
      assert (N1 : INR (2 * c + 1) = 2 * INR c + 1) by (rewrite plus_INR, mult_INR; simpl; lra).
      assert (N0 : INR (2 * c) = 2 * INR c) by (rewrite mult_INR; simpl; lra).
      rewrite N1 in A. rewrite N0 in B. cbn [pow].
      replace ((INR c + 1) * (2 * 2 ^ m)) with ((2 * INR c + 1 + 1) * 2 ^ m) by ring.
      replace (INR c * (2 * 2 ^ m)) with (2 * INR c * 2 ^ m) by ring.
      assert (T := two_pow m).
      set (x := near (d + S m) ((2 * INR c + 1 + 1) * 2 ^ m)) in *. set (y := near (d + S m) ((2 * INR c + 1) * 2 ^ m)) in *.
      set (z := near (d + S m) (2 * INR c * 2 ^ m)) in *.
      replace ((x - z) / (2 * 2 ^ m)) with (((x - y) / 2 ^ m + (y - z) / 2 ^ m) / 2) by (field; lra). lra.
Qed.

Theorem lazy_coin_law : law_of lazy_coin = coin p.
Proof.
  assert (C0 : 0 <= C \/ forall c d, verdict c d <> None).
  { destruct (Rle_dec 0 C); [auto|]. right. intros c d V. apply says_nothing in V.
    assert (H := Rabs_pos (INR c - p * 2 ^ d)). lra. }
  apply functional_extensionality. intros y.
  assert (L := loop_law compare_digit (fun _ => True) rest).
  destruct (L (fun s _ => coin_law _ (clamp_in _)) (fun _ _ _ _ => I) (fun s y _ => rest_equation s y) (0, 0)%nat I) as [_ E].
  - intros eta Eta. destruct C0 as [C0|Never].
    + assert (B : 0 < 2 * (C + 1)) by lra.
      destruct (pow_lt_1_zero (1 / 2) ltac:(rewrite Rabs_pos_eq; lra) (eta / (2 * (C + 1))) ltac:(apply Rdiv_lt_0_compat; lra)) as [N H].
      exists (S N). intros n Hn. destruct n as [|m]; [lia|]. specialize (H m ltac:(lia)).
      assert (S := still_running m 0 0). assert (R := near_range (0 + m) (INR 0 * 2 ^ m) ((INR 0 + 1) * 2 ^ m) C0).
      assert (U : total (turns (fun s => law_of (compare_digit s)) (Datatypes.S m) (0, 0)%nat) <= 1)
        by (apply total_bounded, turns_sub; intros; apply law_of_sub).
      assert (T := two_pow m). rewrite Rabs_pos_eq in H by (apply pow_le; lra).
      unfold Rdiv in H at 1. rewrite Rmult_1_l, pow_inv in H.
      assert (Q : (near (0 + m) ((INR 0 + 1) * 2 ^ m) - near (0 + m) (INR 0 * 2 ^ m)) / 2 ^ m <= 2 * (C + 1) * / 2 ^ m)
        by (apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | lra]).
      assert (W : 2 * (C + 1) * / 2 ^ m < eta).
      { apply Rmult_lt_compat_l with (r := 2 * (C + 1)) in H; auto.
        replace (2 * (C + 1) * (eta / (2 * (C + 1)))) with eta in H by (field; lra). exact H. }
      unfold R_dist. apply Rabs_def1; lra.
    + exists 1%nat. intros [|m] Hm; [lia|]. cbn [turns]. destruct (verdict 0 0) as [b|] eqn:V; [|now apply Never in V].
      rewrite (bind_decided 0 0 b) by (auto; intros; apply continue_sub; intros; apply turns_sub; intros; apply law_of_sub).
      cbn [continue]. rewrite (total_law _ (ret_law b)). now rewrite R_dist_eq.
  - rewrite E. unfold rest. cbn [fst snd pow INR]. f_equal. unfold clamp. rewrite Rmult_1_r, Rminus_0_r, Rmin_right, Rmax_right; lra.
Qed.
End Lazy.

(** Exact comparison is a verdict, so that there is a coin of every bias. *)
Definition exact_verdict (p : R) (c d : nat) : option bool :=
  if Rle_dec ((INR c + 1) / 2 ^ d) p then Some true else if Rle_dec p (INR c / 2 ^ d) then Some false else None.

Corollary exact_coin_law p : 0 <= p <= 1 -> law_of (lazy_coin (exact_verdict p)) = coin p.
Proof.
  intros P. apply lazy_coin_law with 1; auto; intros c d V; unfold exact_verdict in V; assert (T := two_pow d);
    destruct (Rle_dec ((INR c + 1) / 2 ^ d) p) as [A|A]; try discriminate; auto;
    destruct (Rle_dec p (INR c / 2 ^ d)) as [B|B]; try discriminate; auto.
  apply Rnot_le_lt in A, B.
  apply Rmult_lt_compat_r with (r := 2 ^ d) in A, B; auto.
  replace ((INR c + 1) / 2 ^ d * 2 ^ d) with (INR c + 1) in A by (field; lra).
  replace (INR c / 2 ^ d * 2 ^ d) with (INR c) in B by (field; lra).
  apply Rabs_le. lra.
Qed.
