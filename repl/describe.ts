/**
 * What an agent is told of its context at step 0, made in its own worker before any agent code has
 * run there: the host never needs to decode a context.
 */
import { grouped } from "./grouped.ts";
import { describeValue } from "./preview.ts";
import type { ContextDescription } from "./protocol.ts";

const HEAD = 400;
const TAIL = 200;
const KEYS = 20;

/** Describes a context: type, size, and lines that show what it looks like. */
export function describeContext(value: unknown): ContextDescription {
  if (typeof value === "string") return describeText(value);
  const { type, preview } = describeValue(value, 300);
  if (Array.isArray(value)) {
    const lines = value.slice(0, 3).map((item, i) => {
      const shown = describeValue(item, 240);
      return `[${i}] ${shown.type} ${shown.preview}`;
    });
    return { type, size: value.length, lines };
  }
  if (value instanceof Map || isPlain(value)) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    const lines = entries.slice(0, KEYS).map(([key, item]) => {
      const shown = describeValue(item, 120);
      return `${describeKey(key)}: ${shown.type} ${shown.preview}`;
    });
    if (entries.length > KEYS) lines.push(`… ${entries.length - KEYS} more keys`);
    return { type, size: entries.length, lines };
  }
  return { type, size: 1, lines: [preview] };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function describeKey(key: unknown): string {
  return typeof key === "string" ? key.slice(0, 80) : describeValue(key, 80).preview;
}

function describeText(value: string): ContextDescription {
  let lines = 1;
  for (let at = value.indexOf("\n"); at >= 0; at = value.indexOf("\n", at + 1)) lines++;
  const size = value.length;
  const type = `string, ${grouped(size)} characters in ${grouped(lines)} lines`;
  if (size <= HEAD + TAIL) return { type, size, lines: [value] };
  return { type, size, lines: [value.slice(0, HEAD), value.slice(size - TAIL)] };
}
