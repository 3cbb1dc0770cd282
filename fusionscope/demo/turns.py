"""Every turn of the demo in one table; together they give the figures of a public field report of 24 Fusion turns.

Printed figures of the report are rounded; the amounts and tokens here are chosen so that each printed figure comes out
when it is rounded the same way. The last turn is the one whose log is public, exact to the nano-AIU, with its own
ids (samueltauil/hydrafusion-traces, MIT). Amounts follow from the tokens at one rate a model, as they do in that turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fusionscope.demo.lines import moment, stable_uuid
from fusionscope.demo.records import Leg, Part, Session, Turn

__all__ = ["SESSIONS"]

_DAY = "2026-09-09"

SOL = "gpt-5.6-sol"
OPUS = "claude-opus-5"
LUNA = "gpt-5.6-luna"
MAI = "mai-code-1.1-flash"
TERRA = "gpt-5.6-terra"

PUBLIC_CASCADE = "fusion-fa51fa07-905f-4e5a-8567-79bfa8c0da00"

#: place in the turn (see ``turn_lines``) -> event id in the public log; some lines it names only as parents of others
PUBLIC_EVENT_IDS = MappingProxyType(
    {
        "system": "89c787dc-adac-46ff-8f41-ffa6df44b893",
        "resolved": "9112c10c-b78a-45a1-9cbf-691c6667924c",
        "primary round 0 end": "e634cf74-d38d-4666-8875-5b16d4ae3e4c",
        "primary completed": "f22b54ae-eeb7-4f56-93bd-d175f38cdaee",
        "judge completed": "2137756c-bf73-4af7-940c-db39f98bc549",
        "handoff": "655e0e3c-e7d9-4fa0-b592-1db2bbe7fdfc",
        "repair round 2 start": "10ac1f6f-7934-4650-ae7c-2a179067c660",
        "repair completed": "ceeaf09a-be6b-46e9-93c7-67d1f567aebd",
        "commit": "43bae7ca-b472-4b7e-89e8-951ca041b84a",
        "answer end": "03cd9651-bc84-489e-b9a8-7db49cf56c44",
        "completed": "db127b26-f139-4b3f-bdf6-8b8a1d6f157c",
    }
)


def _at(clock: str) -> int:
    """Return a clock time of the demo's day (UTC) as milliseconds since 1970."""
    return moment(f"{_DAY}T{clock}Z")


def _turn(
    pattern: str,
    resolved_at: str,
    routing_latency_ms: float,
    closing_ms: int,
    prompt: str,
    *legs: Leg,
    fusion_id: str | None = None,
    event_ids: Mapping[str, str] = MappingProxyType({}),
) -> Turn:
    """Return one row of the table; ``resolved_at`` is the clock time at which the route was known."""
    fusion_id = fusion_id or f"fusion-{stable_uuid(f'turn {resolved_at}')}"
    return Turn(fusion_id, pattern, _at(resolved_at), routing_latency_ms, closing_ms, prompt, legs, event_ids)


def _part(opened_at: str, closed_at: str, *turns: Turn) -> Part:
    """Return the turns between two clock times."""
    return Part(_at(opened_at), _at(closed_at), turns)


def _session(name: str, *parts: Part) -> Session:
    """Return one session; its id depends only on ``name``."""
    return Session(stable_uuid(f"session {name}"), parts)


# Columns
#   turn: pattern, route known at, routing latency ms, ms from the last leg's end to the turn's end; prompt; legs
#   leg:  kind, model, ms of waiting before it, its ms, requests, tool calls;
#         tokens: input, output, cached, cache written; nano-AIU; verdict of a judge
# fmt: off
SESSIONS: tuple[Session, ...] = (
    _session(
        "first look",
        _part(
            "00:03:41.870", "00:26:02.431",
            _turn("single", "00:03:58.204", 193.7104, 41,
                  "Answer with the single word ready.",
                  Leg("primary", SOL, 3, 4_574, 1, 0, 10_360, 68, 6_661, 3_696, 2_251_640_000)),
            _turn("single", "00:09:21.637", 171.8362, 57,
                  "Where does the limiter read the clock, and can a test replace it?",
                  Leg("primary", SOL, 3, 19_630, 3, 2, 34_278, 318, 24_045, 10_224, 6_713_400_000)),
            _turn("single", "00:15:47.092", 207.3391, 63,
                  "Add a test for a burst that is larger than the bucket.",
                  Leg("primary", SOL, 3, 25_891, 4, 3, 53_206, 341, 39_688, 13_506, 9_027_320_000)),
            _turn("single", "00:22:08.811", 219.2956, 48,
                  "Why does acquire() return True once more than it should after a long pause?",
                  Leg("primary", SOL, 3, 16_821, 3, 2, 45_097, 209, 34_311, 10_777, 7_182_540_000)),
            _turn("single", "00:24:55.349", 188.4417, 72,
                  "Does any of that change a public name?",
                  Leg("primary", SOL, 3, 14_930, 3, 2, 47_044, 171, 38_394, 8_641, 6_201_860_000)),
        ),
    ),
    _session(
        "questions",
        _part(
            "00:31:10.216", "00:55:20.093",
            _turn("single", "00:31:52.460", 224.8023, 66,
                  "Explain the difference between the token bucket and the sliding window in this package.",
                  Leg("primary", SOL, 3, 25_361, 4, 3, 46_714, 362, 35_099, 11_603, 7_934_260_000)),
            _turn("critique", "00:38:14.975", 370.6189, 52,
                  "List the three settings that RateLimiter accepts, with their defaults.",
                  Leg("draft", LUNA, 3, 5_938, 2, 1, 24_116, 910, 15_104, 0, 319_648_000),
                  Leg("critic", TERRA, 39, 2_861, 1, 0, 1_237, 388, 0, 0, 190_620_000)),
            _turn("single", "00:41:30.128", 201.9246, 39,
                  "Make the command line print the remaining tokens with --verbose.",
                  Leg("primary", SOL, 3, 21_483, 4, 3, 53_927, 257, 43_603, 10_312, 7_418_920_000)),
            _turn("cascade", "00:49:02.716", 231.0475, 81,
                  "Write a docstring for Bucket.peek().",
                  Leg("primary", MAI, 3, 27_412, 1, 0, 14_030, 1_129, 4_096, 0, 342_352_000),
                  Leg("judge", SOL, 58, 8_923, 1, 0, 1_876, 555, 0, 1_873, 2_047_700_000, "accept")),
            _turn("single", "00:53:37.583", 197.2218, 44,
                  "Split limiter.py: the bucket into its own module, imports unchanged for callers.",
                  Leg("primary", SOL, 3, 31_796, 5, 4, 79_127, 451, 65_359, 13_753, 10_398_860_000)),
        ),
    ),
    _session(
        "asyncio",
        _part(
            "01:00:20.731", "01:10:12.404",
            _turn("critique", "01:01:04.247", 297.4982, 90,
                  "Design an asyncio limiter: tasks share one bucket, and a cancelled wait never loses a token.",
                  Leg("draft", OPUS, 3, 105_874, 6, 7, 162_615, 2_348, 131_410, 31_187, 51_106_200_000),
                  Leg("critic", SOL, 83, 5_694, 1, 0, 2_119, 196, 1_664, 452, 685_760_000)),
            _turn("single", "01:08:45.901", 212.5337, 61,
                  "Does the new module need a lock if only one event loop uses it?",
                  Leg("primary", SOL, 3, 14_952, 3, 2, 41_310, 203, 33_612, 7_689, 5_598_580_000)),
        ),
        _part(
            "01:16:02.990", "01:20:27.625",
            _turn("single", "01:16:40.362", 209.8016, 55,
                  "Add property-based tests: never more than capacity tokens, never negative.",
                  Leg("primary", SOL, 3, 32_644, 4, 3, 62_853, 562, 45_948, 16_893, 11_413_220_000)),
            _turn("single", "01:19:12.058", 238.8874, 47,
                  "The type checker complains about the return type of wait(). Fix it.",
                  Leg("primary", SOL, 3, 20_647, 4, 3, 71_020, 264, 61_687, 9_321, 7_660_780_000)),
        ),
    ),
    _session(
        "flaky test",
        _part(
            "01:26:02.655", "01:51:44.918",
            _turn("single", "01:26:31.774", 216.9123, 86,
                  "Find out why the sliding window test fails about once in fifty runs.",
                  Leg("primary", OPUS, 3, 41_911, 4, 3, 94_738, 1_060, 68_195, 26_531, 36_236_200_000)),
            _turn("single", "01:29:40.419", 268.2205, 50,
                  "Run that test two hundred times and tell me the number of failures.",
                  Leg("primary", SOL, 3, 9_416, 2, 1, 27_252, 131, 21_043, 6_203, 4_207_620_000)),
            _turn("cascade", "01:36:18.836", 204.6448, 74,
                  "Turn the README example into a doctest and make it pass.",
                  Leg("primary", LUNA, 4, 29_318, 1, 0, 13_811, 3_636, 2_944, 0, 659_548_000),
                  Leg("judge", SOL, 71, 4_107, 1, 0, 2_216, 116, 1_792, 421, 515_380_000, "reject"),
                  Leg("repair", SOL, 3, 45_236, 3, 2, 42_706, 1_826, 28_411, 14_286, 11_935_040_000)),
            _turn("single", "01:42:50.153", 221.5903, 43,
                  "Which functions have no test yet?",
                  Leg("primary", SOL, 3, 17_610, 3, 2, 44_664, 241, 32_182, 12_473, 8_009_380_000)),
            _turn("single", "01:50:05.690", 227.2351, 69,
                  "Replace the list of timestamps in the sliding window by a ring buffer and measure both.",
                  Leg("primary", SOL, 3, 36_742, 5, 5, 94_635, 612, 72_104, 22_516, 15_372_160_000)),
        ),
    ),
    _session(
        "packaging",
        _part(
            "01:57:00.342", "02:25:58.177",
            _turn("single", "01:57:26.521", 234.4129, 77,
                  "Packaging: pyproject.toml only, no setup.py, and make the tests pass from a clean checkout.",
                  Leg("primary", SOL, 3, 100_702, 7, 10, 95_634, 1_117, 79_108, 16_505, 13_659_220_000)),
            _turn("single", "02:06:41.287", 243.0982, 58,
                  "Add a keyed limiter: one bucket for every caller, the oldest dropped when there are too many.",
                  Leg("primary", SOL, 3, 28_837, 5, 5, 85_619, 466, 67_409, 18_195, 12_731_860_000)),
            _turn("critique", "02:15:10.944", 214.1076, 84,
                  "Review the keyed limiter for races and propose the smallest fix.",
                  Leg("draft", OPUS, 5, 55_757, 5, 4, 133_506, 1_796, 104_615, 28_876, 44_441_200_000),
                  Leg("critic", SOL, 62, 5_291, 1, 0, 2_044, 175, 1_664, 377, 606_260_000)),
            _turn("single", "02:24:33.605", 252.7215, 46,
                  "Write the changelog entry for 0.3 and go through every public name that changed.",
                  Leg("primary", SOL, 3, 29_646, 4, 4, 78_593, 541, 55_139, 23_442, 15_013_360_000)),
        ),
    ),
    _session(
        "decorator",
        _part(
            "02:42:31.508", "02:44:41.066",
            _turn("cascade", "02:42:54.976", 246.49609999999998, 86,
                  "Write a decorator that limits calls of a function, for plain and for async functions.",
                  Leg("primary", MAI, 3, 22_160, 1, 0, 15_819, 2_754, 3_968, 0, 575_436_000),
                  Leg("judge", SOL, 94, 10_727, 1, 0, 2_339, 644, 0, 2_336, 2_457_200_000, "reject"),
                  Leg("repair", SOL, 3, 42_293, 3, 2, 39_702, 1_866, 25_859, 13_834, 11_686_960_000),
                  fusion_id=PUBLIC_CASCADE, event_ids=PUBLIC_EVENT_IDS),
        ),
    ),
)
# fmt: on
