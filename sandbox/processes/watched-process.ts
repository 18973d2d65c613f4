import { unpackTitle } from '../../protocol/archive/unpack-script.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { MachineProcessEvent, MachineProcessExit, OnArrival } from '../../protocol/machine-process.ts';
import { quoteWords } from '../../protocol/quote-words.ts';
import {
  type ChangedFiles,
  type ExecRequest,
  type ExitStatus,
  loginShell,
  type ProcessEvent,
  type ProcessHandle,
} from '../../protocol/sandbox/processes.ts';
import type { RanCommand } from '../../protocol/sandbox/ran-commands.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { CapturePause } from '../capture/capture-timer.ts';
import type { Capturer } from '../capture/capturer.ts';
import { changedFiles } from '../capture/changed-files.ts';
import { shownAt } from '../checkpoints/terminal-output.ts';
import type { OpenTerminal } from '../checkpoints/terminals.ts';
import type { RunningMachine, SandboxMachine, WaitingShell } from '../machine/sandbox-machine.ts';
import { watchExitReason } from './exit-reason.ts';
import type { ProcessTap, SessionTaps } from './session-taps.ts';
import { noteCommandEnd, type TerminalParts, watchTerminal } from './watched-terminal.ts';

export type ProcessListener = (event: ProcessEvent) => void | Promise<void>;

export interface WatchedProcessParts extends TerminalParts {
  readonly tree: LiveTree;
  readonly capturer: Pick<Capturer, 'stopped' | 'noteFailure'>;
  readonly machine: SandboxMachine;
  /** Resolves once the sandbox has a history: what a process changes is no part of its first snapshot. */
  readonly begun: () => Promise<void>;
  readonly taps: SessionTaps;
}

type EndReason = ExitStatus['reason'];

const noFiles: ChangedFiles = { created: [], modified: [], deleted: [] };

/**
 * A process, watched for what it does to the history: which command runs (a terminal's shell says so by marks in its
 * output), and which files changed while it ran.
 */
export class WatchedProcess {
  readonly #request: ExecRequest;
  readonly #listener: ProcessListener;
  readonly #parts: WatchedProcessParts;
  /** What the command log knows it by. */
  readonly #stream = {};
  /** The machine that it runs on, and the files when it began. */
  readonly #running: RunningMachine;
  readonly #replacedBefore: number;
  readonly #before: TreeSnapshot;
  readonly #arrived: OnArrival | undefined;
  readonly #terminal: OpenTerminal | undefined;
  readonly #tap: ProcessTap;
  readonly #reasonOf: (exit: MachineProcessExit) => EndReason;
  /** Of captures: what a process that clears away makes until then is half of something. */
  readonly #pause: CapturePause | undefined;

  constructor(
    running: RunningMachine,
    {
      request,
      listener,
      by = 'exec',
      ...parts
    }: WatchedProcessParts & {
      readonly request: ExecRequest;
      readonly listener: ProcessListener;
      readonly by?: RanCommand['by'];
    },
  ) {
    this.#running = running;
    this.#request = request;
    this.#listener = listener;
    this.#parts = parts;
    this.#replacedBefore = parts.machine.replaced;
    this.#before = parts.tree.snapshot();
    const { command, cwd, user, envs, pty: size } = request;
    const unpacks = request.clearsAway ? unpackTitle(command) : undefined;
    const argv = typeof command === 'string' ? {} : { argv: command };
    const given = unpacks === undefined ? { by, ...argv } : { by: 'client' as const };
    const text = unpacks ?? commandText(request);
    const shown = () => shownAt(this.#terminal?.output.mark());
    this.#tap = parts.taps.open({ text, ...given, cwd, user, envs, ...(size && { size, shown }) });
    if (size) {
      const show = (bytes: Uint8Array) => listener({ type: 'stdout', bytes });
      ({ arrived: this.#arrived, terminal: this.#terminal } = watchTerminal(
        { stream: this.#stream, tap: this.#tap, show },
        parts,
      ));
    } else {
      parts.commands.start(this.#stream, text, given);
    }
    this.#reasonOf = watchExitReason(running);
    this.#pause = request.clearsAway ? parts.captures.pause(limits.clearedAwayPauseMs) : undefined;
  }

  async start(): Promise<ProcessHandle> {
    try {
      const size = sizeOfLoginShell(this.#request);
      const shell = size && this.#running.takeShell?.();
      const process = await (shell ? this.#adopt(shell, size) : this.#startProgram());
      if (this.#terminal) this.#terminal.pid = process.pid;
      return this.#request.pty ? this.#tapped(process) : process;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** What is typed and how large the terminal is are told to recorders, too. */
  #tapped(process: ProcessHandle): ProcessHandle {
    return {
      pid: process.pid,
      write: (bytes) => {
        this.#tap.input(bytes);
        return process.write(bytes);
      },
      closeStdin: () => process.closeStdin(),
      resize: (size) => {
        this.#tap.resize(size);
        return process.resize(size);
      },
      kill: (signal) => process.kill(signal),
    };
  }

  async #startProgram(): Promise<ProcessHandle> {
    await Promise.all([this.#parts.begun(), this.#pause?.begun]);
    return this.#running.processes.start(this.#request, this.#onEvent, { arrived: this.#arrived });
  }

  /** Takes a shell that waits at its prompt, with what its terminal shows. It changes nothing until it gets input. */
  async #adopt(shell: WaitingShell, size: NonNullable<ExecRequest['pty']>): Promise<ProcessHandle> {
    const arrived = this.#arrived;
    if (shell.command !== undefined)
      this.#parts.commands.start(this.#stream, shell.command, { by: 'terminal' });
    // It is known by its process from now on: a checkpoint finds it among the open ones, or among those that wait.
    if (this.#terminal) this.#terminal.pid = shell.pid;
    await this.#onEvent({ type: 'stdout', bytes: arrived ? arrived(shell.shown) : shell.shown });
    const process = await shell.adopt(this.#onEvent, { size, arrived });
    return {
      pid: process.pid,
      write: async (bytes) => {
        await this.#parts.begun();
        await process.write(bytes);
      },
      closeStdin: () => process.closeStdin(),
      resize: (to) => process.resize(to),
      kill: (signal) => process.kill(signal),
    };
  }

  /** Always a promise: what takes an event at once may not answer the machine while it still hands the event over. */
  readonly #onEvent = async (event: MachineProcessEvent): Promise<void> => {
    if (event.type === 'exit') await this.#onExit(event);
    else if (event.type === 'status') return;
    else if (event.bytes.length > 0) {
      // What a terminal shows was told as it arrived.
      if (!this.#request.pty) this.#tap.output(event.type, event.bytes);
      await this.#listener(event);
    }
  };

  async #onExit(exit: MachineProcessExit): Promise<void> {
    this.#terminal?.close();
    const reason = this.#isReplaced ? 'checkout' : this.#reasonOf(exit);
    this.#noteCommandEnd(exit, reason);
    this.#tap.end({ ...exit, reason });
    this.#pause?.end();
    await this.#listener({ ...exit, reason, ...(await this.#changes(reason)) });
  }

  #noteCommandEnd(exit: MachineProcessExit, reason: EndReason): void {
    const { commands, checkpoints } = this.#parts;
    if (this.#request.pty) {
      commands.end(this.#stream, {}); // It is the shell that has ended so, not its command.
      return;
    }
    const command = commands.end(this.#stream, { ...exit, reason });
    if (command !== undefined && reason !== 'checkout') noteCommandEnd(command, checkpoints);
  }

  /** What changed while it ran, and why that could not be saved. */
  async #changes(reason: EndReason): Promise<Pick<ExitStatus, 'files' | 'unsaved'>> {
    const { tree, machine, commands, captures, capturer } = this.#parts;
    // What the machine has not written back yet would be missing from the list of files.
    const synced =
      reason === 'checkout'
        ? false
        : await machine.sync({ leave: 'used' }).catch((cause) => SandboxError.from(cause));
    // A process that has changed nothing is not the cause of what changes next.
    // Nor is it of large files that others write, which are left here.
    if (synced === true && captures.isIdle && !capturer.stopped) commands.take();
    else captures.hurry();
    // After a checkout, even one since, a comparison would speak of the checkout.
    const isGone = reason === 'checkout' || this.#isReplaced;
    const files = isGone ? noFiles : changedFiles(tree, this.#before);
    const unsaved = await this.#whyUnsaved(synced);
    return unsaved ? { files, unsaved: unsaved.toData() } : { files };
  }

  async #whyUnsaved(synced: boolean | SandboxError): Promise<SandboxError | undefined> {
    const { captures, capturer } = this.#parts;
    if (synced instanceof SandboxError) {
      capturer.noteFailure(synced);
      return synced;
    }
    // A machine that does not answer has not told what it changed.
    if (!synced) return undefined;
    // A capture that failed and is due is tried again first.
    if (capturer.stopped) await captures.flush();
    return capturer.stopped;
  }

  /** Whether a checkout has put other files under the machine since, and so ended the process. */
  get #isReplaced(): boolean {
    return this.#parts.machine.replaced !== this.#replacedBefore;
  }

  /** Its start failed. */
  #forget(): void {
    const { commands } = this.#parts;
    this.#terminal?.close();
    commands.forget(this.#stream);
    this.#tap.end(undefined);
    this.#pause?.end();
  }
}

/** The terminal's size where the request is for a login shell as it is, without a word about it. */
function sizeOfLoginShell({ command, cwd, envs, user, pty }: ExecRequest): ExecRequest['pty'] {
  const isShell = typeof command !== 'string' && command.join(' ') === loginShell.join(' ');
  return isShell && cwd === undefined && envs === undefined && user !== 'root' ? pty : undefined;
}

function commandText({ command }: ExecRequest): string {
  return typeof command === 'string' ? command : quoteWords(command);
}
