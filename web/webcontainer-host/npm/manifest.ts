import { asRecord, isRecord } from '../is-record.ts';
import { NpmError } from './npm-error.ts';
import { assertPackageName } from './package-spec.ts';

/** Names of packages, and what is asked of each. */
type Dependencies = ReadonlyMap<string, string>;

/** What a package says of itself; members with other types than theirs count as absent. */
export interface Manifest {
  /** `''` for a project without one. */
  readonly name: string;
  readonly version: string;
  readonly dependencies: Dependencies;
  readonly devDependencies: Dependencies;
  readonly optionalDependencies: Dependencies;
  readonly peerDependencies: Dependencies;
  readonly optionalPeers: ReadonlySet<string>;
  /** Packages that its archive brings. */
  readonly bundled: ReadonlySet<string>;
  /** By the name of a command, the program's path in the package. */
  readonly bin: ReadonlyMap<string, string>;
  readonly os: readonly string[];
  readonly cpu: readonly string[];
  readonly libc: readonly string[];
  readonly hasInstallScript: boolean;
  readonly scripts: Dependencies;
  /** Members that a lock repeats as they are. */
  readonly recorded: Readonly<Record<string, unknown>>;
}

const recordedKeys = [
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'optionalDependencies',
  'bundleDependencies',
  'funding',
  'engines',
  'os',
  'cpu',
  'libc',
  'license',
  'bin',
  'deprecated',
];
const installScripts = ['preinstall', 'install', 'postinstall'];

/** Reads a manifest, of a registry, of an archive or of a lock. @throws NpmError for a name that is none */
export function parseManifest(value: unknown): Manifest {
  const members = asRecord(value);
  const name = typeof members.name === 'string' ? members.name : '';
  const optional = texts(members.optionalDependencies);
  const own = texts(members.dependencies);
  const bundled = members.bundleDependencies ?? members.bundledDependencies;
  const dependencies = new Map([...own].filter(([key]) => !optional.has(key)));
  const scripts = texts(members.scripts);
  for (const key of [...own.keys(), ...optional.keys()]) assertPackageName(key);
  return {
    name,
    version: typeof members.version === 'string' ? members.version : '',
    ...{ dependencies, optionalDependencies: optional },
    devDependencies: texts(members.devDependencies),
    peerDependencies: texts(members.peerDependencies),
    optionalPeers: new Set(
      Object.entries(asRecord(members.peerDependenciesMeta))
        .filter(([, meta]) => asRecord(meta).optional === true)
        .map(([key]) => key),
    ),
    bundled: new Set(bundled === true ? own.keys() : list(bundled)),
    bin: programs(members.bin, name),
    ...{ os: list(members.os), cpu: list(members.cpu), libc: list(members.libc) },
    hasInstallScript: members.hasInstallScript === true || installScripts.some((key) => scripts.has(key)),
    scripts,
    recorded: record(members),
  };
}

/** @throws NpmError EJSONPARSE that names the file */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NpmError('EJSONPARSE', `Cannot read ${file}: ${why}`, { cause });
  }
}

function record(members: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const key of recordedKeys) {
    const value = members[key];
    if (value === undefined || value === false) continue;
    if (isRecord(value) && Object.keys(value).length === 0) continue;
    kept[key] = value;
  }
  const { license, bin } = kept;
  if (isRecord(license)) kept.license = license.type;
  if (typeof bin === 'string') kept.bin = Object.fromEntries(programs(bin, String(members.name ?? '')));
  else if (isRecord(bin)) kept.bin = Object.fromEntries(programs(bin, ''));
  return kept;
}

function texts(value: unknown): Map<string, string> {
  const entries = Array.isArray(value) ? [] : Object.entries(asRecord(value));
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function list(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The commands of a package: names without a slash, paths that stay in it. */
function programs(bin: unknown, packageName: string): Map<string, string> {
  const given = typeof bin === 'string' ? [[packageName, bin] as const] : [...texts(bin)];
  const found = new Map<string, string>();
  for (const [key, path] of given) {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const names = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
    if (
      /^[^./\0\\][^/\0\\]*$/.test(name) &&
      names.length > 0 &&
      !names.includes('..') &&
      !path.includes('\0')
    )
      found.set(name, names.join('/'));
  }
  return found;
}
