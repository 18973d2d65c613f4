import { defineConfig } from 'vite';
import { at, contentSecurityPolicy } from './vite.config.ts';

/** What origins of previews serve, in a folder of its own: none of it may be at an origin that has sandboxes (S-6). */
export default defineConfig({
  root: at('web/webcontainer-host/preview/pages'),
  base: '/',
  cacheDir: at('node_modules/.vite-preview'),
  plugins: [contentSecurityPolicy()],
  build: {
    outDir: at('dist/preview'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        page: at('web/webcontainer-host/preview/pages/coppice-preview/index.html'),
        'coppice-preview-sw': at('web/webcontainer-host/preview/preview-worker.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'page' ? 'assets/[name]-[hash].js' : '[name].js'),
      },
    },
  },
});
