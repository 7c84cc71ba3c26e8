import { error, inFourSeconds, ok, times, type WireRow } from "./wire_row.ts";

const retried: WireRow[] = [408, 409, 425, 429, 500, 502, 503, 504, 520, 529].map((status) => ({
  name: `${status} is tried again`,
  answers: [error(status, "later"), ok],
  text: ok,
  requests: 2,
  waits: [1000],
  calls: 1,
}));

/** Rows about error statuses and waits. */
export const statuses: WireRow[] = [
  ...retried,
  {
    name: "500 four times ends the call, with the waits doubling",
    answers: times(4, error(500, "broken")),
    error: "model_server",
    message: /500: broken; gave up after 4 tries$/,
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "429 four times is rate limited",
    answers: times(4, error(429, "slow down")),
    error: "model_rate_limited",
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "retry-after in seconds is honoured (E100)",
    answers: [error(429, "x", { headers: { "retry-after": "2" } }), ok],
    text: ok,
    requests: 2,
    waits: [2000],
  },
  {
    name: "retry-after 0 is honoured",
    answers: [error(503, "x", { headers: { "retry-after": "0" } }), ok],
    text: ok,
    requests: 2,
    waits: [0],
  },
  {
    name: "retry-after as a date is honoured (E100)",
    answers: [error(429, "x", { headers: { "retry-after": inFourSeconds } }), ok],
    text: ok,
    requests: 2,
    waits: [4000],
  },
  {
    name: "retry-after in the past means now",
    answers: [error(429, "x", { headers: { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" } }), ok],
    text: ok,
    requests: 2,
    waits: [0],
  },
  {
    name: "retry-after-ms is honoured",
    answers: [error(429, "x", { headers: { "retry-after-ms": "1500" } }), ok],
    text: ok,
    requests: 2,
    waits: [1500],
  },
  {
    name: "an unreadable retry-after is ignored",
    answers: [error(429, "x", { headers: { "retry-after": "soon" } }), ok],
    text: ok,
    requests: 2,
    waits: [1000],
  },
  {
    name: "retry-after of an hour fails at once, the wait stated (E100)",
    answers: [error(429, "x", { headers: { "retry-after": "3600" } })],
    error: "model_rate_limited",
    message: /asks to wait 3600 s, more than the 60 s/,
  },
  {
    name: "retry-after of exactly a minute is waited for",
    answers: [error(503, "x", { headers: { "retry-after": "60" } }), ok],
    text: ok,
    requests: 2,
    waits: [60_000],
  },
  {
    name: "429 without quota is a matter of credit, not of waiting",
    answers: [{
      status: 429,
      body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
    }],
    error: "model_credit",
  },
  {
    name: "400 gives the provider's reason, once",
    answers: [error(400, "temperature must be below 2")],
    error: "model_bad_request",
    message: /answered 400: temperature must be below 2$/,
  },
  ...[
    "This model's maximum context length is 8192 tokens",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (2000000) exceeds the maximum number of tokens allowed",
    "Please reduce the length of the messages",
  ].map((reason): WireRow => ({
    name: `400 "${reason.slice(0, 24)}…" is a context that is too long`,
    answers: [error(400, reason)],
    error: "model_context_too_long",
    message: /the prompt of 18 characters is longer than its context window/,
  })),
  {
    name: "413 is a context that is too long",
    answers: [{ status: 413, body: "Payload Too Large" }],
    error: "model_context_too_long",
  },
  {
    name: "401 names the variable (E104)",
    answers: [error(401, "Incorrect API key provided: key-0123456789abcdef")],
    error: "model_auth",
    message: /\[key\]; check RLM_MODEL_API_KEY/,
  },
  {
    name: "402 is not tried again (E104)",
    answers: [error(402, "Insufficient credits")],
    error: "model_credit",
    message: /add credit/,
  },
  { name: "403 is not tried again", answers: [error(403, "forbidden")], error: "model_auth" },
  {
    name: "403 of a moderation is a filter",
    answers: [error(403, "requires moderation, and your input was flagged")],
    error: "model_filtered",
  },
  {
    name: "403 over the key's limit is a matter of credit",
    answers: [error(403, "Key limit exceeded (total limit)")],
    error: "model_credit",
  },
  {
    name: "404 names the URL that was tried (E103)",
    answers: [{ status: 404, body: "nope" }],
    error: "model_not_found",
    message:
      /POST http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions answered 404: nope; check the model's name/,
  },
  {
    name: "404 with an HTML page does not print the page",
    answers: [{ status: 404, headers: { "content-type": "text/html" }, body: "<html><b>x</b>" }],
    error: "model_not_found",
    message: /404: an HTML page;/,
  },
  {
    name: "400 for an unknown model is a model not found",
    answers: [error(400, "foo/bar is not a valid model ID")],
    error: "model_not_found",
  },
  { name: "422 is a bad request", answers: [error(422, "x")], error: "model_bad_request" },
  {
    name: "an error body that is a string",
    answers: [{ status: 400, body: { error: "bad things" } }],
    error: "model_bad_request",
    message: /bad things/,
  },
  {
    name: "an error body of FastAPI",
    answers: [{ status: 400, body: { detail: "no such field" } }],
    error: "model_bad_request",
    message: /no such field/,
  },
  {
    name: "an error without a body",
    answers: times(4, { status: 502 }),
    error: "model_server",
    message: /answered 502; gave up/,
    requests: 4,
    waits: [1000, 2000, 4000],
  },
  {
    name: "an error in escape sequences comes out inert and short",
    answers: [error(400, `\x1b]52;c;aGk=\x07\n\u202e${"x".repeat(5000)}`)],
    error: "model_bad_request",
    // deno-lint-ignore no-control-regex
    message: /^[^\u0000-\u001f\u202e]{1,500}$/,
  },
];
