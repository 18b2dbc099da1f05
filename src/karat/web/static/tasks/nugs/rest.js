// Nuggets that say something nobody else says: a nug of each at once. And nugs that look the same by oversight.

import { newKey } from "../../store/work_store.js";
import { announce, counted } from "../../ui/dom.js";

/** What the server takes in one change, so that one undo takes it all back. */
const MOST = 2000;

/** @typedef {import("./page.js").default} NugsPage */

/** One nug for each nugget that is in none. @param {NugsPage} page */
export function nugsOfTheRest(page) {
  const loose = page.loose.slice(0, MOST);
  if (!loose.length) return announce("Every nugget is in a nug.");
  const saved = page.rework(`a nug of each of ${counted(loose.length, "nugget")}`, (nugs) => {
    for (const { key } of loose) nugs.set(newKey("nug"), { description: page.meaningOf(key), best: key, members: [{ nugget: key, degree: 1 }] });
  });
  if (!saved) return;
  page.clear();
  const left = page.loose.length;
  announce(`${counted(loose.length, "new nug")}. Ctrl+Z takes ${loose.length === 1 ? "it" : "all of them"} back.${left ? ` ${counted(left, "nugget is", "nuggets are")} still in no nug: press r again.` : ""}`, "good");
}

/** Letters and digits only, so that a full stop makes no difference. @param {string} text */
const plain = (text) => (text.toLocaleLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [text]).join(" ");

/** For each nug the numbers of the others with the same text, counted from 1. @param {import("./membership.js").Nugs} nugs @returns {Map<string, number[]>} */
export function sameText(nugs) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  [...nugs.values()].forEach((record, index) => places.set(plain(record.description), [...(places.get(plain(record.description)) ?? []), index + 1]));
  return new Map([...nugs].map(([key, record], index) => [key, (places.get(plain(record.description)) ?? []).filter((number) => number !== index + 1)]));
}
