import assert from "node:assert/strict";
import { fromFileUrl } from "@std/path";
import type { SessionBusyError } from "../../lib/errors.ts";
import { denoFileSystem } from "../../lib/file_system.ts";
import { lockSession, readHolder } from "../../lib/session_lock.ts";
import { SessionStore } from "../../lib/session_store.ts";
import { noUsage } from "../../lib/model/usage.ts";
import { instantClock, openStore, stepOf, sweepOf, withDir } from "../support/session_fixture.ts";

const holderScript = fromFileUrl(new URL("../support/session_holder.ts", import.meta.url));
const configFile = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** A process that has opened the session, saved one step, and holds the lock. */
async function startHolder(dir: string): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", configFile, holderScript, dir],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "holding\n");
  reader.releaseLock();
  return child;
}

async function end(child: Deno.ChildProcess): Promise<Deno.CommandStatus> {
  await child.stdin.close();
  await child.stdout.cancel();
  return await child.status;
}

Deno.test("a second process is refused with the holder's pid, and gets in after SIGKILL", () =>
  withDir(async (dir) => {
    const child = await startHolder(dir);
    const refused: SessionBusyError = await openStore(dir).then(
      () => assert.fail(),
      (error) => error,
    );
    assert.equal(refused.name, "SessionBusyError");
    assert.equal(refused.code, "session_busy");
    assert.equal(refused.holder.pid, child.pid);
    assert.match(refused.message, new RegExp(`held by process ${child.pid}`));
    assert.ok(!refused.message.includes("the holder's query"));
    assert.equal((await readHolder(dir, denoFileSystem)).query, "the holder's query");

    child.kill("SIGKILL");
    await end(child);
    await using store = await openStore(dir);
    assert.equal(store.manifest.steps.length, 1);
    assert.equal(await store.beginQuery("next"), 2);
    assert.equal(store.manifest.queries[0]?.status, "interrupted");
    assert.deepEqual((await store.snapshot()).failed, []);
  }));

Deno.test("waiting gets the lock when the holder ends", () =>
  withDir(async (dir) => {
    const first = await openStore(dir);
    const clock = instantClock();
    const sleep = async (ms: number) => {
      await clock.sleep(ms);
      if (clock.slept.length === 3) await first[Symbol.asyncDispose]();
    };
    const wait = 3_600;
    await using second = await SessionStore.open(dir, {
      query: "b",
      clock: { ...clock, sleep },
      wait,
    });
    assert.equal(second.manifest.queries.length, 0);
    assert.equal(clock.slept.length, 3);
  }));

Deno.test("waiting ends in refusal after the seconds given, or at once when aborted", () =>
  withDir(async (dir) => {
    await using _holder = await openStore(dir);
    const clock = instantClock();
    await assert.rejects(
      SessionStore.open(dir, { query: "b", clock, wait: 5 }),
      /Cannot use the session after 5 s of waiting.*; wait longer with --wait=SECONDS$/,
    );
    assert.ok(clock.slept.length > 1);
    const signal = AbortSignal.abort(new Error("stop"));
    await assert.rejects(SessionStore.open(dir, { query: "b", clock, wait: 5, signal }), /stop/);
  }));

Deno.test("two opens at once in one process: exactly one gets in", () =>
  withDir(async (dir) => {
    const results = await Promise.allSettled([openStore(dir), openStore(dir), openStore(dir)]);
    const stores = results.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
    assert.equal(stores.length, 1);
    await stores[0]?.[Symbol.asyncDispose]();
    await using again = await openStore(dir);
    assert.equal(again.dir, dir);
  }));

Deno.test("a lock file with anything in it is no lock and no trouble", () =>
  withDir(async (dir) => {
    for (const content of ["", "garbage", "null", '{"pid":"1","host":7}', "\0".repeat(10)]) {
      await Deno.writeTextFile(`${dir}/session.lock`, content);
      assert.deepEqual(await readHolder(dir, denoFileSystem), {});
      await using _store = await openStore(dir);
    }
    const holder = '{"pid":5,"host":"h\\u001b[2J","started":"x","query":"a\\nb"}';
    await Deno.writeTextFile(`${dir}/session.lock`, holder);
    const shown = { pid: 5, host: "h\\x1b[2J", started: "x", query: "a b" };
    assert.deepEqual(await readHolder(dir, denoFileSystem), shown);
  }));

Deno.test("a lock file that is a link is not written through", {
  ignore: Deno.build.os === "windows",
}, () =>
  withDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/precious`, "keep");
    await Deno.symlink(`${dir}/precious`, `${dir}/session.lock`);
    await assert.rejects(openStore(dir), /session\.lock: it is no regular file; remove it/);
    assert.equal(await Deno.readTextFile(`${dir}/precious`), "keep");
  }));

Deno.test("two sides that take turns, waiting for each other, lose no ledger entry", () =>
  withDir(async (dir) => {
    const side = async (name: string) => {
      for (let round = 1; round <= 25; round++) {
        const clock = instantClock();
        await using store = await SessionStore.open(dir, { query: name, clock, wait: 1e9 });
        await store.beginQuery(`${name} ${round}`);
        await store.saveStep(stepOf(1, { snapshot: await sweepOf({ n: `[${round}]` }) }));
        await store.endQuery({ status: "answered", final: round, steps: 1, usage: noUsage });
      }
    };
    await Promise.all([side("a"), side("b")]);
    const queries = (await SessionStore.read(dir))?.queries ?? [];
    assert.deepEqual(
      queries.map(({ number }) => number),
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    for (const name of ["a", "b"]) {
      const rounds = queries.filter(({ query }) => query.startsWith(name)).map(({ final }) =>
        final
      );
      assert.deepEqual(rounds, Array.from({ length: 25 }, (_, round) => round + 1));
    }
  }));

Deno.test("a file system that cannot lock is an error that names the file", () =>
  withDir(async (dir) => {
    const lock = () => Promise.reject(new Error("Operation not supported (os error 95)"));
    const options = { fs: { ...denoFileSystem, lock }, clock: instantClock(), query: "q" };
    await assert.rejects(
      lockSession(dir, options),
      /Cannot lock the session: .*session\.lock: Operation not/,
    );
  }));
