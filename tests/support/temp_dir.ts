/** A private directory for one test, removed after it. */
export async function withTempDir(use: (directory: string) => void | Promise<void>): Promise<void> {
  const directory = Deno.makeTempDirSync();
  try {
    await use(directory);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}
