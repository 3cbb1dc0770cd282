"""Templates to HTML: everything from a log is text, never markup, and what a template does not know is an error."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from fusionscope.page.addresses import session_address, turn_address
from fusionscope.report import text
from fusionscope.report.text import shown

__all__ = ["FRAGMENT", "as_json", "render", "zone_name"]

#: a request with this header gets what is inside the page's frame only
FRAGMENT = "x-fragment"

#: what stands where there is nothing to say
NOTHING = "–"

_COMMAND = re.compile("`(fusionscope [a-z]+)`")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def render(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return the page that ``template`` makes of ``context``, or what is inside its frame where that is asked for.

    The request must have had its ``moment``.
    """
    state = request.app.state
    frame = "fragment.html" if request.headers.get(FRAGMENT) else "page.html"
    html = (
        _environment()
        .get_template(template)
        .render(
            frame=frame,
            live=state.live.number,
            address=request.url.path,
            drift=request.state.drift,
            **context,
        )
    )
    # a fragment and the page it belongs to have one address
    return HTMLResponse(html, status, headers={"cache-control": "no-store", "vary": FRAGMENT})


def as_json(value: object, status: int = 200) -> Response:
    """Return ``value`` as the JSON that the commands write: pure ASCII, without infinities."""
    body = json.dumps(value, indent=2, allow_nan=False) + "\n"
    return Response(body, status, headers={"cache-control": "no-store"}, media_type="application/json")


def zone_name(moment: int, zone: tzinfo | None = None) -> str:
    """Return the zone that this machine has at a moment: ``UTC`` or an offset."""
    return text.local_day(moment, zone)[2]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fusionscope.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "shown": shown,
        "count": text.count,
        "credits": _credits,
        "dollars": _dollars,
        "percent": text.percent,
        "share": _share,
        "duration": text.duration,
        "seconds": _seconds,
        "milliseconds": text.milliseconds,
        "plural": text.plural,
        "rfc3339": text.rfc3339,
        "moment": _moment,
        "clock": _clock,
        "hour": _hour,
        "with_commands": _with_commands,
        "turn_address": turn_address,
        "session_address": session_address,
    }
    environment.globals |= {"NOTHING": NOTHING, "zone_name": zone_name}
    return environment


def _with_commands(sentence: str) -> Markup:
    """A sentence in which our own commands stand as code, without their backticks; all else of it is text."""
    return Markup(_COMMAND.sub(r"<code>\1</code>", str(escape(sentence))))  # noqa: S704 - escaped right here


def _credits(nano_aiu: int | None) -> str:
    """Credits for a column: what is not known is nothing to read."""
    return NOTHING if nano_aiu is None else text.credits(nano_aiu)


def _dollars(nano_aiu: int | None) -> str:
    return NOTHING if nano_aiu is None else text.dollars(nano_aiu)


def _share(part: float | None) -> str:
    """A share of 1 in per cent with one decimal, without the sign: for a column that has it in its heading."""
    return NOTHING if part is None else f"{part * 100:.1f}"


def _seconds(ms: float | None) -> str:
    """Seconds with one decimal, without the unit: for a column that has it in its heading."""
    return NOTHING if ms is None else f"{max(0.0, ms) / 1000:,.1f}"


def _moment(ms: int) -> Markup:
    """Day, time and zone; the script writes it again in the reader's own zone."""
    return _time(ms, "moment", text.local_time(ms))


def _clock(ms: int) -> Markup:
    """Day and time to the minute; the zone stands in the heading."""
    day, clock, _ = text.local_day(ms)
    return _time(ms, "clock", f"{day} {clock}")


def _hour(ms: int) -> Markup:
    return _time(ms, "hour", text.local_day(ms)[1])


def _time(ms: int, form: str, words: str) -> Markup:
    stamp = text.rfc3339(ms)
    if stamp is None:
        return escape(words)
    return Markup('<time datetime="{}" data-form="{}">{}</time>').format(stamp, form, words)
