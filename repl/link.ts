/**
 * Makes the values of a table that holds data alone in the rows that JSON made: a row is given what
 * its indices stand for and is then the value. devalue makes every object and array anew, which
 * takes most of the time of reading a large state.
 */
import { DecodeError, MAX_DEPTH } from "./table.ts";

/** What indices below zero stand for, by their amount, as devalue has it. */
const CONSTANTS: readonly unknown[] = [, undefined, undefined, NaN, Infinity, -Infinity, -0];
const HOLE = -2;
const SPARSE = -7;

/**
 * The first value of a checked table, made in its rows, which are used up.
 * @returns undefined, and the rows as they were, where a row is for devalue: anything but plain
 * objects, full arrays, Maps, Sets and Dates
 * @throws {DecodeError} where rows are nested deeper than an encoder writes them
 */
export function linkTable(rows: unknown[]): { readonly root: unknown } | undefined {
  const values = shells(rows);
  if (values === undefined) return undefined;
  const linker = new Linker(values, startDepths(rows));
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (typeof row !== "object" || row === null) continue;
    if (!Array.isArray(row)) linker.object(i, row as Record<string, unknown>);
    else if (typeof row[0] === "string") linker.collection(i, row);
    else linker.array(i, row);
  }
  return { root: values[0] };
}

/** The rows, with the collections and dates in the place of theirs. */
function shells(rows: unknown[]): unknown[] | undefined {
  let values = rows;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (!Array.isArray(row)) continue;
    const tag: unknown = row[0];
    if (tag === SPARSE) return undefined;
    if (typeof tag !== "string") continue;
    const shell = emptyOf(tag, row[1]);
    if (shell === undefined) return undefined;
    if (values === rows) values = rows.slice();
    values[i] = shell;
  }
  return values;
}

function emptyOf(tag: string, text: unknown): object | undefined {
  if (tag === "Map") return new Map();
  if (tag === "Set") return new Set();
  return tag === "Date" ? new Date(text as string) : undefined;
}

type Depths = Uint8Array | number[];

/** A buffer costs more than a small table is worth. */
function zeros(length: number): Depths {
  return length > 1_000 ? new Uint8Array(length) : new Array<number>(length).fill(0);
}

/** What slots and patches name is met before the rows that name it, and lies at depth 1. */
function startDepths(rows: readonly unknown[]): Depths {
  const depths = zeros(rows.length);
  const { v, p } = rows[0] as { v?: number; p?: number };
  meetAll(rows, v, depths);
  for (const patch of meetAll(rows, p, depths)) meetAll(rows, patch, depths);
  return depths;
}

function meetAll(rows: readonly unknown[], at: number | undefined, depths: Depths): number[] {
  const row = at === undefined ? undefined : rows[at];
  if (!Array.isArray(row)) return [];
  for (let i = 0; i < row.length; i++) if (row[i] >= 0) depths[row[i]] = 1;
  return row;
}

/** Puts values in the place of indices, row by row from the first. */
class Linker {
  constructor(
    private readonly values: readonly unknown[],
    private readonly depths: Depths,
  ) {}

  object(at: number, row: Record<string, unknown>): void {
    for (const key in row) row[key] = this.value(at, row[key] as number);
  }

  array(at: number, row: unknown[]): void {
    for (let i = 0; i < row.length; i++) {
      if (row[i] === HOLE) delete row[i];
      else row[i] = this.value(at, row[i] as number);
    }
  }

  collection(at: number, row: readonly unknown[]): void {
    const shell = this.values[at];
    if (shell instanceof Map) {
      for (let i = 1; i < row.length; i += 2) {
        shell.set(this.value(at, row[i] as number), this.value(at, row[i + 1] as number));
      }
    } else if (shell instanceof Set) {
      for (let i = 1; i < row.length; i++) shell.add(this.value(at, row[i] as number));
    }
  }

  private value(from: number, ref: number): unknown {
    if (ref < 0) return CONSTANTS[-ref];
    const value = this.values[ref];
    if (typeof value === "object" && value !== null) this.meet(from, ref);
    return value;
  }

  /** An encoder gives a row to what it meets first inside another, and none beyond its depth. */
  private meet(from: number, ref: number): void {
    const known = this.depths[ref] as number;
    if (ref > from) {
      const depth = this.depths[from] as number + 1;
      if (depth > MAX_DEPTH) throw new DecodeError("the saved text is damaged: it is too deep");
      if (known === 0 || depth < known) this.depths[ref] = depth;
    } else if (known === 0 && ref !== from) {
      throw new DecodeError("the saved text is damaged: its order");
    }
  }
}
