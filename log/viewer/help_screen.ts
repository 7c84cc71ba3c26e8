import type { AppState } from "./app_state.ts";
import { compose, hints } from "./layout.ts";
import { type Line, type Size, span } from "./line.ts";
import { pad } from "../width.ts";

const SECTIONS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["everywhere", [
    ["j k ↓ ↑", "move or scroll"],
    ["PgDn PgUp space", "a page"],
    ["g G", "first, last"],
    ["[ ]", "query before, after"],
    ["m", "memory inspector"],
    ["esc", "back"],
    ["q", "quit"],
  ]],
  ["timeline", [["enter", "open the run"]]],
  ["run", [
    ["← →", "parent, child agent"],
    ["tab shift-tab", "sibling agents"],
    ["I", "user input"],
    ["R", "reasoning"],
    ["O", "final output"],
    ["T", "timeline of agents"],
  ]],
  ["memory", [
    ["J K", "scroll the detail"],
    ["/", "filter by name, type, comment, note"],
  ]],
];

/** Every key, in two columns where there is room. */
export function renderHelp(_state: AppState, size: Size): Line[] {
  const sections = SECTIONS.map(([title, keys]): Line[] => [
    [span(` ${title}`, "accent")],
    ...keys.map(([key, does]): Line => [span(`   ${pad(key, 16)} `, "strong"), span(does)]),
    [],
  ]);
  const lines = sections.flat();
  const half = Math.ceil(lines.length / 2);
  const body = size.rows - 3 >= lines.length || size.columns < 100
    ? lines
    : lines.slice(0, half).map((line, i): Line => {
      const text = line.map((part) => part.text).join("");
      return [...line, span(" ".repeat(Math.max(1, 50 - text.length))), ...(lines[half + i] ?? [])];
    });
  return compose({
    header: [[span(" keys", "title")], []],
    body,
    footer: hints([["any key", "back"]], size.columns),
  }, size);
}
