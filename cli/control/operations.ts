import { limits } from '../../protocol/limits.ts';
import { notePreviousHead } from '../../sdk/undo/previous-head.ts';
import { controlVersion } from './messages.ts';
import { about, define, type Operation } from './operation.ts';
import { findSnapshot, forkSandbox, runCommand, setTag, showSnapshot, tellEvents } from './operation-work.ts';

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
    summary: 'Takes a snapshot; answers when it is durable.',
    fields: {
      label: { kind: 'text', summary: 'what it is called', isArgument: true },
      ifChanged: { kind: 'flag', summary: 'take none where HEAD has the same files' },
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
    result:
      '`{ head, previousHead }`: where it went, and the way back, which the tag `ORIG_HEAD` names; `warning` where that could not be set',
    run: async (sandbox, { snapshot, discard }) =>
      notePreviousHead(sandbox, await sandbox.checkout(snapshot, { discard })),
  }),
  tag: about('tag', {
    summary: 'Gives a snapshot a name, or takes one away.',
    fields: {
      name: { kind: 'text', summary: 'the tag', isRequired: true, isArgument: true },
      snapshot: { ...snapshot, summary: `${snapshot.summary}, which is the default` },
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
      from: { ...snapshot, summary: `${snapshot.summary}, which is the default` },
      to: { ...snapshot, summary: 'another snapshot, or `now`, which is the default' },
    },
    result: 'a list of changes: `type`, `path`, `sizeBytes`',
    run: (sandbox, { from = 'HEAD', to = 'now' }) => sandbox.diff(from, to),
  }),
  show: about('show', {
    summary: 'Describes a snapshot, with what it changed.',
    fields: { snapshot: { ...snapshot, summary: `${snapshot.summary}, which is the default` } },
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
    summary:
      'Ends the process that serves the folder, as SIGTERM does: what runs is told to end, and all is saved. Where changes of a shell cannot be saved, it is refused.',
    fields: {
      discard: { kind: 'flag', summary: 'end it all the same, and give up what cannot be saved' },
    },
    result: '`{}`',
    run: async ({ discard = false }, context) => {
      if (!discard) await context.assertSaved();
      context.stop();
      return {};
    },
  }),
};
