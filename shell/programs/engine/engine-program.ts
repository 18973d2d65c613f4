import type { BashExecResult } from 'just-bash';
import { shellLimits } from '../../limits.ts';
import { encodeText } from '../../text.ts';
import type { Program, ProgramCall } from '../program.ts';
import { readAll } from '../streams/input.ts';
import { bytesOf, EngineFiles, latin1Of } from './engine-files.ts';
import { type OperandRules, readsStdin } from './stdin-use.ts';

/** The commands of just-bash that are used. */
export type EngineCommand = 'rg' | 'tree' | 'file' | 'html-to-markdown';

const unlimited = Number.MAX_SAFE_INTEGER;

const executionLimits = {
  maxQueryElements: 10_000_000,
  maxWorkUnits: unlimited,
  maxTraversalEntries: unlimited,
  maxTraversalWork: unlimited,
  maxInputBytes: unlimited,
  maxLiveBytes: 2 ** 30,
  maxStringLength: shellLimits.valueLength,
  maxOutputSize: shellLimits.captureBytes,
};

/**
 * One of just-bash's commands as a program. It takes its input whole and answers its output whole. Each call has an
 * instance of its own, with no other command in it, so nothing of a call is seen by the next.
 */
export function engineProgram(name: EngineCommand, rules: OperandRules): Program {
  return async (call) => {
    const isPiped = call.stdin.type === 'pipe' || call.stdin.type === 'file';
    const reads = readsStdin(call.args, { rules, isPiped });
    const stdin = reads ? await readAll(call.stdin, call.signal) : undefined;
    const prefix = call.stdout.isTerminal ? [] : (rules.unlessTerminal ?? []);
    const args = [...prefix, ...call.args];
    const result = await execute(call, { name, args, stdin: stdin === undefined ? '' : latin1Of(stdin) });
    call.signal.throwIfAborted();
    const isBytes = result.stdoutKind === 'bytes' || result.stdoutEncoding === 'binary';
    if (result.stdout !== '') await call.stdout.write(bytesOf(result.stdout, isBytes), call.signal);
    if (result.stderr !== '') await call.stderr.write(encodeText(result.stderr), call.signal);
    return result.exitCode;
  };
}

async function execute(
  call: ProgramCall,
  { name, args, stdin }: { name: EngineCommand; args: string[]; stdin: string },
): Promise<BashExecResult> {
  // Not at the top: the engine is large, and most scripts need none of it.
  const { Bash } = await import('just-bash/browser');
  const bash = new Bash({
    fs: new EngineFiles(call),
    cwd: call.cwd,
    commands: [name],
    // It replaces globals while a command runs, and other sandboxes share them.
    defenseInDepth: false,
    processInfo: { uid: call.uid, gid: call.gid },
    executionLimits,
  });
  return bash.exec(name, {
    args,
    stdin,
    stdinKind: 'bytes',
    env: Object.fromEntries(call.environment),
    replaceEnv: true,
    cwd: call.cwd,
    signal: call.signal,
    rawScript: true,
  });
}
