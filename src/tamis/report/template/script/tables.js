// Tables: sort by a head (again to turn round), search every word, show long tables a part at a time.
for (const grid of document.querySelectorAll(".grid")) {
  const table = grid.querySelector("table"), body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const data = grid.querySelector("script.rows"), input = grid.querySelector("input"), count = grid.querySelector(".count");
  const more = grid.querySelector(".more button"), shown = grid.querySelector(".shown");
  const STEP = 50, order = new Intl.Collator(undefined, { numeric: true });
  let rows = [...body.rows].map(read);
  let most = STEP, by = -1, down = false;

  function read(tr) {
    const cells = [...tr.cells].map((td) => ({ text: td.textContent, sort: td.dataset.sort }));
    return { cells, tr };
  }
  function unpacked(pack) {
    const words = (packed) => {
      if (typeof packed === "string") return packed;
      if (typeof packed === "number") return pack.texts[packed];
      let i = 0;
      return pack.texts[packed[0]].replace(/#/g, () => packed[++i]);
    };
    return pack.rows.map((row) => ({
      cells: row.map((c) => {
        const full = c !== null && typeof c === "object" && !Array.isArray(c);
        const packed = full ? c.text : c;
        return { ...(full ? c : {}), text: words(packed), name: typeof packed === "string" };
      }),
    }));
  }
  async function inflated(base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  function barred(td, text, place) {
    if (!heads[place].hasAttribute("data-bar") || !/\d/.test(text)) return;
    const value = text.startsWith("<") ? 0 : parseFloat(text.replace(/[^\d.]/g, "")) / (text.endsWith("%") ? 100 : 1);
    const bar = document.createElement("i");
    bar.className = "bar";
    bar.style.setProperty("--share", Math.min(value, 1));
    td.append(bar);
  }
  function drawn(row) {
    if (row.tr) return row.tr;
    const tr = document.createElement("tr");
    row.cells.forEach((c, i) => {
      const td = document.createElement(i ? "td" : "th");
      if (!i) td.scope = "row";
      td.className = ((c.css || "") + (heads[i].hasAttribute("data-number") ? " number" : "")).trim();
      barred(td, c.text, i);
      const text = c.name ? document.createElement("bdi") : document.createTextNode(c.text);
      if (c.name) { text.className = "name"; text.textContent = c.text; }
      td.append(text);
      if (c.badge) {
        const badge = document.createElement("span");
        badge.className = "badge";
        badge.textContent = c.badge;
        td.append(" ", badge);
      }
      tr.append(td);
    });
    return (row.tr = tr);
  }
  function key(row) {
    const c = row.cells[by];
    if (!heads[by].hasAttribute("data-number")) return c.sort === undefined ? c.text : String(c.sort);
    const value = parseFloat(c.sort === undefined ? c.text.replace(/^[<>± ]+/, "").replace(/,/g, "").replace("\u2212", "-") : c.sort);
    return Number.isNaN(value) ? -Infinity : value;
  }
  function show() {
    const words = (input ? input.value : "").toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((row) => {
      row.all ??= row.cells.map((c) => c.text + " " + (c.badge || "")).join(" ").toLowerCase();
      return words.every((word) => row.all.includes(word));
    });
    if (by >= 0) {
      const keys = new Map(found.map((row) => [row, key(row)]));
      const number = heads[by].hasAttribute("data-number");
      found.sort((a, b) => (down ? -1 : 1) * (number ? keys.get(a) - keys.get(b) || 0 : order.compare(keys.get(a), keys.get(b))));
    }
    body.replaceChildren(...found.slice(0, most).map(drawn));
    const n = (value) => value.toLocaleString("en");
    if (count) count.textContent = words.length ? n(found.length) + " of " + n(rows.length) + " rows" : n(rows.length) + " rows";
    if (shown) shown.textContent = "Showing " + n(Math.min(most, found.length)) + " of " + n(found.length) + " rows.";
    if (more) more.hidden = found.length <= most;
  }
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const number = head.hasAttribute("data-number");
      down = by === place ? !down : number; // numbers: largest first
      by = place;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      show();
    });
    head.replaceChildren(button);
  });
  if (input) input.addEventListener("input", () => { most = STEP; show(); });
  if (more) more.addEventListener("click", () => { most += 10 * STEP; show(); });
  if (input || more) show();
  if (data) inflated(data.textContent).then((text) => { rows = unpacked(JSON.parse(text)); show(); grid.dataset.whole = ""; });
}
