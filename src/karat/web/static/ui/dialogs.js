// Questions in a window: one key per answer, Escape leaves everything as it is.

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */
/** @template T @typedef {{label: string, value: T, hint?: string, primary?: boolean}} Option */

/**
 * Answers are numbered; the digit presses the button. A field with `write` is given back with the answer.
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
    const buttons = options.map((option, index) =>
      h("button", { type: "button", class: `answer ${option.primary ? "primary" : ""}`, onclick: () => close({ value: option.value, text: field?.value ?? "" }) },
        index < 9 ? h("kbd", { "aria-hidden": "true" }, index + 1) : null,
        h("span", { dir: "auto" }, option.label, option.hint ? h("small", { class: "soft block" }, option.hint) : null)));
    const dialog = h("dialog", { class: wide ? "wide" : "", "aria-labelledby": "dialog-title" },
      h("h2", { id: "dialog-title" }, title), body,
      write && field ? h("div", { class: "field" }, h("label", { for: "dialog-text" }, write.label), field) : null,
      filter ? h("div", { class: "field" }, h("label", { for: "dialog-search" }, "Search"), filter) : null,
      h("div", { class: "answers" }, buttons),
      cancel === null ? null : h("div", { class: "row end" }, h("button", { type: "button", class: "quiet", onclick: () => close(null) }, cancel, h("kbd", { "aria-hidden": "true" }, "Esc"))));
    filter?.addEventListener("input", () => {
      const wanted = filter.value.toLocaleLowerCase();
      for (const button of buttons) button.hidden = !(button.textContent ?? "").toLocaleLowerCase().includes(wanted);
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
        buttons.find((button) => !button.hidden)?.click();
      }
      if (inField || !/^[1-9]$/.test(event.key) || event.ctrlKey || event.altKey) return;
      event.preventDefault();
      buttons[Number(event.key) - 1]?.click();
    });
    document.body.append(dialog);
    dialog.showModal();
    (filter ?? dialog.querySelector("button"))?.focus();
  });
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
