import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { Sandbox } from '../../sdk/sandbox.ts';
import { type AskOf, type Fields, readFields } from './fields.ts';
import { controlVersion } from './messages.ts';

/** What operations work with: that of one request. */
interface OperationContext {
  readonly backend: SandboxBackend;
  /** Where the served sandboxes are. */
  readonly folder: string;
  /** A sandbox by its name or id, or the usual one; closed by the operation. @throws not-found, conflict */
  openSandbox(which: string | undefined): Promise<Sandbox>;
  /** Sends the client an event. Resolves when more may be sent. */
  tell(event: object): Promise<void>;
  /** Aborted when the client cancels the request, or is gone. */
  readonly signal: AbortSignal;
  /** What whoever serves the folder says of itself. */
  describe(): object;
  /** Has the folder served no longer, soon after the answer. */
  stop(): void;
}

/** One thing that can be asked for. `run` checks what it is given. */
export interface Operation {
  /** What it does, as the help and the reference have it. */
  readonly summary: string;
  readonly fields: Fields;
  /** What `result` is. */
  readonly result: string;
  /** Which events come before the result. */
  readonly events?: string;
  run(given: Readonly<Record<string, unknown>>, context: OperationContext): Promise<unknown>;
}

const which = {
  sandbox: { kind: 'text', summary: 'a sandbox by its name or id; the usual one by default' },
} as const satisfies Fields;

const snapshot = {
  kind: 'text',
  summary: 'a snapshot: an id, the first digits of one, a tag, or HEAD',
  isArgument: true,
} as const;

/** Every operation of the socket, in the order of the reference. */
export const operations: Readonly<Record<string, Operation>> = {
  hello: define('hello', {
    summary: 'Says which version of the protocol is spoken, and which operations there are.',
    fields: {},
    result: '`{ protocol, operations, server }`; `server` as of `status`',
    run: async (_ask, context) => ({
      protocol: controlVersion,
      operations: Object.keys(operations),
      server: context.describe(),
    }),
  }),
  info: about('info', {
    summary: 'Describes a sandbox.',
    fields: {},
    result: 'its id, name, runtime, limits',
    run: (sandbox) => sandbox.connection.info.get(),
  }),
  status: about('status', {
    summary: 'Says how a sandbox, its disk, its history and what runs under supervision are doing.',
    fields: {},
    result: '`{ server, info, head, pending, storage }`',
    run: async (sandbox, _ask, context) => {
      const [info, view, storage] = await Promise.all([
        sandbox.connection.info.get(),
        sandbox.history.get(),
        sandbox.storage(),
      ]);
      const { head, pending, snapshots } = view;
      return { server: context.describe(), info, head, snapshots: snapshots.length, pending, storage };
    },
  }),
  list: define('list', {
    summary: 'Lists the sandboxes of the folder.',
    fields: {},
    result: 'a list of what `info` describes',
    run: (_ask, { backend }) => backend.list(),
  }),
  exec: about('exec', {
    summary: 'Runs a command beside what runs already.',
    fields: {
      words: { kind: 'words', summary: 'a program and its arguments', isRequired: true, isArgument: true },
      cwd: { kind: 'text', summary: 'the directory to run it in' },
      user: { kind: 'text', summary: '`user` or `root`' },
      stdin: { kind: 'text', summary: 'what it reads; nothing by default' },
      timeoutMs: { kind: 'count', summary: 'when to kill it' },
    },
    result: 'how it ended: `exitCode`, `signal`, `reason`, `durationMs`, `files`',
    events: '`{ stdout }` and `{ stderr }`: text as it comes. For exact bytes there is `coppice exec`.',
    run: runCommand,
  }),
  commit: about('commit', {
    summary: 'Takes a snapshot; resolves when it is durable.',
    fields: {
      label: { kind: 'text', summary: 'what it is called', isArgument: true },
      ifChanged: { kind: 'flag', summary: 'none where HEAD has the same files' },
    },
    result: 'the snapshot',
    run: (sandbox, { label, ifChanged }) => sandbox.createSnapshot({ label, ifChanged }),
  }),
  checkout: about('checkout', {
    summary:
      'Goes to a snapshot: kills what runs, puts the files back, moves HEAD. A supervised program is started again.',
    fields: {
      snapshot: { ...snapshot, isRequired: true },
      discard: { kind: 'flag', summary: 'give up what changed since HEAD instead of saving it' },
    },
    result: '`{ head, previousHead }`: where it went, and the way back',
    run: (sandbox, { snapshot, discard }) => sandbox.checkout(snapshot, { discard }),
  }),
  tag: about('tag', {
    summary: 'Gives a snapshot a name, or takes one away.',
    fields: {
      name: { kind: 'text', summary: 'the tag', isRequired: true, isArgument: true },
      snapshot: { ...snapshot, summary: `${snapshot.summary}, which is the usual one` },
      delete: { kind: 'flag', summary: 'take the tag away' },
    },
    result: '`{ name, id }`, without `id` where it was taken away',
    run: setTag,
  }),
  tags: about('tags', {
    summary: 'Lists tags.',
    fields: {},
    result: 'an object: the id of a snapshot by each tag',
    run: async (sandbox) => Object.fromEntries(await sandbox.history.tags()),
  }),
  head: about('head', {
    summary: 'Says where HEAD is.',
    fields: {},
    result: 'the snapshot',
    run: (sandbox) => findSnapshot(sandbox, 'HEAD'),
  }),
  branches: about('branches', {
    summary: 'Lists the snapshots that nothing continues.',
    fields: {},
    result: 'a list of snapshots',
    run: (sandbox) => sandbox.history.branches(),
  }),
  log: about('log', {
    summary: 'Lists the snapshots from HEAD to the first, newest first.',
    fields: {
      limit: { kind: 'count', summary: `how many at most; ${limits.controlLogSnapshots.usual} by default` },
    },
    result: 'a list of snapshots',
    run: async (sandbox, { limit = limits.controlLogSnapshots.usual }) =>
      (await sandbox.history.log()).slice(0, Math.min(limit, limits.controlLogSnapshots.max)),
  }),
  diff: about('diff', {
    summary: 'Says what differs from one snapshot to another.',
    fields: {
      from: { ...snapshot, summary: `${snapshot.summary}, which is the usual one` },
      to: { ...snapshot, summary: 'another snapshot, or `now`, which is the usual one' },
    },
    result: 'a list of changes: `type`, `path`, `sizeBytes`',
    run: (sandbox, { from = 'HEAD', to = 'now' }) => sandbox.diff(from, to),
  }),
  show: about('show', {
    summary: 'Describes a snapshot, with what it changed.',
    fields: { snapshot: { ...snapshot, summary: `${snapshot.summary}, which is the usual one` } },
    result: '`{ snapshot, changes }`; `changes` as of `diff`, absent of a first snapshot',
    run: showSnapshot,
  }),
  fork: about('fork', {
    summary: 'Makes other sandboxes that go on from a snapshot.',
    fields: {
      from: { ...snapshot, summary: `${snapshot.summary}; the files as they are by default` },
      name: { kind: 'text', summary: 'what they are called' },
      count: { kind: 'count', summary: `how many; one by default, ${limits.forks} at most` },
    },
    result: 'a list of what `info` describes, an error as data in the place of one that could not be made',
    run: forkSandbox,
  }),
  gc: about('gc', {
    summary: 'Frees what no snapshot refers to.',
    fields: {},
    result: '`{ freedBytes }`',
    run: async (sandbox) => ({ freedBytes: await sandbox.history.collectGarbage() }),
  }),
  events: about('events', {
    summary: 'Tells what happens in a sandbox, until the request is cancelled.',
    fields: { after: { kind: 'count', summary: 'the `seq` of the last event that is known' } },
    result: '`{}`',
    events: '`{ event }`: one of a sandbox, with its `seq` and `type`.',
    run: tellEvents,
  }),
  stop: define('stop', {
    summary: 'Ends whoever serves the folder, as SIGTERM does: what runs is told to end, and saved.',
    fields: {},
    result: '`{}`',
    run: async (_ask, context) => {
      context.stop();
      return {};
    },
  }),
};

interface Definition<F extends Fields, Run> extends Omit<Operation, 'fields' | 'run'> {
  readonly fields: F;
  readonly run: Run;
}

function define<const F extends Fields>(
  op: string,
  parts: Definition<F, (ask: AskOf<F>, context: OperationContext) => Promise<unknown>>,
): Operation {
  return { ...parts, run: (given, context) => parts.run(readFields(parts.fields, given, op), context) };
}

/** An operation on one sandbox, which it has open meanwhile. */
function about<const F extends Fields>(
  op: string,
  parts: Definition<F, (sandbox: Sandbox, ask: AskOf<F>, context: OperationContext) => Promise<unknown>>,
): Operation {
  const fields = { ...parts.fields, ...which };
  return {
    ...parts,
    fields,
    run: async (given, context) => {
      const ask = readFields(fields, given, op);
      await using sandbox = await context.openSandbox(ask.sandbox);
      return await parts.run(sandbox, ask, context);
    },
  };
}

interface CommandAsk {
  readonly words: readonly string[];
  readonly cwd: string | undefined;
  readonly user: string | undefined;
  readonly stdin: string | undefined;
  readonly timeoutMs: number | undefined;
}

async function runCommand(
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
  return status;
}

async function setTag(
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

async function findSnapshot(sandbox: Sandbox, reference: string) {
  const id = await sandbox.history.resolve(reference);
  const { snapshots } = await sandbox.history.get();
  const found = snapshots.find((each) => each.id === id);
  if (found) return found;
  throw new SandboxError('not-found', `There is no snapshot ${reference}`);
}

async function showSnapshot(
  sandbox: Sandbox,
  { snapshot = 'HEAD' }: { readonly snapshot: string | undefined },
): Promise<object> {
  const found = await findSnapshot(sandbox, snapshot);
  const parent = found.parents[0];
  if (parent === undefined) return { snapshot: found };
  return { snapshot: found, changes: await sandbox.diff(parent, found.id) };
}

async function forkSandbox(
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

async function tellEvents(
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
