// Citations: does the source say what the nugget says? One key per citation; a nugget that two sources half support is split here.

import { readDocument, Refusal } from "../store/api.js";
import { difference, intersection } from "../text/spans.js";
import { announce, counted, fill, h, keyButton } from "../ui/dom.js";
import { SUPPORT, nuggetText, shorten } from "../ui/wording.js";
import { Offsets } from "../text/offsets.js";
import { split } from "./nuggets/revision.js";
import { TaskPage, progressLine } from "./shared/page.js";

/** @typedef {import("../text/offsets.js").Span} Span */
/** The same citation by several systems is checked once. @param {any[]} citations @returns {any[]} with `twins` */
function once(citations) {
  const found = new Map();
  for (const citation of citations) {
    const place = JSON.stringify([citation.doc_id, citation.chunk ?? null, citation.excerpt ?? null, citation.time ?? null]);
    if (found.has(place)) found.get(place).twins.push(citation);
    else found.set(place, { ...citation, twins: [] });
  }
  return [...found.values()];
}

/** @typedef {{passage: number, nugget: string, citations: any[]}} Group  a nugget ("": the whole passage) and the citations whose chunks overlap it */

export default class CitationsPage extends TaskPage {
  /** @param {import("./shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    this.active = { group: 0, citation: 0 };
    /** @type {Map<number, Promise<any>>} */
    this.documents = new Map();
    this.centre = h("div", {});
    this.text = /** @type {import("../text/passage.js").KaratPassage} */ (document.createElement("karat-passage"));
    this.shownPassage = 0;
    this.documentPlace = h("section", { class: "panel", "aria-label": "The document" });
    this.list = h("ul", { class: "item-list", "aria-label": "Nuggets" });
    this.progress = h("div", {});
    for (const passage of this.data.passages) passage.citations = once(passage.citations ?? []);
    const group = "Citations";
    this.shortcuts.add(
      ...Object.keys(SUPPORT).map((support, index) => ({ keys: [String(index + 1)], what: `Support: ${SUPPORT[support]}`, run: () => this.judge(support), group })),
      { keys: ["ArrowDown", "]"], what: "Next citation", run: () => this.move(1), group },
      { keys: ["ArrowUp", "["], what: "Citation before", run: () => this.move(-1), group },
      { keys: ["Enter"], what: "Next citation that is open", run: () => this.next(), group },
      { keys: ["PageDown"], what: "Next nugget", run: () => this.go(this.active.group + 1, 0), group },
      { keys: ["PageUp"], what: "Nugget before", run: () => this.go(this.active.group - 1, 0), group },
      { keys: ["Space"], what: "The selected part of the nugget is what the source supports", run: () => this.markPart(), group },
      { keys: ["x"], what: "Split the nugget: at the selection, else at the chunk of this citation", run: () => this.split(), group },
      { keys: ["t"], what: "To the text of the passage, to select", run: () => this.text.focus(), group },
      { keys: ["Escape"], what: "Back to the citations", run: () => this.centre.focus(), group },
      this.finishShortcut,
    );
  }

  build() {
    this.centre.tabIndex = -1;
    return h("div", { class: "task" }, this.centre, h("aside", { class: "side", "aria-label": "Document and nuggets" }, this.progress, this.documentPlace, h("section", { class: "panel" }, h("h2", {}, "Nuggets"), this.list), this.finishPlace, this.frame.guideline()));
  }

  begin() {
    if (this.groups.length) this.next();
    this.centre.focus();
  }

  // What there is ----------------------------------------------------------------------------------------------------

  /** @returns {Group[]} */
  get groups() {
    const groups = [];
    for (const passage of this.data.passages) {
      const label = this.store.get("relevance", String(passage.number))?.label;
      if (!passage.citations?.length || (label && label !== "relevant")) continue;
      const nuggets = this.store.all("nugget").filter(({ record }) => record.passage === passage.number).sort((a, b) => a.record.spans[0][0] - b.record.spans[0][0]);
      if (!nuggets.length) groups.push({ passage: passage.number, nugget: "", citations: passage.citations });
      for (const { key, record } of nuggets) {
        const citations = passage.citations.filter((/** @type {any} */ citation) => !citation.chunk?.length || intersection(citation.chunk, record.spans).length);
        if (citations.length) groups.push({ passage: passage.number, nugget: key, citations });
      }
    }
    return groups;
  }

  /** @param {Group} group @param {any} citation */
  keyOf(group, citation) {
    return group.nugget ? `${citation.number}:${group.nugget}` : String(citation.number);
  }

  /** @param {Group} group */
  left(group) {
    return group.citations.filter((citation) => !this.isChecked(group, citation)).length;
  }

  /** @param {Group} group @param {any} citation */
  isChecked(group, citation) {
    return [citation, ...citation.twins].every((one) => this.store.get("citation", this.keyOf(group, one)));
  }

  /** What is saved for a citation is saved for the same one of other systems. @param {Group} group @param {any} citation @param {any} record */
  edits(group, citation, record) {
    return [citation, ...citation.twins].map((one) => ({ kind: "citation", key: this.keyOf(group, one), record: { ...record, citation: one.number, nugget: group.nugget || undefined } }));
  }

  open() {
    const left = this.groups.reduce((sum, group) => sum + this.left(group), 0);
    return left ? [`${counted(left, "citation")} not checked`] : [];
  }

  get group() {
    return this.groups[this.active.group];
  }

  get citation() {
    return this.group?.citations[this.active.citation];
  }

  /** @returns {Span[]} */
  get extent() {
    const nugget = this.group?.nugget && this.store.get("nugget", this.group.nugget);
    return nugget ? nugget.spans : [[0, this.offsetsOf(this.group?.passage ?? 0).points]];
  }

  // What people do ---------------------------------------------------------------------------------------------------

  /** @param {number} group @param {number} citation */
  go(group, citation) {
    const { groups } = this;
    const bounded = Math.max(0, Math.min(groups.length - 1, group));
    this.active = { group: bounded, citation: Math.max(0, Math.min((groups[bounded]?.citations.length ?? 1) - 1, citation)) };
    this.update();
    this.centre.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} by */
  move(by) {
    const next = this.active.citation + by;
    if (next < 0) return this.go(this.active.group - 1, Infinity);
    if (next >= (this.group?.citations.length ?? 0)) return this.active.group + 1 < this.groups.length ? this.go(this.active.group + 1, 0) : undefined;
    this.go(this.active.group, next);
  }

  next() {
    const { groups } = this;
    for (let offset = 0; offset <= groups.length; offset += 1) {
      const index = (this.active.group + offset) % groups.length;
      const from = offset === 0 ? this.active.citation : 0;
      const citation = groups[index].citations.findIndex((one, place) => place >= from && !this.isChecked(groups[index], one));
      if (citation >= 0) return this.go(index, citation);
    }
    this.go(this.active.group, this.active.citation);
    announce("All citations are checked.", "good");
  }

  /** @param {string} support */
  judge(support) {
    const { group, citation } = this;
    if (!group || !citation) return;
    const key = this.keyOf(group, citation);
    const before = this.store.get("citation", key);
    const record = { support, spans: support === "partial" ? before?.spans : undefined, note: before?.note };
    if (!this.save(this.edits(group, citation, record), `support ${SUPPORT[support]}`)) return;
    if (support !== "partial") this.next();
    else announce("Partly supported: select the supported part and press Space, or press x to split the nugget, or Enter to go on.");
  }

  markPart() {
    const { group, citation } = this;
    const part = intersection(this.extent, this.text.selected);
    if (!group || !citation || !part.length) return announce("Select a part of the nugget in the text first (t).");
    this.save(this.edits(group, citation, { support: "partial", spans: part }), "supported part");
    this.text.clearSelection();
  }

  split() {
    const { group, citation, extent } = this;
    if (!group?.nugget || !citation) return announce("There is no nugget to split here.");
    const selected = intersection(extent, this.text.selected);
    const part = selected.length && difference(extent, selected).length ? selected : intersection(extent, citation.chunk ?? []);
    const revision = split(this.store, group.nugget, part, "partly_supported");
    if (!revision) return announce("Select the part that becomes a nugget of its own (t, then the arrows), and press x again.");
    if (!this.saveRevision(revision.edits, "split a nugget")) return;
    this.text.clearSelection();
    announce("The nugget is now two; check each.");
    this.go(this.active.group, 0);
  }

  // What is shown ----------------------------------------------------------------------------------------------------

  update() {
    const { groups } = this;
    if (this.active.group >= groups.length) this.active = { group: Math.max(0, groups.length - 1), citation: 0 };
    const all = groups.reduce((sum, group) => sum + group.citations.length, 0);
    const left = groups.reduce((sum, group) => sum + this.left(group), 0);
    fill(this.progress, progressLine(all - left, all, "citations checked"));
    fill(this.list, groups.map((group, index) => {
      const text = group.nugget ? nuggetText(this.store.get("nugget", group.nugget), this.lookups) : this.passages.get(group.passage).text;
      return h("li", {}, h("button", { type: "button", class: "small", id: `group-${index}`, "aria-pressed": String(index === this.active.group), onclick: () => this.go(index, 0) }, h("span", { dir: "auto" }, shorten(text, 90)),
        this.left(group) ? h("span", { class: "tag warn" }, `${this.left(group)} open`) : h("span", { class: "tag good" }, "done")));
    }));
    this.#centre();
    this.showFinish();
  }

  #centre() {
    const { group, citation } = this;
    if (!group) return fill(this.centre, h("p", { class: "soft" }, "There are no citations to check: no relevant passage has one."));
    const passage = this.passages.get(group.passage);
    if (this.shownPassage !== group.passage) this.text.show(passage.text, { language: passage.language, label: "The passage" });
    this.shownPassage = group.passage;
    if (!this.text.isConnected) fill(this.centre, h("article", { class: "passage", "data-active": true, id: "cited" }, this.text, h("div", { class: "legend" }, h("span", {}, h("span", { class: "swatch active" }), "the nugget"), h("span", {}, "underlined: the chunk of the citation"))), h("div", { id: "citations" }));
    this.text.mark("active", this.extent.length && group.nugget ? this.extent : []);
    this.text.mark("chunk", citation?.chunk ?? []);
    const supported = this.store.get("citation", this.keyOf(group, citation))?.spans;
    this.text.mark("evidence", supported ?? []);
    const place = document.getElementById("citations") ?? this.centre.lastElementChild;
    if (place) fill(place, group.citations.map((one, index) => this.#citationCard(group, one, index)));
    void this.#showDocument(citation);
  }

  /** @param {Group} group @param {any} citation @param {number} index */
  #citationCard(group, citation, index) {
    const active = index === this.active.citation;
    const record = this.store.get("citation", this.keyOf(group, citation));
    return h("article", { class: "citation", "data-active": active, "aria-label": `Citation ${index + 1}`, onclick: () => !active && this.go(this.active.group, index) },
      h("div", { class: "passage-head" }, h("strong", {}, `Citation ${index + 1}`), h("span", { class: "mono", dir: "auto" }, citation.doc_id), citation.title ? h("span", { dir: "auto" }, citation.title) : null,
        citation.language ? h("span", { class: "tag" }, citation.language) : null, citation.medium ? h("span", { class: "tag" }, citation.medium) : null,
        citation.time !== null && citation.time !== undefined ? h("span", { class: "tag" }, `audio at ${citation.time}`) : null,
        citation.twins.length ? h("span", { class: "tag" }, `in ${citation.twins.length + 1} answers: checked once`) : null,
        record ? h("span", { class: `tag ${record.support === "full" ? "good" : "warn"}` }, SUPPORT[record.support]) : null),
      citation.excerpt ? h("blockquote", { dir: "auto", lang: citation.language || null }, citation.excerpt) : h("p", { class: "soft small" }, "No excerpt was given."),
      h("div", { class: "choices", role: "group", "aria-label": `Support by citation ${index + 1}` }, Object.entries(SUPPORT).map(([support, name], number) =>
        keyButton(name, active ? String(number + 1) : "", () => {
          this.active.citation = index;
          this.judge(support);
        }, { class: "small", "aria-pressed": String(record?.support === support), id: `support-${citation.number}-${support}` }))),
      active && group.nugget ? h("p", {}, keyButton("Split this nugget", "x", () => this.split(), { class: "small quiet", id: "split-here" })) : null);
  }

  /** Opens the document at the cited place. @param {any} citation */
  async #showDocument(citation) {
    if (!citation?.document) return fill(this.documentPlace, h("h2", {}, "Document"), h("p", { class: "soft small" }, citation ? "The text of this document was not imported. Judge by the excerpt, or press 4: source missing." : ""));
    const number = citation.document;
    if (!this.documents.has(number)) this.documents.set(number, readDocument(number));
    let record;
    try {
      record = await this.documents.get(number);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.documents.delete(number);
      return fill(this.documentPlace, h("h2", {}, "Document"), h("p", { class: "error" }, error.message));
    }
    const place = `${number} ${citation.number}`;
    if (this.citation !== citation || this.documentPlace.dataset.place === place) return;
    this.documentPlace.dataset.place = place;
    const text = /** @type {import("../text/passage.js").KaratPassage} */ (document.createElement("karat-passage"));
    text.show(record.text ?? "", { language: record.language, selectable: false });
    fill(this.documentPlace, h("h2", {}, h("span", { dir: "auto" }, record.title || record.doc_id)),
      h("div", { class: "row small" }, [record.language, record.medium, record.time].filter(Boolean).map((word) => h("span", { class: "tag" }, word))),
      h("div", { class: "document", "data-scrolls": true, tabindex: "0", role: "region", "aria-label": "Text of the document" }, text));
    const unit = citation.excerpt ? (record.text ?? "").indexOf(citation.excerpt) : -1;
    if (unit < 0) return;
    const offsets = new Offsets(record.text);
    /** @type {Span} */
    const span = [offsets.toPoint(unit), offsets.toPoint(unit + citation.excerpt.length)];
    text.mark("evidence", [span]);
    text.reveal(span);
  }
}
