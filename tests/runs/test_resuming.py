"""What a run does with a checkpoint that is damaged, or is not its own."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.__main__ import main
from core.config import RunConfig
from core.runs import checkpoints
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import Run
from core.runs.store import Store
from core.stopping import Stopped
from core.training import sequence
from tests.campaign.bits import assert_same

State = dict[str, Any]
CONFIG = RunConfig(
    dataset="toy",
    method="emr",
    memory_size=3,
    epochs=3,
    batch_size=4,
    word_size=12,
    hidden_size=16,
    action_size=8,
    device="cpu",
    threads=1,
)


def stopped(store: Store, monkeypatch: pytest.MonkeyPatch, after: int = 4) -> int:
    """The number of a run that stopped after so many checkpoints: the fifth is inside task 2."""
    saved: list[State] = []
    real = checkpoints.save

    def save(run: int, state: State, *more: Any) -> None:
        real(run, state, *more)
        saved.append(state)
        if len(saved) == after + 1:
            raise Stopped

    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "save", save)
        assert execute(store, store.run(id), owner).status == "stopped"
    assert saved[-1]["position"][2] > 0, "in the midst of a stage"
    return id


def resumed(store: Store, id: int) -> Run:
    owner = new_owner()
    store.resume(id, claimed_by=owner)
    return execute(store, store.run(id), owner)


def first_moment(state: State) -> State:
    return next(iter(state["optimizer"]["state"].values()))


MISFITS: dict[str, Callable[[State], object]] = {
    "no generators": lambda s: s.pop("generators"),
    "no torch generators": lambda s: s["generators"].pop("torch"),
    "no generator": lambda s: s["generators"]["torch"].popitem(),
    "a generator of another kind": lambda s: s["generators"]["torch"].update(
        dict.fromkeys(s["generators"]["torch"], torch.zeros(3, dtype=torch.uint8))
    ),
    "generators that are no JSON": lambda s: s["generators"]["numpy"].update(batches="{oops"),
    "a list of generators": lambda s: s.update(generators=[1]),
    "no parser": lambda s: s.pop("parser"),
    "a parser of another size": lambda s: s["parser"].update(start=torch.zeros(9)),
    "a parser of other numbers": lambda s: s["parser"].update(start=s["parser"]["start"].int()),
    "a part too many": lambda s: s["parser"].update(more=torch.zeros(1)),
    "a part missing": lambda s: s["parser"].pop("start"),
    "no optimizer": lambda s: s.update(optimizer=None),
    "an empty optimizer": lambda s: s.update(optimizer={}),
    "an optimizer of other sizes": lambda s: first_moment(s).update(exp_avg=torch.zeros(2)),
    "an optimizer of more": lambda s: s["optimizer"]["state"].update({99: first_moment(s)}),
    "another optimizer": lambda s: s["optimizer"].update(
        torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1).state_dict()
    ),
    "examples out of range": lambda s: s["memory"].update({0: [0, 10_000]}),
    "a negative example": lambda s: s["memory"].update({0: [-1]}),
    "a task not learned": lambda s: s["memory"].update({2: [0]}),
    "a memory of text": lambda s: s["memory"].update({0: "rows"}),
    "a task beyond": lambda s: s.update(position=[99, 0, 1]),
    "a stage beyond": lambda s: s.update(position=[1, 99, 1]),
    "an epoch beyond": lambda s: s.update(position=[1, 0, 99]),
    "a position of text": lambda s: s.update(position=["a", 0, 1]),
    "half a position": lambda s: s.update(position=[1]),
    "no method": lambda s: s.update(method=None),
    "seconds of text": lambda s: s.update(seconds="long"),
}


@pytest.mark.parametrize("what", MISFITS)
def test_a_foreign_checkpoint_is_a_sentence(
    store: Store, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = stopped(store, monkeypatch)
    state = checkpoints.load(id)
    MISFITS[what](state)
    checkpoints.save(id, state)
    before = store.run(id)
    run = resumed(store, id)
    assert run.status == "failed"
    assert run.error.startswith(f"Run {id} can't go on from its checkpoint: its "), run.error
    assert run.error.endswith(f"It can be begun anew: python -m core resume {id} --anew.")
    assert checkpoints.can_begin_anew(run.error)
    assert run.progress == before.progress


def test_a_checkpoint_that_fits_goes_on(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cases above change is all that is wrong with them."""
    id = stopped(store, monkeypatch)
    checkpoints.save(id, checkpoints.load(id))
    assert resumed(store, id).status == "finished"


def test_a_checkpoint_of_an_earlier_version_ends_with_the_same_bits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parsers called a part otherwise then, and files had no digest."""
    id = stopped(store, monkeypatch)
    state = checkpoints.load(id)
    names = {name.replace("init_decoder", "to_first"): name for name in state["parser"]}
    assert set(names) != set(state["parser"])
    state["parser"] = {earlier: state["parser"][name] for earlier, name in names.items()}
    torch.save(state, checkpoints.folder(id) / "state.pt")
    assert resumed(store, id).status == "finished"
    owner = new_owner()
    plain = store.create(CONFIG, claimed_by=owner)
    execute(store, store.run(plain), owner)
    assert_same(store, plain, id, n_tasks=3)


@pytest.mark.parametrize("content", [b"", b"junk", None], ids=["empty", "junk", "changed"])
def test_a_damaged_checkpoint_is_begun_anew(
    store: Store, content: bytes | None, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    id = stopped(store, monkeypatch)
    path = checkpoints.folder(id) / "state.pt"
    whole = bytearray(path.read_bytes())
    whole[1000:1400] = bytes(byte ^ 0xFF for byte in whole[1000:1400])
    path.write_bytes(whole if content is None else content)
    for _ in range(2):
        assert main(["resume", str(id), "--quiet"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "can't go on from its checkpoint" in err
        assert f"python -m core resume {id} --anew" in err
        assert "weights_only" not in err
        assert len(err.splitlines()) == 1
    assert main(["resume", str(id), "--anew", "--quiet"]) == 0
    owner = new_owner()
    plain = store.create(CONFIG, claimed_by=owner)
    execute(store, store.run(plain), owner)
    assert_same(store, plain, id, n_tasks=3)
    assert store.run(id).attempts == 1


def test_to_begin_anew_forgets_what_was_recorded(store: Store, monkeypatch) -> None:
    id = stopped(store, monkeypatch)
    assert store.run(id).progress > 0
    store.resume(id, anew=True)
    run = store.run(id)
    assert (run.status, run.progress, run.facts, run.attempts) == ("queued", 0.0, None, 0)
    owner = new_owner()
    assert store.claim(owner, id=id) is not None
    seen: list[State | None] = []
    monkeypatch.setattr(sequence, "train", lambda *args, resume, **more: seen.append(resume))
    execute(store, store.run(id), owner)
    assert seen == [None]
