import { type Architecture, isArchitecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';

/** What the maintainer scripts of packages would have done and the builder does by name instead. */
const effectNames = [
  'accounts',
  'alternatives',
  'ca-bundle',
  'dpkg-database',
  'linker-cache',
  'machine-files',
  'package-sources',
  'passwordless-root',
  'python-bytecode',
  'quick-login',
  'usr-merge',
] as const;
export type EffectName = (typeof effectNames)[number];

/** The wishes of one profile's `image.json`; a profile that extends others has theirs as well. */
export interface Recipe {
  readonly extends: readonly string[];
  readonly description: string;
  /** i386 unless it is said. */
  readonly architecture: Architecture | undefined;
  /** Packages by name; dependencies follow, recommendations do not. */
  readonly packages: readonly string[];
  /** Packages of the dependency closure that are left out, each with the reason. */
  readonly without: Readonly<Record<string, string>>;
  readonly effects: readonly EffectName[];
  /** Link to target, as update-alternatives would have made them. */
  readonly alternatives: Readonly<Record<string, string>>;
  /** Path prefixes of files that are dropped, and of those kept nevertheless. */
  readonly drop: readonly string[];
  readonly keep: readonly string[];
  readonly hostname: string | undefined;
  readonly memoryMiB: number | undefined;
}

const names = /^[a-z0-9][a-z0-9+.-]*$/;
const fields = [
  '$schema',
  'extends',
  'description',
  'architecture',
  'packages',
  'without',
  'effects',
  'alternatives',
  'drop',
  'keep',
  'hostname',
  'memoryMiB',
];

/** Reads an `image.json`. @throws invalid-argument that names the field */
export function parseRecipe(text: string, profile: string): Recipe {
  let value: Record<string, unknown>;
  try {
    value = { ...JSON.parse(text) };
  } catch (cause) {
    throw new SandboxError('invalid-argument', `Cannot read profile "${profile}": it is not JSON`, { cause });
  }
  const fail = (field: string) =>
    new SandboxError('invalid-argument', `Cannot read profile "${profile}": "${field}" is not valid`, {
      details: { field },
    });
  const strings = (field: string, accepts: (one: string) => boolean): string[] => {
    const list = value[field] ?? [];
    if (Array.isArray(list) && list.every((one) => typeof one === 'string' && accepts(one))) return list;
    throw fail(field);
  };
  const map = (field: string): Record<string, string> => {
    const entries = Object.entries(Object(value[field] ?? {}));
    if (entries.every((entry): entry is [string, string] => typeof entry[1] === 'string'))
      return Object.fromEntries(entries);
    throw fail(field);
  };
  const unknown = Object.keys(value).find((field) => !fields.includes(field));
  if (unknown) throw fail(unknown);
  const { description = '', architecture, hostname, memoryMiB } = value;
  if (typeof description !== 'string') throw fail('description');
  if (architecture !== undefined && !isArchitecture(architecture)) throw fail('architecture');
  if (hostname !== undefined && (typeof hostname !== 'string' || !names.test(hostname)))
    throw fail('hostname');
  if (memoryMiB !== undefined && (typeof memoryMiB !== 'number' || !(memoryMiB >= 16 && memoryMiB <= 2048)))
    throw fail('memoryMiB');
  const isEffect = (one: string): one is EffectName => effectNames.some((name) => name === one);
  return {
    extends: strings('extends', (one) => names.test(one)),
    description,
    architecture,
    packages: strings('packages', (one) => names.test(one)),
    without: map('without'),
    effects: strings('effects', isEffect) as EffectName[],
    alternatives: map('alternatives'),
    drop: strings('drop', isAbsolute),
    keep: strings('keep', isAbsolute),
    hostname,
    memoryMiB,
  };
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}
