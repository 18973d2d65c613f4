import { afterAll, vi } from 'vitest';

// After each file of a process that several share: none is to find what another has put in the place of the clock or of a global.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
