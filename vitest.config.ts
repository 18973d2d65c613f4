import { defineConfig } from 'vitest/config';

/** Of the folders whose tests share a process, those that replace a module, or look at all of their process. */
const alone = [
  'bridge-server/http/archive.test.ts',
  'bridge-server/http/stop-mcp.test.ts',
  'bridge-server/main/probe-memory.test.ts',
  'bridge-server/programs/programs.test.ts',
  'mcp/http/http-sessions.test.ts',
  'protocol/archive/plain-tar.test.ts',
  'protocol/output-buffer.test.ts',
  'shell/expand/patterns/expand-pathname.test.ts',
  'tree/history/stream-blocks.test.ts',
  'tree/live/live-tree.test.ts',
  // A server of bridges replaces the `Response` of its process with one that checks less.
  'web/webcontainer-host/preview/preview-worker.test.ts',
  'web/worker/assets/ram-cache.test.ts',
];

const unit = {
  // Of what hangs: a machine may be slow.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        // Its package names only a CommonJS file for Node, whose exports Node cannot tell.
        resolve: { alias: { '@xterm/xterm': '@xterm/xterm/lib/xterm.mjs' } },
        test: {
          ...unit,
          // They load the same modules, which takes longer than most of them, and leave their process as it was.
          name: 'unit-shared',
          include: [
            '{tree,protocol,recording,sandbox,shell,sdk,runtimes,web,mcp,wasm,bridge-server}/**/*.test.ts',
          ],
          exclude: alone,
          isolate: false,
          setupFiles: ['test/undo-stubs.ts'],
        },
      },
      {
        test: {
          ...unit,
          name: 'unit-alone',
          include: [
            '{host,images,guest,scripts,cli}/**/*.test.ts',
            'test/{adapters,agreement,conformance,crash,hostile,docs}/**/*.test.ts',
            ...alone,
          ],
        },
      },
      {
        // A real guest: v86 in Node, our tree, our init. Needs the built image.
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          globalSetup: ['test/host/shared-layer.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        // What is long by nature: `npm run test:long`, and no part of `npm test`.
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 7_200_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        // Real jails on this host: namespaces, mounts, cgroups. What the host lacks is skipped by name.
        test: {
          name: 'host',
          include: ['test/host/**/*.test.ts'],
          globalSetup: ['test/host/shared-layer.ts'],
          testTimeout: 240_000,
          // The first to need the image unpacks it.
          hookTimeout: 480_000,
          expect: { poll: { timeout: 120_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
});
