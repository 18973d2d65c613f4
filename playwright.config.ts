import { defineConfig } from '@playwright/test';

/** Chromium is Debian's; the flags keep it from looking for its maker's servers. */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results/e2e',
  workers: 1,
  timeout: 360_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // v86 makes hundreds of small modules; optimising each competes with the guest on few cores, and the tests' waits are
        // too short for that on a busy machine. Benchmarks leave it out.
        '--js-flags=--liftoff-only',
      ],
    },
  },
});
