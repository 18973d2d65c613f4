import type { WhichImage } from '../../../sandbox/backend/runtime-driver.ts';
import { ImageDownload } from './image-download.ts';
import { readStartCache, type StartCache } from './start-cache.ts';

/** An image on its way, begun before the one who uses it is there. */
export class ImageDownloads {
  readonly #folder: URL;
  #begun: { readonly which: WhichImage; readonly download: ImageDownload } | undefined;
  #kept: Promise<StartCache | undefined> | undefined;

  /** `folder` is that of the site's images. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** Reads what was kept: of whatever image, it is nearly always the one that is asked for next. */
  expect(): void {
    this.#kept = readStartCache();
  }

  begin(which: WhichImage): void {
    this.#begun = { which, download: new ImageDownload(this.#folder, which, { kept: this.#kept }) };
  }

  /** The download that was begun, once, by whatever name; else a new one. */
  async take(which: WhichImage): Promise<ImageDownload> {
    const begun = this.#begun;
    const kept = this.#kept;
    this.#begun = undefined;
    this.#kept = undefined; // It is large, and one machine's.
    const isIt =
      begun && (isSame(begun.which, which) || (await digestOf(begun.download)) === digestIn(which));
    if (isIt) return begun.download;
    return new ImageDownload(this.#folder, which, { kept: kept ?? readStartCache() });
  }
}

function isSame(a: WhichImage, b: WhichImage): boolean {
  return 'name' in a ? 'name' in b && a.name === b.name : digestIn(b) === a.digest;
}

function digestIn(which: WhichImage): string | undefined {
  return 'digest' in which ? which.digest : undefined;
}

/** Never equal to a digest that is looked for when the download has failed: another one is tried. */
async function digestOf({ found }: ImageDownload): Promise<string> {
  try {
    return (await found).digest;
  } catch {
    return '';
  }
}
