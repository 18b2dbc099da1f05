// Rewriting a difference: starts from one person's version; extents by selecting, the rest in a small form.

import { difference, union } from "../../text/spans.js";
import { announce, h, keyButton } from "../../ui/dom.js";
import { LABELS, SUPPORT, nuggetText } from "../../ui/wording.js";

/** @typedef {import("./page.js").Change} Change */
/** @typedef {import("../../text/passage.js").KaratPassage} KaratPassage */
/** @typedef {import("../../text/offsets.js").Span} Span */

export class Rewriting {
  /** @param {import("./page.js").default} page @param {Change[]} changes */
  constructor(page, changes) {
    this.page = page;
    /** @type {Change[]} */
    this.changes = structuredClone(changes.map(({ kind, key, record }) => ({ kind, key, record })));
    const kind = page.item?.kind === "degree" ? "nug" : page.item?.kind;
    const main = this.changes.find((change) => change.record && change.kind === kind) ?? this.changes.find((change) => change.record);
    if (!main) throw new Error("nothing to rewrite");
    /** @type {Change} */
    this.main = main;
  }

  get #field() {
    return this.main.kind === "relevance" ? "text_spans" : "spans";
  }

  /** @returns {Span[]} */
  get spans() {
    return this.main.record[this.#field] ?? [];
  }

  /** @param {KaratPassage} text */
  addPiece(text) {
    if (!text.selected.length) return announce("Select some text first.");
    this.#setSpans(union(this.spans, text.selected), text);
  }

  /** @param {KaratPassage} text */
  removePiece(text) {
    /** @type {Span[]} */
    const all = [[0, text.offsets.points]];
    const rest = difference(this.spans.length ? this.spans : all, text.selected);
    if (!rest.length) return announce("Nothing would be left.");
    this.#setSpans(rest, text);
  }

  /** @param {Span[]} spans @param {KaratPassage} text */
  #setSpans(spans, text) {
    if (this.main.kind !== "relevance" && this.main.kind !== "nugget") return;
    this.main.record[this.#field] = spans;
    text.clearSelection();
    this.page.update();
  }

  save() {
    void this.page.decide(this.changes, "rewritten", undefined);
  }

  form() {
    const { record, kind } = this.main;
    const parts = [];
    if (kind === "relevance") parts.push(this.#choices("label", LABELS, "Label"));
    if (kind === "citation") parts.push(this.#choices("support", SUPPORT, "Support"));
    if (kind === "vote") parts.push(this.#choices("value", { vital: "vital", okay: "okay" }, "Vote"));
    if (kind === "judgement") parts.push(this.#number("degree", "Degree", record, 0));
    if (kind === "nugget") parts.push(this.#write("type", "Type"), this.#write("category", "Category"), this.#write("paraphrase", "Said as a sentence"));
    if (kind === "nug") {
      parts.push(this.#write("description", "Meaning"), this.#number("relevance", "Relevance", record, 0));
      for (const member of record.members ?? []) {
        const nugget = this.page.store.get("nugget", member.nugget) ?? this.changes.find((change) => change.key === member.nugget)?.record;
        parts.push(this.#number("degree", `Degree of “${nugget ? nuggetText(nugget, this.page.lookups) : member.nugget}”`, member, 0.05, (record.members ?? []).length === 1));
      }
    }
    const extents = kind === "relevance" || kind === "nugget";
    return [extents ? h("p", { class: "small soft" }, "Extents: select text, ", h("kbd", {}, "Space"), " adds it, ", h("kbd", {}, "-"), " takes it out.") : null, parts,
      h("div", { class: "row" }, keyButton("Save what is rewritten", "", () => this.save(), { class: "primary", id: "save-rewritten" }), keyButton("Stop", "Esc", () => this.page.stopRewriting(), { id: "stop-rewriting" }))];
  }

  /** @param {string} name @param {Record<string, string>} choices @param {string} label */
  #choices(name, choices, label) {
    return h("div", { class: "choices", role: "group", "aria-label": label }, Object.entries(choices).map(([value, text]) => keyButton(text, "", () => {
      this.main.record[name] = value;
      if (name === "label" && value !== "redundant") delete this.main.record.redundant_with;
      if (name === "label" && value !== "relevant") delete this.main.record.text_spans;
      this.page.update();
    }, { class: "small", id: `rewrite-${name}-${value}`, "aria-pressed": String(this.main.record[name] === value) })));
  }

  /** @param {string} name @param {string} label */
  #write(name, label) {
    const input = h("input", { type: "text", id: `rewrite-${name}`, dir: "auto", value: this.main.record[name] ?? "" });
    input.addEventListener("change", () => {
      const value = input.value.trim();
      if (value) this.main.record[name] = value;
      else if (name !== "description") delete this.main.record[name];
    });
    return h("div", { class: "field" }, h("label", { for: `rewrite-${name}` }, label), input);
  }

  /** @param {string} name @param {string} label @param {any} target @param {number} least @param {boolean} [fixed] */
  #number(name, label, target, least, fixed = false) {
    const id = `rewrite-${name}-${target.nugget ?? ""}`;
    const input = h("input", { type: "number", id, min: least, max: 1, step: 0.05, value: target[name] ?? (name === "degree" ? 1 : ""), disabled: fixed });
    input.addEventListener("change", () => {
      if (input.value === "") delete target[name];
      else target[name] = Math.max(least, Math.min(1, Number(input.value)));
    });
    return h("div", { class: "field" }, h("label", { for: id }, label), input);
  }
}
