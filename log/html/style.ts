const LIGHT = `
  --page: #ffffff; --surface: #f5f6f8; --line: #dfe3e8; --line-soft: #eceef1;
  --ink: #1a1f26; --soft: #525d69; --faint: #69747f;
  --accent: #1f5fbf; --tokens: #4d7fc4; --cost: #c08a2e; --track: #eceef1; --hold: #e6d6b4;
  --bad: #b3261e; --warn: #8a5a00; --focus: #1f5fbf; --hover: #f5f7fa;
  --t-comment: #6b7683; --t-string: #2f6f3e; --t-number: #8a4a12; --t-keyword: #7a3fa0;
  --t-name: #1f5fbf;
`;
const DARK = `
  --page: #14171b; --surface: #1c2026; --line: #323841; --line-soft: #252a31;
  --ink: #e3e7ec; --soft: #a3adb9; --faint: #818c99;
  --accent: #7fb2ff; --tokens: #5b8fd6; --cost: #c99a45; --track: #252a31; --hold: #5a4a2a;
  --bad: #ff938a; --warn: #e0b15e; --focus: #7fb2ff; --hover: #1a1e24;
  --t-comment: #85909c; --t-string: #93c99a; --t-number: #e0ad7d; --t-keyword: #c79be8;
  --t-name: #7fb2ff;
`;

/** The style of the report. Two themes by the system's choice, and by the button. */
export const STYLE: string = `
:root { color-scheme: light; ${LIGHT} }
:root[data-theme="dark"] { color-scheme: dark; ${DARK} }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) { color-scheme: dark; ${DARK} }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
code, pre, kbd { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
summary:focus-visible { outline-offset: -2px; }
.wrap { max-width: 1040px; margin: 0 auto; padding: 0 24px; }

.bar { position: sticky; top: 0; z-index: 2; background: var(--page); border-bottom: 1px solid var(--line); }
.bar .wrap { display: flex; align-items: center; gap: 12px; min-height: 52px; }
.bar .name { font-weight: 600; white-space: nowrap; margin-right: auto; }
.bar .found { color: var(--soft); font-size: 13px; white-space: nowrap; }
input[type="search"] {
  width: 220px; font: inherit; font-size: 14px; color: var(--ink); background: var(--surface);
  border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; height: 32px;
}
input::placeholder { color: var(--faint); opacity: 1; }
button {
  font: inherit; font-size: 13px; color: var(--soft); background: none; cursor: pointer;
  border: 1px solid var(--line); border-radius: 6px; height: 32px; padding: 0 10px;
}
button:hover { color: var(--ink); border-color: var(--faint); }

.intro { padding-top: 32px; padding-bottom: 8px; }
h1 { font-size: 26px; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; margin: 0 0 4px; }
.origin { margin: 0; color: var(--soft); font-size: 14px; }
.totals { display: flex; flex-wrap: wrap; gap: 14px 36px; margin: 22px 0 0; }
.totals div { display: flex; flex-direction: column-reverse; }
.totals dt { color: var(--soft); font-size: 13px; }
.totals dd { margin: 0; font-size: 20px; font-weight: 600; line-height: 1.3; }
h2 { font-size: 17px; font-weight: 650; margin: 36px 0 6px; }
h2 .count { color: var(--faint); font-weight: 400; margin-left: 4px; }
h3 { font-size: 13px; font-weight: 600; color: var(--soft); margin: 22px 0 2px; }

details > summary { list-style: none; cursor: pointer; }
details > summary::-webkit-details-marker { display: none; }
.query { border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 86px; }
.query:last-of-type { border-bottom: 1px solid var(--line); }
.query > summary { display: grid; grid-template-columns: 36px minmax(0, 1fr) 280px; gap: 2px 16px; padding: 12px 0; }
.query > summary:hover, .row.step:hover, .row.agent:hover, .item > summary:hover { background: var(--hover); }
.query .num { color: var(--faint); text-align: right; }
.query .q { font-weight: 550; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.query[open] > summary .q { -webkit-line-clamp: 1; }
.query .a { color: var(--soft); display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.query[open] > summary .a { display: none; }
.query .a.is-failed { color: var(--bad); }
.query .meta { color: var(--faint); font-size: 13px; }
.bars { display: grid; grid-template-columns: auto minmax(40px, 1fr) auto; gap: 2px 10px; align-content: start; font-size: 13px; }
.bars .what { color: var(--faint); }
.alone > summary { grid-template-columns: 36px minmax(0, 1fr); }
.bars .much { text-align: right; min-width: 74px; }
.bars svg { width: 100%; height: 8px; align-self: center; background: var(--track); border-radius: 2px; display: block; }
.bars rect.tokens { fill: var(--tokens); }
.bars rect.cost { fill: var(--cost); }
.is-failed, .is-limit, .is-interrupted { color: var(--bad); }
.is-running { color: var(--warn); }
.warn { color: var(--warn); }

.query > .body { padding: 4px 0 24px 52px; }
.block { margin: 10px 0; }
.label { display: block; font-size: 12px; color: var(--faint); margin-bottom: 3px; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; line-height: 1.5; tab-size: 2; }
.block pre { max-height: 460px; overflow: auto; padding: 9px 12px; border-radius: 6px; background: var(--surface); }
.block.output pre, .block.value pre { background: none; border: 1px solid var(--line-soft); }
.block.question pre, .block.final pre { font-family: inherit; font-size: 14.5px; }
.block.question pre { background: none; padding: 0; }
.block.final pre { background: none; border-left: 3px solid var(--accent); border-radius: 0; padding: 2px 0 2px 12px; }
.block.error pre { background: none; border-left: 3px solid var(--bad); border-radius: 0; padding: 2px 0 2px 12px; }
.block.error .label { color: var(--bad); }
.prose { margin: 8px 0; white-space: pre-wrap; color: var(--soft); font-size: 14px; }
.aside { margin: 6px 0; }
.aside > summary { color: var(--soft); font-size: 13px; width: max-content; }
.aside > summary::before { content: "▸ "; color: var(--faint); }
.aside[open] > summary::before { content: "▾ "; }
.aside pre { font-family: inherit; }
.note { margin: 4px 0; color: var(--soft); font-size: 13px; }
.note::before { content: "· "; }

.steps { margin-top: 14px; }
.agent-head { margin: 0 0 4px; color: var(--soft); font-size: 13px; }
details.step, details.agent, .with-children { border-top: 1px solid var(--line-soft); }
.with-children > details.step, .with-children > details.agent:nth-child(2) { border-top: 0; }
details.step, details.agent { content-visibility: auto; contain-intrinsic-size: auto 34px; }
.row.step { display: grid; grid-template-columns: 40px minmax(0, 1fr) 56px 68px 70px 62px; gap: 12px; align-items: baseline; padding: 6px 4px; }
.row.step .share { width: 100%; height: 9px; display: block; align-self: center; }
.share .tokens { fill: var(--tokens); } .share .cost { fill: var(--cost); }
.row .num { color: var(--faint); text-align: right; font-size: 13px; }
.row .head { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; font-size: 13px; }
.row .figure { text-align: right; color: var(--soft); font-size: 13px; white-space: nowrap; }
.row.failed .num, .row.failed .head { color: var(--bad); }
.row.failed .head::before { content: "✗ "; }
details[open] > .row.step .head, details[open] > .row.agent .head { font-weight: 600; }
.step > .body { padding: 2px 4px 14px 56px; }
.with-children > .agent { margin-left: 56px; border-left: 2px solid var(--line); }
.steps > .agent, .agent > .body > .agent { margin-left: 56px; border-left: 2px solid var(--line); }
.row.agent { display: flex; flex-wrap: wrap; gap: 0 12px; align-items: baseline; padding: 5px 4px 5px 12px; }
.row.agent .head { flex: 1 1 200px; min-width: 0; }
.row.agent .facts { font-size: 13px; }
.row.agent .facts:not([class*="is-f"]):not(.is-limit):not(.is-interrupted):not(.is-running) { color: var(--soft); }
.agent > .body { padding: 0 0 8px 12px; }
.agent > .body .step > .body { padding-left: 52px; }

.lanes { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 10px; align-items: center; margin: 14px 0 6px; font-size: 12px; color: var(--soft); }
.lane-label { text-align: left; }
.lane { width: 100%; height: 10px; display: block; }
.lane .wait { fill: var(--track); } .lane .think { fill: var(--tokens); } .lane .run { fill: var(--cost); } .lane .step { fill: var(--faint); } .lane .hold { fill: var(--hold); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 2px 0 0; }
.legend .span { margin-left: auto; }
.key::before { content: ""; display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; vertical-align: -1px; }
.key.think::before { background: var(--tokens); } .key.run::before { background: var(--cost); } .key.wait::before { background: var(--track); } .key.step::before { background: var(--faint); } .key.hold::before { background: var(--hold); }

.item { border-top: 1px solid var(--line-soft); content-visibility: auto; contain-intrinsic-size: auto 34px; }
.item > summary { display: grid; grid-template-columns: 20px minmax(110px, 210px) minmax(0, 1fr) auto; gap: 12px; padding: 6px 4px; align-items: baseline; }
.item .star { color: var(--cost); text-align: center; }
.item .what { color: var(--soft); font-size: 14px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.item .size { color: var(--soft); font-size: 13px; text-align: right; white-space: nowrap; }
.item > .body { padding: 2px 4px 14px 36px; }
.item > .body > p { margin: 4px 0; font-size: 14px; color: var(--soft); }
.item code { font-size: 13px; }
.failed-item code, .failed-item .what { color: var(--bad); }
.none { color: var(--soft); margin: 8px 0; }
footer { color: var(--faint); font-size: 13px; padding-top: 40px; padding-bottom: 40px; }

.t-comment { color: var(--t-comment); } .t-string { color: var(--t-string); }
.t-number { color: var(--t-number); } .t-keyword { color: var(--t-keyword); }
.t-name { color: var(--t-name); }

dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--page); color: var(--ink); padding: 20px 24px; max-width: 420px; }
dialog::backdrop { background: rgb(0 0 0 / 40%); }
dialog h2 { margin: 0 0 10px; }
dialog dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 16px; margin: 0 0 16px; font-size: 14px; }
dialog dd { margin: 0; color: var(--soft); }
kbd { font-size: 12px; border: 1px solid var(--line); border-radius: 4px; padding: 1px 6px; background: var(--surface); }

@media (max-width: 760px) {
  .wrap { padding: 0 14px; }
  .bar .wrap { flex-wrap: wrap; padding-top: 8px; padding-bottom: 8px; gap: 8px; }
  .bar input { order: 5; flex: 1 1 100%; width: 100%; font-size: 16px; }
  .intro { padding-top: 20px; }
  h1 { font-size: 22px; }
  .totals { gap: 12px 26px; } .totals dd { font-size: 18px; }
  .query { contain-intrinsic-size: auto 140px; }
  .query > summary { grid-template-columns: 22px minmax(0, 1fr); gap: 4px 10px; }
  .query .bars { grid-column: 2; }
  .query > .body { padding-left: 0; }
  .row.step { grid-template-columns: 26px minmax(0, 1fr) auto; gap: 0 8px; }
  .row.step .cost, .row.step .time, .row.step .share { display: none; }
  .step > .body, .agent > .body .step > .body { padding-left: 4px; }
  .with-children > .agent, .steps > .agent, .agent > .body > .agent { margin-left: 10px; }
  .row.agent .head { flex-basis: 60%; }
  .item > summary { grid-template-columns: 16px minmax(0, 1fr) auto; gap: 2px 8px; }
  .item .what { grid-column: 2 / -1; }
  .item .size { grid-column: 3; grid-row: 1; }
  .item > .body { padding-left: 24px; }
}
@media print {
  .bar, footer { display: none; }
  .query, details.step, details.agent, .item { content-visibility: visible; }
}
`;
