"use strict";
// The sortable table of tasks.
const PAGE_ROWS = 50;
const table = { sort: null, down: false, filter: "", all: false };

const winners = (task, k, most = Infinity) => {
  const best = task.best[k], name = (i) => short(nameOf(task, i), most);
  return best.length > 2 ? `${name(best[0])} and ${best.length - 1} tied` : best.map(name).join(" = ");
};
const pairCorrelation = (task) => correlation(task.ranks[heat.x], task.ranks[heat.y]);

const COLUMNS = [
  { label: "task", of: (task) => task.name, open: true },
  ...(DATA.tasks.some((task) => task.n) ? [
    { label: "n", of: (task) => task.n, number: 0 },
    { label: "prevalence", of: (task) => task.prevalence, number: 3 }] : []),
  ...(DATA.tasks.some((task) => task.verdict) ? [{ label: "verdict", of: (task) => DATA.verdicts[task.verdict] }] : []),
  { label: "rank corr.", of: pairCorrelation, number: 3 },
  // AUCNPR ranks as AUPR does
  ...METRICS.flatMap((metric, k) => (metric.key === "aucnpr" ? [] : [{ label: `best by ${metric.label}`, of: (task) => winners(task, k), shown: (task) => winners(task, k, LONGEST) }])),
];

function sortedTasks() {
  const needle = table.filter.toLowerCase();
  const matching = DATA.tasks.filter(
    (task) => !needle || task.name.toLowerCase().includes(needle) || task.best.some((_, k) => winners(task, k).toLowerCase().includes(needle)));
  if (table.sort === null) return matching;
  const of = COLUMNS[table.sort].of, sign = table.down ? -1 : 1;
  const keyed = matching.map((task) => [of(task), task]);
  const missing = (x) => x === null || x === undefined || Number.isNaN(x);
  keyed.sort(([a], [b]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  });
  return keyed.map(([, task]) => task);
}

function drawTable() {
  const sorted = sortedTasks(), shown = table.all ? sorted : sorted.slice(0, PAGE_ROWS);
  const rows = shown.map((task) => {
    const row = document.createElement("tr");
    row.dataset.task = task.index;
    for (const column of COLUMNS) {
      const value = column.of(task);
      const cell = document.createElement("td");
      if (column.open) cell.append(titled(button("", () => openTask(task)), value));
      else if ("number" in column) {
        cell.textContent = typeof value === "number" && !Number.isNaN(value) ? value.toLocaleString("en", { minimumFractionDigits: column.number, maximumFractionDigits: column.number }) : "–";
        cell.className = "number";
      } else titled(cell, value || "–", (column.shown ? column.shown(task) : value) || "–");
      row.append(cell);
    }
    return row;
  });
  $("table").tBodies[0].replaceChildren(...rows);
  $("count").textContent = `${sorted.length} of ${DATA.tasks.length} tasks`;
  $("more").hidden = sorted.length <= PAGE_ROWS;
  $("more").textContent = table.all ? `Show the first ${PAGE_ROWS}` : `Show all ${sorted.length}`;
  markSort();
}

function markSort() {
  [...$("table").tHead.rows[0].cells].forEach((cell, i) =>
    cell.setAttribute("aria-sort", i !== table.sort ? "none" : table.down ? "descending" : "ascending"));
}

function startTable() {
  const head = document.createElement("tr");
  COLUMNS.forEach((column, i) => {
    const cell = text("th", "", { scope: "col", ...("number" in column ? { class: "number" } : {}) });
    const sort = button("", () => {
      table.down = table.sort === i ? !table.down : false;
      table.sort = i;
      drawTable();
    });
    cell.append(titled(sort, column.label));
    head.append(cell);
  });
  $("table").tHead.append(head);
  $("filter").addEventListener("input", () => { table.filter = $("filter").value; drawTable(); });
  $("more").addEventListener("click", () => { table.all = !table.all; drawTable(); });
  drawTable();
}
