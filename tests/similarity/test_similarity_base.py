import numpy as np
import pytest

from core.data.base import FormReader, Task
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.clusters import SIMILARITIES

READ = FormReader().example
ROWS = [
    READ("one", "( f ( g x ) )"),
    READ("two", "( h y )"),
    READ("three", "( f ( g x ) )"),
    READ("four", "( f ( g x ) )"),
]


def test_forms_are_numbered_by_first_appearance_with_their_rows():
    forms = distinct_forms(ROWS)
    assert forms.texts == ("( f ( g x ) )", "( h y )")
    assert tuple(map(str, forms.trees)) == forms.texts
    assert forms.of_row.tolist() == [0, 1, 0, 0]
    assert forms.first_rows.tolist() == [0, 1]
    assert forms.multiplicities.tolist() == [3, 1]
    assert [rows.tolist() for rows in forms.rows()] == [[0, 2, 3], [1]]


def test_no_rows_have_no_forms():
    forms = distinct_forms([])
    assert len(forms) == 0
    assert forms.rows() == []


@pytest.mark.parametrize("name", list(SIMILARITIES))
def test_similarity_is_symmetric_in_range_and_one_with_itself(
    name: str, toy_tasks: tuple[Task, ...]
):
    forms = distinct_forms([row for task in toy_tasks for row in task.train])
    similarity = SIMILARITIES[name](forms.trees)
    table = all_pairs(similarity)
    assert len(similarity) == len(forms)
    assert table.shape == (len(forms), len(forms))
    assert table.dtype == np.float32
    assert (table == table.T).all()
    assert (np.diag(table) == 1).all()
    assert table.min() >= 0
    assert table.max() == 1
    rows, columns = np.array([3, 1, 3]), np.array([0, 3])
    assert (similarity.between(rows, columns) == table[np.ix_(rows, columns)]).all()
    assert similarity.between(rows[:0], columns).shape == (0, 2)


@pytest.mark.parametrize("name", list(SIMILARITIES))
def test_no_forms_have_no_pairs(name: str):
    assert all_pairs(SIMILARITIES[name]([])).shape == (0, 0)
