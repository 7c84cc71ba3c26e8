import type { LogModel } from "../../log/model.ts";
import type { Manifest } from "../session_format.ts";
import type { LogCommand } from "./command.ts";
import { EXIT } from "./exit.ts";
import type { Io } from "./io.ts";
import { createLiveRegion } from "./live_region.ts";
import { load } from "./parts.ts";

/** What following needs of the command around it. */
export interface FollowParts {
  readonly readManifest: (directory: string) => Promise<Manifest>;
  /** Columns that text may take now. */
  readonly columns: () => number;
}

/** Ends following at the first Ctrl-C or SIGTERM, so that what was drawn is left whole. */
class Ending implements Disposable {
  readonly #controller = new AbortController();
  readonly #listening: readonly (() => void)[];

  constructor(io: Io) {
    this.#listening = (["SIGINT", "SIGTERM"] as const).map((name) =>
      io.onSignal(name, () => this.#controller.abort())
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get code(): number {
    return this.signal.aborted ? EXIT.interrupted : EXIT.answer;
  }

  [Symbol.dispose](): void {
    for (const end of this.#listening) end();
  }
}

/**
 * `--text --follow`: each entry of the log as text, once its line is whole.
 *
 * @returns the exit code
 */
export async function followText(
  { path }: LogCommand,
  io: Io,
  { readManifest, columns }: FollowParts,
): Promise<number> {
  const [{ followLog }, { renderEntryText }] = await Promise.all([
    load("../../log/follow.ts"),
    load("../../log/render_text.ts"),
  ]);
  using ending = new Ending(io);
  const { signal } = ending;
  for await (const { entries } of followLog(path, { readManifest, clock: io.clock, signal })) {
    const texts = entries.map(({ entry }) => renderEntryText(entry, columns()));
    const text = texts.filter((each) => each !== "").map((each) => `${each}\n`).join("");
    if (text !== "") await io.stdout(text);
    if (io.readerGone()) break;
  }
  return ending.code;
}

/**
 * `--stats --follow`: the statistics, drawn over and over on a terminal, elsewhere printed anew after
 * every change. Once following ends they stay.
 *
 * @returns the exit code
 */
export async function followStats(
  { path }: LogCommand,
  io: Io,
  { readManifest, columns }: FollowParts,
): Promise<number> {
  const [{ followLog }, { renderStats }] = await Promise.all([
    load("../../log/follow.ts"),
    load("../../log/stats.ts"),
  ]);
  using ending = new Ending(io);
  let written = Promise.resolve();
  const region = createLiveRegion({
    write: (text) => written = written.then(() => io.stdout(text)),
    columns: () => io.size().columns,
  });
  let model: LogModel | undefined;
  const draw = (): void => {
    if (model === undefined) return;
    region.draw(page(renderStats(model, columns()), columns(), io.size().rows));
  };
  const endResize = io.terminal.stdout ? io.onSignal("SIGWINCH", draw) : () => {};
  try {
    const { signal } = ending;
    for await (const update of followLog(path, { readManifest, clock: io.clock, signal })) {
      model = update.model;
      if (io.terminal.stdout) draw();
      else await io.stdout(`${renderStats(model, columns())}\n`);
      if (io.readerGone()) break;
    }
  } finally {
    endResize();
    region.clear();
    await written;
  }
  if (io.terminal.stdout && model !== undefined) await io.stdout(renderStats(model, columns()));
  return ending.code;
}

/** Of statistics that are higher than the screen: the sums, then the newest. */
function page(text: string, columns: number, rows: number): string[] {
  const lines = text.trimEnd().split("\n");
  const hint = "following · Ctrl-C ends".slice(0, columns);
  const room = Math.max(1, rows - 3);
  const shown = lines.length <= room
    ? lines
    : room < 6
    ? lines.slice(0, room)
    : [...lines.slice(0, 2), "…", ...lines.slice(3 - room)];
  return rows < 4 ? shown : [...shown, "", hint];
}
