/**
 * Values as they cross the pipe: a string as raw UTF-8 where that is exact, all else as devalue
 * text. Used at both ends; the natives are taken before agent code can replace them.
 */
import { decodeValue, encodeValue } from "./codec.ts";
import type { Form } from "./protocol.ts";

/** An encoded value. */
export interface Body {
  readonly form: Form;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const { call } = Function.prototype;
const encoder = new TextEncoder();
const utf8 = call.bind(TextEncoder.prototype.encode, encoder) as (
  s: string,
) => Uint8Array<ArrayBuffer>;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const text = call.bind(TextDecoder.prototype.decode, decoder) as (b: Uint8Array) => string;
const isWellFormed = call.bind(String.prototype.isWellFormed) as (s: string) => boolean;

/**
 * Encodes a value. What could not be kept is named by path, at most twenty lines.
 *
 * @throws what `encodeValue` throws where nothing of the value can be kept
 */
export function encodeBody(value: unknown): Body & { readonly loss: string[] } {
  if (typeof value === "string" && isWellFormed(value)) {
    return { form: "text", bytes: utf8(value), loss: [] };
  }
  const { text: encoded, loss } = encodeValue(value);
  const lines: string[] = [];
  for (let i = 0; i < loss.length && i < 20; i++) {
    lines[i] = `${loss[i]!.path}: ${loss[i]!.reason}`;
  }
  return { form: "value", bytes: utf8(encoded), loss: lines };
}

/**
 * The inverse of `encodeBody`, safe with hostile bytes.
 *
 * @throws what `decodeValue` throws for text that is no encoded value
 */
export function decodeBody({ form, bytes }: Body): unknown {
  if (form === "none") return undefined;
  const decoded = text(bytes);
  return form === "text" ? decoded : decodeValue(decoded);
}
