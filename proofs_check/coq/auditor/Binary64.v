(** * Arithmetic of binary64

    The errors of products, quotients and sums whose operations round to the nearest.  Numbers of IEEE 754 are not
    modelled: a computed number is a real number near the exact one.  Overflow is left out, and underflow is an absolute
    error where it can happen ([nearly]). *)

From Coq Require Import Reals Lra Psatz List Lia Arith Permutation.
From Privboost Require Import Sums.
Import ListNotations.
Local Open Scope R_scope.

(** ** The unit of rounding of binary64 *)
Definition u : R := / 2 ^ 53.

Lemma u_in : 0 < u < 1 / 1000000000000000.
Proof. unfold u. lra. Qed.
Lemma u_digits : u < 11103 / 100000000000000000000.
Proof. unfold u. lra. Qed.

Lemma power_near_one d : INR d * u <= 1 -> 1 <= (1 + u) ^ d <= 1 + INR d * u + (INR d * u) ^ 2.
Proof.
  assert (U := u_in). induction d as [|d IH]; intros D; [cbn; lra|]. rewrite S_INR in *. assert (P := pos_INR d).
  destruct IH as [L H]; [nra|]. cbn [pow]. split; [nra|].
  apply Rle_trans with ((1 + u) * (1 + INR d * u + (INR d * u) ^ 2)); [apply Rmult_le_compat_l; lra|].
  assert (0 <= INR d * (1 - INR d * u)) by (apply Rmult_le_pos; nra).
  assert (0 <= u * u * (INR d * (1 - INR d * u) + 1)) by (apply Rmult_le_pos; nra).
  lra.
Qed.

Lemma power_bound d c : INR d + 1 / 1000 <= c -> c <= 1000 -> 1 <= (1 + u) ^ d <= 1 + c * u.
Proof.
  intros D C. assert (U := u_in). assert (P := pos_INR d). destruct (power_near_one d) as [L H]; [nra|].
  split; auto. apply Rle_trans with (1 := H).
  assert (INR d * INR d <= 1000 * 1000) by (apply Rmult_le_compat; lra).
  assert (INR d * INR d * u <= 1 / 1000) by nra.
  assert (INR d * INR d * u * u <= 1 / 1000 * u) by (apply Rmult_le_compat_r; lra).
  assert ((INR d + 1 / 1000) * u <= c * u) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** ** Numbers that differ by a factor of at most (1 + u)^d

    An operation on positive numbers that rounds to the nearest adds 1 to d. The functions of the library are
    trusted to be right to four units in the last place, which are at most 8 u: d = 9. *)
Definition near (d : nat) (x y : R) : Prop := 0 <= x /\ 0 <= y /\ y <= (1 + u) ^ d * x /\ x <= (1 + u) ^ d * y.
Definition rounded (x y : R) : Prop := near 1 x y.
Definition library (x y : R) : Prop := near 9 x y.

Lemma power_ge_one d : 1 <= (1 + u) ^ d.
Proof. assert (U := u_in). apply pow_R1_Rle. lra. Qed.

Lemma near_refl x : 0 <= x -> near 0 x x.
Proof. intros X. unfold near. cbn. lra. Qed.

Lemma near_trans d d' x y z : near d x y -> near d' y z -> near (d + d') x z.
Proof.
  intros (X & Y & A & B) (_ & Z & A' & B'). assert (P := power_ge_one d). assert (P' := power_ge_one d').
  unfold near. rewrite pow_add. repeat split; auto; nra.
Qed.

Lemma near_mult d d' x y x' y' : near d x y -> near d' x' y' -> near (d + d') (x * x') (y * y').
Proof.
  intros (X & Y & A & B) (X' & Y' & A' & B'). unfold near. rewrite pow_add.
  set (p := (1 + u) ^ d) in *. set (p' := (1 + u) ^ d') in *.
  repeat split; [nra | nra | |].
  - replace (p * p' * (x * x')) with ((p * x) * (p' * x')) by ring. now apply Rmult_le_compat.
  - replace (p * p' * (y * y')) with ((p * y) * (p' * y')) by ring. now apply Rmult_le_compat.
Qed.

Lemma near_inv d x y : 0 < x -> near d x y -> near d (/ x) (/ y).
Proof.
  intros X (_ & _ & A & B). assert (P := power_ge_one d). set (p := (1 + u) ^ d) in *.
  assert (Y : 0 < y) by nra. assert (I := Rinv_0_lt_compat _ X). assert (J := Rinv_0_lt_compat _ Y).
  repeat split; try lra; fold p.
  - apply Rmult_le_reg_l with (x * y); [now apply Rmult_lt_0_compat|].
    replace (x * y * / y) with x by (field; lra). replace (x * y * (p * / x)) with (p * y) by (field; lra). auto.
  - apply Rmult_le_reg_l with (x * y); [now apply Rmult_lt_0_compat|].
    replace (x * y * / x) with y by (field; lra). replace (x * y * (p * / y)) with (p * x) by (field; lra). auto.
Qed.

Lemma near_plus d x y x' y' : near d x y -> near d x' y' -> near d (x + x') (y + y').
Proof. unfold near. intros. lra. Qed.

Lemma near_higher d d' x y : (d <= d')%nat -> near d x y -> near d' x y.
Proof.
  intros D (X & Y & A & B). assert (U := u_in). assert (P : (1 + u) ^ d <= (1 + u) ^ d') by (apply Rle_pow; [lra | auto]).
  unfold near. repeat split; auto; nra.
Qed.

Lemma near_Rmax d x y x' y' : near d x y -> near d x' y' -> near d (Rmax x x') (Rmax y y').
Proof.
  intros (X & Y & A & B) (X' & Y' & A' & B'). assert (P := power_ge_one d). set (p := (1 + u) ^ d) in *.
  unfold near. fold p. unfold Rmax. repeat destruct Rle_dec; repeat split; nra.
Qed.

Lemma near_max d x y : near d x y -> near d (Rmax 1 x) (Rmax 1 y).
Proof. apply near_Rmax, near_higher with 0%nat; [lia | apply near_refl; lra]. Qed.

(** ** Underflow: numbers below 2^-1022 have fewer digits or become 0, which is an error of less than [tiny] *)
Definition tiny : R := / 2 ^ 1000.
Definition nearly (d : nat) (x y : R) : Prop :=
  0 <= x /\ 0 <= y /\ y <= (1 + u) ^ d * x + tiny /\ x <= (1 + u) ^ d * y + tiny.

Lemma tiny_in : 0 < tiny < u / 1000000.
Proof.
  unfold tiny, u. assert (P : 2 ^ 100 <= 2 ^ 1000) by (apply Rle_pow; [lra | lia]). split.
  - apply Rinv_0_lt_compat. lra.
  - apply Rle_lt_trans with (/ 2 ^ 100); [apply Rinv_le_contravar; lra | lra].
Qed.

Lemma near_nearly d x y : near d x y -> nearly d x y.
Proof. unfold near, nearly. assert (T := tiny_in). intros. lra. Qed.

(** ** A number of either sign, rounded to the nearest *)
Definition to_nearest (x y : R) : Prop := Rabs (y - x) <= u * Rabs x.

Lemma to_nearest_error x y : to_nearest x y -> y <= x + 1001 / 1000 * u * Rabs y /\ Rabs x <= 1001 / 1000 * Rabs y.
Proof.
  unfold to_nearest. intros H. assert (U := u_in). assert (A := Rle_abs (y - x)). assert (P := Rabs_pos x).
  assert (T := Rabs_triang (y - x) (- y)). replace (y - x + - y) with (- x) in T by ring. rewrite !Rabs_Ropp in T.
  assert (B : Rabs x <= 1001 / 1000 * Rabs y) by nra. split; [nra | exact B].
Qed.

(** ** Sums: added in any order, by a tree of additions of some height *)
Inductive added : nat -> list R -> R -> Prop :=
| added_nothing : added 0 [] 0
| added_one x : added 0 [x] x
| added_two d terms terms' x x' z : added d terms x -> added d terms' x' ->
    Rabs (z - (x + x')) <= u * Rabs (x + x') -> added (S d) (terms ++ terms') z
| added_higher d terms x : added d terms x -> added (S d) terms x.

Definition sum (terms : list R) : R := lsum (fun x => x) terms.
Definition sizes (terms : list R) : R := lsum Rabs terms.

Lemma sizes_nonneg terms : 0 <= sizes terms.
Proof. unfold sizes. induction terms as [|x l IH]; cbn; [lra|]. assert (H := Rabs_pos x). lra. Qed.

Lemma sum_sizes terms : Rabs (sum terms) <= sizes terms.
Proof.
  unfold sum, sizes. induction terms as [|x l IH]; cbn; [rewrite Rabs_R0; lra|].
  apply Rle_trans with (1 := Rabs_triang _ _). lra.
Qed.

Theorem added_error d terms z : added d terms z -> Rabs (z - sum terms) <= ((1 + u) ^ d - 1) * sizes terms.
Proof.
  assert (U := u_in). intros H. induction H as [| x | d l l' x x' z A IH A' IH' E | d l x A IH].
  - cbn. rewrite Rminus_0_r, Rabs_R0. lra.
  - unfold sum; cbn. replace (x - (x + 0)) with 0 by ring. rewrite Rabs_R0. nra.
  - unfold sum, sizes in *. rewrite !lsum_app. fold (sum l) (sum l') (sizes l) (sizes l') in *.
    assert (N := sum_sizes l). assert (N' := sum_sizes l').
    set (p := (1 + u) ^ d) in *. cbn [pow]. fold p.
    assert (X : Rabs (x + x') <= Rabs (x - sum l) + Rabs (x' - sum l') + (Rabs (sum l) + Rabs (sum l'))).
    { replace (x + x') with ((x - sum l) + (x' - sum l') + (sum l + sum l')) by ring.
      repeat (eapply Rle_trans; [apply Rabs_triang | apply Rplus_le_compat]); apply Rle_refl || apply Rabs_triang. }
    replace (z - (sum l + sum l')) with ((z - (x + x')) + ((x - sum l) + (x' - sum l'))) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    assert (T := Rabs_triang (x - sum l) (x' - sum l')).
    assert (u * Rabs (x + x') <= u * ((p - 1) * sizes l + (p - 1) * sizes l' + (sizes l + sizes l')))
      by (apply Rmult_le_compat_l; lra). lra.
  - apply Rle_trans with (1 := IH). apply Rmult_le_compat_r; [apply sizes_nonneg|].
    assert (P : 1 <= (1 + u) ^ d) by (apply pow_R1_Rle; lra). cbn [pow]. nra.
Qed.

Lemma lsum_permutation {A} (g : A -> R) l l' : Permutation l l' -> lsum g l = lsum g l'.
Proof. induction 1; cbn; lra. Qed.

(** Numbers that are not negative, added in any order *)
Corollary added_positive d terms order z : List.Forall (fun x => 0 <= x) terms -> Permutation terms order ->
  added d order z -> Rabs (z - sum terms) <= ((1 + u) ^ d - 1) * sum terms.
Proof.
  intros F P A. apply added_error in A. unfold sum, sizes in *. rewrite <- !(lsum_permutation _ _ _ P) in A.
  rewrite (lsum_ext Rabs (fun x => x)) in A; [exact A|]. rewrite Forall_forall in F. intros x I. apply Rabs_pos_eq. auto.
Qed.
