import assert from "node:assert/strict";
import { join } from "@std/path";
import { TranscriptWriter } from "../../log/writer.ts";
import { readEntries } from "../../log/reader.ts";
import { sampleEvents } from "../support/sample_transcript.ts";

function withDirectory(use: (directory: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    use(directory);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

const modeOf = (path: string): number => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("the transcript is made at the first logged event, private to its owner", () => {
  withDirectory((directory) => {
    const umask = Deno.build.os === "windows" ? undefined : Deno.umask(0o022);
    try {
      const path = join(directory, "deep", "logs", "run.jsonl");
      using writer = new TranscriptWriter(path);
      const [first, , third] = sampleEvents();
      if (third?.type === "model_start") writer.write(third);
      assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
      if (first !== undefined) writer.write(first);
      assert.equal(Deno.readTextFileSync(path).split("\n").length, 2);
      if (umask === undefined) return;
      assert.equal(modeOf(path), 0o600);
      assert.equal(modeOf(join(directory, "deep", "logs")), 0o700);
      assert.equal(modeOf(join(directory, "deep")), 0o700);
    } finally {
      if (umask !== undefined) Deno.umask(umask);
    }
  });
});

Deno.test({
  name: "an existing transcript that others could read becomes private",
  ignore: Deno.build.os === "windows",
  fn: () =>
    withDirectory((directory) => {
      const path = join(directory, "run.jsonl");
      Deno.writeTextFileSync(path, "", { mode: 0o644 });
      Deno.chmodSync(path, 0o644);
      using writer = new TranscriptWriter(path);
      for (const event of sampleEvents()) writer.write(event);
      assert.equal(modeOf(path), 0o600);
    }),
});

Deno.test("a torn last line does not swallow the next record", () => {
  withDirectory((directory) => {
    const path = join(directory, "run.jsonl");
    Deno.writeTextFileSync(path, '{"ts":1,"tok');
    using writer = new TranscriptWriter(path);
    const events = sampleEvents();
    for (const event of events) writer.write(event);
    let count = 0;
    const skipped = readEntries(path, () => count++);
    assert.deepEqual(skipped, { count: 1, lines: [1] });
    assert.equal(count, Deno.readTextFileSync(path).trimEnd().split("\n").length - 1);
  });
});

Deno.test("each event is on disk when write returns", () => {
  withDirectory((directory) => {
    const path = join(directory, "run.jsonl");
    using writer = new TranscriptWriter(path);
    let lines = 0;
    for (const event of sampleEvents({ killed: true })) {
      writer.write(event);
      if (!["model_text", "model_start", "waiting"].includes(event.type)) lines++;
      const text = lines === 0 ? "" : Deno.readTextFileSync(path);
      assert.equal(text.split("\n").length - 1, lines);
    }
  });
});

Deno.test("what cannot be written is reported once and never thrown", () => {
  withDirectory((directory) => {
    const blocked = join(directory, "file");
    Deno.writeTextFileSync(blocked, "");
    const problems: string[] = [];
    using writer = new TranscriptWriter(join(blocked, "run.jsonl"), {
      onProblem: (message) => problems.push(message),
    });
    for (const event of sampleEvents()) writer.write(event);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /^Cannot write the transcript .*run\.jsonl: /);
    assert.equal(writer.problem, problems[0]);
  });
});

Deno.test("closing twice and writing after it are harmless", () => {
  withDirectory((directory) => {
    const path = join(directory, "run.jsonl");
    const writer = new TranscriptWriter(path);
    const [event] = sampleEvents();
    if (event === undefined) throw new Error("no sample");
    writer.write(event);
    writer.close();
    writer.close();
    writer.write(event);
    assert.equal(Deno.readTextFileSync(path).split("\n").length, 2);
    assert.equal(writer.problem, undefined);
  });
});
