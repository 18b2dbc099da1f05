// Changes that the server refused or does not take: what, when and why, until the person tries again or discards them.

import { counted, fill, h, keyButton, whenReleased } from "./dom.js";
import { KIND_NAMES, described } from "./wording.js";

/** @typedef {import("../store/work_store.js").WorkStore} WorkStore */
/** @typedef {import("../store/unsent.js").RefusedBatch} RefusedBatch */

/** Panels that are there only while something is refused or stuck. @param {WorkStore} store @param {import("./wording.js").Lookups} lookups */
export function refusedPanel(store, lookups) {
  const panel = h("section", { class: "refused", id: "refused", "aria-label": "Changes that were not saved", tabindex: "-1", hidden: true });
  const stuckPanel = h("section", { class: "refused", id: "stuck", "aria-label": "Changes that wait for the server", hidden: true });
  let shown = "";
  let waited = "";
  const update = () => {
    const batches = store.unsent.refused();
    const now = batches.map((batch) => batch.order).join(" ");
    if (now !== shown) {
      shown = now;
      panel.hidden = batches.length === 0;
      fill(panel, h("h2", {}, `${counted(batches.length, "change was", "changes were")} not saved`),
        h("p", { class: "small" }, "The server refused them. They are kept in this browser until you answer. Where a step is finished, reopen it first, then try again."),
        h("ul", {}, batches.map((batch) => entry(store, batch, lookups))),
        h("div", { class: "row" }, batches.length > 1 ? keyButton("Try all again", "", () => store.tryAgain(batches), { class: "small", id: "again-all" }) : null,
          keyButton("Download as a file", "", () => download(batches), { class: "small", id: "download-refused" })));
    }
    const waiting = store.state.stuck ? store.waiting : [];
    const wait = waiting.map((batch) => batch.order).join(" ");
    if (wait === waited) return;
    waited = wait;
    stuckPanel.hidden = waiting.length === 0;
    fill(stuckPanel, h("h2", {}, "The server cannot save at the moment"), h("p", { class: "why", dir: "auto" }, store.why),
      h("p", { class: "small" }, "You can go on working: changes are kept in this browser and sent in order. If only the first one fails, put it aside, and the others are sent."),
      h("ol", {}, waiting.map((batch) => h("li", {}, batch.label))),
      h("div", { class: "row" }, keyButton("Try now", "", () => store.retry(), { class: "small", id: "try-now" }),
        keyButton("Put the first aside", "", () => store.setAside(), { class: "small", id: "put-aside" }),
        keyButton("Download as a file", "", () => download(waiting), { class: "small", id: "download-waiting" })));
  };
  store.addEventListener("state", () => whenReleased(update));
  update();
  return [stuckPanel, panel];
}

/** @param {any[]} batches */
function download(batches) {
  const address = URL.createObjectURL(new Blob([JSON.stringify(batches, null, 2)], { type: "application/json" }));
  h("a", { href: address, download: "changes-not-saved.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {WorkStore} store @param {RefusedBatch} batch @param {import("./wording.js").Lookups} lookups */
function entry(store, batch, lookups) {
  const when = new Date(batch.when ?? Number(batch.order.slice(0, 15)));
  return h("li", {}, h("p", {}, h("strong", {}, batch.label), ` · ${when.toLocaleString()}`), h("p", { class: "why", dir: "auto" }, batch.why),
    h("details", {}, h("summary", {}, "What it was"), batch.changes.map(({ kind, record }) => h("div", {}, h("h3", {}, KIND_NAMES[kind] ?? kind), described(kind, record, lookups)))),
    h("div", { class: "row" },
      keyButton("Try again", "", () => store.tryAgain([batch]), { class: "small", id: `again-${batch.order}`, "aria-label": `Try again: ${batch.label}` }),
      keyButton("Discard", "", () => store.discard(batch), { class: "small danger", id: `discard-${batch.order}`, "aria-label": `Discard: ${batch.label}` })));
}
