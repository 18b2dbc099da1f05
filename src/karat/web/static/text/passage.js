// <karat-passage>: a text in one text node, its marks, and a selection by mouse or by keyboard alone.
// Arrows move by word, with Shift they extend; with Ctrl by character; Home and End go to the ends of the sentence.

import { Marks } from "./highlights.js";
import { Offsets } from "./offsets.js";
import { nextCharacter, previousCharacter, sentences, wholeCharacters, wordAt, words } from "./segments.js";
import { trimmed } from "./spans.js";

/** @typedef {import("./offsets.js").Span} Span */
/** @typedef {import("./highlights.js").MarkName} MarkName */

export class KaratPassage extends HTMLElement {
  #node = document.createTextNode("");
  #body = document.createElement("p");
  #marks = new Marks(() => this.#node);
  offsets = new Offsets("");
  /** @type {import("./segments.js").Segment[]} */
  #words = [];
  language = "";
  /** @type {{anchor: number, focus: number} | null} UTF-16; a cursor is the word it stands on */
  #selection = null;
  #follow = () => this.#fromBrowser();

  constructor() {
    super();
    this.#body.className = "passage-text";
    this.#body.dir = "auto";
    this.#body.append(this.#node);
  }

  connectedCallback() {
    if (!this.contains(this.#body)) this.append(this.#body);
    document.addEventListener("selectionchange", this.#follow);
    this.addEventListener("keydown", this.#key);
    this.addEventListener("mouseup", this.#mouse);
  }

  disconnectedCallback() {
    document.removeEventListener("selectionchange", this.#follow);
    this.removeEventListener("keydown", this.#key);
    this.removeEventListener("mouseup", this.#mouse);
    this.#marks.clear();
  }

  /**
   * @param {string} text
   * @param {{language?: string | null, label?: string, selectable?: boolean}} [options]
   */
  show(text, { language = "", label = "Text", selectable = true } = {}) {
    this.#node.data = text;
    this.offsets = new Offsets(text);
    this.language = language ?? "";
    this.#words = words(text, this.language);
    this.#selection = null;
    if (language) this.#body.lang = language;
    if (selectable) {
      this.#body.tabIndex = 0;
      this.#body.setAttribute("role", "textbox");
      this.#body.setAttribute("aria-readonly", "true");
      this.#body.setAttribute("aria-multiline", "true");
      this.#body.setAttribute("aria-label", label);
    }
    return this;
  }

  get text() {
    return this.#node.data;
  }

  get body() {
    return this.#body;
  }

  /** @param {MarkName} name @param {readonly Span[]} spans  in code points */
  mark(name, spans) {
    this.#marks.set(name, this.offsets.spansToUnits(spans));
  }

  unmark() {
    this.#marks.clear();
    this.#paint();
  }

  /** What is selected, in code points, without white space at the ends; empty: nothing. @returns {Span[]} */
  get selected() {
    if (!this.#selection) return [];
    const { anchor, focus } = this.#selection;
    const { start, end } = wholeCharacters(this.text, Math.min(anchor, focus), Math.max(anchor, focus));
    return trimmed([[this.offsets.toPoint(start), this.offsets.toPoint(end)]], this.offsets);
  }

  clearSelection() {
    if (!this.#selection) return;
    // The cursor stays behind the last word, so that work goes on from there.
    this.#selection = null;
    const selection = document.getSelection();
    if (selection && this.contains(selection.anchorNode)) selection.removeAllRanges();
    this.#paint();
  }

  /** @param {Span} span  in code points */
  select([start, end]) {
    this.#selection = { anchor: this.offsets.toUnit(start), focus: this.offsets.toUnit(end) };
    this.#cursor = this.#selection.focus;
    this.#toBrowser();
  }

  /** UTF-16: where the next arrow key starts */
  #cursor = -1;

  focus() {
    this.#body.focus({ preventScroll: true });
  }

  /** Scrolls so that a span is in sight. @param {Span} span  in code points */
  reveal([start, end]) {
    const range = document.createRange();
    range.setStart(this.#node, this.offsets.toUnit(start));
    range.setEnd(this.#node, this.offsets.toUnit(end));
    const place = range.getBoundingClientRect();
    const scroller = this.closest("[data-scrolls]");
    if (scroller) scroller.scrollTop += place.top - scroller.getBoundingClientRect().top - scroller.clientHeight / 3;
    else if (place.top < 80 || place.bottom > innerHeight - 40) scrollBy({ top: place.top - innerHeight / 3 });
  }

  // The browser's selection ------------------------------------------------------------------------------------------

  #fromBrowser() {
    const selection = document.getSelection();
    if (!selection || selection.anchorNode !== this.#node || selection.isCollapsed) return;
    const anchor = selection.anchorOffset;
    const focus = selection.focusNode === this.#node ? selection.focusOffset : this.text.length;
    if (this.#selection && this.#selection.anchor === anchor && this.#selection.focus === focus) return;
    this.#selection = { anchor, focus };
    this.#cursor = focus;
    this.#paint();
  }

  #toBrowser() {
    if (!this.#selection) return;
    document.getSelection()?.setBaseAndExtent(this.#node, this.#selection.anchor, this.#node, this.#selection.focus);
    this.#paint();
  }

  #paint() {
    const { anchor, focus } = this.#selection ?? { anchor: 0, focus: 0 };
    this.#marks.set("selection", [[Math.min(anchor, focus), Math.max(anchor, focus)]]);
    this.dispatchEvent(new CustomEvent("passage-select", { bubbles: true }));
  }

  /** A click without a drag is told to the page: there may be a nugget there. */
  #mouse = () => {
    const selection = document.getSelection();
    if (!selection || selection.anchorNode !== this.#node || !selection.isCollapsed) return;
    this.#cursor = selection.anchorOffset;
    const word = this.#words[wordAt(this.#words, this.#cursor)];
    this.#selection = word ? { anchor: word.start, focus: word.end } : null;
    this.#paint();
    const point = this.offsets.toPoint(selection.anchorOffset);
    this.dispatchEvent(new CustomEvent("passage-click", { bubbles: true, detail: { point } }));
  };

  // The keyboard -----------------------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #key = (event) => {
    if (event.altKey || event.metaKey || !this.#words.length) return;
    const rightToLeft = getComputedStyle(this.#body).direction === "rtl";
    const forward = event.key === "ArrowDown" || event.key === (rightToLeft ? "ArrowLeft" : "ArrowRight");
    const backward = event.key === "ArrowUp" || event.key === (rightToLeft ? "ArrowRight" : "ArrowLeft");
    if (event.key === "a" && event.ctrlKey) this.#selection = { anchor: 0, focus: this.text.length };
    else if (event.key === "Home" || event.key === "End") this.#sentence(event.key === "End", event.shiftKey);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.#line(forward, event.shiftKey);
    else if (forward || backward) this.#step(forward, event.shiftKey, event.ctrlKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (this.#selection) this.#cursor = this.#selection.focus;
    this.#toBrowser();
    if (this.#selection) this.#inSight(this.#selection.focus);
  };

  /** @param {boolean} forward @param {boolean} extend @param {boolean} byCharacter */
  #step(forward, extend, byCharacter) {
    const list = this.#words;
    const now = this.#selection;
    if (byCharacter && now) {
      const move = forward ? nextCharacter : previousCharacter;
      if (extend) this.#selection = { anchor: now.anchor, focus: move(this.text, now.focus) };
      else {
        const start = forward ? nextCharacter(this.text, Math.min(now.anchor, now.focus)) : previousCharacter(this.text, Math.min(now.anchor, now.focus));
        this.#selection = { anchor: start, focus: nextCharacter(this.text, start) };
      }
      return;
    }
    if (!now || (!extend && !forward && this.#cursor < 0)) {
      const after = this.#cursor < 0 ? 0 : list.findIndex((word) => (forward ? word.start >= this.#cursor : word.end > this.#cursor));
      const index = after < 0 ? list.length - 1 : Math.max(0, forward ? after : after - 1);
      this.#selection = { anchor: list[index].start, focus: list[index].end };
      return;
    }
    if (extend) {
      const backwards = now.focus < now.anchor;
      let focus;
      if (forward) {
        const next = backwards ? list.find((word) => word.start > now.focus) : list.find((word) => word.end > now.focus);
        focus = next ? (backwards ? next.start : next.end) : now.focus;
        if (backwards && focus >= now.anchor) focus = list[wordAt(list, now.anchor)].end;
      } else {
        const before = backwards ? list.filter((word) => word.start < now.focus) : list.filter((word) => word.end < now.focus);
        const last = before[before.length - 1];
        if (backwards) focus = last ? last.start : now.focus;
        else if (last && last.end > now.anchor) focus = last.end;
        else {
          // Past the first word: the selection turns round and keeps that word.
          const word = list[wordAt(list, now.anchor)];
          const previous = list[wordAt(list, now.anchor) - 1] ?? word;
          this.#selection = { anchor: word.end, focus: previous.start };
          return;
        }
      }
      this.#selection = { anchor: now.anchor, focus };
      return;
    }
    const edge = forward ? Math.max(now.anchor, now.focus) - 1 : Math.min(now.anchor, now.focus);
    const index = Math.max(0, Math.min(list.length - 1, wordAt(list, edge) + (forward ? 1 : -1)));
    this.#selection = { anchor: list[index].start, focus: list[index].end };
  }

  /** To the word above or below. @param {boolean} down @param {boolean} extend */
  #line(down, extend) {
    const now = this.#selection;
    if (!now) return this.#step(true, false, false);
    const place = (/** @type {number} */ start, /** @type {number} */ end) => {
      const range = document.createRange();
      range.setStart(this.#node, start);
      range.setEnd(this.#node, end);
      return range.getClientRects()[0] ?? range.getBoundingClientRect();
    };
    const current = this.#words[wordAt(this.#words, Math.max(0, now.focus > now.anchor ? now.focus - 1 : now.focus))];
    const here = place(current.start, current.end);
    let best = null;
    let bestCost = Infinity;
    for (const word of this.#words) {
      const there = place(word.start, word.end);
      const lines = ((there.top - here.top) / here.height) * (down ? 1 : -1);
      if (lines < 0.6) continue;
      const cost = lines * 10000 + Math.abs(there.left - here.left);
      if (cost < bestCost) [best, bestCost] = [word, cost];
    }
    if (!best) best = this.#words[down ? this.#words.length - 1 : 0];
    if (extend) this.#selection = { anchor: now.anchor, focus: down ? best.end : best.start };
    else this.#selection = { anchor: best.start, focus: best.end };
  }

  /** @param {boolean} toEnd @param {boolean} extend */
  #sentence(toEnd, extend) {
    const list = sentences(this.text, this.language);
    const now = this.#selection ?? { anchor: 0, focus: 0 };
    const low = Math.min(now.anchor, now.focus);
    const high = Math.max(now.anchor, now.focus);
    if (toEnd) {
      const sentence = list.find((candidate) => candidate.end > (extend ? high : high - 1)) ?? list[list.length - 1];
      const word = this.#words[wordAt(this.#words, sentence.end - 1)];
      this.#selection = { anchor: extend ? low : word.start, focus: sentence.end };
    } else {
      const sentence = list[wordAt(list, extend ? Math.max(0, low - 1) : low)];
      const word = this.#words[wordAt(this.#words, sentence.start)];
      this.#selection = extend ? { anchor: high, focus: sentence.start } : { anchor: word.start, focus: word.end };
    }
  }

  /** @param {number} unit */
  #inSight(unit) {
    const point = this.offsets.toPoint(unit);
    this.reveal([Math.max(0, point - 1), Math.max(1, point)]);
  }
}

customElements.define("karat-passage", KaratPassage);
