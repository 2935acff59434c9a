const byId = id => document.getElementById(id), LABELS = { auroc: "AUROC", aupr: "AUPR", average_precision: "AP",
  auprg: "AUPRG", aucnpr: "AUCNPR" };
const LABEL_NAMES = /^(y|y_true|label|labels|target|class|outcome|truth|actual)$/i;
const PLAIN = [["0", "1"], ["-1", "1"], ["false", "true"]], START = { f: 1, recall: .9, precision: 100, net: 1 };
let table = null, models = [];
const escaped = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const color = i => `var(--c${i % 5})`, dash = i => ["", "7 3", "2 3", "9 3 2 3"][Math.floor(i / 5) % 4];
const swatch = i => `<span class="swatch" style="background:${color(i)}"></span>`;

// Rows of cells; quoted cells may hold separators, quotes and line ends.
function parse(text) {
  const first = text.slice(0, (text + "\n").indexOf("\n"));
  const separator = ["\t", ";", ","].find(mark => first.includes(mark)) ?? ",";
  if (!text.includes('"')) {
    return text.split(/\r?\n/).filter(line => line.trim()).map(line => line.split(separator).map(cell => cell.trim()));
  }
  const rows = [[]];
  let cell = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c; else if (text[i + 1] === '"') { cell += c; i++; } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === separator || c === "\n") {
      rows.at(-1).push(cell.trim()); cell = "";
      if (c === "\n") rows.push([]);
    } else cell += c;
  }
  rows.at(-1).push(cell.trim());
  return rows.filter(row => row.length > 1 || row[0]);
}

const isNumber = text => text !== "" && !Number.isNaN(Number(text));
function read(text) {
  const [header, ...rows] = parse(text.replace(/^\uFEFF/, ""));
  if (!header || header.length < 2 || rows.length < 2) throw Error("a header with two columns or more, and two rows or more are needed");
  rows.forEach((row, i) => {
    if (row.length !== header.length) throw Error(`row ${i + 1} has ${row.length} cells, the header ${header.length}`);
  });
  table = { header, rows };
  const twofold = header.map((_, j) => new Set(rows.map(row => row[j])).size === 2);
  const named = header.findIndex(name => LABEL_NAMES.test(name));
  const label = named >= 0 ? named : Math.max(0, twofold.indexOf(true));
  byId("label").innerHTML = header.map((name, j) => `<option value="${j}">${escaped(name)}</option>`).join("");
  byId("label").value = label;
  chooseLabel();
}

function chooseLabel() {
  const label = +byId("label").value, values = [...new Set(table.rows.map(row => row[label]))];
  if (values.length > 100) throw Error(`column ${table.header[label]} has ${values.length} values; a column of classes is needed`);
  const plain = values.map(value => isNumber(value) ? String(Number(value)) : value.toLowerCase());
  const sure = PLAIN.find(pair => values.length === 2 && pair.every(value => plain.includes(value)));
  byId("positive").innerHTML = (sure ? "" : '<option value="">choose</option>')
    + values.map(value => `<option>${escaped(value)}</option>`).join("");
  byId("positive").value = sure ? values[plain.indexOf(sure[1])] : "";
  byId("models").querySelectorAll("label").forEach(node => node.remove());
  table.header.forEach((name, j) => {
    if (j === label) return;
    const numeric = table.rows.slice(0, 20).some(row => isNumber(row[j])) && !/^(id|row_id|fold|index|)$/i.test(name);
    byId("models").insertAdjacentHTML("beforeend",
      `<label><input type="checkbox" value="${j}" ${numeric ? "checked" : ""}> ${escaped(name) || "(no name)"}</label>`);
  });
  byId("columns").hidden = false;
  compute();
}

function compute() {
  byId("answer").hidden = true;
  const label = +byId("label").value, chosen = byId("positive").value;
  if (chosen === "") throw Error(`column ${table.header[label]}: which class is positive? Choose it above`);
  const positive = Uint8Array.from(table.rows, row => row[label] === chosen);
  const columns = [...byId("models").querySelectorAll("input:checked")].map(box => +box.value);
  if (!columns.length) throw Error("no column of scores is chosen");
  models = columns.map(j => {
    const scores = Float64Array.from(table.rows, (row, i) => {
      if (!isNumber(row[j])) throw Error(`row ${i + 1}, column ${table.header[j]}: "${row[j]}" is not a number`);
      return Number(row[j]);
    });
    const groups = Areas.groupsOf(positive, scores);
    if (!groups.P || !groups.N) throw Error(`column ${table.header[label]}: a class is missing`);
    return { name: table.header[j], groups, areas: Areas.areas(groups), limits: Areas.limits(groups) };
  });
  byId("problem").textContent = "";
  byId("answer").hidden = false;
  const { P, N } = models[0].groups;
  byId("summary").textContent = `${P + N} rows, ${P} positive (${(100 * P / (P + N)).toFixed(2)} %), ${models.length} models.`;
  showAreas(); showCurves(); showWorths(); showElsewhere();
}

const highest = values => Math.max(...values);
function showAreas() {
  const head = Areas.NAMES.map(name => `<th scope="col" class="number">${LABELS[name]}</th>`).join("");
  const body = models.map((model, i) => `<tr><th scope="row">${swatch(i)}${escaped(model.name)}</th>` + Areas.NAMES.map(name => {
    const value = model.areas[name], ends = model.limits[name];
    const best = value === highest(models.map(other => other.areas[name]));
    return `<td class="number ${best ? "best" : ""}" data-name="${LABELS[name]}" title="${value}">${value.toFixed(4)}<small>${
      ends ? ends.map(end => end.toFixed(3)).join(" to ") : "–"}</small></td>`;
  }).join("") + "</tr>");
  byId("areas").innerHTML = `<thead><tr><th scope="col">Model</th>${head}</tr></thead><tbody>${body.join("")}</tbody>`;
}

// A plot of lines [{points, i}] and guides; x may be logarithmic.
function plot(id, title, lines, guides, { x = [0, 1], y = [0, 1], log = false, xName, yName, ticks = [0, .5, 1] }) {
  const scale = log ? Math.log : v => v, [x0, x1] = x.map(scale);
  const across = v => 48 + 300 * (scale(v) - x0) / (x1 - x0), down = v => 262 - 250 * (v - y[0]) / (y[1] - y[0]);
  const path = points => points.map(([a, b], i) => `${i ? "L" : "M"}${across(a).toFixed(1)} ${down(b).toFixed(1)}`).join("");
  const xTicks = ticks.map(v => `<text x="${across(v)}" y="280" text-anchor="middle">${v}</text>`).join("");
  const yTicks = [y[0], (y[0] + y[1]) / 2, y[1]].map(v => `<text x="42" y="${down(v) + 4}" text-anchor="end">${+v.toFixed(2)}</text>`).join("");
  byId(id).innerHTML = `<svg viewBox="0 0 370 302" role="img" aria-label="${title}"><clipPath id="${id}-box"><rect x="48" y="12" width="300" height="250"/></clipPath>
<rect class="axis" x="48" y="12" width="300" height="250"/>${xTicks}${yTicks}<text x="198" y="298" text-anchor="middle">${xName}</text>
<text x="12" y="137" text-anchor="middle" transform="rotate(-90 12 137)">${yName}</text><g clip-path="url(#${id}-box)">
${guides.map(points => `<path class="guide" d="${path(points)}"/>`).join("")}
${lines.map(({ points, i }) => `<path fill="none" stroke-width="2" stroke="${color(i)}" stroke-dasharray="${dash(i)}" d="${path(points)}"/>`).join("")}</g></svg>`;
}

// Counts (t, f) along a ranking: the ends of groups, and steps within large ones; thinned to what a plot can show.
function counts({ t, f, d, e, size, P, N }) {
  const points = [];
  let last = -1, lastF = -1;
  for (let g = 0; g < size; g++) {
    const steps = Math.max(1, Math.ceil(100 * d[g] / P));
    for (let k = g ? 1 : 0; k <= steps; k++) {
      const a = t[g] + d[g] * k / steps, b = f[g] + e[g] * k / steps;
      if (!(a + b) && d[g] + e[g]) { points.push([1e-9 * d[g], 1e-9 * e[g]]); continue; }
      if (g < size - 1 && g > 200 && a - last < P / 600 && b - lastF < N / 600) continue;
      points.push([a, b]); last = a; lastF = b;
    }
  }
  return points;
}

function showCurves() {
  const { P, N } = models[0].groups, share = P / (P + N), grid = Array.from({ length: 101 }, (_, i) => i / 100);
  const curves = models.map(model => counts(model.groups));
  const draw = (id, title, point, guides, options) =>
    plot(id, title, curves.map((points, i) => ({ i, points: points.map(point).filter(Boolean) })), guides, options);
  draw("pr", "Precision by recall of each model", ([t, f]) => [t / P, t / (t + f)],
    [[[0, share], [1, share]], grid.map(r => [r, r * P / (r * P + N)])], { xName: "recall", yName: "precision" });
  draw("roc", "ROC curve of each model", ([t, f]) => [f / N, t / P], [[[0, 0], [1, 1]]],
    { xName: "false positive rate", yName: "recall" });
  draw("prg", "Precision gain by recall gain of each model", ([t, f]) =>
    t < P * share ? null : [1 - P / N * (P - t) / t, 1 - P / N * f / t], [], { xName: "recall gain", yName: "precision gain" });
}

function showWorths() {
  const kind = byId("want").value, number = Number(byId("number").value);
  const good = number > 0 && (kind !== "recall" || number <= 1) && (kind !== "precision" || number < 1 || Number.isInteger(number));
  if (!good) {
    byId("worths").innerHTML = `<caption>${escaped(byId("number").value)} makes no sense here.</caption>`;
    return;
  }
  const worths = models.map(model => Areas.worth(model.groups, kind, number)), best = highest(worths);
  byId("worths").innerHTML = `<thead><tr><th scope="col">Model</th><th scope="col" class="number">Worth</th></tr></thead><tbody>${
    models.map((model, i) => `<tr><th scope="row">${swatch(i)}${escaped(model.name)}</th><td class="number ${
      worths[i] === best ? "best" : ""}" title="${worths[i]}">${worths[i].toFixed(4)}</td></tr>`).join("")}</tbody>`;
}

const spaced = (low, high) => Array.from({ length: 41 }, (_, i) => low * (high / low) ** (i / 40));
// In words, which model leads along a range.
function leaders(xs, lines, words) {
  const names = xs.map((_, j) => models[lines.map(line => line[j]).reduce((b, v, i, all) => v > all[b] ? i : b, 0)].name);
  return names.map((name, j) => j && name === names[j - 1] ? null : `${name} from ${words(xs[j])}`).filter(Boolean).join(", ");
}

function showElsewhere() {
  const shares = spaced(.001, .5), costs = spaced(.1, 1000);
  // groups without a positive neither add to AUPR nor end at a best threshold
  const filled = models.map(({ groups }) => {
    const kept = column => column.filter((_, g) => groups.d[g]), [t, f, e] = [groups.t, groups.f, groups.e].map(kept);
    return { ...groups, t, f, e, d: kept(groups.d), size: t.length };
  });
  const byShare = filled.map(groups => shares.map(share => {
    const moved = Areas.atPrevalence(groups, share);
    return Areas.aupr(moved);
  }));
  const byCost = filled.map(groups => costs.map(ratio => Areas.worth(groups, "cost", ratio)));
  const lines = (xs, ys) => ys.map((line, i) => ({ i, points: line.map((value, j) => [xs[j], value]) }));
  const { P, N } = models[0].groups, now = P / (P + N);
  plot("prevalence", "AUPR of each model by prevalence", lines(shares, byShare), [[[now, 0], [now, 1]]],
    { x: [.001, .5], log: true, xName: "prevalence", yName: "AUPR", ticks: [.001, .01, .1, .5] });
  plot("cost", "Value of each model by cost ratio", lines(costs, byCost), [],
    { x: [.1, 1000], log: true, xName: "cost ratio", yName: "share of cost saved", ticks: [.1, 1, 10, 100, 1000] });
  byId("changes").textContent = `Highest AUPR: ${leaders(shares, byShare, v => `${(100 * v).toPrecision(2)} %`)}. Most cost saved: ${
    leaders(costs, byCost, v => `ratio ${v.toPrecision(2)}`)}. Dashed: the prevalence of the file. Cost saved is against the cheaper of accepting all and none.`;
}

function guarded(action) {
  try { action(); } catch (error) { byId("problem").textContent = error.message; byId("answer").hidden = true; }
}
function example() {
  let state = 7;
  const uniform = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const rows = Array.from({ length: 2000 }, (_, i) => {
    const y = i < 100 ? 1 : 0;
    return [y, normal() + 1.6 * y, normal() * (y ? 2 : 1) + 1.7 * y, Math.round(2 * (normal() + 1.5 * y)) / 2];
  });
  return ["label,even,top-heavy,rounded", ...rows.map(row => row.map((v, j) => j ? v.toFixed(4) : v).join(","))].join("\n");
}
async function open(file) {
  if (!file) return;
  const text = await file.text();
  byId("columns").hidden = true;
  guarded(() => read(text));
}
byId("example").onclick = () => guarded(() => read(example()));
byId("file").onchange = event => open(event.target.files[0]);
byId("label").onchange = () => guarded(chooseLabel);
byId("positive").onchange = byId("models").onchange = () => guarded(compute);
byId("want").onchange = () => { byId("number").value = START[byId("want").value]; showWorths(); };
byId("number").oninput = showWorths;
document.body.ondragover = event => { event.preventDefault(); byId("drop").classList.add("over"); };
document.body.ondragleave = () => byId("drop").classList.remove("over");
document.body.ondrop = event => { event.preventDefault(); byId("drop").classList.remove("over"); open(event.dataTransfer.files[0]); };
