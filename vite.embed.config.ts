import { defineConfig } from 'vite';
import { packageVersion } from './protocol/package-version.ts';
import { at } from './vite.config.ts';

/** What pages of other origins load for their embeds: a version in its path, so that it stays what it is. */
export default defineConfig({
  root: at('web/embed'),
  base: './',
  cacheDir: at('node_modules/.vite-embed'),
  publicDir: false,
  build: {
    outDir: at(`dist/site/embed/${packageVersion}`),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    rolldownOptions: {
      input: { 'coppice-embed': at('web/embed/index.ts') },
      preserveEntrySignatures: 'exports-only',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
