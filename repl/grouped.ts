/**
 * 1234567 as "1,234,567". For what runs on every start: the first `toLocaleString` of a process or
 * worker loads its language data and takes 12 ms, as long as an empty program. Uses nothing that
 * agent code could replace.
 */
export function grouped(value: number): string {
  const text = `${value}`;
  const point = text.indexOf(".");
  const end = point < 0 ? text.length : point;
  const start = text[0] === "-" ? 1 : 0;
  let out = "";
  for (let at = 0; at < text.length; at++) {
    if (at > start && at < end && (end - at) % 3 === 0) out += ",";
    out += text[at];
  }
  return out;
}
