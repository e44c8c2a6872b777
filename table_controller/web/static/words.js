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

export function number(value) {
  return new Intl.NumberFormat(locale).format(value).replace("-", "−");
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

// Every fixed text of the codes above, so that a catalogue can be checked for completeness.
export const CODES = [
  "East", "South", "West", "North",
  "Idle", "Homing", "Collecting", "Shuffling", "Building", "Raising", "Dealing", "Playing",
  "Verdict", "Paused", "Service", "Fault", "Starting",
  "Not a win", "Below minimum", "No yaku", "Furiten", "Temporary furiten", "Riichi furiten",
  "Sacred discard", "Noten riichi", "Wrong tile count", "Wrong call", "Kuikae", "Out of turn",
  "Fifth tile", "Dead hand", "Joker misuse", "Head bump", "Outranked", "False win",
  "Exhaustive", "Nine terminals", "Four winds", "Four riichi", "Four kongs", "Triple ron",
  "Discard", "Self draw", "Base", "Fan", "Deposits", "Counters", "Ready", "Noten", "Kong",
  "Penalty", "Chombo", "Warning", "Late", "Exposed tile",
  "Han", "Fu", "Points", "Tai", "Doubles", "Hand points", "Bonus points",
];
