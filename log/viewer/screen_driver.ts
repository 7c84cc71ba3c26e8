import { Box, type Key as InkKey, render, Text, useInput } from "ink";
import { createElement, useLayoutEffect } from "react";
import type { Key } from "./keys.ts";
import { type Line, paint, type Size } from "./line.ts";
import type { TuiIO } from "./show_tui.ts";

/** A full-screen terminal: it shows frames, reports keys and sizes, and puts all back at the end. */
export interface ScreenDriver {
  /** The terminal's size now. */
  size(): Size;
  /** Shows a frame in place of the one before. */
  draw(lines: readonly Line[]): void;
  /** Leaves the screen and restores the terminal; may be called more than once. */
  close(): Promise<void>;
}

/** What the terminal reports. */
export interface ScreenEvents {
  onKey(key: Key): void;
  onResize(): void;
}

/** Frames a second at most. */
const MAX_FPS = 30;
// Without automatic wrap a character that the terminal draws wider than it is measured cannot push
// the frame down.
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
const ENDINGS = ["error", "unhandledrejection", "unload"] as const;

/** Opens the alternate screen through ink, in raw mode. */
export function openScreen(io: TuiIO, events: ScreenEvents): ScreenDriver {
  const { stdin, stdout } = io;
  let frame: readonly string[] = [];
  let closed = false;

  const size = (): Size => ({
    columns: Math.max(1, stdout.columns || 80),
    rows: Math.max(1, stdout.rows || 24),
  });

  const Screen = ({ lines }: { lines: readonly string[] }): unknown => {
    // Tied to the life of the screen, so that it ends with it also where ink ends it at a signal.
    useLayoutEffect(() => {
      stdout.write(WRAP_OFF);
      return () => void stdout.write(WRAP_ON);
    }, []);
    useInput((input, key) => {
      for (const name of keysOf(input, key)) events.onKey(name);
    });
    const { columns, rows } = size();
    return createElement(
      Box,
      { flexDirection: "column", width: columns, height: rows, overflow: "hidden" },
      ...lines.map((line, row) =>
        createElement(Text, { key: row, wrap: "truncate-end" }, line === "" ? " " : line)
      ),
    );
  };

  const instance = render(createElement(Screen, { lines: frame }), {
    stdin,
    stdout,
    alternateScreen: true,
    // What the caller checked, not what ink guesses from variables such as CI.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    maxFps: MAX_FPS,
  });
  const onResize = (): void => events.onResize();
  stdout.on("resize", onResize);

  /** Gives the terminal back at once; ink's own clean-up runs synchronously. */
  const restore = (): void => {
    if (closed) return;
    closed = true;
    stdout.off("resize", onResize);
    for (const type of ENDINGS) globalThis.removeEventListener(type, restore);
    instance.unmount();
  };
  // Ink notices signals and the end of the event loop. An error that nobody caught ends a Deno
  // process without either, and so does Deno.exit().
  for (const type of ENDINGS) globalThis.addEventListener(type, restore);

  return {
    size,
    draw(lines) {
      if (closed) return;
      frame = lines.map((line) => paint(line, io.color));
      instance.rerender(createElement(Screen, { lines: frame }));
    },
    async close() {
      restore();
      await instance.waitUntilExit();
    },
  };
}

const NAMED: readonly (readonly [keyof InkKey, Key])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
];

/** Ink's report of a key, or of several that arrived at once, by our names. */
export function keysOf(input: string, key: InkKey): Key[] {
  if (key.ctrl) return input === "c" ? ["ctrl-c"] : [];
  if (key.tab) return [key.shift ? "shift-tab" : "tab"];
  for (const [field, name] of NAMED) if (key[field] === true) return [name];
  if (key.meta) return [];
  return [...input].map((char) => char === "\r" || char === "\n" ? "enter" : char);
}
