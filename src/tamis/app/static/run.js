"use strict";

const study = $("run").dataset.id;
const SENTENCES = {
  running: "Running", finished: "Finished", stopped: "Stopped. What is finished is kept.", failed: "It could not go on", new: "Not started",
};

function show(facts) {
  const { state, finished, total } = facts;
  $("run").dataset.state = state;
  $("status").textContent = state === "running" && facts.now ? `${SENTENCES.running}: ${facts.now}` : SENTENCES[state];
  if (state === "stopped" && !finished) $("status").textContent = "Stopped before a step was finished.";
  $("whole").max = Math.max(1, total);
  $("whole").value = finished;
  $("counts").textContent = total ? `${plain(finished)} of ${plain(total)} steps.` : "";
  $("left").textContent = facts.left ? `${capital(facts.left)} left.` : "";
  $("stop").hidden = state !== "running";
  $("safe").hidden = state !== "running";
  $("resume").hidden = !["stopped", "failed", "new"].includes(state);
  $("to-answer").hidden = state !== "finished";
  $("change").hidden = state !== "failed";
  complain($("failure"), facts.error ? new Error(facts.error) : null);
  $("so-far").hidden = $("still").hidden = state === "finished";
  $("settled").hidden = state !== "finished";
  for (const one of facts.procedures) {
    const row = [...$("procedures").rows].find((each) => each.dataset.name === one.name);
    if (!row) continue;
    row.querySelector("progress").value = one.finished;
    row.cells[2].textContent = one.finished ? one.shown : "–";
    row.classList.toggle("best", one.best && one.finished > 0);
    if (one.best && one.finished) row.cells[2].append(make("small", { textContent: state === "finished" ? " best mean" : " best so far" }));
  }
  document.title = state === "running" ? `${Math.round((100 * finished) / Math.max(1, total))}% · ${$("run").dataset.title}` : $("run").dataset.title;
}
$("run").dataset.title = document.title;

let events = null;
function listen() {
  if (events) events.close();
  events = new EventSource(`/study/${study}/events`);
  events.onmessage = (event) => {
    const facts = JSON.parse(event.data);
    show(facts);
    if (facts.state !== "running") events.close();
  };
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 1000);
    // The browser tries again by itself; a server that was restarted goes on from the journal.
    if ($("run").dataset.state === "running") $("left").textContent = "The page has lost its server; type `tamis app` again. The study itself goes on.";
  };
}
listen();

async function change(path) {
  for (const button of [$("stop"), $("resume")]) button.disabled = true;
  try { await send("POST", `/api/study/${study}/${path}`, {}); } catch (error) { complain($("failure"), error); }
  for (const button of [$("stop"), $("resume")]) button.disabled = false;
  listen();
}
$("stop").addEventListener("click", () => { $("status").textContent = "Stopping…"; change("stop"); });
$("resume").addEventListener("click", () => change("run"));
