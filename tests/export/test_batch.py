from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusionscope.export.answer import Answer, Later, Refused, Taken, TooLarge, Unfit, Unreachable
from fusionscope.export.batch import Parcel, Slice, Step, Unwanted, deliver
from fusionscope.export.identity import resource
from fusionscope.export.otlp import Client, Endpoint
from fusionscope.export.spans import turn_spans
from tests.export.account import Delivery, Rejection, collect
from tests.export.receiver import Receiver, Reply, values
from tests.turns import leg, turn

Post = Callable[[Sequence[str]], Answer]
BUSY = Later(None, "busy")


class FakePost:
    """A receiver without a network: takes at most ``most`` parts at once, none of ``never``, ``then`` after ``after``."""

    def __init__(self, *, most: int = 10**9, never: Sequence[str] = (), after: int = 10**9, then: Answer = BUSY) -> None:
        self.most, self.never, self.after, self.then = most, set(never), after, then
        self.sizes: list[int] = []
        self.arrived: list[str] = []

    def __call__(self, parts: Sequence[str]) -> Answer:
        if len(self.sizes) == self.after:
            return self.then
        self.sizes.append(len(parts))
        if len(parts) > self.most or self.never & set(parts):
            return TooLarge("too large")
        self.arrived += parts
        return Taken(0, "")


def parcel(key: str, size: int) -> Parcel[str, str]:
    return Parcel(key, [f"{key}{number}" for number in range(size)])


def delivered(parcels: Sequence[Parcel[str, str]], post: Post, longest: int = 10) -> Delivery[str]:
    return collect([one.key for one in parcels], deliver(parcels, post, longest))


def parts_of(parcels: Sequence[Parcel[str, str]]) -> list[str]:
    return [part for one in parcels for part in one.parts]


def test_turns_go_out_in_order_as_many_at_once_as_fit_whole() -> None:
    parcels = [parcel("a", 4), parcel("b", 4), parcel("c", 4), parcel("d", 1)]
    post = FakePost()
    assert delivered(parcels, post) == Delivery(("a", "b", "c", "d"), (), {}, (), {}, (), None)
    assert post.sizes == [8, 5]
    assert post.arrived == parts_of(parcels)


def test_a_turn_that_is_more_than_a_request_is_divided() -> None:
    parcels = [parcel("a", 25), parcel("b", 1)]
    post = FakePost()
    assert delivered(parcels, post).taken == ("a", "b")
    assert post.sizes == [10, 10, 6]
    assert post.arrived == parts_of(parcels)


def test_a_turn_without_spans_is_done_and_costs_no_request() -> None:
    post = FakePost()
    assert delivered([parcel("a", 0), parcel("b", 0)], post).taken == ("a", "b")
    assert post.sizes == []
    assert delivered([parcel("a", 0), parcel("b", 2), parcel("c", 0)], post).taken == ("a", "b", "c")
    assert post.sizes == [2]


def test_too_large_is_halved_between_turns_and_the_size_is_remembered() -> None:
    parcels = [parcel(key, 3) for key in "abcdef"]
    post = FakePost(most=4)
    assert delivered(parcels, post, longest=9).taken == tuple("abcdef")
    assert post.sizes == [9, 3, 6, 3, 3, 3, 6, 3, 3]
    assert post.arrived == parts_of(parcels)


def test_one_turn_that_is_too_large_is_halved_by_its_spans() -> None:
    post = FakePost(most=3)
    assert delivered([parcel("a", 10)], post).taken == ("a",)
    assert post.sizes == [10, 5, 2, 3, 5, 2, 3]
    assert post.arrived == parts_of([parcel("a", 10)])


def test_a_span_that_is_too_large_alone_is_dropped_and_counted() -> None:
    parcels = [parcel("a", 2), parcel("b", 3), parcel("c", 1)]
    post = FakePost(never=["b1"])
    found = delivered(parcels, post)
    assert (found.taken, found.waiting, found.dropped) == (("a", "b", "c"), (), {"b": 1})
    assert post.arrived == ["a0", "a1", "b0", "b2", "c0"]


def test_one_huge_span_does_not_make_all_later_requests_small() -> None:
    parcels = [parcel("a", 1), parcel("b", 1), *(parcel(f"c{number}", 10) for number in range(8))]
    post = FakePost(never=["a0"])
    delivered(parcels, post, longest=10)
    assert post.sizes[-6:] == [10] * 6


def test_busy_stops_the_delivery_and_says_what_waits_and_what_was_sent_in_part() -> None:
    parcels = [parcel("a", 3), parcel("b", 25), parcel("c", 1)]
    found = delivered(parcels, FakePost(after=2))
    assert found == Delivery(("a",), ("b", "c"), {"b": 10}, (), {}, (), BUSY)


@pytest.mark.parametrize("then", [Later(5.0, "x"), Unreachable("x")])
def test_nothing_is_done_where_nothing_was_taken(then: Later | Unreachable) -> None:
    assert delivered([parcel("a", 3)], FakePost(after=0, then=then)) == Delivery((), ("a",), {}, (), {}, (), then)


def test_a_refusal_names_the_turns_that_were_in_the_request() -> None:
    parcels = [parcel(key, 8) for key in "abc"]
    found = delivered(parcels, FakePost(after=1, then=Refused(400, "no")))
    assert (found.taken, found.waiting, found.refused) == (("a",), ("b", "c"), ("b",))
    assert found.stopped == Refused(400, "no")


def test_a_partial_success_is_taken_and_remembered() -> None:
    found = delivered([parcel("a", 1), parcel("b", 1)], lambda parts: Taken(1, "no room"))
    assert found.taken == ("a", "b")
    assert found.rejected == (Rejection(("a", "b"), 1, "no room"),)


def test_a_sample_that_is_never_taken_is_found_and_the_rest_is_sent() -> None:
    arrived: list[str] = []

    def post(parts: Sequence[str]) -> Answer:
        if "b1" in parts:
            return Unfit("too old")
        arrived.extend(parts)
        return Taken(0, "")

    found = delivered([parcel("a", 2), parcel("b", 2), parcel("c", 2)], post)
    assert (found.taken, found.dropped) == (("a", "b", "c"), {"b": 1})
    assert arrived == ["a0", "a1", "b0", "c0", "c1"]


NO = Refused(400, "no")


def test_a_refusal_for_what_is_in_it_is_narrowed_down_to_the_turns_and_the_rest_is_sent() -> None:
    arrived: list[str] = []
    sizes: list[int] = []

    def post(parts: Sequence[str]) -> Answer:
        sizes.append(len(parts))
        if {"c1", "e0"} & set(parts):
            return NO
        arrived.extend(parts)
        return Taken(0, "")

    parcels = [parcel("a", 2), parcel("b", 0), parcel("c", 3), parcel("d", 0), parcel("e", 1), parcel("f", 2)]
    steps = list(deliver(parcels, post, 10, narrow=lambda answer: True))
    assert arrived == ["a0", "a1", "f0", "f1"]
    assert sizes == [8, 5, 2, 3, 3, 1, 2]
    unwanted = [step.slices for step in steps if isinstance(step.answer, Unwanted)]
    assert unwanted == [(Slice("c", 0, 3, 3),), (Slice("e", 0, 1, 1),)]
    found = collect([one.key for one in parcels], steps)
    assert (found.taken, found.waiting, found.stopped) == (("a", "b", "d", "f"), ("c", "e"), None)


def test_what_is_left_of_a_turn_that_is_refused_in_part_is_not_sent() -> None:
    arrived: list[str] = []

    def post(parts: Sequence[str]) -> Answer:
        if len(parts) > 4:
            return TooLarge("too large")
        if "a5" in parts:
            return NO
        arrived.extend(parts)
        return Taken(0, "")

    found = collect(["a", "b"], deliver([parcel("a", 25), parcel("b", 2)], post, 8, narrow=lambda answer: True))
    assert arrived == ["a0", "a1", "a2", "a3", "b0", "b1"]
    assert (found.taken, found.refused) == (("b",), ("a",))


def test_narrowing_ends_when_it_is_no_use() -> None:
    asked: list[Refused] = []

    def narrow(answer: Refused) -> bool:
        asked.append(answer)
        return len(asked) < 4

    steps = list(deliver([parcel(key, 1) for key in "abcd"], lambda parts: NO, narrow=narrow))
    # abcd, ab, a are divided or blamed; b is the last word
    assert [step.answer for step in steps] == [Unwanted(400, "no"), NO]


def test_one_turn_alone_is_asked_about_twice_before_it_is_blamed() -> None:
    answers: list[Answer] = [NO, Taken(0, ""), NO, NO]
    steps = deliver([parcel("a", 2), parcel("b", 2)], lambda parts: answers.pop(0), 2, narrow=lambda answer: True)
    assert [step.answer for step in steps] == [Taken(0, ""), Unwanted(400, "no")]


def test_each_step_is_told_before_the_next_request_is_made() -> None:
    post = FakePost()
    steps = deliver([parcel("a", 10), parcel("b", 10)], post, 10)
    assert next(steps) == Step((Slice("a", 0, 10, 10),), Taken(0, ""))
    assert post.sizes == [10]


sizes = st.lists(st.integers(0, 30), max_size=8)


@given(sizes, st.integers(1, 12), st.integers(1, 12), st.sets(st.integers(0, 7)), st.integers(0, 40))
def test_whatever_happens_every_part_is_sent_dropped_or_waiting_exactly_once(
    counts: list[int], longest: int, most: int, never: set[int], after: int
) -> None:
    parcels = [parcel(chr(97 + index), size) for index, size in enumerate(counts)]
    post = FakePost(most=most, never=[f"{chr(97 + index)}0" for index in never], after=after)
    found = delivered(parcels, post, longest)
    assert max(post.sizes, default=0) <= longest
    assert [*found.taken, *found.waiting] == [one.key for one in parcels]
    assert found.cut.keys() <= set(found.waiting[:1])
    done = [
        part
        for one in parcels
        for part in one.parts[: found.cut.get(one.key, 0)] or (one.parts if one.key in found.taken else [])
    ]
    assert post.arrived == [part for part in done if part not in post.never]
    assert sum(found.dropped.values()) == len(done) - len(post.arrived)


@given(sizes, st.integers(1, 12), st.integers(1, 12), st.sets(st.integers(0, 7)))
def test_whatever_turns_are_refused_all_others_are_sent_once_and_in_order(
    counts: list[int], longest: int, most: int, bad: set[int]
) -> None:
    parcels = [parcel(chr(97 + index), size) for index, size in enumerate(counts)]
    unwanted = {parcels[index].key for index in bad if index < len(parcels) and counts[index]}
    receiver = FakePost(most=most)

    def post(parts: Sequence[str]) -> Answer:
        return NO if {part[0] for part in parts} & unwanted else receiver(parts)

    steps = list(deliver(parcels, post, longest, narrow=lambda answer: True))
    found = collect([one.key for one in parcels], steps)
    assert receiver.arrived == [part for one in parcels if one.key not in unwanted for part in one.parts]
    assert found.taken == tuple(one.key for one in parcels if one.key not in unwanted)
    assert [step.slices[0].key for step in steps if isinstance(step.answer, Unwanted)] == sorted(unwanted)


def test_a_receiver_with_a_small_limit_gets_three_hundred_turns_in_the_end() -> None:
    place = resource("/root", "host")
    turns = [turn(f"f{number}", leg(f"p{number}", role="r" * 400)) for number in range(300)]
    parcels = [Parcel(one.fusion_id, turn_spans(one, place)) for one in turns]
    with Receiver() as receiver, Client(Endpoint(receiver.url)) as client:
        receiver.decide = lambda request: Reply(413 if len(request.body) > 100_000 else 200)
        found = collect([one.fusion_id for one in turns], deliver(parcels, client.traces))
        assert found.taken == tuple(f"f{number}" for number in range(300))
        assert [values(span.attributes)["github.copilot.fusion.id"] for span in receiver.spans] == [
            f"f{number // 2}" for number in range(600)
        ]
        assert 413 in {request.status for request in receiver.requests}
