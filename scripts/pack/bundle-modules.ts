import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { root } from '../run-step.ts';
import {
  browserModule,
  bundledName,
  commandModule,
  embedModule,
  nodeExports,
  startedModules,
} from './entries.ts';

/** What lowers `await using` for Node 22 imports this, which is bundled. */
const loweringHelpers = '@oxc-project/runtime';

/**
 * Bundles the package's modules into the folder `to`, all in one folder, as `host/repository.ts` finds the package's
 * other files from there. What is loaded on demand stays a file of its own; npm's packages stay imports. Resolves to
 * the names of those that Node imports.
 */
export async function bundleModules(to: string): Promise<ReadonlySet<string>> {
  const modules = new Set([commandModule, ...nodeExports.map(({ module }) => module), ...startedModules]);
  const packages = new Set<string>();
  await bundle({ to, modules, packages, plugins: [beginsWithStack(modules)] });
  // Apart: a browser has no use for chunks that import what is Node's.
  await bundle({
    to: join(to, 'browser'),
    modules: new Set([browserModule, embedModule]),
    packages: new Set(),
    plugins: [],
  });
  return packages;
}

async function bundle(of: {
  readonly to: string;
  readonly modules: ReadonlySet<string>;
  readonly packages: Set<string>;
  readonly plugins: readonly Plugin[];
}): Promise<void> {
  const input = Object.fromEntries(
    [...of.modules].map((module) => [bundledName(module), join(root, module)]),
  );
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [...of.plugins],
    ssr: { noExternal: [loweringHelpers] },
    build: {
      ssr: true,
      outDir: of.to,
      emptyOutDir: true,
      target: 'node22',
      minify: false,
      rolldownOptions: {
        input,
        external: (id) => isExternal(id, of.packages),
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Has each entry import `async-disposable-stack.ts` before all else. */
function beginsWithStack(modules: ReadonlySet<string>): Plugin {
  const entries = new Set([...modules].map((module) => join(root, module)));
  const stack = JSON.stringify(join(import.meta.dirname, 'async-disposable-stack.ts'));
  return {
    name: 'begins-with-stack',
    enforce: 'pre',
    transform: (code, id) => {
      if (!entries.has(id)) return null;
      // After the line that has a shell start Node.
      const at = code.startsWith('#!') ? code.indexOf('\n') + 1 : 0;
      return { code: `${code.slice(0, at)}import ${stack};${code.slice(at)}`, map: null };
    },
  };
}

/** Notes the names of packages that are not Node's own. */
function isExternal(id: string, packages: Set<string>): boolean {
  if (isBuiltin(id)) return true;
  if (/^[./\0]/.test(id) || id.startsWith(loweringHelpers)) return false;
  packages.add(packageName(id));
  return true;
}

/** `@scope/name/part` is of `@scope/name`. */
function packageName(id: string): string {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}
