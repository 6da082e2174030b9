(** * Uniform integers by rejection

    | here              | Python                                                                            |
    |-------------------|-----------------------------------------------------------------------------------|
    | [draw_bits]       | fast/bits.py: [getrandbits]                                                       |
    | [uniform_below]   | fast/bits.py: [uniform_below], the quotient of a product, by rejection            |
    | [ratio_coin]      | fast/bits.py: [bernoulli]                                                         | *)
From Coq Require Import Reals Lra Psatz List Lia Arith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs Coins.
Import ListNotations.
Local Open Scope R_scope.

(** ** The uniform law *)
Definition uniform (n v : nat) : R := if Nat.ltb v n then / INR n else 0.

Lemma uniform_nonneg n v : 0 <= uniform n v.
Proof.
  unfold uniform. destruct (Nat.ltb_spec v n); [|lra]. apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. lia.
Qed.

Lemma lsum_constant {A} c (l : list A) : lsum (fun _ => c) l = c * INR (length l).
Proof. induction l as [|x l IH]; [simpl; ring|]. cbn [lsum length]. rewrite IH, S_INR. ring. Qed.

Lemma uniform_sum n : (0 < n)%nat -> lsum (uniform n) (seq 0 n) = 1.
Proof.
  intros N. rewrite (lsum_ext _ (fun _ => / INR n)), lsum_constant, seq_length.
  - field. apply not_0_INR. lia.
  - intros v V. apply in_seq in V. unfold uniform. destruct (Nat.ltb_spec v n); [auto | lia].
Qed.

(** A sum over a set is one over a list that has all members on which the function is not 0. *)
Lemma total_support {A} (g : A -> R) l : (forall x, 0 <= g x) -> NoDup l -> (forall x, g x <> 0 -> In x l) -> total g = lsum g l.
Proof.
  intros P N S. assert (B : bounded (lsum g l) g).
  { split; auto. intros l' N'.
    replace (lsum g l') with (lsum g (filter (fun x => if decide (g x = 0) then false else true) l')).
    - apply lsum_incl; auto; [now apply NoDup_filter|]. intros x X. apply filter_In in X. destruct X as [_ X].
      destruct (decide (g x = 0)); [discriminate | auto].
    - clear N'. induction l' as [|x l' IH]; simpl; auto. destruct (decide (g x = 0)) as [Z|Z]; simpl; rewrite IH; lra. }
  apply Rle_antisym; [now apply total_bounded | now apply total_ge with (lsum g l)].
Qed.

Lemma uniform_law n : (0 < n)%nat -> law (uniform n).
Proof.
  intros N. apply law_total.
  assert (T : total (uniform n) = 1).
  { rewrite (total_support _ (seq 0 n)); auto using uniform_nonneg, seq_NoDup, uniform_sum.
    intros v V. apply in_seq. unfold uniform in V. destruct (Nat.ltb_spec v n); [lia | congruence]. }
  split; auto. split; [apply uniform_nonneg|]. intros l D.
  rewrite <- (uniform_sum n N).
  replace (lsum (uniform n) l) with (lsum (uniform n) (filter (fun v => Nat.ltb v n) l)).
  - apply lsum_incl; [apply uniform_nonneg | now apply NoDup_filter|]. intros v V. apply filter_In in V.
    destruct V as [_ V]. apply Nat.ltb_lt in V. apply in_seq. lia.
  - clear D. induction l as [|v l IH]; cbn [lsum filter]; auto. destruct (Nat.ltb v n) eqn:E; cbn [lsum]; rewrite IH; [reflexivity|].
    replace (uniform n v) with 0 by (unfold uniform; now rewrite E). ring.
Qed.

(** ** Bits *)
Fixpoint draw_bits (width : nat) : prog nat :=
  match width with
  | O => Ret 0%nat
  | S w => Bind (draw_bits w) (fun v => Bind Bit (fun b => Ret (2 * v + digit b)%nat))
  end.

Theorem draw_bits_law w : law_of (draw_bits w) = uniform (2 ^ w).
Proof.
  induction w as [|w IH]; apply functional_extensionality; intros y; cbn [draw_bits].
  - rewrite law_of_ret'. unfold ret, uniform. simpl. destruct (decide (0%nat = y)), (Nat.ltb_spec y 1); try lia; auto. lra.
  - assert (N : (2 ^ w <> 0)%nat) by (apply Nat.pow_nonzero; lia).
    assert (U : sub_law (uniform (2 ^ w))) by (apply law_sub, uniform_law; lia).
    rewrite law_of_bind', IH. assert (Y := Nat.div2_odd y).
    assert (Row : forall v, law_of (Bind Bit (fun b => Ret (2 * v + digit b)%nat)) y = 1 / 2 * ret v (Nat.div2 y)).
    { intros v. rewrite law_of_bind', law_of_bit', bind_fair by (intros; apply law_of_sub). rewrite !law_of_ret'. unfold ret, digit.
      destruct (Nat.odd y); cbn [Nat.b2n] in Y; repeat match goal with |- context [decide ?P] => destruct (decide P) end; try lia; lra. }
    unfold bind. rewrite (total_ext _ (fun v => 1 / 2 * (uniform (2 ^ w) v * ret v (Nat.div2 y)))) by (intros v; rewrite Row; ring).
    rewrite (total_scal _ 1); [|lra | apply (column_bounded (uniform (2 ^ w)) ret); auto; intros; apply ret_sub].
    change (total (fun v => uniform (2 ^ w) v * ret v (Nat.div2 y))) with (bind (uniform (2 ^ w)) ret (Nat.div2 y)).
    rewrite bind_ret_right by auto. unfold uniform.
    assert (X : (2 ^ S w = 2 * 2 ^ w)%nat) by reflexivity. rewrite X. set (z := (2 ^ w)%nat) in *.
    destruct (Nat.ltb_spec (Nat.div2 y) z), (Nat.ltb_spec y (2 * z)); try (destruct (Nat.odd y); cbn [Nat.b2n] in Y; lia); [|ring].
    rewrite mult_INR. simpl (INR 2). field. apply not_0_INR. lia.
Qed.

(** ** Rejection: the quotient of v n by N = 2^width is kept if the remainder is at least N mod n *)
Section Rejection.
Variables n width : nat.
Hypothesis n_pos : (0 < n)%nat.
Hypothesis wide : (n <= 2 ^ width)%nat.       (* the code takes at least 72 bits more than n has *)
Let N := (2 ^ width)%nat.
Let m := (N / n)%nat.
Let t := (N mod n)%nat.

Definition accepted (v : nat) : bool := Nat.leb (N mod n) ((v * n) mod N).
Definition quotient (v : nat) : nat := ((v * n) / N)%nat.
Definition try_once (_ : unit) : prog (unit + nat) :=
  Bind (draw_bits width) (fun v => Ret (if accepted v then inr (quotient v) else inl tt)).
Definition uniform_below : prog nat := Loop try_once tt.

Lemma N_pos : (0 < N)%nat.
Proof. unfold N. assert (2 ^ width <> 0)%nat by (apply Nat.pow_nonzero; lia). lia. Qed.

Lemma N_split : (N = n * m + t /\ t < n)%nat.
Proof. unfold m, t. split; [apply Nat.div_mod; lia | apply Nat.mod_upper_bound; lia]. Qed.

Lemma m_pos : (0 < m)%nat.
Proof. unfold m. apply Nat.div_str_pos. unfold N in *. lia. Qed.

Definition hits (y v : nat) : bool := andb (accepted v) (Nat.eqb (quotient v) y).

Lemma hits_iff y v : hits y v = true <-> (y * N + t <= v * n < (y + 1) * N)%nat.
Proof.
  assert (P := N_pos). unfold hits, accepted, quotient. rewrite Bool.andb_true_iff, Nat.leb_le, Nat.eqb_eq. fold t.
  assert (D := Nat.div_mod (v * n) N ltac:(lia)). assert (M := Nat.mod_upper_bound (v * n) N ltac:(lia)).
  split.
  - intros [A B]. rewrite B in D. nia.
  - intros [A B]. assert (Q : ((v * n) / N = y)%nat).
    { symmetry. apply Nat.div_unique with (v * n - y * N)%nat; nia. }
    split; auto. rewrite Q in D. nia.
Qed.

(** Every quotient is kept for the same number [m] of values [v]: multiples of n in an interval of length n m. *)
Lemma hits_count y : (y < n)%nat -> lsum (fun v => if hits y v then 1 else 0) (seq 0 N) = INR m.
Proof.
  intros Y. destruct N_split as [E T]. assert (P := N_pos). assert (M := m_pos).
  set (c := ((y * N + t + n - 1) / n)%nat).
  assert (C : (n * c <= y * N + t + n - 1 < n * c + n)%nat).
  { unfold c. assert (D := Nat.div_mod (y * N + t + n - 1) n ltac:(lia)).
    assert (B := Nat.mod_upper_bound (y * N + t + n - 1) n ltac:(lia)). lia. }
  assert (H : forall v, hits y v = true <-> (c <= v < c + m)%nat).
  { intros v. rewrite hits_iff. split; intros [A B]; split; nia. }
  assert (Z : forall v, 0 <= (if hits y v then 1 else 0)) by (intros; destruct hits; lra).
  assert (S : lsum (fun v => if hits y v then 1 else 0) (seq c m) = INR m).
  { rewrite (lsum_ext _ (fun _ => 1)), lsum_constant, seq_length; [ring|].
    intros v V. apply in_seq in V. destruct (hits y v) eqn:Q; auto. exfalso. assert (hits y v = true) by (apply H; lia). congruence. }
  rewrite <- S. apply Rle_antisym.
  - replace (lsum (fun v => if hits y v then 1 else 0) (seq 0 N)) with (lsum (fun v => if hits y v then 1 else 0) (filter (hits y) (seq 0 N))).
    + apply lsum_incl; auto; [apply NoDup_filter, seq_NoDup|]. intros v V. apply filter_In in V. destruct V as [_ V].
      apply H in V. apply in_seq. lia.
    + generalize (seq 0 N) as l. induction l as [|v l IH]; simpl; auto. destruct (hits y v) eqn:Q; simpl; rewrite ?Q, IH; lra.
  - apply lsum_incl; auto using seq_NoDup. intros v V. apply in_seq in V. apply in_seq.
    assert (Q : hits y v = true) by (apply H; lia). apply hits_iff in Q. nia.
Qed.

Lemma lsum_swap {A B} (g : A -> B -> R) l l' : lsum (fun x => lsum (g x) l') l = lsum (fun y => lsum (fun x => g x y) l) l'.
Proof.
  induction l as [|x l IH]; cbn [lsum].
  - induction l' as [|y l' IH]; cbn [lsum]; lra.
  - rewrite IH, <- lsum_plus. reflexivity.
Qed.

Lemma accepted_count : lsum (fun v => if accepted v then 1 else 0) (seq 0 N) = INR n * INR m.
Proof.
  rewrite (lsum_ext _ (fun v => lsum (fun y => if hits y v then 1 else 0) (seq 0 n))).
  - rewrite lsum_swap. rewrite (lsum_ext _ (fun _ => INR m)), lsum_constant, seq_length; [ring|].
    intros y Y. apply in_seq in Y. apply hits_count. lia.
  - intros v V. apply in_seq in V. unfold hits. destruct (accepted v); cbn [andb].
    + assert (Q : (quotient v < n)%nat) by (unfold quotient; apply Nat.div_lt_upper_bound; [lia | nia]).
      rewrite (lsum_ext _ (fun y => if Nat.eqb y (quotient v) then 1 else 0)) by (intros; rewrite Nat.eqb_sym; reflexivity).
      replace n with (quotient v + (1 + (n - quotient v - 1)))%nat by lia.
      rewrite !seq_app, !lsum_app. cbn [seq lsum Nat.add]. rewrite Nat.eqb_refl.
      rewrite !(lsum_ext (fun y => if Nat.eqb y (quotient v) then 1 else 0) (fun _ => 0)).
      * rewrite !lsum_constant. ring.
      * intros y Y. apply in_seq in Y. destruct (Nat.eqb_spec y (quotient v)); [lia | auto].
      * intros y Y. apply in_seq in Y. destruct (Nat.eqb_spec y (quotient v)); [lia | auto].
    + rewrite lsum_constant. ring.
Qed.

Lemma bind_try {A} (k : unit + nat -> A -> R) y : (forall r, sub_law (k r)) ->
  bind (law_of (try_once tt)) k y = / INR N * lsum (fun v => k (if accepted v then inr (quotient v) else inl tt) y) (seq 0 N).
Proof.
  intros K. assert (P := N_pos). assert (U : sub_law (uniform N)) by now apply law_sub, uniform_law.
  unfold try_once. rewrite law_of_bind', draw_bits_law. fold N.
  rewrite bind_assoc by (auto; intros; apply law_of_sub). unfold bind at 1.
  rewrite (total_support _ (seq 0 N)); auto using seq_NoDup.
  - rewrite <- lsum_scal. apply lsum_ext. intros v V. apply in_seq in V. rewrite law_of_ret', bind_ret' by auto.
    unfold uniform. destruct (Nat.ltb_spec v N); [auto | lia].
  - intros v. apply Rmult_le_pos; [apply U|]. rewrite law_of_ret', bind_ret' by auto. apply K.
  - intros v V. apply in_seq. unfold uniform in V. destruct (Nat.ltb_spec v N); [lia|]. exfalso. apply V. ring.
Qed.

Lemma try_law u : law (law_of (try_once u)).
Proof.
  destruct u. unfold try_once. rewrite law_of_bind', draw_bits_law. apply bind_law; [now apply uniform_law, N_pos|].
  intros v. rewrite law_of_ret'. apply ret_law.
Qed.

Theorem uniform_below_law : law_of uniform_below = uniform n.
Proof.
  assert (P := N_pos). assert (NP : 0 < INR N) by now apply lt_0_INR. assert (Np : 0 < INR n) by now apply lt_0_INR.
  assert (MP : 0 < INR m) by (apply lt_0_INR, m_pos). assert (A := accepted_count).
  assert (Le : INR n * INR m <= INR N).
  { rewrite <- mult_INR. apply le_INR. destruct N_split. lia. }
  apply functional_extensionality. intros y.
  destruct (loop_law try_once (fun _ => True) (fun _ => uniform n)) with (s := tt) as [_ E]; auto.
  - intros _ _. now apply uniform_law.
  - intros [] z _. assert (K : forall r, sub_law (continue (fun _ : unit => uniform n) r)) by (intros; apply continue_sub; intros; now apply law_sub, uniform_law).
    rewrite bind_try by auto.
    rewrite (lsum_ext _ (fun v => (if hits z v then 1 else 0) + uniform n z * (1 + - 1 * (if accepted v then 1 else 0)))).
    + rewrite lsum_plus, lsum_scal, lsum_plus, lsum_scal, lsum_constant, seq_length, A. unfold uniform.
      destruct (Nat.ltb_spec z n).
      * rewrite hits_count by auto. field. lra.
      * rewrite (lsum_ext _ (fun _ => 0)), lsum_constant; [ring|]. intros v V. apply in_seq in V.
        destruct (hits z v) eqn:Q; auto. apply hits_iff in Q. nia.
    + intros v _. unfold hits. destruct (accepted v); cbn [continue andb]; [|ring]. unfold ret.
      destruct (decide (quotient v = z)), (Nat.eqb_spec (quotient v) z); try congruence; ring.
  - assert (C : 0 < INR n * INR m / INR N <= 1).
    { split; [apply Rdiv_lt_0_compat; nra|]. apply Rmult_le_reg_r with (INR N); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    apply ends_geometrically with (good := fun _ => True) (c := INR n * INR m / INR N); auto; [apply try_law|].
    intros [] _. set (stop := fun r : unit + nat => exists a, r = inr a).
    assert (Q : prob (law_of (try_once tt)) stop = bind (law_of (try_once tt)) (fun r => ret (if decide (stop r) then true else false)) true).
    { rewrite <- image_bind by apply law_of_sub. unfold image. apply prob_ext; auto. intros r. destruct (decide (stop r)); intuition congruence. }
    rewrite Q, bind_try by (intros; apply ret_sub). right. unfold Rdiv. rewrite Rmult_comm. f_equal.
    rewrite <- A. apply lsum_ext. intros v _. unfold ret, stop. destruct (accepted v).
    + destruct (decide (exists a, inr (quotient v) = inr a)) as [_|D]; [|exfalso; apply D; now exists (quotient v)].
      destruct (decide (true = true)); congruence.
    + destruct (decide (exists a, inl tt = inr a)) as [[a D]|_]; [discriminate|]. destruct (decide (false = true)); congruence.
Qed.

(** ** A coin of bias part / whole *)
Definition ratio_coin (part : nat) : prog bool := Bind uniform_below (fun v => Ret (Nat.ltb v part)).

Theorem ratio_coin_law part : (part <= n)%nat -> law_of (ratio_coin part) = coin (INR part / INR n).
Proof.
  intros L. assert (Np : 0 < INR n) by now apply lt_0_INR.
  assert (U : sub_law (uniform n)) by now apply law_sub, uniform_law.
  assert (T : law_of (ratio_coin part) true = INR part / INR n).
  { unfold ratio_coin. rewrite law_of_bind', uniform_below_law. unfold bind.
    rewrite (total_support _ (seq 0 part)); auto using seq_NoDup.
    - rewrite (lsum_ext _ (fun _ => / INR n)), lsum_constant, seq_length; [unfold Rdiv; ring|].
      intros v V. apply in_seq in V. rewrite law_of_ret'. unfold ret, uniform.
      destruct (Nat.ltb_spec v n), (Nat.ltb_spec v part); try lia. destruct (decide (true = true)); [ring | congruence].
    - intros v. apply Rmult_le_pos; [apply U | apply law_of_sub].
    - intros v V. apply in_seq. rewrite law_of_ret' in V. unfold ret in V. destruct (Nat.ltb_spec v part); [lia|].
      exfalso. apply V. destruct (decide (false = true)); [congruence | ring]. }
  assert (W : law (law_of (ratio_coin part))).
  { unfold ratio_coin. rewrite law_of_bind', uniform_below_law. apply bind_law; [now apply uniform_law|].
    intros v. rewrite law_of_ret'. apply ret_law. }
  apply functional_extensionality. intros [|]; [exact T|]. apply total_law in W.
  rewrite total_bool in W by (intros; apply law_of_sub). rewrite T in W. simpl. lra.
Qed.
End Rejection.
