import { pad } from "../width.ts";
import type { AppState, ScreenName } from "./app_state.ts";
import { clamp, type Key, movement } from "./keys.ts";
import { bodyRows, compose, hints, position } from "./layout.ts";
import { fitLine, type Line, type Size, span, spread } from "./line.ts";

interface Section {
  /** Undefined for the keys that every screen has. */
  readonly screen: ScreenName | undefined;
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}

const SECTIONS: readonly Section[] = [
  {
    screen: undefined,
    title: "everywhere",
    keys: [
      ["j k ↓ ↑", "move or scroll"],
      ["PgDn PgUp", "a page; space too"],
      ["g G", "first, last"],
      ["[ ]", "query before, after"],
      ["m", "memory inspector"],
      ["esc", "back"],
      ["q", "quit"],
    ],
  },
  { screen: "timeline", title: "timeline", keys: [["enter", "open the run"]] },
  {
    screen: "run",
    title: "run",
    keys: [
      ["← →", "parent, child agent"],
      ["tab", "next sibling agent"],
      ["shift-tab", "sibling before"],
      ["I", "user input"],
      ["R", "reasoning"],
      ["O", "final output"],
      ["T", "timeline of agents"],
    ],
  },
  {
    screen: "memory",
    title: "memory",
    keys: [["J K", "scroll the detail"], ["/", "filter by name, type, note"]],
  },
];

const HEADER_ROWS = 2;
/** Cells of one column of keys. */
const COLUMN = 40;

/** Every key, those of the screen below first; in two columns where there is room. */
export function renderHelp(state: AppState, size: Size): Line[] {
  const lines = helpLines(state, size.columns);
  const rows = bodyRows(size, HEADER_ROWS);
  const top = clamp(state.helpTop, Math.max(0, lines.length - rows));
  const where = position(top, rows, lines.length);
  return compose({
    header: [[span(" keys", "title")], []],
    body: lines.slice(top, top + rows),
    footer: spread(
      hints(
        where === "" ? [["any key", "back"]] : [["j/k", "scroll"], ["esc", "back"]],
        size.columns,
      ),
      where === "" ? [] : [span(`${where} `, "dim")],
      size.columns,
    ),
  }, size);
}

/** Scrolls where there is something to scroll; undefined for a key that leaves the help. */
export function onHelpKey(state: AppState, key: Key): AppState | undefined {
  const rows = bodyRows(state.size, HEADER_ROWS);
  const last = Math.max(0, helpLines(state, state.size.columns).length - rows);
  const by = movement(key, rows);
  if (by === undefined || last === 0) return undefined;
  return { ...state, helpTop: clamp(clamp(state.helpTop, last) + by, last) };
}

function helpLines(state: AppState, columns: number): Line[] {
  const below = state.screens.at(-2);
  const sections = SECTIONS.toSorted((a, b) =>
    Number(b.screen === below) - Number(a.screen === below)
  ).map(sectionLines);
  if (columns < 2 * COLUMN) return sections.flat();
  // The columns are filled section by section, the shorter one first.
  const sides: [Line[], Line[]] = [[], []];
  for (const lines of sections) {
    sides[sides[0].length <= sides[1].length ? 0 : 1].push(...lines);
  }
  const [left, right] = sides;
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row): Line => [
    ...fitLine(left[row] ?? [], COLUMN),
    ...(right[row] ?? []),
  ]);
}

function sectionLines({ title, keys }: Section): Line[] {
  return [
    [span(` ${title}`, "accent")],
    ...keys.map(([key, does]): Line => [span(`   ${pad(key, 10)} `, "strong"), span(does)]),
    [],
  ];
}
