import { SandboxError } from '../../../protocol/errors.ts';
import type { Program, ProgramCall } from '../../../shell/programs/program.ts';
import { ShellError } from '../../../shell/shell-error.ts';
import { encodeText } from '../../../shell/text.ts';
import { ProcessCommandFiles } from './command-files.ts';
import { commandInput, QueuedOutput } from './command-streams.ts';
import type { ShellCommand } from './shell-command.ts';

/** A command of the host as a program. Whatever the command does, its process ends with an exit code. */
export function customProgram(command: ShellCommand): Program {
  return async (call) => {
    let isRunning = true;
    const assertRuns = () => {
      call.signal.throwIfAborted();
      if (!isRunning) throw new SandboxError('not-found', `The process of ${command.name} has ended`);
    };
    const stdout = new QueuedOutput(call, { name: 'stdout', assertRuns });
    const stderr = new QueuedOutput(call, { name: 'stderr', assertRuns });
    try {
      const exitCode = await command.run({
        ...{ args: call.args, cwd: call.cwd, signal: call.signal },
        env: Object.fromEntries(call.environment),
        files: new ProcessCommandFiles(call, assertRuns),
        stdin: commandInput(call, assertRuns),
        ...{ stdout, stderr },
      });
      await Promise.all([stdout.flush(), stderr.flush()]);
      return assertExitCode(exitCode);
    } catch (error) {
      // The system's own: a pipe that nobody reads ends the process as it does any program.
      if (error instanceof ShellError || call.signal.aborted) throw error;
      await tell(call, error);
      return 1;
    } finally {
      isRunning = false;
    }
  };
}

function assertExitCode(exitCode: unknown): number {
  if (typeof exitCode === 'number' && Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255) {
    return exitCode;
  }
  throw new TypeError(`answered ${String(exitCode)}, which is no exit code`);
}

async function tell(call: ProgramCall, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  await call.stderr.write(encodeText(`${call.name}: ${message}\n`), call.signal).catch(() => {});
}
