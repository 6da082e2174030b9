(** * The default protocol, SOUND_NET, in whole numbers

    Splits are uniform.  A leaf releases its net: the weight of the positive rows minus that of the negative ones, with noise.
    All numbers that the protocol computes from released values are whole numbers of grid steps: the value of a leaf, the
    margin of a row, and its weight by the inverse link of the M-alpha loss, rounded down and capped at GRID / 2.  They
    are spelled out below as `fast/growth/leaves.py` and `fast/loss.py` compute them, and a test compares them. *)
From Coq Require Import Reals Lra List ZArith Lia.
From Privboost Require Import Law Risk Learner Privacy Protocols.
Import ListNotations.

Local Open Scope Z_scope.

(** The public parameters; fractions are written as numerator and denominator. *)
Record net_parameters := {
  net_relation : relation; net_trees : nat; net_depth : nat; net_size : Z;
  epsilon_num : Z; epsilon_den : Z;                   (* the budget *)
  alpha_num : Z; alpha_den : Z                        (* the alpha of the loss, boost_alpha *)
}.

Definition NET_STEP : Z := GRID / 4.
Definition rows_touched (r : relation) : Z := match r with Exchange => 2 | AddRemove => 1 end.

(** ** Weights: the table of `weight_table`, with integer square roots *)

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

(** ** Leaf values: floor of GRID / 4 times the clamped ratio of a noisy net to the expected mass *)

Section Net.
Context {X : Type}.
Variables (N : net_parameters) (n_candidates : nat) (the_test : nat -> X -> bool).

Definition leaf_value (net : Z) : Z :=
  let factor := 2 ^ (Z.of_nat (net_depth N) + 1) * epsilon_num N * NET_STEP in
  let divisor := GRID * (net_size N * epsilon_num N
    + 2 ^ Z.of_nat (net_depth N) * rows_touched (net_relation N) * Z.of_nat (net_trees N) * epsilon_den N) in
  Z.min (Z.max (net * factor / divisor) (- NET_STEP)) NET_STEP.

(** The leaf of a row in a tree whose splits are given level by level. *)
Fixpoint walk (chosen : list (list nat)) (node : nat) (x : X) : nat :=
  match chosen with
  | [] => node
  | cs :: below => walk below (2 * node + if the_test (nth node cs 0%nat) x then 1 else 0)%nat x
  end.

(** The sum of the values of the leaves of a row, over the trees so far. *)
Fixpoint margin (h : history) (x : X) : Z :=
  match h with
  | [] => 0
  | Leaves nets :: h' => leaf_value (nth 0 (nth (walk (levels h') 0 x) nets []) 0) + margin h' x
  | _ :: h' => margin h' x
  end.

Definition net_weight (h : history) (x : X) (positive : bool) : Z :=
  weight_of_margin (alpha_num N) (alpha_den N) (if positive then margin h x else - margin h x).

(** The weights need no clipping: they are within 1 .. GRID / 2 by themselves. *)
Lemma floor_ratio_nonneg a b : 0 <= floor_ratio a b.
Proof. apply Z.sqrt_nonneg. Qed.

Lemma net_weight_in h x y : 1 <= net_weight h x y <= GRID / 2.
Proof.
  unfold net_weight, weight_of_margin. set (z := if y then margin h x else - margin h x).
  set (b := Z.max _ 0). set (s := _ * _ + b * b). change (GRID / 2) with 512. unfold GRID.
  assert (F := floor_ratio_nonneg (1024 * b) s).
  destruct (z <? 0).
  - assert (512 <= (1024 + floor_ratio (1024 * b) s) / 2) by (apply Z.div_le_lower_bound; lia). lia.
  - assert (0 <= ceiling_ratio (1024 * b) s) by (unfold ceiling_ratio; destruct (_ <? _); lia).
    assert ((1024 - ceiling_ratio (1024 * b) s) / 2 <= 512) by (apply Z.div_le_upper_bound; lia). lia.
Qed.

Local Open Scope R_scope.

Definition net_protocol : boosted X := {|
  b_relation := net_relation N; b_splits := Uniform; b_leaves := NoisyNet; b_estimates := false;
  b_trees := net_trees N; b_depth := net_depth N; b_size := Z.to_nat (net_size N); b_candidates := n_candidates;
  b_test := the_test; b_weigh := net_weight; b_alpha := fun _ => 1;
  b_centre := fun _ _ _ => 0%Z; b_bound := 1%Z;
  b_epsilon := IZR (epsilon_num N) / IZR (epsilon_den N); b_share := 1 / 2; b_alpha_share := 1 / 4
|}.

(** What a fit by default releases. *)
Definition sound_net : setting X := exact net_protocol.

(** The weight of a row is what the table says, and the walk is that of the general model. *)
Lemma sound_net_weight h r : row_weight sound_net h r = net_weight h (fst r) (snd r).
Proof.
  unfold row_weight. assert (W := net_weight_in h (fst r) (snd r)). simpl. change (GRID / 2)%Z with 512%Z in W.
  change (weight_bound net_protocol h) with 512%Z. lia.
Qed.

Lemma walk_is_descend chosen l x : walk chosen l x = descend sound_net chosen l x.
Proof. revert l; induction chosen as [|cs below IH]; intros l; simpl; auto. Qed.

(** Noise of scale touched * (GRID / 2) * T / epsilon, in grid steps. *)
Lemma sound_net_scale h : (1 <= net_trees N)%nat -> (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z ->
  leaf_scale sound_net h = touched (net_relation N) * 512 * INR (net_trees N) * IZR (epsilon_den N) / IZR (epsilon_num N).
Proof.
  intros T A B. apply IZR_lt in A, B. assert (1 <= INR (net_trees N)) by now apply (le_INR 1).
  unfold sound_net, exact, boosting; cbn [leaf_scale]. unfold scale_of_leaves; cbn [b_leaves net_protocol].
  change (weight_bound net_protocol h) with 512%Z. unfold budget_of_leaves, splits_share; cbn. field. lra.
Qed.

(** ** The theorem: neighbouring data sets, any admission of single rows, any model made of the release, any event *)

Theorem default_private {Raw Model} (admit : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop)
    (S S' : list Raw) :
  (1 <= net_trees N)%nat -> (1 <= net_depth N)%nat -> (1 <= net_size N)%Z -> (1 <= n_candidates)%nat ->
  (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z ->
  may_drop admit (net_relation N) -> neighbours (net_relation N) S S' ->
  prob (image model (learner sound_net (admitted admit S))) E <=
  exp (IZR (epsilon_num N) / IZR (epsilon_den N)) * prob (image model (learner sound_net (admitted admit S'))) E.
Proof.
  intros T D M C A B K Q. apply IZR_lt in A, B.
  apply (exact_private net_protocol); auto; try (left; reflexivity); try discriminate.
  split; simpl; auto; try lra; try lia; try discriminate. now apply Rdiv_lt_0_compat.
Qed.
End Net.
