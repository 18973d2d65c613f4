import { NpmError } from './npm-error.ts';

/** What `npm install`, or `npm ci`, was asked for. */
export interface InstallRequest {
  /** `ci`: what the lock says, from nothing. */
  readonly isClean: boolean;
  /** Packages to add, as they were named. */
  readonly packages: readonly string[];
  readonly saveTo:
    | 'dependencies'
    | 'devDependencies'
    | 'optionalDependencies'
    | 'peerDependencies'
    | undefined;
  /** `package.json` and the lock are written. */
  readonly saves: boolean;
  readonly savesExact: boolean;
  readonly writesLock: boolean;
  readonly omit: ReadonlySet<string>;
  readonly registry: string | undefined;
  readonly ignoresPeers: boolean;
  readonly isForced: boolean;
}

const saveTo = {
  '--save-prod': 'dependencies',
  '-P': 'dependencies',
  '--save-dev': 'devDependencies',
  '-D': 'devDependencies',
  '--save-optional': 'optionalDependencies',
  '-O': 'optionalDependencies',
  '--save-peer': 'peerDependencies',
} as const;

/** Options that change nothing here: nothing is audited, funded or run, and output is short. */
const ignored = new Set(
  [
    ...[
      'save',
      'audit',
      'no-audit',
      'fund',
      'no-fund',
      'progress',
      'no-progress',
      'ignore-scripts',
      'yes',
      'silent',
      'quiet',
    ],
    ...[
      'verbose',
      'prefer-offline',
      'prefer-online',
      'color',
      'no-color',
      'no-update-notifier',
      'no-bin-links-warning',
    ],
  ].map((name) => `--${name}`),
)
  .add('-S')
  .add('-s')
  .add('-q')
  .add('-y')
  .add('-d');
const ignoredWithValue = new Set([
  '--loglevel',
  '--fetch-retries',
  '--fetch-timeout',
  '--maxsockets',
  '--cache',
]);

/** @throws NpmError EUNSUPPORTED that names what this cannot do */
export function parseInstallArguments(
  args: readonly string[],
  { isClean, nodeEnv }: { readonly isClean: boolean; readonly nodeEnv: string | undefined },
): InstallRequest {
  const omit = new Set(nodeEnv === 'production' ? ['dev'] : []);
  const packages: string[] = [];
  const flags = new Set<string>();
  let [registry, to]: [string | undefined, InstallRequest['saveTo']] = [undefined, undefined];
  const rest = args.flatMap((argument) => splitValue(argument));
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) packages.push(word);
    else if (word === '--registry') registry = rest.shift();
    else if (word === '--omit') omit.add(rest.shift() ?? '');
    else if (word === '--include') omit.delete(rest.shift() ?? '');
    else if (word === '--production' || word === '--prod') omit.add('dev');
    else if (word === '--no-optional') omit.add('optional');
    else if (Object.hasOwn(saveTo, word)) to = saveTo[word as keyof typeof saveTo];
    else if (ignoredWithValue.has(word)) rest.shift();
    else if (known.has(word)) flags.add(word);
    else if (!ignored.has(word)) throw unsupported(word);
  }
  const has = (...names: string[]): boolean => names.some((name) => flags.has(name));
  return {
    ...{ isClean, packages, omit, registry, saveTo: to },
    saves: !isClean && !has('--no-save'),
    savesExact: has('--save-exact', '-E'),
    writesLock: !isClean && !has('--no-package-lock', '--no-save'),
    ignoresPeers: has('--legacy-peer-deps'),
    isForced: has('--force', '-f'),
  };
}

const known = new Set([
  '--no-save',
  '--save-exact',
  '-E',
  '--no-package-lock',
  '--legacy-peer-deps',
  '--force',
  '-f',
]);

function splitValue(argument: string): string[] {
  const at = argument.indexOf('=');
  if (!argument.startsWith('--') || at < 0) return [argument];
  const [name, value] = [argument.slice(0, at), argument.slice(at + 1)];
  if (value === 'false' && !name.startsWith('--no-')) return [`--no-${name.slice(2)}`];
  return value === 'true' ? [name] : [name, value];
}

function unsupported(word: string): NpmError {
  const isGlobal = word === '-g' || word === '--global' || word.startsWith('--location');
  const remedy = isGlobal
    ? 'packages are installed into projects only. Leave it out, and run the command by npx'
    : 'leave it out, or use a bridge, whose image has npm itself';
  return new NpmError('EUNSUPPORTED', `The installer of this host does not know ${word}: ${remedy}`);
}
