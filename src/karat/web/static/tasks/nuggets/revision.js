// Making nuggets anew: join and split, with one of the paper's four reasons, memberships in nugs and citations following.

import { newKey } from "../../store/work_store.js";
import { difference, intersection, union } from "../../text/spans.js";
import { ask } from "../../ui/dialogs.js";
import { REVISION_REASONS } from "../../ui/wording.js";
import { copyOf, editsTo, replaceNuggets } from "../nugs/membership.js";

/** @typedef {import("../../text/offsets.js").Span} Span */
/** @typedef {import("../../store/work_store.js").WorkStore} WorkStore */
/** @typedef {{edits: import("../../store/work_store.js").Edit[], keys: string[], notes: string[]}} Revision */

/** One of the four reasons by one key; null: cancelled. @param {string} title @param {string} [usual] */
export async function askReason(title, usual) {
  const options = Object.entries(REVISION_REASONS).map(([value, label]) => ({ label, value, primary: value === usual }));
  return (await ask({ title, options }))?.value ?? null;
}

/** The server deletes the citation checks of nuggets that are gone. @param {WorkStore} store @param {string[]} oldKeys @param {{key: string, record: any}[]} fresh @returns {Revision} */
export function revise(store, oldKeys, fresh) {
  const before = store.all("nug");
  const nugs = copyOf(before);
  const keys = fresh.map(({ key }) => key);
  const notes = replaceNuggets(nugs, oldKeys, keys);
  const edits = [
    ...fresh.map(({ key, record }) => ({ kind: "nugget", key, record })),
    ...editsTo(before, nugs),
    ...oldKeys.map((key) => ({ kind: "nugget", key, record: null })),
  ];
  return { edits, keys, notes };
}

/** The selected part and the rest become two nuggets; null: the selection does not divide it. @param {WorkStore} store @param {string} key @param {readonly Span[]} selected @param {string} reason @returns {Revision | null} */
export function split(store, key, selected, reason) {
  const { kind: _, ...old } = store.get("nugget", key);
  const part = intersection(old.spans, selected);
  const rest = difference(old.spans, selected);
  if (!part.length || !rest.length) return null;
  const halves = [part, rest].sort((a, b) => a[0][0] - b[0][0]).map((spans) => ({ key: newKey("nugget"), record: { ...old, spans, paraphrase: undefined, revises: [key], revision: "split", reason } }));
  return revise(store, [key], halves);
}

/** @param {WorkStore} store @param {string[]} keys  of one passage @param {string} reason @returns {Revision} */
export function join(store, keys, reason) {
  const records = keys.map((key) => store.get("nugget", key));
  const { kind: _, ...first } = records[0];
  const spans = records.reduce((/** @type {Span[]} */ sum, record) => union(sum, record.spans), []);
  const record = { ...first, spans, paraphrase: undefined, source: "person", revises: keys, revision: "joined", reason };
  return revise(store, keys, [{ key: newKey("nugget"), record }]);
}
