import config from "../deno.json" with { type: "json" };

/** Version of this engine, from its one place: `deno.json`. */
export const VERSION: string = config.version;
