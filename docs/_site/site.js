// Cells name their column, for tables that become cards on a phone; the ledger gets a search box.
"use strict";
addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table")) {
    const heads = [...table.querySelectorAll("thead th p, thead th")];
    const labels = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
    for (const head of heads) if (!head.children.length) head.innerHTML = head.innerHTML.replaceAll("_", "_<wbr>");
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, k) => { if (labels[k]) cell.dataset.label = labels[k]; });
  }
  const claims = [...document.querySelectorAll("tr[id^=claim-]")].map((row) => [row, row.textContent.toLowerCase()]);
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
