/** Kills writers of a session at random moments and looks at what they leave. */
import { fromFileUrl } from "@std/path";
import { TextLineStream } from "./text_lines.ts";
import { openStore } from "./session_fixture.ts";

/** What a battery found. */
export interface BatteryReport {
  readonly kills: number;
  /** Writers that ended before they were killed. */
  readonly ended: number;
  /** Steps that were reported saved and are not in the session. */
  readonly lost: number;
  /** Times that the session could not be opened or a value not be had. */
  readonly unreadable: number;
}

/** Runs `count` writers on one session, each killed with SIGKILL; the same seed kills alike. */
export async function killBattery(
  dir: string,
  count: number,
  seed: number,
): Promise<BatteryReport> {
  const random = generator(seed);
  let [ended, lost, unreadable] = [0, 0, 0];
  for (let kill = 0; kill < count; kill++) {
    const { last, finished } = await killWriter(dir, Math.floor(random() * 13), random() * 6);
    if (finished) ended++;
    try {
      await using store = await openStore(dir);
      const { failed, variables } = await store.snapshot();
      const { query, step } = store.manifest.steps.at(-1) ?? { query: 1, step: 0 };
      const whole = variables.every(({ preview }) => preview.startsWith(`["${query}.${step} `));
      if (failed.length > 0 || !whole) unreadable++;
      if (last !== undefined && !isSaved(last, query, step)) lost++;
    } catch {
      unreadable++;
    }
  }
  return { kills: count, ended, lost, unreadable };
}

function isSaved(last: string, query: number, step: number): boolean {
  const [toldQuery = 0, toldStep = 0] = last.split(".").map(Number);
  return toldStep === 0 || query > toldQuery || (query === toldQuery && step >= toldStep);
}

/** Kills the writer `ms` milliseconds after it told of its n-th step; resolves to the last told. */
async function killWriter(
  dir: string,
  n: number,
  ms: number,
): Promise<{ last: string | undefined; finished: boolean }> {
  const script = fromFileUrl(new URL("./session_writer.ts", import.meta.url));
  const config = fromFileUrl(new URL("../../deno.json", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--config", config, script, dir],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let last: string | undefined;
  let finished = false;
  let killed = false;
  for await (
    const line of child.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TextLineStream(),
    )
  ) {
    if (line === "end") finished = true;
    else last = line;
    if (killed || Number(line.split(".")[1]) < n) continue;
    // Spinning hits any moment of the write that follows, also on one core.
    for (const end = performance.now() + ms; performance.now() < end;);
    killed = true;
    try {
      child.kill("SIGKILL");
    } catch {
      // It had ended.
    }
  }
  await child.status;
  return { last, finished };
}

function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
