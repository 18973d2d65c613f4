import { expect, test } from 'vitest';
import type { FilesFacet, PathAt } from '../../../protocol/sandbox/files.ts';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { findStartable } from './find-startable.ts';
import { initialState, type SandboxState } from './sandbox-state.ts';

const captured = (id: string, parent: string | undefined, runs: readonly string[]): SnapshotInfo =>
  ({
    ...{ id, parents: parent === undefined ? [] : [parent], tags: [], takenAtMs: 0 },
    cause: { type: 'capture', commands: [id], runs },
    changes: { created: 0, modified: 0, deleted: 1, paths: [] },
  }) as unknown as SnapshotInfo;

const snapshots = [
  captured('start', undefined, ['r0']),
  captured('git init', 'start', ['r1']),
  captured('half', 'git init', ['r2']),
  captured('rm -rf /usr/bin', 'half', ['r2']),
  captured('echo', 'rm -rf /usr/bin', ['r3']),
];
const state = { ...initialState, history: { snapshots, head: 'echo' } } as unknown as SandboxState;

/** Files of a 32-bit image, of which these states lack some. */
function lacking(lost: { readonly [at: string]: readonly string[] }): {
  readonly files: Pick<FilesFacet, 'stat'>;
} {
  const image = ['/bin/bash', '/lib/ld-linux.so.2', '/lib/i386-linux-gnu/libc.so.6'];
  const stat = async ({ path, at = 'now' }: PathAt) => {
    if (image.includes(path) && !lost[at]?.includes(path)) return { path };
    throw new Error('not found');
  };
  return { files: { stat: stat as FilesFacet['stat'] } };
}

test('R-4 of a state without a shell, the command that took it and the state before that command are found', async () => {
  // Half of the command was captured while bash was still there: that is no state to go back to.
  const bash = ['/bin/bash'];
  const gone = lacking({ now: bash, echo: bash, 'rm -rf /usr/bin': bash });
  const found = await findStartable(gone, state);
  expect([found.missing, found.since?.id, found.last?.id]).toEqual([bash, 'rm -rf /usr/bin', 'git init']);
});

test('where a shell lacks nothing, the state before is offered; where the history lacks it, its root', async () => {
  const nothing = await findStartable(lacking({}), state);
  expect([nothing.missing, nothing.last?.id]).toEqual([[], 'rm -rf /usr/bin']);
  const pending = await findStartable(lacking({ now: ['/lib/ld-linux.so.2'] }), state);
  expect([pending.missing, pending.since?.id, pending.last?.id]).toEqual([
    ['/lib/ld-linux.so.2'],
    undefined,
    'echo',
  ]);
});
