// The menu with equivalent code, the shared link, and the theme.

import { LANGUAGES } from "../snippets.js";
import { copy, find, h } from "./dom.js";

export class CodeMenu {
  private language = Object.keys(LANGUAGES)[0]!;

  /** `write` makes the code for a language; it is called when the menu is open. */
  constructor(private readonly write: (language: string) => string) {
    const menu = find<HTMLDetailsElement>("code-menu");
    menu.addEventListener("toggle", () => this.show());
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      menu.open = false;
      menu.querySelector("summary")?.focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!menu.contains(event.target as Node)) menu.open = false;
    });
    for (const language of Object.keys(LANGUAGES)) {
      find("code-language").append(h("button", { type: "button", click: () => this.choose(language) }, language));
    }
    find("copy-code").addEventListener("click", () => void copy(this.write(this.language), `${this.language} code`));
  }

  private choose(language: string): void {
    this.language = language;
    this.show();
  }

  show(): void {
    if (!find<HTMLDetailsElement>("code-menu").open) return;
    for (const button of find("code-language").children) {
      button.setAttribute("aria-pressed", String(button.textContent === this.language));
    }
    find("code").textContent = this.write(this.language);
  }
}

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "tagstream-theme";

/** Light, dark, or what the system prefers. */
export function startTheme(): void {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  let theme = stored();
  const show = (): void => {
    const isDark = theme === "dark" || (theme === "system" && prefersDark.matches);
    document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
    find("theme").textContent = `Theme: ${theme}`;
  };
  find("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Without storage the choice holds until the page is closed.
    }
    show();
  });
  prefersDark.addEventListener("change", show);
  show();
}

function stored(): Theme {
  try {
    const theme = localStorage.getItem(KEY) as Theme | null;
    return theme && THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}
