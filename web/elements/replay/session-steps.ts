import { firstTerminal, type RecordedSnapshot } from '../../../recording/format/recording-event.ts';
import type { RecordingHeader } from '../../../recording/format/recording-header.ts';
import type { Landmark } from '../../../recording/read/recording.ts';

/** The kinds of steps that a session has, as filters name them. */
export const stepKinds = ['command', 'call', 'message', 'chapter', 'snapshot', 'note'] as const;
export type StepKind = (typeof stepKinds)[number];

/** One thing that happened, as the list of a session shows it. All texts are data (H-9). */
export interface Step {
  /** Seconds since the recording began. */
  readonly at: number;
  /** Its line in the file, which names it. */
  readonly line: number;
  readonly kind: StepKind;
  readonly text: string;
  /** Who spoke, for a message. */
  readonly role?: string;
  /** Whether `text` was cut: the recording has the rest. */
  readonly isCut?: boolean;
  /** How a command or a call ended, where that is known. */
  readonly end?: {
    readonly at: number;
    readonly line: number;
    readonly failed: boolean;
    readonly text: string;
  };
  readonly snapshot?: RecordedSnapshot;
  /** Whether a snapshot's label is what the last command was. */
  readonly isRepeated?: boolean;
  readonly terminal?: number;
}

/** A terminal of the session, and when it was there. */
interface ReplayTerminal {
  readonly terminal: number;
  readonly title: string;
  readonly from: number;
}

/** HEAD from an instant on. */
interface HeadMove {
  readonly at: number;
  readonly id: string;
}

/** What a session is made of, for lists and the timeline. */
export interface Session {
  readonly steps: readonly Step[];
  readonly terminals: readonly ReplayTerminal[];
  readonly heads: readonly HeadMove[];
}

type Mutable = { -readonly [key in keyof Step]: Step[key] };

/** Puts together what belongs together: a command and how it ended, a call and its result. */
export function readSession(header: RecordingHeader, landmarks: readonly Landmark[]): Session {
  const steps: Mutable[] = [];
  // Markers are for public players: a session of ours has chapters and snapshots themselves.
  const isOurs = landmarks.some(({ event }) => event.type === 'snapshot' || event.type === 'chapter');
  const commands = new Map<number, Mutable>();
  const calls = new Map<string, Mutable>();
  const terminals: ReplayTerminal[] = [{ terminal: firstTerminal, title: header.command ?? '', from: 0 }];
  const heads: HeadMove[] = header.coppice.begin === undefined ? [] : [{ at: 0, id: header.coppice.begin }];
  for (const { at, line, event, isCut = false } of landmarks) {
    const add = (step: Omit<Mutable, 'at' | 'line' | 'isCut'>): Mutable => {
      const made: Mutable = { at, line, isCut, ...step };
      steps.push(made);
      return made;
    };
    switch (event.type) {
      case 'command':
        commands.set(event.command, add({ kind: 'command', text: event.text, terminal: event.terminal }));
        break;
      case 'command-end': {
        const command = commands.get(event.command);
        const failed = event.exitCode !== 0 || event.signal !== undefined;
        if (command) command.end = { at, line, failed, text: event.signal ?? `exit ${event.exitCode}` };
        break;
      }
      case 'call':
        calls.set(event.id, add({ kind: 'call', text: describeCall(event.tool, event.arguments) }));
        break;
      case 'result': {
        const call = calls.get(event.id);
        if (call) call.end = { at, line, failed: event.isError === true, text: textOf(event.result) };
        break;
      }
      case 'message':
        add({ kind: 'message', text: event.text, role: event.role });
        break;
      case 'chapter':
        add({ kind: 'chapter', text: event.title });
        break;
      case 'marker':
        if (!isOurs) add({ kind: 'chapter', text: event.label });
        break;
      case 'note':
        add({ kind: 'note', text: event.text });
        break;
      case 'snapshot':
        heads.push({ at, id: event.id });
        add({
          ...{ kind: 'snapshot', text: event.label, snapshot: event },
          isRepeated: event.label === steps.findLast(({ kind }) => kind === 'command')?.text,
        });
        break;
      case 'head':
        heads.push({ at, id: event.id });
        break;
      case 'terminal':
        terminals.push({ terminal: event.terminal, title: event.title, from: at });
        break;
      default:
    }
  }
  return { steps, terminals, heads };
}

/** The index of the last of `list`, which is in the order of time, that is not after `at`; -1 before the first. */
export function lastAt(list: readonly { readonly at: number }[], at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What came of a call or a message, in one text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The tool, and what it was told that a reader knows it by: `bash · npm test`. */
function describeCall(tool: string, given: unknown): string {
  const told = Object(given) as Readonly<Record<string, unknown>>;
  const known = told.command ?? told.cmd ?? told.path ?? told.file_path ?? told.pattern ?? told.url;
  const text = textOf(known ?? given);
  return text === '' || text === '{}' ? tool : `${tool} · ${text}`;
}
