"""Text that people gave or that came with the data, shown letter for letter; and states in words.

Streamlit reads labels, captions and messages as Markdown, with directives (`:red[…]`), formulas,
emoji codes and links. What is not ours goes through `escape` before it stands in one of these.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from core.text import counted

__all__ = ["STATUS", "Look", "counted", "escape", "size", "visible"]

_MARKS = re.compile(r"([!-/:-@\[-`{-~])")  # ASCII punctuation, as CommonMark has it
_KEPT = "\u200c\u200d"  # they join letters and emoji
_APART = ":small[]"  # shows and copies as nothing: what stands on its sides is read apart
_JOINED = re.compile(  # what would be an emoji code, an icon or an address
    r":(?=[\w+/-]+:)|:(?=//)|(?<=[\w.+-])@(?=[\w.-])|(?<=www)(?=\.)|(?:(?<=mailto)|(?<=xmpp)):",
    re.IGNORECASE,
)


def escape(text: object) -> str:
    """Markdown that shows this text as it is, on one line."""
    line, shown, at = " ".join(str(text).split()), "", 0
    for joined in _JOINED.finditer(line):
        shown += _MARKS.sub(r"\\\1", line[at : joined.end()]) + _APART
        at = joined.end()
    return shown + _MARKS.sub(r"\\\1", line[at:])


def visible(text: str) -> str:
    """The text with control characters, and such as turn its direction, written as `\\x07`."""
    return "".join(_coded(sign) if _unseen(sign) else sign for sign in text)


def _unseen(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs") and sign not in _KEPT


def _coded(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}"


@dataclass(frozen=True)
class Look:
    """How a status is shown."""

    icon: str
    colour: Literal["gray", "blue", "green", "red", "orange", "violet"]
    means: str


STATUS: Mapping[str, Look] = MappingProxyType(
    {
        "queued": Look(":material/schedule:", "gray", "waits for a free worker"),
        "running": Look(":material/sync:", "blue", "is being carried out"),
        "finished": Look(":material/check_circle:", "green", "has learned all tasks"),
        "failed": Look(":material/error:", "red", "ended with an error; can be resumed"),
        "stopped": Look(":material/pause_circle:", "orange", "was stopped; can be resumed"),
        "interrupted": Look(":material/power_off:", "violet", "lost its process; can be resumed"),
    }
)


def size(count: int) -> str:
    """Bytes as people write them: `4.5 MB`."""
    if count >= 1e7:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"
