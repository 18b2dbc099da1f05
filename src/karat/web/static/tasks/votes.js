// Votes: how much each nug matters, one key each. A person can vote again on another occasion, without seeing the votes of before.

import { announce, counted, fill, h, keyButton } from "../ui/dom.js";
import { MEANINGS } from "../ui/wording.js";
import { TaskPage, progressLine } from "./shared/page.js";

const VITAL = [{ key: "v", digit: "1", value: "vital", label: "Vital" }, { key: "o", digit: "2", value: "okay", label: "Okay" }];
const GRADED = [0, 0.25, 0.5, 0.75, 1].map((value, index) => ({ key: String(index + 1), digit: String(index + 1), value, label: String(value) }));

export default class VotesPage extends TaskPage {
  /** @param {import("./shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    this.scale = this.data.vote_scale === "graded" ? GRADED : VITAL;
    /** @type {any[]} */
    this.key = this.data.key ?? [];
    this.active = 0;
    this.occasion = "";
    this.list = h("ol", { class: "vote-list", "aria-label": "Nugs", tabindex: "-1" });
    this.side = h("div", { class: "panel" });
    this.progress = h("div", {});
    const group = "Votes";
    this.shortcuts.add(
      ...this.scale.map((choice) => ({ keys: [...new Set([choice.key, choice.digit])], what: `${choice.label}, and on to the next`, run: () => this.vote(choice.value), group })),
      { keys: ["ArrowDown", "PageDown"], what: "Next nug", run: () => this.go(this.active + 1), group },
      { keys: ["ArrowUp", "PageUp"], what: "Nug before", run: () => this.go(this.active - 1), group },
      { keys: ["Enter"], what: "Next nug without a vote", run: () => this.next(), group },
      { keys: ["Delete", "Backspace"], what: "Take the vote back", run: () => this.takeBack(), group },
      this.finishShortcut,
    );
  }

  build() {
    return h("div", { class: "task" }, this.list, h("aside", { class: "side", "aria-label": "Votes" }, this.progress, this.side, this.finishPlace, this.frame.guideline()));
  }

  begin() {
    const occasions = this.occasions.filter(Boolean);
    this.occasion = occasions[occasions.length - 1] ?? "";
    this.next();
  }

  /** Those with a vote, the first one ("") always. @returns {string[]} */
  get occasions() {
    return [...new Set(["", ...this.store.all("vote").map(({ record }) => record.occasion ?? "")])].sort((a, b) => Number(a || 1) - Number(b || 1) || (a < b ? -1 : 1));
  }

  /** @param {any} nug */
  keyOf(nug) {
    return this.occasion ? `${nug.key}:${this.occasion}` : nug.key;
  }

  /** @param {any} nug */
  valueOf(nug) {
    return this.store.get("vote", this.keyOf(nug))?.value;
  }

  open() {
    const left = this.key.filter((nug) => this.valueOf(nug) === undefined).length;
    return left ? [`${counted(left, "nug")} without a vote`] : [];
  }

  /** @param {number} index */
  go(index) {
    this.active = Math.max(0, Math.min(this.key.length - 1, index));
    this.update();
    const row = this.list.querySelector("[data-active]");
    row?.scrollIntoView({ block: "nearest" });
    if (!this.list.contains(document.activeElement)) this.list.focus({ preventScroll: true });
  }

  next() {
    for (let offset = 0; offset < this.key.length; offset += 1) {
      const index = (this.active + offset) % this.key.length;
      if (this.valueOf(this.key[index]) === undefined) return this.go(index);
    }
    this.go(this.active);
    if (this.key.length) announce("All nugs have a vote.", "good");
  }

  /** @param {string | number} value @param {number} [index] */
  vote(value, index = this.active) {
    const nug = this.key[index];
    if (!nug || !this.save([{ kind: "vote", key: this.keyOf(nug), record: { nug: nug.key, occasion: this.occasion || undefined, value } }], `voted ${value}`)) return;
    this.active = index;
    this.next();
  }

  takeBack() {
    const nug = this.key[this.active];
    if (nug && this.valueOf(nug) !== undefined) this.save([{ kind: "vote", key: this.keyOf(nug), record: null }], "took a vote back");
  }

  /** @param {string} occasion */
  setOccasion(occasion) {
    this.occasion = occasion;
    this.active = 0;
    this.next();
  }

  update() {
    const voted = this.key.filter((nug) => this.valueOf(nug) !== undefined).length;
    fill(this.progress, progressLine(voted, this.key.length, "nugs voted on"), this.#otherKey(voted));
    fill(this.list, this.key.map((nug, index) => this.#row(nug, index)), this.key.length ? null : h("li", { class: "soft" }, "This query has no nugs to vote on yet."));
    const { occasions } = this;
    const all = occasions.includes(this.occasion) ? occasions : [...occasions, this.occasion];
    fill(this.side, h("h2", { title: MEANINGS.occasion }, "Occasion"), h("p", { class: "small soft" }, "Vote again on another day without seeing your votes of before; that shows how stable they are."),
      h("div", { class: "row" }, all.map((occasion) => keyButton(occasion ? `Occasion ${occasion}` : "First", "", () => this.setOccasion(occasion), { class: "small", "aria-pressed": String(occasion === this.occasion), id: `occasion-${occasion || 1}` })),
        keyButton("Vote again", "", () => this.setOccasion(String(Math.max(1, ...all.map((occasion) => Number(occasion) || 1)) + 1)), { class: "small quiet", id: "vote-again", disabled: voted < this.key.length || !this.key.length })));
    this.showFinish();
  }

  /** Votes on nugs that are not the key any more: they count for the own nugs, and are kept. @param {number} voted */
  #otherKey(voted) {
    const known = new Set(this.key.map((nug) => nug.key));
    const earlier = this.store.all("vote").filter(({ record }) => !known.has(record.nug)).length;
    if (!earlier || voted === this.key.length) return null;
    return h("p", { class: "notice small", id: "other-key" }, `The query is adjudicated: these are the adjudicated nugs. Your ${counted(earlier, "vote")} on your own nugs ${earlier === 1 ? "is" : "are"} kept. `,
      this.done ? "Reopen the step to vote on these." : "Vote on these, too.");
  }

  /** @param {any} nug @param {number} index */
  #row(nug, index) {
    const value = this.valueOf(nug);
    const active = index === this.active;
    return h("li", { class: "vote", "data-active": active, "aria-current": active ? "true" : null }, h("p", { dir: "auto" }, (nug.descriptions ?? [])[0] ?? nug.key,
      (nug.descriptions ?? []).slice(1).map((/** @type {string} */ other) => h("small", { class: "block soft", dir: "auto" }, other))),
    h("div", { class: "row", role: "group", "aria-label": `Vote on ${(nug.descriptions ?? [])[0] ?? nug.key}` }, this.scale.map((choice) => keyButton(choice.label, active ? choice.key : "", () => this.vote(choice.value, index), { class: "small", "aria-pressed": String(value === choice.value), id: `vote-${index}-${choice.value}` }))));
  }
}
