"""Tables of an experiment's arms over its complete pairs: means, the paper's values, positions."""

import pandas as pd

from core.analysis.experiment_tables import Compared
from core.analysis.paper import comparable


def arm_table(compared: Compared) -> pd.DataFrame:
    """Every compared arm over the complete pairs, in percent.

    Columns: arm, n, then for avg and whole: mean, sd, bound (the upper bound's mean), paper and
    difference (mean less paper; missing where the paper has no such value), named `avg_mean` and so
    on; minutes a run.
    """
    used = compared.cells[compared.cells.pair.isin(compared.pairs)]
    rows = []
    for arm in compared.arms:
        cells = used[used.arm == arm]
        row: dict[str, object] = {"arm": compared.experiment.arms[arm].label, "n": len(cells)}
        for measure in ("avg", "whole"):
            paper = _paper(compared, arm, measure)
            row[f"{measure}_mean"] = cells[measure].mean()
            row[f"{measure}_sd"] = cells[measure].std(ddof=1)
            row[f"{measure}_bound"] = cells[f"bound_{measure}"].mean()
            row[f"{measure}_paper"] = paper
            row[f"{measure}_difference"] = cells[measure].mean() - paper
        row["minutes"] = cells.minutes.mean()
        rows.append(row)
    columns = [
        f"{m}_{c}" for m in ("avg", "whole") for c in ("mean", "sd", "bound", "paper", "difference")
    ]
    return pd.DataFrame(rows, columns=["arm", "n", *columns, "minutes"])


def position_table(compared: Compared) -> pd.DataFrame:
    """Accuracy after the last task on the i-th task learned, over the complete pairs, in percent.

    Columns: arm, position (from 1), n, mean, sd. Orders differ between pairs, so a position is
    another task in each.
    """
    used = compared.cells[compared.cells.pair.isin(compared.pairs)]
    rows = [
        (compared.experiment.arms[arm].label, position, values.size, values.mean(), values.std())
        for arm in compared.arms
        for position, values in pd.DataFrame(used.by_position[used.arm == arm].tolist()).items()
    ]
    table = pd.DataFrame(rows, columns=["arm", "position", "n", "mean", "sd"])
    return table.assign(position=table.position.astype(int) + 1)


def _paper(compared: Compared, arm: int, measure: str) -> float:
    """The paper's value for the arm; of one without DAR and one with, that without."""
    tasks = compared.cells[compared.cells.arm == arm].tasks.dropna()
    config = compared.experiment.arm_config(compared.experiment.arms[arm])
    known = comparable(config, int(tasks.iloc[0]) if len(tasks) else 0)
    values = [value for value in known if value.measure == measure]
    values = [value for value in values if value.note == "without DAR"] or values
    return values[0].value if values else float("nan")
