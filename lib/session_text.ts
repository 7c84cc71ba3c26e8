import type { Manifest } from "./session_format.ts";

const named = new Set(["variables", "functions", "dropped", "payloads"]);
const listed = new Set(["queries", "steps"]);

/** The UTF-8 of a manifest's fields, by key. */
export type FieldBytes = ReadonlyMap<string, Uint8Array>;

/**
 * `state.json` as text: one entry a line, so that people and `diff` can read it and a torn file
 * still tells which steps it held. Entries do not change once made, so their lines are kept and a
 * long session stays cheap to write.
 */
export class ManifestText {
  readonly #lines = new WeakMap<object, string>();
  /** Whole records and lists, as they were read. */
  readonly #fields = new WeakMap<object, Uint8Array>();

  /** Takes what the manifest was read from, so that what stays need not be made again. */
  remember(manifest: Manifest, fields: FieldBytes): void {
    for (const [key, value] of Object.entries(manifest)) {
      const bytes = fields.get(key);
      if (bytes && typeof value === "object" && value !== null) this.#fields.set(value, bytes);
    }
  }

  /** The bytes of a record of names as they are in the manifest; they are kept with it. */
  bytesOf(key: string, record: object): Uint8Array {
    let bytes = this.#fields.get(record);
    if (bytes === undefined) {
      bytes = new TextEncoder().encode(this.#field(key, record));
      this.#fields.set(record, bytes);
    }
    return bytes;
  }

  /** The bytes of the manifest. */
  encode(manifest: Manifest): Uint8Array {
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    let before = "{\n";
    for (const [key, value] of Object.entries(manifest)) {
      const name = `${before}${JSON.stringify(key)}: `;
      const known = typeof value === "object" && value !== null && this.#fields.get(value);
      if (known) parts.push(encoder.encode(name), known);
      else parts.push(encoder.encode(name + this.#field(key, value)));
      before = ",\n";
    }
    parts.push(encoder.encode("\n}\n"));
    return joined(parts);
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
