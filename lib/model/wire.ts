import { type CallInfo, failureFromAnswer } from "./failures.ts";
import { cut, longestBody, type WireCall } from "./wire_call.ts";
import { ModelError, unknownCall } from "./model_error.ts";
import { publicUrl, scrub } from "./safe_text.ts";
import { isEventStream, tidyStream } from "./wire_stream.ts";

/**
 * A `fetch` for the SDK's provider that sends through `send` and hands on only bodies that the
 * provider can read. It is the one place that knows the wire's bad days: errors under status 200,
 * keep-alive noise, cut bodies, HTML, streams where none was asked for. Whatever fails throws
 * `ModelError` and is kept in `call.failure`.
 */
export function wireFetch(send: typeof fetch, call: WireCall, streaming: boolean): typeof fetch {
  const fail = (error: ModelError): never => {
    call.failure = error;
    throw error;
  };
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const other = call.other;
    call.other = undefined;
    let response: Response;
    try {
      response = other ?? await send(input, patched(init, call));
    } catch (error) {
      init?.signal?.throwIfAborted();
      return fail(unreachable(error, url, call.info));
    }
    const stream = streaming && isEventStream(response);
    if (response.ok && stream && response.body) {
      return new Response(tidyStream(response.body, call, url, response.headers), {
        status: 200,
        headers: { "content-type": "text/event-stream" },
      });
    }
    let text: string;
    try {
      text = await readText(response);
    } catch (error) {
      init?.signal?.throwIfAborted();
      return fail(cut(error, url, call, response.ok));
    }
    if (!response.ok) return fail(refusal(response, text, url, call));
    if (streaming && looksLikeStream(text)) {
      // A stream under another content type.
      const body = new Response(text).body!;
      return new Response(tidyStream(body, call, url, response.headers), {
        headers: { "content-type": "text/event-stream" },
      });
    }
    if (!streaming && looksLikeStream(text)) {
      call.other = new Response(text, { headers: { "content-type": "text/event-stream" } });
      return fail(otherManner(call));
    }
    const body = parse(text, response, url, call, fail);
    if (!streaming) {
      return Response.json(body.tidy, { headers: { "content-type": "application/json" } });
    }
    call.other = new Response(text, { headers: { "content-type": "application/json" } });
    return fail(otherManner(call));
  };
}

function patched(init: RequestInit | undefined, call: WireCall): RequestInit | undefined {
  if (!call.patchBody || typeof init?.body !== "string") return init;
  const body = JSON.parse(init.body) as Record<string, unknown>;
  return { ...init, body: JSON.stringify(call.patchBody(body)) };
}

/** Never shown: tells the caller to read `call.other` in the other manner. */
function otherManner(call: WireCall): ModelError {
  return new ModelError("model_unreadable", `Cannot read the reply of ${call.info.model}`);
}

async function readText(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > longestBody) throw new Error(`the body is longer than ${longestBody} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function unreachable(error: unknown, url: string, info: CallInfo): ModelError {
  const shown = publicUrl(url);
  const why = scrub(error instanceof Error ? error.message : String(error), info.secrets, 160);
  return new ModelError("model_network", `Cannot reach ${info.model}: POST ${shown}: ${why}`, {
    url: shown,
    // What Deno does not permit now it does not permit a second later.
    retryable: !(error instanceof Deno.errors.NotCapable),
  });
}

function refusal(response: Response, text: string, url: string, call: WireCall): ModelError {
  const parsed = tryParse(withoutNoise(text));
  const told = parsed === undefined ? undefined : call.dialect.errorIn(parsed);
  const html = /^\s*</.test(text);
  const retryAfterMs = response.headers.get("retry-after-ms");
  return failureFromAnswer({
    status: response.status,
    reason: told?.reason ?? (html ? "an HTML page" : text),
    ...(told?.code ? { code: told.code } : {}),
    url,
    retryAfter: retryAfterMs && Number(retryAfterMs) >= 0
      ? String(Number(retryAfterMs) / 1000)
      : response.headers.get("retry-after") ?? told?.retryAfter ?? null,
  }, call.info);
}

/** Comment lines and padding that gateways send to keep a connection open. */
function withoutNoise(text: string): string {
  return text.replace(/^(?:\ufeff|\s|:[^\n]*(?:\n|$))+/, "").replace(/(?:\n:[^\n]*|\s)+$/, "");
}

const looksLikeStream = (text: string): boolean => /^(?:data|event):/.test(withoutNoise(text));

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse(
  text: string,
  response: Response,
  url: string,
  call: WireCall,
  fail: (error: ModelError) => never,
): { tidy: unknown } {
  const { info, dialect } = call;
  const clean = withoutNoise(text);
  const body = tryParse(clean);
  const shown = publicUrl(url);
  const start = scrub(clean, info.secrets, 80);
  if (body === undefined) {
    if (clean.startsWith("<")) {
      return fail(
        new ModelError(
          "model_unreadable",
          `Cannot read the reply of ${info.model}: POST ${shown} answered with a web page, not JSON; ${
            info.urlHint ?? "check the address of the API"
          }`,
          { url: shown, status: response.status },
        ),
      );
    }
    const what = clean === ""
      ? "an empty body"
      : `no JSON, it starts with ${JSON.stringify(start)}`;
    return fail(
      new ModelError(
        clean === "" ? "model_empty" : "model_unreadable",
        `Cannot read the reply of ${info.model}: ${shown} answered ${response.status} with ${what}`,
        { url: shown, status: response.status, retryable: true, usage: unknownCall },
      ),
    );
  }
  const error = dialect.errorIn(body);
  if (error) {
    return fail(failureFromAnswer({
      ...error,
      url,
      retryAfter: response.headers.get("retry-after") ?? error.retryAfter ?? null,
    }, info));
  }
  const whole = dialect.whole(body);
  if (!whole) {
    return fail(
      new ModelError(
        "model_empty",
        `Cannot read the reply of ${info.model}: ${shown} answered ${response.status} without a reply, the body starts with ${
          JSON.stringify(start)
        }`,
        { url: shown, status: response.status, retryable: true, usage: unknownCall },
      ),
    );
  }
  call.usage = whole.usage;
  call.refused = whole.refused ?? false;
  call.calledTool = whole.calledTool ?? false;
  return { tidy: whole.body };
}
