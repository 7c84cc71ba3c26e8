import type { PageDocument, PageElement, PageEvent } from "./dom.ts";
import { drawQuery, make } from "./draw.ts";
import { highlight } from "./highlight.ts";

/** What the page may keep between visits; absent where the browser forbids it. */
export interface PageStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/**
 * The life of the page: opening, filtering, keyboard, theme. Sent to the browser as it stands, see
 * `draw.ts`.
 */
export function page(
  doc: PageDocument,
  storage: () => PageStorage,
  prefersDark: () => boolean,
): void {
  const filter = doc.getElementById("filter");
  const found = doc.getElementById("found");
  const help = doc.getElementById("help");
  const root = doc.documentElement;
  const dataOf = (id: string): string => doc.getElementById(`data-${id}`)?.textContent ?? "null";

  const remember = (theme: string): void => {
    try {
      storage().setItem("fast-rlm-theme", theme);
    } catch {
      // A file opened from disk may have no storage: the choice then lasts for this page.
    }
  };
  try {
    const theme = storage().getItem("fast-rlm-theme");
    if (theme === "dark" || theme === "light") root.dataset["theme"] = theme;
  } catch {
    // As above.
  }
  const switchTheme = (isDark: boolean): void => {
    const now = root.dataset["theme"] ?? (isDark ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    root.dataset["theme"] = next;
    remember(next);
  };

  const drawn = new Set<string>();
  const fill = (details: PageElement): void => {
    const id = details.dataset["id"] ?? "";
    const body = details.querySelector(".body");
    if (drawn.has(id) || body === null) return;
    drawn.add(id);
    drawQuery(doc, JSON.parse(dataOf(id)), body);
  };
  for (const details of doc.querySelectorAll("details.query")) {
    // As in `fold`: the click comes before the toggle.
    details.querySelector("summary")?.addEventListener("click", () => fill(details));
    details.addEventListener("toggle", () => {
      if (details.open) fill(details);
    });
    if (details.open) fill(details);
  }
  for (const details of doc.querySelectorAll("details.item.source")) {
    details.addEventListener("toggle", () => {
      const pre = details.querySelector("pre.source");
      if (pre === null || pre.dataset["done"] !== undefined) return;
      pre.dataset["done"] = "yes";
      pre.replaceChildren(
        ...highlight(pre.textContent ?? "", "js").map(({ kind, text }) =>
          kind === "plain" ? text : make(doc, "span", `t-${kind}`, text)
        ),
      );
    });
  }

  const texts = new Map<PageElement, string>();
  const textOf = (element: PageElement): string => {
    const known = texts.get(element);
    if (known !== undefined) return known;
    const id = element.dataset["id"];
    const own = element.querySelector("summary")?.textContent ?? "";
    const all = id === undefined ? element.textContent ?? "" : `${own}\n${dataOf(id)}`;
    const text = all.toLowerCase();
    texts.set(element, text);
    return text;
  };
  const search = (): void => {
    const wanted = (filter?.value ?? "").trim().toLowerCase();
    // Data is JSON: what is looked for there has its quotes and backslashes escaped too.
    const escaped = JSON.stringify(wanted).slice(1, -1);
    let hits = 0;
    for (const element of doc.querySelectorAll("details.query, details.item")) {
      const text = wanted === "" ? "" : textOf(element);
      const isHit = text.includes(wanted) || text.includes(escaped);
      element.hidden = !isHit;
      if (isHit) hits++;
    }
    if (found !== null) found.textContent = wanted === "" ? "" : `${hits} found`;
  };
  filter?.addEventListener("input", search);

  const rows = (): PageElement[] =>
    [...doc.querySelectorAll("main summary.row")].filter((row) => row.offsetParent !== null);
  const move = (by: number): void => {
    const all = rows();
    const active = doc.activeElement?.closest("details")?.querySelector("summary.row") ?? null;
    const at = active === null ? -1 : all.indexOf(active);
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: "nearest" });
  };
  const leave = (): void => {
    if (help?.open) return help.close();
    if (filter !== null && (doc.activeElement === filter || filter.value !== "")) {
      filter.value = "";
      search();
      return filter.blur();
    }
    const details = doc.activeElement?.closest("details[open]") ??
      doc.activeElement?.parentElement?.closest("details[open]") ?? null;
    if (details === null) return;
    details.open = false;
    details.querySelector("summary")?.focus();
  };
  const toggle = (open: boolean): void => {
    const details = doc.activeElement?.closest("details") ?? null;
    if (details !== null) details.open = open;
  };

  const actions: Record<string, (event: PageEvent) => void> = {
    j: () => move(1),
    k: () => move(-1),
    ArrowRight: () => toggle(true),
    ArrowLeft: () => toggle(false),
    "/": () => filter?.focus(),
    "?": () => help?.showModal(),
    m: () => doc.getElementById("memory")?.scrollIntoView({ block: "start" }),
    t: () => switchTheme(prefersDark()),
  };
  doc.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      return leave();
    }
    if (event.target?.tagName === "INPUT" || help?.open) return;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    // Arrows scroll a block of code that has the focus.
    if (
      action === undefined || (event.key.startsWith("Arrow") && event.target?.tagName === "PRE")
    ) {
      return;
    }
    event.preventDefault();
    action(event);
  });
  doc.getElementById("theme")?.addEventListener("click", () => switchTheme(prefersDark()));
  doc.getElementById("keys")?.addEventListener("click", () => help?.showModal());
  doc.getElementById("close")?.addEventListener("click", () => help?.close());
}
