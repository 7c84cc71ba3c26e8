import { join } from "@std/path";

/** A folder served on loopback, as a host of modules serves it. */
export interface FileServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** Paths that were served, in order. */
  readonly served: readonly string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  ts: "application/typescript",
  tsx: "text/tsx",
  json: "application/json",
};

/** Serves the files below `root` until it is closed. */
export function serveFolder(root: string): FileServer {
  const served: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      try {
        const body = await Deno.readFile(join(root, pathname));
        served.push(pathname);
        const type = TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/plain";
        return new Response(body, { headers: { "content-type": type } });
      } catch {
        return new Response("not found", { status: 404 });
      }
    },
  );
  let closed: Promise<void> | undefined;
  const close = () => closed ??= server.shutdown();
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    served,
    close,
    [Symbol.asyncDispose]: close,
  };
}
