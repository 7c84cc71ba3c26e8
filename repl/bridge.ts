/**
 * Calls from agent code to the host, and the REPL's own names. Arguments leave encoded, replies come
 * back encoded; the natives used here are taken before agent code can replace them.
 */
import { decodeBody, encodeBody } from "./body.ts";
import type { Form } from "./protocol.ts";

/** A call on its way to the host. */
export interface OutgoingCall {
  readonly call: number;
  readonly name: "llm_query" | "llm_complete" | "tool";
  readonly options: Readonly<Record<string, unknown>>;
  readonly form: Form;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What the host answered. */
export type IncomingReply =
  | { readonly ok: true; readonly form: Form; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly error: { name: string; message: string; code?: string } };

/** Calls and their replies. */
export interface Bridge {
  /** Starts a call; rejects with an Error that carries the host's name, message and code. */
  call(
    name: OutgoingCall["name"],
    options: OutgoingCall["options"],
    value: unknown,
  ): Promise<unknown>;
  /** Delivers the host's reply to whoever waits. Unknown numbers are ignored. */
  deliver(call: number, reply: IncomingReply): void;
  /** Resolves when no call is outstanding; one waiter at a time. */
  settled(): Promise<void>;
  /** Calls outstanding now. */
  outstanding(): number;
  /** While true every call is refused: definitions are re-executed without side effects. */
  disabled: boolean;
  /** Whether a step runs: at any other time every call is refused. */
  open: boolean;
}

const { call: fnCall } = Function.prototype;
const NativePromise = Promise;
const NativeError = Error;
const NativeTypeError = TypeError;
/** Calls that may wait at once; the host would take more for a breach. */
const MAX_OUTSTANDING = 5_000;
/** Characters of a call's options as JSON; the host takes 1 MiB, and a character is at most 3 bytes. */
const MAX_OPTIONS = 300_000;
const { stringify } = JSON;

interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** `post` hands a call to the sandbox's relay. */
export function createBridge(post: (call: OutgoingCall) => void): Bridge {
  const waiters = new Map<number, Waiter>();
  const get = fnCall.bind(Map.prototype.get) as (m: unknown, k: number) => Waiter | undefined;
  const set = fnCall.bind(Map.prototype.set) as (m: unknown, k: number, v: Waiter) => void;
  const remove = fnCall.bind(Map.prototype.delete) as (m: unknown, k: number) => void;
  let count = 0;
  let next = 1;
  let whenIdle: (() => void) | undefined;
  const bridge: Bridge = {
    disabled: false,
    open: false,
    call(name, options, value) {
      return new NativePromise((resolve, reject) => {
        if (bridge.disabled) {
          throw new NativeError(`${name} is not available while saved definitions are restored`);
        }
        if (!bridge.open) throw new NativeError(`${name} can be called only while a step runs`);
        if (count >= MAX_OUTSTANDING) {
          throw new NativeError(
            `${name}: ${MAX_OUTSTANDING} calls are waiting already; await some first`,
          );
        }
        if (stringify(options).length > MAX_OPTIONS) {
          throw new NativeTypeError(
            `${name}: its options are longer than ${MAX_OPTIONS} characters; put text into the context`,
          );
        }
        const { form, bytes: body, loss } = encodeBody(value);
        if (loss.length > 0) throw new NativeTypeError(`Cannot pass a value on: ${loss[0]}`);
        const id = next++;
        set(waiters, id, { resolve, reject });
        count++;
        try {
          post({ call: id, name, options, form, body });
        } catch (error) {
          // The stack was full: nobody will answer this one.
          remove(waiters, id);
          count--;
          throw error;
        }
      });
    },
    deliver(id, reply) {
      const waiter = get(waiters, id);
      if (!waiter) return;
      remove(waiters, id);
      count--;
      try {
        if (reply.ok) waiter.resolve(decodeBody({ form: reply.form, bytes: reply.body }));
        else {
          const error = new NativeError(reply.error.message);
          error.name = reply.error.name;
          if (reply.error.code !== undefined) {
            (error as Error & { code?: string }).code = reply.error.code;
          }
          waiter.reject(error);
        }
      } catch (error) {
        waiter.reject(error);
      }
      if (count === 0) {
        const idle = whenIdle;
        whenIdle = undefined;
        idle?.();
      }
    },
    settled() {
      return new NativePromise((resolve) => {
        if (count === 0) resolve();
        else whenIdle = resolve;
      });
    },
    outstanding: () => count,
  };
  return bridge;
}
