(** * Rounding of log wealth

    [AuditClaims.rounds_well] follows from how binary64 rounds and from the accuracy of exp, log1p and log.

    - Every stake is computed with a small relative error.  It is treated as a stake that is smaller by the factor
      [kept], which is a fair bet too.  So a factor that is nearly 0, or is 0 and is computed as 2^-53, does no harm.
    - The logarithms of factors are multiplied by counts and added, in any order ([added_error]).  Gains are at most
      log 2 for each call, and a column that has not lost nearly everything has lost no more than it has gained.
    - Columns below exp (-50) do not matter, since only a wealth of at least 1 is looked at.
    - In the weighted mean of the columns the errors of differences, exp, products and sums are relative errors
      ([log_mean_error]); those of far smaller columns do not matter, so underflow does no harm.  The logarithms that are
      added to it, and the limit, are right to a few hundred units ([logaddexp_error], [limit_error]).

    | here                                | Python                                     |
    |-------------------------------------|--------------------------------------------|
    | [right_accurate] .. [abstained_accurate] | [Wealth._factors], [Wealth.wrong]     |
    | [hit_accurate], [miss_accurate]     | [GradedPlay._gains_of]                     |
    | [counted], [added]                  | [Counts.log_gains], [Wealth.add]: counts times logarithms, added by cells and blocks |
    | [share_computed], [log_mean_computed] | [log_mean]                               |
    | [logaddexp_computed]                | [np.logaddexp] in [Wealth.add]             |
    | [limit_computed]                    | [Wealth.limit_after]                       |
    | [computed_in_binary64]              | [Wealth.add]                               | *)

From Coq Require Import Reals Lra Psatz List Lia Arith Permutation.
From Privboost Require Import Sums Betting Ville Auditor AuditClaims Binary64.
Import ListNotations.
Local Open Scope R_scope.

(** ** Logarithms of factors: what is computed, and the exact factor of a stake that is smaller by [kept] *)
Definition accurate (factor log_factor : R) : Prop :=
  0 < factor /\ log_factor <= 7 / 10 /\ log_factor <= ln factor + 66 * u + 10 * u * Rabs log_factor.

Lemma kept_is : kept = 1 - 32 * u.
Proof. unfold kept, u. field. Qed.

Lemma ln_2_bound : ln 2 <= 6975 / 10000.
Proof.
  apply Rnot_lt_le. intros H. apply exp_increasing in H. rewrite exp_ln in H by lra.
  set (a := exp (6975 / 640000)). assert (A : 10108984 / 10000000 <= a).
  { assert (E := exp_ineq1_le (6975 / 640000)). unfold a. lra. }
  assert (S : forall x y, exp x * exp x = y -> exp (2 * x) = y) by (intros x y <-; rewrite <- exp_plus; f_equal; ring).
  assert (E : exp (6975 / 10000) = a ^ 64).
  { replace (6975 / 10000) with (2 * (2 * (2 * (2 * (2 * (2 * (6975 / 640000))))))) by field.
    repeat (erewrite S; [|reflexivity]). fold a. ring. }
  assert (P : 2 < a ^ 64).
  { apply Rlt_le_trans with ((10108984 / 10000000) ^ 64); [lra | apply pow_incr; lra]. }
  lra.
Qed.

Lemma ln_le_sub t : 0 < t -> ln t <= t - 1.
Proof. intros T. assert (E := exp_ineq1_le (ln t)). rewrite exp_ln in E by auto. lra. Qed.

Lemma ln_change a b : 0 < a -> 0 < b -> ln b <= ln a + (b - a) / a.
Proof.
  intros A B. assert (H := ln_le_sub (b / a) ltac:(now apply Rdiv_lt_0_compat)).
  unfold Rdiv in H at 1. rewrite ln_mult, ln_Rinv in H by auto using Rinv_0_lt_compat.
  replace ((b - a) / a) with (b / a - 1) by (field; lra). lra.
Qed.

Lemma ln_monotone a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros A [B|B]; [left; now apply ln_increasing | rewrite B; lra]. Qed.

Lemma library_log m l : library m l -> l <= m + 10 * u * l /\ m <= l + 10 * u * l.
Proof.
  intros (M & L & A & B). assert (U := u_in).
  assert (P : 1 <= (1 + u) ^ 9 <= 1 + 91 / 10 * u) by (apply power_bound; cbn; lra).
  set (p := (1 + u) ^ 9) in *.
  assert (m <= l + 91 / 10 * u * l) by nra. split; [|nra].
  assert (l <= m + 91 / 10 * u * m) by nra.
  assert (u * m <= u * (11 / 10 * l)) by (apply Rmult_le_compat_l; nra). nra.
Qed.

(** A loss: the exact stake is a little smaller, so that the exact factor is not below the computed one, even if that is
    nearly 0. *)
Lemma loss_accurate y y' l : near 26 y y' -> y' < 1 -> library (- ln (1 - y')) (- l) -> accurate (1 - kept * y) l.
Proof.
  intros (Y & Y' & _ & B) Z L. assert (U := u_in). assert (L0 : 0 <= - l) by apply L. apply library_log in L.
  assert (P : 1 <= (1 + u) ^ 26 <= 1 + 27 * u) by (apply power_bound; cbn; lra).
  assert (K : kept * y <= y').
  { rewrite kept_is. assert (y <= (1 + 27 * u) * y') by nra.
    apply Rle_trans with ((1 - 32 * u) * ((1 + 27 * u) * y')); [apply Rmult_le_compat_l; lra|].
    assert (0 <= u * y') by nra. assert (0 <= u * u * y') by (apply Rmult_le_pos; nra). lra. }
  assert (M := ln_monotone (1 - y') (1 - kept * y) ltac:(lra) ltac:(lra)).
  unfold accurate. rewrite (Rabs_left1 l) by lra. repeat split; lra.
Qed.

Definition log1p_computed (x l : R) : Prop :=
  (0 <= x -> library (ln (1 + x)) l) /\ (x < 0 -> library (- ln (1 + x)) (- l)).

(** A gain, which may be negative because of the charge. *)
Lemma gain_accurate x x' l : - 1 / 2 <= x <= 1 -> x' <= x + 20 * u -> - 1 < x' ->
  log1p_computed x' l -> accurate (1 + kept * x) l.
Proof.
  intros X H N [POS NEG]. assert (U := u_in).
  assert (K : 1 / 2 <= 1 + kept * x) by (rewrite kept_is; nra).
  assert (C : ln (1 + x') <= ln (1 + kept * x) + 60 * u).
  { eapply Rle_trans; [apply (ln_change (1 + kept * x)); lra|]. apply Rplus_le_compat_l.
    apply Rmult_le_reg_r with (1 + kept * x); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    rewrite kept_is in *. destruct (Rle_lt_dec 0 x); nra. }
  unfold accurate. split; [lra|].
  destruct (Rle_lt_dec 0 x') as [P|P].
  - assert (L := POS P). assert (0 <= l) by apply L. apply library_log in L. rewrite Rabs_pos_eq by auto.
    assert (Top : ln (1 + x') <= 698 / 1000).
    { eapply Rle_trans; [apply (ln_change 2); lra|]. assert (T := ln_2_bound). lra. }
    split; [nra | lra].
  - assert (L := NEG P). assert (0 <= - l) by apply L. apply library_log in L. rewrite Rabs_left1 by lra. split; lra.
Qed.

(** ** What is won, lost and paid, as it is computed: [f], [ratio], [share] are rounded or come from the library *)
Section Computed.
Variables ratio ratio' : R.
Hypothesis ratio_in : 1 <= ratio.
Hypothesis ratio_computed : library ratio ratio'.

(** [Wealth._factors] *)
Lemma stake_near f charge f' divisor stake : 0 <= charge -> rounded f f' -> rounded (ratio' + charge) divisor ->
  rounded (f' / divisor) stake -> near 12 (f / (ratio + charge)) stake.
Proof.
  intros C F D S. assert (N : near 10 (ratio + charge) divisor).
  { apply (near_trans 9 1) with (ratio' + charge); auto. apply near_plus; auto.
    apply near_higher with 0%nat; [lia | now apply near_refl]. }
  apply (near_trans 11 1) with (f' / divisor); auto.
  apply (near_mult 1 10); auto. apply near_inv; auto. lra.
Qed.

Lemma won_near f charge f' divisor stake rest won : 0 <= charge -> rounded f f' -> rounded (ratio' + charge) divisor ->
  rounded (f' / divisor) stake -> rounded (1 - charge) rest -> rounded (stake * rest) won ->
  near 14 (f / (ratio + charge) * (1 - charge)) won.
Proof.
  intros C F D S R W. apply (near_trans 13 1) with (stake * rest); auto.
  apply (near_mult 12 1); auto. now apply stake_near with f' divisor.
Qed.

Lemma paid_near f charge f' divisor stake paid : 0 <= charge -> rounded f f' -> rounded (ratio' + charge) divisor ->
  rounded (f' / divisor) stake -> rounded (stake * charge) paid -> near 13 (f / (ratio + charge) * charge) paid.
Proof.
  intros C F D S P. apply (near_trans 12 1) with (stake * charge); auto.
  apply (near_mult 12 0); [now apply stake_near with f' divisor | now apply near_refl].
Qed.

Corollary right_accurate f charge f' divisor stake rest won l : 0 <= f <= 1 -> 0 <= charge <= 1 ->
  rounded f f' -> rounded (ratio' + charge) divisor -> rounded (f' / divisor) stake ->
  rounded (1 - charge) rest -> rounded (stake * rest) won -> log1p_computed won l ->
  accurate (1 + kept * f / (ratio + charge) * (1 - charge)) l.
Proof.
  intros F C F' D S R W L. assert (U := u_in). assert (N := won_near f charge f' divisor stake rest won ltac:(lra) F' D S R W).
  replace (kept * f / (ratio + charge) * (1 - charge)) with (kept * (f / (ratio + charge) * (1 - charge))) by (field; lra).
  set (x := f / (ratio + charge) * (1 - charge)) in *. destruct N as (X & X' & A & _).
  assert (P : 1 <= (1 + u) ^ 14 <= 1 + 15 * u) by (apply power_bound; cbn; lra).
  assert (X1 : x <= 1).
  { unfold x. assert (I : 0 < / (ratio + charge) <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    assert (0 <= f / (ratio + charge) <= 1) by (unfold Rdiv; nra). nra. }
  apply gain_accurate with won; auto; nra.
Qed.

Corollary wrong_accurate f f' l : rounded f f' -> f' < 1 -> library (- ln (1 - f')) (- l) -> accurate (1 - kept * f) l.
Proof. intros F O L. apply loss_accurate with f'; auto. apply near_higher with 1%nat; [lia | auto]. Qed.

Corollary abstained_accurate f charge f' divisor stake paid l : 0 <= charge -> rounded f f' ->
  rounded (ratio' + charge) divisor -> rounded (f' / divisor) stake -> rounded (stake * charge) paid -> paid < 1 ->
  library (- ln (1 - paid)) (- l) -> accurate (1 - kept * f / (ratio + charge) * charge) l.
Proof.
  intros C F D S P O L. replace (kept * f / (ratio + charge) * charge) with (kept * (f / (ratio + charge) * charge)) by (field; lra).
  apply loss_accurate with paid; auto. apply near_higher with 13%nat; [lia|]. now apply paid_near with f' divisor stake.
Qed.

(** [GradedPlay._gains_of]; [size] is that of the stake of a cell, [most] the greatest one, [tops] the sum of the
    greatest stakes of both sides *)
Section Graded.
Variables delta tops tops' double charge' size most : R.
Hypothesis sizes_in : 0 <= size <= most.
Hypothesis delta_in : 0 <= delta <= 1.
Hypothesis tops_in : 0 <= tops <= 2 * most.
Hypothesis tops_computed : rounded tops tops'.
Hypothesis double_computed : rounded (delta * tops') double.
Hypothesis charge_computed : charge' = double / 2.      (* exact *)
Let charge := delta * tops / 2.

Lemma charge_near : near 2 charge charge'.
Proof.
  rewrite charge_computed. unfold charge. apply (near_mult 2 0); [|apply near_refl; lra].
  apply (near_trans 1 1) with (delta * tops'); auto. apply (near_mult 0 1); [apply near_refl; lra | auto].
Qed.

Lemma lost_of_near s staked lost : 0 <= s -> rounded (ratio' * s) staked -> rounded (staked + charge') lost ->
  near 11 (ratio * s + charge) lost.
Proof.
  intros S P Q. apply (near_trans 10 1) with (staked + charge'); auto. apply near_plus.
  - apply (near_trans 9 1) with (ratio' * s); auto. apply (near_mult 9 0); [auto | now apply near_refl].
  - apply near_higher with 2%nat; [lia | apply charge_near].
Qed.

Variables staked_most whole scale' : R.
Hypothesis staked_most_computed : rounded (ratio' * most) staked_most.
Hypothesis whole_computed : rounded (staked_most + charge') whole.
Hypothesis scale_computed : rounded (/ Rmax 1 whole) scale'.
Let scale := / Rmax 1 (charge + ratio * most).

Lemma scale_near : near 12 scale scale'.
Proof.
  apply (near_trans 11 1) with (/ Rmax 1 whole); auto. apply near_inv.
  - apply Rlt_le_trans with 1; [lra | apply Rmax_l].
  - apply near_max. rewrite Rplus_comm. apply lost_of_near with staked_most; auto. lra.
Qed.

Lemma graded_lost_near share share' staked lost scaled result : rounded share share' ->
  rounded (ratio' * size) staked -> rounded (staked + charge') lost -> rounded (scale' * lost) scaled ->
  rounded (share' * scaled) result -> near 26 (share * (scale * (ratio * size + charge))) result.
Proof.
  intros H P Q S R. apply (near_trans 25 1) with (share' * scaled); auto. apply (near_mult 1 24); auto.
  apply (near_trans 23 1) with (scale' * lost); auto. apply (near_mult 12 11); [apply scale_near|].
  apply lost_of_near with staked; auto. lra.
Qed.

Lemma scale_in_unit : 0 < scale /\ scale * charge <= 1 / 2 /\ scale * size <= 1.
Proof.
  unfold scale. set (b := charge + ratio * most). assert (M := Rmax_l 1 b). assert (M' := Rmax_r 1 b).
  assert (C : 0 <= charge <= most) by (unfold charge; nra). assert (Z : most <= ratio * most) by nra.
  assert (I : 0 < / Rmax 1 b) by (apply Rinv_0_lt_compat; lra).
  assert (E : / Rmax 1 b * Rmax 1 b = 1) by (field; lra). unfold b in *. repeat split; auto; nra.
Qed.

(** The difference may cancel: the error is absolute, and there is only an upper bound. *)
Lemma graded_won_near share share' difference scaled result : 0 <= share <= 1 -> rounded share share' ->
  (size >= charge' -> rounded (size - charge') difference /\ rounded (scale' * difference) scaled /\ rounded (share' * scaled) result) ->
  (size < charge' -> rounded (charge' - size) (- difference) /\ rounded (scale' * - difference) (- scaled) /\ rounded (share' * - scaled) (- result)) ->
  result <= share * (scale * (size - charge)) + 20 * u.
Proof.
  intros H SH POS NEG. assert (U := u_in). destruct scale_in_unit as (K & KC & KS).
  assert (CN := charge_near). destruct CN as (C0 & C0' & CA & CB).
  assert (P2 : 1 <= (1 + u) ^ 2 <= 1 + 3 * u) by (apply power_bound; cbn; lra).
  assert (P17 : 1 <= (1 + u) ^ 17 <= 1 + 18 * u) by (apply power_bound; cbn; lra).
  assert (KN := scale_near).
  assert (Both : forall t d s r, rounded t d -> rounded (scale' * d) s -> rounded (share' * s) r -> near 17 (share * (scale * t)) r).
  { intros t d s r D S R. apply (near_trans 16 1) with (share' * s); auto. apply (near_mult 1 15); auto.
    apply (near_trans 14 1) with (scale' * d); auto. apply near_higher with 13%nat; [lia|]. now apply (near_mult 12 1). }
  assert (KS0 : 0 <= scale * size) by (apply Rmult_le_pos; lra). assert (KC0 : 0 <= scale * charge) by (apply Rmult_le_pos; lra).
  destruct (Rge_dec size charge') as [G|G].
  - destruct (POS G) as (D & S & R). destruct (Both _ _ _ _ D S R) as (_ & _ & B & _).
    assert (charge <= charge' + 3 * u * charge) by nra.
    assert (X : scale * (size - charge') <= scale * (size - charge) + 3 / 2 * u) by nra.
    assert (Y : scale * (size - charge') <= 1) by nra.
    assert (Z : 0 <= scale * (size - charge')) by nra. set (v := scale * (size - charge')) in *.
    assert (share * v <= 1) by nra. assert (0 <= share * v) by (apply Rmult_le_pos; lra).
    assert ((1 + u) ^ 17 * (share * v) <= share * v + 18 * u) by nra.
    assert (share * v <= share * (scale * (size - charge)) + 3 / 2 * u) by nra. lra.
  - destruct (NEG ltac:(lra)) as (D & S & R). destruct (Both _ _ _ _ D S R) as (_ & _ & _ & B).
    assert (charge <= charge' + 3 * u * charge) by nra.
    assert (X : scale * (size - charge') <= scale * (size - charge) + 3 / 2 * u) by nra.
    assert (Y : scale * (charge' - size) <= 1).
    { assert (scale * charge' <= scale * (2 * charge)) by (apply Rmult_le_compat_l; nra). lra. }
    assert (Z : 0 <= scale * (charge' - size)) by nra. set (v := scale * (charge' - size)) in *.
    assert (share * v <= 1) by nra. assert (0 <= share * v) by (apply Rmult_le_pos; lra). assert (0 <= - result) by apply R.
    assert (share * v <= - result + 18 * u).
    { destruct (Rle_dec (- result) 1) as [O|]; [|lra].
      assert ((1 + u) ^ 17 * - result <= (1 + 18 * u) * - result) by (apply Rmult_le_compat_r; lra).
      assert (u * - result <= u * 1) by (apply Rmult_le_compat_l; lra). lra. }
    assert (W : share * (scale * (charge - size) - 3 / 2 * u) <= share * v) by (apply Rmult_le_compat_l; unfold v; lra).
    assert (share * (3 / 2 * u) <= 1 * (3 / 2 * u)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Corollary miss_accurate share share' staked lost scaled result l : rounded share share' ->
  rounded (ratio' * size) staked -> rounded (staked + charge') lost -> rounded (scale' * lost) scaled ->
  rounded (share' * scaled) result -> result < 1 -> library (- ln (1 - result)) (- l) ->
  accurate (1 - kept * share * (scale * (ratio * size + charge))) l.
Proof.
  intros H P Q S R O L. rewrite Rmult_assoc. apply loss_accurate with result; auto.
  now apply graded_lost_near with share' staked lost scaled.
Qed.

Corollary hit_accurate share share' difference scaled result l : 0 <= share <= 1 -> rounded share share' ->
  (size >= charge' -> rounded (size - charge') difference /\ rounded (scale' * difference) scaled /\ rounded (share' * scaled) result) ->
  (size < charge' -> rounded (charge' - size) (- difference) /\ rounded (scale' * - difference) (- scaled) /\ rounded (share' * - scaled) (- result)) ->
  - 1 < result -> log1p_computed result l -> accurate (1 + kept * share * (scale * (size - charge))) l.
Proof.
  intros H SH POS NEG N L. rewrite Rmult_assoc. assert (G := graded_won_near _ _ _ _ _ H SH POS NEG).
  apply gain_accurate with result; auto. destruct scale_in_unit as (K & KC & KS).
  assert (0 <= scale * size) by (apply Rmult_le_pos; lra).
  assert (0 <= scale * charge) by (apply Rmult_le_pos; [lra | apply charge_near]). nra.
Qed.
End Graded.
End Computed.

(** ** Bets that are counted together: how often, their exact factor, its computed logarithm, and the computed product *)
Record counted := { times : nat; factor : R; log_factor : R; term : R }.

Definition well_computed (b : counted) : Prop :=
  accurate (factor b) (log_factor b) /\ Rabs (term b - INR (times b) * log_factor b) <= u * Rabs (INR (times b) * log_factor b).

Definition calls_in (bets : list counted) : R := lsum (fun b => INR (times b)) bets.
Definition worth (bets : list counted) : R := fold_right (fun b r => factor b ^ times b * r) 1 bets.

Lemma worth_pos bets : List.Forall well_computed bets -> 0 < worth bets.
Proof.
  induction 1 as [|b bets ((P & _) & _) _ IH]; cbn; [lra|]. apply Rmult_lt_0_compat; auto. now apply pow_lt.
Qed.

Lemma ln_power x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof.
  intros X. induction n as [|n IH]; [cbn; rewrite ln_1; ring|].
  cbn [pow]. rewrite ln_mult, IH, S_INR by auto using pow_lt. ring.
Qed.

(** The terms, and the exact sums that they stand for. *)
Lemma terms_error bets : List.Forall well_computed bets ->
  let exact := lsum (fun b => INR (times b) * log_factor b) bets in
  let turnover := lsum (fun b => Rabs (INR (times b) * log_factor b)) bets in
  Rabs (sum (map term bets) - exact) <= u * turnover /\ sizes (map term bets) <= (1 + u) * turnover /\
  turnover <= 14 / 10 * calls_in bets - exact /\ 0 <= turnover /\
  exact <= ln (worth bets) + 66 * u * calls_in bets + 10 * u * turnover.
Proof.
  assert (U := u_in). induction 1 as [|b bets ((P & M & L) & E) F IH]; intros exact turnover; unfold exact, turnover.
  - unfold sum, sizes, calls_in; cbn. rewrite Rminus_0_r, Rabs_R0, ln_1. lra.
  - clear exact turnover. cbn zeta in IH. unfold sum, sizes, calls_in in *. cbn [map lsum worth fold_right].
    fold (worth bets). rewrite ln_mult, ln_power by (auto using worth_pos, pow_lt).
    set (exact := lsum (fun b => INR (times b) * log_factor b) bets) in *.
    set (turnover := lsum (fun b => Rabs (INR (times b) * log_factor b)) bets) in *.
    set (s := lsum (fun x => x) (map term bets)) in *. set (n := lsum (fun b => INR (times b)) bets) in *.
    destruct IH as (I1 & I2 & I3 & I4 & I5).
    assert (T := pos_INR (times b)). rewrite Rabs_mult, (Rabs_pos_eq (INR (times b))) in * by auto.
    set (t := INR (times b)) in *. assert (A := Rabs_pos (log_factor b)).
    assert (A2 : Rabs (log_factor b) <= 14 / 10 - log_factor b) by (apply Rabs_le; lra).
    repeat split.
    + replace (term b + s - (t * log_factor b + exact)) with ((term b - t * log_factor b) + (s - exact)) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). lra.
    + assert (Rabs (term b) <= Rabs (term b - t * log_factor b) + t * Rabs (log_factor b)).
      { replace (term b) with ((term b - t * log_factor b) + t * log_factor b) at 1 by ring.
        eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult t), (Rabs_pos_eq t) by auto. lra. }
      lra.
    + assert (t * Rabs (log_factor b) <= t * (14 / 10 - log_factor b)) by (apply Rmult_le_compat_l; auto). lra.
    + assert (0 <= t * Rabs (log_factor b)) by now apply Rmult_le_pos. lra.
    + assert (t * log_factor b <= t * (ln (factor b) + 66 * u + 10 * u * Rabs (log_factor b))) by (apply Rmult_le_compat_l; auto).
      lra.
Qed.

(** The computed logarithm of a column is too large by at most this, unless the column has lost nearly everything. *)
Theorem column_error bets d L : List.Forall well_computed bets -> (d <= 512)%nat -> added d (map term bets) L -> - 50 <= L ->
  L <= ln (worth bets) + (803 * calls_in bets + 27000) * u /\ L <= 14 / 10 * calls_in bets.
Proof.
  intros W D A T. assert (U := u_in). destruct (terms_error bets W) as (E1 & E2 & E3 & E4 & E5).
  set (exact := lsum (fun b => INR (times b) * log_factor b) bets) in *.
  set (turnover := lsum (fun b => Rabs (INR (times b) * log_factor b)) bets) in *.
  assert (H := added_error d _ L A).
  assert (G : 1 <= (1 + u) ^ d <= 1 + 513 * u).
  { apply power_bound; [|lra]. apply le_INR in D. replace (INR 512) with 512 in D by (rewrite INR_IZR_INZ; reflexivity). lra. }
  assert (C : Rabs (L - exact) <= 515 * u * turnover).
  { replace (L - exact) with ((L - sum (map term bets)) + (sum (map term bets) - exact)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (((1 + u) ^ d - 1) * sizes (map term bets) <= 513 * u * ((1 + u) * turnover)).
    { apply Rmult_le_compat; [lra | apply sizes_nonneg | lra | lra]. }
    assert (0 <= u * turnover * (1 - 513 * u)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (C1 := Rle_abs (L - exact)). assert (C2 := Rle_abs (- (L - exact))). rewrite Rabs_Ropp in C2.
  assert (N : 0 <= calls_in bets).
  { unfold calls_in. clear. induction bets as [|b l IH]; cbn; [lra|]. assert (P := pos_INR (times b)). lra. }
  assert (X : turnover <= 14001 / 10000 * calls_in bets + 50001 / 1000).
  { assert (turnover * (1 - 515 * u) <= 14 / 10 * calls_in bets + 50) by lra.
    assert (515 * u * (14001 / 10000 * calls_in bets + 50001 / 1000) <= 1 / 1000000 * (14001 / 10000 * calls_in bets + 50001 / 1000))
      by (apply Rmult_le_compat_r; lra).
    apply Rmult_le_reg_r with (1 - 515 * u); lra. }
  assert (525 * u * turnover <= 525 * u * (14001 / 10000 * calls_in bets + 50001 / 1000)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= u * calls_in bets) by (apply Rmult_le_pos; lra). split; [lra|].
  assert (515 * u * turnover <= 1 * turnover) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** ** The wealth of several columns *)
Definition value (log_of : option R) : R := match log_of with Some L => exp L | None => 0 end.

(** A computed column: minus infinity, or the sum of terms of bets that together make its exact wealth. *)
Definition column_computed (exact : R) (calls : nat) (log_of : option R) : Prop :=
  match log_of with
  | None => True
  | Some L => exists bets d, (d <= 512)%nat /\ List.Forall well_computed bets /\ worth bets = exact /\
      calls_in bets <= INR calls /\ added d (map term bets) L
  end.

Definition column_excess (calls : nat) : R := (803 * INR calls + 27000) * u.

Lemma column_value exact calls log_of : 0 <= exact -> column_computed exact calls log_of ->
  value log_of <= exp (column_excess calls) * exact + exp (- 50) /\ value log_of <= exp (14 / 10 * INR calls).
Proof.
  intros E. assert (U := u_in). assert (X := exp_pos (column_excess calls)). assert (T := exp_pos (- 50)).
  assert (Y := exp_pos (14 / 10 * INR calls)). assert (I := pos_INR calls).
  destruct log_of as [L|]; cbn; [|nra]. intros (bets & d & D & W & <- & N & A).
  destruct (Rle_lt_dec (- 50) L) as [B|B].
  - destruct (column_error bets d L W D A B) as [C C']. assert (P := worth_pos bets W). split; [|apply exp_le; lra].
    apply Rle_trans with (exp (column_excess calls + ln (worth bets))).
    + apply exp_le. unfold column_excess. nra.
    + rewrite exp_plus, exp_ln by auto. lra.
  - split; [apply exp_increasing in B; nra | apply exp_le; lra].
Qed.

(** ** The logarithm of the weighted mean of the columns: [log_mean] *)
Definition log_computed (x l : R) : Prop := (1 <= x -> library (ln x) l) /\ (x < 1 -> library (- ln x) (- l)).

Lemma log_error x l : 0 < x -> log_computed x l -> l <= ln x + 10 * u * Rabs l /\ Rabs l <= 11 / 10 * Rabs (ln x).
Proof.
  intros X [POS NEG]. assert (U := u_in). destruct (Rle_lt_dec 1 x) as [P|P].
  - assert (L := POS P). assert (0 <= l) by apply L. assert (0 <= ln x) by apply L. apply library_log in L.
    rewrite !Rabs_pos_eq by auto. nra.
  - assert (L := NEG P). assert (0 <= - l) by apply L. assert (0 <= - ln x) by apply L. apply library_log in L.
    rewrite !Rabs_left1 by lra. nra.
Qed.

(** exp (logarithm - top) times the weight of a column; 0 for minus infinity. *)
Definition share_computed (top : R) (column : R * option R) (share : R) : Prop :=
  match snd column with
  | None => share = 0
  | Some L => exists difference power weight, rounded (top - L) (- difference) /\ nearly 9 (exp difference) power /\
      near 2 (fst column) weight /\ nearly 1 (weight * power) share
  end.

Definition log_mean_computed (columns : list (R * option R)) (mean : R) : Prop :=
  exists top shares order d total log_total,
  In (Some top) (map snd columns) /\ (forall L, In (Some L) (map snd columns) -> L <= top) /\
  List.Forall2 (share_computed top) columns shares /\
  Permutation shares order /\ (d <= 64)%nat /\ added d order total /\
  log_computed total log_total /\ to_nearest (top + log_total) mean.

(** What it stands for: the weighted mean itself. *)
Definition mean_of (computed : list (R * option R)) : R := lsum (fun c => fst c * value (snd c)) computed.

Lemma exp_near_0 t : 0 <= t <= 1 / 1000 -> exp t <= 1 + 101 / 100 * t.
Proof.
  intros T. assert (E := exp_ineq1_le (- t)).
  assert (I : exp t * exp (- t) = 1) by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  assert (P := exp_pos t). apply Rmult_le_reg_r with (1 - t); [lra|]. apply Rle_trans with 1; nra.
Qed.

Lemma exp_minus n : exp (- INR n) <= / 2 ^ n.
Proof.
  rewrite exp_Ropp. apply Rinv_le_contravar; [apply pow_lt; lra|]. induction n as [|n IH]; [cbn; rewrite exp_0; lra|].
  rewrite S_INR, exp_plus, Rmult_comm. cbn [pow]. assert (E := exp_ineq1_le 1).
  apply Rmult_le_compat; try lra. apply pow_le. lra.
Qed.

Lemma exp_minus_50 : exp (- 50) <= 8 * u.
Proof.
  assert (E := exp_minus 50). replace (- INR 50) with (- 50) in E by (rewrite INR_IZR_INZ; cbn; lra). unfold u. lra.
Qed.

Lemma exp_minus_64 : exp (- 64) <= u / 2000.
Proof.
  assert (E := exp_minus 64). replace (- INR 64) with (- 64) in E by (rewrite INR_IZR_INZ; cbn; lra). unfold u. lra.
Qed.

(** exp of a difference: of numbers that are far apart it hardly differs from 0. *)
Lemma power_error x difference power : 0 <= x -> rounded x (- difference) -> nearly 9 (exp difference) power ->
  0 <= power <= (1 + 75 * u) * exp (- x) + u / 1000 /\ (x <= 65 \/ power <= u / 1000).
Proof.
  intros X (_ & D & A & B) (_ & W & C & _). assert (U := u_in). assert (T := tiny_in). cbn [pow] in A, B.
  rewrite Rmult_1_r in A, B.
  assert (P : 1 <= (1 + u) ^ 9 <= 1 + 91 / 10 * u) by (apply power_bound; cbn; lra). set (p := (1 + u) ^ 9) in *.
  assert (E := exp_pos difference). assert (E' := exp_pos (- x)).
  destruct (Rle_lt_dec (- 64) difference) as [S|S].
  - split; [|left; nra]. split; [auto|].
    assert (Z : exp difference <= (1 + 65 * u) * exp (- x)).
    { apply Rle_trans with (exp (64 * u + - x)); [apply exp_le; nra|]. rewrite exp_plus.
      apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply exp_near_0; lra | lra]. }
    assert (p * exp difference <= (1 + 91 / 10 * u) * ((1 + 65 * u) * exp (- x))) by (apply Rmult_le_compat; lra).
    assert (0 <= u * exp (- x) * (9 / 10 - 5915 / 10 * u)) by (repeat apply Rmult_le_pos; lra). lra.
  - assert (Z : exp difference <= u / 2000) by (eapply Rle_trans; [apply exp_le; left; exact S | apply exp_minus_64]).
    assert (p * exp difference <= (1 + 1 / 10) * (u / 2000)) by (apply Rmult_le_compat; lra).
    assert (0 <= (1 + 75 * u) * exp (- x)) by (apply Rmult_le_pos; lra). split; [split|right]; lra.
Qed.

Lemma share_error top column share : 1 / 120 <= fst column <= 1 -> (forall L, snd column = Some L -> L <= top) ->
  share_computed top column share ->
  0 <= share <= fst column * ((1 + 80 * u) * (exp (- top) * value (snd column)) + u / 300) /\
  (snd column = Some top -> 1 / 150 <= share).
Proof.
  intros W M. assert (U := u_in). assert (T := tiny_in). unfold share_computed.
  destruct column as [w [L|]]; cbn [fst snd value] in *.
  - specialize (M L eq_refl). intros (difference & power & weight & D & E & (_ & W0 & W1 & W2) & (_ & S0 & S1 & S2)).
    destruct (power_error (top - L) difference power) as [(P0 & P1) _]; auto; [lra|].
    replace (- (top - L)) with (- top + L) in P1 by ring. rewrite exp_plus in P1.
    assert (X : 0 < exp (- top) * exp L) by (apply Rmult_lt_0_compat; apply exp_pos).
    set (x := exp (- top) * exp L) in *. clearbody x.
    assert (Q : 1 <= (1 + u) ^ 2 <= 1 + 21 / 10 * u) by (apply power_bound; cbn; lra). set (q := (1 + u) ^ 2) in *.
    cbn [pow] in S1, S2. rewrite Rmult_1_r in S1, S2. split.
    + split; [auto|]. set (y := (1 + 75 * u) * x + u / 1000) in *.
      assert (Y : 0 <= y) by (unfold y; nra).
      assert (A : weight * power <= (1 + 21 / 10 * u) * w * y) by (apply Rmult_le_compat; auto; nra).
      assert (B : (1 + u) * (weight * power) <= (1 + u) * ((1 + 21 / 10 * u) * w * y))
        by (apply Rmult_le_compat_l; lra).
      assert (C : (1 + u) * (1 + 21 / 10 * u) * y <= (1 + 32 / 10 * u) * y) by (apply Rmult_le_compat_r; nra).
      assert (Z : (1 + 32 / 10 * u) * y <= (1 + 80 * u) * x + u / 500).
      { unfold y. assert (0 <= u * x * (18 / 10 - 240 * u)) by (repeat apply Rmult_le_pos; lra).
        assert (0 <= u * (1 / 1000 - 1 / 100 * u)) by (apply Rmult_le_pos; lra). nra. }
      apply Rle_trans with (w * ((1 + u) * (1 + 21 / 10 * u) * y + 120 * tiny)).
      { assert (tiny * 1 <= tiny * (120 * w)) by (apply Rmult_le_compat_l; lra). lra. }
      apply Rmult_le_compat_l; lra.
    + intros [= ->]. destruct D as (_ & D0 & D1 & _). replace (top - top) with 0 in D1 by ring.
      assert (difference = 0) as -> by lra. rewrite exp_0 in E. destruct E as (_ & _ & _ & E).
      assert (P : 1 <= (1 + u) ^ 9 <= 1 + 91 / 10 * u) by (apply power_bound; cbn; lra). set (p := (1 + u) ^ 9) in *.
      clear - U T W W0 W2 S0 S2 Q P P0 E.
      assert (A : 95 / 100 <= power) by nra. assert (B : 95 / 100 * w <= weight) by nra.
      assert (C : 95 / 100 * w * (95 / 100) <= weight * power) by (apply Rmult_le_compat; lra).
      apply Rnot_lt_le. intros N. assert (u * share <= u * 1) by (apply Rmult_le_compat_l; lra). lra.
  - intros ->. split; [|discriminate]. rewrite !Rmult_0_r. split; [lra|]. apply Rmult_le_pos; lra.
Qed.

Lemma shares_error top columns shares : List.Forall (fun c => 1 / 120 <= fst c <= 1) columns ->
  (forall L, In (Some L) (map snd columns) -> L <= top) -> List.Forall2 (share_computed top) columns shares ->
  List.Forall (fun s => 0 <= s) shares /\
  sum shares <= (1 + 80 * u) * (exp (- top) * mean_of columns) + u / 300 * lsum fst columns /\
  (In (Some top) (map snd columns) -> 1 / 150 <= sum shares).
Proof.
  intros F M H. induction H as [|c s columns shares C H IH]; unfold sum, mean_of; cbn [lsum map].
  - repeat split; [constructor | lra | intros []].
  - inversion F as [|? ? W F']; subst. destruct IH as (I0 & I1 & I2); [exact F' | intros L I; apply M; now right |].
    destruct (share_error top c s W) as ((S0 & S1) & S2); auto.
    { intros L E. apply M. left. now rewrite E. }
    unfold sum, mean_of in *. assert (N : 0 <= lsum (fun x => x) shares).
    { apply lsum_nonneg. rewrite Forall_forall in I0. auto. }
    repeat split; [now constructor | nra |]. intros [E|E]; [specialize (S2 E) | specialize (I2 E)]; lra.
Qed.

Lemma ln_below a b c : 0 < a -> 0 < b -> 0 <= c -> a <= (1 + c) * b -> ln a <= ln b + c.
Proof.
  intros A B C H. assert (M := ln_monotone a ((1 + c) * b) A H). rewrite ln_mult in M by lra.
  assert (L := ln_le_sub (1 + c) ltac:(lra)). lra.
Qed.

(** Computed logarithms are too large by some units, and some more for every unit of themselves. *)
Definition log_within (units : R) (each : R) (log_of exact : R) : Prop :=
  0 < exact /\ log_of <= ln exact + (units + each * Rabs log_of) * u.

Theorem log_mean_error columns mean : List.Forall (fun c => 1 / 120 <= fst c <= 1) columns -> lsum fst columns = 1 ->
  log_mean_computed columns mean -> log_within 220 (11 / 10) mean (mean_of columns).
Proof.
  intros W ONE (top & shares & order & d & mass & l & I & M & S & O & D & A & L & N). assert (U := u_in).
  destruct (shares_error top columns shares W M S) as (S0 & S1 & S2). specialize (S2 I). rewrite ONE, Rmult_1_r in S1.
  set (V := mean_of columns) in *.
  apply (added_positive d shares order mass S0 O) in A. set (s := sum shares) in *. clearbody s.
  assert (G : 1 <= (1 + u) ^ d <= 1 + 65 * u).
  { apply power_bound; [|lra]. apply le_INR in D. replace (INR 64) with 64 in D by (rewrite INR_IZR_INZ; reflexivity).
    lra. }
  assert (A' : Rabs (mass - s) <= 65 * u * s) by (eapply Rle_trans; [exact A | apply Rmult_le_compat_r; lra]).
  assert (A1 := Rle_abs (mass - s)). assert (A2 := Rle_abs (- (mass - s))). rewrite Rabs_Ropp in A2.
  assert (E := exp_pos (- top)). assert (X1 : exp (- top) * V <= 1).
  { apply Rle_trans with (exp (- top) * (exp top * lsum fst columns)).
    - apply Rmult_le_compat_l; [lra|]. unfold V, mean_of. rewrite <- lsum_scal. apply lsum_le. intros c C.
      rewrite Forall_forall in W. specialize (W c C). rewrite Rmult_comm. apply Rmult_le_compat_r; [lra|].
      assert (T := exp_pos top). destruct (snd c) as [x|] eqn:Q; cbn; [|lra].
      apply exp_le, M. rewrite <- Q. now apply in_map.
    - rewrite ONE, Rmult_1_r, <- exp_plus. replace (- top + top) with 0 by ring. rewrite exp_0. lra. }
  assert (VX : exp (- top) * V = exp (- top) * V) by reflexivity. set (X := exp (- top) * V) in VX at 2.
  fold X in S1, X1. clearbody X. assert (X0 : 1 / 151 <= X) by nra.
  assert (T0 : 1 / 256 <= mass).
  { assert (65 * u * s <= 1 / 100 * s) by (apply Rmult_le_compat_r; lra). lra. }
  assert (T1 : mass <= (1 + 151 * u) * X).
  { clear - U S1 A1 A' X0. assert (u * (1 / 151) <= u * X) by (apply Rmult_le_compat_l; lra).
    assert (s <= (1 + 81 * u) * X) by lra.
    assert ((1 + 65 * u) * s <= (1 + 65 * u) * ((1 + 81 * u) * X)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * X * (5 - 5265 * u)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (V0 : 0 < V) by nra.
  assert (LX : ln X = - top + ln V) by (rewrite <- VX, ln_mult, ln_exp by auto; reflexivity).
  assert (LT := ln_below mass X (151 * u) ltac:(lra) ltac:(lra) ltac:(lra) T1).
  destruct (log_error mass l ltac:(lra) L) as [L1 L2].
  assert (B : Rabs (ln mass) <= 56 / 10).
  { apply Rabs_le. split.
    - assert (Z := ln_monotone (1 / 256) mass ltac:(lra) T0). unfold Rdiv in Z. rewrite Rmult_1_l, ln_Rinv in Z by lra.
      replace 256 with (2 ^ 8) in Z by ring. rewrite ln_power in Z by lra. cbn [INR] in Z. assert (H := ln_2_bound).
      lra.
    - assert (Z := ln_le_sub mass ltac:(lra)). assert (u * X <= u * 1) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (to_nearest_error _ _ N) as [N1 _]. split; [exact V0|].
  assert (u * Rabs l <= u * (62 / 10)) by (apply Rmult_le_compat_l; lra).
  assert (P := Rabs_pos mean). assert (0 <= u * Rabs mean) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** The two parts of the capital: [np.logaddexp] in [Wealth.add] *)
Lemma scaled_error share log_share mean part V : 1 / 8 <= share <= 1 -> Rabs log_share <= 5 / 2 ->
  log_share <= ln share + 30 * u -> log_within 220 (11 / 10) mean V -> to_nearest (log_share + mean) part ->
  log_within 260 (22 / 10) part (share * V).
Proof.
  intros S B L [V0 H] N. assert (U := u_in). destruct (to_nearest_error _ _ N) as [N1 N2]. split; [nra|].
  rewrite ln_mult by lra. assert (T := Rabs_triang (log_share + mean) (- log_share)).
  replace (log_share + mean + - log_share) with mean in T by ring. rewrite Rabs_Ropp in T.
  assert (P := Rabs_pos part).
  assert (u * Rabs mean <= u * (1001 / 1000 * Rabs part + 5 / 2)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= u * Rabs part) by (apply Rmult_le_pos; lra). lra.
Qed.

(** log1p (- BY_CLAIM) and log (BY_CLAIM), where BY_CLAIM is rounded. *)
Lemma log_shares_error share log_own log_claim : rounded by_claim share -> log1p_computed (- share) log_own ->
  log_computed share log_claim ->
  (Rabs log_own <= 5 / 2 /\ log_own <= ln (1 - by_claim) + 30 * u) /\
  (Rabs log_claim <= 5 / 2 /\ log_claim <= ln by_claim + 30 * u).
Proof.
  intros (_ & _ & S1 & S2) LO LC. assert (U := u_in). unfold by_claim in *. cbn [pow] in S1, S2.
  rewrite Rmult_1_r in S1, S2.
  assert (S : 19 / 100 <= share <= 21 / 100) by (split; nra).
  assert (LO' : log_computed (1 + - share) log_own).
  { destruct LO as [_ NEG]. split; [lra|]. intros _. apply NEG. lra. }
  assert (S3 : u * share <= u * 1) by (apply Rmult_le_compat_l; lra). assert (H2 := ln_2_bound).
  assert (B : forall x l, 1 / 8 <= x < 1 -> log_computed x l -> Rabs l <= 5 / 2 /\ l <= ln x + 25 * u).
  { intros x l X C. destruct (log_error x l ltac:(lra) C) as [C1 C2].
    assert (Z := ln_monotone (1 / 8) x ltac:(lra) ltac:(lra)). unfold Rdiv in Z. rewrite Rmult_1_l, ln_Rinv in Z by lra.
    replace 8 with (2 ^ 3) in Z by ring. rewrite ln_power in Z by lra. cbn [INR] in Z.
    assert (Q := ln_le_sub x ltac:(lra)). rewrite (Rabs_left1 (ln x)) in C2 by lra.
    assert (u * Rabs l <= u * (5 / 2)) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (B (1 + - share) log_own ltac:(lra) LO') as [O1 O2]. destruct (B share log_claim ltac:(lra) LC) as [C1 C2].
  assert (Z := ln_below (1 + - share) (1 - 2 / 10) (2 * u) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  assert (Z' := ln_below share (2 / 10) (2 * u) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

(** max + log1p (exp (min - max)) *)
Definition logaddexp_computed (x y result : R) : Prop :=
  exists difference power log_power, rounded (Rmax x y - Rmin x y) (- difference) /\ nearly 9 (exp difference) power /\
  nearly 9 (ln (1 + power)) log_power /\ to_nearest (Rmax x y + log_power) result.

Lemma logaddexp_error x y result X Y : log_within 260 (22 / 10) x X -> log_within 260 (22 / 10) y Y ->
  logaddexp_computed x y result -> log_within 500 4 result (X + Y).
Proof.
  intros (X0 & HX) (Y0 & HY) (d & p & l & D & P & (LP & L0 & L & _) & N). assert (U := u_in).
  (* The greater one is hi. *)
  assert (R : exists hi lo H Lo, hi = Rmax x y /\ lo = Rmin x y /\ lo <= hi /\ H + Lo = X + Y /\
    log_within 260 (22 / 10) hi H /\ log_within 260 (22 / 10) lo Lo).
  { destruct (Rle_lt_dec y x) as [Q|Q].
    - exists x, y, X, Y. rewrite Rmax_left, Rmin_right by auto. repeat split; auto.
    - exists y, x, Y, X. rewrite Rmax_right, Rmin_left by lra. repeat split; auto; lra. }
  destruct R as (hi & lo & H & Lo & M1 & M2 & O & <- & (H0 & HH) & (Lo0 & HL)). rewrite <- M1, <- M2 in *.
  clear x y M1 M2 X Y X0 Y0 HX HY.
  destruct (power_error (hi - lo) d p) as ((P0 & P1) & P2); auto; [lra|].
  replace (- (hi - lo)) with (lo - hi) in P1 by ring.
  (* What the logarithms are too large by. *)
  set (e := (404 + 22 / 10 * Rabs hi) * u). assert (A := Rabs_pos hi).
  assert (E0 : 0 <= e) by (unfold e; apply Rmult_le_pos; lra).
  assert (above : forall z Z, 0 < Z -> z <= ln Z + e -> exp z <= exp e * Z).
  { intros z Z Z0 C. rewrite <- (exp_ln Z) by auto. rewrite <- exp_plus. apply exp_le. lra. }
  assert (EH : exp hi <= exp e * H).
  { apply above; auto. eapply Rle_trans; [exact HH|]. apply Rplus_le_compat_l. unfold e. apply Rmult_le_compat_r; lra. }
  assert (T : exp hi * (1 + p) <= (1 + 76 * u) * (exp e * (H + Lo))).
  { assert (Q := exp_pos hi). assert (F := exp_pos e). destruct P2 as [P2|P2].
    - assert (EL : exp lo <= exp e * Lo).
      { apply above; auto. eapply Rle_trans; [exact HL|]. apply Rplus_le_compat_l. unfold e.
        apply Rmult_le_compat_r; [lra|].
        assert (Rabs lo <= Rabs hi + 65); [|lra]. assert (B1 := Rle_abs hi). assert (B2 := Rle_abs (- hi)).
        rewrite Rabs_Ropp in B2. apply Rabs_le. lra. }
      assert (K : exp hi * exp (lo - hi) = exp lo) by (rewrite <- exp_plus; f_equal; ring).
      apply Rle_trans with (exp hi * (1 + ((1 + 75 * u) * exp (lo - hi) + u / 1000))); [apply Rmult_le_compat_l; lra|].
      assert (0 < exp lo) by apply exp_pos. nra.
    - assert (0 < exp e * Lo) by (apply Rmult_lt_0_compat; auto).
      assert (exp hi * (1 + p) <= exp hi * (1 + u)) by (apply Rmult_le_compat_l; lra). nra. }
  assert (S0 : 0 < H + Lo) by lra. split; [exact S0|].
  assert (LT : hi + ln (1 + p) <= ln (H + Lo) + e + 76 * u).
  { assert (Z : ln (exp hi * (1 + p)) <= ln (exp e * (H + Lo)) + 76 * u)
      by (apply ln_below; try lra; apply Rmult_lt_0_compat; try apply exp_pos; lra).
    rewrite !ln_mult, !ln_exp in Z by (auto using exp_pos; lra). lra. }
  assert (P3 : p <= 11 / 10).
  { assert (exp (lo - hi) <= 1) by (rewrite <- exp_0; apply exp_le; lra). assert (0 < exp (lo - hi)) by apply exp_pos.
    nra. }
  assert (L1 := ln_le_sub (1 + p) ltac:(lra)). assert (L2 : l <= ln (1 + p) + 11 * u).
  { assert (P9 : 1 <= (1 + u) ^ 9 <= 1 + 91 / 10 * u) by (apply power_bound; cbn; lra). assert (T9 := tiny_in).
    assert ((1 + u) ^ 9 * ln (1 + p) <= (1 + 91 / 10 * u) * ln (1 + p)) by (apply Rmult_le_compat_r; lra).
    assert (u * ln (1 + p) <= u * (11 / 10)) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (to_nearest_error _ _ N) as [N1 N2]. assert (B := Rabs_triang (hi + l) (- l)).
  replace (hi + l + - l) with hi in B by ring. rewrite Rabs_Ropp, (Rabs_pos_eq l) in B by auto.
  assert (u * Rabs hi <= u * (1001 / 1000 * Rabs result + 12 / 10)) by (apply Rmult_le_compat_l; lra).
  unfold e in LT.
  assert (0 <= u * Rabs result) by (apply Rmult_le_pos; [lra | apply Rabs_pos]). lra.
Qed.

(** ** The limit of log wealth: [Wealth.limit_after] *)
Definition limit_computed (error : R) (calls : nat) (computed : R) : Prop :=
  exists error' minus_log least each margin, near 2 error error' /\ / 2 ^ 100 <= error' < 1 /\
  library (- ln error') minus_log /\ rounded (1 / 1000000) least /\ rounded (1 / 10000000000000) each /\
  rounded (INR calls * each) margin /\ rounded (minus_log + Rmax least margin) computed.

Lemma limit_error error calls computed : INR calls <= 1000000000000000 -> limit_computed error calls computed ->
  - ln error + rounding calls <= computed + 2000 * u.
Proof.
  intros C (error' & minus_log & least & each & margin & (_ & _ & E & _) & [E0 _] & L & A & B & M & T).
  assert (U := u_in). assert (I := pos_INR calls).
  assert (N : near 10 (- ln error' + rounding calls) computed).
  { apply (near_trans 9 1) with (minus_log + Rmax least margin); auto. apply near_plus; auto. apply near_Rmax.
    - apply near_higher with 1%nat; [lia | exact A].
    - apply near_higher with 2%nat; [lia|]. apply (near_trans 1 1) with (INR calls * each); auto.
      apply (near_mult 0 1); [now apply near_refl | exact B]. }
  destruct N as (_ & N0 & _ & N). assert (P : 1 <= (1 + u) ^ 10 <= 1 + 11 * u) by (apply power_bound; cbn; lra).
  assert (Q : 1 <= (1 + u) ^ 2 <= 1 + 3 * u) by (apply power_bound; cbn; lra).
  assert (R : rounding calls <= 100) by (apply Rmax_lub; lra).
  assert (two : 0 < / 2 ^ 100) by (apply Rinv_0_lt_compat; lra).
  assert (small : - ln error' <= 70).
  { assert (Z := ln_monotone (/ 2 ^ 100) error' two E0). rewrite ln_Rinv, ln_power in Z by lra.
    replace (INR 100) with 100 in Z by (rewrite INR_IZR_INZ; reflexivity). assert (H := ln_2_bound). lra. }
  assert (D : ln error' <= ln error + 3 * u).
  { set (q := (1 + u) ^ 2) in *. apply ln_below; try lra; nra. }
  destruct (Rle_lt_dec computed 171) as [S|S]; [|lra].
  assert ((1 + u) ^ 10 * computed <= (1 + 11 * u) * computed) by (apply Rmult_le_compat_r; lra).
  assert (u * computed <= u * 171) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Wealth against a null *)
Section Wealth.
Variable output : Type.
Variable points : nat -> nat -> R * R.
Hypothesis points_in : forall null j, 0 <= fst (points null j) /\ 0 <= snd (points null j).
Variable n_pairs : nat.
Variable alpha : R.
Variable claim : nat.
Variable pure_after : nat -> list (call output) -> bool.
Variable strategy : list (call output) -> nat -> nat -> decision output.
Variable looks : list (call output) -> bool.
Variable log_wealth : nat -> nat -> list (call output) -> R.

(** The columns against [null] that follow the decisions made against the null [followed]: weights, and logarithms as
    they are computed. *)
Definition columns_computed (k null followed : nat) (h : list (call output)) (computed : list (R * option R)) : Prop :=
  List.Forall2 (fun wc c => fst c = fst wc /\
    column_computed (column_wealth output points strategy k null followed (snd wc) h) (calls_of output k h) (snd c))
    (columns (pure output pure_after k h)) computed.

Lemma column_wealth_nonneg k null followed h w c : proper (w, c) ->
  0 <= column_wealth output points strategy k null followed c h.
Proof.
  intros P. unfold column_wealth. induction h as [|o h IH]; cbn [product]; [lra|]. apply Rmult_le_pos; auto.
  destruct (andb _ _); [|lra]. now apply (column_factor_between output (1 / 2) ltac:(lra) points points_in _ null c w).
Qed.

Lemma columns_weights pure : List.Forall (fun wc => 1 / 120 <= fst wc <= 1) (columns pure).
Proof.
  apply Forall_forall. intros [w c]. unfold columns, parts.
  destruct pure; rewrite !in_app_iff, !in_map_iff; intros [(? & E & _)|[(? & E & _)|(? & E & _)]];
    injection E as <- _; cbn; lra.
Qed.

Lemma computed_weights k null followed h computed : columns_computed k null followed h computed ->
  List.Forall (fun c => 1 / 120 <= fst c <= 1) computed /\ lsum fst computed = 1.
Proof.
  intros C. assert (S := columns_sum (pure output pure_after k h)).
  assert (W := columns_weights (pure output pure_after k h)).
  unfold columns_computed in C. set (all := columns (pure output pure_after k h)) in *. clearbody all.
  cut (List.Forall (fun c => 1 / 120 <= fst c <= 1) computed /\ lsum fst computed = lsum fst all); [now rewrite S|].
  clear S. induction C as [|wc c l l' [E _] _ IH]; [split; constructor|]. inversion W as [|? ? W1 W2]; subst.
  destruct (IH W2) as [I1 I2]. cbn [lsum]. rewrite E, I2. split; [|reflexivity].
  constructor; [now rewrite E | exact I1].
Qed.

(** What the columns are worth as they are computed, and exactly. *)
Lemma mean_of_error k null followed h computed : columns_computed k null followed h computed ->
  let calls := calls_of output k h in
  mean_of computed <=
    exp (column_excess calls) * capital output points pure_after strategy k null followed h + exp (- 50) /\
  mean_of computed <= exp (14 / 10 * INR calls).
Proof.
  intros C calls. unfold capital, capital_in, mean_of.
  assert (S := columns_sum (pure output pure_after k h)). unfold columns_computed in C. fold calls in C.
  assert (P : forall w c, In (w, c) (columns (pure output pure_after k h)) -> proper (w, c)) by apply columns_proper.
  set (all := columns (pure output pure_after k h)) in *. clearbody all.
  set (e := exp (column_excess calls)) in *. set (g := exp (14 / 10 * INR calls)).
  replace (exp (- 50)) with (exp (- 50) * lsum fst all) by (rewrite S; ring).
  replace g with (g * lsum fst all) by (rewrite S; ring).
  clear S. induction C as [|wc c l l' [E C] _ IH]; cbn [lsum]; [lra|].
  destruct IH as [I1 I2]; [intros; apply P; now right|]. destruct wc as [w col]. cbn [fst snd] in *. rewrite E.
  assert (Q := P w col (or_introl eq_refl)). assert (W : 0 <= w) by apply Q.
  destruct (column_value _ calls (snd c) (column_wealth_nonneg k null followed h w col Q) C) as [V1 V2].
  fold e in V1. fold g in V2.
  assert (w * value (snd c) <= w * (e * column_wealth output points strategy k null followed col h + exp (- 50)))
    by (apply Rmult_le_compat_l; auto).
  assert (w * value (snd c) <= w * g) by (apply Rmult_le_compat_l; auto). split; lra.
Qed.

(** What is assumed of the code at every look: which operations compute its numbers.  Log wealth is [shown] and is
    compared with [computed_limit]; the model compares with the exact limit, so it moves log wealth by the difference.
    NaN, with which nothing is refuted, is a negative number here. *)
Definition computed_in_binary64 : Prop := forall k null h, looks h = true -> 0 <= log_wealth k null h ->
  let calls := calls_of output k h in
  INR calls <= 1000000000000000 /\
  exists shown computed_limit own, columns_computed k null null h own /\
  (if Nat.ltb null claim
   then exists own_mean followed followed_mean share log_own log_followed own_part followed_part,
     columns_computed k null claim h followed /\
     log_mean_computed own own_mean /\ log_mean_computed followed followed_mean /\
     rounded by_claim share /\ log1p_computed (- share) log_own /\ log_computed share log_followed /\
     to_nearest (log_own + own_mean) own_part /\ to_nearest (log_followed + followed_mean) followed_part /\
     logaddexp_computed own_part followed_part shown
   else log_mean_computed own shown) /\
  limit_computed (error_of_a_pair n_pairs alpha) calls computed_limit /\
  log_wealth k null h - limit output n_pairs alpha k h = shown - computed_limit.

(** A null is refuted in the model if and only if the computed numbers refute it. *)
Lemma same_comparison k null h shown computed_limit : looks h = true ->
  log_wealth k null h - limit output n_pairs alpha k h = shown - computed_limit ->
  refuted_now output n_pairs alpha looks log_wealth k null h = true <-> computed_limit <= shown.
Proof.
  intros K E. unfold refuted_now. rewrite K. cbn [andb].
  destruct Rle_dec; split; intros; auto; [lra | discriminate | lra].
Qed.

(** The logarithm that is shown, and the wealth of the computed columns. *)
Lemma shown_error k null h : looks h = true -> 0 <= log_wealth k null h -> computed_in_binary64 ->
  let calls := calls_of output k h in
  INR calls <= 1000000000000000 /\ exists shown T, log_wealth k null h <= shown + 2000 * u /\
  log_within 500 4 shown T /\ T <= exp (14 / 10 * INR calls) /\
  T <= exp (column_excess calls) * wealth output points claim pure_after strategy k null h + exp (- 50).
Proof.
  intros K N H calls. destruct (H k null h K N) as (C & shown & computed & own & OWN & S & L & E). fold calls in C, L.
  split; auto. assert (U := u_in). apply limit_error in L; auto. unfold limit in E. fold calls in E.
  destruct (mean_of_error _ _ _ _ _ OWN) as [T1 T2]. destruct (computed_weights _ _ _ _ _ OWN) as [W1 W2].
  fold calls in T1, T2. unfold wealth. destruct (Nat.ltb null claim).
  - destruct S as (m & followed & m' & share & lo & lf & a & b & F & M & M' & SH & LO & LF & A & B & J).
    destruct (mean_of_error _ _ _ _ _ F) as [T1' T2']. destruct (computed_weights _ _ _ _ _ F) as [W1' W2'].
    fold calls in T1', T2'.
    destruct (log_shares_error share lo lf SH LO LF) as [[LO1 LO2] [LF1 LF2]].
    apply log_mean_error in M; auto. apply log_mean_error in M'; auto. unfold by_claim in *.
    exists shown, ((1 - 2 / 10) * mean_of own + 2 / 10 * mean_of followed). split; [lra|]. split; [|lra].
    apply logaddexp_error with a b; auto; [apply scaled_error with lo m | apply scaled_error with lf m']; auto; lra.
  - apply log_mean_error in S; auto. destruct S as [S0 S]. exists shown, (mean_of own). repeat split; auto; try lra.
    assert (P : 0 <= u * Rabs shown) by (apply Rmult_le_pos; [lra | apply Rabs_pos]). lra.
Qed.

Theorem binary64_rounds_well : computed_in_binary64 ->
  rounds_well output claim pure_after strategy looks log_wealth points.
Proof.
  intros H k null h K N. destruct (shown_error k null h K N H) as (C & shown & T & S & (T0 & L) & T2 & T1). clear H.
  set (calls := calls_of output k h) in *. set (lw := log_wealth k null h) in *. clearbody lw.
  set (exact := wealth output points claim pure_after strategy k null h) in *.
  assert (U := u_in). assert (I := pos_INR calls). assert (D := u_digits).
  assert (UC : 0 <= u * INR calls <= 112 / 1000).
  { split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (u * 1000000000000000); [apply Rmult_le_compat_l; lra | lra]. }
  assert (A : Rabs shown <= 141 / 100 * INR calls + 1).
  { assert (B : ln T <= 14 / 10 * INR calls) by (rewrite <- ln_exp; now apply ln_monotone).
    apply Rabs_le. split; [lra|]. assert (R : Rabs shown <= shown + 4000 * u) by (apply Rabs_le; lra).
    assert (u * Rabs shown <= u * (shown + 4000 * u)) by (apply Rmult_le_compat_l; lra).
    assert (u * (4000 * u) <= u * 1) by (apply Rmult_le_compat_l; lra).
    apply Rnot_lt_le. intros G. assert (4 * u * shown <= 1 / 1000 * shown) by (apply Rmult_le_compat_r; lra). lra. }
  (* What rounding of the mean and the limit adds. *)
  set (e := (2505 + 6 * INR calls) * u).
  assert (M : exp (lw - e) <= T).
  { rewrite <- (exp_ln T) by auto. apply exp_le. unfold e.
    assert (u * Rabs shown <= u * (141 / 100 * INR calls + 1)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (e_in : 0 <= e <= 7 / 10) by (unfold e; lra).
  (* The columns below exp (- 50) *)
  assert (small : exp (- 50) <= 30 * u * exp (lw - e)).
  { assert (G : 3 / 10 <= exp (lw - e)) by (eapply Rle_trans; [|apply exp_ineq1_le]; lra).
    assert (u * (3 / 10) <= u * exp (lw - e)) by (apply Rmult_le_compat_l; lra). assert (Z := exp_minus_50). lra. }
  assert (R : exp (lw - e - 60 * u - column_excess calls) <= exact).
  { replace (lw - e - 60 * u - column_excess calls) with ((lw - e) + (- (60 * u)) + (- column_excess calls)) by ring.
    rewrite !exp_plus, !exp_Ropp. assert (G := exp_pos (lw - e)). assert (X := exp_pos (column_excess calls)).
    assert (Z : / exp (60 * u) <= 1 - 30 * u).
    { assert (Z := exp_ineq1_le (60 * u)). apply Rle_trans with (/ (1 + 60 * u)); [apply Rinv_le_contravar; lra|].
      apply Rmult_le_reg_r with (1 + 60 * u); [lra|]. rewrite Rinv_l by lra. nra. }
    apply Rmult_le_reg_r with (exp (column_excess calls)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
  eapply Rle_trans; [|exact R]. apply exp_le. unfold column_excess, e, rounding.
  assert (M1 := Rmax_l (1 / 1000000) (INR calls * (1 / 10000000000000))).
  assert (M2 := Rmax_r (1 / 1000000) (INR calls * (1 / 10000000000000))).
  assert (UD : u * INR calls <= 11103 / 100000000000000000000 * INR calls) by (apply Rmult_le_compat_r; lra).
  destruct (Rle_lt_dec (INR calls) 10000000); lra.
Qed.
End Wealth.
