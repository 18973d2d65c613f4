/** The cache of one build's page, scripts and styles. */
export function shellCacheName(version: string): string {
  return `coppice-shell-${version}`;
}

const asset = /^images\/[0-9a-f]{64}\.\w+$/;
const manifest = /^images\/[\w.-]+\.json$/;

/**
 * Who answers a request: the cache of the build, the cache of images, the network with the cache
 * behind it, or the network alone (`undefined`), as for other origins and methods, and for other
 * pages below this one.
 */
export function routeRequest(
  request: Pick<Request, 'method' | 'mode' | 'url'>,
  scope: string,
): 'shell' | 'asset' | 'manifest' | undefined {
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return undefined;
  const path = new URL(request.url).pathname.slice(new URL(scope).pathname.length);
  if (request.mode === 'navigate' && pageFile(path) === undefined) return undefined;
  if (asset.test(path)) return 'asset';
  return manifest.test(path) ? 'manifest' : 'shell';
}

/** The file of the page at a path below the scope; `undefined` for pages that are not of this site. */
export function pageFile(path: string): string | undefined {
  if (path === '' || path === 'index.html') return './';
  // The package of WebContainer asks for it without a slash, and so do people.
  const [, page] = /^(demos|headless|replay)(?:\/(?:index\.html)?)?$/.exec(path) ?? [];
  return page === undefined ? undefined : `./${page}/index.html`;
}
