(** * Rounding of log wealth

    [AuditClaims.rounds_well] follows from how binary64 rounds and from the accuracy of exp, log1p and log.

    - Every stake is computed with a small relative error.  It is treated as a stake that is smaller by the factor
      [kept], which is a fair bet too.  So a factor that is nearly 0, or is 0 and is computed as 2^-53, does no harm.
    - The logarithms of factors are multiplied by counts and added, in any order ([added_error]).  Gains are at most
      log 2 for each call, and a column that has not lost nearly everything has lost no more than it has gained.
    - Columns below exp (-50) do not matter, since only a wealth of at least 1 is looked at.

    | here                                | Python                                     |
    |-------------------------------------|--------------------------------------------|
    | [right_accurate] .. [abstained_accurate] | [Wealth._factors], [Wealth.wrong]     |
    | [hit_accurate], [miss_accurate]     | [GradedPlay._gains_of]                     |
    | [counted], [added]                  | [Counts.log_gains], [Wealth.add]: counts times logarithms, added by cells and blocks |
    | [computed_in_binary64]              | [log_mean] and [np.logaddexp] in [Wealth.add] | *)

From Coq Require Import Reals Lra Psatz List Lia Arith.
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
    assert (share * v <= 1) by nra. assert (0 <= share * v) by nra.
    assert ((1 + u) ^ 17 * (share * v) <= share * v + 18 * u) by nra.
    assert (share * v <= share * (scale * (size - charge)) + 3 / 2 * u) by nra. lra.
  - destruct (NEG ltac:(lra)) as (D & S & R). destruct (Both _ _ _ _ D S R) as (_ & _ & _ & B).
    assert (charge <= charge' + 3 * u * charge) by nra.
    assert (X : scale * (size - charge') <= scale * (size - charge) + 3 / 2 * u) by nra.
    assert (Y : scale * (charge' - size) <= 1) by nra.
    assert (Z : 0 <= scale * (charge' - size)) by nra. set (v := scale * (charge' - size)) in *.
    assert (share * v <= 1) by nra. assert (0 <= share * v) by nra. assert (0 <= - result) by apply R.
    assert (- result <= 1 -> share * v <= - result + 18 * u) by nra.
    assert (share * v <= - result + 18 * u) by (destruct (Rle_dec (- result) 1); [auto | lra]).
    assert (share * v >= share * (scale * (charge - size)) - 3 / 2 * u) by (unfold v; nra). nra.
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

(** The columns of wealth with their weights, each following decisions against a null. *)
Section Wealth.
Variable output : Type.
Variable points : nat -> nat -> R * R.
Hypothesis points_in : forall null j, 0 <= fst (points null j) /\ 0 <= snd (points null j).
Variable claim : nat.
Variable pure_after : nat -> list (call output) -> bool.
Variable strategy : list (call output) -> nat -> nat -> decision output.
Variable looks : list (call output) -> bool.
Variable log_wealth : nat -> nat -> list (call output) -> R.

Definition exact_column (k null : nat) (h : list (call output)) (fc : nat * column) : R :=
  column_wealth output points strategy k null (fst fc) (snd fc) h.

Definition weighted (weight : R) (followed k : nat) (h : list (call output)) : list (R * (nat * column)) :=
  map (fun wc => (weight * fst wc, (followed, snd wc))) (columns (pure output pure_after k h)).
Definition all_columns (k null : nat) (h : list (call output)) : list (R * (nat * column)) :=
  if Nat.ltb null claim then weighted (1 - by_claim) null k h ++ weighted by_claim claim k h else weighted 1 null k h.

Lemma wealth_as_sum k null h :
  wealth output points claim pure_after strategy k null h = lsum (fun wc => fst wc * exact_column k null h (snd wc)) (all_columns k null h).
Proof.
  unfold wealth, all_columns, weighted, capital, capital_in, exact_column.
  destruct (Nat.ltb null claim); rewrite ?lsum_app, !lsum_map; cbn [fst snd].
  - rewrite <- !lsum_scal. f_equal; apply lsum_ext; intros; ring.
  - apply lsum_ext. intros. ring.
Qed.

Lemma weights_sum k null h : lsum fst (all_columns k null h) = 1 /\ List.Forall (fun wc => 0 <= fst wc) (all_columns k null h).
Proof.
  assert (W : forall weight followed, 0 <= weight ->
    lsum fst (weighted weight followed k h) = weight /\ List.Forall (fun wc => 0 <= fst wc) (weighted weight followed k h)).
  { intros w f P. unfold weighted. rewrite lsum_map. cbn [fst]. rewrite lsum_scal, columns_sum. split; [ring|].
    apply Forall_map, Forall_forall. intros [w' c] I. cbn. apply columns_proper in I. apply Rmult_le_pos; [auto | apply I]. }
  unfold all_columns, by_claim. destruct (Nat.ltb null claim); [|now apply W; lra].
  rewrite lsum_app. destruct (W (1 - 2 / 10) null) as [S F]; [lra|]. destruct (W (2 / 10) claim) as [S' F']; [lra|].
  split; [lra | apply Forall_app; auto].
Qed.

Lemma exact_column_nonneg k null h w fc : In (w, fc) (all_columns k null h) -> 0 <= exact_column k null h fc.
Proof.
  intros I. assert (P : exists w', proper (w', snd fc)).
  { assert (Q : forall weight followed, In (w, fc) (weighted weight followed k h) -> exists w', proper (w', snd fc)).
    { intros weight followed J. apply in_map_iff in J. destruct J as ([w' c] & E & J). injection E as <- <-.
      exists w'. now apply columns_proper in J. }
    unfold all_columns in I. destruct (Nat.ltb null claim); [apply in_app_or in I; destruct I as [I|I]|]; eauto. }
  destruct P as [w' P]. unfold exact_column, column_wealth. clear I.
  induction h as [|o h IH]; cbn [product]; [lra|]. apply Rmult_le_pos; auto.
  destruct (andb _ _); [|lra]. now apply (column_factor_between output (1 / 2) ltac:(lra) points points_in _ null (snd fc) w').
Qed.

(** What is assumed of the code at every look: columns are computed as above, and the logarithm of their weighted mean
    ([log_mean], [np.logaddexp]) is too large by at most 2000 u and 4 u of itself. *)
Definition computed_in_binary64 : Prop := forall k null h, looks h = true ->
  INR (calls_of output k h) <= 1000000000000000 /\
  exists log_of : nat * column -> option R,
  List.Forall (fun wc => column_computed (exact_column k null h (snd wc)) (calls_of output k h) (log_of (snd wc))) (all_columns k null h) /\
  let total := lsum (fun wc => fst wc * value (log_of (snd wc))) (all_columns k null h) in
  exp (log_wealth k null h - (2000 + 4 * Rabs (log_wealth k null h)) * u) <= total.

Theorem binary64_rounds_well : computed_in_binary64 -> rounds_well output claim pure_after strategy looks log_wealth points.
Proof.
  intros H k null h K N. destruct (H k null h K) as (C & log_of & F & T). clear H. cbn zeta in T.
  set (calls := calls_of output k h) in *. set (lw := log_wealth k null h) in *. rewrite (Rabs_pos_eq lw) in T by auto.
  rewrite wealth_as_sum. set (all := all_columns k null h) in *.
  set (exact := lsum (fun wc => fst wc * exact_column k null h (snd wc)) all).
  assert (U := u_in). assert (I := pos_INR calls). destruct (weights_sum k null h) as [S P]. fold all in S, P.
  rewrite Forall_forall in F, P.
  assert (V : forall wc, In wc all -> value (log_of (snd wc)) <= exp (column_excess calls) * exact_column k null h (snd wc) + exp (- 50) /\
    value (log_of (snd wc)) <= exp (14 / 10 * INR calls)).
  { intros [w fc] J. apply column_value; [now apply exact_column_nonneg with w | now apply (F (w, fc))]. }
  assert (T1 : lsum (fun wc => fst wc * value (log_of (snd wc))) all <= exp (column_excess calls) * exact + exp (- 50)).
  { apply Rle_trans with (lsum (fun wc => exp (column_excess calls) * (fst wc * exact_column k null h (snd wc)) + exp (- 50) * fst wc) all).
    - apply lsum_le. intros wc J. destruct (V wc J) as [V1 _]. specialize (P wc J). nra.
    - rewrite lsum_plus, !lsum_scal, S. fold exact. lra. }
  assert (T2 : lsum (fun wc => fst wc * value (log_of (snd wc))) all <= exp (14 / 10 * INR calls)).
  { apply Rle_trans with (lsum (fun wc => exp (14 / 10 * INR calls) * fst wc) all).
    - apply lsum_le. intros wc J. destruct (V wc J) as [_ V2]. specialize (P wc J). nra.
    - rewrite lsum_scal, S. lra. }
  assert (B : lw <= 141 / 100 * INR calls + 1).
  { assert (E : lw - (2000 + 4 * lw) * u <= 14 / 10 * INR calls).
    { apply Rnot_lt_le. intros G. apply exp_increasing in G. lra. }
    apply Rnot_lt_le. intros G. nra. }
  (* What rounding of the mean and the columns below exp (- 50) add. *)
  set (e := (2005 + 6 * INR calls) * u).
  assert (M : exp (lw - e) <= exp (column_excess calls) * exact + exp (- 50)).
  { eapply Rle_trans; [|exact T1]. eapply Rle_trans; [|exact T]. apply exp_le. unfold e.
    assert (u * lw <= u * (141 / 100 * INR calls + 1)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= u * INR calls) by (apply Rmult_le_pos; lra). lra. }
  assert (small : exp (- 50) <= 8 * u).
  { replace (- 50) with (- (50 * 1)) by ring. rewrite exp_Ropp. unfold u.
    assert (two : 2 <= exp 1) by (assert (Z := exp_ineq1_le 1); lra).
    assert (power : forall n, exp (INR n * 1) = exp 1 ^ n).
    { induction n as [|n IH]; [cbn; rewrite Rmult_0_l; apply exp_0|].
      rewrite S_INR, Rmult_plus_distr_r, exp_plus, IH, Rmult_1_l. cbn. ring. }
    replace 50 with (INR 50) by (rewrite INR_IZR_INZ; reflexivity). rewrite power. apply Rle_trans with (/ 2 ^ 50); [|lra]. apply Rinv_le_contravar; [lra | apply pow_incr; lra]. }
  assert (UC : 0 <= u * INR calls <= 112 / 1000).
  { split; [apply Rmult_le_pos; lra|]. apply Rle_trans with (u * 1000000000000000); [apply Rmult_le_compat_l; lra|].
    assert (D := u_digits). lra. }
  assert (e_in : 0 <= e <= 7 / 10) by (unfold e; lra).
  assert (half : exp (- 50) <= 30 * u * exp (lw - e)).
  { assert (G : 3 / 10 <= exp (lw - e)) by (eapply Rle_trans; [|apply exp_ineq1_le]; lra).
    assert (u * (3 / 10) <= u * exp (lw - e)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (R : exp (lw - e - 60 * u - column_excess calls) <= exact).
  { replace (lw - e - 60 * u - column_excess calls) with ((lw - e) + (- (60 * u)) + (- column_excess calls)) by ring.
    rewrite !exp_plus, !exp_Ropp. assert (G := exp_pos (lw - e)). assert (X := exp_pos (column_excess calls)).
    assert (L : / exp (60 * u) <= 1 - 30 * u).
    { assert (Z := exp_ineq1_le (60 * u)). apply Rle_trans with (/ (1 + 60 * u)); [apply Rinv_le_contravar; lra|].
      apply Rmult_le_reg_r with (1 + 60 * u); [lra|]. rewrite Rinv_l by lra. nra. }
    apply Rmult_le_reg_r with (exp (column_excess calls)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
  eapply Rle_trans; [|exact R]. apply exp_le. unfold column_excess, e, rounding. assert (D := u_digits).
  assert (M1 := Rmax_l (1 / 1000000) (INR calls * (1 / 10000000000000))). assert (M2 := Rmax_r (1 / 1000000) (INR calls * (1 / 10000000000000))).
  assert (UD : u * INR calls <= 11103 / 100000000000000000000 * INR calls) by (apply Rmult_le_compat_r; lra).
  destruct (Rle_lt_dec (INR calls) 10000000); lra.
Qed.
End Wealth.
