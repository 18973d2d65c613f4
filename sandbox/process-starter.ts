import { SandboxError } from '../protocol/errors.ts';
import { CommandMarks } from '../protocol/init/command-marks.ts';
import { limits } from '../protocol/limits.ts';
import type { MachineProcessListener, OnArrival } from '../protocol/machine-process.ts';
import {
  type ChangedFiles,
  type CommandEnd,
  type ExecRequest,
  type ExitStatus,
  loginShell,
  type ProcessEvent,
  type ProcessHandle,
} from '../protocol/sandbox.ts';
import type { LiveTree } from '../tree/live/live-tree.ts';
import type { CaptureTimer } from './capture-timer.ts';
import { changedFiles } from './changed-files.ts';
import type { CommandLog } from './command-log.ts';
import type { Recording } from './recording/recording.ts';
import type { OpenTerminal } from './recording/terminals.ts';
import type { AdoptOptions, RunningMachine, WaitingShell } from './sandbox-machine.ts';

export interface ProcessContext {
  readonly tree: LiveTree;
  readonly commands: CommandLog;
  readonly recording: Recording;
  readonly captures: CaptureTimer;
  readonly machine: RunningMachine;
  /** Brings the tree up to what the machine has written. */
  readonly sync: () => Promise<boolean>;
  /** Whether the history has all that the tree has. */
  readonly isCaptured: () => boolean;
  /** Told that what it has changed cannot be captured. */
  readonly onUnsaved: (why: SandboxError) => void;
  /** Why captures fail, once one that is due has been tried again. */
  readonly whyUnsaved: () => Promise<SandboxError | undefined>;
  /** Resolves once the sandbox has a history: what a process changes is no part of its first snapshot. */
  readonly begun: () => Promise<void>;
  /** Whether a checkout has put other files under the machine, and so ended the process, by now. */
  readonly isReplaced: () => boolean;
  /** Told of every command that ends in a terminal. */
  readonly onCommand: (ended: CommandEnd) => void;
}

const noFiles: ChangedFiles = { created: [], modified: [], deleted: [] };

/** As a shell tells of a child: 128 and the number of SIGKILL. */
const killedExitCode = 128 + 9;

type Listener = (event: ProcessEvent) => void | Promise<void>;

/**
 * Starts a process and watches what it does for the history: which command runs (a terminal's
 * shell says so by marks in its output), and which files changed while it ran.
 */
export function startProcess(
  request: ExecRequest,
  listener: Listener,
  context: ProcessContext,
): Promise<ProcessHandle> {
  const { commands, captures, machine, recording } = context;
  const stream = {};
  const mark = context.tree.snapshot();
  const { arrived, terminal } = request.pty ? watchTerminal(listener, { ...context, stream }) : {};
  if (!request.pty) commands.start(stream, commandText(request));
  const whyKilled = watchKills(machine);
  // What it makes until then is half of something.
  const pause = request.clearsAway ? captures.pause(limits.clearedAwayPauseMs) : undefined;
  const onEvent: MachineProcessListener = async (event) => {
    if (event.type !== 'exit') return event.bytes.length === 0 ? undefined : listener(event);
    terminal?.close();
    const reason = context.isReplaced() ? 'checkout' : reasonOf(event, whyKilled);
    // Of a terminal, it is the shell that has ended so.
    const command = commands.end(stream, request.pty ? {} : { ...event, reason });
    if (!request.pty && command !== undefined && reason !== 'checkout') noteEnd(command, recording);
    pause?.end();
    // What the machine has not written back yet would be missing from the list of files.
    const synced =
      reason === 'checkout' ? false : await context.sync().catch((cause) => SandboxError.from(cause));
    const isSynced = synced === true;
    // Who has changed nothing is not the cause of what changes next.
    if (isSynced && context.isCaptured()) commands.take();
    else captures.hurry();
    // After a checkout, even one since, a comparison would speak of the checkout.
    const files = reason === 'checkout' || context.isReplaced() ? noFiles : changedFiles(context.tree, mark);
    if (synced instanceof SandboxError) context.onUnsaved(synced);
    // A machine that does not answer has not told what it changed.
    const unsaved = synced === true ? await context.whyUnsaved() : synced || undefined;
    await listener({ ...event, reason, files, ...(unsaved ? { unsaved: unsaved.toData() } : {}) });
  };
  const shell = isLoginShell(request) ? machine.takeShell?.() : undefined;
  if (shell?.command !== undefined) commands.start(stream, shell.command);
  // It is known by its process from now on: a moment finds it among the open ones, or among those that wait.
  if (shell && terminal) terminal.pid = shell.pid;
  const started =
    shell && request.pty
      ? adoptShell(shell, { size: request.pty, onEvent, arrived, begun: context.begun })
      : Promise.all([context.begun(), pause?.begun]).then(() =>
          machine.processes.start(request, onEvent, { arrived }),
        );
  const known = started.then((process) => {
    if (terminal) terminal.pid = process.pid;
    return process;
  });
  return known.catch((error) => {
    terminal?.close();
    commands.runs.forget(stream);
    commands.end(stream);
    pause?.end();
    throw error;
  });
}

/** Asks what processes have been killed for since now. */
function watchKills(machine: RunningMachine): () => ExitStatus['reason'] | undefined {
  const count = () => [machine.outOfMemoryKills?.() ?? 0, machine.diskLimitKills?.() ?? 0] as const;
  const [memoryBefore, diskBefore] = count();
  return () => {
    const [memory, disk] = count();
    if (memory > memoryBefore) return 'out-of-memory';
    return disk > diskBefore ? 'disk-limit' : undefined;
  };
}

/** Who is killed for lack of memory or room looks like anybody who is killed, and so does a shell that ends with it. */
function reasonOf(
  { reason, signal, exitCode }: Pick<ExitStatus, 'reason' | 'signal' | 'exitCode'>,
  whyKilled: () => ExitStatus['reason'] | undefined,
): ExitStatus['reason'] {
  const mayLack = signal === 'SIGKILL' ? reason === 'signalled' : exitCode === killedExitCode;
  return (mayLack ? whyKilled() : undefined) ?? reason;
}

/** Whether a shell that was started without a word about it is what is asked for. */
function isLoginShell({ command, cwd, envs, user, pty }: ExecRequest): boolean {
  const isShell = typeof command !== 'string' && command.join(' ') === loginShell.join(' ');
  return isShell && pty !== undefined && cwd === undefined && envs === undefined && user !== 'root';
}

/** Hands over a shell that waits at its prompt, with what its terminal shows. It changes nothing until it is told to. */
async function adoptShell(
  shell: WaitingShell,
  context: Pick<ProcessContext, 'begun'> & {
    size: AdoptOptions['size'];
    onEvent: MachineProcessListener;
    arrived: OnArrival | undefined;
  },
): Promise<ProcessHandle> {
  const { size, onEvent, arrived, begun } = context;
  await onEvent({ type: 'stdout', bytes: arrived ? arrived(shell.shown) : shell.shown });
  const process = await shell.adopt(onEvent, { size, arrived });
  return {
    pid: process.pid,
    write: async (bytes) => {
      await begun();
      await process.write(bytes);
    },
    closeStdin: () => process.closeStdin(),
    resize: (size) => process.resize(size),
    kill: (signal) => process.kill(signal),
  };
}

/** Takes the shell's marks out of what a terminal shows, and notes what both say as it comes: it is the machine's past by then. */
function watchTerminal(
  listener: Listener,
  context: Pick<ProcessContext, 'commands' | 'captures' | 'onCommand' | 'recording'> & { stream: object },
): { arrived: OnArrival; terminal: OpenTerminal } {
  const { stream, commands, captures, onCommand, recording } = context;
  const ended: string[] = [];
  const marks = new CommandMarks((mark) => {
    if (mark.type === 'start') {
      commands.start(stream, mark.command);
      return;
    }
    const command = commands.end(stream, { exitCode: mark.exitCode });
    captures.hurry();
    if (command === undefined) return;
    ended.push(command);
    onCommand({ command, exitCode: mark.exitCode });
  });
  const terminal = recording.terminals.open({
    show: (bytes) => listener({ type: 'stdout', bytes }),
    command: () => commands.in(stream),
    wentBack: (command) => {
      marks.flush();
      commands.goBack(stream, command);
    },
  });
  const arrived: OnArrival = (raw) => {
    const bytes = marks.filter(raw);
    if (bytes.length > 0) recording.noteOutput(terminal, bytes);
    for (const command of ended.splice(0)) noteEnd(command, recording);
    return bytes;
  };
  return { arrived, terminal };
}

/** Its moment is taken once the machine pauses, and what has come with this news is noted. */
function noteEnd(command: string, recording: Recording): void {
  queueMicrotask(() => recording.commandEnded(command));
}

function commandText({ command }: ExecRequest): string {
  return typeof command === 'string' ? command : command.join(' ');
}
