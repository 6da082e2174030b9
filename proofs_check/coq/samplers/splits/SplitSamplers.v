(** * Splits that look at the data, as programs that a machine can run

    Exponents are quotients of whole numbers: candidate i has the exponent - (nth i xs) / y.

    | here                  | Python                                                                                    |
    |-----------------------|-------------------------------------------------------------------------------------------|
    | [exp_coin]            | reference/privacy/samplers.py, [sample_bernoulli_exp]                                     |
    | [choose_by_weight]    | the exponential mechanism, by rejection; the samplers of Python compare cumulative sums   |
    | [choose_in_turn]      | reference/privacy/samplers.py, [sample_permute_and_flip]                                  | *)
From Coq Require Import Reals Lra Psatz List ZArith Lia Arith FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Programs Coins UniformSamplers ReferenceUniform SplitLaws PermuteFlip Enclosures Together
  ReferenceSamplers.
Import ListNotations.

(** ** A coin of bias exp(- x / y) *)
Definition exp_coin (x y : Z) : prog bool :=
  if (x =? 0)%Z then Ret true else
  let least := (79 + halvings y x)%nat in
  bounded_coin least (chance_bound y x 0 least (enclose_chances y x 0 (least + least)) 1).

(** ** The programs, for exponents - x_i / y *)
Section Programs.
Variables (xs : list Z) (y : Z).

Definition try_candidate (_ : unit) : prog (unit + nat) :=
  Bind (recycling_uniform (length xs)) (fun i => Bind (exp_coin (nth i xs 0%Z) y) (fun b => Ret (if b then inr i else inl tt))).
Definition choose_by_weight : prog nat := Loop try_candidate tt.

(** A uniform one of those that remain is taken; if its coin fails it is gone. *)
Fixpoint try_in_turn (fuel : nat) (remaining : list nat) : prog nat :=
  match fuel, remaining with
  | S fuel', _ :: _ => Bind (recycling_uniform (length remaining)) (fun j =>
      let i := nth j remaining 0%nat in
      Bind (exp_coin (nth i xs 0%Z) y) (fun b => if b then Ret i else try_in_turn fuel' (remove Nat.eq_dec i remaining)))
  | _, _ => Ret (length xs)
  end.
Definition choose_in_turn : prog nat := try_in_turn (length xs) (seq 0 (length xs)).
End Programs.

Local Open Scope R_scope.

Theorem exp_coin_law x y : (0 <= x)%Z -> (0 < y)%Z -> law_of (exp_coin x y) = Coins.coin (exp (- (IZR x / IZR y))).
Proof.
  intros X Y. unfold exp_coin. destruct (Z.eqb_spec x 0) as [->|N].
  - rewrite law_of_ret'. replace (IZR 0 / IZR y) with 0 by (unfold Rdiv; ring). rewrite Ropp_0, exp_0.
    apply functional_extensionality. intros b. unfold ret, Coins.coin. destruct b, decide; congruence || lra.
  - set (least := (79 + halvings y x)%nat). assert (E : nth 1 (chances y x 0) 0 = exp (- (IZR x / IZR y))) by (cbn; ring).
    rewrite <- E. apply known_coin_law; auto; unfold least; try lia. rewrite E. split; [apply Rlt_le, exp_pos|].
    rewrite <- exp_0. apply exp_le. apply IZR_le in X. apply IZR_lt in Y.
    assert (0 <= IZR x / IZR y) by (apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]). lra.
Qed.

Lemma bind_uniform {C} n (k : nat -> C -> R) z : (0 < n)%nat -> (forall i, sub_law (k i)) ->
  bind (UniformSamplers.uniform n) k z = / INR n * lsum (fun i => k i z) (seq 0 n).
Proof.
  intros N K. assert (U := UniformSamplers.uniform_law n N). apply law_sub in U. unfold bind. rewrite (total_support _ (seq 0 n)); auto using seq_NoDup.
  - rewrite <- lsum_scal. apply lsum_ext. intros v V. apply in_seq in V. unfold UniformSamplers.uniform. destruct (Nat.ltb_spec v n); [auto | lia].
  - intros v. apply Rmult_le_pos; [apply U | apply K].
  - intros v V. apply in_seq. unfold UniformSamplers.uniform in V. destruct (Nat.ltb_spec v n); [lia|]. exfalso. apply V. ring.
Qed.

Section Laws.
Variables (xs : list Z) (y : Z).
Hypothesis some : (0 < length xs)%nat.
Hypothesis xs_nonneg : Forall (fun x => 0 <= x)%Z xs.
Hypothesis y_pos : (0 < y)%Z.
Let n := length xs.
Definition exponent_of (i : nat) : R := - (IZR (nth i xs 0%Z) / IZR y).
Let e (i : nat) : R := exp (exponent_of i).

Lemma x_nonneg i : (0 <= nth i xs 0)%Z.
Proof.
  destruct (Nat.lt_ge_cases i (length xs)) as [L|L]; [|now rewrite nth_overflow].
  rewrite Forall_forall in xs_nonneg. now apply xs_nonneg, nth_In.
Qed.

Lemma exponent_le i : exponent_of i <= 0.
Proof.
  assert (X := x_nonneg i). apply IZR_le in X. assert (Y := y_pos). apply IZR_lt in Y. unfold exponent_of.
  assert (0 <= IZR (nth i xs 0%Z) / IZR y) by (apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]). lra.
Qed.

Lemma e_in i : 0 < e i <= 1.
Proof. unfold e. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le, exponent_le. Qed.

Lemma toss_law i : law_of (exp_coin (nth i xs 0%Z) y) = Coins.coin (e i).
Proof. apply exp_coin_law; auto using x_nonneg. Qed.

Lemma toss_then {C} i (k : bool -> C -> R) z : (forall b, sub_law (k b)) ->
  bind (law_of (exp_coin (nth i xs 0%Z) y)) k z = e i * k true z + (1 - e i) * k false z.
Proof. intros K. rewrite toss_law. apply bind_coin; auto. assert (E := e_in i). lra. Qed.

(** ** The exponential mechanism, by rejection *)
Lemma try_then {C} (k : unit + nat -> C -> R) z : (forall r, sub_law (k r)) ->
  bind (law_of (try_candidate xs y tt)) k z = / INR n * lsum (fun i => e i * k (inr i) z + (1 - e i) * k (inl tt) z) (seq 0 n).
Proof.
  intros K. unfold try_candidate. rewrite bind_program, recycling_uniform_law by auto.
  rewrite bind_uniform; auto; [|intros; apply bind_sub; auto using law_of_sub]. f_equal. apply lsum_ext. intros i _.
  rewrite bind_program by auto. rewrite toss_then by (intros; apply bind_sub; auto using law_of_sub). now rewrite !bind_returned.
Qed.

Lemma try_law u : law (law_of (try_candidate xs y u)).
Proof.
  apply law_of_bind_law; [rewrite recycling_uniform_law by auto; now apply UniformSamplers.uniform_law|]. intros i.
  apply law_of_bind_law; [|intros; apply law_of_ret_law]. rewrite toss_law. apply coin_law. assert (E := e_in i). lra.
Qed.

Theorem choose_by_weight_law : law_of (choose_by_weight xs y) = exponential n exponent_of.
Proof.
  assert (Np : 0 < INR n) by now apply lt_0_INR.
  assert (Pp : 0 < partition n exponent_of) by now apply partition_pos.
  assert (Pe : lsum e (seq 0 n) = partition n exponent_of) by reflexivity.
  assert (Le : partition n exponent_of <= INR n).
  { rewrite <- Pe. replace (INR n) with (lsum (fun _ => 1) (seq 0 n)) by (rewrite lsum_constant, seq_length; ring). apply lsum_le. intros; apply e_in. }
  assert (Q : law (exponential n exponent_of)) by now apply exponential_law. assert (Qs := law_sub _ Q).
  apply functional_extensionality. intros z.
  destruct (loop_law (try_candidate xs y) (fun _ => True) (fun _ => exponential n exponent_of)) with (s := tt) as [_ E]; auto.
  - intros [] i _. rewrite try_then by (intros; apply continue_sub; auto). cbn [continue].
    rewrite (lsum_ext _ (fun j => e j * ret j i + exponential n exponent_of i * (1 + - 1 * e j))) by (intros; ring).
    rewrite lsum_plus, lsum_scal, lsum_plus, lsum_scal, lsum_constant, seq_length, Pe.
    assert (R1 : lsum (fun j => e j * ret j i) (seq 0 n) = partition n exponent_of * exponential n exponent_of i).
    { unfold exponential, below. destruct (Nat.ltb_spec i n) as [L|L].
      - replace n with (i + (1 + (n - i - 1)))%nat at 1 by lia. rewrite !seq_app, !lsum_app. cbn [seq lsum Nat.add].
        rewrite !(lsum_ext (fun j => e j * ret j i) (fun _ => 0)).
        + rewrite !lsum_constant. unfold ret. destruct (decide (i = i)); [|congruence]. unfold e. field. lra.
        + intros j J. apply in_seq in J. unfold ret. destruct (decide (j = i)); [lia | ring].
        + intros j J. apply in_seq in J. unfold ret. destruct (decide (j = i)); [lia | ring].
      - rewrite (lsum_ext _ (fun _ => 0)), lsum_constant; [ring|]. intros j J. apply in_seq in J. unfold ret. destruct (decide (j = i)); [lia | ring]. }
    rewrite R1. field. lra.
  - apply ends_geometrically with (good := fun _ => True) (c := partition n exponent_of / INR n); auto; [|apply try_law|].
    + split; [now apply Rdiv_lt_0_compat | apply quotient_le; lra].
    + intros [] _. set (stop := fun r : unit + nat => exists a, r = inr a).
      assert (Qp : prob (law_of (try_candidate xs y tt)) stop = bind (law_of (try_candidate xs y tt)) (fun r => ret (if decide (stop r) then true else false)) true).
      { rewrite <- image_bind by apply law_of_sub. unfold image. apply prob_ext; auto. intros r. destruct (decide (stop r)); intuition congruence. }
      rewrite Qp, try_then by (intros; apply ret_sub). right. unfold Rdiv. rewrite Rmult_comm. f_equal. rewrite <- Pe. apply lsum_ext. intros i _.
      unfold ret, stop. destruct (decide (exists a, inr i = inr a)) as [_|D]; [|exfalso; apply D; now exists i].
      destruct (decide (exists a, inl tt = inr a)) as [[a D]|_]; [discriminate|]. destruct (decide (true = true)); [|congruence].
      destruct (decide (false = true)); [congruence | ring].
Qed.

(** ** Permute-and-flip *)
Lemma lsum_nth {A} (g : A -> R) l d : lsum (fun j => g (nth j l d)) (seq 0 (length l)) = lsum g l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [length seq lsum]. rewrite <- seq_shift, lsum_map. cbn [nth]. now rewrite IH.
Qed.

Lemma lsum_out (g : nat -> R) i l : NoDup l -> In i l -> lsum g l = g i + lsum g (remove Nat.eq_dec i l).
Proof.
  induction 1 as [|x l NI N IH]; intros H; [contradiction|]. cbn [remove lsum]. destruct (Nat.eq_dec i x) as [->|D].
  - now rewrite notin_remove.
  - destruct H as [H|H]; [congruence|]. cbn [lsum]. rewrite (IH H). ring.
Qed.

Lemma remove_nodup i (l : list nat) : NoDup l -> NoDup (remove Nat.eq_dec i l).
Proof.
  induction 1 as [|x l NI N IH]; cbn [remove]; [constructor|]. destruct (Nat.eq_dec i x); auto. constructor; auto.
  intros H. apply in_remove in H. tauto.
Qed.

Lemma remove_length i (l : list nat) : NoDup l -> In i l -> S (length (remove Nat.eq_dec i l)) = length l.
Proof.
  induction 1 as [|x l NI N IH]; intros H; [contradiction|]. cbn [remove length]. destruct (Nat.eq_dec i x) as [->|D].
  - now rewrite notin_remove.
  - destruct H as [H|H]; [congruence|]. cbn [length]. now rewrite IH.
Qed.

Lemma turn_then fuel l i : (0 < length l)%nat ->
  law_of (try_in_turn xs y (S fuel) l) i = / INR (length l) * lsum (fun k => e k * ret k i + (1 - e k) * law_of (try_in_turn xs y fuel (remove Nat.eq_dec k l)) i) l.
Proof.
  intros L. rewrite <- (lsum_nth (fun k => e k * ret k i + (1 - e k) * law_of (try_in_turn xs y fuel (remove Nat.eq_dec k l)) i) l 0%nat).
  destruct l as [|x l]; [cbn in L; lia|]. set (l' := x :: l) in *.
  change (try_in_turn xs y (S fuel) l') with (Bind (recycling_uniform (length l')) (fun j =>
      Bind (exp_coin (nth (nth j l' 0%nat) xs 0%Z) y) (fun b => if b then Ret (nth j l' 0%nat) else try_in_turn xs y fuel (remove Nat.eq_dec (nth j l' 0%nat) l')))).
  rewrite law_of_bind', recycling_uniform_law, bind_uniform by (auto; intros; apply law_of_sub). f_equal.
  apply lsum_ext. intros j _. rewrite law_of_bind', toss_then by (intros; apply law_of_sub). now rewrite law_of_ret'.
Qed.

Lemma turn_nothing fuel i : law_of (try_in_turn xs y fuel []) i = ret n i.
Proof. destruct fuel; cbn [try_in_turn]; apply law_of_ret. Qed.

Lemma turn_outside fuel : forall l i, ~ In i l -> (i < n)%nat -> law_of (try_in_turn xs y fuel l) i = 0.
Proof.
  assert (Z : forall i, (i < n)%nat -> ret n i = 0) by (intros i I; unfold ret; destruct (decide (n = i)); [lia | auto]).
  induction fuel as [|fuel IH]; intros l i O I.
  - cbn [try_in_turn]. rewrite law_of_ret. auto.
  - destruct l as [|x l]; [rewrite turn_nothing; auto|]. rewrite turn_then by (cbn; lia).
    rewrite (lsum_ext _ (fun _ => 0)); [rewrite lsum_constant; ring|]. intros k K. unfold ret.
    destruct (decide (k = i)) as [->|_]; [contradiction|]. rewrite IH; auto; [ring|]. intros H. apply in_remove in H. tauto.
Qed.

Lemma turn_inside fuel : forall l i, NoDup l -> (length l <= fuel)%nat -> In i l -> (i < n)%nat ->
  law_of (try_in_turn xs y fuel l) i = e i * I (map e (remove Nat.eq_dec i l)).
Proof.
  induction fuel as [|fuel IH]; intros l i N L Hi B; [destruct l; [contradiction | cbn in L; lia]|].
  assert (Lp : (0 < length l)%nat) by (destruct l; [contradiction | cbn; lia]). assert (Ln : 0 < INR (length l)) by now apply lt_0_INR.
  assert (Rl := remove_length i l N Hi). assert (Rn := remove_nodup i l N).
  rewrite turn_then, (lsum_out _ i l N Hi), turn_outside; auto; [|intros H; apply in_remove in H; tauto].
  rewrite (lsum_ext _ (fun k => e i * ((1 - e k) * I (map e (remove Nat.eq_dec k (remove Nat.eq_dec i l)))))).
  - rewrite lsum_scal. assert (St := I_step (map e (remove Nat.eq_dec i l))). rewrite selects_map, (selects_remove _ Rn), !lsum_map, map_length in St.
    cbn [fst snd] in St. replace (INR (length (remove Nat.eq_dec i l)) + 1) with (INR (length l)) in St by (rewrite <- Rl, S_INR; ring).
    unfold ret. destruct (decide (i = i)); [|congruence].
    apply Rmult_eq_reg_l with (INR (length l)); [|lra]. rewrite <- Rmult_assoc, Rinv_r by lra.
    replace (INR (length l) * (e i * I (map e (remove Nat.eq_dec i l)))) with (e i * (INR (length l) * I (map e (remove Nat.eq_dec i l)))) by ring.
    rewrite St. ring.
  - intros k K. apply in_remove in K. destruct K as [K D]. unfold ret. destruct (decide (k = i)); [congruence|].
    assert (Rk := remove_length k l N K). rewrite IH; auto using remove_nodup; [|lia|].
    + rewrite remove_remove_comm. ring.
    + apply in_in_remove; auto.
Qed.

Lemma turn_law fuel : forall l, law (law_of (try_in_turn xs y fuel l)).
Proof.
  induction fuel as [|fuel IH]; intros l; [apply law_of_ret_law|]. destruct l as [|x l]; [apply law_of_ret_law|]. cbn [try_in_turn].
  apply law_of_bind_law; [rewrite recycling_uniform_law by (cbn; lia); apply UniformSamplers.uniform_law; cbn; lia|]. intros j.
  apply law_of_bind_law; [rewrite toss_law; apply coin_law; assert (E := e_in (nth j (x :: l) 0%nat)); lra|]. intros []; [apply law_of_ret_law | apply IH].
Qed.

(** Some candidate is the best: its exponent is 0. *)
Hypothesis best : exists i, (i < n)%nat /\ nth i xs 0%Z = 0%Z.

Theorem choose_in_turn_law : law_of (choose_in_turn xs y) = permute_and_flip n exponent_of.
Proof.
  assert (Top : largest n exponent_of = 0).
  { apply Rle_antisym.
    - apply largest_le; auto. intros; apply exponent_le.
    - destruct best as (i & B & Z). apply Rle_trans with (exponent_of i); [|now apply largest_ge].
      unfold exponent_of. rewrite Z. unfold Rdiv. lra. }
  assert (Ce : forall i, coin n exponent_of i = e i) by (intros; unfold coin; rewrite Top, Rminus_0_r; reflexivity).
  assert (Pf : law (permute_and_flip n exponent_of)) by now apply permute_and_flip_law.
  apply functional_extensionality. intros i. symmetry. apply below_law_is_law.
  - now apply law_sub.
  - rewrite (total_law _ Pf). lra.
  - apply turn_law.
  - intros j. unfold permute_and_flip, below. destruct (Nat.ltb_spec j n) as [L|L]; [|apply law_of_sub].
    unfold choose_in_turn. rewrite turn_inside; auto using seq_NoDup; [|now rewrite seq_length | apply in_seq; fold n; lia].
    rewrite share_integral, Ce. right. f_equal. f_equal. unfold others. apply map_ext. intros k. apply Ce.
Qed.
End Laws.
