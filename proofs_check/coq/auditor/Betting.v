(** * The bets of the auditor

    A fair coin picks the side of every call.  The cells of the outputs carry stakes: positive where the right
    side is guessed, negative where the left one is.  Under (epsilon, delta)-privacy every bet that the
    auditor makes multiplies wealth by a factor of mean at most 1.

    Python: auditor/betting/wealth.py ([Wealth._factors]) and auditor/guessing/graded.py
    ([GradedPlay._gains_of]); [ratio] is e^epsilon. *)

From Coq Require Import Reals Lra Psatz List Lia Arith.
From Privboost Require Import Sums Expectation.
Import ListNotations.
Local Open Scope R_scope.

Inductive side := OnLeft | OnRight.

(** The positive part of the signed stakes is staked on the right side, the negative part on the left one. *)
Definition to_right (w : R) : R := Rmax w 0.
Definition to_left (w : R) : R := Rmax (- w) 0.

Fixpoint greatest (l : list R) : R := match l with [] => 0 | x :: l' => Rmax x (greatest l') end.

(** [_tops]: the greatest stake on either side, 0 where there is none; the charge pays for delta. *)
Definition top_right (stakes : list R) : R := greatest (map to_right stakes).
Definition top_left (stakes : list R) : R := greatest (map to_left stakes).
Definition charge (delta : R) (stakes : list R) : R := delta * (top_left stakes + top_right stakes) / 2.
Definition greatest_size (stakes : list R) : R := greatest (map Rabs stakes).

(** What a call gains: the stake of its cell less the charge if the guess is right; minus the stake times
    e^epsilon, and the charge, if it is wrong.  A stake of 0 guesses the left side and gains minus the charge
    in both cases. *)
Definition hit (w : R) (s : side) : bool :=
  match s with OnRight => if Rlt_dec 0 w then true else false | OnLeft => if Rlt_dec 0 w then false else true end.

Definition gain (ratio delta : R) (stakes : list R) (s : side) (c : nat) : R :=
  let w := nth c stakes 0 in
  if hit w s then Rabs w - charge delta stakes else - (ratio * Rabs w + charge delta stakes).

(** ** Elementary facts *)
Lemma greatest_nonneg l : 0 <= greatest l.
Proof. destruct l; simpl; [lra|]. induction l in r |- *; simpl. - apply Rmax_r. - eapply Rle_trans; [apply (IHl a) | apply Rmax_r]. Qed.

Lemma nth_greatest l k : nth k l 0 <= greatest l.
Proof.
  revert k; induction l as [|x l IH]; intros [|k]; simpl; try lra.
  - apply Rmax_l.
  - apply Rle_trans with (1 := IH k). apply Rmax_r.
Qed.

Lemma nth_map_zero (g : R -> R) l k : g 0 = 0 -> nth k (map g l) 0 = g (nth k l 0).
Proof. intros Z. rewrite <- Z at 1. apply map_nth. Qed.

Lemma nth_to_right l k : nth k (map to_right l) 0 = to_right (nth k l 0).
Proof. apply nth_map_zero. unfold to_right. now rewrite Rmax_left by lra. Qed.
Lemma nth_to_left l k : nth k (map to_left l) 0 = to_left (nth k l 0).
Proof. apply nth_map_zero. unfold to_left. rewrite Rmax_left; lra. Qed.

Lemma gain_right ratio delta stakes c :
  gain ratio delta stakes OnRight c = to_right (nth c stakes 0) - ratio * to_left (nth c stakes 0) - charge delta stakes.
Proof.
  unfold gain, hit, to_right, to_left. set (w := nth c stakes 0). destruct (Rlt_dec 0 w).
  - rewrite Rabs_pos_eq, (Rmax_left w), (Rmax_right (- w)) by lra. ring.
  - rewrite Rabs_left1, (Rmax_right w), (Rmax_left (- w)) by lra. ring.
Qed.
Lemma gain_left ratio delta stakes c :
  gain ratio delta stakes OnLeft c = to_left (nth c stakes 0) - ratio * to_right (nth c stakes 0) - charge delta stakes.
Proof.
  unfold gain, hit, to_right, to_left. set (w := nth c stakes 0). destruct (Rlt_dec 0 w).
  - rewrite Rabs_pos_eq, (Rmax_left w), (Rmax_right (- w)) by lra. ring.
  - rewrite Rabs_left1, (Rmax_right w), (Rmax_left (- w)) by lra. ring.
Qed.

Lemma charge_nonneg delta stakes : 0 <= delta -> 0 <= charge delta stakes.
Proof.
  intros D. unfold charge. assert (L := greatest_nonneg (map to_left stakes)). assert (R := greatest_nonneg (map to_right stakes)).
  fold (top_left stakes) in L. fold (top_right stakes) in R. nra.
Qed.

Lemma size_le stakes c : Rabs (nth c stakes 0) <= greatest_size stakes.
Proof. unfold greatest_size. rewrite <- (nth_map_zero Rabs) by apply Rabs_R0. apply nth_greatest. Qed.

Lemma gain_between ratio delta stakes s c : 0 <= ratio -> 0 <= delta ->
  - (charge delta stakes + ratio * greatest_size stakes) <= gain ratio delta stakes s c <= greatest_size stakes.
Proof.
  intros E D. assert (C := charge_nonneg delta stakes D). assert (S := size_le stakes c).
  assert (P := Rabs_pos (nth c stakes 0)). unfold gain. destruct hit; nra.
Qed.

(** ** The mean gain of a call is at most 0 *)
Section MeanGain.
Context {A : Type}.
Variables (P Q : expectation A) (eps delta : R).
Hypothesis delta_nonneg : 0 <= delta.
Hypothesis dp : private eps delta P Q.

(** The mean over both sides, each of which has probability 1/2. *)
Definition call_mean (g : side -> A -> R) : R := (mean P (g OnLeft) + mean Q (g OnRight)) / 2.

Theorem mean_gain (cell : A -> nat) (stakes : list R) :
  call_mean (fun s x => gain (exp eps) delta stakes s (cell x)) <= 0.
Proof.
  set (r := map to_right stakes). set (l := map to_left stakes). set (c := charge delta stakes).
  assert (Split : forall (E : expectation A) s a b, (forall x, gain (exp eps) delta stakes s (cell x) =
      on_cells cell a x + (- exp eps * on_cells cell b x + - c)) ->
      mean E (fun x => gain (exp eps) delta stakes s (cell x)) = mean E (on_cells cell a) - exp eps * mean E (on_cells cell b) - c).
  { intros E s a b H. rewrite (mean_ext E _ (fun x => on_cells cell a x + (- exp eps * on_cells cell b x + - c))); auto.
    - rewrite mean_plus, mean_plus, mean_scal, mean_const; try ring;
        repeat (apply has_bound_plus || apply has_bound_scal || apply has_bound_on_cells || apply has_bound_const).
    - apply (has_bound_ext (fun x => on_cells cell a x + (- exp eps * on_cells cell b x + - c))); auto.
      repeat (apply has_bound_plus || apply has_bound_scal || apply has_bound_on_cells || apply has_bound_const). }
  unfold call_mean.
  rewrite (Split P OnLeft l r), (Split Q OnRight r l).
  - assert (R : mean Q (on_cells cell r) - exp eps * mean P (on_cells cell r) <= top_right stakes * delta).
    { apply private_on_cells; [intros S; apply (dp S)|]. intros k. unfold r. split; [|apply nth_greatest].
      rewrite nth_to_right. apply Rmax_r. }
    assert (L : mean P (on_cells cell l) - exp eps * mean Q (on_cells cell l) <= top_left stakes * delta).
    { apply private_on_cells; [intros S; apply (dp S)|]. intros k. unfold l. split; [|apply nth_greatest].
      rewrite nth_to_left. apply Rmax_r. }
    unfold c, charge. lra.
  - intros x. rewrite gain_right. unfold on_cells, r, l. rewrite nth_to_right, nth_to_left. fold c. ring.
  - intros x. rewrite gain_left. unfold on_cells, r, l. rewrite nth_to_right, nth_to_left. fold c. ring.
Qed.
End MeanGain.

(** ** The two ways of staking

    [graded_factor]: each cell has its own stake; a stake made for other odds is reduced by [scale], so that
    wealth stays positive; a share of the result is staked.  Python: [GradedPlay._gains_of]. *)
Definition scale (ratio delta : R) (stakes : list R) : R :=
  / Rmax 1 (charge delta stakes + ratio * greatest_size stakes).

Definition graded_factor (ratio delta share : R) (stakes : list R) (s : side) (c : nat) : R :=
  let w := nth c stakes 0 in
  if hit w s then 1 + share * (scale ratio delta stakes * (Rabs w - charge delta stakes))
  else 1 - share * (scale ratio delta stakes * (ratio * Rabs w + charge delta stakes)).

(** [event_factor]: every cell is guessed to be left or right, or is abstained from.  Every side that is
    guessed in some cell costs delta / 2.  Python: [Wealth._factors], [Guesser.count], [Counts.log_gains]. *)
Inductive guess := GuessLeft | GuessRight | Abstain.

Definition is_left (g : guess) : bool := match g with GuessLeft => true | _ => false end.
Definition is_right (g : guess) : bool := match g with GuessRight => true | _ => false end.
Definition sides_guessed (guesses : list guess) : R :=
  (if existsb is_left guesses then 1 else 0) + (if existsb is_right guesses then 1 else 0).

Definition event_factor (ratio delta f : R) (guesses : list guess) (s : side) (c : nat) : R :=
  let charge := delta / 2 * sides_guessed guesses in
  let stake := f / (ratio + charge) in
  match nth c guesses Abstain, s with
  | GuessLeft, OnLeft | GuessRight, OnRight => 1 + stake * (1 - charge)
  | GuessLeft, OnRight | GuessRight, OnLeft => 1 - f
  | Abstain, _ => 1 - stake * charge
  end.

(** Both are 1 plus a multiple of a gain: a bet on events stakes the same on every cell that is guessed. *)
Lemma graded_as_gain ratio delta share stakes s c :
  graded_factor ratio delta share stakes s c = 1 + share * scale ratio delta stakes * gain ratio delta stakes s c.
Proof. unfold graded_factor, gain. destruct hit; ring. Qed.

Definition signed (g : guess) : R := match g with GuessLeft => -1 | GuessRight => 1 | Abstain => 0 end.

Lemma top_right_signed guesses : top_right (map signed guesses) = if existsb is_right guesses then 1 else 0.
Proof.
  unfold top_right, to_right. induction guesses as [|g l IH]; simpl; auto. rewrite IH.
  destruct g, (existsb is_right l); simpl; unfold Rmax; repeat destruct Rle_dec; lra.
Qed.
Lemma top_left_signed guesses : top_left (map signed guesses) = if existsb is_left guesses then 1 else 0.
Proof.
  unfold top_left, to_left. induction guesses as [|g l IH]; simpl; auto. rewrite IH.
  destruct g, (existsb is_left l); simpl; unfold Rmax; repeat destruct Rle_dec; lra.
Qed.

Lemma charge_signed delta guesses : charge delta (map signed guesses) = delta / 2 * sides_guessed guesses.
Proof. unfold charge, sides_guessed. rewrite top_right_signed, top_left_signed. field. Qed.

Lemma event_as_gain ratio delta f guesses s c : 0 < ratio -> 0 <= delta ->
  event_factor ratio delta f guesses s c =
  1 + f / (ratio + delta / 2 * sides_guessed guesses) * gain ratio delta (map signed guesses) s c.
Proof.
  intros E D. assert (C := charge_nonneg delta (map signed guesses) D).
  unfold event_factor, gain. rewrite charge_signed in *. set (k := delta / 2 * sides_guessed guesses) in *.
  change 0 with (signed Abstain). rewrite map_nth.
  destruct (nth c guesses Abstain), s; cbn [signed hit];
    repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b); try lra end;
    ((rewrite Rabs_R0) || (rewrite Rabs_R1) || (rewrite (Rabs_left (-1)) by lra)); field; lra.
Qed.

Lemma greatest_size_signed guesses : greatest_size (map signed guesses) <= 1.
Proof.
  unfold greatest_size. induction guesses as [|g l IH]; simpl; [lra|]. apply Rmax_lub; auto.
  destruct g; simpl; [rewrite Rabs_left by lra | rewrite Rabs_R1 | rewrite Rabs_R0]; lra.
Qed.

(** ** Factors are between 0 and 2 *)
Lemma scale_in ratio delta stakes : 0 <= ratio -> 0 <= delta ->
  0 < scale ratio delta stakes /\ scale ratio delta stakes * (charge delta stakes + ratio * greatest_size stakes) <= 1.
Proof.
  intros E D. unfold scale. set (b := charge delta stakes + ratio * greatest_size stakes).
  assert (M : 1 <= Rmax 1 b) by apply Rmax_l. split; [apply Rinv_0_lt_compat; lra|].
  apply Rmult_le_reg_l with (Rmax 1 b); [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra.
  assert (b <= Rmax 1 b) by apply Rmax_r. lra.
Qed.

Lemma graded_factor_between ratio delta share stakes s c : 1 <= ratio -> 0 <= delta -> 0 <= share <= 1 ->
  0 <= graded_factor ratio delta share stakes s c <= 2.
Proof.
  intros E D H. rewrite graded_as_gain. destruct (scale_in ratio delta stakes) as [K L]; try lra.
  destruct (gain_between ratio delta stakes s c) as [G1 G2]; try lra.
  assert (C := charge_nonneg delta stakes D). assert (S : 0 <= greatest_size stakes) by apply greatest_nonneg.
  set (k := scale ratio delta stakes) in *. set (g := gain ratio delta stakes s c) in *.
  assert (k * - (charge delta stakes + ratio * greatest_size stakes) <= k * g) by (apply Rmult_le_compat_l; lra).
  assert (k * g <= k * (charge delta stakes + ratio * greatest_size stakes)) by (apply Rmult_le_compat_l; nra).
  assert (- 1 <= k * g <= 1) by lra. nra.
Qed.

Lemma event_factor_between ratio delta f guesses s c : 1 <= ratio -> 0 <= delta -> 0 <= f <= 1 ->
  0 <= event_factor ratio delta f guesses s c <= 2.
Proof.
  intros E D F. rewrite event_as_gain by lra. rewrite <- charge_signed. set (st := map signed guesses).
  destruct (gain_between ratio delta st s c) as [G1 G2]; try lra.
  assert (C := charge_nonneg delta st D). assert (S := greatest_size_signed guesses). fold st in S.
  assert (S0 : 0 <= greatest_size st) by apply greatest_nonneg.
  assert (I : 0 < / (ratio + charge delta st)) by (apply Rinv_0_lt_compat; lra).
  assert (K : f / (ratio + charge delta st) * (ratio + charge delta st) = f) by (field; lra).
  assert (K0 : 0 <= f / (ratio + charge delta st)) by (apply Rmult_le_pos; lra).
  set (k := f / (ratio + charge delta st)) in *. set (g := gain ratio delta st s c) in *.
  assert (k * - (charge delta st + ratio) <= k * g) by (apply Rmult_le_compat_l; nra).
  assert (k * g <= k * (ratio + charge delta st)) by (apply Rmult_le_compat_l; lra).
  assert (- 1 <= k * g <= 1) by lra. nra.
Qed.

(** ** Both have mean at most 1 *)
Section MeanFactor.
Context {A : Type}.
Variables (P Q : expectation A) (eps delta : R).
Hypothesis delta_nonneg : 0 <= delta.
Hypothesis dp : private eps delta P Q.

Lemma mean_one_plus_gain k stakes (cell : A -> nat) : 0 <= k ->
  call_mean P Q (fun s x => 1 + k * gain (exp eps) delta stakes s (cell x)) <= 1.
Proof.
  intros K. assert (G := mean_gain P Q eps delta dp cell stakes). unfold call_mean in *.
  assert (B : forall s, has_bound (fun x => gain (exp eps) delta stakes s (cell x))).
  { intros s. eapply has_bound_between. intros x. apply gain_between; auto. apply Rlt_le, exp_pos. }
  rewrite !mean_plus, !mean_scal, !mean_const; auto using has_bound_const, has_bound_scal. nra.
Qed.

Theorem mean_graded_factor share stakes (cell : A -> nat) : 0 <= share ->
  call_mean P Q (fun s x => graded_factor (exp eps) delta share stakes s (cell x)) <= 1.
Proof.
  intros S. assert (E := exp_pos eps). destruct (scale_in (exp eps) delta stakes) as [K _]; try lra.
  assert (M := mean_one_plus_gain (share * scale (exp eps) delta stakes) stakes cell ltac:(nra)).
  unfold call_mean in *.
  assert (X : forall (L : expectation A) s, mean L (fun x => graded_factor (exp eps) delta share stakes s (cell x)) =
    mean L (fun x => 1 + share * scale (exp eps) delta stakes * gain (exp eps) delta stakes s (cell x))).
  { intros L s. symmetry. apply mean_ext; [|intros; symmetry; apply graded_as_gain].
    apply has_bound_plus; [apply has_bound_const | apply has_bound_scal].
    eapply has_bound_between. intros x. apply gain_between; lra. }
  now rewrite !X.
Qed.

Theorem mean_event_factor f guesses (cell : A -> nat) : 0 <= f ->
  call_mean P Q (fun s x => event_factor (exp eps) delta f guesses s (cell x)) <= 1.
Proof.
  intros F. assert (E := exp_pos eps). assert (C := charge_nonneg delta (map signed guesses) delta_nonneg).
  rewrite charge_signed in C.
  assert (K : 0 <= f / (exp eps + delta / 2 * sides_guessed guesses)).
  { apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. lra. }
  assert (M := mean_one_plus_gain _ (map signed guesses) cell K). unfold call_mean in *.
  assert (X : forall (L : expectation A) s, mean L (fun x => event_factor (exp eps) delta f guesses s (cell x)) =
    mean L (fun x => 1 + f / (exp eps + delta / 2 * sides_guessed guesses) * gain (exp eps) delta (map signed guesses) s (cell x))).
  { intros L s. symmetry. apply mean_ext; [|intros; symmetry; apply event_as_gain; lra].
    apply has_bound_plus; [apply has_bound_const | apply has_bound_scal].
    eapply has_bound_between. intros x. apply gain_between; lra. }
  now rewrite !X.
Qed.
End MeanFactor.
