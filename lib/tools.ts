import { RlmError } from "./errors.ts";
import { didYouMean } from "./did_you_mean.ts";
import { inertLine } from "./inert_text.ts";
import type { CompiledSchema } from "./output_schema.ts";
import { showName } from "./show_value.ts";
import { readTool } from "./tools/definition.ts";
import { plainResult } from "./tools/result.ts";
import { redactor } from "./tools/redact.ts";
import { untilAborted } from "./tools/until_aborted.ts";

/** What a call of a tool carries besides its arguments. */
export interface ToolCallOptions {
  readonly signal: AbortSignal;
  /** Path of the agent that calls. */
  readonly agent: string;
  /** @default a number unique in the run */
  readonly callId?: string;
}

/**
 * The second argument of a tool's function: the AI SDK's own fields, and `env`, the values that the
 * user gave for tools. Agent code sees none of it.
 */
export interface ToolContext {
  readonly abortSignal: AbortSignal;
  readonly toolCallId: string;
  /** Always empty: a conversation is not shown to tools. */
  readonly messages: readonly never[];
  readonly context: { readonly env: Readonly<Record<string, string>>; readonly agent: string };
  /** The same under the name that AI SDK 5 and 6 use. */
  readonly experimental_context: ToolContext["context"];
  /** The same as `context.env`. */
  readonly env: Readonly<Record<string, string>>;
}

/** One tool, ready to be called. */
export interface HostTool {
  readonly name: string;
  /** One line, inert, cut. */
  readonly description: string;
  /** `search(args: { query: string; limit?: number }): string[]` */
  readonly signature: string;
  readonly input: CompiledSchema | undefined;
  run(args: unknown, context: ToolContext): Promise<unknown>;
}

/** Longest error text of a tool that reaches an agent. */
const MAX_ERROR = 1_000;

/**
 * The tools of one run: AI SDK tools and plain functions, on the host. Arguments are validated before
 * the call and results checked after it; errors reach the agent as one line without stack and with
 * the values of `env` taken out.
 */
export class ToolSet {
  readonly #tools: ReadonlyMap<string, HostTool>;
  readonly #env: Readonly<Record<string, string>>;
  #calls = 0;

  private constructor(tools: ReadonlyMap<string, HostTool>, env: Readonly<Record<string, string>>) {
    this.#tools = tools;
    this.#env = env;
  }

  /**
   * Reads tools by name. A plain function takes one argument and may carry `description` and
   * `inputSchema` as properties.
   *
   * @throws {RlmError} `config`, naming the tool, for what is no tool, a name that agent code could not
   * write, a schema that cannot be used, or a tool that asks for approval
   */
  static async create(
    tools: Readonly<Record<string, unknown>>,
    options: { env?: Readonly<Record<string, string>> } = {},
  ): Promise<ToolSet> {
    const read = new Map<string, HostTool>();
    for (const [name, tool] of Object.entries(tools)) read.set(name, await readTool(name, tool));
    return new ToolSet(read, options.env ?? {});
  }

  /** Names, in the order they were given. */
  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** The tool of this name. */
  get(name: string): HostTool | undefined {
    return this.#tools.get(name);
  }

  /** One line a tool for the prompt; empty without tools. */
  describe(): string {
    return [...this.#tools.values()].map(describeTool).join("\n");
  }

  /** The tools with these names. @throws {RlmError} `tool`, naming the one that is not there */
  grant(names: readonly string[]): ToolSet {
    return new ToolSet(new Map(names.map((name) => [name, this.#find(name)])), this.#env);
  }

  /**
   * Calls a tool and returns its value as plain data; of a tool that yields values, the last.
   *
   * @throws {RlmError} `tool`, or the signal's reason when it was aborted
   */
  async call(name: string, args: unknown, options: ToolCallOptions): Promise<unknown> {
    const tool = this.#find(name);
    options.signal.throwIfAborted();
    const input = tool.input ? await tool.input.validate(args) : { ok: true as const, value: args };
    if (!input.ok) {
      const errors = input.errors.map((line) => line.replace(/^value/, "args")).join("; ");
      throw new RlmError("tool", `Cannot call tools.${name}: ${errors}`);
    }
    const context = { env: this.#env, agent: options.agent };
    try {
      const work = tool.run(input.value, {
        abortSignal: options.signal,
        toolCallId: options.callId ?? `${options.agent}.t${++this.#calls}`,
        messages: [],
        context,
        experimental_context: context,
        env: this.#env,
      });
      const value = await untilAborted(work, options.signal);
      return plainResult(name, value);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof RlmError) throw error;
      const redact = redactor(this.#env);
      const message = error instanceof Error ? error.message || error.name : String(error);
      const reason = inertLine(redact(message), MAX_ERROR);
      // No cause: it may hold a request with its headers, and errors of a run are logged.
      throw new RlmError("tool", `tools.${name} failed: ${reason}`);
    }
  }

  #find(name: string): HostTool {
    const tool = this.#tools.get(name);
    if (tool) return tool;
    const known = this.names;
    const meant = didYouMean(name, known);
    const has = known.length === 0 ? "this agent has none" : `there are ${known.join(", ")}`;
    const hint = meant === undefined ? has : `did you mean ${meant}?`;
    throw new RlmError("tool", `Cannot find the tool ${showName(name)}: ${hint}`);
  }
}

/** A tool on one line, as the prompt shows it. */
export function describeTool(tool: Pick<HostTool, "signature" | "description">): string {
  return `- tools.${tool.signature}${tool.description === "" ? "" : ` — ${tool.description}`}`;
}
