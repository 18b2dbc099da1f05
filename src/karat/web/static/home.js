// On the list of queries: work that is still in this browser only, so that nobody forgets it there.

const list = document.getElementById("kept-here");
const account = list?.dataset.account ?? "";
/** @type {Map<string, {waiting: number, refused: number}>} */
const queries = new Map();
try {
  for (let index = 0; index < localStorage.length; index += 1) {
    const [kind, owner, query] = (localStorage.key(index) ?? "").split(":");
    if ((kind !== "karat-unsent" && kind !== "karat-refused") || owner !== account) continue;
    const counts = queries.get(query) ?? { waiting: 0, refused: 0 };
    if (kind === "karat-unsent") counts.waiting += 1;
    else counts.refused += 1;
    queries.set(query, counts);
  }
} catch { /* the browser keeps nothing */ }

for (const link of document.querySelectorAll("a[data-query]")) {
  const counts = link instanceof HTMLAnchorElement ? queries.get(link.dataset.query ?? "") : undefined;
  if (!counts || !list || !(link instanceof HTMLAnchorElement)) continue;
  const said = [counts.waiting ? `${counts.waiting} not sent yet` : "", counts.refused ? `${counts.refused} refused by the server` : ""].filter(Boolean).join(", ");
  const entry = document.createElement("p");
  const to = document.createElement("a");
  to.href = link.href;
  to.textContent = link.dataset.name ?? "query";
  entry.append("Changes that are only in this browser: ", to, ` (${said}). Open it to send them or to see why.`);
  list.append(entry);
  list.hidden = false;
}
