import { systemClock } from "../clock.ts";
import { denoFileSystem } from "../file_system.ts";
import { clearSession, existing, type ForkReport, forkSession } from "../session_admin.ts";
import { exportSession, importSession } from "../session_bundle.ts";
import { listSessions } from "../session_list.ts";
import { repairSession } from "../session_repair.ts";
import { load } from "./parts.ts";
import { counted, type SessionActions } from "./session_command.ts";

const options = { clock: systemClock, fs: denoFileSystem };

/** What the session command does, over the store and the log. */
export const sessionActions: SessionActions = {
  list: (dir) => listSessions(dir, denoFileSystem),
  async show(dir, { json, columns }) {
    await existing(dir, denoFileSystem);
    const [{ openLog }, { readManifest }] = await Promise.all([
      load("../../log/open.ts"),
      load("./read_manifest.ts"),
    ]);
    const model = await openLog(dir, { readManifest, detail: "counts" });
    if (json) return (await load("../../log/render_json.ts")).renderJson(model);
    return (await load("../../log/stats.ts")).renderStats(model, columns);
  },
  clear: (dir) => clearSession(dir, options),
  async fork(from, to, at) {
    return made(await forkSession(from, to, at === undefined ? options : { ...options, at }));
  },
  async repair(dir) {
    const report = await repairSession(dir, options);
    if (report.fault === undefined) return [`${report.dir} is in order`];
    const kept = report.keptAs === undefined
      ? ""
      : `, the damaged file is kept as ${report.keptAs}`;
    return [
      `restored ${report.dir} from ${report.restoredFrom}: it ends with query ${report.query}, ` +
      `step ${report.step}${kept}`,
      ...report.lost.map((line) => `lost: ${line}`),
    ];
  },
  async export(dir, file) {
    await exportSession(dir, file, options);
    return `wrote ${file}`;
  },
  async import(file, dir) {
    return made(await importSession(file, dir, options));
  },
};

const made = (report: ForkReport): string =>
  `made ${report.dir}: it ends with query ${report.query} and has ` +
  `${counted(report.variables, "variable")} and ${counted(report.functions, "function")}`;
