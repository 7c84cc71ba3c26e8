import type { RestoreReport, Snapshot } from "../repl/snapshot.ts";
import { RlmError } from "./errors.ts";
import { inertLine } from "./inert_text.ts";
import {
  INLINE_BYTES,
  INLINE_TOTAL_BYTES,
  type Manifest,
  type Origin,
  type PayloadEntry,
  SMALL_BYTES,
} from "./session_format.ts";
import { boundComment, boundSnapshot, storedLimits } from "./session_limits.ts";
import { mergeState } from "./session_merge.ts";
import { payloadId, type ValueFiles } from "./session_values.ts";

/** Most names that were dropped in earlier queries and are still told, the newest. */
const MAX_LOST = 100;

/** A sweep and what is known of its step. */
export interface Sweep {
  readonly snapshot: Snapshot;
  readonly origin: Origin;
  /** Top-level names that the step assigned. */
  readonly assigned: readonly string[];
  /** Top-level names that the step read or wrote. */
  readonly used: readonly string[];
  readonly comments: ReadonlyMap<string, string>;
  readonly restoreFailed: RestoreReport["failed"];
}

/**
 * Takes sweeps into manifests: checks and stores the payloads, and remembers what the sandbox will
 * not send or tell again, so that a save that failed loses nothing.
 */
export class SweepReceiver {
  readonly #values: ValueFiles;
  /** Texts that came with sweeps that are not saved yet. */
  readonly #unsavedTexts = new Map<string, string>();
  /** Payloads of the manifest before: a sweep may have begun while it was the present one. */
  #previous: Manifest["payloads"] = {};
  /** Texts that waited then, and that the present manifest does without. */
  #previousTexts: ReadonlyMap<string, string> = new Map();
  #loadFailed: RestoreReport["failed"] = [];
  #lost: readonly string[] = [];
  /** Names seen in sweeps since the restore: what happened to them before is over. */
  readonly #seen = new Set<string>();

  constructor(values: ValueFiles) {
    this.#values = values;
  }

  /** A restore from this state begins; these names could not be loaded. */
  restoring(manifest: Manifest, failed: RestoreReport["failed"]): void {
    this.#loadFailed = failed;
    this.#lost = Object.entries(manifest.dropped)
      .sort(([, a], [, b]) => b.query - a.query || b.step - a.step)
      .slice(0, MAX_LOST)
      .map(([name]) => name);
    this.#seen.clear();
  }

  /** Ids of payloads whose text need not be sent. */
  known(manifest: Manifest): string[] {
    const whole = Object.entries(manifest.payloads)
      .filter(([, entry]) => !this.#values.isDamaged(entry))
      .map(([id]) => id);
    return [...new Set([...whole, ...this.#unsavedTexts.keys()])];
  }

  /** The manifest with the sweep in it; value files are written, nothing else. */
  async merge(manifest: Manifest, sweep: Sweep): Promise<{ manifest: Manifest; written: number }> {
    const snapshot = boundSnapshot(sweep.snapshot);
    await this.#receive(snapshot);
    const { fresh, written } = await this.#store(manifest, snapshot);
    const comments = [...sweep.comments].map(([name, comment]) =>
      [name, boundComment(comment)] as const
    );
    const state = mergeState(manifest, {
      ...sweep.origin,
      snapshot,
      assigned: sweep.assigned,
      used: sweep.used,
      comments: new Map(comments),
      failed: this.#carried(sweep.restoreFailed),
      lost: this.#lost.filter((name) => !this.#seen.has(name)),
      fresh,
    });
    return { manifest: { ...manifest, ...state }, written };
  }

  /** The sweep is on disk, in the manifest `after` that follows `before`. */
  saved(before: Manifest, after: Manifest, snapshot: Snapshot): void {
    this.#previous = before.payloads;
    this.#previousTexts = new Map(
      [...this.#unsavedTexts].filter(([id]) => after.payloads[id] === undefined),
    );
    this.#unsavedTexts.clear();
    for (const list of [snapshot.variables, snapshot.functions, snapshot.dropped]) {
      for (const { name } of list) this.#seen.add(name);
    }
  }

  /** Names that could not be restored and that no sweep since has shown. */
  #carried(failed: RestoreReport["failed"]): RestoreReport["failed"] {
    return [...this.#loadFailed, ...failed]
      .filter(({ name }) => !this.#seen.has(name))
      .map(({ name, reason }) => ({ name, reason: inertLine(reason, storedLimits.reason) }));
  }

  /** The sandbox is not trusted to hash. */
  async #receive(snapshot: Snapshot): Promise<void> {
    for (const { id, text } of snapshot.payloads) {
      if (text === undefined) continue;
      if (await payloadId(new TextEncoder().encode(text)) !== id) {
        const message = "Cannot save the step: the sandbox sent a payload under a wrong hash";
        throw new RlmError("sandbox", message);
      }
      this.#unsavedTexts.set(id, text);
    }
  }

  /** Entries of the payloads that the manifest does not have, or not whole. */
  async #store(
    manifest: Manifest,
    snapshot: Snapshot,
  ): Promise<{ fresh: Map<string, PayloadEntry>; written: number }> {
    const refs = [...snapshot.variables, ...snapshot.functions].map((entry) => entry.ref.payload);
    const fresh = new Map<string, PayloadEntry>();
    let written = 0;
    let inline = 0;
    for (const entry of Object.values(manifest.payloads)) {
      if (entry.text !== undefined) inline += entry.bytes;
    }
    for (const id of new Set(refs)) {
      const present = manifest.payloads[id];
      if (present !== undefined && !this.#values.isDamaged(present)) continue;
      const text = this.#unsavedTexts.get(id) ?? this.#previousTexts.get(id);
      if (text === undefined) {
        const earlier = this.#previous[id];
        if (present === undefined && earlier !== undefined) fresh.set(id, earlier);
        continue;
      }
      // A manifest with many middling values would be slow to write at every step.
      const limit = inline < INLINE_TOTAL_BYTES ? INLINE_BYTES : SMALL_BYTES;
      const stored = await this.#values.store(id, text, limit);
      if (stored.entry.text !== undefined) inline += stored.entry.bytes;
      fresh.set(id, stored.entry);
      written += stored.written;
    }
    return { fresh, written };
  }
}
