"""Which cases of a function with the mark `sampled` a normal run takes."""

from itertools import product
from types import SimpleNamespace

import pytest
import sampling


def cases(every, *lengths):
    """What pytest collects of a function with tables of these lengths."""
    mark = SimpleNamespace(args=(every,))
    tables = [SimpleNamespace(args=("name", range(length))) for length in lengths]
    return [
        SimpleNamespace(
            nodeid=f"test_file.py::test[{case}]",
            case=case,
            get_closest_marker=lambda name: mark,
            iter_markers=lambda name: iter(tables),
        )
        for case in product(*map(range, lengths))
    ]


@pytest.mark.parametrize("processors", [1, 2, 3, 4])
def test_each_entry_of_each_table_is_taken(processors, monkeypatch):
    """Tables of processors have as many entries as this machine runs the code of."""
    monkeypatch.setattr(sampling, "ALL", False)
    items = cases(3, 8, 5, processors)
    run, left_out = sampling.sampled(items)
    assert len(run) + len(left_out) == len(items) and len(run) <= -(-len(items) // 3)
    assert [{item.case[table] for item in run} for table in range(3)] == [
        {*range(8)},
        {*range(5)},
        {*range(processors)},
    ]


def test_one_table_is_sampled_as_the_mark_says(monkeypatch):
    monkeypatch.setattr(sampling, "ALL", False)
    run, _ = sampling.sampled(cases(5, 20))
    assert [item.case for item in run] == [(0,), (5,), (10,), (15,)]


def test_tables_without_the_mark_may_be_iterators():
    item = SimpleNamespace(
        nodeid="test_file.py::test[0]",
        get_closest_marker=lambda name: None,
        iter_markers=lambda name: iter([SimpleNamespace(args=("name", iter([0])))]),
    )
    assert sampling.sampled([item]) == ([item], [])
