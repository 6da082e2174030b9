(** * Headlines: what this project stands on

    Eleven statements.  Each is a closed proposition ([..._statement : Prop]), is proved by a theorem of the development, and
    has an instance with numbers.  Every definition that a statement uses is written down here again, and
    [Check (eq_refl : ours = theirs)] lets Coq compare it with the one that the proofs use; compared once, it may be used
    below under its name there, such as [Grid.margin].  Taken from other files without that are only types, of which Coq shows
    here what they have, the least upper bound of a set of numbers, and samplers, of which only their laws matter.
    There is no statement yet about a learner with delta > 0.

    This file is written by hand, and read by people.  `make formal RECORD=1` does not touch it: a test compares it with a
    copy, and docs/formal.md shows all of it.  Whoever weakens a theorem, or changes what its words mean, must change it. *)
From Coq Require Import Reals Lra Lia List ZArith Arith Permutation.
From Privboost Require Sums Law Limits Product Risk Sensitivity Neighbours Grid Steps Learner Privacy Protocols Default
  Programs Laplace SplitLaws PermuteFlip UniformSamplers ReferenceUniform IntervalChoice FastSamplers ReferenceSamplers
  SplitSamplers Executable Expectation DiscreteMeans Betting Ville Auditor AuditClaims AuditOfLearner MAlpha BoostedTrees
  BoostedSums PrivateBoosting Examples.
Import ListNotations.
Local Open Scope R_scope.

(** ** 1. Types of other files: their constructors, and that there are no other values *)

Check (Sums.decide : forall P : Prop, {P} + {~ P}).
Check (eq_refl : Sums.sup = fun E => Rbar.real (Lub.Lub_Rbar E)).
Definition sup_is : forall E b, (exists s, E s) -> is_upper_bound E b -> is_lub E (Sums.sup E) := Sums.sup_is_lub.

Definition relations : forall r, r = Grid.Exchange \/ r = Grid.AddRemove.
Proof. intros []; auto. Qed.

(** What a step of a fit releases: a noisy mass, the splits of a level, or the noisy numbers of the leaves of a tree. *)
Definition outputs : forall o, (exists z, o = Grid.Minority z) \/ (exists cs : list nat, o = Grid.Splits cs) \/
  (exists vs : list (list Z), o = Grid.Leaves vs).
Proof. intros []; eauto. Qed.
Notation output := Grid.output.
Notation history := (list output).                     (* the latest output first *)

(** Public parameters of the default protocol: relation, trees, depth, size, then epsilon and alpha as fractions. *)
Check (Grid.Build_net_parameters : Grid.relation -> nat -> nat -> Z -> Z -> Z -> Z -> Z -> Grid.net_parameters).
Definition parameters r t d m e e' a a' : let N := Grid.Build_net_parameters r t d m e e' a a' in
  (Grid.net_relation N, Grid.net_trees N, Grid.net_depth N, Grid.net_size N) = (r, t, d, m) /\
  (Grid.epsilon_num N, Grid.epsilon_den N, Grid.alpha_num N, Grid.alpha_den N) = (e, e', a, a') := conj eq_refl eq_refl.

(** A program returns a value, reads a bit, continues with the result of another, or repeats a body. *)
Notation prog := Programs.prog.
Definition programs : forall P : forall A, prog A -> Prop, (forall A (a : A), P A (Programs.Ret a)) -> P bool Programs.Bit ->
  (forall A B (p : prog A), P A p -> forall k : A -> prog B, (forall a, P B (k a)) -> P B (Programs.Bind p k)) ->
  (forall S A (body : S -> prog (S + A)), (forall s, P (S + A)%type (body s)) -> forall s, P A (Programs.Loop body s)) ->
  forall A (p : prog A), P A p := Programs.prog_ind.

(** ** 2. Laws, events, and laws of programs *)

Section Laws.
Context {A : Type}.
Fixpoint lsum (g : A -> R) (l : list A) : R := match l with [] => 0 | x :: l' => g x + lsum g l' end.
Definition finite_sum (g : A -> R) (E : A -> Prop) (s : R) : Prop := exists l, NoDup l /\ Forall E l /\ s = lsum g l.
Definition everything (_ : A) : Prop := True.
Definition law (p : A -> R) : Prop := (forall x, 0 <= p x) /\ is_lub (finite_sum p everything) 1.
(** The probability of an event, and the sum over all outcomes: least upper bounds of finite sums. *)
Definition prob (p : A -> R) (E : A -> Prop) : R := Sums.sup (finite_sum p E).
Definition total (g : A -> R) : R := prob g everything.
Definition ret (a x : A) : R := if Sums.decide (a = x) then 1 else 0.
End Laws.
Definition bind {A B} (p : A -> R) (k : A -> B -> R) (y : B) : R := total (fun x => p x * k x y).
Definition image {A B} (f : A -> B) (p : A -> R) (y : B) : R := prob p (fun x => f x = y).
Check (eq_refl : @law = @Law.law). Check (eq_refl : @prob = @Law.prob). Check (eq_refl : @bind = @Law.bind).
Check (eq_refl : @ret = @Law.ret). Check (eq_refl : @image = @Law.image).

(** All events are at most exp(epsilon) times as likely under [p] as under [p']. *)
Definition private {A} (epsilon : R) (p p' : A -> R) : Prop := forall E : A -> Prop, prob p E <= exp epsilon * prob p' E.

(** With fuel [n] a loop makes at most [n] turns; the law of a program is the limit, and its bits are fair. *)
Definition fair (_ : bool) : R := 1 / 2.
Definition continue {S A} (next : S -> A -> R) (r : S + A) : A -> R := match r with inl s => next s | inr a => ret a end.
Fixpoint turns {S A} (p : S -> S + A -> R) (m : nat) (s : S) : A -> R :=
  match m with O => fun _ => 0 | Datatypes.S m' => bind (p s) (continue (turns p m')) end.
Fixpoint run {A} (n : nat) (p : prog A) : A -> R :=
  match p in Programs.prog A return A -> R with
  | @Programs.Ret _ a => ret a
  | Programs.Bit => fair
  | @Programs.Bind _ _ q k => bind (run n q) (fun x => run n (k x))
  | @Programs.Loop _ _ body s => turns (fun s => run n (body s)) n s
  end.
Definition law_of {A} (p : prog A) (x : A) : R := Sums.sup (fun s => exists n, s = run n p x).
Check (eq_refl : @law_of = @Programs.law_of).
Definition law_of_is : forall A (p : prog A) x, Un_cv (fun n => run n p x) (law_of p x) := @Programs.law_of_cv.

(** ** 3. Neighbours: two data sets that differ in one row, whatever the order *)

Definition exchange {A} (S S' : list A) : Prop := exists e e' rest, Permutation S (e :: rest) /\ Permutation S' (e' :: rest).
Definition add_one {A} (S S' : list A) : Prop := exists e, Permutation S (e :: S').
Definition neighbours {A} (r : Grid.relation) (S S' : list A) : Prop :=
  match r with
  | Grid.Exchange => exchange S S'
  | Grid.AddRemove => add_one S S' \/ add_one S' S \/ Permutation S S'
  end.
Definition touched (r : Grid.relation) : R := match r with Grid.Exchange => 2 | Grid.AddRemove => 1 end.
Check (eq_refl : @neighbours = @Neighbours.neighbours). Check (eq_refl : touched = Neighbours.touched).

(** Raw rows are admitted one by one; they are dropped under add/remove only. *)
Section Admission.
Context {Raw Row : Type}.
Variable admission : Raw -> option Row.
Definition admitted (S : list Raw) : list Row := flat_map (fun r => match admission r with Some x => [x] | None => [] end) S.
Definition may_drop (r : Grid.relation) : Prop := match r with Grid.Exchange => forall x, admission x <> None |
  Grid.AddRemove => True end.
End Admission.
Check (eq_refl : @admitted = @Neighbours.admitted). Check (eq_refl : @may_drop = @Neighbours.may_drop).

(** ** 4. Sharp sensitivity: for every Bayes risk and every partition; no smaller constant serves *)

Definition bayes_risk (L : R -> R) : Prop := L 0 = 0 /\ (forall x, 0 <= x <= 1 -> L (1 - x) = L x) /\
  forall x y t, 0 <= x <= 1 -> 0 <= y <= 1 -> 0 <= t <= 1 -> t * L x + (1 - t) * L y <= L (t * x + (1 - t) * y).
Definition bayes_risk_is L : bayes_risk L <-> Risk.bayes_risk L.
Proof. split; [intros (z & s & c) | intros [c z s]]; repeat split; auto. Qed.
Definition leaf (L : R -> R) (a b : R) : R := (a + b) * L (a / (a + b)).
Definition sharp (L : R -> R) (m : R) : R := m * L (1 / m).
Definition m_alpha (alpha u : R) : R := alpha * (2 * sqrt (u * (1 - u))) + (1 - alpha) * (2 * Rmin u (1 - u)).
Check (eq_refl : sharp = Risk.sharp). Check (eq_refl : m_alpha = Risk.m_alpha).

(** An example has a weight, a class and a cell.  The risk of a partition is the sum of those of its cells. *)
Notation example := Sensitivity.example.
Notation weight := Sensitivity.weight.
Notation label := Sensitivity.label.
Notation place := Sensitivity.place.
Definition of_example w c l : let e := Sensitivity.Build_example w c l in (weight e, label e, place e) = (w, c, l) := eq_refl.
Fixpoint mass (S : list example) (l : nat) (c : bool) : R :=
  match S with [] => 0 | e :: S' => (if andb (Nat.eqb (place e) l) (Bool.eqb (label e) c) then weight e else 0) + mass S' l c end.
Definition cell_risk (L : R -> R) (S : list example) (l : nat) : R := leaf L (mass S l true) (mass S l false).
Fixpoint over_cells (k : nat) (g : nat -> R) : R := match k with O => 0 | S k' => over_cells k' g + g k' end.
Definition risk_of (L : R -> R) (k : nat) (S : list example) : R := over_cells k (cell_risk L S).
Definition within (cap : R) (S : list example) : Prop := Forall (fun e => 0 <= weight e <= cap) S.
Check (eq_refl : risk_of = Sensitivity.risk_of). Check (eq_refl : within = Sensitivity.within).

Definition sharp_sensitivity_statement : Prop := forall L cap, bayes_risk L -> 0 < cap -> forall k,
  (forall S S', within cap S -> within cap S' -> exchange S S' ->
    Rabs (risk_of L k S - risk_of L k S') <= cap * sharp L (INR (length S))) /\
  (forall S S', within cap S -> add_one S S' -> 0 <= risk_of L k S - risk_of L k S' <= cap * sharp L (INR (length S))) /\
  (forall m, (1 <= k)%nat -> (1 <= m)%nat -> exists S S', within cap S /\ within cap S' /\ exchange S S' /\ length S = m /\
    Rabs (risk_of L k S - risk_of L k S') = cap * sharp L (INR m)).
Theorem sharp_sensitivity : sharp_sensitivity_statement.
Proof.
  intros L cap H C k. apply bayes_risk_is in H. split; [|split].
  - intros S S'. now apply Sensitivity.exchange_sensitivity.
  - intros S S'. now apply Sensitivity.add_remove_sensitivity.
  - intros m. now apply Sensitivity.exchange_attained.
Qed.

(** The paper's Theorem th3P, about one leaf with weights of at most 1. *)
Definition th3P_statement : Prop := forall L, bayes_risk L -> forall S S' l, within 1 S -> within 1 S' -> exchange S S' ->
  Rabs (cell_risk L S l - cell_risk L S' l) <= Rmax 3 (1 + sharp L (INR (length S) + 1)).
Theorem th3P : th3P_statement.
Proof. intros L H S S' l V V' E. apply bayes_risk_is in H. exact (Sensitivity.th3P S S' l V V' E L H). Qed.

(** Four rows of weight 1 in one cell, one of which changes its class: the Matsushita risk moves by 4 * 2 sqrt(1/4 * 3/4). *)
Example sharp_sensitivity_of_four : let no := Sensitivity.Build_example 1 false 0 in let yes :=
  Sensitivity.Build_example 1 true 0 in
  Rabs (risk_of (m_alpha 1) 1 [yes; no; no; no] - risk_of (m_alpha 1) 1 [no; no; no; no]) <= 2 * sqrt 3 /\
  risk_of (m_alpha 1) 1 [yes; no; no; no] = 2 * sqrt 3.
Proof.
  intros no yes. assert (four : 1 * sharp (m_alpha 1) (INR 4) = 2 * sqrt 3).
  { unfold sharp, m_alpha. replace (INR 4) with 4 by (simpl; ring).
    replace (1 / 4 * (1 - 1 / 4)) with (3 / (4 * 4)) by field.
    rewrite sqrt_div_alt, sqrt_square by lra. field. }
  split.
  - rewrite <- four. apply (sharp_sensitivity (m_alpha 1) 1); [apply bayes_risk_is, Risk.m_alpha_risk; lra | lra | | |].
    1, 2: repeat apply Forall_cons; try apply Forall_nil; cbn; lra.
    exists yes, no, [no; no; no]. split; apply Permutation_refl.
  - rewrite <- four. unfold risk_of, over_cells, cell_risk, leaf, mass, sharp, yes, no;
    cbn [place label weight Nat.eqb Bool.eqb andb].
    replace (INR 4) with 4 by (simpl; ring). replace (1 + (0 + (0 + (0 + 0)))) with 1 by ring.
    replace (0 + (1 + (1 + (1 + 0)))) with 3 by ring. replace (1 + 3) with 4 by ring. ring.
Qed.

(** ** 5. The level lemma: a release for all cells of a partition costs what one cell costs, twice under exchange *)

Fixpoint product {A} (ps : list (A -> R)) (xs : list A) : R :=
  match ps, xs with [], [] => 1 | p :: ps', x :: xs' => p x * product ps' xs' | _, _ => 0 end.
Definition close {A} (eps : R) (p p' : A -> R) : Prop := forall x, p x <= exp eps * p' x.
Definition entries {Row A} (entry : list Row -> nat -> A -> R) (cells : nat) (S : list Row) : list A -> R :=
  product (map (entry S) (seq 0 cells)).
Check (eq_refl : @close = @Law.close). Check (eq_refl : @entries = @Steps.entries).

Definition level_statement : Prop := forall Row A (place : Row -> nat) (entry : list Row -> nat -> A -> R) cells c, 0 <= c ->
  (forall S i, law (entry S i)) -> (forall S S' i x, Permutation S S' -> entry S i x = entry S' i x) ->
  (forall e S i x, place e <> i -> entry (e :: S) i x = entry S i x) ->
  (forall e S, close c (entry (e :: S) (place e)) (entry S (place e)) /\ close c (entry S (place e)) (entry (e :: S) (place e))) ->
  forall r S S', neighbours r S S' -> private (touched r * c) (entries entry cells S) (entries entry cells S').
Theorem level : level_statement.
Proof.
  intros Row A place entry cells c C L P O D r S S' N E.
  assert (K := fun T => Law.law_sub _ (Steps.entries_law entry cells L T)). apply Law.events_close; [apply K|].
  apply (Steps.entries_private place entry cells (fun _ => True) c); auto; intros; now apply D.
Qed.

(** Rows are counted in 8 cells with noise of scale 4: an exchange costs 2/4, a row more 1/4. *)
Example level_of_counts r S S' : let counted T i := Laplace.dlap 4 (Z.of_nat (count_occ Nat.eq_dec T i)) in
  neighbours r S S' -> private (touched r * (1 / 4)) (entries counted 8 S) (entries counted 8 S').
Proof.
  intros counted. apply (level nat Z (fun i => i)); try lra.
  - intros T i. apply Laplace.dlap_law. lra.
  - intros T T' i x P. unfold counted. now rewrite (proj1 (Permutation_count_occ Nat.eq_dec T T') P).
  - intros e T i x N. unfold counted. now rewrite count_occ_cons_neq.
  - intros e T. unfold counted. rewrite count_occ_cons_eq by reflexivity. rewrite Nat2Z.inj_succ.
    set (n := Z.of_nat _). split; intros x; [assert (Q := Laplace.dlap_ratio 4 (Z.succ n) n x ltac:(lra)) |
      assert (Q := Laplace.dlap_ratio 4 n (Z.succ n) x ltac:(lra))].
    + replace (Z.abs (Z.succ n - n)) with 1%Z in Q by lia. exact Q.
    + replace (Z.abs (n - Z.succ n)) with 1%Z in Q by lia. exact Q.
Qed.

(** ** 6. Samplers: what programs draw from fair bits, exactly *)

Definition below (n : nat) (p : nat -> R) (i : nat) : R := if Nat.ltb i n then p i else 0.
Definition uniform (n : nat) : nat -> R := below n (fun _ => / INR n).
Definition dlap (s : R) (a k : Z) : R := (1 - exp (- / s)) / (1 + exp (- / s)) * exp (- IZR (Z.abs (k - a)) / s).
Definition exponential (n : nat) (u : nat -> R) : nat -> R := below n (fun i => exp (u i) / lsum (fun i => exp (u i)) (seq 0 n)).
(** Permute-and-flip: every candidate has a coin of bias exp(u - largest u); one of those that are accepted is drawn. *)
Definition largest (n : nat) (u : nat -> R) : R := fold_right (fun i m => Rmax (u i) m) (u 0%nat) (seq 0 n).
Fixpoint share (k : nat) (qs : list R) : R :=
  match qs with [] => / (INR k + 1) | q :: qs' => q * share (S k) qs' + (1 - q) * share k qs' end.
Definition permute_and_flip (n : nat) (u : nat -> R) : nat -> R := let coin i := exp (u i - largest n u) in
  below n (fun i => coin i * share 0 (map coin (remove Nat.eq_dec i (seq 0 n)))).
Check (eq_refl : uniform = SplitLaws.uniform). Check (eq_refl : dlap = Laplace.dlap).
Check (eq_refl : exponential = SplitLaws.exponential). Check (eq_refl : permute_and_flip = PermuteFlip.permute_and_flip).

Definition samplers_statement : Prop :=
  (forall n, (0 < n)%nat -> law_of (FastSamplers.choose_below n) = uniform n /\
    law_of (IntervalChoice.interval_choice n) = uniform n /\ law_of (ReferenceUniform.recycling_uniform n) = uniform n) /\
  (forall num den, (0 < num)%Z -> (0 < den)%Z -> (den <= num * 2 ^ 64)%Z ->
    law_of (FastSamplers.fast_laplace num den) = dlap (IZR num / IZR den) 0 /\
    law_of (ReferenceSamplers.reference_laplace num den) = dlap (IZR num / IZR den) 0) /\
  (forall xs y, (0 < y)%Z -> Forall (fun x => (0 <= x)%Z) xs -> In 0%Z xs -> let u i := - (IZR (nth i xs 0%Z) / IZR y) in
    law_of (SplitSamplers.choose_by_weight xs y) = exponential (length xs) u /\
    law_of (SplitSamplers.choose_in_turn xs y) = permute_and_flip (length xs) u).
Theorem samplers : samplers_statement.
Proof.
  split; [|split].
  - intros n H. split; [now apply FastSamplers.choose_below_law|].
    split; [now apply IntervalChoice.interval_choice_law | now apply ReferenceUniform.recycling_uniform_law].
  - intros num den A B C. split; [now apply FastSamplers.fast_laplace_law | now apply ReferenceSamplers.reference_laplace_law].
  - intros xs y Y X Z u. assert (N : (0 < length xs)%nat) by (destruct xs; [easy | cbn; lia]).
    split; [now apply SplitSamplers.choose_by_weight_law|]. apply SplitSamplers.choose_in_turn_law; auto.
    apply In_nth with (d := 0%Z) in Z. exact Z.
Qed.

Example samplers_of_six : law_of (FastSamplers.choose_below 6) 3%nat = 1 / 6 /\ law_of (FastSamplers.choose_below 6) 6%nat = 0 /\
  law_of (FastSamplers.fast_laplace 3 2) 5%Z = (1 - exp (- / (3 / 2))) / (1 + exp (- / (3 / 2))) * exp (- 5 / (3 / 2)).
Proof.
  rewrite (proj1 (proj1 samplers 6%nat ltac:(lia))). rewrite (proj1 (proj1 (proj2 samplers) 3%Z 2%Z eq_refl eq_refl ltac:(lia))).
  split; [|split]; [cbn; field | reflexivity | reflexivity].
Qed.

(** ** 7. The default learner: private, for all events, from fair bits *)

(** A candidate sends a row to the right or not; splits are listed by level.  A row has codes and a label. *)
Section Trees.
Context {X : Type}.
Variable test : nat -> X -> bool.
Fixpoint walk (chosen : list (list nat)) (node : nat) (x : X) : nat :=
  match chosen with
  | [] => node
  | cs :: below => walk below (2 * node + if test (nth node cs 0%nat) x then 1 else 0)%nat x
  end.
End Trees.
Fixpoint levels (h : history) : list (list nat) :=
  match h with
  | Grid.Splits cs :: h' => levels h' ++ [cs]
  | Grid.Minority _ :: h' => levels h'
  | Grid.Leaves _ :: _ | [] => []
  end.
Section Masses.
Context {X : Type}.
Definition mass_of (node : X * bool -> nat) (weight : X * bool -> Z) (S : list (X * bool)) (l : nat) (y : bool) : Z :=
  fold_right (fun r z => ((if andb (Nat.eqb (node r) l) (Bool.eqb (snd r) y) then weight r else 0) + z)%Z) 0%Z S.
End Masses.

Section Net.
Local Open Scope Z_scope.
Definition GRID : Z := 1024.
Definition NET_STEP : Z := GRID / 4.
Definition rows_touched (r : Grid.relation) : Z := match r with Grid.Exchange => 2 | Grid.AddRemove => 1 end.
(** The weight of a row from the margin of its label, in steps of 1/GRID, for alpha = p / q: the inverse link, rounded down. *)
Definition floor_ratio (numerator square : Z) : Z := Z.sqrt (numerator * numerator / square).
Definition ceiling_ratio (numerator square : Z) : Z :=
  let down := floor_ratio numerator square in if down * down * square <? numerator * numerator then down + 1 else down.
Definition weight_of_margin (p q : Z) (signed_margin : Z) : Z :=
  let steps := Z.abs signed_margin in
  let beyond := Z.max (steps * q - 2 * GRID * (q - p)) 0 in
  let square := (2 * GRID * p) * (2 * GRID * p) + beyond * beyond in
  if signed_margin <? 0
  then Z.min ((GRID + floor_ratio (GRID * beyond) square) / 2) (GRID / 2)
  else Z.max 1 ((GRID - ceiling_ratio (GRID * beyond) square) / 2).

Context {X : Type}.
Variables (N : Grid.net_parameters) (test : nat -> X -> bool).
Definition leaf_value (net : Z) : Z :=
  let factor := 2 ^ (Z.of_nat (Grid.net_depth N) + 1) * Grid.epsilon_num N * NET_STEP in
  let divisor := GRID * (Grid.net_size N * Grid.epsilon_num N
    + 2 ^ Z.of_nat (Grid.net_depth N) * rows_touched (Grid.net_relation N) * Z.of_nat (Grid.net_trees N) * Grid.epsilon_den N) in
  Z.min (Z.max (net * factor / divisor) (- NET_STEP)) NET_STEP.
Fixpoint margin (h : history) (x : X) : Z :=
  match h with
  | [] => 0
  | Grid.Leaves nets :: h' => Grid.leaf_value N (nth 0 (nth (Grid.walk test (Grid.levels h') 0 x) nets []) 0) + margin h' x
  | _ :: h' => margin h' x
  end.
Definition net_weight (h : history) (x : X) (positive : bool) : Z :=
  Grid.weight_of_margin (Grid.alpha_num N) (Grid.alpha_den N) (if positive then Grid.margin N test h x else
    - Grid.margin N test h x).
Definition net_mass (h : history) : list (X * bool) -> nat -> bool -> Z :=
  Grid.mass_of (fun r => Grid.walk test (Grid.levels h) 0 (fst r)) (fun r => Grid.net_weight N test h (fst r) (snd r)).
End Net.
Check (eq_refl : (@walk, levels, @mass_of) = (@Grid.walk, Grid.levels, @Grid.mass_of)).
Check (eq_refl : weight_of_margin = Grid.weight_of_margin). Check (eq_refl : leaf_value = Grid.leaf_value).
Check (eq_refl : @margin = @Grid.margin). Check (eq_refl : @net_weight = @Grid.net_weight). Check (eq_refl : @net_mass = @Grid.net_mass).

(** The program: uniform splits level by level, then noisy nets of all leaves, for every tree. *)
Fixpoint draw_each {A} (draws : list (prog A)) : prog (list A) :=
  match draws with
  | [] => Programs.Ret []
  | d :: rest => Programs.Bind d (fun x => Programs.Bind (draw_each rest) (fun xs => Programs.Ret (x :: xs)))
  end.
Section Fit.
Context {X : Type}.
Variable choose : nat -> prog nat.
Variable noise : Z -> Z -> prog Z.
Variables (N : Grid.net_parameters) (n_candidates : nat) (the_test : nat -> X -> bool).
Definition noise_numerator : Z := (rows_touched (Grid.net_relation N) * (GRID / 2) * Z.of_nat (Grid.net_trees N) *
  Grid.epsilon_den N)%Z.
Definition draw_splits (h : history) (S : list (X * bool)) : prog output :=
  Programs.Bind (draw_each (map (fun _ => choose n_candidates) (seq 0 (2 ^ length (Grid.levels h))))) (
    fun cs => Programs.Ret (Grid.Splits cs)).
Definition draw_leaf (h : history) (S : list (X * bool)) (l : nat) : prog (list Z) :=
  let net := (Grid.net_mass N the_test h S l true - Grid.net_mass N the_test h S l false)%Z in
  Programs.Bind (noise noise_numerator (Grid.epsilon_num N)) (fun z => Programs.Ret [net + z]%Z).
Definition draw_leaves (h : history) (S : list (X * bool)) : prog output :=
  Programs.Bind (draw_each (map (draw_leaf h S) (seq 0 (2 ^ Grid.net_depth N)))) (fun vs => Programs.Ret (Grid.Leaves vs)).
Fixpoint fit_with (draws : list (history -> list (X * bool) -> prog output)) (S : list (X * bool)) (h : history) : prog history :=
  match draws with
  | [] => Programs.Ret h
  | d :: rest => Programs.Bind (d h S) (fun output => fit_with rest S (output :: h))
  end.
Definition fit (S : list (X * bool)) : prog history :=
  fit_with (concat (repeat (repeat draw_splits (Grid.net_depth N) ++ [draw_leaves]) (Grid.net_trees N))) S [].
End Fit.
Definition fast_fit {X} := @fit X FastSamplers.choose_below FastSamplers.fast_laplace.
Definition reference_fit {X} := @fit X IntervalChoice.interval_choice ReferenceSamplers.reference_laplace.
Check (eq_refl : @fast_fit = @Executable.fast_fit). Check (eq_refl : @reference_fit = @Executable.reference_fit).

Definition in_range (N : Grid.net_parameters) (n_candidates : nat) : Prop :=
  (1 <= Grid.net_trees N)%nat /\ (1 <= Grid.net_depth N)%nat /\ (1 <= Grid.net_size N)%Z /\ (1 <= n_candidates)%nat /\
  (0 < Grid.epsilon_num N)%Z /\ (0 < Grid.epsilon_den N)%Z /\ (Grid.epsilon_num N <= 2 ^ 64 * Grid.epsilon_den N)%Z.
Definition epsilon_of (N : Grid.net_parameters) : R := IZR (Grid.epsilon_num N) / IZR (Grid.epsilon_den N).

Definition default_learner_statement : Prop := forall X Raw Model N n_candidates (test : nat -> X -> bool)
  (admission : Raw -> option (X * bool)) (model : history -> Model) S S', in_range N n_candidates ->
  may_drop admission (Grid.net_relation N) -> neighbours (Grid.net_relation N) S S' ->
  let released fit T := image model (law_of (fit N n_candidates test (admitted admission T))) in
  private (epsilon_of N) (released fast_fit S) (released fast_fit S') /\ law (released fast_fit S) /\
  private (epsilon_of N) (released reference_fit S) (released reference_fit S') /\ law (released reference_fit S).
Theorem default_learner : default_learner_statement.
Proof.
  intros X Raw Model N c test admission model S S' (a & b & d & e & f & g & k) M D released.
  assert (R : Executable.in_range N c) by (split; auto). assert (L := Executable.fit_ends N c test R (admitted admission S)).
  split; [intros E; now apply Executable.fast_fit_private|]. split; [apply Law.image_law, L|].
  split; [intros E; now apply Executable.reference_fit_private | apply Law.image_law, L].
Qed.

(** Three trees of depth 2 at epsilon = 1/2; one of two rows changes its label.  The probability of any set of histories moves
    by a factor of exp(1/2) at most.  Weights at margins of -1, 0, 1, 2, 3 and 100: the inverse link leaves its plateau. *)
Example default_learner_of_two (E : history -> Prop) : let N := Grid.Build_net_parameters Grid.Exchange 3 2 2 1 2 1 1 in
  prob (law_of (fast_fit N 1 (fun _ x => x) [(true, true); (false, false)])) E <=
  exp (1 / 2) * prob (law_of (fast_fit N 1 (fun _ x => x) [(true, false); (false, false)])) E.
Proof.
  intros N. assert (P := default_learner bool (bool * bool)%type history N 1%nat (fun _ x => x) Some (fun h : history => h)
    [(true, true); (false, false)] [(true, false); (false, false)]).
  cbv beta zeta in P. destruct P as (P & _); [repeat split; cbn; lia | discriminate | exists (true, true), (true, false),
    [(false, false)]; split; apply Permutation_refl |]. specialize (P E).
  assert (I : forall p : history -> R, Law.sub_law p -> prob (image (fun h => h) p) E = prob p E)
    by (intros p s; exact (Law.prob_image _ p E s)).
  rewrite !I in P by apply Programs.law_of_sub. exact P.
Qed.
Example weights_leave_the_plateau :
  map (weight_of_margin 1 1) (map (Z.mul 1024) [-1; 0; 1; 2; 3; 100])%Z = [512; 512; 283; 149; 85; 1]%Z /\
  map (weight_of_margin 1 2) (map (Z.mul 1024) [-1; 0; 1; 2; 3; 100])%Z = [512; 512; 512; 149; 54; 1]%Z := conj eq_refl eq_refl.

(** ** 8. The sound learner: splits that look at the data, in exact arithmetic *)

(** Public inputs: relation, law of splits, rule of leaves, whether alpha is estimated; trees, depth, size, candidates, tests;
    weights, alpha and leaf values from released histories;
      the bound of leaf values, epsilon, and the shares of splits and alpha. *)
Notation boosted := Protocols.boosted.
Check (Protocols.Build_boosted : forall X, Grid.relation -> Learner.split_law -> Learner.leaf_rule -> bool -> nat -> nat -> nat ->
  nat -> (nat -> X -> bool) -> (history -> X -> bool -> Z) -> (history -> R) -> (history -> Z -> Z -> Z) -> Z -> R -> R ->
    R -> boosted X).
Definition of_boosted X r s l e t d m c test weigh al centre bound eps share ashare :
  let B := Protocols.Build_boosted X r s l e t d m c test weigh al centre bound eps share ashare in
  (Protocols.b_relation B, Protocols.b_splits B, Protocols.b_leaves B, Protocols.b_estimates B, Protocols.b_trees B, Protocols.b_depth B,
   Protocols.b_size B, Protocols.b_candidates B, Protocols.b_test B, Protocols.b_weigh B, Protocols.b_alpha B, Protocols.b_centre B,
   Protocols.b_bound B, Protocols.b_epsilon B, Protocols.b_share B, Protocols.b_alpha_share B) =
  (r, s, l, e, t, d, m, c, test, weigh, al, centre, bound, eps, share, ashare) := eq_refl.
Definition split_laws : forall s, s = Learner.Uniform \/ s = Learner.Exponential \/ s = Learner.PermuteAndFlip.
Proof. intros []; auto. Qed.
Definition leaf_rules : forall r, r = Learner.NoisyNet \/ r = Learner.NoisyMasses \/ r = Learner.LinkClampNoise \/ r =
  Learner.ClassVotes.
Proof. intros []; auto. Qed.

Section Sound.
Import Learner Protocols.
Context {X : Type}.
Variable B : boosted X.
Implicit Types (h : history) (S : list (X * bool)) (r : X * bool).

Definition in_ranges : Prop :=
  (1 <= b_trees B)%nat /\ (1 <= b_depth B)%nat /\ (1 <= b_size B)%nat /\ (1 <= b_candidates B)%nat /\ 0 < b_epsilon B /\
  0 < b_share B < 1 /\ 0 < b_alpha_share B < 1 /\ (1 <= b_bound B)%Z /\ b_leaves B <> ClassVotes /\
  (b_estimates B = true -> b_splits B <> Uniform).

(** Rows: weights are clipped to 1 .. cap, in steps of 1/GRID; [cap] is 1/2, and 1 after the first tree if leaves release masses. *)
Definition cap h : Z := match b_leaves B with NoisyNet => GRID / 2 | _ =>
  if forallb (fun o => match o with Grid.Leaves _ => false | _ => true end) h then GRID / 2 else GRID end.
Definition row_weight h r : Z := Z.max 1 (Z.min (b_weigh B h (fst r) (snd r)) (cap h)).
Definition node h r : nat := Grid.walk (b_test B) (Grid.levels h) 0 (fst r).
Definition mass_in_node h S (l : nat) (y : bool) : Z := Grid.mass_of (node h) (row_weight h) S l y.

(** Budgets: of splits per level, of alpha per level but the first, of leaves per tree. *)
Definition estimates : bool := andb (b_estimates B) (Nat.ltb 1 (b_depth B)).
Definition share_of_splits : R := if match b_splits B with Uniform => true | _ => false end then 0 else b_share B.
Definition for_leaves : R := (1 - share_of_splits) * b_epsilon B / INR (b_trees B).
Definition for_alpha : R :=
  if estimates then share_of_splits * b_alpha_share B * b_epsilon B / (INR (b_trees B) * (INR (b_depth B) - 1)) else 0.
Definition for_splits : R :=
  share_of_splits * (if estimates then 1 - b_alpha_share B else 1) * b_epsilon B / (INR (b_trees B) * INR (b_depth B)).

(** Splits: the score of a candidate is minus the risk of the two children that it makes of node [l]. *)
Definition alpha h : R := Rmax 0 (Rmin 1 (b_alpha B h)).
Definition children h (l : nat) S (c : nat) (right y : bool) : R := Sensitivity.mass (map (fun r =>
  Sensitivity.Build_example (IZR (row_weight h r)) (snd r)
    (if Nat.eqb (node h r) l then (if b_test B c (fst r) then 1 else 0)%nat else 2%nat)) S) (if right then 1 else 0)%nat y.
Definition score h (q : nat -> bool -> bool -> R) (c : nat) : R :=
  - (leaf (m_alpha (alpha h)) (q c false true) (q c false false) + leaf (m_alpha (alpha h)) (q c true true) (q c true false)).
Definition sensitivity h : R := IZR (cap h) * sharp (m_alpha (alpha h)) (INR (b_size B)).
Definition rate_of h : R := if Sums.decide (sensitivity h = 0) then 0 else for_splits / (touched (b_relation B) * sensitivity h).
Definition chances h S (l : nat) : nat -> R :=
  let q := children h l S in
  let u c := rate_of h * (score h q c - largest (b_candidates B) (score h q)) in
  if Sums.decide (rate_of h = 0) then uniform (b_candidates B) else
  match b_splits B with
  | Uniform => uniform (b_candidates B)
  | Exponential => exponential (b_candidates B) u
  | PermuteAndFlip => permute_and_flip (b_candidates B) u
  end.
Definition split_step h S : output -> R := image Grid.Splits (entries (chances h) (2 ^ length (Grid.levels h)) S).

(** The estimate of alpha: the mass of the minority classes of the nodes of a level, with noise. *)
Definition minority_step h S : output -> R := image Grid.Minority (dlap (IZR (cap h) / for_alpha)
  (fold_right (fun l z => Z.min (mass_in_node h S l true) (mass_in_node h S l false) + z)%Z 0%Z (seq 0 (2 ^ length
    (Grid.levels h))))).

(** Leaves: nets, masses or clamped values with noise. *)
Definition noise_scale h : R := match b_leaves B with
  | LinkClampNoise => 2 * IZR (b_bound B) * 2 ^ b_depth B / for_leaves
  | _ => touched (b_relation B) * IZR (cap h) / for_leaves
  end.
Definition noisy (s : R) (a : list Z) : list Z -> R := product (map (dlap s) a).
Definition release h S (l : nat) : list Z -> R := let a := mass_in_node h S l true in let b := mass_in_node h S l false in
  match b_leaves B with
  | NoisyNet => noisy (noise_scale h) [a - b]%Z
  | NoisyMasses => noisy (noise_scale h) [a; b]
  | LinkClampNoise => noisy (noise_scale h) [Z.max (- b_bound B) (Z.min (b_centre B h a b) (b_bound B))]
  | ClassVotes => image (fun i => [Z.of_nat i]) (exponential 2 (fun i => IZR (match i with O => b | _ => a end) / noise_scale h))
  end.
Definition leaf_step h S : output -> R := image Grid.Leaves (entries (release h) (2 ^ b_depth B) S).

(** All steps one after the other; each sees what was released before. *)
Definition steps_of_tree : list (history -> list (X * bool) -> output -> R) :=
  flat_map (fun level => (if andb estimates (Nat.ltb 0 level) then [minority_step] else []) ++ [split_step]) (
    seq 0 (b_depth B)) ++ [leaf_step].
Fixpoint in_sequence (steps : list (history -> list (X * bool) -> output -> R)) S h : history -> R :=
  match steps with [] => ret h | s :: rest => bind (s h S) (fun o => in_sequence rest S (o :: h)) end.
Definition sound_learner S : history -> R := in_sequence (concat (repeat steps_of_tree (b_trees B))) S [].
End Sound.
Check (eq_refl : @row_weight = fun X B => Learner.row_weight (@Protocols.exact X B)).
Check (eq_refl : @score = fun X B => Learner.score (@Protocols.exact X B)).
Check (eq_refl : @children = fun X B => Learner.children (@Protocols.exact X B)).
Check (eq_refl : @rate_of = fun X B => @Protocols.exact_rate X B).
Check (eq_refl : @chances = fun X B => Learner.split_of (@Protocols.exact X B)).
Check (eq_refl : @minority_step = fun X B => Learner.minority_step (@Protocols.exact X B)).
Check (eq_refl : @release = fun X B => Learner.leaf_of (@Protocols.exact X B)).
Check (eq_refl : @leaf_step = fun X B => Learner.leaf_step (@Protocols.exact X B)).
Check (eq_refl : @in_sequence = fun X => @Steps.run (list (X * bool)) output).
Definition sound_learner_is X (B : boosted X) S : sound_learner B S = Learner.learner (Protocols.exact B) S.
Proof.
  unfold sound_learner, Learner.learner, Learner.steps.
  assert (R : forall A A' (f : A -> A') l n, map f (concat (repeat l n)) = concat (repeat (map f l) n)).
  { intros A A' f l n. induction n as [|n IH]; [reflexivity|]. cbn [repeat concat]. now rewrite map_app, IH. }
  rewrite R. replace (map fst (Learner.steps_of_tree (Protocols.exact B))) with (steps_of_tree B); [reflexivity|].
  unfold steps_of_tree, Learner.steps_of_tree. rewrite map_app. f_equal.
  change (Learner.depth (Protocols.exact B)) with (Protocols.b_depth B).
  induction (seq 0 (Protocols.b_depth B)) as [|l ls IH]; [reflexivity|]. cbn [flat_map]. rewrite map_app, <- IH. f_equal.
  unfold Learner.steps_of_level. rewrite map_app. f_equal.
  change (Learner.estimates_alpha (Protocols.exact B)) with (estimates B). destruct (andb _ _); reflexivity.
Qed.

Definition sound_learner_statement : Prop := forall X Raw Model (B : boosted X) (admission : Raw -> option (X * bool))
  (model : history -> Model) S S', in_ranges B -> may_drop admission (Protocols.b_relation B) ->
  (Protocols.b_splits B <> Learner.Uniform -> (length S <= Protocols.b_size B)%nat /\ (length S' <= Protocols.b_size B)%nat) ->
  neighbours (Protocols.b_relation B) S S' ->
  private (Protocols.b_epsilon B) (image model (sound_learner B (admitted admission S))) (
    image model (sound_learner B (admitted admission S'))).
Theorem sound_learner_private : sound_learner_statement.
Proof.
  intros X Raw Model B admission model S S' (a & b & c & d & e & f & g & i & j & k) M F N E. rewrite !sound_learner_is.
  assert (G : Learner.fits (Protocols.exact B) S /\ Learner.fits (Protocols.exact B) S').
  { unfold Learner.fits. cbn. destruct (Protocols.b_splits B); [split; now left | |]; split; right; apply F; discriminate. }
  apply Protocols.exact_private; auto; [split; auto | apply G | apply G].
Qed.

(** SOUND: two trees of depth 3, the exponential mechanism, estimated alpha, noisy masses, epsilon = 1, weights of 700 steps. *)
Example sound_learner_of_two (E : history -> Prop) : let B := {|
    Protocols.b_relation := Grid.Exchange; Protocols.b_splits := Learner.Exponential; Protocols.b_leaves := Learner.NoisyMasses;
    Protocols.b_estimates := true; Protocols.b_trees := 2; Protocols.b_depth := 3; Protocols.b_size := 2;
      Protocols.b_candidates := 2;
    Protocols.b_test := fun c x => if Nat.eqb c 0 then x else negb x; Protocols.b_weigh := fun _ _ _ => 700%Z;
    Protocols.b_alpha := fun _ => 1 / 2; Protocols.b_centre := fun _ _ _ => 0%Z; Protocols.b_bound := 1024%Z;
    Protocols.b_epsilon := 1; Protocols.b_share := 1 / 2; Protocols.b_alpha_share := 1 / 4 |} in
  prob (image (fun h => h) (sound_learner B [(true, true); (false, false)])) E <=
  exp 1 * prob (image (fun h => h) (sound_learner B [(true, false); (false, false)])) E.
Proof. intros B. rewrite !sound_learner_is. exact (Examples.sound_exchange E). Qed.

(** ** 9. The auditor: its bound ever exceeds the truth with probability at most alpha, whatever stops it *)

(** A mean is linear, monotone and 1 at 1, on bounded functions. *)
Notation expectation := Expectation.expectation.
Notation mean := Expectation.mean.
Check (Expectation.Build_expectation : forall A (m : (A -> R) -> R),
  let bounded f := exists b, forall x, Rabs (f x) <= b in
  (forall f g, bounded f -> bounded g -> (forall x, f x <= g x) -> m f <= m g) ->
  (forall f g, bounded f -> bounded g -> m (fun x => f x + g x) = m f + m g) ->
  (forall c f, bounded f -> m (fun x => c * f x) = c * m f) -> m (fun _ => 1) = 1 -> expectation A).
Definition of_expectation A m a b c d : mean (Expectation.Build_expectation A m a b c d) = m := eq_refl.
(** That of a law gives the probabilities of the law. *)
Definition mean_of_law_is A (p : A -> R) (L : law p) (T : A -> bool) :
  mean (DiscreteMeans.mean_of_law p L) (fun x => if T x then 1 else 0) = prob p (fun x => T x = true) :=
  DiscreteMeans.probability_of_law p L T.
(** (epsilon, delta)-privacy, both ways. *)
Definition private_means {A} (eps delta : R) (P Q : expectation A) : Prop := forall T : A -> bool,
  let p := mean P (fun x => if T x then 1 else 0) in let q := mean Q (fun x => if T x then 1 else 0) in
  p <= exp eps * q + delta /\ q <= exp eps * p + delta.
Check (eq_refl : @private_means = @Expectation.private).

(** A side is left or right; a guess is one of them, or none.  A call has a pair, a side and an output.  What is decided before a
    call, against a null: the point (epsilon, delta), the cells of outputs and their guesses; the same with stakes;
      which way leads. *)
Definition sides : forall s, s = Betting.OnLeft \/ s = Betting.OnRight.
Proof. intros []; auto. Qed.
Definition guesses : forall g, g = Betting.GuessLeft \/ g = Betting.GuessRight \/ g = Betting.Abstain.
Proof. intros []; auto. Qed.
Definition of_call o k s x : let c := Auditor.Build_call o k s x in (Auditor.pair o c, Auditor.drawn o c, Auditor.result o c) = (k, s, x) := eq_refl.
Definition of_decision o p c g q d w b : let D := Auditor.Build_decision o p c g q d w b in (Auditor.point o D, Auditor.cell o D,
    Auditor.guesses o D, Auditor.graded_point o D, Auditor.graded_cell o D, Auditor.graded_stakes o D, Auditor.graded_leads o D) =
  (p, c, g, q, d, w, b) := eq_refl.
Check (Auditor.Build_call : forall output, nat -> Betting.side -> output -> Auditor.call output).
Check (Auditor.Build_decision : forall output, nat -> (output -> nat) -> list Betting.guess -> nat -> (output -> nat) ->
  list R -> bool ->
  Auditor.decision output).

(** Bets: what a call multiplies a stake by; a side that is guessed in any cell costs delta / 2, and graded stakes by their tops. *)
Fixpoint greatest (l : list R) : R := match l with [] => 0 | x :: l' => Rmax x (greatest l') end.
Definition event_factor (ratio delta f : R) (guesses : list Betting.guess) (s : Betting.side) (c : nat) : R :=
  let used g := if existsb g guesses then 1 else 0 in
  let charge := delta / 2 * (used (fun g => match g with Betting.GuessLeft => true | _ => false end) +
                             used (fun g => match g with Betting.GuessRight => true | _ => false end)) in
  let stake := f / (ratio + charge) in
  match nth c guesses Betting.Abstain, s with
  | Betting.GuessLeft, Betting.OnLeft | Betting.GuessRight, Betting.OnRight => 1 + stake * (1 - charge)
  | Betting.GuessLeft, Betting.OnRight | Betting.GuessRight, Betting.OnLeft => 1 - f
  | Betting.Abstain, _ => 1 - stake * charge
  end.
Definition graded_factor (ratio delta share : R) (stakes : list R) (s : Betting.side) (c : nat) : R :=
  let charge := delta * (greatest (map (fun w => Rmax (- w) 0) stakes) + greatest (map (fun w => Rmax w 0) stakes)) / 2 in
  let scale := / Rmax 1 (charge + ratio * greatest (map Rabs stakes)) in
  let w := nth c stakes 0 in
  if match s with Betting.OnRight => if Rlt_dec 0 w then true else false | Betting.OnLeft => if Rlt_dec 0 w then false else true end
  then 1 + share * (scale * (Rabs w - charge))
  else 1 - share * (scale * (ratio * Rabs w + charge)).
Check (eq_refl : event_factor = Betting.event_factor). Check (eq_refl : graded_factor = Betting.graded_factor).

(** The columns of the capital with their shares: stakes on guessed cells, shares of graded stakes, the way that leads. *)
Definition stakes_on_events : list R := map (fun n => n / 20) [1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18;
  19; 20] ++
  [1 / 40; 1 / 80; 1 / 160; 20 / 20].
Definition shares : list R := [1; 9 / 10; 8 / 10; 7 / 10; 6 / 10; 4 / 10].
Definition kept : R := 1 - 1 / 281474976710656.
Definition columns (pure : bool) : list (R * Auditor.column) :=
  let '(events, grades, either) := if pure then (1 / 2, 1 / 10, 4 / 10) else (2 / 10, 5 / 10, 3 / 10) in
  map (fun f => (events / 24, Auditor.OnEvents (kept * f))) stakes_on_events ++
  map (fun s => (grades / 6, Auditor.ByGrades (kept * s))) shares ++
  map (fun fs => (either / 24, Auditor.InEither (kept * fst fs) (kept * snd fs)))
    (combine stakes_on_events (flat_map (fun s => [s; s; s; s]) shares)).
Check (eq_refl : columns = Auditor.columns).

Section Audit.
Import Betting Auditor.
Variable output : Type.
Notation calls := (list (call output)).                (* the latest call first *)
Variables (points : nat -> nat -> R * R) (claim : nat) (pure_after : nat -> calls -> bool) (strategy : calls -> nat -> nat ->
  decision output).

Definition column_factor (d : decision output) (null : nat) (c : column) (s : side) (x : output) : R :=
  let '(eps, delta) := points null (point output d) in
  let '(eps', delta') := points null (graded_point output d) in
  let on_events f := event_factor (exp eps) delta f (guesses output d) s (cell output d x) in
  let by_grades share := graded_factor (exp eps') delta' share (graded_stakes output d) s (graded_cell output d x) in
  match c with
  | OnEvents f => on_events f
  | ByGrades share => by_grades share
  | InEither f share => if graded_leads output d then by_grades share else on_events f
  end.
Fixpoint calls_of (k : nat) (h : calls) : nat :=
  match h with [] => 0 | o :: h' => (if Nat.eqb (pair output o) k then 1 else 0) + calls_of k h' end.
Definition learning (k : nat) (h : calls) : bool := Nat.ltb (calls_of k h) 16.
Fixpoint all_factors (factor : calls -> call output -> R) (h : calls) : R :=
  match h with [] => 1 | o :: h' => all_factors factor h' * factor h' o end.
Definition column_wealth (k null followed : nat) (c : column) : calls -> R := all_factors (fun h o =>
  if andb (Nat.eqb (pair output o) k) (negb (learning k h)) then
    column_factor (strategy h k followed) null c (drawn output o) (result output o) else 1).
Fixpoint end_of_learning (k : nat) (h : calls) : calls := match h with [] => [] | _ :: h' => if learning k h' then h else
  end_of_learning k h' end.
Definition capital (k null followed : nat) (h : calls) : R :=
  lsum (fun wc => fst wc * column_wealth k null followed (snd wc) h) (columns (pure_after k (end_of_learning k h))).
Definition wealth (k null : nat) (h : calls) : R :=
  if Nat.ltb null claim then (1 - 2 / 10) * capital k null null h + 2 / 10 * capital k null claim h else capital k null null h.

(** A null is refuted when its wealth reaches pairs / alpha at a look;
  a report has the greatest null up to which all are refuted. *)
Variables (n_pairs : nat) (error : R) (nulls : list R) (looks : calls -> bool) (log_wealth : nat -> nat -> calls -> R).
Definition rounding (n : nat) : R := Rmax (1 / 1000000) (INR n * (1 / 10000000000000)).
Definition rounds_well : Prop := forall k null h, looks h = true -> 0 <= log_wealth k null h ->
  exp (log_wealth k null h - rounding (calls_of k h)) <= wealth k null h.
Definition limit (k : nat) (h : calls) : R := - ln (error / INR n_pairs) + rounding (calls_of k h).
Fixpoint refuted (k null : nat) (h : calls) : bool :=
  orb (andb (looks h) (if Rle_dec (limit k h) (log_wealth k null h) then true else false))
    (match h with [] => false | _ :: h' => refuted k null h' end).
Fixpoint last_refuted (is_refuted : nat -> bool) (i : nat) (best : R) (grid : list R) : R :=
  match grid with [] => best | null :: grid' => if is_refuted i then last_refuted is_refuted (S i) null grid' else best end.
Definition reported (h : calls) : R := greatest (map (fun k => last_refuted (fun null => refuted k null h) 0 0 nulls) (
  seq 0 n_pairs)).

(** A fair coin picks the side of a call.  The chance that an alarm is ever raised, and that it is on when a rule stops. *)
Variables (left right : nat -> expectation output) (next_pair : calls -> nat).
Definition next_mean (h : calls) (g : call output -> R) : R := let k := next_pair h in
  (mean (left k) (fun x => g (Build_call output k OnLeft x)) + mean (right k) (fun x => g (Build_call output k OnRight x))) / 2.
Fixpoint within_calls (alarm : calls -> Prop) (n : nat) (h : calls) : R := if Sums.decide (alarm h) then 1 else
  match n with 0%nat => 0 | S n' => next_mean h (fun o => within_calls alarm n' (o :: h)) end.
Definition ever (alarm : calls -> Prop) : R := Sums.sup (fun r => exists n, r = within_calls alarm n []).
Fixpoint at_stop (stop alarm : calls -> Prop) (n : nat) (h : calls) : R := if Sums.decide (stop h) then
  (if Sums.decide (alarm h) then 1 else 0) else
  match n with 0%nat => 0 | S n' => next_mean h (fun o => at_stop stop alarm n' (o :: h)) end.
End Audit.
Check (eq_refl : wealth = Auditor.wealth). Check (eq_refl : rounds_well = fun o p c pa s l w => AuditClaims.rounds_well o c pa s l w p).
Check (eq_refl : reported = fun o n a g l w => Auditor.reported o n a g l w).
Check (eq_refl : ever = fun o l r n => Ville.ever (Auditor.next_law o n (AuditClaims.same_answers o l r))).
Check (eq_refl : at_stop = fun o l r n => Ville.at_stop (Auditor.next_law o n (AuditClaims.same_answers o l r))).
Definition ever_is : forall output left right next_pair alarm, is_lub (fun p => exists n, p = within_calls output left right
  next_pair alarm n [])
  (ever output left right next_pair alarm) := fun o l r n a => Ville.ever_is_lub (Auditor.next_law o n
    (AuditClaims.same_answers o l r)) a.

(** A claim is a curve of points (epsilon, delta); the bound is on the scale of their epsilons: with one point, on epsilon. *)
Definition curve_points (nulls : list R) (curve : list (R * R)) (null j : nat) : R * R :=
  let '(eps, delta) := nth j curve (0, 1) in (nth null nulls 0 * eps, delta).
Definition auditor_statement : Prop := forall output left right n_pairs alpha nulls claim pure_after strategy next_pair
  looks log_wealth curve scale,
  (0 < n_pairs)%nat -> 0 < alpha < 1 -> Forall (fun null => 0 <= null) nulls ->
  Forall (fun point => 0 <= fst point /\ 0 <= snd point) curve -> 0 <= scale ->
  (forall k e d, (k < n_pairs)%nat -> In (e, d) curve -> private_means (scale * e) d (left k) (right k)) ->
  rounds_well output (curve_points nulls curve) claim pure_after strategy looks log_wealth ->
  let too_much h := scale < reported output n_pairs alpha nulls looks log_wealth h in
  ever output left right next_pair too_much <= alpha /\ forall stop n, at_stop output left right next_pair stop too_much n
    [] <= alpha.
Theorem auditor : auditor_statement.
Proof.
  intros o l r n a g c p s np lo lw curve scale N A G C S P W too_much.
  assert (E : ever o l r np too_much <= a).
  { exact (AuditClaims.curve_bound_holds o l r n N a A g G c p s np lo lw curve scale C S P W). }
  split; [exact E|]. intros stop k. apply Rle_trans with (within_calls o l r np too_much k []).
  - exact (Ville.at_stop_within (Auditor.next_law o np (AuditClaims.same_answers o l r)) stop too_much k []).
  - apply Rle_trans with (2 := E). apply (proj1 (ever_is o l r np too_much)). now exists k.
Qed.

(** The two halves together: an audit of the default learner on neighbours ever reports more than its epsilon with probability
    at most alpha. *)
Definition audit_of_default_statement : Prop := forall X Model N n_candidates (test : nat -> X -> bool) (model : history -> Model)
  (S S' : nat -> list (X * bool)) n_pairs alpha nulls claim pure_after strategy next_pair looks log_wealth,
  in_range N n_candidates -> (0 < n_pairs)%nat -> 0 < alpha < 1 -> Forall (fun null => 0 <= null) nulls ->
  (forall k, (k < n_pairs)%nat -> neighbours (Grid.net_relation N) (S k) (S' k)) ->
  rounds_well Model (curve_points nulls [(1, 0)]) claim pure_after strategy looks log_wealth ->
  forall L L' : forall T, law (image model (law_of (fast_fit N n_candidates test T))),
  ever Model (fun k => DiscreteMeans.mean_of_law _ (L (S k))) (fun k => DiscreteMeans.mean_of_law _ (L' (S' k))) next_pair
    (fun h => epsilon_of N < reported Model n_pairs alpha nulls looks log_wealth h) <= alpha.
Theorem audit_of_default : audit_of_default_statement.
Proof.
  intros X Model N c test model S S' n a g cl p s np lo lw R P A G Q W L L'.
  assert (E0 : 0 <= epsilon_of N).
  { destruct R as (_ & _ & _ & _ & e & f & _). apply IZR_lt in e, f. apply Rlt_le, Rdiv_lt_0_compat; lra. }
  refine (proj1 (auditor Model _ _ n a g cl p s np lo lw [(1, 0)] (epsilon_of N) P A G _ E0 _ W)).
  - repeat apply Forall_cons; try apply Forall_nil; cbn; lra.
  - intros k e d K [I | []]. injection I as <- <-. rewrite Rmult_1_r.
    intros T. cbv zeta. rewrite !mean_of_law_is, !Rplus_0_r. assert (Qk := Q k K).
    assert (Some_ok : forall r, may_drop (@Some (X * bool)) r) by (intros []; cbn; [discriminate | exact I]).
    assert (Same : forall T' : list (X * bool), admitted Some T' = T') by
      (induction T' as [|x T' IH]; [reflexivity | exact (f_equal (cons x) IH)]).
    assert (Dk := default_learner X (X * bool)%type Model N c test Some model (S k) (S' k) R (Some_ok _) Qk).
    assert (Dk' := default_learner X (X * bool)%type Model N c test Some model (S' k) (S k) R (Some_ok _) (
      AuditOfLearner.neighbours_sym _ _ _ Qk)).
    cbv beta zeta in Dk, Dk'. rewrite !Same in Dk, Dk'. split; [apply Dk | apply Dk'].
Qed.

(** A mechanism that always answers the same, nulls 0 and 1, confidence 95 %: it is accused with probability 1/20 at most. *)
Example auditor_of_constant : let same := fun _ : nat => DiscreteMeans.mean_of_law (ret true) (Law.ret_law true) in
  let strategy := fun (_ : list (Auditor.call bool)) (_ _ : nat) => Auditor.Build_decision bool 0 (fun x : bool => if x then
    0%nat else 1%nat)
    [Betting.GuessLeft; Betting.GuessRight] 0 (fun _ => 0%nat) [1 / 2] false in
  let wealth_of k null h := wealth bool (AuditClaims.eps_points [0; 1] 0) 1 (fun _ _ => true) strategy k null h in
  let log_wealth k null h := if Rlt_dec 0 (wealth_of k null h) then ln (wealth_of k null h) else - 1 in
  ever bool same same (fun _ => 0%nat) (fun h => 0 < reported bool 1 (1 / 20) [0; 1] (fun _ => true) log_wealth h) <= 1 / 20.
Proof. exact Examples.constant_audit. Qed.

(** ** 10. Corrected boosting of trees *)

(** A leaf has the weights of both classes.  A tree is its list of leaves; [grown gamma T0 s T]: T0 becomes T by splits of edge
    gamma at least, and s adds up the share that each split leaf had in the Matsushita risk of its tree. *)
Notation tree_leaf := BoostedTrees.leaf.
Notation positives := BoostedTrees.positives.
Notation negatives := BoostedTrees.negatives.
Definition of_leaf a b : let l := BoostedTrees.Build_leaf a b in (positives l, negatives l) = (a, b) := eq_refl.
Definition join (l r : tree_leaf) : tree_leaf := BoostedTrees.Build_leaf (positives l + positives r) (negatives l + negatives r).
Definition matsushita (l : tree_leaf) : R := 2 * sqrt (positives l * negatives l).
Definition minority (l : tree_leaf) : R := Rmin (positives l) (negatives l).
Definition valid (l : tree_leaf) : Prop := 0 <= positives l /\ 0 <= negatives l.
Definition good_split (gamma : R) (l r : tree_leaf) : Prop :=
  valid l /\ valid r /\ 0 < positives (join l r) /\ 0 < negatives (join l r) /\
  gamma <= Rabs (positives l / (positives l + positives r) - negatives l / (negatives l + negatives r)).
Check (eq_refl : good_split = BoostedTrees.good_split).
Definition grown_is gamma T0 : forall P : R -> list tree_leaf -> Prop, P 0 T0 ->
  (forall s before after l r, BoostedTrees.grown gamma T0 s (before ++ join l r :: after) -> P s (before ++ join l r :: after) ->
    good_split gamma l r -> P (s + matsushita (join l r) / lsum matsushita (before ++ join l r :: after)) (
      before ++ l :: r :: after)) ->
  forall s T, BoostedTrees.grown gamma T0 s T -> P s T := BoostedTrees.grown_ind gamma T0.
Check (BoostedTrees.not_yet : forall gamma T0, BoostedTrees.grown gamma T0 0 T0).
Check (BoostedTrees.one_more : forall gamma T0 s before after l r, BoostedTrees.grown gamma T0 s (before ++ join l r :: after) ->
  good_split gamma l r -> BoostedTrees.grown gamma T0 (s + matsushita (join l r) / lsum matsushita (before ++ join l r ::
    after)) (before ++ l :: r :: after)).

Definition boosted_trees_statement : Prop := forall gamma xi root s T, 0 < gamma <= 1 -> 0 < xi -> valid root ->
  0 < positives root + negatives root -> BoostedTrees.grown gamma [root] s T -> 2 / gamma ^ 2 * ln (1 / xi) <= s ->
  lsum minority T / (positives root + negatives root) <= xi / 2.
Theorem boosted_trees : boosted_trees_statement.
Proof. exact BoostedTrees.boosted_trees. Qed.

(** One split that parts the classes. *)
Example boosted_trees_of_one : lsum minority [BoostedTrees.Build_leaf 1 0;
  BoostedTrees.Build_leaf 0 1] / (1 + 1) <= exp (- 1 / 2) / 2.
Proof. exact Examples.one_split_is_enough. Qed.

(** ** 11. Corrected boosting of ensembles *)

Section Ensembles.
Variables (Example : Type) (examples : list Example) (alpha M gamma a : R) (aligned : nat -> Example -> R).
Definition average (f : Example -> R) : R := lsum f examples / INR (length examples).
(** The weight of a margin: the inverse link of the M-alpha loss; margins add up edges times label times hypothesis. *)
Definition soft (z : R) : R := Rmax (z / 2 - (1 - alpha)) 0 + Rmin (z / 2 + (1 - alpha)) 0.
Definition weight_of (z : R) : R := (1 - soft z / sqrt (alpha ^ 2 + soft z ^ 2)) / 2.
Fixpoint margin_of (t : nat) : Example -> R := match t with
  | O => fun _ => 0
  | S t' => fun x => margin_of t' x + a * average (fun x => weight_of (margin_of t' x) * aligned t' x) * aligned t' x
  end.
Definition mean_weight (t : nat) : R := average (fun x => weight_of (margin_of t x)).
Definition edge (t : nat) : R := average (fun x => weight_of (margin_of t x) * aligned t x).
Definition mistakes (t : nat) : R := average (fun x => if Rle_dec (margin_of t x) 0 then 1 else 0).
Definition weak_learning (T : nat) : Prop := forall t, (t < T)%nat -> gamma * M <= Rabs (edge t / mean_weight t).
Definition squared_weights (T : nat) : R := lsum (fun t => mean_weight t ^ 2) (seq 0 T).
End Ensembles.
Check (eq_refl : weak_learning = BoostedSums.weak_learning). Check (eq_refl : mistakes = BoostedSums.mistakes).
Check (eq_refl : squared_weights = BoostedSums.squared_weights).

Definition boosted_ensembles_statement : Prop := forall Example (examples : list Example) alpha M gamma a aligned T,
  examples <> [] -> 0 < alpha <= 1 -> 0 < M -> 0 < gamma -> (forall t x, - M <= aligned t x <= M) ->
  weak_learning Example examples alpha M gamma a aligned T ->
  (forall pi xi, 0 <= pi < 1 -> alpha / M ^ 2 * (1 - pi) <= a <= alpha / M ^ 2 * (1 + pi) ->
    2 * (1 - xi) / ((1 - pi ^ 2) * gamma ^ 2 * alpha) <= squared_weights Example examples alpha a aligned T ->
    mistakes Example examples alpha a aligned T <= xi) /\
  (forall xi, a = 4 * alpha / M ^ 2 -> 0 < xi -> 2 * (1 - xi) / (alpha * gamma ^ 2 * xi ^ 2) <= INR T ->
    exists t, (t <= T)%nat /\ mistakes Example examples alpha a aligned t <= xi).
Theorem boosted_ensembles : boosted_ensembles_statement.
Proof.
  intros Example examples alpha M gamma a aligned T N A m g I W. split.
  - intros pi xi P Q S. now apply (BoostedSums.boosting_accumulated Example examples N alpha M gamma a A m g aligned I pi xi T).
  - intros xi E X Q. now apply (BoostedSums.boosting_rounds Example examples N alpha M gamma a A m g aligned I xi T).
Qed.

(** One example, on which all hypotheses are right: after some of 20 rounds at most 3 in 10 are mistaken. *)
Example boosted_ensembles_of_one : exists t, (t <= 20)%nat /\ mistakes unit [tt] 1 4 (fun _ _ => 1) t <= 3 / 10.
Proof. exact Examples.few_mistakes. Qed.

(** ** 12. Private boosting: the exponential mechanism draws a split of edge gamma with probability 1 - xi / n *)

Section PrivateSplits.
Variables (m beta eps tests power err err1 mean_w minor delta gamma : R).
Let alpha := err / err1.
Definition risk_of_leaf (l : tree_leaf) : R := alpha * matsushita l + (1 - alpha) * (2 * minority l).
Definition gain (s : tree_leaf * tree_leaf) : R := risk_of_leaf (join (fst s) (
  snd s)) - (risk_of_leaf (fst s) + risk_of_leaf (snd s)).
Definition kappa : R := beta * eps / (tests * power) / (2 * (3 + 2 * alpha * (sqrt m - 1))).
Definition chance_of (fat slim : list (tree_leaf * tree_leaf)) : R :=
  let mass := lsum (fun s => exp (kappa * gain s)) in mass fat / (mass fat + mass slim).
Definition enough : R := beta * mean_w * (1 - delta) * gamma ^ 2 / 3 * (minor * err / power) * (eps * sqrt m / ln m).
End PrivateSplits.

Definition private_boosting_statement : Prop := forall m beta eps tests power err err1 mean_w minor delta gamma whole fat slim xi n,
  1 < m -> 0 <= beta -> 0 <= eps -> 1 <= tests <= ln m -> 1 <= power -> 0 <= err <= err1 -> 0 < err1 <= 1 / 2 -> 0 <= mean_w ->
  0 <= minor -> 0 <= delta <= 1 -> 0 <= gamma <= 1 -> valid whole -> minority whole = mean_w * m * minor -> fat <> [] ->
    0 < xi -> 1 <= n ->
  (forall s, In s fat -> good_split gamma (fst s) (snd s) /\ join (fst s) (snd s) = whole) ->
  (forall s, In s slim -> gain err err1 s <= delta * (gamma ^ 2 / 2 * (err / err1) * matsushita whole)) ->
  let bound := enough m beta eps power err mean_w minor delta gamma in
  INR (length slim) * exp (- bound / 2) <= INR (length fat) -> ln (n / xi) <= bound / 2 ->
  1 - xi / n <= chance_of m beta eps tests power err err1 fat slim.
Theorem private_boosting : private_boosting_statement.
Proof. exact PrivateBoosting.private_boosting_of_leaf. Qed.

(** With a budget that is large enough, a split that parts the classes is drawn rather than one that changes nothing. *)
Example private_boosting_of_two : exists eps, 1 - 1 / 100 <= chance_of (exp 1) 1 eps 1 2 (1 / 4) (1 / 2)
  [(BoostedTrees.Build_leaf 1 0, BoostedTrees.Build_leaf 0 1)] [(BoostedTrees.Build_leaf (1 + 0) (
    0 + 1), BoostedTrees.Build_leaf 0 0)].
Proof. exact (Examples.split_is_likely (1 / 100) ltac:(lra)). Qed.

(** ** 13. All of them, for [Print Assumptions] *)
Definition headlines : sharp_sensitivity_statement /\ th3P_statement /\ level_statement /\ samplers_statement /\
  default_learner_statement /\ sound_learner_statement /\ auditor_statement /\ audit_of_default_statement /\
  boosted_trees_statement /\ boosted_ensembles_statement /\ private_boosting_statement :=
  conj sharp_sensitivity (conj th3P (conj level (conj samplers (conj default_learner (conj sound_learner_private (conj auditor
    (conj audit_of_default (conj boosted_trees (conj boosted_ensembles private_boosting))))))))).
