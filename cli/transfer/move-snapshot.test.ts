import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { lostNetwork, type MoveOptions, moveSnapshot } from './move-snapshot.ts';

const info = { name: 'work', network: 'full', allow: ['pypi.org:443', '*.debian.org'] };

test('B-9 a copy that has lost its network is told with the flags that give it one', () => {
  const lost = (changes: object, options: MoveOptions = {}) =>
    lostNetwork(Object({ info: { ...info, ...changes } }), options);
  expect(lost({})).toBe(
    "the copy has no network: --allow pypi.org:443 --allow '*.debian.org' gives it the one of work",
  );
  expect(lost({ allow: undefined })).toContain('--network public');
  expect(lost({ network: 'isolated' })).toBeUndefined();
  expect(lost({}, { network: 'off' })).toBeUndefined();
  expect(lost({}, { allow: ['pypi.org'] })).toBeUndefined();
  expect(lost({}, { into: 'other' })).toBeUndefined();
});

test('B-9 a copy is made with the network that is asked for, and a sandbox that there is keeps its own', async () => {
  const asked: object[] = [];
  const copy = {
    ...{ id: 'id', info, history: { head: async () => 'head' } },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const sandbox = Object({
    info,
    copyTo: async (_backend: object, options: object) => {
      asked.push(options);
      return copy;
    },
  });
  const context = { stderr: new PassThrough(), signal: new AbortController().signal };
  const move = (options: MoveOptions) =>
    moveSnapshot(
      sandbox,
      Object({
        to: { name: 'there', backend: { list: async () => [{ id: 'other', name: 'taken' }] } },
        snapshot: 'id',
        label: '',
        context,
        options: { ...options, quiet: true },
      }),
    );
  await move({ allow: ['pypi.org'] });
  await move({});
  expect(asked).toMatchObject([{ settings: { network: 'full', allow: ['pypi.org'] } }, { settings: {} }]);
  await expect(move({ as: 'taken' })).rejects.toMatchObject({ code: 'already-exists' });
  await expect(move({ into: 'other', network: 'public' })).rejects.toThrow('--into other');
});
