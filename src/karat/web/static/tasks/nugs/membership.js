// Which nuggets belong to which nugs, and to what degree. Rules: a nugget's degrees sum to at most 1 over all nugs;
// a nug's only member has degree 1. Everything here is computed on copies; nothing is saved.

/** @typedef {{nugget: string, degree?: number}} Member */
/** @typedef {Map<string, any>} Nugs  key -> record of a nug */

/** @param {Member} member */
export const degreeOf = (member) => member.degree ?? 1;

/** @param {{key: string, record: any}[]} list @returns {Nugs} */
export function copyOf(list) {
  return new Map(list.map(({ key, record }) => [key, { ...record, members: (record.members ?? []).map((/** @type {Member} */ member) => ({ ...member })) }]));
}

/** @param {Nugs} nugs @param {string} nugget */
export function nugsOf(nugs, nugget) {
  return [...nugs].filter(([, record]) => record.members.some((/** @type {Member} */ member) => member.nugget === nugget)).map(([key]) => key);
}

/** Two nuggets that exist and are not in one nug. @param {Nugs} nugs @param {string[]} pair @param {(key: string) => boolean} exists */
export function isOpenPair(nugs, [left, right], exists) {
  if (!exists(left) || !exists(right)) return false;
  const others = new Set(nugsOf(nugs, right));
  return !nugsOf(nugs, left).some((key) => others.has(key));
}

/** The sum of a nugget's degrees. @param {Nugs} nugs @param {string} nugget @param {string} [except]  a nug left out */
export function degreeSum(nugs, nugget, except) {
  let sum = 0;
  for (const [key, record] of nugs) {
    if (key === except) continue;
    for (const member of record.members) if (member.nugget === nugget) sum += degreeOf(member);
  }
  return sum;
}

/** Down to four digits, so that sums stay at most 1. @param {number} value */
const short = (value) => Math.floor(value * 10000 + 1e-6) / 10000;

/** Makes the rules hold again after members came or went, and says in words what had to be changed. @param {Nugs} nugs @returns {string[]} */
export function settle(nugs) {
  const notes = new Set();
  for (let round = 0; round < 20; round += 1) {
    let changed = false;
    for (const record of nugs.values()) {
      if (record.best && !record.members.some((/** @type {Member} */ member) => member.nugget === record.best)) record.best = record.members[0]?.nugget;
      if (record.members.length === 1 && degreeOf(record.members[0]) !== 1) {
        record.members[0].degree = 1;
        changed = true;
      }
    }
    const nuggets = new Set([...nugs.values()].flatMap((record) => record.members.map((/** @type {Member} */ member) => member.nugget)));
    for (const nugget of nuggets) {
      const sum = degreeSum(nugs, nugget);
      if (sum <= 1 + 1e-9) continue;
      changed = true;
      const alone = nugsOf(nugs, nugget).find((key) => nugs.get(key).members.length === 1);
      for (const [key, record] of nugs) {
        if (alone !== undefined && key !== alone) {
          const rest = record.members.filter((/** @type {Member} */ member) => member.nugget !== nugget);
          if (rest.length < record.members.length) notes.add(`left “${record.description}”: it is the only member of another nug, and that takes degree 1`);
          record.members = rest;
        } else if (alone === undefined) {
          for (const member of record.members) if (member.nugget === nugget) member.degree = short(degreeOf(member) / sum);
          notes.add("degrees were scaled to sum to 1");
        }
      }
    }
    if (!changed) break;
  }
  return [...notes];
}

/** New nuggets take the places of old ones in all nugs. @param {Nugs} nugs @param {string[]} oldKeys @param {string[]} newKeys */
export function replaceNuggets(nugs, oldKeys, newKeys) {
  const gone = new Set(oldKeys);
  for (const record of nugs.values()) {
    const removed = record.members.filter((/** @type {Member} */ member) => gone.has(member.nugget));
    if (!removed.length) continue;
    const degree = Math.max(...removed.map(degreeOf));
    record.members = [...record.members.filter((/** @type {Member} */ member) => !gone.has(member.nugget)), ...newKeys.map((nugget) => ({ nugget, degree }))];
    if (gone.has(record.best)) record.best = newKeys[0];
  }
  return settle(nugs);
}

/** What to save so that the store has these nugs. @param {{key: string, record: any}[]} before @param {Nugs} after @returns {{kind: string, key: string, record: any}[]} */
export function editsTo(before, after) {
  const edits = [];
  for (const { key, record } of before) if (!after.has(key)) edits.push({ kind: "nug", key, record: null });
  const known = new Map(before.map(({ key, record }) => [key, comparable(record)]));
  for (const [key, record] of after) if (known.get(key) !== comparable(record)) edits.push({ kind: "nug", key, record });
  return edits;
}

/** @param {any} record */
function comparable(record) {
  const members = (record.members ?? []).map((/** @type {Member} */ member) => [member.nugget, degreeOf(member)]);
  return JSON.stringify([record.description, record.best ?? null, record.importance ?? null, record.relevance ?? null, members, record.world_knowledge ?? null, record.note ?? null]);
}
