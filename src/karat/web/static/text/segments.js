// Words, characters and sentences of a text as people see them (Intl.Segmenter: Chinese and emoji too), in UTF-16 units.

/** @typedef {{start: number, end: number}} Segment */

/** @type {Map<string, Intl.Segmenter>} */
const segmenters = new Map();

/** @param {string | undefined} language @param {"word" | "grapheme" | "sentence"} granularity */
function segmenter(language, granularity) {
  const name = `${language ?? ""} ${granularity}`;
  let result = segmenters.get(name);
  if (!result) {
    try {
      result = new Intl.Segmenter(language || undefined, { granularity });
    } catch {
      result = new Intl.Segmenter(undefined, { granularity }); // not a language the browser knows
    }
    segmenters.set(name, result);
  }
  return result;
}

/** Words and signs; white space is left out. @param {string} text @param {string} [language] @returns {Segment[]} */
export function words(text, language) {
  const result = [];
  for (const { segment, index } of segmenter(language, "word").segment(text)) {
    if (segment.trim()) result.push({ start: index, end: index + segment.length });
  }
  return result;
}

/** @param {string} text @param {string} [language] @returns {Segment[]} */
export function sentences(text, language) {
  const result = [];
  for (const { segment, index } of segmenter(language, "sentence").segment(text)) {
    const end = index + segment.trimEnd().length;
    if (end > index) result.push({ start: index, end });
  }
  return result;
}

/** The end of the character that starts at or before `unit`. @param {string} text @param {number} unit */
export function nextCharacter(text, unit) {
  const inside = segmenter(undefined, "grapheme").segment(text).containing(unit);
  return inside ? inside.index + inside.segment.length : text.length;
}

/** @param {string} text @param {number} unit */
export function previousCharacter(text, unit) {
  if (unit <= 0) return 0;
  const inside = segmenter(undefined, "grapheme").segment(text).containing(unit - 1);
  return inside ? inside.index : 0;
}

/** Not in the middle of a character. @param {string} text @param {number} start @param {number} end @returns {Segment} */
export function wholeCharacters(text, start, end) {
  const first = segmenter(undefined, "grapheme").segment(text).containing(Math.min(start, Math.max(0, text.length - 1)));
  return { start: first ? first.index : start, end: end > 0 ? nextCharacter(text, end - 1) : end };
}

/** The last word that starts at or before `unit`, or the first. @param {Segment[]} list @param {number} unit */
export function wordAt(list, unit) {
  let found = 0;
  for (let index = 0; index < list.length && list[index].start <= unit; index += 1) found = index;
  return found;
}
