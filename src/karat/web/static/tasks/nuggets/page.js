// Nuggets: pieces of information marked in the relevant text. Every key press that changes something is saved at once.

import { newKey } from "../../store/work_store.js";
import { contains, difference, intersection, length, same, union } from "../../text/spans.js";
import { announce, counted, fill, h, keyButton } from "../../ui/dom.js";
import { ask } from "../../ui/dialogs.js";
import { meaningOf, nuggetText, shorten } from "../../ui/wording.js";
import { PassageFlow } from "../shared/flow.js";
import { COLOURS, drawPassage } from "./drawing.js";
import { nuggetForm } from "./form.js";
import { TaskPage, progressLine } from "../shared/page.js";
import { askReason, join, revise, split } from "./revision.js";
import { mayAccept, suggestionKeys } from "./suggestions.js";

/** @typedef {import("../../text/offsets.js").Span} Span */
/** @typedef {{id: string, record: any, suggestion: number | null}} Item  a nugget, or a suggestion that waits for an answer */

export default class NuggetsPage extends TaskPage {
  /** @param {import("../shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    /** @type {string} the key of a nugget, or `suggestion:NUMBER` */
    this.activeItem = "";
    /** @type {Set<string>} to be joined */
    this.ticked = new Set();
    this.flow = new PassageFlow(this, { changed: () => this.#moved(), isOpen: (number) => this.isOpen(number) });
    this.flow.element.addEventListener("passage-click", (event) => this.#clicked(/** @type {CustomEvent} */ (event).detail.point));
    this.types = [...new Set([...(this.data.template?.types ?? []), ...(this.data.types ?? [])])];
    this.side = h("div", { class: "panel", role: "region", "aria-label": "Nuggets of this passage" });
    this.progress = h("div", {});
    const group = "Nuggets";
    this.shortcuts.add(
      { keys: ["Enter"], what: "The selection is a new nugget; without a selection: next open passage", run: () => (this.selected.length ? this.create() : this.flow.next() || announce("All passages are done.")), group },
      { keys: ["Space", "+"], what: "Add the selection to the nugget: one more piece, or extend", run: () => this.add(), group },
      { keys: ["-", "Backspace"], what: "Take the selection out of the nugget: shrink", run: () => this.remove(), group },
      { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], what: "Type of the nugget", run: (event) => this.setType(Number(event.key) - 1), group },
      { keys: ["c"], what: "Category", run: () => void this.setCategory(), group },
      { keys: ["s"], what: "Secondary tag (LOC: the place of it, TIME: its time)", run: () => document.getElementById("secondary")?.focus(), group },
      { keys: ["w"], what: "World knowledge is needed: on or off", run: () => this.edit({ world_knowledge: !this.item?.record.world_knowledge || undefined }, "world knowledge"), group },
      { keys: ["p"], what: "Say it as a sentence", run: () => document.getElementById("paraphrase")?.focus(), group },
      { keys: ["x"], what: "Split: the selected part becomes a nugget of its own", run: () => void this.split(), group },
      { keys: ["j"], what: "Join with another nugget of the passage", run: () => void this.join(), group },
      { keys: ["Delete"], what: "Delete the nugget", run: () => this.delete(), group },
      { keys: ["]", "."], what: "Next nugget or suggestion", run: () => this.cycle(1), group },
      { keys: ["[", ","], what: "Nugget or suggestion before", run: () => this.cycle(-1), group },
      { keys: ["Escape"], what: "No nugget chosen", run: () => this.choose(""), group },
      { keys: ["y"], what: "Accept the suggestion", run: () => void this.accept(), group: "Suggestions" },
      { keys: ["r"], what: "Reject the suggestion", run: () => this.reject(), group: "Suggestions" },
      { keys: ["0"], what: "There is nothing here", run: () => this.nothing(), group },
      this.finishShortcut,
    );
  }

  build() {
    return h("div", { class: "task" }, this.flow.element, h("aside", { class: "side", "aria-label": "Nuggets" }, this.progress, this.side, this.finishPlace, this.frame.guideline()));
  }

  begin() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("nugget") ?? "";
    const record = this.store.get("nugget", wanted);
    if (!record || !this.passages.has(record.passage)) return this.flow.begin();
    this.flow.activate(record.passage);
    this.choose(wanted);
  }

  // What there is ----------------------------------------------------------------------------------------------------

  /** @returns {Span[]} */
  get selected() {
    return this.flow.activeEntry?.text.selected ?? [];
  }

  /** @param {number} number @returns {Item[]} in the order of the text */
  items(number) {
    const nuggets = this.store.all("nugget").filter(({ record }) => record.passage === number).map(({ key, record }) => ({ id: key, record, suggestion: null }));
    const answered = new Set([...this.store.all("nugget").flatMap(({ record }) => record.revises ?? []), ...this.store.all("rejection").map(({ record }) => `suggestion:${record.suggestion}`)]);
    const waiting = (this.data.suggestions ?? []).filter((/** @type {any} */ one) => one.kind === "nugget" && one.record.passage === number && !answered.has(`suggestion:${one.number}`))
      .map((/** @type {any} */ one) => ({ id: `suggestion:${one.number}`, record: one.record, suggestion: one.number }));
    return [...nuggets, ...waiting].sort((a, b) => a.record.spans[0][0] - b.record.spans[0][0] || length(a.record.spans) - length(b.record.spans));
  }

  /** @returns {Item | undefined} */
  get item() {
    return this.items(this.flow.active).find((item) => item.id === this.activeItem);
  }

  /** @param {number} number @returns {Span[]} what nuggets should cover */
  relevantText(number) {
    const relevance = this.store.get("relevance", String(number));
    if (relevance && relevance.label !== "relevant") return [];
    return relevance?.text_spans ? intersection(this.scopeOf(number), relevance.text_spans) : this.scopeOf(number);
  }

  /** @param {number} number */
  isOpen(number) {
    if (!this.relevantText(number).length) return false;
    const items = this.items(number);
    return items.some((item) => item.suggestion !== null) || (!items.length && !this.store.get("reviewed", `nuggets:${number}`));
  }

  open() {
    const empty = this.flow.order.filter((number) => this.isOpen(number)).length;
    return empty ? [`${counted(empty, "passage")} with open suggestions, or without a nugget and not marked “nothing here”`] : [];
  }

  // What people do ---------------------------------------------------------------------------------------------------

  /** @param {string} id */
  choose(id) {
    this.activeItem = id;
    this.update();
    const item = this.item;
    if (item) this.flow.activeEntry?.text.reveal(item.record.spans[0]);
  }

  /** @param {number} by */
  cycle(by) {
    const items = this.items(this.flow.active);
    if (!items.length) return announce("This passage has no nuggets yet.");
    const index = items.findIndex((item) => item.id === this.activeItem);
    this.choose(items[(index < 0 ? (by > 0 ? 0 : items.length - 1) : index + by + items.length) % items.length].id);
  }

  #moved() {
    this.activeItem = "";
    this.ticked.clear();
    this.update();
  }

  /** @param {number} point */
  #clicked(point) {
    const here = this.items(this.flow.active).filter((item) => contains(item.record.spans, point)).sort((a, b) => length(a.record.spans) - length(b.record.spans));
    const index = here.findIndex((item) => item.id === this.activeItem);
    if (here.length) this.choose(here[(index + 1) % here.length].id);
  }

  create() {
    const spans = this.selected;
    if (!spans.length) return announce("Select some text first.");
    if (!intersection(spans, this.scopeOf(this.flow.active)).length) return announce("This text is not among the words that count.", "bad");
    const key = newKey("nugget");
    if (!this.save([{ kind: "nugget", key, record: { passage: this.flow.active, spans } }], "new nugget")) return;
    this.flow.activeEntry?.text.clearSelection();
    this.choose(key);
  }

  add() {
    if (!this.selected.length) return announce("Select some text first.");
    if (!this.item) return this.create();
    this.edit({ spans: union(this.item.record.spans, this.selected) }, "extended a nugget", "extended");
    this.flow.activeEntry?.text.clearSelection();
  }

  remove() {
    if (!this.item || !this.selected.length) return announce("Choose a nugget, and select the text to take out.");
    const spans = difference(this.item.record.spans, this.selected);
    if (!spans.length) return announce("Nothing would be left. Press Delete to delete the nugget.");
    if (same(spans, this.item.record.spans)) return announce("The selection is not in the nugget.");
    this.edit({ spans }, "shrank a nugget", "shrunk");
    this.flow.activeEntry?.text.clearSelection();
  }

  /** A change to a suggestion makes a corrected nugget; the suggestion itself is kept. @param {any} change @param {string} what @param {string} [revision] */
  edit(change, what, revision = "retyped") {
    const item = this.item;
    if (!item) return announce("Choose a nugget first: click on it, or press ].");
    const key = item.suggestion === null ? item.id : newKey("nugget");
    const { kind: _, ...record } = item.record;
    const corrected = item.suggestion === null ? {} : { source: "corrected", revises: [item.id], revision };
    const fromProgram = item.suggestion === null && record.source === "auto" ? { source: "corrected", revision } : {};
    if (this.save([{ kind: "nugget", key, record: { ...record, ...corrected, ...fromProgram, ...change } }], what)) this.choose(key);
  }

  /** @param {number} index */
  setType(index) {
    const type = this.types[index];
    if (type === undefined) return announce(`There are ${counted(this.types.length, "type")}.`);
    this.edit({ type: this.item?.record.type === type ? undefined : type }, `type ${type}`);
  }

  async setCategory() {
    const categories = Object.entries(this.data.template?.categories ?? {});
    if (!categories.length) return announce("This query's template has no categories.");
    const answer = await ask({ title: "Category", options: [...categories.map(([value, hint]) => ({ label: value, value, hint: String(hint) })), { label: "none", value: "" }] });
    if (answer) this.edit({ category: answer.value || undefined }, "category");
  }

  async accept() {
    const item = this.item;
    if (!item || item.suggestion === null) return announce("Choose a suggestion first: press ].");
    if (!(await mayAccept(this, this.flow.active))) return;
    const key = newKey("nugget");
    const { kind: _, ...record } = item.record;
    if (this.save([{ kind: "nugget", key, record: { ...record, source: "auto", revises: [item.id] } }], "accepted a suggestion")) this.#nextSuggestion(item);
  }

  reject() {
    const item = this.item;
    if (!item || item.suggestion === null) return announce("Choose a suggestion first: press ].");
    if (this.save([{ kind: "rejection", key: String(item.suggestion), record: { suggestion: item.suggestion } }], "rejected a suggestion")) this.#nextSuggestion(item);
  }

  /** @param {Item} item */
  #nextSuggestion(item) {
    const waiting = this.items(this.flow.active).filter((other) => other.suggestion !== null);
    const next = waiting.find((other) => other.record.spans[0][0] >= item.record.spans[0][0]) ?? waiting[0];
    this.choose(next?.id ?? "");
  }

  async split() {
    const item = this.item;
    const { selected } = this;
    if (!item || item.suggestion !== null) return announce("Choose a nugget first.");
    if (!intersection(item.record.spans, selected).length || !difference(item.record.spans, selected).length) return announce("Select the part of the nugget that becomes one of its own.");
    const reason = await askReason("Split this nugget because it is …");
    const revision = reason && split(this.store, item.id, selected, reason);
    if (revision && this.saveRevision(revision.edits, "split a nugget")) this.#revised(revision);
  }

  async join() {
    const item = this.item;
    const others = this.items(this.flow.active).filter((other) => other.id !== item?.id && other.suggestion === null);
    if (!item || item.suggestion !== null || !others.length) return announce("Choose a nugget of a passage that has several.");
    let keys = [...this.ticked].filter((key) => key !== item.id);
    if (!keys.length && others.length === 1) keys = [others[0].id];
    if (!keys.length) {
      const answer = await ask({ title: "Join it with …", options: others.map((other) => ({ label: shorten(nuggetText(other.record, this.lookups), 120), value: other.id })) });
      if (!answer) return;
      keys = [answer.value];
    }
    const reason = await askReason("Join these nuggets because one is …", "too_fine");
    const revision = reason && join(this.store, [item.id, ...keys], reason);
    if (revision && this.saveRevision(revision.edits, "joined nuggets")) this.#revised(revision);
  }

  /** @param {import("./revision.js").Revision} revision */
  #revised(revision) {
    this.ticked.clear();
    this.flow.activeEntry?.text.clearSelection();
    this.choose(revision.keys[0]);
    for (const note of revision.notes) announce(`The nugget ${note}.`);
  }

  delete() {
    const item = this.item;
    if (!item) return announce("Choose a nugget first.");
    if (item.suggestion !== null) return this.reject();
    const { edits, notes } = revise(this.store, [item.id], []);
    if (this.save(edits, "deleted a nugget")) this.choose("");
    for (const note of notes) announce(note);
  }

  nothing() {
    const number = this.flow.active;
    const key = `nuggets:${number}`;
    if (this.items(number).length) return announce("There are nuggets or suggestions here: delete or reject them first.");
    const reviewed = this.store.get("reviewed", key);
    this.save([{ kind: "reviewed", key, record: reviewed ? null : { step: "nuggets", passage: number } }], reviewed ? "open again" : "nothing here");
  }

  // What is shown ----------------------------------------------------------------------------------------------------

  update() {
    for (const number of this.flow.order) drawPassage(this, number);
    const done = this.flow.order.filter((number) => !this.isOpen(number)).length;
    fill(this.progress, progressLine(done, this.flow.order.length, "passages done"));
    this.#panel();
    this.showFinish();
  }

  #panel() {
    const number = this.flow.active;
    if (!number) return;
    const items = this.items(number);
    let colour = -1;
    const list = items.map((item) => {
      if (item.suggestion === null) colour += 1;
      const swatch = item.suggestion === null ? `mark-${(colour % COLOURS) + 1}` : "suggestion";
      return this.#entry(item, swatch);
    });
    fill(this.side, h("h2", {}, `Passage ${this.flow.order.indexOf(number) + 1}`, h("span", { class: "small soft" }, h("kbd", {}, "PageDown"), " next")),
      this.item ? nuggetForm(this, this.item) : h("p", { class: "small soft" }, "Select text: ", h("kbd", {}, "Enter"), " makes a nugget, ", h("kbd", {}, "Space"), " adds a piece to the chosen one. ", h("kbd", {}, "?"), " shows all keys."),
      suggestionKeys(this, items),
      list.length ? h("ul", { class: "nugget-list", "aria-label": "Nuggets and suggestions" }, list)
        : keyButton("Nothing here", "0", () => this.nothing(), { id: "nothing", "aria-pressed": String(Boolean(this.store.get("reviewed", `nuggets:${number}`))) }));
  }

  /** @param {Item} item @param {string} swatch */
  #entry(item, swatch) {
    const text = nuggetText(item.record, this.lookups);
    const tick = item.suggestion === null ? h("input", { type: "checkbox", "aria-label": `Join: ${shorten(text, 60)}`, checked: this.ticked.has(item.id), id: `tick-${item.id}` }) : null;
    tick?.addEventListener("change", () => (tick.checked ? this.ticked.add(item.id) : this.ticked.delete(item.id)));
    return h("li", { "data-active": item.id === this.activeItem },
      tick, h("button", { type: "button", class: "nugget-button", id: `item-${item.id}`, "aria-pressed": String(item.id === this.activeItem), onclick: () => this.choose(item.id) },
        h("span", { class: `swatch ${swatch}`, "aria-hidden": "true" }), h("span", { dir: "auto" }, item.suggestion !== null ? h("span", { class: "unseen" }, "Suggestion: ") : null, text),
        item.record.type ? h("span", { class: "tag", dir: "auto", title: meaningOf(item.record.type, this.data) }, item.record.type) : null));
  }
}
