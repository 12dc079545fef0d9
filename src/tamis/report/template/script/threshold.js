// The threshold: two sliders, the counts of held-out rows, and what they cost.
{
  const tool = document.getElementById("threshold-tool");
  if (tool) {
    const data = JSON.parse(document.getElementById("threshold-data").textContent);
    const by = (id) => document.getElementById(id), at = by("threshold-at"), cost = by("threshold-cost");
    const n = data.negatives + data.positives;
    // Costs of 1/10 to 10, evenly in their logarithm.
    const price = () => Number((10 ** (Number(cost.value) / 20)).toPrecision(2));
    const total = (k) => data.false[k] + price() * (data.positives - data.true[k]);
    const share = (part, whole) => (whole ? percent(part / whole) : "–");
    const fill = (id, count, whole) => {
      const small = document.createElement("small");
      small.textContent = share(count, whole);
      by(id).replaceChildren(count.toLocaleString("en") + " ", small);
      by(id).style.setProperty("--depth", whole ? count / whole : 0);
    };
    const show = () => {
      const k = Number(at.value), fp = data.false[k], tp = data.true[k];
      const tn = data.negatives - fp, fn = data.positives - tp;
      by("threshold-now").textContent = by("threshold-kept").textContent = (k / 100).toFixed(2);
      by("cost-now").textContent = price() === 1 ? "as much as a false alarm" : `${price()} × a false alarm`;
      fill("live-tn", tn, data.negatives);
      fill("live-fp", fp, data.negatives);
      fill("live-fn", fn, data.positives);
      fill("live-tp", tp, data.positives);
      by("live-recall").textContent = share(tp, data.positives);
      by("live-precision").textContent = share(tp, tp + fp);
      by("live-specificity").textContent = share(tn, data.negatives);
      by("live-negative").textContent = share(tn, tn + fn);
      const odds = k / (100 - k), benefit = (hits, alarms) => (k < 100 ? ((hits - alarms * odds) / n).toFixed(3).replace("-", "\u2212") : "–");
      by("live-benefit").textContent = benefit(tp, fp);
      by("live-benefit-all").textContent = benefit(data.positives, data.negatives);
      by("live-cost").textContent = (total(k) / n).toFixed(3);
      const best = cheapest();
      by("threshold-said").textContent = `${(best / 100).toFixed(2)}, at ${(total(best) / n).toFixed(3)} per row`;
      const roc = chartModel("roc-now"), pr = chartModel("pr-now");
      if (roc) roc.data = { x: [fp / data.negatives], y: [tp / data.positives] };
      if (pr) pr.data = { x: [tp / data.positives], y: [tp + fp ? tp / (tp + fp) : 1] };
    };
    // Of equally cheap thresholds the one nearest to one half.
    const cheapest = () => {
      let best = 0;
      for (let k = 1; k <= 100; k++) {
        const gap = total(k) - total(best);
        if (gap < -1e-9 || (gap < 1e-9 && Math.abs(k - 50) < Math.abs(best - 50))) best = k;
      }
      return best;
    };
    by("threshold-cheapest").addEventListener("click", () => { at.value = cheapest(); show(); });
    at.addEventListener("input", show);
    cost.addEventListener("input", show);
    tool.addEventListener("submit", (e) => e.preventDefault());
    tool.hidden = false;
    document.getElementById("confusion-plain")?.remove(); // the same counts can be moved here
    show();
  }
}
