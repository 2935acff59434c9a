"use strict";
// The heat map of ranks, and the list of whose a chosen cell is. Of many models a cell holds several ranks.
const MOST_CELLS = 60;
const heat = { x: 0, y: 1, models: 1, step: 1, size: 1, cell: [1, 1], counts: null };
const cellOf = (rank) => Math.ceil(rank / heat.step);
const ranksOf = (cell) => (heat.step === 1 ? String(cell) : `${(cell - 1) * heat.step + 1} to ${Math.min(cell * heat.step, heat.models)}`);

function heatCounts() {
  heat.models = largest(DATA.tasks.map((task) => task.models.length));
  heat.step = Math.ceil(heat.models / MOST_CELLS);
  heat.size = cellOf(heat.models);
  heat.counts = Array.from({ length: heat.size }, () => new Array(heat.size).fill(0));
  for (const task of DATA.tasks)
    for (const [, i, j, share] of cellsOf(task, heat.x, heat.y)) heat.counts[cellOf(j) - 1][cellOf(i) - 1] += share;
}

function drawHeat() {
  heatCounts();
  const cells = Array.from({ length: heat.size }, (_, i) => i + 1), every = heat.step > 1 ? 10 : heat.size > 12 ? 5 : 1;
  const ticks = cells.filter((cell) => cell % every === 0);
  const top = largest(heat.counts.map(largest));
  const powers = Array.from({ length: Math.floor(Math.log2(Math.max(top, 1))) + 1 }, (_, i) => i);
  const shown = heat.counts.map((row) => row.map((count) => (count < 0.5 ? null : Math.log2(Math.max(count, 1)))));
  const trace = {
    type: "heatmap", x: cells, y: cells, z: shown, zmin: 0, zmax: Math.max(Math.log2(Math.max(top, 2)), 1),
    colorscale: "Cividis", reversescale: !isDark(), xgap: 1, ygap: 1, hoverongaps: true,
    text: heat.counts.map((row) => row.map((count) => (count ? digits(count, count % 1 ? 1 : 0) : ""))),
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
  const listed = [];
  for (const task of DATA.tasks)
    for (const [model, x, y, share] of cellsOf(task, heat.x, heat.y))
      if (cellOf(x) === i && cellOf(y) === j) listed.push([task, model, share]);
  listed.sort((a, b) => b[2] - a[2]);
  const title = `Rank ${ranksOf(i)} by ${short(METRICS[heat.x].label)}, rank ${ranksOf(j)} by ${short(METRICS[heat.y].label)}: ${listed.length} model${listed.length === 1 ? "" : "s"}`;
  const list = document.createElement("ul");
  for (const [task, model, share] of listed.slice(0, 200)) {
    const item = document.createElement("li");
    const open = button("", () => openTask(task, [model]));
    item.append(titled(open, `${task.name}: ${nameOf(task, model)}`, `${short(task.name)}: ${short(nameOf(task, model), LONGEST)}`));
    if (share < 0.995) item.append(` (tied, in ${Math.round(100 * share)} % of the orders)`);
    list.append(item);
  }
  if (listed.length > 200) list.append(text("li", `and ${listed.length - 200} more`));
  $("cell").replaceChildren(text("h3", title), list);
}

function startHeat() {
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
      $("cell").replaceChildren(text("p", `Rank ${ranksOf(heat.cell[0])} by ${short(METRICS[heat.x].label)}, rank ${ranksOf(heat.cell[1])} by ${short(METRICS[heat.y].label)}: ${digits(count, count % 1 ? 1 : 0)} models. Enter opens the list.`));
    } else if (event.key === "Enter") openCell(...heat.cell);
    else return;
    event.preventDefault();
  });
}
