"""The hollowings of `make hollow`: changes after which Coq accepts all proofs, and a theorem says less."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """A replacement of a string that a file has once; files of links are named alone."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Hollowing:
    """Changes that leave less of a theorem.

    With `whole` all proofs of the changed files are compiled. Else Coq takes closed lemmas for granted, which
    grants the change whatever proof it needs. `of_texts`: refused without Coq; every other one is
    refused by Coq, even if all quotations of the sources are changed with it.
    """

    name: str
    changes: tuple[Change, ...]
    whole: bool = False
    of_texts: bool = False


def insert(file: str, line: str, inserted: str) -> Change:
    """Return a change that inserts something before a line of a file."""
    return Change(file, line, f"{inserted}\n{line}")


EXECUTABLE, CLAIMS, JOINED = "learner/Executable.v", "auditor/AuditClaims.v", "auditor/AuditOfLearner.v"
PRIVACY = "learner/Privacy.v"
GRID, NEIGHBOURS, STEPS = "learner/Grid.v", "learner/Neighbours.v", "learner/Steps.v"
SENSITIVITY, DEFAULT, HEADLINES = "sensitivity/Sensitivity.v", "learner/Default.v", "Headlines.v"
FALSE = "Hypothesis no : (1 = 2)%R."
FAST_FIT = "Theorem fast_fit_private {Raw Model}"
FAST_FIT_PROOF = "Proof. intros. rewrite !fast_fit_law. destruct"
CURVE = "Theorem curve_bound_holds curve scale : "
CURVE_PROOF = "Proof.\n  intros C S P W. assert (G := curve_nonneg curve C)."
AFTER_CURVE = "(** ** Pairs that differ in several rows, joined by a chain"
JOINED_PROOF = "Proof.\n  intros N A G E Q W."
TH3P = (
    "Theorem th3P L : bayes_risk L ->\n"
    "  Rabs (cell_risk L S l - cell_risk L S' l) <= Rmax 3 (1 + sharp L (m + 1))."
)
LEMMAS_OF_TH3P = ("matsushita", "square", "zero_one", "log_risk")
WEIGHT = """\
  if signed_margin <? 0
  then Z.min ((GRID + floor_ratio (GRID * beyond) square) / 2) (GRID / 2)
  else Z.max 1 ((GRID - ceiling_ratio (GRID * beyond) square) / 2)."""
WEIGHT_PROOF = "  unfold net_weight, weight_of_margin. set (z := if y then margin h x else - margin h x)."
WEIGHT_PROOF_END = "by (apply Z.div_le_upper_bound; lia). lia.\nQed."
PRIVATE = """\
  (1 <= net_trees N)%nat -> (1 <= net_depth N)%nat -> (1 <= net_size N)%Z -> (1 <= n_candidates)%nat ->
  (0 < epsilon_num N)%Z -> (0 < epsilon_den N)%Z ->
  may_drop admission (net_relation N) -> neighbours (net_relation N) S S' ->
  prob (image model (learner sound_net (admitted admission S))) E <="""
TH3P_LINK = '"theorem": "Sensitivity.th3P",\n  "statement": "'
ADMISSION = "(admission : Raw -> option (row X))"
ALL = "(E : Model -> Prop) "
EVENT = f"(model : history -> Model) {ALL}(S S' : list Raw) :"

SECTIONS = (
    Hollowing(
        "1 = 2 as a section hypothesis on fast_fit_private",
        (
            insert(EXECUTABLE, FAST_FIT, FALSE),
            Change(EXECUTABLE, FAST_FIT_PROOF, FAST_FIT_PROOF.replace("Proof.", "Proof. assert (N0 := no).")),
        ),
        whole=True,
    ),
    Hollowing(
        "1 = 2 as a section hypothesis on curve_bound_holds",
        (
            insert(CLAIMS, CURVE, f"Section Hollow. {FALSE}"),
            insert(CLAIMS, AFTER_CURVE, "End Hollow."),
            Change(CLAIMS, CURVE_PROOF, CURVE_PROOF.replace("Proof.", "Proof. assert (N0 := no).")),
        ),
    ),
    Hollowing(
        "1 = 2 as a section hypothesis on audit_of_learner",
        (
            insert(JOINED, "Theorem audit_of_learner", FALSE),
            Change(JOINED, JOINED_PROOF, JOINED_PROOF.replace("Proof.", "Proof. assert (N0 := no).")),
        ),
    ),
)
STATEMENTS = (
    Hollowing(
        "th3P with 1 = 2 -> in front",
        (
            Change(SENSITIVITY, TH3P, TH3P.replace("th3P", "true_th3P")),
            *(
                Change(SENSITIVITY, f"assert (C := th3P {risk}", f"assert (C := true_th3P {risk}")
                for risk in LEMMAS_OF_TH3P
            ),
            Change(
                SENSITIVITY,
                "End Paper.",
                TH3P.replace("bayes_risk L", "1 = 2 -> bayes_risk L")
                + "\nProof. intros _. apply true_th3P. Qed.\nEnd Paper.",
            ),
        ),
    ),
    Hollowing(
        "fast_fit_private for one event only",
        (
            Change(
                EXECUTABLE,
                f"{FAST_FIT} {ADMISSION} {EVENT}",
                f"{FAST_FIT} {ADMISSION} {EVENT.replace(ALL, '')} let E (_ : Model) := True in",
            ),
        ),
    ),
    Hollowing(
        "a comment that contains the statement",
        (
            Change(
                DEFAULT,
                PRIVATE,
                f"(* {PRIVATE} *)\n{PRIVATE.replace('may_drop', '1%nat = 2%nat -> may_drop')}",
            ),
        ),
        of_texts=True,
    ),
    Hollowing(
        "a ledger link to a weaker statement",
        (Change("theorems.json", TH3P_LINK, f"{TH3P_LINK}1 = 2 -> "),),
    ),
    Hollowing(
        "a theorem that is no longer listed",
        (Change("theorems.txt", "Executable.fast_fit_private ", "# Executable.fast_fit_private "),),
        of_texts=True,
    ),
)
DEFINITIONS = (
    Hollowing(
        "neighbours restricted to data sets of two rows",
        (
            Change(
                NEIGHBOURS,
                "  | Exchange => exchange S S'\n",
                "  | Exchange => exists e e' z, Permutation S [e; z] /\\ Permutation S' [e'; z]\n",
            ),
            Change(
                NEIGHBOURS,
                "  - destruct N as (e & e' & rest & P & P').",
                "  - destruct N as (e & e' & z & P & P'). assert (Z := M z).",
            ),
            Change(
                NEIGHBOURS,
                "now exists x, x', (admitted rest).",
                "exists x, x'. cbn in P, P'. destruct (admission z) as [w|]; [|congruence]. now exists w.",
            ),
            Change(
                STEPS,
                "  - destruct N as (e & e' & rest & P1 & P2).",
                "  - destruct N as (e & e' & z & P1 & P2). set (rest := [z]) in *.",
            ),
            Change(
                PRIVACY,
                "    + destruct N as (e & e' & rest & Q & Q').",
                "    + destruct N as (e & e' & z & Q & Q'). set (rest := [z]) in *.",
            ),
        ),
    ),
    Hollowing(
        "weights that are all 1/2 in Grid.v",
        (
            Change(GRID, WEIGHT, "  GRID / 2."),
            Change(
                GRID,
                WEIGHT_PROOF,
                "  unfold net_weight, weight_of_margin. change (GRID / 2) with 512. lia.\nQed.\n(*",
            ),
            Change(GRID, WEIGHT_PROOF_END, WEIGHT_PROOF_END.replace("Qed.", "*)")),
            Change(
                DEFAULT, "  unfold contribution_of. now rewrite", "  all: unfold contribution_of; now rewrite"
            ),
        ),
    ),
    Hollowing(
        "a definition that is shadowed",
        (
            insert(
                EXECUTABLE,
                FAST_FIT,
                "Definition neighbours {A} r (S S' : list A) := Neighbours.neighbours r S S' /\\ S <> [].",
            ),
            *(
                Change(EXECUTABLE, proof, proof.replace("intros.", "intros ? []."))
                for proof in (FAST_FIT_PROOF, FAST_FIT_PROOF.replace("fast_fit", "reference_fit"))
            ),
        ),
    ),
)
GAPS = (
    Hollowing(
        "an axiom under the name of one that is allowed",
        (
            insert(
                EXECUTABLE,
                "Section Programs.",
                "Module Classical_Prop. Variable classic : (1 = 2)%R. End Classical_Prop.",
            ),
            Change(
                EXECUTABLE,
                FAST_FIT_PROOF,
                FAST_FIT_PROOF.replace("Proof.", "Proof. assert (N0 := Classical_Prop.classic)."),
            ),
        ),
        whole=True,
    ),
    *(
        Hollowing(name, (insert(DEFAULT, "Section Net.", gap),), of_texts=True)
        for name, gap in (
            ("a proof that ends with Admitted", "Lemma gap : False. Admitted."),
            ("a Parameter", "Parameter gap : False."),
            ("guards of recursion switched off", "Unset Guard Checking."),
        )
    ),
)
FROZEN = (
    Hollowing(
        "a changed instance in Headlines.v",
        (Change(HEADLINES, "<= 2 * sqrt 3 /\\", "<= 2000 * sqrt 3 /\\"),),
        of_texts=True,
    ),
    Hollowing(
        "a restated definition that differs from the original",
        (
            Change(
                HEADLINES,
                "| Grid.AddRemove => 1 end.\nCheck",
                "| Grid.AddRemove => 2 end.\nCheck",
            ),
        ),
        of_texts=True,
    ),
)
HOLLOWINGS = (*SECTIONS, *STATEMENTS, *DEFINITIONS, *GAPS, *FROZEN)
