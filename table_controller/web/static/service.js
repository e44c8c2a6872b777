// The machine as a technician sees it: steps, motors that turn while a key is held, sensors, wear,
// the link and the faults. What is polled is put into the cards in place, so that a key that is
// being held stays under the finger.

import { html } from "./tiles.js";
import { number, phaseWord, t } from "./words.js";

const JOG_EVERY_MS = 200; // a press counts 250 ms on the board: it goes on as long as it is held
const POLL_MS = { service: 250, other: 1000 };

const MOTIONS = {
  open_mouth: "Open the centre", close_mouth: "Close the centre", add_tiles: "Add tiles",
  build: "Build the wall", raise_walls: "Raise the walls", roll_dice: "Throw the dice",
  recover: "Bring all tiles up", enter_service: "Start service", leave_service: "End service",
};
const MOTORS = {
  drum: "Drum", ring: "Ring", centre: "Centre", lift: "Wall lift", conveyor: "Conveyor",
  head: "Pusher", dice: "Dice", chain: "Chain",
};
const SENSORS = {
  CENTRE_UP: "Centre is up", CENTRE_DOWN: "Centre is down", LIFT_HOME: "Plate is down",
  LIFT_TOP: "Plate is up", TILE: "Tile at the pusher", CAM_HOME: "Pusher at rest",
  TROUGH: "Trough has tiles", DICE_SEEN: "Dice are seen", LID_CLOSED: "Lid is closed",
  ESTOP_OK: "Stop is released", CHAIN_ZERO: "Chain at zero", CHAIN_CORNER: "Chain at corner",
};
const LINK = {
  frames_sent_total: "Sent", frames_received_total: "Received", repeats_total: "Repeated",
  bad_frames_total: "Damaged", board_bad_frames: "Damaged at the board",
  connects_total: "Connections", round_trip_p50_ms: "Answer after", round_trip_p99_ms: "At worst",
};
const SEEN_BY_PEOPLE = {
  W05: "A wall plate is not level with the table top.", W07: "Tiles of a wall fell over.",
  D04: "Tiles came up face-up.", T05: "Tiles were forgotten on the table.",
  S02: "A sensor changes without a cause.", X04: "Liquid may be in the panel.",
};
const ONE_WAY = ["head", "dice"];

// "lift_2" or "LIFT_HOME_2" -> its name in words, with the seat's letter for a side.
function named(words, name) {
  const [, stem, side] = name.match(/^(.*?)(?:_(\d))?$/);
  const word = t(words[stem] || stem);
  return side === undefined ? word : `${word} ${"ABCD"[Number(side)]}`;
}

export class Service {
  constructor(root, { ask, act, say }) {
    Object.assign(this, { root, ask, act, say });
    this.view = null;
    this.held = null;
    this.timer = 0;
    this.motors = new Map();
    this.sensors = new Map();
    const let_go = () => this.letGo();
    for (const event of ["pointerup", "pointercancel", "keyup"]) addEventListener(event, let_go);
    addEventListener("blur", let_go);
    document.addEventListener("visibilitychange", let_go);
  }

  get isOpen() {
    return !this.root.hidden;
  }

  show(view) {
    this.view = view;
    if (!this.isOpen) return;
    if (!this.root.childElementCount) this.build();
    this.showMachine();
    if (!this.timer) this.poll();
  }

  // --- the cards -----------------------------------------------------------------------------

  build() {
    const clear = () => confirm(t("Is the table top clear? The rows come up where walls stand."));
    const doing = (what) => () => {
      if (what !== "recover" || clear()) this.act("machine", { do: what });
    };
    this.confirm = html("button", { type: "button", onclick: doing("confirm") },
      t("I have looked: go on"));
    this.phase = html("h2", {});
    this.progress = html("progress", { max: 1, value: 0, hidden: true });
    this.left = html("span", { class: "muted" });
    this.sets = html("p", { class: "muted" });
    this.motorRows = html("tbody", {});
    this.sensorGrid = html("div", { class: "sensors" });
    this.link = html("dl", { class: "facts" });
    this.wearBox = html("div", {});
    this.tired = html("p", { class: "early" });
    this.faults = html("ol", { class: "faults" });
    this.tried = html("p", { class: "tried", role: "status" });
    this.root.replaceChildren(
      html("div", { class: "column" },
        html("section", { class: "card machine" },
          this.phase, this.progress, this.left, this.sets,
          html("div", { class: "row" },
            this.confirm,
            html("button", { type: "button", class: "danger", onclick: doing("stop") },
              t("Stop all motors"))),
          html("div", { class: "row motions" }, ...Object.entries(MOTIONS).map(([what, name]) =>
            html("button", { type: "button", onclick: doing(what) }, t(name))))),
        html("section", { class: "card" },
          html("h2", {}, t("Motors")),
          html("p", { class: "muted" }, t("In service a motor turns while its key is held.")),
          html("table", { class: "motors" }, this.motorRows),
          this.tried),
        html("section", { class: "card" },
          html("div", { class: "row" }, html("h2", {}, t("Wear")),
            html("button", { type: "button", onclick: () => this.readWear() },
              t("Read the counters"))),
          this.tired, this.wearBox)),
      html("div", { class: "column" },
        html("section", { class: "card" }, html("h2", {}, t("Faults")), this.faults),
        html("section", { class: "card" }, html("h2", {}, t("Sensors")), this.sensorGrid),
        html("section", { class: "card" }, html("h2", {}, t("Connection")), this.link),
        this.reportCard(),
        this.sticksCard()),
    );
  }

  reportCard() {
    const form = html("form", { class: "card" },
      html("h2", {}, t("Report a fault")),
      html("div", { class: "row" },
        html("select", { name: "code", "aria-label": t("What happened") },
          ...Object.entries(SEEN_BY_PEOPLE).map(([code, text]) =>
            html("option", { value: code }, `${code} · ${t(text)}`))),
        html("select", { name: "side", "aria-label": t("Side") },
          html("option", { value: "" }, t("Whole table")),
          ...[..."ABCD"].map((letter, side) => html("option", { value: side }, letter))),
        html("button", { type: "submit" }, t("Report"))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const side = data.get("side");
      this.act("report", { code: data.get("code"), side: side === "" ? null : Number(side) });
    });
    return form;
  }

  sticksCard() {
    const inputs = this.view.points.map((points, seat) =>
      html("label", {}, this.view.names[seat] || t("Seat {n}", { n: "ABCD"[seat] }),
        html("input", { type: "number", value: points, size: 8, required: true })));
    const result = html("p", { role: "status" });
    const form = html("form", { class: "card" },
      html("h2", {}, t("Count the points sticks")),
      html("div", { class: "row" }, ...inputs,
        html("button", { type: "submit" }, t("Compare"))),
      result);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const points = inputs.map((label) => Number(label.querySelector("input").value));
      try {
        const { differences } = await this.ask("POST", "/api/v1/staff/sticks", { points });
        result.textContent = differences.some(Boolean)
          ? differences.map((off, seat) => `${"ABCD"[seat]}: ${off > 0 ? "+" : ""}${number(off)}`)
            .join(" · ")
          : t("The sticks are right.");
      } catch (error) {
        this.say(error.message, false);
      }
    });
    return form;
  }

  showMachine() {
    const { phase, progress, seconds_left: left } = this.view.machine;
    this.phase.textContent = phaseWord(phase);
    this.confirm.className = ["locked", "fault", "estop"].includes(phase) ? "main" : "";
    this.progress.hidden = progress === null;
    this.progress.value = progress ?? 0;
    this.left.textContent = progress === null || left === null
      ? "" : `${Math.round(progress * 100)} % · ${t("{n} s left", { n: Math.ceil(left) })}`;
  }

  // --- what the board says -------------------------------------------------------------------

  async poll() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.isOpen || document.hidden) return;
    let phase = "other";
    try {
      const seen = await this.ask("GET", "/api/v1/staff/machine");
      phase = seen.phase;
      this.take(seen);
    } catch (error) {
      this.link.replaceChildren(html("dt", {}, error.message));
    }
    this.timer = setTimeout(() => this.poll(), POLL_MS[phase] || POLL_MS.other);
  }

  take(seen) {
    const inService = seen.phase === "service";
    const place = {
      table: t("on the table"), inside: t("inside"), rows: t("built"), play: t("in play"),
    };
    this.sets.textContent = Object.entries(seen.sets)
      .map(([name, where]) => `${t("Set {n}", { n: name })}: ${place[where]}`).join(" · ");
    for (const motor of seen.motors) this.takeMotor(motor, inService);
    for (const [name, on] of Object.entries(seen.sensors)) {
      let pill = this.sensors.get(name);
      if (!pill) {
        pill = html("span", { class: "sensor" }, named(SENSORS, name));
        this.sensors.set(name, pill);
        this.sensorGrid.append(pill);
      }
      pill.classList.toggle("on", on);
      pill.setAttribute("aria-label", `${pill.textContent}: ${on ? "1" : "0"}`);
    }
    const facts = Object.entries(LINK).map(([key, word]) =>
      [t(word), `${number(Math.round(seen.link[key] * 10) / 10)}${key.endsWith("_ms") ? " ms" : ""}`]);
    if (seen.board) facts.unshift([t("Firmware"), `${seen.board.firmware} · ${seen.board.id}`]);
    if (seen.supply_mv !== null) {
      facts.push([t("Motor supply"), `${number(Math.round(seen.supply_mv / 100) / 10)} V`]);
    }
    this.link.replaceChildren(...facts.flatMap(([word, value]) =>
      [html("dt", {}, word), html("dd", {}, value)]));
    this.tired.textContent = seen.tired.length
      ? `${seen.tired.map((part) => named(MOTORS, part)).join(", ")}: `
        + t("Slower than learned: look at it soon.") : "";
    this.takeFaults(seen.faults);
  }

  takeMotor(motor, inService) {
    let row = this.motors.get(motor.part);
    if (!row) {
      const hold = (back, sign, word) => html("button", {
        type: "button", class: "hold", "aria-label": `${named(MOTORS, motor.part)} ${word}`,
        onpointerdown: () => this.hold(motor.part, back),
        onkeydown: (event) => {
          if ([" ", "Enter"].includes(event.key) && !event.repeat) this.hold(motor.part, back);
        },
        oncontextmenu: (event) => event.preventDefault(),
      }, sign);
      const oneWay = ONE_WAY.includes(motor.part.split("_")[0]);
      row = {
        current: html("td", { class: "value" }),
        known: html("td", { class: "muted" }),
        buttons: [
          oneWay ? null : hold(true, "◀", t("back")),
          hold(false, "▶", t("forward")),
          html("button", { type: "button", onclick: () => this.tryPart(motor.part) }, t("Test")),
        ].filter(Boolean),
      };
      row.line = html("tr", {}, html("td", {}, named(MOTORS, motor.part)), row.current, row.known,
        html("td", { class: "turning" }, ...row.buttons));
      this.motors.set(motor.part, row);
      this.motorRows.append(row.line);
    }
    row.line.className = motor.turns ? "turns" : "";
    row.current.textContent = `${number(motor.current_ma)} mA`;
    row.known.textContent = motor.turns > 0 ? "▶" : motor.turns < 0 ? "◀" : "";
    for (const button of row.buttons) button.disabled = !inService;
  }

  takeFaults(faults) {
    const key = JSON.stringify(faults);
    if (key === this.faultKey) return;
    this.faultKey = key;
    this.faults.replaceChildren(...faults.map((fault) => {
      const side = fault.side === null ? "" : ` · ${"ABCD"[fault.side]}`;
      return html("li", { class: fault.open ? "open" : "" },
        html("details", {},
          html("summary", {}, html("b", {}, `${fault.code}${side}`), ` ${t(fault.text)}`),
          html("p", {}, t(fault.hint)),
          fault.picture.length
            ? html("table", { class: "picture" }, ...fault.picture.slice(-12).map((change) =>
                html("tr", {},
                  html("td", { class: "value" }, `−${change.before_s.toFixed(2)} s`),
                  html("td", {}, named(SENSORS, change.sensor)),
                  html("td", {}, change.on ? "1" : "0"))))
            : null,
          fault.open
            ? html("button", {
                type: "button",
                onclick: () => this.act("dismiss", { code: fault.code, side: fault.side }),
              }, t("Seen"))
            : null));
    }));
    if (!faults.length) this.faults.replaceChildren(html("li", { class: "muted" }, t("None so far.")));
  }

  // --- service -------------------------------------------------------------------------------

  hold(part, back) {
    this.letGo();
    const mine = (this.held = { part, back });
    const step = async () => {
      if (this.held !== mine) return;
      const begun = performance.now();
      try {
        await this.ask("POST", "/api/v1/staff/jog", { part, back });
      } catch (error) {
        this.letGo();
        this.say(error.message, false);
        return;
      }
      setTimeout(step, Math.max(0, JOG_EVERY_MS - (performance.now() - begun)));
    };
    step();
  }

  letGo() {
    this.held = null;
  }

  async tryPart(part) {
    this.tried.textContent = "…";
    try {
      const found = await this.ask("POST", "/api/v1/staff/try_part", { part });
      const sensors = found.sensors.map((name) => named(SENSORS, name)).join(", ");
      this.tried.textContent = `${named(MOTORS, part)}: ${t(found.verdict)} `
        + `${number(found.peak_ma)} mA${sensors ? ` · ${sensors}` : ""}`;
    } catch (error) {
      this.tried.textContent = error.message;
    }
  }

  async readWear() {
    try {
      const { motors } = await this.ask("GET", "/api/v1/staff/wear");
      this.wearBox.replaceChildren(html("table", { class: "wear" },
        html("tr", {}, ...["", t("Strokes"), t("Last"), t("Mean"), t("Learned"), t("Current")]
          .map((word) => html("th", {}, word))),
        ...motors.map((each) => html("tr", { class: each.early_warning ? "early" : "" },
          html("td", {}, named(MOTORS, each.part)),
          ...[number(each.strokes), `${number(each.last_ms)} ms`, `${number(each.mean_ms)} ms`,
            `${number(each.learned_ms)} ms`, `${number(each.peak_ma)} mA`]
            .map((text) => html("td", { class: "value" }, text)),
          html("td", {}, each.early_warning ? t("Slower than learned: look at it soon.") : "")))));
    } catch (error) {
      this.say(error.message, false);
    }
  }
}
