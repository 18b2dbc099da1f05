// Where to go when a step is finished: the next step of the query, the next query, or the list of all.

import { listQueries, Refusal } from "../../store/api.js";
import { h } from "../../ui/dom.js";
import { STEP_NAMES } from "../../ui/wording.js";

/** @typedef {{number: number, query_id: string, text: string, steps: {step: string, done: boolean, waits?: boolean}[], adjudicated: boolean}} Listed */

/**
 * The next query in the person's list with something open, from the top again at the end; null: there is none.
 * @param {number} query  where the person is @param {boolean} adjudicating  then a query is open as long as it is not adjudicated
 * @returns {Promise<{address: string, name: string} | null>}
 */
export async function nextQuery(query, adjudicating) {
  /** @type {Listed[]} */
  const all = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const listed = await listQueries(page);
    pages = listed.pages;
    all.push(...listed.queries);
  }
  const here = all.findIndex((one) => one.number === query);
  for (const one of [...all.slice(here + 1), ...all.slice(0, Math.max(0, here))]) {
    const open = one.steps.find((entry) => !entry.done && !entry.waits);
    if (adjudicating ? one.adjudicated : !open) continue;
    return { address: `/queries/${one.number}/${adjudicating ? "adjudication" : open?.step}`, name: one.text || one.query_id };
  }
  return null;
}

/** The links of a finished step. @param {import("./page.js").TaskPage} page */
export function onward(page) {
  const left = (page.data.steps ?? []).filter((/** @type {any} */ entry) => !entry.done);
  const next = left.find((/** @type {any} */ entry) => !entry.waits);
  const all = h("a", { class: "button", id: "all-queries", href: "/" }, "All queries");
  if (next) return h("div", { class: "row onward" }, h("a", { class: "button primary", id: "next-step", href: `/queries/${page.query}/${next.step}${location.search}` }, `Go on to ${STEP_NAMES[next.step]?.toLowerCase() ?? next.step}`), all);
  const place = h("div", { class: "row onward" }, all);
  if (left.length) place.prepend(h("p", { id: "waiting" }, "You are done for now. When the query is adjudicated, your list shows that the votes are open."));
  void showNextQuery(page, place, all);
  return place;
}

/** @param {import("./page.js").TaskPage} page @param {Element} place @param {Element} all */
async function showNextQuery(page, place, all) {
  try {
    const next = await nextQuery(Number(page.query), page.data.owner === 0);
    if (!next) return void place.append(h("p", { class: "small soft", id: "no-next-query" }, "No other query has an open step."));
    all.before(h("a", { class: "button primary", id: "next-query", href: next.address, title: next.name }, "Next query"));
    if (document.activeElement === all) document.getElementById("next-query")?.focus();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error; // without a connection the list of queries is enough
  }
}
