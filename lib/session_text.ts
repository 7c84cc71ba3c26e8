import type { Manifest } from "./session_format.ts";

const named = new Set(["variables", "functions", "dropped", "payloads"]);
const listed = new Set(["queries", "steps"]);

/**
 * `state.json` as text: one entry a line, so that people and `diff` can read it and a torn file
 * still tells which steps it held. Entries do not change once made, so their lines are kept and a
 * long session stays cheap to write.
 */
export class ManifestText {
  readonly #lines = new WeakMap<object, string>();

  /** The bytes of the manifest. */
  encode(manifest: Manifest): Uint8Array {
    const fields = Object.entries(manifest).map(([key, value]) => {
      return `${JSON.stringify(key)}: ${this.#field(key, value)}`;
    });
    return new TextEncoder().encode(`{\n${fields.join(",\n")}\n}\n`);
  }

  #field(key: string, value: unknown): string {
    if (listed.has(key)) {
      return block(
        "[",
        (value as object[]).map((item) => this.#line(item)),
        "]",
      );
    }
    if (!named.has(key)) return JSON.stringify(value);
    const lines = Object.entries(value as Record<string, object>).map(([name, entry]) =>
      `${JSON.stringify(name)}: ${this.#line(entry)}`
    );
    return block("{", lines, "}");
  }

  #line(entry: object): string {
    let line = this.#lines.get(entry);
    if (line === undefined) this.#lines.set(entry, line = JSON.stringify(entry));
    return line;
  }
}

function block(open: string, lines: readonly string[], close: string): string {
  return lines.length === 0 ? open + close : `${open}\n${lines.join(",\n")}\n${close}`;
}
