import { isIPv6 } from 'node:net';
import { parseArgs } from 'node:util';
import { parseGitHost } from '../../bridge-server/http/git/git-target.ts';
import { isHostName } from '../../bridge-server/http/origin-guard.ts';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import type { NetworkChoice } from '../../bridge-server/main/open-host.ts';
import type { RootKind } from '../../bridge-server/roots/open-root-maker.ts';
import type { IsolationChoice } from '../../bridge-server/runtimes/jail/choose-isolation.ts';
import { type HostMaxima, hostResources } from '../../bridge-server/sandboxes/host-resources.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { askedIsolation, askedNetwork, askedRootKind } from '../place/host-choices.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What a bridge is told, each part of it checked for itself. */
export interface BridgeFlags {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly tlsFiles: TlsFiles | undefined;
  readonly snapshots: RootKind | undefined;
  readonly isolation: IsolationChoice;
  readonly allowNested: boolean;
  /** How long sandboxes go on without a bridge. */
  readonly reattachMs: number;
  /** Leave the range of ids of an ordinary user alone. */
  readonly oneId: boolean;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Of one address, without a valid token. */
  readonly connectionsOfAddress: number;
  readonly gitHosts: readonly string[];
  readonly network: NetworkChoice;
  readonly maxima: HostMaxima;
  /** Each once; the first is that of sandboxes that do not name one. None: what `openLocalHost` chooses. */
  readonly images: readonly string[];
  readonly tokenFile: string | undefined;
  /** Whether a token is made at the start where there is no file for one. */
  readonly makesToken: boolean;
}

const several = { type: 'string', multiple: true, default: [] as string[] } as const;
const options = {
  port: { type: 'string', default: '7070' },
  host: { type: 'string', default: '127.0.0.1' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  root: { type: 'string' },
  snapshots: { type: 'string' },
  isolation: { type: 'string' },
  'allow-origin': several,
  'allow-host': several,
  'connections-per-address': { type: 'string', default: String(limits.httpUnauthenticatedOfAddress.usual) },
  'git-host': { type: 'string', multiple: true },
  network: { type: 'string' },
  'network-allow': { type: 'string', multiple: true },
  max: several,
  image: several,
  'reattach-seconds': { type: 'string', default: String(limits.jailReattachMs.usual / 1_000) },
  'token-file': { type: 'string' },
  'allow-nested': { type: 'boolean', default: false },
  'one-id': { type: 'boolean', default: false },
  'no-token': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/**
 * Reads the command line, without the program's name; `undefined` when it asks for help. What is wrong is
 * said with what to give instead. @throws invalid-argument
 */
export function parseBridgeCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): BridgeFlags | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const { COPPICE_GIT_HOSTS } = environment;
  return {
    folder: values.root ?? hostFolder(environment),
    host: parseAddress(values.host),
    port: parsePort(values.port),
    tlsFiles: pairOf({ cert: values['tls-cert'], key: values['tls-key'] }),
    snapshots: askedRootKind(['--snapshots', values.snapshots], environment),
    isolation: askedIsolation(['--isolation', values.isolation], environment),
    allowNested: values['allow-nested'],
    reattachMs: parseSeconds(values['reattach-seconds']) * 1_000,
    oneId: values['one-id'],
    allowedOrigins: values['allow-origin'].map(parseOrigin),
    allowedHosts: values['allow-host'].map(parseHostName),
    connectionsOfAddress: parseConnections(values['connections-per-address']),
    gitHosts: parseGitHosts(values['git-host'], COPPICE_GIT_HOSTS),
    network: askedNetwork({ choice: values.network, allow: values['network-allow'] }, environment),
    maxima: parseMaxima(values.max),
    images: [...new Set(values.image)],
    tokenFile: values['token-file'],
    makesToken: !values['no-token'],
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof options }>>['values'] {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (cause) {
    const message = `${(cause as Error).message.split('. ')[0]}; --help says what there is`;
    throw new SandboxError('invalid-argument', message, { cause });
  }
}

function parseAddress(text: string): string {
  if (isHostName(text) || isIPv6(text)) return text;
  throw refuse('--host', text, 'no address of a machine, as 127.0.0.1 or ::1');
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw refuse('--port', text, 'no port: a number from 0 to 65535');
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  const most = limits.jailReattachMs.max / 1_000;
  if (seconds <= most) return seconds;
  throw refuse('--reattach-seconds', text, `no number of seconds from 0 to ${most}`);
}

function parseConnections(text: string): number {
  const { min, max } = limits.httpUnauthenticatedOfAddress;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw refuse('--connections-per-address', text, `no number from ${min} to ${max}`);
}

function pairOf({ cert, key }: { cert: string | undefined; key: string | undefined }): TlsFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const [given, lacks] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
  throw new SandboxError('invalid-argument', `--tls-${given} needs --tls-${lacks} beside it`);
}

/** Compared with what browsers send, so one that differs in a slash would let nobody in. */
function parseOrigin(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isWeb && url.origin === text) return text;
  if (isWeb) throw refuse('--allow-origin', text, `not as browsers send it; give ${url.origin}`);
  // Of an extension, say, of whose origins URL knows nothing.
  if (/^[a-z][a-z0-9+.-]*:\/\/[\w.-]+$/.test(text)) return text;
  throw refuse('--allow-origin', text, 'no origin of a page, as https://example.org');
}

function parseHostName(text: string): string {
  if (isHostName(text)) return text;
  const given = URL.parse(text)?.host;
  throw refuse('--allow-host', text, given ? `a URL; give ${given}` : 'no name, as bridge.example.org');
}

function parseGitHosts(flags: readonly string[] | undefined, variable = ''): string[] {
  const source = flags ? '--git-host' : 'COPPICE_GIT_HOSTS';
  const names = flags ?? variable.split(',').map((name) => name.trim());
  return names.filter((name) => flags || name !== '').map((name) => parseGitName(name, source));
}

function parseGitName(text: string, source: string): string {
  if (parseGitHost(text)) return text;
  const { host = '' } = URL.parse(text) ?? {};
  const why = parseGitHost(host) ? `a URL; give ${host}` : 'no name of a server, as git.example.org';
  throw refuse(source, text, why);
}

function parseMaxima(given: readonly string[]): HostMaxima {
  const pairs = given.map((text) => {
    const [, name, number] =
      /^(memoryMiB|diskMiB|cpuShares|pids|cpus|ioMiBps)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    if (name === undefined) throw refuse('--max', text, 'not as memoryMiB=4096; --help says what there is');
    return [name, Number(number)];
  });
  const maxima: HostMaxima = Object.fromEntries(pairs);
  try {
    hostResources(maxima);
  } catch (cause) {
    throw new SandboxError('invalid-argument', `--max: ${SandboxError.from(cause).message}`, { cause });
  }
  return maxima;
}

function refuse(source: string, value: string, why: string): SandboxError {
  return new SandboxError('invalid-argument', `${source} is ${JSON.stringify(value)}, which is ${why}`);
}
