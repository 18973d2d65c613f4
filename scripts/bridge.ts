// `npm run bridge`: sandboxes of this host, served over HTTP and WebSocket. Prints the URL, and a token.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { doctor } from '../bridge-server/main/doctor.ts';
import { enterIdRange } from '../bridge-server/main/id-range.ts';
import type { Host } from '../bridge-server/main/open-host.ts';
import { runBridge } from '../bridge-server/main/run-bridge.ts';
import { provideTokenFile } from '../bridge-server/main/token-file.ts';
import { buildLauncher } from '../bridge-server/runtimes/jail/build-launcher.ts';
import type { HostMaxima } from '../bridge-server/sandboxes/host-resources.ts';
import { buildScanner } from '../bridge-server/snapshots/build-scanner.ts';
import { isRootKind, rootKinds } from '../bridge-server/snapshots/open-root-maker.ts';
import { CacheFolder, cachePath } from '../images/cache/cache-folder.ts';
import { buildImage } from '../images/output/build-image.ts';
import { placeImage } from '../images/place-image.ts';
import { createProgress } from '../images/progress.ts';
import { SandboxError } from '../protocol/errors.ts';

const usage = `Usage: npm run bridge -- [options]

Runs sandboxes in jails on this host, and serves them to pages, the SDK and HTTP clients.
Prints the URL and a new token; tokens are kept as hashes, so note it down.

  --port 7070            where to listen; 0 picks a free port
  --host 127.0.0.1       an address of this machine; others than the loopback need TLS or a proxy
  --root FOLDER          where sandboxes are kept (COPPICE_ROOT; default ~/.local/share/coppice)
  --snapshots KIND       btrfs, overlay or copy; by default the best that works here
  --allow-nested         sandboxes may ask for weaker walls (nested), so that others can run in them
  --one-id               as an ordinary user, leave the range of ids of /etc/subuid alone
  --allow-origin URL     a page that may connect, as https://example.org; may be given several times
  --allow-host NAME      a name under which clients reach this bridge; may be given several times
  --git-host NAME        a server that pages may reach with git through this bridge, as git.example.org;
                         may be given several times (COPPICE_GIT_HOSTS, with commas; default none)
  --max NAME=NUMBER      the most that a new sandbox may ask for: memoryMiB (8192), diskMiB (16384),
                         cpuShares (1024), pids (4096), cpus (those of the host),
                         ioMiBps (any); may be given several times. Who asks for no cpus
                         or ioMiBps has no limit of them, or this one
  --image debian         the image of sandboxes that do not name one
  --token-file FILE      make a token once and keep it in this file, instead of one at every start
  --no-token             do not make a token: clients have one already
  -h, --help             this text`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7070' },
    host: { type: 'string', default: '127.0.0.1' },
    root: { type: 'string', default: process.env.COPPICE_ROOT ?? join(homedir(), '.local/share/coppice') },
    snapshots: { type: 'string' },
    'allow-origin': { type: 'string', multiple: true, default: [] },
    'allow-host': { type: 'string', multiple: true, default: [] },
    'git-host': { type: 'string', multiple: true, default: namesIn(process.env.COPPICE_GIT_HOSTS) },
    max: { type: 'string', multiple: true, default: [] },
    image: { type: 'string', default: 'debian' },
    'token-file': { type: 'string' },
    'allow-nested': { type: 'boolean', default: false },
    'one-id': { type: 'boolean', default: false },
    'no-token': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`--port is ${values.port}, not a port number`);
const { snapshots } = values;
if (snapshots !== undefined && !isRootKind(snapshots))
  fail(`--snapshots is ${snapshots}, not one of ${rootKinds.join(', ')}`);

if (!values['one-id']) await enterIdRange();

const cache = new CacheFolder(cachePath());
const progress = createProgress();
try {
  const image = await buildImage(values.image, { cache, progress, golden: true });
  await placeImage(image, { to: join(values.root, 'images'), isDefault: true });
  const launcher = await buildLauncher({ cache, progress });
  const scanner = await buildScanner({ cache, progress });
  const bridge = await runBridge({
    folder: values.root,
    launcher,
    scanner,
    snapshots,
    allowNested: values['allow-nested'],
    maxima: maxima(values.max),
    git: { hosts: values['git-host'] },
    host: values.host,
    port,
    allowedOrigins: values['allow-origin'],
    allowedHosts: values['allow-host'],
    doctor: () => doctor({ launcher, folder: values.root }),
  });
  await progress.step('Unpack the image', () => bridge.host.prepare('default'));
  const token = await provideToken(bridge.host.tokens);
  console.log(`\n  The bridge is ready at ${bridge.url}, with ${bridge.host.snapshots} snapshots`);
  if (token !== undefined) console.log(`  Token: ${token}`);
  if (token !== undefined && values['token-file'] === undefined) tellLinks(bridge.url, token);
  console.log('');
  const stop = () => void bridge[Symbol.asyncDispose]().then(() => process.exit(0), fail);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') fail(`Port ${port} is in use; try: npm run bridge -- --port ${port + 1}`);
  fail(error instanceof SandboxError ? error.message : error);
}

function namesIn(text = ''): string[] {
  return text.split(',').flatMap((name) => name.trim() || []);
}

/** What `--max` says, by name; what is too much for any host is refused where it is used. */
function maxima(given: readonly string[]): HostMaxima {
  const pairs = given.map((text) => {
    const [, name, number] =
      /^(memoryMiB|diskMiB|cpuShares|pids|cpus|ioMiBps)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    if (name === undefined) fail(`--max is ${text}, not as memoryMiB=4096; --help says what there is`);
    return [name, Number(number)];
  });
  return Object.fromEntries(pairs);
}

/** Links that hand a page the address and the token; a fragment is sent to no server. */
function tellLinks(url: string, token: string): void {
  for (const origin of values['allow-origin']) {
    console.log(`  From a page: ${origin}/#${new URLSearchParams({ bridge: url, token })}`);
  }
}

/** What to say of the token that clients use. */
async function provideToken(tokens: Host['tokens']): Promise<string | undefined> {
  const path = values['token-file'];
  if (path !== undefined) return `${(await provideTokenFile(path, tokens)) ? 'made, ' : ''}in ${path}`;
  return values['no-token'] ? undefined : tokens.create({ name: 'npm run bridge', scope: 'all' }).token;
}

function fail(why: unknown): never {
  console.error(why);
  process.exit(1);
}
