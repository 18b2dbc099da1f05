// Elements without templates: text is always text, never markup.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * `h("button", {onclick, class: "small", disabled: true}, "Save")`. Properties that start with "on" are listeners,
 * `false`, null and undefined are left out, the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {Record<string, any>} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "checked" || (key === "value" && element instanceof HTMLSelectElement)) Reflect.set(element, key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function nodes(children) {
  return children.flatMap((child) => {
    if (Array.isArray(child)) return nodes(child);
    if (child === null || child === undefined || child === false) return [];
    return [typeof child === "number" ? String(child) : child];
  });
}

/** @type {WeakMap<Element, (Node | string)[]>} what to put in when the person has left the field */
const later = new WeakMap();

/** A field in which somebody has written something that is not saved yet. @param {Element | null} element */
function isBeingWritten(element) {
  const isField = element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && !["checkbox", "radio", "search"].includes(element.type));
  return isField && element.value !== element.defaultValue;
}

/**
 * Puts new children in; the focus stays on the element with the same `id`. While somebody writes in a field, the
 * old children stay until the field is left: nothing that was written is lost.
 * @param {Element} parent @param {...Child} children
 */
export function fill(parent, ...children) {
  const fresh = nodes(children);
  const focused = document.activeElement;
  const inside = focused && focused !== parent && parent.contains(focused);
  if (inside && isBeingWritten(focused)) {
    if (!later.has(parent)) focused.addEventListener("focusout", () => setTimeout(() => whenReleased(() => {
      const waiting = later.get(parent);
      later.delete(parent);
      if (waiting) put(parent, waiting);
    })), { once: true });
    later.set(parent, fresh);
    return;
  }
  later.delete(parent);
  put(parent, fresh);
}

/** @param {Element} parent @param {(Node | string)[]} fresh */
function put(parent, fresh) {
  const focused = document.activeElement;
  const id = focused && parent.contains(focused) ? focused.id : "";
  const caret = focused instanceof HTMLInputElement && focused.type === "text" ? focused.selectionStart : null;
  parent.replaceChildren(...fresh);
  const again = id ? document.getElementById(id) : null;
  if (!again || again === document.activeElement) return;
  again.focus({ preventScroll: true });
  if (!(again instanceof HTMLInputElement)) return;
  if (caret !== null) again.setSelectionRange(caret, caret);
  // A number in which nothing is written yet is selected, as when one comes to it by Tab: what is written replaces it.
  else if (again.type === "number") again.select();
}

/** @type {Set<() => void>} what to draw when nothing is pressed any more */
const postponed = new Set();
let isPressed = false;

function release() {
  isPressed = false;
  // After the click that follows, whose listeners draw by themselves.
  if (postponed.size) setTimeout(() => {
    const draws = [...postponed];
    postponed.clear();
    for (const draw of draws) draw();
  });
}

addEventListener("pointerdown", (event) => (isPressed = event.button === 0), true);
addEventListener("keydown", (event) => event.key === " " && event.target instanceof HTMLButtonElement && (isPressed = true), true);
for (const name of ["pointerup", "pointercancel", "dragend", "keyup"]) addEventListener(name, release, true);
addEventListener("blur", release); // of the window

/**
 * Draws now; or, while the mouse, a finger or the space bar is down, when it is up again: a click happens only where
 * the element on which it began is still there. For what is drawn because an answer has come. @param {() => void} draw
 */
export function whenReleased(draw) {
  if (isPressed) return void postponed.add(draw);
  postponed.delete(draw);
  draw();
}

/** A button with its key shown. @param {string} label @param {string} key @param {() => void} action @param {Record<string, any>} [attributes] */
export function keyButton(label, key, action, attributes = {}) {
  return h("button", { type: "button", ...attributes, onclick: action }, label, key ? h("kbd", { "aria-hidden": "true" }, key) : null);
}

/** @param {number} count @param {string} noun @param {string} [plural] */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Said to screen readers, shown for some seconds to everybody. @param {string} message @param {"good" | "bad" | ""} [tone] */
export function announce(message, tone = "") {
  let place = document.getElementById("announcements");
  if (!place) {
    place = h("div", { id: "announcements", role: "status", "aria-live": "polite" });
    document.body.append(place);
  }
  const last = place.lastElementChild;
  const again = last instanceof HTMLElement && last.dataset.message === message;
  const times = again ? Number(last.dataset.times) + 1 : 1;
  if (again) last.remove(); // a new line is read out again, and stays its whole time
  const line = h("p", { class: `announcement ${tone}`, "data-message": message, "data-times": times }, message, times > 1 ? h("span", { class: "times" }, ` (${times} times)`) : null);
  place.append(line);
  setTimeout(() => line.remove(), tone === "bad" ? 9000 : 3500);
}
