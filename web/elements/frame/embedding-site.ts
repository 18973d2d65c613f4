/**
 * The host of another page that shows this one in a frame, or `undefined`. When it belongs to
 * another site, which a host alone does not tell, browsers give the frame a storage of its own: what
 * is stored there is not there when the page is opened by itself, and may be cleared sooner (B-10).
 */
export function embeddingSite({
  ancestorOrigins,
  hostname,
}: Pick<Location, 'ancestorOrigins' | 'hostname'>): string | undefined {
  for (const origin of ancestorOrigins ?? []) {
    const host = hostOf(origin);
    if (host !== hostname) return host;
  }
  return undefined;
}

/** An opaque origin (a sandboxed frame's) is written as `null`. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : 'another site';
}
