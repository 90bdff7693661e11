(* What urcx-check proves of a tablebase bounds the value of the game, however both sides play.

   A game is played in plies: a roll of chance, then a move of whoever is to move in the state. It
   may go on for ever. If an upper function U, at least 0, satisfies F U <= U - eps in every state,
   one side ("dark") can play so that whatever the other ("light") does, the game ends with
   probability 1, and light's expected result is at most U. That is [dark_holds]; [light_holds] is
   the same for a lower function D. Nothing is assumed of how games end: eps > 0 is enough. Light's
   way of playing may depend on all that happened, and on chances of its own.

   Coq, standard library only:  coqc certificate.v *)

Require Import Reals List Lra Psatz Lia.
Import ListNotations.
Open Scope R_scope.

Section Game.

Variable State : Type.

(* What a move leads to: the end of the game, with light's result, or a state. *)
Inductive outcome := Ends (result : R) | Goes (state : State).

(* For each roll, its chance, and the moves; there is always one, if only to pass. *)
Definition roll := (R * (outcome * list outcome))%type.
Definition moves (r : roll) := fst (snd r) :: snd (snd r).

Record game := {
  light_moves : State -> bool;
  rolls : State -> list roll;
}.

Definition sum {A} (f : A -> R) (l : list A) := fold_right (fun a rest => f a + rest) 0 l.

Record well_formed (g : game) := {
  chances_not_negative : forall s r, In r (rolls g s) -> 0 <= fst r;
  chances_sum_to_1 : forall s, sum fst (rolls g s) = 1;
  results : forall s r x, In r (rolls g s) -> In (Ends x) (moves r) -> 0 <= x <= 1;
}.

Definition worth (W : State -> R) (o : outcome) := match o with Ends x => x | Goes s => W s end.

Definition best (light : bool) (W : State -> R) (r : roll) :=
  fold_right (fun o b => (if light then Rmax else Rmin) (worth W o) b) (worth W (fst (snd r))) (snd (snd r)).

(* The operator of the certificate: the mean over rolls of what is best for whoever moves. *)
Definition F (g : game) (W : State -> R) (s : State) :=
  sum (fun r => fst r * best (light_moves g s) W r) (rolls g s).

Lemma best_bounds : forall W r o, In o (moves r) -> best false W r <= worth W o <= best true W r.
Proof.
  intros W [p [first others]] o; unfold moves, best; simpl.
  induction others as [| a rest IH]; simpl; intros H.
  - destruct H as [<- | []]; lra.
  - pose proof (Rmax_l (worth W a) (fold_right (fun o b => Rmax (worth W o) b) (worth W first) rest)).
    pose proof (Rmax_r (worth W a) (fold_right (fun o b => Rmax (worth W o) b) (worth W first) rest)).
    pose proof (Rmin_l (worth W a) (fold_right (fun o b => Rmin (worth W o) b) (worth W first) rest)).
    pose proof (Rmin_r (worth W a) (fold_right (fun o b => Rmin (worth W o) b) (worth W first) rest)).
    destruct H as [H | [H | H]]; subst; [| lra |].
    + destruct (IH (or_introl eq_refl)); lra.
    + destruct (IH (or_intror H)); lra.
Qed.

Lemma best_is_a_move : forall light W r, exists o, In o (moves r) /\ worth W o = best light W r.
Proof.
  intros light W [p [first others]]; unfold moves, best; simpl.
  induction others as [| a rest (o & Ho & IH)]; simpl; [exists first; auto |].
  destruct light;
    [destruct (Rle_dec (worth W a) (worth W o)) | destruct (Rle_dec (worth W o) (worth W a))];
    [exists o | exists a | exists o | exists a]; (split; [tauto |]); rewrite <- IH;
    unfold Rmax, Rmin; destruct Rle_dec; lra.
Qed.

Lemma sum_le : forall {A} (f h : A -> R) l, (forall a, In a l -> f a <= h a) -> sum f l <= sum h l.
Proof.
  intros A f h l; induction l as [| a l IH]; simpl; intros H; [lra |].
  pose proof (H a (or_introl eq_refl)); pose proof (IH (fun b Hb => H b (or_intror Hb))); lra.
Qed.

Lemma sum_linear : forall {A} (f h : A -> R) c l, sum (fun a => f a + c * h a) l = sum f l + c * sum h l.
Proof. intros A f h c l; induction l as [| a l IH]; simpl; [| rewrite IH]; ring. Qed.

(* Dark's policy: a move that is best by U for each roll. *)
Definition policy (g : game) (U : State -> R) (d : State -> roll -> outcome) :=
  forall s r, In r (rolls g s) -> In (d s r) (moves r) /\ worth U (d s r) = best false U r.

(* [Plays n s x q]: light can play so that, in n plies from s against this policy, the expected result
   of games that end is x, and a game is not over with probability q. Each ply, light may choose
   as it likes for each roll, and so differently after each history; [Mixes] has it draw lots. *)
Inductive Plays (g : game) (d : State -> roll -> outcome) : nat -> State -> R -> R -> Prop :=
| Now : forall s, Plays g d 0 s 0 1
| Ply : forall n s (choice : roll -> outcome) (x q : roll -> R),
    (forall r, In r (rolls g s) -> In (choice r) (moves r)) ->
    (forall r, In r (rolls g s) -> light_moves g s = false -> choice r = d s r) ->
    (forall r y, In r (rolls g s) -> choice r = Ends y -> x r = y /\ q r = 0) ->
    (forall r t, In r (rolls g s) -> choice r = Goes t -> Plays g d n t (x r) (q r)) ->
    Plays g d (S n) s (sum (fun r => fst r * x r) (rolls g s)) (sum (fun r => fst r * q r) (rolls g s))
| Mixes : forall n s x q x' q' t, 0 <= t <= 1 -> Plays g d n s x q -> Plays g d n s x' q' ->
    Plays g d n s (t * x + (1 - t) * x') (t * q + (1 - t) * q').

Section Upper.

Variable g : game.
Variable U : State -> R.
Variable d : State -> roll -> outcome.
Variable eps : R.
Hypothesis good : well_formed g.
Hypothesis by_policy : policy g U d.
Hypothesis room : 0 < eps.
Hypothesis not_negative : forall s, 0 <= U s.
Hypothesis upper : forall s, F g U s <= U s - eps.

(* What was shown of a ply holds of n of them: each lowers the mean of U by eps while games go on. *)
Lemma plies : forall n s x q, Plays g d n s x q -> 0 <= x /\ 0 <= q <= 1 /\ x + q * (INR n * eps) <= U s.
Proof.
  intros n s x q H; induction H as
    [s0 | n0 s0 choice x0 q0 legal dark ends goes IH | n0 s0 x0 q0 x1 q1 t Ht _ IHa _ IHb].
  - simpl; pose proof (not_negative s0); repeat split; lra.
  - assert (each : forall r, In r (rolls g s0) ->
      0 <= x0 r /\ 0 <= q0 r <= 1 /\ x0 r + q0 r * (INR n0 * eps) <= worth U (choice r)).
    { intros r Hr; pose proof (legal r Hr) as L; destruct (choice r) as [y | t] eqn:E; simpl.
      - destruct (ends r y Hr E) as [-> ->]; pose proof (results g good s0 r y Hr L); repeat split; lra.
      - exact (IH r t Hr E). }
    assert (value : forall r, In r (rolls g s0) -> worth U (choice r) <= best (light_moves g s0) U r).
    { intros r Hr; destruct (light_moves g s0) eqn:E.
      - apply best_bounds, legal, Hr.
      - rewrite (dark r Hr eq_refl); apply Req_le, by_policy, Hr. }
    assert (nonneg : forall f, (forall r, In r (rolls g s0) -> 0 <= f r) -> 0 <= sum (fun r => fst r * f r) (rolls g s0)).
    { intros f Hf; replace 0 with (sum (fun _ : roll => 0) (rolls g s0)).
      - apply sum_le; intros r Hr; apply Rmult_le_pos; [apply (chances_not_negative g good s0) |]; auto.
      - generalize (rolls g s0); intros l; induction l as [| a l Hl]; simpl; [| rewrite Hl]; lra. }
    assert (most : sum (fun r => fst r * q0 r) (rolls g s0) <= 1).
    { rewrite <- (chances_sum_to_1 g good s0); apply sum_le; intros r Hr.
      pose proof (chances_not_negative g good s0 r Hr); destruct (each r Hr) as (_ & Hq & _); nra. }
    assert (below : sum (fun r => fst r * x0 r) (rolls g s0) + INR n0 * eps * sum (fun r => fst r * q0 r) (rolls g s0)
      <= F g U s0).
    { rewrite <- sum_linear; apply sum_le; intros r Hr.
      pose proof (chances_not_negative g good s0 r Hr); destruct (each r Hr) as (_ & _ & Hx).
      pose proof (value r Hr); nra. }
    pose proof (upper s0); rewrite S_INR.
    assert (0 <= sum (fun r => fst r * q0 r) (rolls g s0)) by (apply nonneg; intros r Hr; apply (each r Hr)).
    split; [apply nonneg; intros r Hr; apply (each r Hr) |]; split; [lra |]; nra.
  - destruct IHa as (? & ? & ?), IHb as (? & ? & ?); repeat split; nra.
Qed.

(* The limit: games end, and light's result is at most U, however unfinished games are counted. *)
Theorem dark_holds : forall s delta, 0 < delta -> exists N, forall n x q, (N <= n)%nat ->
  Plays g d n s x q -> q <= delta /\ forall counted, counted <= 1 -> x + q * counted <= U s + delta.
Proof.
  intros s delta Hd.
  destruct (archimed (U s / (eps * delta))) as [HN _]; set (bound := U s / (eps * delta)) in *.
  exists (Z.to_nat (up bound)); intros n x q Hn H; destruct (plies n s x q H) as (Hx & Hq & Hu).
  assert (large : U s < INR n * (eps * delta)).
  { assert (0 < eps * delta) by nra.
    assert (far : bound < INR n).
    { apply Rlt_le_trans with (IZR (up bound)); [exact HN |].
      rewrite INR_IZR_INZ; apply IZR_le; lia. }
    replace (U s) with (bound * (eps * delta)) by (unfold bound; field; lra).
    apply Rmult_lt_compat_r; assumption. }
  assert (small : q <= delta).
  { destruct (Rle_dec q delta) as [| Hlarge]; [assumption | exfalso].
    pose proof (pos_INR n); assert (0 <= INR n * eps) by nra.
    assert (INR n * eps * delta <= INR n * eps * q) by (apply Rmult_le_compat_l; lra); nra. }
  split; [exact small |]; intros counted Hc.
  pose proof (pos_INR n); assert (0 <= q * (INR n * eps)) by (apply Rmult_le_pos; nra); nra.
Qed.

End Upper.

(* The other side: the same game with results counted for dark. *)
Definition turned (o : outcome) := match o with Ends x => Ends (1 - x) | Goes s => Goes s end.
Definition turned_roll (r : roll) : roll := (fst r, (turned (fst (snd r)), map turned (snd (snd r)))).
Definition dual (g : game) : game :=
  {| light_moves s := negb (light_moves g s); rolls s := map turned_roll (rolls g s) |}.

Lemma best_turned : forall light W r, best (negb light) (fun s => 1 - W s) (turned_roll r) = 1 - best light W r.
Proof.
  intros light W [p [first others]]; unfold best, turned_roll; simpl.
  assert (T : forall o, worth (fun s => 1 - W s) (turned o) = 1 - worth W o) by (intros []; simpl; lra).
  induction others as [| a rest IH]; simpl; [apply T |].
  rewrite IH, T; destruct light; unfold Rmax, Rmin; simpl; repeat destruct Rle_dec; lra.
Qed.

Lemma F_dual : forall g W s, well_formed g -> F (dual g) (fun t => 1 - W t) s = 1 - F g W s.
Proof.
  intros g W s good; unfold F, dual; simpl.
  transitivity (sum fst (rolls g s) - sum (fun r => fst r * best (light_moves g s) W r) (rolls g s)).
  - generalize (rolls g s); intros l; induction l as [| r l IH]; simpl; [| rewrite best_turned, IH]; ring.
  - rewrite (chances_sum_to_1 g good s); reflexivity.
Qed.

Lemma dual_well_formed : forall g, well_formed g -> well_formed (dual g).
Proof.
  intros g [C1 C2 C3]; split; cbn [rolls dual light_moves]; intros s.
  - intros r Hr; apply in_map_iff in Hr as (r' & <- & Hr'); exact (C1 s r' Hr').
  - rewrite <- (C2 s); generalize (rolls g s); intros l; induction l as [| r l IH]; simpl; [| rewrite IH]; reflexivity.
  - intros r x Hr Hx; apply in_map_iff in Hr as (r' & <- & Hr').
    assert (Hm : In (Ends x) (map turned (moves r'))) by exact Hx.
    apply in_map_iff in Hm as ([y | t] & E & Hy); inversion E; subst.
    pose proof (C3 s r' y Hr' Hy); lra.
Qed.

(* With a lower function, light secures D: dark's result, 1 less light's, is at most 1 - D. *)
Theorem light_holds : forall g D d eps, well_formed g -> 0 < eps -> (forall s, D s <= 1) ->
  (forall s, D s + eps <= F g D s) -> policy (dual g) (fun s => 1 - D s) d ->
  forall s delta, 0 < delta -> exists N, forall n x q, (N <= n)%nat ->
  Plays (dual g) d n s x q -> q <= delta /\ forall counted, counted <= 1 -> x + q * counted <= 1 - D s + delta.
Proof.
  intros g D d eps good room most lower by_policy.
  apply (dark_holds (dual g) (fun s => 1 - D s) d eps); auto using dual_well_formed.
  - intros s; pose proof (most s); lra.
  - intros s; rewrite F_dual by assumption; pose proof (lower s); lra.
Qed.

(* Such a policy is there: a best move, which [best_is_a_move] gives. *)
Theorem a_policy : forall g U s r, In r (rolls g s) -> exists o, In o (moves r) /\ worth U o = best false U r.
Proof. intros g U s r _; apply best_is_a_move. Qed.

End Game.

Print Assumptions dark_holds.
Print Assumptions light_holds.
