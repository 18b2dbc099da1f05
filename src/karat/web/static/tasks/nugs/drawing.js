// The board: nuggets on the left, nugs on the right, and what can be done with the chosen ones.

import { counted, fill, h, keyButton } from "../../ui/dom.js";
import { meaningOf, shorten } from "../../ui/wording.js";
import { progressLine } from "../shared/page.js";
import { nugCard } from "./card.js";
import { copyOf, nugsOf } from "./membership.js";
import { nugsOfTheRest, sameText } from "./rest.js";

/** @typedef {import("./page.js").default} NugsPage */
/** @typedef {import("./membership.js").Member} Member */

/** @param {NugsPage} page */
export function drawBoard(page) {
  const nugs = copyOf(page.store.all("nug"));
  for (const key of [...page.pickedNugs]) if (!nugs.has(key)) page.pickedNugs.delete(key);
  const matches = (/** @type {string} */ text) => !page.words || text.toLocaleLowerCase().includes(page.words);
  const { nuggets } = page;
  const free = new Set(page.loose.map(({ key }) => key));
  const shown = nuggets.filter(({ key }) => (!page.free.checked || free.has(key)) && matches(`${page.textOf(key)} ${page.meaningOf(key)}`));
  fill(page.progress, progressLine(nuggets.length - free.size, nuggets.length, "nuggets in a nug"),
    free.size && nugs.size ? h("p", { class: "notice small", role: "note" }, `${counted(free.size, "nugget is", "nuggets are")} in no nug.`) : null);
  fill(page.pool, shown.length ? h("ul", { class: "nugget-list" }, shown.map(({ key }) => poolEntry(page, key, nugsOf(nugs, key).length)))
    : h("p", { class: "soft" }, nuggets.length ? "No nugget has these words." : "There are no nuggets yet: mark them in the step before."));
  const cards = [...nugs].filter(([, record]) => matches(record.description) || record.members.some((/** @type {Member} */ member) => matches(page.textOf(member.nugget))));
  const numbers = new Map([...nugs.keys()].map((key, index) => [key, index + 1]));
  const same = sameText(nugs);
  fill(page.board, cards.map(([key, record]) => nugCard(page, key, record, { number: numbers.get(key) ?? 0, same: same.get(key) ?? [] })),
    cards.length ? null : h("p", { class: "soft" }, "Choose nuggets on the left that say the same and press ", h("kbd", {}, "n"), "; ", h("kbd", {}, "r"), " makes a nug of every nugget that is left."));
  drawPairs(page);
  drawTools(page);
}

/** @param {NugsPage} page @param {string} key @param {number} count */
function poolEntry(page, key, count) {
  const record = page.store.get("nugget", key);
  return h("li", { "data-nugget": key }, h("button", {
    type: "button", class: "nugget-button", id: `pool-${key}`, "data-stop": true, "aria-pressed": String(page.picked.get(key) === ""), draggable: "true",
    onclick: () => page.pick(key, ""), ondragstart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/plain", key),
  },
  h("span", { dir: "auto" }, page.textOf(key)), record?.type ? h("span", { class: "tag", dir: "auto", title: meaningOf(record.type, page.data) }, record.type) : null,
  count ? h("span", { class: "tag good" }, counted(count, "nug")) : h("span", { class: "tag warn" }, "no nug")));
}

/** @param {NugsPage} page */
function drawPairs(page) {
  const { pairs } = page;
  const pair = pairs[0];
  fill(page.similar, pair ? h("div", { class: "suggested" }, h("h2", {}, `The same? (${counted(pairs.length, "pair")})`),
    pair.nuggets.map((/** @type {string} */ key) => h("p", { dir: "auto" }, shorten(page.textOf(key), 200))),
    h("div", { class: "row" }, keyButton("Put together", "s", () => page.acceptSimilar(), { class: "small", id: "similar-yes" }),
      keyButton("No", "d", () => page.dismissSimilar(), { class: "small", id: "similar-no" }))) : null);
}

/** @param {NugsPage} page */
function drawTools(page) {
  const inNugs = [...page.picked.values()].filter(Boolean).length;
  const chosen = [page.picked.size ? counted(page.picked.size, "nugget") : "", page.pickedNugs.size ? counted(page.pickedNugs.size, "nug") : ""].filter(Boolean).join(", ");
  fill(page.tools,
    keyButton("New nug", "n", () => page.create(), { class: "small", id: "tool-new", disabled: !page.picked.size }),
    keyButton("Add to the chosen nug", "a", () => page.addTo(page.nugInFocus), { class: "small", id: "tool-add", disabled: !page.picked.size || page.pickedNugs.size !== 1 }),
    keyButton("Merge nugs", "m", () => page.merge(), { class: "small", id: "tool-merge", disabled: page.pickedNugs.size < 2 }),
    keyButton("Split off", "x", () => page.splitOff(), { class: "small", id: "tool-split", disabled: !inNugs }),
    keyButton("A nug of each that is left", "r", () => nugsOfTheRest(page), { class: "small", id: "tool-rest", disabled: !page.loose.length, title: "For nuggets that nobody else says: one nug each" }),
    h("span", { class: "soft small" }, chosen || "nothing chosen"));
}
