import type { CodeMode, MeasuredSession } from "./experiment.ts";

const WIDTH = 720;
const HEIGHT = 340;
const LEFT = 64;
const RIGHT = 170;
const TOP = 56;
const BOTTOM = 48;
const LABEL_GAP = 16;

const SERIES_NAMES: Readonly<Record<CodeMode, string>> = {
  all: "all code",
  budget: "default budget",
  none: "no code",
};

const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #57606a; }
    .title { font-weight: 600; font-size: 14px; fill: #1f2328; }
    .grid { stroke: #d0d7de; stroke-width: 1; }
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
    .all { stroke: #bc4c00; fill: #bc4c00; } .budget { stroke: #0969da; fill: #0969da; }
    .none { stroke: #1a7f37; fill: #1a7f37; } .line { fill: none !important; }
    text.all, text.budget, text.none { stroke: none; }
    .none.line { stroke-dasharray: 6 4; }
    @media (prefers-color-scheme: dark) {
      text { fill: #9198a1; } .title { fill: #f0f6fc; } .grid { stroke: #3d444d; }
      .all { stroke: #f0883e; fill: #f0883e; } .budget { stroke: #58a6ff; fill: #58a6ff; }
      .none { stroke: #3fb950; fill: #3fb950; }
    }`;

/** Input tokens of the follow-ups as a picture (SVG) for light and dark pages. */
export function plot(sessions: readonly MeasuredSession[], model: string | undefined): string {
  const count = sessions[0]?.queries.length ?? 0;
  const series = sessions.map(({ mode, queries }) => ({
    mode,
    values: queries.slice(1).map(({ tokens }) => tokens ?? 0),
  }));
  const top = niceTop(Math.max(1, ...series.flatMap(({ values }) => values)));
  const x = (query: number): number =>
    LEFT + (query - 2) / Math.max(1, count - 2) * (WIDTH - LEFT - RIGHT);
  const y = (tokens: number): number => HEIGHT - BOTTOM - tokens / top * (HEIGHT - TOP - BOTTOM);
  const build = sessions[0]?.queries[0]?.tokens;
  const by = model === undefined ? "replies written by hand" : model;
  const subtitle = build === undefined ? by : `${by}; query 1 builds with ${number(build)} tokens`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Input tokens of each follow-up query, by how much code the prompt holds">
  <style>${STYLE}
  </style>
  <text class="title" x="${LEFT}" y="22">Input tokens of each follow-up query</text>
  <text x="${LEFT}" y="40">${escaped(subtitle)}</text>
${grid(top, y).join("\n")}
${ticks(count, x).join("\n")}
${series.map(({ mode, values }) => line(mode, values, x, y)).join("\n")}
${labels(series, y).join("\n")}
</svg>
`;
}

function grid(top: number, y: (tokens: number) => number): string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = round(y(top * part));
    return `  <path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/>` +
      `<text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${number(top * part)}</text>`;
  });
}

function ticks(count: number, x: (query: number) => number): string[] {
  return Array.from(
    { length: Math.max(0, count - 1) },
    (_, at) =>
      `  <text x="${round(x(at + 2))}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">query ${
        at + 2
      }</text>`,
  );
}

function line(
  mode: CodeMode,
  values: readonly number[],
  x: (query: number) => number,
  y: (tokens: number) => number,
): string {
  const points = values.map((tokens, at) => [round(x(at + 2)), round(y(tokens))] as const);
  const path = points.map(([px, py], at) => `${at === 0 ? "M" : "L"}${px} ${py}`).join("");
  const dots = points.map(([px, py]) => `<circle class="${mode}" cx="${px}" cy="${py}" r="3"/>`);
  return `  <path class="line ${mode}" d="${path}"/>${dots.join("")}`;
}

/** A label at the end of each line, moved apart where lines end close together. */
function labels(
  series: readonly { readonly mode: CodeMode; readonly values: readonly number[] }[],
  y: (tokens: number) => number,
): string[] {
  let above = -Infinity;
  return series.map(({ mode, values }) => ({ mode, last: values.at(-1) ?? 0 }))
    .sort((a, b) => b.last - a.last)
    .map(({ mode, last }) => {
      const at = round(Math.max(y(last) + 4, above + LABEL_GAP));
      above = at;
      const name = SERIES_NAMES[mode];
      return `  <text class="${mode}" x="${WIDTH - RIGHT + 12}" y="${at}">${name}: ${
        number(last)
      }</text>`;
    });
}

function niceTop(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((n) => n * unit).find((n) => n >= value) ?? value;
}

function number(n: number): string {
  return Math.round(n).toLocaleString("en-US");
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
