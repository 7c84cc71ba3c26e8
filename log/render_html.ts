import { createHash } from "node:crypto";
import { queryData } from "./html/data.ts";
import {
  codeBlock,
  drawAgent,
  drawLanes,
  drawQuery,
  drawShare,
  drawStep,
  drawSubAgent,
  fold,
  make,
  svg,
  textBlock,
} from "./html/draw.ts";
import { highlight } from "./html/highlight.ts";
import { escapeHtml, introMarkup, memoryMarkup, timelineMarkup, titleOf } from "./html/markup.ts";
import { page } from "./html/page.ts";
import { STYLE } from "./html/style.ts";
import type { LogModel } from "./model.ts";

/** Characters of one text that a report keeps, and what it keeps where there are very many texts. */
const TEXT_LIMIT = 20_000;
const TIGHT_LIMIT = 2000;
const ROOMY = 24_000_000;

/**
 * The script of the page: the source of typed functions, types stripped when they were loaded. They
 * find each other by their names, since all stand in one scope.
 */
const SCRIPT = `"use strict";\n${
  [
    highlight,
    make,
    svg,
    drawShare,
    fold,
    textBlock,
    codeBlock,
    drawStep,
    drawAgent,
    drawSubAgent,
    drawLanes,
    drawQuery,
    page,
  ].join("\n")
}\npage(document, () => localStorage, () => matchMedia("(prefers-color-scheme: dark)").matches);\n`;

/**
 * One self-contained HTML file of a session or transcript. It loads nothing: its policy allows its own
 * style and script by their hashes and nothing else. Every text is escaped and inert.
 */
export function renderHtml(model: LogModel): string {
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    `script-src '${hashOf(SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(titleOf(model))} · fast-rlm</title>
<style>${STYLE}</style>
</head>
<body>
<header class="bar"><div class="wrap"><span class="name">fast-rlm log</span>
<span class="found" id="found" role="status"></span>
<input type="search" id="filter" placeholder="Filter" aria-label="Filter queries and memory" autocomplete="off" spellcheck="false">
<button type="button" id="theme" title="Dark or light (t)">Theme</button>
<button type="button" id="keys" title="Keyboard (?)">Keys</button></div></header>
${introMarkup(model)}
<main class="wrap">
${timelineMarkup(model)}
${memoryMarkup(model)}
</main>
<footer class="wrap">Made by fast-rlm log --html. Texts are shown inert: control characters appear as escapes.</footer>
${HELP}
<noscript><p class="wrap">The rows above need no script; opening them does.</p></noscript>
${dataMarkup(model)}
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const HELP = `<dialog id="help"><h2>Keyboard</h2><dl>
<dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous row</dd>
<dt><kbd>Enter</kbd></dt><dd>open or close the row</dd>
<dt><kbd>→</kbd> <kbd>←</kbd></dt><dd>open, close</dd>
<dt><kbd>Esc</kbd></dt><dd>close the part around, clear the filter</dd>
<dt><kbd>/</kbd></dt><dd>filter</dd>
<dt><kbd>m</kbd></dt><dd>memory</dd>
<dt><kbd>t</kbd></dt><dd>dark or light</dd>
</dl><button type="button" id="close">Close</button></dialog>`;

/** Per query a block of JSON that the browser parses only when the query is opened. */
function dataMarkup(model: LogModel): string {
  const blocks = (limit: number): string[] =>
    model.queries.map((query, index) =>
      `<script type="application/json" id="data-${index}">${
        jsonForScript(queryData(query, limit))
      }</script>`
    );
  const roomy = blocks(TEXT_LIMIT);
  const length = roomy.reduce((sum, block) => sum + block.length, 0);
  return (length <= ROOMY ? roomy : blocks(TIGHT_LIMIT)).join("\n");
}

/** JSON that can stand in a script element: `<` would end it or begin a comment. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const hashOf = (text: string): string =>
  `sha256-${createHash("sha256").update(text).digest("base64")}`;
