(** * Samplers of geometric numbers

    | here                   | Python                                                                         |
    |------------------------|--------------------------------------------------------------------------------|
    | [count_successes]      | reference/privacy/samplers.py, [_sample_geometric]: the count of the upper part |
    | [by_digits]            | [_sample_geometric]: independent digits, and a count above them                |
    | [geometric_in_parts]   | fast/bits.py, [_signed_geometric]: digits, and the same again if there are more |

    The coins are any programs with the right laws; [Coins.lazy_coin_law] makes them from fair bits. *)
From Coq Require Import Reals Lra Psatz List Lia Arith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs Coins.
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

(** *** The recursion of fast

    fast draws a number of digits and whether there are more.  If there are, the digits above are those of one
    plus a geometric number again, which is drawn in the same way.  The loop's state is the weight of the next
    digit and the sum so far; the ratio of the number that is still to draw is x to the power of that weight. *)
Section Recursion.
Variable x : R.
Hypothesis x_in : 0 < x < 1.
Variable n_digits : nat -> nat.             (* the number of digits, by the weight of the first of them *)
Variable toss more : nat -> prog bool.      (* the coin of the digit of a weight, and that of more digits from it on *)
Hypothesis toss_law : forall w, (0 < w)%nat -> law_of (toss w) = coin (x ^ w / (1 + x ^ w)).
Hypothesis more_law : forall w, (0 < w)%nat -> law_of (more w) = coin (x ^ w).

(** One digit at a time: it adds its weight to the sum. *)
Fixpoint add_digits (n w a : nat) : prog (nat * nat) :=
  match n with
  | O => Ret (w, a)
  | S n' => Bind (toss w) (fun b => add_digits n' (2 * w) (a + w * digit b)%nat)
  end.

Definition draw_part (s : nat * nat) : prog ((nat * nat) + nat) :=
  Bind (add_digits (n_digits (fst s)) (fst s) (snd s)) (fun s' =>
  Bind (more (fst s')) (fun b => Ret (if b then inl (fst s', (snd s' + fst s')%nat) else inr (snd s')))).
Definition geometric_in_parts : prog nat := Loop draw_part (1, 0)%nat.

(** What is still to come: a geometric number of ratio x^w, times w, plus the sum so far. *)
Definition to_come (s : nat * nat) : nat -> R := bind (geometric (x ^ fst s)) (fun g => ret (snd s + fst s * g)%nat).

Lemma ratio_power_in w : (0 < w)%nat -> 0 < x ^ w < 1.
Proof. intros W. split; [apply pow_lt; lra | apply pow_lt_1_compat; [lra | lia]]. Qed.

Lemma geometric_sub w : (0 < w)%nat -> sub_law (geometric (x ^ w)).
Proof. intros W. assert (P := ratio_power_in w W). apply law_sub, geometric_law. lra. Qed.

Lemma to_come_law s : (0 < fst s)%nat -> law (to_come s).
Proof.
  intros W. assert (P := ratio_power_in _ W). apply bind_law; [apply geometric_law; lra | intros; apply ret_law].
Qed.

Lemma at_multiple (p : nat -> R) w a g : sub_law p -> (0 < w)%nat -> bind p (fun g => ret (a + w * g)%nat) (a + w * g)%nat = p g.
Proof.
  intros P W. apply bind_ret_point; auto. intros z Z. apply (Nat.mul_cancel_l z g w); lia.
Qed.

Lemma at_other (p : nat -> R) w a v b g : sub_law p -> (0 < v)%nat -> (forall z, a + w * z = b + v * g -> False)%nat ->
  bind p (fun z => ret (a + w * z)%nat) (b + v * g)%nat = 0.
Proof. intros P V F. apply bind_ret_nothing; auto. Qed.

(** A digit and what follows it make what was to come. *)
Lemma to_come_digit w a y : (0 < w)%nat ->
  to_come (w, a) y = bind (coin (x ^ w / (1 + x ^ w))) (fun b => to_come (2 * w, a + w * digit b)%nat) y.
Proof.
  intros W. assert (P := ratio_power_in w W). assert (G := geometric_sub w W).
  assert (P2 := ratio_power_in (2 * w) ltac:(lia)). assert (G2 := geometric_sub (2 * w) ltac:(lia)).
  assert (C : 0 <= x ^ w / (1 + x ^ w) <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + x ^ w); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite bind_coin by (auto; intros; apply law_sub, to_come_law; cbn; lia).
  unfold to_come; cbn [fst snd].
  assert (D : (exists g, y = a + w * g)%nat \/ (forall g, y <> a + w * g)%nat).
  { destruct (decide (exists g, y = a + w * g)%nat) as [H|H]; [now left | right]. intros g E. apply H. now exists g. }
  destruct D as [[g E]|D].
  - subst y. rewrite at_multiple by auto.
    assert (Y := Nat.div2_odd g). set (h := Nat.div2 g) in *. destruct (Nat.odd g); cbn [Nat.b2n] in Y; unfold digit; rewrite Y.
    + replace (a + w * (2 * h + 1))%nat with (a + w * 1 + 2 * w * h)%nat by ring. rewrite at_multiple by (auto; lia).
      rewrite at_other; auto; [|lia|].
      * unfold geometric. replace (2 * w)%nat with (w * 2)%nat by lia. rewrite (pow_mult x w 2), <- (pow_mult (x ^ w) 2 h), pow_add. cbn [pow]. field. lra.
      * intros z Z. assert (Q : (w * (2 * z) = w * (2 * h + 1))%nat) by nia. apply Nat.mul_cancel_l in Q; lia.
    + replace (a + w * (2 * h + 0))%nat with (a + w * 0 + 2 * w * h)%nat by ring. rewrite (at_multiple _ (2 * w)) by (auto; lia).
      rewrite at_other; auto; [|lia|].
      * unfold geometric. rewrite Nat.add_0_r. replace (2 * w)%nat with (w * 2)%nat by lia. rewrite (pow_mult x w 2), <- (pow_mult (x ^ w) 2 h). cbn [pow]. field. lra.
      * intros z Z. assert (Q : (w * (2 * z + 1) = w * (2 * h))%nat) by nia. apply Nat.mul_cancel_l in Q; lia.
  - rewrite !(bind_ret_nothing _ _ y); auto; try ring; intros z Z; unfold digit in Z.
    + apply (D (2 * z)%nat). rewrite <- Z. ring.
    + apply (D (1 + 2 * z)%nat). rewrite <- Z. ring.
Qed.

Lemma to_come_sub s : sub_law (to_come s).
Proof.
  destruct s as [[|w] a]; [|apply law_sub, to_come_law; cbn; lia].
  apply bind_sub; [|intros; apply ret_sub]. cbn [fst pow].
  assert (Z : forall k, geometric 1 k = 0) by (intros; unfold geometric; ring).
  split; [intros; rewrite Z; lra|]. intros l _. rewrite (lsum_ext _ (fun _ => 0 * 0)), lsum_scal by (intros; rewrite Z; ring). lra.
Qed.

Lemma add_digits_is_law n : forall w a, (0 < w)%nat -> law (law_of (add_digits n w a)).
Proof.
  induction n as [|n IH]; intros w a W; cbn [add_digits]; [rewrite law_of_ret'; apply ret_law|].
  assert (P := ratio_power_in w W). rewrite law_of_bind', toss_law by auto. apply bind_law.
  - apply coin_law. split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 + x ^ w); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - intros b. apply IH. lia.
Qed.

Lemma add_digits_weight n : forall w a s, (0 < w)%nat -> law_of (add_digits n w a) s <> 0 -> (0 < fst s)%nat.
Proof.
  induction n as [|n IH]; intros w a s W N; cbn [add_digits] in N.
  - rewrite law_of_ret' in N. unfold ret in N. destruct (decide ((w, a) = s)) as [<-|_]; [auto | congruence].
  - rewrite law_of_bind' in N. destruct (decide (0 < fst s)%nat) as [|F]; auto. exfalso. apply N.
    unfold bind. apply total_zero. intros b.
    destruct (decide (law_of (add_digits n (2 * w) (a + w * digit b)) s = 0)) as [Z|Z]; [rewrite Z; ring|].
    exfalso. apply F. eapply IH; [|exact Z]. lia.
Qed.

Lemma add_digits_law n : forall w a y, (0 < w)%nat -> bind (law_of (add_digits n w a)) to_come y = to_come (w, a) y.
Proof.
  induction n as [|n IH]; intros w a y W; cbn [add_digits].
  - rewrite law_of_ret'. apply bind_ret_left, to_come_sub.
  - rewrite law_of_bind', bind_assoc by (auto using to_come_sub, law_of_sub; intros; apply law_of_sub).
    rewrite to_come_digit, <- toss_law by auto. apply bind_ext; auto. intros b _. apply IH. lia.
Qed.

(** Whether there are more digits, and what follows. *)
Lemma to_come_more w a y : (0 < w)%nat ->
  to_come (w, a) y = x ^ w * to_come (w, (a + w)%nat) y + (1 - x ^ w) * ret a y.
Proof.
  intros W. assert (P := ratio_power_in w W). assert (G := geometric_sub w W). unfold to_come; cbn [fst snd]. unfold ret at 3.
  destruct (decide (exists g, y = a + w * g)%nat) as [[g E]|D].
  - subst y. rewrite at_multiple by auto. destruct g as [|g].
    + rewrite at_other; auto; [|intros z Z; nia]. destruct (decide (a = a + w * 0)%nat); [|lia]. unfold geometric. cbn [pow]. ring.
    + destruct (decide (a = a + w * S g)%nat); [nia|]. replace (a + w * S g)%nat with (a + w + w * g)%nat by ring.
      rewrite at_multiple by auto. unfold geometric. cbn [pow]. ring.
  - rewrite !(bind_ret_nothing _ _ y); auto.
    + destruct (decide (a = y)); [|ring]. exfalso. apply D. exists 0%nat. lia.
    + intros z Z. apply D. exists (1 + z)%nat. rewrite <- Z. ring.
    + intros z Z. apply D. now exists z.
Qed.

Lemma bind_more {A} s (k : (nat * nat) + nat -> A -> R) y : (0 < fst s)%nat -> (forall r, sub_law (k r)) ->
  bind (law_of (Bind (more (fst s)) (fun b => Ret (if b then inl (fst s, (snd s + fst s)%nat) else inr (snd s))))) k y =
  x ^ fst s * k (inl (fst s, (snd s + fst s)%nat)) y + (1 - x ^ fst s) * k (inr (snd s)) y.
Proof.
  intros W K. assert (P := ratio_power_in _ W). rewrite law_of_bind', more_law by auto.
  rewrite bind_assoc; auto; [|apply law_sub, coin_law; lra | intros; apply law_of_sub].
  rewrite bind_coin; [|lra | intros; apply bind_sub; auto; apply law_of_sub].
  now rewrite !law_of_ret', !bind_ret'.
Qed.

Lemma bind_part {A} s (k : (nat * nat) + nat -> A -> R) y : (0 < fst s)%nat -> (forall r, sub_law (k r)) ->
  bind (law_of (draw_part s)) k y = total (fun s' => law_of (add_digits (n_digits (fst s)) (fst s) (snd s)) s' *
    (x ^ fst s' * k (inl (fst s', (snd s' + fst s')%nat)) y + (1 - x ^ fst s') * k (inr (snd s')) y)).
Proof.
  intros W K. unfold draw_part. rewrite law_of_bind', bind_assoc by (auto using law_of_sub; intros; apply law_of_sub).
  unfold bind at 1. apply total_ext. intros s'.
  destruct (decide (law_of (add_digits (n_digits (fst s)) (fst s) (snd s)) s' = 0)) as [Z|Z]; [rewrite Z; ring|].
  f_equal. apply bind_more; auto. eapply add_digits_weight; eauto.
Qed.

Lemma part_is_law s : (0 < fst s)%nat -> law (law_of (draw_part s)).
Proof.
  intros W. apply law_total. split; [apply law_of_sub|].
  assert (B := total_law _ (add_digits_is_law (n_digits (fst s)) (fst s) (snd s) W)).
  unfold draw_part. rewrite law_of_bind', total_bind by (intros; apply law_of_sub). rewrite <- B. apply total_ext. intros s'.
  destruct (decide (law_of (add_digits (n_digits (fst s)) (fst s) (snd s)) s' = 0)) as [Z|Z]; [rewrite Z; ring|].
  assert (W' : (0 < fst s')%nat) by (eapply add_digits_weight; eauto). assert (P := ratio_power_in _ W').
  rewrite law_of_bind', more_law by auto. rewrite (total_law (bind _ _)); [ring|].
  apply bind_law; [apply coin_law; lra|]. intros b. rewrite law_of_ret'. apply ret_law.
Qed.

Theorem geometric_in_parts_law : law_of geometric_in_parts = geometric x.
Proof.
  apply functional_extensionality. intros y. set (good := fun s : nat * nat => (0 < fst s)%nat).
  assert (K : forall r, sub_law (continue to_come r)) by (intros; apply continue_sub, to_come_sub).
  assert (Inv : forall s s', good s -> law_of (draw_part s) (inl s') <> 0 -> good s').
  { intros s s' W N. destruct (decide (good s')) as [|F]; auto. exfalso. apply N.
    rewrite <- (bind_ret_right (law_of (draw_part s)) (inl s')) by apply law_of_sub.
    rewrite bind_part by (auto; intros; apply ret_sub). apply total_zero. intros t.
    destruct (decide (law_of (add_digits (n_digits (fst s)) (fst s) (snd s)) t = 0)) as [Z|Z]; [rewrite Z; ring|].
    assert (T : (0 < fst t)%nat) by (eapply add_digits_weight; eauto). unfold ret.
    destruct (decide (inl (fst t, (snd t + fst t)%nat) = inl s')) as [E|_].
    - exfalso. apply F. injection E as <-. exact T.
    - destruct (decide (inr (snd t) = inl s')) as [E|_]; [discriminate | ring]. }
  destruct (loop_law draw_part good to_come) with (s := (1, 0)%nat) as [_ E]; auto; try (unfold good; cbn; lia).
  - intros s W. now apply to_come_law.
  - intros [w a] z W. unfold good in W; cbn in W. rewrite bind_part by auto. cbn [fst snd].
    rewrite <- (add_digits_law (n_digits w)) by auto. unfold bind. apply total_ext. intros s'.
    destruct (decide (law_of (add_digits (n_digits w) w a) s' = 0)) as [Z|Z]; [rewrite Z; ring|]. f_equal.
    destruct s' as [w' a']. cbn [fst snd continue]. apply to_come_more. apply (add_digits_weight _ _ _ _ W Z).
  - set (p' := fun s => if decide (good s) then law_of (draw_part s) else ret (inr 0%nat)).
    assert (Same : forall m s, good s -> turns (fun s => law_of (draw_part s)) m s = turns p' m s).
    { induction m as [|m IH]; intros s W; [reflexivity|]. cbn [turns]. apply functional_extensionality. intros z.
      apply bind_ext; [intros r; unfold p'; destruct decide; [auto | contradiction]|].
      intros [s'|a] N; cbn [continue]; [|auto]. rewrite IH; auto. eapply Inv; eauto. }
    assert (Ends : Un_cv (fun m => total (turns p' m (1, 0)%nat)) 1).
    { apply ends_geometrically with (good := good) (c := 1 - x); [lra| | | |unfold good; cbn; lia].
      - intros s. unfold p'. destruct (decide (good s)); [now apply part_is_law | apply ret_law].
      - intros s s' W. unfold p'. destruct (decide (good s)); [now apply Inv | contradiction].
      - intros s W. unfold p'. destruct (decide (good s)) as [_|]; [|contradiction].
        set (stop := fun r : (nat * nat) + nat => exists a, r = inr a).
        assert (Q : prob (law_of (draw_part s)) stop = bind (law_of (draw_part s)) (fun r => ret (if decide (stop r) then true else false)) true).
        { rewrite <- image_bind by apply law_of_sub. unfold image. apply prob_ext; auto. intros r. destruct (decide (stop r)); intuition congruence. }
        rewrite Q, bind_part by (auto; intros; apply ret_sub).
        set (add := law_of (add_digits (n_digits (fst s)) (fst s) (snd s))).
        assert (A : law add) by now apply add_digits_is_law. assert (As := law_sub _ A).
        replace (1 - x) with ((1 - x) * total add) by (rewrite (total_law _ A); ring).
        rewrite <- (total_scal (1 - x) 1) by (auto; lra).
        assert (V : forall s', x ^ fst s' * ret (if decide (stop (inl (fst s', (snd s' + fst s')%nat))) then true else false) true +
           (1 - x ^ fst s') * ret (if decide (stop (inr (snd s'))) then true else false) true = 1 - x ^ fst s').
        { intros s'. unfold stop. destruct (decide (exists a, inl _ = inr a)) as [[z Z]|_]; [discriminate|].
          destruct (decide (exists a, inr (snd s') = inr a)) as [_|Z]; [|exfalso; apply Z; now exists (snd s')].
          unfold ret. destruct (decide (false = true)); [discriminate|]. destruct (decide (true = true)); [ring | congruence]. }
        apply Rle_trans with (total (fun s' => add s' * (1 - x ^ fst s'))); [|right; apply total_ext; intros s'; now rewrite V].
        apply total_mono with 1.
        + intros s'. assert (a := proj1 As s'). destruct (decide (add s' = 0)) as [Z|Z]; [rewrite Z; lra|].
          assert (W' : (0 < fst s')%nat) by (eapply add_digits_weight; eauto).
          rewrite Rmult_comm. apply Rmult_le_compat_l; auto.
          assert (x ^ fst s' <= x); [|lra]. destruct (fst s') as [|w]; [lia|]. cbn [pow].
          assert (x ^ w <= 1) by (rewrite <- (pow1 w); apply pow_incr; lra). nra.
        + apply bounded_le with (2 := As). intros s'. assert (a := proj1 As s').
          assert (0 <= x ^ fst s' <= 1).
          { split; [apply pow_le; lra|]. apply Rle_trans with (1 ^ fst s'); [apply pow_incr; lra | rewrite pow1; lra]. }
          nra. }
    intros eta Eta. destruct (Ends eta Eta) as [M H]. exists M. intros m L. rewrite Same by (unfold good; cbn; lia). now apply H.
  - rewrite E. unfold to_come; cbn [fst snd]. rewrite pow_1.
    rewrite (bind_ret_point _ _ y y); auto; [apply law_sub, geometric_law; lra | lia | intros; lia].
Qed.
End Recursion.
