// The column beside the board: machine, questions, faults, verdicts, and what happened last.

import { evidenceMarks, meldTiles, roundText } from "./board.js";
import { RATIO, html, picture, svg, tile } from "./tiles.js";
import { keyWord, languages, number, phaseWord, signed, t, wind, worded } from "./words.js";

export function seatWord(view, seat) {
  if (seat === null) return t("the pot");
  const word = view.deal ? wind(view.deal.seats[seat].wind) : t("Seat {n}", { n: "ABCD"[seat] });
  return word;
}

export class Panel {
  constructor(root, { language, onLanguage, onTurn, onAnswer }) {
    Object.assign(this, { root, language, onLanguage, onTurn, onAnswer });
    this.recent = [];
    this.isStaff = false;
  }

  remember(event, index) {
    const at = this.recent.findIndex((each) => each.number === index);
    if (at < 0) this.recent.unshift({ number: index, event });
    this.recent.sort((a, b) => b.number - a.number);
    this.recent.length = Math.min(this.recent.length, 40);
  }

  forget() {
    this.recent = [];
  }

  show(view) {
    const parts = [this.head(view), machineLine(view)];
    if (view.deal && view.deal.passing) parts.push(passingCard(view, view.deal.passing));
    for (const seat of view.calling) parts.push(callCard(view, seat));
    for (const fault of view.machine.faults) parts.push(faultCard(fault));
    parts.push(...haltedCard(view.machine), ...refusedCard(view.machine.refused));
    if (view.machine.link !== "up") parts.push(linkCard(view.machine.link));
    if (!["up", "starting"].includes(view.machine.camera)) parts.push(cameraCard(view.machine.camera));
    const wanted = view.deal ? view.deal.wanted : [];
    for (const doubt of view.doubts) {
      if (doubt.code !== "waiting" || !wanted.length) parts.push(this.doubtCard(view, doubt));
    }
    if (view.final) parts.push(ranking(view));
    if (wanted.length) parts.push(wantedCard(view));
    const verdicts = view.deal ? view.deal.verdicts : [];
    for (const verdict of verdicts) {
      if (!isToldByRefusal(verdict, verdicts)) parts.push(verdictCard(view, verdict));
    }
    const settlement = view.deal && view.deal.settlement;
    if (settlement && settlement.transfers.length && verdicts.length) {
      parts.push(paymentsCard(view, settlement.transfers));
    }
    if (!verdicts.some((each) => each.kind !== "penalty") && !view.final) {
      if (view.before && view.before.ended.length) parts.push(beforeCard(view.before));
      parts.push(this.log(view));
    }
    this.root.replaceChildren(...parts.filter(Boolean));
  }

  head(view) {
    const choices = Object.entries(languages).map(([code, name]) =>
      html("option", { value: code, selected: code === this.language }, name),
    );
    const native = view.ruleset.native;
    const title = native && native !== view.ruleset.title
      ? `${native} · ${view.ruleset.title}`
      : view.ruleset.title;
    return html("div", { class: "head" },
      html("h1", {}, view.table || t("Table"),
        html("small", {}, html("a", { href: "/rules" }, title))),
      html("select",
        { "aria-label": t("Language"), onchange: (change) => this.onLanguage(change.target.value) },
        ...choices),
      html("button",
        { type: "button", title: t("Turn the texts"), "aria-label": t("Turn the texts"),
          onclick: () => this.onTurn() }, "⟲"),
      html("a", { href: "/staff" }, t("Staff")),
    );
  }

  doubtCard(view, doubt) {
    const where = doubt.seat !== null && doubt.place !== null
      ? t("{seat}, discard {n}", { seat: seatWord(view, doubt.seat), n: doubt.place })
      : doubt.seat !== null ? seatWord(view, doubt.seat) : "";
    const choices = doubt.candidates.map((label) =>
      this.isStaff
        ? html("button",
            { type: "button", onclick: () => this.onAnswer(doubt.number, label) }, picture(label))
        : picture(label),
    );
    return html("section", { class: "card doubt" },
      html("h2", {},
        where && choices.length ? `${where}: ${t("which tile?")}` : t("Please look")),
      choices.length
        ? html("div", { class: "choices" }, ...choices)
        : html("p", {}, doubt.question),
      html("p", { class: "muted" },
        this.isStaff ? t("Touch the tile that lies there.") : t("The staff is asked.")),
    );
  }

  log(view) {
    // Seats are told by their winds, which change with the deal: what came before it is left out.
    const begun = this.recent.find(({ event }) => event && event.kind === "deal_began");
    const lines = this.recent
      .filter((each) => !begun || each.number >= begun.number)
      .map(({ event, number: at }) => [at, eventLine(view, event)])
      .filter(([, line]) => line !== null)
      .slice(0, 14)
      .map(([at, line]) => html("li", { "data-number": at }, ...line));
    return html("ol", { class: "log" }, ...lines);
  }
}

function machineLine(view) {
  const machine = view.machine;
  return html("div", { class: "card machine-line" },
    html("b", {}, whatGoesOn(view)),
    view.deal ? html("span", { class: "muted" }, roundText(view.deal)) : null,
    view.deal && view.deal.dice.length ? diceRow(view.deal.dice) : null,
    view.deal && view.deal.break ? breakLine(view) : null,
    doraRow(view.deal),
    machine.progress === null ? null : progressRow(machine),
  );
}

// Where the dice break the wall, until somebody has discarded.
function breakLine(view) {
  const { seat, stacks } = view.deal.break;
  return html("span", { class: "muted" }, stacks === null
    ? t("Break: {seat} throws for the place.", { seat: seatWord(view, seat) })
    : t("Break: wall of {seat}, {n} from the right.", { seat: seatWord(view, seat), n: stacks }));
}

// The machine counts walls on the table as play: the players see that their deal is over.
function whatGoesOn(view) {
  if (view.paused !== null) return t("Paused");
  const isOver = view.deal !== null && view.deal.awaiting === "over";
  return isOver && view.machine.phase === "playing"
    ? t("The deal is over.")
    : phaseWord(view.machine.phase);
}

// While one set is played with, the other is being built.
function progressRow(machine) {
  const isBeside = machine.phase === "playing";
  return html("div", { class: "progress" },
    isBeside
      ? html("span", { class: "muted" }, phaseWord(machine.halted ? "halted" : "building"))
      : null,
    html("progress", { max: 1, value: machine.progress }),
    machine.seconds_left === null
      ? null
      : html("span", { class: "muted" }, t("{n} s left", { n: Math.ceil(machine.seconds_left) })),
  );
}

// The tiles that score, not the indicators: nobody has to count on.
function doraRow(deal) {
  if (!deal || !deal.dora.length) return null;
  return html("span", { class: "dora" },
    html("span", { class: "muted" }, t("Dora")),
    ...[...deal.dora, ...deal.under_dora].map((label) => picture(label)));
}

const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

function diceRow(dice) {
  return html("span", { class: "dice", "aria-label": dice.join(" ") },
    ...dice.map((value) =>
      svg("svg", { viewBox: "-10 -10 20 20" },
        svg("rect", { class: "die", x: -9, y: -9, width: 18, height: 18, rx: 4 }),
        ...(PIPS[value] || []).map(([x, y]) =>
          svg("circle", {
            class: value === 1 ? "die-pip one" : "die-pip",
            cx: x * 4.6, cy: y * 4.6, r: value === 1 ? 3.2 : 2,
          })),
      )),
  );
}

function callCard(view, seat) {
  return html("section", { class: "card call", role: "alert" },
    html("h2", {}, t("{seat} calls the staff", { seat: seatWord(view, seat) })));
}

function faultCard(fault) {
  return html("section", { class: "card fault", role: "alert" },
    html("h2", {}, `${fault.code} · ${t(fault.text)}`),
    html("p", {}, t(fault.hint)),
  );
}

// A key that did nothing: which, why, and what to do next.
export function refusedCard(refused) {
  if (!refused) return [];
  return [html("section", { class: "card call", role: "alert" },
    html("h2", {}, `${keyWord(refused.code)} ${"ABCD"[refused.side]} · ${t(refused.text)}`),
    html("p", {}, t(refused.hint)))];
}

// Why a build waits; nothing, where a fault or the phase says so already.
export function haltedCard({ halted, faults, phase }) {
  const isTold = halted && faults.some((fault) => fault.text === halted.text);
  if (!halted || isTold || !["halted", "playing"].includes(phase)) return [];
  return [html("section", { class: "card call" },
    html("h2", {}, t(halted.text)),
    html("p", {}, t(halted.hint)))];
}

function linkCard(link) {
  return html("section", { class: "card fault" },
    html("h2", {}, t("The motor board does not answer.")),
    html("p", {}, link === "connecting"
      ? t("The table tries again by itself. Nothing moves until then.")
      : t("Check the USB cable and the power of the motor board.")),
  );
}

function cameraCard(camera) {
  const texts = {
    dark: t("The picture is dark: switch the light on."),
    covered: t("Something covers the picture: clear the view of the table."),
    moved: t("The camera has moved: calibrate the table again."),
  };
  if (camera === "moved") {
    return html("section", { class: "card fault" },
      html("h2", {}, t("The camera has moved since it was calibrated.")),
      html("p", {}, t("Push it back or calibrate it: no deal begins until then.")),
    );
  }
  return html("section", { class: "card fault" },
    html("h2", {}, t("The camera does not see the table.")),
    html("p", {}, texts[camera] || t("Check the camera's cable.")),
  );
}

// Which tiles go to whom before play, who is done, and what the keys say.
function passingCard(view, passing) {
  const isVote = passing.most === 0;
  const isOpen = passing.least < passing.most;
  const says = [];
  if (isVote) {
    says.push(t("Going on needs everybody; any player may stop it."));
  } else if (passing.by_agreement) {
    says.push(t("Opposite players exchange up to {n} tiles: the smaller wish counts.",
      { n: passing.most }));
  } else {
    says.push(t("Lay {n} tiles face down, then look at what comes.", { n: passing.most }));
    if (isOpen) {
      says.push(t("Up to {n} of them may be tiles that came, passed on unseen.",
        { n: passing.most - passing.least }));
    }
  }
  if (!isVote && !passing.jokers) says.push(t("Jokers are not passed."));
  const keys = [[keyWord("call"), isVote ? t("go on") : t("my tiles lie there")]];
  if (isOpen) keys.push([keyWord("ready"), t("another number of own tiles")]);
  if (passing.may_stop) keys.push([keyWord("draw_end"), t("stop the passing")]);
  return html("section", { class: "card passing" },
    html("h2", {}, worded(passing.step), " ",
      html("small", {}, t("{n} of {of}", { n: passing.place, of: passing.of }))),
    ...says.map((text) => html("p", {}, text)),
    html("table", {}, ...passing.seats.map((each, seat) =>
      html("tr", { class: each.done ? "done" : "" },
        html("td", {}, html("b", {}, seatWord(view, seat))),
        html("td", {}, each.to.length
          ? `→ ${each.to.map((to) => seatWord(view, to)).join(", ")}`
          : ""),
        html("td", { class: "value" }, isVote ? "" : number(each.number)),
        html("td", {}, each.done
          ? "✓"
          : each.seen === null ? "" : html("b", { class: "wrong" },
              t("{n} lie there", { n: number(each.seen) }))),
      ))),
    html("p", { class: "muted" }, keys.map(([key, what]) => `${key}: ${what}`).join(" · ")),
  );
}

// --- verdicts --------------------------------------------------------------------------------

function verdictCard(view, verdict) {
  if (verdict.kind === "draw") return drawCard(view, verdict);
  if (verdict.kind === "penalty") return penaltyCard(view, verdict);
  return verdict.answer.valid ? winCard(view, verdict) : refusalCard(view, verdict);
}

// The penalty of a refused win is told with the refusal.
function isToldByRefusal(verdict, verdicts) {
  return verdict.kind === "penalty" && verdicts.some(
    (each) => each.kind === "win" && !each.answer.valid && each.seat === verdict.seat
      && each.breaches.some((breach) => breach.code === verdict.code));
}

function winCard(view, verdict) {
  const winner = seatWord(view, verdict.seat);
  const how = verdict.from === null
    ? t("self-draw")
    : t("on {seat}'s tile", { seat: seatWord(view, verdict.from) });
  // Fu are many and small: they share a line below what made the hand.
  const items = verdict.answer.items.filter((item) => item.unit !== "fu");
  const fu = verdict.answer.items.filter((item) => item.unit === "fu");
  const crowd = items.length > 12 ? "items crowd" : items.length > 7 ? "items many" : "items";
  return html("section", { class: "card verdict win" },
    html("h2", {}, `${t("{seat} wins", { seat: winner })} `, html("span", { class: "how" }, how)),
    handRow(verdict.hand, verdict.seat, view.ruleset.players),
    html("div", { class: "items-box" },
      html("table", { class: crowd }, ...items.flatMap(itemRows)),
      fu.length
        ? html("p", { class: "fu" }, `${worded("fu")}: `,
            fu.map((item) => `${item.name} ${number(item.value)}`).join(" · "))
        : null),
    totals(verdict.answer, verdict.seat),
  );
}

// A touch on an item tells its rule.
function itemRows(item) {
  const why = html("tr", { class: "why", hidden: true },
    html("td", { colspan: 3 }, item.why));
  const row = html("tr", { title: item.why, onclick: () => { why.hidden = !why.hidden; } },
    html("td", {}, item.name),
    html("td", { class: "native" }, isSame(item.native, item.name) ? "" : item.native),
    html("td", { class: "value" }, `${number(item.value)} ${unit(item.unit)}`));
  return [row, why];
}

function isSame(first, second) {
  return first.toLocaleLowerCase() === second.toLocaleLowerCase();
}

function unit(code) {
  return worded(code).toLocaleLowerCase();
}

function totals(answer, seat) {
  const counted = Object.entries(answer.totals).map(([code, value]) =>
    html("span", {}, number(value), " ", html("small", {}, unit(code))));
  return html("div", { class: "totals" }, ...counted,
    html("span", {}, signed(answer.deltas[seat])));
}

function refusalCard(view, verdict) {
  const winner = seatWord(view, verdict.seat);
  const breaches = verdict.breaches.map((breach) =>
    html("div", {},
      html("p", {}, html("b", {}, worded(breach.code)), ` – ${breach.text}`),
      evidenceList(view, breach.evidence),
    ));
  return html("section", { class: "card verdict refused" },
    html("h2", {}, t("{seat}'s win does not stand", { seat: winner })),
    handRow(verdict.hand, verdict.seat, view.ruleset.players),
    ...breaches,
    view.deal.seats[verdict.seat].dead_hand
      ? html("p", {}, html("b", {}, t("The hand is dead; play goes on.")))
      : null,
  );
}

// Where a proof lies: which discard, and row and place in the pond.
function placeText(view, proof) {
  const seat = seatWord(view, proof.seat);
  if (proof.called_by !== null) {
    return t("{seat}'s discard {n}, taken by {other}", {
      seat, n: proof.place, other: seatWord(view, proof.called_by),
    });
  }
  return t("{seat}'s discard {n}: row {row}, place {column}", {
    seat, n: proof.place, row: proof.row, column: proof.column,
  });
}

// A claimed win waits for hands: the payers' too where what they hold decides what they pay.
function wantedCard(view) {
  const isWinner = view.deal.claims.some((claim) => claim.seat === view.deal.wanted[0]);
  const who = view.deal.wanted.map((seat) => seatWord(view, seat)).join(", ");
  return html("section", { class: "card wanted" },
    html("h2", {}, t("Please show the hand: {seats}", { seats: who })),
    isWinner
      ? null
      : html("p", {}, t("Who keeps it closed presses the draw key.")));
}

function evidenceList(view, evidence) {
  const marks = evidenceMarks(view.deal);
  return html("ul", { class: "evidence-list" }, ...evidence.map((proof) =>
    html("li", {},
      html("span", { class: "mark" }, String(marks[proof.seat][proof.place])),
      picture(proof.tile),
      html("span", {}, placeText(view, proof)),
    )));
}

function penaltyCard(view, verdict) {
  return html("section", { class: "card verdict penalty" },
    html("h2", {}, `${seatWord(view, verdict.seat)}: ${worded(verdict.code)}`),
    verdict.text ? html("p", {}, verdict.text) : null,
    verdict.evidence.length ? evidenceList(view, verdict.evidence) : null,
    verdict.payments.length && !view.deal.settlement
      ? html("ul", { class: "payments" }, ...verdict.payments.map((each) =>
          html("li", {},
            html("span", {}, `${seatWord(view, each.from)} → ${seatWord(view, each.to)}`),
            html("b", {}, number(each.points)))))
      : null,
    verdict.dead_hand
      ? html("p", {}, t("The hand is dead; play goes on."))
      : null,
  );
}

function drawCard(view, verdict) {
  const waiting = verdict.hands.map((hand) =>
    html("div", {},
      html("p", {}, html("b", {}, seatWord(view, hand.seat)), ` – ${t("ready hand")}`),
      handRow(hand, hand.seat, view.ruleset.players),
    ));
  const breaches = verdict.breaches.map((breach) =>
    html("p", {}, html("b", {}, `${seatWord(view, breach.seat)}: ${worded(breach.code)}`),
      ` – ${breach.text}`));
  return html("section", { class: "card verdict draw" },
    html("h2", {}, `${t("Draw")} – ${worded(verdict.reason)}`),
    ...waiting,
    // Where ready hands are paid for at a draw it is worth saying that there were none.
    waiting.length === 0 && view.ruleset.deposit
      ? html("p", { class: "muted" }, t("Nobody's hand was ready."))
      : null,
    ...breaches,
  );
}

function paymentsCard(view, transfers) {
  return html("section", { class: "card" },
    html("ul", { class: "payments" }, ...transfers.map((each) =>
      html("li", {},
        html("span", {},
          `${seatWord(view, each.from)} → ${seatWord(view, each.to)} `,
          html("small", {}, each.reasons.map((r) => worded(r.reason)).join(" + ")),
        ),
        html("b", {}, number(each.points)),
      ))),
  );
}

function ranking(view) {
  const order = view.final.placements.map((place, seat) => ({ place, seat }));
  order.sort((a, b) => a.place - b.place);
  return html("section", { class: "card" },
    html("h2", {}, t("The game is over")),
    html("table", { class: "ranking" }, ...order.map(({ place, seat }) =>
      html("tr", {},
        html("td", {}, `${place}.`),
        html("td", {}, view.names[seat] || t("Seat {n}", { n: "ABCD"[seat] })),
        html("td", { class: "value" }, number(view.final.points[seat])),
        html("td", { class: "value" },
          view.final.scores.length ? signed(view.final.scores[seat]) : ""),
      ))),
  );
}

// How the deal before ended, in a line.
function beforeCard(before) {
  const lines = before.ended.map((each) => {
    if (each.kind === "draw") return `${t("Draw")} – ${worded(each.reason)}`;
    const seat = wind(each.wind);
    if (!each.valid) {
      return `${t("{seat}'s win does not stand", { seat })}: ${each.codes.map(worded).join(", ")}`;
    }
    const how = each.from === null
      ? t("self-draw")
      : t("on {seat}'s tile", { seat: wind(each.from) });
    return `${t("{seat} wins", { seat })} (${how}) ${signed(each.points)}`;
  });
  return html("section", { class: "card before" },
    html("span", { class: "muted" }, `${roundText(before)}: `), lines.join(" · "));
}

// A shown hand in one drawing: concealed tiles, the winning tile apart, melds.
function handRow(hand, seat, players) {
  const width = 38;
  const pitch = 39;
  const group = svg("g", {});
  let x = 1;
  const put = (label, options) => {
    const drawn = tile(label, width, options);
    drawn.setAttribute("transform", `translate(${x} 6)`);
    group.append(drawn);
    x += pitch;
  };
  hand.tiles.forEach((label) => put(label));
  if (hand.winning_tile) {
    x += 14;
    put(hand.winning_tile, { marks: "winning" });
  }
  for (const meld of hand.melds) {
    x += 14;
    const drawn = meldTiles(meld, seat, players);
    drawn.group.setAttribute("transform", `translate(${x} 6)`);
    group.append(drawn.group);
    x += drawn.width;
  }
  for (const [index, label] of hand.bonus.entries()) {
    if (index === 0) x += 14;
    put(label, { marks: "bonus-tile" });
  }
  const height = width * RATIO + 12;
  return html("div", { class: "hand" },
    svg("svg", { viewBox: `0 0 ${Math.max(x, 560)} ${height}`, width: "100%" }, group));
}

// --- what happened last ----------------------------------------------------------------------

export function eventLine(view, event) {
  const seat = event.seat === undefined || event.seat === null ? "" : seatWord(view, event.seat);
  const who = html("b", {}, seat);
  switch (event.kind) {
    case "game_began":
      return [t("A new game begins.")];
    case "deal_began":
      return [t("{deal} begins.", { deal: roundText(event) })];
    case "dice_rolled":
      return [diceRow(event.dice)];
    case "indicator_shown":
      return [t("Indicator"), picture(event.tile)];
    case "discarded":
      return [who, picture(event.tile)];
    case "bonus_set_aside":
      return [who, t("sets aside"), picture(event.tile)];
    case "meld_called":
    case "meld_changed":
    case "kong_declared":
      return [who, worded(event.meld.kind), ...meldPictures(event.meld.tiles)];
    case "tiles_passed":
      if (event.to === event.seat) return [who, worded(event.step)];
      return [who, `→ ${seatWord(view, event.to)}`,
        html("span", {}, `${number(event.tiles.length)} ${t("tiles")}`),
        html("small", {}, worded(event.step))];
    case "joker_exchanged":
      return [who, t("exchanges a joker"), picture(event.tile), "→", picture("jk"),
        html("small", {}, seatWord(view, event.owner))];
    case "draw_returned":
      return [who, t("puts the drawn tile back")];
    case "meld_returned":
      return [who, t("takes the meld back")];
    case "challenged":
      return [who, t("challenges {seat}", { seat: seatWord(view, event.challenged) })];
    case "announced":
      return [who, worded(event.what)];
    case "ready_withdrawn":
      return [who, t("is not ready any more")];
    case "ready_declared":
      return [who, t("declares ready")];
    case "win_claimed":
      return [who, t("claims a win")];
    case "hand_shown":
      return [who, html("span", { class: "hand-line" }, ...event.tiles.map((label) => picture(label)),
        ...(event.winning_tile ? ["+", picture(event.winning_tile)] : []))];
    case "draw_declared":
      return [t("Draw"), worded(event.reason)];
    case "win_judged":
      return [who, event.answer.valid ? t("wins") : t("does not win")];
    case "paid":
      return [event.payments.map((each) =>
        `${seatWord(view, each.from)} → ${seatWord(view, each.to)} ${number(each.points)}`).join(", ")];
    case "penalised":
      return event.dead_hand && event.code !== "dead_hand"
        ? [who, worded(event.code), "–", t("Dead hand")]
        : [who, worded(event.code)];
    case "deal_ended":
      return [t("The deal is over.")];
    case "game_ended":
      return [t("The game is over")];
    case "advised":
      return [who, worded(event.code), ...event.tiles.map((label) => picture(label))];
    case "voided":
      return [t("Taken back: no. {n}", { n: event.index })];
    case "corrected":
      return [t("Corrected: no. {n}", { n: event.index })];
    default:
      return null;
  }
}

function meldPictures(text) {
  const found = [];
  for (const [, joker, digits, suit] of text.matchAll(/(jk)|([0-9]+)([mpszfgac])/g)) {
    if (joker) found.push(picture("jk"));
    else for (const digit of digits) found.push(picture(digit + suit));
  }
  return found;
}
