// The table from above, in units of a thousandth of its side; the centre is (0, 0).
// Everything of a seat is drawn as if the seat sat at the bottom, then turned to its side.

import { RATIO, sideways, svg, tile } from "./tiles.js";
import { number, phaseWord, signed, t, wind } from "./words.js";

const POND = { width: 50, pitch: 51.5, row: 68.5, from: 136, left: -131, length: 6, rows: 3 };
const LONGEST_ROW = 470;
const CALLED_WIDTH = 24;
const MELD = { width: 38, pitch: 39, y: 346, right: 396 };
const BONUS = { width: 32, pitch: 33, y: 350, left: -314 };
const STRIP = { y: 405, height: 90, half: 396 };
const CENTRE = 119;
const COMPARED_MS = 6000;
const SIDES = { 2: [0, 180], 3: [0, -90, 180], 4: [0, -90, 180, 90] };

export class Board {
  constructor(root, { flat = true, bottom = 0 } = {}) {
    this.root = root;
    this.flat = flat;
    this.bottom = bottom;
    this.drawn = new Map();
    this.view = null;
    this.comparing = null; // the seat that the points are compared with
    this.layers = {};
    root.append(
      svg("rect", { class: "felt", x: -500, y: -500, width: 1000, height: 1000, rx: 28 }),
      svg("rect", { class: "felt-edge", x: -494, y: -494, width: 988, height: 988, rx: 24 }),
    );
    for (const name of ["seats", "centre", "arrows", "evidence", "machine"]) {
      this.layers[name] = svg("g", { class: `layer-${name}` });
      root.append(this.layers[name]);
    }
  }

  // Texts towards the seats, for a screen that lies in the table, or all upright.
  turnTexts(flat) {
    this.flat = flat;
    this.forget();
  }

  // Draws everything again: the words have changed.
  forget() {
    this.drawn.forEach((drawn) => (drawn.key = null));
    if (this.view !== null) this.show(this.view);
  }

  angle(seat, players) {
    const sides = SIDES[players];
    return sides[seat] - sides[Math.min(this.bottom, players - 1)];
  }

  show(view) {
    this.view = view;
    const deal = view.deal;
    const players = view.ruleset.players;
    const marks = evidenceMarks(deal);
    const over = Boolean(deal && deal.settlement && deal.settlement.ended);
    for (let seat = 0; seat < players; seat++) this.seat(view, seat, marks[seat] || {});
    this.layer("centre", this.layers.centre, { deal, rules: view.ruleset, final: view.final }, () =>
      this.centre(view),
    );
    const transfers = over ? deal.settlement.transfers : [];
    this.root.classList.toggle("settled", transfers.length > 0);
    this.layer("arrows", this.layers.arrows, transfers, () => this.arrows(transfers, players));
    const ponds = Object.keys(marks).map((seat) => deal.seats[seat].pond);
    this.layer("evidence", this.layers.evidence, { marks, ponds }, () =>
      this.evidence(deal, marks, players),
    );
    this.machine(view.machine, Boolean(deal) && !over, view.paused);
  }

  // The tiles that prove a breach, above everything else, each with its number.
  evidence(deal, marks, players) {
    const group = svg("g", {});
    for (const [seat, places] of Object.entries(marks)) {
      const side = svg("g", { transform: `rotate(${this.angle(Number(seat), players)})` });
      for (const spot of pondSpots(deal.seats[seat].pond, deal.pond_row)) {
        if (!places[spot.number]) continue;
        const drawn = pondTile(spot, "evidence");
        const upright = this.flat ? 0 : -this.angle(Number(seat), players);
        side.append(drawn, pointer(spot, places[spot.number], upright));
      }
      group.append(side);
    }
    return group;
  }

  // Draws a part again only when what it shows has changed.
  layer(name, parent, shows, draw) {
    const key = JSON.stringify(shows);
    const before = this.drawn.get(name);
    if (before && before.key === key) return;
    const element = draw();
    if (before) before.element.replaceWith(element);
    else parent.append(element);
    this.drawn.set(name, { key, element });
  }

  // --- one seat ------------------------------------------------------------------------------

  seat(view, seat, marks) {
    const players = view.ruleset.players;
    const deal = view.deal;
    const shown = deal ? deal.seats[seat] : null;
    const turned = (...parts) =>
      svg("g", { transform: `rotate(${this.angle(seat, players)})` }, ...parts);
    const isOffered = Boolean(
      deal && deal.awaiting === "claims" && deal.offer && deal.offer.seat === seat,
    );
    this.layer(`pond${seat}`, this.layers.seats, [shown && shown.pond, isOffered, marks], () =>
      turned(shown ? this.pond(shown, isOffered, marks, deal.pond_row) : null),
    );
    const laid = shown && [shown.melds, shown.bonus, shown.ready];
    this.layer(`laid${seat}`, this.layers.seats, laid, () =>
      shown
        ? turned(
            ...this.laid(shown, seat, players),
            shown.ready ? readyStick() : null,
          )
        : turned(),
    );
    const strip = this.stripShows(view, seat);
    this.layer(`strip${seat}`, this.layers.seats, strip, () => turned(this.strip(strip, players)));
  }

  pond(shown, offered, marks, length) {
    const group = svg("g", { class: Object.keys(marks).length ? "pond pointed" : "pond" });
    for (const spot of pondSpots(shown.pond, length)) {
      const isOffered = offered && spot.number === shown.pond.length;
      group.append(pondTile(spot, isOffered ? "offered" : ""));
    }
    return group;
  }

  // Melds grow leftward from the right corner, bonus tiles rightward from the left one.
  laid(shown, seat, players) {
    const melds = svg("g", { class: "melds" });
    let width = 0;
    for (const meld of shown.melds) {
      const drawn = meldTiles(meld, seat, players);
      width += drawn.width;
      drawn.group.setAttribute("transform", `translate(${-width} 0)`);
      melds.append(drawn.group);
      width += 9;
    }
    const room = MELD.right - BONUS.left;
    const small = Math.min(1, room / Math.max(width, 1));
    melds.setAttribute("transform", `translate(${MELD.right} ${MELD.y}) scale(${small})`);
    const left = room - width * small;
    const pitch = Math.min(BONUS.pitch, left / Math.max(shown.bonus.length, 1));
    const bonus = svg("g", { class: "bonus" });
    shown.bonus.forEach((label, index) => {
      const drawn = tile(label, pitch * (BONUS.width / BONUS.pitch));
      drawn.setAttribute("transform", `translate(${BONUS.left + index * pitch} ${BONUS.y})`);
      bonus.append(drawn);
    });
    return [melds, bonus];
  }

  // What the strip of a seat shows; nothing else makes it be drawn again.
  stripShows(view, seat) {
    const deal = view.deal;
    const shown = deal ? deal.seats[seat] : null;
    const points = shown ? shown.points : view.points[seat];
    const own = this.comparing === null ? null : view.points[this.comparing];
    const ended = Boolean(deal && deal.settlement && deal.settlement.ended);
    return {
      seat,
      name: view.names[seat] || "",
      wind: shown && shown.wind,
      points,
      difference: own === null || this.comparing === seat ? null : points - own,
      isDealer: Boolean(deal && deal.dealer === seat),
      isOnTurn: Boolean(
        deal && deal.turn === seat && (deal.awaiting === "draw" || deal.awaiting === "discard"),
      ),
      hasWon: Boolean(
        deal && deal.verdicts.some(
          (each) => each.kind === "win" && each.seat === seat && each.answer.valid),
      ),
      change: ended ? deal.settlement.deltas[seat] : 0,
      place: view.final ? view.final.placements[seat] : null,
      isReady: Boolean(shown && shown.ready),
      isDead: Boolean(shown && shown.dead_hand),
      round: deal && this.flat ? roundText(deal) : "",
      left: deal && this.flat ? deal.wall_left : null,
    };
  }

  strip(shows, players) {
    const { seat } = shows;
    const classes = ["strip"];
    if (shows.isDealer) classes.push("dealer");
    if (shows.isOnTurn) classes.push("on-turn");
    if (shows.hasWon) classes.push("winner");
    const group = svg("g", { class: classes.join(" ") });
    const isUpsideDown = !this.flat && Math.abs(this.angle(seat, players)) % 360 === 180;
    if (isUpsideDown) {
      group.setAttribute("transform", `rotate(180 0 ${STRIP.y + STRIP.height / 2})`);
    }
    group.addEventListener("click", () => this.compare(seat));
    group.append(
      svg("rect", {
        class: "strip-back",
        x: -STRIP.half, y: STRIP.y, width: 2 * STRIP.half, height: STRIP.height, rx: 16,
      }),
    );
    if (shows.isDealer) {
      group.append(
        svg("path", {
          class: "wedge",
          d: `M-80 ${STRIP.y} L80 ${STRIP.y} L52 ${STRIP.y + 11} L-52 ${STRIP.y + 11} Z`,
        }),
      );
    }
    if (shows.wind) {
      const windTile = { E: "1z", S: "2z", W: "3z", N: "4z" }[shows.wind];
      const badge = tile(windTile, 54, { marks: shows.isDealer ? "wind dealer" : "wind" });
      badge.setAttribute("transform", `translate(${-STRIP.half + 14} ${STRIP.y + 9})`);
      group.append(badge);
    }
    const left = shows.wind ? -STRIP.half + 84 : -STRIP.half + 22;
    const title = shows.wind ? wind(shows.wind) : t("Seat {n}", { n: "ABCD"[seat] });
    const role = shows.isDealer ? `${title} · ${t("Dealer")}` : title;
    const { name } = shows;
    group.append(
      fit(svg("text", { class: "seat-wind", x: left, y: STRIP.y + (name ? 40 : 57) }, role), 205),
      name ? fit(svg("text", { class: "seat-name", x: left, y: STRIP.y + 74 }, name), 205) : "",
      fit(
        shows.difference === null
          ? svg("text", { class: "points", x: 168, y: STRIP.y + 73 }, number(shows.points))
          : svg("text", { class: "points difference", x: 168, y: STRIP.y + 73 },
              signed(shows.difference)),
        262,
      ),
    );
    const right = STRIP.half - 18;
    const big = (kind, text) =>
      group.append(
        fit(svg("text", { class: `delta ${kind}`, x: right, y: STRIP.y + 62 }, text), 200),
      );
    if (shows.place !== null) big("place", t("No. {n}", { n: shows.place }));
    else if (shows.change) big(shows.change > 0 ? "gain" : "loss", signed(shows.change));
    else if (shows.isDead) group.append(badgeText(t("Dead hand"), right, "dead"));
    else if (shows.isReady) group.append(badgeText(t("Ready"), right, "ready"));
    else if (shows.left !== null) {
      group.append(
        svg("text", { class: "strip-note", x: right, y: STRIP.y + 38 }, shows.round),
        svg("text", { class: "strip-note", x: right, y: STRIP.y + 72 },
          t("{n} left", { n: shows.left })),
      );
    }
    return group;
  }

  // A touch on a strip shows for a while how far everybody is from that seat.
  compare(seat) {
    clearTimeout(this.comparingEnds);
    this.comparing = this.comparing === seat ? null : seat;
    this.comparingEnds = setTimeout(() => {
      this.comparing = null;
      this.show(this.view);
    }, COMPARED_MS);
    this.show(this.view);
  }

  // --- the centre ----------------------------------------------------------------------------

  centre(view) {
    const group = svg("g", { class: "centre" });
    group.append(
      svg("rect", {
        class: "centre-back",
        x: -CENTRE, y: -CENTRE, width: 2 * CENTRE, height: 2 * CENTRE, rx: 18,
      }),
    );
    const deal = view.deal;
    if (!deal) {
      group.append(
        fit(svg("text", { class: "centre-title", y: -14 }, view.ruleset.native), 216),
        fit(svg("text", { class: "centre-note", y: 26 }, view.ruleset.title), 216),
      );
      return group;
    }
    const hasIndicators = deal.indicators.length > 0;
    const round = svg("text", { class: "round", y: hasIndicators ? -76 : -56 }, roundText(deal));
    group.append(fit(round, 220));
    if (hasIndicators) group.append(indicators(deal));
    const low = deal.wall_left <= 4 ? " low" : "";
    const small = hasIndicators ? " small" : "";
    group.append(
      svg("text", { class: `wall-left${low}${small}`, y: 46 }, String(deal.wall_left)),
      fit(svg("text", { class: "centre-note", y: 70 }, t("tiles left")), 220),
      sticks(deal, 94),
    );
    return group;
  }

  // --- who pays whom -------------------------------------------------------------------------

  arrows(transfers, players) {
    const group = svg("g", { class: "arrows" });
    if (!transfers.length) return group;
    group.append(
      svg("defs", {},
        svg("marker",
          { id: "head", viewBox: "0 0 10 10", refX: 7, refY: 5, markerWidth: 3.4, markerHeight: 3.4,
            orient: "auto-start-reverse" },
          svg("path", { d: "M0 0 L10 5 L0 10 Z", class: "arrow-head" }),
        ),
      ),
    );
    const lines = svg("g", {});
    const labels = svg("g", {});
    const at = (seat, radius, shift) => {
      if (seat === null) return [0, 0];
      const turn = (this.angle(seat, players) * Math.PI) / 180;
      return [
        -radius * Math.sin(turn) + shift * Math.cos(turn),
        radius * Math.cos(turn) + shift * Math.sin(turn),
      ];
    };
    const shift = new Map();
    for (const transfer of transfers) {
      // Arrows at one seat are spread out, so that none hides another.
      const used = shift.get(transfer.to) || 0;
      shift.set(transfer.to, used + 1);
      const to = at(transfer.to, 388, (used - (countTo(transfers, transfer.to) - 1) / 2) * 120);
      const from = at(transfer.from, 388, 0);
      const bend = 0.18;
      const control = [
        (from[0] + to[0]) * bend * 0.9, (from[1] + to[1]) * bend * 0.9,
      ];
      lines.append(
        svg("path", {
          class: "arrow",
          d: `M${from} Q${control} ${to}`,
          "marker-end": "url(#head)",
        }),
      );
      // The amount stands where arrows are apart: at the payer's end, or the receiver's.
      const paysMany = transfers.filter((each) => each.from === transfer.from).length > 1;
      const s = transfer.from === null ? 0.1 : paysMany ? 0.66 : 0.4;
      const middle = [0, 1].map(
        (i) => (1 - s) ** 2 * from[i] + 2 * s * (1 - s) * control[i] + s ** 2 * to[i],
      );
      const text = number(transfer.points);
      const width = 34 + text.length * 22;
      labels.append(
        svg("g", { transform: `translate(${middle})` },
          svg("rect", { class: "amount-back", x: -width / 2, y: -29, width, height: 58, rx: 29 }),
          svg("text", { class: "amount", y: 14 }, text),
        ),
      );
    }
    group.append(lines, labels);
    return group;
  }

  // --- the machine ---------------------------------------------------------------------------

  machine(machine, inPlay, paused) {
    const busy = machine.progress !== null && !inPlay;
    const shows = { busy, machine: busy ? machine : null, paused };
    this.layer("machine", this.layers.machine, shows, () => {
      const group = svg("g", { class: "machine" });
      if (paused !== null) {
        group.append(
          svg("circle", { class: "machine-back", r: 168 }),
          svg("path", { class: "pause-mark", d: "M-34 -70 V10 M34 -70 V10" }),
          fit(svg("text", { class: "machine-phase", y: 74 }, t("Paused")), 270),
          paused ? fit(svg("text", { class: "centre-note", y: 112 }, paused), 250) : null,
        );
      } else if (busy) {
        const length = 2 * Math.PI * 150;
        group.append(
          svg("circle", { class: "machine-back", r: 178 }),
          svg("circle", { class: "ring", r: 150 }),
          svg("circle", {
            class: "ring done", r: 150, transform: "rotate(-90)",
            "stroke-dasharray": `${length * machine.progress} ${length}`,
          }),
          svg("text", { class: "machine-percent", y: 2 }, `${Math.round(machine.progress * 100)} %`),
          fit(svg("text", { class: "machine-phase", y: 50 }, phaseWord(machine.phase)), 236),
        );
        if (machine.seconds_left !== null) {
          group.append(
            svg("text", { class: "centre-note", y: 88 },
              t("{n} s left", { n: Math.ceil(machine.seconds_left) })),
          );
        }
      }
      return group;
    });
  }
}

// "East 2": the deals of a round are counted by the seat that deals; then the counters.
export function roundText(deal) {
  const counters = deal.counters ? ` · ×${deal.counters}` : "";
  return `${wind(deal.round_wind)} ${deal.dealer + 1}${counters}`;
}

// Where each discard is drawn. A called tile has left its place: it is small where it was, and the
// ones after it have moved up, so that rows and places are those of the table.
function pondSpots(pond, length = POND.length) {
  const rows = [[]];
  let lies = 0;
  pond.forEach((discard, index) => {
    const isCalled = discard.called_by !== null;
    if (!isCalled) {
      if (rows.length < POND.rows && lies === length) {
        rows.push([]);
        lies = 0;
      }
      lies += 1;
    }
    const width = isCalled
      ? CALLED_WIDTH + 2
      : discard.turned
        ? POND.width * RATIO + 1.5
        : POND.pitch;
    rows[rows.length - 1].push({ discard, number: index + 1, width });
  });
  return rows.flatMap((row, index) => {
    const whole = row.reduce((sum, spot) => sum + spot.width, 0);
    const squeeze = Math.min(1, LONGEST_ROW / whole);
    let x = POND.left;
    return row.map((spot) => {
      const placed = { ...spot, squeeze, x, y: POND.from + index * POND.row };
      x += spot.width * squeeze;
      return placed;
    });
  });
}

// In a row that would be too long all tiles are smaller, so that every face can be read.
function pondTile({ discard, x, y, squeeze }, marks) {
  if (discard.called_by !== null) {
    const drawn = tile(discard.tile, CALLED_WIDTH * squeeze, { marks: `called ${marks}` });
    const drop = POND.row - CALLED_WIDTH * squeeze * RATIO - 4;
    drawn.setAttribute("transform", `translate(${x} ${y + drop})`);
    return drawn;
  }
  const width = POND.width * squeeze;
  const drawn = discard.turned
    ? sideways(discard.tile, width, { marks })
    : tile(discard.tile, width, { marks });
  const drop = discard.turned ? width * (RATIO - 1) : 0;
  drawn.setAttribute("transform", `translate(${x} ${y + drop})`);
  return drawn;
}

// seat -> discard number -> mark, of the tiles that prove a breach.
export function evidenceMarks(deal) {
  const marks = {};
  let count = 0;
  for (const verdict of (deal && deal.verdicts) || []) {
    const proofs = (verdict.breaches || []).flatMap((breach) => breach.evidence);
    for (const proof of [...proofs, ...(verdict.evidence || [])]) {
      count += 1;
      marks[proof.seat] = { ...(marks[proof.seat] || {}), [proof.place]: count };
    }
  }
  return marks;
}

function pointer({ x, y, width, squeeze }, mark, turn) {
  return svg("g", { class: "pointer", transform: `translate(${x + (width * squeeze) / 2 - 1} ${y})` },
    svg("path", { d: "M0 8 L-17 -24 L17 -24 Z" }),
    svg("circle", { cy: -34, r: 21 }),
    svg("text", { y: -24, transform: `rotate(${turn} 0 -34)` }, String(mark)),
  );
}

// Which tile of a meld lies sideways tells whose discard it was.
export function meldTiles(meld, seat, players) {
  const group = svg("g", { class: "meld" });
  const flat = MELD.width * (RATIO - 1);
  const tiles = [...meld.tiles];
  const concealed = meld.kind === "concealed_kong";
  let lying = -1;
  let called = null;
  if (meld.from !== null && !concealed) {
    called = meld.called !== null && tiles.includes(meld.called) ? meld.called : tiles[0];
    tiles.splice(tiles.indexOf(called), 1);
    const turns = (meld.from - seat + players) % players;
    const size = meld.kind === "added_kong" ? 3 : tiles.length + 1;
    lying = turns === players - 1 ? 0 : turns === 1 ? size - 1 : 1;
  }
  let added = null;
  if (meld.kind === "added_kong" && lying >= 0) added = tiles.pop();
  if (lying >= 0) tiles.splice(lying, 0, called);
  let x = 0;
  tiles.forEach((label, index) => {
    const isBack = concealed && (index === 0 || index === tiles.length - 1);
    let drawn;
    if (index === lying) {
      if (added !== null) {
        const second = sideways(added, MELD.width);
        second.setAttribute("transform", `translate(${x} ${flat - MELD.width * 0.62})`);
        group.append(second);
      }
      drawn = sideways(label, MELD.width);
      drawn.setAttribute("transform", `translate(${x} ${flat})`);
      x += MELD.width * RATIO + 1;
    } else {
      drawn = tile(isBack ? "bk" : label, MELD.width);
      drawn.setAttribute("transform", `translate(${x} 0)`);
      x += MELD.pitch;
    }
    group.append(drawn);
  });
  return { group, width: x };
}

function indicators(deal) {
  const group = svg("g", { transform: "translate(0 -66)" });
  const width = 38;
  const shown = deal.indicators;
  const places = Math.max(5, shown.length);
  const start = (-places * (width + 2)) / 2;
  const under = deal.under_indicators;
  for (let place = 0; place < places; place++) {
    const x = start + place * (width + 2);
    if (under[place]) {
      const below = tile(under[place], width);
      below.setAttribute("transform", `translate(${x} 12)`);
      group.append(below);
    }
    const drawn = tile(place < shown.length ? shown[place] : "bk", width, {
      marks: place < shown.length ? "indicator" : "waiting",
    });
    drawn.setAttribute("transform", `translate(${x} ${under[place] ? -14 : 0})`);
    group.append(drawn);
  }
  return group;
}

// Sticks on the table and counters, as drawn sticks with their number.
function sticks(deal, y) {
  const group = svg("g", { transform: `translate(0 ${y})` });
  const parts = [];
  if (deal.deposits) parts.push(["deposit", deal.deposits]);
  if (deal.counters) parts.push(["counter", deal.counters]);
  if (deal.goulash) parts.push(["goulash", deal.goulash]);
  const start = (-(parts.length - 1) * 104) / 2;
  parts.forEach(([kind, count], index) => {
    const x = start + index * 104;
    const dots = { deposit: [0], counter: [-15, -9, -3, 3, 9, 15], goulash: [-12, 0, 12] }[kind];
    group.append(
      svg("g", { class: `stick ${kind}`, transform: `translate(${x - 18} 0)` },
        svg("rect", { x: -26, y: -6, width: 52, height: 12, rx: 6 }),
        ...dots.map((dx) => svg("circle", { cx: dx, r: kind === "deposit" ? 4 : 2.2 })),
      ),
      svg("text", { class: "stick-count", x: x + 16, y: 10 }, `×${count}`),
    );
  });
  return group;
}

function readyStick() {
  return svg("g", { class: "stick deposit", transform: "translate(0 127)" },
    svg("rect", { x: -84, y: -6, width: 168, height: 12, rx: 6 }),
    svg("circle", { r: 4.6 }),
  );
}

function badgeText(text, right, kind) {
  const group = svg("g", { class: `badge ${kind}` });
  const width = Math.min(196, 40 + text.length * (text.charCodeAt(0) > 0x2e80 ? 34 : 19));
  group.append(
    svg("rect", { x: right - width, y: STRIP.y + 20, width, height: 50, rx: 12 }),
    fit(svg("text", { x: right - width / 2, y: STRIP.y + 57 }, text), width - 20),
  );
  return group;
}

function countTo(transfers, seat) {
  return transfers.filter((each) => each.to === seat).length;
}

// Squeezes a text that would not fit: names are of any length, languages too.
function fit(text, width) {
  const content = text.textContent;
  const size = { points: 68, "seat-wind": 30, "seat-name": 28, delta: 50, round: 46, "centre-title": 40 };
  const first = (text.getAttribute("class") || "").split(" ")[0];
  const each = (size[first] || 30) * 0.58;
  const wide = [...content].reduce((sum, c) => sum + (c.codePointAt(0) > 0x2e80 ? 1.75 : 1), 0);
  if (wide * each > width) {
    text.setAttribute("textLength", width);
    text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  return text;
}
