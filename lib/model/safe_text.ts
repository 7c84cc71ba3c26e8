/** Control, escape, line-separator, zero-width and bidirectional characters. */
// deno-lint-ignore no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** What looks like a key of a known provider, masked ones included. */
const keyLike = /\b(?:sk|rk|pk|gsk|xai|AIza|ya29)[-_.]?[A-Za-z0-9_*.-]{12,}/g;

/** Provider text as one inert line of at most `max` characters. */
export function oneLine(text: string, max = 300): string {
  // Cut first: a provider may send megabytes.
  const line = text.slice(0, max * 4).replace(unsafe, " ").replace(/\s+/g, " ").trim();
  return line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line.toWellFormed();
}

/** What must not be repeated to anybody. */
export interface Secrets {
  readonly keys: readonly string[];
  /** The texts of the prompt. */
  readonly prompt: readonly string[];
}

/** Length of a stretch of prompt that counts as a copy of it. */
const window = 40;

/**
 * Provider text made fit for an error: one inert line, without keys, and without the stretches of
 * the prompt that some gateways echo.
 */
export function scrub(text: string, secrets: Secrets, max = 300): string {
  let clean = text.slice(0, max * 4);
  for (const key of secrets.keys) if (key.length >= 4) clean = clean.replaceAll(key, "[key]");
  clean = clean.replace(keyLike, "[key]").replace(/\/\/[^\s/@]+@/g, "//");
  return oneLine(withoutEcho(clean, secrets.prompt), max);
}

function withoutEcho(text: string, prompt: readonly string[]): string {
  let kept = "";
  for (let at = 0; at < text.length;) {
    const stretch = text.slice(at, at + window);
    if (stretch.length < window || !prompt.some((part) => part.includes(stretch))) {
      kept += text[at];
      at += 1;
      continue;
    }
    let end = at + window;
    while (end < text.length && prompt.some((part) => part.includes(text.slice(at, end + 1)))) {
      end++;
    }
    kept += "[prompt]";
    at = end;
  }
  return kept;
}

/** A URL fit for an error: no user, password, query or fragment. */
export function publicUrl(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return oneLine(origin + pathname, 200);
  } catch {
    return oneLine(url.split("?")[0] ?? "", 200);
  }
}
