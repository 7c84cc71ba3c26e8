/**
 * Drawing of an opened query, in the browser. Every function here is sent to the page as it stands
 * (its source, types stripped), so it may use only parameters and the other functions sent with it.
 * Text enters the page as text nodes alone.
 */
import type { AgentData, LaneData, QueryData, StepData } from "./data.ts";
import type { PageDocument, PageElement } from "./dom.ts";
import { type CodeLanguage, highlight } from "./highlight.ts";

/** An element with a class and a text. */
export function make(
  page: PageDocument,
  tag: string,
  className: string,
  text?: string,
): PageElement {
  const element = page.createElement(tag);
  if (className !== "") element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** An SVG element with its attributes. */
export function svg(
  page: PageDocument,
  tag: string,
  attributes: Record<string, number | string>,
): PageElement {
  const element = page.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** A fold whose body is drawn when it is opened for the first time. */
export function fold(
  page: PageDocument,
  className: string,
  summary: PageElement,
  draw: (body: PageElement) => void,
): PageElement {
  const details = make(page, "details", className);
  const body = make(page, "div", "body");
  let isDrawn = false;
  const drawOnce = (): void => {
    if (isDrawn) return;
    isDrawn = true;
    draw(body);
  };
  details.append(summary, body);
  // A toggle is told of later; whoever types on at once should find the rows there.
  summary.addEventListener("click", drawOnce);
  details.addEventListener("toggle", () => {
    if (details.open) drawOnce();
  });
  return details;
}

/** A labelled block of text as it was written. */
export function textBlock(
  page: PageDocument,
  label: string,
  className: string,
  text: string,
): PageElement {
  const block = make(page, "div", `block ${className}`);
  block.append(make(page, "span", "label", label));
  const pre = make(page, "pre", "", text === "" ? "(empty)" : text);
  // Reachable by keyboard, since long blocks scroll.
  pre.setAttribute("tabindex", "0");
  block.append(pre);
  return block;
}

/** A block of coloured code. */
export function codeBlock(
  page: PageDocument,
  code: string,
  language: CodeLanguage,
): PageElement {
  const block = textBlock(page, "code", "code", "");
  const pre = block.querySelector("pre");
  pre?.replaceChildren(
    ...highlight(code, language).map(({ kind, text }) =>
      kind === "plain" ? text : make(page, "span", `t-${kind}`, text)
    ),
  );
  return block;
}

/** One step as a fold. */
export function drawStep(page: PageDocument, data: QueryData, step: StepData): PageElement {
  const summary = make(page, "summary", step.failed ? "row step failed" : "row step");
  summary.append(
    make(page, "span", "num", step.step === 0 ? "probe" : String(step.step)),
    make(page, "code", "head", step.head),
    drawShare(page, step),
    make(page, "span", "figure tokens", step.tokens),
    make(page, "span", "figure cost", step.cost),
    make(page, "span", "figure time", step.time),
  );
  const details = fold(page, "step", summary, (body) => {
    if (step.reasoning !== undefined) {
      const reasoning = step.reasoning;
      body.append(
        fold(
          page,
          "aside",
          make(page, "summary", "", "Reasoning"),
          (inner) => inner.append(make(page, "pre", "prose", reasoning)),
        ),
      );
    }
    if (step.text !== undefined) body.append(make(page, "p", "prose", step.text));
    if (step.code !== "") body.append(codeBlock(page, step.code, data.language));
    for (const [kind, text] of step.output) {
      body.append(
        kind === "note" ? make(page, "p", "note", text) : textBlock(page, kind, kind, text),
      );
    }
    for (const note of step.notes) body.append(make(page, "p", "note", note));
  });
  if (step.children.length === 0) return details;
  const group = make(page, "div", "with-children");
  group.append(details);
  for (const child of step.children) {
    const agent = data.agents[child];
    if (agent !== undefined) group.append(drawSubAgent(page, data, agent, child));
  }
  return group;
}

/** Two thin bars: tokens and cost against the dearest step. */
export function drawShare(page: PageDocument, step: StepData): PageElement {
  const [tokens, cost] = step.share;
  const box = svg(page, "svg", {
    viewBox: "0 0 100 9",
    preserveAspectRatio: "none",
    class: "share",
    "aria-hidden": "true",
  });
  box.append(
    svg(page, "rect", { class: "tokens", width: tokens, height: 4 }),
    svg(page, "rect", { class: "cost", y: 5, width: cost, height: 4 }),
  );
  return box;
}

/** The steps of an agent, and the sub-agents that belong to none of them. */
export function drawAgent(
  page: PageDocument,
  data: QueryData,
  agent: AgentData,
  into: PageElement,
): void {
  for (const note of agent.notes) into.append(make(page, "p", "note", note));
  for (const step of agent.steps) into.append(drawStep(page, data, step));
  for (const child of agent.children) {
    const inner = data.agents[child];
    if (inner !== undefined) into.append(drawSubAgent(page, data, inner, child));
  }
  if (agent.error !== undefined) into.append(textBlock(page, "error", "error", agent.error));
}

/** A sub-agent as a fold. */
export function drawSubAgent(
  page: PageDocument,
  data: QueryData,
  agent: AgentData,
  index: number,
): PageElement {
  const summary = make(page, "summary", "row agent");
  summary.append(
    make(page, "span", "num", agent.path),
    make(page, "span", "head", agent.title),
    make(page, "span", `facts is-${agent.status}`, `${agent.status} · ${agent.facts}`),
  );
  const details = fold(page, "agent", summary, (body) => {
    drawAgent(page, data, agent, body);
    if (agent.final !== undefined) body.append(textBlock(page, "final", "final", agent.final));
  });
  details.dataset["agent"] = String(index);
  return details;
}

/** The agents of a query on a common time axis. */
export function drawLanes(page: PageDocument, data: QueryData): PageElement {
  const figure = make(page, "div", "lanes");
  const bar = (lane: LaneData): PageElement => {
    const box = svg(page, "svg", {
      viewBox: "0 0 1000 10",
      preserveAspectRatio: "none",
      class: "lane",
    });
    const rect = (from: number, to: number, kind: string): PageElement =>
      svg(page, "rect", { x: from, y: 0, width: Math.max(2, to - from), height: 10, class: kind });
    box.append(rect(lane.start, lane.end, "wait"));
    for (const [from, to, kind] of lane.parts) {
      // A hair's breadth stays free, so that steps without a pause stay apart.
      box.append(rect(from, Math.max(from + 1, to - 2), kind));
    }
    return box;
  };
  for (const lane of data.lanes) {
    figure.append(make(page, "span", "lane-label", lane.label), bar(lane));
  }
  const legend = make(page, "p", "legend");
  const kinds = new Set(data.lanes.flatMap(({ parts }) => parts.map(([, , kind]) => kind)));
  if (kinds.has("think")) legend.append(make(page, "span", "key think", "thinking"));
  if (kinds.has("run")) legend.append(make(page, "span", "key run", "running code"));
  if (kinds.has("step")) legend.append(make(page, "span", "key step", "a step"));
  if (kinds.has("hold")) legend.append(make(page, "span", "key hold", "waiting for sub-agents"));
  legend.append(make(page, "span", "span", data.span));
  figure.append(make(page, "span", "lane-label", ""), legend);
  return figure;
}

/** Everything of an opened query. */
export function drawQuery(page: PageDocument, data: QueryData, into: PageElement): void {
  // A short question stands in the row above.
  if (data.prompt.length > 90 || data.prompt.includes("\n")) {
    into.append(textBlock(page, "question", "question", data.prompt));
  }
  if (data.final !== undefined) into.append(textBlock(page, "answer", "final", data.final));
  if (data.error !== undefined) into.append(textBlock(page, "error", "error", data.error));
  if (data.missing !== undefined) into.append(make(page, "p", "note", data.missing));
  if (data.lanes.length > 0) into.append(drawLanes(page, data));
  const inner = new Set<number>();
  for (const agent of data.agents) {
    for (const child of agent.children) inner.add(child);
    for (const step of agent.steps) for (const child of step.children) inner.add(child);
  }
  data.agents.forEach((agent, index) => {
    if (inner.has(index)) return;
    const list = make(page, "section", "steps");
    const facts = agent.model === "" ? agent.facts : `${agent.model} · ${agent.facts}`;
    list.append(make(page, "p", "agent-head", facts));
    drawAgent(page, data, agent, list);
    into.append(list);
  });
}
