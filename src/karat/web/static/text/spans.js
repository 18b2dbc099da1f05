// Sets of half-open spans in code points: sorted, apart from each other, never empty.

/** @typedef {import("./offsets.js").Span} Span */
/** @typedef {import("./offsets.js").Offsets} Offsets */

/** Sorted and joined where they touch or overlap. @param {readonly Span[]} spans @returns {Span[]} */
export function normal(spans) {
  /** @type {Span[]} */
  const result = [];
  for (const [start, end] of [...spans].filter(([a, b]) => b > a).sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = result[result.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** @param {readonly Span[]} left @param {readonly Span[]} right @returns {Span[]} */
export function union(left, right) {
  return normal([...left, ...right]);
}

/** @param {readonly Span[]} left @param {readonly Span[]} right @returns {Span[]} */
export function intersection(left, right) {
  /** @type {Span[]} */
  const result = [];
  for (const [a, b] of normal(left)) {
    for (const [c, d] of normal(right)) {
      if (Math.max(a, c) < Math.min(b, d)) result.push([Math.max(a, c), Math.min(b, d)]);
    }
  }
  return normal(result);
}

/** @param {readonly Span[]} left @param {readonly Span[]} right @returns {Span[]} */
export function difference(left, right) {
  let rest = normal(left);
  for (const [c, d] of normal(right)) {
    /** @type {Span[]} */
    const next = [];
    for (const [a, b] of rest) {
      if (a < Math.min(b, c)) next.push([a, Math.min(b, c)]);
      if (Math.max(a, d) < b) next.push([Math.max(a, d), b]);
    }
    rest = next;
  }
  return rest;
}

/** @param {readonly Span[]} left @param {readonly Span[]} right */
export function same(left, right) {
  return JSON.stringify(normal(left)) === JSON.stringify(normal(right));
}

/** @param {readonly Span[]} spans @param {number} point */
export function contains(spans, point) {
  return spans.some(([start, end]) => start <= point && point < end);
}

/** @param {readonly Span[]} spans */
export function length(spans) {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** Without the white space at the ends of each piece; pieces of nothing but white space are left out. @param {readonly Span[]} spans @param {Offsets} offsets @returns {Span[]} */
export function trimmed(spans, offsets) {
  return normal(
    spans.map((span) => {
      const text = offsets.slice(span);
      const blankStart = [...text].length - [...text.trimStart()].length;
      const blankEnd = [...text].length - [...text.trimEnd()].length;
      return /** @type {Span} */ ([span[0] + blankStart, span[1] - blankEnd]);
    }),
  );
}

/** How many characters in the spans are letters or digits, as `SpanSet.meaningful_length` counts. @param {readonly Span[]} spans @param {Offsets} offsets */
export function meaningfulLength(spans, offsets) {
  return normal(spans).reduce((sum, span) => sum + (offsets.slice(span).match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0);
}

/** Each piece from its first letter or digit to its last; pieces without any are left out. @param {readonly Span[]} spans @param {Offsets} offsets @returns {Span[]} */
export function meaningful(spans, offsets) {
  return normal(spans).flatMap((span) => {
    const characters = [...offsets.slice(span)];
    const first = characters.findIndex((character) => /[\p{L}\p{N}]/u.test(character));
    if (first < 0) return [];
    let last = characters.length;
    while (!/[\p{L}\p{N}\p{M}]/u.test(characters[last - 1])) last -= 1;
    return [/** @type {Span} */ ([span[0] + first, span[0] + last])];
  });
}

/** The text of the pieces, with an ellipsis for what lies between. @param {readonly Span[]} spans @param {Offsets} offsets */
export function textOf(spans, offsets) {
  return normal(spans).map((span) => offsets.slice(span).trim()).join(" … ");
}
