import { RlmError } from "../errors.ts";
import { showValue } from "../show_value.ts";

/** A whole number from 0 that an option was given. @throws {RlmError} `usage` where it is none */
export function wholeValue(flag: string, value: string, from = 0): number {
  const n = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (n >= from) return n;
  throw new RlmError(
    "usage",
    `Cannot use --${flag}: current value is ${
      showValue(value)
    }, expected a whole number from ${from}`,
  );
}
