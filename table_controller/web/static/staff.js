// The staff console: what happened, put right in two taps; questions, keys, penalties, pause.

import { Calibration } from "./calibration.js";
import { Live } from "./live.js";
import { eventLine, haltedCard, refusedCard, seatWord } from "./panel.js";
import { Service } from "./service.js";
import { html, picture } from "./tiles.js";
import { keyWord, loadWords, number, phaseWord, t, worded } from "./words.js";

const asked = new URLSearchParams(location.search);
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
await loadWords(asked.get("lang") || stored("language"));

const KEYS = ["win", "ready", "call", "draw_end", "lift", "staff"];
const PENALTIES = [
  "warning", "dead_hand", "false_win", "wrong_call", "out_of_turn", "wrong_tile_count",
  "exposed_tile", "late", "chombo",
];
const SUITS = ["123456789m", "123456789p", "123456789s", "1234567z"];

const TABS = { console: "Game", machine: "Machine", calibration: "Calibration" };
const service = new Service(document.getElementById("machine"), { ask, act, say });
const calibration = new Calibration(document.getElementById("calibration"), { ask, act });

let view = null;
let records = []; // {number, at, event}, as written
let open = null; // the number of the opened event
let chosen = null; // which tile of an opened hand: its place, or "winning_tile"
let wholeGame = false;
let drawn = "";

// --- talking to the table --------------------------------------------------------------------

async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  const data = await answer.json().catch(() => ({ error: answer.statusText }));
  if (answer.status === 401) showDoor();
  if (!answer.ok) {
    throw new Error(data.words ? data.words.map((each) => t(each)).join(" ")
      : data.error || answer.statusText);
  }
  return data;
}

async function act(action, body = {}) {
  try {
    await ask("POST", `/api/v1/staff/${action}`, body);
    say(t("Done."), true);
    return true;
  } catch (error) {
    say(error.message, false);
    return false;
  }
}

let sayTimer = 0;
function say(text, well) {
  const box = document.getElementById("says");
  box.textContent = text;
  box.className = well ? "well" : "";
  box.hidden = false;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => (box.hidden = true), well ? 1500 : 8000);
}

// --- the door --------------------------------------------------------------------------------

const door = document.getElementById("door");
door.querySelector("h1").textContent = t("Staff");
door.querySelector("button").textContent = t("Open");
document.getElementById("pin").setAttribute("aria-label", t("PIN"));
door.addEventListener("submit", async (event) => {
  event.preventDefault();
  const pin = document.getElementById("pin");
  try {
    await ask("POST", "/api/v1/staff/session", { pin: pin.value });
    pin.value = "";
    enter();
  } catch (error) {
    document.getElementById("door-says").textContent = t(error.message);
    pin.select();
  }
});

function showDoor() {
  door.hidden = false;
  for (const id of ["head", "alerts", ...Object.keys(TABS)]) document.getElementById(id).hidden = true;
  document.getElementById("pin").focus();
}

function showTab() {
  for (const id of Object.keys(TABS)) document.getElementById(id).hidden = id !== tab();
  document.getElementById("head").hidden = false;
  document.getElementById("alerts").hidden = false;
}

const tab = () => (location.hash.slice(1) in TABS ? location.hash.slice(1) : "console");
addEventListener("hashchange", () => {
  if (!door.hidden) return;
  showTab();
  drawn = "";
  if (view) draw();
});

let live = null;
function enter() {
  door.hidden = true;
  showTab();
  if (live) live.socket.close();
  else live = new Live({ onView, onStatus, onEvent, onStale });
}

const session = await ask("GET", "/api/v1/staff/session");
if (session.staff) enter();
else if (!session.pin_needed) {
  await ask("POST", "/api/v1/staff/session", { pin: "" });
  enter();
} else showDoor();

// --- what happens ----------------------------------------------------------------------------

let game = null;
async function onView(next) {
  view = next;
  if (game !== view.game) {
    game = view.game;
    open = null;
    records = [];
  }
  if (records.length < view.next) await catchUp();
  draw();
}

async function catchUp() {
  const since = records.length ? records[records.length - 1].number + 1 : 0;
  const data = await ask("GET", `/api/v1/games/${view.game}/events?since=${since}`);
  for (const record of data.events) remember(record);
}

function remember(record) {
  if (!records.length || records[records.length - 1].number < record.number) records.push(record);
}

function onEvent(event, at) {
  remember({ number: at, at: Date.now() / 1000, event });
}

function onStatus(status) {
  if (view === null) return;
  view = { ...view, ...status };
  draw();
}

function onStale(stale, seconds) {
  const banner = document.getElementById("stale");
  banner.hidden = !stale;
  banner.textContent = t("No connection for {n} s: this picture is old.", { n: seconds });
}

// --- drawing ---------------------------------------------------------------------------------

function draw() {
  // What is shown is rebuilt only when something changed, so that an open list keeps its place.
  service.show(view);
  calibration.show();
  const key = JSON.stringify([view, records.length, open, chosen, wholeGame, tab()]);
  if (key === drawn) return;
  drawn = key;
  document.getElementById("head").replaceChildren(...header());
  document.getElementById("alerts").replaceChildren(
    ...view.calling.map(callCard),
    ...view.machine.faults.map(faultCard),
    ...haltedCard(view.machine),
    ...refusedCard(view.machine.refused),
    ...view.doubts.map(doubtCard));
  if (tab() !== "console") return;
  const list = document.querySelector(".events");
  const scrolled = list ? list.scrollTop : 0;
  const form = document.querySelector("#penalty");
  const challenge = document.querySelector("#challenge");
  document.getElementById("console").replaceChildren(
    html("div", { class: "column" }, eventsCard()),
    html("div", { class: "column" }, seatsCard(), machineCard(), keysCard(), challenge || challengeCard(),
      announceCard(), form || penaltyCard()),
  );
  const after = document.querySelector(".events");
  if (after) after.scrollTop = scrolled;
}

function header() {
  const paused = view.paused !== null;
  return [
    html("h1", {}, view.table, html("small", {}, `${view.ruleset.title} · ${phaseWord(view.machine.phase)}`)),
    html("nav", {}, ...Object.entries(TABS).map(([id, word]) =>
      html("a", { href: `#${id}`, "aria-current": id === tab() ? "page" : null }, t(word)))),
    html("button", {
      type: "button", class: paused ? "main" : "", "aria-pressed": String(paused),
      onclick: () => act(paused ? "resume" : "pause"),
    }, paused ? t("Go on") : t("Pause")),
    html("button", { type: "button", class: "danger", onclick: askNewGame }, t("New game")),
    html("a", { href: "/" }, html("button", { type: "button", tabindex: "-1" }, t("Table"))),
    html("button", {
      type: "button",
      onclick: async () => {
        await ask("DELETE", "/api/v1/staff/session");
        location.reload();
      },
    }, t("Leave")),
  ];
}

function askNewGame() {
  if (confirm(t("Begin a new game? The one in play stays in the log."))) act("new_game");
}

function faultCard(fault) {
  return html("section", { class: "card fault", role: "alert" },
    html("h3", {}, `${fault.code}${fault.side === null ? "" : ` · ${"ABCD"[fault.side]}`} · ${t(fault.text)}`),
    html("p", {}, t(fault.hint)));
}

function callCard(seat) {
  return html("section", { class: "card call", role: "alert" },
    html("h3", {}, t("{seat} calls the staff", { seat: seatWord(view, seat) })),
    html("div", { class: "row" },
      html("button", { type: "button", onclick: () => act("attend", { seat }) }, t("Seen"))));
}

function machineCard() {
  const { phase, progress } = view.machine;
  const waits = ["locked", "fault", "estop"].includes(phase);
  const doing = (what) => () => act("machine", { do: what });
  return html("section", { class: "card machine" },
    html("h2", {}, `${t("Machine")}: ${phaseWord(phase)}`),
    progress === null ? null : html("progress", { max: 1, value: progress }),
    html("div", { class: "row" },
      html("button", { type: "button", class: waits ? "main" : "", onclick: doing("confirm") },
        t("I have looked: go on")),
      html("button", { type: "button", class: "danger", onclick: doing("stop") },
        t("Stop all motors"))),
  );
}

function doubtCard(doubt) {
  const where = doubt.seat === null ? "" : doubt.place === null
    ? seatWord(view, doubt.seat)
    : t("{seat}, discard {n}", { seat: seatWord(view, doubt.seat), n: doubt.place });
  const answer = (tile) => act("answer", { number: doubt.number, tile });
  return html("section", { class: "card doubt" },
    html("h3", {}, where ? `${where}: ${t("which tile?")}` : t("Please look")),
    html("p", { class: "muted" }, doubt.question),
    html("div", { class: "row" },
      ...doubt.candidates.map((label) =>
        html("button", { type: "button", onclick: () => answer(label) }, picture(label))),
      html("button", { type: "button", onclick: () => answer(null) },
        doubt.candidates.length ? t("Nobody can tell") : t("Seen"))),
    doubt.candidates.length
      ? html("details", {},
          html("summary", { class: "muted" }, t("Another tile")), palette(answer))
      : null,
  );
}

function seatsCard() {
  const seats = view.points.map((points, seat) => {
    const isDealer = view.deal && view.deal.dealer === seat;
    return html("div", { class: isDealer ? "seat dealer" : "seat" },
      html("span", {}, seatWord(view, seat)),
      html("b", {}, number(points)),
      html("span", { class: "muted" }, view.names[seat] || ""));
  });
  return html("section", { class: "card" }, html("div", { class: "seats" }, ...seats));
}

function keysCard() {
  const rows = view.points.map((_, seat) =>
    html("div", { class: "row" },
      html("span", {}, seatWord(view, seat)),
      ...KEYS.map((key) =>
        html("button", { type: "button", onclick: () => act("key", { seat, key }) },
          keyWord(key)))));
  return html("section", { class: "card keys" }, html("h2", {}, t("Press a key for a seat")), ...rows);
}

// What the rules in play price, for this seat as the deal stands: offered filled in.
function fines(seat) {
  return view.fines[seat] || [];
}

function offences() {
  const priced = fines(0).map((fine) => fine.code);
  return [...priced, ...PENALTIES.filter((code) => !priced.includes(code))];
}

function penaltyCard() {
  const players = view.points.length;
  const form = html("form", { class: "card", id: "penalty" },
    html("h2", {}, t("Penalise")),
    html("div", { class: "row" },
      html("label", {}, t("Seat"), html("select", { name: "seat" },
        ...view.points.map((_, seat) => html("option", { value: seat }, seatWord(view, seat))))),
      html("label", {}, t("What happened"), html("select", { name: "code" },
        ...offences().map((code) => html("option", { value: code }, worded(code))))),
      html("label", {}, t("Points"),
        html("input", { name: "points", type: "number", min: 0, value: 0, size: 7 })),
      html("label", {}, t("Paid to"), html("select", { name: "to" },
        html("option", { value: "others" }, t("each of the others")),
        html("option", { value: "pot" }, t("nobody (taken off)")),
        ...view.points.map((_, seat) => html("option", { value: seat }, seatWord(view, seat))))),
    ),
    html("div", { class: "row" },
      html("label", { class: "check" },
        html("input", { type: "checkbox", name: "dead" }), t("The hand is dead")),
      html("button", { type: "submit", class: "danger" }, t("Penalise"))),
  );
  const priced = () => {
    const { seat, code, points, to, dead } = form.elements;
    const fine = fines(Number(seat.value)).find((each) => each.code === code.value);
    points.value = fine ? fine.points : 0;
    to.value = fine ? fine.to : "others";
    dead.checked = Boolean(fine && fine.dead_hand);
  };
  form.elements.seat.addEventListener("change", priced);
  form.elements.code.addEventListener("change", priced);
  priced();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    const seat = Number(data.get("seat"));
    const points = Number(data.get("points") || 0);
    const code = data.get("code");
    const receivers = data.get("to") === "others"
      ? [...Array(players).keys()].filter((other) => other !== seat)
      : [data.get("to") === "pot" ? null : Number(data.get("to"))];
    const payments = points > 0
      ? receivers.map((to) => ({ from: seat, to, points, reason: "penalty" }))
      : [];
    act("penalise", { seat, code, payments, dead_hand: data.get("dead") === "on" });
  });
  return form;
}

// Who challenges whose hand; the table says who was right.
function challengeCard() {
  if (!view.ruleset.challenges || !view.deal) return null;
  const seats = (name, first) => html("select", { name }, ...view.points.map((_, seat) =>
    html("option", { value: seat, selected: seat === first ? "" : null }, seatWord(view, seat))));
  const form = html("form", { class: "card", id: "challenge" },
    html("h2", {}, t("Challenge")),
    html("div", { class: "row" },
      html("label", {}, t("Who challenges"), seats("seat", 0)),
      html("label", {}, t("Whose hand"), seats("challenged", 1)),
      html("button", { type: "submit", class: "danger" }, t("Challenge"))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const data = new FormData(form);
    act("challenge", { seat: Number(data.get("seat")), challenged: Number(data.get("challenged")) });
  });
  return form;
}

// What players say aloud and the table does not hear.
function announceCard() {
  if (!view.ruleset.announcements.length || !view.deal) return null;
  const rows = view.points.map((_, seat) => html("div", { class: "row" },
    html("span", {}, seatWord(view, seat)),
    ...view.ruleset.announcements.map((what) => html("button", {
      type: "button", onclick: () => act("announce", { seat, what }),
    }, worded(what)))));
  return html("section", { class: "card keys", id: "announce" },
    html("h2", {}, t("Said aloud")), ...rows);
}

function eventsCard() {
  const fate = fates();
  let shown = records;
  if (!wholeGame) {
    const begins = records.findLastIndex(
      (each) => each.event && each.event.kind === "deal_began" && fate.get(each.number) !== "gone");
    if (begins > 0) shown = records.slice(begins);
  }
  const lines = shown.toReversed().map((record) => eventRow(record, fate)).filter(Boolean);
  return html("section", { class: "card" },
    html("div", { class: "row" },
      html("h2", {}, wholeGame ? t("The whole game") : t("This deal")),
      html("button", {
        type: "button", "aria-pressed": String(wholeGame),
        onclick: () => { wholeGame = !wholeGame; draw(); },
      }, t("The whole game"))),
    html("ol", { class: "events" }, ...lines));
}

// Which events were taken back or corrected: number -> "gone" or the event that stands instead.
function fates() {
  const fate = new Map();
  for (const { number: at, event } of records.toReversed()) {
    if (!event || fate.get(at) === "gone") continue;
    if (event.kind === "voided") fate.set(event.index, "gone");
    if (event.kind === "corrected" && !fate.has(event.index)) fate.set(event.index, event.event);
  }
  return fate;
}

function eventRow(record, fate) {
  if (!record.event) return null;
  const fell = fate.get(record.number);
  const event = fell && fell !== "gone" ? fell : record.event;
  const line = eventLine(viewAt(record.number), event);
  if (line === null && event.kind !== "doubted") return null;
  const isNote = ["voided", "corrected", "game_began"].includes(record.event.kind);
  const classes = [];
  if (fell === "gone") classes.push("gone");
  else if (fell) classes.push("changed");
  if (isNote) classes.push("note");
  const isOpen = open === record.number;
  if (isOpen) classes.push("open");
  const clock = new Date(record.at * 1000).toLocaleTimeString([], { timeStyle: "medium" });
  const toggle = () => {
    open = isOpen ? null : record.number;
    chosen = null;
    draw();
  };
  return html("li", { class: classes.join(" ") },
    html("button", {
      type: "button", onclick: isNote ? () => {} : toggle, "aria-expanded": String(isOpen),
    },
      html("span", { class: "at" }, `${record.number} · ${clock}`),
      html("span", { class: "what" }, ...(line || [event.question]))),
    isOpen ? actions(record, event, fell) : null);
}

// The view with the seat winds of the deal in which an event happened.
function viewAt(at) {
  const began = records.findLast(
    ({ number: n, event }) => n <= at && event && event.kind === "deal_began");
  if (!began || !view.deal) return view;
  const { dealer } = began.event;
  const players = view.points.length;
  const seats = view.deal.seats.map((each, seat) => (
    { ...each, wind: "ESWN"[(seat - dealer + players) % players] }));
  return { ...view, deal: { ...view.deal, seats } };
}

function actions(record, event, fell) {
  const at = record.number;
  const close = () => { open = null; };
  if (fell === "gone") {
    const by = records.findLast((each) => each.event && each.event.kind === "voided" && each.event.index === at);
    return html("div", { class: "actions" },
      html("div", { class: "row" },
        by ? html("button", { type: "button", onclick: () => {
          close();
          act("void", { number: by.number, reason: "restored" });
        } }, t("Put it back")) : null));
  }
  const isHand = event.kind === "hand_shown";
  const hasTile = typeof event.tile === "string" || (isHand && chosen !== null);
  const correct = (tile) => {
    const now = { ...event };
    if (!isHand) now.tile = tile;
    else if (chosen === "winning_tile") now.winning_tile = tile;
    else now.tiles = event.tiles.with(chosen, tile);
    close();
    act("correct", { number: at, event: now, reason: "staff" });
  };
  return html("div", { class: "actions" },
    html("div", { class: "row" },
      html("button", { type: "button", class: "danger", onclick: () => {
        close();
        act("void", { number: at, reason: "staff" });
      } }, t("Take back")),
      html("button", { type: "button", class: "danger", onclick: () => {
        close();
        act("void", { number: at, reason: "staff", and_after: true });
      } }, t("Take back this and all after it")),
      event.seat !== undefined && event.kind === "discarded" ? seatButtons(at, event, close) : null),
    isHand ? handButtons(event) : null,
    hasTile ? html("p", { class: "muted" }, t("Or touch the tile that it was:")) : null,
    hasTile ? palette(correct) : null);
}

function handButtons(event) {
  const places = [...event.tiles.keys(), ...(event.winning_tile ? ["winning_tile"] : [])];
  return html("div", { class: "row hand-tiles" }, ...places.map((place) =>
    html("button", {
      type: "button", "aria-pressed": String(chosen === place),
      onclick: () => { chosen = place; draw(); },
    }, picture(place === "winning_tile" ? event.winning_tile : event.tiles[place]))));
}

function seatButtons(at, event, close) {
  return html("span", { class: "row" }, ...view.points.map((_, seat) =>
    seat === event.seat ? null : html("button", { type: "button", onclick: () => {
      close();
      act("correct", { number: at, event: { ...event, seat }, reason: "staff" });
    } }, `→ ${seatWord(view, seat)}`)));
}

function palette(choose) {
  const tiles = SUITS.flatMap((group) => [...group.slice(0, -1)].map((rank) => rank + group.at(-1)));
  const special = view.deal && view.deal.seats.some((seat) => seat.bonus.length)
    ? ["f", "g", "a", "c"].flatMap((suit) => [1, 2, 3, 4].map((rank) => rank + suit))
    : [];
  return html("div", { class: "palette" },
    ...[...tiles, "0m", "0p", "0s", ...special].map((label) =>
      html("button", { type: "button", "aria-label": label, onclick: () => choose(label) },
        picture(label))));
}
