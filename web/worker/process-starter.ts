import { CommandMarks } from '../../protocol/init/command-marks.ts';
import type { InitExitEvent, InitProcessListener } from '../../protocol/init/init-process.ts';
import type { ExecRequest, ExitStatus, ProcessEvent, ProcessHandle } from '../../protocol/sandbox.ts';
import type { LiveTree } from '../../tree/live/live-tree.ts';
import type { CaptureTimer } from './capture-timer.ts';
import { changedFiles } from './changed-files.ts';
import type { CommandLog } from './command-log.ts';
import type { GuestMachine } from './guest-machine.ts';

export interface ProcessContext {
  readonly tree: LiveTree;
  readonly commands: CommandLog;
  readonly captures: CaptureTimer;
  readonly machine: GuestMachine;
  /** Why the process was ended from outside, if the sandbox did it. */
  readonly endReason: () => ExitStatus['reason'] | undefined;
}

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
  const { commands, captures, machine } = context;
  const stream = {};
  const mark = context.tree.snapshot();
  const forward = request.pty ? withoutMarks(listener, { stream, commands, captures }) : listener;
  if (!request.pty) commands.start(stream, commandText(request));
  const onEvent: InitProcessListener = async (event) => {
    if (event.type !== 'exit') return forward(event);
    commands.end(stream);
    captures.hurry();
    // What the guest has not written back yet would be missing from the list of files.
    await machine.init.sync().catch(() => undefined);
    await listener(exitEvent(event, context, () => changedFiles(context.tree, mark)));
  };
  return machine.init.exec(request, onEvent).catch((error) => {
    commands.end(stream);
    throw error;
  });
}

function exitEvent(
  event: InitExitEvent,
  context: ProcessContext,
  files: () => ExitStatus['files'],
): ProcessEvent {
  const reason = context.endReason() ?? event.reason;
  // After a checkout the tree is another one: a comparison would speak of the checkout.
  const changed = reason === 'checkout' ? { created: [], modified: [], deleted: [] } : files();
  return { ...event, reason, files: changed };
}

function withoutMarks(
  listener: Listener,
  context: { stream: object; commands: CommandLog; captures: CaptureTimer },
): Listener {
  const { stream, commands, captures } = context;
  const marks = new CommandMarks((mark) => {
    if (mark.type === 'start') {
      commands.start(stream, mark.command);
    } else {
      commands.end(stream);
      captures.hurry();
    }
  });
  return (event) => {
    if (event.type === 'exit') return listener(event);
    const bytes = marks.filter(event.bytes);
    return bytes.length > 0 ? listener({ ...event, bytes }) : undefined;
  };
}

function commandText({ command }: ExecRequest): string {
  return typeof command === 'string' ? command : command.join(' ');
}
