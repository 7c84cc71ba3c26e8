import type { ErrorCode } from "../errors.ts";
import { grouped } from "../../repl/grouped.ts";
import { ModelError } from "./model_error.ts";
import { parseRetryAfter } from "./retry_after.ts";
import { publicUrl, scrub, type Secrets } from "./safe_text.ts";
import type { Usage } from "./usage.ts";

/** Who was called, for messages. */
export interface CallInfo {
  /** The model as the user named it. */
  readonly model: string;
  readonly secrets: Secrets;
  /** What to do about a refused key, for example "check OPENROUTER_API_KEY". */
  readonly keyHint: string;
  /** What to do about a wrong address. */
  readonly urlHint?: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An error answer as read from the wire. */
export interface ErrorAnswer {
  readonly status: number;
  /** The provider's reason; untrusted. */
  readonly reason: string;
  /** The provider's own code, for example `insufficient_quota`. */
  readonly code?: string;
  readonly url: string;
  readonly retryAfter?: string | null;
  readonly usage?: Usage;
}

interface Kind {
  readonly code: ErrorCode;
  readonly retryable: boolean;
}

const tooLong =
  /context[ _](?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|input token count|exceeds? the (?:maximum|max|model'?s).{0,30}(?:tokens|context)|reduce the length|request too large/i;
const noCredit =
  /insufficient[ _](?:quota|credits?|balance|funds)|credit balance|billing|payment required|out of credits|exceeded your current quota|key limit exceeded|spend(?:ing)? limit/i;
const filtered = /content[ _](?:filter|policy|management)|moderation|flagged|safety system/i;
const noModel =
  /not a valid model|model.{0,80}(?:not found|does not exist|not exist)|no endpoints found|unknown model|model_not_found/i;
const badKey = /(?:invalid|incorrect|missing|expired).{0,20}(?:api[ _]?key|token|credentials)/i;

/** What an error status means; the reason decides where providers disagree on the status. */
export function kindOfStatus(
  status: number,
  reason: string,
  code = "",
  waitNamed = false,
): Kind {
  const told = `${code} ${reason}`;
  const final = (kind: ErrorCode): Kind => ({ code: kind, retryable: false });
  const again = (kind: ErrorCode): Kind => ({ code: kind, retryable: true });
  if (status === 429) {
    // Gemini speaks of quota and billing for each limit by the minute, and then names a wait.
    const credit = noCredit.test(told) && !waitNamed && code !== "RESOURCE_EXHAUSTED";
    return credit ? final("model_credit") : again("model_rate_limited");
  }
  if (status === 402) return final("model_credit");
  if (status === 408 || status === 504) return again("model_timeout");
  if (status >= 500) return again("model_server");
  if (status === 409 || status === 425) return again("model_server");
  if (status === 413) return final("model_context_too_long");
  if (tooLong.test(told)) return final("model_context_too_long");
  if (noCredit.test(told)) return final("model_credit");
  if (status === 401 || (status < 404 && badKey.test(told))) return final("model_auth");
  if (filtered.test(told)) return final("model_filtered");
  if (status === 403) return final("model_auth");
  if (status === 404 || noModel.test(told)) return final("model_not_found");
  return final("model_bad_request");
}

/** An error answer as the error that is thrown. */
export function failureFromAnswer(answer: ErrorAnswer, call: CallInfo): ModelError {
  const { status } = answer;
  const url = publicUrl(answer.url);
  const reason = scrub(answer.reason, call.secrets);
  const said = reason ? `: ${reason}` : "";
  const retryAfterMs = parseRetryAfter(answer.retryAfter, call.now());
  const kind = kindOfStatus(status, answer.reason, answer.code, retryAfterMs !== undefined);
  return new ModelError(kind.code, message(kind.code, status, said, url, call), {
    status,
    url,
    retryable: kind.retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(answer.usage ? { usage: answer.usage } : {}),
  });
}

function message(
  code: ErrorCode,
  status: number,
  said: string,
  url: string,
  call: CallInfo,
): string {
  const model = call.model;
  switch (code) {
    case "model_auth":
      return `Cannot use ${model}: ${url} answered ${status}${said}; ${call.keyHint}`;
    case "model_credit":
      return `Cannot use ${model}: no credit left (${status})${said}; add credit or raise the key's limit, then ask again`;
    case "model_not_found":
      return `Cannot find ${model}: POST ${url} answered ${status}${said}; ${
        call.urlHint ?? "check the model's name"
      }`;
    case "model_context_too_long":
      return `Cannot call ${model}: the prompt of ${
        promptSize(call.secrets.prompt)
      } is longer than its context window (${status})${said}; pass less text, for example in pieces`;
    case "model_filtered":
      return `Cannot get a reply from ${model}: the provider filtered the request (${status})${said}`;
    case "model_rate_limited":
      return `Cannot call ${model}: rate limited (${status})${said}`;
    case "model_bad_request":
      return `Cannot call ${model}: ${url} answered ${status}${said}`;
    default:
      return `Cannot get a reply from ${model}: ${url} answered ${status}${said}`;
  }
}

/** A prompt's size in words, for messages. */
export function promptSize(prompt: readonly string[]): string {
  const chars = prompt.reduce((total, part) => total + part.length, 0);
  return `${grouped(chars)} characters`;
}
