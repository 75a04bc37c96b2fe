// The input and how it is read: examples, message, preset, format, dialects, tools, profile.

import { DIALECTS, FORMATS, PRESETS, type Problem, profileOf } from "../engine.js";
import { EXAMPLES, type Input, type State, findExample, isEdit, stateOf } from "../state.js";
import { Editor } from "./editor.js";
import { find, h, option } from "./dom.js";

/** Changes a part of the state. */
export type Change = (changes: Partial<State>) => void;

const FORMAT_NAMES: Record<(typeof FORMATS)[number], string> = {
  auto: "Detect",
  text: "Plain text",
  openai: "OpenAI chat",
  responses: "OpenAI responses",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ollama: "Ollama",
};

export class Settings {
  private readonly group = find<HTMLSelectElement>("group");
  private readonly example = find<HTMLSelectElement>("example");
  private readonly text = find<HTMLTextAreaElement>("text");
  private readonly preset = find<HTMLSelectElement>("preset");
  private readonly format = find<HTMLSelectElement>("format");
  private readonly tools: Editor;
  private readonly profile: Editor;
  /** What is shown. */
  private state!: State;
  private readonly dialects = new Map<string, HTMLInputElement>();

  constructor(private readonly change: Change) {
    const groups = [...new Set(EXAMPLES.map(({ group }) => group))];
    this.group.append(...groups.map((group) => option(group)));
    this.preset.append(...PRESETS.map(({ name }) => option(name)));
    this.format.append(...FORMATS.map((name) => option(name, FORMAT_NAMES[name])));
    const placeholder =
      'The "tools" of a request, or a whole request, as JSON. Empty: every call is accepted, unchecked.';
    this.tools = new Editor(find("tools-editor"), "Tools, as JSON", placeholder, (tools) => change({ tools }));
    this.profile = new Editor(find("profile-editor"), "Profile, in TOML or JSON", "", (profile) => change({ profile }));
    this.listDialects();
    this.listen();
    // On a phone, the results are nearer without them.
    find<HTMLDetailsElement>("settings").open = matchMedia("(min-width: 721px)").matches;
  }

  private listen(): void {
    this.group.addEventListener("change", () =>
      this.load(EXAMPLES.find(({ group }) => group === this.group.value)!.id),
    );
    this.example.addEventListener("change", () => this.load(this.example.value));
    this.text.addEventListener("input", () => {
      this.write(this.text.value);
    });
    this.preset.addEventListener("change", () =>
      this.change({ preset: this.preset.value, profile: null, dialects: null }),
    );
    this.format.addEventListener("change", () => {
      this.change({ format: this.format.value as Input["format"], position: null });
    });
    find("profile-reset").addEventListener("click", () => this.change({ profile: null }));
  }

  /** An edit keeps what was chosen. Another text has other cuts, and may be of another format. */
  private write(text: string): void {
    const { text: before, format, mode } = this.state;
    const kept = isEdit(before, text) && { format, ...(mode !== "recorded" && { mode }) };
    this.change({ text, recorded: null, format: "auto", mode: "tokens", position: null, ...kept });
  }

  private load(id: string): void {
    const example = findExample(id);
    if (example) this.change(stateOf(example));
  }

  private listDialects(): void {
    const choose = (name: string): HTMLElement => {
      const box = h("input", { type: "checkbox", value: name }) as HTMLInputElement;
      box.addEventListener("change", () => this.chooseDialects(name, box.checked));
      this.dialects.set(name, box);
      return h("label.check", box, name);
    };
    const names = ["auto", ...DIALECTS.map(({ name }) => name)];
    const reset = h(
      "button.button.small",
      { type: "button", click: () => this.change({ dialects: null }) },
      "As the profile chooses",
    );
    find("dialects").append(reset, h("div.dialect-grid", ...names.map(choose)));
  }

  /** `auto` is all of them, so it excludes the others. */
  private chooseDialects(name: string, isChosen: boolean): void {
    const others = [...this.dialects].filter(([other, box]) => box.checked && other !== name).map(([other]) => other);
    if (name === "auto") this.change({ dialects: isChosen ? ["auto"] : null });
    else {
      const chosen = [...others.filter((other) => other !== "auto"), ...(isChosen ? [name] : [])];
      this.change({ dialects: chosen.length ? chosen : null });
    }
  }

  show(state: State, problem: Problem | null): void {
    this.state = state;
    this.showExample(state);
    if (this.text.value !== state.text) this.text.value = state.text;
    this.preset.value = state.preset;
    find("preset-about").textContent =
      state.profile === null ? this.about(state.preset) : "Your own profile is used instead.";
    this.format.value = state.format;
    this.showDialects(state.dialects);
    this.tools.show(state.tools);
    this.profile.show(profileOf(state));
    find("tools-count").textContent = state.tools.trim() ? "declared" : "none declared";
    find("profile-state").textContent = state.profile === null ? `the preset ${state.preset}` : "your own";
    find("profile-reset").hidden = state.profile === null;
    this.showProblem(problem);
  }

  private about(preset: string): string {
    return PRESETS.find(({ name }) => name === preset)?.description ?? "";
  }

  private showExample({ example: id }: State): void {
    const example = findExample(id);
    if (!example) return;
    this.group.value = example.group;
    if (this.example.value !== example.id) {
      const inGroup = EXAMPLES.filter(({ group }) => group === example.group);
      this.example.replaceChildren(...inGroup.map(({ id, title }) => option(id, title)));
      this.example.value = example.id;
    }
    find("note").textContent = example.note;
  }

  private showDialects(chosen: State["dialects"]): void {
    for (const [name, box] of this.dialects) box.checked = chosen?.includes(name) ?? false;
    find("dialects-chosen").textContent = chosen ? chosen.join(", ") : "as the profile chooses";
  }

  /** An error opens the editor that it is in. */
  private showProblem(problem: Problem | null): void {
    this.tools.showProblem(problem?.where === "tools" ? problem : null);
    this.profile.showProblem(problem?.where === "profile" ? problem : null);
    find("dialects-problem").textContent = problem?.where === "dialects" ? problem.message : "";
    for (const id of problem ? ["settings", `${problem.where}-fold`] : []) find<HTMLDetailsElement>(id).open = true;
  }
}
