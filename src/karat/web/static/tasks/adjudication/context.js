// What a difference is about, besides the passage: the answer and the nug that were judged, or the source that was cited.

import { h } from "../../ui/dom.js";
import { nuggetText, shorten } from "../../ui/wording.js";

/** @typedef {import("./page.js").default} AdjudicationPage */
/** @typedef {import("./page.js").Item} Item */

/** @param {Item} item @param {string} kind @returns {any} */
const recordOf = (item, kind) => item.versions.flatMap((version) => version.changes).find((change) => change.kind === kind && change.record)?.record;

/** The nug's meaning, and the answer. @param {AdjudicationPage} page @param {Item} item @returns {{nug: string, answer: any}} */
export function judgedOf(page, item) {
  const record = recordOf(item, "judgement");
  const known = (page.data.key ?? []).find((/** @type {any} */ nug) => nug.key === record?.nug);
  return {
    nug: known?.descriptions?.[0] ?? page.store.get("nug", record?.nug ?? "")?.description ?? item.label,
    answer: (page.data.answers ?? []).find((/** @type {any} */ answer) => answer.number === record?.response),
  };
}

/** @param {AdjudicationPage} page @param {Item} item */
export function contextOf(page, item) {
  if (item.kind === "judgement") {
    const { nug, answer } = judgedOf(page, item);
    return h("article", { class: "passage", "data-active": true }, h("p", { class: "nug-asked", dir: "auto" }, nug), h("h3", {}, answer?.label ?? "Answer"),
      [...new Set(/** @type {number[]} */ (answer?.passages ?? []))].map((number) => page.passages.get(number)).filter(Boolean)
        .map((passage) => h("p", { class: "passage-text", dir: "auto", lang: passage.language || null }, passage.text)));
  }
  if (item.kind !== "citation") return null;
  const number = recordOf(item, "citation")?.citation;
  const citation = (page.passages.get(item.passage ?? 0)?.citations ?? []).find((/** @type {any} */ one) => one.number === number);
  if (!citation) return null;
  return h("article", { class: "citation" }, h("div", { class: "passage-head" }, h("strong", {}, "The source"), h("span", { class: "mono", dir: "auto" }, citation.doc_id), citation.title ? h("span", { dir: "auto" }, citation.title) : null,
    [citation.language, citation.medium, citation.time && `audio at ${citation.time}`].filter(Boolean).map((word) => h("span", { class: "tag" }, word))),
  citation.excerpt ? h("blockquote", { dir: "auto", lang: citation.language || null }, citation.excerpt) : h("p", { class: "soft small" }, "No excerpt was given."));
}

/** What it is about: the words of a nugget, a nug's meaning, else the passage. @param {AdjudicationPage} page @param {Item} item */
export function aboutOf(page, item) {
  if (item.kind === "judgement") return shorten(judgedOf(page, item).nug, 80);
  const change = item.versions.flatMap((version) => version.changes).find(({ kind, record }) => record && (kind === "nugget" || kind === "nug"));
  if (item.kind === "nugget" && change?.kind === "nugget") return shorten(nuggetText(change.record, page.lookups), 80);
  if (change?.kind === "nug") return shorten(change.record.description, 80);
  return item.passage && page.passages.has(item.passage) ? shorten(page.passages.get(item.passage).text, 80) : item.label;
}
