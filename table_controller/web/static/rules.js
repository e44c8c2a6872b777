// The rules in play: every option with its value; what differs from the preset is marked.

import { html } from "./tiles.js";
import { loadWords, t } from "./words.js";

const asked = new URLSearchParams(location.search);
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

await loadWords(asked.get("lang") || stored("language"));
const state = await (await fetch("/api/v1/state")).json();
const { name, preset, changed } = state.ruleset;
const rules = await (await fetch(`/api/v1/rulesets/${name}`)).json();

function worth(value) {
  if (value === true) return t("yes");
  if (value === false) return t("no");
  if (Array.isArray(value)) return value.length ? value.join(", ").replaceAll("_", " ") : "–";
  return value === null || value === "" ? "–" : String(value).replaceAll("_", " ");
}

function row(option) {
  const usual = preset === null ? option.default : option.presets[preset];
  const isChanged = option.name in changed;
  const value = isChanged
    ? changed[option.name] === "true" || changed[option.name] === "false"
      ? changed[option.name] === "true"
      : changed[option.name]
    : usual;
  return html("tr", { class: isChanged ? "changed" : "" },
    html("td", {}, option.doc || option.name.replaceAll("_", " ")),
    html("td", { class: "value" }, worth(value),
      isChanged ? html("small", {}, t("instead of {usual}", { usual: worth(usual) })) : null,
      option.meanings ? meanings(option.meanings, String(value)) : null));
}

// What houses mean by the words: the one that is played first.
function meanings(all, chosen) {
  const others = Object.entries(all).filter(([value]) => value !== chosen);
  return html("div", { class: "meanings" },
    html("p", {}, all[chosen]),
    html("dl", {}, ...others.flatMap(([value, sentence]) =>
      [html("dt", {}, worth(value)), html("dd", {}, sentence)])));
}

document.title = rules.title;
document.querySelector("main").replaceChildren(
  html("a", { href: "/" }, t("Table")),
  html("h1", {}, `${rules.native} · ${rules.title}`),
  html("p", {}, `${preset === null ? "" : `${t("Preset")}: ${preset}. `}${rules.source}`),
  html("table", {}, ...rules.options.map(row)),
);
