"use strict";
(() => {
  const model = JSON.parse(document.getElementById("model").textContent);

  // A part of a date; without one, the days since 1970.
  function partOf(part, moment) {
    if (part === "year") return moment.getUTCFullYear();
    if (part === "month") return moment.getUTCMonth() + 1;
    if (part === "weekday") return moment.getUTCDay() || 7;
    if (part === "hour") return moment.getUTCHours();
    return moment.getTime() / 86400000;
  }

  // The number or code of a field; null where it is missing, -1 for a category that was never seen.
  function cellOf(column, text) {
    if (text === "") return null;
    if (column.kind === "date" || column.kind === "part") return partOf(column.part, new Date(`${text}Z`));
    const value = Number(text);
    return Number.isNaN(value) ? null : value;
  }

  function sumsOf(cells) {
    const found = [...model.intercept];
    for (const term of model.terms) {
      let value = cells[term.column];
      let parts;
      if (term.coef) {
        value = value === null ? term.fill : value;
        parts = value === null ? null : term.coef.map((factor) => factor * value);
      } else if (value === null) parts = term.missing;
      else parts = Object.hasOwn(term.levels, String(value)) ? term.levels[String(value)] : found.map(() => 0);
      if (parts === null) return null;
      parts.forEach((part, k) => { found[k] += part; });
    }
    for (const tree of model.trees) leafOf(tree, cells).forEach((part, k) => { found[k] += part; });
    return found;
  }

  function sideOf(node, cells) {
    for (const test of node.tests) {
      const kind = test[0];
      if (kind === "sum") {
        if (test[1].some(([column]) => cells[column] === null)) continue;
        const total = test[1].reduce((sum, [column, factor]) => sum + factor * cells[column], 0);
        return total > test[2] ? 1 : 0;
      }
      const value = cells[test[1]];
      if (kind === "in") {
        const code = value === null ? -1 : value;
        if (test[2].includes(code)) return 0;
        if (test[3].includes(code)) return 1;
      } else if (value !== null) {
        if (kind === "there") return 0;
        return (value > test[2] ? 1 : 0) ^ test[3];
      }
    }
    return node.default;
  }

  function leafOf(tree, cells, path) {
    let node = tree[0];
    while (!node.leaf) {
      const side = sideOf(node, cells);
      if (path) path.push([node, side]);
      node = tree[node.left + side];
    }
    return node.leaf;
  }

  // The predicted number, or the probability of every class; null where a value is needed.
  function answersOf(cells) {
    if (model.link === "shares") {
      const total = new Array(model.labels.length === 0 ? 1 : model.labels.length).fill(0);
      for (const tree of model.trees) leafOf(tree, cells).forEach((value, k) => { total[k] += value; });
      const means = total.map((value) => value / model.trees.length);
      if (model.power === 1) return means;
      const raised = means.map((share) => (share / Math.max(...means)) ** model.power);
      const sum = raised.reduce((before, share) => before + share, 0);
      return raised.map((share) => share / sum);
    }
    const sums = sumsOf(cells);
    if (sums === null || model.link === "identity") return sums;
    if (model.link === "exp") return [Math.exp(Math.min(sums[0], 700))];
    let shares;
    if (model.link === "one_hot") {
      const best = sums.length === 1 ? Number(sums[0] > 0) : sums.indexOf(Math.max(...sums));
      shares = model.classes.map((_, k) => Number(k === best));
    } else if (model.link === "cumulative") {
      const below = [...sums.map((value) => 1 / (1 + Math.exp(-value))), 1];
      shares = below.map((value, k) => value - (k ? below[k - 1] : 0));
    } else if (model.link === "logistic") {
      const odds = Math.exp(-Math.abs(sums[0]));
      const [large, small] = [1 / (1 + odds), odds / (1 + odds)];
      shares = sums[0] > 0 ? [small, large] : [large, small];
    } else {
      const top = Math.max(...sums);
      const powers = sums.map((value) => Math.exp(value - top));
      const total = powers.reduce((a, b) => a + b, 0);
      shares = powers.map((power) => power / total);
    }
    const found = new Array(model.labels.length).fill(0);
    model.classes.forEach((place, k) => { found[place] = shares[k]; });
    return found;
  }

  function placeOf(shares) {
    if (model.costs === null) return shares.indexOf(Math.max(...shares));
    const expected = shares.map((_, k) => shares.reduce((sum, share, t) => sum + share * model.costs[t][k], 0));
    const limit = Math.min(...expected) + 1e-12 * Math.max(...model.costs.flat());
    return expected.findIndex((cost) => cost <= limit);
  }

  const shown = (value) => String(Number(value.toPrecision(5)));
  const labelOf = (answers) => model.labels.length === 0 ? shown(answers[0]) : String(model.labels[placeOf(answers)]);

  function line(parent, kind, text) {
    const element = document.createElement(kind);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  // A test of a split in words, as it was answered.
  function words(node, side, cells) {
    const test = node.tests[0];
    const own = sideOf({ tests: [test], default: -1 }, cells);
    return question(test, side) + (own < 0 ? ", as its value does not say and others let expect" : "");
  }

  function question(test, side) {
    if (test[0] === "sum") return `a sum of columns ${side ? "above" : "at most"} ${shown(test[2])}`;
    const column = model.inputs[test[1]];
    const name = column.part && column.part !== "elapsed days" ? `${column.name} (${column.part})` : column.name;
    if (test[0] === "there") return `${name} is ${side ? "missing" : "present"}`;
    if (test[0] === "in") {
      const names = test[2 + side].filter((code) => code >= 0).map((code) => column.levels[code]);
      return `${name} among ${names.join(", ")}`;
    }
    const isDay = column.kind === "date" || column.part === "elapsed days";
    const limit = isDay ? new Date(test[2] * 86400000).toISOString().slice(0, 10)
      : column.kind === "words" ? String(column.levels[Math.max(0, Math.floor(test[2]))]) : shown(test[2]);
    return `${name} ${side ? "above" : "at most"} ${limit}`;
  }

  function update() {
    const cells = model.inputs.map((column) => cellOf(column, document.getElementById(`c${column.field}`).value));
    const answers = answersOf(cells);
    warn(cells);
    const answer = document.getElementById("answer");
    const reasons = document.getElementById("reasons");
    reasons.replaceChildren();
    if (answers === null) {
      answer.textContent = "A value that the model needs is missing.";
      return;
    }
    answer.textContent = labelOf(answers);
    answer.dataset.answers = JSON.stringify(answers);
    if (model.labels.length > 0) {
      const body = document.querySelector("#shares tbody");
      body.replaceChildren();
      answers.forEach((share, k) => {
        const row = document.createElement("tr");
        line(row, "td", String(model.labels[k]));
        line(row, "td", share.toFixed(4));
        body.append(row);
      });
    }
    const place = model.labels.length === 0 ? 0 : placeOf(answers);
    const moves = [];
    model.inputs.forEach((column, k) => {
      if (column.field !== k || cells[k] === null) return;
      const other = answersOf(cells.map((value, j) => (model.inputs[j].field === k ? null : value)));
      if (other !== null) moves.push([Math.abs(other[place] - answers[place]), k, other]);
    });
    moves.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    for (const [size, k, other] of moves) {
      if (size === 0) continue;
      const what = model.labels.length === 0 ? shown(other[0]) : `${labelOf(other)}, p(${model.labels[place]}) = ${other[place].toFixed(4)}`;
      line(reasons, "li", `without ${model.inputs[k].name}: ${what}`);
    }
    if (!reasons.children.length) line(reasons, "li", "the same: no value that was given changes it");
    const list = document.getElementById("path");
    list.replaceChildren();
    list.hidden = model.trees.length !== 1;
    document.getElementById("way").hidden = list.hidden;
    if (!list.hidden) {
      const path = [];
      leafOf(model.trees[0], cells, path);
      for (const [node, side] of path) line(list, "li", words(node, side, cells));
    }
  }

  // Values that no training row reached.
  function warn(cells) {
    const caution = document.getElementById("caution");
    const far = model.inputs.filter((column, k) => cells[k] !== null && typeof column.low === "number" && (cells[k] < column.low || cells[k] > column.high));
    caution.hidden = far.length === 0;
    caution.textContent = far.map((column) => `${column.name} was ${column.range} in training: do not rely on this prediction.`).join(" ");
  }

  document.getElementById("row").addEventListener("input", update);
  document.getElementById("row").addEventListener("submit", (event) => event.preventDefault());
})();
