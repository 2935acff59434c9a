"use strict";
// Data of the page, and ranks: 1 for the best; tied models share the mean, or are spread over shared random orders.
addEventListener("error", ({ error, message }) => {
  const said = document.getElementById("failed");
  if (!error || !said) return; // a notice of the browser
  said.hidden = false;
  said.textContent = `A part of this page cannot be drawn: ${message}.`;
});
const DATA = JSON.parse(document.getElementById("data").textContent);
const METRICS = DATA.metrics;
const ORDERS = 50;
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

// A small generator with a fixed start: the same page shows the same counts every time.
function randomOrders(size, seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
    return state / 4294967296;
  };
  return Array.from({ length: ORDERS }, () => {
    const order = Array.from({ length: size }, (_, i) => i);
    for (let i = size - 1; i > 0; i--) {
      const j = Math.floor(next() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  });
}

function permutedRanks(values, place) {
  const order = values.map((_, i) => i).sort((a, b) => values[b] - values[a] || place[a] - place[b]);
  const ranks = new Array(values.length);
  order.forEach((model, i) => (ranks[model] = i + 1));
  return ranks;
}

for (const [index, task] of DATA.tasks.entries()) {
  task.index = index;
  task.ranks = task.values.map(averageRanks);
  task.best = task.values.map(bestOf);
  task.tied = task.ranks.some((ranks) => ranks.some((rank, i) => ranks.indexOf(rank) !== i));
}

// For each model of a task: a map from the cell (rank by x, rank by y) to its share of the orders.
function* cellsOf(task, x, y) {
  const count = task.models.length;
  if (!task.tied) {
    for (let i = 0; i < count; i++) yield [i, task.ranks[x][i], task.ranks[y][i], 1];
    return;
  }
  const shares = new Map(), size = count + 1;
  for (const place of randomOrders(count, task.index + 1)) {
    const byX = permutedRanks(task.values[x], place), byY = permutedRanks(task.values[y], place);
    for (let i = 0; i < count; i++) {
      const key = (i * size + byX[i]) * size + byY[i];
      shares.set(key, (shares.get(key) || 0) + 1 / ORDERS);
    }
  }
  for (const [key, share] of shares) {
    yield [Math.floor(key / (size * size)), Math.floor(key / size) % size, key % size, share];
  }
}
