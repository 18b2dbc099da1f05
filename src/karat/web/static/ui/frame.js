// What all task pages share: the bar with steps, saved state and undo; the query; the guideline; the help.

import { tell } from "./dialogs.js";
import { announce, counted, fill, h, keyButton } from "./dom.js";
import { STEP_NAMES } from "./wording.js";

/** @typedef {import("../store/work_store.js").WorkStore} WorkStore */
/** @typedef {import("./shortcuts.js").Shortcuts} Shortcuts */

/** The keys of texts (text/passage.js). */
const TEXT_KEYS = [
  ["←", "→", "Word by word; the word is selected"], ["Shift+←", "Shift+→", "Extend the selection by a word"],
  ["Ctrl+←", "Ctrl+→", "Character by character; with Shift: extend"], ["↑", "↓", "The line above or below; with Shift: extend"],
  ["Home", "End", "Beginning or end of the sentence; with Shift: extend"], ["Ctrl+A", "", "The whole text"],
];
const GUIDELINE_OPEN = "karat-guideline-open";

/** "saved", or what waits and why, in plain words. @param {WorkStore} store */
export function savedState(store) {
  const { waiting, refused, trouble, stuck, lasting } = store.state;
  if (!waiting && refused) return { text: `${counted(refused, "change was", "changes were")} not saved`, tone: "bad" };
  if (!waiting && trouble !== "conflict") return { text: "Saved", tone: "good" };
  const changes = counted(waiting, "change");
  const verb = waiting === 1 ? "waits" : "wait";
  if (trouble === "offline") return { text: `${changes} ${verb} for the connection${lasting ? "" : "; do not close this tab"}`, tone: "warn" };
  if (stuck) return { text: `The server fails: ${changes} ${verb}${lasting ? "" : "; do not close this tab"}`, tone: "bad" };
  if (trouble === "failing") return { text: `${changes} ${verb} for the server${lasting ? "" : "; do not close this tab"}`, tone: "warn" };
  if (trouble === "another") return { text: `Another person is logged in: log in as yourself in another tab, ${changes} ${verb}`, tone: "bad" };
  if (trouble === "login") return { text: `You are logged out: log in in another tab, ${changes} ${verb}`, tone: "bad" };
  if (trouble === "conflict") return { text: "Two versions: choose one", tone: "bad" };
  return { text: `Saving ${changes} …`, tone: "" };
}

export class Frame {
  /** @param {{data: any, store: WorkStore, shortcuts: Shortcuts, query: string, step: string}} task */
  constructor({ data, store, shortcuts, query, step }) {
    this.data = data;
    this.store = store;
    this.shortcuts = shortcuts;
    this.query = query;
    this.step = step;
    this.state = h("span", { class: "saved", role: "status" });
    this.undo = keyButton("Undo", "", () => this.store.undo(), { class: "quiet small", title: "Undo (Ctrl+Z)" });
    this.redo = keyButton("Redo", "", () => this.store.redo(), { class: "quiet small", title: "Redo (Ctrl+Shift+Z)" });
    store.addEventListener("state", () => this.show());
    shortcuts.add(
      { keys: ["Ctrl+Z"], what: "Undo", run: () => void this.store.undo(), group: "Everywhere" },
      { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], what: "Redo", run: () => void this.store.redo(), group: "Everywhere" },
      { keys: ["?"], what: "All keys", run: () => this.help(), group: "Everywhere" },
      { keys: ["g"], what: "Open or fold the guideline", run: () => this.foldGuideline(), group: "Everywhere" },
    );
  }

  bar() {
    const steps = [...(this.data.steps ?? []).map((/** @type {any} */ entry) => ({ ...entry, address: `/queries/${this.query}/${entry.step}` }))];
    if (this.step === "adjudication") steps.length = 0;
    return [
      h("span", { class: "bar-query mono", dir: "auto", title: this.data.query.text }, this.data.query.query_id),
      h("nav", { class: "bar-nav steps", "aria-label": "Steps" }, steps.map((entry) =>
        h("a", { href: entry.address + location.search, "aria-current": entry.step === this.step ? "page" : null },
          STEP_NAMES[entry.step] ?? entry.step, entry.done ? h("span", { class: "done", "aria-label": "done" }, " ✓") : null))),
      h("div", { class: "bar-tools" }, this.state, this.undo, this.redo,
        h("button", { type: "button", class: "quiet small", onclick: () => this.help(), "aria-label": "Help: all keys" }, "Help", h("kbd", { "aria-hidden": "true" }, "?"))),
    ];
  }

  show() {
    const { text, tone } = savedState(this.store);
    if (this.state.textContent !== text) this.state.textContent = text;
    this.state.className = `saved tag ${tone}`;
    this.redo.disabled = this.store.redoable.length === 0;
    this.undo.disabled = !this.data.editable;
  }

  heading() {
    const { query } = this.data;
    const conditions = Object.entries(query.conditions ?? {}).map(([name, value]) => h("span", { class: "tag" }, `${name}: ${value}`));
    return h("div", { class: "query-head" }, h("h1", { dir: "auto", lang: query.language || null }, query.text),
      h("div", { class: "row" }, conditions, this.data.owner === 0 ? h("span", { class: "tag warn" }, "adjudicated layer") : null),
      this.data.editable ? null : h("p", { class: "notice", id: "read-only" }, this.step === "adjudication" ? "You can read this, not change it: an adjudicator decides the differences."
        : this.data.reader ? "You can read this, not change it: it is the work of somebody else." : "This campaign does not use this step, so nothing can be changed here."));
  }

  /** Folds away; stays as it was left. */
  guideline() {
    const { guideline, template } = this.data;
    if (!guideline?.rule && !template) return null;
    let open = true;
    try {
      open = localStorage.getItem(GUIDELINE_OPEN) !== "0";
    } catch { /* open */ }
    const panel = h("details", { class: "guideline", open, id: "guideline" }, h("summary", {}, "Guideline", h("kbd", { "aria-hidden": "true" }, "g")),
      guideline?.rule ? h("p", { dir: "auto" }, guideline.rule) : null,
      guideline?.examples?.length ? h("ul", {}, guideline.examples.map((/** @type {any} */ example) => h("li", { dir: "auto" }, typeof example === "string" ? example : JSON.stringify(example)))) : null,
      template ? [h("h3", { dir: "auto" }, `Template ${template.template_id}`), h("p", { dir: "auto" }, template.description),
        Object.keys(template.categories ?? {}).length ? h("dl", { class: "record" }, Object.entries(template.categories).map(([name, meaning]) => [h("dt", { dir: "auto" }, name), h("dd", { dir: "auto" }, String(meaning))])) : null] : null);
    panel.addEventListener("toggle", () => {
      try {
        localStorage.setItem(GUIDELINE_OPEN, panel.open ? "1" : "0");
      } catch { /* forgotten */ }
    });
    return panel;
  }

  foldGuideline() {
    const panel = document.getElementById("guideline");
    if (panel instanceof HTMLDetailsElement) panel.open = !panel.open;
  }

  help() {
    /** @type {Map<string, import("./shortcuts.js").Shortcut[]>} */
    const groups = new Map();
    for (const shortcut of this.shortcuts.list) {
      const group = shortcut.group ?? "Here";
      groups.set(group, [...(groups.get(group) ?? []), shortcut]);
    }
    const off = h("input", { type: "checkbox", id: "letters-off", checked: this.shortcuts.lettersOff });
    off.addEventListener("change", () => {
      this.shortcuts.lettersOff = off.checked;
      announce(off.checked ? "Keys without Ctrl are off." : "Keys without Ctrl are on.");
    });
    tell("Keys", h("div", { class: "keys" }, [...groups].map(([group, list]) => h("section", {}, h("h3", {}, group), h("dl", {}, list.map((shortcut) =>
      [h("dt", {}, shortcut.keys.map((key) => h("kbd", {}, key))), h("dd", {}, shortcut.what)])))),
    h("section", {}, h("h3", {}, "In a text"), h("dl", {}, TEXT_KEYS.map(([one, other, what]) => [h("dt", {}, h("kbd", {}, one), other ? h("kbd", {}, other) : null), h("dd", {}, what)])))),
    h("p", {}, h("label", { class: "line" }, off, "Switch keys without Ctrl off (for dictation and some screen readers)")));
  }

  /** @param {Element} place */
  fillBar(place) {
    fill(place, this.bar());
    this.show();
  }
}
