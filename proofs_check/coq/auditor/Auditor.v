(** * The bound that the auditor reports

    The theorem: whatever is guessed and staked, however the pairs take turns, and whenever the audit looks or
    stops, the bound that it reports ever exceeds the true parameter with probability at most [alpha].

    The model follows the Python code piece by piece:

    | here                       | Python                                                              |
    |----------------------------|---------------------------------------------------------------------|
    | [call], [next_law]         | running/calls.py, running/registration.py: sides are fair coins     |
    | [decision]                 | guessing/guessers.py: what [Competition] fixes before a block       |
    | [stakes_on_events] ... [part] | betting/wealth.py: STAKES, SHARES, COLUMNS, PURE_PARTS, PARTS, BY_CLAIM |
    | [first_block], [pure]      | running/sequential.py: FIRST_BLOCK, and what is chosen at its end   |
    | [wealth], [refuted]        | betting/wealth.py: [Wealth.add]                                     |
    | [bound_of_pair]            | betting/wealth.py: [Wealth.bound]                                   |
    | [reported]                 | result.py: [AuditResult.bound]; the error of a pair: settings.py    |

    What [Competition] decides is any function of earlier calls.  That is all that the proof needs, so nothing
    about partitions, fits and accounts is modelled.  Blocks are not modelled either: stakes that were fixed
    before a block are a function of the calls before each of its calls. *)

From Coq Require Import Reals Lra Psatz List Lia Arith.
From Privboost Require Import Sums Expectation Betting Ville.
Import ListNotations.
Local Open Scope R_scope.

(** ** The columns of the capital *)

Inductive column :=
| OnEvents (f : R)                 (* a stake on the guessed cells *)
| ByGrades (share : R)             (* a share of graded stakes *)
| InEither (f share : R).          (* the way that has won more so far *)

Definition stakes_on_events : list R :=
  [1/20; 2/20; 3/20; 4/20; 5/20; 6/20; 7/20; 8/20; 9/20; 10/20;
   11/20; 12/20; 13/20; 14/20; 15/20; 16/20; 17/20; 18/20; 19/20; 20/20;
   1/40; 1/80; 1/160; 20/20].
Definition shares : list R := [1; 9/10; 8/10; 7/10; 6/10; 4/10].
Definition shares_repeated : list R := flat_map (fun s => [s; s; s; s]) shares.

(** A stake that is computed with rounding is treated as one that is smaller by this factor ([Rounding]). *)
Definition kept : R := 1 - 1 / 281474976710656.

(** The parts of the capital: the first for claims without delta, unless the outputs have many noisy numbers. *)
Definition parts (pure : bool) : R * R * R := if pure then (1/2, 1/10, 4/10) else (2/10, 5/10, 3/10).
Definition by_claim : R := 2/10.

Definition columns (pure : bool) : list (R * column) :=
  let '(events, grades, either) := parts pure in
  map (fun f => (events / 24, OnEvents (kept * f))) stakes_on_events ++
  map (fun s => (grades / 6, ByGrades (kept * s))) shares ++
  map (fun fs => (either / 24, InEither (kept * fst fs) (kept * snd fs))) (combine stakes_on_events shares_repeated).

Lemma columns_sum pure : lsum fst (columns pure) = 1.
Proof. destruct pure; unfold columns, parts, stakes_on_events, shares_repeated, shares; cbn; lra. Qed.

Definition proper (c : R * column) : Prop :=
  0 <= fst c /\ match snd c with
  | OnEvents f => 0 <= f <= 1
  | ByGrades s => 0 <= s <= 1
  | InEither f s => 0 <= f <= 1 /\ 0 <= s <= 1
  end.

Lemma stakes_in : List.Forall (fun f => 0 <= f <= 1) stakes_on_events.
Proof. unfold stakes_on_events. repeat (apply Forall_cons; [lra|]). apply Forall_nil. Qed.
Lemma shares_in : List.Forall (fun s => 0 <= s <= 1) shares.
Proof. unfold shares. repeat (apply Forall_cons; [lra|]). apply Forall_nil. Qed.

Lemma columns_proper pure w c : In (w, c) (columns pure) -> proper (w, c).
Proof.
  assert (F := stakes_in). assert (S := shares_in). rewrite Forall_forall in F, S.
  assert (P : let '(events, grades, either) := parts pure in 0 <= events /\ 0 <= grades /\ 0 <= either)
    by (destruct pure; cbn; lra).
  unfold columns. destruct (parts pure) as [[events grades] either]. rewrite !in_app_iff, !in_map_iff.
  assert (K : forall x, 0 <= x <= 1 -> 0 <= kept * x <= 1) by (unfold kept; intros; lra).
  intros [(f & E & I)|[(s & E & I)|([f s] & E & I)]]; injection E as <- <-; split; cbn [fst snd]; try lra; auto.
  split; apply K; [apply F; now apply in_combine_l in I|]. apply in_combine_r in I.
  apply in_flat_map in I. destruct I as (s' & I & J). apply S. cbn in J. intuition (subst; auto).
Qed.

Section Audit.
Variable output : Type.

(** ** Calls *)

Record call := { pair : nat; drawn : side; result : output }.
Notation history := (list call).

(** What is fixed against a null before a call: for a bet on events, the point of the null, the cells of the
    outputs and the guess of each cell; for graded stakes, the point, the cells and their stakes; and which of
    the two has won more so far. *)
Record decision := {
  point : nat; cell : output -> nat; guesses : list guess;
  graded_point : nat; graded_cell : output -> nat; graded_stakes : list R;
  graded_leads : bool }.

(** *** The audit: what it is asked *)
Variable n_pairs : nat.
Hypothesis some_pair : (0 < n_pairs)%nat.
Variable alpha : R.                          (* 1 - confidence *)
Hypothesis alpha_in : 0 < alpha < 1.
Variable nulls : list R.                     (* the grid of parameters *)
Variable points : nat -> nat -> R * R.       (* epsilon and delta of a null's points, by their indices *)
Hypothesis points_in : forall null j, 0 <= fst (points null j) /\ 0 <= snd (points null j).
Variable claim : nat.                        (* the index of the claim in the grid *)

(** *** The audit: what it decides by itself, from earlier calls *)
Variable pure_after : nat -> history -> bool.             (* which parts, by pair and the calls of its first block *)
Variable strategy : history -> nat -> nat -> decision.    (* by pair and null *)
Variable next_pair : history -> nat.
Variable looks : history -> bool.            (* whether wealth is compared with its limit here *)

(** *** The mechanism: the law of the output of a call on either side of a pair, given the past *)
Variable answers : history -> nat -> side -> expectation output.

(** A fair coin picks the side. *)
Definition next_mean (h : history) (g : call -> R) : R :=
  let k := next_pair h in
  call_mean (answers h k OnLeft) (answers h k OnRight) (fun s x => g {| pair := k; drawn := s; result := x |}).

Lemma slice_bound (g : call -> R) k s : has_bound g -> has_bound (fun x => g {| pair := k; drawn := s; result := x |}).
Proof. intros [b B]. exists b. intros x. apply B. Qed.

Definition next_law (h : history) : expectation call.
Proof.
  refine {| mean := next_mean h |}; unfold next_mean, call_mean.
  - intros f g F G H.
    assert (forall (E : expectation output) s, mean E (fun x => f {| pair := next_pair h; drawn := s; result := x |}) <=
      mean E (fun x => g {| pair := next_pair h; drawn := s; result := x |})) as M
      by (intros E s; apply mean_le; auto using slice_bound).
    assert (M1 := M (answers h (next_pair h) OnLeft) OnLeft). assert (M2 := M (answers h (next_pair h) OnRight) OnRight). lra.
  - intros f g F G. rewrite !mean_plus by now apply slice_bound. lra.
  - intros c f F. rewrite !mean_scal by now apply slice_bound. lra.
  - rewrite !mean_one. lra.
Defined.

(** ** Wealth *)

Definition column_factor (d : decision) (null : nat) (c : column) (s : side) (x : output) : R :=
  let '(eps, delta) := points null (point d) in
  let '(eps', delta') := points null (graded_point d) in
  let on_events f := event_factor (exp eps) delta f (guesses d) s (cell d x) in
  let by_grades share := graded_factor (exp eps') delta' share (graded_stakes d) s (graded_cell d x) in
  match c with
  | OnEvents f => on_events f
  | ByGrades share => by_grades share
  | InEither f share => if graded_leads d then by_grades share else on_events f
  end.

(** The first calls of a pair are for learning only: nothing is staked on them. *)
Definition first_block : nat := 16.
Fixpoint calls_of (k : nat) (h : history) : nat :=
  match h with [] => 0 | o :: h' => (if Nat.eqb (pair o) k then 1 else 0) + calls_of k h' end.
Definition learning (k : nat) (h : history) : bool := Nat.ltb (calls_of k h) first_block.

(** A column against [null] of pair [k] that follows the decisions made against the null [followed]. *)
Definition column_wealth (k null followed : nat) (c : column) : history -> R :=
  product (fun h o => if andb (Nat.eqb (pair o) k) (negb (learning k h))
    then column_factor (strategy h k followed) null c (drawn o) (result o) else 1).

(** How the capital is divided is decided once, at the end of learning, by the calls until then. *)
Fixpoint end_of_learning (k : nat) (h : history) : history :=
  match h with [] => [] | _ :: h' => if learning k h' then h else end_of_learning k h' end.
Definition pure (k : nat) (h : history) : bool := pure_after k (end_of_learning k h).

Definition capital_in (parts_are_pure : bool) (k null followed : nat) (h : history) : R :=
  lsum (fun wc => fst wc * column_wealth k null followed (snd wc) h) (columns parts_are_pure).
Definition capital (k null followed : nat) (h : history) : R := capital_in (pure k h) k null followed h.

(** Against a null below the claim a part of the capital follows the decisions made against the claim. *)
Definition wealth (k null : nat) (h : history) : R :=
  if Nat.ltb null claim then (1 - by_claim) * capital k null null h + by_claim * capital k null claim h
  else capital k null null h.

(** ** The report *)

(** The code computes the logarithm of wealth in binary64 and adds a margin to its limit; see [Rounding]. *)
Definition error_of_a_pair : R := alpha / INR n_pairs.
Definition rounding (calls : nat) : R := Rmax (1 / 1000000) (INR calls * (1 / 10000000000000)).
Definition limit (k : nat) (h : history) : R := - ln error_of_a_pair + rounding (calls_of k h).
Variable log_wealth : nat -> nat -> history -> R.
Hypothesis rounding_small : forall k null h, looks h = true ->
  0 <= log_wealth k null h -> exp (log_wealth k null h - rounding (calls_of k h)) <= wealth k null h.

Definition refuted_now (k null : nat) (h : history) : bool :=
  andb (looks h) (if Rle_dec (limit k h) (log_wealth k null h) then true else false).
Fixpoint refuted (k null : nat) (h : history) : bool :=
  orb (refuted_now k null h) (match h with [] => false | _ :: h' => refuted k null h' end).

(** The greatest null up to which all are refuted; 0 if the first one is not. *)
Fixpoint last_refuted (is_refuted : nat -> bool) (i : nat) (best : R) (grid : list R) : R :=
  match grid with
  | [] => best
  | null :: grid' => if is_refuted i then last_refuted is_refuted (S i) null grid' else best
  end.
Definition bound_of_pair (k : nat) (h : history) : R := last_refuted (fun null => refuted k null h) 0 0 nulls.
Definition reported (h : history) : R := greatest (map (fun k => bound_of_pair k h) (seq 0 n_pairs)).

(** ** The truth

    A null is true if the mechanism keeps all its points, on every pair and whatever happened before. *)
Definition is_true (null : nat) : Prop :=
  forall j h k, (k < n_pairs)%nat ->
  private (fst (points null j)) (snd (points null j)) (answers h k OnLeft) (answers h k OnRight).

Variable truth : R.
Hypothesis truth_nonneg : 0 <= truth.
Hypothesis nulls_above_are_true : forall i, (i < length nulls)%nat -> truth <= nth i nulls 0 -> is_true i.

(** ** Wealth against a true null is a supermartingale *)

Lemma column_factor_between d null c w s x : proper (w, c) -> 0 <= column_factor d null c s x <= 2.
Proof.
  intros [_ P]. unfold column_factor.
  destruct (points null (point d)) as [e dl] eqn:E1. destruct (points null (graded_point d)) as [e' dl'] eqn:E2.
  assert (H1 := points_in null (point d)). assert (H2 := points_in null (graded_point d)). rewrite E1 in H1. rewrite E2 in H2.
  cbn in *. assert (1 <= exp e) by (rewrite <- exp_0; apply exp_le; lra).
  assert (1 <= exp e') by (rewrite <- exp_0; apply exp_le; lra).
  destruct c; [apply event_factor_between | apply graded_factor_between | destruct (graded_leads d);
    [apply graded_factor_between | apply event_factor_between]]; tauto.
Qed.

Lemma mean_column_factor null w c h k d : is_true null -> (k < n_pairs)%nat -> proper (w, c) ->
  call_mean (answers h k OnLeft) (answers h k OnRight) (column_factor d null c) <= 1.
Proof.
  intros T K [_ P]. unfold column_factor.
  assert (D1 := T (point d) h k K). assert (D2 := T (graded_point d) h k K).
  assert (H1 := points_in null (point d)). assert (H2 := points_in null (graded_point d)).
  destruct (points null (point d)) as [e dl]. destruct (points null (graded_point d)) as [e' dl']. cbn in *.
  destruct c; [| | destruct (graded_leads d)];
    ((apply mean_event_factor; tauto) || (apply mean_graded_factor; tauto)).
Qed.

Lemma column_wealth_supermartingale k null followed w c : is_true null -> (k < n_pairs)%nat -> proper (w, c) ->
  supermartingale next_law (column_wealth k null followed c).
Proof.
  intros T K P. apply supermartingale_product with 2.
  - intros h o. destruct (andb _ _); [now apply column_factor_between with w | lra].
  - intros h. unfold next_law, next_mean, call_mean. cbn [mean pair drawn result].
    destruct (learning k h), (Nat.eqb_spec (next_pair h) k) as [E|E]; cbn [andb negb]; rewrite ?mean_const; try lra.
    subst k. now apply (mean_column_factor null w).
Qed.

Lemma capital_in_supermartingale p k null followed : is_true null -> (k < n_pairs)%nat ->
  supermartingale next_law (capital_in p k null followed).
Proof.
  intros T K. apply supermartingale_lsum. intros [w c] I.
  assert (F := columns_proper p w c I).
  apply supermartingale_scal; [apply F | now apply column_wealth_supermartingale with w].
Qed.

(** While a pair is learning, and at the end of it, its capital is 1, however it is divided. *)
Lemma learning_before k o h : learning k (o :: h) = true -> learning k h = true.
Proof. unfold learning. rewrite !Nat.ltb_lt. cbn [calls_of]. lia. Qed.

Definition before (h : history) : history := match h with [] => [] | _ :: h' => h' end.

Lemma column_wealth_learning k null followed c h : learning k (before h) = true -> column_wealth k null followed c h = 1.
Proof.
  unfold column_wealth. induction h as [|o h IH]; intros L; [reflexivity|].
  cbn [before product] in *. rewrite L, Bool.andb_false_r, IH; [ring|].
  destruct h as [|o' h]; [exact L | now apply learning_before with o'].
Qed.

Lemma capital_learning k null followed h : learning k (before h) = true -> capital k null followed h = 1.
Proof.
  intros L. unfold capital, capital_in. rewrite <- (columns_sum (pure k h)). apply lsum_ext. intros [w c] _.
  cbn [fst snd]. rewrite column_wealth_learning by auto. ring.
Qed.

(** After that the division does not change any more. *)
Lemma capital_supermartingale k null followed : is_true null -> (k < n_pairs)%nat ->
  supermartingale next_law (capital k null followed).
Proof.
  intros T K h. destruct (learning k h) eqn:L.
  - assert (N : forall o, capital k null followed (o :: h) = 1) by (intros o; now apply capital_learning).
    assert (B : has_bound (fun o => capital k null followed (o :: h)))
      by (apply (has_bound_ext (fun _ => 1)); auto using has_bound_const).
    assert (M : capital k null followed h = 1).
    { apply capital_learning. destruct h as [|o h]; [exact L | now apply learning_before with o]. }
    rewrite M. repeat split; auto; [lra|]. rewrite (mean_ext _ _ (fun _ => 1)), mean_const; auto. lra.
  - assert (P : forall o, pure k (o :: h) = pure k h) by (intros o; unfold pure; cbn [end_of_learning]; now rewrite L).
    destruct (capital_in_supermartingale (pure k h) k null followed T K h) as (N & B & M).
    unfold capital. repeat split; auto.
    + apply (has_bound_ext (fun o => capital_in (pure k h) k null followed (o :: h))); auto. intros o. now rewrite P.
    + rewrite (mean_ext _ _ (fun o => capital_in (pure k h) k null followed (o :: h))); auto.
      * apply (has_bound_ext (fun o => capital_in (pure k h) k null followed (o :: h))); auto. intros o. now rewrite P.
      * intros o. now rewrite P.
Qed.

Lemma wealth_supermartingale k null : is_true null -> (k < n_pairs)%nat -> supermartingale next_law (wealth k null).
Proof.
  intros T K. unfold wealth, by_claim. destruct (Nat.ltb null claim); [|now apply capital_supermartingale].
  apply supermartingale_plus; apply supermartingale_scal; try lra; now apply capital_supermartingale.
Qed.

Lemma capital_start k null followed : capital k null followed [] = 1.
Proof. now apply capital_learning. Qed.

Lemma wealth_start k null : wealth k null [] = 1.
Proof. unfold wealth. rewrite !capital_start. destruct Nat.ltb; ring. Qed.

(** ** Several pairs: the mean of their wealths is a supermartingale too.  It reaches [1 / alpha] as soon as
    one of them reaches [n_pairs / alpha]; this is the union bound. *)
Definition mean_wealth (null : nat) (h : history) : R := / INR n_pairs * lsum (fun k => wealth k null h) (seq 0 n_pairs).

Lemma n_pairs_pos : 0 < INR n_pairs.
Proof. now apply lt_0_INR. Qed.

Lemma mean_wealth_supermartingale null : is_true null -> supermartingale next_law (mean_wealth null).
Proof.
  intros T. apply supermartingale_scal; [apply Rlt_le, Rinv_0_lt_compat, n_pairs_pos|].
  apply supermartingale_lsum. intros k K. apply in_seq in K. apply wealth_supermartingale; auto. lia.
Qed.

Lemma mean_wealth_start null : mean_wealth null [] = 1.
Proof.
  unfold mean_wealth. rewrite (lsum_ext _ (fun _ => 1)) by (intros; apply wealth_start).
  assert (L : forall s n, lsum (fun _ : nat => 1) (seq s n) = INR n).
  { intros s n; revert s; induction n as [|n IH]; intros s; [reflexivity|]. cbn [seq lsum]. rewrite IH, S_INR. ring. }
  rewrite L. assert (P := n_pairs_pos). field. lra.
Qed.

Lemma refuted_now_wealth k null h : refuted_now k null h = true -> / error_of_a_pair <= wealth k null h.
Proof.
  unfold refuted_now. intros H. apply Bool.andb_true_iff in H. destruct H as [S H].
  destruct (Rle_dec (limit k h) (log_wealth k null h)) as [L|]; [|discriminate]. unfold limit in L.
  assert (P := n_pairs_pos). assert (1 <= INR n_pairs) by (apply (le_INR 1); lia).
  assert (E : 0 < error_of_a_pair) by (apply Rdiv_lt_0_compat; lra).
  assert (E1 : error_of_a_pair <= 1).
  { apply Rmult_le_reg_r with (INR n_pairs); auto. unfold error_of_a_pair. field_simplify; lra. }
  assert (N : ln error_of_a_pair <= 0) by (rewrite <- ln_1; destruct E1 as [E1|E1]; [left; now apply ln_increasing | rewrite E1; lra]).
  assert (M : 1 / 1000000 <= rounding (calls_of k h)) by apply Rmax_l.
  apply Rle_trans with (2 := rounding_small k null h S ltac:(lra)).
  rewrite <- (exp_ln (/ error_of_a_pair)) by now apply Rinv_0_lt_compat.
  rewrite ln_Rinv by auto. apply exp_le. lra.
Qed.

(** One pair alone lifts the mean over pairs to [1 / alpha]. *)
Lemma refuted_now_mean k null h : (k < n_pairs)%nat -> is_true null -> refuted_now k null h = true ->
  / alpha <= mean_wealth null h.
Proof.
  intros K T H. apply refuted_now_wealth in H. assert (P := n_pairs_pos).
  assert (M : wealth k null h <= lsum (fun k => wealth k null h) (seq 0 n_pairs)).
  { replace (wealth k null h) with (lsum (fun k => wealth k null h) [k]) by (cbn; ring).
    rewrite !(lsum_ext (fun k => wealth k null h) (fun k => if Nat.ltb k n_pairs then wealth k null h else 0)).
    - apply lsum_incl.
      + intros j. destruct (Nat.ltb_spec j n_pairs); [|lra]. now apply wealth_supermartingale.
      + repeat constructor. simpl; auto.
      + intros j [<-|[]]. apply in_seq. lia.
    - intros j J. apply in_seq in J. destruct (Nat.ltb_spec j n_pairs); [auto | lia].
    - intros j [<-|[]]. destruct (Nat.ltb_spec k n_pairs); [auto | lia]. }
  unfold mean_wealth. apply Rmult_le_reg_l with (INR n_pairs); auto.
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  replace (INR n_pairs * / alpha) with (/ error_of_a_pair) by (unfold error_of_a_pair; field; lra). lra.
Qed.

Lemma refuted_so_far k null h : (k < n_pairs)%nat -> is_true null -> refuted k null h = true ->
  so_far (fun h => / alpha <= mean_wealth null h) h.
Proof.
  intros K T. induction h as [|o h IH]; cbn [refuted]; intros H; apply Bool.orb_true_iff in H; destruct H as [H|H].
  - apply so_far_now. now apply refuted_now_mean with k.
  - discriminate.
  - apply so_far_now. now apply refuted_now_mean with k.
  - destruct (IH H) as (later & earlier & -> & Q). now exists (o :: later), earlier.
Qed.

(** ** Nested nulls: a bound above the truth means that one fixed true null is refuted *)

Lemma last_refuted_above is_refuted grid : forall i best, best <= truth -> truth < last_refuted is_refuted i best grid ->
  exists j, (j < length grid)%nat /\ truth <= nth j grid 0 /\ (forall j', (j' < j)%nat -> nth j' grid 0 < truth) /\ is_refuted (i + j)%nat = true.
Proof.
  induction grid as [|null grid IH]; intros i best B H; cbn in H; [lra|].
  destruct (is_refuted i) eqn:E; [|lra].
  destruct (Rle_lt_dec truth null) as [N|N].
  - exists O. rewrite Nat.add_0_r. repeat split; auto; [cbn; lia | intros j' J; lia].
  - destruct (IH (S i) null) as (j & J & T & F & Q); auto; [lra|]. exists (S j). repeat split.
    + cbn; lia.
    + exact T.
    + intros [|j'] J'; cbn; [auto | apply F; lia].
    + now rewrite <- plus_n_Sm.
Qed.

(** The first null of the grid that is not below the truth; it does not depend on the run. *)
Fixpoint first_true (grid : list R) : nat :=
  match grid with [] => O | null :: grid' => if Rle_lt_dec truth null then O else S (first_true grid') end.

Lemma first_true_is grid j : (j < length grid)%nat -> truth <= nth j grid 0 ->
  (forall j', (j' < j)%nat -> nth j' grid 0 < truth) -> first_true grid = j.
Proof.
  revert j; induction grid as [|null grid IH]; intros j J T F; cbn in *; [lia|].
  destruct (Rle_lt_dec truth null) as [N|N], j as [|j]; auto; try lra.
  - specialize (F O ltac:(lia)). cbn in F. lra.
  - f_equal. apply IH; auto; [lia|]. intros j' J'. apply (F (S j')). lia.
Qed.

Lemma greatest_above (l : list R) : 0 <= truth -> truth < greatest l -> exists x, In x l /\ truth < x.
Proof.
  induction l as [|x l IH]; cbn; intros T H; [lra|].
  destruct (Rlt_dec truth x) as [X|X]; [exists x; auto|].
  destruct IH as (y & Y & Q); auto.
  - revert H. apply Rmax_case_strong; intros; lra.
  - exists y; auto.
Qed.

Lemma reported_so_far h : truth < reported h -> so_far (fun h => / alpha <= mean_wealth (first_true nulls) h) h.
Proof.
  intros H. apply greatest_above in H; auto. destruct H as (x & X & H). apply in_map_iff in X. destruct X as (k & <- & K).
  apply in_seq in K. apply last_refuted_above in H; auto. destruct H as (j & J & T & F & Q). cbn in Q.
  rewrite (first_true_is nulls j) by auto. apply refuted_so_far with k; auto. lia.
Qed.

(** ** The theorem *)

Lemma overstated_within n : within next_law (fun h => truth < reported h) n [] <= alpha.
Proof.
  destruct (Nat.lt_ge_cases (first_true nulls) (length nulls)) as [L|L].
  - destruct (Rle_lt_dec truth (nth (first_true nulls) nulls 0)) as [T|T].
    + apply ville_so_far with (mean_wealth (first_true nulls)); try lra.
      * apply mean_wealth_supermartingale. now apply nulls_above_are_true.
      * rewrite mean_wealth_start. lra.
      * apply reported_so_far.
    + exfalso. revert L T. generalize nulls as grid. induction grid as [|null grid IH]; cbn; intros L T; [lia|].
      destruct (Rle_lt_dec truth null); cbn in T; [lra|]. apply IH; auto. lia.
  - apply Rle_trans with 0; [|lra].
    assert (Never : forall h, ~ truth < reported h).
    { intros h H. apply greatest_above in H; auto. destruct H as (x & X & H).
      apply in_map_iff in X. destruct X as (k & <- & K). apply last_refuted_above in H; auto.
      destruct H as (j & J & T & F & _). rewrite (first_true_is nulls j) in L by auto. lia. }
    generalize (@nil call). induction n as [|n IH]; intros h; cbn [within];
      (destruct (decide (truth < reported h)) as [H|H]; [now apply Never in H|]); [lra|].
    rewrite <- (mean_const (next_law h) 0). apply mean_le; auto using within_bound, has_bound_const.
Qed.

Theorem reported_bound_holds : ever next_law (fun h => truth < reported h) <= alpha.
Proof. apply ever_le. apply overstated_within. Qed.

(** Also when the audit is stopped by any rule and its last bound is read. *)
Theorem reported_bound_holds_at_stop stop n : at_stop next_law stop (fun h => truth < reported h) n [] <= alpha.
Proof. eapply Rle_trans; [apply at_stop_within | apply overstated_within]. Qed.
End Audit.
