import { limits } from '../../protocol/limits.ts';
import type { ExitStatus } from '../../protocol/sandbox/processes.ts';
import type { CommandResult } from '../commands.ts';
import { cutList } from './cut-list.ts';
import { cutText } from './cut-text.ts';
import type { Step } from './sandbox-steps.ts';
import { shortId } from './short-id.ts';

/** What a model is told of a command. */
export interface RunAnswer {
  readonly exitCode: number;
  /** Beginning and end, at most `limits.modelOutputCharacters` of each. */
  readonly stdout: string;
  readonly stderr: string;
  /** Why it ended, where it did not exit by itself. */
  readonly ended?: string;
  /** Paths that changed while it ran, at most `limits.modelPaths`. */
  readonly changed?: readonly string[];
  /** Which of these are not whole. */
  readonly cut?: readonly ('stdout' | 'stderr' | 'changed')[];
  /** Of the files after it: `checkout` takes it. */
  readonly snapshot?: string;
  /** Why there is no snapshot. */
  readonly unsaved?: string;
}

const endings: Readonly<Partial<Record<ExitStatus['reason'], string>>> = {
  timeout: 'killed at its time limit: start what takes long in the background, or give it more time',
  'out-of-memory': 'killed: the sandbox has no memory left',
  'disk-limit': "killed: the sandbox's disk is full; delete files, or undo",
  killed: 'killed',
  checkout: 'killed: the sandbox went to another snapshot',
  'machine-failed': "killed: the sandbox's machine failed",
};

/** A command's result for a model. */
export function describeRun({ value: result, snapshot, unsaved }: Step<CommandResult>): RunAnswer {
  const ended = result.reason === 'signalled' ? `killed by ${result.signal}` : endings[result.reason];
  const { created, modified, deleted } = result.files;
  const changed = [...created, ...modified, ...deleted];
  const paths = cutPaths(changed);
  const isLong = (text: string) => text.length > limits.modelOutputCharacters;
  const cut = [
    ...(isLong(result.stdout) || result.droppedBytes > 0 ? (['stdout'] as const) : []),
    ...(isLong(result.stderr) ? (['stderr'] as const) : []),
    ...(changed.some((path, index) => paths[index] !== path) ? (['changed'] as const) : []),
  ];
  return {
    exitCode: result.exitCode,
    stdout: cutText(result.stdout) + droppedNote(result.droppedBytes),
    stderr: cutText(result.stderr),
    ...(ended === undefined ? {} : { ended }),
    ...(changed.length === 0 ? {} : { changed: paths }),
    ...(cut.length === 0 ? {} : { cut }),
    ...(snapshot === undefined ? {} : { snapshot: shortId(snapshot) }),
    ...(unsaved === undefined ? {} : { unsaved }),
  };
}

/** The same as text, for tools that answer nothing else. */
export function describeRunAsText(step: Step<CommandResult>): string {
  const { exitCode, stdout, stderr, ended, snapshot, unsaved } = describeRun(step);
  const notes = [
    `exit code ${exitCode}`,
    ...(ended === undefined ? [] : [ended]),
    ...(snapshot === undefined ? [] : [`snapshot ${snapshot}`]),
    ...(unsaved === undefined ? [] : [`no snapshot: ${unsaved}`]),
  ];
  const output = [stdout, stderr].filter((text) => text !== '').map((text) => text.replace(/\n$/, ''));
  return [...output, `[${notes.join('; ')}]`].join('\n');
}

function cutPaths(paths: readonly string[]): string[] {
  const shown = cutList(paths.slice(0, limits.modelPaths));
  const more = paths.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

function droppedNote(bytes: number): string {
  return bytes > 0 ? `\n[${bytes} bytes of further output were not kept: redirect it into a file]` : '';
}
