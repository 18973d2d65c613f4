import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        // Its package names only a CommonJS file for Node, whose exports Node cannot tell.
        resolve: { alias: { '@xterm/xterm': '@xterm/xterm/lib/xterm.mjs' } },
        test: {
          name: 'unit',
          include: [
            '{tree,protocol,sandbox,shell,sdk,runtimes,web,bridge-server,host,images,guest,scripts,cli,mcp,wasm}/**/*.test.ts',
            'test/{adapters,agreement,conformance,crash,hostile,docs}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**'],
          // Of what hangs: a machine may be slow.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        // A real guest: v86 in Node, our tree, our init. Needs the built image.
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // What is long by nature: `npm run test:long`, and no part of `npm test`.
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 7_200_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // Real jails on this host: namespaces, mounts, cgroups. What the host lacks is skipped by name.
        test: {
          name: 'host',
          include: ['test/host/**/*.test.ts'],
          globalSetup: ['test/host/shared-layer.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
});
