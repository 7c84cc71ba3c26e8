import type { ModelChoice, ResolvedConfig } from "./config.ts";
import { inertLine } from "./inert_text.ts";

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|signature|bearer/i;
const SECRET_VALUE = /^(sk-|pk-|gsk_|xox|gh[pousr]_|AIza|Bearer |Basic |eyJ)/;
const REDACTED = "[redacted]";

/** A copy of `value` for a log: texts under secret-looking names are replaced, all texts inert. */
export function redact(value: unknown, name = "", depth = 0): unknown {
  if (typeof value === "string") {
    if (SECRET_NAME.test(name) || SECRET_VALUE.test(value)) return REDACTED;
    return inertLine(value, 200);
  }
  if (typeof value !== "object" || value === null) {
    return typeof value === "function" || typeof value === "symbol" || typeof value === "bigint"
      ? `a ${typeof value}`
      : value;
  }
  if (depth > 8) return "…";
  // Everything below headers or a secret-looking name is treated as secret, whatever it is called.
  const inherited = /headers/i.test(name) || SECRET_NAME.test(name) ? "key" : "";
  if (Array.isArray(value)) {
    return value.slice(0, 50).map((item) => redact(item, inherited || name, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).slice(0, 50).map((
      [key, item],
    ) => [inertLine(key, 100), redact(item, inherited || key, depth + 1)]),
  );
}

const modelName = (model: ModelChoice): string =>
  inertLine(typeof model === "string" ? model : "id" in model ? model.id : model.modelId, 200);

/**
 * The effective values, for the header of a transcript: JSON-safe, and without any key. Limits that
 * are off read "none"; of tools, servers and `env` only the names are told.
 */
export function describeConfig(config: ResolvedConfig): Record<string, unknown> {
  const described: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    switch (name) {
      case "primaryAgent":
      case "subAgent":
        described[name] = modelName(value as ModelChoice);
        break;
      case "tools":
      case "mcpServers":
      case "env":
        described[name] = Object.keys(value as object).slice(0, 100).map((key) =>
          inertLine(key, 100)
        );
        break;
      case "outputSchema":
        described[name] = value === undefined ? undefined : "given";
        break;
      default:
        // By value only: names such as maxPromptTokens look secret and are not.
        described[name] = value === Infinity ? "none" : redact(value);
    }
  }
  return described;
}
