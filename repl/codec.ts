import { type EncodeContext, unsaveableBrand, unsaveableClass } from "./encode_context.ts";
import { Encoder } from "./encoder.ts";
import { hydrate, openPayload } from "./hydrate.ts";
import { withPristine } from "./intrinsics.ts";
import type { Brand } from "./kinds.ts";
import type { Loss } from "./snapshot.ts";
import { CapExceeded, DecodeError } from "./table.ts";

export { DecodeError };

/** Thrown when nothing honest is left of a value: it is a promise, a function, or over its cap. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
}

/** Limits of an encoding. */
export interface EncodeOptions {
  /** Most UTF-8 bytes of the text. @default unlimited */
  readonly capBytes?: number;
  /** What the value is called in paths. @default "value" */
  readonly name?: string;
}

/** A value that crosses the pipe: data only, so no functions, built-ins or classes of the agent. */
class DataContext implements EncodeContext {
  readonly natives = false;
  readonly flattens = true;
  unsaveable(value: object, brand: Brand): string | undefined {
    if (brand === "function") return "is a function";
    const reason = unsaveableBrand(value, brand);
    if (reason !== undefined) return reason;
    return unsaveableClass(value, () => undefined);
  }
  own(): boolean {
    return true;
  }
  describe(): never {
    throw new EncodeError("functions cannot be encoded as data");
  }
}

/**
 * Encodes a value as devalue text that `decodeValue` reads: cycles, shared references, typed arrays,
 * errors, property descriptors. Functions and other parts that are no data are left out and named.
 * @throws EncodeError where nothing honest is left, or the text would exceed `capBytes`.
 */
export function encodeValue(
  value: unknown,
  options: EncodeOptions = {},
): { text: string; loss: Loss[] } {
  const { capBytes = Infinity, name = "value" } = options;
  return withPristine(() => {
    const encoder = new Encoder(new DataContext(), capBytes);
    try {
      const reason = encoder.add(name, value);
      if (reason !== undefined) throw new EncodeError(`Cannot send ${name}: it ${reason}`);
      return { text: encoder.finish(), loss: encoder.losses };
    } catch (error) {
      if (!(error instanceof CapExceeded)) throw error;
      throw new EncodeError(
        `Cannot send ${name}: it is larger than ${capBytes} bytes when encoded`,
      );
    }
  });
}

/**
 * Reads text of `encodeValue`; safe with hostile text: bounded, no code, no prototype is touched.
 * @throws DecodeError where the text is not what an encoder writes.
 */
export function decodeValue(text: string): unknown {
  return withPristine(() => {
    const open = openPayload(text);
    if (open.definitions !== undefined) {
      throw new DecodeError("the text holds functions, which are not data");
    }
    return hydrate(open)[0];
  });
}
