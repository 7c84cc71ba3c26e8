import assert from "node:assert/strict";
import { join } from "@std/path";
import type { Manifest } from "../../lib/session_format.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { LogError, openLog, readTranscript } from "../../log/open.ts";
import { shortened } from "../../log/shorten.ts";
import { sampleManifest, writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

const noManifest = (): Manifest => {
  throw new Error("no manifest is to be read");
};

Deno.test("a session opens by its directory and by its state.json, with the same model", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 2 });
    const asked: string[] = [];
    const readManifest = (at: string) => {
      asked.push(at);
      return manifest;
    };
    const byDirectory = await openLog(directory, { readManifest });
    const byFile = await openLog(join(directory, "state.json"), { readManifest });
    assert.deepEqual(asked, [directory, directory]);
    assert.deepEqual({ ...byFile, path: "" }, { ...byDirectory, path: "" });
    assert.equal(byDirectory.kind, "session");
    assert.equal(byDirectory.queries.length, 2);
    assert.equal(byDirectory.queries[0]?.transcript?.runs, 3);
    assert.equal(byDirectory.totals.steps, 8);
  });
});

Deno.test("a transcript and a directory of transcripts open without a manifest", async () => {
  await withTempDir(async (directory) => {
    writeSampleSession(directory, { queries: 3 });
    const logs = join(directory, "logs");
    const all = await openLog(logs, { readManifest: noManifest });
    assert.equal(all.kind, "directory");
    assert.deepEqual(all.queries.map((query) => query.number), [1, 2, 3]);
    const one = await openLog(join(logs, "run_0002.jsonl"), { readManifest: noManifest });
    assert.equal(one.kind, "transcript");
    assert.match(one.queries[0]?.query ?? "", /^Query 2:/);
    assert.equal(one.queries[0]?.final, "6 guests");
    assert.equal(one.memory, undefined);
  });
});

Deno.test("of a large transcript the head and the tail of long texts can be read", async () => {
  await withTempDir((directory) => {
    writeSampleSession(directory, { queries: 1, outputChars: 9000 });
    const path = join(directory, "logs/run_0001.jsonl");
    const [whole, short] = [
      readTranscript(path, "full"),
      readTranscript(path, "full", (entry) => shortened(entry, 400)),
    ];
    const output = short.roots[0]?.steps[0]?.output ?? "";
    assert.match(
      output,
      /^Grace: row[^]*\n\[… 8,600 characters not shown of a large log …\]\n[^]{100}$/,
    );
    assert.deepEqual([short.steps, short.tally], [whole.steps, whole.tally]);
    return Promise.resolve();
  });
});

Deno.test("a run without a transcript says why", async () => {
  await withTempDir(async (directory) => {
    const written = writeSampleSession(directory, { queries: 4, unlinked: [1] });
    Deno.removeSync(join(directory, "logs", "run_0002.jsonl"));
    Deno.removeSync(join(directory, "logs", "run_0003.jsonl"));
    Deno.mkdirSync(join(directory, "logs", "run_0003.jsonl"));
    const manifest = {
      ...written,
      queries: written.queries.map((query) =>
        query.number === 4 ? { ...query, log: "../../etc/passwd" } : query
      ),
    };
    const model = await openLog(directory, { readManifest: () => manifest });
    assert.deepEqual(model.queries.map((query) => query.missing), [
      "not linked",
      "file not found",
      "no regular file",
      "not linked",
    ]);
    assert.equal(model.queries[0]?.tally.total.value, written.queries[0]?.usage.totalTokens);
  });
});

Deno.test("the usage of a killed run comes from its transcript", async () => {
  await withTempDir(async (directory) => {
    const manifest = writeSampleSession(directory, { queries: 1, killed: true });
    assert.equal(manifest.queries[0]?.usage, noUsage);
    const model = await openLog(directory, { readManifest: () => manifest });
    const [query] = model.queries;
    assert.equal(query?.status, "running");
    assert.equal(query?.steps, 4);
    assert.equal(query?.tally.calls, 8);
    assert.ok((query?.tally.total.value ?? 0) > 0);
  });
});

Deno.test("an answer of undefined is an answer", async () => {
  await withTempDir(async (directory) => {
    const written = writeSampleSession(directory, { queries: 1 });
    const { final: _, ...query } = written.queries[0] ?? ({} as never);
    const model = await openLog(directory, {
      readManifest: () => ({ ...written, queries: [query] }),
    });
    assert.equal("final" in (model.queries[0] ?? {}), true);
  });
});

Deno.test("memory lists committed names first, then by name; failed ones apart", async () => {
  await withTempDir(async (directory) => {
    Deno.writeTextFileSync(join(directory, "state.json"), "{}");
    const { memory } = await openLog(directory, { readManifest: () => sampleManifest() });
    const names = (items: readonly { name: string }[] | undefined) =>
      items?.map(({ name }) => name);
    assert.deepEqual(names(memory?.variables), ["guests", "index", "scratch"]);
    assert.deepEqual(names(memory?.functions), ["parseEpisode"]);
    assert.deepEqual(names(memory?.dropped), ["everything", "pending"]);
    assert.deepEqual(names(memory?.failed), ["old"]);
    assert.deepEqual(memory?.variables[0]?.loss, [
      'guests.get("Ada").h: a host function is not saved',
    ]);
    assert.match(memory?.functions[0]?.detail ?? "", /^function parseEpisode/);
  });
});

Deno.test("what is nothing to open is refused in one line that names it and the way out", async () => {
  await withTempDir(async (directory) => {
    const refused = (path: string, message: RegExp) =>
      assert.rejects(openLog(path, { readManifest: noManifest }), (error: unknown) => {
        assert.ok(error instanceof LogError);
        assert.match(error.message, message);
        assert.equal(error.message.includes("\n"), false);
        return true;
      });
    await refused(join(directory, "none"), /^Cannot open .*none: there is no such file/);
    await refused(directory, /holds no state\.json and no \.jsonl transcript$/);
    await refused(join(directory, "a", "b.jsonl"), /there is no such file/);
    Deno.mkdirSync(join(directory, "s1"));
    Deno.writeTextFileSync(join(directory, "s1", "state.json"), "{}");
    await refused(directory, /it holds sessions, name one of them: .*s1$/);
  });
});

Deno.test("an unreadable manifest is the reader's error, untouched", async () => {
  await withTempDir(async (directory) => {
    Deno.writeTextFileSync(join(directory, "state.json"), "");
    await assert.rejects(openLog(directory, { readManifest: noManifest }), /no manifest/);
  });
});
