import { afterAll, beforeAll, describe } from 'vitest';
import type { Host } from '../../bridge-server/main/open-host.ts';
import type { RootKind } from '../../bridge-server/snapshots/open-root-maker.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { basicsSuite } from '../conformance/sandbox/basics-suite.ts';
import type { OpenSandbox } from '../conformance/sandbox/open-sandbox.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import { openTestHost } from './open-test-host.ts';
import { whatJailsLack } from './what-jails-lack.ts';

await onHost('overlay', sandboxSuite);
await onHost('btrfs', sandboxSuite);
// Only the root differs, and a copy of it takes its time.
await onHost('copy', basicsSuite);

async function onHost(kind: RootKind, suite: (open: OpenSandbox) => void): Promise<void> {
  const lack = await whatJailsLack(kind);
  describe.skipIf(lack)(`jail on ${kind}${lack ? ` (not here: ${lack})` : ''}`, () => {
    let host: Host;
    beforeAll(async () => {
      host = await openTestHost(kind);
    });
    afterAll(() => host?.[Symbol.asyncDispose]());
    suite(() => Sandbox.create({ backend: host.backend }));
  });
}
