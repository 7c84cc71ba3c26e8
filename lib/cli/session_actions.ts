import { RlmError } from "../errors.ts";
import type { SessionActions } from "./session_command.ts";
import { load } from "./parts.ts";

const missing = (what: string): Promise<never> =>
  Promise.reject(new RlmError("internal", `Cannot ${what} a session: not in this build`));

/** What the session command does, over the store and the log. */
export const sessionActions: SessionActions = {
  list: () => missing("list"),
  async show(dir, { json, columns }) {
    const [{ openLog, locate }, { readManifest }] = await Promise.all([
      load("../../log/open.ts"),
      load("./read_manifest.ts"),
    ]);
    if (locate(dir).kind !== "session") {
      throw new RlmError("input", `Cannot show ${dir}: there is no session`);
    }
    const model = await openLog(dir, { readManifest, detail: "counts" });
    if (json) return (await load("../../log/render_json.ts")).renderJson(model);
    return (await load("../../log/stats.ts")).renderStats(model, columns);
  },
  clear: () => missing("clear"),
  fork: () => missing("fork"),
  repair: () => missing("repair"),
  export: () => missing("export"),
  import: () => missing("import"),
};
