"""An experiment's tables as people read them: mean ± sd, and p beside the smallest possible."""

import math
from collections.abc import Sequence

import pandas as pd

from core.analysis import significance
from core.analysis.accuracy import MEASURES
from core.analysis.arm_tables import arm_table, position_table
from core.analysis.experiment_tables import Compared
from core.analysis.significance import Ranks
from core.options import ConfigError

POSITIONS = "Accuracy after the last task on the i-th task learned, mean ± sd, in percent."


def shown_arms(compared: Compared) -> pd.DataFrame:
    """`arm_table` as people read it: mean ± sd in one column."""
    rows = []
    for row in arm_table(compared).itertuples():
        cells = {"Arm": row.arm, "n": row.n}
        for measure in ("avg", "whole"):
            mean, sd, paper, difference, bound = (
                getattr(row, f"{measure}_{name}")
                for name in ("mean", "sd", "paper", "difference", "bound")
            )
            cells[MEASURES[measure]] = spread(mean, sd)
            cells[f"Paper {measure}"] = _number(paper)
            cells[f"Δ {measure}"] = _number(difference, sign=True)
            cells[f"Bound {measure}"] = _number(bound)
        cells["Minutes"] = _number(row.minutes, digits=1)
        rows.append(cells)
    return pd.DataFrame(rows)


def shown_positions(compared: Compared) -> pd.DataFrame:
    """`position_table` as people read it: a column for each position, mean ± sd."""
    rows: dict[str, dict[str, object]] = {}
    for row in position_table(compared).itertuples():
        cells = rows.setdefault(row.arm, {"Arm": row.arm, "n": row.n})
        cells[f"Task {row.position}"] = spread(row.mean, row.sd)
    return pd.DataFrame(rows.values())


def shown_differences(compared: Compared, measure: str, reference: str) -> pd.DataFrame:
    """`significance.differences` as people read it; ConfigError where there is no such arm."""
    values = compared.values(measure)
    if reference not in values.columns:
        known = ", ".join(values.columns) or "none that has finished"
        raise ConfigError(f"'{reference}' is not a compared arm; there are: {known}.")
    rows = []
    for row in significance.differences(values, reference).itertuples():
        rows.append(
            {
                "Arm": row.arm,
                "n": row.n,
                f"{MEASURES[measure]} − {reference}": _number(row.difference, sign=True),
                "95 % interval (BCa)": _interval(row.low, row.high),
                "p (Wilcoxon)": p_text(row.p),
                "p (Holm)": p_text(row.p_holm),
                "Smallest p": p_text(row.smallest_p),
            }
        )
    return pd.DataFrame(rows)


def shown_ranks_and_effects(compared: Compared, measure: str) -> list[tuple[str, pd.DataFrame]]:
    """Mean ranks with the critical difference, and the spread by order and by seed, with titles.

    Neither where the pairs do not allow it.
    """
    tables = []
    ranks = significance.ranks(compared.values(measure))
    if ranks is not None and len(ranks.arms) > 2:
        tables.append((rank_title(ranks, measure), rank_table(ranks)))
    effects = shown_effects(compared, measure)
    return [*tables, effects] if effects else tables


def rank_title(ranks: Ranks, measure: str) -> str:
    """Friedman's test and the critical difference, in sentences."""
    test = f"Friedman's test as by Iman and Davenport: F = {ranks.f:.2f}, p = {p_text(ranks.p)}"
    least = f"{ranks.n_pairs} pairs of {len(ranks.arms)} arms can give no smaller one"
    if math.isinf(ranks.f):
        test = f"All {ranks.n_pairs} pairs rank the arms alike: exact p = {p_text(ranks.p)}"
    elif ranks.p > ranks.smallest_p:
        least = f"the smallest possible is {p_text(ranks.smallest_p)}"
    return (
        f"Mean ranks by {MEASURES[measure]} (1 is best). {test} ({least}); arms whose ranks "
        f"differ by less than {ranks.critical_difference:.2f} (Nemenyi, 0.05) are not told apart."
    )


def rank_table(ranks: Ranks) -> pd.DataFrame:
    """The arms, best first, with those that they can't be told apart from."""
    rows = [
        {"Arm": arm, "Mean rank": _number(rank), "Not different from": _alike(arm, ranks.groups)}
        for arm, rank in zip(ranks.arms, ranks.mean_ranks, strict=True)
    ]
    return pd.DataFrame(rows)


def shown_effects(compared: Compared, measure: str) -> tuple[str, pd.DataFrame] | None:
    """The spread by order and by seed with its title; None where they can't be told apart."""
    effects = significance.effects(compared.by_order_and_seed(measure))
    if effects is None:
        return None
    names = {"arm": "Arm", "order": "Order", "seed": "Seed", "rest": "Rest"}
    title = f"Standard deviation of {MEASURES[measure]} by order and by seed, in points."
    return title, effects.rename(columns=names)


def _alike(arm: str, groups: Sequence[Sequence[str]]) -> str:
    near = dict.fromkeys(name for group in groups if arm in group for name in group)
    return ", ".join(name for name in near if name != arm) or "–"


def about_p(compared: Compared) -> str:
    """What the number of pairs allows to be said about p at all."""
    n = len(compared.pairs)
    if n < 1:
        return "No pair is complete: nothing can be compared yet."
    least = significance.smallest_p(n)
    pairs = f"{n} pair{'s' * (n > 1)}"
    words = (
        f"With {pairs} no p below {p_text(least)} is possible in the exact two-sided Wilcoxon test"
    )
    rest = ": whatever the difference of two arms, it can't be significant at 0.05."
    words += rest if least > 0.05 else ", before correction."
    share = significance.COVERED.get(n)
    narrow = (
        f" Intervals over {pairs} are too narrow: they hold the mean in some {share} % of cases."
    )
    return words + (narrow if share else "")


def spread(mean: float, sd: float) -> str:
    """`52.31 ± 1.07`; a dash where there is none."""
    return _number(mean) if pd.isna(sd) else f"{mean:.2f} ± {sd:.2f}"


def p_text(p: float) -> str:
    """A p value with all digits that its exact test gives, up to four."""
    return "–" if pd.isna(p) else f"{p:.4f}".rstrip("0").rstrip(".") if p >= 1e-4 else f"{p:.1e}"


def _interval(low: float, high: float) -> str:
    """`+1.20 to +3.40`; a dash where there is none."""
    ends = f"{_number(low, sign=True)} to {_number(high, sign=True)}"
    return "–" if pd.isna(low) or pd.isna(high) else ends


def _number(value: float, *, sign: bool = False, digits: int = 2) -> str:
    if pd.isna(value):
        return "–"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
