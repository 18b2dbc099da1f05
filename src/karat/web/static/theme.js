// The theme: what the system says, unless the person chose another. Runs before the first paint.
(function () {
  "use strict";
  const names = ["system", "light", "dark"];
  const root = document.documentElement;
  /** @returns {string} */
  function chosen() {
    try {
      const name = localStorage.getItem("karat-theme");
      return name !== null && names.includes(name) ? name : "system";
    } catch {
      return "system"; // storage is switched off
    }
  }
  /** @param {string} name */
  function show(name) {
    if (name === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", name);
    for (const button of document.querySelectorAll("[data-theme-switch]")) {
      button.textContent = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[name] ?? "Theme";
    }
  }
  show(chosen());
  document.addEventListener("DOMContentLoaded", () => show(chosen()));
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-theme-switch]")) return;
    const next = names[(names.indexOf(chosen()) + 1) % names.length];
    try {
      localStorage.setItem("karat-theme", next);
    } catch { /* the choice then lasts for this page */ }
    show(next);
  });
})();
