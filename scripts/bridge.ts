// `npm run bridge`: sandboxes of this host, served over HTTP and WebSocket. Prints the URL, and a token.
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { doctor } from '../bridge-server/main/doctor.ts';
import { endOnUncaught } from '../bridge-server/main/end-on-uncaught.ts';
import { enterIdRange } from '../bridge-server/main/id-range.ts';
import type { Host } from '../bridge-server/main/open-host.ts';
import { type RunningBridge, runBridge } from '../bridge-server/main/run-bridge.ts';
import { provideTokenFile } from '../bridge-server/main/token-file.ts';
import { buildSpawner } from '../bridge-server/programs/build-spawner.ts';
import { buildLauncher } from '../bridge-server/runtimes/jail/build-launcher.ts';
import { buildScanner } from '../bridge-server/snapshots/build-scanner.ts';
import { CacheFolder, cachePath } from '../host/cache/cache-folder.ts';
import { placeImage } from '../host/images/place-image.ts';
import { createProgress } from '../host/progress.ts';
import { provideImage } from '../images/provide-image.ts';
import { errorTable, SandboxError } from '../protocol/errors.ts';
import { type Announcement, announceBridge } from './announce-bridge.ts';
import { type BridgeFlags, parseBridgeCommand, usage } from './bridge-command.ts';
import { checkBridgeFlags } from './check-bridge-flags.ts';
import { defaultHostImage } from './default-host-image.ts';
import { reachableUrls } from './reachable-urls.ts';
import { readTls } from './read-tls.ts';
import { listenHangUp, tlsRenewal } from './tls-renewal.ts';

try {
  const flags = parseBridgeCommand(process.argv.slice(2), process.env);
  if (flags === undefined) console.log(usage);
  else await start(flags);
} catch (error) {
  fail(error);
}

async function start(flags: BridgeFlags): Promise<void> {
  endOnUncaught();
  if (!flags.oneId) await enterIdRange();
  await checkBridgeFlags(flags);
  const tls = flags.tlsFiles && (await readTls(flags.tlsFiles));
  // Heard from now on: what is renewed while images are made is read when the bridge runs.
  const running = Promise.withResolvers<RunningBridge>();
  const renew = tlsRenewal({ files: flags.tlsFiles, bridge: running.promise, tell: console.warn });
  listenHangUp({ onReload: renew, onHangUp: () => process.kill(process.pid, 'SIGTERM') });
  const cache = new CacheFolder(cachePath());
  const progress = createProgress();
  const images = flags.images.length > 0 ? flags.images : [await imageOfHost()];
  for (const [index, name] of images.entries()) {
    const image = await provideImage(name, { cache, progress, golden: true });
    await placeImage(image, { to: join(flags.folder, 'images'), isDefault: index === 0 });
  }
  const launcher = await buildLauncher({ cache, progress });
  const scanner = await buildScanner({ cache, progress });
  const spawner = await buildSpawner({ cache, progress });
  const bridge: RunningBridge = await runBridge({
    ...flags,
    tls,
    launcher,
    scanner,
    spawner,
    git: { hosts: flags.gitHosts },
    onJailLost: (sandbox, why) =>
      console.warn(`What ran in sandbox ${sandbox ?? '?'} has ended: ${why.message}`),
    doctor: () =>
      doctor({
        launcher,
        folder: flags.folder,
        chosen: bridge.host.isolation,
        network: flags.network,
        traces: bridge.traces,
      }),
  });
  running.resolve(bridge);
  for (const name of images) await progress.step(`Unpack ${name}`, () => bridge.host.prepare(name));
  const certificate = tls?.certificate;
  const urls = reachableUrls(bridge.url, {
    addresses: ownAddresses(),
    names: flags.allowedHosts,
    certificate,
  });
  const token = await provideToken(bridge.host.tokens, flags);
  const { snapshots, isolation, networkLack, limitsLack } = bridge.host;
  console.log(
    announceBridge({
      urls,
      snapshots,
      isolation,
      networkLack,
      limitsLack,
      origins: flags.allowedOrigins,
      token,
      certificate,
      traces: bridge.traces,
    }),
  );
  const stop = () => void bridge[Symbol.asyncDispose]().then(() => process.exit(0), fail);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('SIGUSR2', () => void bridge.handOver().then(() => process.exit(0), fail));
}

async function imageOfHost(): Promise<string> {
  const { name, why } = await defaultHostImage();
  if (why !== undefined)
    console.warn(`Sandboxes begin with the image ${name}, and those of tabs cannot move here: ${why}`);
  return name;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
}

async function provideToken(
  tokens: Host['tokens'],
  { tokenFile, makesToken }: BridgeFlags,
): Promise<Announcement['token']> {
  if (tokenFile !== undefined) return { file: tokenFile, isNew: await provideTokenFile(tokenFile, tokens) };
  return makesToken ? { text: tokens.create({ name: 'npm run bridge', scope: 'all' }).token } : undefined;
}

/** A mistake of ours is told with where it was made. */
function fail(why: unknown): never {
  const { code, message } = SandboxError.from(why);
  console.error(code === 'internal' ? why : message);
  process.exit(errorTable[code].exitCode);
}
