/**
 * Makes the pictures of the README anew from a session of the demo: `deno task pictures`. The
 * viewer's are drawn from the lines that it draws, the report's are screenshots in Chromium.
 *
 * @module
 */
import { fromFileUrl, join, toFileUrl } from "@std/path";
import type { Page } from "playwright-core";
import { readManifest } from "../../lib/cli/read_manifest.ts";
import { runDemo } from "../../lib/demo/demo.ts";
import { painter } from "../../lib/demo/demo_text.ts";
import type { LogModel } from "../../log/model.ts";
import { openLog } from "../../log/open.ts";
import { renderHtml } from "../../log/render_html.ts";
import { onKey, renderApp } from "../../log/viewer/app.ts";
import { type AppState, openState } from "../../log/viewer/app_state.ts";
import { withBrowser } from "./browser.ts";
import { screensSvg } from "./screens_svg.ts";

const FOLDER = fromFileUrl(new URL("../../.github/images/", import.meta.url));
const TERMINAL = { columns: 110, rows: 30 };

/** The keys that lead from one picture of the viewer to the next. */
const WALK: readonly (readonly string[])[] = [
  ["g"],
  ["enter"],
  [..."jjjjjjjjjjjjjjjjjjjjjjjjjj"],
  ["T"],
  ["m", "j", "j", "j"],
];

async function demoSession(): Promise<string> {
  let said = "";
  await runDemo({ write: (text) => said += text, paint: painter(false), keep: true });
  const [, directory] = said.match(/kept in (\S+?)\.?\s/) ?? [];
  if (directory === undefined) throw new Error(`the demo kept no session:\n${said}`);
  return directory;
}

function viewerPictures(model: LogModel): string {
  let state: AppState = { ...openState(model, TERMINAL), grown: 1 };
  const screens = WALK.map((keys) => {
    state = keys.reduce(onKey, state);
    return renderApp(state, TERMINAL);
  });
  return screensSvg(screens, TERMINAL);
}

async function photograph(page: Page, file: string, theme: string): Promise<void> {
  await page.goto(toFileUrl(file).href);
  await page.locator("details.query > summary").nth(2).click();
  await page.locator("details.step > summary").first().click();
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
  await page.screenshot({ path: join(FOLDER, `report-${theme}.png`) });
}

const directory = await demoSession();
try {
  await Deno.mkdir(FOLDER, { recursive: true });
  const model = { ...await openLog(directory, { readManifest }), path: "./podcast" };
  await Deno.writeTextFile(join(FOLDER, "viewer.svg"), viewerPictures(model));
  const file = join(directory, "report.html");
  await Deno.writeTextFile(file, renderHtml(model));
  await withBrowser(async (browser) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const viewport = { width: 1000, height: 1010 };
      const context = await browser.newContext({ colorScheme, viewport });
      await photograph(await context.newPage(), file, colorScheme);
    }
  });
} finally {
  await Deno.remove(directory, { recursive: true });
}
