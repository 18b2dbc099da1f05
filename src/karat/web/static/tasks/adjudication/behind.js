// Before everybody is done: who has not finished what, and what the adjudicator can do.

import { Refusal } from "../../store/api.js";
import { announce, h, keyButton } from "../../ui/dom.js";

/** @typedef {import("./page.js").default} AdjudicationPage */

/** "nuggets, nugs and citations" @param {string[]} words */
const listed = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words.join(""));

/** @param {AdjudicationPage} page */
export function behindNotice(page) {
  if (!page.behind.length || page.done) return null;
  const two = page.assessors.length > 1;
  const mayBegin = page.data.editable !== false && two;
  return h("section", { class: "notice", id: "behind", "aria-label": "Who is not done" }, h("p", {}, h("strong", {}, "Not everybody is done with this query.")),
    h("ul", {}, page.behind.map(({ name, steps }) => h("li", {}, h("bdi", {}, name), ` has not finished ${listed(steps)}.`))),
    h("p", {}, !two ? "There is nothing to compare before two people have worked on it. Come back when they are done."
      : page.begun ? "What they change from now on is shown here as a new agreement or difference. Nothing is taken over before you say so or they are done."
        : "Below is what they have done so far. Better wait: what somebody has not come to yet looks like a difference."),
    mayBegin ? h("p", {}, keyButton(page.begun ? "Take over new agreements" : "Start adjudication", "", () => void beginNow(page), { id: "begin-now" }),
      " takes over what they agree on so far, also in the place of earlier agreements. What you decided or changed yourself stays, and what they differ on is left for you.") : null);
}

/** Agreements are taken over although somebody is not done. @param {AdjudicationPage} page */
async function beginNow(page) {
  try {
    await page.store.api.startAdjudication();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return announce(error.message, "bad");
  }
  location.reload();
}
