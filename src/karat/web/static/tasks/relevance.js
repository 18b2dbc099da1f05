// Relevance: relevant, irrelevant or redundant; which text is relevant, and why the rest is not.

import { announce, fill, h, keyButton } from "../ui/dom.js";
import { ask } from "../ui/dialogs.js";
import { CONTEXT_REASONS, repeated, shorten } from "../ui/wording.js";
import { difference, textOf, union } from "../text/spans.js";
import { PassageFlow } from "./shared/flow.js";
import { TaskPage, progressLine } from "./shared/page.js";

const TONES = { relevant: "good", irrelevant: "", redundant: "warn" };
const SAME_ANSWER = { title: "Said before in the same answer" };
const OTHER_ANSWER = { title: "In another answer", note: "Each answer is measured by itself: where the repeated passage is not in the same answer, this one counts as relevant." };
const NUGS = { title: "A nug of this query" };
const REASON_KEYS = { off_question: "o", mistranslated: "m", garbled: "b", other: "e" };

export default class RelevancePage extends TaskPage {
  /** @param {import("./shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    this.flow = new PassageFlow(this, { changed: () => this.update(), isOpen: (number) => this.scopeOf(number).length > 0 && !this.labelOf(number) });
    this.side = h("div", { class: "panel", "aria-label": "This passage", role: "region" });
    this.progress = h("div", {});
    const group = "Relevance";
    this.shortcuts.add(
      { keys: ["1"], what: "Relevant", run: () => this.label("relevant"), group },
      { keys: ["2"], what: "Irrelevant", run: () => this.label("irrelevant"), group },
      { keys: ["3"], what: "Redundant: choose what it repeats", run: () => void this.redundant(), group },
      { keys: ["Space"], what: "Only the selected text is relevant; again: one more piece", run: () => this.addPiece(), group },
      { keys: ["-", "Backspace"], what: "Take the selected text out", run: () => this.removePiece(), group },
      ...Object.entries(REASON_KEYS).map(([reason, key]) => ({ keys: [key], what: `Reason of what is not relevant: ${CONTEXT_REASONS[reason]}`, run: () => this.reason(reason), group })),
      { keys: ["n"], what: "Write a note", run: () => document.getElementById("note")?.focus(), group },
      { keys: ["Enter"], what: "Next passage without a label", run: () => this.flow.next() || announce("All passages have a label."), group: "Passages" },
      this.finishShortcut,
    );
  }

  build() {
    return h("div", { class: "task" }, this.flow.element, h("aside", { class: "side", "aria-label": "Relevance" }, this.progress, this.side, this.finishPlace, this.frame.guideline()));
  }

  begin() {
    this.flow.begin();
  }

  /** @param {number} number @returns {any} */
  labelOf(number) {
    return this.store.get("relevance", String(number));
  }

  get judged() {
    return this.flow.order.filter((number) => this.labelOf(number)).length;
  }

  open() {
    const left = this.flow.order.filter((number) => this.flow.isOpen(number)).length;
    return left ? [`${left} of ${this.flow.order.length} passages have no label`] : [];
  }

  /** @param {any} change @param {string} what */
  set(change, what) {
    const number = this.flow.active;
    const before = this.labelOf(number);
    this.save([{ kind: "relevance", key: String(number), record: { ...(before ?? { label: "relevant" }), passage: number, ...change } }], what);
  }

  /** @param {"relevant" | "irrelevant"} label */
  label(label) {
    const before = this.labelOf(this.flow.active);
    this.set({ label, redundant_with: undefined, text_spans: label === "relevant" ? before?.text_spans : undefined, reason: label === "irrelevant" ? before?.reason : before?.text_spans && before?.reason }, `labelled ${label}`);
  }

  async redundant() {
    const number = this.flow.active;
    const own = new Set(this.passages.get(number).text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
    const alike = (/** @type {string} */ text) => (text.toLocaleLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => own.has(word)).length;
    const { before, elsewhere } = this.flow.around(number);
    const offered = (/** @type {number[]} */ numbers, /** @type {import("../ui/dialogs.js").Group} */ group) => numbers.filter((other) => this.labelOf(other)?.label !== "irrelevant")
      .map((other) => ({ label: shorten(this.passages.get(other).text, 160), value: `passage:${other}`, hint: `Passage ${this.flow.order.indexOf(other) + 1}`, score: alike(this.passages.get(other).text), group }));
    const nugs = this.store.all("nug").map(({ key, record }) => ({ label: record.description, value: `nug:${key}`, score: alike(record.description), group: NUGS }));
    const options = [offered(before, SAME_ANSWER), nugs, offered(elsewhere, OTHER_ANSWER)].flatMap((list) => list.sort((a, b) => b.score - a.score));
    if (!options.length) return announce("No other passage comes before this one, so it cannot be redundant.", "bad");
    const answer = await ask({ title: "What does this passage repeat?", options, wide: true, search: options.length > 9 });
    if (answer && this.flow.active === number) this.set({ label: "redundant", redundant_with: answer.value, text_spans: undefined, reason: undefined }, "labelled redundant");
  }

  addPiece() {
    const selected = this.flow.activeEntry?.text.selected ?? [];
    if (!selected.length) return announce("Select the relevant text first.");
    const before = this.labelOf(this.flow.active);
    this.set({ label: "relevant", redundant_with: undefined, text_spans: union(before?.label === "relevant" ? (before.text_spans ?? []) : [], selected) }, "marked relevant text");
    this.flow.activeEntry?.text.clearSelection();
  }

  removePiece() {
    const number = this.flow.active;
    const selected = this.flow.activeEntry?.text.selected ?? [];
    const before = this.labelOf(number);
    if (!selected.length || (before && before.label !== "relevant")) return announce("Select the text that is not relevant first.");
    /** @type {[number, number][]} */
    const all = [[0, this.offsetsOf(number).points]];
    const rest = difference(before?.text_spans ?? all, selected);
    if (!rest.length) return this.label("irrelevant");
    this.set({ label: "relevant", text_spans: rest }, "took text out");
    this.flow.activeEntry?.text.clearSelection();
  }

  /** @param {string} reason */
  reason(reason) {
    const before = this.labelOf(this.flow.active);
    if (before?.label === "redundant") return announce("A redundant passage has no reason: it repeats another.");
    if (before?.label === "relevant" && !before.text_spans) return announce("The whole passage is relevant. Mark the relevant text first, or press 2.");
    this.set({ label: before?.label ?? "irrelevant", reason: before?.reason === reason ? undefined : reason }, "gave the reason");
  }

  update() {
    for (const number of this.flow.order) this.#show(number);
    fill(this.progress, progressLine(this.judged, this.flow.order.length, "passages judged"));
    this.#panel();
    this.showFinish();
  }

  /** @param {number} number */
  #show(number) {
    const { card, head, text } = this.flow.entry(number);
    const record = this.labelOf(number);
    const { points } = this.offsetsOf(number);
    const scope = this.scopeOf(number);
    /** @type {[number, number][]} */
    const all = [[0, points]];
    text.mark("out-of-scope", difference(all, scope));
    text.mark("mark-3", record?.label === "relevant" && record.text_spans ? record.text_spans : []);
    text.mark("context", record?.label === "relevant" && record.text_spans ? difference(all, record.text_spans) : record && record.label !== "relevant" ? all : []);
    card.toggleAttribute("data-quiet", Boolean(record && record.label !== "relevant"));
    fill(head, this.flow.where(number),
      scope.length === 0 ? h("span", { class: "tag" }, `after the first ${this.data.words_in_scope} words: not counted`) : null,
      record ? h("span", { class: `tag ${TONES[/** @type {keyof typeof TONES} */ (record.label)]}` }, record.text_spans ? "relevant in part" : record.label) : null,
      record?.reason ? h("span", { class: "tag" }, CONTEXT_REASONS[record.reason]) : null);
    fill(this.flow.entry(number).foot, record?.redundant_with ? [h("span", {}, "Repeats: "), h("span", { dir: "auto" }, repeated(record.redundant_with, this.lookups))] : null, record?.note ? h("div", { dir: "auto" }, `Note: ${record.note}`) : null);
  }

  #panel() {
    const number = this.flow.active;
    if (!number) return;
    const record = this.labelOf(number);
    const pressed = (/** @type {string} */ label) => ({ "aria-pressed": String(record?.label === label), id: `label-${label}` });
    const partly = record?.label === "irrelevant" || (record?.label === "relevant" && record.text_spans);
    const note = h("input", { type: "text", id: "note", value: record?.note ?? "", dir: "auto", maxlength: 2000 });
    note.addEventListener("change", () => this.set({ note: note.value.trim() || undefined }, "wrote a note"));
    note.addEventListener("keydown", (event) => event.key === "Enter" && this.flow.activeEntry?.text.focus());
    fill(this.side, h("h2", {}, `Passage ${this.flow.order.indexOf(number) + 1}`, h("span", { class: "small soft" }, h("kbd", {}, "Enter"), " next")),
      h("div", { class: "choices", role: "group", "aria-label": "Label" },
        keyButton("Relevant", "1", () => this.label("relevant"), pressed("relevant")),
        keyButton("Irrelevant", "2", () => this.label("irrelevant"), pressed("irrelevant")),
        keyButton("Redundant", "3", () => void this.redundant(), pressed("redundant"))),
      record?.label === "relevant" && record.text_spans
        ? [h("h3", {}, "Relevant text"), h("p", { class: "small", dir: "auto" }, textOf(record.text_spans, this.offsetsOf(number))),
          h("p", {}, keyButton("The whole passage is relevant", "", () => this.set({ text_spans: undefined, reason: undefined }, "marked all relevant"), { class: "small", id: "whole" }))]
        : h("p", { class: "small soft" }, "Only a part is relevant? Select it and press ", h("kbd", {}, "Space"), "; one more piece: the same again."),
      partly ? h("fieldset", {}, h("legend", {}, record.label === "irrelevant" ? "Why it is not relevant" : "Why the rest is not relevant"), h("div", { class: "row" },
        Object.entries(CONTEXT_REASONS).map(([reason, name]) => keyButton(name, REASON_KEYS[/** @type {keyof typeof REASON_KEYS} */ (reason)], () => this.reason(reason), { class: "small", "aria-pressed": String(record.reason === reason), id: `reason-${reason}` })))) : null,
      h("div", { class: "field" }, h("label", { for: "note" }, "Note"), note));
  }
}
