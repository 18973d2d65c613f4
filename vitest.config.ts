import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{tree,protocol,shell,sdk,web,images,guest,scripts,cli}/**/*.test.ts',
            'test/{conformance,crash,hostile,docs}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**'],
        },
      },
      {
        // A real guest: v86 in Node, our tree, our init. Needs the built image.
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
