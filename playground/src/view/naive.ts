// The same text as a few regular expressions read it, and where that differs.

import { count, visible } from "../bytes.js";
import type { Naive } from "../naive.js";
import type { Report } from "../report.js";
import { find, h } from "./dom.js";

/** `takenBack`: how often the stream up to here showed text that had to be removed again. */
export function showNaive(naive: Naive, report: Report, takenBack: number): void {
  const found = differences(naive, report, takenBack);
  const same = h("p.difference.good", "No difference here. Play the stream, or try another example.");
  const list = h("ul.difference.bad", ...found.map((words) => h("li", words)));
  const sections = [
    found.length ? list : same,
    h("h3", "Answer"),
    naive.answer ? h("div.answer", ...leaks(naive.answer, report.answer)) : h("p.empty", "No visible text."),
  ];
  if (naive.thoughts.length) {
    const thoughts = naive.thoughts.map((text) => h("div.card.is-thought", h("div.body", text)));
    sections.push(h("h3", "Thoughts"), ...thoughts);
  }
  if (naive.calls.length) sections.push(h("h3", "Tool calls it would run"), ...naive.calls.map(call));
  if (naive.elements.length) {
    const elements = naive.elements.map(({ name, body }) =>
      h("div.card.is-element", h("b", `<${name}>`), h("div.body", body)),
    );
    sections.push(h("h3", "Elements"), ...elements);
  }
  find("naive").replaceChildren(...sections);
}

function call({ name, arguments: given }: Naive["calls"][number]): HTMLElement {
  const code = h("code", JSON.stringify(given));
  return h("div.card.is-call", h("div.head", h("span.name", name)), h("div.body", code));
}

function differences(naive: Naive, report: Report, takenBack: number): string[] {
  const found: string[] = [];
  const { calls, answer, thoughts } = report;
  if (naive.answer !== answer.trim()) found.push(answerDifference(naive.answer, answer.trim()));
  const inThoughts = thoughts.map(({ text }) => text.trim()).join("\n");
  if (naive.thoughts.join("\n") !== inThoughts) found.push("The thoughts are not the model's thoughts.");
  const accepted = calls.filter(({ state }) => state === "accepted");
  const asJson = (list: readonly { name: string | null; arguments: unknown }[]): string =>
    JSON.stringify(list.map(({ name, arguments: given }) => [name, given]));
  if (asJson(naive.calls) !== asJson(accepted)) found.push(callDifference(naive.calls.length, accepted.length));
  const elements = report.elements.filter(({ state }) => state === "complete").length;
  if (naive.elements.length !== elements)
    found.push(`It finds ${count(naive.elements.length, "element")} of ${elements}.`);
  if (takenBack) found.push(`While it streamed, text was shown and removed again ${count(takenBack, "time")}.`);
  return found;
}

function answerDifference(shown: string, right: string): string {
  const markup = /<[^<>]*>?/g;
  const more = (shown.match(markup)?.length ?? 0) > (right.match(markup)?.length ?? 0);
  if (more) return "Markup is on the screen as if it were the answer.";
  return shown.length < right.length ? "A part of the answer is missing." : "What is on the screen is not the answer.";
}

function callDifference(run: number, accepted: number): string {
  if (run > accepted) return `It would run ${count(run, "call")}; ${accepted} ${accepted === 1 ? "is" : "are"} valid.`;
  if (run < accepted) return `It misses ${count(accepted - run, "call")}.`;
  return "The arguments of its calls are not those of the model.";
}

/** The answer with what should not be in it marked: what comes after the last common character. */
function leaks(shown: string, right: string): (Node | string)[] {
  const answer = right.trim();
  if (shown === answer) return [shown];
  let same = 0;
  while (same < shown.length && shown[same] === answer[same]) same++;
  let tail = 0;
  while (tail < shown.length - same && tail < answer.length - same && shown.at(-1 - tail) === answer.at(-1 - tail))
    tail++;
  const middle = shown.slice(same, shown.length - tail);
  if (!middle) return [shown];
  const mark = h("mark.leak", { title: `Not part of the answer: ${visible(middle)}` }, middle);
  return [shown.slice(0, same), mark, shown.slice(shown.length - tail)];
}

/** In place of it, where the settings are wrong. */
export function showNoNaive(reason: string): void {
  find("naive").replaceChildren(h("p.empty", reason));
}
