// Marks in texts without touching the DOM (CSS Custom Highlight API). The rules `::highlight(NAME)` are in css/passage.css.

/** Later names are painted over earlier ones. */
export const NAMES = /** @type {const} */ ([
  "out-of-scope", "context", "uncovered", "chunk",
  "mark-1", "mark-2", "mark-3", "mark-4", "mark-5", "mark-6",
  "mine", "other", "both", "suggestion", "evidence", "active", "selection",
]);

/** @typedef {(typeof NAMES)[number]} MarkName */

/** @type {Map<MarkName, Highlight>} */
const registered = new Map();

/** @param {MarkName} name */
function highlight(name) {
  let result = registered.get(name);
  if (!result) {
    result = new Highlight();
    result.priority = NAMES.indexOf(name);
    registered.set(name, result);
    CSS.highlights.set(name, result);
  }
  return result;
}

/** The marks of one text node. */
export class Marks {
  /** @param {() => Text} node */
  constructor(node) {
    this.node = node;
    /** @type {Map<MarkName, Range[]>} */
    this.ranges = new Map();
  }

  /** Takes the place of the marks of that name. @param {MarkName} name @param {readonly (readonly [number, number])[]} spans  in UTF-16 units */
  set(name, spans) {
    const all = highlight(name);
    for (const range of this.ranges.get(name) ?? []) all.delete(range);
    const node = this.node();
    const ranges = [];
    for (const [start, end] of spans) {
      if (end <= start || end > node.length) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
      all.add(range);
    }
    this.ranges.set(name, ranges);
  }

  clear() {
    for (const name of [...this.ranges.keys()]) this.set(name, []);
  }
}
