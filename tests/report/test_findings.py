"""The field report: figures worked out by hand, sentences that hold, and nothing in it that should not leave."""

from __future__ import annotations

import re

from fusionscope.model import Turn
from fusionscope.report.findings import findings
from fusionscope.report.markdown import code, table, text
from fusionscope.report.summed_worth import Worth
from fusionscope.store.drift import Drift
from tests.turns import TEN, leg, turn

CREDIT = 1_000_000_000

#: 3 credits in one leg of 300 input tokens (150 cached, 60 cache-written) and 20 output tokens
SINGLE = turn(
    "f1",
    leg(model="m-big", nano_aiu=3 * CREDIT, input_tokens=300, cached_tokens=150, cache_write_tokens=60, output_tokens=20,
        is_answer=True),
    duration_ms=4_000.0, routing_latency_ms=100.0, repository="acme/secret-project", branch="topic-x",
)  # fmt: skip
#: 1 + 2 + 6 credits: a draft that was rejected and repaired; each leg 100 input and 10 output tokens
CASCADE = turn(
    "f2",
    leg("f2:p0", model="m-small", nano_aiu=CREDIT),
    leg("f2:p1", index=1, kind="judge", scope="review", model="m-big", verdict="reject", nano_aiu=2 * CREDIT),
    leg("f2:p2", index=2, kind="repair", model="m-big", nano_aiu=6 * CREDIT, is_answer=True),
    pattern="cascade", started_at=TEN + 86_400_000, duration_ms=20_000.0, routing_latency_ms=300.0, session_id="s2",
)  # fmt: skip
TURNS = [SINGLE, CASCADE]


def _page(turns: list[Turn] = TURNS, worth: list[Worth] | None = None, **more: object) -> str:
    return findings(turns, worth or [], **more).markdown  # type: ignore[arg-type]


def _rows(page: str, title: str) -> list[list[str]]:
    """The rows of the table below a heading."""
    part = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("|")]
    return rows[2:]


def test_the_first_lines_say_how_much_there_is_and_when() -> None:
    assert "**2 turns, 2 sessions, 2026-11-30 to 2026-12-01 (UTC), 12.00 credits ($0.12), 4 model calls.**" in _page()


def test_patterns_have_their_credits_share_median_and_time() -> None:
    assert _rows(_page(), "Patterns") == [
        ["`cascade`", "1", "9.00", "75.0 %", "9.00", "20.0 s"],
        ["`single`", "1", "3.00", "25.0 %", "3.00", "4.0 s"],
    ]
    assert (
        "Most credits went to `cascade`: 75 % in 1 turn. The median turn of `cascade` cost 3.0 times that of `single`."
        in _page()
    )
    assert "A median of fewer than 10 turns is an anecdote: `cascade` (1), `single` (1)." in _page()


def test_models_and_kinds_have_the_mean_leg() -> None:
    assert _rows(_page(), "Models") == [
        ["`m-big`", "3", "11.00", "91.7 %", "3.67"],
        ["`m-small`", "1", "1.00", "8.3 %", "1.00"],
    ]
    assert _rows(_page(), "Kinds of legs") == [
        ["`repair`", "1", "6.00", "6.00"],
        ["`primary`", "2", "4.00", "2.00"],
        ["`judge`", "1", "2.00", "2.00"],
    ]


def test_the_review_share_counts_the_rejected_draft() -> None:
    assert "Legs whose output nobody received cost 3.00 of 12.00 credits, a review share of 25 %." in _page()


def test_tokens_are_split_by_what_they_were() -> None:
    assert _rows(_page(), "Tokens") == [
        ["cached input", "150", "25.0 %"],
        ["cache-written input", "60", "10.0 %"],
        ["fresh input", "390", "65.0 %"],
        ["**all input**", "600", ""],
        ["output", "50", ""],
    ]
    assert "Models read 12 tokens for each that they wrote. 25 % of the input came from a cache." in _page()


def test_times_have_routing_and_the_mean_turn_of_each_pattern() -> None:
    assert _rows(_page(), "Time") == [
        ["mean turn, `cascade`", "20.0 s"],
        ["mean turn, `single`", "4.0 s"],
        ["routing, least", "100 ms"],
        ["routing, mean", "200 ms"],
        ["routing, most", "300 ms"],
    ]


def test_checking_says_less_or_more_than_as_many_single_turns() -> None:
    saved = Worth("m-small", "m-big", 1, 2, 0, 5 * CREDIT, 4 * CREDIT)
    lost = Worth(None, "m-other", 1, 0, 1, CREDIT, -6 * CREDIT)
    page = _page(worth=[saved, lost])
    assert _rows(page, "What checking was worth") == [
        ["`m-small`", "`m-big`", "1", "2", "0", "5.00", "4.00"],
        ["no draft in the log", "`m-other`", "1", "0", "1", "1.00", "-6.00"],
    ]
    assert "Judges accepted 2 drafts and rejected 2. The checks cost 6.00 credits." in page
    assert "cost 2.00 credits more than as many median turns of `single`." in page
    assert "## What checking was worth" not in _page()


def test_few_turns_are_called_few_and_many_are_not() -> None:
    assert "- 2 turns are few: one dear turn moves every sum." in _page()
    assert "- 1 turn is few" in _page([SINGLE])
    many = _page([SINGLE._replace(fusion_id=f"f{n}") for n in range(100)])
    assert " few: one dear turn" not in many
    assert "is an anecdote" not in many


def test_every_figure_has_a_reading_and_a_caveat() -> None:
    page = _page(worth=[Worth("a", "b", 1, 0, 0, CREDIT, CREDIT)])
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert titles[1:-1] == ["Patterns", "Models", "Kinds of legs", "What checking was worth", "Tokens", "Time"]
    assert page.count("**Reading.** ") == page.count("**Caveat.** ") == 6
    for caveat in ("no benchmark", "One machine", "Pattern and difficulty are confounded", "the CLI's own figure"):
        assert caveat in page


def test_what_is_missing_is_said() -> None:
    running = turn("f3", leg("f3:p0", nano_aiu=None), state="open", outcome=None, ended_at=None, reported_nano_aiu=None)
    more = SINGLE._replace(reported_nano_aiu=4 * CREDIT)
    page = _page([more, running], skipped_records=2, drift=Drift({"pattern debate": 1}, {}, None))
    missing = page.partition("## What is missing\n")[2].strip().splitlines()
    assert missing == [
        "- 2 records of the logs could not be read, or not wholly.",
        "- 1 turn had not ended: counted as far as known, in no median and no mean.",
        "- 1 leg without credits in the log: in no sum.",
        "- 1.00 credits are in the totals of turns and in no leg.",
        r"- not known to this release: pattern debate (1 turn); run \`fusionscope doctor\`.",
    ]
    assert _page().endswith("Nothing that is known of: every record was read, and every leg has its credits.\n")


def test_turns_without_any_credits_or_legs_make_a_report_too() -> None:
    unknown = turn("f4", leg("f4:p0", nano_aiu=None), reported_nano_aiu=None, duration_ms=None, routing_latency_ms=None)
    failed = turn("f5", pattern=None, state="failed", outcome=None, route_failure="router_timeout", reported_nano_aiu=None)
    page = _page([unknown, failed])
    assert "not metered" in page
    assert ["`not fused`", "1", "not metered", "n/a", "n/a", "9.0 s"] in _rows(page, "Patterns")
    assert "0.00" not in page


def test_neither_ids_nor_repository_nor_branch_are_in_the_report() -> None:
    made = findings(TURNS, [])
    everything = made.markdown + "".join(made.pictures.values())
    assert [word for word in ("secret-project", "topic-x", "f2:p0", "s2") if word in everything] == []


def test_every_picture_is_shown_once() -> None:
    made = findings(TURNS, [])
    assert re.findall(r"!\[[^]]+\]\(findings/([\w.-]+)\)", made.markdown) == list(made.pictures)


def test_a_name_of_a_log_breaks_no_table_and_becomes_no_markup() -> None:
    hostile = "a|b`<img src=x>\n## [x](http://x)"
    page = _page([turn("f1", leg(model=hostile), pattern=hostile)])
    assert len(_rows(page, "Models")) == 1
    assert "\n## [x]" not in page
    (row,) = [line for line in page.splitlines() if line.startswith("| ``") and "img" in line and line.count(" | ") == 4]
    assert row.split(" | ")[0] == "| `` a\\|b`<img src=x>\ufffd## [x](http://x) ``"


def test_code_and_text_escape_what_markdown_would_take() -> None:
    assert code("a") == "`a`"
    assert code("a``b") == "``` a``b ```"
    assert code("") == "` `"
    assert text("*a* <b> [c](d) | #1") == r"\*a\* \<b\> \[c\](d) \| \#1"


def test_a_table_has_its_numbers_to_the_right() -> None:
    assert table(("a", "b"), [("1", "2")], numbers=1) == ["| a | b |", "| --- | ---: |", "| 1 | 2 |"]
