import { expect, test } from 'vitest';
import type { ObjectId } from '../tree/content/object-id.ts';
import { ImageDirectories } from './image-directories.ts';

const idOf = (digit: string) => digit.repeat(64) as ObjectId;
const ids = ['a', 'b', 'c'].map(idOf);
const size = { names: 1, directories: 2, leaves: 3, inodes: 4, bytes: 5, height: 6 };

test('what is known of directories can be kept as rows', () => {
  const directories = new ImageDirectories(ids);
  directories.note(idOf('b'), size);
  const rows = directories.rows();
  expect(rows).toEqual([[1, 1, 2, 3, 4, 5, 6]]);
  expect(new ImageDirectories(ids, rows).get(idOf('b'))).toEqual(size);
});

test('directories of others, which may go, are not known', () => {
  const directories = new ImageDirectories(ids);
  directories.note(idOf('d'), size);
  expect(directories.get(idOf('d'))).toBeUndefined();
});
