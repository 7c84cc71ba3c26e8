import assert from "node:assert/strict";

const FOLDER = new URL("../fixtures/viewer/", import.meta.url);

/**
 * Compares a screen with the one in `tests/fixtures/viewer/NAME.txt`. With `--update` after the
 * name of the test file the present screen is written there: look at it before it is committed.
 */
export function assertScreen(name: string, lines: readonly string[]): void {
  const file = new URL(`${name}.txt`, FOLDER);
  const text = lines.map((line) => line.trimEnd()).join("\n") + "\n";
  if (Deno.args.includes("--update")) {
    Deno.mkdirSync(FOLDER, { recursive: true });
    Deno.writeTextFileSync(file, text);
    return;
  }
  assert.equal(text, Deno.readTextFileSync(file));
}
