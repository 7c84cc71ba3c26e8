/**
 * A key press as the screens see it: a printable character itself (`j`, `/`, `漢`), or a name.
 */
export type Key =
  | "up"
  | "down"
  | "left"
  | "right"
  | "pageup"
  | "pagedown"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "tab"
  | "shift-tab"
  | "backspace"
  | "ctrl-c"
  | (string & Record<never, never>);

/** How far a key moves in a list or a text of `page` rows; undefined for any other key. */
export function movement(key: Key, page: number): number | undefined {
  switch (key) {
    case "j":
    case "down":
      return 1;
    case "k":
    case "up":
      return -1;
    case "pagedown":
    case " ":
      return Math.max(1, page - 1);
    case "pageup":
      return -Math.max(1, page - 1);
    case "g":
    case "home":
      return -Infinity;
    case "G":
    case "end":
      return Infinity;
    default:
      return undefined;
  }
}

/** `value` within 0 and `last`; 0 where there is nothing. */
export function clamp(value: number, last: number): number {
  return Math.max(0, Math.min(value, last));
}
