import { isUtf8 } from "node:buffer";
import { grouped } from "../repl/grouped.ts";
import { RlmError } from "./errors.ts";

/** The bytes without a UTF-8 byte order mark; a view of the same memory. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Checks that all bytes are UTF-8; no text is built from them.
 *
 * @param shown how errors name the input
 * @throws {RlmError} `input` for UTF-16, and with the offset of the first byte that is not UTF-8
 */
export function checkUtf8(bytes: Uint8Array, shown: string): void {
  if (looksLikeUtf16(bytes)) {
    throw new RlmError(
      "input",
      `Cannot use ${shown} as context: it is UTF-16; convert it, as with iconv -f UTF-16 -t UTF-8`,
    );
  }
  const at = invalidUtf8At(bytes);
  if (at < 0) return;
  const byte = bytes[at]!.toString(16).padStart(2, "0");
  throw new RlmError(
    "input",
    `Cannot use ${shown} as context: it is not UTF-8 text, byte ${
      grouped(at)
    } is 0x${byte}; convert it, as with iconv -f LATIN1 -t UTF-8`,
  );
}

/** By its byte order mark, or by the zero bytes that every second place of Latin text then has. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const [a, b] = bytes;
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return true;
  const sample = bytes.subarray(0, 1024);
  let even = 0;
  let odd = 0;
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] === 0) i % 2 === 0 ? even++ : odd++;
  }
  const half = sample.length / 2;
  return half >= 2 && Math.max(even, odd) > half * 0.4 && Math.min(even, odd) < half * 0.05;
}

/** Offset of the first byte at which the bytes stop being UTF-8, or -1. */
export function invalidUtf8At(bytes: Uint8Array): number {
  // The native check builds no string and is many times faster than a decoder.
  if (isUtf8(bytes)) return -1;
  for (let i = 0; i < bytes.length;) {
    const length = sequenceLength(bytes, i);
    if (length === 0) return i;
    i += length;
  }
  return -1;
}

/** Bytes of the valid character at `i`, or 0. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const lead = bytes[i]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || i + length > bytes.length) return 0;
  const second = bytes[i + 1]!;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let k = 2; k < length; k++) {
    if ((bytes[i + k]! & 0xc0) !== 0x80) return 0;
  }
  return length;
}
