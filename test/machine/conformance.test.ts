import { describe } from 'vitest';
import { checkpointsSuite } from '../conformance/sandbox/checkpoints-suite.ts';
import { sandboxSuite } from '../conformance/sandbox/sandbox-suite.ts';
import { openSandbox } from './open-sandbox.ts';

describe('v86', () => {
  sandboxSuite(() => openSandbox(), undefined, {
    lacks: { forks: 'this test keeps the sandbox in a store of its own' },
  });
  checkpointsSuite(() => openSandbox());
});
