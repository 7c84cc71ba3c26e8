/** A headless Chromium for tests, where the machine has one. */
import { join } from "@std/path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where Chromium lies; undefined where there is none. */
export function findChromium(): string | undefined {
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    for (const name of NAMES) {
      const path = join(directory, name);
      try {
        if (Deno.statSync(path).isFile) return path;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

/** Starts a browser, hands it on and ends it. Skips, with a message, where there is none. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    Deno.stderr.writeSync(new TextEncoder().encode("skipped: no Chromium on this machine\n"));
    return;
  }
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}
