// The page's own script: it unpacks what is compressed, filters and sorts. Everything else works without it.
// What it inserts as HTML was made and escaped when the report was written.

const STEP = 250;

/** A JSON value that was packed as gzip in base64. */
async function unpack(name) {
  const text = document.getElementById(`pack-${name}`).textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Offer a text as a file. */
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The number that a cell begins with; a text where it has none. */
function sortValue(cell) {
  const text = cell.textContent.trim();
  const number = Number.parseFloat(text.replace(/[,<]/g, ""));
  return Number.isNaN(number) ? text : number;
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [sortValue(row.cells[column]), row]);
      rows.sort(([a], [b]) =>
        typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1,
      );
      if (falling) rows.reverse();
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

/** The rows of the matrix that a form asks for, in the order that it asks for. */
function chosenRows(matrix, texts, form) {
  const wanted = Object.fromEntries(new FormData(form));
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = matrix.rows.map((_, at) => at).filter((at) =>
    (!wanted.query || matrix.queries[at] === wanted.query) &&
    (!wanted.importance || matrix.importances[at] === wanted.importance) &&
    (!wanted.kind || matrix.kinds[at] === wanted.kind) &&
    (wanted.missing === "" || (matrix.degrees[at][wanted.missing] ?? 1) < 0.5) &&
    words.every((word) => texts(at).includes(word)),
  );
  const by = {
    low: (at) => matrix.means[at] ?? 2,
    high: (at) => -(matrix.means[at] ?? -1),
    spread: (at) => -matrix.spreads[at],
  }[wanted.order];
  return by ? rows.sort((a, b) => by(a) - by(b) || a - b) : rows;
}

async function startMatrix() {
  const form = document.getElementById("matrix-filters");
  if (!form) return;
  const matrix = await unpack("matrix");
  const body = document.getElementById("matrix").tBodies[0];
  const count = document.getElementById("matrix-count");
  const more = document.getElementById("matrix-more");
  const known = new Map();
  const texts = (at) => {
    if (!known.has(at)) {
      const parsed = new DOMParser().parseFromString(`<table>${matrix.rows[at]}</table>`, "text/html");
      known.set(at, parsed.body.textContent.toLowerCase());
    }
    return known.get(at);
  };
  let shown = STEP;
  const show = () => {
    const rows = chosenRows(matrix, texts, form);
    const some = rows.slice(0, shown);
    body.innerHTML = some.map((at) => matrix.rows[at]).join("");
    count.textContent = !rows.length ? "No nug fits these filters." : `${some.length} of ${rows.length} nugs${rows.length < matrix.rows.length ? ` (${matrix.rows.length} in all)` : ""}.`;
    more.hidden = some.length === rows.length;
  };
  form.addEventListener("input", () => { shown = STEP; show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { shown += STEP; show(); });
  const csv = document.getElementById("matrix-csv");
  csv.addEventListener("click", () => download("nugs.csv", matrix.csv));
  csv.hidden = false;
  form.hidden = false;
  more.hidden = matrix.rows.length <= STEP;
}

/** The answers to a query are unpacked when they are opened; a pack has those to several queries. */
function startQueries() {
  const packs = new Map();
  const fill = async (details) => {
    const { pack, at } = details.dataset;
    if (!pack) return;
    delete details.dataset.pack;
    if (!packs.has(pack)) packs.set(pack, unpack(pack));
    details.querySelector(".answers").innerHTML = (await packs.get(pack))[at];
  };
  for (const details of document.querySelectorAll("details[data-pack]")) {
    details.addEventListener("toggle", () => details.open && fill(details));
  }
}

/** A link to a query opens its answers. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}

/** Hovering over a mark shows all places of its nugs; tapping it shows nug and reason below. */
function startMarks() {
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("mark");
    if (!mark) return;
    const paragraph = mark.closest("p");
    const shown = paragraph.nextElementSibling;
    if (shown?.classList.contains("why")) {
      shown.remove();
      if (shown.textContent === mark.title) return;
    }
    const why = document.createElement("p");
    why.className = "why";
    why.textContent = mark.title;
    paragraph.after(why);
  });
  document.addEventListener("mouseover", (event) => {
    const mark = event.target.closest?.("mark");
    document.querySelectorAll("mark.near").forEach((other) => other.classList.remove("near"));
    if (!mark) return;
    const nugs = JSON.parse(mark.dataset.nugs);
    mark.closest(".answer").querySelectorAll("mark").forEach((other) => {
      if (JSON.parse(other.dataset.nugs).some((nug) => nugs.includes(nug))) other.classList.add("near");
    });
  });
}

function startPackedCsv(button) {
  button.hidden = false;
  button.addEventListener("click", async () => download(button.dataset.name, await unpack(button.dataset.pack)));
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".packed-csv").forEach(startPackedCsv);
startQueries();
startMarks();
addEventListener("hashchange", openTarget);
openTarget();
await startMatrix();
document.documentElement.dataset.ready = "";
