// Cells name their column, for tables that become cards on a phone; code can be copied; the ledger gets a search box.
"use strict";
const PROMPT = /^(?:\$|>>>|\.\.\.)(?: |$)/;
addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table")) {
    const heads = [...table.querySelectorAll("thead th p, thead th")];
    const labels = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
    for (const head of heads) if (!head.children.length) head.innerHTML = head.innerHTML.replaceAll("_", "_<wbr>");
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, k) => { if (labels[k]) cell.dataset.label = labels[k]; });
  }
  for (const part of document.querySelectorAll("td code .pre"))
    part.innerHTML = part.innerHTML.replace(/([._:])(?=\w)/g, "$1<wbr>");
  for (const block of document.querySelectorAll("div.highlight")) {
    const lines = block.querySelector("pre").textContent.split("\n");
    const commands = lines.filter((line) => PROMPT.test(line)).map((line) => line.replace(PROMPT, ""));
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await copy((commands.length ? commands : lines).join("\n").trimEnd() + "\n");
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
  const claims = [...document.querySelectorAll("tr[id^=row-]")].map((row) => [row, row.textContent.toLowerCase()]);
  if (!claims.length) return;
  const box = document.createElement("p");
  box.id = "ledger-search";
  box.innerHTML = '<label>Show only claims with the words <input type="search" id="query"></label> <span id="hits"></span>';
  claims[0][0].closest("table").before(box);
  const query = document.getElementById("query");
  query.addEventListener("input", () => {
    const words = query.value.toLowerCase().split(/\s+/).filter((word) => word);
    let count = 0;
    for (const [row, text] of claims) {
      row.hidden = !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    document.getElementById("hits").textContent = words.length ? `${count} of ${claims.length} claims` : "";
  });
});

async function copy(text) {
  // The clipboard may be missing or refused where the site is opened from files.
  try { return await navigator.clipboard.writeText(text); } catch { /* select and copy instead */ }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
