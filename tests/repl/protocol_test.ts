/** Frames, checks and snapshots as a hostile boundary: whatever comes, a value or a ProtocolError. */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { checkDescription, checkReport, checkText } from "../../repl/check.ts";
import {
  encodeHead,
  type Frame,
  MAX_BODY_BYTES,
  ProtocolError,
  readFrames,
  SECRET_BYTES,
  sourceOf,
} from "../../repl/protocol.ts";
import { packRestore, packSnapshot, unpackSnapshot } from "../../repl/snapshot_frame.ts";
import type { Snapshot } from "../../repl/snapshot.ts";

const seed = Number(Deno.env.get("FC_SEED") ?? Date.now() % 2 ** 31);
const secret = new Uint8Array(SECRET_BYTES).fill(7);

/** Feeds bytes in pieces of a size. */
function pieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += size));
    },
  });
}

async function read(bytes: Uint8Array, size = 1 << 20): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(sourceOf(pieces(bytes, size)), secret)) frames.push(frame);
  return frames;
}

/** The parts of a body as they come off the pipe. */
function whole(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function frame(header: { kind: string; [key: string]: unknown }, body: Uint8Array): Uint8Array {
  const head = encodeHead(secret, header, body.length);
  const out = new Uint8Array(head.length + body.length);
  out.set(head);
  out.set(body, head.length);
  return out;
}

Deno.test(`frames survive any cut of the stream (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 50 })), {
        maxLength: 5,
      }),
      fc.integer({ min: 1, max: 40 }),
      async (sent, size) => {
        const bytes = sent.map(([text, body]) => frame({ kind: "x", text }, body));
        const got = await read(new Uint8Array(bytes.flatMap((part) => [...part])), size);
        deepStrictEqual(
          got.map(({ header, body }) => [header["text"], [...body]]),
          sent.map(([text, body]) => [text.toWellFormed(), [...body]]),
        );
      },
    ),
    { seed, numRuns: 100 },
  );
});

Deno.test(`random bytes are no frames and no crash (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
      await rejects(read(bytes), ProtocolError);
    }),
    { seed, numRuns: 200 },
  );
});

Deno.test(`a frame with one byte changed is refused or another frame, never a crash (seed ${seed})`, async () => {
  const good = frame({ kind: "result", id: 1 }, new Uint8Array([1, 2, 3]));
  await fc.assert(
    fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const bad = good.slice();
      bad[at] = bad[at]! ^ by;
      try {
        for (const { header } of await read(bad)) strictEqual(typeof header.kind, "string");
        ok(at >= SECRET_BYTES);
      } catch (error) {
        ok(error instanceof ProtocolError);
      }
    }),
    { seed, numRuns: 300 },
  );
});

Deno.test("lengths are refused before anything is allocated", () => {
  throws(() => encodeHead(secret, { kind: "x" }, MAX_BODY_BYTES + 1), ProtocolError);
});

Deno.test(`checks give a bounded value or a ProtocolError for any JSON (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (
        const check of [
          () => checkReport({ kind: "result", report: value }, 10),
          () => checkDescription(value),
          () => unpackSnapshot(value, new Uint8Array(3)),
        ]
      ) {
        try {
          check();
        } catch (error) {
          ok(error instanceof ProtocolError, String(error));
        }
      }
    }),
    { seed, numRuns: 500 },
  );
});

Deno.test(`checked text is short and inert, whatever it was (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const checked = checkText(text, "text", 40);
      ok(checked.length <= 41 * 6);
      // deno-lint-ignore no-control-regex -- these are what must not be there
      ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(checked));
      ok(checked.isWellFormed());
    }),
    { seed, numRuns: 500 },
  );
});

const id = "ab".repeat(32);
const snapshot: Snapshot = {
  variables: [{ name: "a", type: "number", preview: "1", bytes: 3, ref: { payload: id, slot: 0 } }],
  functions: [],
  dropped: [{ name: "b", type: "Promise", reason: "is a promise" }],
  payloads: [{ id, bytes: 3, text: "[1]" }],
};

Deno.test("a snapshot comes back as it was packed", () => {
  const { header, body } = packSnapshot(snapshot);
  deepStrictEqual(unpackSnapshot(JSON.parse(JSON.stringify(header)), whole(body)), snapshot);
});

type Json = Record<string, unknown[]> & Record<string, Record<string, unknown>[]>;
const harms: readonly [what: string, harm: (header: Json) => void, told: RegExp][] = [
  ["a payload named by a path", (h) => h["payloads"]![0]!["id"] = "../../x", /payload id/],
  ["a payload beyond the body", (h) => h["payloads"]![0]!["sent"] = 1e9, /beyond the body/],
  ["a negative length", (h) => h["payloads"]![0]!["sent"] = -1, /no count/],
  ["an unknown payload", (h) => h["variables"]![0]!["ref"] = { payload: "x", slot: 0 }, /unknown/],
  ["a name that is no text", (h) => h["variables"]![0]!["name"] = 1, /name/],
  ["an endless name", (h) => h["variables"]![0]!["name"] = "x".repeat(501), /name/],
  ["names that are no list", (h) => h["variables"] = {} as never, /no list/],
];
for (const [what, harm, told] of harms) {
  Deno.test(`a snapshot with ${what} is refused`, () => {
    const { header, body: parts } = packSnapshot(snapshot);
    const body = whole(parts);
    const changed = JSON.parse(JSON.stringify(header)) as Json;
    harm(changed);
    throws(() => unpackSnapshot(changed, body), (error: unknown) => {
      ok(error instanceof ProtocolError);
      match(error.message, told);
      return true;
    });
  });
}

Deno.test("a snapshot of small and large payloads comes out in order", () => {
  const payloads = [3, 2_000_000, 5, 7, 1_500_000, 1].map((bytes, i) => ({
    id: `${i}`.repeat(64),
    bytes,
    text: String(i).repeat(bytes),
  }));
  const { header, body } = packSnapshot({ variables: [], functions: [], dropped: [], payloads });
  strictEqual(body.length, 5);
  const joined = new Uint8Array(body.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of body) {
    joined.set(part, at);
    at += part.length;
  }
  deepStrictEqual(unpackSnapshot(header, joined).payloads, payloads);
});

Deno.test("a restore frame holds what a restore needs, payloads by their place", () => {
  const other = "cd".repeat(32);
  const loss = [{ path: "b.h", reason: "is a function" }];
  const { header, body } = packRestore({
    ...snapshot,
    variables: [
      ...snapshot.variables,
      { ...snapshot.variables[0]!, name: "b", ref: { payload: other, slot: 2 }, loss },
      { ...snapshot.variables[0]!, name: "c", ref: { payload: "ef".repeat(32), slot: 0 } },
    ],
    payloads: [...snapshot.payloads, { id: other, bytes: 4, text: '["é' }],
  });
  deepStrictEqual(header, {
    variables: [
      { name: "a", ref: { payload: "0", slot: 0 } },
      { name: "b", ref: { payload: "1", slot: 2 }, loss },
      { name: "c", ref: { payload: "", slot: 0 } },
    ],
    functions: [],
    sent: [3, 4],
  });
  strictEqual(new TextDecoder().decode(whole(body)), '[1]["é');
});
