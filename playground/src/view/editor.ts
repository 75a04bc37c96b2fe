// A text box with line numbers, which marks the line of an error.

import { h } from "./dom.js";

export class Editor {
  private readonly area: HTMLTextAreaElement;
  private readonly gutter = h("div.gutter.mono", { "aria-hidden": "true" });
  private readonly problem = h("div.problem", { role: "alert" });
  private wrong: number | null = null;

  constructor(host: HTMLElement, label: string, placeholder: string, changed: (text: string) => void) {
    this.problem.id = `${host.id}-problem`;
    this.area = h("textarea", {
      rows: 8,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      placeholder,
      "aria-label": label,
      "aria-describedby": this.problem.id,
    }) as HTMLTextAreaElement;
    this.area.addEventListener("input", () => {
      this.number();
      changed(this.area.value);
    });
    this.area.addEventListener("scroll", () => (this.gutter.scrollTop = this.area.scrollTop));
    new ResizeObserver(() => (this.gutter.style.height = `${this.area.offsetHeight}px`)).observe(this.area);
    host.append(h("div.editor", this.gutter, this.area), this.problem);
    this.number();
  }

  /** Shows a text, without moving the cursor of someone who is typing it. */
  show(text: string): void {
    if (this.area.value === text) return;
    this.area.value = text;
    this.number();
  }

  /** Shows an error, at its line if that is known; null removes it. */
  showProblem(problem: { message: string; line: number | null } | null): void {
    this.wrong = problem?.line ?? null;
    this.area.setAttribute("aria-invalid", String(problem !== null));
    this.problem.replaceChildren(...(problem ? this.words(problem) : []));
    this.number();
  }

  private words({ message, line }: { message: string; line: number | null }): (Node | string)[] {
    if (line === null) return [message];
    const go = h("button", { type: "button", click: () => this.goTo(line) }, `Line ${line}`);
    return [go, `: ${message.replace(new RegExp(`^line ${line}: `), "")}`];
  }

  private goTo(line: number): void {
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  }

  private number(): void {
    const lines = this.area.value.split("\n").length;
    const rows = Array.from({ length: lines }, (_, at) =>
      h(at + 1 === this.wrong ? "div.wrong" : "div", String(at + 1)),
    );
    this.gutter.replaceChildren(...rows);
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
