// Nugs: nuggets that say the same, put together on a board. Nobody sees which run a nugget comes from.

import { newKey } from "../../store/work_store.js";
import { announce, counted, h } from "../../ui/dom.js";
import { nuggetText } from "../../ui/wording.js";
import { TaskPage } from "../shared/page.js";
import { drawBoard } from "./drawing.js";
import { copyOf, degreeOf, degreeSum, editsTo, isOpenPair, nugsOf, settle } from "./membership.js";
import { nugsOfTheRest } from "./rest.js";

/** @typedef {import("./membership.js").Nugs} Nugs */
/** @typedef {import("./membership.js").Member} Member */

export default class NugsPage extends TaskPage {
  /** @param {import("../shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    /** @type {Map<string, string>} picked nuggets, with the nug in which each was picked, or "" */
    this.picked = new Map();
    /** @type {Set<string>} */
    this.pickedNugs = new Set();
    /** @type {Set<string>} pairs that the person does not want to see */
    this.dismissed = new Set();
    this.words = "";
    this.pool = h("div", { class: "pool-list", "data-scrolls": true, tabindex: "-1" });
    this.board = h("div", { class: "nug-grid" });
    this.tools = h("div", { class: "board-tools row", role: "toolbar", "aria-label": "What to do with the chosen" });
    this.similar = h("div", {});
    this.progress = h("div", {});
    this.search = h("input", { type: "search", id: "search", dir: "auto", placeholder: "Search nuggets and nugs" });
    this.search.addEventListener("input", () => {
      this.words = this.search.value.toLocaleLowerCase();
      this.update();
    });
    this.free = h("input", { type: "checkbox", id: "only-free", onchange: () => this.update() });
    this.#keys();
  }

  #keys() {
    const group = "Nugs";
    this.shortcuts.add(
      { keys: ["n"], what: "A new nug of the chosen nuggets", run: () => this.create(), group },
      { keys: ["r"], what: "A nug of every nugget that is left", run: () => nugsOfTheRest(this), group },
      { keys: ["a"], what: "Add the chosen nuggets to the nug in focus", run: () => this.addTo(this.nugInFocus), group },
      { keys: ["m"], what: "Merge the chosen nugs", run: () => this.merge(), group },
      { keys: ["x"], what: "Split: the chosen members become a nug of their own", run: () => this.splitOff(), group },
      { keys: ["b"], what: "The nugget in focus is the most precise one", run: () => this.setBest(), group },
      { keys: ["s"], what: "Put the first suggested pair together", run: () => this.acceptSimilar(), group },
      { keys: ["d"], what: "Do not suggest the first pair", run: () => this.dismissSimilar(), group },
      { keys: ["e"], what: "Back to the nugget in its text, to make it anew", run: () => this.renuggetize(), group },
      { keys: ["Delete", "Backspace"], what: "Take the nugget out of the nug, or delete the nug", run: () => this.removeFocused(), group },
      { keys: ["/"], what: "Search", run: () => this.search.focus(), group },
      { keys: ["ArrowDown"], what: "Next nugget or nug", run: () => this.move(1), group },
      { keys: ["ArrowUp"], what: "The one before", run: () => this.move(-1), group },
      { keys: ["ArrowRight"], what: "To the nugs", run: () => this.across(this.board), group },
      { keys: ["ArrowLeft"], what: "To the nuggets", run: () => this.across(this.pool), group },
      { keys: ["Space"], what: "Choose the nugget or nug in focus", run: () => {}, group }, // the button does it
      { keys: ["Escape"], what: "Choose none", run: () => this.clear(), group },
      this.finishShortcut,
    );
  }

  build() {
    return h("div", { class: "board" },
      h("section", { class: "pool", "aria-label": "Nuggets" }, this.progress,
        h("div", { class: "field" }, h("label", { class: "unseen", for: "search" }, "Search nuggets and nugs"), this.search),
        h("label", { class: "line small" }, this.free, "only nuggets in no nug"), this.similar, this.pool, this.finishPlace, this.frame.guideline()),
      h("section", { class: "nugs", "aria-label": "Nugs" }, this.tools, this.board));
  }

  begin() {
    this.across(this.pool);
  }

  // What there is ----------------------------------------------------------------------------------------------------

  get nuggets() {
    const order = new Map([...this.passages.keys()].map((number, index) => [number, index]));
    return this.store.all("nugget").sort((a, b) => (order.get(a.record.passage) ?? 0) - (order.get(b.record.passage) ?? 0) || a.record.spans[0][0] - b.record.spans[0][0]);
  }

  get loose() {
    const nugs = copyOf(this.store.all("nug"));
    return this.nuggets.filter(({ key }) => nugsOf(nugs, key).length === 0);
  }

  /** @param {string} key */
  textOf(key) {
    const record = this.store.get("nugget", key);
    return record ? nuggetText(record, this.lookups) : "(deleted nugget)";
  }

  /** The sentence it says, else its text. @param {string} key */
  meaningOf(key) {
    return this.store.get("nugget", key)?.paraphrase || this.textOf(key);
  }

  open() {
    const loose = this.loose.length;
    const empty = this.store.all("nug").filter(({ record }) => !(record.members ?? []).length).length;
    return [loose ? `${counted(loose, "nugget")} in no nug` : "", empty ? `${counted(empty, "nug")} without a member` : ""].filter(Boolean);
  }

  get nugInFocus() {
    const card = document.activeElement?.closest("[data-nug]");
    return card?.getAttribute("data-nug") ?? (this.pickedNugs.size === 1 ? [...this.pickedNugs][0] : "");
  }

  get nuggetInFocus() {
    return document.activeElement?.closest("[data-nugget]")?.getAttribute("data-nugget") ?? "";
  }

  // What people do ---------------------------------------------------------------------------------------------------

  /** Works on copies, makes the rules hold, and saves what changed. False: nothing was saved, and what was chosen stays chosen. @param {string} what @param {(nugs: Nugs) => void} work */
  rework(what, work) {
    const before = this.store.all("nug");
    const nugs = copyOf(before);
    work(nugs);
    const notes = settle(nugs);
    const edits = editsTo(before, nugs);
    if (!edits.length || !this.save(edits, what)) return false;
    for (const note of notes) announce(`To keep the rules: a nugget ${note}.`);
    return true;
  }

  clear() {
    this.picked.clear();
    this.pickedNugs.clear();
    this.update();
  }

  /** @param {Nugs} nugs @param {string} nugKey @param {string[]} nuggets */
  #put(nugs, nugKey, nuggets) {
    const nug = nugs.get(nugKey);
    for (const nugget of nuggets) {
      if (nug.members.some((/** @type {Member} */ member) => member.nugget === nugget)) continue;
      const left = 1 - degreeSum(nugs, nugget);
      nug.members.push({ nugget, degree: left > 1e-6 ? Math.round(left * 10000) / 10000 : 1 });
    }
    nug.best ??= [...nuggets].sort((a, b) => this.textOf(b).length - this.textOf(a).length)[0];
  }

  /** @param {string[]} [nuggets] */
  create(nuggets = [...this.picked.keys()]) {
    if (!nuggets.length) return announce("Choose one or more nuggets first: Space on a nugget.");
    const key = newKey("nug");
    const saved = this.rework("new nug", (nugs) => {
      const best = [...nuggets].sort((a, b) => this.textOf(b).length - this.textOf(a).length)[0];
      nugs.set(key, { description: this.meaningOf(best), best, members: [] });
      this.#put(nugs, key, nuggets);
    });
    if (saved) this.clear();
  }

  /** @param {string} key @param {string[]} [nuggets] */
  addTo(key, nuggets = [...this.picked.keys()]) {
    if (!key) return announce("Move to a nug first, or choose one.");
    if (!nuggets.length) return announce("Choose one or more nuggets first: Space on a nugget.");
    if (this.rework("added to a nug", (nugs) => this.#put(nugs, key, nuggets))) this.clear();
  }

  merge() {
    const [first, ...others] = [...this.pickedNugs];
    if (!others.length) return announce("Choose two or more nugs first: Space on a nug.");
    const saved = this.rework("merged nugs", (nugs) => {
      const nug = nugs.get(first);
      for (const other of others) {
        const gone = nugs.get(other);
        nugs.delete(other);
        for (const member of gone.members) {
          const same = nug.members.find((/** @type {Member} */ own) => own.nugget === member.nugget);
          if (same) same.degree = Math.min(1, degreeOf(same) + degreeOf(member));
          else nug.members.push(member);
        }
        if (gone.relevance !== undefined) nug.relevance = Math.max(nug.relevance ?? 0, gone.relevance);
      }
    });
    if (saved) this.clear();
  }

  splitOff() {
    const chosen = [...this.picked].filter(([, nug]) => nug);
    if (!chosen.length) return announce("Choose members inside a nug first: Space on them.");
    const key = newKey("nug");
    const saved = this.rework("split a nug", (nugs) => {
      const degrees = chosen.map(([nugget, nug]) => ({ nugget, degree: degreeOf(nugs.get(nug).members.find((/** @type {Member} */ member) => member.nugget === nugget)) }));
      for (const [nugget, nug] of chosen) nugs.get(nug).members = nugs.get(nug).members.filter((/** @type {Member} */ member) => member.nugget !== nugget);
      const best = [...chosen].sort((a, b) => this.textOf(b[0]).length - this.textOf(a[0]).length)[0][0];
      nugs.set(key, { description: this.meaningOf(best), best, members: degrees });
    });
    if (saved) this.clear();
  }

  removeFocused() {
    const [nug, nugget] = [this.nugInFocus, this.nuggetInFocus];
    if (!nug) return announce("Move to a nug, or to a member of one.");
    const saved = this.rework(nugget ? "took a nugget out of a nug" : "deleted a nug", (nugs) => {
      if (nugget) nugs.get(nug).members = nugs.get(nug).members.filter((/** @type {Member} */ member) => member.nugget !== nugget);
      else nugs.delete(nug);
    });
    if (saved) this.clear();
  }

  setBest() {
    const [nug, nugget] = [this.nugInFocus, this.nuggetInFocus];
    if (!nug || !nugget) return announce("Move to a member of a nug.");
    this.makeBest(nug, nugget);
  }

  /** A meaning that was taken from the old best one is taken from the new one. @param {string} key @param {string} nugget */
  makeBest(key, nugget) {
    this.rework("most precise nugget", (nugs) => {
      const nug = nugs.get(key);
      if (!nug.description || nug.description === this.meaningOf(nug.best ?? "")) nug.description = this.meaningOf(nugget);
      nug.best = nugget;
    });
  }

  /** @param {string} key @param {string} nugget @param {number} degree */
  setDegree(key, nugget, degree) {
    const others = degreeSum(copyOf(this.store.all("nug")), nugget, key);
    if (!(degree > 0 && degree <= 1)) announce("A degree is more than 0 and at most 1.", "bad");
    else if (degree + others > 1 + 1e-9) announce(`This nugget's degrees in other nugs sum to ${others}; at most ${Math.round((1 - others) * 10000) / 10000} is left.`, "bad");
    else {
      this.rework("degree", (nugs) => {
        nugs.get(key).members.find((/** @type {Member} */ member) => member.nugget === nugget).degree = degree;
      });
      return;
    }
    this.update();
  }

  renuggetize() {
    const key = this.nuggetInFocus || [...this.picked.keys()][0];
    if (!key) return announce("Move to a nugget first.");
    void this.store.settled().then(() => location.assign(`/queries/${this.query}/nuggets${location.search}#nugget=${encodeURIComponent(key)}`));
  }

  /** Pairs that are not in one nug yet. */
  get pairs() {
    const nugs = copyOf(this.store.all("nug"));
    return (this.data.similar ?? []).filter((/** @type {any} */ pair) => !this.dismissed.has(pair.nuggets.join(" ")) && isOpenPair(nugs, pair.nuggets, (key) => Boolean(this.store.get("nugget", key))));
  }

  acceptSimilar() {
    const pair = this.pairs[0];
    if (!pair) return announce("No pair is suggested.");
    const nugs = copyOf(this.store.all("nug"));
    const [left, right] = pair.nuggets.map((/** @type {string} */ key) => nugsOf(nugs, key)[0]);
    if (!left && !right) return this.create(pair.nuggets);
    if (!left || !right) return this.addTo(left ?? right, pair.nuggets);
    this.pickedNugs = new Set([left, right]);
    this.merge();
  }

  dismissSimilar() {
    const pair = this.pairs[0];
    if (pair) this.dismissed.add(pair.nuggets.join(" "));
    this.update();
  }

  // Moving -----------------------------------------------------------------------------------------------------------

  /** @param {number} by */
  move(by) {
    const area = this.board.contains(document.activeElement) ? this.board : this.pool;
    const items = /** @type {HTMLElement[]} */ ([...area.querySelectorAll("[data-stop]")]);
    const index = items.findIndex((item) => item === document.activeElement);
    const next = items[Math.max(0, Math.min(items.length - 1, index + by))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  }

  /** @param {HTMLElement} area */
  across(area) {
    const item = area.querySelector("[data-stop]");
    if (item instanceof HTMLElement) item.focus();
  }

  // What is shown ----------------------------------------------------------------------------------------------------

  /** @param {string} nugget @param {string} nug */
  pick(nugget, nug) {
    if (this.picked.get(nugget) === nug) this.picked.delete(nugget);
    else this.picked.set(nugget, nug);
    this.update();
  }

  /** @param {string} key */
  pickNug(key) {
    if (!this.pickedNugs.delete(key)) this.pickedNugs.add(key);
    this.update();
  }

  update() {
    drawBoard(this);
    this.showFinish();
  }
}
