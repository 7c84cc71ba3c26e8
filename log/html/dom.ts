/**
 * The few parts of a browser that the report's script uses. Declared here and not taken from the
 * compiler's DOM library, whose globals would then be names in every file of the engine.
 */

/** An element of the page. */
export interface PageElement {
  textContent: string | null;
  className: string;
  hidden: boolean;
  /** Of `details` and `dialog`. */
  open: boolean;
  /** Of `input`. */
  value: string;
  readonly tagName: string;
  readonly parentElement: PageElement | null;
  readonly dataset: Record<string, string | undefined>;
  readonly offsetParent: PageElement | null;
  append(...nodes: (PageElement | string)[]): void;
  replaceChildren(...nodes: (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
  matches(selector: string): boolean;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  focus(options?: { preventScroll: boolean }): void;
  blur(): void;
  scrollIntoView(options: { block: "nearest" | "start" }): void;
  showModal(): void;
  close(): void;
}

/** An event on the page. */
export interface PageEvent {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly target: PageElement | null;
  preventDefault(): void;
}

/** The page. */
export interface PageDocument {
  readonly documentElement: PageElement;
  readonly body: PageElement;
  readonly activeElement: PageElement | null;
  createElement(tag: string): PageElement;
  createElementNS(namespace: string, tag: string): PageElement;
  getElementById(id: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}
