from __future__ import annotations

import pytest

from fusionscope.page.charts import columns

LABELS = [("1", None), ("2", None), ("3", "at")]


def test_columns_stand_side_by_side_below_a_round_top() -> None:
    chart = columns(
        [[(3.0, "a"), (1.0, "b")], [], [(8.0, "a")]], ["one", "two", "three"], [("1", None), ("2", None), ("3", "at")]
    )
    assert chart.places == 3
    assert [(line.y, line.amount) for line in chart.lines] == [("75.0", 2.0), ("50.0", 4.0), ("25.0", 6.0), ("0.0", 8.0)]
    assert [(column.x, column.title) for column in chart.columns] == [("0.125", "one"), ("2.125", "three")]
    assert [tuple(block) for block in chart.columns[0].blocks] == [("62.5", "37.5", "a"), ("50.0", "12.5", "b")]
    assert [(label.x, label.anchor, label.at) for label in chart.labels] == [
        ("16.67%", "middle", None), ("50.00%", "middle", None), ("83.33%", "middle", "at"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("highest", "top", "lines"),
    [(0.0, 1.0, 1), (0.04, 0.04, 4), (1.0, 1.0, 5), (13.1, 15.0, 3), (21.0, 25.0, 5), (9_999.0, 10_000.0, 5)],
)
def test_the_axis_has_a_few_round_lines(highest: float, top: float, lines: int) -> None:
    chart = columns([[(highest, "a")]], [""], [("", None)])
    assert len(chart.lines) == lines
    assert chart.lines[-1].amount == pytest.approx(top)


def test_a_given_top_stays() -> None:
    assert [line.amount for line in columns([[(0.5, "a")]], [""], [("", None)], top=1.0).lines] == pytest.approx(
        [0.2, 0.4, 0.6, 0.8, 1]
    )


def test_no_more_than_five_labels_and_those_at_the_ends_stand_inside() -> None:
    many = [(str(n), None) for n in range(62)]
    found = columns([[(1.0, "a")]] * 62, [""] * 62, many).labels
    assert [label.words for label in found] == ["0", "13", "26", "39", "52"]
    assert (found[0].x, found[0].anchor) == ("0.00%", "start")


def test_nothing_has_no_columns() -> None:
    assert columns([], [], []).columns == []
