"""The one description of a run: the same for the browser, the command line and the store."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from core.options import ConfigError, build_options, option, specs
from core.registry import Entry, Registry, datasets, methods, samplers

RANDOM_VECTORS = "random"  # of words; earlier versions wrote an empty text


def encoders() -> tuple[str, ...]:
    """The values of `encoder` that can be had on this machine; imports nothing."""
    return ("lstm", "transformer") if find_spec("transformers") else ("lstm",)


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides what a run computes. Equal configs give equal results."""

    dataset: str = option("demo", "which tasks to learn", group="Tasks")
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    task_order: tuple[str, ...] = option(
        (), "names of the tasks to learn, in order; empty: all of them", group="Tasks"
    )
    order_seed: int = option(
        0, "permutes the tasks; 0 keeps their order", low=0, high=2**31 - 1, group="Tasks"
    )
    permutation: str = option(
        "numpy",
        "how order_seed permutes. numpy: by NumPy's generator, the order given; release: as "
        "the paper's release, by PyTorch's generator, tasks by falling number of training rows",
        choices=("numpy", "release"),
        group="Tasks",
    )
    lemmas: str = option(
        "none",
        "words of utterances by their lemma. noun: a noun's plural reads as its singular (the "
        "paper's release; needs the package lemminflect); none: every word as it stands",
        choices=("none", "noun"),
        offered=lambda: ("none", "noun") if find_spec("lemminflect") else ("none",),
        group="Tasks",
    )
    idioms: int = option(
        0, "larger idioms learned a task by tree-BPE", low=0, high=1000, group="Tasks"
    )
    evaluation: str = option(
        "test",
        "rows that accuracy is measured on: the test set, or held-out rows for tuning (the dev "
        "set, or a fifth of the training rows where there is none)",
        choices=("test", "heldout"),
        group="Tasks",
    )

    method: str = option("total_recall", "how the parser learns task after task", group="Method")
    method_options: Mapping[str, Any] = field(default_factory=dict)
    sampler: str = option(
        "dlfs",
        "how a finished task's memory is chosen; where nothing is said, a new run takes that of "
        "the method's own paper, which for Total Recall is dlfs",
        group="Method",
    )
    sampler_options: Mapping[str, Any] = field(default_factory=dict)
    memory_size: int = option(
        50, "rows kept of each finished task (paper: 50)", low=0, high=100_000, group="Method"
    )
    task_masking: bool = option(
        False,
        "with the task known, other tasks' own actions are removed from A_t, in training and "
        "decoding (the paper's release: on)",
        group="Method",
    )

    applicable: str = option(
        "slot",
        "A_t, the actions that a step may take. slot: those that training data show in the slot "
        "that is filled; type: all actions of the kind that they show there, task-specific or "
        "cross-task, whatever the slot (the paper's release; with task masking the task's own, and "
        "the cross-task ones that were known when it was learned)",
        choices=("slot", "type"),
        group="Method",
    )

    epochs: int = option(10, "passes over a task (paper: 10)", low=1, high=1000, group="Training")
    batch_size: int = option(64, "rows a step (paper: 64)", low=1, high=4096, group="Training")
    learning_rate: float = option(
        0.0025, "Adam's step size (paper: 0.0025)", low=1e-8, high=1.0, group="Training"
    )
    schedule: str = option(
        "constant",
        "learning rate within a stage: constant (paper), or linear: down to nothing, epoch by "
        "epoch",
        choices=("constant", "linear"),
        group="Training",
    )
    dropout: float = option(
        0.2, "on word embeddings and on s_t", low=0.0, high=0.95, group="Training"
    )
    word_dropout: float = option(
        0.0, "share of training words read as unknown", low=0.0, high=0.95, group="Training"
    )
    clip_norm: float = option(
        5.0, "the gradient's norm is cut to this; 0: never", low=0.0, high=1e6, group="Training"
    )
    label_smoothing: float = option(
        0.0, "share of the target's probability that is spread evenly over A_t in training",
        low=0.0, high=0.95, group="Training",
    )  # fmt: skip
    optimizer: str = option(
        "fresh",
        "Adam's moments. fresh: every stage of a task starts without any; kept: one optimizer for "
        "the whole run, as in the paper's release", choices=("fresh", "kept"), group="Training",
    )  # fmt: skip

    embeddings: str = option(
        RANDOM_VECTORS,
        "where word vectors start: random; glove-6b-50, -100, -200 (the paper) or -300; or the "
        "path of a text file of vectors (GloVe, word2vec, fastText's .vec), also packed as .gz or "
        "as a member of a .zip: vectors.zip/member.txt",
        group="Parser",
    )
    embeddings_trained: bool = option(
        True, "word vectors are trained along; off: they stay as they start", group="Parser"
    )
    embeddings_scale: str = option(
        "as they are",
        "a file's vectors as they are, or normalised: all times one factor, so that their numbers "
        "spread as random ones do",
        choices=("as they are", "normalised"),
        group="Parser",
    )
    embeddings_lookup: str = option(
        "exact",
        "words that a file has not. exact: they start random; any case: Paris counts for paris; "
        "lemma: also city for cities, by English endings",
        choices=("exact", "any case", "lemma"),
        group="Parser",
    )
    word_size: int = option(
        200, "size of random word vectors (paper: 200)", low=1, high=4096, group="Parser"
    )
    encoder: str = option(
        "lstm",
        "what the encoder's LSTM reads. lstm: word vectors; transformer: the states of a "
        "pretrained one, as with BERT in the paper (takes the package transformers)",
        choices=("lstm", "transformer"),
        offered=encoders,
        group="Encoder",
    )
    encoder_model: str = option(
        "",
        "the pretrained transformer: a folder with its weights as safetensors and its tokenizer, "
        "or its name on Hugging Face, such as google-bert/bert-base-uncased",
        group="Encoder",
    )
    encoder_trained: str = option(
        "no",
        "no: it stays as it is, and its states are computed once an utterance (the paper's BERT "
        "fixed); yes: all of it is trained along (BERT fine-tuned); last layers: so many as "
        "encoder_layers says",
        choices=("no", "yes", "last layers"),
        group="Encoder",
    )
    encoder_layers: int = option(
        2, "layers that are trained with encoder_trained = last layers", low=1, high=1000,
        group="Encoder",
    )  # fmt: skip
    encoder_pooling: str = option(
        "first",
        "a word's state where the transformer cuts it into pieces: that of the first, or the mean",
        choices=("first", "mean"),
        group="Encoder",
    )
    encoder_rate: float = option(
        5e-5, "Adam's step size for the transformer", low=1e-8, high=1.0, group="Encoder"
    )
    encoder_warmup: int = option(
        50, "steps at a stage's start over which the transformer's step size rises from 0",
        low=0, high=1_000_000, group="Encoder",
    )  # fmt: skip
    hidden_size: int = option(
        256, "LSTM units, per direction in the encoder (paper: 256)", low=1, high=4096,
        group="Parser",
    )  # fmt: skip
    action_size: int = option(
        128, "size of an action embedding (paper: 128)", low=1, high=4096, group="Parser"
    )
    action_init: str = option(
        "0.3",
        "standard deviation that action embeddings are drawn with: this, or Glorot's (as in the "
        "paper's release; 0.08 to 0.09 on Overnight)", choices=("0.3", "glorot"), group="Parser",
    )  # fmt: skip
    input_feeding: bool = option(
        False, "the decoder also reads the last s_t (the release: on; slower)", group="Parser"
    )
    beam_size: int = option(
        1, "hypotheses kept in decoding; 1 is greedy", low=1, high=64, group="Parser"
    )

    seed: int = option(0, "of every random draw of the run", low=0, high=2**31 - 1, group="Machine")
    device: str = option("auto", "auto, cpu or cuda:N", group="Machine")
    threads: int = option(
        1, "CPU threads for the arithmetic; results are bit-identical for one number of threads",
        low=1, high=256, group="Machine",
    )  # fmt: skip

    record_actions: bool = option(
        True, "after each task, the probability of every action on the training rows of the tasks "
        "so far (takes 5 % of a run of Total Recall on Overnight, 11 % of one of fine-tuning)",
        group="Recording",
    )  # fmt: skip
    record_predictions: bool = option(
        True, "after each task, the parse of every test row of the tasks so far and the "
        "probability of each of its gold steps (takes 1 to 3 %, and 2.5 MB in the store)",
        group="Recording",
    )  # fmt: skip
    error_rows: int = option(
        20, "rows of each task so far, so many of its training and so many of its test rows, on "
        "which error is measured after every epoch; 0: none (20 take 2 to 4 % on Overnight)", low=0,
        high=10_000, group="Recording",
    )  # fmt: skip

    recording_budget: float = option(
        0.15, "what all of this may cost at most, as a share of the work of training; where it "
        "would cost more, errors are measured after fewer epochs, on fewer rows, of fewer tasks",
        low=0.0, high=1000.0, group="Recording",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if not self.embeddings:
            object.__setattr__(self, "embeddings", RANDOM_VECTORS)
        for spec in specs(RunConfig):
            object.__setattr__(self, spec.name, spec.check(getattr(self, spec.name), ""))
        for name in OPTION_GROUPS:
            values = getattr(self, f"{name}_options")
            if not isinstance(values, Mapping):
                raise ConfigError(f"{name}_options = {values!r}: expected a table of options.")
            object.__setattr__(self, f"{name}_options", MappingProxyType(dict(values)))

    def __hash__(self) -> int:
        return hash(self.to_json())

    def options(self, which: str) -> Any:
        """The options object of the dataset, method or sampler, checked against its declaration.

        ConfigError where the name or an option is not known or a value is out of range.
        """
        entry = entry_of(which, getattr(self, which))
        return build_options(entry.options, getattr(self, f"{which}_options"), f"{entry.name}.")

    def with_(self, **changes: Any) -> "RunConfig":
        """A copy with these fields changed."""
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values only."""
        values = {spec.name: getattr(self, spec.name) for spec in specs(RunConfig)}
        values["task_order"] = list(self.task_order)
        for name in OPTION_GROUPS:
            values[f"{name}_options"] = dict(getattr(self, f"{name}_options"))
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "RunConfig":
        """The inverse of to_dict; missing fields take their defaults, unknown ones are refused."""
        known = {item.name for item in fields(cls)}
        for name in values:
            if name not in known:
                raise ConfigError(
                    f"{name} is not an option of a run; there are: {', '.join(sorted(known))}."
                )
        return cls(**values)

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RunConfig":
        """The inverse of to_json; what an earlier version left out is what it did then."""
        earlier = {spec.name: spec.earlier for spec in specs(RunConfig)}
        return cls.from_dict({**earlier, **json.loads(text)})


RECORDING: Mapping[str, Any] = MappingProxyType(  # what changes no result, with its defaults
    {spec.name: spec.default for spec in specs(RunConfig) if spec.group == "Recording"}
)
OPTION_GROUPS: Mapping[str, Registry[Any]] = MappingProxyType(
    {"dataset": datasets, "method": methods, "sampler": samplers}
)


def entry_of(which: str, name: str) -> Entry:
    """The data set, method or sampler of this name; ConfigError names what there is instead."""
    entry: Entry = OPTION_GROUPS[which][name]
    return entry


def changed(config: RunConfig) -> Iterator[tuple[str, Any]]:
    """The settings in which a config differs from the defaults, options as `method.name`."""
    default = RunConfig()
    for spec in specs(RunConfig):
        value = getattr(config, spec.name)
        if value != getattr(default, spec.name):
            yield spec.name, value
    for which in OPTION_GROUPS:
        for name, value in getattr(config, f"{which}_options").items():
            yield f"{which}.{name}", value
