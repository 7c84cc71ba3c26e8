/**
 * Names that become paths, as pure functions: what is portable to every file system that Deno runs
 * on, and nothing else.
 *
 * @module
 */
import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";

/** The longest session id, in UTF-16 units. */
export const MAX_ID_LENGTH = 100;

/** Characters that separate paths, or that Windows refuses or reads as a stream. */
const forbidden = /[/\\:*?"<>|]/;
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/**
 * The id, as one path segment that every file system takes. Throws `config` naming the value
 * otherwise; no file is touched.
 */
export function checkSessionId(id: string): string {
  const fault = segmentFault(id);
  if (fault === undefined) return id;
  throw new RlmError(
    "config",
    `Cannot use sessionId: ${fault}; current value is ${JSON.stringify(inertLine(id, 60))}`,
  );
}

/** Why a text is no portable path segment; `undefined` where it is one. */
export function segmentFault(segment: string): string | undefined {
  if (segment === "") return "it is empty";
  if (segment.length > MAX_ID_LENGTH) {
    return `it has ${segment.length} characters, at most ${MAX_ID_LENGTH} are portable`;
  }
  if (segment === "." || segment === "..") return "it names a directory, not a session";
  if (!segment.isWellFormed()) return "it holds half a character";
  if (inertLine(segment, MAX_ID_LENGTH) !== segment) {
    return "it holds control characters, or white space other than single spaces between words";
  }
  const char = forbidden.exec(segment)?.[0];
  if (char !== undefined) {
    return `it holds ${JSON.stringify(char)}, which is not portable in a name`;
  }
  if (segment.endsWith(".")) return "it ends with a dot, which Windows drops";
  if (reserved.test(segment)) return "Windows keeps this name for a device";
  if (segment.normalize("NFC") !== segment) return "it is not in Unicode form NFC";
  // Most file systems take 255 bytes a name; the suffixes of temporary files need some of them.
  if (new TextEncoder().encode(segment).length > 200) return "it has more than 200 bytes";
  return undefined;
}

/**
 * A file name for something that happened at `time` (milliseconds since the epoch): `prefix`, the
 * time in UTC, `suffix`; no colons, sorted by time. What is not portable in the prefix becomes `-`.
 */
export function portableFileName(prefix: string, time: number, suffix: string): string {
  const stamp = new Date(time).toISOString().replace(/[-:]/g, "").replace(".", "-");
  const safe = prefix.normalize("NFC").replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "");
  return `${safe.slice(0, 60) || "run"}-${stamp}${suffix}`;
}
