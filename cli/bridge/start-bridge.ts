import { networkInterfaces } from 'node:os';
import { doctor } from '../../bridge-server/main/doctor.ts';
import { endOnUncaught } from '../../bridge-server/main/end-on-uncaught.ts';
import type { Host } from '../../bridge-server/main/open-host.ts';
import { type LocalHost, openLocalHost } from '../../bridge-server/main/open-local-host.ts';
import { readiness } from '../../bridge-server/main/readiness.ts';
import { type RunningBridge, runBridge } from '../../bridge-server/main/run-bridge.ts';
import { provideTokenFile } from '../../bridge-server/main/token-file.ts';
import { provideImage } from '../../images/provide-image.ts';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import { packageVersion } from '../../protocol/package-version.ts';
import { type Announcement, announceBridge } from './announce-bridge.ts';
import { type BridgeFlags, parseBridgeCommand } from './bridge-command.ts';
import { bridgeUsage } from './bridge-usage.ts';
import { checkBridgeFlags } from './check-bridge-flags.ts';
import { reachableUrls } from './reachable-urls.ts';
import { readTls } from './read-tls.ts';
import { serveMcp } from './serve-mcp.ts';
import { listenHangUp, tlsRenewal } from './tls-renewal.ts';

/** How the bridge was started. */
interface BridgeCall {
  /** As a user types it, before the options. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Serves until the process is told to end, and ends it then, or when the bridge does not start. */
export async function runBridgeCommand(
  args: readonly string[],
  { command, environment }: BridgeCall,
): Promise<void> {
  try {
    const flags = parseBridgeCommand(args, environment);
    if (flags === undefined) console.log(bridgeUsage(command));
    else await start(flags, command);
  } catch (error) {
    fail(error);
  }
}

async function start(flags: BridgeFlags, command: string): Promise<void> {
  endOnUncaught();
  await checkBridgeFlags(flags, { command });
  const tls = flags.tlsFiles && (await readTls(flags.tlsFiles));
  // Heard from now on: what is renewed while images are made is read when the bridge runs.
  const running = Promise.withResolvers<RunningBridge>();
  const renew = tlsRenewal({ files: flags.tlsFiles, bridge: running.promise, tell: console.warn });
  listenHangUp({ onReload: renew, onHangUp: () => process.kill(process.pid, 'SIGTERM') });
  let started: RunningBridge | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // Making an image takes minutes, and can be begun again.
    if (!started) process.exit(signal === 'SIGINT' ? 130 : 143);
    void started[Symbol.asyncDispose]().then(() => process.exit(0), fail);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const ready = readiness(flags);
  const bridge: RunningBridge<LocalHost> = await runBridge({
    ...flags,
    tls,
    openHost: (observed) =>
      openLocalHost({
        ...flags,
        ...observed,
        provideImage,
        entersIdRange: !flags.oneId,
        onJailLost: (sandbox, why) =>
          console.warn(
            `What ran in ${sandbox === undefined ? 'a sandbox whose record cannot be read' : `sandbox ${sandbox}`} has ended: ${why.message}`,
          ),
      }),
    ready: () => ready.look(),
    git: { hosts: flags.gitHosts },
    mcp: (options) => serveMcp({ ...options, version: packageVersion }),
    doctor: () =>
      doctor({
        ...bridge.host.programs,
        folder: flags.folder,
        chosen: bridge.host.isolation,
        network: flags.network,
        traces: bridge.traces,
      }),
  });
  started = bridge;
  running.resolve(bridge);
  await bridge.host.prepareImages();
  const certificate = tls?.certificate;
  const urls = reachableUrls(bridge.url, {
    addresses: ownAddresses(),
    names: flags.allowedHosts,
    certificate,
  });
  const token = await provideToken(bridge.host.tokens, flags);
  ready.noteStarted();
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
  process.once('SIGUSR2', () => void bridge.handOver().then(() => process.exit(0), fail));
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each = []) => each.map(({ address }) => address));
}

async function provideToken(
  tokens: Host['tokens'],
  { tokenFile, makesToken }: BridgeFlags,
): Promise<Announcement['token']> {
  if (tokenFile !== undefined) return { file: tokenFile, isNew: await provideTokenFile(tokenFile, tokens) };
  return makesToken ? { text: tokens.create({ name: 'bridge', scope: 'all' }).token } : undefined;
}

/** A mistake of ours is told with where it was made. */
function fail(why: unknown): never {
  const { code, message } = SandboxError.from(why);
  console.error(code === 'internal' ? why : message);
  process.exit(errorTable[code].exitCode);
}
