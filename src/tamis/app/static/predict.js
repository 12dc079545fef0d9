"use strict";

const study = $("predict").dataset.id;
let file = null;

async function predictTable() {
  const wanted = new URLSearchParams();
  if ($("keep").value) wanted.set("id", $("keep").value);
  if (!$("sheet-choice").hidden && $("sheet").value) wanted.set("sheet", $("sheet").value);
  const found = await upload(`/api/study/${study}/predict?${wanted}`, file);
  if (!found) return;
  for (const k of found.head.map((name, k) => k).reverse()) {
    // A column of flags in which nothing is flagged takes the room of others.
    if ((found.head[k] === "note" || found.head[k] === "unlike") && found.rows.every((row) => !row[k])) {
      found.head.splice(k, 1);
      for (const row of found.rows) row.splice(k, 1);
    }
  }
  const flags = found.head.map((name) => name === "unlike" || name === "note");
  $("rows").tHead.replaceChildren(make("tr", {}, ...found.head.map((name) => make("th", { scope: "col", textContent: name }))));
  $("rows").tBodies[0].replaceChildren(
    ...found.rows.map((row) => make("tr", {}, ...row.map((cell, k) => make("td", { textContent: cell, class: flags[k] ? "flag" : "" })))),
  );
  const shown = found.count > found.rows.length ? `, the first ${found.rows.length} shown` : "";
  $("count").textContent = `${plain(found.count)} rows${shown}; ${plain(found.flagged)} flagged`;
  $("notes").replaceChildren(...found.notes.map((note) => make("li", { textContent: capital(note) + (note.endsWith(".") ? "" : ".") })));
  fill($("keep"), found.names, "none");
  if (found.sheets.length) { fill($("sheet"), found.sheets); $("sheet-choice").hidden = false; }
  $("judge").hidden = !found.has_target;
  $("validated").replaceChildren();
  $("found").hidden = false;
  $("found-title").focus();
}

async function validateTable() {
  const wanted = new URLSearchParams();
  if (!$("sheet-choice").hidden && $("sheet").value) wanted.set("sheet", $("sheet").value);
  const judged = await upload(`/api/study/${study}/validate?${wanted}`, file);
  if (!judged) return;
  $("validated").replaceChildren(...[...judged.words, ...judged.notes].map((text) => make("li", { textContent: text })));
}

$("validate").addEventListener("click", validateTable);

function fill(list, names, none) {
  const before = list.value;
  list.replaceChildren(...(none ? [make("option", { value: "", textContent: none })] : []), ...names.map((name) => make("option", { textContent: name })));
  if (names.includes(before)) list.value = before;
}

takeFiles($("drop"), $("file"), (taken) => {
  file = taken;
  $("keep").value = "";
  $("sheet-choice").hidden = true;
  predictTable();
});
for (const list of [$("keep"), $("sheet")]) list.addEventListener("change", predictTable);

if ($("row")) {
  $("row").addEventListener("submit", async (event) => {
    event.preventDefault();
    const values = {};
    for (const field of $("row").elements) if (field.name) values[field.name] = field.value;
    try {
      showRow(await send("POST", `/api/study/${study}/row`, { values }));
      complain($("row-error"), null);
    } catch (error) { $("row-answer").hidden = true; complain($("row-error"), error); }
  });
}

function showRow(found) {
  $("row-said").textContent = found.answer;
  $("row-sure").textContent = found.low ? `95% interval ${found.low} to ${found.high}` : "";
  $("row-classes").replaceChildren(
    ...found.classes.map(([name, share]) => make("li", {}, make("span", { textContent: name }), make("progress", { max: 1, value: share, "aria-label": name }), make("span", { class: "number", textContent: `${(100 * share).toFixed(1)}%` }))),
  );
  $("row-notes").replaceChildren(...found.notes.map((note) => make("li", { textContent: capital(note) + "." })));
  const what = found.classes.length ? `the probability of “${found.answer}”` : `the predicted ${found.target}`;
  $("row-lead").textContent = found.reasons.length
    ? `What ${what} would be if one value were not known, and what the value therefore does.`
    : "No value was given, so that the model falls back on what is usual.";
  $("row-reasons").replaceChildren(...found.reasons.map(reason));
  $("row-answer").hidden = false;
}

function reason(one) {
  const width = 50 * one.share;
  const bar = drawn("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { x: one.gap < 0 ? 50 - width : 50, y: 0, width, height: 6, class: one.gap < 0 ? "down" : "up" }));
  return make("tr", {}, make("th", { scope: "row" }, one.name, make("small", { textContent: one.value })), make("td", { class: "number", textContent: one.without }), make("td", {}, one.shown, bar));
}
