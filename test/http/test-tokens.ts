import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../bridge-server/stores/registry-schema.ts';
import { openSandboxRecords } from '../../bridge-server/stores/sandbox-records.ts';
import { openTokenRecords } from '../../bridge-server/stores/token-records.ts';
import type { TokenDraft, TokenRecords } from '../../bridge-server/token-contract.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';

/** Short names under which the test bridge takes its tokens: of everything, of `box-1`, of `box-2`; and to look only. */
export const testTokens = {
  all: 'token-of-all',
  one: 'token-of-one',
  two: 'token-of-two',
  lookAtAll: 'token-to-look-at-all',
  lookAtOne: 'token-to-look-at-one',
} as const;

const drafts: Readonly<Record<string, TokenDraft>> = {
  [testTokens.all]: { name: 'all', scope: 'all' },
  [testTokens.one]: { name: 'one', scope: { sandboxes: ['box-1'] } },
  [testTokens.two]: { name: 'two', scope: { sandboxes: ['box-2'] } },
  [testTokens.lookAtAll]: { name: 'look at all', scope: 'all', access: 'read' },
  [testTokens.lookAtOne]: { name: 'look at one', scope: { sandboxes: ['box-1'] }, access: 'read' },
};

/** The real records, in memory, with `testTokens` in them under names that a test can write down. */
export async function openTestTokens(sandboxes: readonly SandboxInfo[]): Promise<TokenRecords> {
  const database = new DatabaseSync(':memory:');
  for (const migration of migrations) database.exec(migration);
  const known = openSandboxRecords(database);
  for (const each of sandboxes) await known.add(each);
  const records = openTokenRecords(database);
  const texts = new Map(Object.entries(drafts).map(([name, draft]) => [name, records.create(draft).token]));
  return { ...records, check: (token) => records.check(texts.get(token) ?? token) };
}
