// The passages of a query as people read them: answer by answer, identical passages once, one of them active.

import { h } from "../../ui/dom.js";
import { STEP_NAMES } from "../../ui/wording.js";

/** @typedef {import("../../text/passage.js").KaratPassage} KaratPassage */
/** @typedef {{card: HTMLElement, head: HTMLElement, foot: HTMLElement, text: KaratPassage}} Entry */

export class PassageFlow {
  /** @param {import("./page.js").TaskPage} page @param {{changed: () => void, isOpen: (number: number) => boolean}} events */
  constructor(page, { changed, isOpen }) {
    this.page = page;
    this.changed = changed;
    this.isOpen = isOpen;
    /** @type {Map<number, Entry>} */
    this.entries = new Map();
    /** @type {number[]} in reading order */
    this.order = [];
    /** @type {Map<number, string[]>} */
    this.places = new Map();
    this.active = 0;
    this.element = h("div", { class: "flow" });
    this.#build();
    page.shortcuts.add(
      { keys: ["PageDown", "Alt+ArrowDown"], what: "Next passage", run: () => this.move(1), group: "Passages" },
      { keys: ["PageUp", "Alt+ArrowUp"], what: "Passage before", run: () => this.move(-1), group: "Passages" },
      { keys: ["End"], what: "Last passage", run: () => this.activate(this.order[this.order.length - 1]), group: "Passages" },
    );
  }

  #build() {
    const { answers = [], passages } = this.page.data;
    for (const answer of answers) {
      for (const number of answer.passages) this.places.set(number, [...new Set([...(this.places.get(number) ?? []), answer.label])]);
    }
    for (const answer of answers) {
      const shown = answer.passages.filter((/** @type {number} */ number) => this.page.passages.has(number));
      if (!shown.length) continue;
      this.element.append(h("h2", { class: "answer-head", dir: "auto" }, answer.label));
      for (const number of shown) {
        if (this.entries.has(number)) {
          this.element.append(h("p", { class: "passage-foot" }, "Here stands ", h("button", { type: "button", class: "quiet small", onclick: () => this.activate(number) }, `passage ${this.order.indexOf(number) + 1}`), " again; it is judged once."));
        } else this.#card(number);
      }
    }
    for (const passage of passages) if (!this.entries.has(passage.number)) this.#card(passage.number);
    this.element.append(this.#pager());
  }

  /** @param {number} number */
  #card(number) {
    const passage = this.page.passages.get(number);
    this.order.push(number);
    const text = /** @type {KaratPassage} */ (document.createElement("karat-passage"));
    text.show(passage.text, { language: passage.language, label: `Passage ${this.order.length}: ${[...passage.text].slice(0, 60).join("")}` });
    const head = h("div", { class: "passage-head" });
    const foot = h("div", { class: "passage-foot" });
    const source = passage.source?.text ? h("div", { class: "source-text" }, h("h3", {}, `Source text${passage.source.language ? ` (${passage.source.language})` : ""}`), h("p", { class: "passage-text", dir: "auto", lang: passage.source.language || null }, passage.source.text)) : null;
    const card = h("article", { class: "passage", "data-passage": number, "aria-label": `Passage ${this.order.length}` }, head, source ? h("div", { class: "side-by-side" }, text, source) : text, foot);
    card.addEventListener("focusin", () => this.#take(number));
    card.addEventListener("mousedown", () => this.#take(number));
    this.element.append(card);
    this.entries.set(number, { card, head, foot, text });
  }

  #pager() {
    const { page = 1, pages = 1 } = this.page.data;
    if (pages <= 1) return "";
    const link = (/** @type {number} */ target, /** @type {string} */ label) => (target < 1 || target > pages ? null : h("a", { class: "button", href: `?page=${target}` }, label));
    return h("nav", { class: "pager", "aria-label": `Pages of ${STEP_NAMES[this.page.step]}` }, link(page - 1, "Page before"), `Page ${page} of ${pages}`, link(page + 1, "Next page"));
  }

  /**
   * The passages that come before this one in an answer that has it, and those that are in none of its answers.
   * @param {number} number @returns {{before: number[], elsewhere: number[]}}
   */
  around(number) {
    const own = (this.page.data.answers ?? []).map((/** @type {any} */ answer) => /** @type {number[]} */ (answer.passages)).filter((/** @type {number[]} */ passages) => passages.includes(number));
    const before = new Set(own.flatMap((/** @type {number[]} */ passages) => passages.slice(0, passages.indexOf(number))));
    const together = new Set([number, ...own.flat()]);
    return { before: this.order.filter((other) => other !== number && before.has(other)), elsewhere: this.order.filter((other) => !together.has(other)) };
  }

  /** "Passage 3 · also in Answer 4" @param {number} number */
  where(number) {
    const others = (this.places.get(number) ?? []).slice(1);
    return h("span", { class: "where" }, `Passage ${this.order.indexOf(number) + 1}`, others.length ? ` · the same in ${others.join(", ")}: judged once` : "");
  }

  /** @param {number} number @returns {Entry} */
  entry(number) {
    const found = this.entries.get(number);
    if (!found) throw new Error(`passage ${number} is not on this page`);
    return found;
  }

  get activeEntry() {
    return this.entries.get(this.active);
  }

  /** @param {number} number */
  #take(number) {
    if (this.active === number) return;
    this.activeEntry?.card.removeAttribute("data-active");
    this.activeEntry?.text.clearSelection();
    this.active = number;
    this.activeEntry?.card.setAttribute("data-active", "");
    this.changed();
  }

  /** @param {number} number */
  activate(number) {
    const entry = this.entries.get(number);
    if (!entry) return;
    this.#take(number);
    entry.text.focus();
    entry.card.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} by */
  move(by) {
    const index = Math.max(0, Math.min(this.order.length - 1, this.order.indexOf(this.active) + by));
    this.activate(this.order[index]);
  }

  /** To the next passage that is open, from the top again at the end. False: none is open. */
  next() {
    const start = this.order.indexOf(this.active);
    for (let step = 1; step <= this.order.length; step += 1) {
      const number = this.order[(start + step) % this.order.length];
      if (number !== this.active && this.isOpen(number)) {
        this.activate(number);
        return true;
      }
    }
    return false;
  }

  begin() {
    this.activate(this.order.find((number) => this.isOpen(number)) ?? this.order[0]);
  }
}
