/**
 * Starts a program by its name. npm installs programs on Windows as `NAME.cmd`, which a plain name
 * does not find there.
 */

/** The names under which a program may be found, in order. */
export function programNames(program: string, os: string = Deno.build.os): string[] {
  const named = os !== "windows" || /\.[a-z0-9]{2,4}$/i.test(program);
  return named ? [program] : [program, `${program}.cmd`, `${program}.bat`];
}

/**
 * Starts the program.
 *
 * @throws {Deno.errors.NotFound} where there is no program of any of its names
 */
export function spawnProgram(
  program: string,
  options: Deno.CommandOptions,
  spawn: (name: string, options: Deno.CommandOptions) => Deno.ChildProcess = spawnNow,
  names: readonly string[] = programNames(program),
): Deno.ChildProcess {
  let missing: unknown;
  for (const name of names) {
    try {
      return spawn(name, options);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      missing ??= error;
    }
  }
  throw missing;
}

const spawnNow = (name: string, options: Deno.CommandOptions): Deno.ChildProcess =>
  new Deno.Command(name, options).spawn();
