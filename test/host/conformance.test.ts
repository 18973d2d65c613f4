import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { Host } from '../../bridge-server/main/open-host.ts';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import type { Isolation } from '../../protocol/sandbox/sandbox-info.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { basicsSuite } from '../conformance/sandbox/basics-suite.ts';
import type { OpenSandbox } from '../conformance/sandbox/open-sandbox.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import type { SuiteTests } from '../conformance/sandbox/suite-tests.ts';
import { runsLong } from '../runs-long.ts';
import { suiteTests } from '../sample.ts';
import { mappingsSuite } from './mappings-suite.ts';
import { openTestHost } from './open-test-host.ts';
import { whatJailsLack, whatOwnIdLacks } from './what-jails-lack.ts';

await onHost('overlay', sandboxSuite);
await onHost('btrfs', sandboxSuite, { tests: suiteTests('btrfs') });
// Only the root differs, and a copy of it takes its time.
await onHost('copy', basicsSuite, { tests: suiteTests('copy') });

const withoutPorts: typeof sandboxSuite = (open, tests) =>
  sandboxSuite(open, tests, { lacks: { ports: 'it has no sockets of the Internet, not even to itself' } });
await onHost('copy', withoutPorts, {
  isolation: 'landlock',
  tests: suiteTests('landlock'),
  skip: [
    {
      reason: 'there is no /proc to look at processes in (test/host/jail/own-id.test.ts looks from outside)',
      tests: [
        'S-6 a command past its deadline is killed with all it started',
        'I-7 commands run as an ordinary user without capabilities, and as root on request',
        'S-10 a background command answers at once, streams, and is killed with its children',
        'H-8 aborting a command rejects it and leaves nothing of it behind',
        'I-6 orphans are reaped: none is left as a zombie',
        'I-6 closing a terminal hangs up what runs in it',
        'I-6 jobs: Ctrl-Z stops, fg continues, Ctrl-C interrupts, & runs behind',
        'O-8 H-9 tells what runs, whose it is and what it takes, without a trace in the history',
      ],
    },
    {
      reason: 'nothing can be laid over a file of the root',
      tests: ['H-7 X-8 its machine id is new after going back, and in none of its snapshots'],
    },
    {
      reason: 'all users have one id, whose name is that of `user`',
      tests: [
        'S-3 shells do not mix; runs of one go one after the other, and one that waits can be given up',
        'S-3 a saved state opens another shell that goes on from it, and so do its snapshots',
      ],
    },
    {
      reason: 'the host’s name is that of its sandboxes',
      tests: ['B-1 a login shell of the user is at its prompt in the home directory'],
    },
  ],
});

interface Level {
  readonly isolation?: Isolation;
  /** All of them or a sample; one of a level that has a sample. */
  readonly tests?: SuiteTests;
  /** What it promises not, by the titles of the suite: a title that is there no more is a failure of `test:long`. */
  readonly skip?: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

async function onHost(
  kind: RootKind,
  suite: (open: OpenSandbox, tests: SuiteTests) => void,
  { isolation = 'namespace', tests = suiteTests(), skip = [] }: Level = {},
): Promise<void> {
  const lack = isolation === 'landlock' ? await whatOwnIdLacks() : await whatJailsLack(kind);
  const reasons = new Map(skip.flatMap(({ reason, tests }) => tests.map((title) => [title, reason])));
  const met = new Set<string>();
  describe.skipIf(lack)(`jail (${isolation}) on ${kind}${lack ? ` (not here: ${lack})` : ''}`, () => {
    let host: Host;
    beforeAll(async () => {
      host = await openTestHost(kind, isolation);
    });
    beforeEach(({ task, skip }) => {
      met.add(task.name);
      skip(reasons.has(task.name), reasons.get(task.name));
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    afterAll(() => {
      expect(tests.unknown()).toEqual([]);
      if (runsLong) expect([...reasons.keys()].filter((title) => !met.has(title))).toEqual([]);
    });
    suite(() => Sandbox.create({ backend: host.backend }), tests);
    mappingsSuite(() => Sandbox.create({ backend: host.backend }), tests);
  });
}
