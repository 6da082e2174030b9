(** * Tactics that close claims of the ledger

    A claim of the ledger is a statement about real numbers.  Its roots, quotients, minima and values of functions are replaced
    by variables, with the facts below; what remains is polynomial arithmetic. *)
From Coq Require Import Reals Lra Psatz Classical_Prop.
Local Open Scope R_scope.

(** The Bayes risks of the ledger: L(0) = 0 is a hypothesis of the claims that need it. *)
Definition concave_symmetric (L : R -> R) : Prop :=
  (forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 -> t * L x + (1 - t) * L y <= L (t * x + (1 - t) * y)) /\
  (forall x, 0 <= x <= 1 -> L (1 - x) = L x).

Lemma chord L x z y : concave_symmetric L -> 0 <= x -> x <= z -> z <= y -> y <= 1 ->
  (y + (- 1) * z) * L x + (z + (- 1) * x) * L y <= (y + (- 1) * x) * L z.
Proof.
  intros [C _] H1 H2 H3 H4. destruct (Req_dec x y) as [-> |N].
  { replace z with y by lra. lra. }
  assert (0 < y - x) by lra.
  assert (S : 0 <= (y - z) / (y - x) <= 1).
  { split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (y - x); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  specialize (C x y ((y - z) / (y - x)) ltac:(lra) ltac:(lra) S).
  replace ((y - z) / (y - x) * x + (1 - (y - z) / (y - x)) * y) with z in C by (field; lra).
  apply Rmult_le_compat_l with (r := y - x) in C; [|lra].
  replace ((y - x) * ((y - z) / (y - x) * L x + (1 - (y - z) / (y - x)) * L y)) with ((y - z) * L x + (z - x) * L y) in C
    by (field; lra).
  lra.
Qed.

Lemma mirror L x : concave_symmetric L -> 0 <= x -> x <= 1 -> L x = L (1 + (- 1) * x).
Proof. intros [_ S] H1 H2. replace (1 + (- 1) * x) with (1 - x) by ring. symmetry. apply S. lra. Qed.

Lemma quotient a b : b <> 0 -> a / b * b = a.
Proof. intros. field. assumption. Qed.
Lemma root t : 0 <= t -> 0 <= sqrt t /\ sqrt t * sqrt t = t.
Proof. intros. split; [apply sqrt_pos | now apply sqrt_sqrt]. Qed.
Lemma absolute t : (Rabs t = t /\ 0 <= t) \/ (Rabs t = - t /\ t <= 0).
Proof. unfold Rabs. destruct (Rcase_abs t); [right | left]; lra. Qed.
Lemma minimum a b : (Rmin a b = a /\ a <= b) \/ (Rmin a b = b /\ b <= a).
Proof. unfold Rmin. destruct (Rle_dec a b); [left | right]; lra. Qed.
Lemma maximum a b : (Rmax a b = a /\ b <= a) \/ (Rmax a b = b /\ a <= b).
Proof. unfold Rmax. destruct (Rle_dec a b); [right | left]; lra. Qed.

(** The facts about exp and log that the ledger lists as elementary. *)
Lemma exp_above x : 1 + x <= exp x.
Proof. apply exp_ineq1_le. Qed.
Lemma exp_monotone x y : ~ x <= y \/ exp x <= exp y.
Proof.
  destruct (Rle_dec x y) as [[H| ->]|H]; [right; left; now apply exp_increasing | right; lra | now left].
Qed.
Lemma exp_increases x y : ~ x < y \/ exp x < exp y.
Proof. destruct (Rlt_dec x y); [right; now apply exp_increasing | now left]. Qed.
Lemma exp_of_log x : ~ 0 < x \/ exp (ln x) = x.
Proof. destruct (Rlt_dec 0 x); [right; now apply exp_ln | now left]. Qed.
Lemma log_below x : ~ 0 < x \/ ln x <= x + (- 1) * 1.
Proof.
  destruct (Rlt_dec 0 x) as [H|H]; [right | now left].
  assert (E := exp_ineq1_le (ln x)). rewrite exp_ln in E by assumption. lra.
Qed.
Lemma log_of_product x y : ~ 0 < x \/ ~ 0 < y \/ ln (x * y) = ln x + ln y.
Proof.
  destruct (Rlt_dec 0 x); [right | now left]. destruct (Rlt_dec 0 y); [right | now left]. now apply ln_mult.
Qed.
Lemma log_increases x y : ~ 0 < x \/ ~ x < y \/ ln x < ln y.
Proof.
  destruct (Rlt_dec 0 x); [right | now left]. destruct (Rlt_dec x y); [right | now left]. now apply ln_increasing.
Qed.
Lemma log_monotone x y : ~ 0 < x \/ ~ x <= y \/ ln x <= ln y.
Proof.
  destruct (Rlt_dec 0 x); [right | now left]. destruct (Rle_dec x y) as [[H| ->]|H]; [right | right; lra | now left].
  left. now apply ln_increasing.
Qed.
Lemma log_of_inverse x : ~ 0 < x \/ ln (1 / x) = (- 1) * ln x.
Proof.
  destruct (Rlt_dec 0 x); [right | now left]. replace (1 / x) with (/ x) by (field; lra). rewrite ln_Rinv by assumption. ring.
Qed.

Ltac elementary :=
  first [ exact exp_0 | apply exp_pos | apply exp_above | apply exp_plus | apply exp_monotone | apply exp_increases
        | apply exp_of_log | apply ln_exp | exact ln_1 | apply log_below | apply log_of_product | apply log_monotone
        | apply log_increases | apply log_of_inverse ].

(** Polynomial arithmetic, after cases are distinguished and premises of facts are shown. *)
Ltac close := first [ assumption | lra | nra ].
Ltac nonzero := first [ assumption | apply Rgt_not_eq; close | apply Rlt_not_eq; close | let H := fresh in intro H; nra ].
Ltac show := match goal with |- _ <> _ => nonzero | _ => close end.
Ltac atoms :=
  repeat match goal with
  | H : _ /\ _ |- _ => destruct H
  | H : ~ (_ <= _) |- _ => apply Rnot_le_lt in H
  | H : ~ (_ < _) |- _ => apply Rnot_lt_le in H
  | H : ~ ~ _ |- _ => apply NNPP in H
  end.
Ltac cases :=
  atoms;
  repeat (match goal with
  | H : _ \/ _ |- _ => destruct H
  | H : ?a <> ?b |- _ => let K := fresh in destruct (Rdichotomy a b H) as [K|K]; clear H
  end; atoms).
Ltac premises :=
  repeat match goal with
  | H : ?P -> ?Q |- _ =>
      lazymatch Q with False => fail | _ => idtac end;
      lazymatch type of P with Prop => let K := fresh in assert (K : P) by show; specialize (H K); clear K end
  end.
Ltac goals :=
  match goal with
  | |- _ /\ _ => split; goals
  | |- ~ _ => let H := fresh in intro H
  | |- ~ (?a <= ?b) \/ _ => destruct (Rle_dec a b); [right; goals | left; assumption]
  | |- ~ (?a < ?b) \/ _ => destruct (Rlt_dec a b); [right; goals | left; assumption]
  | |- ~ (?a = ?b) \/ _ => destruct (Req_dec a b); [right; goals | left; assumption]
  | |- (?a <= ?b) \/ _ => destruct (Rle_dec a b); [left; assumption | right; goals]
  | |- (?a < ?b) \/ _ => destruct (Rlt_dec a b); [left; assumption | right; goals]
  | |- (?a = ?b) \/ _ => destruct (Req_dec a b); [left; assumption | right; goals]
  | _ => idtac
  end.
Ltac arithmetic :=
  goals; atoms; premises; atoms; try solve [close]; cases; premises; atoms; try solve [exfalso; lra]; close.

(** The ledger has no subtraction: it writes a + - 1 * b. *)
Ltac without_minus :=
  repeat match goal with |- context [?a - ?b] => replace (a - b) with (a + - 1 * b) by ring end.

(** Divisors, roots and logarithms of the ledger are defined where its hypotheses hold. *)
Lemma log_positive x : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma unit_fraction m : 1 <= m -> 0 <= 1 + -1 * (1 / m).
Proof. intros. assert (H1 := Rinv_le_contravar 1 m ltac:(lra) H). rewrite Rinv_1 in H1. lra. Qed.
Lemma root_at_least_one m : 1 <= m -> 0 <= sqrt m + -1 * 1.
Proof. intros. assert (H1 := sqrt_le_1_alt 1 m H). rewrite sqrt_1 in H1. lra. Qed.
Ltac positive := first
  [ assumption | lra | apply exp_pos | apply log_positive; lra | apply Rmult_lt_0_compat; positive
  | apply Rdiv_lt_0_compat; positive | apply Rplus_lt_0_compat; positive
  | apply Rplus_lt_le_0_compat; [positive | nonnegative] | apply pow_lt; positive | apply sqrt_lt_R0; positive | nra ]
with nonnegative := first
  [ assumption | lra | apply sqrt_pos | apply pow2_ge_0 | apply Rabs_pos | apply Rlt_le, exp_pos
  | apply unit_fraction; lra | apply root_at_least_one; lra | apply Rmult_le_pos; nonnegative
  | apply Rplus_le_le_0_compat; nonnegative | apply Rle_mult_inv_pos; [nonnegative | positive] | nra ].
Ltac defined := match goal with
  | |- ~ _ => first [apply Rgt_not_eq; positive | nonzero]
  | |- 0 < _ => positive
  | |- 0 <= _ => nonnegative
  end.
