// `npm run bridge`: sandboxes of this host, served over HTTP and WebSocket. Prints the URL, and a token.
import { join } from 'node:path';
import { doctor } from '../bridge-server/main/doctor.ts';
import { enterIdRange } from '../bridge-server/main/id-range.ts';
import type { Host } from '../bridge-server/main/open-host.ts';
import { runBridge } from '../bridge-server/main/run-bridge.ts';
import { provideTokenFile } from '../bridge-server/main/token-file.ts';
import { buildLauncher } from '../bridge-server/runtimes/jail/build-launcher.ts';
import { buildScanner } from '../bridge-server/snapshots/build-scanner.ts';
import { CacheFolder, cachePath } from '../images/cache/cache-folder.ts';
import { buildImage } from '../images/output/build-image.ts';
import { placeImage } from '../images/place-image.ts';
import { createProgress } from '../images/progress.ts';
import { errorTable, SandboxError } from '../protocol/errors.ts';
import { type BridgeFlags, parseBridgeCommand, usage } from './bridge-command.ts';
import { checkBridgeFlags } from './check-bridge-flags.ts';

try {
  const flags = parseBridgeCommand(process.argv.slice(2), process.env);
  if (flags === undefined) console.log(usage);
  else await start(flags);
} catch (error) {
  fail(error);
}

async function start(flags: BridgeFlags): Promise<void> {
  if (!flags.oneId) await enterIdRange();
  await checkBridgeFlags(flags);
  const cache = new CacheFolder(cachePath());
  const progress = createProgress();
  const image = await buildImage(flags.image, { cache, progress, golden: true });
  await placeImage(image, { to: join(flags.folder, 'images'), isDefault: true });
  const launcher = await buildLauncher({ cache, progress });
  const scanner = await buildScanner({ cache, progress });
  const bridge = await runBridge({
    ...flags,
    launcher,
    scanner,
    git: { hosts: flags.gitHosts },
    doctor: () => doctor({ launcher, folder: flags.folder }),
  });
  await progress.step('Unpack the image', () => bridge.host.prepare('default'));
  const token = await provideToken(bridge.host.tokens, flags);
  console.log(`\n  The bridge is ready at ${bridge.url}, with ${bridge.host.snapshots} snapshots`);
  if (token !== undefined) console.log(`  Token: ${token}`);
  if (token !== undefined && flags.tokenFile === undefined) tellLinks(bridge.url, { token, flags });
  console.log('');
  const stop = () => void bridge[Symbol.asyncDispose]().then(() => process.exit(0), fail);
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

/** Links that hand a page the address and the token; a fragment is sent to no server. */
function tellLinks(url: string, { token, flags }: { token: string; flags: BridgeFlags }): void {
  for (const origin of flags.allowedOrigins) {
    console.log(`  From a page: ${origin}/#${new URLSearchParams({ bridge: url, token })}`);
  }
}

/** What to say of the token that clients use. */
async function provideToken(
  tokens: Host['tokens'],
  { tokenFile, makesToken }: BridgeFlags,
): Promise<string | undefined> {
  if (tokenFile !== undefined)
    return `${(await provideTokenFile(tokenFile, tokens)) ? 'made, ' : ''}in ${tokenFile}`;
  return makesToken ? tokens.create({ name: 'npm run bridge', scope: 'all' }).token : undefined;
}

/** A mistake of ours is told with where it was made. */
function fail(why: unknown): never {
  const { code, message } = SandboxError.from(why);
  console.error(code === 'internal' ? why : message);
  process.exit(errorTable[code].exitCode);
}
