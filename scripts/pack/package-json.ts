import { declarationOf } from './copy-types.ts';
import {
  browserModule,
  bundledName,
  commandModule,
  elementManifestFile,
  embedModule,
  nodeExports,
} from './entries.ts';

/** What is taken from the project's own package.json. */
export interface ProjectPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, object>>;
}

/** The package.json of the package: without scripts, as npm does not run those of what it installs. */
export function packageJson(project: ProjectPackage, imported: ReadonlySet<string>): object {
  const { name, version, description, license, engines, peerDependencies, peerDependenciesMeta } = project;
  const peers = new Set(Object.keys(peerDependencies));
  const needed = [...imported].filter((each) => !peers.has(each)).sort();
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { coppice: `lib/${bundledName(commandModule)}.js` },
    man: ['coppice.1'],
    exports: {
      ...Object.fromEntries(nodeExports.map((each) => [each.name, conditions(each)])),
      './embed': inBrowsers(embedModule),
    },
    customElements: elementManifestFile,
    dependencies: Object.fromEntries(needed.map((each) => [each, versionOf(each, project)])),
    peerDependencies,
    peerDependenciesMeta,
  };
}

/** `.` is another module in a browser. */
function conditions({ name, module }: (typeof nodeExports)[number]): object {
  const types = `./types/${declarationOf(module)}`;
  const node = `./lib/${bundledName(module)}.js`;
  if (name !== '.') return { types, default: node };
  return {
    node: { types, default: node },
    default: inBrowsers(browserModule),
  };
}

function inBrowsers(module: string): object {
  return {
    types: `./types/${declarationOf(module)}`,
    default: `./lib/browser/${bundledName(module)}.js`,
  };
}

/** @throws Error for a package that Node code imports and package.json does not name */
function versionOf(name: string, { dependencies, devDependencies }: ProjectPackage): string {
  const version = dependencies[name] ?? devDependencies[name];
  if (version === undefined) throw new Error(`package.json has no version of ${name}, which is imported`);
  return version;
}
