// <karat-task step query account>: reads the work, opens the page of the step, and keeps the time.

import { Refusal } from "./store/api.js";
import { WorkStore } from "./store/work_store.js";
import { TimeKeeper } from "./store/time_keeper.js";
import { askConflict } from "./ui/conflict.js";
import { announce, fill, h, whenReleased } from "./ui/dom.js";
import { Frame } from "./ui/frame.js";
import { refusedPanel } from "./ui/refused.js";
import { Shortcuts } from "./ui/shortcuts.js";
import "./text/passage.js";

/** @type {Record<string, () => Promise<any>>} */
const PAGES = {
  relevance: () => import("./tasks/relevance.js"),
  nuggets: () => import("./tasks/nuggets/page.js"),
  nugs: () => import("./tasks/nugs/page.js"),
  citations: () => import("./tasks/citations.js"),
  votes: () => import("./tasks/votes.js"),
  judging: () => import("./tasks/judging.js"),
  adjudication: () => import("./tasks/adjudication/page.js"),
};

/** Steps whose page needs all passages at once. */
const WHOLE = new Set(["nugs", "citations", "votes", "judging"]);

class KaratTask extends HTMLElement {
  async connectedCallback() {
    const step = this.getAttribute("step") ?? "";
    const query = this.getAttribute("query") ?? "";
    const parameters = new URLSearchParams(location.search);
    const said = parameters.get("owner");
    // An assessor's own layer needs no name; others see the adjudicated one, or that of the person they ask for.
    const owner = said ? Number(said) : this.getAttribute("role-name") === "assessor" ? null : 0;
    const store = new WorkStore({ query, owner, account: this.getAttribute("account") ?? "" });
    try {
      const data = step === "adjudication" ? await this.#adjudication(store) : await this.#work(store, step, Number(parameters.get("page") ?? 1) || 1);
      const role = this.getAttribute("role-name");
      data.reader = role === "organiser" || (role === "adjudicator" && owner !== 0);
      // A step that is done can be reopened by whose it is; then it can be changed.
      data.editable = !data.reader && !data.waits && (data.editable !== false || data.done);
      await this.#open(store, data, { step, query });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      fill(this, h("p", { class: "error", role: "alert" }, error.message, " ",
        h("button", { type: "button", onclick: () => location.reload() }, "Try again")));
    }
  }

  /** @param {WorkStore} store @param {string} step @param {number} page */
  async #work(store, step, page) {
    const data = await store.api.work(step, WHOLE.has(step) ? 1 : page);
    if (!WHOLE.has(step)) return data;
    for (let next = 2; next <= (data.pages ?? 1); next += 1) {
      const more = await store.api.work(step, next);
      for (const list of ["passages", "pairs", "suggestions", "similar", "key", "answers"]) {
        const known = new Set((data[list] ?? []).map((/** @type {any} */ item) => JSON.stringify(item)));
        data[list] = [...(data[list] ?? []), ...(more[list] ?? []).filter((/** @type {any} */ item) => !known.has(JSON.stringify(item)))];
      }
    }
    return data;
  }

  /** The adjudicated layer, and where the assessors differ. @param {WorkStore} store */
  async #adjudication(store) {
    const mayDecide = this.getAttribute("role-name") === "adjudicator";
    let differences = await store.api.differences();
    const begun = differences.items.some((/** @type {any} */ item) => item.decision);
    if (mayDecide && !differences.behind.length && (differences.assessors.length > 1 || begun)) {
      await store.api.startAdjudication();
      differences = await store.api.differences();
    }
    let data = null;
    for (const step of ["nugs", "nuggets", "relevance", "votes", "judging"]) {
      try {
        data = await this.#work(store, step, 1);
        break;
      } catch (error) {
        if (!(error instanceof Refusal) || error.kind !== "refused") throw error; // the campaign has no such step
      }
    }
    const steps = data?.steps ?? [];
    if (data && data.step !== "judging" && steps.some((/** @type {any} */ entry) => entry.step === "judging")) {
      const judging = await this.#work(store, "judging", 1);
      Object.assign(data, { key: judging.key, answers: judging.answers });
    }
    const done = steps.length > 0 && steps.every((/** @type {any} */ entry) => entry.done);
    return { ...(data ?? { query: { text: "", query_id: "" }, annotations: [] }), differences, guideline: null, done, editable: mayDecide };
  }

  /** @param {WorkStore} store @param {any} data @param {{step: string, query: string}} place */
  async #open(store, data, { step, query }) {
    const shortcuts = new Shortcuts();
    const frame = new Frame({ data, store, shortcuts, query, step });
    const { default: Page } = await PAGES[step]();
    const page = new Page({ store, data, shortcuts, frame, query, step });
    store.addEventListener("refused", (event) => announce(/** @type {CustomEvent} */ (event).detail.message, "bad"));
    store.addEventListener("conflict", (event) => {
      const { conflict, choose } = /** @type {CustomEvent} */ (event).detail;
      void askConflict(conflict, choose, page.lookups);
    });
    const bar = document.getElementById("task-bar");
    if (bar) frame.fillBar(bar);
    fill(this, frame.heading(), ...refusedPanel(store, page.lookups), page.build());
    store.load(data.annotations);
    page.update();
    const draw = () => page.update();
    store.addEventListener("change", () => whenReleased(draw));
    page.begin();
    if (data.editable && step !== "adjudication") new TimeKeeper(store.api, step);
    this.dataset.ready = "true";
  }
}

customElements.define("karat-task", KaratTask);
