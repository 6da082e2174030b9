(** * The learner: a model of `fast/growth`

    The model has every protocol that is sound: boosted trees whose splits are drawn uniformly, by the exponential
    mechanism or by permute-and-flip; whose leaves release noisy nets, noisy masses or a noisy clamped value; with a
    public or an estimated alpha; and forests, whose leaves release noisy counts or a class.  Privacy is proved in
    Privacy.v; the default protocol, with all numbers spelled out, is in Default.v. *)
From Coq Require Import Reals Lra List ZArith Lia.
From Privboost Require Import Law Product Laplace SplitLaws PermuteFlip.
From Privboost Require Export Steps.
From Privboost Require Import Risk.
Import ListNotations.
Local Open Scope R_scope.

Inductive split_law := Uniform | Exponential | PermuteAndFlip.
Inductive leaf_rule := NoisyNet | NoisyMasses | LinkClampNoise | ClassVotes.

(** The class masses that the candidates send to their two children: candidate, right child?, positive class? *)
Definition child_masses := nat -> bool -> bool -> R.

(** Everything that is public.  Functions of the history see released values only.  Masses, weights and noise are in grid
    steps.  [X] is the type of the codes of a row. *)
Record setting (X : Type) := {
  by_relation : relation;
  splits_by : split_law;
  leaves_by : leaf_rule;
  estimates_alpha : bool;
  trees : nat;
  depth : nat;
  size : nat;                                         (* the number of rows, or a bound on it *)
  candidates : nat;
  test : nat -> X -> bool;                            (* whether a candidate sends a row to the right *)
  cap : history -> Z;                                 (* the weight bound *)
  weigh : history -> X -> bool -> Z;                  (* the weight of a row, before it is clipped to 1 .. cap *)
  alpha_of : history -> R;                            (* the alpha of a level, before it is clipped to [0, 1] *)
  rate : history -> R;                                (* the factor of scores *)
  deepest : option R;                                 (* exponents below minus this are raised to it *)
  computed : history -> child_masses -> nat -> R;     (* the logarithms of the chances that floats give *)
  rounding : history -> R;                            (* a bound on their errors *)
  centre : history -> Z -> Z -> Z;                    (* LinkClampNoise: the value of a leaf before the clamp *)
  bound : Z;                                          (* ... and the bound of the clamp *)
  leaf_scale : history -> R;
  alpha_scale : history -> R;
  split_budget : R;
  alpha_budget : R;
  leaf_budget : R
}.
Arguments by_relation {X}. Arguments splits_by {X}. Arguments leaves_by {X}. Arguments estimates_alpha {X}.
Arguments trees {X}. Arguments depth {X}. Arguments size {X}. Arguments candidates {X}. Arguments test {X}.
Arguments cap {X}. Arguments weigh {X}. Arguments alpha_of {X}. Arguments rate {X}. Arguments deepest {X}.
Arguments computed {X}. Arguments rounding {X}. Arguments centre {X}. Arguments bound {X}. Arguments leaf_scale {X}.
Arguments alpha_scale {X}. Arguments split_budget {X}. Arguments alpha_budget {X}. Arguments leaf_budget {X}.

Section Model.
Context {X : Type}.
Definition row := (X * bool)%type.                    (* the codes of a row, and whether its label is positive *)
Variable P : setting X.
Implicit Types (h : history) (S : list row) (r : row).

(** ** Rows: their weights, their nodes, and the masses of nodes *)

Definition row_weight h r : Z := Z.max 1 (Z.min (weigh P h (fst r) (snd r)) (cap P h)).

Definition node h r : nat := walk (test P) (levels h) 0 (fst r).

Definition contribution h (l : nat) (y : bool) r : Z := contribution_of (node h) (row_weight h) l y r.
Definition class_mass h S (l : nat) (y : bool) : Z := mass_of (node h) (row_weight h) S l y.

(** ** Splits *)

Definition alpha h : R := Rmax 0 (Rmin 1 (alpha_of P h)).

(** The rows of node [l] as the weighted examples of Sensitivity.v, in the cells 0 (left) and 1 (right) of a candidate. *)
Definition child_example h (l c : nat) r : example :=
  {| weight := IZR (row_weight h r); label := snd r;
     place := if Nat.eqb (node h r) l then (if test P c (fst r) then 1 else 0)%nat else 2%nat |}.
Definition children h (l : nat) S : child_masses :=
  fun c right y => mass (map (child_example h l c) S) (if right then 1 else 0)%nat y.

(** Minus the risk of the two children, and its exponent relative to the best candidate. *)
Definition score h (q : child_masses) (c : nat) : R :=
  - (leaf (m_alpha (alpha h)) (q c false true) (q c false false) + leaf (m_alpha (alpha h)) (q c true true) (q c true false)).
Definition raised (x : R) : R := match deepest P with Some d => Rmax x (- d) | None => x end.
Definition exponent h (q : child_masses) (c : nat) : R :=
  raised (rate P h * (score h q c - largest (candidates P) (score h q))).

Definition law_of_masses h (q : child_masses) : nat -> R :=
  if decide (rate P h = 0) then uniform (candidates P) else
  match splits_by P with
  | Uniform => uniform (candidates P)
  | Exponential => exponential (candidates P) (computed P h q)
  | PermuteAndFlip => permute_and_flip (candidates P) (computed P h q)
  end.
Definition split_of h S (l : nat) : nat -> R := law_of_masses h (children h l S).

Definition split_step : step (list row) output := fun h S =>
  image Splits (entries (split_of h) (2 ^ length (levels h)) S).

(** ** The estimate of alpha: the mass of the minority class, summed over the nodes of the level *)

Definition minority h S : Z :=
  fold_right (fun l z => Z.min (class_mass h S l true) (class_mass h S l false) + z)%Z 0%Z (seq 0 (2 ^ length (levels h))).
Definition minority_step : step (list row) output := fun h S => image Minority (dlap (alpha_scale P h) (minority h S)).

(** ** Leaves *)

Definition release h (positive negative : Z) : list Z -> R :=
  match leaves_by P with
  | NoisyNet => noisy (leaf_scale P h) [positive - negative]%Z
  | NoisyMasses => noisy (leaf_scale P h) [positive; negative]
  | LinkClampNoise => noisy (leaf_scale P h) [Z.max (- bound P) (Z.min (centre P h positive negative) (bound P))]
  | ClassVotes => image (fun i => [Z.of_nat i])
      (exponential 2 (fun i => IZR (match i with O => negative | _ => positive end) / leaf_scale P h))
  end.
Definition leaf_of h S (l : nat) : list Z -> R := release h (class_mass h S l true) (class_mass h S l false).
Definition leaf_step : step (list row) output := fun h S => image Leaves (entries (leaf_of h) (2 ^ depth P) S).

(** ** All steps of a fit, with their prices *)

Definition steps_of_level (level : nat) : list (step (list row) output * R) :=
  (if andb (estimates_alpha P) (Nat.ltb 0 level) then [(minority_step, alpha_budget P)] else []) ++
  [(split_step, split_budget P)].
Definition steps_of_tree : list (step (list row) output * R) :=
  flat_map steps_of_level (seq 0 (depth P)) ++ [(leaf_step, leaf_budget P)].
Definition steps : list (step (list row) output * R) := concat (repeat steps_of_tree (trees P)).

(** What a fit releases: the outputs of all steps.  Trees, leaf values, coefficients and predictions are functions of it. *)
Definition learner (S : list row) : history -> R := run (map fst steps) S [].

(** The sum of all prices: `expenses_of_boosting` in `fast/budgets.py`. *)
Definition spent : R :=
  INR (trees P) * (INR (depth P) * split_budget P +
    (if estimates_alpha P then INR (depth P - 1) * alpha_budget P else 0) + leaf_budget P).

(** The most by which one row changes what a leaf releases, in L1. *)
Definition reach h : Z := match leaves_by P with LinkClampNoise => 2 * bound P | _ => cap P h end.

(** ** What is asked of the public inputs *)

Record sound : Prop := {
  some_candidate : (0 < candidates P)%nat;
  cap_positive : forall h, (1 <= cap P h)%Z;
  bound_nonneg : (0 <= bound P)%Z;
  budgets_nonneg : 0 <= split_budget P /\ 0 <= alpha_budget P;
  leaf_noise : forall h, 0 < leaf_scale P h;
  leaves_paid : forall h, touched (by_relation P) * (IZR (reach h) / leaf_scale P h) <= leaf_budget P;
  alpha_noise : estimates_alpha P = true -> forall h, 0 < alpha_scale P h;
  alpha_paid : estimates_alpha P = true -> forall h, IZR (cap P h) / alpha_scale P h <= alpha_budget P;
  rate_nonneg : forall h, 0 <= rate P h;
  some_row : splits_by P <> Uniform -> (1 <= size P)%nat;
  accurate : splits_by P <> Uniform -> forall h l S c, (c < candidates P)%nat -> (length S <= size P)%nat ->
    Rabs (computed P h (children h l S) c - exponent h (children h l S) c) <= rounding P h;
  splits_paid : splits_by P <> Uniform -> forall h, 0 < rate P h ->
    touched (by_relation P) * (rate P h * (IZR (cap P h) * sharp (m_alpha (alpha h)) (INR (size P))) + 4 * rounding P h)
      <= split_budget P
}.

(** Splits that look at the data need the public size: it bounds the number of rows. *)
Definition fits {A} (S : list A) : Prop := splits_by P = Uniform \/ (length S <= size P)%nat.
End Model.
Arguments row : clear implicits.
