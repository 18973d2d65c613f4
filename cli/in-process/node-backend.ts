import { SandboxError } from '../../protocol/errors.ts';
import { chosenRuntimes, describeRuntime } from '../../protocol/runtime-description.ts';
import type { CreateOptions, SandboxBackend, SnapshotImportOptions } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { RuntimeName, SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { HostInUse } from './host-in-use.ts';
import { nodeRuntimes } from './node-runtimes.ts';
import { RelayedProgress } from './relayed-progress.ts';
import { openThisHost, readThisHost, type ThisHost } from './this-host.ts';

/**
 * Where `Sandbox` keeps sandboxes in Node that is told nothing else: shells in this process (`shells`), and jails in the folder
 * of this host that the command line has, too (`COPPICE_ROOT`). That is opened when it is first needed, and let go of
 * when the last of its sandboxes is closed.
 */
export function nodeBackend(
  shells: SandboxBackend,
  { open = openThisHost, read = readThisHost }: Partial<ThisHost> = {},
): SandboxBackend {
  const progress = new RelayedProgress();
  const host = new HostInUse(() => open(progress));
  const isShell = async (id: string) => (await shells.list()).some((info) => info.id === id);
  const jails = async (): Promise<SandboxInfo[]> => {
    if (host.isInUse) return host.use((backend) => backend.list());
    await using stored = await read();
    return (await stored?.backend.list()) ?? [];
  };
  /** Of a sandbox that neither has, shells say so: nothing is opened for it. @throws not-found where the folder cannot be read */
  const isOfHost = async (id: string) => {
    if (await isShell(id)) return false;
    const listed = await jails().catch((error: unknown) => {
      throw unreadable(id, SandboxError.from(error));
    });
    return listed.some((info) => info.id === id);
  };
  const connect = async (open: (backend: SandboxBackend) => Promise<SandboxConnection>) => {
    const { HandleScope, scopeFacets } = await import('../../protocol/sandbox/handle-scope.ts');
    // What it has begun ends with it.
    return host.useUntilClosed(open, (connection, close): SandboxConnection => {
      const scope = new HandleScope();
      const { forkRunning } = connection;
      return {
        ...scopeFacets(() => connection, scope),
        ...(forkRunning ? { forkRunning: (options) => forkRunning.call(connection, options) } : {}),
        close: () => scope.close(close),
      };
    });
  };
  return {
    create: async (ask, onProgress) => {
      const isHere = ask.from ? !(await isOfHost(ask.from.sandbox)) : !needsHost(ask);
      if (isHere) return shells.create(ask, onProgress);
      using _told = progress.tell(onProgress);
      const asked: typeof ask = ask.from ? ask : { ...(usualOfHost && { runtime: usualOfHost }), ...ask };
      return await connect((backend) => backend.create(asked, onProgress));
    },
    open: async (ask, onProgress) => {
      if (!(await isOfHost(ask.id))) return shells.open(ask, onProgress);
      using _told = progress.tell(onProgress);
      return await connect((backend) => backend.open(ask, onProgress));
    },
    connect: async (ask) =>
      (await isOfHost(ask.id)) ? connect((backend) => backend.connect(ask)) : shells.connect(ask),
    exportTar: async (ask) =>
      (await isOfHost(ask.id))
        ? host.useUntilClosed(
            (backend) => backend.exportTar(ask),
            (archive, close) => ({ read: () => archive.read(), close }),
          )
        : shells.exportTar(ask),
    openImport: async (ask) =>
      importNeedsHost(ask)
        ? host.useUntilClosed(
            (backend) => backend.openImport(ask),
            (taken, close) => ({
              write: (bytes) => taken.write(bytes),
              finish: () => taken.finish(),
              close,
            }),
          )
        : shells.openImport(ask),
    // A program that uses shells alone does not depend on the folder: whoever asks for one of its sandboxes is told why not.
    list: async () => [...(await shells.list()), ...(await jails().catch(() => []))],
    delete: async (ask) =>
      (await isOfHost(ask.id)) ? host.use((backend) => backend.delete(ask)) : shells.delete(ask),
    setTimeout: async (ask) => {
      const move = (backend: SandboxBackend) => orUnsupported(backend.setTimeout?.(ask));
      return (await isOfHost(ask.id)) ? host.use(move) : move(shells);
    },
    rename: async (ask) => {
      const rename = (backend: SandboxBackend) => orUnsupported(backend.rename?.(ask));
      return (await isOfHost(ask.id)) ? host.use(rename) : rename(shells);
    },
  };
}

function unreadable(id: string, cause: SandboxError): SandboxError {
  const message = `There is no sandbox "${id}" in this process, and those of this host cannot be read: ${cause.message}`;
  return new SandboxError('not-found', message, { cause });
}

const [usualOfHost] = chosenRuntimes('host');

/** An image means a jail, since shells begin without one. @throws unsupported for a runtime that Node does not have */
function needsHost({ runtime, image }: CreateOptions): boolean {
  if (runtime === undefined) return image !== undefined;
  if (nodeRuntimes.some((name) => name === runtime)) return isRunByHost(runtime);
  const names = nodeRuntimes.map((name) => `"${name}"`).join(' and ');
  const message = `Cannot create a sandbox with runtime "${runtime}": in Node there are ${names}; other backends are to be given`;
  throw new SandboxError('unsupported', message, { details: { feature: 'runtime' } });
}

function importNeedsHost({ runtime, imageDigest, archive }: SnapshotImportOptions): boolean {
  return runtime === undefined
    ? imageDigest !== undefined || archive?.image !== undefined
    : isRunByHost(runtime);
}

/** Shells run in this process; a tab's machine is taken in by the host, which has its image. */
function isRunByHost(runtime: RuntimeName): boolean {
  const { image = true, runsIn } = describeRuntime(runtime) ?? {};
  return image || runsIn === 'host';
}

async function orUnsupported<Result>(result: Promise<Result> | undefined): Promise<Result> {
  if (result) return result;
  throw new SandboxError('unsupported', 'Sandboxes keep their name there, and have no end');
}
