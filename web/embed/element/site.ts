import { SandboxError } from '../../../protocol/errors.ts';

let configured: URL | undefined;

/** Names the site whose `/embed/` runs the embeds of this page, such as `https://coppice.example/`, for elements that name none. */
export function configureEmbeds({ site }: { readonly site: string }): void {
  configured = new URL(site, document.baseURI);
}

/**
 * The page for the frame of an element: that of its attribute `site`, of `configureEmbeds`, or of the site that this module was loaded
 * from. @throws invalid-argument
 */
export function framePage(attribute: string | null): URL {
  const site = attribute === null ? (configured ?? ownSite()) : URL.parse(attribute, document.baseURI);
  if (site?.protocol === 'https:' || site?.protocol === 'http:') return new URL('embed/', site);
  throw new SandboxError(
    'invalid-argument',
    'Cannot show the embed: say where the site is, by its attribute site="https://…/" or by configureEmbeds({ site })',
  );
}

/** The files of a site have a version in their path: `https://coppice.example/embed/0.1.0/coppice-embed.js`. */
function ownSite(): URL | undefined {
  const found = /^(?<site>.*\/)embed\/\d[^/]*\/[^/]+$/.exec(import.meta.url)?.groups?.site;
  return found === undefined ? undefined : new URL(found);
}
