"""The glossary: what the words of the field mean here, and links to it where a page first says one.

`prose` draws a sentence of ours as Markdown; the first time that a word of the glossary stands on
the page it leads there, and says in short what it means.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

_SAID = "glossary/said"  # the terms that stand on the page already


@dataclass(frozen=True)
class Term:
    """A word of the field: as it is written in sentences, and what it means."""

    word: str
    pattern: str  # how sentences write it
    short: str  # beside the pointer
    more: str = ""


def _terms(*terms: Term) -> Mapping[str, Term]:
    names = [re.sub(r"\W+", "-", term.word.lower()).strip("-") for term in terms]
    return MappingProxyType(dict(zip(names, terms, strict=True)))


TERMS = _terms(
    Term(
        "logical form",
        r"logical forms?",
        "a question's meaning as an expression that a program can evaluate",
        "The gold form is the one that the data give for an utterance; a parse is right where it "
        "is exactly that form.",
    ),
    Term(
        "action",
        r"actions?",
        "a piece of logical form that the parser writes in one step",
        "A form is written depth-first, left to right: each step fills the leftmost open slot with "
        "an action. `( filter _ _ )` writes a label and opens a slot for each `_`.",
    ),
    Term(
        "GEN",
        r"GEN",
        "an action that writes a piece of form with nothing left to fill",
        "`GEN ( property year )` writes this piece whole, as the paper's actions of the kind GEN "
        "do.",
    ),
    Term(
        "slot",
        r"slots?",
        "a place in an unfinished form that the next action fills",
        "`filter/4[1]` is the second (counted from 0) of four children of `filter`; `ROOT` is the "
        "slot of the whole form.",
    ),
    Term(
        "A_t",
        r"A_t",
        "the applicable actions of a step",
        "The actions that training rows of the tasks known so far show in the step's slot; the "
        "parser chooses among these alone.",
    ),
    Term(
        "task-specific",
        r"task-specific",
        "of an action: training rows of one task only use it",
        "The paper finds that these are forgotten at once.",
    ),
    Term(
        "cross-task",
        r"cross-task",
        "of an action: training rows of several tasks use it",
        "Later tasks practise them, so that they fluctuate rather than vanish.",
    ),
    Term(
        "memory",
        r"memor(?:y|ies)",
        "the few training rows that are kept of each finished task",
        "M, the memory size, is how many rows a task; a sampler chooses them, and replay trains on "
        "them beside the new task's.",
    ),
    Term(
        "sampler",
        r"samplers?",
        "who chooses the rows of a memory",
        "LFS takes one row of each cluster of logical forms; DLFS then swaps rows within clusters "
        "while that raises the entropy of actions.",
    ),
    Term(
        "upper bound",
        r"upper bound",
        "the share of test rows whose form the known actions can write at all",
        "An action that no training row shows so far is out of reach, whatever was learned.",
    ),
    Term(
        "acc[k, i]",
        r"acc\[k, i\]",
        "the share of task i's test rows parsed exactly after task k",
        "Exact match: the parse is the gold form, letter for letter.",
    ),
    Term(
        "ACC_avg",
        r"ACC_avg",
        "the mean of acc[k, i] over the tasks learned so far",
    ),
    Term(
        "ACC_whole",
        r"ACC_whole",
        "exact match over the test rows of all tasks learned so far, pooled",
        "Large tasks count for more than in ACC_avg.",
    ),
    Term(
        "drop",
        r"drops?|dropped",
        "of an action: its probability right after its task less that after the last",
    ),
    Term(
        "P(action | history, utterance)",
        r"P\(action \| history, utterance\)",
        "how probable the parser holds an action in a step of the gold form",
        "The gold steps before it are given; shown are means over a task's training rows.",
    ),
    Term(
        "fast stage",
        r"fast stage",
        "the first of Total Recall's two stages: actions not seen before are learned alone",
        "The slow stage then trains the whole parser, on the new task and on memories.",
    ),
    Term(
        "entropy",
        r"entrop(?:y|ies)",
        "how evenly a memory's rows spread over actions, in nats",
        "By frequency an action counts as often as it occurs, by presence once a row.",
    ),
    Term(
        "Jaccard's index",
        r"Jaccard's index",
        "of two sets: what both have over what either has",
    ),
    Term(
        "Smatch",
        r"Smatch",
        "how alike two logical forms are, as graphs matched node by node",
        "Cai and Knight (2013). Productions, the other similarity here, compares the pieces that "
        "two forms are made of.",
    ),
    Term(
        "medoid",
        r"medoids?",
        "the form of a cluster that is nearest to all others in it",
    ),
)
_ANY = re.compile(
    r"(?<![\w`\[*])(?:" + "|".join(f"(?P<_{at}>{t.pattern})" for at, t in enumerate(TERMS.values()))
    + r")(?![\w`\]*])"
)  # fmt: skip

_APART = re.compile(r"(`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\))")


def prose(text: str) -> None:
    """A sentence of ours, its words of the field leading to the glossary at their first use."""
    st.markdown(linked(text))


def linked(text: str) -> str:
    """The text, each of its words that is new to the page as a link to the glossary."""
    said: set[str] = st.session_state.setdefault(_SAID, set())

    def link(match: re.Match[str]) -> str:
        name = list(TERMS)[int(str(match.lastgroup)[1:])]
        if name in said:
            return match[0]
        said.add(name)
        word = match[0].replace("[", "\\[").replace("]", "\\]").replace("|", "\\|")
        return f'[{word}](glossary?term={name} "{TERMS[name].short}")'

    parts = _APART.split(text)  # every second is code, a formula or a link
    return "".join(part if at % 2 else _ANY.sub(link, part) for at, part in enumerate(parts))


def begin_page() -> None:
    """A page begins: nothing of the glossary stands on it yet."""
    st.session_state[_SAID] = set()
