"use strict";
// Charts: one document, a root for each place. `chartModel` finds a part of one by its name, once it is drawn.
const drawings = document.getElementById("drawings");
if (drawings) {
  const { document: drawing, places } = JSON.parse(drawings.textContent);
  Bokeh.embed.embed_items({ charts: drawing }, [{ docid: "charts", roots: places, root_ids: Object.keys(places) }]);
}
function chartModel(name) {
  for (const doc of Bokeh.documents) {
    const found = doc.get_model_by_name(name);
    if (found) return found;
  }
  return null;
}
function written(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1000 ? Math.round(size).toLocaleString("en") : String(Number(size.toPrecision(digits)));
  return (value < 0 ? "\u2212" : "") + text;
}
function percent(share) {
  return (100 * share).toFixed(1).replace(/\.0$/, "") + "%";
}
// A line of a list: a name, a bar from the middle (or from the left) and its number.
function barLine(name, share, text, signed, color) {
  const li = document.createElement("li"), label = document.createElement("bdi"), track = document.createElement("span");
  const bar = document.createElement("i"), number = document.createElement("b");
  label.className = "name";
  label.textContent = name;
  track.className = signed ? "beam signed" : "beam";
  bar.className = share < 0 ? "below" : "above";
  bar.style.setProperty("--share", Math.min(Math.abs(share), 1));
  if (color) bar.style.background = color;
  track.append(bar);
  number.textContent = text;
  li.append(label, track, number);
  return li;
}
