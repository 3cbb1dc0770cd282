"""What is generated of the documents is what the code says now."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from docs.emits import MEASURED, measured
from docs.fields import event_types, leaves
from docs.origins import ORIGINS
from docs.parts import filled
from docs.reasons import REASONS
from docs.write import HERE, documents
from fusionscope.decode.events import DECODERS
from fusionscope.demo import write_demo
from fusionscope.export import names
from fusionscope.export.identity import resource
from fusionscope.export.spans import turn_spans
from tests.conftest import Stage


@pytest.fixture(scope="module")
def generated() -> dict[Path, str]:
    return documents()


def test_every_generated_file_is_up_to_date(generated: dict[Path, str]) -> None:
    old = [str(path) for path, text in generated.items() if (HERE / path).read_text(encoding="utf-8") != text]
    assert old == [], "run `make report`"


def test_no_picture_is_left_over(generated: dict[Path, str]) -> None:
    assert {path.relative_to(HERE) for path in (HERE / "findings").iterdir()} == {
        path for path in generated if path.parent.name == "findings"
    }


def test_every_link_to_a_file_leads_somewhere(generated: dict[Path, str]) -> None:
    for path in [*HERE.glob("*.md"), HERE.parent / "examples" / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_decoded_field_has_a_reason_and_every_reason_a_field() -> None:
    decoded = defaultdict(set)
    for struct in event_types():
        for leaf in leaves(struct):
            decoded[leaf.owner].add(leaf.name)
    assert {owner: set(reasons) for owner, reasons in REASONS.items()} == decoded


def test_the_privacy_page_has_every_event_that_is_read(generated: dict[Path, str]) -> None:
    page = generated[Path("PRIVACY.md")]
    assert [kind for kind in DECODERS if f"`{kind}`" not in page.partition("## What stands beside it")[0]] == []


def test_the_privacy_page_names_the_fields_with_text_as_passed_over(generated: dict[Path, str]) -> None:
    passed_over = generated[Path("PRIVACY.md")].partition("## What stands beside it")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", passed_over, re.MULTILINE))
    for kind, field in (
        ("user.message", "content"),
        ("assistant.message", "content"),
        ("tool.execution_start", "arguments"),
        ("tool.execution_complete", "result"),
        ("assistant.fusion_phase_completed", "content"),
        ("assistant.fusion_phase_failed", "errorMessage"),
        ("session.fusion_handoff", "message"),
        ("session.start", "context.cwd"),
        ("session.compaction_complete", "summaryContent"),
    ):
        assert f"`{field}`" in rows[kind]


def test_every_attribute_has_an_origin_and_every_origin_an_attribute() -> None:
    assert ORIGINS.keys() == names.SPAN_ATTRIBUTES


def test_the_spans_of_the_demo_have_attributes_where_the_origins_say(stage: Stage, tmp_path: Path) -> None:
    stage.index(write_demo(tmp_path / "demo"))
    sender = resource("/sessions", "host")
    kinds = {names.INVOKE_AGENT: "turn", names.CHAT: "leg", names.EXECUTE_TOOL: "tool"}
    seen = defaultdict(set)
    for turn in stage.turns():
        for span in turn_spans(turn, sender):
            attributes = dict(span.attributes or {})
            for name in attributes:
                seen[name].add(kinds[str(attributes[names.OPERATION])])
    assert len(seen) > 40
    assert {name: spans for name, spans in seen.items() if not spans <= set(ORIGINS[name].spans)} == {}


@pytest.mark.parametrize("version", MEASURED)
def test_no_metric_of_ours_has_the_name_of_one_of_the_cli(version: str) -> None:
    theirs = measured(version)["metrics"].keys()
    assert len(theirs) > 10
    assert not theirs & {metric.name for metric in (*names.SAMPLES, *names.TOTALS)}


def test_a_part_replaces_what_stands_between_its_marks_and_nothing_else() -> None:
    page = "1\n<!-- part one -->\nold\nold\n<!-- end -->\n2 <!-- end -->\n<!-- part two -->\n<!-- end -->\n3\n"
    assert filled(page, {"one": ["new"], "two": ["a", "b"]}) == (
        "1\n<!-- part one -->\n\nnew\n\n<!-- end -->\n2 <!-- end -->\n<!-- part two -->\n\na\nb\n\n<!-- end -->\n3\n"
    )


@pytest.mark.parametrize("parts", [{}, {"one": [], "two": []}, {"two": []}])
def test_a_part_without_a_place_and_a_place_without_a_part_are_refused(parts: dict[str, list[str]]) -> None:
    with pytest.raises(KeyError):
        filled("<!-- part one -->\n<!-- end -->\n", parts)
