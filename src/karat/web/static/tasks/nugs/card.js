// One nug: its meaning, its weight, and its members with their degrees.

import { h, keyButton } from "../../ui/dom.js";
import { MEANINGS } from "../../ui/wording.js";
import { degreeOf } from "./membership.js";

/** @typedef {import("./page.js").default} NugsPage */
/** @typedef {import("./membership.js").Member} Member */

/** @param {NugsPage} page @param {string} key @param {any} record @param {{number: number, same: number[]}} among  its place, and the places of those with the same text */
export function nugCard(page, key, record, { number, same }) {
  const meaning = h("textarea", { id: `meaning-${key}`, rows: 2, dir: "auto", maxlength: 4000, "aria-label": "Meaning of the nug" });
  meaning.defaultValue = record.description;
  meaning.addEventListener("change", () => page.rework("meaning of a nug", (all) => {
    if (meaning.value.trim()) all.get(key).description = meaning.value.trim();
  }));
  const weight = h("input", { type: "number", id: `weight-${key}`, min: 0, max: 1, step: 0.1, value: record.relevance ?? "", placeholder: "1", title: MEANINGS.relevance });
  weight.addEventListener("change", () => page.rework("relevance of a nug", (all) => {
    all.get(key).relevance = weight.value === "" ? undefined : Math.max(0, Math.min(1, Number(weight.value)));
  }));
  const chosen = page.pickedNugs.has(key);
  return h("article", { class: "nug", "data-nug": key, "data-active": chosen, "aria-label": `Nug: ${record.description}`,
    ondragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
    ondrop: (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const nugget = event.dataTransfer?.getData("text/plain") ?? "";
      if (page.store.get("nugget", nugget)) page.addTo(key, [nugget]);
    } },
  h("div", { class: "nug-head" }, h("button", { type: "button", class: "small", id: `nug-${key}`, "data-stop": true, "aria-pressed": String(chosen), "aria-label": `Choose the nug ${record.description}`, onclick: () => page.pickNug(key) }, chosen ? "Chosen" : "Choose"), h("span", { class: "soft small nug-number" }, `Nug ${number}`),
    h("label", { for: `weight-${key}`, title: MEANINGS.relevance }, "Relevance"), weight),
  meaning,
  same.length ? h("p", { class: "notice small same-text" }, `Same text as nug ${same.join(", ")}. If they say the same, choose them and press m: merge.`) : null,
  h("ul", { class: "members", "aria-label": "Members" }, record.members.map((/** @type {Member} */ member) => memberRow(page, key, record, member))),
  record.members.length ? null : h("p", { class: "notice small" }, "No member."));
}

/** @param {NugsPage} page @param {string} key @param {any} record @param {Member} member */
function memberRow(page, key, record, member) {
  const alone = record.members.length === 1;
  const text = page.textOf(member.nugget);
  const degree = h("input", { type: "number", id: `degree-${key}-${member.nugget}`, min: 0.05, max: 1, step: 0.05, value: degreeOf(member), disabled: alone, "aria-label": `Degree of: ${text}`, title: alone ? "A lone member has degree 1" : MEANINGS.degree });
  degree.addEventListener("change", () => page.setDegree(key, member.nugget, Number(degree.value)));
  const best = record.best === member.nugget;
  return h("li", { "data-nugget": member.nugget },
    h("button", { type: "button", class: "quiet small star", id: `best-${key}-${member.nugget}`, "aria-pressed": String(best), "aria-label": `Most precise: ${text}`, title: "The most precise nugget is what the nug means", onclick: () => page.makeBest(key, member.nugget) }, best ? "★" : "☆"),
    h("button", { type: "button", class: "nugget-button", id: `member-${key}-${member.nugget}`, "data-stop": true, "aria-pressed": String(page.picked.get(member.nugget) === key), onclick: () => page.pick(member.nugget, key) }, h("span", { dir: "auto" }, text)),
    degree,
    keyButton("Text", "", () => {
      page.picked = new Map([[member.nugget, key]]);
      page.renuggetize();
    }, { class: "quiet small", "aria-label": `Show in its text: ${text}`, title: "Back to the text, to make it anew" }));
}
