import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CreateOptions, SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { expireAfter } from '../../sdk/expire-after.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import type { Cli } from '../cli.ts';
import { bridgeUrl } from '../place/bridge-url.ts';
import { makingOptions, type RunCommandOptions } from './run-options.ts';

/** A sandbox to run something in. Disposing of it closes it, and deletes it where it was made for this run alone. */
export interface RunSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Why it is not in a jail, though nobody said so. */
  readonly fellBack?: string | undefined;
}

/**
 * The one that `--sandbox` names, where it is given, or else a new one.
 * @throws invalid-argument for limits of one that there is; unsupported; as `Cli.openSandbox` and `Sandbox.create`
 */
export async function openRunSandbox(
  options: RunCommandOptions,
  { cli, isNamed, signal }: { readonly cli: Cli; readonly isNamed: boolean; readonly signal: AbortSignal },
): Promise<RunSandbox> {
  assertSupported(options);
  if (!isNamed) return makeSandbox(options, { cli, signal });
  const given = makingOptions.find((name) => options[name] !== undefined);
  if (given === undefined) return cli.openSandbox(options);
  const message = `Cannot give --${given} to the sandbox ${options.sandbox}, which was made without: leave out --sandbox for a new one`;
  throw new SandboxError('invalid-argument', message);
}

/** What a flag names and nothing here does yet. */
function assertSupported({ allow, isolation }: RunCommandOptions): void {
  if (allow.length > 0) {
    const message =
      'Cannot allow single hosts: a sandbox has the public internet or no network. Use --network public, or leave it out';
    throw new SandboxError('unsupported', message, { details: { feature: 'allow' } });
  }
  if (isolation !== 'none') return;
  const message =
    'Cannot run without isolation: the command would have all files, processes and the network of this host. ' +
    'Leave --isolation out, use --runtime shell for a shell without programs of the host, or run the command itself';
  throw new SandboxError('unsupported', message, { details: { feature: 'isolation' } });
}

async function makeSandbox(
  options: RunCommandOptions,
  { cli, signal }: { readonly cli: Cli; readonly signal: AbortSignal },
): Promise<RunSandbox> {
  await using stack = new AsyncDisposableStack();
  const { backend, fellBack } = await openBackend(options, { cli, stack });
  const sandbox = await Sandbox.create({ backend, signal, ...createOptions(options) });
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
  const { runtime, keep } = options;
  const isRemote = bridgeUrl(options, cli.context) !== undefined;
  if (runtime === 'shell' && keep === undefined && !isRemote) return { backend: await inProcess() };
  const { backend, fellBack } = stack.use(await cli.openPlace(options));
  return { backend, ...(fellBack === undefined ? {} : { fellBack }) };
}

async function inProcess(): Promise<SandboxBackend> {
  const { shellBackend } = await import('../shell-backend.ts');
  return shellBackend();
}

function createOptions(options: RunCommandOptions): CreateOptions {
  const { memory, cpus, pids, disk, network, runtime, image, keep } = options;
  return {
    ...(keep === undefined ? {} : { name: keep }),
    ...(memory === undefined ? {} : { memoryMiB: memory }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(pids === undefined ? {} : { pids }),
    ...(disk === undefined ? {} : { diskMiB: disk }),
    ...(network === undefined ? {} : { network: network === 'off' ? 'isolated' : 'full' }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(image === undefined ? {} : { image }),
  };
}
