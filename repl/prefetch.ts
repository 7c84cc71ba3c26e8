/**
 * Brings the modules of a sandbox into the cache, for an engine that was imported by URL: a sandbox
 * itself may fetch nothing. Deno fetches what a literal `import()` names when it loads this module;
 * none of them is ever evaluated here.
 *
 * @module
 */
import config from "../deno.json" with { type: "json" };

/** The packages that a sandbox loads, as an import map has them. */
export const SANDBOX_IMPORTS: Readonly<Record<string, string>> = {
  devalue: config.imports.devalue,
};

/** Never called: evaluated outside a sandbox, the worker would lock its host down. */
export const sandboxModules = (): Promise<unknown>[] => [
  import("./sandbox.ts"),
  import("./worker.ts"),
];
