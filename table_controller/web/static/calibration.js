// Calibration with a live picture: begin a step, follow the hints, look at the numbers, keep them.

import { html } from "./tiles.js";
import { number, t } from "./words.js";

const STEPS = {
  camera: "Camera", table: "Table and tags", dome: "Dice dome", tiles: "Tile set",
  lifts: "Motors", confidence: "How sure is sure",
};
const WHAT_TO_DO = {
  camera: "Print the board, glue it on something flat, and hold it still at many places.",
  table: "Stick the four tags on the rim and clear the table.",
  dome: "Throw the dice six times; each throw is taken by itself.",
  tiles: "Lay one tile of each kind in rows, say how they lie, and lay them anew when asked.",
  lifts: "Keep hands away: every lift, pusher and the centre will move.",
  confidence: "Compares what the camera read in finished deals with what lay there.",
};
const SHEETS = ["camera", "table"];
const PICTURE_MS = 700;
const ORDER = "1m 2m 3m 4m 5m 6m 7m 8m 9m 1p 2p 3p 4p 5p 6p 7p 8p 9p 1s 2s 3s 4s 5s 6s 7s 8s 9s"
  + " 1z 2z 3z 4z 5z 6z 7z";

export class Calibration {
  constructor(root, { ask, act }) {
    Object.assign(this, { root, ask, act });
    this.timer = 0;
    this.key = "";
  }

  get isOpen() {
    return !this.root.hidden;
  }

  show() {
    if (!this.isOpen) return;
    if (!this.root.childElementCount) this.build();
    if (!this.timer) this.poll();
  }

  build() {
    this.picture = html("img", { class: "live", alt: t("What the camera sees") });
    this.picture.addEventListener("load", () => this.nextPicture());
    this.picture.addEventListener("error", () => this.nextPicture());
    this.steps = html("section", { class: "card" });
    this.work = html("section", { class: "card" });
    this.root.replaceChildren(
      html("div", { class: "column" },
        html("section", { class: "card" }, html("h2", {}, t("Live picture")), this.picture),
        this.work),
      html("div", { class: "column" }, this.steps));
    this.order = ORDER;
    this.loadPicture();
  }

  loadPicture() {
    this.picture.src = `/api/v1/staff/picture?at=${Date.now()}`;
  }

  nextPicture() {
    setTimeout(() => {
      if (this.isOpen && !document.hidden) this.loadPicture();
      else this.waiting = true;
    }, PICTURE_MS);
  }

  async poll() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.isOpen) return;
    if (this.waiting) {
      this.waiting = false;
      this.loadPicture();
    }
    try {
      this.take(await this.ask("GET", "/api/v1/staff/calibration"));
    } catch (error) {
      this.key = ""; // what is seen next is shown, though it may be what was seen before
      this.work.hidden = false;
      this.work.replaceChildren(html("p", {}, error.message));
    }
    this.timer = setTimeout(() => this.poll(), 500);
  }

  take(seen) {
    const key = JSON.stringify(seen);
    if (key === this.key) return;
    this.key = key;
    this.steps.replaceChildren(html("h2", {}, t("Calibration")), ...seen.steps.map((each) => {
      const done = each.at === null ? t("never measured") : each.at.slice(0, 16).replace("T", " ");
      return html("div", { class: "step" },
        html("div", {}, html("b", {}, t(STEPS[each.step])), html("span", { class: "muted" }, done)),
        html("p", { class: "muted" }, t(WHAT_TO_DO[each.step])),
        each.step === "tiles" ? this.orderField() : null,
        each.step === "confidence" ? html("p", {}, collected(seen.readings)) : null,
        html("div", { class: "row" },
          html("button", {
            type: "button", class: seen.step === each.step ? "main" : "",
            disabled: each.step === "confidence" && seen.readings.number < seen.readings.least,
            onclick: () => this.begin(each.step),
          }, t("Begin")),
          SHEETS.includes(each.step)
            ? html("a", { href: `/api/v1/staff/sheet/${each.step}`, target: "_blank" },
                t("Print the sheet"))
            : null));
    }));
    this.work.hidden = seen.step === null;
    if (seen.step === null) return;
    this.work.replaceChildren(...[
      html("h2", {}, t(STEPS[seen.step])),
      seen.problem ? html("p", { class: "bad", role: "alert" }, t(seen.problem)) : null,
      seen.good === null
        ? html("p", { class: "hint", role: "status" }, `${hinted(seen.hint)} · ${number(seen.taken)}`)
        : html("ul", { class: "qualities" }, ...seen.qualities.map((each) =>
            html("li", { class: each.good ? "good" : "bad" }, measured(each)))),
      seen.good === null
        ? null
        : html("img", { class: "live", alt: "", src: `/api/v1/staff/measured?at=${Date.now()}` }),
      html("div", { class: "row" },
        seen.good === null
          ? html("button", {
              type: "button", class: seen.complete ? "main" : "", disabled: seen.taken === 0,
              onclick: () => this.act("measure"),
            }, t("Measure"))
          : html("button", {
              type: "button", class: seen.good ? "main" : "danger",
              onclick: () => this.act("keep", { anyway: !seen.good }),
            }, seen.good ? t("Keep it") : t("Keep it anyway")),
        html("button", { type: "button", onclick: () => this.act("give_up") }, t("Give up"))),
    ].filter(Boolean));
  }

  begin(step) {
    this.act("calibrate", step === "tiles" ? { step, order: this.order } : { step });
  }

  orderField() {
    const field = html("textarea", { rows: 2, spellcheck: "false", "aria-label": t("How they lie") });
    field.value = this.order;
    field.addEventListener("input", () => (this.order = field.value));
    return field;
  }
}

function collected({ number: found, least, enough }) {
  return t("{number} confirmed readings: {least} are needed, {enough} are good.",
    { number: number(found), least: number(least), enough: number(enough) });
}

function measured({ name, value, limit, unit, at_least: atLeast }) {
  const quantity = (amount) => [amount, t(unit)].filter(Boolean).join(" ");
  const kept = { limit: quantity(number(limit)) };
  const may = atLeast ? t("at least {limit}", kept) : t("at most {limit}", kept);
  const digits = Math.abs(value) < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return `${t(name)}: ${quantity(number(value, digits))} (${may})`;
}

// "taken: 3; move it to the upper left" -> each part in the viewer's language.
function hinted(hint) {
  return hint.split("; ").filter((part) => !part.startsWith("taken")).map((part) => t(part)).join(" · ");
}

// What the measuring process says, for the catalogues.
export const HINTS = [
  "hold it still", "show the whole board", "that is enough", "hold it anywhere",
  "move it to the upper left", "move it to the upper right", "move it to the lower left",
  "move it to the lower right", "tilt it, and come nearer or go farther",
  "clear the table and let nothing cover the tags", "throw the dice again",
  "lay the tiles out in order", "lay the same tiles anew in the same order",
  "measure now, or lay them once more", "the camera gives no picture",
];

// What it measures, likewise, and in which unit.
export const QUALITIES = [
  "views of the board", "reprojection error", "picture covered", "steepest tilt",
  "worst tag", "camera height", "tile width",
  "throws", "dome's edge", "throws read surely",
  "tiles right on the second photo", "tiles right, same photo", "nearest two faces apart",
  "tiles that look otherwise than named",
  "fewest runs of a motor", "widest spread of stroke times", "lifts against each other",
  "highest current against its limit",
  "confirmed readings", "calibration error", "wrong above the threshold",
  "right but sent to a person",
  "degrees", "mm", "px",
];
