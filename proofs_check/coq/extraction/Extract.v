(** The programs of the samplers and of Executable.v in OCaml.  Numbers become Zarith's; numbers.ml says how, and is trusted. *)
From Coq Require Import Extraction ExtrOcamlBasic ZArith List.
From Privboost Require Import Programs Grid UniformSamplers ReferenceUniform Enclosures Together FastSamplers ReferenceSamplers
  SplitSamplers Executable.

Extract Inductive positive => "Numbers.t" [ "Numbers.twice_plus_one" "Numbers.twice" "Numbers.one" ] "Numbers.match_positive".
Extract Inductive Z => "Numbers.t" [ "Numbers.zero" "" "Numbers.opp" ] "Numbers.match_integer".
Extract Inductive nat => "Numbers.t" [ "Numbers.zero" "Numbers.succ" ] "Numbers.match_natural".

Extract Inlined Constant Z.add => "Numbers.add".
Extract Inlined Constant Z.sub => "Numbers.sub".
Extract Inlined Constant Z.mul => "Numbers.mul".
Extract Inlined Constant Z.opp => "Numbers.opp".
Extract Inlined Constant Z.abs => "Numbers.abs".
Extract Inlined Constant Z.max => "Numbers.max".
Extract Inlined Constant Z.min => "Numbers.min".
Extract Inlined Constant Z.pow => "Numbers.pow".
Extract Inlined Constant Z.div => "Numbers.div".
Extract Inlined Constant Z.sqrt => "Numbers.sqrt".
Extract Inlined Constant Z.log2 => "Numbers.log2".
Extract Inlined Constant Z.odd => "Numbers.is_odd".
Extract Inlined Constant Z.eqb => "Numbers.equal".
Extract Inlined Constant Z.leb => "Numbers.leq".
Extract Inlined Constant Z.ltb => "Numbers.lt".
Extract Inlined Constant Z.of_nat => "Numbers.of_natural".
Extract Inlined Constant Z.to_nat => "Numbers.to_natural".
Extract Inlined Constant Init.Nat.add => "Numbers.add".
Extract Inlined Constant Init.Nat.sub => "Numbers.sub_natural".
Extract Inlined Constant Init.Nat.mul => "Numbers.mul".
Extract Inlined Constant PeanoNat.Nat.max => "Numbers.max".
Extract Inlined Constant PeanoNat.Nat.pow => "Numbers.pow".
Extract Inlined Constant PeanoNat.Nat.div => "Numbers.div".
Extract Inlined Constant PeanoNat.Nat.modulo => "Numbers.modulo_natural".
Extract Inlined Constant PeanoNat.Nat.eqb => "Numbers.equal".
Extract Inlined Constant PeanoNat.Nat.leb => "Numbers.leq".
Extract Inlined Constant PeanoNat.Nat.ltb => "Numbers.lt".

Extraction "programs.ml" choose_below fast_laplace fast_fit recycling_uniform reference_laplace reference_fit
  choose_by_weight choose_in_turn leaf_value weight_of_margin walk.
