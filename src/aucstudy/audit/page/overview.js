"use strict";
// Data of the page, and ranks: 1 for the best; tied models share the mean.
addEventListener("error", ({ error, message }) => {
  const said = document.getElementById("failed");
  if (!error || !said) return; // a notice of the browser
  said.hidden = false;
  said.textContent = `A part of this page cannot be drawn: ${message}.`;
});
const DATA = JSON.parse(document.getElementById("data").textContent);
const METRICS = DATA.metrics;
const $ = (id) => document.getElementById(id);
const text = (tag, content, attributes = {}) => {
  const node = document.createElement(tag);
  node.textContent = content;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};
const button = (content, act) => {
  const node = text("button", content, { type: "button" });
  node.addEventListener("click", act);
  return node;
};
// Colours of the plots; those of the page stand in template.html. On paper they are the light ones.
const LIGHT = { ink: "#1b1b1b", soft: "#777", grid: "#e6e6e6", paper: "#fff", shade: "rgba(120,120,120,.35)", rest: "#bbb",
  models: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"] }; // Okabe and Ito
const DARK = { ink: "#e4e6e8", soft: "#9a9fa5", grid: "#33383e", paper: "#16191c", shade: "rgba(150,150,150,.3)", rest: "#767c82",
  models: ["#4fa8e0", "#f07a3a", "#1fc39a", "#e09bc4", "#f0b429", "#9ad7f7", "#ffffff"] };
const darkScheme = matchMedia("(prefers-color-scheme: dark)");
let printing = false;
const isDark = () => darkScheme.matches && !printing;
const theme = () => (isDark() ? DARK : LIGHT);
const plotBase = () => ({
  font: { family: "system-ui, sans-serif", size: 13, color: theme().ink }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" });
const PLOT_CONFIG = { displayModeBar: false, responsive: true };

// A long name loses its middle; where it is no plot, the whole one is the title.
const LONGEST = 100;
const short = (name, most = 40) => (name.length > most ? `${name.slice(0, most - 1 - ((most - 1) >> 1))}…${name.slice(name.length - ((most - 1) >> 1))}` : name);
const titled = (node, whole, shown = short(whole, LONGEST)) => {
  node.textContent = shown;
  if (shown !== whole) node.title = whole;
  return node;
};
// As `Math.max`, which takes no more than some hundred thousand arguments.
const largest = (values) => values.reduce((top, value) => (value > top ? value : top), -Infinity);
const nameOf = (task, i) => DATA.names[task.models[i]];
const digits = (x, n = 4) => (x === null || Number.isNaN(x) ? "–" : x.toFixed(n));

function averageRanks(values) {
  const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a]);
  const ranks = new Array(values.length);
  for (let i = 0; i < order.length; ) {
    let j = i;
    while (j + 1 < order.length && values[order[j + 1]] === values[order[i]]) j++;
    for (let k = i; k <= j; k++) ranks[order[k]] = (i + j) / 2 + 1;
    i = j + 1;
  }
  return ranks;
}

function correlation(a, b) {
  const mean = (a.length + 1) / 2;
  let ab = 0, aa = 0, bb = 0;
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) ** 2;
    bb += (b[i] - mean) ** 2;
  }
  return aa && bb ? ab / Math.sqrt(aa * bb) : NaN;
}

function bestOf(values) {
  const top = largest(values);
  return values.flatMap((value, i) => (value === top ? [i] : []));
}

for (const [index, task] of DATA.tasks.entries()) {
  task.index = index;
  task.ranks = task.values.map(averageRanks);
  task.best = task.values.map(bestOf);
}

// The heat map of ranks, and the list of whose a chosen cell is. Of many models a cell holds several ranks;
// a mean of tied ones is rounded down.
const MOST_CELLS = 60;
const heat = { x: 0, y: 1, models: 1, step: 1, size: 1, cell: [1, 1], counts: null };
const cellOf = (rank) => Math.ceil(Math.floor(rank) / heat.step);
const ranksOf = (cell) => (heat.step === 1 ? String(cell) : `${(cell - 1) * heat.step + 1} to ${Math.min(cell * heat.step, heat.models)}`);

function heatCounts() {
  heat.models = largest(DATA.tasks.map((task) => task.models.length));
  heat.step = Math.ceil(heat.models / MOST_CELLS);
  heat.size = cellOf(heat.models);
  heat.counts = Array.from({ length: heat.size }, () => new Array(heat.size).fill(0));
  for (const task of DATA.tasks)
    task.ranks[heat.x].forEach((rank, i) => heat.counts[cellOf(task.ranks[heat.y][i]) - 1][cellOf(rank) - 1]++);
}

function drawHeat() {
  heatCounts();
  const cells = Array.from({ length: heat.size }, (_, i) => i + 1), every = heat.step > 1 ? 10 : heat.size > 12 ? 5 : 1;
  const ticks = cells.filter((cell) => cell % every === 0);
  const top = largest(heat.counts.map(largest));
  const powers = Array.from({ length: Math.floor(Math.log2(Math.max(top, 1))) + 1 }, (_, i) => i);
  const shown = heat.counts.map((row) => row.map((count) => (count ? Math.log2(count) : null)));
  const trace = {
    type: "heatmap", x: cells, y: cells, z: shown, zmin: 0, zmax: Math.max(Math.log2(Math.max(top, 2)), 1),
    colorscale: "Cividis", reversescale: !isDark(), xgap: 1, ygap: 1, hoverongaps: true,
    text: heat.counts.map((row) => row.map((count) => count || "")),
    customdata: cells.map((j) => cells.map((i) => [ranksOf(i), ranksOf(j)])),
    hovertemplate: `rank %{customdata[0]} by ${short(METRICS[heat.x].label)}, %{customdata[1]} by ${short(METRICS[heat.y].label)}: %{text} models<extra></extra>`,
    colorbar: { title: { text: "models", side: "right" }, tickvals: powers, ticktext: powers.map((p) => String(2 ** p)), thickness: 12 },
  };
  if (heat.size <= 8) Object.assign(trace, { texttemplate: "%{text}", textfont: { size: 13 } });
  const axis = { range: [0.5, heat.size + 0.5], tickvals: ticks, ticktext: ticks.map((cell) => Math.min(cell * heat.step, heat.models)), fixedrange: true, zeroline: false, showgrid: false };
  const layout = {
    ...plotBase(), margin: { l: heat.step > 1 ? 65 : 50, r: 10, t: 10, b: 45 },
    xaxis: { ...axis, title: { text: `rank by ${short(METRICS[heat.x].label, 28)}` } },
    yaxis: { ...axis, title: { text: `rank by ${short(METRICS[heat.y].label, 28)}` }, scaleanchor: "x", constrain: "domain" },
    shapes: heatShapes(),
  };
  layout.xaxis.constrain = "domain";
  Plotly.react("heat-plot", [trace], layout, PLOT_CONFIG);
}

function heatShapes() {
  const [i, j] = heat.cell, line = { color: "#d55e00", width: 3 };
  const diagonal = { type: "line", x0: 0.5, y0: 0.5, x1: heat.size + 0.5, y1: heat.size + 0.5, line: { color: theme().soft, width: 1 } };
  return [diagonal, { type: "rect", x0: i - 0.5, x1: i + 0.5, y0: j - 0.5, y1: j + 0.5, line }];
}

function openCell(i, j) {
  heat.cell = [i, j];
  Plotly.relayout("heat-plot", { shapes: heatShapes() });
  const listed = DATA.tasks.flatMap((task) =>
    task.models.flatMap((_, model) => (cellOf(task.ranks[heat.x][model]) === i && cellOf(task.ranks[heat.y][model]) === j ? [[task, model]] : [])));
  const title = `Rank ${ranksOf(i)} by ${short(METRICS[heat.x].label)}, rank ${ranksOf(j)} by ${short(METRICS[heat.y].label)}: ${listed.length} model${listed.length === 1 ? "" : "s"}`;
  const list = document.createElement("ul");
  for (const [task, model] of listed.slice(0, 200)) {
    const item = document.createElement("li");
    const open = button("", () => openTask(task, [model]));
    item.append(titled(open, `${task.name}: ${nameOf(task, model)}`, `${short(task.name)}: ${short(nameOf(task, model), LONGEST)}`));
    list.append(item);
  }
  if (listed.length > 200) list.append(text("li", `and ${listed.length - 200} more`));
  $("cell").replaceChildren(text("h3", title), list);
}

// Of one task the two metrics whose ranks agree least are shown first.
function leastAlike(task) {
  const pairs = METRICS.flatMap((_, x) => METRICS.slice(x + 1).map((_, k) => [x, x + 1 + k]));
  const alike = pairs.map(([x, y]) => correlation(task.ranks[x], task.ranks[y])).map((value) => (Number.isNaN(value) ? 1 : value));
  return pairs[alike.indexOf(Math.min(...alike))];
}

function startHeat() {
  if (DATA.tasks.length === 1 && METRICS.length > 1) [heat.x, heat.y] = leastAlike(DATA.tasks[0]);
  for (const axis of ["x", "y"]) {
    const select = $(`heat-${axis}`);
    METRICS.forEach((metric, i) => select.append(text("option", short(metric.label, 60), { value: i })));
    select.value = heat[axis];
    select.addEventListener("change", () => {
      heat[axis] = Number(select.value);
      drawHeat();
      openCell(...heat.cell);
      drawTable();
    });
  }
  drawHeat();
  $("heat-plot").on("plotly_click", (event) => openCell(event.points[0].x, event.points[0].y));
  $("heat-plot").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step) {
      heat.cell = heat.cell.map((at, k) => Math.min(heat.size, Math.max(1, at + step[k])));
      Plotly.relayout("heat-plot", { shapes: heatShapes() });
      const count = heat.counts[heat.cell[1] - 1][heat.cell[0] - 1];
      $("cell").replaceChildren(text("p", `Rank ${ranksOf(heat.cell[0])} by ${short(METRICS[heat.x].label)}, rank ${ranksOf(heat.cell[1])} by ${short(METRICS[heat.y].label)}: ${count} models. Enter opens the list.`));
    } else if (event.key === "Enter") openCell(...heat.cell);
    else return;
    event.preventDefault();
  });
}

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
  { label: "rank corr.", of: pairCorrelation, number: 3 },
  ...METRICS.map((metric, k) => ({ label: `best by ${metric.label}`, of: (task) => winners(task, k), shown: (task) => winners(task, k, LONGEST) })),
];

function sortedTasks() {
  const needle = table.filter.toLowerCase();
  const matching = DATA.tasks.filter(
    (task) => !needle || task.name.toLowerCase().includes(needle) || task.best.some((_, k) => winners(task, k).toLowerCase().includes(needle)));
  if (table.sort === null) return matching;
  const of = COLUMNS[table.sort].of, sign = table.down ? -1 : 1;
  const keyed = matching.map((task) => [of(task), task]);
  keyed.sort(([a], [b]) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
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
        cell.textContent = digits(value, column.number);
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
