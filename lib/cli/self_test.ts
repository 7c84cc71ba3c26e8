import { decodeBody, encodeBody } from "../../repl/body.ts";
import { Sandbox } from "../../repl/host.ts";
import { inertLine } from "../inert_text.ts";
import { EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

/** The step: it reads its context, and tells whether the world is shut out. */
const CODE = "FINAL([context.length, typeof Deno, typeof fetch])";
const EXPECTED = '[3,"undefined","undefined"]';

/**
 * The hidden command `__self-test`: starts a sandbox as a run does and evaluates one step, so that a
 * compiled binary can be asked whether it works where it is.
 *
 * @returns the exit code: 0, or 1 with the reason on standard error
 */
export async function selfTest(io: Io): Promise<number> {
  const started = io.clock.now();
  try {
    await using sandbox = new Sandbox({ memoryLimitMb: 512 });
    await sandbox.init(
      { recursive: false, env: {}, maxOutput: 1_000 },
      encodeBody("abc"),
      () => Promise.reject(new Error("the self-test serves no calls")),
    );
    const ready = io.clock.now();
    const report = await sandbox.evaluate({
      step: 1,
      code: CODE,
      hoisted: "",
      declared: [],
      timeoutMs: 10_000,
    });
    const answer = report.finalValue === undefined
      ? `no value (${report.error?.message ?? "no error"})`
      : JSON.stringify(decodeBody(report.finalValue));
    if (answer !== EXPECTED) throw new Error(`the step gave ${answer}, expected ${EXPECTED}`);
    await io.stdout(
      `self-test ok: sandbox ready in ${ready - started} ms, step in ${
        io.clock.now() - ready
      } ms\n`,
    );
    return EXIT.answer;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    io.stderr(`error: Cannot evaluate a step in a sandbox: ${inertLine(reason, 1_000)}\n`);
    return EXIT.failed;
  }
}
