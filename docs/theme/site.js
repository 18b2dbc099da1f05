// The site's own script: search, theme, and the menu on small screens. Pages can be read without it.
const script = document.currentScript;
const root = script.dataset.root.replace(/\/?$/, "/");
const html = document.documentElement;

const themes = ["", "light", "dark"];
const button = document.querySelector("button.theme");
const shownTheme = () => { button.textContent = `Theme: ${html.dataset.theme || "system"}`; };
button.hidden = false;
shownTheme();
button.addEventListener("click", () => {
  html.dataset.theme = themes[(themes.indexOf(html.dataset.theme) + 1) % themes.length];
  localStorage.setItem("karat-docs-theme", html.dataset.theme);
  shownTheme();
});

if (matchMedia("(max-width: 60rem)").matches) document.querySelector("details.menu").open = false;
const here = document.querySelector(".here details");
if (here && matchMedia("(min-width: 93rem)").matches) here.open = true;
document.querySelector("nav.pages [aria-current]")?.scrollIntoView({ block: "nearest" });

// Search: all words must occur in a part of a page; words in a heading count more than words in the text.
const box = document.querySelector(".search");
const input = box.querySelector("input");
const list = box.querySelector("ol");
const MOST = 12;
let parts = null;
box.hidden = false;

function loadPages() {
  if (parts !== null) return;
  parts = [];
  const pages = document.createElement("script");
  pages.src = `${root}pages.js`;
  pages.addEventListener("load", () => {
    parts = Object.entries(window.karatPages).flatMap(([url, [[title], ...below]]) =>
      below.map(([heading, anchor, text]) => ({ title, heading, text, url: `${root}${url}#${anchor}`,
        small: { title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() } })));
    search();
  });
  document.head.append(pages);
}

function worth({ small }, words) {
  let sum = 0;
  for (const word of words) {
    const value = (small.heading.includes(word) ? 8 : 0) + (small.title.includes(word) ? 4 : 0)
      + Math.min(3, small.text.split(word).length - 1);
    if (value === 0) return 0;
    sum += value + (small.heading === word ? 12 : 0);
  }
  return sum;
}

function excerpt({ text, small }, words) {
  const at = Math.max(0, Math.min(...words.map((word) => small.text.indexOf(word)).filter((place) => place >= 0), text.length) - 40);
  const piece = text.slice(at, at + 140);
  return at > 0 ? `… ${piece}` : piece;
}

function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (parts ?? []).map((part) => [worth(part, words), part]).filter(([value]) => words.length > 0 && value > 0)
    .sort(([left], [right]) => right - left).slice(0, MOST);
  list.replaceChildren(...found.map(([, part]) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = part.url;
    const name = link.appendChild(document.createElement("b"));
    name.textContent = part.heading === part.title ? part.title : `${part.title}: ${part.heading}`;
    link.appendChild(document.createElement("span")).textContent = excerpt(part, words);
    return item;
  }));
  if (words.length > 0 && found.length === 0) {
    const item = list.appendChild(document.createElement("li"));
    item.textContent = "No page has all of these words.";
  }
  list.hidden = words.length === 0;
}

input.addEventListener("focus", loadPages);
input.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea");
  if (event.key === "/" && !typing) { event.preventDefault(); input.focus(); }
  if (event.key === "Escape") { list.hidden = true; input.blur(); }
  if (box.contains(event.target) && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const links = [input, ...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    links[Math.max(0, Math.min(links.length - 1, next))].focus();
  }
  if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
});
document.addEventListener("click", (event) => { if (!box.contains(event.target)) list.hidden = true; });
