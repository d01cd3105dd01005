const search = document.getElementById("search");
const found = document.getElementById("found");
const articles = [...document.querySelectorAll("article.found")].map((element) => [
  element, element.textContent.toLowerCase(),
]);

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const [element, text] of articles) {
    const isFound = words.every((word) => text.includes(word));
    element.classList.toggle("hidden", !isFound);
    const rows = [...element.querySelectorAll("tr[id]")];
    const meant = rows.filter((row) => words.some((word) => row.textContent.toLowerCase().includes(word)));
    for (const row of rows) row.classList.toggle("hidden", meant.length > 0 && !meant.includes(row));
    if (words.length && isFound) {
      const details = element.querySelector("details");
      details.open = words.some((word) => details.textContent.toLowerCase().includes(word));
    }
    count += isFound;
  }
  for (const schema of document.querySelectorAll(".schema")) {
    schema.classList.toggle("hidden", !schema.querySelector("article:not(.hidden)"));
  }
  for (const other of document.querySelectorAll("#lineage, #state, .index")) {
    other.classList.toggle("hidden", words.length > 0);
  }
  found.textContent = words.length ? `${count} found` : "";
}

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest(".hidden")) { search.value = ""; show(); }
  const article = target.closest("article.found");
  if (article) article.querySelector("details").open = true;
  target.scrollIntoView();
}

search.addEventListener("input", show);
window.addEventListener("hashchange", open);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
});

const lineage = document.querySelector("svg.lineage");
const paths = [...lineage.querySelectorAll("path")];
const boxes = new Map([...lineage.querySelectorAll("a")].map((box) => [box.dataset.table, box]));

function point(table) {
  const near = new Set([table]);
  for (const [from, to] of [["from", "to"], ["to", "from"]]) {
    const waiting = [table];
    const seen = new Set();
    while (waiting.length) {
      const one = waiting.pop();
      for (const path of paths) {
        if (path.dataset[from] !== one) continue;
        path.classList.add("near");
        const other = path.dataset[to];
        if (!seen.has(other)) { seen.add(other); near.add(other); waiting.push(other); }
      }
    }
  }
  for (const name of near) boxes.get(name).classList.add("near");
  lineage.classList.add("pointed");
}

for (const [table, box] of boxes) {
  box.addEventListener("mouseenter", () => point(table));
  box.addEventListener("mouseleave", () => {
    lineage.classList.remove("pointed");
    for (const one of lineage.querySelectorAll(".near")) one.classList.remove("near");
  });
}
open();
