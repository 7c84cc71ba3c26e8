import type { QueryEntry } from "../lib/session_format.ts";
import { readTime } from "./entry.ts";
import type { QueryModel, Totals, TranscriptModel } from "./model.ts";
import { type Amount, sumTallies, tallyOf } from "./tally.ts";

/**
 * A query of a session's ledger with its transcript. Of the two, the one that counts more model
 * calls tells the usage: a killed run leaves the ledger short, a damaged transcript the log.
 */
export function queryOfLedger(
  entry: QueryEntry,
  transcript: TranscriptModel | undefined,
  missing: string | undefined,
): QueryModel {
  const ledger = tallyOf(entry.usage);
  const logged = transcript?.tally;
  const rootSteps = transcript?.roots[0]?.stepCount ?? 0;
  return {
    number: entry.number,
    query: entry.query,
    status: entry.status,
    // JSON cannot hold an undefined answer: an answered query without one answered just that.
    ...(("final" in entry || entry.status === "answered") && { final: entry.final }),
    error: entry.error,
    started: readTime(entry.started) ?? transcript?.started,
    ended: readTime(entry.ended) ?? transcript?.ended,
    steps: Math.max(entry.steps, entry.status === "running" ? rootSteps : 0),
    tally: logged !== undefined && logged.calls >= ledger.calls ? logged : ledger,
    transcript,
    missing: transcript === undefined ? missing ?? "not linked" : undefined,
  };
}

/** A transcript that no ledger names, as a query of its own. */
export function queryOfTranscript(transcript: TranscriptModel, number: number): QueryModel {
  return {
    number: transcript.query ?? number,
    query: transcript.prompt ?? transcript.roots[0]?.task ?? "",
    status: transcript.status,
    ...("final" in transcript && { final: transcript.final }),
    error: transcript.error,
    started: transcript.started,
    ended: transcript.ended,
    steps: transcript.steps,
    tally: transcript.tally,
    transcript,
    missing: undefined,
  };
}

/** Milliseconds that a query took; undefined while its end is unknown. */
export function durationOf(
  { started, ended }: { readonly started: number | undefined; readonly ended: number | undefined },
): number | undefined {
  return started === undefined || ended === undefined ? undefined : Math.max(0, ended - started);
}

/** What queries took together; of those that have not ended, or were killed, nobody knows. */
function timeOf(queries: readonly QueryModel[]): Amount {
  const known = queries.map(durationOf).filter((ms) => ms !== undefined);
  if (known.length === 0 && queries.length > 0) return { value: undefined, partial: false };
  return { value: known.reduce((sum, ms) => sum + ms, 0), partial: known.length < queries.length };
}

/** The sums over queries. */
export function totalsOf(queries: readonly QueryModel[]): Totals {
  return {
    queries: queries.length,
    answered: queries.filter((query) => query.status === "answered").length,
    steps: queries.reduce((sum, query) => sum + query.steps, 0),
    tally: sumTallies(queries.map((query) => query.tally)),
    ms: timeOf(queries),
    skipped: queries.reduce((sum, query) => sum + (query.transcript?.skipped.count ?? 0), 0),
  };
}
