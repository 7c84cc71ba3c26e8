import { didYouMean } from "../did_you_mean.ts";
import { RlmError } from "../errors.ts";
import { showName } from "../show_value.ts";
import type { CommandName } from "./options.ts";
import { OPTIONS } from "./all_options.ts";
import { findOption } from "./tokens.ts";

/** What is wrong with an option that `command` does not have, and the way out. */
export function unknownOption(name: string, command: CommandName): RlmError {
  const shown = showName(name);
  const owner = (Object.keys(OPTIONS) as CommandName[]).find((other) =>
    findOption(name, OPTIONS[other]) !== undefined
  );
  if (owner !== undefined) {
    return new RlmError(
      "usage",
      `Cannot use ${shown} here: it belongs to fast-rlm ${owner}, see fast-rlm help ${owner}`,
    );
  }
  if (/^-\d/.test(name)) {
    return new RlmError("usage", `Cannot use ${shown}: for a prompt write -- ${shown}`);
  }
  const meant = didYouMean(name.replace(/^-+/, ""), OPTIONS[command].map((o) => o.flag));
  const hint = meant === undefined
    ? `see fast-rlm help${command === "run" ? "" : ` ${command}`}`
    : `did you mean --${meant}?`;
  return new RlmError("usage", `Cannot use ${shown}: there is no such option; ${hint}`);
}
