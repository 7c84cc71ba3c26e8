import assert from "node:assert/strict";
import { noUsage } from "../../lib/model/usage.ts";
import { formatAmount, formatCount, formatDuration, formatMoney } from "../../log/format.ts";
import { sumTallies, TallyBuilder, tallyOf } from "../../log/tally.ts";
import { readUsage, writeUsage } from "../../log/entry.ts";

const call = { ...noUsage, calls: 1 };

Deno.test("unknown is no zero: alone it stays unknown, beside a figure it makes a floor", () => {
  const builder = new TallyBuilder();
  builder.add({ ...call, unknownCalls: 1 });
  assert.equal(formatAmount(builder.get().total, formatCount), "unknown");
  builder.add({ ...call, promptTokens: 1000, completionTokens: 204, cost: 0.25 });
  assert.equal(formatAmount(builder.get().total, formatCount), "≥ 1,204");
  assert.equal(formatAmount(builder.get().cost, formatMoney), "≥ $0.2500");
  assert.equal(builder.get().calls, 2);
});

Deno.test("no call at all is unknown and spoils no other figure", () => {
  const sum = sumTallies([tallyOf(noUsage), tallyOf({ ...call, totalTokens: 7, cost: 0 })]);
  assert.deepEqual(sum.total, { value: 7, partial: false });
  assert.deepEqual(sum.cost, { value: 0, partial: false });
});

Deno.test("a total is made from its parts only where both are known", () => {
  assert.equal(tallyOf({ ...call, promptTokens: 5, completionTokens: 2 }).total.value, 7);
  assert.equal(tallyOf({ ...call, promptTokens: 5 }).total.value, undefined);
});

Deno.test("a ledger's sum with unknown calls is a floor", () => {
  const tally = tallyOf({ ...noUsage, calls: 3, unknownCalls: 1, totalTokens: 50 });
  assert.deepEqual(tally.total, { value: 50, partial: true });
});

Deno.test("money adds up without floating-point noise", () => {
  const builder = new TallyBuilder();
  for (let index = 0; index < 10; index++) builder.add({ ...call, cost: 0.1 });
  assert.equal(builder.get().cost.value, 1);
});

Deno.test("usage survives writing and reading; what is no figure is unknown", () => {
  const usage = { ...call, promptTokens: 3, cost: 0, unknownCalls: 0 };
  assert.deepEqual(readUsage(writeUsage(usage), 1), usage);
  const bad = readUsage(
    { prompt_tokens: "7", cost: null, total_tokens: NaN, cached_tokens: -1 },
    1,
  );
  assert.deepEqual(bad, call);
  assert.deepEqual(readUsage(null, 0), noUsage);
});

Deno.test("figures read well at every size", () => {
  assert.deepEqual([0, 0.000053, 0.0312, 1.25, 1234.5].map(formatMoney), [
    "$0",
    "$0.000053",
    "$0.0312",
    "$1.25",
    "$1234.50",
  ]);
  assert.deepEqual([3, 430, 12_300, 59_999, 298_000, 7_380_000].map(formatDuration), [
    "3ms",
    "430ms",
    "12.3s",
    "1m 00s",
    "4m 58s",
    "2h 03m",
  ]);
});
