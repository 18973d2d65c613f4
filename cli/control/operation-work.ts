import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import type { OperationContext } from './operation.ts';

interface CommandAsk {
  readonly words: readonly string[];
  readonly cwd: string | undefined;
  readonly user: string | undefined;
  readonly stdin: string | undefined;
  readonly timeoutMs: number | undefined;
}

/** Runs a command to its end, and tells what it prints. */
export async function runCommand(
  sandbox: Sandbox,
  { words, cwd, user = 'user', stdin, timeoutMs }: CommandAsk,
  { tell, signal }: OperationContext,
): Promise<object> {
  if (user !== 'user' && user !== 'root') {
    throw new SandboxError('invalid-argument', 'Cannot carry out exec: user has to be user or root');
  }
  const {
    stdout: _stdout,
    stderr: _stderr,
    droppedBytes: _dropped,
    ...status
  } = await sandbox.run(words, {
    user,
    signal,
    ...(cwd === undefined ? {} : { cwd }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onStdout: (stdout) => tell({ stdout }),
    onStderr: (stderr) => tell({ stderr }),
  });
  await sandbox.history.settle(); // Whoever asks for HEAD next finds what it has changed.
  return status;
}

/** Sets a tag, or takes it away. */
export async function setTag(
  sandbox: Sandbox,
  {
    name,
    snapshot = 'HEAD',
    delete: isGone,
  }: { name: string; snapshot: string | undefined; delete: boolean | undefined },
): Promise<object> {
  if (isGone) {
    await sandbox.history.deleteTag(name);
    return { name };
  }
  const id = await sandbox.history.resolve(snapshot);
  await sandbox.history.setTag(name, id);
  return { name, id };
}

/** @throws not-found */
export async function findSnapshot(sandbox: Sandbox, reference: string): Promise<SnapshotInfo> {
  const id = await sandbox.history.resolve(reference);
  const { snapshots } = await sandbox.history.get();
  const found = snapshots.find((each) => each.id === id);
  if (found) return found;
  throw new SandboxError('not-found', `There is no snapshot ${reference}`);
}

/** A snapshot, and what it changed against its first parent. */
export async function showSnapshot(
  sandbox: Sandbox,
  { snapshot = 'HEAD' }: { readonly snapshot: string | undefined },
): Promise<object> {
  const found = await findSnapshot(sandbox, snapshot);
  const parent = found.parents[0];
  if (parent === undefined) return { snapshot: found };
  return { snapshot: found, changes: await sandbox.diff(parent, found.id) };
}

/** Makes forks and closes them; one that could not be made is an error as data in its place. */
export async function forkSandbox(
  sandbox: Sandbox,
  {
    from,
    name,
    count = 1,
  }: { from: string | undefined; name: string | undefined; count: number | undefined },
): Promise<unknown[]> {
  if (count > limits.forks) {
    throw new SandboxError(
      'limit-exceeded',
      `Cannot make ${count} forks at once: ${limits.forks} are the most`,
    );
  }
  const forks = await sandbox.fork({
    count,
    ...(from === undefined ? {} : { from }),
    ...(name === undefined ? {} : { name }),
  });
  const told: unknown[] = [];
  for (const fork of forks) {
    if (fork instanceof SandboxError) {
      told.push({ error: fork.toData() });
      continue;
    }
    told.push(fork.info);
    await fork.close().catch(() => undefined); // The fork is there.
  }
  return told;
}

/** Tells events until the request is cancelled, or the sandbox is closed. */
export async function tellEvents(
  sandbox: Sandbox,
  { after = 0 }: { readonly after: number | undefined },
  { tell, signal }: OperationContext,
): Promise<object> {
  const over = Promise.withResolvers<void>();
  const stop = await sandbox.subscribe(
    (event) => {
      void tell({ event });
      if (event.type === 'closed') over.resolve();
    },
    { after },
  );
  const onAbort = () => over.resolve();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) over.resolve();
  try {
    await over.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop();
  }
  return {};
}
