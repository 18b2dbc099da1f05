// What is said about one nugget: type, category, tags, and the sentence it says. A suggestion is answered here.

import { fill, h, keyButton } from "../../ui/dom.js";
import { MEANINGS, meaningOf, nuggetText } from "../../ui/wording.js";

/** @typedef {import("./page.js").default} NuggetsPage */
/** @typedef {import("./page.js").Item} Item */

/** @param {NuggetsPage} page @param {Item} item */
export function nuggetForm(page, item) {
  const { record } = item;
  const back = () => page.flow.activeEntry?.text.focus();
  return h("div", { class: "nugget-form" },
    h("p", { class: "nugget-now", dir: "auto" }, nuggetText(record, page.lookups)),
    item.suggestion === null ? null : [h("div", { class: "choices" },
      keyButton("Accept", "y", () => void page.accept(), { class: "primary", id: "accept" }),
      keyButton("Reject", "r", () => page.reject(), { id: "reject" })),
    h("p", { class: "small soft" }, "To correct it, change it: both versions are kept.")],
    page.types.length ? h("fieldset", {}, h("legend", {}, "Type"), h("div", { class: "row" }, page.types.map((type, index) =>
      keyButton(type, index < 9 ? String(index + 1) : "", () => page.setType(index), { class: "small", "aria-pressed": String(record.type === type), id: `type-${index}`, title: meaningOf(type, page.data) })))) : null,
    categoryFields(page, record, back),
    field("paraphrase", "Said as a sentence", "p", record.paraphrase ?? "", (value) => page.edit({ paraphrase: value || undefined }, "said as a sentence"), back, "Can it be said as a sentence?"),
    h("div", { class: "row" },
      keyButton("World knowledge", "w", () => page.edit({ world_knowledge: !record.world_knowledge || undefined }, "world knowledge"), { class: "small", "aria-pressed": String(Boolean(record.world_knowledge)), id: "world", title: MEANINGS.world }),
      item.suggestion === null ? [keyButton("Split", "x", () => void page.split(), { class: "small", id: "split" }), keyButton("Join", "j", () => void page.join(), { class: "small", id: "join" }), keyButton("Delete", "Del", () => page.delete(), { class: "small danger", id: "delete" })] : null));
}

/** @param {NuggetsPage} page @param {any} record @param {() => void} back */
function categoryFields(page, record, back) {
  const categories = Object.keys(page.data.template?.categories ?? {});
  const secondary = field("secondary", "Secondary tag", "s", record.secondary ?? "", (value) => page.edit({ secondary: value || undefined }, "secondary tag"), back, "LOC, TIME", ["LOC", "TIME"]);
  if (!categories.length) return record.secondary ? secondary : null;
  const select = h("select", { id: "category" });
  fill(select, ["", ...categories].map((name) => h("option", { value: name, title: page.data.template?.categories?.[name] || null }, name || "none")));
  select.value = record.category ?? "";
  select.addEventListener("change", () => page.edit({ category: select.value || undefined }, "category"));
  return h("div", { class: "pair" }, h("div", { class: "field" }, h("label", { for: "category", title: MEANINGS.category }, "Category ", h("kbd", { "aria-hidden": "true" }, "c")), select), secondary);
}

/**
 * @param {string} id @param {string} label @param {string} key @param {string} value @param {(value: string) => void} changed
 * @param {() => void} back @param {string} hint @param {string[]} [choices]
 */
function field(id, label, key, value, changed, back, hint, choices = []) {
  const input = h("input", { type: "text", id, value, dir: "auto", placeholder: hint, maxlength: id === "secondary" ? 80 : 4000, list: choices.length ? `${id}-choices` : null, autocomplete: "off" });
  input.addEventListener("change", () => changed(input.value.trim()));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    back();
  });
  return h("div", { class: "field" }, h("label", { for: id, title: MEANINGS[id] }, label, " ", h("kbd", { "aria-hidden": "true" }, key)), input,
    choices.length ? h("datalist", { id: `${id}-choices` }, choices.map((choice) => h("option", { value: choice }))) : null);
}
