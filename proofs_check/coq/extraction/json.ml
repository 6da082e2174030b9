(* JSON values, read from and written to one line. *)

type t =
  | Null
  | Bool of bool
  | Number of string (* as it is spelled *)
  | String of string
  | List of t list
  | Object of (string * t) list

exception Error of string

let add_code_point buffer code = Buffer.add_utf_8_uchar buffer (Uchar.of_int code)

let parse line =
  let position = ref 0 in
  let peek () = if !position < String.length line then line.[!position] else '\000' in
  let advance () = incr position in
  let rec skip () = match peek () with ' ' | '\t' | '\r' | '\n' -> advance (); skip () | _ -> () in
  let expect c = if peek () = c then advance () else raise (Error (Printf.sprintf "expected %c at byte %d" c !position)) in
  let word w value = String.iter expect w; value in
  let hex4 () =
    let digits = String.sub line !position 4 in
    position := !position + 4;
    int_of_string ("0x" ^ digits) in
  let escape buffer =
    let c = peek () in
    advance ();
    match c with
    | '"' | '\\' | '/' -> Buffer.add_char buffer c
    | 'b' -> Buffer.add_char buffer '\b'
    | 'f' -> Buffer.add_char buffer '\012'
    | 'n' -> Buffer.add_char buffer '\n'
    | 'r' -> Buffer.add_char buffer '\r'
    | 't' -> Buffer.add_char buffer '\t'
    | 'u' ->
        let high = hex4 () in
        if high >= 0xd800 && high < 0xdc00 then begin
          expect '\\';
          expect 'u';
          add_code_point buffer (0x10000 + ((high - 0xd800) lsl 10) + (hex4 () - 0xdc00))
        end
        else add_code_point buffer high
    | _ -> raise (Error "unknown escape") in
  let string () =
    let buffer = Buffer.create 16 in
    let rec rest () =
      match peek () with
      | '"' -> advance ()
      | '\\' -> advance (); escape buffer; rest ()
      | '\000' -> raise (Error "unfinished string")
      | c -> Buffer.add_char buffer c; advance (); rest () in
    expect '"';
    rest ();
    Buffer.contents buffer in
  let number () =
    let start = !position in
    let rec rest () = match peek () with '0' .. '9' | '-' | '+' | '.' | 'e' | 'E' -> advance (); rest () | _ -> () in
    rest ();
    if !position = start then raise (Error (Printf.sprintf "expected a value at byte %d" start));
    String.sub line start (!position - start) in
  (* Items separated by commas, up to a closing character. *)
  let items close item =
    advance ();
    skip ();
    let rec rest found =
      let found = item () :: found in
      skip ();
      if peek () = ',' then (advance (); rest found) else (expect close; List.rev found) in
    if peek () = close then (advance (); []) else rest [] in
  let rec value () =
    skip ();
    match peek () with
    | '{' -> Object (items '}' member)
    | '[' -> List (items ']' value)
    | '"' -> String (string ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | _ -> Number (number ())
  and member () =
    skip ();
    let name = string () in
    skip ();
    expect ':';
    (name, value ()) in
  try
    let result = value () in
    skip ();
    if !position < String.length line then raise (Error "more than one value") else result
  with Invalid_argument _ | Failure _ -> raise (Error "not JSON")

let quote s =
  let buffer = Buffer.create (String.length s + 2) in
  let add c =
    match c with
    | '"' | '\\' -> Buffer.add_char buffer '\\'; Buffer.add_char buffer c
    | c when c < ' ' -> Buffer.add_string buffer (Printf.sprintf "\\u%04x" (Char.code c))
    | c -> Buffer.add_char buffer c in
  Buffer.add_char buffer '"';
  String.iter add s;
  Buffer.add_char buffer '"';
  Buffer.contents buffer

let rec to_string = function
  | Null -> "null"
  | Bool b -> string_of_bool b
  | Number s -> s
  | String s -> quote s
  | List l -> "[" ^ String.concat ", " (List.map to_string l) ^ "]"
  | Object members -> "{" ^ String.concat ", " (List.map (fun (k, v) -> quote k ^ ": " ^ to_string v) members) ^ "}"
