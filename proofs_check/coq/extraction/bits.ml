(* Programs of Coq are run here: fair bits come from the operating system, or from a tape. *)

exception Tape_end

type source = { next : unit -> bool; used : int ref }

let from_bytes next_byte =
  let used = ref 0 and byte = ref 0 in
  let next () =
    if !used land 7 = 0 then byte := next_byte ();
    incr used;
    !byte lsr (7 - ((!used - 1) land 7)) land 1 = 1 in
  { next; used }

let from_system () =
  let channel = open_in_bin "/dev/urandom" in
  from_bytes (fun () -> input_byte channel)

(* A tape is a string of bytes; the highest bit of a byte is read first. *)
let from_tape tape =
  let position = ref 0 in
  from_bytes (fun () ->
      if !position = String.length tape then raise Tape_end;
      incr position;
      Char.code tape.[!position - 1])

(* The types of Coq's programs are richer than OCaml's, so the extracted ones hide them behind casts; so does this. *)
let rec run : 'a. source -> 'a Programs.prog -> 'a =
 fun bits program ->
  match program with
  | Programs.Ret x -> x
  | Programs.Bit -> Obj.magic (bits.next ())
  | Programs.Bind (first, rest) -> run bits (rest (run bits first))
  | Programs.Loop (body, state) ->
      let rec turn state =
        match Obj.magic (run bits (body state)) with Programs.Inl next -> turn next | Programs.Inr result -> result in
      turn state
