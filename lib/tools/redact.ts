/** Values shorter than this are words like "1" or "true", and would blot out ordinary text. */
const MIN_LENGTH = 6;

/**
 * A function that takes secret values out of a text and leaves their names: errors of HTTP clients
 * like to quote the URL or header that failed.
 */
export function redactor(secrets: Readonly<Record<string, string>>): (text: string) => string {
  const entries = Object.entries(secrets)
    .filter(([, value]) => value.length >= MIN_LENGTH)
    .sort(([, a], [, b]) => b.length - a.length); // a value may contain another
  return (text) => {
    let clean = text;
    for (const [name, value] of entries) {
      clean = clean.replaceAll(value, `[${name}]`).replaceAll(
        encodeURIComponent(value),
        `[${name}]`,
      );
    }
    return clean;
  };
}
