/** Contexts up to this many bytes may be passed on whole: reading them twice costs little. */
const SMALL_BYTES = 64 * 1024;
/** The share of an agent's context that counts as nearly all of it. */
const NEARLY_ALL = 0.9;
/** Places of the parent's context that are looked for in the child's, and their length. */
const SAMPLES = 20;
const SAMPLE_LENGTH = 64;

/** What the host knows of a context that is about to be passed down. */
export interface Delegation {
  /** UTF-8 bytes of the context of the agent that delegates. */
  readonly parentBytes: number;
  /** UTF-8 bytes of the context for the sub-agent. */
  readonly childBytes: number;
  /**
   * Whether the child's context holds nearly all of the parent's (see {@linkcode holdsNearlyAll}).
   * Undefined where it is not known; then the sizes decide.
   */
  readonly shared?: boolean | undefined;
  /** The agent asked for it: `{whole: true}`. */
  readonly whole?: boolean | undefined;
}

/**
 * Whether a sub-agent would get nearly all of a large context, which only pays for the same reading
 * again. Contexts of up to 64 KiB and a deliberate `{whole: true}` pass.
 *
 * @returns undefined where it may go on, else the refusal with its advice, for the agent
 */
export function checkDelegation(delegation: Delegation): string | undefined {
  const { parentBytes, childBytes, shared, whole } = delegation;
  if (whole === true || parentBytes <= SMALL_BYTES) return undefined;
  if (childBytes < NEARLY_ALL * parentBytes) return undefined;
  if (!(shared ?? childBytes <= 1.1 * parentBytes)) return undefined;
  return `Cannot delegate nearly all of the context: it has ${megabytes(parentBytes)}, the ` +
    `sub-agent would get ${megabytes(childBytes)}; filter or split it in code first and pass the ` +
    "parts, or pass {whole: true} if one agent must read it all";
}

const megabytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Whether nearly all of `parent` stands in `child`, also with words around it: tells from 20 places
 * spread over `parent`, and stops as soon as it is sure that it does not.
 */
export function holdsNearlyAll(parent: string, child: string): boolean {
  if (parent === child) return true;
  if (child.length < NEARLY_ALL * parent.length) return false;
  if (parent.length <= SAMPLE_LENGTH) return child.includes(parent);
  let missed = 0;
  let from = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const at = Math.floor((parent.length - SAMPLE_LENGTH) * i / (SAMPLES - 1));
    const sample = parent.slice(at, at + SAMPLE_LENGTH);
    // Text that was kept is mostly kept in order: searching on from the last hit reads it once.
    const hit = child.indexOf(sample, from);
    if (hit >= 0) from = hit;
    else if (++missed > SAMPLES * (1 - NEARLY_ALL)) return false;
  }
  return true;
}
