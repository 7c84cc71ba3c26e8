import { failureFromAnswer } from "./failures.ts";
import { ModelError } from "./model_error.ts";
import { publicUrl, scrub } from "./safe_text.ts";
import { cut, longestBody, usageOf, type WireCall } from "./wire_call.ts";

/** Whether a response is a stream of server-sent events. */
export function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.includes("text/event-stream") ?? false;
}

/**
 * Server-sent events with every event reduced to what the provider can read, usage taken out and
 * kept in `call`. Ends in a `ModelError` (also kept in `call.failure`) when the stream carries an
 * error, an unreadable event, or breaks off before the reply ended.
 */
export function tidyStream(
  source: ReadableStream<Uint8Array>,
  call: WireCall,
  url: string,
  headers: Headers,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const reader = source.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  let ended = false;
  let bytes = 0;

  /** Events that are complete in the buffer. */
  function* events(last: boolean): Generator<string> {
    for (;;) {
      const gap = /\r\n\r\n|\n\n|\r\r/.exec(buffer);
      if (!gap) break;
      const event = buffer.slice(0, gap.index);
      buffer = buffer.slice(gap.index + gap[0].length);
      yield event;
    }
    if (last && buffer.trim() !== "") {
      const event = buffer;
      buffer = "";
      yield event;
    }
  }

  const tidy = (event: string): string => {
    const lines = event.split(/\r\n|\n|\r/);
    const name = lines.find((line) => line.startsWith("event:"))?.slice(6).trim();
    const data = lines.filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).replace(/^ /, "")).join("\n");
    // A gateway that failed may send its error bare, although it announced a stream.
    if (data.trim() === "" && event.trimStart().startsWith("{")) throw bareBody(event, call, url);
    if (data.trim() === "") return "";
    if (data.trim() === "[DONE]") {
      const ending = ended ? undefined : call.dialect.ending;
      ended = true;
      return `${ending ? `data: ${JSON.stringify(ending)}\n\n` : ""}data: [DONE]\n\n`;
    }
    let body: unknown;
    try {
      body = JSON.parse(data);
    } catch {
      throw unreadable(data, call, url);
    }
    const error = call.dialect.errorIn(body);
    if (error) {
      throw failureFromAnswer(
        { ...error, url, retryAfter: headers.get("retry-after"), usage: usageOf(call) },
        call.info,
      );
    }
    const piece = call.dialect.event(body);
    if (!piece) return "";
    if (piece.usage) {
      const told = Object.entries(piece.usage).filter(([, value]) => value != null);
      call.usage = { ...call.usage, ...Object.fromEntries(told) };
    }
    call.running ||= piece.running ?? false;
    call.refused ||= piece.refused ?? false;
    call.calledTool ||= piece.calledTool ?? false;
    ended ||= piece.end ?? false;
    return `${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(piece.body)}\n\n`;
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          bytes += value?.length ?? 0;
          if (bytes > longestBody) throw new Error(`the reply is longer than ${longestBody} bytes`);
          buffer += done ? decoder.decode() : decoder.decode(value, { stream: true });
          let out = "";
          for (const event of events(done)) out += tidy(event);
          if (out) controller.enqueue(encoder.encode(out));
          if (done) {
            if (!ended) throw new Error("the stream ended before the reply did");
            controller.close();
            return;
          }
          if (out) return;
        }
      } catch (error) {
        call.failure ??= error instanceof ModelError ? error : cut(error, url, call, true);
        controller.error(call.failure);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function bareBody(event: string, call: WireCall, url: string): ModelError {
  try {
    const error = call.dialect.errorIn(JSON.parse(event));
    if (error) return failureFromAnswer({ ...error, url }, call.info);
  } catch {
    // Reported as unreadable below.
  }
  return unreadable(event, call, url);
}

function unreadable(data: string, call: WireCall, url: string): ModelError {
  const start = JSON.stringify(scrub(data, call.info.secrets, 80));
  return new ModelError(
    "model_unreadable",
    `Cannot read the reply of ${call.info.model}: an event of ${
      publicUrl(url)
    } is not JSON, it starts with ${start}`,
    { url: publicUrl(url), retryable: true, usage: usageOf(call) },
  );
}
