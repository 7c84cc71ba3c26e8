/**
 * `fast-rlm-log PATH`: the same as `fast-rlm log PATH`, as a program of its own, for
 * `deno install --name fast-rlm-log`.
 *
 * @module
 */

import { start } from "./start.ts";

if (import.meta.main) await start(["log", ...Deno.args]);
