// Keys of a page: listed in the help, ignored while somebody writes into a field or a dialog is open.

/** @typedef {{keys: string[], what: string, run: (event: KeyboardEvent) => void, group?: string, when?: () => boolean}} Shortcut */

const OFF = "karat-letter-keys-off";

/** "Ctrl+Shift+Z", "a", "?", "PageDown". @param {KeyboardEvent} event */
export function keyName(event) {
  const name = event.key === " " ? "Space" : event.key;
  const letters = name.length === 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  if (event.shiftKey && !letters) parts.push("Shift");
  if (event.shiftKey && letters && parts.length) parts.push("Shift");
  return [...parts, letters && parts.length ? name.toUpperCase() : name].join("+");
}

export class Shortcuts {
  constructor() {
    /** @type {Shortcut[]} */
    this.list = [];
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Shortcut[]} shortcuts */
  add(...shortcuts) {
    this.list.push(...shortcuts);
  }

  /** Keys without Ctrl can be switched off, for people who dictate. */
  get lettersOff() {
    try {
      return localStorage.getItem(OFF) === "1";
    } catch {
      return false;
    }
  }

  /** @param {boolean} off */
  set lettersOff(off) {
    try {
      localStorage.setItem(OFF, off ? "1" : "");
    } catch { /* then they stay on */ }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const target = event.target;
    const name = keyName(event);
    const writes = target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type));
    if (writes && name === "Escape") target.blur();
    if (writes) return;
    const presses = target instanceof Element && target.closest("button, a[href], summary, input") && (name === "Enter" || name === "Space");
    if (presses) return;
    if (this.lettersOff && !name.includes("+") && name.length === 1) return;
    const shortcut = this.list.find((candidate) => candidate.keys.includes(name) && (candidate.when?.() ?? true));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run(event);
  }
}
