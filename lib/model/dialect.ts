/** An error inside a body. */
export interface BodyError {
  /** HTTP status that the body names, or the one its code stands for. */
  readonly status: number;
  readonly reason: string;
  readonly code?: string;
  /** A wait that the body asks for, in the form of a `Retry-After` header. */
  readonly retryAfter?: string;
}

/** A part of an answer as far as the wire must understand it. */
export interface Piece {
  /** What the SDK provider is shown: only known fields, with the types that its checks want. */
  readonly body: unknown;
  /** Usage fields of this part; merged over those of earlier parts. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** The model refused, as the provider itself says. */
  readonly refused?: boolean;
  /** The model called a tool, although it was given none. */
  readonly calledTool?: boolean;
  /** No more follows; a stream that stops without it was cut. */
  readonly end?: boolean;
  /** Usage counts what was generated up to here, so that stopping now loses nothing. */
  readonly running?: boolean;
}

/**
 * What one kind of API puts into its bodies. The SDK providers refuse a whole answer over one odd
 * field (a cost that is null, say), so each body is reduced to what matters before they see it.
 */
export interface Dialect {
  /** An error in a body whatever its status; undefined where there is none. */
  errorIn(body: unknown): BodyError | undefined;
  /** A whole answer, or undefined where the body holds none. */
  whole(body: unknown): Piece | undefined;
  /** One event of a stream, or undefined where it has nothing for the provider. */
  event(body: unknown): Piece | undefined;
  /** An event that ends a reply, for streams that say `[DONE]` but never why. */
  readonly ending?: unknown;
}

/** Statuses that the codes and types in error bodies stand for. */
const statusOfCode: readonly (readonly [RegExp, number])[] = [
  [/insufficient|quota|credit|billing/i, 402],
  [/rate.?limit|too_many|resource_exhausted/i, 429],
  [/context_length|too_long/i, 400],
  [/auth|api_?key|unauthenticated/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/overloaded|unavailable/i, 503],
  [/timeout|deadline/i, 504],
  [/invalid|bad_request|failed_precondition/i, 400],
];

/** The status that an error's code or type stands for; 502 where they tell nothing. */
export function statusOf(...codes: unknown[]): number {
  for (const code of codes) {
    const number = typeof code === "string" ? Number(code) : code;
    if (typeof number === "number" && number >= 400 && number < 600) return number;
  }
  for (const code of codes) {
    if (typeof code !== "string") continue;
    const known = statusOfCode.find(([pattern]) => pattern.test(code));
    if (known) return known[1];
  }
  return 502;
}
