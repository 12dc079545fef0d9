// Every figure can be saved: as SVG, with the styles that it has on the page, or as PNG of twice its size.
{
  const STYLES = ["display", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "font", "text-anchor"];
  const styled = (svg) => {
    const copy = svg.cloneNode(true), parts = [svg, ...svg.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((part, k) => {
      const now = getComputedStyle(parts[k]);
      part.setAttribute("style", STYLES.map((name) => `${name}: ${now.getPropertyValue(name)}`).join("; "));
    });
    const { width, height } = svg.getBoundingClientRect();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.background = getComputedStyle(document.documentElement).getPropertyValue("--paper");
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  };
  const painted = async (blob, svg) => {
    const picture = new Image(), canvas = document.createElement("canvas");
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(await blob.text());
    await picture.decode();
    const { width, height } = svg.getBoundingClientRect();
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };
  const visible = (figure) => [...figure.querySelectorAll("svg")].find((svg) => svg.getClientRects().length);
  const viewOf = (chart) => Object.values(Bokeh.index.roots ?? Bokeh.index).find((view) => chart.contains(view.el));

  // The picture of a figure as a file, "svg" or "png".
  globalThis.pictureOf = async (figure, kind) => {
    const chart = figure.querySelector("[data-chart]");
    if (chart) return viewOf(chart).export(kind, true).to_blob();
    const svg = visible(figure), blob = styled(svg);
    return kind === "svg" ? blob : painted(blob, svg);
  };
  const save = async (figure, kind, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await pictureOf(figure, kind));
    link.download = `${name}.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  document.querySelectorAll("figure, .tree-picture, .column-card").forEach((figure, k) => {
    if (!figure.querySelector("svg, [data-chart]")) return;
    const name = figure.querySelector("[data-chart]")?.id ?? (figure.className.split(" ").find((word) => word !== "scroll") || "figure") + `-${k + 1}`;
    const box = document.createElement("span");
    box.className = "save";
    for (const kind of ["svg", "png"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind.toUpperCase();
      button.title = `Save this figure as ${kind.toUpperCase()}`;
      button.addEventListener("click", () => save(figure, kind, name));
      box.append(button);
    }
    const captions = figure.querySelectorAll("figcaption"), last = captions[captions.length - 1];
    if (last) last.append(" ", box);
    else if (figure.matches(".column-card")) figure.append(box);
    else figure.after(box);
  });
}
