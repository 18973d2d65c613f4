import { afterAll, describe, expect } from 'vitest';
import { checkpointsSuite } from '../conformance/sandbox/checkpoints-suite.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import { suiteTests } from '../sample.ts';
import { openSandbox } from './open-sandbox.ts';

describe('v86', () => {
  const tests = suiteTests('v86');
  afterAll(() => expect(tests.unknown()).toEqual([]));
  const ownStore = 'this test keeps the sandbox in a store of its own';
  sandboxSuite(() => openSandbox(), tests, { lacks: { forks: ownStore, forkMerges: ownStore } });
  checkpointsSuite(() => openSandbox());
});
