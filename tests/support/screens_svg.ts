/** Screens of the terminal viewer as one picture that shows them in turn. */
import type { Line, Size, Style } from "../../log/viewer/line.ts";
import { displayWidth } from "../../log/width.ts";

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
/** Seconds that a screen is shown. */
const SHOWN = 3;

const COLOURS: Readonly<Record<Style, string>> = {
  plain: "#d6dbe1",
  dim: "#8a949f",
  strong: "#ffffff",
  title: "#6fd0de",
  accent: "#6fd0de",
  good: "#86cf91",
  warn: "#e0b15e",
  bad: "#ff938a",
  selected: "#14171b",
  keyword: "#c79be8",
  string: "#93c99a",
  number: "#e0ad7d",
  comment: "#8a949f",
  call: "#7fb2ff",
};

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/** An SVG that moves from screen to screen; where nothing may move it stays at the first. */
export function screensSvg(screens: readonly (readonly Line[])[], size: Size): string {
  const width = Math.round(size.columns * CELL.width + 2 * MARGIN);
  const height = Math.round(size.rows * CELL.height + 2 * MARGIN);
  const whole = screens.length * SHOWN;
  const share = 100 / screens.length;
  const groups = screens.map((lines, at) =>
    `<g class="screen" style="animation-delay:${at * SHOWN - (at === 0 ? 0 : whole)}s">${
      lines.map((line, row) => lineSvg(line, row)).join("\n")
    }</g>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The viewer in a terminal: queries of a session, a run, its agents over time, the memory">
<style>
text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }
.screen { opacity: 0; animation: turn ${whole}s step-end infinite; }
.screen:first-of-type { opacity: 1; }
@keyframes turn { 0% { opacity: 1 } ${share.toFixed(3)}% { opacity: 0 } 100% { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { .screen { animation: none } }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#14171b"/>
${groups.join("\n")}
</svg>
`;
}

function lineSvg(line: Line, row: number): string {
  let cell = 0;
  const y = MARGIN + row * CELL.height;
  return line.map(({ text, style }) => {
    const cells = displayWidth(text);
    const x = (MARGIN + cell * CELL.width).toFixed(1);
    cell += cells;
    if (text.trim() === "" && style !== "selected") return "";
    const wide = (cells * CELL.width).toFixed(1);
    const bar = style === "selected"
      ? `<rect x="${x}" y="${y}" width="${wide}" height="${CELL.height}" fill="#d6dbe1"/>`
      : "";
    const weight = style === "strong" || style === "title" ? ' font-weight="bold"' : "";
    return `${bar}<text x="${x}" y="${y + 13.5}" fill="${
      COLOURS[style]
    }"${weight} textLength="${wide}">${escaped(text)}</text>`;
  }).join("");
}
