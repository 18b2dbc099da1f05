// Two versions of the same thing, side by side; the person chooses.

import { canKeepBoth } from "../store/work_store.js";
import { ask } from "./dialogs.js";
import { h } from "./dom.js";
import { KIND_NAMES, described } from "./wording.js";

/** @typedef {import("../store/work_store.js").Conflict} Conflict */
/** @typedef {import("../store/work_store.js").Choice} Choice */

/**
 * @param {Conflict} conflict @param {(choice: Choice) => void} choose
 * @param {import("./wording.js").Lookups} lookups
 */
export async function askConflict(conflict, choose, lookups) {
  const pairs = conflict.theirs.map((theirs) => {
    const mine = conflict.batch.changes.find((change) => change.kind === theirs.kind && change.key === theirs.key);
    return h("section", { class: "versions", "aria-label": KIND_NAMES[theirs.kind] },
      h("div", { class: "version mine" }, h("h3", {}, "Mine, made here"), described(theirs.kind, mine?.record ?? null, lookups)),
      h("div", { class: "version theirs" }, h("h3", {}, "The other, saved meanwhile"), described(theirs.kind, theirs.record, lookups)));
  });
  const both = conflict.theirs.every((theirs) => canKeepBoth(theirs.kind) && theirs.record !== null)
    && conflict.batch.changes.every((change) => change.record !== null);
  /** @type {import("./dialogs.js").Option<Choice>[]} */
  const options = [
    { label: "Keep mine", value: "mine", hint: "The other stays in the history." },
    { label: "Keep the other", value: "theirs", hint: "Mine stays in the history." },
  ];
  if (both) options.push({ label: "Keep both", value: "both", hint: "Mine becomes a second one." });
  const answer = await ask({
    title: "This was changed in another tab or by another person", wide: true, cancel: null, options,
    body: [h("p", {}, `Your change (${conflict.batch.label}) was made on an older version. Nothing is lost: choose which counts.`), pairs],
  });
  choose(answer?.value ?? "theirs");
}
