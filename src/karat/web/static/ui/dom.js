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
    else if (key === "value" || key === "checked") Reflect.set(element, key, value);
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

/** Puts new children in; the focus stays on the element with the same `id`. @param {Element} parent @param {...Child} children */
export function fill(parent, ...children) {
  const focused = document.activeElement;
  const id = focused && parent.contains(focused) ? focused.id : "";
  const caret = focused instanceof HTMLInputElement && focused.type === "text" ? focused.selectionStart : null;
  parent.replaceChildren(...nodes(children));
  if (!id) return;
  const again = document.getElementById(id);
  if (!again) return;
  again.focus({ preventScroll: true });
  if (caret !== null && again instanceof HTMLInputElement) again.setSelectionRange(caret, caret);
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
  const line = h("p", { class: `announcement ${tone}` }, message);
  place.append(line);
  setTimeout(() => line.remove(), tone === "bad" ? 9000 : 3500);
}
