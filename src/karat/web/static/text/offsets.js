// Code points <-> UTF-16 units: the only place where they are converted.
// The server counts Unicode code points; the browser's strings, ranges and selections count UTF-16 units.

/** @typedef {[number, number]} Span  half-open, in code points unless said otherwise */

const HIGH_START = 0xd800;
const HIGH_END = 0xdbff;
const LOW_START = 0xdc00;
const LOW_END = 0xdfff;

/** Knows one text. Conversions take O(log n) in the number of characters outside the first plane. */
export class Offsets {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {number[]} UTF-16 positions of the second halves of surrogate pairs */
    this.seconds = [];
    for (let unit = 1; unit < text.length; unit += 1) {
      const low = text.charCodeAt(unit);
      if (low < LOW_START || low > LOW_END) continue;
      const high = text.charCodeAt(unit - 1);
      if (high >= HIGH_START && high <= HIGH_END) this.seconds.push(unit);
    }
    this.units = text.length;
    this.points = text.length - this.seconds.length;
  }

  /** How many second halves lie before the UTF-16 position. @param {number} unit */
  #before(unit) {
    let low = 0;
    let high = this.seconds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seconds[middle] < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * A position inside a pair becomes the pair's start.
   * @param {number} unit @returns {number}
   */
  toPoint(unit) {
    const bounded = Math.max(0, Math.min(unit, this.units));
    const before = this.#before(bounded);
    return bounded - before - (this.seconds[before] === bounded ? 1 : 0);
  }

  /** @param {number} point @returns {number} */
  toUnit(point) {
    const bounded = Math.max(0, Math.min(point, this.points));
    let low = 0;
    let high = this.seconds.length;
    // The k-th pair (from 0) starts at code point seconds[k] - 1 - k; pairs that start before `point` add one unit each.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seconds[middle] - 1 - middle < bounded) low = middle + 1;
      else high = middle;
    }
    return bounded + low;
  }

  /** @param {readonly Span[]} spans @returns {Span[]} UTF-16 */
  spansToUnits(spans) {
    return spans.map(([start, end]) => /** @type {Span} */ ([this.toUnit(start), this.toUnit(end)]));
  }

  /** The text of a span of code points. @param {Span} span */
  slice([start, end]) {
    return this.text.slice(this.toUnit(start), this.toUnit(end));
  }
}
