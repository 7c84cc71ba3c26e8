/** What a program of a test keeps of the machine's environment. */

/**
 * Where programs, caches and temporary files are, and what fetching a package needs on machines
 * behind a proxy, with certificates or a registry of their own: on a cold cache any test may fetch.
 */
const KEPT =
  /^(PATH|HOME|DENO_DIR|XDG_CACHE_HOME|TMPDIR|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|DENO_CERT|DENO_TLS_CA_STORE|(HTTPS?|ALL|NO)_PROXY|NPM_CONFIG_.*)$/i;

/** The variables that are kept of `all`; no key or address of a model. */
export function keptEnv(
  all: Readonly<Record<string, string>> = Deno.env.toObject(),
): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => KEPT.test(name)));
}
