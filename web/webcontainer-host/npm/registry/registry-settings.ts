import { NpmError } from '../npm-error.ts';

/** Where packages come from. */
export interface RegistrySettings {
  /** Ends in a slash. @throws NpmError ENOREGISTRY where none is set for this package */
  of(packageName: string): string;
  /**
   * Programs of the sandbox and packages have this page ask addresses, too: none on the visitor's own machine, unless the
   * application has named a registry there. @throws NpmError EUSAGE
   */
  assertMayAsk(url: string): void;
  /** Whether it is of a registry that the application or the command has named. */
  isTrusted(url: string): boolean;
}

interface RegistrySources {
  /** Of the command, then of the project's `.npmrc`, then of the host's settings. */
  readonly argument: string | undefined;
  readonly npmrc: string;
  readonly setting: string | undefined;
}

/**
 * Reads `registry=` and `@scope:registry=`. Tokens and passwords are not read: this page sends none.
 * @throws NpmError EUSAGE for what is no address
 */
export function readRegistrySettings({ argument, npmrc, setting }: RegistrySources): RegistrySettings {
  const scopes = new Map<string, string>();
  let ofProject: string | undefined;
  for (const line of npmrc.split('\n')) {
    const [, scope, value = ''] = /^\s*(?:(@[^\s:=]+):)?registry\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (value === '') continue;
    const address = readAddress(value.replace(/^(["'])(.*)\1$/, '$2'), '.npmrc');
    if (scope === undefined) ofProject = address;
    else scopes.set(scope, address);
  }
  const ofArgument = argument === undefined ? undefined : readAddress(argument, '--registry');
  const ofSettings = setting === undefined ? undefined : readAddress(setting, 'registry');
  const usual = ofArgument ?? ofProject ?? ofSettings;
  const named = [ofArgument, ofSettings].map((address) => address && new URL(address).origin);
  const isTrusted = (url: string): boolean => named.includes(new URL(url).origin);
  return {
    isTrusted,
    assertMayAsk: (url) => {
      if (!isOwnMachine(new URL(url).hostname) || isTrusted(url)) return;
      const remedy =
        'Name a registry there in the settings of the host (registry=…), or to npm install (--registry …)';
      throw new NpmError('EUSAGE', `Cannot ask ${url}, which is on the visitor's own machine. ${remedy}`);
    },
    of: (packageName) => {
      const [scope = ''] = packageName.split('/');
      const found = scopes.get(scope) ?? usual;
      if (found !== undefined) return found;
      const remedy =
        'Add registry=https://… to the settings of the host, to .npmrc, or say --registry https://…';
      throw new NpmError('ENOREGISTRY', `Cannot install ${packageName}: no registry is set. ${remedy}`);
    },
  };
}

function isOwnMachine(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return /^(.+\.)?localhost$|^127\.|^\[::(1|(ffff:)?7f.*)?\]$|^0\.0\.0\.0$/.test(name);
}

function readAddress(text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new NpmError(
      'EUSAGE',
      `Cannot use the registry ${JSON.stringify(text.slice(0, 200))} of ${where}: it is no http address without a name or password`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/`;
}
