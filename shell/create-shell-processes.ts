import { isDirectory } from '../tree/live/file-mode.ts';
import { builtins } from './builtins/builtins.ts';
import { absolutePath } from './files/tree-files.ts';
import { createBashInterpreter } from './interpret/bash-interpreter.ts';
import type { ShellHost } from './interpret/shell-host.ts';
import { runShellProgram } from './invocation/run-shell.ts';
import { DescriptorTable } from './io/descriptor-table.ts';
import type { OpenFile } from './io/open-file.ts';
import { RunMeter } from './io/run-meter.ts';
import { Executables } from './processes/executables.ts';
import { type Process, ProcessTable } from './processes/process-table.ts';
import { ProgramLauncher, type ProgramStart } from './processes/program-launcher.ts';
import { ShellError } from './shell-error.ts';
import type { ProcessStart, ShellProcess, ShellProcesses, ShellProcessesOptions } from './shell-processes.ts';

const usualInterpreter = createBashInterpreter(builtins);
const defaultUmask = 0o022;

/** The processes of a sandbox, whose only programs are those given, and the shell. */
export function createShellProcesses({
  files,
  programs,
  hasBuiltin,
  transform,
  users,
  hostname,
}: ShellProcessesOptions): ShellProcesses {
  const interpreter = hasBuiltin
    ? createBashInterpreter(new Map([...builtins].filter(([name]) => hasBuiltin(name))))
    : usualInterpreter;
  const table = new ProcessTable();
  const executables = new Executables({ files, programs });
  const launcher: ProgramLauncher = new ProgramLauncher({
    files,
    table,
    executables,
    runShell: (start) => runShellProgram(host, { start, interpreter }),
  });
  const host: ShellHost = { files, table, executables, launcher, users, hostname, transform };

  function start(given: ProcessStart): ShellProcess {
    const created = createProcess(given);
    return observe(created.process, launcher.run(created));
  }

  function createProcess(given: ProcessStart): ProgramStart {
    const { argv, environment, cwd, uid, gid } = given;
    const { path, process } = orRelease(given, () => {
      const found = executables.find(argv[0] ?? '', { path: environment.get('PATH'), cwd });
      if (found === undefined) throw new ShellError('ENOENT');
      const path = absolutePath(cwd, found);
      executables.open(path);
      if (!isDirectory(files.stat(cwd).mode)) throw new ShellError('ENOTDIR');
      return { path, process: table.create({ command: argv.join(' '), meter: new RunMeter(given.limits) }) };
    });
    process.onMissing = given.onMissing;
    const descriptors = new DescriptorTable();
    for (const [fd, file] of filesOf(given).entries()) descriptors.put(fd, file);
    const isDriven = given.status !== undefined;
    return { argv, path, environment, cwd, uid, gid, umask: defaultUmask, descriptors, process, isDriven };
  }

  function observe(process: Process, run: Promise<unknown>): ShellProcess {
    const ended = run
      .catch(() => {})
      .then(async () => {
        await table.foregroundEnded(process.group);
        return await process.ended;
      });
    return {
      pid: process.pid,
      get cpuMs() {
        return process.meter.cpuMs;
      },
      ended,
      kill: (signal) => void table.kill(-process.group, signal),
      interrupt: (signal) => {
        for (const member of table.inGroup(process.group)) if (!member.isBackground) member.send(signal);
      },
    };
  }

  return {
    start,
    list: () => table.list(),
    close: async () => {
      // One that is being killed may have started others.
      for (let running = table.list(); running.length > 0; running = table.list()) {
        for (const process of running) process.send('SIGKILL');
        await Promise.all(running.map((process) => process.ended));
      }
    },
  };
}

/** The files are the new process's: they are let go where it cannot be started. */
function orRelease<T>(given: ProcessStart, prepare: () => T): T {
  try {
    return prepare();
  } catch (error) {
    for (const file of filesOf(given)) file.release();
    throw error;
  }
}

/** By descriptor. */
function filesOf({ stdin, stdout, stderr, status }: ProcessStart): readonly OpenFile[] {
  return [stdin, stdout, stderr, ...(status ? [status] : [])];
}
