// What if: the model itself, a tree or a sum of terms, curves or points, predicts for the values of the sliders.
{
  const tool = document.getElementById("try-tool");
  if (tool) {
    const model = JSON.parse(document.getElementById("try-data").textContent);
    const inputs = [...tool.querySelectorAll("[data-place]")], preset = document.getElementById("try-preset");
    const said = document.getElementById("try-said"), shares = document.getElementById("try-shares");
    const total = document.getElementById("try-total");
    const values = [...model.presets[0].values];
    const levelOf = (column) => model.columns[column].levels?.[values[column]];

    const way = () => {
      const nodes = [0];
      let node = model.nodes[0];
      while (node.children) {
        const value = values[node.column];
        let side = 0; // a split that asks whether there is a value: there is
        if (node.sides) side = node.sides[levelOf(node.column)] ?? node.default;
        else if (node.threshold !== null) side = value <= node.threshold ? 0 : 1;
        nodes.push(node.children[side]);
        node = model.nodes[node.children[side]];
      }
      return nodes;
    };
    // The bin of a value on an axis: as many edges as lie below it, or that of its level.
    const binOf = (axis) => {
      if (axis.bins) return axis.bins[levelOf(axis.column)] ?? axis.n_bins;
      let low = 0, high = axis.edges.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (axis.edges[middle] < values[axis.column]) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    const holds = ({ column, test, value }) => {
      if (test === "is") return levelOf(column) === value;
      if (test === "missing") return false;
      return test === "above" ? values[column] > value : values[column] <= value;
    };
    const sums = () => {
      const eta = [...model.intercept], add = (parts) => parts.forEach((part, k) => { eta[k] += part; });
      for (const term of model.terms ?? []) {
        const x = term.level === null ? values[term.column] : Number(levelOf(term.column) === term.level);
        add(term.coef.map((w) => w * x));
      }
      for (const curve of model.curves ?? []) add(curve.heights[binOf(curve.axes[0])]);
      for (const pair of model.pairs ?? []) add(pair.heights[binOf(pair.axes[0])][binOf(pair.axes[1])]);
      if (model.statements) {
        const points = model.statements.reduce((sum, one) => sum + (holds(one) ? one.points : 0), 0);
        total.textContent = `(${points} point${Math.abs(points) === 1 ? "" : "s"})`;
        eta[0] += model.slope * points;
      }
      return eta;
    };
    const linked = (eta) => {
      if (model.link === "logistic") return [1 / (1 + Math.exp(eta[0])), 1 / (1 + Math.exp(-eta[0]))];
      if (model.link === "cumulative") {
        const below = [...model.thresholds.map((at) => 1 / (1 + Math.exp(eta[0] - at))), 1];
        return below.map((share, k) => share - (k ? below[k - 1] : 0));
      }
      if (model.link === "exp") return [Math.exp(Math.min(eta[0], 700))];
      if (model.link !== "softmax") return eta;
      const top = Math.max(...eta), raised = eta.map((e) => Math.exp(e - top)), sum = raised.reduce((a, b) => a + b, 0);
      return raised.map((e) => e / sum);
    };
    const answered = () => {
      if (model.kind !== "tree") return linked(sums());
      const nodes = way();
      for (const node of document.querySelectorAll("#drawing [data-node]")) node.classList.toggle("on", nodes.includes(Number(node.dataset.node)));
      for (const edge of document.querySelectorAll("#drawing [data-edge]")) edge.classList.toggle("on", nodes.includes(Number(edge.dataset.edge)));
      return model.nodes[nodes[nodes.length - 1]].value;
    };
    const decided = (found) => {
      if (!model.loss) return found.indexOf(Math.max(...found));
      const costs = model.loss[0].map((_, answer) => found.reduce((sum, share, k) => sum + share * model.loss[k][answer], 0));
      return costs.indexOf(Math.min(...costs));
    };
    // An upright line in every curve, at the value of its slider.
    const marked = () => {
      for (const line of document.querySelectorAll("#drawing .now")) {
        const { place, low, high, left, width } = Object.fromEntries(Object.entries(line.dataset).map(([key, text]) => [key, Number(text)]));
        const share = Math.min(1, Math.max(0, (values[place] - low) / (high - low || 1)));
        line.setAttribute("d", tool.closest("details").open ? `M${left + width * share} 8V128` : "");
      }
    };
    const show = () => {
      for (const input of inputs) {
        const place = Number(input.dataset.place), out = input.parentElement.querySelector("output");
        if (input.type === "range") out.textContent = written(values[place]);
      }
      const found = answered();
      marked();
      tool.dataset.answer = JSON.stringify(found);
      if (model.classes === null) { said.textContent = written(found[0], 6); return; }
      said.textContent = model.labels[model.classes[decided(found)]];
      const order = found.map((share, k) => [model.labels[model.classes[k]], share]);
      order.sort((a, b) => b[1] - a[1]);
      shares.replaceChildren(...order.slice(0, 8).map(([label, share]) => barLine(label, share, percent(share), false)));
    };
    for (const input of inputs) {
      input.addEventListener("input", () => {
        const place = Number(input.dataset.place), whole = model.columns[place].whole;
        values[place] = whole ? Math.round(Number(input.value)) : Number(input.value);
        show();
        for (const fold of document.querySelectorAll(".tree li.on > details")) fold.open = true;
      });
    }
    preset.addEventListener("change", () => {
      values.splice(0, values.length, ...model.presets[Number(preset.value)].values);
      for (const input of inputs) input.value = values[Number(input.dataset.place)];
      show();
    });
    tool.addEventListener("submit", (e) => e.preventDefault());
    tool.closest("details").addEventListener("toggle", marked);
    tool.hidden = false;
    show();
  }
}
