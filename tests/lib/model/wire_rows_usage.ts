import { ok, usage, type WireRow, withUsage } from "./wire_row.ts";

/** Rows about usage in all its forms. */
export const usages: WireRow[] = [false, true].flatMap((router): WireRow[] => {
  const at = router ? " (OpenRouter)" : "";
  const row = (
    name: string,
    given: unknown,
    tokens: readonly (number | undefined)[],
    unknownCalls = 0,
  ): WireRow => ({
    name: `usage ${name}${at}`,
    answers: [withUsage(given)],
    router,
    text: ok,
    tokens,
    unknownCalls,
  });
  const none = [undefined, undefined, undefined, undefined, undefined];
  return [
    row("absent", undefined, none, 1),
    row("null", null, none, 1),
    row("empty", {}, none, 1),
    row(
      "of zeros is unknown",
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      none,
      1,
    ),
    row("partial", { prompt_tokens: 5 }, [5, undefined], 1),
    row("as strings", { prompt_tokens: "5", completion_tokens: "6" }, [5, 6]),
    row("as junk", { prompt_tokens: "x", completion_tokens: -1 }, none, 1),
    row("with details", {
      ...usage,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }, [11, 7, 4, 3]),
    row("with details null", { ...usage, prompt_tokens_details: null }, [11, 7, undefined]),
    row("with a cost", { ...usage, cost: 0.002 }, [11, 7, undefined, undefined, 0.002]),
    row("with a cost of 0", { ...usage, cost: 0 }, [11, 7, undefined, undefined, 0]),
    row("with a cost as string", { ...usage, cost: "0.001" }, [
      11,
      7,
      undefined,
      undefined,
      0.001,
    ]),
    row("with a cost null", { ...usage, cost: null }, [11, 7, undefined, undefined, undefined]),
    row("with a cost of junk", { ...usage, cost: {} }, [11, 7, undefined, undefined, undefined]),
    row("with a key of one's own", {
      ...usage,
      cost: 0.001,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.02 },
    }, [11, 7, undefined, undefined, 0.021]),
  ];
});
