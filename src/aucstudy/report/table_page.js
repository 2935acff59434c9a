"use strict";
// A table of any length: all rows are searched and sorted, those in sight are drawn.
const $ = (id) => document.getElementById(id);
const HEIGHT = 26, SPARE = 15, WIDEST = 42; // pixels of a row, rows drawn out of sight, characters of a column
const table = { names: [], rows: [], texts: [], numeric: [], shown: [], sort: null, down: false, from: -1 };

// The columns, each a list of its name and its cells.
async function unpacked() {
  const bytes = Uint8Array.from(atob($("packed").textContent), (c) => c.charCodeAt(0));
  const columns = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  return columns.map((cells) => cells.split("\n"));
}

function node(tag, content, attributes = {}) {
  const made = document.createElement(tag);
  made.append(content);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function choose() {
  const wanted = $("find").value.toLowerCase(), { rows, texts, sort } = table;
  table.shown = rows.map((_, i) => i).filter((i) => texts[i].includes(wanted));
  if (sort !== null) {
    const sign = table.down ? -1 : 1, numeric = table.numeric[sort], collator = new Intl.Collator("en", { numeric: true });
    const keys = rows.map((row) => (numeric && row[sort] !== "" ? Number(row[sort]) : row[sort]));
    // what is missing comes last, both ways
    table.shown.sort((a, b) => (keys[a] === "") - (keys[b] === "") || sign * (numeric ? keys[a] - keys[b] : collator.compare(keys[a], keys[b])) || a - b);
  }
  $("count").textContent = `${table.shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  [...document.querySelectorAll("th")].forEach((head, i) => head.setAttribute("aria-sort", i !== sort ? "none" : table.down ? "descending" : "ascending"));
  $("scroll").scrollTop = 0;
  draw(true);
}

function draw(anew) {
  const { shown, names, numeric } = table, inSight = Math.ceil($("scroll").clientHeight / HEIGHT);
  const from = Math.max(0, Math.min(Math.floor($("scroll").scrollTop / HEIGHT), shown.length) - SPARE);
  if (!anew && Math.abs(from - table.from) < SPARE / 2) return;
  table.from = from;
  const drawn = shown.slice(from, from + inSight + 2 * SPARE).map((i) => {
    const row = node("tr", "");
    row.append(...table.rows[i].map((cell, k) => node("td", cell, { ...(numeric[k] ? { class: "number" } : {}), ...(cell.length > WIDEST ? { title: cell } : {}) })));
    return row;
  });
  const space = (rows) => node("tr", node("td", "", { colspan: names.length, style: `height:${rows * HEIGHT}px` }), { class: "space", "aria-hidden": "true" });
  document.querySelector("tbody").replaceChildren(...(from ? [space(from)] : []), ...drawn, space(Math.max(0, shown.length - from - drawn.length)));
}

function start(columns) {
  table.names = columns.map(([name]) => name);
  table.rows = columns[0].slice(1).map((_, i) => columns.map((cells) => cells[i + 1]));
  const { names, rows } = table;
  table.texts = rows.map((row) => row.join("\n").toLowerCase());
  table.numeric = names.map((_, k) => rows.some((row) => row[k] !== "") && rows.every((row) => row[k] === "" || Number.isFinite(Number(row[k]))));
  const widths = names.map((name, k) => Math.min(WIDEST, rows.reduce((most, row) => Math.max(most, row[k].length), name.length + 2)) + 3);
  document.querySelector("colgroup").append(...widths.map((width) => node("col", "", { style: `width:${width}ch` })));
  document.querySelector("table").style.width = `${widths.reduce((a, b) => a + b)}ch`;
  document.querySelector("table").setAttribute("aria-rowcount", rows.length + 1);
  const head = node("tr", "");
  names.forEach((name, k) => {
    const press = node("button", name, { type: "button" });
    press.addEventListener("click", () => {
      table.down = table.sort === k && !table.down;
      table.sort = k;
      choose();
    });
    head.append(node("th", press, { scope: "col", ...(table.numeric[k] ? { class: "number" } : {}) }));
  });
  document.querySelector("thead").append(head);
  $("find").addEventListener("input", choose);
  $("scroll").addEventListener("scroll", () => draw(false));
  addEventListener("resize", () => draw(true));
  $("save").addEventListener("click", () => {
    const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const text = [names, ...table.shown.map((i) => rows[i])].map((row) => row.map(quoted).join(",") + "\n").join("");
    const link = node("a", "", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: `${JSON.parse($("name").textContent)}.csv` });
    link.click();
    URL.revokeObjectURL(link.href);
  });
  choose();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

unpacked().then(start).catch((error) => { console.error(error); $("failed").hidden = false; });
