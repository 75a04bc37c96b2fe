// The page: one state. Every change of it is read and shown anew.

import { count } from "./bytes.js";
import { type Problem, declaresTools, isProblem } from "./engine.js";
import type { Event } from "./events.js";
import { proof } from "./proof.js";
import { type Run, at, nameOf, start } from "./run.js";
import { LANGUAGES } from "./snippets.js";
import { type State, fromHash, initial, toHash } from "./state.js";
import { CodeMenu, startTheme } from "./view/code.js";
import { copy, debounced, find, toast } from "./view/dom.js";
import { showNaive, showNoNaive } from "./view/naive.js";
import { Player } from "./view/player.js";
import { showRaw } from "./view/raw.js";
import { showNothing, showReports } from "./view/read.js";
import { Settings } from "./view/settings.js";

const RANDOM_CUTS = 1000;

let state: State = initial();
let run: Run | Problem = start(state);

const settings = new Settings(change);
const player = new Player(change, () => state.seed + 1);
const codeMenu = new CodeMenu((language) => {
  return isProblem(run) ? `${run.message}\n` : LANGUAGES[language]!(state, run.format);
});

function change(changes: Partial<State>): void {
  const onlyMoves = Object.keys(changes).every((key) => key === "position");
  const next = { ...state, ...changes };
  if (!onlyMoves) {
    // First of all: a state from a broken link fails here, and leaves the page as it is.
    run = start(next);
    player.stop();
    settings.show(next, isProblem(run) ? run : null);
    showProof("", "Proves that nothing depends on where the stream is cut.");
  }
  state = next;
  if (!onlyMoves) codeMenu.show();
  showPosition();
  keepAddress();
}

function showProof(verdict: "" | "good" | "bad", words: string): void {
  find("cuts-result").className = verdict;
  find("cuts-result").textContent = words;
}

const UNREAD = "Nothing is read until the settings are right.";

function showPosition(): void {
  find<HTMLButtonElement>("try-cuts").disabled = isProblem(run);
  if (isProblem(run)) {
    showRaw([], UNREAD);
    showNothing(`${UNREAD} ${run.message}`);
    showNoNaive(UNREAD);
    showEvents([]);
    player.show(state, null);
    return;
  }
  const shown = at(run, state.position);
  const texts = [...shown.texts, ...(shown.frames ? [shown.frames] : [])];
  const boxes = texts.map(({ source, text, segments }) => ({ name: nameOf(source, shown), text, segments }));
  showRaw(boxes, "Nothing has arrived. Paste a message above, or choose an example.");
  showReports(shown.reports, declaresTools(state));
  showNaive(shown.naive, shown.ofText, shown.takenBack);
  showEvents(shown.events);
  const { moments } = run.reading;
  player.show(state, {
    chunks: moments.length - 2,
    position: shown.position,
    arrived: moments[shown.position]!.arrived,
    total: run.stream.length,
    certain: shown.certain,
    held: shown.held,
  });
}

function showEvents(events: readonly Event[]): void {
  find("events-count").textContent = count(events.length, "event");
  find("events").textContent = events.map(({ source: _, ...event }) => JSON.stringify(event)).join("\n");
}

/** Stops the cuts that are being tried. */
let stopCuts: (() => void) | null = null;

async function tryCuts(): Promise<void> {
  if (stopCuts) return stopCuts();
  if (isProblem(run)) return;
  const { policy, format, stream } = run;
  const isCurrent = (): boolean => !isProblem(run) && run.policy === policy && run.stream === stream;
  const button = find<HTMLButtonElement>("try-cuts");
  const { textContent: name } = button;
  let isStopped = false;
  stopCuts = () => void (isStopped = true);
  button.textContent = "Stop";
  const { cuts, chunks, different } = await proof(policy, format, stream, RANDOM_CUTS, (done) => {
    if (isCurrent()) showProof("", `${done} of ${RANDOM_CUTS} cuts …`);
    return isCurrent() && !isStopped;
  });
  stopCuts = null;
  button.textContent = name;
  if (!isCurrent()) return;
  if (different === null) {
    const tried = `${count(cuts, "random cut")}, ${count(chunks, "chunk")}`;
    showProof("good", `✓ ${tried}: the same events, with the same spans, every time.`);
    return;
  }
  change({ mode: "random", seed: different, position: null });
  showProof("bad", `✗ Cut ${different} gives other events. Please report this: the link to this page shows it.`);
}

const keepAddress = debounced(250, () => {
  void toHash(state).then((hash) => history.replaceState(null, "", hash));
});

async function loadAddress(): Promise<void> {
  try {
    const shared = await fromHash(location.hash);
    if (shared) change(shared);
  } catch {
    toast("The link cannot be read: a part of it may be missing");
  }
}

async function share(): Promise<void> {
  history.replaceState(null, "", await toHash(state));
  await copy(location.href, "Link");
}

startTheme();
find("try-cuts").addEventListener("click", () => void tryCuts());
find("share").addEventListener("click", () => void share());
addEventListener("hashchange", () => void loadAddress());
settings.show(state, isProblem(run) ? run : null);
showPosition();
await loadAddress();
// A page from a file needs no worker: it has everything already. Nor does one without its worker fail.
if (location.protocol.startsWith("http")) await navigator.serviceWorker?.register("sw.js").catch(() => null);
document.documentElement.dataset["ready"] = "";
