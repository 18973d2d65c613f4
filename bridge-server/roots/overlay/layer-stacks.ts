import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import type { RootSource } from '../root-source.ts';
import type { Layer, LayerCache } from './layer-cache.ts';

/** Trees, the image's first: there is a layer that makes each one of the one before it. */
type Stack = readonly ObjectId[];

/**
 * Which layers make a tree, one upon the other. A new tree goes on top of the nearest that is there, so
 * that only their difference is unpacked: a layer between two trees is right on whatever has the first.
 */
export class LayerStacks {
  readonly #layers: LayerCache;
  /** By the tree on top. */
  readonly #stacks = new Map<ObjectId, Stack>();

  /** Knows the stacks of the layers that are there. */
  constructor(layers: LayerCache) {
    this.#layers = layers;
    for (const [top, stack] of stacksOf(layers.names)) this.#stacks.set(top, stack);
  }

  /**
   * The layers of `tree`, the uppermost first, each of which the caller releases.
   * @throws aborted, missing-object, corrupt-object, storage-full
   */
  async take(
    tree: ObjectId,
    { source, near }: { readonly source: RootSource; readonly near: readonly ObjectId[] },
  ): Promise<Layer[]> {
    const plain = tree === source.base ? [tree] : [source.base, tree];
    const stack = this.#find([tree], source) ?? this.#upon(near, { tree, source }) ?? plain;
    try {
      return await this.#takeAll(tree, { stack, source });
    } catch (error) {
      // Of a tree that is only near, this sandbox need not have the objects.
      const isElsewhere = ['missing-object', 'corrupt-object'].includes(SandboxError.from(error).code);
      if (!isElsewhere || stack.length <= plain.length) throw error;
      return this.#takeAll(tree, { stack: plain, source });
    }
  }

  /** The stack of the first of `trees` that has one, on the image of `source`. */
  #find(trees: readonly ObjectId[], { base }: RootSource): Stack | undefined {
    for (const tree of trees) {
      const stack = this.#stacks.get(tree);
      if (stack?.[0] === base && this.#isThere(stack)) return stack;
    }
    return undefined;
  }

  /** One that is high enough already is left for the tree at its foot: what came since is unpacked anew, at once. */
  #upon(
    near: readonly ObjectId[],
    { tree, source }: { readonly tree: ObjectId; readonly source: RootSource },
  ): Stack | undefined {
    const stack = this.#find(near, source);
    if (stack === undefined) return undefined;
    return [...(stack.length < limits.rootLayers ? stack : stack.slice(0, 2)), tree];
  }

  async #takeAll(
    tree: ObjectId,
    { stack, source }: { readonly stack: Stack; readonly source: RootSource },
  ): Promise<Layer[]> {
    // All at once, so that none goes while another is waited for; the lowest is the last to have been used.
    const taking = stack.map((_, n) => this.#takeOne(stack, { n: stack.length - 1 - n, source }));
    this.#remember(tree, stack);
    const taken = await Promise.allSettled(taking);
    const layers = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = taken.find((one) => one.status === 'rejected');
    if (failed === undefined) return layers;
    for (const layer of layers) layer.release();
    throw failed.reason;
  }

  #takeOne(stack: Stack, { n, source }: { readonly n: number; readonly source: RootSource }): Promise<Layer> {
    const [from, to] = [stack[n - 1], stack[n] ?? source.base];
    return this.#layers.take(nameOf(stack, n), {
      isDurable: from === undefined,
      signal: source.signal,
      onUnpack: source.unpackListener(),
      isAhead: source.isAhead,
      make: (folder, told) =>
        source.unpack(folder, { members: source.members(from, to), whiteouts: from !== undefined, ...told }),
    });
  }

  /** Forgets the others whose layers have gone, so there are never more than layers. */
  #remember(tree: ObjectId, stack: Stack): void {
    for (const [top, other] of this.#stacks) if (!this.#isThere(other)) this.#stacks.delete(top);
    this.#stacks.set(tree, stack);
  }

  #isThere(stack: Stack): boolean {
    return stack.every((_, n) => this.#layers.has(nameOf(stack, n)));
  }
}

/** Of layers by their names: those that stand, one upon the other, on one of an image. */
function stacksOf(names: readonly string[]): ReadonlyMap<ObjectId, Stack> {
  const images = new Set(names.filter((name) => changedTreeOf(name) === undefined));
  const below = new Map<ObjectId, ObjectId>();
  for (const name of names) {
    const [from, to] = name.split('-') as ObjectId[];
    if (from !== undefined && to !== undefined) below.set(to, from);
  }
  const stacks = new Map<ObjectId, Stack>();
  for (const top of below.keys()) {
    const stack: ObjectId[] = [top];
    for (let at = below.get(top); at !== undefined && stack.length <= limits.rootLayers; at = below.get(at))
      stack.unshift(at);
    if (stack[0] !== undefined && images.has(stack[0])) stacks.set(top, stack);
  }
  return stacks;
}

/** What of a layer by its name is in no other: the tree that it makes of the one below; nothing of an image's. */
export function changedTreeOf(name: string): ObjectId | undefined {
  const [, tree] = name.split('-');
  return tree as ObjectId | undefined;
}

function nameOf(stack: Stack, n: number): string {
  return n === 0 ? String(stack[0]) : `${stack[n - 1]}-${stack[n]}`;
}
