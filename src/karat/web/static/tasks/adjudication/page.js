// Adjudication: two people's work laid over each other. Agreements are taken over; each difference is decided, with the reason.

import { Refusal } from "../../store/api.js";
import { intersection } from "../../text/spans.js";
import { announce, counted, fill, h, keyButton } from "../../ui/dom.js";
import { KIND_NAMES, described } from "../../ui/wording.js";
import { TaskPage, progressLine } from "../shared/page.js";
import { behindNotice } from "./behind.js";
import { aboutOf, contextOf } from "./context.js";
import { Rewriting } from "./rewriting.js";

/** @typedef {import("../../text/offsets.js").Span} Span */
/** @typedef {{kind: string, key: string, record: any}} Change */
/** @typedef {{account: number, changes: Change[], absent?: boolean}} Version */
/** @typedef {{item: string, kind: string, passage: number | null, label: string, versions: Version[], agreed: boolean, outdated?: boolean, decision: any}} Item */

const CHOICES = { taken: "taken", rewritten: "rewritten", left: "left open", agreed: "agreed" };

export default class AdjudicationPage extends TaskPage {
  /** @param {import("../shared/page.js").TaskContext} context */
  constructor(context) {
    super(context);
    this.active = "";
    this.reason = /** @type {string | null} as it is being written */ (null);
    this.showAgreed = false;
    this.working = Promise.resolve();
    this.text = /** @type {import("../../text/passage.js").KaratPassage} */ (document.createElement("karat-passage"));
    this.shownPassage = 0;
    /** @type {Rewriting | null} */
    this.rewriting = null;
    this.centre = h("div", { tabindex: "-1" });
    this.list = h("ul", { class: "item-list", "aria-label": "Differences" });
    this.progress = h("div", {});
    this.agreedBox = h("input", { type: "checkbox", id: "show-agreed" });
    this.agreedBox.addEventListener("change", () => {
      this.showAgreed = this.agreedBox.checked;
      this.update();
    });
    this.#read(this.data.differences);
    const group = "Adjudication";
    this.shortcuts.add(
      { keys: ["1", "2", "3"], what: "Take the version of the first, second, third person", run: (event) => void this.take(Number(event.key) - 1), group },
      { keys: ["w"], what: "Rewrite: neither is right", run: () => this.rewrite(), group },
      { keys: ["l"], what: "Leave it open", run: () => void this.leave(), group },
      { keys: ["r"], what: "Write the reason", run: () => document.getElementById("reason")?.focus(), group },
      { keys: ["Enter"], what: "Next difference that is open", run: () => this.next(), group },
      { keys: ["ArrowDown", "PageDown"], what: "Next", run: () => this.move(1), group },
      { keys: ["ArrowUp", "PageUp"], what: "The one before", run: () => this.move(-1), group },
      { keys: ["Space"], what: "While rewriting: add the selected text", run: () => this.rewriting?.addPiece(this.text), group },
      { keys: ["-", "Backspace"], what: "While rewriting: take the selected text out", run: () => this.rewriting?.removePiece(this.text), group },
      { keys: ["Escape"], what: "Stop rewriting", run: () => this.stopRewriting(), group },
      this.finishShortcut,
    );
  }

  /** @param {any} differences */
  #read(differences) {
    /** @type {Item[]} */
    this.items = differences.items;
    /** @type {{account: number, name: string}[]} */
    this.assessors = differences.assessors;
    /** @type {{name: string, steps: string[]}[]} who has not finished which steps */
    this.behind = differences.behind ?? [];
    for (const passage of differences.passages ?? []) this.passages.set(passage.number, passage);
  }

  build() {
    return h("div", { class: "task" }, h("div", {}, behindNotice(this), this.centre), h("aside", { class: "side", "aria-label": "Differences" }, this.progress,
      h("section", { class: "panel" }, h("h2", {}, "Differences"), h("p", {}, h("label", { class: "line small" }, this.agreedBox, "show what they agree on too")), this.list),
      h("section", { class: "panel" }, h("h2", {}, "The adjudicated layer"), h("p", { class: "small soft" }, this.data.reader ? "Every step of it can be opened:" : "Every step of it can be opened and changed like one's own:"),
        h("div", { class: "row" }, (this.data.steps ?? []).map((/** @type {any} */ entry) => h("a", { href: `/queries/${this.query}/${entry.step}?owner=0` }, entry.step)))),
      this.finishPlace));
  }

  begin() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const here = this.items.filter((item) => item.passage === Number(wanted.get("passage")));
    const asked = here.find((item) => item.kind === wanted.get("kind")) ?? here.find((item) => !this.agreedOn(item)) ?? here[0];
    if (asked) {
      this.showAgreed = this.agreedBox.checked = this.agreedOn(asked);
      this.go(asked.item);
    } else this.next();
    this.centre.focus();
  }

  /** Begun: something is decided or taken over already. */
  get begun() {
    return this.items.some((item) => item.outdated || this.decisionOf(item)) || this.data.annotations.some((/** @type {any} */ each) => each.kind === "decision" && each.record);
  }

  // What there is ----------------------------------------------------------------------------------------------------

  get shown() {
    return this.items.filter((item) => this.showAgreed || !this.agreedOn(item));
  }

  get item() {
    return this.items.find((item) => item.item === this.active);
  }

  /** @param {Item} item */
  decisionOf(item) {
    const decision = this.store.get("decision", item.item);
    // "agreed" is no decision of a person: the server says whether it is still true.
    return decision && decision.choice !== "agreed" ? decision : item.decision;
  }

  /** Nothing to decide: they agree, and it is what stands. @param {Item} item */
  agreedOn(item) {
    return item.agreed && !item.outdated && (this.decisionOf(item)?.choice ?? "agreed") === "agreed";
  }

  /** @param {number} account */
  nameOf(account) {
    return this.assessors.find((assessor) => assessor.account === account)?.name ?? "?";
  }

  open() {
    const left = this.items.filter((item) => !this.agreedOn(item) && !this.decisionOf(item)).length;
    return left ? [`${counted(left, "difference")} not decided`] : [];
  }

  /** Of one version, in its passage. @param {Version} version @returns {Span[]} */
  spansOf(version) {
    const record = version.absent ? null : version.changes.find((change) => change.record?.spans || change.record?.text_spans)?.record;
    return record?.spans ?? record?.text_spans ?? [];
  }

  // What people do ---------------------------------------------------------------------------------------------------

  /** @param {string} item */
  go(item) {
    this.active = item;
    this.rewriting = this.reason = null;
    this.update();
    this.list.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} by */
  move(by) {
    const { shown } = this;
    const index = shown.findIndex((item) => item.item === this.active);
    const next = shown[Math.max(0, Math.min(shown.length - 1, index + by))];
    if (next) this.go(next.item);
  }

  next() {
    const { shown } = this;
    const start = Math.max(0, shown.findIndex((item) => item.item === this.active));
    for (let offset = 0; offset < shown.length; offset += 1) {
      const item = shown[(start + offset) % shown.length];
      if (!this.agreedOn(item) && !this.decisionOf(item)) return this.go(item.item);
    }
    if (!this.active && shown.length) this.go(shown[0].item);
    else this.update();
    if (shown.length) announce("All differences are decided.", "good");
  }

  /** Keys that are pressed faster than the server answers are about the next difference. @param {() => Promise<void>} work */
  #afterwards(work) {
    this.working = this.working.then(work);
    return this.working;
  }

  /** @param {number} index */
  take(index) {
    return this.#afterwards(async () => {
      const version = this.item?.versions[index];
      if (version) await this.decide(version.changes, "taken", version.account);
    });
  }

  leave() {
    return this.#afterwards(() => this.decide([], "left", undefined));
  }

  rewrite() {
    const { item } = this;
    if (!item || !this.editable) return;
    const base = item.versions.find((version) => !version.absent && version.changes.some((change) => change.record));
    if (!base) return announce("There is nothing to start from: open the step of the adjudicated layer instead.");
    this.rewriting = new Rewriting(this, base.changes);
    this.update();
    this.text.focus();
  }

  stopRewriting() {
    this.rewriting = null;
    this.update();
    this.centre.focus();
  }

  showFinish() {
    super.showFinish();
    const button = this.finishPlace.querySelector("#finish");
    if (button?.firstChild) button.firstChild.textContent = this.done ? "Reopen the adjudication" : "Finish the adjudication";
  }

  /** @param {Change[]} changes @param {"taken" | "rewritten" | "left"} choice @param {number | undefined} from */
  async decide(changes, choice, from) {
    const { item } = this;
    if (!item) return;
    const reason = (this.reason ?? this.decisionOf(item)?.reason ?? "").trim();
    const decision = { kind: "decision", key: item.item, record: { item: item.item, choice, taken_from: from, reason } };
    if (!this.save([...changes.map(({ kind, key, record }) => ({ kind, key, record })), decision], `decided: ${CHOICES[choice]}`)) return;
    this.rewriting = null;
    this.centre.focus({ preventScroll: true });
    await this.store.settled();
    try {
      // What a version means for the adjudicated layer depends on what was decided before.
      this.#read(await this.store.api.differences());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    this.next();
  }

  /** @param {boolean} done */
  async finish(done) {
    const open = done ? this.open() : [];
    if (open.length) return announce(`${open[0]}. Decide them, or leave them open with l.`, "bad");
    await this.store.settled();
    try {
      for (const entry of this.data.steps ?? []) entry.done = (await this.store.api.setStep(entry.step, done)).done;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      announce(error.message, "bad");
      return;
    }
    this.done = done;
    announce(done ? "The query is adjudicated." : "The adjudication is open again.", "good");
    this.update();
    if (done) this.focusOnward();
  }

  // What is shown ----------------------------------------------------------------------------------------------------

  update() {
    const differences = this.items.filter((item) => !this.agreedOn(item));
    const decided = differences.filter((item) => this.decisionOf(item)).length;
    fill(this.progress, progressLine(decided, differences.length, "differences decided"), h("p", { class: "small soft" }, `${counted(this.items.length - differences.length, "agreement")}${this.begun ? ", taken over" : ""}.`));
    fill(this.list, this.shown.map((item, index) => {
      const decision = this.decisionOf(item);
      return h("li", {}, h("button", { type: "button", class: "small", id: `difference-${index}`, "aria-pressed": String(item.item === this.active), onclick: () => this.go(item.item) },
        h("span", { class: "tag" }, KIND_NAMES[item.kind] ?? item.kind), h("span", { dir: "auto", title: item.label }, aboutOf(this, item)),
        this.agreedOn(item) ? h("span", { class: "tag good" }, "agreed") : decision ? h("span", { class: "tag good" }, CHOICES[/** @type {keyof typeof CHOICES} */ (decision.choice)] ?? decision.choice) : h("span", { class: "tag warn" }, "open")));
    }));
    this.#centre();
    this.showFinish();
  }

  #centre() {
    const { item } = this;
    if (!item) return fill(this.centre, h("p", { class: "success" }, this.items.length ? "The assessors agree on everything." : "There is nothing to adjudicate yet."));
    const decision = this.decisionOf(item);
    const reason = h("input", { type: "text", id: "reason", dir: "auto", maxlength: 2000, value: this.reason ?? decision?.reason ?? "", placeholder: "Why" });
    reason.addEventListener("input", () => (this.reason = reason.value));
    reason.addEventListener("keydown", (event) => event.key === "Enter" && this.centre.focus());
    fill(this.centre, h("h2", { class: "answer-head" }, `${KIND_NAMES[item.kind] ?? item.kind}: `, h("span", { dir: "auto" }, item.label)),
      item.outdated && !decision ? h("p", { class: "notice", id: "outdated" }, "They agree, but the adjudicated layer has something else. Take theirs, or leave what is there.") : null,
      item.passage ? h("article", { class: "passage", "data-active": true }, this.text, this.#legend(item)) : null, contextOf(this, item),
      h("div", { class: "versions" }, item.versions.map((version, index) => this.#version(item, version, index, decision))),
      this.rewriting ? h("div", { class: "panel" }, h("h2", {}, "Rewrite"), this.rewriting.form()) : null,
      !this.editable ? (decision?.reason ? h("p", { dir: "auto" }, `Reason: ${decision.reason}`) : null) : h("div", { class: "card" }, h("div", { class: "field" }, h("label", { for: "reason" }, "Reason ", h("kbd", { "aria-hidden": "true" }, "r")), reason),
        h("div", { class: "row" }, keyButton("Rewrite", "w", () => this.rewrite(), { id: "rewrite" }), keyButton("Leave it open", "l", () => void this.leave(), { id: "leave" }),
          decision ? h("span", { class: "tag good" }, decision.choice === "taken" ? `taken from ${this.nameOf(decision.taken_from)}` : CHOICES[/** @type {keyof typeof CHOICES} */ (decision.choice)]) : null)));
    this.#overlay(item);
  }

  /** @param {Item} item */
  #overlay(item) {
    if (!item.passage) return;
    const passage = this.passages.get(item.passage);
    if (this.shownPassage !== item.passage && passage) this.text.show(passage.text, { language: passage.language, label: "The passage" });
    this.shownPassage = item.passage;
    const [first = [], second = []] = item.versions.map((version) => this.spansOf(version));
    this.text.mark("mine", first);
    this.text.mark("other", second);
    this.text.mark("both", intersection(first, second));
    this.text.mark("active", this.rewriting?.spans ?? []);
  }

  /** @param {Item} item */
  #legend(item) {
    const names = item.versions.map((version) => this.nameOf(version.account));
    return h("div", { class: "legend" }, h("span", {}, h("span", { class: "swatch mine" }), `only ${names[0] ?? ""}`), names[1] ? h("span", {}, h("span", { class: "swatch other" }), `only ${names[1]}`) : null, h("span", {}, h("span", { class: "swatch both" }), "both"), this.rewriting ? h("span", {}, h("span", { class: "swatch active" }), "rewritten") : null);
  }

  /** @param {Item} item @param {Version} version @param {number} index @param {any} decision */
  #version(item, version, index, decision) {
    const name = this.nameOf(version.account);
    const taken = decision?.choice === "taken" && decision.taken_from === version.account;
    const about = version.changes.filter((change) => change.record && (item.kind === "degree" ? change.kind === "nug" : change.kind === item.kind));
    const shown = about.length ? about : version.changes.filter((change) => change.record);
    return h("section", { class: `version ${index === 0 ? "mine" : "other"}`, "aria-label": `Version of ${name}` }, h("h3", { dir: "auto" }, name),
      version.absent || !shown.length ? h("p", { class: "soft" }, "has nothing here") : shown.map((change) => described(change.kind, change.record, this.lookups)),
      this.editable ? keyButton(version.absent ? "Take this: nothing" : "Take this", String(index + 1), () => void this.take(index), { id: `take-${index}`, "aria-pressed": String(taken) }) : taken ? h("span", { class: "tag good" }, "taken") : null);
  }
}
