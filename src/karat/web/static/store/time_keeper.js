// How long a step took, breaks left out: only minutes in which somebody pressed a key or moved the mouse count.

const LONGEST_PAUSE = 60;
const SEND_EVERY = 60;

export class TimeKeeper {
  /** @param {import("./api.js").QueryApi} api @param {string} step */
  constructor(api, step) {
    this.api = api;
    this.step = step;
    this.seconds = 0;
    this.last = performance.now();
    for (const name of ["keydown", "pointerdown", "pointermove", "wheel"]) addEventListener(name, () => this.#active(), { passive: true });
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#send());
  }

  #active() {
    const now = performance.now();
    this.seconds += Math.min(LONGEST_PAUSE, (now - this.last) / 1000);
    this.last = now;
    if (this.seconds >= SEND_EVERY) this.#send();
  }

  async #send() {
    const seconds = Math.round(this.seconds);
    if (seconds < 1) return;
    this.seconds = 0;
    try {
      await this.api.addTime(this.step, seconds);
    } catch {
      this.seconds += seconds; // sent with the next minute
    }
  }
}
