import { SandboxError } from '../../protocol/errors.ts';
import type { HistoryView, SnapshotInfo } from '../../protocol/sandbox/history.ts';
import { ancestorsOf } from '../../sdk/undo/ancestors.ts';
import { notePreviousHead } from '../../sdk/undo/previous-head.ts';
import { changeLine } from '../compare/change-lines.ts';
import type { CliContext } from '../context.ts';
import { snapshotTitle } from '../history/describe-snapshot.ts';
import { findSnapshot } from '../history/references.ts';
import { shortId } from '../history/snapshot-value.ts';
import { plainText } from '../output/plain-text.ts';
import { Style } from '../output/style.ts';
import type { ShellSession } from './shell-session.ts';

/** A command of `coppice shell` itself, which begins with `%`. */
interface ShellCommand {
  readonly words: string;
  readonly does: string;
  /** Answers what is to be printed. */
  run(argument: string, session: ShellSession, context: CliContext): Promise<string>;
}

/** Rows of `%log`, and of `%diff`. */
const shownRows = 20;
const shownChanges = 200;

const commands: Readonly<Record<string, ShellCommand>> = {
  snapshot: {
    words: '[label]',
    does: 'take a snapshot',
    run: async (label, { sandbox }) => {
      const snapshot = await sandbox.createSnapshot(label === '' ? {} : { label });
      return `[${shortId(snapshot.id)}] ${snapshotTitle(snapshot)}`;
    },
  },
  restore: {
    words: 'REF',
    does: 'go back to a snapshot, by its label too: files, and this shell as it was then; - is what the last one left',
    run: async (reference, session) => {
      if (reference === '') throw new SandboxError('invalid-argument', 'Which snapshot? %log lists them');
      return goTo(findNamed(await session.sandbox.history.get(), reference).id, session);
    },
  },
  reset: {
    words: '',
    does: 'go back to how things were when this shell was opened',
    run: (_none, session) => goTo(session.base, session),
  },
  diff: {
    words: '[REF]',
    does: 'what has changed since this shell was opened, or since a snapshot',
    run: async (reference, { sandbox, base }, context) => {
      const from = reference === '' ? base : findNamed(await sandbox.history.get(), reference).id;
      const changes = await sandbox.diff(from, 'now');
      const style = new Style(context);
      const lines = changes.slice(0, shownChanges).map((change) => changeLine(change, style));
      const more = changes.length - lines.length;
      return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
    },
  },
  log: {
    words: '',
    does: 'the newest snapshots',
    run: async (_none, { sandbox }) => {
      const view = await sandbox.history.get();
      const rows = ancestorsOf(view, view.head).slice(0, shownRows);
      return rows.map((row) => `${shortId(row.id)}  ${snapshotTitle(row)}`).join('\n');
    },
  },
  fork: {
    words: '[name]',
    does: 'another sandbox that goes on from here',
    run: async (name, { sandbox }) => {
      const [made] = await sandbox.fork(name === '' ? {} : { name });
      if (!made) throw new SandboxError('internal', 'No fork was made');
      if (made instanceof SandboxError) throw made;
      await made.close().catch(() => undefined); // The fork is there.
      return `${plainText(made.info.name)} (${made.id}): coppice shell -s ${made.id}`;
    },
  },
  help: {
    words: '',
    does: 'this list',
    run: async () => helpText(),
  },
  exit: {
    words: '',
    does: 'leave; so do exit and Ctrl-D',
    run: async () => '',
  },
};

export const shellCommandNames: readonly string[] = Object.keys(commands).map((name) => `%${name}`);

/** Runs a line that begins with `%`. @throws not-found for an unknown one; what it fails with */
export async function runShellCommand(
  line: string,
  session: ShellSession,
  context: CliContext,
): Promise<string> {
  const [, name = '', argument = ''] = /^%(\S*)\s*(.*?)\s*$/s.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new SandboxError('not-found', `There is no %${name}: %help lists what there is`);
  return command.run(argument, session, context);
}

/** What a reference names; else the one snapshot with that label, as %snapshot gives it. @throws not-found, conflict */
function findNamed(view: HistoryView, words: string): SnapshotInfo {
  try {
    return findSnapshot(view, words);
  } catch (error) {
    if (SandboxError.from(error).code !== 'not-found') throw error;
    const named = view.snapshots.filter(({ cause }) => cause.type === 'manual' && cause.label === words);
    const [found, ...others] = named;
    if (!found) throw error;
    if (others.length === 0) return found;
    const ids = named.slice(-5).map(({ id }) => shortId(id));
    const message = `${named.length} snapshots have the label ${words}, such as ${ids.join(', ')}: give an id`;
    throw new SandboxError('conflict', message);
  }
}

async function goTo(id: string, session: ShellSession): Promise<string> {
  const snapshot = findSnapshot(await session.sandbox.history.get(), id);
  const previousHead = await session.restore(snapshot.id);
  const { warning } = await notePreviousHead(session.sandbox, { previousHead });
  const where = `HEAD is ${shortId(snapshot.id)} now: ${snapshotTitle(snapshot)}`;
  return warning === undefined
    ? `${where}. The way back: %restore -`
    : `${where}. ${plainText(warning)}. The way back: %restore ${shortId(previousHead)}`;
}

function helpText(): string {
  const rows = Object.entries(commands).map(
    ([name, { words, does }]) => [`%${name} ${words}`.trimEnd(), does] as const,
  );
  const width = Math.max(...rows.map(([first]) => first.length));
  return [
    ...rows.map(([first, does]) => `${first.padEnd(width)}  ${does}`),
    'Ctrl-C interrupts a command, and kills it the second time. Programs that need a terminal: coppice shell --tty.',
  ].join('\n');
}
