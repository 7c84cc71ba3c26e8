/**
 * A model server without latency, in a process of its own so that its work is not counted as the
 * program's: it answers by the model's name and the number of replies that the conversation holds,
 * and keeps when each request came and each reply went.
 *
 * @module
 */

/** One reply of the script. */
export interface ScriptedText {
  readonly text: string;
  /** Milliseconds that the model takes. @default {0} */
  readonly delayMs?: number;
}

/** Replies by the model's name; the last one repeats. */
export type Script = Readonly<Record<string, readonly ScriptedText[]>>;

/** One served request. Times are milliseconds since the epoch, with fractions. */
export interface Served {
  readonly model: string;
  /** Replies that the conversation held before. */
  readonly step: number;
  readonly received: number;
  readonly replied: number;
  /** The messages as sent, with a script that asks for them. */
  readonly messages?: readonly { readonly content: unknown }[];
}

const now = (): number => performance.timeOrigin + performance.now();
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function stream(text: string): Response {
  const head = { id: "gen-1", object: "chat.completion.chunk", created: 1, model: "bench" };
  const event = (rest: object): string => `data: ${JSON.stringify({ ...head, ...rest })}\n\n`;
  const choice = (delta: object, finish_reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const body = event(choice({ role: "assistant", content: text }, null)) +
    event(choice({}, "stop")) + event({ choices: [], usage }) + "data: [DONE]\n\n";
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function whole(text: string): Response {
  return Response.json({
    id: "gen-1",
    object: "chat.completion",
    created: 1,
    model: "bench",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  });
}

/** Serves until the process is ended; prints its port. */
function serve(): void {
  let script: Script = {};
  let keepMessages = false;
  let served: Served[] = [];
  const options = {
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }: { port: number }) =>
      void Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
  };
  Deno.serve(options, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/served") return Response.json(served);
    const body = await request.json();
    if (pathname === "/script") {
      ({ script, keepMessages } = body as { script: Script; keepMessages: boolean });
      served = [];
      return Response.json({});
    }
    const received = now();
    const { model, messages } = body as { model: string; messages: { role: string }[] };
    const step = messages.filter(({ role }) => role === "assistant").length;
    const replies = script[model] ?? [];
    const reply = replies[Math.min(step, replies.length - 1)];
    if (!reply) return Response.json({ error: { message: "no such script" } }, { status: 418 });
    if (reply.delayMs) await new Promise((wake) => setTimeout(wake, reply.delayMs));
    const response = body.stream === true ? stream(reply.text) : whole(reply.text);
    served.push({
      model,
      step,
      received,
      replied: now(),
      ...(keepMessages ? { messages: messages as unknown as { content: unknown }[] } : {}),
    });
    return response;
  });
}

if (import.meta.main) serve();
