"use strict";
// ROC, PR and PRG curves of one task out of the same vertices: cumulated true and false positives and thresholds.
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid"];
const MOST = DASHES.length, MOST_BANDS = 4;
const SPACES = {
  roc: { x: "false positive rate", y: "true positive rate", title: "ROC" },
  pr: { x: "recall", y: "precision", title: "precision-recall" },
  prg: { x: "recall gain", y: "precision gain", title: "precision-recall-gain" },
};

function vertices(task, i) {
  const packed = task.curves.models[i];
  if (!packed.t) {
    let t = 0, f = 0;
    packed.t = packed.dt.map((step) => (t += step));
    packed.f = packed.df.map((step) => (f += step));
  }
  return packed;
}

function point(space, t, f, P, N) {
  if (space === "roc") return [f / N, t / P];
  if (space === "pr") return [t / P, t + f > 0 ? t / (t + f) : null];
  return t > 0 ? [1 - (P / N) * ((P - t) / t), 1 - (P / N) * (f / t)] : [-Infinity, -Infinity];
}

// Points to draw with, for each, the vertex that it belongs to. The hyperbolas of PR are sampled; PRG starts where
// recall gain is 0.
function drawn(task, i, space) {
  const { t, f } = vertices(task, i), { P, N } = task.curves, x = [], y = [], at = [];
  const put = (tp, fp, k) => {
    const [u, v] = point(space, tp, fp, P, N);
    if (v !== null) { x.push(u); y.push(v); at.push(k); }
  };
  if (space === "pr" && t.length > 1) put(t[1] > 0 ? 1e-9 : 0, t[1] > 0 ? (1e-9 * f[1]) / t[1] : f[1], 0);
  const start = space === "prg" ? (P * P) / (P + N) : -1;
  for (let k = space === "pr" ? 1 : 0; k < t.length; k++) {
    if (t[k] < start) continue;
    if (k > 0 && t[k] > t[k - 1] && space !== "roc") {
      if (space === "prg" && t[k - 1] < start) {
        const share = (start - t[k - 1]) / (t[k] - t[k - 1]);
        put(start, f[k - 1] + share * (f[k] - f[k - 1]), k);
      }
      const steps = space === "pr" ? Math.min(40, Math.ceil((60 * (t[k] - t[k - 1])) / P)) : 1;
      for (let s = 1; s < steps; s++)
        put(t[k - 1] + (s / steps) * (t[k] - t[k - 1]), f[k - 1] + (s / steps) * (f[k] - f[k - 1]), k);
    }
    put(t[k], f[k], k);
  }
  return { x, y, at };
}

function backgrounds(space, task) {
  const pi = task.curves.P / (task.curves.P + task.curves.N);
  const line = (x, y, extra) => ({ ...still, x, y, line: { color: theme().soft, width: 1, dash: "dot" }, ...extra });
  if (space === "roc") return [line([0, 1], [0, 1])];
  if (space === "prg") return [line([0, 1], [1, 0])];
  const recall = Array.from({ length: 101 }, (_, i) => i / 100);
  const floor = recall.map((r) => (pi * r) / (1 - pi + pi * r));
  return [line(recall, floor, { fill: "tozeroy", fillcolor: theme().shade, line: { color: theme().soft, width: 1 } }), line([0, 1], [pi, pi])];
}

const layoutOf = (words, x = [-0.02, 1.02], y = x) => {
  const axis = (title, range) => ({ range, fixedrange: true, zeroline: false, gridcolor: theme().grid, automargin: true, dtick: range[1] > 1 ? 0.2 : null, title: { text: title } });
  return {
    ...plotBase(), margin: { l: 52, r: 12, t: 30, b: 45 }, hovermode: "closest", hoverdistance: 40,
    title: { text: words.title, font: { size: 14 }, x: 0.5, y: 0.98, yanchor: "top" },
    xaxis: axis(words.x, x), yaxis: axis(words.y, y),
  };
};
const still = { mode: "lines", hoverinfo: "skip", showlegend: false };

// The limits of the false positive rate at each recall, in any of the spaces.
function band(task, i, k, space) {
  const { recalls, bands, P, N } = task.curves, [low, high] = bands[i];
  const side = (rates) => recalls.map((recall, j) => point(space, recall * P, rates[j] * N, P, N));
  const [x, y] = [0, 1].map((axis) => [...side(low), ...side(high).reverse()].map((at) => at[axis]));
  return { ...still, x, y, fill: "toself", fillcolor: `${theme().models[k]}22`, line: { width: 0 } };
}

// Where the positives are few all precision may be low: the plot then ends above what the curves reach from this recall on.
const ZOOMED_BELOW = 0.05, ZOOMED_FROM = 0.2;

function precisionRange(task, chosen) {
  const reached = task.prevalence < ZOOMED_BELOW ? chosen.map((i) => drawn(task, i, "pr")) : [];
  const top = 1.1 * largest(reached.flatMap(({ x, y }) => y.filter((_, k) => x[k] >= ZOOMED_FROM)));
  const useful = top > 0 && top < 0.7;
  $("zoom-label").hidden = !useful;
  $("zoom-words").textContent = useful ? `(to precision ${digits(top, 2)})` : "";
  return useful && $("zoom").checked ? [-0.02 * top, top] : [-0.02, 1.02];
}

function drawCurves(task, chosen) {
  const precision = precisionRange(task, chosen);
  const banded = task.curves.bands && chosen.length <= MOST_BANDS ? chosen : [];
  for (const [space, words] of Object.entries(SPACES)) {
    const base = backgrounds(space, task);
    const lines = chosen.map((i, k) => {
      const { x, y, at } = drawn(task, i, space);
      return { x, y, customdata: at, name: nameOf(task, i), mode: "lines", hoverinfo: "none", showlegend: false, meta: i,
        line: { color: theme().models[k], dash: DASHES[k], width: 2 } };
    });
    const mark = { x: [], y: [], mode: "markers", hoverinfo: "skip", showlegend: false, cliponaxis: false,
      marker: { size: 12, color: theme().paper, line: { color: theme().ink, width: 3 } } };
    const bands = banded.map((i, k) => band(task, i, k, space));
    const wanted = (task.curves.wanted ? chosen : []).map((i, k) => {
      const [x, y] = point(space, ...task.curves.wanted[i], task.curves.P, task.curves.N), inside = x > -0.02 && y > -0.02;
      return { x: inside ? [x] : [], y: inside ? [y] : [], mode: "markers", name: `${short(nameOf(task, i))} for ${task.want}`, hoverinfo: "name", showlegend: false,
        marker: { symbol: "diamond", size: 11, color: theme().models[k], line: { color: theme().paper, width: 1 } } };
    });
    Plotly.react(space, [...base, ...bands, ...lines, ...wanted, mark], layoutOf(words, [-0.02, 1.02], space === "pr" ? precision : [-0.02, 1.02]), PLOT_CONFIG);
    if (!$(space).followed) $(space).on("plotly_hover", hovered);
    $(space).followed = true;
  }
}

// Net benefit and calibration of the models whose scores are probabilities.
function drawUses(task, chosen) {
  const { left_out, thresholds, models = [] } = task.uses, pi = task.curves.P / (task.curves.P + task.curves.N);
  const shown = chosen.filter((i) => models[i]), not = chosen.filter((i) => !models[i]).map((i) => short(nameOf(task, i)));
  for (const id of ["benefit", "calibration"]) $(id).hidden = !shown.length;
  const brier = shown.map((i) => `${short(nameOf(task, i))} ${models[i].brier}`).join(", ");
  $("uses-note").hidden = !shown.length;
  $("brier").textContent = `${brier}; ${digits(pi * (1 - pi))} for the prevalence as every row's score`;
  $("uses-missing").textContent = left_out ? $("uses-missing").dataset[left_out] : not.length ? `${$("uses-missing").dataset.outside} ${not.join(", ")}.` : "";
  if (!shown.length) return;
  const look = (i, mode) => ({ name: short(nameOf(task, i)), mode, showlegend: false, line: { color: theme().models[chosen.indexOf(i)], dash: DASHES[chosen.indexOf(i)], width: 2 } });
  const grey = { ...still, line: { color: theme().soft, width: 1, dash: "dot" } };
  const all = thresholds.map((p) => pi - ((1 - pi) * p) / (1 - p)), top = 1.05 * Math.max(pi / 10, ...shown.map((i) => largest(models[i].net)));
  const net = shown.map((i) => ({ ...look(i, "lines"), x: thresholds, y: models[i].net }));
  Plotly.react("benefit", [{ ...grey, x: thresholds, y: all }, { ...grey, x: [0, 1], y: [0, 0] }, ...net],
    layoutOf({ title: "net benefit", x: "threshold probability", y: "net benefit" }, [0, thresholds.at(-1)], [-0.1 * top, top]), PLOT_CONFIG);
  const most = Math.min(1.02, 1.05 * largest(shown.flatMap((i) => models[i].bins.map((bin) => Math.max(bin[0], bin[3])))));
  const bins = shown.map((i) => {
    const [x, y, low, high] = [0, 1, 2, 3].map((column) => models[i].bins.map((bin) => bin[column]));
    const off = { symmetric: false, array: high.map((value, j) => value - y[j]), arrayminus: low.map((value, j) => y[j] - value) };
    return { ...look(i, "lines+markers"), x, y, error_y: { ...off, thickness: 1, width: 2 } };
  });
  Plotly.react("calibration", [{ ...grey, x: [0, 1], y: [0, 1] }, ...bins],
    layoutOf({ title: "calibration", x: "mean score of a bin", y: "share of positives" }, [-0.02 * most, most]), PLOT_CONFIG);
}

function markThreshold(task, i, k) {
  const { t, f, thresholds } = vertices(task, i), { P, N } = task.curves, places = {};
  for (const space of Object.keys(SPACES)) {
    const [x, y] = point(space, t[k], f[k], P, N);
    const inside = x !== null && y !== null && x > -0.02 && y > -0.02;
    places[space] = [x, y];
    Plotly.restyle(space, { x: [inside ? [x] : []], y: [inside ? [y] : []] }, [$(space).data.length - 1]);
  }
  const at = !thresholds ? `corner ${k} of ${t.length - 1}` : `threshold ${thresholds[k] === null ? "above every score" : thresholds[k]}`;
  const gain = places.prg.map((g) => (Number.isFinite(g) ? digits(g, 3) : "not defined"));
  $("readout").textContent =
    `${short(nameOf(task, i), LONGEST)}, ${at}: true positive rate ${digits(places.roc[1], 3)}, ` +
    `false positive rate ${digits(places.roc[0], 3)}, precision ${places.pr[1] === null ? "not defined" : digits(places.pr[1], 3)}, recall gain ${gain[0]}, precision gain ${gain[1]}.`;
}

// One task: choose models, follow a threshold, the winner against prevalence, and all its models.
const current = { task: null, chosen: [] };
const shownOrder = (task) => task.order || task.models.map((_, i) => i).sort((a, b) => task.ranks[heat.x][a] - task.ranks[heat.x][b]);

function openTask(task, models = [], move = true) {
  current.task = task;
  $("task").hidden = false;
  titled($("task-title"), task.name);
  $("task-facts").textContent = `${task.models.length} models`;
  for (const row of $("table").tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.task) === task.index);
  if (task.curves) {
    const wanted = [...models, ...task.best.flatMap((best) => best.slice(0, 1)), ...shownOrder(task)];
    current.chosen = [...new Set(wanted)].slice(0, Math.max(models.length, Math.min(4, task.models.length)));
    current.chosen.sort((a, b) => task.order.indexOf(a) - task.order.indexOf(b)); // colours as the table has them
    chooseModels();
  }
  drawAreas(task);
  if (!move) return;
  $("task-title").focus({ preventScroll: true }); // of a page of one task the title is that of the page
  $("task").scrollIntoView();
}

function chooseModels() {
  const { task, chosen } = current;
  const boxes = shownOrder(task).map((i) => {
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
  drawUses(task, chosen);
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
  const head = document.createElement("tr"), several = task.models.length > 1;
  const column = { scope: "col", class: "number" };
  const beside = (cells) => cells.slice(0, several ? 2 : 1); // a single model has no rank
  head.append(text("th", "model", { scope: "col" }), ...METRICS.flatMap((metric) => beside([titled(text("th", "", column), metric.label), text("th", "rank", column)])));
  const rows = shownOrder(task).map((i) => {
    const row = document.createElement("tr");
    row.append(titled(text("th", "", { scope: "row" }), nameOf(task, i)));
    METRICS.forEach((metric, k) => {
      const style = several && task.best[k].includes(i) ? "number best" : "number", [low, high] = task.limits ? task.limits[k][i] : [null, null];
      const value = text("td", digits(metric.lower ? -task.values[k][i] : task.values[k][i], 4), { class: style });
      if (low !== null) value.append(text("small", `${digits(low, 3)} to ${digits(high, 3)}`));
      row.append(...beside([value, text("td", String(task.ranks[k][i]), { class: style })]));
    });
    return row;
  });
  (task.chance || []).forEach((values, i) => {
    const row = text("tr", "", { class: "note" });
    const cells = values.flatMap((value) => beside([text("td", value === null ? "" : digits(value, 3), { class: "number" }), text("td", "", { class: "number" })]));
    row.append(text("th", ["(chance)", "(to 95 %)"][i], { scope: "row" }), ...cells);
    rows.push(row);
  });
  $("areas").replaceChildren(head, ...rows);
}

function startCurves() {
  $("zoom").addEventListener("change", redraw);
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
  if (!$("heat").hidden) drawHeat();
  const { task, chosen } = current;
  if (!task || !task.curves) return;
  [...$("models").querySelectorAll("input")].forEach((box) => box.nextElementSibling.replaceWith(swatch(chosen.indexOf(Number(box.value)))));
  drawCurves(task, chosen);
  drawUses(task, chosen);
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
  if (!$("heat").hidden) startHeat();
  startTable();
  if (DATA.tasks.length === 1) {
    if (DATA.tasks[0].curves) startCurves();
    openTask(DATA.tasks[0], [], false);
  }
}
document.documentElement.dataset.ready = String(Math.round(performance.now()));
