import { pageBytes } from '../../../wasm/pages/page-kernels.ts';

const words = pageBytes / 4;

/** Pages to be stored, each content once. */
export class PageSet {
  readonly #pages = new Map<number, Uint8Array>();

  /** The content is copied when it is bundled, not now. */
  put(page: number, content: Uint8Array): void {
    this.#pages.set(page, content);
  }

  delete(page: number): void {
    this.#pages.delete(page);
  }

  /** Bundles of at most so many contents, in the order of pages, with the slot of each page. */
  *bundles(most: number): Generator<{ contents: Uint8Array[]; pages: [page: number, slot: number][] }> {
    let contents: Uint8Array[] = [];
    let pages: [page: number, slot: number][] = [];
    let known = new Map<number, number>();
    for (const page of Uint32Array.from(this.#pages.keys()).sort()) {
      const content = this.#pages.get(page);
      if (!content) continue;
      if (contents.length === most) {
        yield { contents, pages };
        [contents, pages, known] = [[], [], new Map()];
      }
      const hash = hashOf(content);
      const alike = known.get(hash);
      const other = alike === undefined ? undefined : contents[alike];
      if (alike !== undefined && other && equalPages(other, content)) {
        pages.push([page, alike]);
        continue;
      }
      known.set(hash, contents.length);
      pages.push([page, contents.length]);
      contents.push(content);
    }
    if (pages.length > 0) yield { contents, pages };
  }
}

export function isZeroPage(page: Uint8Array): boolean {
  const view = wordsOf(page);
  for (let at = 0; at < words; at++) if (view[at] !== 0) return false;
  return true;
}

export function equalPages(a: Uint8Array, b: Uint8Array): boolean {
  const [here, there] = [wordsOf(a), wordsOf(b)];
  for (let at = 0; at < words; at++) if (here[at] !== there[at]) return false;
  return true;
}

/** Finds pages that may be alike (FNV-1a over words); who does compares them. */
function hashOf(page: Uint8Array): number {
  const view = wordsOf(page);
  let hash = 0x811c9dc5;
  for (let at = 0; at < words; at++) hash = Math.imul(hash ^ (view[at] ?? 0), 0x01000193);
  return hash;
}

function wordsOf(page: Uint8Array): Int32Array {
  const { buffer, byteOffset } = page.byteOffset % 4 === 0 ? page : page.slice();
  return new Int32Array(buffer, byteOffset, words);
}
