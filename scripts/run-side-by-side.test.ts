import { expect, test } from 'vitest';
import { type Job, runSideBySide } from './run-side-by-side.ts';

/** Jobs that note when they start, and end when they are told to. */
function openLab() {
  const started: string[] = [];
  const ends = new Map<string, (isGood: boolean) => void>();
  const job = (name: string, ...after: string[]): Job => ({
    name,
    after,
    run: () => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      ends.set(name, resolve);
      return promise;
    },
  });
  const end = async (name: string, isGood = true): Promise<void> => {
    ends.get(name)?.(isGood);
    // What follows from the end has been done by then.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { started, job, end };
}

test('jobs start in their order, no more at once than asked for', async () => {
  const { started, job, end } = openLab();
  const done = runSideBySide([job('a'), job('b'), job('c'), job('d')], { atOnce: 2 });
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  await end('c');
  await end('d');
  expect(await done).toEqual([]);
});

test('a job starts after those that it names, and lets others go first until then', async () => {
  const { started, job, end } = openLab();
  const done = runSideBySide(
    [job('image'), job('page', 'image'), job('unit'), job('host', 'not asked for')],
    {
      atOnce: 2,
    },
  );
  expect(started).toEqual(['image', 'unit']);
  await end('image');
  expect(started).toEqual(['image', 'unit', 'page']);
  for (const name of ['unit', 'page', 'host']) await end(name);
  expect(started).toEqual(['image', 'unit', 'page', 'host']);
  expect(await done).toEqual([]);
});

test('a job that fails holds up those that start after it, and no others', async () => {
  const { started, job, end } = openLab();
  const done = runSideBySide([job('image'), job('page', 'image'), job('unit')], { atOnce: 1 });
  await end('image', false);
  expect(started).toEqual(['image', 'unit']);
  await end('unit', false);
  expect(await done).toEqual(['page']);
});
