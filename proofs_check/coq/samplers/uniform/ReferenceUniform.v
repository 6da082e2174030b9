(** * Uniform integers by rejection that reuses the rejected randomness

    Python: [sample_uniform_below] in reference/privacy/samplers.py.  The state is a value below a size.  If the
    size has reached n, a value below n is returned, and any other one is lowered, with the size, by n.  Otherwise
    a bit is appended.  Averaged over all values below the size, every result is equally likely. *)
From Coq Require Import Reals Lra Psatz List Lia Arith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs Coins UniformSamplers.
Import ListNotations.
Local Open Scope R_scope.

Section Recycling.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.

Definition recycle (s : nat * nat) : prog ((nat * nat) + nat) :=
  let '(size, value) := s in
  if Nat.leb n size then
    if Nat.ltb value n then Ret (inr value) else Ret (inl (size - n, value - n)%nat)
  else Bind Bit (fun b => Ret (inl (2 * size, 2 * value + digit b)%nat)).
Definition recycling_uniform : prog nat := Loop recycle (1, 0)%nat.

(** The results of at most [m] turns, and their sum over all values below a size. *)
Definition after (m : nat) (s : nat * nat) : nat -> R := turns (fun s => law_of (recycle s)) m s.
Definition over_values (size : nat) (g : nat -> R) : R := lsum g (seq 0 size).

Lemma after_sub m s : sub_law (after m s).
Proof. apply turns_sub. intros; apply law_of_sub. Qed.

Lemma continue_after m r : sub_law (continue (after m) r).
Proof. apply continue_sub. intros; apply after_sub. Qed.

Lemma after_return m size value : (n <= size)%nat -> (value < n)%nat -> after (S m) (size, value) = ret value.
Proof.
  intros L V. unfold after. cbn [turns recycle]. apply Nat.leb_le in L. apply Nat.ltb_lt in V. rewrite L, V, law_of_ret'.
  apply (bind_ret' (inr value) (continue (after m))), continue_after.
Qed.

Lemma after_lower m size value : (n <= size)%nat -> (n <= value)%nat -> after (S m) (size, value) = after m (size - n, value - n)%nat.
Proof.
  intros L V. unfold after. cbn [turns recycle]. apply Nat.leb_le in L. apply Nat.ltb_ge in V. rewrite L, V, law_of_ret'.
  apply (bind_ret' (inl (size - n, value - n)%nat) (continue (after m))), continue_after.
Qed.

Lemma after_bit m size value : (size < n)%nat ->
  after (S m) (size, value) = bind fair (fun b => after m (2 * size, 2 * value + digit b)%nat).
Proof.
  intros L. apply functional_extensionality. intros y. unfold after at 1. cbn [turns recycle]. apply Nat.leb_gt in L. rewrite L.
  rewrite law_of_bind', law_of_bit'. change (turns (fun s => law_of (recycle s)) m) with (after m).
  rewrite bind_assoc; [|apply law_sub, fair_law | intros; apply law_of_sub | apply continue_after].
  apply bind_ext; auto. intros b _. rewrite law_of_ret', bind_ret_left by apply continue_after. reflexivity.
Qed.

Lemma seq_from a b : seq a b = map (fun v => (a + v)%nat) (seq 0 b).
Proof.
  induction b as [|b IH]; auto. rewrite !seq_S, map_app, IH. reflexivity.
Qed.

Lemma over_values_app a b g : over_values (a + b) g = over_values a g + over_values b (fun v => g (a + v)%nat).
Proof. unfold over_values. rewrite seq_app, lsum_app, Nat.add_0_l, (seq_from a b), lsum_map. reflexivity. Qed.

Lemma over_values_double size g : over_values (2 * size) g = over_values size (fun v => g (2 * v + 1)%nat + g (2 * v)%nat).
Proof.
  induction size as [|k IH]; [reflexivity|].
  replace (2 * S k)%nat with (2 * k + 2)%nat by lia. rewrite over_values_app, IH.
  unfold over_values at 2. cbn [seq lsum]. unfold over_values. rewrite seq_S, lsum_app. cbn [lsum Nat.add].
  replace (2 * k + 0)%nat with (2 * k)%nat by lia. ring.
Qed.

Lemma over_values_le size g h : (forall v, (v < size)%nat -> g v <= h v) -> over_values size g <= over_values size h.
Proof. intros H. apply lsum_le. intros v V. apply in_seq in V. apply H. lia. Qed.

Lemma over_values_ext size g h : (forall v, (v < size)%nat -> g v = h v) -> over_values size g = over_values size h.
Proof. intros H. apply lsum_ext. intros v V. apply in_seq in V. apply H. lia. Qed.

(** ** No result is more likely than 1 / n, on average *)
Lemma after_le m : forall size y, over_values size (fun v => after m (size, v) y) <= INR size * uniform n y.
Proof.
  assert (Np : 0 < INR n) by now apply lt_0_INR.
  induction m as [|m IH]; intros size y.
  - unfold after. cbn [turns]. unfold over_values. rewrite lsum_constant.
    assert (0 <= INR size * uniform n y) by (apply Rmult_le_pos; auto using pos_INR, uniform_nonneg). lra.
  - destruct (Nat.lt_ge_cases size n) as [L|L].
    + rewrite (over_values_ext _ _ (fun v => / 2 * (after m (2 * size, 2 * v + 1)%nat y + after m (2 * size, 2 * v)%nat y))).
      * unfold over_values. rewrite lsum_scal. fold (over_values size (fun v => after m (2 * size, 2 * v + 1)%nat y + after m (2 * size, 2 * v)%nat y)).
        rewrite <- (over_values_double size (fun v => after m (2 * size, v)%nat y)).
        specialize (IH (2 * size)%nat y). rewrite mult_INR in IH. simpl (INR 2) in IH. lra.
      * intros v V. rewrite after_bit by auto. rewrite bind_fair by (intros; apply after_sub). unfold digit. rewrite Nat.add_0_r. lra.
    + replace size with (n + (size - n))%nat at 1 by lia. rewrite over_values_app.
      rewrite (over_values_ext n _ (fun v => ret v y)) by (intros v V; now rewrite after_return).
      rewrite (over_values_ext (size - n) _ (fun v => after m (size - n, v)%nat y)).
      2:{ intros v V. rewrite after_lower by lia. replace (n + v - n)%nat with v by lia. reflexivity. }
      specialize (IH (size - n)%nat y). rewrite minus_INR in IH by auto.
      assert (E : over_values n (fun v => ret v y) = INR n * uniform n y).
      { unfold over_values, uniform. destruct (Nat.ltb_spec y n) as [Y|Y].
        - replace (INR n * / INR n) with 1 by (field; lra).
          replace n with (y + (1 + (n - y - 1)))%nat by lia. rewrite !seq_app, !lsum_app. cbn [seq lsum Nat.add].
          rewrite !(lsum_ext (fun v => ret v y) (fun _ => 0)).
          + rewrite !lsum_constant. unfold ret. destruct (decide (y = y)); [ring | congruence].
          + intros v V. apply in_seq in V. unfold ret. destruct (decide (v = y)); [lia | auto].
          + intros v V. apply in_seq in V. unfold ret. destruct (decide (v = y)); [lia | auto].
        - rewrite (lsum_ext _ (fun _ => 0)), lsum_constant; [ring|].
          intros v V. apply in_seq in V. unfold ret. destruct (decide (v = y)); [lia | auto]. }
      rewrite E. lra.
Qed.

(** ** The sampler ends: two turns read at least one bit, which halves what is left *)
Definition left_over (m size : nat) : R := over_values size (fun v => 1 - total (after m (size, v))).

Lemma left_over_bit m size : (size < n)%nat -> left_over (S m) size = left_over m (2 * size) / 2.
Proof.
  intros L. unfold left_over. rewrite over_values_double.
  rewrite (over_values_ext _ _ (fun v => / 2 * (1 - total (after m (2 * size, 2 * v + 1)%nat) + (1 - total (after m (2 * size, 2 * v)%nat))))).
  - unfold over_values. rewrite lsum_scal. lra.
  - intros v V. rewrite after_bit by auto. rewrite total_bind by (try apply law_sub, fair_law; intros; apply after_sub).
    rewrite total_bool.
    + unfold fair, digit. rewrite Nat.add_0_r. lra.
    + intros b. apply Rmult_le_pos; [unfold fair; lra | apply total_nonneg with 1, after_sub].
Qed.

Lemma left_over_lower m size : (n <= size)%nat -> left_over (S m) size = left_over m (size - n).
Proof.
  intros L. unfold left_over. replace size with (n + (size - n))%nat at 1 by lia. rewrite over_values_app.
  rewrite (over_values_ext n _ (fun _ => 0)).
  - rewrite (over_values_ext (size - n) _ (fun v => 1 - total (after m (size - n, v)%nat))).
    + unfold over_values at 1. rewrite lsum_constant. ring.
    + intros v V. rewrite after_lower by lia. replace (n + v - n)%nat with v by lia. reflexivity.
  - intros v V. rewrite after_return by auto. rewrite (total_law _ (ret_law v)). ring.
Qed.

Lemma left_over_nonneg m size : 0 <= left_over m size.
Proof.
  apply lsum_nonneg. intros v _. assert (H := total_bounded 1 _ (after_sub m (size, v))). lra.
Qed.

Lemma left_over_halves j : forall size, (size < 2 * n)%nat -> left_over (2 * j) size <= INR (2 * n) * (1 / 2) ^ j.
Proof.
  induction j as [|j IH]; intros size L.
  - change (2 * 0)%nat with 0%nat. cbn [pow]. rewrite Rmult_1_r. apply Rle_trans with (over_values size (fun _ => 1)).
    + apply over_values_le. intros v _. assert (H := total_nonneg 1 _ (after_sub 0 (size, v))). lra.
    + unfold over_values. rewrite lsum_constant, seq_length, Rmult_1_l. apply le_INR. lia.
  - replace (2 * S j)%nat with (S (S (2 * j))) by lia. cbn [pow].
    assert (P : 0 <= INR (2 * n) * (1 / 2) ^ j) by (apply Rmult_le_pos; [apply pos_INR | apply pow_le; lra]).
    destruct (Nat.lt_ge_cases size n) as [S1|S1].
    + rewrite left_over_bit by auto. destruct (Nat.lt_ge_cases (2 * size) n) as [S2|S2].
      * rewrite left_over_bit by auto. assert (H := IH (2 * (2 * size))%nat ltac:(lia)). lra.
      * rewrite left_over_lower by auto. assert (H := IH (2 * size - n)%nat ltac:(lia)). lra.
    + rewrite left_over_lower by auto. rewrite left_over_bit by lia. assert (H := IH (2 * (size - n))%nat ltac:(lia)). lra.
Qed.

Theorem recycling_uniform_law : law_of recycling_uniform = uniform n.
Proof.
  assert (Np : 0 < INR n) by now apply lt_0_INR.
  assert (Up : forall y, law_of recycling_uniform y <= uniform n y).
  { intros y. apply (limit_le _ 1 (run_sub recycling_uniform)). intros m. cbn [run recycling_uniform].
    apply Rle_trans with (after m (1, 0)%nat y).
    - apply turns_mono; auto using run_sub, law_of_sub. intros; apply run_le.
    - assert (H := after_le m 1 y). unfold over_values in H. cbn in H. lra. }
  assert (Lo : forall j, 1 - INR (2 * n) * (1 / 2) ^ j <= total (law_of recycling_uniform)).
  { intros j. apply Rle_trans with (total (after (2 * j) (1, 0)%nat)).
    - assert (H := left_over_halves j 1 ltac:(lia)). unfold left_over, over_values in H. cbn [seq lsum] in H. lra.
    - apply total_mono with 1; [intros y; apply turns_le | apply law_of_sub]. }
  assert (One : 1 <= total (law_of recycling_uniform)).
  { apply le_epsilon. intros eta Eta. assert (N2 : 0 < INR (2 * n)) by (apply lt_0_INR; lia).
    destruct (pow_lt_1_zero (1 / 2) ltac:(rewrite Rabs_pos_eq; lra) (eta / INR (2 * n)) ltac:(now apply Rdiv_lt_0_compat)) as [J H].
    specialize (H J (le_n J)). rewrite Rabs_pos_eq in H by (apply pow_le; lra). specialize (Lo J).
    apply Rmult_lt_compat_l with (r := INR (2 * n)) in H; auto.
    replace (INR (2 * n) * (eta / INR (2 * n))) with eta in H by (field; lra). lra. }
  apply functional_extensionality. intros y. apply below_law_is_law; auto using law_of_sub, uniform_law.
Qed.
End Recycling.
