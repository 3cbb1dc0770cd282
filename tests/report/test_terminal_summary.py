from __future__ import annotations

from hypothesis import given

from fusionscope.model import Turn
from fusionscope.report.summary import of_turns
from fusionscope.report.terminal import print_summary
from tests.report.screen import printed, widest
from tests.report.strategies import many_turns, some
from tests.turns import CASCADE, leg, turn

SINGLE = turn("f2", leg(model="gpt-5.6-sol", nano_aiu=2_250_000_000, is_answer=True), started_at=CASCADE.started_at)

GOLDEN = """\
2 turns · 1 session · 16.97 credits ($0.17) · 2026-09-09 UTC

compound rate          50 %  (1 of 2) turns that more than one model ran
judge rejection rate  100 %  (1 of 1) verdicts that said reject
review share           18 %  (3.03 of 16.97) credits not spent on the answer

pattern             turns  credits   share  median  mean time
cascade                 1    14.72  86.7 %   14.72     75.6 s
single                  1     2.25  13.3 %    2.25      9.0 s

model                legs  credits   share
gpt-5.6-sol             3    16.39  96.6 %  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
mai-code-1.1-flash      1     0.58   3.4 %  ━

kind                 legs  credits   share
repair                  1    11.69  68.9 %  ━━━━━━━━━━━━━━━━━━━━━━━━━
primary                 2     2.83  16.6 %  ━━━━━━
judge                   1     2.46  14.5 %  ━━━━━

tokens                               share
input                       57,960
  cached                    29,827  51.5 %  ━━━━━━━━━━━━━━━━━━━
  cache-written             16,170  27.9 %  ━━━━━━━━━━
  fresh                     11,963  20.6 %  ━━━━━━━
output                       5,274

6 calls · routing 200 ms to 246 ms, mean 223 ms

Credits are the CLI's own figure, dollars their list price.
"""


def test_the_figures_read_like_this_in_80_columns() -> None:
    assert printed(print_summary, of_turns([CASCADE, SINGLE]), 0) == GOLDEN


def test_a_wide_terminal_has_longer_bars_and_no_other_words() -> None:
    wide = printed(print_summary, of_turns([CASCADE, SINGLE]), 0, width=120)
    assert wide.replace("━", "").replace(" ", "") == GOLDEN.replace("━", "").replace(" ", "")
    assert wide.count("━") > GOLDEN.count("━")


def test_what_the_figures_do_not_hold_is_said() -> None:
    unfinished = turn("f3", leg(), state="open", reported_nano_aiu=None, duration_ms=None)
    partly = turn("f4", leg(), leg("f4:p1", nano_aiu=None), reported_nano_aiu=700_000_000)
    text = printed(print_summary, of_turns([unfinished, partly]), 3)
    assert "! 3 records of the logs skipped, or a field of it: `fusionscope skipped`\n" in text
    assert "! 1 open turn: counted as far as known, in no median and no mean\n" in text
    assert "! 1 leg not metered: in no sum of credits\n" in text
    assert "! 0.20 credits not itemised: in the turns' totals, in no leg\n" in text
    assert "!" not in GOLDEN


def test_money_nobody_knows_is_not_zero() -> None:
    text = printed(print_summary, of_turns([turn("f1", leg(nano_aiu=None, model="byok"), reported_nano_aiu=None)]), 0)
    assert text.startswith("1 turn · 1 session · not metered · ")
    assert text.count("not metered") == 5
    assert "single               1  not metered              n/a      9.0 s" in text


def test_a_rate_with_nothing_to_divide_by_is_not_zero() -> None:
    text = printed(print_summary, of_turns([turn("f1")]), 0)
    assert "compound rate         n/a  no turn with a leg\n" in text
    assert "judge rejection rate  n/a  no judge gave a verdict\n" in text
    assert "review share          n/a  no credits\n" in text


def test_no_turns_are_said_in_words_and_skipped_records_all_the_same() -> None:
    assert printed(print_summary, of_turns([]), 0) == "no Fusion turns\n"
    assert printed(print_summary, of_turns([]), 1).split("\n")[1].startswith("! 1 record of the logs skipped")


def test_a_period_of_several_days_is_named() -> None:
    later = SINGLE._replace(started_at=SINGLE.started_at + 86_400_000)
    assert "2026-09-09 to 2026-09-10 UTC" in printed(print_summary, of_turns([CASCADE, later]), 0)


@some
@given(many_turns)
def test_every_summary_fits_in_80_columns(turned: list[Turn]) -> None:
    assert widest(printed(print_summary, of_turns(turned), 2)) <= 80
