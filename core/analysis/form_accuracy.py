"""How much of each logical form is parsed: a task's test rows after each task, form by form."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.data.base import Example


def right_by_form(
    predictions: pd.DataFrame, test: Sequence[Example], texts: Sequence[str], after: int
) -> npt.NDArray[np.float64]:
    """The share of test rows with each of the forms `texts` that are parsed exactly after a task
    (from 0); NaN where no test row has it. `predictions` is analysis.drilldown.predictions_on's.
    """
    mine = predictions[predictions.after == after]
    forms = [str(test[row].tree) for row in mine.row]
    shares = mine.correct.astype(float).groupby(np.array(forms, dtype=object)).mean()
    return np.array([shares.get(text, np.nan) for text in texts], dtype=float)
