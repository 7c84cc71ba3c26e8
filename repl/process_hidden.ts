/** How `process` stood before it was hidden; undefined where there is none. */
export const hidden: PropertyDescriptor | undefined = Object.getOwnPropertyDescriptor(
  globalThis,
  "process",
);

if (hidden?.configurable) {
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
}
