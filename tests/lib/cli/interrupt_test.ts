import assert from "node:assert/strict";
import { watchInterrupts } from "../../../lib/cli/interrupt.ts";
import { RlmError } from "../../../lib/errors.ts";
import { fakeIo } from "./fake_io.ts";

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.test(`${name} once aborts with a reason and does not end the process`, () => {
    const io = fakeIo();
    using watch = watchInterrupts(io);
    assert(!watch.signal.aborted);
    io.send(name);
    assert(watch.signal.reason instanceof RlmError);
    assert.equal(watch.signal.reason.code, "interrupted");
    assert.deepEqual(io.exits, []);
    assert.match(io.err(), /^interrupted: finishing the sweep/);
    assert.equal(io.err().includes("Ctrl-C"), name === "SIGINT");
  });

  Deno.test(`${name} twice leaves at once with 130`, () => {
    const io = fakeIo();
    let left = 0;
    using _watch = watchInterrupts(io, () => left++);
    io.send(name);
    assert.equal(left, 0);
    io.send(name);
    assert.deepEqual([left, ...io.exits], [1, 130]);
    assert(!io.err().includes("\u001b"), "no escape where there is no terminal");
  });
}

Deno.test("the terminal is restored on leaving, and no listener is left after the watch", () => {
  const io = fakeIo({ terminal: true });
  const watch = watchInterrupts(io);
  io.send("SIGINT");
  io.send("SIGTERM");
  assert(io.err().endsWith("\u001b[?25h\u001b[0m"));
  watch[Symbol.dispose]();
  assert.equal(io.listening(), 0);
});
