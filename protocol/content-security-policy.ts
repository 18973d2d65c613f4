// The policies of `Content-Security-Policy`, each in one place: the page's build, the servers and the guide that names
// them must agree (S-6).

/** Names of the visitor's own machine to which a page may connect without TLS; `[::1]` cannot be written in a policy. */
export const ownMachineNames: readonly string[] = ['localhost', '127.0.0.1'];

const withoutTls = ['http', 'ws'].flatMap((scheme) => ownMachineNames.map((name) => `${scheme}://${name}:*`));

const page: readonly string[] = [
  "default-src 'self'",
  // The emulator makes WebAssembly as it runs.
  "script-src 'self' 'wasm-unsafe-eval'",
  // The terminal sets styles of elements.
  "style-src 'self' 'unsafe-inline'",
  // v86 starts a worker from a blob for its timer.
  "worker-src 'self' blob:",
  "img-src 'self' data: blob:",
  // Bridges, each of which asks for a token, and shared snapshots: with TLS, or on the visitor's machine.
  `connect-src 'self' https: wss: ${withoutTls.join(' ')}`,
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** The policy in the page itself, for servers that send no header. A `meta` element cannot say who may frame the page. */
export const pagePolicyInMeta: string = page.join('; ');

/** The policy as a header, which covers workers too and keeps other sites from framing the page. */
export const pagePolicy: string = [...page, "frame-ancestors 'self'"].join('; ');

/** The same for a page that is in frames of these origins, as that of WebContainer applications and their previews are (C-7). */
export function framedPagePolicy(embedders: readonly string[]): string {
  return [...page, `frame-ancestors ${["'self'", ...embedders].join(' ')}`].join('; ');
}

/**
 * The policy of the page of embeds, which anybody has in a frame: it fetches what its site serves and nothing else, whatever
 * the page around it says (ADR 56). There is no `frame-ancestors`: `*` would leave out pages of files.
 */
export const embedPolicy: string = page
  .map((directive) => (directive.startsWith('connect-src') ? "connect-src 'self'" : directive))
  .join('; ');

/** The policy of what a bridge answers: data, which loads nothing and is in no frame. */
export const answerPolicy = "default-src 'none'; frame-ancestors 'none'";

/** The policy of bytes from a sandbox: as `answerPolicy`, and without an origin if a browser shows them after all. */
export const downloadPolicy: string = `sandbox; ${answerPolicy}`;

/** The policy of a page that has one style sheet, allowed by its base64 SHA-256, and nothing else. */
export function styledPagePolicy(styleSha256: string): string {
  return `default-src 'none'; style-src 'sha256-${styleSha256}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}
