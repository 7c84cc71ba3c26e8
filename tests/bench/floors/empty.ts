// A program that does nothing: what `deno run` itself takes.
