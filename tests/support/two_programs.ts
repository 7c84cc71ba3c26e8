/** Two programs that ask one session in turns, each waiting for the other. */
import { cli } from "./cli.ts";
import { startFakeModelServer } from "./fake_model_server.ts";

/** What a contest left. */
export interface ContestReport {
  /** Queries that were asked. */
  readonly asked: number;
  /** Programs that did not end with their answer. */
  readonly failed: readonly string[];
  /** Answers that the ledger does not have, or has twice. */
  readonly lost: readonly string[];
  /** Numbers that the ledger has out of order. */
  readonly misnumbered: number;
  /** Names that the last state does not hold with their last value. */
  readonly stale: readonly string[];
}

/**
 * In each of `rounds` rounds two processes of the program start at once on the session `dir`. Every
 * query adds one to its side's counter and answers with side and count.
 */
export async function contest(dir: string, rounds: number): Promise<ContestReport> {
  const failed: string[] = [];
  await using server = startFakeModelServer(
    Array.from({ length: rounds * 2 }, () => (request) => {
      // Told apart by model: a prompt names earlier queries of both.
      const side = String(request.json?.["model"]).at(-1);
      return `\`\`\`js
const ${side} = (typeof ${side} === "number" ? ${side} : 0) + 1;
FINAL("${side}" + ${side});
\`\`\``;
    }),
  );
  const ask = async (side: string, round: number) => {
    const { code, stdout, stderr } = await cli(
      ["-q", "--wait", "--no-session-code", "--session-dir", dir, `Side ${side} asks`],
      {
        env: {
          RLM_PRIMARY_AGENT: `fake/side-${side}`,
          RLM_MODEL_BASE_URL: server.baseUrl,
          RLM_MODEL_API_KEY: "sk-test-contest",
        },
      },
    );
    if (code !== 0 || stdout !== `${side}${round}\n`) {
      failed.push(`${side}${round}: ${code} ${stdout.trim()} ${stderr.trim()}`);
    }
  };
  for (let round = 1; round <= rounds; round++) {
    await Promise.all([ask("a", round), ask("b", round)]);
  }
  const state = JSON.parse(await Deno.readTextFile(`${dir}/state.json`));
  const answers: string[] = state.queries.map(({ final }: { final: string }) => final);
  const expected = Array.from({ length: rounds }, (_, at) => [`a${at + 1}`, `b${at + 1}`]).flat();
  return {
    asked: rounds * 2,
    failed,
    lost: expected.filter((answer) => answers.filter((each) => each === answer).length !== 1),
    misnumbered:
      state.queries.filter(({ number }: { number: number }, at: number) => number !== at + 1)
        .length,
    stale: ["a", "b"].filter((name) => state.variables[name]?.preview !== String(rounds)),
  };
}
