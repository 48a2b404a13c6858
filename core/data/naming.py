"""What the data of a run are called, and whether two runs learn the same."""

from core.config import RunConfig
from core.data.upload import DIGITS, upload_of
from core.options import ConfigError
from core.registry import datasets


def file_name(digest: str) -> str:
    """An imported file's name with its digest's first digits: `mine.tsv (1f3a5b7c)`."""
    upload = upload_of(digest)
    return upload.label if upload else f"file {digest[:DIGITS]}"


def dataset_name(config: RunConfig) -> str:
    """What people call the data set of a run, also one that is no longer there."""
    digest = config.dataset_options.get("file")
    if config.dataset == "upload" and isinstance(digest, str) and digest:
        return file_name(digest)
    return datasets[config.dataset].label if config.dataset in datasets else config.dataset


def same_data(left: RunConfig, right: RunConfig) -> bool:
    """Whether two runs learn and are measured on the same data set, in any order of tasks."""
    if (left.dataset, left.evaluation) != (right.dataset, right.evaluation):
        return False
    try:
        return bool(left.options("dataset") == right.options("dataset"))
    except ConfigError:  # a data set or an option that is no longer there
        return dict(left.dataset_options) == dict(right.dataset_options)
