(* How the numbers of Coq are computed: naturals, positives and integers are Zarith's integers. *)

type t = Z.t

let zero = Z.zero
let one = Z.one
let succ = Z.succ
let opp = Z.neg
let twice x = Z.shift_left x 1
let twice_plus_one x = Z.succ (twice x)

(* Case analysis, in the order of the constructors in Coq: xI, xO, xH; Z0, Zpos, Zneg; O, S. *)
let match_positive odd even unit x =
  if Z.equal x Z.one then unit () else if Z.is_odd x then odd (Z.shift_right x 1) else even (Z.shift_right x 1)

let match_integer zero positive negative x =
  match Z.sign x with 0 -> zero () | 1 -> positive x | _ -> negative (Z.neg x)

let match_natural zero successor x = if Z.sign x = 0 then zero () else successor (Z.pred x)

let add = Z.add
let sub = Z.sub
let mul = Z.mul
let abs = Z.abs
let max = Z.max
let min = Z.min
let equal = Z.equal
let leq = Z.leq
let lt = Z.lt
let is_odd = Z.is_odd

(* A power with a negative exponent is 0 in Coq, and so is a quotient by 0; quotients are rounded down. *)
let pow x n = if Z.sign n < 0 then Z.zero else Z.pow x (Z.to_int n)
let div x y = if Z.sign y = 0 then Z.zero else Z.fdiv x y
let sqrt x = if Z.sign x < 0 then Z.zero else Z.sqrt x
let log2 x = if Z.sign x <= 0 then Z.zero else Z.of_int (Z.log2 x)

(* Naturals: a difference is at least 0, and x mod 0 is x. *)
let of_natural x = x
let to_natural x = Z.max x Z.zero
let sub_natural x y = to_natural (Z.sub x y)
let modulo_natural x y = if Z.sign y = 0 then x else Z.rem x y
