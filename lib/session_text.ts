import type { Manifest } from "./session_format.ts";

const named = new Set(["variables", "functions", "dropped", "payloads"]);
const listed = new Set(["queries", "steps"]);

/** The texts of a manifest's fields, by key. */
export type FieldTexts = ReadonlyMap<string, string>;

/**
 * `state.json` as text: one entry a line, so that people and `diff` can read it and a torn file
 * still tells which steps it held. Entries do not change once made, so their lines are kept and a
 * long session stays cheap to write.
 */
export class ManifestText {
  readonly #lines = new WeakMap<object, string>();
  /** Texts of whole records and lists, as they were read. */
  readonly #fields = new WeakMap<object, string>();

  /** Takes the texts that the manifest was read from, so that what stays need not be made again. */
  remember(manifest: Manifest, texts: FieldTexts): void {
    for (const [key, value] of Object.entries(manifest)) {
      const text = texts.get(key);
      if (text !== undefined && typeof value === "object") this.#fields.set(value, text);
    }
  }

  /** The bytes of the manifest. */
  encode(manifest: Manifest): Uint8Array {
    const fields = Object.entries(manifest).map(([key, value]) => {
      return `${JSON.stringify(key)}: ${this.#field(key, value)}`;
    });
    return new TextEncoder().encode(`{\n${fields.join(",\n")}\n}\n`);
  }

  #field(key: string, value: unknown): string {
    const known = typeof value === "object" && value !== null && this.#fields.get(value);
    if (known) return known;
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

/**
 * The JSON of a text. Where that has the layout of `encode`, each field is read as a text of its own,
 * which is told: parts that are whole JSON make the whole.
 *
 * @throws {SyntaxError} for what is no JSON
 */
export function parseFields(text: string): { value: unknown; texts?: FieldTexts } {
  const texts = fieldTexts(text);
  if (texts) {
    try {
      const fields = [...texts].map(([key, field]) => [key, JSON.parse(field)]);
      return { value: Object.fromEntries(fields), texts };
    } catch {
      // Only looks like the layout, or is damaged: the whole tells.
    }
  }
  return { value: JSON.parse(text) };
}

function fieldTexts(text: string): Map<string, string> | undefined {
  const texts = new Map<string, string>();
  const start = /"(\w+)": /y;
  if (!text.startsWith("{\n")) return undefined;
  start.lastIndex = 2;
  for (;;) {
    const key = start.exec(text)?.[1];
    if (key === undefined || texts.has(key)) return undefined;
    const from = start.lastIndex;
    const end = fieldEnd(text, from);
    if (end < from) return undefined;
    texts.set(key, text.slice(from, end));
    if (text.startsWith("\n}\n", end) && end + 3 === text.length) return texts;
    if (!text.startsWith(",\n", end)) return undefined;
    start.lastIndex = end + 2;
  }
}

/** Behind the field: at the end of its line, or of the first line that closes its block. */
function fieldEnd(text: string, from: number): number {
  for (const [open, close] of [["{\n", "\n}"], ["[\n", "\n]"]] as const) {
    if (!text.startsWith(open, from)) continue;
    const at = text.indexOf(close, from);
    return at === -1 ? -1 : at + close.length;
  }
  const line = text.indexOf("\n", from);
  return line !== -1 && text[line - 1] === "," ? line - 1 : line;
}
