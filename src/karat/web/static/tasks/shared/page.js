// What the pages of all steps share: the passages in reading order, saving, and finishing the step.

import { Refusal } from "../../store/api.js";
import { announce, counted, fill, h, keyButton } from "../../ui/dom.js";
import { ask } from "../../ui/dialogs.js";
import { Offsets } from "../../text/offsets.js";
import { onward } from "./onward.js";

/** @typedef {import("../../ui/wording.js").Lookups} Lookups */
/** @typedef {import("../../store/work_store.js").Edit} Edit */
/** @typedef {{store: import("../../store/work_store.js").WorkStore, data: any, shortcuts: import("../../ui/shortcuts.js").Shortcuts, frame: import("../../ui/frame.js").Frame, query: string, step: string}} TaskContext */

export class TaskPage {
  /** @param {TaskContext} context */
  constructor({ store, data, shortcuts, frame, query, step }) {
    this.store = store;
    this.data = data;
    this.shortcuts = shortcuts;
    this.frame = frame;
    this.query = query;
    this.step = step;
    this.done = Boolean(data.done);
    /** @type {Map<number, any>} */
    this.passages = new Map((data.passages ?? []).map((/** @type {any} */ passage) => [passage.number, passage]));
    /** @type {Map<number, Offsets>} */
    this.offsets = new Map();
    /** @type {Lookups} */
    this.lookups = { passages: this.passages, record: (kind, key) => this.store.get(kind, key) };
    /** @type {HTMLElement | null} the links of a finished step */
    this.way = null;
    this.finishPlace = h("div", { class: "panel finish" });
  }

  get editable() {
    return this.data.editable !== false && !this.done;
  }

  /** @param {number} number */
  offsetsOf(number) {
    let found = this.offsets.get(number);
    if (!found) {
      found = new Offsets(this.passages.get(number)?.text ?? "");
      this.offsets.set(number, found);
    }
    return found;
  }

  /** The part of a passage that counts, in code points. @param {number} number @returns {[number, number][]} */
  scopeOf(number) {
    const { points } = this.offsetsOf(number);
    const scope = this.passages.get(number)?.scope ?? points;
    return scope > 0 ? [[0, Math.min(scope, points)]] : [];
  }

  /** False: nothing was saved, and the person was told why. @param {Edit[]} edits @param {string} label */
  save(edits, label) {
    if (!this.editable) {
      announce(this.done ? "This step is finished. Reopen it to change something." : "You can read this, not change it.", "bad");
      return false;
    }
    this.store.change(edits.map((edit) => ({ ...edit, record: edit.record && tidy(edit.record) })), label);
    return true;
  }

  /** Nuggets may be made anew while a later step is open, although their own step is finished. @param {Edit[]} edits @param {string} label */
  saveRevision(edits, label) {
    const later = (this.data.steps ?? []).some((/** @type {any} */ entry) => (entry.step === "nugs" || entry.step === "citations") && !entry.done);
    if (this.editable || !later) return this.save(edits, label);
    this.store.change(edits.map((edit) => ({ ...edit, record: edit.record && tidy(edit.record) })), label);
    return true;
  }

  /** @returns {Node} */
  build() {
    return h("div");
  }

  update() {}

  /** After the first drawing: where the focus goes. */
  begin() {}

  /** What is still open, in plain words; empty: everything is done. @returns {string[]} */
  open() {
    return [];
  }

  /** The button that finishes or reopens the step. */
  showFinish() {
    this.finishPlace.hidden = !this.data.editable;
    if (!this.data.editable) return;
    if (this.done) this.way ??= onward(this);
    else this.way = null;
    const open = this.open();
    fill(this.finishPlace, this.done
      ? [h("p", { class: "success" }, this.wordsWhenDone), this.way,
        h("p", {}, keyButton("Reopen it", "", () => void this.finish(false), { id: "finish", class: "small" }))]
      : [open.length ? h("ul", { class: "small soft" }, open.map((line) => h("li", {}, line))) : h("p", { class: "small soft" }, "Nothing is open."),
        keyButton("Finish this step", "Ctrl+Enter", () => void this.finish(true), { id: "finish", class: open.length ? "" : "primary" })]);
  }

  /** @param {boolean} done */
  async finish(done) {
    const open = done ? this.open() : [];
    const { refused } = this.store.state;
    if (done && refused) open.push(`${counted(refused, "change was", "changes were")} not saved`);
    if (open.length) {
      const answer = await ask({ title: "Finish although something is open?", body: h("ul", {}, open.map((line) => h("li", {}, line))), options: [{ label: "Finish the step", value: true }] });
      if (!answer) return;
    }
    await this.store.settled();
    try {
      await this.store.api.setStep(this.step, done);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      announce(error.message, "bad");
      return;
    }
    this.done = done;
    for (const entry of this.data.steps ?? []) if (entry.step === this.step) entry.done = done;
    const bar = document.getElementById("task-bar");
    if (bar) this.frame.fillBar(bar);
    announce(done ? "The step is finished." : "The step is open again.", "good");
    this.update();
    if (done) this.focusOnward();
  }

  get wordsWhenDone() {
    const whole = (this.data.steps ?? []).every((/** @type {any} */ entry) => entry.done);
    return whole ? "This step is finished. So are all others of this query." : "This step is finished.";
  }

  /** To the way on, so that Enter takes it. */
  focusOnward() {
    const way = document.getElementById("next-step") ?? document.getElementById("next-query") ?? document.getElementById("all-queries");
    way?.focus();
    this.finishPlace.scrollIntoView({ block: "nearest" });
  }

  get finishShortcut() {
    return { keys: ["Ctrl+Enter"], what: "Finish the step", run: () => void this.finish(!this.done), group: "Everywhere" };
  }
}

/** Without what is not said: absent, not null. @param {Record<string, any>} record */
function tidy(record) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== null && value !== ""));
}

/** @param {number} done @param {number} all @param {string} what */
export function progressLine(done, all, what) {
  return h("div", { class: "progress-line" }, h("progress", { value: done, max: Math.max(1, all), "aria-label": what }), h("span", {}, `${done} of ${all} ${what}`));
}
