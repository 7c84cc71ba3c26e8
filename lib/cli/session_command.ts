import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { grouped } from "../../repl/grouped.ts";
import { inertLine } from "../inert_text.ts";
import type { SessionListing } from "../session_list.ts";
import type { SessionCommand } from "./command.ts";
import { formatBytes } from "../../log/format.ts";
import type { Io } from "./io.ts";
import { EXIT } from "./exit.ts";
import { SESSION_VERBS } from "./options.ts";
import { toJsonText } from "./result_json.ts";

/** What can be done to sessions; the real one is over `lib/session_admin.ts`. */
export interface SessionActions {
  /** All sessions below a directory, the bad ones too. */
  list(dir: string): Promise<readonly SessionListing[]>;
  /** The session as text of at most `columns` columns, or as JSON. */
  show(dir: string, options: { readonly json: boolean; readonly columns: number }): Promise<string>;
  /** `agree` is called once there is a session to clear; what it throws leaves all as it is. */
  clear(dir: string, agree: () => void): Promise<void>;
  /** Gives one line that says what was made. */
  fork(from: string, to: string, at: number | undefined): Promise<string>;
  /** Gives the lines that say what was brought back and what is lost. */
  repair(dir: string): Promise<readonly string[]>;
  export(dir: string, file: string): Promise<string>;
  import(file: string, dir: string): Promise<string>;
}

/**
 * `fast-rlm session …`. Lists and sessions go to standard output, what was done to standard error.
 *
 * @returns the exit code
 */
export async function sessionCommand(
  command: SessionCommand,
  io: Io,
  actions: SessionActions,
): Promise<number> {
  const [first = ".", second = ""] = command.paths;
  const done = (line: string): number => {
    io.stderr(`${inertLine(line, 2_000)}\n`);
    return EXIT.answer;
  };
  switch (command.verb) {
    case "list":
      return await list(await actions.list(first), command, io);
    case "show": {
      const columns = io.terminal.stdout ? io.size().columns : 120;
      const shown = await actions.show(first, { json: command.json, columns })
        .catch((error) => {
          throw command.implied ? orVerb(first, error) : error;
        });
      await io.stdout(shown);
      return EXIT.answer;
    }
    case "clear":
      await actions.clear(first, () => {
        if (!command.yes) confirm(`Remove all that the session ${first} holds?`, io);
      });
      return done(`cleared ${first}`);
    case "fork":
      return done(await actions.fork(first, second, command.at));
    case "repair":
      for (const line of await actions.repair(first)) done(line);
      return EXIT.answer;
    case "export":
      return done(await actions.export(first, second));
    case "import":
      return done(await actions.import(first, second));
  }
}

/** A lone word that is no session and looks like a verb was probably meant as one. */
function orVerb(word: string, error: unknown): unknown {
  if (!(error instanceof RlmError) || !/^[a-z-]{2,20}$/i.test(word)) return error;
  if (!error.message.endsWith(`: ${word} does not exist`)) return error;
  const verbs = Object.keys(SESSION_VERBS);
  const meant = didYouMean(word, verbs);
  const hint = meant === undefined ? "" : `did you mean ${meant}? `;
  const message = `${error.message}; if ${word} is to be a verb: ${hint}expected one of ${
    verbs.join(", ")
  }`;
  return new RlmError("usage", message, { cause: error });
}

/** Asks on a terminal; a script has to say `--yes`. */
function confirm(question: string, io: Io): void {
  if (!io.terminal.stdin || !io.terminal.stderr) {
    throw new RlmError(
      "usage",
      "Cannot clear a session without being asked: there is no terminal, write --yes",
    );
  }
  const answer = io.ask(`${inertLine(question, 500)} (y/N)`);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
    throw new RlmError("usage", "Cannot clear the session: the answer was no");
  }
}

async function list(
  sessions: readonly SessionListing[],
  command: SessionCommand,
  io: Io,
): Promise<number> {
  if (command.json) {
    await io.stdout(`${toJsonText(sessions)}\n`);
    return EXIT.answer;
  }
  if (sessions.length === 0) io.stderr("no session here\n");
  const now = io.clock.now();
  const rows = sessions.map((session) => {
    const path = inertLine(session.dir, 200);
    return session.fault === undefined
      ? [
        path,
        counted(session.queries ?? 0, "query", "queries"),
        counted(session.variables ?? 0, "variable"),
        formatBytes(session.bytes),
        session.modified === undefined ? "" : age(now - session.modified),
      ]
      : [path, `unreadable: ${inertLine(session.fault, 300)}`];
  });
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...rows.map((row) => row.length > 2 || column === 0 ? row[column]!.length : 0))
  );
  await io.stdout(
    rows.map((row) =>
      row.map((cell, i) => i === row.length - 1 ? cell : cell.padEnd(widths[i]!)).join("  ") + "\n"
    ).join(""),
  );
  return EXIT.answer;
}

/** "1 query", "2 queries". */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;

function age(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}
