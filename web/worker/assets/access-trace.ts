import { limits } from '../../../protocol/limits.ts';
import { cacheFiles, openCacheFile, writeCacheFile } from '../../stores/opfs/cache-file.ts';

/** What guests of an image looked at first of the RAM that is kept for their start. */
export interface AccessTrace {
  /** Of the state. */
  readonly digest: string;
  readonly clusters: ReadonlySet<number>;
}

/** What was noted last, of whichever image; nothing where that cannot be read. It decides what is read ahead, and nothing else. */
export async function readFirst(): Promise<AccessTrace | undefined> {
  const file = await openCacheFile(cacheFiles.first);
  if (!file) return undefined;
  try {
    const bytes = new Uint8Array(Math.min(file.getSize(), limits.firstLookedAtBytes));
    file.read(bytes, { at: 0 });
    const { digest, clusters } = JSON.parse(new TextDecoder().decode(bytes)) as {
      digest: string;
      clusters: number[];
    };
    return {
      digest,
      clusters: new Set(clusters.filter((cluster) => Number.isInteger(cluster) && cluster >= 0)),
    };
  } catch {
    return undefined;
  } finally {
    file.close();
  }
}

/** Without it, the next start reads what it needs one by one. */
export async function noteFirst({ digest, clusters }: AccessTrace): Promise<void> {
  const text = JSON.stringify({ digest, clusters: [...clusters].sort((a, b) => a - b) });
  try {
    await writeCacheFile(cacheFiles.first, [new TextEncoder().encode(text)]);
  } catch (error) {
    console.info('The next start does not know what to read ahead:', error);
  }
}
