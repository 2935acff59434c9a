// Answers of the page docs/play.html: `node answers.js cases.json > javascript.jsonl`.
"use strict";
const fs = require("fs"), path = require("path");
const Areas = require(path.join(__dirname, "..", "docs", "making", "play", "areas.js"));

for (const row of JSON.parse(fs.readFileSync(process.argv[2], "utf8")).cases) {
  if (row.kind === "several labels") continue;
  let groups = Areas.groupsOf(row.labels, row.scores, row.weights);
  if (row.prevalence) groups = Areas.atPrevalence(groups, row.prevalence);
  for (const [name, value] of Object.entries(Areas.areas(groups, row.recall_range))) {
    if (!(name in row.values)) continue;
    console.log(JSON.stringify({ tool: "aucstudy page", version: "0.1.0", language: "JavaScript", function: name,
      case: row.id, value }));
  }
}
