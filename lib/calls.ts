/**
 * Serves the calls that agent code makes: sub-agents, single completions, tools. Everything that
 * comes with a call is checked here; what is thrown reaches the agent as an Error it can catch.
 */
import { type Body, decodeBody, encodeBody } from "../repl/body.ts";
import type { CallHandler, SandboxCall } from "../repl/host.ts";
import type { AgentBudget } from "./budget.ts";
import { complete } from "./completion.ts";
import { checkDelegation, holdsNearlyAll } from "./delegation.ts";
import { RlmError } from "./errors.ts";
import type { AgentInfo, EventBody } from "./events.ts";
import type { Model } from "./model/model.ts";
import { type CompiledSchema, compileSchema } from "./output_schema.ts";
import type { RunServices } from "./run_services.ts";
import type { Slot } from "./scheduler.ts";
import type { Toolbox } from "./toolbox.ts";

/** A sub-agent to run. */
export interface ChildSpec {
  readonly path: string;
  readonly depth: number;
  readonly parent: AgentInfo;
  readonly model: Model;
  readonly context: Body;
  readonly instruction: string | undefined;
  readonly schema: CompiledSchema | undefined;
  readonly toolbox: Toolbox | undefined;
  /** REPL functions handed down by name: self-contained source. */
  readonly functions: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly slot: Slot;
}

/** What the calls of one agent are served with. */
export interface CallsOptions {
  readonly services: RunServices;
  readonly agent: AgentInfo;
  readonly budget: AgentBudget;
  /** The agent's own context, for the delegation guard. */
  readonly context: Body;
  readonly toolbox: Toolbox | undefined;
  /** Ends calls: with the run, and when the time for code is used up. */
  signal(): AbortSignal;
  /** The agent's place among those that work; the root needs none. */
  readonly slot: Slot | undefined;
  /** The step under way. */
  step(): number;
  emit(event: EventBody): void;
  runChild(spec: ChildSpec): Promise<Body>;
}

const MAX_INSTRUCTION = 200_000;
const MAX_FUNCTION = 200_000;

/** The handler for one agent's calls. */
export function serveCalls(options: CallsOptions): CallHandler {
  const { services, agent, emit } = options;
  let children = 0;
  let completions = 0;
  let waiting = 0;

  const waitFor = async (work: () => Promise<Body>): Promise<Body> => {
    emit({ type: "waiting", step: options.step(), children: ++waiting });
    try {
      return await (options.slot ? options.slot.yieldWhile(work, options.signal()) : work());
    } finally {
      emit({ type: "waiting", step: options.step(), children: --waiting });
    }
  };

  const query = async (call: SandboxCall): Promise<Body> => {
    if (!options.budget.canDelegate) {
      services.budget.agent(`${agent.path}.${children}`, agent.depth + 1);
    }
    const path = `${agent.path}.${children++}`;
    const request = await readRequest(call, options);
    guardDelegation(options.context, call);
    const signal = AbortSignal.any([options.signal(), call.signal]);
    const depth = agent.depth + 1;
    services.sandboxes.warm();
    return await waitFor(() =>
      services.scheduler.run(
        (slot) =>
          options.runChild({
            ...request,
            path,
            depth,
            parent: agent,
            context: call.value,
            signal,
            slot,
          }),
        { depth, signal },
      )
    );
  };

  const completion = async (call: SandboxCall): Promise<Body> => {
    // Numbered as calls arrive, before anything is waited for, so that a recording finds them again.
    const path = `${agent.path}.c${++completions}`;
    const prompt = decodeBody(call.value);
    if (typeof prompt !== "string") throw new TypeError("llm_complete takes a string");
    const { model, schema } = await readRequest(call, options);
    const signal = AbortSignal.any([options.signal(), call.signal]);
    const caller = { agent: path, depth: agent.depth + 1, call: 1 };
    return await waitFor(() =>
      services.completions.run(async () => {
        const done = await complete({
          prompt,
          model,
          schema,
          caller,
          signal,
          budget: options.budget,
          onRetry: (retry) => emit({ type: "model_retry", step: options.step(), ...retry }),
        });
        emit({ type: "completion", step: options.step(), usage: done.usage });
        return encodeBody(done.value);
      }, { depth: 1, signal })
    );
  };

  const tool = async (call: SandboxCall): Promise<Body> => {
    const name = String(call.options["name"]).slice(0, 200);
    if (!options.toolbox) {
      throw new RlmError("tool", `Cannot call tools.${name}: this agent has no tools`);
    }
    const started = services.clock.now();
    const signal = AbortSignal.any([options.signal(), call.signal]);
    const report = (error?: string) =>
      emit({
        type: "tool_call",
        step: options.step(),
        tool: name,
        ms: services.clock.now() - started,
        ...(error === undefined ? {} : { error }),
      });
    try {
      const value = await options.toolbox.call(name, decodeBody(call.value), {
        signal,
        agent: agent.path,
      });
      const body = encodeBody(value);
      report();
      return body;
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };

  return async (call) => {
    if (call.name === "tool") return await tool(call);
    try {
      return await (call.name === "llm_query" ? query(call) : completion(call));
    } catch (error) {
      // Agent code that caught this would make up a run that never was.
      if (error instanceof RlmError && error.code.startsWith("replay_")) services.endRun(error);
      throw error;
    }
  };
}

/** Refuses to pass nearly all of a large context down: it only pays for the same reading twice. */
function guardDelegation(own: Body, call: SandboxCall): void {
  const sizes = {
    parentBytes: own.bytes.length,
    childBytes: call.value.bytes.length,
    whole: call.options["whole"] === true,
  };
  if (checkDelegation({ ...sizes, shared: true }) === undefined) return;
  const text = (body: Body) => new TextDecoder().decode(body.bytes);
  const refusal = checkDelegation({
    ...sizes,
    shared: holdsNearlyAll(text(own), text(call.value)),
  });
  if (refusal !== undefined) throw new RlmError("input", refusal);
}

/** The checked options of a call that goes to a model. */
async function readRequest(call: SandboxCall, { services, toolbox }: CallsOptions) {
  const { instruction, schema, model, tools, functions } = call.options;
  if (instruction !== undefined && (typeof instruction !== "string")) {
    throw new TypeError("instruction must be a string");
  }
  if (instruction !== undefined && instruction.length > MAX_INSTRUCTION) {
    throw new TypeError(`instruction is too long: at most ${MAX_INSTRUCTION} characters`);
  }
  const names = Array.isArray(tools) ? tools.map(String) : [];
  if (names.length > 0 && !toolbox) {
    throw new RlmError("tool", "Cannot hand on tools: there are none");
  }
  return {
    instruction,
    schema: schema === undefined
      ? undefined
      : await compileSchema(schema, { origin: "agent", name: "schema" }),
    model: chooseModel(model, services),
    toolbox: names.length > 0 ? toolbox!.grant(names) : undefined,
    functions: await readFunctions(functions),
  };
}

/** Agent code may choose between the models that the user named, and no others. */
function chooseModel(choice: unknown, { rootModel, subModel }: RunServices): Model {
  if (choice === undefined || choice === "sub" || choice === subModel.id) return subModel;
  if (choice === "primary" || choice === rootModel.id) return rootModel;
  throw new RlmError(
    "config",
    `Cannot use the model ${JSON.stringify(String(choice).slice(0, 80))}: ` +
      `choose "primary" (${rootModel.id}) or "sub" (${subModel.id})`,
  );
}

async function readFunctions(value: unknown): Promise<Record<string, string>> {
  const read: Record<string, string> = Object.create(null);
  if (typeof value !== "object" || value === null) return read;
  for (const [name, source] of Object.entries(value)) {
    if (typeof source !== "string" || source.length > MAX_FUNCTION) {
      throw new TypeError(`Cannot hand on ${name.slice(0, 80)}: its source is too long`);
    }
    await checkFunction(name.slice(0, 80), source);
    read[name] = source;
  }
  return read;
}

/** A function that is handed on must stand alone: an expression, and nothing that loads modules. */
async function checkFunction(name: string, source: string): Promise<void> {
  const { rewriteStep } = await import("../repl/rewrite.ts");
  try {
    rewriteStep(`(${source}\n)`);
  } catch (error) {
    throw new TypeError(
      `Cannot hand on ${name}: its source is no function expression of its own: ${
        (error as Error).message
      }`,
    );
  }
}
