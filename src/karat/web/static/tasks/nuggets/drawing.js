// A passage with its nuggets, its suggestions, and live what no nugget covers.

import { difference, meaningful, meaningfulLength, union } from "../../text/spans.js";
import { counted, fill, h } from "../../ui/dom.js";

/** @typedef {import("../../text/offsets.js").Span} Span */

/** Nuggets beside each other have different colours. */
export const COLOURS = 6;

/** @param {import("./page.js").default} page @param {number} number */
export function drawPassage(page, number) {
  const { card, head, text, foot } = page.flow.entry(number);
  const items = page.items(number);
  const nuggets = items.filter((item) => item.suggestion === null);
  const suggestions = items.filter((item) => item.suggestion !== null);
  const relevant = page.relevantText(number);
  const offsets = page.offsetsOf(number);
  const covered = nuggets.reduce((/** @type {Span[]} */ sum, item) => union(sum, item.record.spans), []);
  const uncovered = meaningful(difference(relevant, covered), offsets);
  const isActive = number === page.flow.active;
  for (let colour = 1; colour <= COLOURS; colour += 1) {
    const spans = nuggets.filter((_, index) => index % COLOURS === colour - 1).flatMap((item) => item.record.spans);
    text.mark(/** @type {import("../../text/highlights.js").MarkName} */ (`mark-${colour}`), spans);
  }
  text.mark("suggestion", suggestions.filter((item) => !(isActive && item.id === page.activeItem)).flatMap((item) => item.record.spans));
  text.mark("active", (isActive && page.item?.record.spans) || []);
  text.mark("context", difference(page.scopeOf(number), relevant));
  text.mark("out-of-scope", difference([[0, offsets.points]], page.scopeOf(number)));
  text.mark("uncovered", nuggets.length || isActive ? uncovered : []);
  const label = page.store.get("relevance", String(number))?.label;
  const reviewed = page.store.get("reviewed", `nuggets:${number}`);
  const left = meaningfulLength(uncovered, offsets);
  card.toggleAttribute("data-quiet", !relevant.length);
  fill(head, page.flow.where(number),
    label && label !== "relevant" ? h("span", { class: "tag" }, label) : null,
    suggestions.length ? h("span", { class: "tag warn" }, counted(suggestions.length, "suggestion")) : null,
    nuggets.length ? h("span", { class: "tag good" }, counted(nuggets.length, "nugget")) : reviewed ? h("span", { class: "tag good" }, "nothing here") : null);
  fill(foot, relevant.length && (nuggets.length || isActive)
    ? `${left} of ${meaningfulLength(relevant, offsets)} letters and digits are in no nugget${left ? " (dotted): leave none out that says something" : ""}` : null);
}
