import type { CommandResult as BashToolResult, Sandbox as BashToolSandbox } from 'bash-tool';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { describeRun } from './describe-run.ts';
import { SandboxSteps } from './sandbox-steps.ts';
import type { ToolOptions } from './sandbox-tools.ts';
import { writeFile } from './write-file.ts';

/** What bash-tool hands on to the model: its own result, and ours beside it. */
type RunResult = BashToolResult & ReturnType<typeof describeRun>;

/**
 * The three methods of `createBashTool({ sandbox })`. A command's result has its snapshot; the tools `undo` and
 * `checkout` of `createAiSdkTools` go back to it.
 */
export function createBashToolSandbox(
  sandbox: Sandbox,
  options: Pick<ToolOptions, 'timeoutMs'> = {},
): Omit<BashToolSandbox, 'executeCommand'> & { executeCommand(command: string): Promise<RunResult> } {
  const { timeoutMs = limits.modelCommandMs } = options;
  const steps = SandboxSteps.of(sandbox);
  return {
    executeCommand: async (command) => {
      const run = () => sandbox.commands.run(command, { timeoutMs });
      return describeRun(await steps.take(run, { label: command, tool: 'bash' }));
    },
    readFile: async (path) => {
      const bytes = await sandbox.files.read(await steps.resolve(path), { format: 'bytes' });
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    },
    writeFiles: async (files) => {
      const write = async () => {
        for (const { path, content } of files) await writeFile(sandbox, await steps.resolve(path), content);
      };
      await steps.take(write, { label: `write ${files.length} files`, tool: 'writeFiles' });
    },
  };
}
