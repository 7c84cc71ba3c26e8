/** Processes below another one, as Linux tells them; elsewhere none are known. */
export function descendants(pid: number): number[] {
  try {
    const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
    const direct = children === "" ? [] : children.split(" ").map(Number);
    return direct.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

/** Whether a process runs; one that has ended and was not yet collected does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Resolves once none of the processes runs; the test's own time limit ends a wait in vain. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await new Promise((resolve) => setImmediate(resolve));
}

/** Reads a stream up to the first match; gives back all that was read. */
export async function readUntil(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  pattern: RegExp,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (!pattern.test(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`The stream ended before ${pattern}: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return text;
}
