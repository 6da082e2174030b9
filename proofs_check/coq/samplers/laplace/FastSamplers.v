(** * The samplers of fast as programs that a machine can run

    All numbers are whole, and every bit that fast draws is read in the same order.

    | here            | Python                                                                |
    |-----------------|-----------------------------------------------------------------------|
    | [choose_below]  | fast/bits.py, [uniform_below]                                         |
    | [toss_part]     | fast/bits.py, [_signed_geometric] and [plan_of]: all coins of a part  |
    | [next_part]     | fast/bits.py, [geometric] of the digits that are left                 |
    | [fast_laplace]  | fast/bits.py, [discrete_laplace]                                      | *)
From Coq Require Import Reals Lra Psatz List ZArith Lia FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Product Programs Coins UniformSamplers Laplace Geometric LaplaceSamplers Enclosures Together.
Import ListNotations.

(** ** The programs *)
Definition SPARE : nat := 72.

Definition choose_below (count : nat) : prog nat :=
  uniform_below count (SPARE + Nat.max SPARE (bit_length (Z.of_nat count))).

(** Scales are numerator / denominator. *)
Definition n_digits (num den : Z) : nat := bit_length (3 * Z.of_nat SPARE * num / (4 * den)).
Definition first_width (digits : nat) : nat := (digits + SPARE + 7) / 8 * 8.

(** The digits, a negative sign, and more digits. *)
Definition toss_part (num den : Z) : prog (list bool) :=
  let digits := n_digits num den in
  toss_together (enclose_chances num den digits) (first_width digits) (digits + 2).

(** Add the digits of the weights w, 2 w, 4 w, ... to a sum. *)
Fixpoint read_digits (digits w sum : nat) (tossed : list bool) : nat * nat * list bool :=
  match digits, tossed with
  | S digits', b :: tossed' => read_digits digits' (2 * w) (sum + w * digit b) tossed'
  | _, _ => (w, sum, tossed)
  end.

(** The state is the weight of the next digit and the sum so far. *)
Definition next_part (num den : Z) (s : nat * nat) : prog ((nat * nat) + nat) :=
  let den' := (den * Z.of_nat (fst s))%Z in
  Bind (toss_part num den') (fun tossed =>
  let '(w, sum, last_two) := read_digits (n_digits num den') (fst s) (snd s) tossed in
  Ret (match last_two with [_; true] => inl (w, sum + w)%nat | _ => inr sum end)).

Definition fast_laplace (num den : Z) : prog Z :=
  Bind (toss_part num den) (fun tossed =>
  let '(w, sum, last_two) := read_digits (n_digits num den) 1 0 tossed in
  let negative := nth 0 last_two false in
  let more := nth 1 last_two false in
  Bind (if more then Loop (next_part num den) (w, sum + w)%nat else Ret sum) (fun k =>
  Ret (if negative then (-1 - Z.of_nat k)%Z else Z.of_nat k))).

Local Open Scope R_scope.

Theorem choose_below_law count : (0 < count)%nat -> law_of (choose_below count) = uniform count.
Proof.
  intros C. apply uniform_below_law; auto. set (n := bit_length (Z.of_nat count)).
  assert (B := bit_length_above (Z.of_nat count)). fold n in B. unfold two_to in B.
  assert (P : (2 ^ n <= 2 ^ (SPARE + Nat.max SPARE n))%nat) by (apply Nat.pow_le_mono_r; lia).
  apply Nat.le_trans with (2 ^ n)%nat; auto. apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow. simpl (Z.of_nat 2). lia.
Qed.

(** ** Loops whose bodies have the same laws *)
Lemma loop_turns {S A} (body : S -> prog (S + A)) s y : Un_cv (fun m => turns (fun s => law_of (body s)) m s y) (law_of (Loop body s) y).
Proof.
  intros eps Eps. destruct (law_of_cv (Loop body s) y eps Eps) as [N H]. exists N. intros m M. specialize (H m M). unfold R_dist in *.
  assert (L := turns_le body m s y).
  assert (U : run m (Loop body s) y <= turns (fun s => law_of (body s)) m s y).
  { cbn [run]. apply turns_mono; auto using run_sub, law_of_sub. intros; apply run_le. }
  apply Rabs_def2 in H. apply Rabs_def1; lra.
Qed.

Lemma loop_same {S A} (body body' : S -> prog (S + A)) (good : S -> Prop) :
  (forall s, good s -> law_of (body s) = law_of (body' s)) ->
  (forall s s', good s -> law_of (body s) (inl s') <> 0 -> good s') ->
  forall s, good s -> law_of (Loop body s) = law_of (Loop body' s).
Proof.
  intros Same Inv s G. apply functional_extensionality. intros y.
  assert (T : forall m s, good s -> turns (fun s => law_of (body s)) m s = turns (fun s => law_of (body' s)) m s).
  { induction m as [|m IH]; intros t Gt; [reflexivity|]. cbn [turns]. apply functional_extensionality. intros z. rewrite <- Same by auto.
    apply bind_ext; auto. intros [u|a] N; cbn [continue]; auto. rewrite IH; auto. now apply (Inv t). }
  apply UL_sequence with (fun m => turns (fun s => law_of (body s)) m s y); [apply loop_turns|].
  intros eps Eps. destruct (loop_turns body' s y eps Eps) as [N H]. exists N. intros m M. rewrite T by auto. now apply H.
Qed.

Lemma loop_unfolds {S A} (body : S -> prog (S + A)) s y :
  law_of (Loop body s) y = bind (law_of (body s)) (continue (fun s => law_of (Loop body s))) y.
Proof.
  set (k := fun m => continue (turns (fun s => law_of (body s)) m)).
  assert (K : forall n r, sub_law (k n r)) by (intros; apply continue_sub; intros; apply turns_sub; intros; apply law_of_sub).
  assert (G : forall r, growing (fun n => k n r)).
  { intros [s'|a] n x; unfold k; cbn [continue]; [|lra]. apply turns_mono; auto using law_of_sub. intros; lra. }
  assert (L := bind_limit (fun _ => law_of (body s)) k y (fun _ => law_of_sub _) (fun _ _ => Rle_refl _) K G).
  assert (E : bind (limit (fun _ : nat => law_of (body s))) (fun x => limit (fun n => k n x)) y =
    bind (law_of (body s)) (continue (fun s => law_of (Loop body s))) y).
  { apply bind_ext.
    - intros r. apply UL_sequence with (fun _ => law_of (body s) r); [|apply constant_cv].
      exact (limit_cv (fun _ => law_of (body s)) 1 (fun _ => law_of_sub _) (fun _ _ => Rle_refl _) r).
    - intros r _. apply UL_sequence with (fun n => k n r y); [exact (limit_cv (fun n => k n r) 1 (fun n => K n r) (G r) y)|].
      destruct r as [s'|a]; unfold k; cbn [continue]; [apply loop_turns | apply constant_cv]. }
  rewrite <- E. apply UL_sequence with (fun m => turns (fun s => law_of (body s)) (Datatypes.S m) s y); auto.
  intros eps Eps. destruct (loop_turns body s y eps Eps) as [N H]. exists N. intros m M. apply H. lia.
Qed.

(** ** Independent draws in any order *)
Lemma bind_swap {A B C} (p : A -> R) (q : B -> R) (k : A -> B -> C -> R) z : sub_law p -> sub_law q -> (forall x y, sub_law (k x y)) ->
  bind p (fun x => bind q (fun y => k x y)) z = bind q (fun y => bind p (fun x => k x y)) z.
Proof.
  intros P Q K. unfold bind.
  transitivity (total (fun x => total (fun y => p x * (q y * k x y z)))).
  { apply total_ext. intros x. rewrite (total_scal (p x) 1); [reflexivity | apply P|].
    apply (column_bounded q (fun y => k x y) z); auto. }
  rewrite (tonelli_swap (fun x y => p x * (q y * k x y z)) 1).
  - apply total_ext. intros y. rewrite <- (total_scal (q y) 1).
    + apply total_ext. intros x. ring.
    + apply Q.
    + apply (column_bounded p (fun x => k x y) z); auto.
  - apply bounded_le with (joint p (fun _ => q)); [|now apply joint_sub]. intros [x y]. unfold joint; cbn [fst snd].
    assert (a := proj1 P x). assert (b := proj1 Q y). assert (c := proj1 (K x y) z).
    assert (d : k x y z <= 1) by (rewrite <- (prob_point (k x y) z) by auto; now apply prob_in).
    assert (0 <= q y * k x y z <= q y) by nra. nra.
Qed.

Lemma bind_product {A C} (p : A -> R) ps (k : list A -> C -> R) : law p -> (forall q, In q ps -> law q) -> (forall xs, sub_law (k xs)) ->
  bind (product (p :: ps)) k = bind p (fun x => bind (product ps) (fun xs => k (x :: xs))).
Proof.
  intros P Ps K. assert (Pr : law (product ps)) by now apply product_law.
  assert (E : product (p :: ps) = bind p (fun x => bind (product ps) (fun xs => ret (x :: xs)))).
  { apply functional_extensionality. intros [|z zs].
    - cbn [product]. symmetry. unfold bind. apply total_zero. intros x. rewrite total_zero; [ring|]. intros xs. unfold ret.
      destruct (decide (x :: xs = [])); [discriminate | ring].
    - cbn [product]. rewrite (bind_scaled p ret _ (product ps zs) z).
      + rewrite bind_ret_right by now apply law_sub. ring.
      + now apply law_sub.
      + intros; apply ret_sub.
      + now apply law_sub.
      + intros x. rewrite (bind_scaled (product ps) ret _ (ret x z) zs).
        * rewrite bind_ret_right by now apply law_sub. ring.
        * now apply law_sub.
        * intros; apply ret_sub.
        * apply ret_sub.
        * intros xs. unfold ret. destruct (decide (x :: xs = z :: zs)), (decide (x = z)), (decide (xs = zs)); try congruence; ring. }
  rewrite E. apply functional_extensionality. intros y. rewrite bind_assoc; auto; try (now apply law_sub).
  - apply bind_ext; auto. intros x _. rewrite bind_assoc; auto; try (now apply law_sub); [|intros; apply ret_sub].
    apply bind_ext; auto. intros xs _. now rewrite bind_ret'.
  - intros x. apply bind_sub; [now apply law_sub | intros; apply ret_sub].
Qed.

(** ** One part *)
Section Scale.
Variables num den : Z.
Hypothesis num_pos : (0 < num)%Z.
Hypothesis den_pos : (0 < den)%Z.
Let s := IZR num / IZR den.
Let x := ratio s.

Lemma scale_pos : 0 < s.
Proof. apply Rdiv_lt_0_compat; now apply IZR_lt. Qed.

Lemma x_unit : 0 < x < 1.
Proof. apply ratio_in, scale_pos. Qed.

Lemma exp_power a n : exp a ^ n = exp (INR n * a).
Proof.
  induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|]. cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

(** The ratio of the digits from the weight [w] on. *)
Lemma ratio_of_weight w : exp (- (IZR (den * Z.of_nat w) / IZR num)) = x ^ w.
Proof.
  assert (N := num_pos). assert (D := den_pos). apply IZR_lt in N, D.
  unfold x, ratio. rewrite exp_power. f_equal. unfold s. rewrite mult_IZR, <- INR_IZR_INZ. field. lra.
Qed.

Definition digit_chance_of (y : R) : R := y / (1 + y).
Definition chances_from (y : R) (n : nat) : list R := map (fun k => digit_chance_of (y ^ (2 ^ k))) (seq 0 n).

Lemma chances_from_S y n : chances_from y (S n) = digit_chance_of y :: chances_from (y * y) n.
Proof.
  unfold chances_from. cbn [seq map]. f_equal; [simpl; now rewrite Rmult_1_r|]. rewrite <- seq_shift, map_map. apply map_ext. intros k.
  f_equal. replace (y * y) with (y ^ 2) by ring. rewrite <- pow_mult. reflexivity.
Qed.

Lemma digit_chance_in y : 0 < y -> 0 <= digit_chance_of y <= 1.
Proof. intros Y. unfold digit_chance_of. split; [apply Rlt_le, Rdiv_lt_0_compat; lra | apply quotient_le; lra]. Qed.

Lemma chances_from_in y n : 0 < y -> Forall (fun p => 0 <= p <= 1) (chances_from y n).
Proof.
  intros Y. apply Forall_forall. intros p P. apply in_map_iff in P. destruct P as (k & <- & _). apply digit_chance_in. now apply pow_lt.
Qed.

Definition fitting (w : nat) : Prop := (0 < w)%nat /\ (den * Z.of_nat w <= num * two_to 64)%Z.

Theorem toss_part_law w : fitting w -> let n := n_digits num (den * Z.of_nat w) in
  law_of (toss_part num (den * Z.of_nat w)) =
  product (map coin (chances_from (x ^ w) n ++ [digit_chance_of (x ^ w); (x ^ w) ^ (2 ^ n)])).
Proof.
  intros [W F] n. assert (X := x_unit). assert (Y : 0 < x ^ w) by (apply pow_lt; lra).
  assert (Y1 : x ^ w <= 1) by (apply Rle_trans with (1 ^ w); [apply pow_incr; lra | rewrite pow1; lra]).
  set (den' := (den * Z.of_nat w)%Z) in *. assert (D' : (0 < den')%Z) by nia.
  assert (E : chances num den' n = chances_from (x ^ w) n ++ [digit_chance_of (x ^ w); (x ^ w) ^ (2 ^ n)]).
  { unfold chances, chances_from, digit_chance_of. unfold den'. now rewrite ratio_of_weight. }
  rewrite <- E. unfold toss_part. fold n.
  replace (n + 2)%nat with (length (chances num den' n)) by (unfold chances; rewrite app_length, map_length, seq_length; reflexivity).
  apply toss_together_law with (least := (n + SPARE)%nat).
  - rewrite E. apply Forall_app. split; [now apply chances_from_in|]. constructor; [now apply digit_chance_in|]. constructor; [|constructor].
    split; [apply pow_le; lra|]. apply Rle_trans with (1 ^ (2 ^ n)); [apply pow_incr; lra | rewrite pow1; lra].
  - intros width. now apply enclose_chances_right.
  - intros width Wd. assert (H := halvings_small num den' num_pos F). change SPARE with 72%nat in Wd. apply enclose_chances_narrow; auto; lia.
  - unfold first_width. assert (M := Nat.div_mod (n + SPARE + 7) 8 ltac:(lia)). assert (U := Nat.mod_upper_bound (n + SPARE + 7) 8 ltac:(lia)). lia.
Qed.

(** ** Digits that are tossed together, and one after the other *)
Definition toss (w : nat) : prog bool := bits_coin (digit_chance_of (x ^ w)).
Definition more (w : nat) : prog bool := bits_coin (x ^ w).
Definition digits_at (w : nat) : nat := n_digits num (den * Z.of_nat w).

Lemma weight_in w : 0 < x ^ w <= 1.
Proof.
  assert (X := x_unit). split; [apply pow_lt; lra|]. apply Rle_trans with (1 ^ w); [apply pow_incr; lra | rewrite pow1; lra].
Qed.

Lemma toss_law w : law_of (toss w) = coin (digit_chance_of (x ^ w)).
Proof. apply exact_coin_law, digit_chance_in, weight_in. Qed.

Lemma more_law w : law_of (more w) = coin (x ^ w).
Proof. apply exact_coin_law. assert (H := weight_in w). lra. Qed.

Lemma coins_laws ps : Forall (fun p => 0 <= p <= 1) ps -> forall q, In q (map coin ps) -> law q.
Proof. intros F q Q. apply in_map_iff in Q. destruct Q as (p & <- & P). rewrite Forall_forall in F. now apply coin_law, F. Qed.

Lemma read_digits_law {C} n ts (K : nat * nat * list bool -> C -> R) : (forall r, sub_law (K r)) -> Forall (fun p => 0 <= p <= 1) ts ->
  forall w sum, bind (product (map coin (chances_from (x ^ w) n ++ ts))) (fun tossed => K (read_digits n w sum tossed)) =
  bind (law_of (add_digits toss n w sum)) (fun s' => bind (product (map coin ts)) (fun last_two => K (fst s', snd s', last_two))).
Proof.
  intros HK Ts. induction n as [|n IH]; intros w sum.
  - cbn [add_digits chances_from seq map app]. rewrite bind_returned; [reflexivity|].
    intros. apply bind_sub; auto. now apply law_sub, product_law, coins_laws.
  - rewrite chances_from_S. cbn [map app add_digits]. assert (Y := weight_in w).
    assert (F : Forall (fun p => 0 <= p <= 1) (chances_from (x ^ w * x ^ w) n ++ ts)) by (apply Forall_app; split; auto; apply chances_from_in; nra).
    rewrite bind_product; auto; [|apply coin_law; apply digit_chance_in; lra | now apply coins_laws].
    rewrite bind_program by (intros; apply bind_sub; auto; now apply law_sub, product_law, coins_laws).
    rewrite toss_law. f_equal. apply functional_extensionality. intros b. rewrite <- IH. cbn [read_digits].
    replace (x ^ (2 * w)) with (x ^ w * x ^ w) by (rewrite <- pow_add; f_equal; lia). reflexivity.
Qed.

Lemma add_digits_end n : forall w sum y, law_of (add_digits toss n w sum) y <> 0 -> fst y = (2 ^ n * w)%nat.
Proof.
  induction n as [|n IH]; intros w sum y N; cbn [add_digits] in N.
  - rewrite law_of_ret' in N. unfold ret in N. destruct (decide ((w, sum) = y)) as [<-|]; [simpl; lia | congruence].
  - destruct (decide (fst y = 2 ^ S n * w)%nat) as [|D]; auto. exfalso. apply N. rewrite law_of_bind'. unfold bind. apply total_zero. intros b.
    destruct (decide (law_of (add_digits toss n (2 * w) (sum + w * digit b)) y = 0)) as [Z|Z]; [rewrite Z; ring|].
    exfalso. apply D. rewrite (IH _ _ _ Z). cbn [Nat.pow]. lia.
Qed.

Lemma left_coins w n : Forall (fun p => 0 <= p <= 1) [digit_chance_of (x ^ w); x ^ n].
Proof.
  assert (Y := weight_in w). assert (Z := weight_in n). constructor; [apply digit_chance_in; lra|]. constructor; [lra | constructor].
Qed.

(** A part draws the digits, the sign, and whether there are more. *)
Lemma part_in_turn {C} w sum (K : nat * nat * list bool -> C -> R) : (forall r, sub_law (K r)) -> fitting w ->
  bind (law_of (toss_part num (den * Z.of_nat w))) (fun tossed => K (read_digits (digits_at w) w sum tossed)) =
  bind (law_of (add_digits toss (digits_at w) w sum)) (fun s' =>
    bind (coin (digit_chance_of (x ^ w))) (fun b => bind (law_of (more (fst s'))) (fun m => K (fst s', snd s', [b; m])))).
Proof.
  intros HK F. rewrite toss_part_law by auto. fold (digits_at w). set (n := digits_at w).
  replace ((x ^ w) ^ (2 ^ n)) with (x ^ (2 ^ n * w)) by (rewrite <- pow_mult; f_equal; lia).
  assert (Lc := left_coins w (2 ^ n * w)). rewrite read_digits_law by auto.
  apply functional_extensionality. intros y. apply bind_ext; auto. intros s' N. apply add_digits_end in N. rewrite N.
  rewrite more_law. inversion Lc as [|? ? L1 L2]; subst. inversion L2 as [|? ? L3 L4]; subst.
  cbn [map]. rewrite bind_product; auto; [|now apply coin_law | apply (coins_laws [x ^ (2 ^ n * w)]); auto].
  apply bind_ext; auto. intros b _. rewrite bind_product; auto; [|now apply coin_law | intros q []].
  apply bind_ext; auto. intros m _. replace (product []) with (@ret (list bool) []).
  - now rewrite bind_ret'.
  - apply functional_extensionality. intros [|z zs]; unfold ret; cbn; destruct decide; congruence.
Qed.

Lemma next_part_law st : fitting (fst st) -> law_of (next_part num den st) = law_of (draw_part digits_at toss more st).
Proof.
  intros F. destruct st as [w sum]; cbn [fst] in F. unfold next_part, draw_part; cbn [fst snd]. rewrite !law_of_bind'.
  set (K := fun r : nat * nat * list bool => let '(w, sum, last_two) := r in
    @ret ((nat * nat) + nat) (match last_two with [_; true] => inl (w, sum + w)%nat | _ => inr sum end)).
  assert (HK : forall r, sub_law (K r)) by (intros [[a b] c]; apply ret_sub).
  transitivity (bind (law_of (toss_part num (den * Z.of_nat w))) (fun tossed => K (read_digits (digits_at w) w sum tossed))).
  - f_equal. apply functional_extensionality. intros tossed. unfold digits_at. destruct (read_digits _ w sum tossed) as [[a b] c]. apply law_of_ret'.
  - rewrite part_in_turn by auto. f_equal. apply functional_extensionality. intros s'. apply functional_extensionality. intros y.
    rewrite law_of_bind'.
    transitivity (bind (coin (digit_chance_of (x ^ w))) (fun _ => bind (law_of (more (fst s'))) (fun m =>
      law_of (Ret (if m then inl (fst s', (snd s' + fst s')%nat) else inr (snd s'))))) y).
    + apply bind_ext; auto. intros b _. apply bind_ext; auto. intros m _. rewrite law_of_ret'. unfold K. now destruct m.
    + apply bind_constant; [apply coin_law, digit_chance_in, weight_in | apply bind_sub; auto using law_of_sub].
Qed.

Lemma fitting_next w : fitting w -> fitting (2 ^ digits_at w * w).
Proof.
  intros [W F]. split; [assert (2 ^ digits_at w <> 0)%nat by (apply Nat.pow_nonzero; lia); nia|].
  rewrite Nat2Z.inj_mul, Nat2Z.inj_pow. change (Z.of_nat 2) with 2%Z. unfold digits_at, n_digits, bit_length.
  set (den' := (den * Z.of_nat w)%Z) in *. assert (D' : (0 < den')%Z) by nia.
  destruct (Z.leb_spec (3 * Z.of_nat SPARE * num / (4 * den')) 0) as [L|L].
  - change (Z.of_nat 0) with 0%Z. rewrite Z.pow_0_r. lia.
  - set (z := (3 * Z.of_nat SPARE * num / (4 * den'))%Z) in *. assert (Lg := Z.log2_spec z L). assert (Ln := Z.log2_nonneg z).
    rewrite Z2Nat.id by lia. rewrite Z.pow_add_r by lia. change (2 ^ 1)%Z with 2%Z.
    assert (M := Z.mul_div_le (3 * Z.of_nat SPARE * num) (4 * den') ltac:(lia)). fold z in M. change (Z.of_nat SPARE) with 72%Z in M.
    change (two_to 64) with 18446744073709551616%Z. set (p := (2 ^ Z.log2 z)%Z) in *.
    assert (den' * p <= 54 * num)%Z by nia. unfold den' in *. nia.
Qed.

Lemma next_part_inv st st' : fitting (fst st) -> law_of (next_part num den st) (inl st') <> 0 -> fitting (fst st').
Proof.
  intros F N. destruct (decide (fitting (fst st'))) as [|D]; auto. exfalso. apply N. rewrite next_part_law by auto. unfold draw_part.
  rewrite law_of_bind'. unfold bind. apply total_zero. intros s'.
  destruct (decide (law_of (add_digits toss (digits_at (fst st)) (fst st) (snd st)) s' = 0)) as [Z|Z]; [rewrite Z; ring|].
  apply add_digits_end in Z. assert (F' := fitting_next _ F). rewrite <- Z in F'. rewrite law_of_bind'. unfold bind. rewrite total_zero; [ring|].
  intros m. rewrite law_of_ret'. unfold ret. destruct decide as [E|]; [|ring]. destruct m; [|discriminate]. injection E as <-. cbn [fst] in D. contradiction.
Qed.

(** ** The theorem: discrete Laplace noise *)
Hypothesis not_tiny : (den <= num * two_to 64)%Z.

Theorem fast_laplace_law : law_of (fast_laplace num den) = dlap s 0.
Proof.
  assert (X := x_unit). assert (F1 : fitting 1) by (split; [lia|]; change (Z.of_nat 1) with 1%Z; lia).
  set (negative := bits_coin (digit_chance_of x)). set (magnitude := geometric_in_parts digits_at toss more).
  assert (Ng : law_of negative = coin (x / (1 + x))) by (apply exact_coin_law; apply digit_chance_in; lra).
  assert (Mg : law_of magnitude = geometric x).
  { apply geometric_in_parts_law; auto; intros; [apply toss_law | apply more_law]. }
  rewrite <- (laplace_two_sided_law s scale_pos magnitude Mg negative Ng).
  set (f := fun (k : nat) (b : bool) => if b then (-1 - Z.of_nat k)%Z else Z.of_nat k).
  set (rest := fun s' (m : bool) => if m then law_of (Loop (draw_part digits_at toss more) (fst s', (snd s' + fst s')%nat)) else ret (snd s' : nat)).
  assert (Rs : forall s' m, sub_law (rest s' m)) by (intros s' []; [apply law_of_sub | apply ret_sub]).
  set (start := law_of (add_digits toss (digits_at 1) 1 0)). assert (St : sub_law start) by apply law_of_sub.
  assert (Cn : sub_law (coin (digit_chance_of x))) by (apply law_sub, coin_law, digit_chance_in; lra).
  assert (Two : law_of (laplace_two_sided magnitude negative) = bind start (fun s' => bind (law_of (more (fst s'))) (fun m =>
      bind (rest s' m) (fun k => bind (coin (digit_chance_of x)) (fun b => ret (f k b)))))).
  { assert (Fs : forall k, sub_law (bind (coin (digit_chance_of x)) (fun b => ret (f k b)))) by (intros; apply bind_sub; auto; intros; apply ret_sub).
    apply functional_extensionality. intros z. unfold laplace_two_sided. rewrite law_of_bind'.
    transitivity (bind (law_of magnitude) (fun k => bind (coin (digit_chance_of x)) (fun b => ret (f k b))) z).
    { apply bind_ext; auto. intros k _. rewrite law_of_bind', Ng. apply bind_ext; auto. intros b _. now rewrite law_of_ret'. }
    unfold magnitude, geometric_in_parts.
    transitivity (bind (bind (law_of (draw_part digits_at toss more (1, 0)%nat)) (continue (fun s => law_of (Loop (draw_part digits_at toss more) s))))
      (fun k => bind (coin (digit_chance_of x)) (fun b => ret (f k b))) z); [apply bind_ext; auto; intros; apply loop_unfolds|].
    assert (Cs : forall r, sub_law (continue (fun s => law_of (Loop (draw_part digits_at toss more) s)) r)) by (intros; apply continue_sub; intros; apply law_of_sub).
    unfold draw_part at 1. cbn [fst snd]. rewrite bind_program by auto. fold start.
    rewrite bind_assoc; auto.
    - apply bind_ext; auto. intros s' _. rewrite bind_program by auto. rewrite bind_assoc; auto using law_of_sub.
      + apply bind_ext; auto. intros m _. rewrite bind_returned by auto. now destruct m.
      + intros m. apply bind_sub; auto using law_of_sub.
    - intros s'. apply bind_sub; auto using law_of_sub. }
  rewrite Two.
  set (K := fun r : nat * nat * list bool => let '(w, sum, last_two) := r in
    bind (rest (w, sum) (nth 1 last_two false)) (fun k => @ret Z (f k (nth 0 last_two false)))).
  assert (HK : forall r, sub_law (K r)) by (intros [[a b] c]; apply bind_sub; auto; intros; apply ret_sub).
  assert (P1 : (den * Z.of_nat 1)%Z = den) by lia.
  unfold fast_laplace. rewrite law_of_bind'.
  transitivity (bind (law_of (toss_part num (den * Z.of_nat 1))) (fun tossed => K (read_digits (digits_at 1) 1 0 tossed))).
  - rewrite P1. unfold digits_at at 1. rewrite P1. apply functional_extensionality. intros z. apply bind_ext; auto. intros tossed _.
    destruct (read_digits _ 1 0 tossed) as [[w sum] last_two] eqn:Rd. unfold K. rewrite law_of_bind'.
    assert (Fw : nth 1 last_two false = true -> fitting w).
    { intros Nl. assert (H : forall n v a bs, (let '(w, _, l) := read_digits n v a bs in nth 1 l false = true -> w = 2 ^ n * v)%nat).
      { clear. induction n as [|n IH]; intros v a bs; cbn [read_digits]; [intros _; simpl; lia|]. destruct bs as [|b bs]; [discriminate|].
        specialize (IH (2 * v)%nat (a + v * digit b)%nat bs). destruct (read_digits n _ _ bs) as [[w' a'] l]. intros Hl. rewrite (IH Hl).
        cbn [Nat.pow]. lia. }
      specialize (H (n_digits num den) 1%nat 0%nat tossed). rewrite Rd in H. rewrite (H Nl).
      assert (Fn := fitting_next 1 F1). unfold digits_at in Fn. now rewrite P1 in Fn. }
    f_equal. 2:{ apply functional_extensionality. intros k. apply law_of_ret'. }
    destruct (nth 1 last_two false); unfold rest; cbn [fst snd]; [|apply law_of_ret'].
    apply loop_same with (good := fun st => fitting (fst st)); auto.
    + intros st G. now apply next_part_law.
    + intros st st' G. now apply next_part_inv.
  - rewrite part_in_turn by auto. fold start. rewrite pow_1. f_equal. apply functional_extensionality. intros s'.
    apply functional_extensionality. intros z. rewrite bind_swap; auto using law_of_sub.
    apply bind_ext; auto. intros m _. unfold K. cbn [nth]. destruct s' as [a b]; cbn [fst snd].
    apply bind_swap; auto. intros; apply ret_sub.
Qed.
End Scale.
