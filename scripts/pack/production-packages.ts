import { cp, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { root } from '../run-step.ts';

/**
 * Copies npm's packages with these names, and all that they depend on, from this project's `node_modules` to that of
 * `folder`, each to the same path. What is for compilers and debuggers is left out.
 * @throws Error for a package that is not installed
 */
export async function copyProductionPackages(names: readonly string[], folder: string): Promise<void> {
  for (const path of await closureOf(names)) {
    await cp(join(root, path), join(folder, path), {
      recursive: true,
      dereference: true,
      filter: (source) => isRun(source) && !relative(join(root, path), source).startsWith('node_modules'),
    });
  }
}

function isRun(path: string): boolean {
  return !/\.(map|d\.[cm]?ts)$/.test(path);
}

/** Paths below the root of the project. */
async function closureOf(names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting = names.map((name) => ({ name, from: root, isOptional: false }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const installed = await findInstalled(next.name, next.from);
    if (!installed) {
      if (next.isOptional) continue;
      throw new Error(`${next.name} is not installed`);
    }
    const { path, dependencies = {}, optionalDependencies = {} } = installed;
    if (found.has(relative(root, path))) continue;
    found.add(relative(root, path));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      waiting.push({ name, from: path, isOptional: name in optionalDependencies });
    }
  }
  return found;
}

interface Installed {
  readonly path: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** As Node looks for a package: in the folder itself, and then in those above. */
async function findInstalled(name: string, from: string): Promise<Installed | undefined> {
  for (let at = from; at.startsWith(root); at = dirname(at)) {
    const path = join(at, 'node_modules', name);
    const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return { ...JSON.parse(text), path };
  }
  return undefined;
}
