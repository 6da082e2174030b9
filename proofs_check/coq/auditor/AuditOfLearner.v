(** * An audit of the learner

    The two headline theorems together: whatever model is made of what the learner releases, an audit on any
    neighbouring data sets ever reports a bound above the learner's budget with probability at most alpha. *)
From Coq Require Import Reals Lra List Lia Permutation.
From Privboost Require Import Sums Law Neighbours Steps Learner Privacy.
From Privboost Require Import Expectation Betting Ville Auditor DiscreteMeans AuditClaims.
Local Open Scope R_scope.

Lemma neighbours_sym {A} r (S S' : list A) : neighbours r S S' -> neighbours r S' S.
Proof.
  destruct r; simpl.
  - intros (e & e' & rest & P & Q). now exists e', e, rest.
  - intuition auto using Permutation_sym.
Qed.

Section AuditOfLearner.
Context {X Model : Type} (P : setting X) (model : history -> Model).
Hypothesis P_sound : sound P.

Definition model_law (S : list (row X)) : law (image model (learner P S)) := image_law _ _ (learner_law P P_sound S).

Theorem audit_of_learner (left right : nat -> list (row X)) n_pairs alpha nulls claim pure_after strategy next_pair looks log_wealth :
  (0 < n_pairs)%nat -> 0 < alpha < 1 -> List.Forall (fun null => 0 <= null) nulls -> 0 <= spent P ->
  (forall k, (k < n_pairs)%nat -> fits P (left k) /\ fits P (right k) /\
    neighbours (by_relation P) (left k) (right k)) ->
  rounds_well Model claim pure_after strategy looks log_wealth (eps_points nulls 0) ->
  ever_reports_above Model (fun k => mean_of_law _ (model_law (left k))) (fun k => mean_of_law _ (model_law (right k)))
    n_pairs alpha nulls next_pair looks log_wealth (spent P) <= alpha.
Proof.
  intros N A G E Q W. apply (discrete_bound_holds Model _ _ (fun k => model_law (left k)) (fun k => model_law (right k))
    n_pairs alpha nulls claim pure_after strategy); auto.
  intros k K. destruct (Q k K) as (F & F' & D). assert (D' := neighbours_sym _ _ _ D).
  split; apply image_close; try (now apply law_sub, learner_law); now apply learner_private.
Qed.
End AuditOfLearner.
