(** * A uniform choice by intervals of equal length

    Python: [sample_choice] in reference/privacy/samplers.py, with equal weights, as the reference chooses a split that does
    not look at the data.  The digits of a uniform number are read until they decide in which of n intervals it lies.
    After d digits it lies between c / 2^d and (c + 1) / 2^d. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia FunctionalExtensionality.
From Privboost Require Import Sums Law Programs Coins SplitLaws UniformSamplers Enclosures.
Import ListNotations.
Local Open Scope Z_scope.

Definition narrow_down (n : nat) (s : Z * nat) : prog ((Z * nat) + nat) :=
  let '(c, d) := s in
  let j := c * Z.of_nat n / two_to d in
  if (c + 1) * Z.of_nat n <=? (j + 1) * two_to d then Ret (inr (Z.to_nat j))
  else Bind Bit (fun b => Ret (inl (2 * c + (if b then 1 else 0), S d))).
Definition interval_choice (n : nat) : prog nat := Loop (narrow_down n) (0, 0%nat).

Section Choice.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Let m := Z.of_nat n.

(** The ends of intervals within the cell, in units of 1 / (n 2^d). *)
Definition end_of (c : Z) (d : nat) (j : Z) : Z := Z.max (c * m) (Z.min ((c + 1) * m) (j * two_to d)).
Definition part_of (s : Z * nat) (j : nat) : R :=
  if Nat.ltb j n then (IZR (end_of (fst s) (snd s) (Z.of_nat j + 1) - end_of (fst s) (snd s) (Z.of_nat j)) / IZR m)%R else 0%R.
Definition in_unit (s : Z * nat) : Prop := 0 <= fst s < two_to (snd s).

Local Open Scope R_scope.

Lemma m_pos : 0 < IZR m.
Proof. apply IZR_lt. unfold m. lia. Qed.

Lemma part_nonneg s j : 0 <= part_of s j.
Proof.
  unfold part_of. destruct (Nat.ltb j n); [|lra]. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, m_pos].
  apply IZR_le. unfold end_of. assert (T := two_to_pos (snd s)). nia.
Qed.

Lemma part_law s : in_unit s -> law (part_of s).
Proof.
  intros [C0 C1]. destruct s as [c d]; cbn [fst snd] in *. assert (Mp := m_pos). assert (M : (0 < m)%Z) by (unfold m; lia).
  set (p := fun j => IZR (end_of c d (Z.of_nat j + 1) - end_of c d (Z.of_nat j)) / IZR m).
  apply (below_law n p).
  - intros j J. assert (H := part_nonneg (c, d) j). unfold part_of in H; cbn [fst snd] in H. destruct (Nat.ltb_spec j n); [exact H | lia].
  - assert (Sum : forall k, lsum p (seq 0 k) = IZR (end_of c d (Z.of_nat k) - end_of c d 0) / IZR m).
    { induction k as [|k IH]; [cbn [seq lsum Z.of_nat]; rewrite Z.sub_diag; unfold Rdiv; ring|].
      rewrite seq_S, lsum_app, IH. cbn [lsum Nat.add]. unfold p. rewrite Nat2Z.inj_succ, <- Z.add_1_r, !minus_IZR. field. lra. }
    rewrite Sum. replace (end_of c d (Z.of_nat n) - end_of c d 0)%Z with m; [field; lra|]. unfold end_of. fold m. nia.
Qed.

Definition is_open (c : Z) (d : nat) : bool := negb ((c + 1) * m <=? (c * m / two_to d + 1) * two_to d)%Z.

Lemma open_then {A} c d (k : (Z * nat) + nat -> A -> R) z : is_open c d = true -> (forall r, sub_law (k r)) ->
  bind (law_of (narrow_down n (c, d))) k z = (k (inl (2 * c + 1, S d)%Z) z + k (inl (2 * c + 0, S d)%Z) z) / 2.
Proof.
  intros O K. unfold narrow_down. fold m. unfold is_open in O. apply Bool.negb_true_iff in O. rewrite O.
  rewrite law_of_bind', law_of_bit', bind_assoc; [| apply law_sub, fair_law | intros; apply law_of_sub | auto].
  rewrite bind_fair by (intros; apply bind_sub; auto using law_of_sub). now rewrite !law_of_ret', !bind_ret'.
Qed.

Lemma closed_then {A} c d (k : (Z * nat) + nat -> A -> R) : is_open c d = false -> (forall r, sub_law (k r)) ->
  bind (law_of (narrow_down n (c, d))) k = k (inr (Z.to_nat (c * m / two_to d))).
Proof.
  intros O K. unfold narrow_down. fold m. unfold is_open in O. apply Bool.negb_false_iff in O. rewrite O, law_of_ret'. now apply bind_ret'.
Qed.

Lemma part_equation c d z : in_unit (c, d) ->
  part_of (c, d) z = if is_open c d then (part_of (2 * c + 1, S d)%Z z + part_of (2 * c + 0, S d)%Z z) / 2 else ret (Z.to_nat (c * m / two_to d)) z.
Proof.
  intros [C0 C1]. cbn [fst snd] in *. assert (Mp := m_pos). assert (M : (0 < m)%Z) by (unfold m; lia). assert (T := two_to_pos d).
  destruct (is_open c d) eqn:O.
  - unfold part_of; cbn [fst snd]. destruct (Nat.ltb z n); [|lra]. set (j := Z.of_nat z).
    assert (E : (2 * (end_of c d (j + 1) - end_of c d j) =
      (end_of (2 * c + 1) (S d) (j + 1) - end_of (2 * c + 1) (S d) j) + (end_of (2 * c + 0) (S d) (j + 1) - end_of (2 * c + 0) (S d) j))%Z).
    { assert (H : forall j, (2 * end_of c d j = end_of (2 * c + 1) (S d) j + end_of (2 * c + 0) (S d) j - (2 * c + 1) * m)%Z).
      { intros i. unfold end_of. rewrite two_to_S. lia. }
      rewrite Z.mul_sub_distr_l, !H. ring. }
    apply (f_equal IZR) in E. rewrite mult_IZR, plus_IZR in E. apply Rmult_eq_reg_l with 2; [|lra].
    transitivity ((2 * IZR (end_of c d (j + 1) - end_of c d j)) / IZR m); [unfold Rdiv; ring|]. rewrite E. field. lra.
  - unfold is_open in O. apply Bool.negb_false_iff, Z.leb_le in O.
    set (i := (c * m / two_to d)%Z) in *. assert (I := Z.mul_div_le (c * m) (two_to d) T). fold i in I.
    assert (I0 : (0 <= i)%Z) by (apply Z.div_pos; nia). assert (In : (i < m)%Z) by (apply Z.div_lt_upper_bound; nia).
    unfold part_of, ret; cbn [fst snd]. destruct (Nat.ltb_spec z n) as [L|L], (decide (Z.to_nat i = z)) as [<-|D].
    + rewrite Z2Nat.id by auto. replace (end_of c d (i + 1) - end_of c d i)%Z with m; [field; lra|]. unfold end_of. nia.
    + replace (end_of c d (Z.of_nat z + 1) - end_of c d (Z.of_nat z))%Z with 0%Z; [unfold Rdiv; ring|]. unfold end_of.
      destruct (Z.lt_total (Z.of_nat z) i) as [H|[H|H]]; [|lia|].
      * assert ((Z.of_nat z + 1) * two_to d <= c * m)%Z by nia. nia.
      * assert ((c + 1) * m <= Z.of_nat z * two_to d)%Z by nia. nia.
    + unfold m in In. lia.
    + lra.
Qed.

(** The number of ends strictly within a cell: the cell is open if there is one, and a child has at most those of its parent. *)
Definition ends_within (c : Z) (d : nat) : Z := (((c + 1) * m - 1) / two_to d - c * m / two_to d)%Z.

Lemma ends_nonneg c d : (0 <= ends_within c d)%Z.
Proof.
  assert (T := two_to_pos d). assert (M : (0 < m)%Z) by (unfold m; lia). unfold ends_within.
  assert (c * m / two_to d <= ((c + 1) * m - 1) / two_to d)%Z by (apply Z.div_le_mono; nia). lia.
Qed.

Lemma open_has_end c d : is_open c d = true -> (1 <= ends_within c d)%Z.
Proof.
  intros O. assert (T := two_to_pos d). unfold is_open in O. apply Bool.negb_true_iff, Z.leb_gt in O. unfold ends_within.
  assert (c * m / two_to d + 1 <= ((c + 1) * m - 1) / two_to d)%Z by (apply Z.div_le_lower_bound; nia). lia.
Qed.

Lemma ends_split c d : (ends_within (2 * c + 1) (S d) + ends_within (2 * c + 0) (S d) <= ends_within c d)%Z.
Proof.
  assert (T := two_to_pos d). assert (M : (0 < m)%Z) by (unfold m; lia). unfold ends_within. rewrite two_to_S.
  assert (E : ((2 * c + 0) * m / (2 * two_to d) = c * m / two_to d)%Z).
  { replace ((2 * c + 0) * m)%Z with (2 * (c * m))%Z by ring. rewrite Z.div_mul_cancel_l by lia. reflexivity. }
  assert (U : (((2 * c + 1 + 1) * m - 1) / (2 * two_to d) <= ((c + 1) * m - 1) / two_to d)%Z).
  { apply Z.lt_succ_r, Z.div_lt_upper_bound; [lia|]. assert (H := Z.mul_succ_div_gt ((c + 1) * m - 1) (two_to d) T). nia. }
  assert (V : (((2 * c + 0 + 1) * m - 1) / (2 * two_to d) <= (2 * c + 1) * m / (2 * two_to d))%Z) by (apply Z.div_le_mono; nia).
  lia.
Qed.

Lemma still_open k : forall c d, 1 - IZR (ends_within c d) / 2 ^ k <= total (turns (fun s => law_of (narrow_down n s)) (S k) (c, d)).
Proof.
  assert (Sub : forall s, sub_law (law_of (narrow_down n s))) by (intros; apply law_of_sub).
  assert (Cont : forall j r, sub_law (continue (turns (fun s => law_of (narrow_down n s)) j) r)) by (intros; apply continue_sub; intros; now apply turns_sub).
  assert (Closed : forall j c d, is_open c d = false -> total (turns (fun s => law_of (narrow_down n s)) (S j) (c, d)) = 1).
  { intros j c d O. cbn [turns]. rewrite closed_then by auto. apply total_law, ret_law. }
  assert (Pos : forall j c d, 0 <= IZR (ends_within c d) / 2 ^ j).
  { intros j c d. apply Rmult_le_pos; [apply IZR_le, ends_nonneg | apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra]. }
  induction k as [|k IH]; intros c d; destruct (is_open c d) eqn:O;
    try (rewrite Closed by auto; match goal with |- 1 - ?x <= 1 => assert (0 <= x) by apply Pos; lra end).
  - apply Rle_trans with 0; [|apply total_nonneg with 1; now apply turns_sub]. apply open_has_end, IZR_le in O. cbn [pow]. lra.
  - remember (S k) as k' eqn:Ek. cbn [turns].
    rewrite (total_ext _ (fun z => bind fair (fun b : bool => turns (fun s => law_of (narrow_down n s)) k' ((2 * c + if b then 1 else 0)%Z, S d)) z)).
    2:{ intros z. rewrite open_then by auto. rewrite bind_fair by (intros; now apply turns_sub). reflexivity. }
    rewrite total_bind by (try (intros; now apply turns_sub); apply law_sub, fair_law).
    rewrite total_bool by (intros b; apply Rmult_le_pos; [unfold fair; lra | apply total_nonneg with 1; now apply turns_sub]).
    unfold fair. subst k'. assert (A := IH (2 * c + 1)%Z (S d)). assert (B := IH (2 * c + 0)%Z (S d)).
    assert (E := ends_split c d). apply IZR_le in E. rewrite plus_IZR in E. assert (P : 0 < 2 ^ k) by (apply pow_lt; lra).
    assert (H : (IZR (ends_within (2 * c + 1) (S d)) / 2 ^ k + IZR (ends_within (2 * c + 0) (S d)) / 2 ^ k) / 2 <= IZR (ends_within c d) / 2 ^ S k).
    { cbn [pow]. apply Rmult_le_reg_r with (2 * 2 ^ k); [lra|]. field_simplify; lra. }
    lra.
Qed.

Theorem interval_choice_law : law_of (interval_choice n) = uniform n.
Proof.
  assert (Mp := m_pos). assert (M : (0 < m)%Z) by (unfold m; lia). apply functional_extensionality. intros z.
  assert (Child : forall c d b, in_unit (c, d) -> in_unit ((2 * c + if b : bool then 1 else 0)%Z, S d)).
  { intros c d b [H0 H1]. unfold in_unit; cbn [fst snd] in *. rewrite two_to_S. destruct b; lia. }
  destruct (loop_law (narrow_down n) in_unit part_of) with (s := (0%Z, 0%nat)) as [_ E].
  - apply part_law.
  - intros [c d] s' G N. destruct (decide (in_unit s')) as [|F]; auto. exfalso. apply N.
    rewrite <- (bind_ret_right (law_of _)) by apply law_of_sub. destruct (is_open c d) eqn:O.
    + rewrite open_then by (auto; intros; apply ret_sub). assert (C1 := Child c d true G). assert (C0 := Child c d false G). cbn iota in C1, C0.
      unfold ret. destruct (decide _) as [Q|_]; [injection Q as <-; contradiction|]. destruct (decide _) as [Q|_]; [injection Q as <-; contradiction | lra].
    + rewrite closed_then by (auto; intros; apply ret_sub). unfold ret. destruct decide; [discriminate | auto].
  - intros [c d] j G. rewrite part_equation by auto.
    set (q := fun s => if decide (in_unit s) then part_of s else fun _ => 0).
    assert (Q : forall s, sub_law (q s)) by (intros s; unfold q; destruct decide; [now apply law_sub, part_law | apply zero_sub]).
    assert (Good : forall s, in_unit s -> part_of s = q s) by (intros s H; unfold q; destruct decide; [auto | contradiction]).
    transitivity (bind (law_of (narrow_down n (c, d))) (continue q) j).
    + destruct (is_open c d) eqn:O.
      * rewrite open_then by (auto; intros; apply continue_sub; auto). cbn [continue].
        rewrite <- !Good by (first [exact (Child c d true G) | exact (Child c d false G)]). reflexivity.
      * rewrite closed_then by (auto; intros; apply continue_sub; auto). reflexivity.
    + apply bind_ext; auto. intros [s'|a] N; cbn [continue]; auto. unfold q. destruct (decide (in_unit s')) as [|F]; auto. exfalso. apply N.
      rewrite <- (bind_ret_right (law_of _)) by apply law_of_sub. destruct (is_open c d) eqn:O.
      * rewrite open_then by (auto; intros; apply ret_sub). assert (C1 := Child c d true G). assert (C0 := Child c d false G). cbn iota in C1, C0.
        unfold ret. destruct (decide _) as [R1|_]; [injection R1 as <-; contradiction|]. destruct (decide _) as [R1|_]; [injection R1 as <-; contradiction | lra].
      * rewrite closed_then by (auto; intros; apply ret_sub). unfold ret. destruct decide; [discriminate | auto].
  - split; cbn; lia.
  - intros eta Eta. assert (Bd : 0 < IZR (ends_within 0 0) + 1) by (assert (H := ends_nonneg 0 0); apply IZR_le in H; lra).
    destruct (pow_lt_1_zero (1 / 2) ltac:(rewrite Rabs_pos_eq; lra) (eta / (IZR (ends_within 0 0) + 1)) ltac:(now apply Rdiv_lt_0_compat)) as [K H].
    exists (S K). intros [|k] Lk; [lia|]. specialize (H k ltac:(lia)). rewrite Rabs_pos_eq in H by (apply pow_le; lra).
    assert (St := still_open k 0 0). assert (U : total (turns (fun s => law_of (narrow_down n s)) (S k) (0%Z, 0%nat)) <= 1)
      by (apply total_bounded, turns_sub; intros; apply law_of_sub).
    assert (P : 0 < 2 ^ k) by (apply pow_lt; lra). unfold Rdiv in H at 1. rewrite Rmult_1_l, pow_inv in H.
    apply Rmult_lt_compat_l with (r := IZR (ends_within 0 0) + 1) in H; auto.
    replace ((IZR (ends_within 0 0) + 1) * (eta / (IZR (ends_within 0 0) + 1))) with eta in H by (field; lra).
    assert (I : 0 < / 2 ^ k) by now apply Rinv_0_lt_compat. unfold Rdiv in St. unfold R_dist. apply Rabs_def1; nra.
  - unfold interval_choice. rewrite E. unfold part_of, uniform; cbn [fst snd]. destruct (Nat.ltb_spec z n); auto.
    unfold end_of. change (two_to 0) with 1%Z. replace (Z.max (0 * m) (Z.min ((0 + 1) * m) ((Z.of_nat z + 1) * 1)) - Z.max (0 * m) (Z.min ((0 + 1) * m) (Z.of_nat z * 1)))%Z
      with 1%Z by (unfold m; lia). unfold m. rewrite <- INR_IZR_INZ. unfold Rdiv. ring.
Qed.
End Choice.
