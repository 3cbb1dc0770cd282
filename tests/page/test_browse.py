"""What a person does on the page: click, filter, type, copy, without scripts and in another zone."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.page.browser import Visitor
from tests.page.served import Served


def address(demo: Served, path: str = "/") -> str:
    return f"http://127.0.0.1:{demo.port}{path}"


def test_a_click_leads_from_the_overview_to_a_turn_and_on_to_its_session(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo)) as page:
        page.get_by_role("table", name="Turns, newest first").get_by_role("row").last.get_by_role("link").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Single")
        expect(page.locator(".sum")).to_contain_text("15.37 credits")
        legs = page.get_by_role("table", name="The legs of this turn on one time axis, in log order")
        expect(legs).to_contain_text("the answer")
        page.get_by_role("link", name="Turn before").click()
        expect(page.locator(".sum")).to_contain_text("8.01 credits")
        page.get_by_role("navigation", name="In this session").get_by_role("link", name="Session").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Session")
        expect(page.locator("tr[data-row]")).to_have_count(5)


def test_a_row_can_be_clicked_anywhere(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo, "/turns?sort=credits")) as page:
        page.get_by_role("cell", name="51.79").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Critique")


def test_a_choice_is_sent_at_once_and_the_address_says_only_what_was_asked_for(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo, "/turns")) as page:
        page.get_by_label("Pattern").select_option("cascade")
        page.wait_for_url("**/turns?pattern=cascade")
        expect(page.locator("tr[data-row]")).to_have_count(3)
        page.get_by_label("Text of an id").fill("21ffd791")
        page.get_by_label("Text of an id").press("Enter")
        page.wait_for_url("**/turns?pattern=cascade&q=21ffd791")
        expect(page.locator("tr[data-row]")).to_have_count(1)
        page.go_back()
        expect(page.locator("tr[data-row]")).to_have_count(3)
        page.get_by_role("link", name="Clear").click()
        expect(page.locator("tr[data-row]")).to_have_count(24)


def test_the_list_is_walked_with_keys(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo, "/turns")) as page:
        rows = page.locator("tr[data-row] > th a")
        page.keyboard.press("j")
        expect(rows.nth(0)).to_be_focused()
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        expect(rows.nth(1)).to_be_focused()
        wanted = rows.nth(1).get_attribute("href")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{wanted}")
        page.keyboard.press("k")
        expect(page.get_by_role("heading", level=1)).to_have_text("Critique")


def test_the_slash_leads_to_where_one_types_and_types_nothing(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo, "/turns")) as page:
        page.keyboard.press("/")
        field = page.get_by_label("Text of an id")
        expect(field).to_be_focused()
        page.keyboard.type("j/k")
        expect(field).to_have_value("j/k")


def test_everything_is_reached_by_the_tab_key_and_is_seen_to_be(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo)) as page:
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Today")).to_be_focused()
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


def test_times_are_those_of_the_reader_and_say_so(demo: Served, visitor: Visitor) -> None:
    for zone, first, named in (("America/New_York", "2026-09-08 22:42", "-04:00"), ("UTC", "2026-09-09 02:42", "UTC")):
        with visitor.visit(address(demo, "/turns"), zone=zone) as page:
            expect(page.locator("tr[data-row] time").first).to_have_text(first)
            expect(page.get_by_text("Times are")).to_have_text(f"Times are {named}.")


def test_without_scripts_the_page_says_the_same(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo), scripts=False) as page:
        expect(page.locator(".figures")).to_contain_text("314.60")
        page.get_by_role("link", name="Turns", exact=True).click()
        page.get_by_label("Pattern").select_option("critique")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("tr[data-row]")).to_have_count(3)
        expect(page.get_by_text("Times are")).to_have_text("Times are UTC.")
        page.locator("tr[data-row] > th a").first.click()
        expect(page.get_by_role("button", name="Copy as JSON")).to_be_hidden()
        link = page.get_by_role("link", name="JSON", exact=True).get_attribute("href")
        assert json.loads(demo.get(str(link)).body)["pattern"] == "critique"


def test_a_turn_is_copied_as_json(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo, "/turns?sort=credits")) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("tr[data-row] > th a").first.click()
        page.get_by_role("button", name="Copy as JSON").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
        assert (copied["pattern"], round(copied["credits"], 2)) == ("critique", 51.79)


def test_nothing_is_wider_than_the_window(demo: Served, visitor: Visitor) -> None:
    with visitor.visit(address(demo)) as page:
        turn = page.locator("tr[data-row] > th a").first.get_attribute("href")
        for path in ("/", "/turns", "/sessions", "/health", str(turn)):
            page.goto(address(demo, path))
            for width in (360, 390, 800, 1280, 2560):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
