import { RlmError } from "../errors.ts";
import { spawnProgram } from "../spawn.ts";
import type { AcpProcess } from "./acp.ts";
import { oneLine } from "./safe_text.ts";

/** How the agents that are known by name are started, and where they come from. */
const known: Readonly<Record<string, { readonly command: string[]; readonly from: string }>> = {
  claude: { command: ["claude-agent-acp"], from: "npm i -g @agentclientprotocol/claude-agent-acp" },
  codex: { command: ["codex-acp"], from: "npm i -g @zed-industries/codex-acp" },
  opencode: { command: ["opencode", "acp"], from: "npm i -g opencode-ai" },
  gemini: { command: ["gemini", "--experimental-acp"], from: "npm i -g @google/gemini-cli" },
};

/**
 * The command of an agent: `override` (RLM_ACP_COMMAND, words or a JSON list), else the known one.
 * Throws `config` for a name that is not known and an override that is no command.
 */
export function acpCommand(name: string, override: string | undefined): string[] {
  if (override?.trim()) {
    const command = override.trim().startsWith("[")
      ? parse(override)
      : override.trim().split(/\s+/);
    if (command) return command;
    throw new RlmError(
      "config",
      `Cannot use RLM_ACP_COMMAND: current value is "${
        oneLine(override, 80)
      }", neither a command nor a JSON list of its words`,
    );
  }
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found) return found.command;
  throw new RlmError(
    "config",
    `Cannot use acp:${oneLine(name, 40)}: known agents are ${
      Object.keys(known).join(", ")
    }; for another one set RLM_ACP_COMMAND`,
  );
}

function parse(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.length > 0 &&
        value.every((one) => typeof one === "string" && one !== "")
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Starts an agent in an empty temporary directory. Throws `config` where there is no such command. */
export async function startAcp(name: string, command: readonly string[]): Promise<AcpProcess> {
  const [program = "", ...args] = command;
  const cwd = await Deno.makeTempDir({ prefix: "fast-rlm-acp-" });
  const remove = (): Promise<void> => Deno.remove(cwd, { recursive: true }).catch(() => {});
  let child: Deno.ChildProcess;
  try {
    child = spawnProgram(program, {
      args,
      cwd,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    });
  } catch (error) {
    await remove();
    const from = Object.hasOwn(known, name) ? known[name]?.from : undefined;
    const why = error instanceof Deno.errors.NotFound
      ? `there is no command ${oneLine(program, 80)}`
      : oneLine(error instanceof Error ? error.message : String(error), 120);
    throw new RlmError(
      "config",
      `Cannot start acp:${oneLine(name, 40)}: ${why}; ${
        from ? `install it with \`${from}\` or ` : ""
      }set RLM_ACP_COMMAND`,
    );
  }
  let tail = "";
  const listening = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      tail = (tail + text).slice(-2000);
    }
  })().catch(() => {});
  let stopping: Promise<void> | undefined;
  return {
    input: child.stdin,
    output: child.stdout,
    cwd,
    complaint: () => tail,
    stop: () =>
      stopping ??= (async () => {
        try {
          // An agent that is waited for could hold up the end of a run.
          child.kill("SIGKILL");
        } catch {
          // It ended by itself.
        }
        await child.status;
        await listening;
        await child.stdin.close().catch(() => {});
        await child.stdout.cancel().catch(() => {});
        await remove();
      })(),
  };
}
