// Questions in a window: one key per answer, Escape leaves everything as it is.

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */
/** @template T @typedef {{label: string, value: T, hint?: string, primary?: boolean, group?: Group}} Option */
/** @typedef {{title: string, note?: string}} Group  options of one group stand together, under its title */

/**
 * Answers are numbered as they are seen; the digit presses the button. Letters go to the search, where there is one. A field with `write` is given back with the answer.
 * @template T
 * @param {{title: string, body?: Child, options: Option<T>[], write?: {label: string, value?: string}, wide?: boolean, cancel?: string | null, search?: boolean}} question
 * @returns {Promise<{value: T, text: string} | null>} null: cancelled
 */
export function ask({ title, body, options, write, wide = false, cancel = "Cancel", search = false }) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const field = write ? h("input", { type: "text", id: "dialog-text", value: write.value ?? "", dir: "auto", maxlength: 2000 }) : null;
    const filter = search ? h("input", { type: "search", id: "dialog-search", dir: "auto" }) : null;
    /** @param {{value: T, text: string} | null} answer */
    const close = (answer) => {
      dialog.close();
      dialog.remove();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
      resolve(answer);
    };
    const buttons = options.map((option) =>
      h("button", { type: "button", class: `answer ${option.primary ? "primary" : ""}`, onclick: () => close({ value: option.value, text: field?.value ?? "" }) },
        h("kbd", { "aria-hidden": "true" }),
        h("span", { dir: "auto" }, option.label, option.hint ? h("small", { class: "soft block" }, option.hint) : null)));
    const dialog = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": "dialog-title" },
      h("h2", { id: "dialog-title" }, title), body,
      write && field ? h("div", { class: "field" }, h("label", { for: "dialog-text" }, write.label), field) : null,
      filter ? h("div", { class: "field" }, h("label", { for: "dialog-search" }, "Search"), filter) : null,
      h("div", { class: "answers" }, buttons.flatMap((button, index) => [heading(options[index].group, options[index - 1]?.group), button])),
      cancel === null ? null : h("div", { class: "row end" }, h("button", { type: "button", class: "quiet", onclick: () => close(null) }, cancel, h("kbd", { "aria-hidden": "true" }, "Esc"))));
    const seen = () => buttons.filter((button) => !button.hidden);
    const number = () => buttons.forEach((button) => {
      const place = seen().indexOf(button);
      const key = /** @type {HTMLElement} */ (button.firstElementChild);
      key.hidden = place < 0 || place > 8;
      key.textContent = String(place + 1);
    });
    number();
    filter?.addEventListener("input", () => {
      const wanted = filter.value.toLocaleLowerCase();
      for (const button of buttons) button.hidden = !(button.querySelector("span")?.textContent ?? "").toLocaleLowerCase().includes(wanted);
      number();
    });
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (cancel !== null) close(null);
    });
    dialog.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const inField = event.target instanceof HTMLInputElement;
      if (inField && event.key === "Enter") {
        event.preventDefault();
        seen()[0]?.click();
      }
      if (filter && event.target === filter && event.key === "ArrowDown") seen()[0]?.focus();
      // The key press itself then writes the letter into the field.
      if (filter && !inField && /^[\p{L}]$/u.test(event.key) && !event.ctrlKey && !event.altKey && !event.metaKey) filter.focus();
      if (inField || !/^[1-9]$/.test(event.key) || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      seen()[Number(event.key) - 1]?.click();
    });
    document.body.append(dialog);
    dialog.showModal();
    (buttons[0] ?? dialog.querySelector("button"))?.focus();
  });
}

/** @param {Group | undefined} group @param {Group | undefined} before  of the option above */
function heading(group, before) {
  if (!group || group === before) return [];
  return h("div", { class: "answer-group" }, h("h3", {}, group.title), group.note ? h("p", { class: "small soft" }, group.note) : null);
}

/** A window with something to read. @param {string} title @param {...Child} body */
export function tell(title, ...body) {
  const before = document.activeElement;
  const dialog = h("dialog", { class: "wide", "aria-labelledby": "dialog-title" }, h("h2", { id: "dialog-title" }, title), ...body,
    h("div", { class: "row end" }, h("button", { type: "button", onclick: () => dialog.close() }, "Close", h("kbd", { "aria-hidden": "true" }, "Esc"))));
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
}
