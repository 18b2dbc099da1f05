// Judging: does this answer contain this nug? The least certain pairs come first; what a program thinks is shown after one's own answer.

import { Refusal } from "../store/api.js";
import { union } from "../text/spans.js";
import { announce, counted, fill, h, keyButton } from "../ui/dom.js";
import { answerWord as nameOf, shorten } from "../ui/wording.js";
import { TaskPage, progressLine } from "./shared/page.js";

/** @typedef {import("../text/passage.js").KaratPassage} KaratPassage */

const DEGREES = [{ degree: 1, label: "Yes", keys: ["1", "y"] }, { degree: 0.5, label: "Partly", keys: ["2", "p"] }, { degree: 0, label: "No", keys: ["3", "n"] }];

export default class JudgingPage extends TaskPage {
  /** @param {import("./shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    /** @type {{response: number, nug: string, uncertainty?: number}[]} */
    this.pairs = this.data.pairs ?? [];
    this.nugs = new Map((this.data.key ?? []).map((/** @type {any} */ nug) => [nug.key, nug]));
    this.answers = new Map((this.data.answers ?? []).map((/** @type {any} */ answer) => [answer.number, answer]));
    this.active = 0;
    this.shown = 0;
    /** @type {Promise<void>} */
    this.working = Promise.resolve();
    /** How often the program said something else. */
    this.surprises = 0;
    /** @type {Map<number, KaratPassage>} */
    this.texts = new Map();
    this.centre = h("div", { class: "card", tabindex: "-1" });
    this.side = h("div", { class: "panel", role: "region", "aria-label": "The nug" });
    this.progress = h("div", {});
    const group = "Judging";
    this.shortcuts.add(
      ...DEGREES.map((choice) => ({ keys: choice.keys, what: choice.label, run: () => void this.judge(choice.degree), group })),
      { keys: ["Space"], what: "The selected text is the evidence", run: () => this.markEvidence(), group },
      { keys: ["Enter"], what: "Next pair that is open", run: () => this.next(), group },
      { keys: ["PageDown", "ArrowDown"], what: "Next pair", run: () => this.go(this.active + 1), group },
      { keys: ["PageUp", "ArrowUp"], what: "Pair before", run: () => this.go(this.active - 1), group },
      { keys: ["t"], what: "To the text, to select", run: () => [...this.texts.values()][0]?.focus(), group },
      { keys: ["Escape"], what: "Leave the text", run: () => this.centre.focus(), group },
      this.finishShortcut,
    );
  }

  build() {
    return h("div", { class: "task" }, this.centre, h("aside", { class: "side", "aria-label": "Judging" }, this.progress, this.side, this.finishPlace, this.frame.guideline()));
  }

  begin() {
    this.next();
    this.centre.focus();
  }

  get pair() {
    return this.pairs[this.active];
  }

  /** @param {{response: number, nug: string}} pair */
  recordOf(pair) {
    return this.store.get("judgement", `${pair.response}:${pair.nug}`);
  }

  /** @param {{response: number, nug: string}} pair */
  suggestionOf(pair) {
    return (this.data.suggestions ?? []).find((/** @type {any} */ one) => one.kind === "judgement" && one.record.response === pair.response && one.record.nug === pair.nug)?.record;
  }

  open() {
    const left = this.pairs.filter((pair) => !this.recordOf(pair)).length;
    return left ? [`${counted(left, "pair")} without an answer`] : [];
  }

  /** @param {number} index */
  go(index) {
    this.active = Math.max(0, Math.min(this.pairs.length - 1, index));
    this.update();
  }

  next() {
    for (let offset = 0; offset < this.pairs.length; offset += 1) {
      const index = (this.active + offset) % this.pairs.length;
      if (!this.recordOf(this.pairs[index])) return this.go(index);
    }
    this.go(this.active);
    if (this.pairs.length) announce("All pairs have an answer.", "good");
  }

  /**
   * The next pair comes at once where the program agrees; where it does not, the person looks again. Keys that are
   * pressed faster than the server answers are about the next pair, but do not answer what nobody has seen yet.
   * @param {number} degree
   */
  judge(degree) {
    const { surprises } = this;
    this.working = this.working.then(() => (surprises === this.surprises ? this.#judge(degree) : announce("Look again: the program says something else.")));
    return this.working;
  }

  /** @param {number} degree */
  async #judge(degree) {
    const { pair } = this;
    if (!pair) return;
    const before = this.recordOf(pair);
    if (!this.save([{ kind: "judgement", key: `${pair.response}:${pair.nug}`, record: { ...(before ?? {}), response: pair.response, nug: pair.nug, degree } }], nameOf(degree))) return;
    if (this.data.show_suggestion !== "after") return this.next();
    await this.#fetchSuggestion(pair);
    if (this.pair !== pair) return;
    const suggestion = this.suggestionOf(pair);
    if (!suggestion || suggestion.degree === degree || before) return this.next();
    this.surprises += 1;
    this.update();
  }

  /** @param {{response: number, nug: string}} pair */
  async #fetchSuggestion(pair) {
    if (this.suggestionOf(pair) || this.store.trouble) return;
    await this.store.settled();
    try {
      for (let page = 1; page <= (this.data.pages ?? 1); page += 1) {
        const fresh = await this.store.api.work(this.step, page);
        const known = new Set((this.data.suggestions ?? []).map((/** @type {any} */ one) => one.number));
        this.data.suggestions = [...(this.data.suggestions ?? []), ...(fresh.suggestions ?? []).filter((/** @type {any} */ one) => !known.has(one.number))];
        if (this.suggestionOf(pair)) return;
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // without a connection the work goes on without suggestions
    }
  }

  markEvidence() {
    const { pair } = this;
    const found = [...this.texts].find(([, text]) => text.selected.length);
    const record = pair && this.recordOf(pair);
    if (!found) return announce("Select the evidence in the answer first (t).");
    const [passage, text] = found;
    const earlier = record?.evidence_passage === passage ? (record.evidence ?? []) : [];
    this.save([{ kind: "judgement", key: `${pair.response}:${pair.nug}`, record: { degree: 1, ...(record ?? {}), response: pair.response, nug: pair.nug, evidence_passage: passage, evidence: union(earlier, text.selected) } }], "evidence");
    text.clearSelection();
  }

  update() {
    const { pair } = this;
    const answered = this.pairs.filter((one) => this.recordOf(one)).length;
    fill(this.progress, progressLine(answered, this.pairs.length, "pairs answered"));
    this.showFinish();
    if (!pair) return fill(this.centre, h("p", { class: "soft" }, "There is nothing to judge: the query has no key, or no answers."));
    this.#answer(pair.response);
    const record = this.recordOf(pair);
    for (const [number, text] of this.texts) text.mark("evidence", record?.evidence_passage === number ? (record.evidence ?? []) : []);
    this.#panel(pair, record);
  }

  /** @param {number} response */
  #answer(response) {
    if (this.shown === response) return;
    this.shown = response;
    this.texts.clear();
    const answer = this.answers.get(response);
    const numbers = [...new Set(/** @type {number[]} */ (answer?.passages ?? []))].filter((number) => this.passages.has(number));
    fill(this.centre, h("h2", { class: "answer-head" }, answer?.label ?? "Answer"), numbers.map((number, index) => {
      const passage = this.passages.get(number);
      const text = /** @type {KaratPassage} */ (document.createElement("karat-passage"));
      text.show(passage.text, { language: passage.language, label: `Part ${index + 1} of the answer` });
      this.texts.set(number, text);
      return text;
    }));
    this.centre.focus({ preventScroll: true });
  }

  /** @param {{response: number, nug: string}} pair @param {any} record */
  #panel(pair, record) {
    const nug = this.nugs.get(pair.nug);
    const suggestion = record || this.data.show_suggestion === "before" ? this.suggestionOf(pair) : null;
    const differs = suggestion && record && suggestion.degree !== record.degree;
    fill(this.side, h("h2", {}, `Pair ${this.active + 1} of ${this.pairs.length}`),
      h("p", { class: "small soft" }, "Does the answer say this?"), h("p", { class: "nug-asked", dir: "auto" }, nug?.descriptions?.[0] ?? shorten(pair.nug, 40)),
      (nug?.descriptions ?? []).slice(1).map((/** @type {string} */ other) => h("p", { class: "small soft", dir: "auto" }, other)),
      h("div", { class: "choices", role: "group", "aria-label": "Does the answer contain it?" }, DEGREES.map((choice) => keyButton(choice.label, choice.keys[0], () => void this.judge(choice.degree), { "aria-pressed": String(record?.degree === choice.degree), id: `degree-${choice.degree}` }))),
      suggestion ? h("p", { class: differs ? "notice" : "success", id: "suggestion" }, record ? (differs ? `You: ${nameOf(record.degree)}. The program: ${nameOf(suggestion.degree)}. Answer again, or press Enter to keep yours.` : "The program says the same.") : `The program: ${nameOf(suggestion.degree)}.`) : null,
      record?.evidence ? h("p", { class: "small" }, "Evidence is marked. ", keyButton("Take it away", "", () => this.save([{ kind: "judgement", key: `${pair.response}:${pair.nug}`, record: { ...record, evidence: undefined, evidence_passage: undefined } }], "no evidence"), { class: "small quiet", id: "no-evidence" })) : h("p", { class: "small soft" }, "Evidence: select it in the answer and press ", h("kbd", {}, "Space"), "."));
  }
}
