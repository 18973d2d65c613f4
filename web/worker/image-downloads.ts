import { ImageDownload, type WhichImage } from './image-download.ts';

/** Images on their way, begun before the one who uses them is there. */
export class ImageDownloads {
  readonly #folder: URL;
  readonly #begun = new Map<string, ImageDownload>();

  /** `folder` is that of the site's images. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  begin(which: WhichImage): void {
    this.#begun.set(keyOf(which), new ImageDownload(this.#folder, which));
  }

  /** The download that was begun, once; else a new one. */
  take(which: WhichImage): ImageDownload {
    const begun = this.#begun.get(keyOf(which));
    this.#begun.delete(keyOf(which));
    return begun ?? new ImageDownload(this.#folder, which);
  }
}

function keyOf(which: WhichImage): string {
  return 'name' in which ? `name ${which.name}` : `digest ${which.digest}`;
}
