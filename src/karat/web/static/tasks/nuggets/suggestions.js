// How a suggestion is answered: the keys in sight, and a question where the answer would be odd.

import { ask } from "../../ui/dialogs.js";
import { counted, h } from "../../ui/dom.js";

/** @typedef {import("./page.js").default} NuggetsPage */

/** The sentence about the suggestions of the passage; null: it has none that waits. @param {NuggetsPage} page @param {import("./page.js").Item[]} items */
export function suggestionKeys(page, items) {
  const waiting = items.filter((item) => item.suggestion !== null).length;
  if (!waiting || !page.editable) return null;
  const chosen = typeof page.item?.suggestion === "number";
  return h("p", { class: "small suggestion-keys", id: "suggestion-keys" }, `${counted(waiting, "suggestion")}: `,
    chosen ? null : [h("kbd", {}, "]"), waiting === 1 ? " goes to it, then " : " goes to the next, then "],
    h("kbd", {}, "y"), " accepts, ", h("kbd", {}, "r"), " rejects; change it to correct it.");
}

/** A nugget in a passage that the person called irrelevant or redundant is probably a slip. @param {NuggetsPage} page @param {number} number @returns {Promise<boolean>} */
export async function mayAccept(page, number) {
  const label = page.store.get("relevance", String(number))?.label;
  if (!label || label === "relevant") return true;
  const answer = await ask({
    title: `This passage is marked ${label}`,
    body: h("p", {}, `Nuggets are marked in relevant text. Reject the suggestion (r), or change the passage to relevant in the step Relevance.`),
    options: [{ label: "Accept it all the same", value: true }],
  });
  return answer !== null && page.flow.active === number;
}
