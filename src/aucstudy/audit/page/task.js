"use strict";
// One task: choose models, follow a threshold, the winner against prevalence, and all its models.
const current = { task: null, chosen: [] };

function openTask(task, models = [], move = true) {
  current.task = task;
  $("task").hidden = false;
  titled($("task-title"), task.name);
  const facts = task.n ? [`${task.n.toLocaleString("en")} rows`, `prevalence ${digits(task.prevalence, 4)}`] : [];
  $("task-facts").textContent = [...facts, `${task.models.length} models`].join(", ") +
    (task.curves || !DATA.curves ? "" : ". The curves of this task are not in this page; it holds those of the tasks where the metrics disagree most.");
  for (const row of $("table").tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.task) === task.index);
  $("task-curves").hidden = !task.curves;
  if (task.curves) {
    const wanted = [...models, ...task.best.flatMap((best) => best.slice(0, 1)), ...task.ranks[heat.x].map((_, i) => i).sort((a, b) => task.ranks[heat.x][a] - task.ranks[heat.x][b])];
    current.chosen = [...new Set(wanted)].slice(0, Math.max(models.length, Math.min(4, task.models.length)));
    chooseModels();
  }
  drawAreas(task);
  if (!move) return;
  $("task-title").focus({ preventScroll: true });
  $("task").scrollIntoView();
}

function chooseModels() {
  const { task, chosen } = current;
  const order = task.models.map((_, i) => i).sort((a, b) => task.ranks[heat.x][a] - task.ranks[heat.x][b]);
  const boxes = order.map((i) => {
    const label = document.createElement("label"), box = text("input", "", { type: "checkbox", value: i });
    box.checked = chosen.includes(i);
    box.disabled = !box.checked && chosen.length >= MOST;
    box.addEventListener("change", () => {
      current.chosen = box.checked ? [...current.chosen, i] : current.chosen.filter((j) => j !== i);
      chooseModels();
      $("models").querySelector(`[value="${i}"]`).focus();
    });
    label.append(box, swatch(chosen.indexOf(i)), titled(document.createElement("span"), nameOf(task, i)));
    return label;
  });
  $("models").replaceChildren(...boxes);
  $("follow").replaceChildren(...chosen.map((i) => text("option", short(nameOf(task, i), 60), { value: i })));
  drawCurves(task, chosen);
  drawPrevalence(task);
  follow();
}

function swatch(k) {
  const holder = document.createElement("span");
  holder.className = "swatch";
  if (k < 0) return holder;
  const dash = { solid: "", dash: "6 3", dot: "2 2", dashdot: "6 2 2 2", longdash: "10 4", longdashdot: "10 3 2 3" }[DASHES[k]];
  holder.innerHTML = `<svg width="32" height="12" aria-hidden="true"><line x1="0" y1="6" x2="32" y2="6" stroke="${theme().models[k]}" stroke-width="3" stroke-dasharray="${dash}"/></svg>`;
  return holder;
}

function follow() {
  const { task, chosen } = current;
  if (!chosen.length) { $("readout").textContent = "No model chosen."; $("position").disabled = true; return; }
  const count = vertices(task, Number($("follow").value)).t.length;
  $("position").disabled = false;
  $("position").max = count - 1;
  $("position").value = Math.floor(count / 3);
  markThreshold(task, Number($("follow").value), Number($("position").value));
}

function drawPrevalence(task, width = $("prevalence").clientWidth) {
  const shown = [...new Set([...current.chosen, ...Object.values(task.curves.winners).flat().map((stretch) => stretch[2])])];
  const colourOf = (model) => theme().models[shown.indexOf(model)] || theme().rest; // the colours of the curves first
  const rows = METRICS.filter((metric) => task.curves.winners[metric.key]).reverse();
  const traces = [], notes = [];
  for (const metric of rows)
    for (const [low, high, model] of task.curves.winners[metric.key]) {
      const colour = colourOf(model), wide = Math.log(high / low) / Math.log(500);
      traces.push({ type: "scatter", mode: "lines", x: [low, high], y: [metric.label, metric.label], showlegend: false,
        line: { color: colour, width: 22 }, hovertemplate: `${short(nameOf(task, model))}: best by ${metric.label} from ${low.toPrecision(3)} to ${high.toPrecision(3)}<extra></extra>` });
      const room = Math.floor(wide * (width - 90) / 8), name = nameOf(task, model);
      if (room >= 4) notes.push({ x: Math.log10(Math.sqrt(low * high)), y: metric.label, text: short(name, room),
        showarrow: false, font: { color: ["#000000", "#0072B2"].includes(colour) ? "#fff" : "#000", size: 12 } });
    }
  const layout = {
    ...plotBase(), margin: { l: 75, r: 15, t: 10, b: 45 }, annotations: notes, hovermode: "closest",
    xaxis: { type: "log", range: [-3, Math.log10(0.5)], title: { text: "prevalence" }, tickvals: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5], fixedrange: true, tickangle: 0, gridcolor: theme().grid },
    yaxis: { fixedrange: true, type: "category", categoryarray: rows.map((metric) => metric.label), range: [-0.6, rows.length - 0.4] },
    shapes: [{ type: "line", x0: task.prevalence, x1: task.prevalence, yref: "paper", y0: 0, y1: 1, line: { color: theme().ink, dash: "dot", width: 2 } }],
  };
  if ($("prevalence").clientWidth < 600) layout.xaxis.tickvals = [0.001, 0.01, 0.1, 0.5];
  Plotly.react("prevalence", traces, layout, PLOT_CONFIG);
}

function drawAreas(task) {
  const head = document.createElement("tr");
  const column = { scope: "col", class: "number" };
  head.append(text("th", "model", { scope: "col" }), ...METRICS.flatMap((metric) => [titled(text("th", "", column), metric.label), text("th", "rank", column)]));
  const order = task.models.map((_, i) => i).sort((a, b) => task.ranks[heat.x][a] - task.ranks[heat.x][b]);
  const rows = order.map((i) => {
    const row = document.createElement("tr");
    row.append(titled(text("th", "", { scope: "row" }), nameOf(task, i)));
    METRICS.forEach((_, k) => {
      const style = task.best[k].includes(i) ? "number best" : "number";
      row.append(text("td", digits(METRICS[k].lower ? -task.values[k][i] : task.values[k][i], 4), { class: style }), text("td", String(task.ranks[k][i]), { class: style }));
    });
    return row;
  });
  $("areas").replaceChildren(head, ...rows);
}

function startTask() {
  $("follow").addEventListener("change", follow);
  $("position").addEventListener("input", () => markThreshold(current.task, Number($("follow").value), Number($("position").value)));
}

function hovered(event) {
  const { data, pointIndex } = event.points[0];
  if (data.meta === undefined) return;
  const k = data.customdata[pointIndex];
  $("follow").value = data.meta;
  $("position").max = vertices(current.task, data.meta).t.length - 1;
  $("position").value = k;
  markThreshold(current.task, data.meta, k);
}

function redraw() {
  drawHeat();
  const { task, chosen } = current;
  if (!task || !task.curves) return;
  [...$("models").querySelectorAll("input")].forEach((box) => box.nextElementSibling.replaceWith(swatch(chosen.indexOf(Number(box.value)))));
  drawCurves(task, chosen);
  drawPrevalence(task);
  if (chosen.length) markThreshold(task, Number($("follow").value), Number($("position").value));
}
darkScheme.addEventListener("change", redraw);

// A page is printed at its own width, in light colours, with every section open.
const plots = () => [...document.querySelectorAll(".plot")].filter((plot) => plot.data && plot.offsetParent);
addEventListener("beforeprint", () => {
  printing = true;
  for (const section of document.querySelectorAll("details:not([open])")) section.dataset.closed = section.open = true;
  if (darkScheme.matches) redraw();
  plots().forEach((plot) => {
    if (plot.id === "prevalence") drawPrevalence(current.task, 660);
    const small = plot.parentElement.classList.contains("three");
    Plotly.relayout(plot, { width: small ? 225 : 660, height: small ? 250 : plot.id === "prevalence" ? 240 : 420, autosize: false });
  });
});
addEventListener("afterprint", () => {
  printing = false;
  for (const section of document.querySelectorAll("details[data-closed]")) {
    section.open = false;
    delete section.dataset.closed;
  }
  plots().forEach((plot) => Plotly.relayout(plot, { width: null, height: null, autosize: true }));
  if (darkScheme.matches) redraw();
});

const heading = document.querySelector("h1");
titled(heading, heading.textContent);
if (DATA.tasks.length > 1 || DATA.metrics.length) {
  startHeat();
  startTable();
  if (DATA.curves) startTask();
  const first = DATA.tasks.length === 1 ? DATA.tasks[0] : null;
  if (first) openTask(first, [], false);
}
document.documentElement.dataset.ready = String(Math.round(performance.now()));
