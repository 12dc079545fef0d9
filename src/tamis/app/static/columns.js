"use strict";

const table = $("table").dataset.id;
const KINDS = { numeric: "Number", categorical: "Category", boolean: "Yes / no", date: "Date", ordinal: "Ordered", text: "Text" };
const ROLES = { use: "Use it", target: "Predict it", groups: "Keeps rows together", time: "Orders rows in time", exposure: "Says how long each row was observed", drop: "Leave it out" };
const LISTS = ["target", "groups", "time", "exposure"];
const DIRECTIONS = { 0: "Either direction", 1: "Predictions only rise with it", "-1": "Predictions only fall with it" };
let choices = {}, revision = 0, sent = 0, search = "", checking = 0, stops = [];

/** Take some columns from the server. */
async function load(from = 0) {
  const list = $("columns");
  list.setAttribute("aria-busy", "true");
  try {
    const facts = await send("GET", `/api/table/${table}/columns?from=${from}&find=${encodeURIComponent(search)}`);
    choices = facts.choices;
    revision = facts.revision;
    if (from === 0) { list.replaceChildren(); if (!$("target").dataset.filled) fillLists(facts.names); }
    list.append(...facts.columns.map((column) => make("li", {}, shownColumn(column))));
    if (!facts.columns.length) list.append(make("li", { class: "hint", textContent: "No column has this in its name." }));
    sent = from + facts.columns.length;
    $("next").hidden = sent >= facts.found;
    $("size").textContent = `${plain(facts.rows)} rows × ${plain(facts.all)} columns`;
    $("unlocked").hidden = !facts.unlocked;
    $("reading").hidden = !facts.remarks.length;
    $("remarks").replaceChildren(...facts.remarks.map((said) => make("li", { textContent: said })));
    showChoices();
  } catch (error) { list.replaceChildren(make("li", {}, make("p", { class: "error", role: "alert", textContent: capital(error.message) + "." }))); }
  list.setAttribute("aria-busy", "false");
}

function fillLists(names) {
  for (const id of LISTS) $(id).append(...names.map((name) => make("option", { value: name, textContent: name })));
  $("target").dataset.filled = "1";
}

/** The choices in the fields beside the columns. */
function showChoices() {
  for (const id of [...LISTS, "prefer", "task", "scoring", "folds", "repeats", "seed", "called"]) {
    const value = choices[id] ?? (id === "prefer" ? "balanced" : "");
    if (LISTS.includes(id) && value && ![...$(id).options].some((option) => option.value === value)) $(id).append(make("option", { value, textContent: value }));
    $(id).value = value;
  }
  if (choices.exposure) $("exposure-field").hidden = false;
  for (const item of document.querySelectorAll(".column")) showRole(item);
}

function roleOf(name) {
  for (const role of LISTS) if (choices[role] === name) return role;
  return (choices.drop || []).includes(name) ? "drop" : "use";
}

function showRole(item) {
  const role = roleOf(item.dataset.name);
  item.querySelector(".role").value = role;
  item.querySelector(".role option[value=use]").textContent = role === "use" && item.dataset.used === "no" ? "Left out by Tamis" : ROLES.use;
  item.querySelector(".direction").value = String((choices.monotone || {})[item.dataset.name] || 0);
  item.querySelector(".subgroup").checked = (choices.subgroups || []).includes(item.dataset.name);
  item.querySelector(".tag").textContent = { target: "target", groups: "groups", time: "time", exposure: "exposure", drop: "left out" }[role] || "";
  item.querySelector(".tag").hidden = role === "use";
  item.classList.toggle("out", role === "drop" || (role === "use" && item.dataset.used === "no"));
}

/** One column: its name, kind and reason, picture, first values, and what can be done about it. */
function shownColumn(column) {
  const item = make("article", { class: "column", "data-name": column.name, "data-used": column.used ? "yes" : "no", "aria-label": column.shown });
  const holes = column.missing ? make("span", { class: "holes", textContent: ` ${plain(column.missing)} of ${plain(column.rows)} missing.` }) : null;
  const kinds = make("div", { class: "kinds", role: "group", "aria-label": `Kind of ${column.shown}` });
  for (const [kind, label] of Object.entries(KINDS)) {
    const pressed = column.used && column.kind === kind;
    kinds.append(make("button", { type: "button", textContent: label, "data-kind": kind, "aria-pressed": String(pressed), onclick: () => correct(item, column, kind) }));
  }
  const role = make("select", { class: "role", name: "role", "aria-label": `Part that ${column.shown} plays`, onchange: () => setRole(column.name, role.value) });
  role.append(...Object.entries(ROLES).map(([value, label]) => make("option", { value, textContent: label })));
  const direction = make("select", { class: "direction", name: "direction", "aria-label": `Direction of ${column.shown}`, hidden: !["numeric", "ordinal"].includes(column.kind), onchange: () => change({ monotone: { [column.name]: Number(direction.value) } }) });
  direction.append(...["0", "1", "-1"].map((value) => make("option", { value, textContent: DIRECTIONS[value] })));
  const judged = make("input", { type: "checkbox", class: "subgroup", name: "subgroup", onchange: () => change({ subgroups: { [column.name]: judged.checked } }) });
  const subgroup = make("label", { class: "judged" }, judged, "Judge each value by itself");
  const back = column.given ? make("button", { type: "button", class: "quiet", textContent: "As Tamis read it", onclick: () => change({ types: { [column.name]: null } }, column.name) }) : null;
  const read = column.used ? `${KINDS[column.kind] || column.kind}` : `Left out (${column.kind})`;
  item.append(
    make("div", {},
      make("h3", {}, make("span", { class: "name", textContent: column.shown }), make("span", { class: "tag", hidden: true })),
      make("p", { class: "why" }, make("b", { textContent: read }), `: ${column.reason}.`, column.note ? ` ${capital(column.note)}.` : "", holes),
      make("p", { class: "values" }, "First values: ", ...(column.values.length ? column.values.map((value) => make("q", { textContent: value })) : ["none"]))),
    picture(column),
    make("div", { class: "choose" }, kinds, role, direction, subgroup, back),
  );
  if (column.attention) item.querySelector("h3").append(make("span", { class: "tag look", textContent: "look here" }));
  if (column.sentinel !== null && !(column.name in (choices.missing || {}))) item.append(standIn(column));
  else if (column.name in (choices.missing || {})) item.append(goneValues(column));
  queueMicrotask(() => showRole(item));
  return item;
}

/** A number that may stand for "not measured": one click makes it missing. */
function standIn(column) {
  const box = make("div", { class: "misfit sentinel" });
  const use = make("button", { type: "button", class: "main", textContent: "Treat as missing", onclick: () => change({ missing: { [column.name]: [column.sentinel] } }, column.name) });
  box.append(make("p", { textContent: `Does ${column.sentinel} mean “not measured”?` }), use, make("button", { type: "button", class: "quiet", textContent: "No, it is a value", onclick: () => box.remove() }));
  return box;
}

function goneValues(column) {
  const box = make("div", { class: "misfit sentinel" });
  const back = make("button", { type: "button", class: "quiet", textContent: "Read it as a value", onclick: () => change({ missing: { [column.name]: null } }, column.name) });
  box.append(make("p", { textContent: `${choices.missing[column.name].join(", ")} is read as missing.` }), back);
  return box;
}

function picture(column) {
  const box = make("div", { class: "picture" });
  const found = column.picture;
  if (!found) return box;
  if (found.path) {
    const label = `Values from ${found.ends[0]} to ${found.ends[1]}`;
    box.append(drawn("svg", { viewBox: "0 0 120 32", preserveAspectRatio: "none", role: "img", "aria-label": label }, drawn("path", { d: found.path })));
    box.append(make("div", { class: "ends", "aria-hidden": "true" }, make("span", { textContent: found.ends[0] }), make("span", { textContent: found.ends[1] })));
    return box;
  }
  const words = found.levels.map(([name, share]) => `${name} ${Math.round(100 * share)}%`).join(", ");
  const height = 16 * found.levels.length;
  const svg = drawn("svg", { viewBox: `0 0 120 ${height}`, role: "img", "aria-label": words });
  svg.style.height = `${height}px`;
  found.levels.forEach(([name, share], k) => {
    svg.append(drawn("rect", { x: 0, y: 16 * k + 0.5, width: Math.max(1, 120 * share), height: 14, rx: 2, class: "level" }));
    const text = drawn("text", { x: 4, y: 16 * k + 11.5 });
    text.textContent = `${name} ${Math.round(100 * share)}%`;
    svg.append(text);
  });
  box.append(svg);
  if (found.more) box.append(make("div", { class: "ends" }, make("span", { textContent: `and ${plain(found.more)} more` })));
  return box;
}

/** Another kind: taken where every cell fits, else the cells that do not are shown. */
async function correct(item, column, kind) {
  item.querySelector(".misfit")?.remove();
  try {
    if (kind === "ordinal") return await order(item, column);
    const found = await send("POST", `/api/table/${table}/fit`, { column: column.name, type: kind });
    if (found.fits) return await change({ types: { [column.name]: { kind } } }, column.name);
    misfit(item, column, kind, found);
  } catch (error) { say(capital(error.message)); }
}

function misfit(item, column, kind, found) {
  const box = make("div", { class: "misfit", role: "alert" });
  if (found.count) {
    box.append(make("p", { textContent: `${plain(found.count)} ${found.count === 1 ? "cell does" : "cells do"} not fit ${KINDS[kind].toLowerCase()}:` }));
    box.append(make("ul", {}, ...found.cells.map((cell) => make("li", {}, `row ${plain(cell.row)}: `, make("q", { textContent: cell.text })))));
    if (found.count > found.cells.length) box.append(make("p", { class: "hint", textContent: `and ${plain(found.count - found.cells.length)} more.` }));
    const gone = make("button", { type: "button", textContent: found.count === 1 ? "Treat this cell as missing" : "Treat these cells as missing", onclick: () => change({ types: { [column.name]: { kind } }, blank: { [column.name]: true } }, column.name) });
    box.append(make("p", { class: "hint", textContent: "Correct them in your file and drop it again; or read them as missing. Your file is not changed." }), gone);
  } else box.append(make("p", { textContent: capital(found.sentence) + "." }));
  box.append(make("button", { type: "button", class: "quiet", textContent: "Leave it as it is", onclick: () => box.remove() }));
  item.append(box);
}

async function order(item, column) {
  const { levels } = await send("POST", `/api/table/${table}/fit`, { column: column.name, type: "levels" });
  const box = make("div", { class: "misfit" });
  if (levels.length > 60 || levels.length < 2) {
    box.append(make("p", { textContent: levels.length < 2 ? "A column of one value has no order." : "The column has too many different values to be put in order." }));
    return item.append(box);
  }
  const field = make("input", { name: "levels", value: levels.join(" < "), "aria-label": `Order of ${column.shown}, lowest first` });
  const use = make("button", { type: "button", class: "main", textContent: "Use this order", onclick: async () => {
    const type = { kind: "ordinal", levels: field.value.split("<").map((level) => level.trim()).filter((level) => level) };
    try {
      const found = await send("POST", `/api/table/${table}/fit`, { column: column.name, type });
      if (found.fits) return await change({ types: { [column.name]: type } }, column.name);
      box.remove();
      misfit(item, column, "ordinal", found);
    } catch (error) { say(capital(error.message)); }
  } });
  box.append(make("p", { textContent: "Put the values in order, lowest first:" }), field, use, make("button", { type: "button", class: "quiet", textContent: "Leave it as it is", onclick: () => box.remove() }));
  item.append(box);
  field.focus();
}

function setRole(name, role) {
  const patch = {};
  for (const each of LISTS) if (choices[each] === name && each !== role) patch[each] = null;
  if (role === "drop") patch.drop = { [name]: true };
  else if ((choices.drop || []).includes(name)) patch.drop = { [name]: false };
  if (LISTS.includes(role)) patch[role] = name;
  return change(patch);
}

/** Tell the server, one change after the other; `name` is the column that is to be shown again. */
let changes = Promise.resolve();
function change(patch, name) {
  changes = changes.then(() => tell(patch, name));
  return changes;
}

async function tell(patch, name) {
  try {
    const found = await send("POST", `/api/table/${table}/choices`, { revision, change: patch });
    ({ choices, revision } = found);
    $("stale").hidden = !found.stale;
    if (found.stale) await load();
    else if (name) await again(name);
    showChoices();
    check();
  } catch (error) { say(capital(error.message)); showChoices(); }
}

async function again(name) {
  const item = [...document.querySelectorAll(".column")].find((each) => each.dataset.name === name);
  if (!item) return;
  const facts = await send("GET", `/api/table/${table}/columns?from=0&find=${encodeURIComponent(name)}`);
  const column = facts.columns.find((each) => each.name === name);
  if (!column) return;
  const focused = item.contains(document.activeElement) ? document.activeElement.dataset.kind : null;
  const made = shownColumn(column);
  item.replaceWith(made);
  if (focused !== null) (made.querySelector(`[data-kind="${focused || column.kind}"]`) || made.querySelector("button")).focus();
  showChoices();
}

/** What a study would do, and what would leak. */
async function check() {
  const number = ++checking;
  $("run").disabled = true;
  if (!choices.target) {
    $("plan").replaceChildren(make("p", { class: "hint", textContent: "Choose a column, and Tamis says what it would do and looks for leaks." }));
    return;
  }
  $("plan").replaceChildren(make("p", { class: "hint", textContent: "Looking for leaks…" }), make("progress", { "aria-label": "Looking for leaks" }));
  try {
    const found = await send("GET", `/api/table/${table}/check`);
    if (number !== checking) return;
    if (found.error) {
      $("plan").replaceChildren(make("p", { class: "error", textContent: capital(found.error) + "." }));
      return;
    }
    stops = found.leaks.filter((leak) => leak.severity === "stop");
    showPlan(found.plan, found.leaks);
    $("run").disabled = false;
    if ($("unlocked").hidden) await load();
  } catch (error) { if (number === checking) $("plan").replaceChildren(make("p", { class: "error", textContent: capital(error.message) + "." })); }
}

const explained = (word, shown) => make("button", { type: "button", class: "word", "data-explains": word, textContent: shown || word });

function showPlan(plan, leaks) {
  const what = plan.classes.length ? `${plan.classes.length} classes: ${plan.classes.slice(0, 6).join(", ")}${plan.classes.length > 6 ? ", …" : ""}` : "numbers";
  const locked = plan.locked ? [`${plain(plan.locked)} of ${plain(plan.rows)} rows are `, explained("locked rows", "locked"), " for a last check"] : ["No rows are ", explained("locked rows", "locked"), `: ${plan.why}`];
  const lines = [
    [`The target holds ${what}`],
    ...(plan.labels.length === 2 ? [[`The class that is looked for is ${plan.labels[1]}; More choices changes it`]] : []),
    locked,
    [`${plain(plan.columns)} columns and ${plain(plan.learned)} rows to learn from${plan.without_target ? `; ${plain(plan.without_target)} rows without a target are left out` : ""}`],
    ...(plan.parts ? [[plan.parts]] : []),
    [`${plan.procedures.length} `, explained("procedure", "procedures"), ` in ${plan.folds * plan.repeats} `, explained("fold", "folds"), `, judged by ${plan.metric_words}`],
    [`Takes ${plan.spoken}`],
  ];
  const parts = [make("ul", {}, ...lines.map((line) => make("li", {}, ...line, ".")))];
  const heads = { stop: "Stop: a score would mean nothing", warn: "Look at this first", note: "Worth knowing" };
  if (leaks.length) parts.push(make("ul", { class: "leaks" }, ...leaks.map((leak) => make("li", { class: leak.severity }, make("b", { textContent: heads[leak.severity] || "Note" }), capital(leak.sentence) + (/[.?!]$/.test(leak.sentence) ? "" : ".")))));
  else parts.push(make("p", { class: "hint" }, "No column gives the answer away completely (", explained("leak"), "). Was every column known beforehand?"));
  $("plan").replaceChildren(...parts);
  showCosts(plan);
  showPositive(plan);
  $("exposure-field").hidden = plan.task !== "count" && !choices.exposure;
  for (const option of $("scoring").options) option.hidden = option.disabled = Boolean(option.dataset.of) && option.dataset.of !== (plan.classes.length ? "classes" : "numbers");
}

/** Of two classes the one that is looked for. */
function showPositive(plan) {
  $("positive-field").hidden = plan.labels.length !== 2;
  if ($("positive-field").hidden) return;
  const sorted = [...plan.labels].sort();
  $("positive").replaceChildren(...sorted.map((label) => make("option", { value: label, textContent: label })));
  $("positive").value = plan.labels[1];
}

function showCosts(plan) {
  $("costs").hidden = !(plan.labels.length >= 2);
  if ($("costs").hidden) return;
  const fields = [];
  for (const truth of plan.labels) for (const answer of plan.labels) {
    if (truth === answer) continue;
    const cost = choices.costs?.[truth]?.[answer] ?? 1;
    fields.push(make("label", {}, `“${truth}” taken for “${answer}”`, make("input", { type: "number", name: "cost", min: 0, step: "any", value: cost, "data-truth": truth, "data-answer": answer })));
  }
  $("cost-fields").replaceChildren(...fields);
}

$("cost-use").addEventListener("click", () => {
  const costs = {};
  for (const field of $("cost-fields").querySelectorAll("input")) {
    costs[field.dataset.truth] = { ...(costs[field.dataset.truth] || {}), [field.dataset.truth]: 0, [field.dataset.answer]: Number(field.value) };
  }
  change({ costs });
});
$("cost-none").addEventListener("click", () => change({ costs: null }));
for (const id of [...LISTS, "prefer", "task", "scoring", "positive", "called"]) $(id).addEventListener("change", () => change({ [id]: $(id).value || null }));
for (const id of ["folds", "repeats", "seed"]) $(id).addEventListener("change", () => change({ [id]: $(id).value === "" ? null : Number($(id).value) }));
if ($("header-form")) $("header-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  complain($("header-error"), null);
  try { await send("POST", `/api/table/${table}/header`, { header: $("header").value.trim() || null }); location.reload(); } catch (error) { complain($("header-error"), error); }
});
$("next").addEventListener("click", () => load(sent));
let typing = 0;
$("find").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { search = $("find").value; load(); }, 200);
});
$("run").addEventListener("click", async () => {
  if (stops.length && !(await ask(`${capital(stops[0].sentence)} Run all the same?`, "Run all the same"))) return;
  $("run").disabled = true;
  try { location.href = `/study/${(await send("POST", `/api/table/${table}/study`, { revision })).study}`; } catch (error) { say(capital(error.message)); $("run").disabled = false; }
});
document.addEventListener("visibilitychange", () => { if (!document.hidden && choices.target !== undefined) refresh(); });

/** Another tab may have changed the choices. */
async function refresh() {
  const facts = await send("GET", `/api/table/${table}/columns?from=0&find=%00`);
  if (facts.revision === revision) return;
  $("stale").hidden = false;
  await load();
  await check();
}
load().then(check);
