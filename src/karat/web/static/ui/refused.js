// Changes that the server refused: what, when and why, until the person tries again or discards them.

import { counted, fill, h, keyButton } from "./dom.js";
import { KIND_NAMES, described } from "./wording.js";

/** @typedef {import("../store/work_store.js").WorkStore} WorkStore */
/** @typedef {import("../store/unsent.js").RefusedBatch} RefusedBatch */

/** A panel that is there only while something is refused. @param {WorkStore} store @param {import("./wording.js").Lookups} lookups */
export function refusedPanel(store, lookups) {
  const panel = h("section", { class: "refused", id: "refused", "aria-label": "Changes that were not saved", tabindex: "-1", hidden: true });
  let shown = "";
  const update = () => {
    const batches = store.unsent.refused();
    const now = batches.map((batch) => batch.order).join(" ");
    if (now === shown) return;
    shown = now;
    panel.hidden = batches.length === 0;
    fill(panel, h("h2", {}, `${counted(batches.length, "change was", "changes were")} not saved`),
      h("p", { class: "small" }, "The server refused them. They are kept in this browser until you answer."),
      h("ul", {}, batches.map((batch) => entry(store, batch, lookups))));
  };
  store.addEventListener("state", update);
  update();
  return panel;
}

/** @param {WorkStore} store @param {RefusedBatch} batch @param {import("./wording.js").Lookups} lookups */
function entry(store, batch, lookups) {
  const when = new Date(batch.when ?? Number(batch.order.slice(0, 15)));
  return h("li", {}, h("p", {}, h("strong", {}, batch.label), ` · ${when.toLocaleString()}`), h("p", { class: "why", dir: "auto" }, batch.why),
    h("details", {}, h("summary", {}, "What it was"), batch.changes.map(({ kind, record }) => h("div", {}, h("h3", {}, KIND_NAMES[kind] ?? kind), described(kind, record, lookups)))),
    h("div", { class: "row" },
      keyButton("Try again", "", () => store.tryAgain(batch), { class: "small", id: `again-${batch.order}`, "aria-label": `Try again: ${batch.label}` }),
      keyButton("Discard", "", () => store.discard(batch), { class: "small danger", id: `discard-${batch.order}`, "aria-label": `Discard: ${batch.label}` })));
}
