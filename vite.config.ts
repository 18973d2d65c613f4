import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { embedPolicy, pagePolicyInMeta } from './protocol/content-security-policy.ts';
import { demoCards } from './scripts/demo-cards.ts';
import { patchV86 } from './scripts/patch-v86.ts';
import { watchV86 } from './scripts/watch-v86.ts';

export const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const standIns = [
  { find: /^\.\/backend\.ts$/, replacement: at('test/fixtures/page-backend.ts') },
  { find: /^\.\.\/\.\.\/sdk\/connect\.ts$/, replacement: at('test/fixtures/page-bridge.ts') },
];
/** `stock-v86`: compiled code as v86 itself makes it, for what a benchmark compares with. */
const stockV86 = [
  { find: /^\.\/compiled-code\.ts$/, replacement: at('test/bench/pages/stock-compiled-code.ts') },
];
const aliases: Readonly<Record<string, typeof standIns>> = { 'stand-in': standIns, 'stock-v86': stockV86 };
const serviceWorker = 'service-worker.js';
/** Entries that are found by their name and so have no digest in it. */
const fixedNames = new Set(['service-worker', 'coppice', 'webcontainer-history']);

/** Tells the service worker which files this build has, and by that when there is a newer one. */
function appShell(): Plugin {
  return {
    name: 'app-shell',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.keys(bundle).filter((file) => file !== serviceWorker && !file.endsWith('.map'));
      const contents = createHash('sha256');
      for (const file of files.sort()) {
        const part = bundle[file];
        contents.update(file);
        if (part) contents.update(part.type === 'chunk' ? part.code : part.source);
      }
      const shell = JSON.stringify({
        version: contents.digest('hex').slice(0, 16),
        files: [...files.filter((file) => file !== 'index.html'), 'icon.svg', 'manifest.webmanifest'],
      });
      const chunk = bundle[serviceWorker];
      if (chunk?.type === 'chunk') chunk.code = `const __APP_SHELL__=${shell};\n${chunk.code}`;
    },
  };
}

/** Puts its policy into the page, for servers that send none. */
export function contentSecurityPolicy(): Plugin {
  const policies = { '%content-security-policy%': pagePolicyInMeta, '%embed-security-policy%': embedPolicy };
  return {
    name: 'content-security-policy',
    transformIndexHtml: {
      order: 'pre',
      handler(html) {
        for (const [mark, policy] of Object.entries(policies))
          if (html.includes(mark)) return html.replace(mark, policy);
        throw new Error(`A page has none of ${Object.keys(policies).join(', ')}`);
      },
    },
  };
}

/** Puts the page's few styles into it: one request less before anything is drawn. */
function inlineStyles(): Plugin {
  /** Pages may share them. */
  const inlined = new Map<string, string | Uint8Array>();
  return {
    name: 'inline-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        return html.replace(/<link rel="stylesheet"[^>]* href="\.{1,2}\/([^"]+)">/g, (link, file: string) => {
          const sheet = bundle[file];
          if (sheet?.type === 'asset') inlined.set(file, sheet.source);
          delete bundle[file];
          const source = inlined.get(file);
          return source === undefined ? link : `<style>${source}</style>`;
        });
      },
    },
  };
}

/**
 * What a start loads before the page is drawn, as one file: each set of modules that it shares with what is
 * loaded later would be a file, and a request, of its own.
 */
const startChunk = {
  name: 'start',
  test: /\/sdk\/(?!connect|routing|commands|git\.|git-history|index)|\/protocol\/(?:sandbox\/)?[\w-]+\.ts|\/elements\/model\/|\/transports\/|\/app\/backend|snapshot-record|preload-helper/,
};

/**
 * The small programs of a shell, which load one by one, as one file: each would be a request of a first visit. What lists
 * them belongs to the shell.
 */
const programsChunk = {
  name: 'programs',
  test: /\/shell\/programs\/(?!awk\/|find\/|grep\/|sed\/|sort\/|engine\/|wasm\/|streams\/input\.ts|[\w-]+\.ts|[\w-]+\/(?:[\w-]+-programs|constant|shell-words)\.ts)/,
  // What they use of the shell and its tree is loaded before them.
  includeDependenciesRecursively: false,
};

/**
 * V8 keeps compiled code of a script between visits, but only of the functions it has compiled when
 * the script has run its top level; this line makes it compile all of them. Chunks that entries
 * import are needed whole at every start.
 */
const compiledWhole = ({ isEntry }: { isEntry: boolean }): string =>
  isEntry ? '' : '//# allFunctionsCalledOnLoad';

export default defineConfig(({ mode }) => ({
  root: at('web/app'),
  base: './',
  cacheDir: at('node_modules/.vite'),
  // `vite --mode stand-in` shows the page with an invented history in place of a machine.
  resolve: { alias: aliases[mode] ?? [] },
  worker: {
    format: 'es',
    plugins: () => [patchV86(), watchV86()],
    rolldownOptions: {
      output: { postBanner: compiledWhole, codeSplitting: { groups: [programsChunk] } },
    },
  },
  // The development server has no plugins of workers.
  plugins: [contentSecurityPolicy(), demoCards(), inlineStyles(), appShell(), watchV86()],
  build: {
    outDir: at('dist/site'),
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    // The target's browsers preload modules by themselves, and two pages would have the polyfill as a file of its own.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: at('web/app/index.html'),
        'service-worker': at('web/app/service-worker.ts'),
        coppice: at('web/app/coppice.ts'),
        demos: at('web/app/demos/index.html'),
        headless: at('web/app/headless/index.html'),
        replay: at('web/app/replay/index.html'),
        embed: at('web/app/embed/index.html'),
        'webcontainer-history': at('web/webcontainer-host/history/open-history.ts'),
      },
      // Other pages import what `coppice.js` exports.
      preserveEntrySignatures: 'exports-only',
      output: {
        postBanner: compiledWhole,
        codeSplitting: { groups: [startChunk] },
        entryFileNames: (chunk) => (fixedNames.has(chunk.name) ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
}));
