// Live figures, keys, copying, times in the reader's zone. Everything works without this file, on reload.
"use strict";

const main = document.getElementById("main");
const pulse = document.getElementById("pulse");

// --- times -----------------------------------------------------------------------------------------------------------

const two = (number) => String(number).padStart(2, "0");

function zoneOf(date) {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "UTC";
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function written(date, form) {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (form === "hour") return `${two(date.getHours())}:${two(date.getMinutes())}`;
  const clock = `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
  return form === "clock" ? clock : `${clock}:${two(date.getSeconds())} ${zoneOf(date)}`;
}

function localTimes(within) {
  for (const element of within.querySelectorAll("time[data-form]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const words = written(date, element.dataset.form);
    if (element.textContent !== words) element.textContent = words;
  }
  for (const label of within.querySelectorAll("[data-at]")) label.textContent = written(new Date(label.dataset.at), "hour");
  for (const element of within.querySelectorAll("[data-zone]")) element.textContent = zoneOf(new Date(element.dataset.zone));
}

// --- what needs this file --------------------------------------------------------------------------------------------

function enable(within) {
  localTimes(within);
  for (const button of within.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;
  for (const form of within.querySelectorAll("form[data-send]")) dropEmpty(form);
}

// An address says what was asked for and nothing else.
function dropEmpty(form) {
  form.addEventListener("submit", () => {
    for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
  });
  form.addEventListener("change", (event) => {
    if (event.target.matches("select")) form.requestSubmit();
  });
}

async function copy(button) {
  const words = button.textContent;
  let said = "Copied";
  try {
    const answer = await fetch(button.dataset.copy);
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
  } catch {
    said = "Could not copy";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = words; }, 2000);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) { copy(button); return; }
  const row = event.target.closest("tr[data-row]");
  if (!row || event.target.closest("a, button") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (String(getSelection())) return;
  row.querySelector("a")?.click();
});

// --- keys ------------------------------------------------------------------------------------------------------------

function step(way) {
  const links = [...main.querySelectorAll("tr[data-row] > th a")];
  if (!links.length) {
    main.querySelector(way > 0 ? "a[rel=next]" : "a[rel=prev]")?.click();
    return;
  }
  const here = links.findIndex((link) => link.closest("tr").contains(document.activeElement));
  const next = here < 0 ? (way > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + way));
  links[next].focus();
  links[next].scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "/") {
    event.preventDefault();
    const field = main.querySelector("[data-find]");
    if (field) field.focus();
    else location.href = "/turns";
  }
});

// --- live ------------------------------------------------------------------------------------------------------------

let asking = false;
let again = false;
let events = null;
let seen = document.body.dataset.live;

// The parts of the page that the reader changed stay as they are: open details, focus, text being typed.
async function refresh() {
  if (asking) { again = true; return; }
  if (document.hidden || main.contains(document.activeElement?.closest("form"))) { again = true; return; }
  asking = true;
  again = false;
  try {
    const answer = await fetch(location.href, { headers: { "X-Fragment": "1" }, cache: "no-store" });
    if (answer.ok) swap(await answer.text());
  } catch {
    again = true;
  } finally {
    asking = false;
  }
  if (again) setTimeout(refresh, 1000);
}

function swap(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  document.title = fresh.title || document.title;
  const open = [...main.querySelectorAll("details[id]")].map((details) => [details.id, details.open]);
  const shift = [...main.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const focused = main.contains(document.activeElement) ? placeOf(document.activeElement) : null;
  const known = new Set([...main.querySelectorAll("tr[data-row]")].map((row) => row.id));
  fresh.querySelector("title")?.remove();
  main.replaceChildren(...fresh.head.childNodes, ...fresh.body.childNodes);
  for (const [id, was] of open) { const details = document.getElementById(id); if (details) details.open = was; }
  main.querySelectorAll(".scroll").forEach((box, place) => { box.scrollLeft = shift[place] ?? 0; });
  for (const row of main.querySelectorAll("tr[data-row]")) if (known.size && !known.has(row.id)) row.classList.add("fresh");
  enable(main);
  if (focused) elementAt(focused)?.focus({ preventScroll: true });
}

function placeOf(element) {
  const row = element.closest("tr[id]");
  const all = "a, button, summary, select, input, .scroll";
  const within = row ?? main;
  return { row: row?.id, place: [...within.querySelectorAll(all)].indexOf(element), all };
}

function elementAt({ row, place, all }) {
  const within = row ? document.getElementById(row) : main;
  return within && place >= 0 ? within.querySelectorAll(all)[place] : null;
}

function say(words, lost) {
  if (pulse.textContent === words) return;
  pulse.textContent = words;
  pulse.classList.toggle("lost", lost);
  pulse.hidden = false;
}

function listen() {
  events = new EventSource(`/live?since=${encodeURIComponent(seen)}`);
  events.addEventListener("open", () => say("Live", false));
  events.addEventListener("error", () => say("Not connected", true));
  events.addEventListener("change", (event) => { seen = event.lastEventId; refresh(); });
}

// A browser lets one site have six connections over all its tabs: a page that nobody sees gives its own back.
document.addEventListener("visibilitychange", () => {
  events?.close();
  if (document.hidden) return;
  listen();
  if (again) refresh();
});
addEventListener("pagehide", () => events?.close());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

enable(document);
for (const element of document.querySelectorAll(".keys")) element.hidden = false;
if (!document.hidden) listen();
