"use strict";
// ROC, PR and PRG curves of one task out of the same vertices: cumulated true and false positives and thresholds.
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid"];
const MOST = DASHES.length;
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
  const line = (x, y, extra) => ({ x, y, mode: "lines", hoverinfo: "skip", showlegend: false, line: { color: theme().soft, width: 1, dash: "dot" }, ...extra });
  if (space === "roc") return [line([0, 1], [0, 1])];
  if (space === "prg") return [line([0, 1], [1, 0])];
  const recall = Array.from({ length: 101 }, (_, i) => i / 100);
  const floor = recall.map((r) => (pi * r) / (1 - pi + pi * r));
  return [line(recall, floor, { fill: "tozeroy", fillcolor: theme().shade, line: { color: theme().soft, width: 1 } }), line([0, 1], [pi, pi])];
}

function drawCurves(task, chosen) {
  for (const [space, words] of Object.entries(SPACES)) {
    const base = backgrounds(space, task);
    const lines = chosen.map((i, k) => {
      const { x, y, at } = drawn(task, i, space);
      return { x, y, customdata: at, name: nameOf(task, i), mode: "lines", hoverinfo: "none", showlegend: false, meta: i,
        line: { color: theme().models[k], dash: DASHES[k], width: 2 } };
    });
    const mark = { x: [], y: [], mode: "markers", hoverinfo: "skip", showlegend: false, cliponaxis: false,
      marker: { size: 12, color: theme().paper, line: { color: theme().ink, width: 3 } } };
    const axis = { range: [-0.02, 1.02], fixedrange: true, zeroline: false, gridcolor: theme().grid, dtick: 0.2 };
    const layout = {
      ...plotBase(), margin: { l: 52, r: 12, t: 30, b: 45 }, hovermode: "closest", hoverdistance: 40,
      title: { text: words.title, font: { size: 14 }, x: 0.5, y: 0.98, yanchor: "top" },
      xaxis: { ...axis, title: { text: words.x } }, yaxis: { ...axis, title: { text: words.y } },
    };
    Plotly.react(space, [...base, ...lines, mark], layout, PLOT_CONFIG);
    if (!$(space).followed) $(space).on("plotly_hover", hovered);
    $(space).followed = true;
  }
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
