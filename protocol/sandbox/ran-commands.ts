import type { SnapshotRecord } from '../../tree/history/snapshot-record.ts';
import { limits } from '../limits.ts';
import { isObject } from '../schema.ts';

/** A command, or a process in the background, that a snapshot was taken after, or during: where the snapshot comes from. */
export interface RanCommand {
  /** As it was typed, or the program and its arguments with blanks between them. */
  readonly command: string;
  /** The program and its arguments, where the command was given so. */
  readonly argv?: readonly string[];
  /**
   * `exec`: a process of a client; `shell`: a shell that goes on; `terminal`: somebody at a prompt; `process`: nobody, it is
   * what the process calls itself that changed files while no command ran; `client`: no command, a client that brought an archive; a newer
   * version may say more.
   */
  readonly by: (typeof givers)[number];
  readonly startedAtMs: number;
  /** Absent of a command that still ran. */
  readonly durationMs?: number;
  readonly exitCode?: number;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal?: string;
}

/** Who gives commands. */
const givers = ['exec', 'shell', 'terminal', 'process', 'client'] as const;

/** The name of the extension that holds them in a record (protocol/SPEC.md, SN-16). */
export const commandsExtension = 'commands';

/** The text of the extension: as many of the commands as it has room for, the last ones first to stay. */
export function encodeRanCommands(commands: readonly RanCommand[]): string {
  const encode = (from: number) => JSON.stringify(commands.slice(from).map(cut));
  let from = Math.max(0, commands.length - limits.causeCommands);
  let text = encode(from);
  while (new TextEncoder().encode(text).length > limits.ranCommandsBytes && from < commands.length)
    text = encode(++from);
  return text;
}

/** The commands that a snapshot says it was taken after; none where it says nothing, or what cannot be read. Texts are the sandbox's (H-9). */
export function ranCommands(snapshot: Pick<SnapshotRecord, 'extensions'>): RanCommand[] {
  const text = snapshot.extensions?.[commandsExtension]?.text;
  if (text === undefined || text.length > limits.ranCommandsBytes) return [];
  const list = parse(text);
  return Array.isArray(list) ? list.slice(0, limits.causeCommands).flatMap(readCommand) : [];
}

function cut(ran: RanCommand): RanCommand {
  const { argv, ...rest } = ran;
  const bytes = argv?.reduce((sum, argument) => sum + argument.length, 0) ?? 0;
  const fits = argv !== undefined && bytes <= limits.ranArgvCharacters;
  return { ...rest, ...(fits ? { argv } : {}) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readCommand(value: unknown): RanCommand[] {
  if (!isObject(value)) return [];
  const { command, argv, by, startedAtMs, durationMs, exitCode, signal } = value;
  if (typeof command !== 'string' || !isCount(startedAtMs)) return [];
  const isArgv = Array.isArray(argv) && argv.every((argument) => typeof argument === 'string');
  return [
    {
      command,
      ...(isArgv ? { argv } : {}),
      by: givers.find((giver) => giver === by) ?? 'exec',
      startedAtMs,
      ...(isCount(durationMs) ? { durationMs } : {}),
      ...(Number.isSafeInteger(exitCode) ? { exitCode: exitCode as number } : {}),
      ...(typeof signal === 'string' ? { signal } : {}),
    },
  ];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
