"""How a memory's rows are listed, and what memories are called beside one another."""

from collections.abc import Sequence

from core.analysis.memory import Kept
from pages.shared.ui.tables import NUMBER, TEXT

WIDE = {
    "utterance": TEXT("Utterance", width=330),
    "logical_form": TEXT("Logical form", width=430),
    "alone": NUMBER("Alone", width=65, help="actions that no other row of the memory shows"),
    "row": NUMBER("Row", width=60),
    "cluster": NUMBER(
        "Cluster", width=70, help="of the forms' clusters that all memories are held against"
    ),
    "own_cluster": NUMBER("Its own", width=70, help="the cluster that the sampler itself drew"),
    "actions": TEXT("Actions", width=430),
}


def names_of(kept: Sequence[Kept]) -> list[str]:
    """The memories' names, told apart where they are the same."""
    names: list[str] = []
    for memory in kept:
        again = names.count(memory.name) + sum(n.startswith(f"{memory.name} (") for n in names)
        names.append(f"{memory.name} ({again + 1})" if again else memory.name)
    return names
