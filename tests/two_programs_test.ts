import { deepStrictEqual } from "node:assert/strict";
import { join } from "@std/path";
import { withTempDir } from "./support/cli.ts";
import { contest } from "./support/two_programs.ts";

Deno.test("two programs at once on one session lose no answer and no state", async () => {
  await withTempDir(async (dir) => {
    // The long form is `deno task contest`.
    deepStrictEqual(await contest(join(dir, "session"), 3), {
      asked: 6,
      failed: [],
      lost: [],
      misnumbered: 0,
      stale: [],
    });
  });
});
