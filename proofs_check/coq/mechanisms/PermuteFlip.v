(** * Permute-and-flip

    Every candidate has a coin that accepts it with probability exp(u i - largest u).  Two readings of the mechanism:
    the candidates are tried in random order until one is accepted ([in_turn], `reference`), or all coins are tossed and one
    of the accepted candidates is drawn uniformly ([share], `fast`).  Both are the same law: the probability of a
    candidate with coin [r] among others with coins [qs] is r times the integral over [0, 1] of the product of the
    1 - t q.  The integral gives the normalisation and the comparison of neighbours, for any number of candidates. *)
From Coq Require Import Reals Lra Psatz List Lia Arith.
From Coquelicot Require Import Coquelicot.
From Privboost Require Import Law SplitLaws.
Import ListNotations.
Notation Forall := List.Forall.
Local Open Scope R_scope.

(** Every way to take one entry out of a list: the entry, and the others in their order. *)
Fixpoint selects {A} (l : list A) : list (A * list A) :=
  match l with [] => [] | x :: l' => (x, l') :: map (fun z => (fst z, x :: snd z)) (selects l') end.

(** The candidates are tried in random order.  A uniform one of those that remain is taken; if its coin fails it is gone. *)
Fixpoint in_turn (fuel : nat) (r : R) (qs : list R) : R :=
  match fuel with
  | O => r / (INR (length qs) + 1)
  | S fuel' => (r + lsum (fun z => (1 - fst z) * in_turn fuel' r (snd z)) (selects qs)) / (INR (length qs) + 1)
  end.

(** All coins are tossed: the mean of 1 / (1 + k + number of accepted ones), the share of a candidate that was accepted
    itself, together with [k] others and with those of [qs] that their coins accept. *)
Fixpoint share (k : nat) (qs : list R) : R :=
  match qs with
  | [] => / (INR k + 1)
  | q :: qs' => q * share (S k) qs' + (1 - q) * share k qs'
  end.

(** ** One integral *)

Fixpoint F (qs : list R) (t : R) : R := match qs with [] => 1 | q :: qs' => (1 - t * q) * F qs' t end.
Definition I (qs : list R) : R := RInt (F qs) 0 1.

Lemma selects_length {A} (l : list A) z : In z (selects l) -> length l = S (length (snd z)).
Proof.
  revert z; induction l as [|x l IH]; simpl; [tauto|]. intros z [<-|H]; auto.
  apply in_map_iff in H. destruct H as (y & <- & H). simpl. now rewrite (IH y).
Qed.

Lemma sum_F qs t : lsum (fun z => (1 - t * fst z) * F (snd z) t) (selects qs) = INR (length qs) * F qs t.
Proof.
  induction qs as [|q qs IH]; [simpl; ring|]. cbn [selects lsum length]. rewrite lsum_map, S_INR. cbn [fst snd F].
  rewrite (lsum_ext _ (fun z => (1 - t * q) * ((1 - t * fst z) * F (snd z) t))) by (intros; ring).
  rewrite lsum_scal, IH. ring.
Qed.

Lemma F_derive qs t : is_derive (F qs) t (- lsum (fun z => fst z * F (snd z) t) (selects qs)).
Proof.
  induction qs as [|q qs IH]; cbn [F selects lsum].
  - replace (-0) with 0 by ring. apply @is_derive_const.
  - rewrite lsum_map. cbn [fst snd F].
    rewrite (lsum_ext _ (fun z => (1 - t * q) * (fst z * F (snd z) t))) by (intros; ring). rewrite lsum_scal.
    replace (- (q * F qs t + (1 - t * q) * lsum (fun z => fst z * F (snd z) t) (selects qs)))
      with ((- q) * F qs t + (1 - t * q) * (- lsum (fun z => fst z * F (snd z) t) (selects qs))) by ring.
    apply (is_derive_mult (fun t => 1 - t * q) (F qs) t (- q)); auto.
    + auto_derive; auto. ring.
    + intros; apply Rmult_comm.
Qed.

Lemma F_continuous qs t : continuous (F qs) t.
Proof. apply (@ex_derive_continuous R_AbsRing R_NormedModule). eexists; apply F_derive. Qed.

Lemma F_int qs a b : ex_RInt (F qs) a b.
Proof. apply (@ex_RInt_continuous R_CompleteNormedModule). intros; apply F_continuous. Qed.

Lemma I_is qs : is_RInt (F qs) 0 1 (I qs).
Proof. apply (@RInt_correct R_CompleteNormedModule), F_int. Qed.

Lemma lsum_is {A} (g : A -> R) (h : A -> list R) l :
  is_RInt (fun t => lsum (fun z => g z * F (h z) t) l) 0 1 (lsum (fun z => g z * I (h z)) l).
Proof.
  induction l as [|z l IH]; cbn [lsum].
  - generalize (@is_RInt_const R_NormedModule 0 1 0). unfold scal; simpl; unfold mult; simpl. now rewrite Rmult_0_r.
  - apply @is_RInt_plus; auto. apply @is_RInt_scal. apply I_is.
Qed.

Lemma lsum_continuous {A} (g : A -> R) (h : A -> list R) l t : continuous (fun t => lsum (fun z => g z * F (h z) t) l) t.
Proof.
  induction l as [|z l IH]; cbn [lsum]; [apply continuous_const|].
  apply @continuous_plus; auto. apply @continuous_scal; [apply continuous_const | apply F_continuous].
Qed.

(* integration by parts *)
Lemma I_step qs : (INR (length qs) + 1) * I qs = 1 + lsum (fun z => (1 - fst z) * I (snd z)) (selects qs).
Proof.
  set (d := fun t => lsum (fun z => (1 - fst z) * F (snd z) t) (selects qs) - (INR (length qs) + 1) * F qs t).
  assert (D : forall t, is_derive (fun t => (1 - t) * F qs t) t (d t)).
  { intros t. replace (d t) with ((-1) * F qs t + (1 - t) * (- lsum (fun z => fst z * F (snd z) t) (selects qs))).
    - assert (one : is_derive (fun t : R => 1 - t) t (-1)) by (auto_derive; auto; ring).
      apply (is_derive_mult (fun t => 1 - t) (F qs) t (-1)); auto.
      + apply F_derive.
      + intros; apply Rmult_comm.
    - unfold d. rewrite Rmult_plus_distr_r, <- sum_F.
      assert (E : lsum (fun z => (1 - t * fst z) * F (snd z) t) (selects qs) =
         lsum (fun z => (1 - fst z) * F (snd z) t) (selects qs) + (1 - t) * lsum (fun z => fst z * F (snd z) t) (selects qs)).
      { rewrite <- lsum_scal, <- lsum_plus. apply lsum_ext. intros; ring. }
      rewrite E. ring. }
  assert (Q : is_RInt d 0 1 (minus ((1 - 1) * F qs 1) ((1 - 0) * F qs 0))).
  { apply (is_RInt_derive (fun t => (1 - t) * F qs t)); intros; auto.
    unfold d. apply @continuous_minus; [apply lsum_continuous|]. apply @continuous_scal; [apply continuous_const | apply F_continuous]. }
  assert (P : is_RInt d 0 1 (lsum (fun z => (1 - fst z) * I (snd z)) (selects qs) - (INR (length qs) + 1) * I qs)).
  { apply @is_RInt_minus; [apply lsum_is|]. apply @is_RInt_scal, I_is. }
  apply (@is_RInt_unique R_CompleteNormedModule) in P. apply (@is_RInt_unique R_CompleteNormedModule) in Q. rewrite P in Q.
  assert (F0 : F qs 0 = 1) by (clear; induction qs; simpl; [auto | rewrite IHqs; ring]).
  unfold minus, plus, opp in Q; simpl in Q. rewrite F0 in Q. lra.
Qed.


(** ** Both readings are this integral *)

Theorem in_turn_integral r qs n : (length qs <= n)%nat -> in_turn n r qs = r * I qs.
Proof.
  revert qs; induction n as [|n IH]; intros qs H.
  - destruct qs; simpl in H; [|lia]. simpl. assert (S := I_step []). simpl in S. replace (I []) with 1 by lra. field.
  - cbn [in_turn]. assert (0 <= INR (length qs)) by apply pos_INR.
    rewrite (lsum_ext _ (fun z => r * ((1 - fst z) * I (snd z)))).
    + rewrite lsum_scal. assert (S := I_step qs).
      replace (r + r * lsum (fun z => (1 - fst z) * I (snd z)) (selects qs))
        with (r * (1 + lsum (fun z => (1 - fst z) * I (snd z)) (selects qs))) by ring.
      rewrite <- S. field. lra.
    + intros z Z. rewrite IH; [ring|]. apply selects_length in Z. lia.
Qed.


Fixpoint G (qs : list R) (t : R) : R := match qs with [] => 1 | q :: qs' => (q * t + (1 - q)) * G qs' t end.

Lemma G_F qs t : G qs t = F qs (- 1 * t + 1).
Proof. induction qs as [|q qs IH]; simpl; [auto|]. rewrite IH. ring. Qed.

Lemma power_integral k : is_RInt (fun t => t ^ k) 0 1 (/ (INR k + 1)).
Proof.
  assert (K := pos_INR k).
  replace (/ (INR k + 1)) with (minus (1 ^ S k / (INR k + 1)) (0 ^ S k / (INR k + 1))).
  - apply (is_RInt_derive (fun t => t ^ S k / (INR k + 1))).
    + intros t _. auto_derive; auto.
      change (1 * (INR (S k) * t ^ k) * / (INR k + 1) = t ^ k). rewrite S_INR. field. lra.
    + intros t _. apply (@ex_derive_continuous R_AbsRing R_NormedModule). auto_derive. auto.
  - rewrite pow1, pow_i by lia. unfold minus, plus, opp; simpl. field. lra.
Qed.

Lemma share_G qs k : is_RInt (fun t => t ^ k * G qs t) 0 1 (share k qs).
Proof.
  revert k; induction qs as [|q qs IH]; intros k; cbn [share G].
  - apply (is_RInt_ext (fun t => t ^ k)); [intros; simpl; ring | apply power_integral].
  - apply (is_RInt_ext (fun t => plus (scal q (t ^ S k * G qs t)) (scal (1 - q) (t ^ k * G qs t)))).
    + intros t _. unfold plus, scal; simpl; unfold mult; simpl. ring.
    + apply @is_RInt_plus; apply @is_RInt_scal; apply IH.
Qed.

Theorem share_integral qs : share 0 qs = I qs.
Proof.
  assert (E : is_RInt (G qs) 0 1 (share 0 qs)).
  { apply (is_RInt_ext (fun t => t ^ 0 * G qs t)); [intros; simpl; ring | apply share_G]. }
  assert (H : is_RInt (fun t => scal (-1) (F qs (-1 * t + 1))) 0 1 (opp (I qs))).
  { apply (is_RInt_comp_lin (F qs) (-1) 1 0 1). replace (-1 * 0 + 1) with 1 by ring. replace (-1 * 1 + 1) with 0 by ring.
    apply @is_RInt_swap. apply I_is. }
  assert (H2 : is_RInt (G qs) 0 1 (opp (opp (I qs)))).
  { apply (is_RInt_ext (fun t => opp (scal (-1) (F qs (-1 * t + 1))))).
    - intros t _. rewrite G_F. unfold opp, scal; simpl; unfold mult; simpl. ring.
    - now apply @is_RInt_opp. }
  apply (@is_RInt_unique R_CompleteNormedModule) in E. apply (@is_RInt_unique R_CompleteNormedModule) in H2.
  rewrite E in H2. rewrite H2. unfold opp; simpl. ring.
Qed.

Corollary in_turn_is_share r qs : in_turn (length qs) r qs = r * share 0 qs.
Proof. rewrite share_integral. now apply in_turn_integral. Qed.

(** ** Comparison of neighbours, and normalisation *)

Lemma F_nonneg qs t : 0 <= t <= 1 -> Forall (fun q => 0 <= q <= 1) qs -> 0 <= F qs t.
Proof. intros T. induction 1; simpl; [lra|]. apply Rmult_le_pos; auto. nra. Qed.

Lemma F_compare qs qs' rho t : 0 <= rho <= 1 -> 0 <= t <= 1 -> Forall (fun q => 0 <= q <= 1) qs ->
  Forall2 (fun q q' => rho * q' <= q) qs qs' -> F qs t <= F qs' (rho * t).
Proof.
  intros Rh T B H. induction H as [|q q' qs qs' Q H IH]; simpl; [lra|]. inversion B; subst.
  apply Rmult_le_compat; auto; try nra. apply F_nonneg; auto.
Qed.

Theorem I_compare qs qs' rho : 0 < rho <= 1 -> Forall (fun q => 0 <= q <= 1) qs -> Forall (fun q => 0 <= q <= 1) qs' ->
  Forall2 (fun q q' => rho * q' <= q) qs qs' -> rho * I qs <= I qs'.
Proof.
  intros Rh B B' H.
  assert (S : RInt (fun t => scal rho (F qs' (rho * t + 0))) 0 1 = RInt (F qs') (rho * 0 + 0) (rho * 1 + 0)).
  { apply (@RInt_comp_lin R_CompleteNormedModule). apply F_int. }
  replace (rho * 0 + 0) with 0 in S by ring. replace (rho * 1 + 0) with rho in S by ring.
  apply Rle_trans with (RInt (F qs') 0 rho).
  - rewrite <- S. replace (rho * I qs) with (RInt (fun t => scal rho (F qs t)) 0 1).
    + apply RInt_le; [lra | | |].
      * apply @ex_RInt_scal, F_int.
      * apply (@ex_RInt_comp_lin R_NormedModule). apply F_int.
      * intros t T. unfold scal; simpl; unfold mult; simpl. rewrite Rplus_0_r.
        apply Rmult_le_compat_l; [lra|]. apply F_compare; auto; lra.
    + apply (@is_RInt_unique R_CompleteNormedModule). apply @is_RInt_scal, I_is.
  - unfold I. rewrite <- (@RInt_Chasles R_CompleteNormedModule (F qs') 0 rho 1) by apply F_int.
    assert (0 <= RInt (F qs') rho 1).
    { apply RInt_ge_0; [lra | apply F_int|]. intros; apply F_nonneg; auto. lra. }
    unfold plus; simpl. lra.
Qed.


Lemma F_one qs : In 1 qs -> F qs 1 = 0.
Proof. induction qs as [|q qs IH]; simpl; [tauto|]. intros [-> | H]; [ring | rewrite IH by auto; ring]. Qed.

(** If one coin always accepts, the probabilities of all candidates add up to 1. *)
Theorem shares_sum qs : In 1 qs -> lsum (fun z => fst z * I (snd z)) (selects qs) = 1.
Proof.
  intros H.
  assert (Q : is_RInt (fun t => - lsum (fun z => fst z * F (snd z) t) (selects qs)) 0 1 (minus (F qs 1) (F qs 0))).
  { apply (is_RInt_derive (F qs)); intros; [apply F_derive|].
    apply @continuous_opp. apply lsum_continuous. }
  assert (P : is_RInt (fun t => - lsum (fun z => fst z * F (snd z) t) (selects qs)) 0 1
    (opp (lsum (fun z => fst z * I (snd z)) (selects qs)))) by (apply @is_RInt_opp; apply lsum_is).
  apply (@is_RInt_unique R_CompleteNormedModule) in P. apply (@is_RInt_unique R_CompleteNormedModule) in Q. rewrite P in Q.
  assert (F0 : F qs 0 = 1) by (clear; induction qs; simpl; [auto | rewrite IHqs; ring]).
  rewrite F_one, F0 in Q by auto. unfold minus, plus, opp in Q; simpl in Q. lra.
Qed.

(** ** The law *)

Section Law.
Variable n : nat.
Hypothesis n_pos : (0 < n)%nat.
Implicit Types u v : nat -> R.

Definition largest u : R := fold_right (fun i m => Rmax (u i) m) (u 0%nat) (seq 0 n).
Definition coin u (i : nat) : R := exp (u i - largest u).
Definition others (i : nat) : list nat := remove Nat.eq_dec i (seq 0 n).
Definition permute_and_flip u : nat -> R := below n (fun i => coin u i * share 0 (map (coin u) (others i))).

Lemma fold_ge u l : u 0%nat <= fold_right (fun i m => Rmax (u i) m) (u 0%nat) l /\
  forall i, In i l -> u i <= fold_right (fun i m => Rmax (u i) m) (u 0%nat) l.
Proof.
  induction l as [|j l [IH0 IH]]; simpl; [split; [lra | tauto]|].
  set (m := fold_right _ _ l) in *. assert (A := Rmax_l (u j) m). assert (B := Rmax_r (u j) m).
  split; [lra|]. intros i [<- | I']; [auto|]. specialize (IH i I'). lra.
Qed.

Lemma fold_le u b l : u 0%nat <= b -> (forall i, In i l -> u i <= b) -> fold_right (fun i m => Rmax (u i) m) (u 0%nat) l <= b.
Proof. intros Z. induction l as [|j l IH]; simpl; auto. intros H. apply Rmax_lub; auto. Qed.

Lemma fold_attained u l : fold_right (fun i m => Rmax (u i) m) (u 0%nat) l = u 0%nat \/
  exists i, In i l /\ fold_right (fun i m => Rmax (u i) m) (u 0%nat) l = u i.
Proof.
  induction l as [|j l IH]; simpl; [auto|]. unfold Rmax. destruct Rle_dec.
  - destruct IH as [E | (i & A & E)]; [auto | right; exists i; auto].
  - right. exists j. auto.
Qed.

Lemma largest_ge u i : (i < n)%nat -> u i <= largest u.
Proof. intros. apply fold_ge. apply in_seq. lia. Qed.

Lemma largest_le u b : (forall i, (i < n)%nat -> u i <= b) -> largest u <= b.
Proof. intros H. apply fold_le; [auto|]. intros i I'. apply in_seq in I'. apply H. lia. Qed.

Lemma largest_attained u : exists i, (i < n)%nat /\ largest u = u i.
Proof.
  destruct (fold_attained u (seq 0 n)) as [E | (i & I' & E)]; [exists 0%nat; auto|].
  apply in_seq in I'. exists i. split; [lia | auto].
Qed.

Lemma coin_in u i : (i < n)%nat -> 0 <= coin u i <= 1.
Proof.
  intros H. unfold coin. split; [apply Rlt_le, exp_pos|]. rewrite <- exp_0. apply exp_le.
  assert (L := largest_ge u i H). lra.
Qed.

Lemma coins_in u i : Forall (fun q => 0 <= q <= 1) (map (coin u) (others i)).
Proof.
  apply Forall_forall. intros q Q. apply in_map_iff in Q. destruct Q as (j & <- & J).
  apply in_remove in J. destruct J as [J _]. apply in_seq in J. apply coin_in. lia.
Qed.

Lemma selects_remove l : NoDup l -> selects l = map (fun i => (i, remove Nat.eq_dec i l)) l.
Proof.
  induction 1 as [|x l NI N IH]; [auto|]. cbn [selects map remove]. destruct (Nat.eq_dec x x); [|congruence]. f_equal.
  - now rewrite notin_remove.
  - rewrite IH, map_map. apply map_ext_in. intros i I'. cbn [fst snd].
    destruct (Nat.eq_dec i x); [subst; contradiction | auto].
Qed.

Lemma selects_map {A B} (f : A -> B) l : selects (map f l) = map (fun z => (f (fst z), map f (snd z))) (selects l).
Proof. induction l as [|x l IH]; simpl; [auto|]. now rewrite IH, !map_map. Qed.

Lemma share_nonneg u i : 0 <= share 0 (map (coin u) (others i)).
Proof.
  rewrite share_integral. apply RInt_ge_0; [lra | apply F_int|]. intros t T. apply F_nonneg; [lra | apply coins_in].
Qed.

Theorem permute_and_flip_law u : law (permute_and_flip u).
Proof.
  apply below_law.
  - intros i H. apply Rmult_le_pos; [now apply coin_in | apply share_nonneg].
  - rewrite <- (shares_sum (map (coin u) (seq 0 n))).
    + rewrite selects_map, (selects_remove (seq 0 n)) by apply seq_NoDup. rewrite !lsum_map.
      apply lsum_ext. intros i _. cbn [fst snd]. now rewrite share_integral.
    + destruct (largest_attained u) as (i & H & E). apply in_map_iff. exists i. split; [|apply in_seq; lia].
      unfold coin. rewrite E. replace (u i - u i) with 0 by ring. apply exp_0.
Qed.

Theorem permute_and_flip_close a b u v :
  (forall i, (i < n)%nat -> u i <= v i + a) -> (forall i, (i < n)%nat -> v i <= u i + b) ->
  close (a + b) (permute_and_flip u) (permute_and_flip v).
Proof.
  intros A B. apply below_close. intros i H.
  set (t := largest u). set (t' := largest v). set (rho := exp (t' - t - b)).
  assert (T : t' <= t + b).
  { apply largest_le. intros j J. specialize (B j J). assert (L := largest_ge u j J). fold t in L. lra. }
  assert (R1 : 0 < rho <= 1) by (split; [apply exp_pos | unfold rho; rewrite <- exp_0; apply exp_le; lra]).
  rewrite !share_integral.
  assert (C : rho * I (map (coin u) (others i)) <= I (map (coin v) (others i))).
  { apply I_compare; auto; try apply coins_in.
    assert (O : forall j, In j (others i) -> (j < n)%nat).
    { intros j J. apply in_remove in J. destruct J as [J _]. apply in_seq in J. lia. }
    clear - B O. induction (others i) as [|j l IH]; simpl; constructor; [|apply IH; intros; apply O; simpl; auto].
    unfold rho, coin. rewrite <- exp_plus. apply exp_le. fold t t'. specialize (B j (O j (or_introl eq_refl))). lra. }
  apply Rle_trans with (exp (a + b) * (coin v i * (rho * I (map (coin u) (others i))))).
  - rewrite <- !Rmult_assoc. apply Rmult_le_compat_r; [rewrite <- share_integral; apply share_nonneg|].
    unfold rho, coin. fold t t'. rewrite <- !exp_plus. apply exp_le. specialize (A i H). lra.
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | auto].
Qed.

(** The candidates tried in turn follow the same law. *)
Theorem permute_and_flip_in_turn u i : (i < n)%nat ->
  permute_and_flip u i = in_turn (n - 1) (coin u i) (map (coin u) (others i)).
Proof.
  intros H. unfold permute_and_flip, below. destruct (Nat.ltb_spec i n); [|lia].
  rewrite <- in_turn_is_share. f_equal. rewrite map_length. unfold others.
  assert (L : forall l, NoDup l -> In i l -> S (length (remove Nat.eq_dec i l)) = length l).
  { clear. induction 1 as [|x l NI N IH]; simpl; [tauto|]. destruct (Nat.eq_dec i x) as [->|D].
    - intros _. now rewrite notin_remove.
    - intros [E | I']; [congruence|]. simpl. now rewrite IH. }
  specialize (L (seq 0 n) (seq_NoDup n 0) ltac:(apply in_seq; lia)). rewrite seq_length in L. lia.
Qed.
End Law.
