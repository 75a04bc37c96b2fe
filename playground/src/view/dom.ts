// Small helpers for elements of the page.

type Child = Node | string | null | false;
type Attributes = Record<string, string | number | boolean | EventListener>;

/** An element: `h("p.note", { id: "x" }, "text")`. */
export function h(selector: string, ...rest: (Attributes | Child)[]): HTMLElement {
  const [name, ...classes] = selector.split(".");
  const element = document.createElement(name!);
  if (classes.length) element.className = classes.join(" ");
  for (const item of rest) {
    if (item instanceof Node || typeof item === "string") element.append(item);
    else if (item) set(element, item);
  }
  return element;
}

function set(element: HTMLElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
}

/** An element of the page by its id. */
export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element as T;
}

export function option(value: string, label = value): HTMLOptionElement {
  return h("option", { value }, label) as HTMLOptionElement;
}

/** A short message at the bottom of the page. */
export function toast(message: string): void {
  const box = find("toast");
  box.textContent = message;
  setTimeout(() => {
    if (box.textContent === message) box.textContent = "";
  }, 4000);
}

export async function copy(text: string, what: string): Promise<void> {
  const isCopied = navigator.clipboard
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      )
    : copySelected(text);
  toast(isCopied ? `${what} copied` : "The browser does not allow copying here");
}

/** For a page from a server without TLS, which has no clipboard of its own. */
function copySelected(text: string): boolean {
  const area = h("textarea") as HTMLTextAreaElement;
  const focused = document.activeElement as HTMLElement | null;
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return isCopied;
}

/** Calls `action` once, after the last of many calls in a row. */
export function debounced(milliseconds: number, action: () => void): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(action, milliseconds);
  };
}
