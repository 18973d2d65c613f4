import { afterAll, beforeAll, describe } from 'vitest';
import type { Host } from '../../bridge-server/main/open-host.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { basicsSuite } from '../conformance/sandbox/basics-suite.ts';
import type { OpenSandbox } from '../conformance/sandbox/open-sandbox.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import { openTestHost } from './open-test-host.ts';

describe('jail on overlay', () => onHost('overlay', sandboxSuite));
// Only the root differs, and a copy of it takes its time.
describe('jail on copy', () => onHost('copy', basicsSuite));

function onHost(snapshots: 'overlay' | 'copy', suite: (open: OpenSandbox) => void): void {
  let host: Host;
  beforeAll(async () => {
    host = await openTestHost(snapshots);
  });
  afterAll(() => host?.[Symbol.asyncDispose]());
  suite(() => Sandbox.create({ backend: host.backend }));
}
