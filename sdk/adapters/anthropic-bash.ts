import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { describeRunAsText } from './describe-run.ts';
import { SandboxSteps } from './sandbox-steps.ts';
import type { ToolOptions } from './sandbox-tools.ts';

type Shell = Awaited<ReturnType<Sandbox['shell']>>;

/**
 * `bash_20250124`: a shell that goes on from one call to the next. It is opened by the first call, and closed by `restart`
 * and `close`, or with the sandbox.
 */
export function createBash(
  sandbox: Sandbox,
  { cwd, timeoutMs = limits.modelCommandMs }: Pick<ToolOptions, 'cwd' | 'timeoutMs'>,
): BetaRunnableTool {
  const steps = SandboxSteps.of(sandbox);
  let shell: Promise<Shell> | undefined;
  const open = (): Promise<Shell> => {
    const opened = shell ?? sandbox.shell(cwd === undefined ? {} : { cwd });
    shell = opened;
    opened.catch(() => {
      if (shell === opened) shell = undefined;
    });
    return opened;
  };
  const close = async (): Promise<void> => {
    const closing = shell;
    shell = undefined;
    // One that did not open, or has gone with its sandbox, is closed.
    await closing?.then((opened) => opened[Symbol.asyncDispose]()).catch(() => undefined);
  };
  return {
    type: 'bash_20250124',
    name: 'bash',
    parse: (input) => input,
    run: async ({ command, restart }: { command?: string; restart?: boolean }, context) => {
      const signal = context?.signal ?? undefined;
      if (restart) {
        await close();
        if (command === undefined) return 'The shell was restarted.';
      }
      if (typeof command !== 'string') {
        throw new SandboxError('invalid-argument', 'Cannot run bash: "command" has to be a string');
      }
      const run = async () => (await open()).run(command, { timeoutMs, ...(signal ? { signal } : {}) });
      return describeRunAsText(await steps.take(run, { label: command, tool: 'bash', signal }));
    },
    close,
  };
}
