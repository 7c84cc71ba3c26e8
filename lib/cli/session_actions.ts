import { systemClock } from "../clock.ts";
import { diskError } from "../disk_error.ts";
import { RlmError } from "../errors.ts";
import { denoFileSystem } from "../file_system.ts";
import { inertLine } from "../inert_text.ts";
import { grouped } from "../../repl/grouped.ts";
import { existing, type ForkReport, forkSession } from "../session_admin.ts";
import { load } from "./parts.ts";
import { counted, type SessionActions } from "./session_command.ts";

const options = { clock: systemClock, fs: denoFileSystem };

/** What the session command does, over the store and the log; each loads what it needs. */
export const sessionActions: SessionActions = {
  async list(dir) {
    const info = await denoFileSystem.stat(dir).catch((error) => {
      throw diskError(dir, "list sessions", error, "");
    });
    if (info?.isDirectory !== true) {
      const fault = info === undefined ? "does not exist" : "is a file; name a directory";
      throw new RlmError("input", `Cannot list sessions: ${inertLine(dir, 500)} ${fault}`);
    }
    return (await load("../session_list.ts")).listSessions(dir, denoFileSystem);
  },
  async show(dir, { json, columns }) {
    const [{ markAbsent }, { openLog }] = await Promise.all([
      load("../session_presence.ts"),
      load("../../log/open.ts"),
    ]);
    const manifest = await markAbsent(await existing(dir, denoFileSystem), dir, denoFileSystem);
    const model = await openLog(dir, { readManifest: () => manifest, detail: "counts" });
    if (json) return (await load("../../log/render_json.ts")).renderJson(model);
    return (await load("../../log/stats_session.ts")).renderSession(model, columns);
  },
  clear: async (dir, agree) =>
    await (await load("../session_clear.ts")).clearSession(dir, { ...options, agree }),
  async fork(from, to, at) {
    return made(await forkSession(from, to, at === undefined ? options : { ...options, at }));
  },
  async repair(dir) {
    const { repairSession } = await load("../session_repair.ts");
    const report = await repairSession(dir, options);
    const lost = lostLines(report.lost);
    if (report.fault === undefined) {
      if (lost.length === 0) return [`${report.dir} is in order`];
      return [
        `the state of ${report.dir} is in order, but a part of what it saved is lost; ` +
        "all else can be used",
        ...lost,
      ];
    }
    const kept = report.keptAs === undefined
      ? ""
      : `, the damaged file is kept as ${report.keptAs}`;
    return [
      `restored ${report.dir} from ${report.restoredFrom}: it ends with query ${report.query}, ` +
      `step ${report.step}${kept}`,
      ...lost,
    ];
  },
  async export(dir, file) {
    const { exportSession } = await load("../session_bundle.ts");
    await exportSession(dir, file, options);
    return `wrote ${file}`;
  },
  async import(file, dir) {
    const { importSession } = await load("../session_bundle.ts");
    return made(await importSession(file, dir, options));
  },
};

/** Lost names that are told one by one. */
const maxLost = 200;

function lostLines(lost: readonly string[]): string[] {
  const lines = lost.slice(0, maxLost).map((line) => `lost: ${line}`);
  const more = lost.length - lines.length;
  return more === 0 ? lines : [...lines, `lost: ${grouped(more)} more`];
}

const made = (report: ForkReport): string =>
  `made ${report.dir}: it ends with query ${report.query} and has ` +
  `${counted(report.variables, "variable")} and ${counted(report.functions, "function")}`;
