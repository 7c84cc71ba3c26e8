import type { Manifest } from "../session_format.ts";
import type { LogModel } from "../../log/model.ts";
// What nearly every call needs, read in one go with this file; the other views are loaded on demand.
import { openLog } from "../../log/open.ts";
import { renderStats } from "../../log/stats.ts";
import type { LogCommand } from "./command.ts";
import type { Io } from "./io.ts";
import { EXIT } from "./exit.ts";
import { load } from "./parts.ts";

/** Columns that text has where nobody said how many. */
const PIPE_COLUMNS = 120;

/**
 * `fast-rlm log PATH`: a transcript or session as statistics, text, JSON, a page, or on the terminal.
 *
 * @returns the exit code
 * @throws {LogError} where there is nothing to show
 * @throws {RlmError} `session_unreadable` for a damaged session
 */
export async function logCommand(command: LogCommand, io: Io): Promise<number> {
  const view = viewOf(command, io);
  if (command.follow && view !== "tui") {
    const { followStats, followText } = await load("./log_follow.ts");
    const parts = { readManifest, columns: () => columns(io) };
    return await (view === "text" ? followText : followStats)(command, io, parts);
  }
  // Statistics need no steps; the other views leave them out where a log is too large to be held.
  const detail = view === "stats" ? "counts" : "auto";
  const model = await openLog(command.path, { readManifest, detail });
  switch (view) {
    case "stats":
      await io.stdout(renderStats(model, columns(io)));
      return EXIT.answer;
    case "text":
      return await writeText(model, io);
    case "json": {
      const { renderJson } = await load("../../log/render_json.ts");
      await io.stdout(renderJson(model));
      return EXIT.answer;
    }
    case "html":
      return await writePage(model, command.htmlFile ?? "-", io);
    case "tui": {
      const { browse } = await load("./log_browse.ts");
      if (await browse(command, model, io, readManifest)) return EXIT.answer;
      io.stderr("no terminal to browse on, here are the statistics\n");
      await io.stdout(renderStats(model, columns(io)));
      return EXIT.answer;
    }
  }
}

/** Without a view: statistics; of a followed log in a pipe, where nothing is redrawn, plain lines. */
function viewOf(command: LogCommand, io: Io): Exclude<LogCommand["view"], "auto"> {
  if (command.view !== "auto") return command.view;
  return command.follow && !io.terminal.stdout ? "text" : "stats";
}

/** Loaded only for a session: a transcript needs no store. */
async function readManifest(directory: string): Promise<Manifest> {
  return await (await load("./read_manifest.ts")).readManifest(directory);
}

const columns = (io: Io): number => io.terminal.stdout ? io.size().columns : PIPE_COLUMNS;

async function writeText(model: LogModel, io: Io): Promise<number> {
  const { renderText, textPieces } = await load("../../log/render_text.ts");
  const isLarge = model.queries.some((query) => query.transcript?.detail === "counts");
  if (!isLarge) await io.stdout(renderText(model, columns(io)));
  else {
    for (const piece of textPieces(model, columns(io))) {
      await io.stdout(piece);
      if (io.readerGone()) break;
    }
  }
  return EXIT.answer;
}

async function writePage(model: LogModel, file: string, io: Io): Promise<number> {
  const { renderHtml } = await load("../../log/render_html.ts");
  const page = renderHtml(model);
  if (file === "-") {
    await io.stdout(page);
    return EXIT.answer;
  }
  try {
    await Deno.writeTextFile(file, page, { mode: 0o600 });
  } catch (error) {
    throw (await load("../disk_error.ts")).diskError(file, "write the page", error, "");
  }
  io.stderr(`wrote ${file}\n`);
  return EXIT.answer;
}
