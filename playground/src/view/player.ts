// The scrubber: where in the stream we are, and what is certain there.

import type { CutMode } from "../cuts.js";
import type { State } from "../state.js";
import { find, h } from "./dom.js";
import type { Change } from "./settings.js";

/** How long a whole stream plays, and how long a chunk is shown at least, in milliseconds. */
const DURATION = 8000;
const MIN_STEP = 30;
const MAX_STEP = 400;

const MODES: Record<CutMode, string> = {
  bytes: "Byte by byte",
  tokens: "By tokens",
  random: "Random cuts",
  recorded: "As recorded",
};

export interface Standing {
  /** How many chunks there are; one more position is the end of the stream. */
  chunks: number;
  position: number;
  arrived: number;
  total: number;
  certain: string;
  held: string;
}

export class Player {
  private readonly scrubber = find<HTMLInputElement>("scrubber");
  private readonly button = find<HTMLButtonElement>("play");
  private readonly modes = new Map<CutMode, HTMLInputElement>();
  private timer = 0;
  private standing: Standing | null = null;

  constructor(
    private readonly change: Change,
    private readonly seed: () => number,
  ) {
    for (const [mode, label] of Object.entries(MODES) as [CutMode, string][]) {
      const input = h("input", { type: "radio", name: "mode", value: mode }) as HTMLInputElement;
      input.addEventListener("change", () => this.chooseMode(mode));
      // Random again: other cuts.
      if (mode === "random") input.addEventListener("click", () => this.chooseMode(mode));
      this.modes.set(mode, input);
      find("mode").append(h("label", input, label));
    }
    this.scrubber.addEventListener("input", () => this.moveTo(Number(this.scrubber.value)));
    this.on("first", () => 0);
    this.on("back", ({ position }) => position - 1);
    this.on("forward", ({ position }) => position + 1);
    this.on("last", ({ chunks }) => chunks + 1);
    this.button.addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  private on(id: string, target: (standing: Standing) => number): void {
    find(id).addEventListener("click", () => {
      if (this.standing) this.moveTo(target(this.standing));
    });
  }

  /** Space plays, unless something that takes it has the focus. */
  private key(event: KeyboardEvent): void {
    const takesSpace = "input, textarea, select, button, summary, a";
    if (event.key !== " " || (event.target as HTMLElement).closest(takesSpace)) return;
    event.preventDefault();
    this.button.click();
  }

  private chooseMode(mode: CutMode): void {
    this.stop();
    this.change({ mode, position: null, ...(mode === "random" && { seed: this.seed() }) });
  }

  private moveTo(position: number): void {
    this.stop();
    this.go(position);
  }

  private go(position: number): void {
    if (!this.standing) return;
    const last = this.standing.chunks + 1;
    const at = Math.max(0, Math.min(position, last));
    this.change({ position: at === last ? null : at });
  }

  private play(): void {
    if (!this.standing) return;
    const { position, chunks } = this.standing;
    if (position > chunks) this.go(0);
    const step = Math.max(MIN_STEP, Math.min(DURATION / (chunks + 1), MAX_STEP));
    this.timer = window.setInterval(() => this.tick(), step);
    this.showButton();
  }

  private tick(): void {
    if (!this.standing || this.standing.position > this.standing.chunks) this.stop();
    else this.go(this.standing.position + 1);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.showButton();
  }

  private showButton(): void {
    this.button.classList.toggle("playing", this.timer !== 0);
    this.button.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  show(state: State, standing: Standing | null): void {
    this.standing = standing;
    for (const [mode, input] of this.modes) input.checked = mode === state.mode;
    this.modes.get("recorded")!.disabled = !state.recorded;
    this.scrubber.disabled = !standing;
    if (!standing) {
      find("player-state").replaceChildren(h("p.empty", "There is nothing to play until the settings are right."));
      return;
    }
    const { chunks, position, arrived, total, certain, held } = standing;
    this.scrubber.max = String(chunks + 1);
    this.scrubber.value = String(position);
    const isOver = position > chunks;
    const where = isOver
      ? `The end: all ${total} bytes in ${chunks} chunks`
      : `Chunk ${position} of ${chunks}: ${arrived} of ${total} bytes`;
    this.scrubber.setAttribute("aria-valuetext", where);
    find("player-state").replaceChildren(
      h("span.where", where),
      h("span", h("b", "Certain: "), certain),
      h("span"),
      h("span", h("b", "Held: "), held),
    );
    find<HTMLButtonElement>("back").disabled = find<HTMLButtonElement>("first").disabled = position === 0;
    find<HTMLButtonElement>("forward").disabled = find<HTMLButtonElement>("last").disabled = isOver;
  }
}
