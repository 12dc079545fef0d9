// What if: the model itself, a tree or a sum of terms, answers for the values of the sliders.
{
  const tool = document.getElementById("try-tool");
  if (tool) {
    const model = JSON.parse(document.getElementById("try-data").textContent);
    const inputs = [...tool.querySelectorAll("[data-place]")], preset = document.getElementById("try-preset");
    const said = document.getElementById("try-said"), shares = document.getElementById("try-shares");
    const values = [...model.presets[0].values];

    const way = () => {
      const nodes = [0];
      let node = model.nodes[0];
      while (node.children) {
        const value = values[node.column], levels = model.columns[node.column].levels;
        let side = 0; // a split that asks whether there is a value: there is
        if (node.sides) side = node.sides[levels[value]] ?? node.default;
        else if (node.threshold !== null) side = value <= node.threshold ? 0 : 1;
        nodes.push(node.children[side]);
        node = model.nodes[node.children[side]];
      }
      return nodes;
    };
    const linear = () => {
      const eta = [...model.intercept];
      for (const term of model.terms) {
        const value = values[term.column];
        const x = term.level === null ? value : Number(model.columns[term.column].levels[value] === term.level);
        term.coef.forEach((w, k) => { eta[k] += w * x; });
      }
      if (model.link === "logistic") return [1 / (1 + Math.exp(eta[0])), 1 / (1 + Math.exp(-eta[0]))];
      if (model.link === "exp") return [Math.exp(Math.min(eta[0], 700))];
      if (model.link !== "softmax") return eta;
      const top = Math.max(...eta), raised = eta.map((e) => Math.exp(e - top)), sum = raised.reduce((a, b) => a + b, 0);
      return raised.map((e) => e / sum);
    };
    const answered = () => {
      if (model.kind !== "tree") return linear();
      const nodes = way();
      for (const li of document.querySelectorAll(".tree li")) li.classList.toggle("on", nodes.includes(Number(li.dataset.node)));
      return model.nodes[nodes[nodes.length - 1]].value;
    };
    const decided = (found) => {
      if (!model.loss) return found.indexOf(Math.max(...found));
      const costs = model.loss[0].map((_, answer) => found.reduce((sum, share, k) => sum + share * model.loss[k][answer], 0));
      return costs.indexOf(Math.min(...costs));
    };
    const show = () => {
      for (const input of inputs) {
        const place = Number(input.dataset.place), out = input.parentElement.querySelector("output");
        if (input.type === "range") out.textContent = written(values[place]);
      }
      const found = answered();
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
    tool.hidden = false;
    show();
  }
}
