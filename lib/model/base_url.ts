import { RlmError } from "../errors.ts";
import { oneLine } from "./safe_text.ts";

/** An API's address, taken apart. */
export interface BaseUrl {
  /** Without a slash at the end; `/chat/completions` follows it. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
}

/**
 * The address of an OpenAI-compatible API from what people write: slashes at the end and a whole
 * `…/chat/completions` are cut, `/v1` is added where there is no path. Throws `config` where it is
 * no http(s) URL; `name` says what held it.
 */
export function readBaseUrl(text: string, name: string): BaseUrl {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw wrong(text, name);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw wrong(text, name);
  const path = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "")
    .replace(/\/+$/, "");
  const user = url.username ? `${url.username}:${url.password}@` : "";
  return {
    url: `${url.protocol}//${user}${url.host}${path || "/v1"}`,
    query: Object.fromEntries(url.searchParams),
  };
}

function wrong(text: string, name: string): RlmError {
  const shown = oneLine(text, 80).replace(/\/\/[^/@]*@/, "//");
  return new RlmError(
    "config",
    `Cannot use ${name}: current value is "${shown}", not an address such as https://host/v1`,
  );
}
