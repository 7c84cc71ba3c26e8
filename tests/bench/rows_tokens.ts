import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { resumePreamble } from "../../lib/resume.ts";
import { allRestored, longSession } from "../support/long_session.ts";
import { fixedPrompts } from "../support/fixed_prompts.ts";
import type { Figure } from "./figure.ts";
import type { Row } from "./row.ts";

const count = (text: string): number => encode(text).length;

async function fixed(): Promise<Figure[]> {
  return (await fixedPrompts()).map(({ name, text, limit }) => ({
    row: `fixed prompt: ${name}`,
    unit: "tokens",
    value: count(text),
    ...(limit === undefined ? {} : { limit: { max: limit } }),
  }));
}

function resume(): Promise<Figure[]> {
  return Promise.resolve([7, 50, 500].map((queries) => {
    const session = longSession(queries);
    const { text, inventory } = resumePreamble(session, { restore: allRestored(session) });
    return {
      row: `resume prompt of a session of ${queries} queries`,
      unit: "tokens",
      value: count(`${text}\n\n${inventory}`),
      limit: { max: 3_000 },
    };
  }));
}

/** Rows about tokens. */
export const tokenRows: readonly Row[] = [
  { name: "prompts", measure: fixed },
  { name: "resume-prompt", measure: resume },
];
