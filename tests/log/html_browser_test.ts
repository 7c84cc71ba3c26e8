import assert from "node:assert/strict";
import { join, toFileUrl } from "@std/path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openLog } from "../../log/open.ts";
import { renderHtml } from "../../log/render_html.ts";
import { withBrowser } from "../support/browser.ts";
import { type SampleSessionOptions, writeSampleSession } from "../support/sample_transcript.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** Opens the report of a sample session; fails on any error, refused content or request. */
async function withReport(
  sample: SampleSessionOptions,
  options: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  await withTempDir((directory) =>
    withBrowser(async (browser) => {
      const manifest = writeSampleSession(directory, sample);
      const html = renderHtml(await openLog(directory, { readManifest: () => manifest }));
      const file = join(directory, "report.html");
      Deno.writeTextFileSync(file, html);
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const wrong: string[] = [];
      const url = toFileUrl(file).href;
      page.on("console", (message) => wrong.push(message.text()));
      page.on("pageerror", (error) => wrong.push(error.message));
      page.on("request", (request) => request.url() === url || wrong.push(request.url()));
      await page.goto(url);
      await use(page);
      assert.deepEqual(wrong, []);
    })
  );
}

const visible = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).filter({ visible: true }).count();

const browserTest = (name: string, fn: () => Promise<void>): void =>
  // The browser's driver keeps handles of its own until the process ends.
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });

browserTest(
  "the report is driven by keyboard alone",
  () =>
    withReport({ queries: 3 }, { viewport: { width: 1000, height: 800 } }, async (page) => {
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("details.query[open]").getAttribute("data-id"), "1");
      assert.equal(await visible(page, "summary.row.step"), 4);
      assert.equal(await visible(page, "summary.row.agent"), 2);
      await page.keyboard.press("j");
      await page.keyboard.press("ArrowRight");
      assert.match(
        await page.locator("details.step[open] .block.code pre").innerText(),
        /const rows1/,
      );
      assert.ok(await page.locator("details.step[open] .t-keyword").count() > 0);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("details.step[open]").count(), 0);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("details.query[open]").count(), 0);
      await page.keyboard.press("k");
      await page.keyboard.press("k");
      assert.equal(
        await page.evaluate("document.activeElement.closest('details').dataset.id"),
        "0",
      );
      await page.keyboard.press("?");
      assert.equal(await visible(page, "dialog"), 1);
      await page.keyboard.press("Escape");
      assert.equal(await visible(page, "dialog"), 0);
    }),
);

browserTest(
  "the filter finds questions, code, answers and memory",
  () =>
    withReport({ queries: 3 }, {}, async (page) => {
      const filter = async (text: string) => {
        await page.keyboard.press("/");
        await page.locator("#filter").fill(text);
        return {
          queries: await visible(page, "details.query"),
          items: await visible(page, "details.item"),
        };
      };
      assert.deepEqual(await filter("tool number 14"), { queries: 1, items: 0 });
      assert.deepEqual(await filter("PARSEEPISODE"), { queries: 0, items: 1 });
      assert.deepEqual(await filter('context.split("\\n")'), { queries: 3, items: 0 });
      assert.equal(await page.locator("#found").innerText(), "3 found");
      await page.keyboard.press("Escape");
      assert.equal(await visible(page, "details.query"), 3);
    }),
);

browserTest("both themes follow the system, and the button turns them round", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await withReport({ queries: 1 }, { colorScheme }, async (page) => {
      const isDark = async () => {
        const color = await page.evaluate("getComputedStyle(document.body).backgroundColor");
        return String(color) === "rgb(20, 23, 27)";
      };
      assert.equal(await isDark(), colorScheme === "dark");
      await page.keyboard.press("t");
      assert.equal(await isDark(), colorScheme !== "dark");
      await page.locator("#theme").click();
      assert.equal(await isDark(), colorScheme === "dark");
    });
  }
});

browserTest("at phone width nothing runs over the side, with everything open", () =>
  withReport(
    { queries: 2, outputChars: 3000 },
    { viewport: { width: 360, height: 740 } },
    async (page) => {
      for (const selector of ["details.query", "details.step", "details.agent", "details.step"]) {
        await page.evaluate(
          `for (const d of document.querySelectorAll(${JSON.stringify(selector)})) d.open = true`,
        );
        // The browser tells of the opening in a task of its own.
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
      }
      await page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true");
      assert.ok(await visible(page, ".block.output pre") >= 8);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
    },
  ));

browserTest(
  "200 queries and 5,000 steps open without delay, and so does a run of 2,000 steps",
  async () => {
    await withReport({ queries: 200, steps: 21 }, {}, async (page) => {
      const ready = await page.evaluate(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd",
      );
      assert.ok(Number(ready) < 3000, `ready after ${ready} ms`);
      assert.equal(await page.locator("details.query").count(), 200);
      assert.equal(await page.locator("summary.row.step").count(), 0, "drawn when opened");
    });
    await withReport({ queries: 1, steps: 2000 }, {}, async (page) => {
      const ms = await page.evaluate(`new Promise((done) => {
      const started = performance.now();
      document.querySelector("details.query").open = true;
      const look = () => document.querySelectorAll("summary.row.step").length >= 2000
        ? done(performance.now() - started) : requestAnimationFrame(look);
      look();
    })`);
      assert.ok(Number(ms) < 3000, `opened after ${ms} ms`);
    });
  },
);
