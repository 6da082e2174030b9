(** * Supermartingales and Ville's inequality

    A run is a list of observations, newest first.  The law of the next observation may depend on all earlier
    ones.  The probability that something ever happens in a run is the limit over finite horizons. *)

From Coq Require Import Reals Lra Psatz List Lia FunctionalExtensionality.
From Privboost Require Import Sums Expectation.
Import ListNotations.
Local Open Scope R_scope.

Section Runs.
Context {O : Type}.
Variable step : list O -> expectation O.
Notation run := (list O).

(** ** Supermartingales: nonnegative numbers whose mean after one more observation is not greater *)
Definition supermartingale (W : run -> R) : Prop :=
  forall h, 0 <= W h /\ has_bound (fun o => W (o :: h)) /\ mean (step h) (fun o => W (o :: h)) <= W h.

Lemma supermartingale_ext V W : (forall h, V h = W h) -> supermartingale V -> supermartingale W.
Proof.
  intros E S h. destruct (S h) as (N & B & M). rewrite <- E. repeat split; auto.
  - apply (has_bound_ext (fun o => V (o :: h))); auto.
  - rewrite <- (mean_ext (step h) (fun o => V (o :: h))); auto.
Qed.

Lemma supermartingale_plus V W : supermartingale V -> supermartingale W -> supermartingale (fun h => V h + W h).
Proof.
  intros SV SW h. destruct (SV h) as (N & B & M). destruct (SW h) as (N' & B' & M').
  repeat split; [lra | now apply has_bound_plus |]. rewrite mean_plus by auto. lra.
Qed.

Lemma supermartingale_scal c W : 0 <= c -> supermartingale W -> supermartingale (fun h => c * W h).
Proof.
  intros C S h. destruct (S h) as (N & B & M). repeat split; [nra | now apply has_bound_scal |].
  rewrite mean_scal by auto. nra.
Qed.

Lemma supermartingale_lsum {A} (W : A -> run -> R) (l : list A) :
  (forall a, In a l -> supermartingale (W a)) -> supermartingale (fun h => lsum (fun a => W a h) l).
Proof.
  induction l as [|a l IH]; intros H; simpl.
  - intros h. repeat split; [lra | apply has_bound_const |]. rewrite mean_const. lra.
  - apply supermartingale_plus; [apply H; simpl; auto | apply IH; intros b I; apply H; simpl; auto].
Qed.

(** A product of factors, each of mean at most 1 given the past. *)
Fixpoint product (factor : run -> O -> R) (h : run) : R :=
  match h with [] => 1 | o :: h' => product factor h' * factor h' o end.

Lemma supermartingale_product factor b :
  (forall h o, 0 <= factor h o <= b) -> (forall h, mean (step h) (factor h) <= 1) -> supermartingale (product factor).
Proof.
  intros F M.
  assert (N : forall h, 0 <= product factor h).
  { induction h as [|o h IH]; simpl; [lra|]. destruct (F h o). now apply Rmult_le_pos. }
  assert (B : forall h, has_bound (factor h)) by (intros h; apply (has_bound_between _ 0 b); apply F).
  intros h. repeat split; auto; simpl; [now apply has_bound_scal|].
  rewrite mean_scal by auto. specialize (M h). specialize (N h). nra.
Qed.

(** ** Ville's inequality *)

(** The probability that [alarm] holds now or within [n] more observations. *)
Fixpoint within (alarm : run -> Prop) (n : nat) (h : run) : R :=
  if decide (alarm h) then 1 else
  match n with 0%nat => 0 | S n' => mean (step h) (fun o => within alarm n' (o :: h)) end.

Lemma within_in alarm n h : 0 <= within alarm n h <= 1.
Proof.
  revert h; induction n as [|n IH]; intros h; simpl; destruct (decide (alarm h)); try lra.
  assert (B : has_bound (fun o => within alarm n (o :: h))) by (apply (has_bound_between _ 0 1); auto).
  split.
  - apply mean_nonneg; auto. intros o; apply IH.
  - rewrite <- (mean_const (step h) 1). apply mean_le; auto using has_bound_const. intros o; apply IH.
Qed.

Lemma within_bound alarm n h : has_bound (fun o => within alarm n (o :: h)).
Proof. apply (has_bound_between _ 0 1). intros o. apply within_in. Qed.

Theorem ville W a : 0 < a -> supermartingale W -> forall n h, within (fun h => / a <= W h) n h <= a * W h.
Proof.
  intros A S. assert (L : forall h, / a <= W h -> 1 <= a * W h).
  { intros h L. apply Rmult_le_compat_l with (r := a) in L; [|lra]. rewrite Rinv_r in L; lra. }
  induction n as [|n IH]; intros h; simpl; destruct (decide (/ a <= W h)) as [H|H]; auto;
    destruct (S h) as (N & B & M); [nra|].
  apply Rle_trans with (mean (step h) (fun o => a * W (o :: h))).
  - apply mean_le; auto using within_bound. now apply has_bound_scal.
  - rewrite mean_scal by auto. nra.
Qed.

(** What implies that the level was reached, now or at any earlier time, is no more probable than that. *)
Definition so_far (P : run -> Prop) (h : run) : Prop := exists later earlier, h = later ++ earlier /\ P earlier.

Lemma so_far_nil P : so_far P [] -> P [].
Proof. intros (l & e & E & H). symmetry in E. apply app_eq_nil in E. destruct E as [_ ->]. auto. Qed.

Lemma so_far_cons P o h : so_far P (o :: h) -> P (o :: h) \/ so_far P h.
Proof.
  intros ([|x l] & e & E & H); simpl in E; [left; now rewrite E|].
  right. exists l, e. split; auto. congruence.
Qed.

Lemma so_far_now (P : run -> Prop) h : P h -> so_far P h.
Proof. intros H. now exists [], h. Qed.

Lemma within_so_far (alarm P : run -> Prop) n : (forall h, alarm h -> so_far P h) ->
  forall h, ~ (exists o h', h = o :: h' /\ so_far P h') -> within alarm n h <= within P n h.
Proof.
  intros H. induction n as [|n IH]; intros h F.
  - simpl. destruct (decide (alarm h)) as [A|A], (decide (P h)) as [Q|Q]; try lra.
    exfalso. apply H in A. destruct h as [|o h].
    + now apply so_far_nil in A.
    + apply so_far_cons in A. destruct A as [A|A]; auto. apply F. now exists o, h.
  - simpl. destruct (decide (P h)) as [Q|Q].
    + assert (I := within_in alarm (S n) h). simpl in I. apply I.
    + destruct (decide (alarm h)) as [A|A].
      * exfalso. apply H in A. destruct h as [|o h].
        -- now apply so_far_nil in A.
        -- apply so_far_cons in A. destruct A as [A|A]; auto. apply F. now exists o, h.
      * apply mean_le; auto using within_bound. intros o. apply IH. intros (o' & h' & E & K).
        injection E as -> ->. destruct h' as [|o'' h''].
        -- apply so_far_nil in K. contradiction.
        -- apply so_far_cons in K. destruct K as [K|K]; auto. apply F. now exists o'', h''.
Qed.

Theorem ville_so_far W a (alarm : run -> Prop) n : 0 < a -> supermartingale W -> W [] <= 1 ->
  (forall h, alarm h -> so_far (fun h => / a <= W h) h) -> within alarm n [] <= a.
Proof.
  intros A S I H. apply Rle_trans with (within (fun h => / a <= W h) n []).
  - apply within_so_far; auto. intros (o & h' & E & _). discriminate.
  - assert (V := ville W a A S n []). nra.
Qed.

(** ** Stopping

    The probability that the run is ended by a rule within [n] observations and [alarm] holds then.  The rule
    may depend on everything seen so far. *)
Fixpoint at_stop (stop alarm : run -> Prop) (n : nat) (h : run) : R :=
  if decide (stop h) then (if decide (alarm h) then 1 else 0) else
  match n with 0%nat => 0 | S n' => mean (step h) (fun o => at_stop stop alarm n' (o :: h)) end.

Lemma at_stop_in stop alarm n h : 0 <= at_stop stop alarm n h <= 1.
Proof.
  revert h; induction n as [|n IH]; intros h; simpl; destruct (decide (stop h)); try (destruct (decide (alarm h)); lra); try lra.
  assert (B : has_bound (fun o => at_stop stop alarm n (o :: h))) by (apply (has_bound_between _ 0 1); auto).
  split.
  - apply mean_nonneg; auto. intros o; apply IH.
  - rewrite <- (mean_const (step h) 1). apply mean_le; auto using has_bound_const. intros o; apply IH.
Qed.

Theorem at_stop_within stop alarm n h : at_stop stop alarm n h <= within alarm n h.
Proof.
  revert h; induction n as [|n IH]; intros h; simpl.
  - destruct (decide (stop h)), (decide (alarm h)); lra.
  - assert (I := at_stop_in stop alarm (S n) h). assert (J := within_in alarm (S n) h). simpl in I, J.
    destruct (decide (alarm h)); [lra|]. destruct (decide (stop h)); [lra|].
    apply mean_le; auto using within_bound. apply (has_bound_between _ 0 1). intros o. apply at_stop_in.
Qed.

(** ** Ever: the limit over all horizons, which is their supremum *)
Definition ever (alarm : run -> Prop) : R := sup (fun r => exists n, r = within alarm n []).

Lemma ever_is_lub alarm : is_lub (fun r => exists n, r = within alarm n []) (ever alarm).
Proof.
  apply sup_is_lub with 1; [exists (within alarm 0 []); now exists 0%nat|].
  intros r (n & ->). apply within_in.
Qed.

Theorem ever_le alarm a : (forall n, within alarm n [] <= a) -> ever alarm <= a.
Proof. intros H. apply ever_is_lub. intros r (n & ->). auto. Qed.
Lemma within_weaken (alarm other : run -> Prop) n h : (forall h, alarm h -> other h) -> within alarm n h <= within other n h.
Proof.
  intros H. revert h; induction n as [|n IH]; intros h; simpl; destruct (decide (alarm h)) as [A|A], (decide (other h)) as [B|B];
    try lra; try (now apply H in A); [|apply mean_le; auto using within_bound].
  assert (W := within_in alarm (S n) h). simpl in W. destruct (decide (alarm h)); [contradiction | lra].
Qed.

Lemma within_never alarm n h : (forall h, ~ alarm h) -> within alarm n h = 0.
Proof.
  intros H. revert h; induction n as [|n IH]; intros h; simpl; destruct (decide (alarm h)) as [A|A]; try (now apply H in A); auto.
  rewrite <- (mean_const (step h) 0). f_equal. apply functional_extensionality. auto.
Qed.

(** ** The union bound: several alarms on the same run *)
Lemma within_or (first second : run -> Prop) n h :
  within (fun h => first h \/ second h) n h <= within first n h + within second n h.
Proof.
  revert h; induction n as [|n IH]; intros h; simpl;
    destruct (decide (first h \/ second h)) as [E|E], (decide (first h)), (decide (second h)); try tauto; try lra.
  - assert (W := within_in second (S n) h). simpl in W. destruct (decide (second h)); [contradiction | lra].
  - assert (W := within_in first (S n) h). simpl in W. destruct (decide (first h)); [contradiction | lra].
  - rewrite <- mean_plus by apply within_bound. apply mean_le; auto using within_bound, has_bound_plus.
Qed.

Lemma ever_within alarm n : within alarm n [] <= ever alarm.
Proof. apply (ever_is_lub alarm). now exists n. Qed.

Lemma ever_weaken (alarm other : run -> Prop) : (forall h, alarm h -> other h) -> ever alarm <= ever other.
Proof.
  intros H. apply ever_le. intros n. apply Rle_trans with (within other n []); [now apply within_weaken | apply ever_within].
Qed.

Theorem ever_any (alarms : nat -> run -> Prop) k :
  ever (fun h => exists i, (i < k)%nat /\ alarms i h) <= lsum (fun i => ever (alarms i)) (seq 0 k).
Proof.
  apply ever_le. intros n. apply Rle_trans with (lsum (fun i => within (alarms i) n []) (seq 0 k)); [|apply lsum_le; intros; apply ever_within].
  induction k as [|k IH].
  - rewrite (within_never (fun h => exists i, (i < 0)%nat /\ alarms i h)); [simpl; lra|]. intros h (i & L & _). lia.
  - rewrite seq_S, lsum_app. cbn [lsum Nat.add].
    apply Rle_trans with (within (fun h => (exists i, (i < k)%nat /\ alarms i h) \/ alarms k h) n []).
    + apply within_weaken. intros h (i & L & A). destruct (Nat.eq_dec i k) as [-> | N]; [auto|]. left. exists i. split; [lia | auto].
    + assert (U := within_or (fun h => exists i, (i < k)%nat /\ alarms i h) (alarms k) n []). lra.
Qed.
End Runs.
