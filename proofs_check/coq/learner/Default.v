(** * The default protocol, SOUND_NET

    Splits are uniform.  A leaf releases its net: the weight of the positive rows minus that of the negative ones, with noise
    of scale T / epsilon under exchange.  Weights, margins and leaf values are those of Grid.v, so that nothing is left to
    assume: the theorem asks for the ranges of the public parameters only. *)
From Coq Require Import Reals Lra List ZArith Lia.
From Privboost Require Import Law Risk Learner Privacy Protocols.
Import ListNotations.
Local Open Scope R_scope.

Section Net.
Context {X : Type}.
Variables (N : net_parameters) (n_candidates : nat) (the_test : nat -> X -> bool).

Definition net_protocol : boosted X := {|
  b_relation := net_relation N; b_splits := Uniform; b_leaves := NoisyNet; b_estimates := false;
  b_trees := net_trees N; b_depth := net_depth N; b_size := Z.to_nat (net_size N); b_candidates := n_candidates;
  b_test := the_test; b_weigh := net_weight N the_test; b_alpha := fun _ => 1;
  b_centre := fun _ _ _ => 0%Z; b_bound := 1%Z;
  b_epsilon := IZR (epsilon_num N) / IZR (epsilon_den N); b_share := 1 / 2; b_alpha_share := 1 / 4
|}.

(** What a fit by default releases. *)
Definition sound_net : setting X := exact net_protocol.

(** The clip of the general model changes nothing, so that the masses are those of Grid.v. *)
Lemma sound_net_weight h r : row_weight sound_net h r = net_weight N the_test h (fst r) (snd r).
Proof.
  unfold row_weight. assert (W := net_weight_in N the_test h (fst r) (snd r)). simpl. change (GRID / 2)%Z with 512%Z in W.
  change (weight_bound net_protocol h) with 512%Z. lia.
Qed.

Theorem sound_net_mass h S l y : class_mass sound_net h S l y = net_mass N the_test h S l y.
Proof.
  unfold class_mass, net_mass, mass_of. induction S as [|r S IH]; simpl; [auto|]. rewrite IH. f_equal.
  unfold contribution_of. now rewrite sound_net_weight.
Qed.

(** Noise of scale touched * (GRID / 2) * T / epsilon, in grid steps. *)
Lemma sound_net_scale h : (1 <= net_trees N)%nat -> (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z ->
  leaf_scale sound_net h = touched (net_relation N) * 512 * INR (net_trees N) * IZR (epsilon_den N) / IZR (epsilon_num N).
Proof.
  intros T A B. apply IZR_lt in A, B. assert (1 <= INR (net_trees N)) by now apply (le_INR 1).
  unfold sound_net, exact, boosting, boosting_at; cbn [leaf_scale]. unfold scale_of_leaves; cbn [b_leaves net_protocol].
  change (weight_bound net_protocol h) with 512%Z. unfold budget_of_leaves, splits_share; cbn. field. lra.
Qed.

Lemma net_protocol_in_ranges : (1 <= net_trees N)%nat -> (1 <= net_depth N)%nat -> (1 <= net_size N)%Z ->
  (1 <= n_candidates)%nat -> (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z -> in_ranges net_protocol.
Proof.
  intros T D M C A B. apply IZR_lt in A, B.
  split; simpl; auto; try lra; try lia; try discriminate. now apply Rdiv_lt_0_compat.
Qed.

(** What is released follows a law: its probabilities add up to 1. *)
Theorem default_law (S : list (row X)) : (1 <= net_trees N)%nat -> (1 <= net_depth N)%nat -> (1 <= net_size N)%Z ->
  (1 <= n_candidates)%nat -> (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z -> law (learner sound_net S).
Proof.
  intros. apply learner_law, exact_sound; [now apply net_protocol_in_ranges | discriminate].
Qed.

(** ** The theorem: neighbouring data sets, any admission of single rows, any model made of the release, any event *)

Theorem default_private {Raw Model} (admission : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop)
    (S S' : list Raw) :
  (1 <= net_trees N)%nat -> (1 <= net_depth N)%nat -> (1 <= net_size N)%Z -> (1 <= n_candidates)%nat ->
  (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z ->
  may_drop admission (net_relation N) -> neighbours (net_relation N) S S' ->
  prob (image model (learner sound_net (admitted admission S))) E <=
  exp (IZR (epsilon_num N) / IZR (epsilon_den N)) * prob (image model (learner sound_net (admitted admission S'))) E.
Proof.
  intros. apply (exact_private net_protocol); auto; try (left; reflexivity); try discriminate.
  now apply net_protocol_in_ranges.
Qed.
End Net.
