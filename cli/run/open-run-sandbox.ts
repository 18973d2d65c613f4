import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import { type CreateOptions, defaultImage, type SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { expireAfter } from '../../sdk/expire-after.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli } from '../cli.ts';
import { networkSettings } from '../options/network-options.ts';
import { cliProgress } from '../output/cli-progress.ts';
import { showUnpacking } from '../output/show-unpacking.ts';
import { bridgeUrl } from '../place/bridge-url.ts';
import { copyIn } from './copy-in.ts';
import { openUnconfined } from './open-unconfined.ts';
import { makingOptions, type RunCommandOptions } from './run-options.ts';
import type { RunSandbox } from './run-sandbox.ts';
import { workingDirectory } from './working-directory.ts';

type Opened = Omit<RunSandbox, 'copyIn' | 'findDirectory'>;

/**
 * The one that `--sandbox` names, where it is given, or else a new one; with `--isolation none` a working folder of this host.
 * @throws invalid-argument for limits of one that there is; as `Cli.openSandbox` and `Sandbox.create`
 */
export async function openRunSandbox(
  options: RunCommandOptions,
  { cli, isNamed, signal }: { readonly cli: Cli; readonly isNamed: boolean; readonly signal: AbortSignal },
): Promise<RunSandbox> {
  if (options.isolation === 'none') return openUnconfined({ cli, signal });
  const { directory } = cli.context;
  const withFolders = (opened: Opened): RunSandbox => ({
    ...opened,
    copyIn: (text) => copyIn(text, { sandbox: opened.sandbox, directory, signal }),
    findDirectory: (workdir) => workingDirectory(workdir, { sandbox: opened.sandbox, signal }),
  });
  if (!isNamed) return withFolders(await makeSandbox(options, { cli, signal }));
  const given = makingOptions.find((name) => options[name] !== undefined);
  if (given === undefined) return withFolders(await cli.openSandbox(options));
  const message = `Cannot give --${given} to the sandbox ${options.sandbox}, which was made without: leave out --sandbox for a new one`;
  throw new SandboxError('invalid-argument', message);
}

async function makeSandbox(
  options: RunCommandOptions,
  { cli, signal }: { readonly cli: Cli; readonly signal: AbortSignal },
): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const { backend, fellBack } = await openBackend(options, { cli, stack });
  const sandbox = await showUnpacking(cliProgress(cli.context.stderr, options), (onProgress) =>
    Sandbox.create({ backend, signal, ...createOptions(options), onProgress }),
  );
  if (options.keep === undefined) stack.defer(() => Sandbox.delete(sandbox.id, { backend }));
  stack.use(sandbox);
  if (options.keep === undefined) stack.use(await endWithThisProcess(sandbox.id, backend));
  const owned = stack.move();
  return { sandbox, fellBack, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Whoever serves the host deletes a sandbox of a process that was killed, `limits.runOrphanMs` later. */
async function endWithThisProcess(id: string, backend: SandboxBackend): Promise<Disposable> {
  const renew = () => expireAfter(backend, { id, timeoutMs: limits.runOrphanMs });
  await renew();
  // The next one is early enough where one fails.
  const timer = setInterval(() => void renew().catch(() => undefined), limits.runRenewMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Shells need neither a folder nor an image, unless they are to be kept. */
async function openBackend(
  options: RunCommandOptions,
  { cli, stack }: { readonly cli: Cli; readonly stack: AsyncDisposableStack },
): Promise<{ readonly backend: SandboxBackend; readonly fellBack?: string }> {
  const { runtime, keep, image = defaultImage } = options;
  const takesImage = describeRuntime(runtime)?.image ?? true;
  const isRemote = bridgeUrl(options, cli.context) !== undefined;
  if (!takesImage && keep === undefined && !isRemote) return { backend: await inProcess() };
  const { backend, fellBack } = stack.use(
    await cli.openPlace(takesImage ? { ...options, imageAhead: image } : options),
  );
  return { backend, ...(fellBack === undefined ? {} : { fellBack }) };
}

async function inProcess(): Promise<SandboxBackend> {
  const { shellBackend } = await import('../shell-backend.ts');
  return shellBackend();
}

function createOptions(options: RunCommandOptions): CreateOptions {
  const { memory, cpus, pids, disk, runtime, image, keep } = options;
  return {
    ...(keep === undefined ? {} : { name: keep }),
    ...(memory === undefined ? {} : { memoryMiB: memory }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
    ...(disk === undefined ? {} : { diskMiB: disk }),
    ...networkSettings(options),
    ...(runtime === undefined ? {} : { runtime }),
    ...(image === undefined ? {} : { image }),
  };
}
