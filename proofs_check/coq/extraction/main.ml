(* Answer requests of the gate's protocol (docs/gate_protocol.md), one JSON object to a line.

   All draws and all numbers of a fit come from the extracted programs. Here are only the reading of arguments and the
   writing of results. The operations draw_below, draw_laplace, draw_split and fit are not the gate's: they take a tape of
   bits, so that the programs can be compared with Python on the same bits. Without a tape, a fit takes the bits of the
   operating system. *)

exception Wrong of string
exception Unsupported of string

let wrong format = Printf.ksprintf (fun message -> raise (Wrong message)) format

(* Arguments *)

let members name = function Json.Object members -> members | _ -> wrong "%s: expected an object" name

(* The members of an object, which must have exactly these names. *)
let exactly name names value =
  let given = members name value in
  List.iter (fun (key, _) -> if not (List.mem key names) then wrong "%s: unknown in %s" key name) given;
  List.map
    (fun key -> try List.assoc key given with Not_found -> wrong "%s: missing in %s" key name)
    names

let as_list name = function Json.List items -> items | _ -> wrong "%s: expected a list" name
let as_string name = function Json.String s -> s | _ -> wrong "%s: expected a string" name

let is_exact s =
  let digits s = s <> "" && String.for_all (fun c -> c >= '0' && c <= '9') s in
  let unsigned = if s <> "" && s.[0] = '-' then String.sub s 1 (String.length s - 1) else s in
  match String.split_on_char '/' unsigned, String.split_on_char '.' unsigned with
  | [ n; d ], [ _ ] -> digits n && digits d && Z.sign (Z.of_string d) > 0
  | [ _ ], [ n; d ] -> digits n && digits d
  | [ _ ], [ n ] -> digits n
  | _ -> false

let number name value =
  let s = as_string name value in
  if is_exact s then Q.of_string s else wrong "%s: expected a number, got %s" name s

(* A number of a model, which may also be a JSON number. *)
let number_or_json name = function Json.Number s -> Q.of_string s | value -> number name value

let positive name value =
  let x = number name value in
  if Q.sign x > 0 then x else wrong "%s: expected a number > 0" name

let integer name least value =
  let x = number name value in
  if Z.equal x.Q.den Z.one && Z.geq x.Q.num (Z.of_int least) then x.Q.num else wrong "%s: expected an integer >= %d" name least

let json_integer name least = function
  | Json.Number s when (match int_of_string_opt s with Some x -> x >= least | None -> false) -> int_of_string s
  | _ -> wrong "%s: expected an integer >= %d" name least

let one_of name choices value =
  let s = as_string name value in
  try List.assoc s choices with Not_found -> wrong "%s: expected one of %s" name (String.concat ", " (List.map fst choices))

let exact x = Json.String (Q.to_string x)
let whole x = Json.String (Z.to_string x)

(* Domains and rows *)

type candidate = { attribute : int; is_test : int -> bool; name : string }

let candidates_of domain =
  let of_attribute attribute value =
    match exactly "domain" [ "kind"; "n_values" ] value with
    | [ kind; n_values ] ->
        let n = json_integer "n_values" 1 n_values in
        let test sign holds code = { attribute; is_test = holds code; name = Printf.sprintf "x%d %s %d" attribute sign code } in
        let quantised = List.init (n - 1) (fun i -> test ">=" (fun code x -> x >= code) (i + 1)) in
        let categorical = List.init (if n <= 2 then n - 1 else n) (test "=" (fun code x -> x = code)) in
        (n, one_of "kind" [ ("quantised", quantised); ("categorical", categorical) ] kind)
    | _ -> assert false in
  let attributes = List.mapi of_attribute (as_list "domain" domain) in
  (List.map fst attributes, Array.of_list (List.concat_map snd attributes))

let codes_of sizes value =
  let codes = List.map (json_integer "x" 0) (as_list "x" value) in
  if List.length codes <> List.length sizes then wrong "x: expected a code for every attribute";
  List.iter2 (fun code size -> if code >= size then wrong "x: expected codes below n_values") codes sizes;
  Array.of_list codes

let labelled sizes value =
  match exactly "rows" [ "x"; "y" ] value with
  | [ x; y ] -> (
      match json_integer "y" (-1) y with
      | 1 -> (codes_of sizes x, true)
      | -1 -> (codes_of sizes x, false)
      | _ -> wrong "y: expected 1 or -1")
  | _ -> assert false

let test_of candidates index codes =
  let candidate = candidates.(Z.to_int index) in
  candidate.is_test codes.(candidate.attribute)

(* Draws *)

let bytes_of_hex hex =
  if String.length hex mod 2 <> 0 then wrong "tape: expected pairs of hexadecimal digits";
  let byte i = try Char.chr (int_of_string ("0x" ^ String.sub hex (2 * i) 2)) with Failure _ -> wrong "tape: expected hexadecimal digits" in
  String.init (String.length hex / 2) byte

let system = lazy (Bits.from_system ())

(* A draw from a tape, with the number of bits that it has read. *)
let on_tape tape program result =
  let bits = Bits.from_tape (bytes_of_hex (as_string "tape" tape)) in
  match Bits.run bits program with
  | drawn -> Json.Object (result drawn @ [ ("bits", Json.Number (string_of_int !(bits.used))) ])
  | exception Bits.Tape_end -> wrong "tape: expected more bits"

let samplers = [ ("fast", `Fast); ("reference", `Reference) ]

let draw_below args =
  match exactly "args" [ "sampler"; "count"; "tape" ] args with
  | [ sampler; count; tape ] ->
      let count = integer "count" 1 count in
      let program = match one_of "sampler" samplers sampler with `Fast -> Programs.choose_below count | `Reference -> Programs.recycling_uniform count in
      on_tape tape program (fun drawn -> [ ("drawn", whole drawn) ])
  | _ -> assert false

(* The theorems ask for a scale of at least 2^-64. *)
let steps_of_scale scale =
  if Q.lt scale (Q.make Z.one (Z.shift_left Z.one 64)) then raise (Unsupported "a scale below 2^-64 steps of the grid");
  (scale.Q.num, scale.Q.den)

let draw_laplace args =
  match exactly "args" [ "sampler"; "scale"; "tape" ] args with
  | [ sampler; scale; tape ] ->
      let numerator, denominator = steps_of_scale (positive "scale" scale) in
      let sampler = match one_of "sampler" samplers sampler with `Fast -> Programs.fast_laplace | `Reference -> Programs.reference_laplace in
      on_tape tape (sampler numerator denominator) (fun drawn -> [ ("drawn", whole drawn) ])
  | _ -> assert false

let sample_laplace args =
  match exactly "args" [ "scale"; "grid"; "seed"; "count" ] args with
  | [ scale; grid; seed; count ] ->
      let scale = positive "scale" scale and grid = positive "grid" grid in
      ignore (integer "seed" 0 seed);
      let count = Z.to_int (integer "count" 0 count) in
      let numerator, denominator = steps_of_scale (Q.div scale grid) in
      let program = Programs.fast_laplace numerator denominator in
      Json.List (List.init count (fun _ -> exact (Q.mul grid (Q.of_bigint (Bits.run (Lazy.force system) program)))))
  | _ -> assert false

(* Exponents relative to the best candidate, as whole numbers over a common denominator: 0 for the best, others above. *)
let exponents scores rate =
  let best = List.fold_left Q.max (List.hd scores) scores in
  let below = List.map (fun score -> Q.mul rate (Q.sub best score)) scores in
  let common = List.fold_left (fun d x -> Z.lcm d x.Q.den) Z.one below in
  (List.map (fun x -> (Q.mul x (Q.of_bigint common)).Q.num) below, common)

(* The names of the candidates, and the program that draws one of them. *)
let split_program scores epsilon sensitivity law =
  let names, scores = List.split (List.map (fun (name, score) -> (name, number name score)) (members "scores" scores)) in
  if names = [] then wrong "scores: expected a candidate";
  let epsilon = positive "epsilon" epsilon and sensitivity = positive "sensitivity" sensitivity in
  let numerators, denominator = exponents scores (Q.div epsilon (Q.mul (Q.of_int 2) sensitivity)) in
  let laws = [ ("exponential", Programs.choose_by_weight); ("permute_and_flip", Programs.choose_in_turn) ] in
  (names, one_of "law" laws law numerators denominator)

let draw_split args =
  match exactly "args" [ "sampler"; "scores"; "epsilon"; "sensitivity"; "law"; "tape" ] args with
  | [ sampler; scores; epsilon; sensitivity; law; tape ] ->
      ignore (one_of "sampler" [ ("reference", ()) ] sampler);
      let _, program = split_program scores epsilon sensitivity law in
      on_tape tape program (fun drawn -> [ ("drawn", whole drawn) ])
  | _ -> assert false

let sample_split args =
  match exactly "args" [ "scores"; "epsilon"; "sensitivity"; "law"; "seed"; "count" ] args with
  | [ scores; epsilon; sensitivity; law; seed; count ] ->
      let names, program = split_program scores epsilon sensitivity law in
      ignore (integer "seed" 0 seed);
      let count = Z.to_int (integer "count" 0 count) in
      Json.List (List.init count (fun _ -> Json.String (List.nth names (Z.to_int (Bits.run (Lazy.force system) program)))))
  | _ -> assert false

(* Weights: those of the default protocol only, whose margins are on the grid. *)
let update_weight args =
  let rule = try List.assoc "rule" (members "args" args) with Not_found -> wrong "rule: missing" in
  let given, accumulated =
    one_of "rule" [ ("mirror", ([ "weight"; "beta"; "value" ], false)); ("accumulated", ([ "margin"; "weight_bound"; "grid" ], true)) ] rule in
  match exactly "args" ([ "rule"; "alpha"; "y" ] @ given) args with
  | [ _; alpha; y; margin; bound; grid ] when accumulated ->
      let alpha = number "alpha" alpha and margin = number "margin" margin in
      let bound = positive "weight_bound" bound and grid = positive "grid" grid in
      if Q.sign alpha < 0 || Q.gt alpha Q.one then wrong "alpha: expected a number in [0, 1]";
      let label = one_of "y" [ ("1", Q.one); ("-1", Q.minus_one) ] y in
      let steps = Q.div (Q.mul label margin) grid in
      let is_default = Q.equal grid (Q.of_ints 1 1024) && Q.equal bound (Q.of_ints 1 2) && Z.equal steps.Q.den Z.one && Q.sign alpha > 0 in
      if not is_default then raise (Unsupported "weights that are not those of the default protocol");
      exact (Q.mul grid (Q.of_bigint (Programs.weight_of_margin alpha.Q.num alpha.Q.den steps.Q.num)))
  | _ -> raise (Unsupported "mirror")

let predict args =
  match exactly "args" [ "model"; "domain"; "rows" ] args with
  | [ model; domain; rows ] ->
      let sizes, candidates = candidates_of domain in
      let index name =
        let rec from i = if i = Array.length candidates then wrong "splits: expected candidates, got %s" name
          else if candidates.(i).name = name then Z.of_int i else from (i + 1) in
        from 0 in
      let member name value = try List.assoc name (members "model" value) with Not_found -> wrong "%s: missing in the model" name in
      (* Splits are in level order: first one, then two, then four. *)
      let rec levels width splits =
        if splits = [] then [] else List.filteri (fun i _ -> i < width) splits :: levels (2 * width) (List.filteri (fun i _ -> i >= width) splits) in
      let tree value =
        let splits = List.map (fun s -> index (as_string "splits" s)) (as_list "splits" (member "splits" value)) in
        let values = Array.of_list (List.map (number_or_json "values") (as_list "values" (member "values" value))) in
        let leaves = Array.length values in
        if leaves <> List.length splits + 1 || leaves land (leaves - 1) <> 0 then wrong "values: expected one more than splits, a power of 2";
        (levels 1 splits, values, number_or_json "beta" (member "beta" value)) in
      let trees = List.map tree (as_list "trees" (member "trees" model)) in
      let margin value =
        let codes = match exactly "rows" [ "x" ] value with [ x ] -> codes_of sizes x | _ -> assert false in
        let add sum (splits, values, beta) =
          Q.add sum (Q.mul beta values.(Z.to_int (Programs.walk (test_of candidates) splits Z.zero codes))) in
        exact (List.fold_left add Q.zero trees) in
      Json.List (List.map margin (as_list "rows" rows))
  | _ -> assert false

(* The default learner *)

let relations = [ ("exchange", Programs.Exchange); ("add_remove", Programs.AddRemove) ]

let released parameters history =
  let output (splits, trees) = function
    | Programs.Splits chosen -> (Json.List (List.map whole chosen) :: splits, trees)
    | Programs.Leaves nets ->
        let nets = List.map (function [ net ] -> net | _ -> assert false) nets in
        let tree =
          [ ("splits", Json.List (List.rev splits)); ("nets", Json.List (List.map whole nets));
            ("values", Json.List (List.map (fun net -> whole (Programs.leaf_value parameters net)) nets)) ] in
        ([], Json.Object tree :: trees)
    | Programs.Minority _ -> assert false in
  let _, trees = List.fold_left output ([], []) (List.rev history) in
  [ ("trees", Json.List (List.rev trees)) ]

let fit args =
  let on_system = not (List.mem_assoc "tape" (members "args" args)) in
  let names = [ "sampler"; "relation"; "trees"; "depth"; "size"; "epsilon"; "alpha"; "domain"; "rows" ] in
  match exactly "args" (if on_system then names else names @ [ "tape" ]) args with
  | sampler :: relation :: trees :: depth :: size :: epsilon :: alpha :: domain :: rows :: tape ->
      let epsilon = positive "epsilon" epsilon and alpha = positive "alpha" alpha in
      if Q.gt epsilon (Q.of_bigint (Z.shift_left Z.one 64)) then raise (Unsupported "an epsilon above 2^64");
      if Q.gt alpha Q.one then wrong "alpha: expected a number <= 1";
      let sizes, candidates = candidates_of domain in
      if candidates = [||] then wrong "domain: expected a candidate";
      let parameters =
        { Programs.net_relation = one_of "relation" relations relation; net_trees = integer "trees" 1 trees;
          net_depth = integer "depth" 1 depth; net_size = integer "size" 1 size;
          epsilon_num = epsilon.Q.num; epsilon_den = epsilon.Q.den; alpha_num = alpha.Q.num; alpha_den = alpha.Q.den } in
      let rows = List.map (labelled sizes) (as_list "rows" rows) in
      let learner = match one_of "sampler" samplers sampler with `Fast -> Programs.fast_fit | `Reference -> Programs.reference_fit in
      let program = learner parameters (Z.of_int (Array.length candidates)) (test_of candidates) rows in
      (match tape with
      | [ tape ] -> on_tape tape program (released parameters)
      | _ -> Json.Object (released parameters (Bits.run (Lazy.force system) program)))
  | _ -> assert false

(* Requests *)

let operations =
  [ ("sample_laplace", sample_laplace); ("sample_split", sample_split); ("update_weight", update_weight); ("predict", predict) ]
let comparisons = [ ("draw_below", draw_below); ("draw_laplace", draw_laplace); ("draw_split", draw_split); ("fit", fit) ]

let hello _ =
  Json.Object
    [ ("name", Json.String "privboost_extracted"); ("version", Json.String "1"); ("protocol", Json.Number "1");
      ("operations", Json.List (List.map (fun (name, _) -> Json.String name) operations));
      ("variants", Json.Object [ ("update_weight", Json.Object [ ("rule", Json.List [ Json.String "accumulated" ]) ]) ]) ]

let answer request =
  let given = members "request" request in
  let op = as_string "op" (List.assoc "op" given) and args = List.assoc "args" given in
  match List.assoc_opt op ((("hello", hello) :: operations) @ comparisons) with
  | None -> ("unsupported", Json.String op)
  | Some operation -> (
      try ("result", operation args) with
      | Wrong message -> ("error", Json.String message)
      | Unsupported message -> ("unsupported", Json.String message)
      | Z.Overflow -> ("unsupported", Json.String "a number that is too large"))

let () =
  try
    while true do
      let request = Json.parse (input_line stdin) in
      let id = List.assoc "id" (members "request" request) in
      let member, value = answer request in
      print_endline (Json.to_string (Json.Object [ ("id", id); (member, value) ]))
    done
  with End_of_file -> ()
