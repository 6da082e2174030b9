(** * Coins that are tossed together

    fast compares a number of random bits with bounds on the probability of each coin.  If a comparison is open, it draws
    as many bits again for every coin, until none is open.

    | here                | Python                                                                                      |
    |---------------------|---------------------------------------------------------------------------------------------|
    | [append_bits]       | [getrandbits], and a shift                                                                  |
    | [first_numbers]     | fast/bits.py, [_signed_geometric]: one draw for all fields; the last is drawn first, below a byte that is not used |
    | [toss_again]        | fast/bits.py, [_decide]                                                                     | *)
From Coq Require Import Reals Lra Psatz List ZArith Lia FunctionalExtensionality.
From Privboost Require Import Sums Law Limits Product Programs Coins Enclosures.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint append_bits (count : nat) (x : Z) : prog Z :=
  match count with
  | O => Ret x
  | S count' => Bind Bit (fun b => append_bits count' (2 * x + if b then 1 else 0)%Z)
  end.

Fixpoint first_numbers (width coins : nat) : prog (list Z) :=
  match coins with
  | O => Ret []
  | S coins' => Bind (first_numbers width coins') (fun xs =>
      Bind (append_bits 8 0) (fun _ => Bind (append_bits width 0) (fun x => Ret (x :: xs))))
  end.

Fixpoint longer_numbers (width : nat) (xs : list Z) : prog (list Z) :=
  match xs with
  | [] => Ret []
  | x :: rest => Bind (append_bits width x) (fun y => Bind (longer_numbers width rest) (fun ys => Ret (y :: ys)))
  end.

Definition is_decided (x : Z) (b : Z * Z) : bool := orb (x <? fst b)%Z (snd b <=? x)%Z.
Fixpoint all_decided (xs : list Z) (bounds : list (Z * Z)) : bool :=
  match xs, bounds with x :: xs', b :: bounds' => andb (is_decided x b) (all_decided xs' bounds') | _, _ => true end.
Fixpoint outcomes (xs : list Z) (bounds : list (Z * Z)) : list bool :=
  match xs, bounds with x :: xs', b :: bounds' => (x <? fst b)%Z :: outcomes xs' bounds' | _, _ => [] end.

Section Toss.
Variable bounds : nat -> list (Z * Z).      (* by the width of the numbers *)

Definition toss_again (s : nat * list Z) : prog ((nat * list Z) + list bool) :=
  Bind (longer_numbers (fst s) (snd s)) (fun ys =>
  let width := (fst s + fst s)%nat in
  let known := bounds width in
  Ret (if all_decided ys known then inr (outcomes ys known) else inl (width, ys))).

Definition toss_together (width coins : nat) : prog (list bool) :=
  Bind (first_numbers width coins) (fun xs =>
  let known := bounds width in
  if all_decided xs known then Ret (outcomes xs known) else Loop toss_again (width, xs)).
End Toss.

(** ** One number *)
Lemma half_power n : (1 / 2) ^ n <= 1.
Proof. apply Rle_trans with (1 ^ n); [apply pow_incr; lra | rewrite pow1; lra]. Qed.

Lemma bind_constant {A B} (p : A -> R) (q : B -> R) y : law p -> 0 <= q y -> bind p (fun _ => q) y = q y.
Proof.
  intros P Q. unfold bind. rewrite (total_ext _ (fun x => q y * p x)) by (intros; ring).
  rewrite (total_scal (q y) 1) by (auto; now apply law_sub). rewrite (total_law _ P). ring.
Qed.

Lemma law_of_bind_law {A B} (p : prog A) (k : A -> prog B) : law (law_of p) -> (forall x, law (law_of (k x))) -> law (law_of (Bind p k)).
Proof. intros P K. rewrite law_of_bind'. now apply bind_law. Qed.

Lemma law_of_ret_law {A} (a : A) : law (law_of (Ret a)).
Proof. rewrite law_of_ret'. apply ret_law. Qed.

Lemma bind_program {A B C} (p : prog A) (k : A -> prog B) (r : B -> C -> R) : (forall x, sub_law (r x)) ->
  bind (law_of (Bind p k)) r = bind (law_of p) (fun x => bind (law_of (k x)) r).
Proof.
  intros Q. apply functional_extensionality. intros y. rewrite law_of_bind'.
  apply bind_assoc; auto using law_of_sub.
Qed.

Lemma bind_returned {A C} (a : A) (r : A -> C -> R) : (forall x, sub_law (r x)) -> bind (law_of (Ret a)) r = r a.
Proof. intros Q. rewrite law_of_ret'. now apply bind_ret'. Qed.

Lemma append_law k : forall x, law (law_of (append_bits k x)).
Proof.
  induction k as [|k IH]; intros x; cbn [append_bits]; [apply law_of_ret_law|].
  apply law_of_bind_law; auto. rewrite law_of_bit'. apply fair_law.
Qed.

Lemma bind_append {C} k x (r : Z -> C -> R) y : (forall x, sub_law (r x)) ->
  bind (law_of (append_bits (S k) x)) r y = (bind (law_of (append_bits k (2 * x + 1))) r y + bind (law_of (append_bits k (2 * x + 0))) r y) / 2.
Proof.
  intros Q. cbn [append_bits]. rewrite bind_program, law_of_bit' by auto.
  apply bind_fair. intros b. apply bind_sub; auto using law_of_sub.
Qed.

(** The law of whether a number goes on to be below [p], after [d] of its digits. *)
Definition still (d : nat) (p : R) (x : Z) : bool -> R := coin (clamp (p * 2 ^ d - IZR x)).

Lemma still_law d p x : law (still d p x).
Proof. apply coin_law, clamp_in. Qed.

Lemma still_sub d p x : sub_law (still d p x).
Proof. apply law_sub, still_law. Qed.

Lemma append_still k : forall d p x, bind (law_of (append_bits k x)) (still (d + k) p) = still d p x.
Proof.
  induction k as [|k IH]; intros d p x.
  - cbn [append_bits]. rewrite bind_returned by apply still_sub. now rewrite Nat.add_0_r.
  - apply functional_extensionality. intros y. rewrite bind_append by apply still_sub.
    replace (d + S k)%nat with (S d + k)%nat by lia. rewrite !IH. unfold still.
    assert (H := clamp_halves (p * 2 ^ d - IZR x)). rewrite !plus_IZR, !mult_IZR. cbn [pow].
    replace (p * (2 * 2 ^ d) - (2 * IZR x + 1)) with (2 * (p * 2 ^ d - IZR x) - 1) by ring.
    replace (p * (2 * 2 ^ d) - (2 * IZR x + 0)) with (2 * (p * 2 ^ d - IZR x)) by ring.
    destruct y; unfold coin; lra.
Qed.

(** A comparison with bounds that are not further apart than half the numbers is decided with probability 1/2. *)
Lemma decided_chance k x b : (fst b <= snd b)%Z -> (2 * (snd b - fst b) <= two_to k)%Z ->
  1 / 2 <= bind (law_of (append_bits k x)) (fun y => ret (is_decided y b)) true.
Proof.
  intros Or Nar. set (g := fun t : Z => IZR (Z.max (fst b) (Z.min (snd b) t))).
  assert (E : forall k x, bind (law_of (append_bits k x)) (fun y => ret (is_decided y b)) true =
    1 - (g ((x + 1) * two_to k)%Z - g (x * two_to k)%Z) / 2 ^ k).
  { clear k x Nar. induction k as [|k IH]; intros x.
    - cbn [append_bits]. rewrite bind_returned by (intros; apply ret_sub). change (two_to 0) with 1%Z. rewrite !Z.mul_1_r. unfold ret, g, is_decided.
      cbn [pow]. unfold Rdiv. rewrite Rinv_1, Rmult_1_r, <- minus_IZR, <- minus_IZR. 
      destruct (Z.ltb_spec x (fst b)), (Z.leb_spec (snd b) x); cbn [orb]; destruct (decide _) as [D|D]; try congruence; try (now exfalso); apply (f_equal IZR); lia.
    - rewrite bind_append by (intros; apply ret_sub). rewrite !IH, two_to_S.
      replace ((2 * x + 1 + 1) * two_to k)%Z with ((x + 1) * (2 * two_to k))%Z by ring.
      replace ((2 * x + 0 + 1) * two_to k)%Z with ((2 * x + 1) * two_to k)%Z by ring.
      replace ((2 * x + 0) * two_to k)%Z with (x * (2 * two_to k))%Z by ring.
      cbn [pow]. assert (T : 0 < 2 ^ k) by (apply pow_lt; lra). field. lra. }
  rewrite E. assert (T : 0 < 2 ^ k) by (apply pow_lt; lra). apply IZR_le in Nar. rewrite two_to_R, mult_IZR, minus_IZR in Nar.
  assert (G : g ((x + 1) * two_to k)%Z - g (x * two_to k)%Z <= IZR (snd b) - IZR (fst b)).
  { unfold g. rewrite <- !minus_IZR. apply IZR_le. lia. }
  assert (Q : (g ((x + 1) * two_to k)%Z - g (x * two_to k)%Z) / 2 ^ k <= 1 / 2) by (apply quotient_le; lra). lra.
Qed.

(** ** Lists of numbers *)
Fixpoint apply_all {B} (fs : list (Z -> B -> R)) (xs : list Z) : list (B -> R) :=
  match fs, xs with f :: fs', x :: xs' => f x :: apply_all fs' xs' | _, _ => [] end.

Definition all_laws {B} (fs : list (Z -> B -> R)) : Prop := forall f, In f fs -> forall x, law (f x).

Lemma apply_all_law {B} (fs : list (Z -> B -> R)) xs : all_laws fs -> law (product (apply_all fs xs)).
Proof.
  intros L. apply product_law. revert xs L; induction fs as [|f fs IH]; intros [|x xs] L p I; cbn in I; try contradiction.
  destruct I as [<-|I]; [apply L; simpl; auto|]. apply (IH xs); auto. intros g G. apply L. simpl; auto.
Qed.

Lemma longer_law w xs : law (law_of (longer_numbers w xs)).
Proof.
  induction xs as [|x xs IH]; cbn [longer_numbers]; [apply law_of_ret_law|].
  apply law_of_bind_law; [apply append_law|]. intros y. apply law_of_bind_law; auto. intros; apply law_of_ret_law.
Qed.

Lemma first_law w n : law (law_of (first_numbers w n)).
Proof.
  induction n as [|n IH]; cbn [first_numbers]; [apply law_of_ret_law|].
  apply law_of_bind_law; auto. intros xs. apply law_of_bind_law; [apply append_law|]. intros _.
  apply law_of_bind_law; [apply append_law|]. intros; apply law_of_ret_law.
Qed.

Lemma bind_scaled {A B C} (p : A -> R) (k : A -> B -> R) (h : A -> C -> R) c y z : sub_law p -> (forall x, sub_law (k x)) -> 0 <= c ->
  (forall x, h x z = c * k x y) -> bind p h z = c * bind p k y.
Proof.
  intros P K Z E. unfold bind. rewrite <- (total_scal c 1) by (auto; now apply column_bounded).
  apply total_ext. intros x. rewrite E. ring.
Qed.

Lemma longer_product {B} w : forall xs (fs : list (Z -> B -> R)), all_laws fs ->
  bind (law_of (longer_numbers w xs)) (fun ys => product (apply_all fs ys)) =
  product (apply_all (map (fun f x => bind (law_of (append_bits w x)) f) fs) xs).
Proof.
  induction xs as [|x xs IH]; intros fs L; apply functional_extensionality; intros zs.
  - cbn [longer_numbers]. rewrite bind_returned by (intros; now apply law_sub, apply_all_law). now destruct fs.
  - destruct fs as [|f fs].
    + cbn [apply_all map]. apply bind_constant; [apply longer_law|]. apply law_sub, (apply_all_law [] []). exact L.
    + assert (L' : all_laws fs) by (intros g G; apply L; simpl; auto). assert (Lf : forall x, law (f x)) by (apply L; simpl; auto).
      cbn [longer_numbers]. rewrite bind_program by (intros; now apply law_sub, apply_all_law).
      assert (Row : forall y, bind (law_of (Bind (longer_numbers w xs) (fun ys => Ret (y :: ys)))) (fun ys => product (apply_all (f :: fs) ys)) =
        bind (law_of (longer_numbers w xs)) (fun ys => product (f y :: apply_all fs ys))).
      { intros y. rewrite bind_program by (intros; now apply law_sub, apply_all_law). f_equal. apply functional_extensionality. intros ys.
        now rewrite bind_returned by (intros; now apply law_sub, apply_all_law). }
      replace (fun y => bind (law_of (Bind (longer_numbers w xs) (fun ys => Ret (y :: ys)))) (fun ys => product (apply_all (f :: fs) ys)))
        with (fun y => bind (law_of (longer_numbers w xs)) (fun ys => product (f y :: apply_all fs ys))) by (apply functional_extensionality; intros; now rewrite Row).
      cbn [map apply_all]. destruct zs as [|z zs].
      * cbn [product]. unfold bind at 1. apply total_zero. intros y. unfold bind. rewrite (total_zero (fun x0 => _)); [ring | intros; ring].
      * cbn [product]. rewrite <- IH by auto. rewrite Rmult_comm.
        set (C := bind (law_of (longer_numbers w xs)) (fun ys => product (apply_all fs ys)) zs).
        assert (C0 : 0 <= C) by (apply bind_sub; [apply law_of_sub | intros; now apply law_sub, apply_all_law]).
        apply bind_scaled; auto using law_of_sub; [intros; now apply law_sub|]. intros y. rewrite Rmult_comm.
        apply (bind_scaled _ (fun ys => product (apply_all fs ys)) _ (f y z) zs (z :: zs)); auto using law_of_sub.
        -- intros; now apply law_sub, apply_all_law.
        -- apply (law_sub _ (Lf y)).
Qed.

Lemma first_product {B} w : forall fs : list (Z -> B -> R), all_laws fs ->
  bind (law_of (first_numbers w (length fs))) (fun ys => product (apply_all fs ys)) =
  product (map (fun f => bind (law_of (append_bits w 0)) f) fs).
Proof.
  induction fs as [|f fs IH]; intros L; apply functional_extensionality; intros zs; cbn [length first_numbers].
  - now rewrite bind_returned by (intros; now apply law_sub, apply_all_law).
  - assert (L' : all_laws fs) by (intros g G; apply L; simpl; auto). assert (Lf : forall x, law (f x)) by (apply L; simpl; auto).
    assert (Sub : forall ys, sub_law (product (apply_all (f :: fs) ys))) by (intros; now apply law_sub, apply_all_law).
    rewrite bind_program by auto.
    assert (Row : forall xs, bind (law_of (Bind (append_bits 8 0) (fun _ => Bind (append_bits w 0) (fun x => Ret (x :: xs)))))
        (fun ys => product (apply_all (f :: fs) ys)) = bind (law_of (append_bits w 0)) (fun x => product (f x :: apply_all fs xs))).
    { intros xs. apply functional_extensionality. intros ys. rewrite bind_program by auto.
      rewrite bind_constant; [|apply append_law | apply bind_sub; auto using law_of_sub]. rewrite bind_program by auto.
      apply bind_ext; auto. intros x _. now rewrite bind_returned by auto. }
    replace (fun x => bind (law_of (Bind (append_bits 8 0) (fun _ => Bind (append_bits w 0) (fun x0 => Ret (x0 :: x)))))
        (fun ys => product (apply_all (f :: fs) ys))) with (fun xs => bind (law_of (append_bits w 0)) (fun x => product (f x :: apply_all fs xs)))
      by (apply functional_extensionality; intros; now rewrite Row).
    cbn [map]. destruct zs as [|z zs].
    + cbn [product]. unfold bind at 1. apply total_zero. intros y. unfold bind. rewrite (total_zero (fun x0 => _)); [ring | intros; ring].
    + cbn [product]. rewrite <- IH by auto. set (C := bind (law_of (append_bits w 0)) f z).
      assert (C0 : 0 <= C) by (apply bind_sub; [apply law_of_sub | intros; now apply law_sub]).
      apply bind_scaled; auto using law_of_sub; [intros; now apply law_sub, apply_all_law|]. intros xs.
      rewrite Rmult_comm. apply (bind_scaled _ f _ (product (apply_all fs xs) zs) z (z :: zs)); auto using law_of_sub.
      * intros; now apply law_sub.
      * apply law_sub, apply_all_law; auto.
      * intros x. cbn [product]. ring.
Qed.

(** ** All coins *)
Section Together.
Variable bounds : nat -> list (Z * Z).
Variable ps : list R.
Variable least : nat.
Hypothesis ps_in : Forall (fun p => 0 <= p <= 1) ps.
Hypothesis bounds_right : forall w, Forall2 (chance_in w) (bounds w) ps.
Hypothesis bounds_narrow : forall w, (least <= w)%nat -> Forall (fun c => 2 * (snd c - fst c) <= two_to w)%Z (bounds (w + w)).

Definition stills (w : nat) : list (Z -> bool -> R) := map (still w) ps.
Definition to_go (s : nat * list Z) : list bool -> R := product (apply_all (stills (fst s)) (snd s)).

Lemma stills_laws w : all_laws (stills w).
Proof. intros f F x. apply in_map_iff in F. destruct F as (p & <- & _). apply still_law. Qed.

Lemma to_go_law s : law (to_go s).
Proof. apply apply_all_law, stills_laws. Qed.

Lemma to_go_sub s : sub_law (to_go s).
Proof. apply law_sub, to_go_law. Qed.

Lemma decided_to_go w : forall xs, all_decided xs (bounds w) = true -> to_go (w, xs) = ret (outcomes xs (bounds w)).
Proof.
  assert (R := bounds_right w). unfold to_go, stills; cbn [fst snd]. revert R. generalize (bounds w). clear.
  intros bs R. induction R as [|b p bs ps C R IH]; intros xs D; apply functional_extensionality; intros ys.
  - destruct xs; cbn; destruct ys; unfold ret; destruct decide; congruence.
  - destruct xs as [|x xs]; [cbn; destruct ys; unfold ret; destruct decide; congruence|].
    cbn [all_decided outcomes map apply_all] in *. apply Bool.andb_true_iff in D. destruct D as [D1 D2]. specialize (IH xs D2).
    destruct ys as [|y ys]; [cbn [product]; unfold ret; destruct decide; congruence|]. cbn [product]. rewrite IH.
    assert (S : still w p x y = ret (x <? fst b)%Z y).
    { unfold is_decided in D1. apply Bool.orb_true_iff in D1. destruct C as [C1 C2]. rewrite two_to_R in *. unfold still, clamp, ret.
      destruct (Z.ltb_spec x (fst b)) as [L|L].
      - assert (H : IZR x + 1 <= IZR (fst b)) by (rewrite <- plus_IZR; apply IZR_le; lia).
        rewrite Rmin_left, Rmax_right by lra. destruct y; cbn; destruct decide; congruence || lra.
      - destruct D1 as [D1|D1]; [discriminate|]. apply Z.leb_le, IZR_le in D1.
        rewrite Rmin_right, Rmax_left by lra. destruct y; cbn; destruct decide; congruence || lra. }
    rewrite S. unfold ret. destruct (decide (_ = y)), (decide (_ = ys)), (decide (_ :: _ = _)); try congruence; lra.
Qed.

Lemma again_to_go {C} w xs (k : (nat * list Z) + list bool -> C -> R) : (forall r, sub_law (k r)) ->
  bind (law_of (toss_again bounds (w, xs))) k = bind (law_of (longer_numbers w xs)) (fun ys =>
    k (if all_decided ys (bounds (w + w)) then inr (outcomes ys (bounds (w + w))) else inl ((w + w)%nat, ys))).
Proof.
  intros K. unfold toss_again. cbn [fst snd]. rewrite bind_program by auto. f_equal. apply functional_extensionality. intros ys.
  now rewrite bind_returned by auto.
Qed.

Lemma to_go_again w xs : bind (law_of (longer_numbers w xs)) (fun ys => to_go ((w + w)%nat, ys)) = to_go (w, xs).
Proof.
  unfold to_go; cbn [fst snd]. rewrite longer_product by apply stills_laws. unfold stills. rewrite map_map. f_equal. f_equal.
  apply map_ext. intros p. apply functional_extensionality. intros x. apply append_still.
Qed.

Lemma to_go_equation s y : to_go s y = bind (law_of (toss_again bounds s)) (continue to_go) y.
Proof.
  destruct s as [w xs]. rewrite again_to_go by (intros; apply continue_sub, to_go_sub). rewrite <- to_go_again.
  apply bind_ext; auto. intros ys _. destruct (all_decided ys (bounds (w + w))) eqn:D; cbn [continue]; [now rewrite decided_to_go | auto].
Qed.

Lemma all_decided_chance w bs : Forall (fun c => fst c <= snd c)%Z bs -> Forall (fun c => 2 * (snd c - fst c) <= two_to w)%Z bs ->
  forall xs, (1 / 2) ^ length bs <= bind (law_of (longer_numbers w xs)) (fun ys => ret (all_decided ys bs)) true.
Proof.
  intros Or. induction Or as [|b bs B Or IH]; intros Nar xs.
  - cbn [length pow]. rewrite (bind_ext _ (law_of (longer_numbers w xs)) _ (fun _ => ret true)) by (auto; intros [|]; auto).
    rewrite bind_constant; [|apply longer_law | apply ret_sub]. unfold ret. destruct decide; [lra | congruence].
  - inversion Nar as [|? ? N1 N2]; subst. specialize (IH N2). cbn [length pow].
    assert (P : 0 <= (1 / 2) ^ length bs) by (apply pow_le; lra). destruct xs as [|x xs]; cbn [longer_numbers].
    + rewrite bind_returned by (intros; apply ret_sub). cbn [all_decided]. unfold ret. destruct decide; [|congruence].
      assert ((1 / 2) ^ length bs <= 1) by (apply half_power).
      lra.
    + rewrite bind_program by (intros; apply ret_sub).
      set (C := bind (law_of (longer_numbers w xs)) (fun ys => ret (all_decided ys bs)) true).
      rewrite (bind_scaled _ (fun y => ret (is_decided y b)) _ C true).
      * assert (D := decided_chance w x b B N1). specialize (IH xs). fold C in IH. rewrite (Rmult_comm C). apply Rmult_le_compat; lra.
      * apply law_of_sub.
      * intros; apply ret_sub.
      * apply bind_sub; [apply law_of_sub | intros; apply ret_sub].
      * intros y. rewrite bind_program by (intros; apply ret_sub).
        transitivity (bind (law_of (longer_numbers w xs)) (fun ys => ret (andb (is_decided y b) (all_decided ys bs))) true).
        { apply bind_ext; auto. intros ys _. now rewrite bind_returned by (intros; apply ret_sub). }
        unfold C. destruct (is_decided y b); cbn [andb].
        -- replace (ret true true) with 1 by (unfold ret; destruct (decide (true = true)); congruence). ring.
        -- rewrite bind_constant; [|apply longer_law | apply ret_sub].
           replace (ret false true) with 0 by (unfold ret; destruct (decide (false = true)); congruence). ring.
Qed.

Lemma again_law s : law (law_of (toss_again bounds s)).
Proof. apply law_of_bind_law; [apply longer_law|]. intros; apply law_of_ret_law. Qed.

Lemma loop_to_go w xs : (least <= w)%nat -> law_of (Loop (toss_again bounds) (w, xs)) = to_go (w, xs).
Proof.
  intros Le. apply functional_extensionality. intros y.
  destruct (loop_law (toss_again bounds) (fun _ => True) to_go) with (s := (w, xs)) as [_ E]; auto.
  - intros; apply to_go_law.
  - intros; apply to_go_equation.
  - apply ends_geometrically with (good := fun s => (least <= fst s)%nat) (c := (1 / 2) ^ length ps); auto.
    + split; [apply pow_lt; lra | apply half_power].
    + apply again_law.
    + intros [v zs] s' G N. destruct (decide (least <= fst s')%nat) as [|F]; auto. exfalso. apply N.
      rewrite <- (bind_ret_right (law_of _)) by apply law_of_sub. rewrite again_to_go by (intros; apply ret_sub).
      unfold bind. apply total_zero. intros ys. unfold ret. destruct decide as [Q|]; [|ring].
      destruct all_decided in Q; [discriminate|]. injection Q as <-. exfalso. cbn [fst] in *. lia.
    + intros [v zs] G. cbn [fst] in G. set (stop := fun r : (nat * list Z) + list bool => exists a, r = inr a).
      assert (Q : prob (law_of (toss_again bounds (v, zs))) stop =
        bind (law_of (toss_again bounds (v, zs))) (fun r => ret (if decide (stop r) then true else false)) true).
      { rewrite <- image_bind by apply law_of_sub. unfold image. apply prob_ext; auto. intros r. destruct (decide (stop r)); intuition congruence. }
      rewrite Q, again_to_go by (intros; apply ret_sub).
      assert (R := bounds_right (v + v)). assert (Lb : length (bounds (v + v)) = length ps) by (clear - R; induction R; cbn [length]; auto).
      rewrite <- Lb. eapply Rle_trans; [apply (all_decided_chance v (bounds (v + v))) with (xs := zs)|].
      * apply Forall_forall. intros c I. clear - R I. induction R as [|b p bs ps [C1 C2] R IH]; [contradiction|].
        destruct I as [->|I]; [apply le_IZR; lra | auto].
      * now apply bounds_narrow.
      * right. apply bind_ext; auto. intros ys _. f_equal. unfold stop. destruct (all_decided ys (bounds (v + v))).
        -- destruct decide as [|D]; [auto|]. exfalso. apply D. now exists (outcomes ys (bounds (v + v))).
        -- destruct decide as [[a D]|]; [discriminate | auto].
Qed.

Theorem toss_together_law width : (least <= width)%nat ->
  law_of (toss_together bounds width (length ps)) = product (map coin ps).
Proof.
  intros Le. unfold toss_together. rewrite law_of_bind'.
  replace (fun xs => law_of (if all_decided xs (bounds width) then Ret (outcomes xs (bounds width)) else Loop (toss_again bounds) (width, xs)))
    with (fun xs => product (apply_all (stills width) xs)).
  - replace (length ps) with (length (stills width)) by apply map_length. rewrite first_product by apply stills_laws.
    unfold stills. rewrite map_map. f_equal. apply map_ext_in. intros p I. rewrite <- (Nat.add_0_l width), append_still. unfold still.
    f_equal. rewrite Forall_forall in ps_in. specialize (ps_in p I). unfold clamp. cbn [pow].
    rewrite Rmult_1_r, Rminus_0_r, Rmin_right, Rmax_right; lra.
  - apply functional_extensionality. intros xs. destruct (all_decided xs (bounds width)) eqn:D.
    + rewrite law_of_ret'. symmetry. now rewrite <- decided_to_go.
    + symmetry. now apply loop_to_go.
Qed.
End Together.
