import type { ByteString } from '../content/byte-string.ts';
import type { Ino } from './file-tree.ts';

/** One name of an inode. */
export interface Link {
  readonly parent: Ino;
  readonly name: ByteString;
}

/** In a list that is longer, links are found by an index. */
const searched = 32;

/**
 * Names of an inode beside its first, in no special order: a file may have 65,000 of them, which come and go one by one. Only
 * an inode of its epoch changes it in place.
 */
export class LinkList implements Iterable<Link> {
  readonly epoch: number;
  readonly #links: Link[];
  /** Where each link is; made when it is first needed. */
  #places: Map<string, number> | undefined;

  constructor(epoch: number, links: Iterable<Link> = []) {
    this.epoch = epoch;
    this.#links = [...links];
  }

  get length(): number {
    return this.#links.length;
  }

  [Symbol.iterator](): Iterator<Link> {
    return this.#links[Symbol.iterator]();
  }

  add(link: Link): void {
    this.#places?.set(keyOf(link), this.#links.length);
    this.#links.push(link);
  }

  /** Takes any of them out. */
  pop(): Link | undefined {
    const link = this.#links.pop();
    if (link) this.#places?.delete(keyOf(link));
    return link;
  }

  remove(link: Link): void {
    const at = this.#placeOf(link);
    const last = at < 0 ? undefined : this.pop();
    if (last === undefined || at === this.#links.length) return;
    this.#places?.delete(keyOf(link));
    this.#places?.set(keyOf(last), at);
    this.#links[at] = last;
  }

  #placeOf(link: Link): number {
    const links = this.#links;
    if (links.length <= searched) return links.findIndex((other) => isSameLink(other, link));
    this.#places ??= new Map(links.map((other, at) => [keyOf(other), at]));
    return this.#places.get(keyOf(link)) ?? -1;
  }
}

/** The list of an inode with one name. */
export const noLinks: LinkList = new LinkList(0);

export function isSameLink(a: Link, b: Link): boolean {
  return a.parent === b.parent && a.name === b.name;
}

/** No name has a slash in it. */
function keyOf({ parent, name }: Link): string {
  return `${parent}/${name}`;
}
