/** The origin of the page that embeds this one; nothing where this is a page by itself, or nothing tells. */
export function findEmbedder({
  parent,
  window,
  location,
  document,
}: Pick<Window & typeof globalThis, 'parent' | 'window' | 'location' | 'document'>): string | undefined {
  if (parent === window) return undefined;
  const [origin = originOf(document.referrer)] = location.ancestorOrigins ?? [];
  return origin === 'null' ? undefined : origin;
}

/** Firefox before 148 has no `ancestorOrigins`; a frame's referrer is the page that embeds it, unless that hides it. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
