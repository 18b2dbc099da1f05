// All annotations of a query in one layer: what the server has, with the changes that wait laid over it.
// Every change is applied here at once and sent at once, in order; nothing is written over without asking.

import { QueryApi, Refusal } from "./api.js";
import { Undoing } from "./undoing.js";
import { Unsent, randomName } from "./unsent.js";

/** @typedef {import("./api.js").Annotation} Annotation */
/** @typedef {import("./unsent.js").Batch} Batch */
/** @typedef {{kind: string, key: string, record: any}} Edit */
/** @typedef {{batch: Batch, theirs: Annotation[], message: string}} Conflict */
/** @typedef {"mine" | "theirs" | "both"} Choice */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;
/** So often a server that answers with a mistake of its own is asked in silence. */
const SILENT_TRIES = 3;

/** @param {string} kind @param {string} key */
const nameOf = (kind, key) => `${kind} ${key}`;

/** Events: `change` (annotations), `state` (sending), `refused` {message}, `conflict` {conflict, choose}. */
export class WorkStore extends EventTarget {
  /** @param {{query: string, owner: number | null, account: string}} place */
  constructor({ query, owner, account }) {
    super();
    this.api = new QueryApi(query, owner);
    const layer = `${account}:${query}:${owner ?? "own"}`;
    this.unsent = new Unsent(layer);
    /** @type {Map<string, Annotation>} */
    this.server = new Map();
    /** @type {Map<string, Annotation>} */
    this.local = new Map();
    /** @type {Batch[]} */
    this.waiting = this.unsent.read();
    this.undoing = new Undoing(this.api);
    this.sending = false;
    /** @type {"" | "offline" | "failing" | "login" | "another" | "conflict"} */
    this.trouble = "";
    /** Why the first change waits, in the server's words. */
    this.why = "";
    this.failures = 0;
    this.wait = FIRST_WAIT;
    this.timer = 0;
    this.tabs = new BroadcastChannel(`karat:${layer}`);
    this.tabs.onmessage = (event) => this.#learn(event.data.annotations, false);
    addEventListener("online", () => this.retry());
    addEventListener("focus", () => (this.trouble === "login" || this.trouble === "another") && this.retry());
    addEventListener("beforeunload", (event) => {
      if ((this.waiting.length || this.unsent.here.size) && !this.unsent.lasting) event.preventDefault();
    });
  }

  // Reading ----------------------------------------------------------------------------------------------------------

  /** @param {Annotation[]} annotations */
  load(annotations) {
    this.server = new Map(annotations.filter((item) => item.record !== null).map((item) => [nameOf(item.kind, item.key), item]));
    this.#overlay();
    this.#send();
  }

  /** @param {string} kind @param {string} key @returns {any} the record, or undefined */
  get(kind, key) {
    return this.local.get(nameOf(kind, key))?.record ?? undefined;
  }

  /** @param {string} kind @returns {{key: string, record: any}[]} */
  all(kind) {
    return [...this.local.values()].filter((item) => item.kind === kind && item.record !== null);
  }

  get state() {
    const stuck = this.trouble === "failing" && this.failures >= SILENT_TRIES;
    return { waiting: this.waiting.length, refused: this.unsent.refused().length, trouble: this.trouble, stuck, lasting: this.unsent.lasting };
  }

  /** Ends when nothing waits. */
  async settled() {
    while (this.waiting.length || this.sending) await new Promise((resolve) => this.addEventListener("state", resolve, { once: true }));
  }

  // Writing ----------------------------------------------------------------------------------------------------------

  /** Saves some edits together. @param {Edit[]} edits @param {string} label  what was done, in plain words */
  change(edits, label) {
    // The server tells records apart by their kind.
    this.#enqueue(edits.map(({ kind, key, record }) => ({ kind, key, record: record && { kind, ...record }, version: this.server.get(nameOf(kind, key))?.version ?? 0 })), label);
    this.undoing.forget();
    this.#overlay();
    this.#send();
  }

  /** @param {import("./unsent.js").Pending[]} changes @param {string} label */
  #enqueue(changes, label) {
    const follows = (/** @type {Edit} */ { kind, key }) => this.waiting.some((batch) => batch.changes.some((change) => change.kind === kind && change.key === key));
    const batch = this.unsent.make(changes.map((change) => (follows(change) ? { ...change, version: null } : change)), label);
    this.waiting.push(batch);
    this.unsent.keep(batch);
  }

  async undo() {
    const last = this.waiting[this.waiting.length - 1];
    if (last && !last.tried) {
      this.waiting.pop();
      this.unsent.forget(last);
      this.#overlay();
      return;
    }
    if (last && this.trouble) return this.#tell("refused", { message: "This change may have reached the server: it can be undone when the connection is back." });
    if (last) await this.settled();
    await this.#undone(this.undoing.undo());
  }

  async redo() {
    await this.#undone(this.undoing.redo());
  }

  get redoable() {
    return this.undoing.redoable;
  }

  /** @param {Promise<{annotations: Annotation[], message: string}>} asked */
  async #undone(asked) {
    const { annotations, message } = await asked;
    if (message) this.#tell("refused", { message });
    this.#learn(annotations, true);
  }

  /** Sends again what the server refused, in order, against the versions it was made on. @param {import("./unsent.js").RefusedBatch[]} refused */
  tryAgain(refused) {
    for (const batch of refused) {
      this.unsent.discard(batch);
      this.#enqueue(batch.changes, batch.label);
    }
    this.#overlay();
    this.#send();
  }

  /** What a failing server does not take waits aside with its reason, so that what comes after it can go on. */
  async setAside() {
    const [batch] = this.waiting;
    // A try that is under way may succeed.
    while (this.sending) await new Promise((resolve) => this.addEventListener("state", resolve, { once: true }));
    if (!batch || batch !== this.waiting[0] || this.trouble !== "failing") return;
    this.#refuse(batch, this.why);
    this.trouble = "";
    this.failures = 0;
    this.#send();
  }

  /** @param {import("./unsent.js").RefusedBatch} refused */
  discard(refused) {
    this.unsent.discard(refused);
    this.#tell("state");
  }

  // Sending ----------------------------------------------------------------------------------------------------------

  async #send() {
    if (this.sending || this.trouble === "conflict") return;
    clearTimeout(this.timer);
    this.sending = true;
    try {
      while (this.waiting.length) {
        this.#tell("state");
        const batch = this.waiting[0];
        batch.tried = true;
        this.unsent.keep(batch);
        const changes = batch.changes.map((change) => ({ ...change, version: change.version ?? this.server.get(nameOf(change.kind, change.key))?.version ?? 0 }));
        const result = await this.api.save(batch.request, changes);
        this.#confirmed(batch, result.annotations);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#troubled(error);
    } finally {
      this.sending = false;
      this.#tell("state");
    }
  }

  retry() {
    if (this.trouble !== "conflict") this.#send();
  }

  /** @param {Batch} batch @param {{kind: string, key: string, version: number}[]} versions */
  #confirmed(batch, versions) {
    this.#drop(batch);
    this.trouble = "";
    this.failures = 0;
    this.wait = FIRST_WAIT;
    const annotations = versions.map(({ kind, key, version }) => ({ kind, key, version, record: batch.changes.find((change) => change.kind === kind && change.key === key)?.record ?? null }));
    for (const { kind, key, version } of versions) {
      for (const later of this.waiting) {
        const follower = later.changes.find((change) => change.kind === kind && change.key === key);
        if (!follower) continue;
        if (follower.version === null) {
          follower.version = version;
          this.unsent.keep(later);
        }
        break; // the ones after it follow that one
      }
    }
    this.#learn(annotations, true);
    this.#tell("saved", { batch });
  }

  /** @param {Refusal} refusal */
  #troubled(refusal) {
    const batch = this.waiting[0];
    if (refusal.kind === "offline" || refusal.kind === "failing" || refusal.kind === "login") {
      this.trouble = refusal.body.other ? "another" : refusal.kind;
      this.why = refusal.message;
      this.failures = refusal.kind === "failing" ? this.failures + 1 : 0;
      this.timer = setTimeout(() => this.retry(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
    } else if (refusal.kind === "conflict" && Array.isArray(refusal.body.conflict)) {
      this.trouble = "conflict";
      const conflict = { batch, theirs: refusal.body.conflict, message: refusal.message };
      this.#tell("conflict", { conflict, choose: (/** @type {Choice} */ choice) => this.#choose(conflict, choice) });
    } else {
      this.trouble = "";
      this.#refuse(batch, refusal.message);
      this.timer = setTimeout(() => this.#send());
    }
  }

  /** @param {Batch} batch @param {string} why */
  #refuse(batch, why) {
    // Later nobody knows which change it followed: it keeps the version that this page knows, and overwrites no other.
    for (const change of batch.changes) change.version ??= this.server.get(nameOf(change.kind, change.key))?.version ?? 0;
    this.#drop(batch);
    this.unsent.setAside(batch, why);
    this.#overlay();
    this.#tell("refused", { message: `Not saved (${batch.label}): ${why}` });
  }

  /** @param {Conflict} conflict @param {Choice} choice */
  #choose({ batch, theirs }, choice) {
    this.#drop(batch);
    const conflicting = new Set(theirs.map((item) => nameOf(item.kind, item.key)));
    this.#learn(theirs, true);
    this.trouble = "";
    if (choice !== "theirs") {
      const changes = batch.changes.map((change) => {
        const isConflict = conflicting.has(nameOf(change.kind, change.key));
        if (choice === "both" && isConflict && change.record !== null) return { ...change, key: newKey(change.kind), version: 0 };
        return { ...change, version: this.server.get(nameOf(change.kind, change.key))?.version ?? 0 };
      });
      const again = { ...this.unsent.make(changes, batch.label), order: batch.order };
      this.waiting.unshift(again);
      this.unsent.keep(again);
    }
    this.#overlay();
    this.#send();
  }

  // Keeping the two maps true ----------------------------------------------------------------------------------------

  /** @param {Batch} batch */
  #drop(batch) {
    this.waiting = this.waiting.filter((other) => other !== batch);
    this.unsent.forget(batch);
  }

  /** @param {Annotation[]} annotations @param {boolean} tellTabs */
  #learn(annotations, tellTabs) {
    for (const item of annotations) {
      const name = nameOf(item.kind, item.key);
      // A deleted annotation stays here with its version, so that a later one with its key is checked against it.
      if ((this.server.get(name)?.version ?? 0) <= item.version) this.server.set(name, item);
    }
    if (tellTabs) this.tabs.postMessage({ annotations });
    this.#overlay();
  }

  #overlay() {
    this.local = new Map(this.server);
    for (const { changes } of this.waiting) {
      for (const { kind, key, record, version } of changes) this.local.set(nameOf(kind, key), { kind, key, record, version: version ?? 0 });
    }
    this.#tell("change");
    this.#tell("state");
  }

  /** @param {string} name @param {any} [detail] */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** @param {string} kind */
export function newKey(kind) {
  return `${kind === "nug" ? "g" : "n"}-${randomName(10)}`;
}

/** Whether two versions of such a thing can stand side by side. @param {string} kind */
export function canKeepBoth(kind) {
  return kind === "nugget" || kind === "nug";
}
