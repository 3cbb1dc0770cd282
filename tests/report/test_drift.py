from __future__ import annotations

import pytest

from fusionscope.report.drift import drift_sentence, spelled, turn_drift_sentence
from fusionscope.report.summary import of_turns
from fusionscope.report.terminal import print_summary, print_turn
from fusionscope.store.drift import Drift
from tests.report.screen import printed, widest
from tests.turns import CASCADE

DEBATE = CASCADE._replace(pattern="debate", unknown_words=("pattern debate", "kind arbiter", "contract 2"))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("pattern debate", "pattern debate"),
        ("contract 2", "contract version 2"),
        ("session.fusion_resolved hue", "field hue of fusion_resolved"),
        ("session.fusion_debated", "event type fusion_debated"),
        ("kind \x1b[2J", "kind \ufffd[2J"),
    ],
)
def test_a_word_is_spelled_for_a_person(word: str, said: str) -> None:
    assert spelled(word) == said


def test_what_is_not_known_is_named_with_its_turns_the_most_frequent_first() -> None:
    words = {"kind arbiter": 2, "pattern debate": 12, "scope side": 1, "status paused": 1}
    assert drift_sentence(words, {}) == (
        "not known to this release: pattern debate (12 turns), kind arbiter (2 turns), scope side (1 turn) and 1 more;"
        " run `fusionscope doctor`"
    )


def test_only_event_types_of_fusion_are_drift_and_none_is_named_twice() -> None:
    assert drift_sentence({}, {"session.new_thing": 9}) is None
    types = {"session.fusion_debated": 3, "session.fusion_closed": 1, "tool.renamed": 5}
    assert drift_sentence({"session.fusion_debated": 2}, types) == (
        "not known to this release: event type fusion_debated (2 turns) and event type fusion_closed (1 event);"
        " run `fusionscope doctor`"
    )


def test_where_all_is_known_nothing_is_said() -> None:
    assert drift_sentence({}, {}) is None
    assert turn_drift_sentence(CASCADE) is None


def test_the_summary_begins_with_what_is_not_known_also_where_there_is_no_turn() -> None:
    drift = Drift({"pattern debate": 12}, {}, None)
    banner = "! not known to this release: pattern debate (12 turns); run `fusionscope doctor`\n\n"
    assert printed(print_summary, of_turns([CASCADE]), 0, drift).startswith(banner + "1 turn ")
    assert printed(print_summary, of_turns([]), 0, drift) == banner + "no Fusion turns\n"
    found = of_turns([CASCADE])
    assert printed(print_summary, found, 0, drift).removeprefix(banner) == printed(print_summary, found, 0)


def test_a_turn_says_quietly_what_of_it_is_not_known() -> None:
    text = printed(print_turn, DEBATE)
    assert "\n  not known to this release: pattern debate, kind arbiter and contract version" in text
    assert "! not known" not in text
    assert widest(text) <= 80
