/** Longest pattern accepted. */
const MAX_PATTERN = 200;
/** Steps that the patterns of one validation may take in the worst case: about a second. */
const MAX_STEPS = 3e8;

/** What running a pattern costs at worst: `length ** degree * 2 ** choices` steps. */
export interface PatternCost {
  readonly degree: number;
  readonly choices: number;
}

/**
 * The cost of a pattern that agent code wrote, or undefined where it has no bound worth the name: V8
 * backtracks, so a hostile pattern could hold the host for ever. Accepted are patterns without
 * quantified groups and back references, with few alternatives and open quantifiers.
 */
export function patternCost(pattern: string): PatternCost | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  // Classes and escapes match one character each: none of their signs count.
  const plain = pattern
    .replace(/\\(?:[pP]\{[^}]*\}|[\s\S])/g, (escape) => /^\\[1-9k]/.test(escape) ? "\0" : "a")
    .replace(/\[[^\]]*\]/g, "a");
  if (plain.includes("\0") || /\)[*+?{]/.test(plain)) return undefined;
  const count = (sign: RegExp): number => plain.match(sign)?.length ?? 0;
  const alternatives = count(/\|/g);
  const choices = alternatives + count(/[^(*+?}]\?/g);
  const anchored = plain.startsWith("^") && alternatives === 0;
  const degree = count(/[*+]/g) + count(/\{\d*,\d*\}/g) + (anchored ? 0 : 1);
  return choices <= 8 && degree <= 3 ? { degree, choices } : undefined;
}

interface BoundedPattern {
  test(text: string): boolean;
  toString(): string;
}

/** A regular-expression engine for ajv with an allowance for each validation. */
export interface BoundedEngine {
  /** In the form that ajv's `code.regExp` wants. */
  readonly regExp: {
    (pattern: string, flags: string): BoundedPattern;
    code: string;
  };
  /** Begins a validation: the whole allowance is there again. */
  reset(): void;
}

/** An engine that stops matching, with "does not match", once the allowance is used up. */
export function boundedEngine(): BoundedEngine {
  let left = MAX_STEPS;
  const regExp = (pattern: string, flags: string): BoundedPattern => {
    const compiled = new RegExp(pattern, flags);
    const cost = patternCost(pattern);
    return {
      test: (text) => {
        if (cost === undefined) return false;
        left -= Math.max(1, text.length) ** cost.degree * 2 ** cost.choices;
        return left >= 0 && compiled.test(text);
      },
      // ajv tells its patterns apart by this.
      toString: () => String(compiled),
    };
  };
  return {
    regExp: Object.assign(regExp, { code: "boundedRegExp" }),
    reset: () => {
      left = MAX_STEPS;
    },
  };
}
