// Undo and redo on the server. An undo whose answer was lost keeps its name: asked for again, it is done once.

import { Refusal } from "./api.js";
import { randomName } from "./unsent.js";

/** @typedef {import("./api.js").Annotation} Annotation */

/** After these nobody knows whether the server has done it. */
const UNKNOWN = new Set(["offline", "failing", "login"]);

export class Undoing {
  /** @param {import("./api.js").QueryApi} api */
  constructor(api) {
    this.api = api;
    /** @type {number[]} batches of undos, the last one is redone first */
    this.redoable = [];
    /** @type {{name: string, batch: number | undefined} | null} */
    this.unanswered = null;
  }

  /** Something new was done: there is nothing to redo, and the next undo is about it. */
  forget() {
    this.redoable = [];
    this.unanswered = null;
  }

  async undo() {
    const { batch, ...result } = await this.#ask(undefined);
    if (batch !== null) this.redoable.push(batch);
    return result;
  }

  async redo() {
    const last = this.redoable[this.redoable.length - 1];
    if (last === undefined) return { annotations: [], message: "" };
    const { annotations, message } = await this.#ask(last);
    if (!this.unanswered && this.redoable[this.redoable.length - 1] === last) this.redoable.pop();
    return { annotations, message };
  }

  /** @param {number | undefined} batch @returns {Promise<{batch: number | null, annotations: Annotation[], message: string}>} */
  async #ask(batch) {
    const asked = this.unanswered && this.unanswered.batch === batch ? this.unanswered : { name: randomName(20), batch };
    this.unanswered = asked;
    try {
      const result = await this.api.undo(asked.name, batch);
      if (this.unanswered === asked) this.unanswered = null;
      return { batch: result.batch, annotations: result.annotations, message: "" };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (UNKNOWN.has(error.kind)) return { batch: null, annotations: [], message: `${error.message} Press it again: it is done once.` };
      if (this.unanswered === asked) this.unanswered = null;
      return { batch: null, annotations: [], message: error.kind === "refused" && error.body.status === 404 ? "There is nothing to undo." : error.message };
    }
  }
}
