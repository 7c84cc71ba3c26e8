/** A process that does nothing for some milliseconds. */
await new Promise((wake) => setTimeout(wake, Number(Deno.args[0])));
