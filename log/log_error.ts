/** A log or session that cannot be opened or shown. The message is one line and names the path. */
export class LogError extends Error {
  override readonly name: string = "LogError";
}
