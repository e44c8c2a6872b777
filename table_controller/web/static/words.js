// Texts in the viewer's language. The English text is the key; {names} are filled in.

let messages = {};
let locale = "en";
export let languages = {};

export async function loadWords(language) {
  const answer = await fetch(`/api/v1/messages/${encodeURIComponent(language || "default")}`);
  const data = answer.ok ? await answer.json() : { language: "en", messages: {}, languages: {} };
  messages = data.messages;
  languages = data.languages;
  locale = data.language.replace("_", "-");
  document.documentElement.lang = locale;
  return data.language;
}

export function t(text, values = {}) {
  const found = messages[text] || text;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

export function number(value, digits = {}) {
  return new Intl.NumberFormat(locale, digits).format(value).replace("-", "−");
}

export function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

// Words of rules and faults that come as codes: sacred_discard -> "Sacred discard" -> translated.
export function worded(code) {
  const plain = code.replaceAll("_", " ");
  return t(plain.charAt(0).toUpperCase() + plain.slice(1));
}

const WINDS = { E: "East", S: "South", W: "West", N: "North" };

export function wind(letter) {
  return t(WINDS[letter]);
}

const PHASES = {
  offline: "Not connected",
  connecting: "Connecting",
  locked: "Waits for a person to confirm",
  homing: "Finding its positions",
  idle: "Idle",
  idle_empty: "No wall is built",
  feeding: "Put the tiles in",
  building: "Building the wall",
  halted: "The build waits",
  adding: "Add the forgotten tiles",
  ready: "The wall is ready",
  raising: "Raising the wall",
  playing: "In play",
  service: "Service",
  fault: "Fault",
  estop: "Emergency stop",
};

export function phaseWord(phase) {
  return phase in PHASES ? t(PHASES[phase]) : worded(phase);
}

const KEYS = {
  win: "Win", ready: "Ready", call: "Call", draw_end: "End in a draw", lift: "Lift",
  staff: "Call the staff",
};

export function keyWord(key) {
  return key in KEYS ? t(KEYS[key]) : worded(key);
}

// Every text that is looked up by a code, so that a catalogue can be checked for completeness.
export const CODES = [
  ...Object.values(WINDS), ...Object.values(PHASES), ...Object.values(KEYS),
  "Not a win", "Below minimum", "No yaku", "Furiten", "Temporary furiten", "Riichi furiten",
  "Sacred discard", "Noten riichi", "Wrong tile count", "Wrong call", "Kuikae", "Out of turn",
  "Fifth tile", "Dead hand", "Joker misuse", "Head bump", "Outranked", "False win",
  "Invalid riichi kan", "Warning", "Late", "Exposed tile", "Chombo",
  "Exhaustive", "Kyuushu kyuuhai", "Suufon renda", "Suucha riichi", "Suukaikan", "Sanchahou",
  "Nagashi mangan",
  "Chow", "Pung", "Kong", "Concealed kong", "Added kong",
  "First right", "First across", "First left", "Vote", "Stop", "Second left", "Second across",
  "Last right", "Courtesy", "Goulash", "Quint", "Sextet",
  "Wrong challenge", "Jokerless", "Misnamed", "Three dead hands",
  "Flower kept", "Counted early", "Win possible", "Call possible",
  "Late claim", "False ready", "Ready hand changed", "Riichi kong", "North safe", "Wrong robbing",
  "Wrong riichi", "Atozuke", "Wrong kong", "Bonus tile kept", "Limit hand",
  "Hand points, the discarder pays double", "Limit hand, the discarder pays double", "Waiting",
  "Flies", "Losers compared", "The hand", "Self-drawn, twice the hand",
  "Discarder, twice the hand", "Promoted kong",
  "Discard", "Self-draw", "Base", "Counters", "Honba", "Noten", "Not waiting", "Penalty",
  "Riichi sticks", "Riichi stick returned", "Stick returned", "Sticks", "Liability", "Limit",
  "Empty call", "Peeking", "Play impossible", "Undeclared waiting", "Mahjong in error",
  "Bunot: all pay double", "Discarder, the other half", "False mahjong",
  "False claim", "Jai alai", "Misnamed discard: four times", "No flowers at the deal",
  "Open kong, paid for both", "Pao, half of everything", "Pao, pays for both",
  "Self-pick: all pay double", "The discarder pays double", "The others pay single",
  "Thirteen flowers", "Wall game",
  "Han", "Fu", "Fan", "Points", "Tai", "Doubles", "Hand points", "Bonus points", "Percent",
];
