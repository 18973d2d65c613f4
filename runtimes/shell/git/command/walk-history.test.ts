import { expect, test, vi } from 'vitest';
import { limits } from '../../../../protocol/limits.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { walkHistory } from './walk-history.ts';

const idOf = (branch: number, back: number) => `${branch}`.padStart(20, '0') + `${back}`.padStart(20, '0');

/** Branches that never end: `idOf(3, 7)` is the eighth commit of the fourth, each a second older than the one before. */
function endlessBranches(signal = new AbortController().signal) {
  const readObject = vi.fn(async ({ oid }: { oid: string }) => {
    const [branch, back] = [Number(oid.slice(0, 20)), Number(oid.slice(20))];
    const by = `Ada <ada@example.org> ${1e9 - back} +0000`;
    const head = `tree ${idOf(0, 0)}\nparent ${idOf(branch, back + 1)}\nauthor ${by}\ncommitter ${by}`;
    return { oid, type: 'commit', object: new TextEncoder().encode(`${head}\n\n${back}\n`) };
  });
  const at = { dir: '/p', cache: {} };
  const shallowCommits = async () => new Set();
  return {
    readObject,
    repository: { library: { readObject }, at, signal, shallowCommits } as unknown as Repository,
  };
}

const tips = Array.from({ length: 2_000 }, (_, branch) => idOf(branch, 0));

test('I-3 commits of many branches come youngest first, and no more is read than is asked for', async () => {
  const { repository, readObject } = endlessBranches();
  const ids: string[] = [];
  for await (const { id } of walkHistory(repository, { tips })) {
    ids.push(id);
    if (ids.length === tips.length + 2) break;
  }
  expect(ids.slice(0, 2)).toEqual([idOf(0, 0), idOf(1, 0)]);
  expect(ids.slice(-3)).toEqual([idOf(1_999, 0), idOf(0, 1), idOf(1, 1)]);
  expect(readObject.mock.calls.length).toBeLessThan(2 * tips.length + 3);
});

test('I-3 a walk ends when its command is killed, and says where it gives up', async () => {
  const killed = endlessBranches(AbortSignal.abort('killed'));
  await expect(walkHistory(killed.repository, { tips }).next()).rejects.toBe('killed');
  const { repository } = endlessBranches();
  const walkAll = async () => {
    let count = 0;
    for await (const _ of walkHistory(repository, { tips: [idOf(0, 0)] })) count++;
    return count;
  };
  await expect(walkAll()).rejects.toThrow(`more than ${limits.gitWalkedCommits} commits`);
});
