// The path: a slider walks along the penalties, the line in the chart and the coefficients follow.
{
  const tool = document.getElementById("path-tool");
  if (tool) {
    const path = JSON.parse(document.getElementById("path-data").textContent);
    const step = document.getElementById("path-step"), said = document.getElementById("path-said");
    const list = document.getElementById("path-terms");
    const largest = Math.max(1e-300, ...path.terms.flat().map(Math.abs));
    const show = () => {
      const at = Number(step.value), n = path.columns[at];
      const error = written(path.error[at]) + " ± " + written(path.standard_error[at], 2);
      said.textContent = `Penalty ${written(path.alpha[at])}: ${n} column${n === 1 ? "" : "s"}, inner error ${error}` +
        (at === path.chosen ? " (chosen)" : "");
      const order = path.names.map((name, k) => [name, path.terms[k][at], path.colors[k]]).filter(([, value]) => value !== 0);
      order.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
      list.replaceChildren(...order.map(([name, value, color]) => barLine(name, value / largest, written(value, 3), true, color)));
      const mark = chartModel("path-now");
      if (mark) mark.location = -Math.log10(path.alpha[at]);
    };
    step.addEventListener("input", show);
    tool.addEventListener("submit", (e) => e.preventDefault());
    tool.hidden = false;
    show();
  }
}
