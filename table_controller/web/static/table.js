// The table screen. Address options: ?view=upright|flat, ?seat=0..3 (who sits at the bottom), ?lang=.

import { Board } from "./board.js";
import { Live } from "./live.js";
import { Panel } from "./panel.js";
import { loadWords, t } from "./words.js";

const asked = new URLSearchParams(location.search);
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const board = new Board(document.getElementById("board"), {
  flat: (asked.get("view") || stored("view")) !== "upright",
  bottom: Number(asked.get("seat") || 0),
});
let view = null;
let dirty = false;

const panel = new Panel(document.getElementById("panel"), {
  language: await loadWords(asked.get("lang") || stored("language")),
  onLanguage: chooseLanguage,
  onTurn() {
    board.turnTexts(!board.flat);
    keep("view", board.flat ? "flat" : "upright");
  },
  onAnswer: answer,
});

async function chooseLanguage(language) {
  panel.language = await loadWords(language);
  keep("language", panel.language);
  board.forget();
  draw();
}

function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows have no storage: the choice lasts until the page is left.
  }
}

async function answer(number, tile) {
  await fetch("/api/v1/staff/answer", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ number, tile }),
  });
}

function draw() {
  // A burst of events is drawn once.
  if (dirty || view === null) return;
  dirty = true;
  requestAnimationFrame(() => {
    dirty = false;
    board.show(view);
    panel.show(view);
  });
}

async function catchUp() {
  const since = Math.max(0, view.next - 30);
  const answer = await fetch(`/api/v1/games/${view.game}/events?since=${since}`);
  if (!answer.ok) return;
  for (const { event, number } of (await answer.json()).events) panel.remember(event, number);
  draw();
}

let game = null;
const session = await fetch("/api/v1/staff/session").catch(() => null);
panel.isStaff = Boolean(session && session.ok && (await session.json()).staff);

new Live({
  onView(next) {
    view = next;
    if (game !== view.game) {
      game = view.game;
      panel.forget();
      catchUp();
    }
    draw();
  },
  onStatus(status) {
    if (view === null) return;
    view = { ...view, ...status };
    draw();
  },
  onEvent(event, number) {
    panel.remember(event, number);
  },
  onStale(stale, seconds) {
    const banner = document.getElementById("stale");
    banner.hidden = !stale;
    banner.textContent = t("No connection for {n} s: this picture is old.", { n: seconds });
    document.body.classList.toggle("stale", stale);
  },
});
