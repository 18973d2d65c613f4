import { expect, onTestFinished, test } from 'vitest';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { UnpackListener, UnpackProgress } from '../contract.ts';
import { LayersAhead } from './layers-ahead.ts';

function openAhead(hasRoom: () => boolean = () => true): {
  readonly ahead: LayersAhead;
  readonly begun: string[];
  readonly ended: string[];
  add(fork: string, tree: string): { readonly done: () => void; readonly tell: UnpackListener };
} {
  const ahead = new LayersAhead(hasRoom);
  onTestFinished(() => ahead[Symbol.asyncDispose]());
  const begun: string[] = [];
  const ended: string[] = [];
  const add = (fork: string, tree: string) => {
    const made = Promise.withResolvers<void>();
    let listener: UnpackListener | undefined;
    ahead.add(fork, tree as ObjectId, async ({ signal, onUnpack }) => {
      begun.push(tree);
      listener = onUnpack;
      signal?.addEventListener('abort', () => made.reject(new Error('It was given up')));
      await made.promise.finally(() => ended.push(`${tree} ${signal?.aborted ? 'given up' : 'made'}`));
    });
    return { done: () => made.resolve(), tell: (progress: UnpackProgress) => listener?.(progress) };
  };
  return { ahead, begun, ended, add };
}

test('B-5 trees of forks are made ahead one at a time, one of several forks once', async () => {
  const { begun, ended, add } = openAhead();
  const first = add('a', 'one');
  add('b', 'one');
  add('c', 'two').done();
  expect(begun).toEqual(['one']);
  first.done();
  await expect.poll(() => ended).toEqual(['one made', 'two made']);
  add('d', 'one').done();
  await expect.poll(() => ended).toEqual(['one made', 'two made', 'one made']);
});

test('B-5 what is made ahead ends when the last fork with it is deleted, or the bridge stops', async () => {
  const { ahead, begun, ended, add } = openAhead();
  add('a', 'one');
  add('b', 'one');
  add('c', 'two');
  add('d', 'three');
  ahead.drop('a');
  ahead.drop('c');
  expect(ended).toEqual([]);
  ahead.drop('b');
  await expect.poll(() => begun).toEqual(['one', 'three']);
  await ahead[Symbol.asyncDispose]();
  add('e', 'four');
  expect([begun, ended]).toEqual([
    ['one', 'three'],
    ['one given up', 'three given up'],
  ]);
});

test('B-5 nothing is made ahead on a disk with little room, and what is being made ends when room gets short', async () => {
  let isRoomy = true;
  const { begun, ended, add } = openAhead(() => isRoomy);
  const { tell } = add('a', 'one');
  tell({ files: 1, bytes: 1 });
  expect(ended).toEqual([]);
  isRoomy = false;
  add('b', 'two');
  tell({ files: 2, bytes: 2 });
  await expect.poll(() => ended).toEqual(['one given up']);
  isRoomy = true;
  add('c', 'three');
  await expect.poll(() => begun).toEqual(['one', 'three']);
});
