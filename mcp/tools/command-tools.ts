import { z } from 'zod';
import { limits } from '../../protocol/limits.ts';
import { describeRun, describeRunAsText } from '../../sdk/adapters/describe-run.ts';
import { mcpLimits } from '../limits.ts';
import { type McpTool, mcpTool } from '../mcp-tool.ts';
import { pathInput, sandboxInput } from './inputs.ts';
import { cutOutput, errorOutput, textList } from './outputs.ts';

const command = z.string().min(1).max(limits.execArgumentBytes).describe('A command line for bash.');
const process = z.number().int().positive().describe('The number that sandbox_exec_start answered.');
const where = {
  sandbox: sandboxInput,
  cwd: pathInput.describe('Where it runs; the usual directory if left out.').exactOptional(),
  envs: z.record(z.string(), z.string()).describe('Variables of its environment.').exactOptional(),
};

const exit = z.object({
  exitCode: z.number(),
  signal: z.string().optional(),
  reason: z.string().describe('Why it ended: exited, signalled, killed, timeout, out-of-memory …'),
  durationMs: z.number(),
  cpuMs: z.number(),
  maxRssBytes: z.number(),
  limit: z.string().optional(),
  missing: textList.describe('Programs that were not found.').optional(),
  files: z
    .object({ created: textList, modified: textList, deleted: textList })
    .describe('What changed while it ran; each list may be cut.'),
  unsaved: errorOutput.describe('Why what it has changed could not be saved.').optional(),
});
const polled = z.object({
  stdout: z.string(),
  stderr: z.string(),
  isRunning: z.boolean(),
  exit: exit.describe('How it ended.').optional(),
});

/** Tools that run commands: to their end, or in the background with a number to ask by. */
export const commandTools: readonly McpTool[] = [
  mcpTool({
    name: 'sandbox_exec',
    description:
      'Runs a command in a sandbox to its end and answers its output and exit code. For what runs long or reads input step by step, use sandbox_exec_start.',
    input: z.strictObject({
      ...where,
      command,
      stdin: z.string().max(mcpLimits.fileBytes).describe('Given on standard input.').exactOptional(),
      timeoutMs: z
        .number()
        .int()
        .positive()
        .max(86_400_000)
        .default(limits.modelCommandMs)
        .describe('Ends it after so many milliseconds.'),
    }),
    output: z.object({
      exitCode: z.number(),
      stdout: z.string(),
      stderr: z.string(),
      ended: z.string().describe('Why it ended, where it did not exit by itself.').optional(),
      changed: textList.describe('Paths that changed while it ran; may be cut.').optional(),
      cut: cutOutput,
      snapshot: z.string().optional(),
      unsaved: z.string().describe('Why there is no snapshot of what it has changed.').optional(),
      durationMs: z.number(),
    }),
    effect: 'change',
    async run({ sandbox: which, command, ...options }, { sandboxes, signal, progress }) {
      const sandbox = await sandboxes.use(which);
      const told = (text: string): void => progress(text.trimEnd().split('\n').at(-1) ?? '');
      const value = await sandbox.commands.run(command, {
        ...options,
        signal,
        onStdout: told,
        onStderr: told,
      });
      // The history that is asked for next has what it changed; an older bridge answers without.
      await sandbox.history.settle().catch(() => undefined);
      const step = { value, snapshot: undefined, unsaved: value.unsaved?.message };
      return {
        value: { ...describeRun(step), durationMs: value.durationMs },
        text: describeRunAsText(step),
      };
    },
  }),
  mcpTool({
    name: 'sandbox_exec_start',
    description:
      'Starts a command and answers a number at once. Ask for its output with sandbox_exec_poll; close it with sandbox_exec_close when done.',
    input: z.strictObject({ ...where, command }),
    output: z.object({ process, sandbox: z.string().describe('Its id.') }),
    effect: 'change',
    async run({ sandbox: which, ...request }, { sandboxes }) {
      const sandbox = await sandboxes.use(which);
      const started = await sandboxes.processes.start(sandbox, { ...request, stdin: true });
      return { value: { process: started, sandbox: sandbox.id } };
    },
  }),
  mcpTool({
    name: 'sandbox_exec_poll',
    description:
      'Answers what a started command has printed since the last poll, and its exit code once it has ended. Waits for output if there is none yet.',
    input: z.strictObject({
      process,
      waitMs: z
        .number()
        .int()
        .min(0)
        .max(mcpLimits.pollMs)
        .default(1_000)
        .describe('The longest to wait for output, in milliseconds.'),
    }),
    output: polled,
    effect: 'add',
    async run({ process, waitMs }, { sandboxes, signal }) {
      const { output } = sandboxes.processes.get(process);
      await output.until(waitMs, signal);
      return { value: output.take() };
    },
  }),
  mcpTool({
    name: 'sandbox_exec_write_stdin',
    description: 'Writes text to the standard input of a started command, and closes that input if asked to.',
    input: z.strictObject({
      process,
      text: z.string().max(mcpLimits.fileBytes),
      close: z.boolean().default(false).describe('Whether this was all of its input.'),
    }),
    output: z.object({ writtenBytes: z.number(), isClosed: z.boolean() }),
    effect: 'change',
    async run({ process, text, close }, { sandboxes }) {
      const { handle } = sandboxes.processes.get(process);
      const bytes = new TextEncoder().encode(text);
      if (bytes.length > 0) await handle.write(bytes);
      if (close) await handle.closeStdin();
      return { value: { writtenBytes: bytes.length, isClosed: close } };
    },
  }),
  mcpTool({
    name: 'sandbox_exec_signal',
    description: 'Sends a signal to a started command and everything it has started.',
    input: z.strictObject({
      process,
      signal: z.enum(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGKILL']).default('SIGTERM'),
    }),
    output: z.object({ process, signal: z.string() }),
    effect: 'change',
    async run({ process, signal }, { sandboxes }) {
      await sandboxes.processes.get(process).handle.kill(signal);
      return { value: { process, signal } };
    },
  }),
  mcpTool({
    name: 'sandbox_exec_close',
    description:
      'Ends a started command if it still runs, answers the output that was not polled, and forgets its number.',
    input: z.strictObject({ process }),
    output: polled,
    effect: 'change',
    async run({ process }, { sandboxes }) {
      return { value: await sandboxes.processes.close(process) };
    },
  }),
];
