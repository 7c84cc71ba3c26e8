import { type CallInfo, failureFromAnswer } from "./failures.ts";
import { ModelError, unknownCall } from "./model_error.ts";
import { fields } from "./read_usage.ts";
import { scrub } from "./safe_text.ts";

/**
 * An error of the SDK as one of ours. Only its message, status, URL and headers are taken over: the
 * SDK's errors hold the whole request.
 */
export function fromSdkError(error: unknown, info: CallInfo): ModelError {
  const told = fields(error);
  const reason = error instanceof Error
    ? error.message
    : typeof told["message"] === "string"
    ? told["message"]
    : typeof error === "string"
    ? error
    : "";
  const status = told["statusCode"];
  const url = typeof told["url"] === "string" ? told["url"] : "the provider";
  if (typeof status === "number" && status >= 400) {
    const header = fields(told["responseHeaders"])["retry-after"];
    return failureFromAnswer({
      status,
      reason,
      url,
      ...(typeof header === "string" ? { retryAfter: header } : {}),
    }, info);
  }
  const said = scrub(reason, info.secrets) || "an error without a message";
  if (typeof status === "number") {
    return new ModelError("model_unreadable", `Cannot read the reply of ${info.model}: ${said}`, {
      status,
      retryable: true,
      usage: unknownCall,
    });
  }
  // Google's own library looks for credentials before anything is sent.
  if (/default credentials|could not load the .*credentials/i.test(reason)) {
    return new ModelError("model_auth", `Cannot use ${info.model}: ${said}; ${info.keyHint}`);
  }
  const network = told["isRetryable"] === true || error instanceof TypeError;
  return new ModelError(
    network ? "model_network" : "model_server",
    `Cannot get a reply from ${info.model}: ${said}`,
    { retryable: network },
  );
}
