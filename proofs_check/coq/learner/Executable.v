(** * The default learner as a program that a machine can run

    [fit] reads fair bits and returns the history of a fit by the default protocol.  Its law is that of the model in
    Default.v, so that the program itself is private: [fast_fit] with the samplers of fast, [reference_fit] with those of
    the reference.  extraction/Extract.v makes OCaml programs of both. *)
From Coq Require Import Reals Lra List ZArith Lia FunctionalExtensionality.
From Privboost Require Import Law Product Laplace SplitLaws Steps Learner Protocols Default Programs Coins Geometric
  UniformSamplers Enclosures Together FastSamplers ReferenceSamplers IntervalChoice.
Import ListNotations.

(** ** Independent draws, one after the other *)
Fixpoint draw_each {A} (draws : list (prog A)) : prog (list A) :=
  match draws with
  | [] => Ret []
  | d :: rest => Bind d (fun x => Bind (draw_each rest) (fun xs => Ret (x :: xs)))
  end.

Section Fit.
Context {X : Type}.
Variable choose : nat -> prog nat.                    (* a number below another one *)
Variable noise : Z -> Z -> prog Z.                    (* noise of scale numerator / denominator *)
Variables (N : net_parameters) (n_candidates : nat) (the_test : nat -> X -> bool).
Implicit Types (h : history) (S : list (row X)).

(** Noise of scale numerator / epsilon_num, in grid steps. *)
Definition noise_numerator : Z := rows_touched (net_relation N) * (GRID / 2) * Z.of_nat (net_trees N) * epsilon_den N.

Definition draw_splits h S : prog output :=
  Bind (draw_each (map (fun _ => choose n_candidates) (seq 0 (2 ^ length (levels h))))) (fun cs => Ret (Splits cs)).

Definition draw_leaf h S (l : nat) : prog (list Z) :=
  let net := (net_mass N the_test h S l true - net_mass N the_test h S l false)%Z in
  Bind (noise noise_numerator (epsilon_num N)) (fun z => Ret [net + z]%Z).
Definition draw_leaves h S : prog output :=
  Bind (draw_each (map (draw_leaf h S) (seq 0 (2 ^ net_depth N)))) (fun vs => Ret (Leaves vs)).

Definition tree_draws : list (history -> list (row X) -> prog output) := repeat draw_splits (net_depth N) ++ [draw_leaves].
Definition all_draws := concat (repeat tree_draws (net_trees N)).

Fixpoint fit_with (draws : list (history -> list (row X) -> prog output)) S h : prog history :=
  match draws with
  | [] => Ret h
  | d :: rest => Bind (d h S) (fun output => fit_with rest S (output :: h))
  end.

(** The history that is released, the latest output first. *)
Definition fit S : prog history := fit_with all_draws S [].

Local Open Scope R_scope.

Lemma draw_each_law {A} (draws : list (prog A)) : (forall d, In d draws -> law (law_of d)) ->
  law_of (draw_each draws) = product (map law_of draws).
Proof.
  induction draws as [|d draws IH]; intros L; cbn [draw_each map].
  - rewrite law_of_ret'. apply functional_extensionality. intros [|z zs]; unfold ret; cbn; destruct decide; congruence.
  - assert (Ld : law (law_of d)) by (apply L; simpl; auto). assert (Lr : forall q, In q (map law_of draws) -> law q).
    { intros q Q. apply in_map_iff in Q. destruct Q as (e & <- & E). apply L. simpl; auto. }
    assert (P : law (product (law_of d :: map law_of draws))) by (apply product_law; intros q [<-|Q]; auto).
    apply functional_extensionality. intros y. rewrite <- (bind_ret_right (product _)) by now apply law_sub.
    rewrite bind_product; auto; [|intros; apply ret_sub]. rewrite law_of_bind'. apply bind_ext; auto. intros x _.
    rewrite law_of_bind', IH by (intros; apply L; simpl; auto). apply bind_ext; auto. intros xs _. apply law_of_ret.
Qed.

Lemma fit_with_law draws S : forall h, law_of (fit_with draws S h) = Steps.run (map (fun d h S => law_of (d h S)) draws) S h.
Proof.
  induction draws as [|d draws IH]; intros h; cbn [fit_with map Steps.run]; [apply law_of_ret'|].
  rewrite law_of_bind'. f_equal. apply functional_extensionality. intros o. apply IH.
Qed.

Hypothesis choose_law : forall n, (0 < n)%nat -> law_of (choose n) = UniformSamplers.uniform n.
Hypothesis noise_law : forall num den, (0 < num)%Z -> (0 < den)%Z -> (den <= num * two_to 64)%Z ->
  law_of (noise num den) = dlap (IZR num / IZR den) 0.
Hypothesis some_tree : (1 <= net_trees N)%nat.
Hypothesis some_candidate : (1 <= n_candidates)%nat.
Hypothesis epsilon_positive : (0 < epsilon_num N)%Z /\ (0 < epsilon_den N)%Z.
Hypothesis epsilon_small : (epsilon_num N <= two_to 64 * epsilon_den N)%Z.

Lemma same_uniform n : UniformSamplers.uniform n = SplitLaws.uniform n.
Proof. reflexivity. Qed.

Lemma draw_splits_law : (fun h S => law_of (draw_splits h S)) = split_step (sound_net N n_candidates the_test).
Proof.
  apply functional_extensionality. intros h. apply functional_extensionality. intros S. unfold draw_splits, split_step.
  rewrite law_of_bind', draw_each_law.
  - rewrite map_map. unfold entries.
    replace (map (fun _ => law_of (choose n_candidates)) (seq 0 (2 ^ length (levels h))))
      with (map (split_of (sound_net N n_candidates the_test) h S) (seq 0 (2 ^ length (levels h)))).
    + apply functional_extensionality. intros y. rewrite image_bind.
      * apply bind_ext; auto. intros cs _. now rewrite law_of_ret'.
      * apply law_sub, product_law. intros q Q. apply in_map_iff in Q. destruct Q as (l & <- & _).
        unfold split_of, law_of_masses. destruct decide; apply (UniformSamplers.uniform_law n_candidates); lia.
    + apply map_ext. intros l. rewrite choose_law by lia. unfold split_of, law_of_masses. now destruct decide.
  - intros d D. apply in_map_iff in D. destruct D as (l & <- & _). rewrite choose_law by lia. apply UniformSamplers.uniform_law. lia.
Qed.

Lemma noise_positive : (0 < noise_numerator)%Z /\ (epsilon_num N <= noise_numerator * two_to 64)%Z.
Proof.
  unfold noise_numerator. change (GRID / 2)%Z with 512%Z. change (two_to 64) with 18446744073709551616%Z in *.
  destruct (net_relation N); cbn [rows_touched]; nia.
Qed.

Lemma noise_scale h : IZR noise_numerator / IZR (epsilon_num N) = leaf_scale (sound_net N n_candidates the_test) h.
Proof.
  destruct epsilon_positive as [A B]. rewrite sound_net_scale by auto. unfold noise_numerator. change (GRID / 2)%Z with 512%Z.
  rewrite !mult_IZR, INR_IZR_INZ. apply IZR_lt in A, B. destruct (net_relation N); cbn [rows_touched touched]; field; lra.
Qed.

Lemma draw_leaf_law h S l : law_of (draw_leaf h S l) = leaf_of (sound_net N n_candidates the_test) h S l.
Proof.
  destruct noise_positive as [P Q]. destruct epsilon_positive as [A B]. unfold draw_leaf.
  set (net := (net_mass N the_test h S l true - net_mass N the_test h S l false)%Z).
  rewrite law_of_bind', noise_law, (noise_scale h) by auto.
  assert (Sp : 0 < leaf_scale (sound_net N n_candidates the_test) h).
  { rewrite <- noise_scale. apply Rdiv_lt_0_compat; now apply IZR_lt. }
  assert (D : sub_law (dlap (leaf_scale (sound_net N n_candidates the_test) h) 0)) by now apply law_sub, dlap_law.
  unfold leaf_of. rewrite !sound_net_mass. change (release (sound_net N n_candidates the_test) h
    (net_mass N the_test h S l true) (net_mass N the_test h S l false)) with (noisy (leaf_scale (sound_net N n_candidates the_test) h) [net]).
  apply functional_extensionality. intros xs.
  transitivity (bind (dlap (leaf_scale (sound_net N n_candidates the_test) h) 0) (fun z => ret [net + z]%Z) xs).
  { apply bind_ext; auto. intros z _. now rewrite law_of_ret'. }
  unfold noisy. cbn [map]. destruct xs as [|v [|v' xs]].
  - rewrite (bind_ret_nothing _ (fun z => [net + z]%Z)); auto. intros; discriminate.
  - rewrite (bind_ret_point _ (fun z => [net + z]%Z) (v - net)%Z [v]); auto.
    + cbn [product]. rewrite Rmult_1_r. unfold dlap. now rewrite Z.sub_0_r.
    + f_equal. lia.
    + intros z E. injection E as <-. lia.
  - rewrite (bind_ret_nothing _ (fun z => [net + z]%Z)); auto; [cbn [product]; ring|]. intros; discriminate.
Qed.

Lemma draw_leaves_law : (fun h S => law_of (draw_leaves h S)) = leaf_step (sound_net N n_candidates the_test).
Proof.
  apply functional_extensionality. intros h. apply functional_extensionality. intros S. unfold draw_leaves, leaf_step.
  assert (Sp : 0 < leaf_scale (sound_net N n_candidates the_test) h).
  { rewrite <- noise_scale. destruct noise_positive, epsilon_positive. apply Rdiv_lt_0_compat; now apply IZR_lt. }
  assert (L : forall l, law (leaf_of (sound_net N n_candidates the_test) h S l)) by (intros; apply (noisy_law _ [_]); auto).
  rewrite law_of_bind', draw_each_law.
  - rewrite map_map. unfold entries. replace (map (fun l => law_of (draw_leaf h S l)) (seq 0 (2 ^ net_depth N)))
      with (map (leaf_of (sound_net N n_candidates the_test) h S) (seq 0 (2 ^ net_depth N))) by (apply map_ext; intros; now rewrite draw_leaf_law).
    apply functional_extensionality. intros y. rewrite image_bind.
    + apply bind_ext; auto. intros vs _. now rewrite law_of_ret'.
    + apply law_sub, product_law. intros q Q. apply in_map_iff in Q. destruct Q as (l & <- & _). apply L.
  - intros d Dd. apply in_map_iff in Dd. destruct Dd as (l & <- & _). rewrite draw_leaf_law. apply L.
Qed.

(** The program draws from the law of the model. *)
Theorem fit_law S : law_of (fit S) = learner (sound_net N n_candidates the_test) S.
Proof.
  set (P := sound_net N n_candidates the_test).
  assert (Repeated : forall A B (f : A -> B) l n, map f (concat (repeat l n)) = concat (repeat (map f l) n)).
  { intros A B f l n. induction n as [|n IH]; [reflexivity|]. cbn [repeat concat]. now rewrite map_app, IH. }
  assert (Levels : forall n k, map fst (flat_map (steps_of_level P) (seq k n)) = repeat (split_step P) n).
  { induction n as [|n IH]; intros k; [reflexivity|]. cbn [seq flat_map repeat]. rewrite map_app, IH. reflexivity. }
  assert (Tree : map (fun d h S => law_of (d h S)) tree_draws = map fst (steps_of_tree P)).
  { unfold tree_draws, steps_of_tree. rewrite !map_app, Levels. f_equal; [|cbn [map fst]; now rewrite draw_leaves_law].
    change (depth P) with (net_depth N). induction (net_depth N) as [|n IH]; [reflexivity|]. cbn [repeat map]. now rewrite IH, draw_splits_law. }
  unfold fit, learner. rewrite fit_with_law. unfold all_draws, steps. rewrite !Repeated, Tree. reflexivity.
Qed.

End Fit.

(** ** The two programs *)
Definition fast_fit {X} : net_parameters -> nat -> (nat -> X -> bool) -> list (row X) -> prog history := fit choose_below fast_laplace.
Definition reference_fit {X} : net_parameters -> nat -> (nat -> X -> bool) -> list (row X) -> prog history := fit interval_choice reference_laplace.

Section Programs.
Context {X : Type}.
Variables (N : net_parameters) (n_candidates : nat) (the_test : nat -> X -> bool).
Local Open Scope R_scope.

(** What the programs ask of their public parameters. *)
Record in_range : Prop := {
  some_tree : (1 <= net_trees N)%nat;
  some_level : (1 <= net_depth N)%nat;
  some_size : (1 <= net_size N)%Z;
  some_candidate : (1 <= n_candidates)%nat;
  epsilon_positive : (0 < epsilon_num N)%Z /\ (0 < epsilon_den N)%Z;
  epsilon_small : (epsilon_num N <= two_to 64 * epsilon_den N)%Z
}.
Hypothesis ranges : in_range.

Theorem fast_fit_law S : law_of (fast_fit N n_candidates the_test S) = learner (sound_net N n_candidates the_test) S.
Proof.
  destruct ranges. apply fit_law; auto.
  - intros n H. now apply choose_below_law.
  - intros num den A B C. now apply fast_laplace_law.
Qed.

Theorem reference_fit_law S : law_of (reference_fit N n_candidates the_test S) = learner (sound_net N n_candidates the_test) S.
Proof.
  destruct ranges. apply fit_law; auto.
  - intros n H. now apply interval_choice_law.
  - intros num den A B C. now apply reference_laplace_law.
Qed.

Theorem fit_ends S : law (law_of (fast_fit N n_candidates the_test S)) /\ law (law_of (reference_fit N n_candidates the_test S)).
Proof. rewrite fast_fit_law, reference_fit_law. destruct ranges as [? ? ? ? [? ?] ?]. split; now apply default_law. Qed.

Theorem fast_fit_private {Raw Model} (admission : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop) (S S' : list Raw) :
  may_drop admission (net_relation N) -> neighbours (net_relation N) S S' ->
  prob (image model (law_of (fast_fit N n_candidates the_test (admitted admission S)))) E <=
  exp (IZR (epsilon_num N) / IZR (epsilon_den N)) *
  prob (image model (law_of (fast_fit N n_candidates the_test (admitted admission S')))) E.
Proof. intros. rewrite !fast_fit_law. destruct ranges as [? ? ? ? [? ?] ?]. now apply default_private. Qed.

Theorem reference_fit_private {Raw Model} (admission : Raw -> option (row X)) (model : history -> Model) (E : Model -> Prop) (S S' : list Raw) :
  may_drop admission (net_relation N) -> neighbours (net_relation N) S S' ->
  prob (image model (law_of (reference_fit N n_candidates the_test (admitted admission S)))) E <=
  exp (IZR (epsilon_num N) / IZR (epsilon_den N)) *
  prob (image model (law_of (reference_fit N n_candidates the_test (admitted admission S')))) E.
Proof. intros. rewrite !reference_fit_law. destruct ranges as [? ? ? ? [? ?] ?]. now apply default_private. Qed.
End Programs.
