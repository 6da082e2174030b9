(** * What the learner computes in whole numbers

    Masses, noise, leaf values and margins are whole numbers of grid steps, so this file needs no real numbers and Coq can
    run it.  It has the history of a fit, the way of a row through a tree, the masses of leaves, and for the default
    protocol everything that a fit computes from released values: leaf values, margins, and weights by the inverse link
    of the M-alpha loss, rounded down and capped at 1/2.  A test runs these functions on the releases of fits of
    `privboost.fast` and compares every mass. *)
From Coq Require Import List ZArith Lia Arith.
Import ListNotations.
Local Open Scope Z_scope.

(** Which data sets are neighbours (Neighbours.v). *)
Inductive relation := Exchange | AddRemove.

(** Grid steps per unit. *)
Definition GRID : Z := 1024.

(** ** Releases *)

(** What the steps of a fit release: the noisy minority mass that estimates alpha, the candidates chosen for the
    nodes of a level, or the noisy numbers of all leaves of a tree. *)
Inductive output := Minority (z : Z) | Splits (cs : list nat) | Leaves (vs : list (list Z)).

(** All outputs so far, the latest first. *)
Definition history := list output.

(** The splits of the tree that is being grown, level by level from the root. *)
Fixpoint levels (h : history) : list (list nat) :=
  match h with
  | Splits cs :: h' => levels h' ++ [cs]
  | Minority _ :: h' => levels h'
  | Leaves _ :: _ | [] => []
  end.

(** ** Rows in trees *)

Section Rows.
Context {X : Type}.
Variable test : nat -> X -> bool.                     (* whether a candidate sends a row to the right *)

(** The node that a row reaches from [node], by splits that are given level by level. *)
Fixpoint walk (chosen : list (list nat)) (node : nat) (x : X) : nat :=
  match chosen with
  | [] => node
  | cs :: below => walk below (2 * node + if test (nth node cs 0%nat) x then 1 else 0)%nat x
  end.

(** The weight of the rows of one class in one node; a row has codes, and a label that is positive or not. *)
Definition contribution_of (node : X * bool -> nat) (weight : X * bool -> Z) (l : nat) (y : bool) (r : X * bool) : Z :=
  if andb (Nat.eqb (node r) l) (Bool.eqb (snd r) y) then weight r else 0.
Definition mass_of (node : X * bool -> nat) (weight : X * bool -> Z) (S : list (X * bool)) (l : nat) (y : bool) : Z :=
  fold_right (fun r z => contribution_of node weight l y r + z) 0 S.
End Rows.

(** ** The default protocol *)

(** Its public parameters; fractions are written as numerator and denominator. *)
Record net_parameters := {
  net_relation : relation; net_trees : nat; net_depth : nat; net_size : Z;
  epsilon_num : Z; epsilon_den : Z;                   (* the budget *)
  alpha_num : Z; alpha_den : Z                        (* the alpha of the loss, boost_alpha *)
}.

Definition NET_STEP : Z := GRID / 4.
Definition rows_touched (r : relation) : Z := match r with Exchange => 2 | AddRemove => 1 end.

(** The table `weight_table`, by integer square roots: the weight of a row from the margin of its label. *)
Definition floor_ratio (numerator square : Z) : Z := Z.sqrt (numerator * numerator / square).
Definition ceiling_ratio (numerator square : Z) : Z :=
  let down := floor_ratio numerator square in
  if down * down * square <? numerator * numerator then down + 1 else down.

Definition weight_of_margin (p q : Z) (signed_margin : Z) : Z :=
  let steps := Z.abs signed_margin in
  let beyond := Z.max (steps * q - 2 * GRID * (q - p)) 0 in
  let square := (2 * GRID * p) * (2 * GRID * p) + beyond * beyond in
  if signed_margin <? 0
  then Z.min ((GRID + floor_ratio (GRID * beyond) square) / 2) (GRID / 2)
  else Z.max 1 ((GRID - ceiling_ratio (GRID * beyond) square) / 2).

Section Net.
Context {X : Type}.
Variables (N : net_parameters) (test : nat -> X -> bool).

(** The value of a leaf: floor of GRID / 4 times the clamped ratio of its noisy net to the expected mass. *)
Definition leaf_value (net : Z) : Z :=
  let factor := 2 ^ (Z.of_nat (net_depth N) + 1) * epsilon_num N * NET_STEP in
  let divisor := GRID * (net_size N * epsilon_num N
    + 2 ^ Z.of_nat (net_depth N) * rows_touched (net_relation N) * Z.of_nat (net_trees N) * epsilon_den N) in
  Z.min (Z.max (net * factor / divisor) (- NET_STEP)) NET_STEP.

(** The sum of the values of the leaves of a row, over the trees so far. *)
Fixpoint margin (h : history) (x : X) : Z :=
  match h with
  | [] => 0
  | Leaves nets :: h' => leaf_value (nth 0 (nth (walk test (levels h') 0 x) nets []) 0) + margin h' x
  | _ :: h' => margin h' x
  end.

Definition net_weight (h : history) (x : X) (positive : bool) : Z :=
  weight_of_margin (alpha_num N) (alpha_den N) (if positive then margin h x else - margin h x).

(** The mass of one class in a leaf of the tree that is being grown, and the nets of all leaves, before noise. *)
Definition net_mass (h : history) (S : list (X * bool)) (l : nat) (y : bool) : Z :=
  mass_of (fun r => walk test (levels h) 0 (fst r)) (fun r => net_weight h (fst r) (snd r)) S l y.
Definition nets (h : history) (S : list (X * bool)) : list Z :=
  map (fun l => net_mass h S l true - net_mass h S l false) (seq 0 (2 ^ net_depth N)).

(** Weights are between one grid step and 1/2, whatever was released. *)
Theorem net_weight_in h x y : 1 <= net_weight h x y <= GRID / 2.
Proof.
  unfold net_weight, weight_of_margin. set (z := if y then margin h x else - margin h x).
  set (b := Z.max _ 0). set (s := _ * _ + b * b). change (GRID / 2) with 512. unfold GRID.
  assert (F : forall a, 0 <= floor_ratio a s) by (intros; apply Z.sqrt_nonneg).
  destruct (z <? 0).
  - assert (512 <= (1024 + floor_ratio (1024 * b) s) / 2) by (apply Z.div_le_lower_bound; [|specialize (F (1024 * b))]; lia). lia.
  - assert (0 <= ceiling_ratio (1024 * b) s) by (unfold ceiling_ratio; specialize (F (1024 * b)); destruct (_ <? _); lia).
    assert ((1024 - ceiling_ratio (1024 * b) s) / 2 <= 512) by (apply Z.div_le_upper_bound; lia). lia.
Qed.
End Net.
