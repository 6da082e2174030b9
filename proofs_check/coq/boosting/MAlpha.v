(** * The M-alpha loss: risk, link, inverse link, conjugate and surrogate

    For 0 < alpha <= 1.  The inverse link at minus a margin is the weight of an example with this margin, and
    minus the derivative of the surrogate; the surrogate is the conjugate of the negative risk.  Derivatives are
    derivatives ([is_derive] of Coquelicot).

    | here                         | paper and ledger                                        |
    |------------------------------|---------------------------------------------------------|
    | [risk], [surrogate]          | f-alphaM; theoremalpha                                  |
    | [weight z], [inverse_link z] | link^-1(-z) and link^-1(z), defwunMF                    |
    | [link]                       | the link off 1/2, minus the derivative of the risk      |
    | [soft]                       | z/2 moved towards 0 by 1 - alpha, 0 on the plateau      | *)

From Coq Require Import Reals Lra Psatz.
From Coquelicot Require Import Coquelicot.
Local Open Scope R_scope.

Section MAlpha.
Variable alpha : R.
Hypothesis alpha_in : 0 < alpha <= 1.

Definition risk (u : R) : R := 2 * (alpha * sqrt (u * (1 - u)) + (1 - alpha) * Rmin u (1 - u)).
Definition soft (z : R) : R := Rmax (z / 2 - (1 - alpha)) 0 + Rmin (z / 2 + (1 - alpha)) 0.
Definition root (s : R) : R := sqrt (alpha ^ 2 + s ^ 2).
Definition slope (s : R) : R := s / root s.
Definition surrogate (z : R) : R := 1 - z / 2 + root (soft z) - alpha.
Definition weight (z : R) : R := (1 - slope (soft z)) / 2.
Definition inverse_link (z : R) : R := weight (- z).
Definition conjugate (z : R) : R := surrogate (- z).
Definition link (u : R) : R :=
  alpha * (2 * u - 1) / sqrt (u * (1 - u)) + (if Rlt_dec u (1 / 2) then - (2 * (1 - alpha)) else 2 * (1 - alpha)).

(** ** Roots *)
Lemma root_sq s : root s * root s = alpha ^ 2 + s ^ 2.
Proof. apply sqrt_sqrt. nra. Qed.

Lemma root_ge s : alpha <= root s.
Proof.
  unfold root. rewrite <- (sqrt_pow2 alpha) at 1 by lra. apply sqrt_le_1_alt. nra.
Qed.

Lemma root_pos s : 0 < root s.
Proof. assert (H := root_ge s). lra. Qed.

Lemma root_gt s : Rabs s < root s.
Proof.
  unfold root. rewrite <- sqrt_Rsqr_abs. apply sqrt_lt_1_alt. unfold Rsqr. nra.
Qed.

Lemma slope_in s : -1 < slope s < 1.
Proof.
  assert (P := root_pos s). assert (G := root_gt s). apply Rabs_def2 in G. unfold slope.
  split; [apply Rmult_lt_reg_r with (root s) | apply Rmult_lt_reg_r with (root s)]; auto;
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma weight_in z : 0 < weight z < 1.
Proof. assert (H := slope_in (soft z)). unfold weight. lra. Qed.

(** Cauchy's inequality in the plane. *)
Lemma cauchy a b c d : 0 <= c ^ 2 + d ^ 2 -> a * c + b * d <= sqrt (a ^ 2 + b ^ 2) * sqrt (c ^ 2 + d ^ 2).
Proof.
  intros _. rewrite <- sqrt_mult by nra. apply Rle_trans with (Rabs (a * c + b * d)); [apply Rle_abs|].
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. unfold Rsqr. assert (0 <= (a * d - b * c) ^ 2) by apply pow2_ge_0. nra.
Qed.

(** ** Soft thresholds *)
Lemma soft_cases z :
  (2 * (1 - alpha) < z /\ soft z = z / 2 - (1 - alpha)) \/
  (z < - (2 * (1 - alpha)) /\ soft z = z / 2 + (1 - alpha)) \/
  (- (2 * (1 - alpha)) <= z <= 2 * (1 - alpha) /\ soft z = 0).
Proof.
  unfold soft. destruct (Rlt_dec (2 * (1 - alpha)) z) as [H|H].
  - left. split; auto. rewrite Rmax_left, Rmin_right by lra. ring.
  - destruct (Rlt_dec z (- (2 * (1 - alpha)))) as [K|K].
    + right. left. split; auto. rewrite Rmax_right, Rmin_left by lra. ring.
    + right. right. split; [lra|]. rewrite Rmax_right, Rmin_right by lra. ring.
Qed.

Lemma soft_opp z : soft (- z) = - soft z.
Proof.
  destruct (soft_cases z) as [[H ->]|[[H ->]|[H ->]]], (soft_cases (- z)) as [[K ->]|[[K ->]|[K ->]]]; lra.
Qed.

Lemma root_opp s : root (- s) = root s.
Proof. unfold root. f_equal. ring. Qed.

Lemma inverse_link_form z : inverse_link z = (1 + slope (soft z)) / 2.
Proof. unfold inverse_link, weight. rewrite soft_opp. unfold slope. rewrite root_opp. field. assert (H := root_pos (soft z)). lra. Qed.

Lemma soft_times z t : z / 2 * t - (1 - alpha) * Rabs t <= Rabs (soft z) * Rabs t.
Proof.
  assert (T : t <= Rabs t) by apply Rle_abs. assert (T' : - t <= Rabs t) by (rewrite <- Rabs_Ropp; apply Rle_abs).
  assert (P := Rabs_pos t).
  destruct (soft_cases z) as [[H ->]|[[H ->]|[H ->]]].
  - rewrite (Rabs_pos_eq (z / 2 - (1 - alpha))) by lra. nra.
  - rewrite (Rabs_left (z / 2 + (1 - alpha))) by lra. nra.
  - rewrite Rabs_R0. nra.
Qed.

(** ** The surrogate is the conjugate of the negative risk, attained at the weight *)
Lemma risk_half_turn t : -1 <= t <= 1 -> risk ((1 - t) / 2) = alpha * sqrt (1 - t ^ 2) + (1 - alpha) * (1 - Rabs t).
Proof.
  intros T. unfold risk.
  replace ((1 - t) / 2 * (1 - (1 - t) / 2)) with ((1 - t ^ 2) * (1 / 2) ^ 2) by field.
  rewrite sqrt_mult, sqrt_pow2 by nra.
  assert (M : Rmin ((1 - t) / 2) (1 - (1 - t) / 2) = (1 - Rabs t) / 2).
  { unfold Rabs. destruct (Rcase_abs t); [rewrite Rmin_right | rewrite Rmin_left]; lra. }
  rewrite M. field.
Qed.

Theorem surrogate_bound z u : 0 <= u <= 1 -> - z * u + risk u <= surrogate z.
Proof.
  intros U. set (t := 1 - 2 * u). replace u with ((1 - t) / 2) by (unfold t; field).
  rewrite risk_half_turn by (unfold t; lra).
  assert (C := cauchy (Rabs (soft z)) alpha (Rabs t) (sqrt (1 - t ^ 2)) ltac:(nra)).
  assert (T : 0 <= 1 - t ^ 2) by (unfold t; nra).
  rewrite pow2_sqrt, !pow2_abs in C by auto.
  replace (t ^ 2 + (1 - t ^ 2)) with 1 in C by ring. rewrite sqrt_1, Rmult_1_r in C.
  assert (S := soft_times z t). unfold surrogate, root. rewrite (Rplus_comm (alpha ^ 2)). lra.
Qed.

Theorem surrogate_attained z : - z * weight z + risk (weight z) = surrogate z.
Proof.
  unfold weight. assert (R := root_pos (soft z)). assert (I := slope_in (soft z)).
  rewrite risk_half_turn by lra.
  assert (Q : sqrt (1 - slope (soft z) ^ 2) = alpha / root (soft z)).
  { assert (H := root_sq (soft z)). apply sqrt_lem_1.
    - nra.
    - apply Rlt_le, Rdiv_lt_0_compat; lra.
    - unfold slope. set (r := root (soft z)) in *. set (s := soft z) in *.
      replace (1 - (s / r) ^ 2) with ((r * r - s ^ 2) / (r * r)) by (field; lra).
      replace (r * r - s ^ 2) with (alpha * alpha) by (rewrite H; ring). field. lra. }
  rewrite Q. unfold surrogate.
  assert (K : z / 2 * slope (soft z) - (1 - alpha) * Rabs (slope (soft z)) = soft z * slope (soft z)).
  { assert (A : Rabs (slope (soft z)) = Rabs (soft z) / root (soft z)).
    { unfold slope, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ root (soft z))); auto. apply Rlt_le, Rinv_0_lt_compat; lra. }
    assert (B : z / 2 * soft z - (1 - alpha) * Rabs (soft z) = soft z * soft z).
    { destruct (soft_cases z) as [[H E]|[[H E]|[H E]]].
      - rewrite Rabs_pos_eq by lra. rewrite E. ring.
      - rewrite Rabs_left by lra. rewrite E. ring.
      - rewrite E, Rabs_R0. ring. }
    rewrite A. unfold slope.
    replace (z / 2 * (soft z / root (soft z)) - (1 - alpha) * (Rabs (soft z) / root (soft z)))
      with ((z / 2 * soft z - (1 - alpha) * Rabs (soft z)) / root (soft z)) by (field; lra).
    rewrite B. field. lra. }
  assert (M : soft z * slope (soft z) + alpha * (alpha / root (soft z)) = root (soft z)).
  { unfold slope. apply Rmult_eq_reg_r with (root (soft z)); [|lra]. rewrite root_sq. field. lra. }
  nra.
Qed.

(** The same for the conjugate and the inverse link, in the paper's direction. *)
Corollary conjugate_bound z u : 0 <= u <= 1 -> z * u + risk u <= conjugate z.
Proof. intros U. unfold conjugate. assert (H := surrogate_bound (- z) u U). lra. Qed.

Corollary conjugate_attained z : z * inverse_link z + risk (inverse_link z) = conjugate z.
Proof. unfold conjugate, inverse_link. assert (H := surrogate_attained (- z)). lra. Qed.

(** The inverse link inverts the link as a set of slopes: z is a slope of the negative risk at the inverse link
    of z, on the plateau too. *)
Theorem inverse_link_inverts z v : 0 <= v <= 1 -> risk v <= risk (inverse_link z) - z * (v - inverse_link z).
Proof.
  intros V. assert (H := conjugate_bound z v V). assert (E := conjugate_attained z). lra.
Qed.

(** ** The surrogate lies between its tangent and a parabola, and its derivative is minus the weight *)
Theorem surrogate_above_tangent z d : surrogate z - d * weight z <= surrogate (z + d).
Proof.
  assert (E := surrogate_attained z). assert (W := weight_in z).
  assert (B := surrogate_bound (z + d) (weight z) ltac:(lra)). lra.
Qed.

Lemma soft_step z d : soft z * (soft (z + d) - soft z - d / 2) + (soft (z + d) - soft z) ^ 2 / 2 <= d ^ 2 / 8.
Proof.
  destruct (soft_cases z) as [[H ->]|[[H ->]|[H ->]]], (soft_cases (z + d)) as [[K ->]|[[K ->]|[K ->]]]; nra.
Qed.

Theorem surrogate_descent z d : surrogate (z + d) <= surrogate z - d * weight z + d ^ 2 / (8 * alpha).
Proof.
  set (s := soft z). set (s' := soft (z + d)). set (e := s' - s).
  assert (R := root_pos s). assert (G := root_ge s). assert (Q := root_sq s). assert (Q' := root_sq s'). assert (R' := root_pos s').
  assert (T : root s' <= root s + s / root s * e + e ^ 2 / (2 * root s)).
  { apply Rmult_le_reg_r with (2 * root s); [lra|].
    replace ((root s + s / root s * e + e ^ 2 / (2 * root s)) * (2 * root s)) with (2 * (root s * root s) + 2 * s * e + e ^ 2) by (field; lra).
    assert (0 <= (root s' - root s) ^ 2) by apply pow2_ge_0. unfold e. nra. }
  assert (S : s * (e - d / 2) + e ^ 2 / 2 <= d ^ 2 / 8) by apply soft_step.
  assert (D : s / root s * (e - d / 2) + e ^ 2 / (2 * root s) <= d ^ 2 / (8 * alpha)).
  { apply Rle_trans with (d ^ 2 / (8 * root s)).
    - replace (s / root s * (e - d / 2) + e ^ 2 / (2 * root s)) with ((s * (e - d / 2) + e ^ 2 / 2) * / root s) by (field; lra).
      replace (d ^ 2 / (8 * root s)) with (d ^ 2 / 8 * / root s) by (field; lra).
      apply Rmult_le_compat_r; auto. apply Rlt_le, Rinv_0_lt_compat; auto.
    - apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply Rinv_le_contravar; lra. }
  unfold surrogate, weight, slope. fold s s'. lra.
Qed.

Theorem surrogate_derivative z : is_derive surrogate z (- weight z).
Proof.
  apply is_derive_Reals. intros eps E. assert (P : 0 < 8 * alpha * eps) by nra.
  exists (mkposreal _ P). intros d N D. simpl in D.
  assert (L := surrogate_above_tangent z d). assert (U := surrogate_descent z d).
  set (gap := surrogate (z + d) - surrogate z + d * weight z).
  assert (B : 0 <= gap <= d ^ 2 / (8 * alpha)) by (unfold gap; lra).
  replace ((surrogate (z + d) - surrogate z) / d - - weight z) with (gap / d) by (unfold gap; field; auto).
  unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq gap) by lra.
  assert (A : 0 < Rabs d) by now apply Rabs_pos_lt.
  apply Rmult_lt_reg_r with (Rabs d); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with (1 := proj2 B). rewrite <- pow2_abs.
  apply Rmult_lt_reg_r with (8 * alpha); [lra|].
  replace (Rabs d ^ 2 / (8 * alpha) * (8 * alpha)) with (Rabs d * Rabs d) by (field; lra). nra.
Qed.

(** The derivative of the conjugate is the inverse link. *)
Theorem conjugate_derivative z : is_derive conjugate z (inverse_link z).
Proof.
  assert (N : is_derive (fun z : R => - z) z (- 1)) by (auto_derive; auto; ring).
  assert (C := is_derive_comp surrogate (fun z : R => - z) z _ _ (surrogate_derivative (- z)) N).
  unfold conjugate, inverse_link. evar_last; [exact C|]. unfold scal; simpl. unfold mult; simpl. ring.
Qed.

(** ** The link is minus the derivative of the risk, off 1/2 *)
Theorem risk_derivative u : 0 < u < 1 -> u <> 1 / 2 -> is_derive risk u (- link u).
Proof.
  intros U H. assert (P : 0 < u * (1 - u)) by nra. assert (Q : 0 < sqrt (u * (1 - u))) by now apply sqrt_lt_R0.
  assert (Smooth : forall a b, is_derive (fun u => 2 * (alpha * sqrt (u * (1 - u)) + (1 - alpha) * (a + b * u))) u
    (alpha * (1 - 2 * u) / sqrt (u * (1 - u)) + 2 * (1 - alpha) * b)).
  { intros a b. auto_derive; [auto|]. replace (1 + - u) with (1 - u) by ring. field. lra. }
  unfold link. destruct (Rlt_dec u (1 / 2)) as [L|L].
  - evar_last.
    + apply is_derive_ext_loc with (2 := Smooth 0 1).
      exists (mkposreal (1 / 2 - u) ltac:(lra)). intros v V. unfold ball in V. simpl in V. unfold AbsRing_ball, abs, minus, plus, opp in V. simpl in V.
      apply Rabs_def2 in V. unfold risk. rewrite Rmin_left by lra. match goal with |- ?a = ?b => change (@eq R a b) end. ring.
    + field. lra.
  - evar_last.
    + apply is_derive_ext_loc with (2 := Smooth 1 (-1)).
      exists (mkposreal (u - 1 / 2) ltac:(lra)). intros v V. unfold ball in V. simpl in V. unfold AbsRing_ball, abs, minus, plus, opp in V. simpl in V.
      apply Rabs_def2 in V. unfold risk. rewrite Rmin_right by lra. match goal with |- ?a = ?b => change (@eq R a b) end. ring.
    + field. lra.
Qed.

(** Off the plateau, link and inverse link undo each other. *)
Theorem link_of_inverse_link z : 2 * (1 - alpha) < Rabs z -> link (inverse_link z) = z.
Proof.
  intros Z. rewrite inverse_link_form. set (s := soft z). assert (R := root_pos s). assert (I := slope_in s). assert (Q := root_sq s).
  assert (S : sqrt ((1 + slope s) / 2 * (1 - (1 + slope s) / 2)) = alpha / (2 * root s)).
  { apply sqrt_lem_1.
    - nra.
    - apply Rlt_le, Rdiv_lt_0_compat; lra.
    - unfold slope. replace ((1 + s / root s) / 2 * (1 - (1 + s / root s) / 2)) with ((root s * root s - s ^ 2) / (4 * (root s * root s))) by (field; lra).
      replace (root s * root s - s ^ 2) with (alpha * alpha) by (rewrite Q; ring). field. lra. }
  unfold link. rewrite S. replace (alpha * (2 * ((1 + slope s) / 2) - 1) / (alpha / (2 * root s))) with (2 * s) by (unfold slope; field; lra).
  assert (Pos : forall x, 0 < x -> 0 < slope x) by (intros x X; apply Rdiv_lt_0_compat; auto; apply root_pos).
  assert (Neg : forall x, x < 0 -> slope x < 0).
  { intros x X. unfold slope. assert (N := root_pos x). apply Rmult_lt_reg_r with (root x); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  destruct (soft_cases z) as [[H E]|[[H E]|[H E]]]; fold s in E.
  - specialize (Pos s ltac:(lra)). destruct Rlt_dec; lra.
  - specialize (Neg s ltac:(lra)). destruct Rlt_dec; lra.
  - exfalso. revert Z. unfold Rabs. destruct Rcase_abs; lra.
Qed.

(** ** What boosting needs of the surrogate *)
Lemma surrogate_at_zero : surrogate 0 = 1.
Proof.
  unfold surrogate, root. destruct (soft_cases 0) as [[H _]|[[H _]|[_ ->]]]; try lra.
  replace (alpha ^ 2 + 0 ^ 2) with (alpha ^ 2) by ring. rewrite sqrt_pow2 by lra. field.
Qed.

Lemma surrogate_pos z : 0 < surrogate z.
Proof.
  unfold surrogate. assert (G := root_gt (soft z)). assert (H := root_ge (soft z)).
  assert (A := Rle_abs (soft z)). assert (Q := root_sq (soft z)).
  destruct (soft_cases z) as [[K E]|[[K E]|[K E]]]; rewrite E in *; try nra.
Qed.

Lemma surrogate_mistake z : z <= 0 -> 1 <= surrogate z.
Proof. intros Z. unfold surrogate. assert (H := root_ge (soft z)). lra. Qed.

Lemma weight_mistake z : z <= 0 -> 1 / 2 <= weight z.
Proof.
  intros Z. unfold weight. assert (R := root_pos (soft z)).
  assert (S : soft z <= 0) by (destruct (soft_cases z) as [[K ->]|[[K ->]|[K ->]]]; lra).
  assert (slope (soft z) <= 0); [|lra]. unfold slope. apply Rmult_le_reg_r with (root (soft z)); auto.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End MAlpha.
