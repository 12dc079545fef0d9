"use strict";

/** Ask the server for a change; its sentence is thrown where it refuses. */
async function send(method, path, body) {
  const headers = { "X-Tamis-App": "1" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  return understood(answer.status, await answer.text());
}

function understood(status, text) {
  let facts = {};
  try { facts = JSON.parse(text); } catch { facts = {}; }
  if (status >= 400) throw new Error(facts.error || "Tamis did not answer; is it still running?");
  return facts;
}

/** Send a file as it is, with its progress. */
function sendFile(path, file, moved) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("X-Tamis-App", "1");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => moved(event.loaded / Math.max(1, event.total));
    request.onload = () => {
      try { done(understood(request.status, request.responseText)); } catch (error) { failed(error); }
    };
    request.onerror = () => failed(new Error("The file could not be sent; it may be larger than the page takes, or Tamis was stopped."));
    request.send(file);
  });
}

/** An element with properties, attributes by `data`, and children; texts are texts, never markup. */
function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function drawn(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const $ = (id) => document.getElementById(id);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const plain = (n) => Number(n).toLocaleString("en");

let silence = 0;
function say(text) {
  $("say").textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { $("say").textContent = ""; }, 7000);
}

function complain(place, error) {
  place.textContent = error ? `${capital(error.message)}${/[.?!]$/.test(error.message) ? "" : "."}` : "";
  place.hidden = !error;
}

/** A question with two answers; resolves to whether it was yes. */
function ask(question, yes = "Yes") {
  const dialog = $("ask");
  $("ask-text").textContent = question;
  dialog.querySelector("[value=yes]").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.querySelector("[value=no]").focus();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

// Words that are explained: a button shows its explanation, Escape or a click elsewhere closes it.
document.addEventListener("click", (event) => {
  const word = event.target.closest("[data-explains]");
  if (!word) return;
  event.preventDefault();
  const meaning = document.querySelector(`.meaning[data-word="${word.dataset.explains}"]`);
  if (meaning) meaning.showPopover();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-delete]");
  if (!button || !(await ask(button.dataset.ask, "Delete"))) return;
  try {
    await send("DELETE", button.dataset.delete);
    location.reload();
  } catch (error) { say(error.message); }
});

/** A place where a file can be dropped, or chosen. */
function takeFiles(area, input, taken) {
  for (const kind of ["dragenter", "dragover"]) {
    area.addEventListener(kind, (event) => { event.preventDefault(); area.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    area.addEventListener(kind, (event) => { event.preventDefault(); area.classList.remove("over"); });
  }
  area.addEventListener("drop", (event) => { if (event.dataTransfer.files.length) taken(event.dataTransfer.files[0]); });
  input.addEventListener("change", () => { if (input.files.length) taken(input.files[0]); });
}
// A file that misses its place must not be opened instead of the page.
for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());

async function upload(path, file) {
  const bar = $("bar");
  complain($("upload-error"), null);
  if ($("drop").dataset.most && file.size > Number($("drop").dataset.most)) {
    complain($("upload-error"), new Error(`“${file.name}” is larger than the page takes; use \`tamis run\` in a terminal for larger files`));
    return null;
  }
  $("upload").hidden = false;
  bar.value = 0;
  try {
    return await sendFile(`${path}${path.includes("?") ? "&" : "?"}name=${encodeURIComponent(file.name)}`, file, (share) => {
      if (share < 1) bar.value = share; else bar.removeAttribute("value");
    });
  } catch (error) {
    complain($("upload-error"), error);
    return null;
  } finally { $("upload").hidden = true; }
}

async function readSheet(table, sheet) {
  try {
    await send("POST", `/api/table/${table}/sheet`, { sheet });
    location.href = `/table/${table}`;
  } catch (error) { complain($("upload-error"), error); }
}

if ($("demo")) {
  takeFiles($("drop"), $("file"), async (file) => {
    const found = await upload("/api/upload", file);
    if (!found) return;
    if (found.sheets.length > 1 && !found.sheet) {
      $("sheet").replaceChildren(...found.sheets.map((name) => make("option", { textContent: name })));
      $("sheets").hidden = false;
      $("sheets").dataset.table = found.table;
      $("sheet").focus();
    } else location.href = `/table/${found.table}`;
  });
  $("sheets").addEventListener("submit", (event) => { event.preventDefault(); readSheet($("sheets").dataset.table, $("sheet").value); });
  for (const form of document.querySelectorAll(".sheet-form")) {
    form.addEventListener("submit", (event) => { event.preventDefault(); readSheet(form.dataset.table, form.querySelector("select").value); });
  }
  $("demo").addEventListener("click", async () => {
    try { location.href = `/table/${(await send("POST", "/api/demo", {})).table}`; } catch (error) { complain($("upload-error"), error); }
  });
}

if ($("compare")) {
  $("compare").addEventListener("submit", (event) => {
    event.preventDefault();
    location.href = `/compare?first=${$("first").value}&second=${$("second").value}`;
  });
}

if ($("open")) {
  $("open").addEventListener("click", async () => {
    const study = $("lock").dataset.id;
    try {
      const { code, question } = await send("POST", `/api/study/${study}/question`, {});
      if (!(await ask(question, "Open the locked rows"))) return;
      $("opened").textContent = "Scoring the locked rows…";
      const found = await send("POST", `/api/study/${study}/open`, { code });
      const sure = found.sure ? ` (95% interval ${found.sure})` : "";
      const first = found.independent ? "This is the first opening known here." : `Opening number ${found.openings}: no longer independent.`;
      if ($("unseen-rows")) $("unseen-rows").remove();
      $("opened").textContent = `${capital(found.words)} on ${plain(found.rows)} locked rows: ${found.shown}${sure}. ${first}${found.note ? " " + capital(found.note) + "." : ""}`;
      $("report").src = $("report").src; // written again, with the opening in it
    } catch (error) { $("opened").textContent = capital(error.message) + "."; }
  });
}
