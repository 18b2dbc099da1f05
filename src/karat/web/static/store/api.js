// The JSON API of the server: addresses, the CSRF header, and answers sorted by what they mean.

/** @typedef {{kind: string, key: string, version: number, record: any}} Annotation */
/** @typedef {{kind: string, key: string, version: number, record: any}} Change */

/** Why an answer was not a result. `kind`: offline and failing (try again later), login, conflict, rule, refused. */
export class Refusal extends Error {
  /** @param {"offline" | "failing" | "login" | "conflict" | "rule" | "refused"} kind @param {string} message @param {any} [body] */
  constructor(kind, message, body = {}) {
    super(message);
    this.kind = kind;
    this.body = body;
  }
}

/** @param {Document} page @param {string} name */
const said = (page, name) => page.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** Whose page this is: the server refuses what it sends while somebody else is logged in. */
const account = said(document, "karat-account");

const ANOTHER_PERSON = "Another person is logged in.";

/** The page's token against forged requests. It belongs to the session: after a new login the page asks for another. */
let token = said(document, "csrf-token");

/** False: there is no other token for this person. */
async function renewToken() {
  try {
    const page = new DOMParser().parseFromString(await (await fetch(location.href, { credentials: "same-origin" })).text(), "text/html");
    const fresh = said(page, "csrf-token");
    if (!fresh || fresh === token || said(page, "karat-account") !== account) return false;
    token = fresh;
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} method @param {string} address @param {any} [body] @param {{keepalive?: boolean}} [options]
 * @returns {Promise<any>}
 */
async function call(method, address, body, { keepalive = false } = {}) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json", "x-karat-account": account };
  if (method !== "GET") {
    headers["x-csrftoken"] = token;
    headers["content-type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(address, { method, headers, keepalive, credentials: "same-origin", body: body === undefined ? undefined : JSON.stringify(body), redirect: "manual" });
  } catch {
    throw new Refusal("offline", "The server cannot be reached.");
  }
  if (answer.status === 403 && method !== "GET" && await renewToken()) return call(method, address, body, { keepalive });
  const text = await answer.text();
  let result = null;
  try {
    result = text ? JSON.parse(text) : null;
  } catch { /* not from our server: a proxy's page */ }
  if (answer.ok) return result;
  if (answer.type === "opaqueredirect" || answer.status === 401) {
    const other = messageOf(result) === ANOTHER_PERSON;
    throw new Refusal("login", `${other ? "Another person is logged in" : "You are logged out"}. Log in again in another tab; your changes are kept here.`, { other });
  }
  const message = messageOf(result) || `The server answered ${answer.status}.`;
  if (answer.status === 409) throw new Refusal("conflict", message, result ?? {});
  if (answer.status === 422 || answer.status === 400) throw new Refusal("rule", message, result ?? {});
  if (answer.status >= 500 || answer.status === 429 || answer.status === 408) throw new Refusal("failing", message);
  throw new Refusal("refused", message, { ...(result ?? {}), status: answer.status });
}

/** @param {any} body */
function messageOf(body) {
  if (Array.isArray(body?.problems) && body.problems.length) {
    return body.problems.map((/** @type {any} */ problem) => (problem.where ? `${problem.where}: ${problem.what}` : problem.what)).join(" ");
  }
  return typeof body?.message === "string" ? body.message : typeof body?.detail === "string" ? body.detail : "";
}

/** The addresses of one query. */
export class QueryApi {
  /** @param {string} query @param {number | null} owner  0: the adjudicated layer; null: one's own */
  constructor(query, owner) {
    this.base = `/api/queries/${encodeURIComponent(query)}`;
    this.owner = owner;
  }

  /** @param {object} body */
  #withOwner(body) {
    return this.owner === null ? body : { ...body, owner: this.owner };
  }

  /** @param {string} step @param {number} page */
  work(step, page) {
    const owner = this.owner === null ? "" : `&owner=${this.owner}`;
    return call("GET", `${this.base}/work/${step}?page=${page}${owner}`);
  }

  /** @param {string} request @param {Change[]} changes */
  save(request, changes) {
    return call("POST", `${this.base}/changes`, this.#withOwner({ request, changes }));
  }

  /** @param {string} request @param {number} [batch] */
  undo(request, batch) {
    return call("POST", `${this.base}/undo`, this.#withOwner(batch === undefined ? { request } : { request, batch }));
  }

  /** @param {string} step @param {boolean} done */
  setStep(step, done) {
    return call("POST", `${this.base}/steps/${step}`, this.#withOwner({ done }));
  }

  /** @param {string} step @param {number} seconds */
  addTime(step, seconds) {
    return call("POST", `${this.base}/time`, this.#withOwner({ step, seconds }), { keepalive: true });
  }

  differences() {
    return call("GET", `${this.base}/differences`);
  }

  /** Takes over what the assessors agree on. */
  startAdjudication() {
    return call("POST", `${this.base}/adjudication`, {});
  }
}

/** The person's queries with the state of each step. @param {number} page */
export function listQueries(page) {
  return call("GET", `/api/queries?page=${page}`);
}

/** @param {number} number */
export function readDocument(number) {
  return call("GET", `/api/documents/${number}`);
}
