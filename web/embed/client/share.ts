import { linkWithSnapshot } from '../../elements/share/share-link.ts';

/** Copies a link to the site with the snapshot in it; one that is too large for that becomes a file. Resolves to what was done, for people. */
export async function share(file: Uint8Array<ArrayBuffer>, site: URL): Promise<string> {
  const link = await linkWithSnapshot(site.href, file);
  if (link === undefined) {
    const address = URL.createObjectURL(new Blob([file]));
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.download = 'sandbox.coppice';
    anchor.click();
    URL.revokeObjectURL(address);
    return `It is too large for a link, so it was saved as a file: drop that on ${site.host}.`;
  }
  try {
    await navigator.clipboard.writeText(link);
    return `A link was copied; it opens a copy of this sandbox at ${site.host}.`;
  } catch {
    return `This page may not copy. The link: ${link}`;
  }
}
