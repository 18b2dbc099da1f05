// Changes that the server has not confirmed yet, kept in the browser so that a closed tab or a dropped connection loses nothing.
// One entry of localStorage per batch: two tabs never write the same entry.

/** @typedef {{kind: string, key: string, record: any, version: number | null}} Pending  version null: follows an earlier change that waits too */
/** @typedef {{request: string, order: string, label: string, tried: boolean, changes: Pending[]}} Batch */
/** @typedef {Batch & {why: string, when: number}} RefusedBatch */

/** Random letters and digits. @param {number} count */
export function randomName(count) {
  const letters = "abcdefghijklmnopqrstuvwxyz234567";
  return [...crypto.getRandomValues(new Uint8Array(count))].map((byte) => letters[byte % 32]).join("");
}

let counter = 0;

export class Unsent {
  /** @param {string} place  account, query and layer */
  constructor(place) {
    this.prefix = `karat-unsent:${place}:`;
    this.refusedPrefix = `karat-refused:${place}:`;
    /** False: the browser keeps nothing; then the page warns before it is closed. */
    this.lasting = true;
    /** @type {Map<string, RefusedBatch>} refused, and the browser had no room for them */
    this.here = new Map();
  }

  /** In the order in which they were made. @returns {Batch[]} */
  read() {
    return this.#entries(this.prefix);
  }

  /** What the server refused and nobody has answered yet. @returns {RefusedBatch[]} */
  refused() {
    return [...this.#entries(this.refusedPrefix), ...this.here.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  /** @param {string} prefix @returns {any[]} */
  #entries(prefix) {
    const found = [];
    try {
      for (let index = 0; index < localStorage.length; index += 1) {
        const name = localStorage.key(index);
        if (name?.startsWith(prefix)) {
          const batch = JSON.parse(localStorage.getItem(name) ?? "null");
          if (batch && Array.isArray(batch.changes)) found.push(batch);
        }
      }
    } catch {
      this.lasting = false;
    }
    return found.sort((a, b) => (a.order < b.order ? -1 : 1));
  }

  /** @param {Pending[]} changes @param {string} label @returns {Batch} */
  make(changes, label) {
    counter += 1;
    const order = `${String(Date.now()).padStart(15, "0")}-${String(counter).padStart(6, "0")}`;
    return { request: `${order}-${randomName(12)}`, order, label, tried: false, changes };
  }

  /** @param {Batch} batch */
  keep(batch) {
    try {
      localStorage.setItem(this.prefix + batch.order + batch.request.slice(-4), JSON.stringify(batch));
    } catch {
      this.lasting = false; // full, or switched off
    }
  }

  /** @param {Batch} batch */
  forget(batch) {
    try {
      localStorage.removeItem(this.prefix + batch.order + batch.request.slice(-4));
    } catch { /* was never kept */ }
  }

  /** What the server refused is not sent again by itself, but stays in the browser and is shown. @param {Batch} batch @param {string} why */
  setAside(batch, why) {
    this.forget(batch);
    const refused = { ...batch, why, when: Date.now() };
    try {
      localStorage.setItem(this.refusedPrefix + batch.order, JSON.stringify(refused));
    } catch {
      this.lasting = false; // full, or switched off
      this.here.set(batch.order, refused);
    }
  }

  /** @param {RefusedBatch} batch */
  discard(batch) {
    this.here.delete(batch.order);
    try {
      localStorage.removeItem(this.refusedPrefix + batch.order);
    } catch { /* was never kept */ }
  }
}
