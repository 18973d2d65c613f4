import { expect, test } from 'vitest';
import { limits } from '../../../protocol/limits.ts';
import { type ObjectId, parseObjectId } from '../../../tree/content/object-id.ts';
import { type CachedUpper, CachedUppers } from './cached-uppers.ts';

const treeOf = (n: number) => parseObjectId(n.toString(16).padStart(64, '0'));

function upper(path: string, below?: ObjectId): CachedUpper {
  const stat = {
    ...{ ino: 1n, mode: 0o040755, uid: 0, gid: 0, nlink: 1, rdev: 0, sizeBytes: 0 },
    ...{ mtimeNs: 0n, ctimeNs: 0n },
  };
  const root = { stat, xattrs: undefined, isWhole: false, children: new Map() };
  return { path, seen: { root, racyFromNs: 0n }, below };
}

function keep(
  count: number,
  hasTree: (tree: ObjectId) => boolean = () => true,
): { kept: CachedUppers; discarded: string[] } {
  const discarded: string[] = [];
  const kept = new CachedUppers({ discard: ({ path }) => discarded.push(path), hasTree });
  for (let n = 0; n < count; n++) kept.add(treeOf(n), upper(`upper-${n}`));
  return { kept, discarded };
}

const pathOf = async ({ path }: CachedUpper) => path;

test('O-7 the last few are kept, and what was used last goes last', async () => {
  const { kept, discarded } = keep(limits.keptUppers);
  expect(await kept.use(treeOf(0), pathOf)).toBe('upper-0');
  kept.add(treeOf(limits.keptUppers), upper('one more'));
  expect(discarded).toEqual(['upper-1']);
  expect(await kept.use(treeOf(1), pathOf)).toBeUndefined();
});

test('O-7 a second one of the same tree is discarded', async () => {
  const { kept, discarded } = keep(1);
  kept.add(treeOf(0), upper('again'));
  expect(discarded).toEqual(['again']);
  expect(await kept.use(treeOf(0), pathOf)).toBe('upper-0');
});

test('H-8 what is in use stays until it is not, also when its user fails', async () => {
  const { kept, discarded } = keep(1);
  const failing = kept.use(treeOf(0), async () => {
    for (let n = 1; n <= limits.keptUppers; n++) kept.add(treeOf(n), upper(`upper-${n}`));
    expect(discarded).toEqual([]);
    throw new Error('no room');
  });
  await expect(failing).rejects.toThrow('no room');
  expect(discarded).toEqual(['upper-0']);
  kept.clear();
  expect(discarded).toHaveLength(limits.keptUppers + 1);
});

test('O-7 what no sandbox has is discarded, by itself or below another, once nobody uses it', async () => {
  const owned = new Set([0, 1, 2, 3].map(treeOf));
  const { kept, discarded } = keep(2, (tree) => owned.has(tree));
  kept.add(treeOf(2), upper('on it', treeOf(0)));
  kept.add(treeOf(3), upper('beside it', treeOf(1)));
  await kept.use(treeOf(2), async () => {
    owned.delete(treeOf(0));
    kept.discardUnwanted();
    expect(discarded).toEqual(['upper-0']);
    expect(await kept.use(treeOf(2), pathOf)).toBeUndefined();
  });
  expect(discarded).toEqual(['upper-0', 'on it']);
  expect(await kept.use(treeOf(3), pathOf)).toBe('beside it');
});
