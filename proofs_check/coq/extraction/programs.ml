(* Written by `make extracted` from Coq sources with the digest bfea772e538ad5e4304ef0d8. *)

type __ = Obj.t

(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type ('a, 'b) sum =
| Inl of 'a
| Inr of 'b

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val length : 'a1 list -> Numbers.t **)

let rec length = function
| [] -> Numbers.zero
| _ :: l' -> Numbers.succ (length l')

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

(** val eqb : bool -> bool -> bool **)

let eqb b1 b2 =
  if b1 then b2 else if b2 then false else true

module Nat =
 struct
  (** val add : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec add n m =
    Numbers.match_natural
      (fun _ -> m)
      (fun p -> Numbers.succ (add p m))
      n

  (** val mul : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec mul n m =
    Numbers.match_natural
      (fun _ -> Numbers.zero)
      (fun p -> add m (mul p m))
      n

  (** val sub : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec sub n m =
    Numbers.match_natural
      (fun _ -> n)
      (fun k -> Numbers.match_natural
                  (fun _ -> n)
                  (fun l -> sub k l)
                  m)
      n

  (** val divmod :
      Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t ->
      Numbers.t * Numbers.t **)

  let rec divmod x y q u =
    Numbers.match_natural
      (fun _ -> (q, u))
      (fun x' ->
      Numbers.match_natural
        (fun _ -> divmod x' y (Numbers.succ q) y)
        (fun u' -> divmod x' y q u')
        u)
      x

  (** val eq_dec : Numbers.t -> Numbers.t -> bool **)

  let rec eq_dec n m =
    Numbers.match_natural
      (fun _ ->
      Numbers.match_natural
        (fun _ -> true)
        (fun _ -> false)
        m)
      (fun n0 ->
      Numbers.match_natural
        (fun _ -> false)
        (fun n1 -> eq_dec n0 n1)
        m)
      n
 end

module Pos =
 struct
  type mask =
  | IsNul
  | IsPos of Numbers.t
  | IsNeg
 end

module Coq_Pos =
 struct
  (** val succ : Numbers.t -> Numbers.t **)

  let rec succ x =
    Numbers.match_positive
      (fun p -> Numbers.twice (succ p))
      (fun p -> Numbers.twice_plus_one p)
      (fun _ -> Numbers.twice Numbers.one)
      x

  (** val add : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec add x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> Numbers.twice (add_carry p q))
        (fun q -> Numbers.twice_plus_one (add p q))
        (fun _ -> Numbers.twice (succ p))
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> Numbers.twice_plus_one (add p q))
        (fun q -> Numbers.twice (add p q))
        (fun _ -> Numbers.twice_plus_one p)
        y)
      (fun _ ->
      Numbers.match_positive
        (fun q -> Numbers.twice (succ q))
        (fun q -> Numbers.twice_plus_one q)
        (fun _ -> Numbers.twice Numbers.one)
        y)
      x

  (** val add_carry : Numbers.t -> Numbers.t -> Numbers.t **)

  and add_carry x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> Numbers.twice_plus_one (add_carry p q))
        (fun q -> Numbers.twice (add_carry p q))
        (fun _ -> Numbers.twice_plus_one (succ p))
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> Numbers.twice (add_carry p q))
        (fun q -> Numbers.twice_plus_one (add p q))
        (fun _ -> Numbers.twice (succ p))
        y)
      (fun _ ->
      Numbers.match_positive
        (fun q -> Numbers.twice_plus_one (succ q))
        (fun q -> Numbers.twice (succ q))
        (fun _ -> Numbers.twice_plus_one Numbers.one)
        y)
      x

  (** val pred_double : Numbers.t -> Numbers.t **)

  let rec pred_double x =
    Numbers.match_positive
      (fun p -> Numbers.twice_plus_one (Numbers.twice p))
      (fun p -> Numbers.twice_plus_one (pred_double p))
      (fun _ -> Numbers.one)
      x

  type mask = Pos.mask =
  | IsNul
  | IsPos of Numbers.t
  | IsNeg

  (** val succ_double_mask : mask -> mask **)

  let succ_double_mask = function
  | IsNul -> IsPos Numbers.one
  | IsPos p -> IsPos (Numbers.twice_plus_one p)
  | IsNeg -> IsNeg

  (** val double_mask : mask -> mask **)

  let double_mask = function
  | IsPos p -> IsPos (Numbers.twice p)
  | x0 -> x0

  (** val double_pred_mask : Numbers.t -> mask **)

  let double_pred_mask x =
    Numbers.match_positive
      (fun p -> IsPos (Numbers.twice (Numbers.twice p)))
      (fun p -> IsPos (Numbers.twice (pred_double p)))
      (fun _ -> IsNul)
      x

  (** val sub_mask : Numbers.t -> Numbers.t -> mask **)

  let rec sub_mask x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> double_mask (sub_mask p q))
        (fun q -> succ_double_mask (sub_mask p q))
        (fun _ -> IsPos (Numbers.twice p))
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun _ ->
      Numbers.match_positive
        (fun _ -> IsNeg)
        (fun _ -> IsNeg)
        (fun _ -> IsNul)
        y)
      x

  (** val sub_mask_carry : Numbers.t -> Numbers.t -> mask **)

  and sub_mask_carry x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun q -> double_mask (sub_mask p q))
        (fun _ -> IsPos (pred_double p))
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> double_mask (sub_mask_carry p q))
        (fun q -> succ_double_mask (sub_mask_carry p q))
        (fun _ -> double_pred_mask p)
        y)
      (fun _ -> IsNeg)
      x

  (** val mul : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec mul x y =
    Numbers.match_positive
      (fun p -> add y (Numbers.twice (mul p y)))
      (fun p -> Numbers.twice (mul p y))
      (fun _ -> y)
      x

  (** val iter : ('a1 -> 'a1) -> 'a1 -> Numbers.t -> 'a1 **)

  let rec iter f x n =
    Numbers.match_positive
      (fun n' -> f (iter f (iter f x n') n'))
      (fun n' -> iter f (iter f x n') n')
      (fun _ -> f x)
      n

  (** val size : Numbers.t -> Numbers.t **)

  let rec size p =
    Numbers.match_positive
      (fun p0 -> succ (size p0))
      (fun p0 -> succ (size p0))
      (fun _ -> Numbers.one)
      p

  (** val compare_cont :
      comparison -> Numbers.t -> Numbers.t -> comparison **)

  let rec compare_cont r x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont Gt p q)
        (fun _ -> Gt)
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> compare_cont Lt p q)
        (fun q -> compare_cont r p q)
        (fun _ -> Gt)
        y)
      (fun _ ->
      Numbers.match_positive
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun _ -> r)
        y)
      x

  (** val compare : Numbers.t -> Numbers.t -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : Numbers.t -> Numbers.t -> bool **)

  let rec eqb p q =
    Numbers.match_positive
      (fun p0 ->
      Numbers.match_positive
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        (fun _ -> false)
        q)
      (fun p0 ->
      Numbers.match_positive
        (fun _ -> false)
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        q)
      (fun _ ->
      Numbers.match_positive
        (fun _ -> false)
        (fun _ -> false)
        (fun _ -> true)
        q)
      p

  (** val leb : Numbers.t -> Numbers.t -> bool **)

  let leb x y =
    match compare x y with
    | Gt -> false
    | _ -> true

  (** val sqrtrem_step :
      (Numbers.t -> Numbers.t) -> (Numbers.t -> Numbers.t) ->
      (Numbers.t * mask) -> Numbers.t * mask **)

  let sqrtrem_step f g = function
  | (s, y) ->
    (match y with
     | IsPos r ->
       let s' = Numbers.twice_plus_one (Numbers.twice s) in
       let r' = g (f r) in
       if leb s' r'
       then ((Numbers.twice_plus_one s), (sub_mask r' s'))
       else ((Numbers.twice s), (IsPos r'))
     | _ ->
       ((Numbers.twice s),
         (sub_mask (g (f Numbers.one)) (Numbers.twice (Numbers.twice
           Numbers.one)))))

  (** val sqrtrem : Numbers.t -> Numbers.t * mask **)

  let rec sqrtrem p =
    Numbers.match_positive
      (fun p0 ->
      Numbers.match_positive
        (fun p1 ->
        sqrtrem_step (fun x -> Numbers.twice_plus_one x) (fun x ->
          Numbers.twice_plus_one x) (sqrtrem p1))
        (fun p1 ->
        sqrtrem_step (fun x -> Numbers.twice x) (fun x ->
          Numbers.twice_plus_one x) (sqrtrem p1))
        (fun _ -> (Numbers.one, (IsPos (Numbers.twice Numbers.one))))
        p0)
      (fun p0 ->
      Numbers.match_positive
        (fun p1 ->
        sqrtrem_step (fun x -> Numbers.twice_plus_one x) (fun x ->
          Numbers.twice x) (sqrtrem p1))
        (fun p1 ->
        sqrtrem_step (fun x -> Numbers.twice x) (fun x -> Numbers.twice x)
          (sqrtrem p1))
        (fun _ -> (Numbers.one, (IsPos Numbers.one)))
        p0)
      (fun _ -> (Numbers.one, IsNul))
      p

  (** val sqrt : Numbers.t -> Numbers.t **)

  let sqrt p =
    fst (sqrtrem p)

  (** val iter_op : ('a1 -> 'a1 -> 'a1) -> Numbers.t -> 'a1 -> 'a1 **)

  let rec iter_op op p a =
    Numbers.match_positive
      (fun p0 -> op a (iter_op op p0 (op a a)))
      (fun p0 -> iter_op op p0 (op a a))
      (fun _ -> a)
      p

  (** val to_nat : Numbers.t -> Numbers.t **)

  let to_nat x =
    iter_op Numbers.add x (Numbers.succ Numbers.zero)

  (** val of_succ_nat : Numbers.t -> Numbers.t **)

  let rec of_succ_nat n =
    Numbers.match_natural
      (fun _ -> Numbers.one)
      (fun x -> succ (of_succ_nat x))
      n
 end

module Z =
 struct
  (** val double : Numbers.t -> Numbers.t **)

  let double x =
    Numbers.match_integer
      (fun _ -> Numbers.zero)
      (fun p -> (Numbers.twice p))
      (fun p -> Numbers.opp (Numbers.twice p))
      x

  (** val succ_double : Numbers.t -> Numbers.t **)

  let succ_double x =
    Numbers.match_integer
      (fun _ -> Numbers.one)
      (fun p -> (Numbers.twice_plus_one p))
      (fun p -> Numbers.opp (Coq_Pos.pred_double p))
      x

  (** val pred_double : Numbers.t -> Numbers.t **)

  let pred_double x =
    Numbers.match_integer
      (fun _ -> Numbers.opp Numbers.one)
      (fun p -> (Coq_Pos.pred_double p))
      (fun p -> Numbers.opp (Numbers.twice_plus_one p))
      x

  (** val pos_sub : Numbers.t -> Numbers.t -> Numbers.t **)

  let rec pos_sub x y =
    Numbers.match_positive
      (fun p ->
      Numbers.match_positive
        (fun q -> double (pos_sub p q))
        (fun q -> succ_double (pos_sub p q))
        (fun _ -> (Numbers.twice p))
        y)
      (fun p ->
      Numbers.match_positive
        (fun q -> pred_double (pos_sub p q))
        (fun q -> double (pos_sub p q))
        (fun _ -> (Coq_Pos.pred_double p))
        y)
      (fun _ ->
      Numbers.match_positive
        (fun q -> Numbers.opp (Numbers.twice q))
        (fun q -> Numbers.opp (Coq_Pos.pred_double q))
        (fun _ -> Numbers.zero)
        y)
      x

  (** val pow_pos : Numbers.t -> Numbers.t -> Numbers.t **)

  let pow_pos z0 =
    Coq_Pos.iter (Numbers.mul z0) Numbers.one

  (** val compare : Numbers.t -> Numbers.t -> comparison **)

  let compare x y =
    Numbers.match_integer
      (fun _ ->
      Numbers.match_integer
        (fun _ -> Eq)
        (fun _ -> Lt)
        (fun _ -> Gt)
        y)
      (fun x' ->
      Numbers.match_integer
        (fun _ -> Gt)
        (fun y' -> Coq_Pos.compare x' y')
        (fun _ -> Gt)
        y)
      (fun x' ->
      Numbers.match_integer
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun y' -> compOpp (Coq_Pos.compare x' y'))
        y)
      x

  (** val pos_div_eucl : Numbers.t -> Numbers.t -> Numbers.t * Numbers.t **)

  let rec pos_div_eucl a b =
    Numbers.match_positive
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' =
        Numbers.add (Numbers.mul (Numbers.twice Numbers.one) r) Numbers.one
      in
      if Numbers.lt r' b
      then ((Numbers.mul (Numbers.twice Numbers.one) q), r')
      else ((Numbers.add (Numbers.mul (Numbers.twice Numbers.one) q)
              Numbers.one), (Numbers.sub r' b)))
      (fun a' ->
      let (q, r) = pos_div_eucl a' b in
      let r' = Numbers.mul (Numbers.twice Numbers.one) r in
      if Numbers.lt r' b
      then ((Numbers.mul (Numbers.twice Numbers.one) q), r')
      else ((Numbers.add (Numbers.mul (Numbers.twice Numbers.one) q)
              Numbers.one), (Numbers.sub r' b)))
      (fun _ ->
      if Numbers.leq (Numbers.twice Numbers.one) b
      then (Numbers.zero, Numbers.one)
      else (Numbers.one, Numbers.zero))
      a

  (** val div_eucl : Numbers.t -> Numbers.t -> Numbers.t * Numbers.t **)

  let div_eucl a b =
    Numbers.match_integer
      (fun _ -> (Numbers.zero, Numbers.zero))
      (fun a' ->
      Numbers.match_integer
        (fun _ -> (Numbers.zero, a))
        (fun _ -> pos_div_eucl a' b)
        (fun b' ->
        let (q, r) = pos_div_eucl a' b' in
        (Numbers.match_integer
           (fun _ -> ((Numbers.opp q), Numbers.zero))
           (fun _ -> ((Numbers.opp (Numbers.add q Numbers.one)),
           (Numbers.add b r)))
           (fun _ -> ((Numbers.opp (Numbers.add q Numbers.one)),
           (Numbers.add b r)))
           r))
        b)
      (fun a' ->
      Numbers.match_integer
        (fun _ -> (Numbers.zero, a))
        (fun _ ->
        let (q, r) = pos_div_eucl a' b in
        (Numbers.match_integer
           (fun _ -> ((Numbers.opp q), Numbers.zero))
           (fun _ -> ((Numbers.opp (Numbers.add q Numbers.one)),
           (Numbers.sub b r)))
           (fun _ -> ((Numbers.opp (Numbers.add q Numbers.one)),
           (Numbers.sub b r)))
           r))
        (fun b' -> let (q, r) = pos_div_eucl a' b' in (q, (Numbers.opp r)))
        b)
      a
 end

(** val nth : Numbers.t -> 'a1 list -> 'a1 -> 'a1 **)

let rec nth n l default =
  Numbers.match_natural
    (fun _ -> match l with
              | [] -> default
              | x :: _ -> x)
    (fun m -> match l with
              | [] -> default
              | _ :: t -> nth m t default)
    n

(** val remove : ('a1 -> 'a1 -> bool) -> 'a1 -> 'a1 list -> 'a1 list **)

let rec remove eq_dec0 x = function
| [] -> []
| y :: tl ->
  if eq_dec0 x y then remove eq_dec0 x tl else y :: (remove eq_dec0 x tl)

(** val concat : 'a1 list list -> 'a1 list **)

let rec concat = function
| [] -> []
| x :: l0 -> app x (concat l0)

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val seq : Numbers.t -> Numbers.t -> Numbers.t list **)

let rec seq start len =
  Numbers.match_natural
    (fun _ -> [])
    (fun len0 -> start :: (seq (Numbers.succ start) len0))
    len

(** val repeat : 'a1 -> Numbers.t -> 'a1 list **)

let rec repeat x n =
  Numbers.match_natural
    (fun _ -> [])
    (fun k -> x :: (repeat x k))
    n

type 'x prog =
| Ret of 'x
| Bit
| Bind of __ prog * (__ -> 'x prog)
| Loop of (__ -> (__, 'x) sum prog) * __

type relation =
| Exchange
| AddRemove

(** val gRID : Numbers.t **)

let gRID =
  (Numbers.twice (Numbers.twice (Numbers.twice (Numbers.twice (Numbers.twice
    (Numbers.twice (Numbers.twice (Numbers.twice (Numbers.twice
    (Numbers.twice Numbers.one))))))))))

type output =
| Minority of Numbers.t
| Splits of Numbers.t list
| Leaves of Numbers.t list list

type history = output list

(** val levels : history -> Numbers.t list list **)

let rec levels = function
| [] -> []
| o :: h' ->
  (match o with
   | Minority _ -> levels h'
   | Splits cs -> app (levels h') (cs :: [])
   | Leaves _ -> [])

(** val walk :
    (Numbers.t -> 'a1 -> bool) -> Numbers.t list list -> Numbers.t -> 'a1 ->
    Numbers.t **)

let rec walk test chosen node x =
  match chosen with
  | [] -> node
  | cs :: below ->
    walk test below
      (Numbers.add
        (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) node)
        (if test (nth node cs Numbers.zero) x
         then Numbers.succ Numbers.zero
         else Numbers.zero)) x

(** val contribution_of :
    (('a1 * bool) -> Numbers.t) -> (('a1 * bool) -> Numbers.t) -> Numbers.t
    -> bool -> ('a1 * bool) -> Numbers.t **)

let contribution_of node weight l y r =
  if (&&) (Numbers.equal (node r) l) (eqb (snd r) y)
  then weight r
  else Numbers.zero

(** val mass_of :
    (('a1 * bool) -> Numbers.t) -> (('a1 * bool) -> Numbers.t) ->
    ('a1 * bool) list -> Numbers.t -> bool -> Numbers.t **)

let mass_of node weight s l y =
  fold_right (fun r z0 -> Numbers.add (contribution_of node weight l y r) z0)
    Numbers.zero s

type net_parameters = { net_relation : relation; net_trees : Numbers.t;
                        net_depth : Numbers.t; net_size : Numbers.t;
                        epsilon_num : Numbers.t; epsilon_den : Numbers.t;
                        alpha_num : Numbers.t; alpha_den : Numbers.t }

(** val nET_STEP : Numbers.t **)

let nET_STEP =
  Numbers.div gRID (Numbers.twice (Numbers.twice Numbers.one))

(** val rows_touched : relation -> Numbers.t **)

let rows_touched = function
| Exchange -> (Numbers.twice Numbers.one)
| AddRemove -> Numbers.one

(** val floor_ratio : Numbers.t -> Numbers.t -> Numbers.t **)

let floor_ratio numerator square0 =
  Numbers.sqrt (Numbers.div (Numbers.mul numerator numerator) square0)

(** val ceiling_ratio : Numbers.t -> Numbers.t -> Numbers.t **)

let ceiling_ratio numerator square0 =
  let down = floor_ratio numerator square0 in
  if Numbers.lt (Numbers.mul (Numbers.mul down down) square0)
       (Numbers.mul numerator numerator)
  then Numbers.add down Numbers.one
  else down

(** val weight_of_margin :
    Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t **)

let weight_of_margin p q signed_margin =
  let steps = Numbers.abs signed_margin in
  let beyond =
    Numbers.max
      (Numbers.sub (Numbers.mul steps q)
        (Numbers.mul (Numbers.mul (Numbers.twice Numbers.one) gRID)
          (Numbers.sub q p))) Numbers.zero
  in
  let square0 =
    Numbers.add
      (Numbers.mul
        (Numbers.mul (Numbers.mul (Numbers.twice Numbers.one) gRID) p)
        (Numbers.mul (Numbers.mul (Numbers.twice Numbers.one) gRID) p))
      (Numbers.mul beyond beyond)
  in
  if Numbers.lt signed_margin Numbers.zero
  then Numbers.min
         (Numbers.div
           (Numbers.add gRID (floor_ratio (Numbers.mul gRID beyond) square0))
           (Numbers.twice Numbers.one))
         (Numbers.div gRID (Numbers.twice Numbers.one))
  else Numbers.max Numbers.one
         (Numbers.div
           (Numbers.sub gRID
             (ceiling_ratio (Numbers.mul gRID beyond) square0))
           (Numbers.twice Numbers.one))

(** val leaf_value : net_parameters -> Numbers.t -> Numbers.t **)

let leaf_value n net =
  let factor =
    Numbers.mul
      (Numbers.mul
        (Numbers.pow (Numbers.twice Numbers.one)
          (Numbers.add (Numbers.of_natural n.net_depth) Numbers.one))
        n.epsilon_num) nET_STEP
  in
  let divisor =
    Numbers.mul gRID
      (Numbers.add (Numbers.mul n.net_size n.epsilon_num)
        (Numbers.mul
          (Numbers.mul
            (Numbers.mul
              (Numbers.pow (Numbers.twice Numbers.one)
                (Numbers.of_natural n.net_depth))
              (rows_touched n.net_relation)) (Numbers.of_natural n.net_trees))
          n.epsilon_den))
  in
  Numbers.min
    (Numbers.max (Numbers.div (Numbers.mul net factor) divisor)
      (Numbers.opp nET_STEP)) nET_STEP

(** val margin :
    net_parameters -> (Numbers.t -> 'a1 -> bool) -> history -> 'a1 ->
    Numbers.t **)

let rec margin n test h x =
  match h with
  | [] -> Numbers.zero
  | o :: h' ->
    (match o with
     | Leaves nets ->
       Numbers.add
         (leaf_value n
           (nth Numbers.zero
             (nth (walk test (levels h') Numbers.zero x) nets [])
             Numbers.zero)) (margin n test h' x)
     | _ -> margin n test h' x)

(** val net_weight :
    net_parameters -> (Numbers.t -> 'a1 -> bool) -> history -> 'a1 -> bool ->
    Numbers.t **)

let net_weight n test h x positive0 =
  weight_of_margin n.alpha_num n.alpha_den
    (if positive0 then margin n test h x else Numbers.opp (margin n test h x))

(** val net_mass :
    net_parameters -> (Numbers.t -> 'a1 -> bool) -> history -> ('a1 * bool)
    list -> Numbers.t -> bool -> Numbers.t **)

let net_mass n test h s l y =
  mass_of (fun r -> walk test (levels h) Numbers.zero (fst r)) (fun r ->
    net_weight n test h (fst r) (snd r)) s l y

(** val digit : bool -> Numbers.t **)

let digit = function
| true -> Numbers.succ Numbers.zero
| false -> Numbers.zero

(** val compare_digit :
    (Numbers.t -> Numbers.t -> bool option) -> (Numbers.t * Numbers.t) ->
    (Numbers.t * Numbers.t, bool) sum prog **)

let compare_digit verdict = function
| (c, d) ->
  (match verdict c d with
   | Some b -> Ret (Inr b)
   | None ->
     Bind (Bit, (fun b -> Ret (Inl
       ((Numbers.add
          (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) c)
          (digit (Obj.magic b))), (Numbers.succ d))))))

(** val lazy_coin : (Numbers.t -> Numbers.t -> bool option) -> bool prog **)

let lazy_coin verdict =
  Loop ((Obj.magic compare_digit verdict),
    (Obj.magic (Numbers.zero, Numbers.zero)))

(** val draw_bits : Numbers.t -> Numbers.t prog **)

let rec draw_bits width =
  Numbers.match_natural
    (fun _ -> Ret Numbers.zero)
    (fun w -> Bind ((Obj.magic draw_bits w), (fun v -> Bind (Bit, (fun b ->
    Ret
    (Numbers.add
      (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) (Obj.magic v))
      (digit (Obj.magic b))))))))
    width

(** val accepted : Numbers.t -> Numbers.t -> Numbers.t -> bool **)

let accepted n width =
  let n0 = Numbers.pow (Numbers.succ (Numbers.succ Numbers.zero)) width in
  (fun v ->
  Numbers.leq (Numbers.modulo_natural n0 n)
    (Numbers.modulo_natural (Numbers.mul v n) n0))

(** val quotient : Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t **)

let quotient n width =
  let n0 = Numbers.pow (Numbers.succ (Numbers.succ Numbers.zero)) width in
  (fun v -> Numbers.div (Numbers.mul v n) n0)

(** val try_once :
    Numbers.t -> Numbers.t -> unit -> (unit, Numbers.t) sum prog **)

let try_once n width _ =
  Bind ((Obj.magic draw_bits width), (fun v -> Ret
    (if accepted n width (Obj.magic v)
     then Inr (quotient n width (Obj.magic v))
     else Inl ())))

(** val uniform_below : Numbers.t -> Numbers.t -> Numbers.t prog **)

let uniform_below n width =
  Loop ((Obj.magic try_once n width), (Obj.magic ()))

(** val recycle :
    Numbers.t -> (Numbers.t * Numbers.t) -> (Numbers.t * Numbers.t,
    Numbers.t) sum prog **)

let recycle n = function
| (size0, value) ->
  if Numbers.leq n size0
  then if Numbers.lt value n
       then Ret (Inr value)
       else Ret (Inl ((Numbers.sub_natural size0 n),
              (Numbers.sub_natural value n)))
  else Bind (Bit, (fun b -> Ret (Inl
         ((Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) size0),
         (Numbers.add
           (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) value)
           (digit (Obj.magic b)))))))

(** val recycling_uniform : Numbers.t -> Numbers.t prog **)

let recycling_uniform n =
  Loop ((Obj.magic recycle n),
    (Obj.magic ((Numbers.succ Numbers.zero), Numbers.zero)))

(** val ceiling : Numbers.t -> Numbers.t -> Numbers.t **)

let ceiling a b =
  Numbers.opp (Numbers.div (Numbers.opp a) b)

(** val bit_length : Numbers.t -> Numbers.t **)

let bit_length z0 =
  if Numbers.leq z0 Numbers.zero
  then Numbers.zero
  else Numbers.to_natural (Numbers.add (Numbers.log2 z0) Numbers.one)

(** val two_to : Numbers.t -> Numbers.t **)

let two_to n =
  Numbers.pow (Numbers.twice Numbers.one) (Numbers.of_natural n)

(** val series :
    Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t ->
    Numbers.t -> Numbers.t * Numbers.t **)

let rec series fuel x y term sum0 count =
  Numbers.match_natural
    (fun _ -> (sum0, count))
    (fun fuel' ->
    if Numbers.equal term Numbers.zero
    then (sum0, count)
    else let term' =
           Numbers.div (Numbers.mul term x)
             (Numbers.mul y (Numbers.add count Numbers.one))
         in
         series fuel' x y term'
           (if Numbers.is_odd (Numbers.add count Numbers.one)
            then Numbers.sub sum0 term'
            else Numbers.add sum0 term') (Numbers.add count Numbers.one))
    fuel

(** val enclose_exp :
    Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t * Numbers.t **)

let enclose_exp x y precision =
  let (sum0, count) =
    series
      (Numbers.add precision (Numbers.succ (Numbers.succ (Numbers.succ
        Numbers.zero)))) x y (two_to precision) (two_to precision)
      Numbers.zero
  in
  ((Numbers.sub sum0 (Numbers.mul (Numbers.twice Numbers.one) count)),
  (Numbers.add sum0 (Numbers.mul (Numbers.twice Numbers.one) count)))

(** val square :
    Numbers.t -> (Numbers.t * Numbers.t) -> Numbers.t * Numbers.t **)

let square precision b =
  ((Numbers.div (Numbers.mul (fst b) (fst b)) (two_to precision)),
    (ceiling (Numbers.mul (snd b) (snd b)) (two_to precision)))

(** val squared :
    Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) -> Numbers.t * Numbers.t **)

let rec squared n precision b =
  Numbers.match_natural
    (fun _ -> b)
    (fun n' -> squared n' precision (square precision b))
    n

(** val digit_bounds :
    Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) -> Numbers.t * Numbers.t **)

let digit_bounds precision width b =
  ((Numbers.div (Numbers.mul (fst b) (two_to width))
     (Numbers.add (two_to precision) (fst b))),
    (ceiling (Numbers.mul (snd b) (two_to width))
      (Numbers.add (two_to precision) (snd b))))

(** val more_bounds :
    Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) -> Numbers.t * Numbers.t **)

let more_bounds precision width b =
  ((Numbers.div (Numbers.mul (fst b) (two_to width)) (two_to precision)),
    (ceiling (Numbers.mul (snd b) (two_to width)) (two_to precision)))

(** val digits_bounds :
    Numbers.t -> Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) ->
    (Numbers.t * Numbers.t) list **)

let rec digits_bounds n precision width b =
  Numbers.match_natural
    (fun _ -> [])
    (fun n' ->
    (digit_bounds precision width b) :: (digits_bounds n' precision width
                                          (square precision b)))
    n

(** val halvings : Numbers.t -> Numbers.t -> Numbers.t **)

let halvings numerator denominator =
  bit_length (Numbers.div denominator numerator)

(** val enclose_chances :
    Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t ->
    (Numbers.t * Numbers.t) list **)

let enclose_chances numerator denominator n_digits0 width =
  let halved = halvings numerator denominator in
  let precision =
    Numbers.add (Numbers.add (Numbers.add width halved) n_digits0)
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ Numbers.zero))))))))))))
  in
  let b =
    squared halved precision
      (enclose_exp denominator (Numbers.mul numerator (two_to halved))
        precision)
  in
  app (digits_bounds n_digits0 precision width b)
    ((digit_bounds precision width b) :: ((more_bounds precision width
                                            (squared n_digits0 precision b)) :: []))

(** val append_bits : Numbers.t -> Numbers.t -> Numbers.t prog **)

let rec append_bits count x =
  Numbers.match_natural
    (fun _ -> Ret x)
    (fun count' -> Bind (Bit, (fun b ->
    append_bits count'
      (Numbers.add (Numbers.mul (Numbers.twice Numbers.one) x)
        (if Obj.magic b then Numbers.one else Numbers.zero)))))
    count

(** val first_numbers : Numbers.t -> Numbers.t -> Numbers.t list prog **)

let rec first_numbers width coins =
  Numbers.match_natural
    (fun _ -> Ret [])
    (fun coins' -> Bind ((Obj.magic first_numbers width coins'), (fun xs ->
    Bind
    ((Obj.magic append_bits (Numbers.succ (Numbers.succ (Numbers.succ
       (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
       Numbers.zero)))))))) Numbers.zero), (fun _ -> Bind
    ((Obj.magic append_bits width Numbers.zero), (fun x -> Ret
    ((Obj.magic x) :: (Obj.magic xs)))))))))
    coins

(** val longer_numbers :
    Numbers.t -> Numbers.t list -> Numbers.t list prog **)

let rec longer_numbers width = function
| [] -> Ret []
| x :: rest ->
  Bind ((Obj.magic append_bits width x), (fun y -> Bind
    ((Obj.magic longer_numbers width rest), (fun ys -> Ret
    ((Obj.magic y) :: (Obj.magic ys))))))

(** val is_decided : Numbers.t -> (Numbers.t * Numbers.t) -> bool **)

let is_decided x b =
  (||) (Numbers.lt x (fst b)) (Numbers.leq (snd b) x)

(** val all_decided :
    Numbers.t list -> (Numbers.t * Numbers.t) list -> bool **)

let rec all_decided xs bounds =
  match xs with
  | [] -> true
  | x :: xs' ->
    (match bounds with
     | [] -> true
     | b :: bounds' -> (&&) (is_decided x b) (all_decided xs' bounds'))

(** val outcomes :
    Numbers.t list -> (Numbers.t * Numbers.t) list -> bool list **)

let rec outcomes xs bounds =
  match xs with
  | [] -> []
  | x :: xs' ->
    (match bounds with
     | [] -> []
     | b :: bounds' -> (Numbers.lt x (fst b)) :: (outcomes xs' bounds'))

(** val toss_again :
    (Numbers.t -> (Numbers.t * Numbers.t) list) -> (Numbers.t * Numbers.t
    list) -> (Numbers.t * Numbers.t list, bool list) sum prog **)

let toss_again bounds s =
  Bind ((Obj.magic longer_numbers (fst s) (snd s)), (fun ys ->
    let width = Numbers.add (fst s) (fst s) in
    let known = bounds width in
    Ret
    (if all_decided (Obj.magic ys) known
     then Inr (outcomes (Obj.magic ys) known)
     else Inl (width, (Obj.magic ys)))))

(** val toss_together :
    (Numbers.t -> (Numbers.t * Numbers.t) list) -> Numbers.t -> Numbers.t ->
    bool list prog **)

let toss_together bounds width coins =
  Bind ((Obj.magic first_numbers width coins), (fun xs ->
    let known = bounds width in
    if all_decided (Obj.magic xs) known
    then Ret (outcomes (Obj.magic xs) known)
    else Loop ((Obj.magic toss_again bounds), (Obj.magic (width, xs)))))

(** val count_on :
    bool prog -> Numbers.t -> (Numbers.t, Numbers.t) sum prog **)

let count_on toss k =
  Bind ((Obj.magic toss), (fun b -> Ret
    (if Obj.magic b then Inl (Numbers.succ k) else Inr k)))

(** val count_successes : bool prog -> Numbers.t prog **)

let count_successes toss =
  Loop ((Obj.magic count_on toss), (Obj.magic Numbers.zero))

(** val by_digits :
    (Numbers.t -> bool prog) -> Numbers.t prog -> Numbers.t -> Numbers.t ->
    Numbers.t prog **)

let rec by_digits toss upper n j =
  Numbers.match_natural
    (fun _ -> upper)
    (fun n' -> Bind ((Obj.magic toss j), (fun b -> Bind
    ((Obj.magic by_digits toss upper n' (Numbers.succ j)), (fun g -> Ret
    (Numbers.add
      (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) (Obj.magic g))
      (digit (Obj.magic b))))))))
    n

(** val laplace_zero_first :
    Numbers.t prog -> bool prog -> bool prog -> Numbers.t prog **)

let laplace_zero_first magnitude zero sign =
  Bind ((Obj.magic zero), (fun b ->
    if Obj.magic b
    then Ret Numbers.zero
    else Bind ((Obj.magic magnitude), (fun k -> Bind ((Obj.magic sign),
           (fun b0 -> Ret
           (if Obj.magic b0
            then Numbers.add Numbers.one (Numbers.of_natural (Obj.magic k))
            else Numbers.opp
                   (Numbers.add Numbers.one
                     (Numbers.of_natural (Obj.magic k))))))))))

(** val sPARE : Numbers.t **)

let sPARE =
  Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ
    Numbers.zero)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))

(** val choose_below : Numbers.t -> Numbers.t prog **)

let choose_below count =
  uniform_below count
    (Numbers.add sPARE
      (Numbers.max sPARE (bit_length (Numbers.of_natural count))))

(** val n_digits : Numbers.t -> Numbers.t -> Numbers.t **)

let n_digits num den =
  bit_length
    (Numbers.div
      (Numbers.mul
        (Numbers.mul (Numbers.twice_plus_one Numbers.one)
          (Numbers.of_natural sPARE)) num)
      (Numbers.mul (Numbers.twice (Numbers.twice Numbers.one)) den))

(** val first_width : Numbers.t -> Numbers.t **)

let first_width digits =
  Numbers.mul
    (Numbers.div
      (Numbers.add (Numbers.add digits sPARE) (Numbers.succ (Numbers.succ
        (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
        Numbers.zero)))))))) (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      Numbers.zero))))))))) (Numbers.succ (Numbers.succ (Numbers.succ
    (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
    Numbers.zero))))))))

(** val toss_part : Numbers.t -> Numbers.t -> bool list prog **)

let toss_part num den =
  let digits = n_digits num den in
  toss_together (enclose_chances num den digits) (first_width digits)
    (Numbers.add digits (Numbers.succ (Numbers.succ Numbers.zero)))

(** val read_digits :
    Numbers.t -> Numbers.t -> Numbers.t -> bool list ->
    (Numbers.t * Numbers.t) * bool list **)

let rec read_digits digits w sum0 tossed =
  Numbers.match_natural
    (fun _ -> ((w, sum0), tossed))
    (fun digits' ->
    match tossed with
    | [] -> ((w, sum0), tossed)
    | b :: tossed' ->
      read_digits digits'
        (Numbers.mul (Numbers.succ (Numbers.succ Numbers.zero)) w)
        (Numbers.add sum0 (Numbers.mul w (digit b))) tossed')
    digits

(** val next_part :
    Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) ->
    (Numbers.t * Numbers.t, Numbers.t) sum prog **)

let next_part num den s =
  let den' = Numbers.mul den (Numbers.of_natural (fst s)) in
  Bind ((Obj.magic toss_part num den'), (fun tossed ->
  let (p, last_two) =
    read_digits (n_digits num den') (fst s) (snd s) (Obj.magic tossed)
  in
  let (w, sum0) = p in
  Ret
  (match last_two with
   | [] -> Inr sum0
   | _ :: l ->
     (match l with
      | [] -> Inr sum0
      | b0 :: l0 ->
        if b0
        then (match l0 with
              | [] -> Inl (w, (Numbers.add sum0 w))
              | _ :: _ -> Inr sum0)
        else Inr sum0))))

(** val fast_laplace : Numbers.t -> Numbers.t -> Numbers.t prog **)

let fast_laplace num den =
  Bind ((Obj.magic toss_part num den), (fun tossed ->
    let (p, last_two) =
      read_digits (n_digits num den) (Numbers.succ Numbers.zero) Numbers.zero
        (Obj.magic tossed)
    in
    let (w, sum0) = p in
    let negative = nth Numbers.zero last_two false in
    let more = nth (Numbers.succ Numbers.zero) last_two false in
    Bind
    ((if more
      then Loop ((Obj.magic next_part num den),
             (Obj.magic (w, (Numbers.add sum0 w))))
      else Ret (Obj.magic sum0)), (fun k -> Ret
    (if negative
     then Numbers.sub (Numbers.opp Numbers.one)
            (Numbers.of_natural (Obj.magic k))
     else Numbers.of_natural (Obj.magic k))))))

(** val compare_with_bounds :
    Numbers.t -> (Numbers.t -> Numbers.t * Numbers.t) -> Numbers.t ->
    Numbers.t -> bool option **)

let compare_with_bounds least bound c d =
  let half = Numbers.max least d in
  let b = bound half in
  let unit1 = two_to (Numbers.sub_natural (Numbers.add half half) d) in
  if Numbers.leq
       (Numbers.mul (Numbers.add (Numbers.of_natural c) Numbers.one) unit1)
       (fst b)
  then Some true
  else if Numbers.leq (snd b) (Numbers.mul (Numbers.of_natural c) unit1)
       then Some false
       else None

(** val bounded_coin :
    Numbers.t -> (Numbers.t -> Numbers.t * Numbers.t) -> bool prog **)

let bounded_coin least bound =
  lazy_coin (compare_with_bounds least bound)

(** val chance_bound :
    Numbers.t -> Numbers.t -> Numbers.t -> Numbers.t ->
    (Numbers.t * Numbers.t) list -> Numbers.t -> Numbers.t ->
    Numbers.t * Numbers.t **)

let chance_bound num den n least first i half =
  nth i
    (if Numbers.equal half least
     then first
     else enclose_chances num den n (Numbers.add half half)) (Numbers.zero,
    Numbers.zero)

(** val zero_bound :
    Numbers.t -> Numbers.t -> (Numbers.t * Numbers.t) list -> Numbers.t ->
    Numbers.t * Numbers.t **)

let zero_bound num den =
  let n = bit_length (Numbers.div num den) in
  let least =
    Numbers.add n (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ
      Numbers.zero))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
  in
  (fun first half ->
  let b = chance_bound num den n least first n half in
  ((Numbers.sub (two_to (Numbers.add half half))
     (Numbers.mul (Numbers.twice Numbers.one) (snd b))),
  (Numbers.sub (two_to (Numbers.add half half))
    (Numbers.mul (Numbers.twice Numbers.one) (fst b)))))

(** val reference_laplace : Numbers.t -> Numbers.t -> Numbers.t prog **)

let reference_laplace num den =
  let n = bit_length (Numbers.div num den) in
  let least =
    Numbers.add n (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
      (Numbers.succ (Numbers.succ (Numbers.succ
      Numbers.zero))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
  in
  let first = enclose_chances num den n (Numbers.add least least) in
  let toss = fun i ->
    bounded_coin least (chance_bound num den n least first i)
  in
  laplace_zero_first
    (by_digits toss
      (count_successes (toss (Numbers.add n (Numbers.succ Numbers.zero)))) n
      Numbers.zero) (bounded_coin least (zero_bound num den first)) (Bind
    (Bit, (fun b -> Ret (negb (Obj.magic b)))))

(** val exp_coin : Numbers.t -> Numbers.t -> bool prog **)

let exp_coin x y =
  if Numbers.equal x Numbers.zero
  then Ret true
  else let least =
         Numbers.add (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ (Numbers.succ
           (Numbers.succ (Numbers.succ (Numbers.succ
           Numbers.zero)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
           (halvings y x)
       in
       bounded_coin least
         (chance_bound y x Numbers.zero least
           (enclose_chances y x Numbers.zero (Numbers.add least least))
           (Numbers.succ Numbers.zero))

(** val try_candidate :
    Numbers.t list -> Numbers.t -> unit -> (unit, Numbers.t) sum prog **)

let try_candidate xs y _ =
  Bind ((Obj.magic recycling_uniform (length xs)), (fun i -> Bind
    ((Obj.magic exp_coin (nth (Obj.magic i) xs Numbers.zero) y), (fun b ->
    Ret (if Obj.magic b then Inr (Obj.magic i) else Inl ())))))

(** val choose_by_weight : Numbers.t list -> Numbers.t -> Numbers.t prog **)

let choose_by_weight xs y =
  Loop ((Obj.magic try_candidate xs y), (Obj.magic ()))

(** val try_in_turn :
    Numbers.t list -> Numbers.t -> Numbers.t -> Numbers.t list -> Numbers.t
    prog **)

let rec try_in_turn xs y fuel remaining =
  Numbers.match_natural
    (fun _ -> Ret (length xs))
    (fun fuel' ->
    match remaining with
    | [] -> Ret (length xs)
    | _ :: _ ->
      Bind ((Obj.magic recycling_uniform (length remaining)), (fun j ->
        let i = nth (Obj.magic j) remaining Numbers.zero in
        Bind ((Obj.magic exp_coin (nth i xs Numbers.zero) y), (fun b ->
        if Obj.magic b
        then Ret i
        else try_in_turn xs y fuel' (remove Nat.eq_dec i remaining))))))
    fuel

(** val choose_in_turn : Numbers.t list -> Numbers.t -> Numbers.t prog **)

let choose_in_turn xs y =
  try_in_turn xs y (length xs) (seq Numbers.zero (length xs))

type 'x row = 'x * bool

(** val narrow_down :
    Numbers.t -> (Numbers.t * Numbers.t) -> (Numbers.t * Numbers.t,
    Numbers.t) sum prog **)

let narrow_down n = function
| (c, d) ->
  let j = Numbers.div (Numbers.mul c (Numbers.of_natural n)) (two_to d) in
  if Numbers.leq
       (Numbers.mul (Numbers.add c Numbers.one) (Numbers.of_natural n))
       (Numbers.mul (Numbers.add j Numbers.one) (two_to d))
  then Ret (Inr (Numbers.to_natural j))
  else Bind (Bit, (fun b -> Ret (Inl
         ((Numbers.add (Numbers.mul (Numbers.twice Numbers.one) c)
            (if Obj.magic b then Numbers.one else Numbers.zero)),
         (Numbers.succ d)))))

(** val interval_choice : Numbers.t -> Numbers.t prog **)

let interval_choice n =
  Loop ((Obj.magic narrow_down n), (Obj.magic (Numbers.zero, Numbers.zero)))

(** val draw_each : 'a1 prog list -> 'a1 list prog **)

let rec draw_each = function
| [] -> Ret []
| d :: rest ->
  Bind ((Obj.magic d), (fun x -> Bind ((Obj.magic draw_each rest), (fun xs ->
    Ret ((Obj.magic x) :: (Obj.magic xs))))))

(** val noise_numerator : net_parameters -> Numbers.t **)

let noise_numerator n =
  Numbers.mul
    (Numbers.mul
      (Numbers.mul (rows_touched n.net_relation)
        (Numbers.div gRID (Numbers.twice Numbers.one)))
      (Numbers.of_natural n.net_trees)) n.epsilon_den

(** val draw_splits :
    (Numbers.t -> Numbers.t prog) -> Numbers.t -> history -> 'a1 row list ->
    output prog **)

let draw_splits choose n_candidates h _ =
  Bind
    ((Obj.magic draw_each
       (map (fun _ -> choose n_candidates)
         (seq Numbers.zero
           (Numbers.pow (Numbers.succ (Numbers.succ Numbers.zero))
             (length (levels h)))))), (fun cs -> Ret (Splits (Obj.magic cs))))

(** val draw_leaf :
    (Numbers.t -> Numbers.t -> Numbers.t prog) -> net_parameters ->
    (Numbers.t -> 'a1 -> bool) -> history -> 'a1 row list -> Numbers.t ->
    Numbers.t list prog **)

let draw_leaf noise n the_test h s l =
  let net =
    Numbers.sub (net_mass n the_test h s l true)
      (net_mass n the_test h s l false)
  in
  Bind ((Obj.magic noise (noise_numerator n) n.epsilon_num), (fun z0 -> Ret
  ((Numbers.add net (Obj.magic z0)) :: [])))

(** val draw_leaves :
    (Numbers.t -> Numbers.t -> Numbers.t prog) -> net_parameters ->
    (Numbers.t -> 'a1 -> bool) -> history -> 'a1 row list -> output prog **)

let draw_leaves noise n the_test h s =
  Bind
    ((Obj.magic draw_each
       (map (draw_leaf noise n the_test h s)
         (seq Numbers.zero
           (Numbers.pow (Numbers.succ (Numbers.succ Numbers.zero))
             n.net_depth)))), (fun vs -> Ret (Leaves (Obj.magic vs))))

(** val tree_draws :
    (Numbers.t -> Numbers.t prog) -> (Numbers.t -> Numbers.t -> Numbers.t
    prog) -> net_parameters -> Numbers.t -> (Numbers.t -> 'a1 -> bool) ->
    (history -> 'a1 row list -> output prog) list **)

let tree_draws choose noise n n_candidates the_test =
  app (repeat (draw_splits choose n_candidates) n.net_depth)
    ((draw_leaves noise n the_test) :: [])

(** val all_draws :
    (Numbers.t -> Numbers.t prog) -> (Numbers.t -> Numbers.t -> Numbers.t
    prog) -> net_parameters -> Numbers.t -> (Numbers.t -> 'a1 -> bool) ->
    (history -> 'a1 row list -> output prog) list **)

let all_draws choose noise n n_candidates the_test =
  concat
    (repeat (tree_draws choose noise n n_candidates the_test) n.net_trees)

(** val fit_with :
    (history -> 'a1 row list -> output prog) list -> 'a1 row list -> history
    -> history prog **)

let rec fit_with draws s h =
  match draws with
  | [] -> Ret h
  | d :: rest ->
    Bind ((Obj.magic d h s), (fun output0 ->
      fit_with rest s ((Obj.magic output0) :: h)))

(** val fit :
    (Numbers.t -> Numbers.t prog) -> (Numbers.t -> Numbers.t -> Numbers.t
    prog) -> net_parameters -> Numbers.t -> (Numbers.t -> 'a1 -> bool) -> 'a1
    row list -> history prog **)

let fit choose noise n n_candidates the_test s =
  fit_with (all_draws choose noise n n_candidates the_test) s []

(** val fast_fit :
    net_parameters -> Numbers.t -> (Numbers.t -> 'a1 -> bool) -> 'a1 row list
    -> history prog **)

let fast_fit x =
  fit choose_below fast_laplace x

(** val reference_fit :
    net_parameters -> Numbers.t -> (Numbers.t -> 'a1 -> bool) -> 'a1 row list
    -> history prog **)

let reference_fit x =
  fit interval_choice reference_laplace x
