import type { Builtin } from '../interpret/builtin.ts';
import { tellDeath } from '../interpret/death-message.ts';
import type { Job } from '../interpret/jobs.ts';
import type { Shell } from '../interpret/shell.ts';
import type { Process } from '../processes/process-table.ts';
import { signalExitCode, signalWords } from '../processes/signals.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

/** `jobs [-lnprs] [jobs]` */
export const jobs: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, {
    letters: 'lnprs',
    usage: 'jobs [-lnprs] [jobspec ...] or jobs -x command [args]',
  });
  if (!options) return 2;
  const { on, operands } = options;
  let status = 0;
  const shown: Job[] = operands.length === 0 ? [...shell.jobs.list()] : [];
  for (const spec of operands) {
    const job = jobOf(shell, spec);
    if (job) shown.push(job);
    else {
      await shell.tell(`jobs: ${spec}: no such job`);
      status = 1;
    }
  }
  for (const job of shown) {
    const isRunning = !job.process.end;
    if ((on.has('r') && !isRunning) || on.has('s')) continue;
    if (on.has('n') && job.isTold) continue;
    await shell.print(on.has('p') ? `${job.process.pid}\n` : lineOf(shell, job, { isLong: on.has('l') }));
    job.isTold = true;
  }
  for (const job of shown) if (job.process.end) shell.jobs.remove(job);
  return status;
};

/** A line of `jobs`. */
function lineOf(shell: Shell, job: Job, { isLong }: { isLong: boolean }): ShellText {
  const { end, pid } = job.process;
  const state = end ? endText(end) : 'Running';
  const text = end ? job.text : `${job.text} &`;
  return `[${job.number}]${shell.jobs.markOf(job)}  ${isLong ? `${pid} ` : ''}${state.padEnd(24)}${text}\n`;
}

function endText({ exitCode, signal }: { exitCode: number; signal: string | undefined }): ShellText {
  if (signal !== undefined) return signalWords.get(signal) ?? signal;
  return exitCode === 0 ? 'Done' : `Exit ${exitCode}`;
}

function jobOf(shell: Shell, spec: ShellText): Job | undefined {
  if (spec.startsWith('%')) return shell.jobs.named(spec);
  return /^\d+$/.test(spec)
    ? (shell.jobs.ofPid(Number(spec)) ?? shell.jobs.named(spec))
    : shell.jobs.named(spec);
}

/** `wait [-fn] [-p name] [processes]` */
export const wait: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, { letters: 'fnp:', usage: 'wait [-fn] [-p var] [id ...]' });
  if (!options) return 2;
  const { on, values, operands } = options;
  const name = values.get('p');
  if (name !== undefined) shell.variables.unset(name);
  if (on.has('n')) return await waitForNext(shell, operands, name);
  if (operands.length === 0) return await waitForAll(shell);
  let status = 0;
  for (const operand of operands) {
    status = await waitForOne(shell, operand, name);
    if (status >= 128 && shell.traps.hasPending) return status;
  }
  return status;
};

async function waitForAll(shell: Shell): Promise<number> {
  for (const job of shell.jobs.list()) {
    if (job.isInherited) continue;
    const status = await untilEnd(shell, [job.process]);
    if (status === 'signalled') return signalStatus(shell);
    shell.jobs.remove(job);
  }
  for (const { process } of shell.processSubstitutions) await untilEnd(shell, [process]);
  shell.jobs.forgetEnds();
  return 0;
}

async function waitForOne(shell: Shell, operand: ShellText, name: ShellText | undefined): Promise<number> {
  if (!/^\d+$|^%/.test(operand)) {
    await shell.tell(`wait: \`${operand}': not a pid or valid job spec`);
    return 1;
  }
  const job = operand.startsWith('%') ? shell.jobs.named(operand) : shell.jobs.ofPid(Number(operand));
  const process = job?.process ?? shell.jobs.endedPid(Number(operand));
  if (!process) {
    await shell.tell(
      operand.startsWith('%')
        ? `wait: ${operand}: no such job`
        : `wait: pid ${operand} is not a child of this shell`,
    );
    return 127;
  }
  if ((await untilEnd(shell, [process])) === 'signalled') return signalStatus(shell);
  return await finish(shell, process, name);
}

async function waitForNext(
  shell: Shell,
  operands: readonly ShellText[],
  name: ShellText | undefined,
): Promise<number> {
  const wanted =
    operands.length === 0 ? shell.jobs.list() : operands.flatMap((operand) => jobOf(shell, operand) ?? []);
  for (const operand of operands) {
    if (!/^\d+$|^%/.test(operand)) await shell.tell(`wait: \`${operand}': not a pid or valid job spec`);
  }
  if (wanted.length === 0) return 127;
  const processes = wanted.map(({ process }) => process);
  if ((await untilEnd(shell, processes)) === 'signalled') return signalStatus(shell);
  const ended = processes.find(({ end }) => end);
  return ended ? finish(shell, ended, name) : 127;
}

/** The status of a process that has ended, which is forgotten. */
async function finish(shell: Shell, process: Process, name: ShellText | undefined): Promise<number> {
  if (name !== undefined) shell.variables.set(name, String(process.pid));
  const job = shell.jobs.ofPid(process.pid);
  if (job) {
    shell.jobs.remove(job);
    await tellDeath(shell, process, job.text);
  }
  return process.end?.exitCode ?? 127;
}

/** Until one of the processes has ended, or a signal has come that has a trap. */
async function untilEnd(shell: Shell, processes: readonly Process[]): Promise<'ended' | 'signalled'> {
  if (processes.some(({ end }) => end)) return 'ended';
  if (shell.traps.hasPending || shell.signals.isEnding) return 'signalled';
  const ended = Promise.race(processes.map((process) => process.ended)).then(() => 'ended' as const);
  const gone = new AbortController();
  try {
    const signal = AbortSignal.any([shell.process.signal, gone.signal]);
    const signalled = shell.signals.arrival(signal).then(() => 'signalled' as const);
    return await Promise.race([ended, signalled]);
  } finally {
    gone.abort();
  }
}

async function signalStatus(shell: Shell): Promise<number> {
  const signal = shell.traps.firstPending();
  const pause = shell.step();
  if (pause) await pause;
  return signal === undefined ? 1 : signalExitCode(signal);
}

/** `disown [-ahr] [jobs]` */
export const disown: Builtin = async (shell, call) => {
  const options = readOptions(shell, call, {
    letters: 'ahr',
    usage: 'disown [-h] [-ar] [jobspec ... | pid ...]',
  });
  if (!options) return 2;
  const { on, operands } = options;
  if (on.has('h')) return 0;
  if (operands.length === 0 && (on.has('a') || on.has('r'))) {
    for (const job of shell.jobs.list()) if (!on.has('r') || !job.process.end) shell.jobs.remove(job);
    return 0;
  }
  let status = 0;
  for (const spec of operands.length === 0 ? ['%%'] : operands) {
    const job = jobOf(shell, spec);
    if (job) shell.jobs.remove(job);
    else {
      await shell.tell(`disown: ${spec === '%%' ? 'current' : spec}: no such job`);
      status = 1;
    }
  }
  return status;
};

/** `fg [job]`: waits for it. Nothing is ever stopped here, so there is no more to do. */
export const foreground: Builtin = async (shell, { args }) => {
  const job = await controlledJob(shell, 'fg', args[0]);
  if (!job) return 1;
  await shell.print(`${job.text}\n`);
  if ((await untilEnd(shell, [job.process])) === 'signalled') return signalStatus(shell);
  return finish(shell, job.process, undefined);
};

/** `bg [jobs]` */
export const background: Builtin = async (shell, { args }) => {
  for (const spec of args.length === 0 ? [undefined] : args) {
    const job = await controlledJob(shell, 'bg', spec);
    if (!job) return 1;
    await shell.tell(`bg: job ${job.number} already in background`);
  }
  return 0;
};

async function controlledJob(
  shell: Shell,
  name: string,
  spec: ShellText | undefined,
): Promise<Job | undefined> {
  if (!shell.options.has('monitor')) {
    await shell.tell(`${name}: no job control`);
    return undefined;
  }
  const job = spec === undefined ? shell.jobs.named('%%') : jobOf(shell, spec);
  if (!job) await shell.tell(`${name}: ${spec ?? 'current'}: no such job`);
  return job;
}

/** `suspend`: there is no job control to suspend a shell with. */
export const suspend: Builtin = async (shell) => {
  await shell.tell('suspend: cannot suspend: no job control');
  return 1;
};
