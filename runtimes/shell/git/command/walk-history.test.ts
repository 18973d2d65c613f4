import { expect, test, vi } from 'vitest';
import { limits } from '../../../../protocol/limits.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { walkHistory } from './walk-history.ts';

/** Branches `0`, `1` … that never end: `3.7` is the eighth commit of the fourth, each a second older than the one before. */
function endlessBranches(signal = new AbortController().signal) {
  const readCommit = vi.fn(async ({ oid }: { oid: string }) => {
    const [branch, back = '0'] = oid.split('.');
    const author = {
      name: 'Ada',
      email: 'ada@example.org',
      timestamp: 1e9 - Number(back),
      timezoneOffset: 0,
    };
    const parent = [`${branch}.${Number(back) + 1}`];
    return { oid, commit: { parent, message: oid, tree: '', author, committer: author } };
  });
  const at = { dir: '/p', cache: {} };
  const shallowCommits = async () => new Set();
  return {
    readCommit,
    repository: { library: { readCommit }, at, signal, shallowCommits } as unknown as Repository,
  };
}

const tips = Array.from({ length: 2_000 }, (_, branch) => `${branch}.0`);

test('I-3 commits of many branches come youngest first, and no more is read than is asked for', async () => {
  const { repository, readCommit } = endlessBranches();
  const ids: string[] = [];
  for await (const { id } of walkHistory(repository, { tips })) {
    ids.push(id);
    if (ids.length === tips.length + 2) break;
  }
  expect(ids.slice(0, 2)).toEqual(['0.0', '1.0']);
  expect(ids.slice(-3)).toEqual(['1999.0', '0.1', '1.1']);
  expect(readCommit.mock.calls.length).toBeLessThan(2 * tips.length + 3);
});

test('I-3 a walk ends when its command is killed, and says where it gives up', async () => {
  const killed = endlessBranches(AbortSignal.abort('killed'));
  await expect(walkHistory(killed.repository, { tips }).next()).rejects.toBe('killed');
  const { repository } = endlessBranches();
  const walkAll = async () => {
    let count = 0;
    for await (const _ of walkHistory(repository, { tips: ['0.0'] })) count++;
    return count;
  };
  await expect(walkAll()).rejects.toThrow(`more than ${limits.gitWalkedCommits} commits`);
});
