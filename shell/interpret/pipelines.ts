import type { OpenFile } from '../io/open-file.ts';
import { createPipe } from '../io/pipe.ts';
import type { CommandNode, PipelineNode, RedirectionNode } from '../syntax/ast.ts';
import { runCommand } from './commands.ts';
import { LoopExit } from './control-flow.ts';
import { commandFailed } from './failures.ts';
import type { Shell } from './shell.ts';
import { type Subshell, startSubshell } from './subshells.ts';
import { timePipeline } from './time-pipeline.ts';
import { runDebugTrap } from './trap-runs.ts';

/** Runs a pipeline. Answers its status, with `!` and `pipefail` applied. */
export async function runPipeline(shell: Shell, pipeline: PipelineNode): Promise<number> {
  if (pipeline.timed) {
    const { timePosix: isPosix = false } = pipeline;
    return await timePipeline(shell, {
      isPosix,
      run: () => runPipeline(shell, { ...pipeline, timed: false }),
    });
  }
  if (pipeline.negated) {
    const run = () => runParts(shell, pipeline);
    shell.negations += 1;
    try {
      const status = shell.options.has('errexit') ? await shell.whileFailureIsExpected(run) : await run();
      return shell.setStatus(status === 0 ? 1 : 0);
    } catch (error) {
      // `! break` negates the status of the loop.
      if (!(error instanceof LoopExit)) throw error;
      throw new LoopExit(error.type, error.levels, error.status === 0 ? 1 : 0);
    } finally {
      shell.negations -= 1;
    }
  }
  return shell.setStatus(await runParts(shell, pipeline));
}

async function runParts(shell: Shell, pipeline: PipelineNode): Promise<number> {
  const [first] = pipeline.commands;
  if (first && pipeline.commands.length === 1) {
    return pipeline.negated ? await runCommand(shell, first) : await runCounted(shell, first);
  }
  const status = await runConcurrently(shell, pipeline);
  shell.lastStatus = status;
  if (status !== 0 && !pipeline.negated) await commandFailed(shell, status);
  return status;
}

/** Runs a command whose failure `set -e` and the trap of `ERR` look at, if it is of a kind that they do. */
async function runCounted(shell: Shell, command: CommandNode): Promise<number> {
  shell.hasRedirectionFailed = false;
  const status = await runCommand(shell, command);
  const counts = countedCommands.has(command.type) || shell.hasRedirectionFailed;
  if (status !== 0 && counts) await commandFailed(shell, status);
  return status;
}

/** The failure of other ones is that of a command in them. */
const countedCommands: ReadonlySet<CommandNode['type']> = new Set([
  'ArithmeticCommand',
  'ConditionalCommand',
  'SimpleCommand',
  'Subshell',
]);

/** Each command in a subshell of its own, joined by pipes; with `lastpipe` the last one in this shell. */
async function runConcurrently(shell: Shell, { commands, pipeStderr = [] }: PipelineNode): Promise<number> {
  const runsLast = shell.options.hasShopt('lastpipe') && !shell.options.has('monitor');
  const parts: Subshell[] = [];
  let input: ReturnType<typeof createPipe> | undefined;
  let lastStatus: number | undefined;
  try {
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1;
      const output = isLast ? undefined : createPipe();
      const run = pipeStderr[index] ? withStderr(command) : command;
      if (isLast && runsLast) {
        const reader = input?.reader;
        input = undefined;
        lastStatus = await runHere(shell, run, reader);
        break;
      }
      const reader = input?.reader;
      input = output;
      if (run.type === 'SimpleCommand') {
        // bash looks at these before it makes the process.
        shell.setLine(run.line);
        await runDebugTrap(shell, run);
      }
      parts.push(
        startSubshell(shell, {
          command: '',
          stdin: reader,
          stdout: output?.writer,
          run: (subshell) => runPart(subshell, run, shell.traps.get('ERR')),
        }),
      );
    }
  } finally {
    // Of a part that could not be started.
    input?.reader.release();
  }
  const statuses = await shell.waitForAll(parts.map((part) => part.process));
  if (lastStatus !== undefined) statuses.push(lastStatus);
  shell.pipeStatus = statuses;
  const failed = statuses.findLast((status) => status !== 0);
  return shell.options.has('pipefail') ? (failed ?? 0) : (statuses.at(-1) ?? 0);
}

/** A part in its subshell. `( … )` as a part has the trap of `ERR`, as bash makes no other process for it. */
async function runPart(subshell: Shell, command: CommandNode, errTrap: string | undefined): Promise<number> {
  subshell.traps.reset('DEBUG');
  if (command.type === 'SimpleCommand') subshell.commandInPlace = command;
  if (command.type === 'Subshell' && errTrap) subshell.traps.set('ERR', errTrap);
  return await runCounted(subshell, command);
}

async function runHere(shell: Shell, command: CommandNode, reader: OpenFile | undefined): Promise<number> {
  if (!reader) return await runCommand(shell, command);
  using _restored = replaceInput(shell, reader);
  return await runCommand(shell, command);
}

/** Standard input is another one until this is disposed. */
function replaceInput({ descriptors }: Shell, file: OpenFile): Disposable {
  const before = descriptors.get(0);
  before?.retain();
  descriptors.put(0, file);
  return {
    [Symbol.dispose]: () => (before ? descriptors.put(0, before) : descriptors.close(0)),
  };
}

/** `|&` is `2>&1 |`, after the command's own redirections. */
function withStderr(command: CommandNode): CommandNode {
  if (command.type === 'FunctionDef') return command;
  const merge: RedirectionNode = {
    type: 'Redirection',
    fd: 2,
    operator: '>&',
    target: { type: 'Word', parts: [{ type: 'Literal', value: '1' }] },
  };
  return { ...command, redirections: [...command.redirections, merge] };
}
