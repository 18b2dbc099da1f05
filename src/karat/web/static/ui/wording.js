// What things are called on all pages, and records in plain words.

import { h } from "./dom.js";
import { textOf } from "../text/spans.js";
import { Offsets } from "../text/offsets.js";

/** @type {Record<string, string>} */
export const STEP_NAMES = { relevance: "Relevance", nuggets: "Nuggets", nugs: "Nugs", citations: "Citations", votes: "Votes", judging: "Judging", adjudication: "Adjudication" };

/** @type {Record<string, string>} */
export const LABELS = { relevant: "relevant", irrelevant: "irrelevant", redundant: "redundant" };

/** Why text is context and not relevant. @type {Record<string, string>} */
export const CONTEXT_REASONS = { off_question: "off the question", mistranslated: "mistranslated", garbled: "garbled", other: "other" };

/** The four reasons of Babko-Malaya (2008) for making nuggets anew. @type {Record<string, string>} */
export const REVISION_REASONS = {
  too_fine: "too fine to be relevant on its own",
  no_fact: "cannot be said as a fact",
  granularity: "other grain than equal nuggets of its nug",
  partly_supported: "only partly supported by the citations",
};

/** @type {Record<string, string>} */
export const SUPPORT = { full: "full", partial: "partial", none: "none", missing: "source missing" };

/** What fields are about, for who asks. @type {Record<string, string>} */
export const MEANINGS = {
  world: "The text alone does not say it: a reader has to know something that is not in the text. An answer gains by it, and loses nothing without it",
  category: "Which part of the question the nugget answers",
  secondary: "A second category, where the nugget is also the place (LOC) or the time (TIME) of it",
  paraphrase: "The nugget in a sentence of its own; what cannot be said as a sentence is no nugget",
  relevance: "How much the nug matters for the question, from 0 (not at all) to 1 (fully); empty: 1",
  degree: "How much of the nug the nugget says, up to 1: all of it",
  occasion: "A round of votes by the same person; a second one shows how stable votes are",
};

/** "PER: a person who takes part"; null: nobody said what the type means. @param {string} type @param {any} data */
export function meaningOf(type, data) {
  const meaning = data.type_meanings?.[type];
  return meaning ? `${type}: ${meaning}` : null;
}

/** Whether an answer says a nug. @param {number} degree */
export const answerWord = (degree) => ({ 1: "yes", 0.5: "partly", 0: "no" })[degree] ?? String(degree);

/** @type {Record<string, string>} */
export const KIND_NAMES = { relevance: "Relevance", nugget: "Nugget", nug: "Nug", degree: "Degree", citation: "Citation", vote: "Vote", judgement: "Judgement", rejection: "Rejected suggestion", reviewed: "Looked at", decision: "Decision" };

/** @typedef {{passages: Map<number, any>, record: (kind: string, key: string) => any}} Lookups */

/** The words of a nugget. @param {any} nugget @param {Lookups} lookups */
export function nuggetText(nugget, lookups) {
  const passage = lookups.passages.get(nugget?.passage);
  return passage ? textOf(nugget.spans, new Offsets(passage.text)) : "(text on another page)";
}

/** What to call a nugget that may be gone. @param {string} key @param {Lookups} lookups */
function nuggetName(key, lookups) {
  const nugget = lookups.record("nugget", key);
  return nugget ? `“${nuggetText(nugget, lookups)}”` : "a nugget that is not in this layer";
}

/** Lines of a record: name and value. @param {string} kind @param {any} record @param {Lookups} lookups @returns {[string, string][]} */
export function linesOf(kind, record, lookups) {
  if (record === null || record === undefined) return [["", "deleted"]];
  /** @type {[string, string][]} */
  const lines = [];
  /** @param {string} name @param {any} value */
  const add = (name, value) => value !== undefined && value !== null && value !== "" && lines.push([name, String(value)]);
  if (kind === "relevance") {
    add("Label", LABELS[record.label]);
    if (record.text_spans) add("Relevant text", nuggetText({ passage: record.passage, spans: record.text_spans }, lookups));
    add("Reason", CONTEXT_REASONS[record.reason]);
    add("Repeats", record.redundant_with && repeated(record.redundant_with, lookups));
  } else if (kind === "nugget") {
    add("Text", nuggetText(record, lookups));
    add("Type", record.type);
    add("Category", [record.category, record.secondary].filter(Boolean).join("-"));
    add("World knowledge", record.world_knowledge && "yes");
    add("As a sentence", record.paraphrase);
  } else if (kind === "nug") {
    add("Meaning", record.description);
    add("Relevance", record.relevance);
    add("Importance", record.importance);
    for (const member of record.members ?? []) add(`Member ${member.degree ?? 1}`, nuggetName(member.nugget, lookups));
  } else if (kind === "citation") {
    add("Support", SUPPORT[record.support]);
    if (record.nugget) add("Nugget", nuggetName(record.nugget, lookups));
  } else if (kind === "vote") add("Vote", record.value);
  else if (kind === "judgement") add("Answer", answerWord(record.degree));
  add("Note", record.note);
  return lines;
}

/** @param {string} place  `passage:NUMBER` or `nug:KEY` @param {Lookups} lookups */
export function repeated(place, lookups) {
  const [kind, key] = [place.slice(0, place.indexOf(":")), place.slice(place.indexOf(":") + 1)];
  if (kind === "nug") return lookups.record("nug", key)?.description ?? "a nug";
  const text = lookups.passages.get(Number(key))?.text;
  return text ? shorten(text, 120) : "a passage on another page";
}

/** @param {string} text @param {number} most */
export function shorten(text, most) {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join("").trimEnd()}…` : text;
}

/** @param {string} kind @param {any} record @param {Lookups} lookups */
export function described(kind, record, lookups) {
  return h("dl", { class: "record" }, linesOf(kind, record, lookups).map(([name, value]) => [h("dt", {}, name || KIND_NAMES[kind]), h("dd", { dir: "auto" }, value)]));
}
