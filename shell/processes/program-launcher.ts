import type { TreeFiles } from '../files/tree-files.ts';
import { closedFile } from '../io/closed-file.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import type { ProcessList, Program, ProgramCall } from '../programs/program.ts';
import { ShellError, ShellLimitError } from '../shell-error.ts';
import { encodeText, type ShellText } from '../text.ts';
import { type Executables, pathOfNone } from './executables.ts';
import { ProcessFiles } from './process-files.ts';
import type { Process, ProcessTable } from './process-table.ts';

/** What a process runs, and with what. */
export interface ProgramStart {
  /** The name that it is called by, and its arguments. */
  readonly argv: readonly ShellText[];
  /** The absolute path of the program. */
  readonly path: ShellText;
  readonly environment: ReadonlyMap<ShellText, ShellText>;
  readonly cwd: ShellText;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  /** The process's own: all are closed when it ends. */
  readonly descriptors: DescriptorTable;
  readonly process: Process;
  /** Signals that it starts with ignored. */
  readonly ignored?: ReadonlySet<string>;
  /** Its input is what the host tells it, which evaluates the scripts of clients: it has a status descriptor. */
  readonly isDriven?: boolean;
}

/** Runs `bash` in a process. Answers its exit code. It leaves the descriptors to the caller. */
type ShellRunner = (start: ProgramStart) => Promise<number>;

export interface ProgramLauncherOptions {
  readonly files: TreeFiles;
  readonly table: ProcessTable;
  readonly executables: Executables;
  readonly runShell: ShellRunner;
}

/** How many `#!` interpreters may be scripts themselves (Linux's limit). */
const maxInterpreters = 4;

/** The program's file cannot be run. */
export class NotExecutableError extends Error {
  readonly exitCode: number;

  constructor(message = 'cannot execute binary file: Exec format error', exitCode = 126) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs programs in processes. */
export class ProgramLauncher {
  readonly #options: ProgramLauncherOptions;
  readonly processes: ProcessList;

  constructor(options: ProgramLauncherOptions) {
    this.#options = options;
    this.processes = {
      // One that was killed is gone, though it may still be on its way out.
      list: () => options.table.list().filter(({ killedBy }) => killedBy === undefined),
      kill: (pid, signal) =>
        options.table.kill(pid, signal === '0' || signal === 'EXIT' ? undefined : signal),
    };
  }

  /**
   * Runs a program in a process that is there, and answers its exit code. Closes the descriptors, whatever happens.
   * @throws ShellError, NotExecutableError before anything of it has run
   */
  async execute(start: ProgramStart): Promise<number> {
    try {
      return await this.#execute(start, 0);
    } finally {
      start.descriptors.closeAll();
    }
  }

  /** As `execute`, and ends the process. Mistakes of the file are told on the process's standard error. */
  async run(start: ProgramStart): Promise<number> {
    const { process } = start;
    const stderr = start.descriptors.get(2);
    stderr?.retain();
    try {
      process.exit(await this.execute(start));
    } catch (error) {
      if (error instanceof ShellLimitError) process.exit(126, error.limit);
      else if (error instanceof ShellError || error instanceof NotExecutableError) {
        await stderr
          ?.write(encodeText(`${start.argv[0]}: ${error.message}\n`), process.signal)
          .catch(() => {});
        const isMissing = error instanceof ShellError && error.code === 'ENOENT';
        process.exit(error instanceof NotExecutableError ? error.exitCode : isMissing ? 127 : 126);
      } else if (process.killedBy === undefined) throw error;
    } finally {
      stderr?.release();
      process.exit(1);
    }
    return process.end?.exitCode ?? 1;
  }

  async #execute(start: ProgramStart, interpreters: number): Promise<number> {
    const executable = this.#options.executables.open(start.path);
    const [name = '', ...args] = start.argv;
    switch (executable.type) {
      case 'program':
        return await this.#call(executable.program, start);
      case 'shell':
        return await this.#options.runShell(start);
      case 'text':
        return await this.#options.runShell({
          ...start,
          argv: ['bash', name.includes('/') ? name : start.path, ...args],
        });
      case 'binary':
        throw new NotExecutableError();
      case 'script': {
        const [interpreter = '', ...options] = executable.interpreter;
        if (interpreters >= maxInterpreters) throw new ShellError('ELOOP');
        const script = name.includes('/') ? name : start.path;
        const argv = [interpreter, ...options, script, ...args];
        start.process.command = argv.join(' ');
        return await this.#interpret({ ...start, argv, path: interpreter }, interpreters + 1);
      }
    }
  }

  async #interpret(start: ProgramStart, interpreters: number): Promise<number> {
    try {
      return await this.#execute(start, interpreters);
    } catch (error) {
      if (!(error instanceof ShellError && error.code === 'ENOENT')) throw error;
      start.process.noteMissing(start.path);
      throw new NotExecutableError('cannot execute: required file not found', 127);
    }
  }

  async #call(program: Program, start: ProgramStart): Promise<number> {
    const { process, descriptors } = start;
    const { signal } = process;
    process.onSignal = (name) => start.ignored?.has(name) ?? false;
    try {
      signal.throwIfAborted();
      process.meter.takeThread();
      return await Promise.race([program(this.#programCall(start)), untilAborted(signal)]);
    } catch (error) {
      if (signal.aborted) return 1;
      if (error instanceof ShellLimitError || !(error instanceof Error)) throw error;
      if (error instanceof ShellError && error.code === 'EPIPE') {
        process.send('SIGPIPE');
        return 141;
      }
      await descriptors
        .get(2)
        ?.write(encodeText(`${start.argv[0]}: ${error.message}\n`), signal)
        .catch(() => {});
      return 1;
    }
  }

  #programCall(start: ProgramStart): ProgramCall {
    const { descriptors, process } = start;
    const [name = '', ...args] = start.argv;
    return {
      name,
      args,
      environment: start.environment,
      cwd: start.cwd,
      uid: start.uid,
      gid: start.gid,
      umask: start.umask,
      files: new ProcessFiles(this.#options.files, {
        descriptors,
        signal: process.signal,
        table: this.#options.table,
        executables: this.#options.executables,
      }),
      stdin: descriptors.get(0) ?? closedFile,
      stdout: descriptors.get(1) ?? closedFile,
      stderr: descriptors.get(2) ?? closedFile,
      signal: process.signal,
      run: (argv, options) => this.#runChild(start, argv, options),
      descriptor: (fd) => descriptors.get(fd),
      find: (name, path = start.environment.get('PATH')) =>
        this.#options.executables.find(name, { path, cwd: start.cwd }),
      processes: this.processes,
      noteMissing: (program) => process.noteMissing(program),
    };
  }

  async #runChild(
    parent: ProgramStart,
    argv: readonly ShellText[],
    options: Parameters<ProgramCall['run']>[1] = {},
  ): Promise<number> {
    const { executables, table } = this.#options;
    parent.process.signal.throwIfAborted();
    const environment = options.environment ?? parent.environment;
    const cwd = options.cwd ?? parent.cwd;
    const path = executables.find(argv[0] ?? '', { path: environment.get('PATH') ?? pathOfNone, cwd });
    if (path === undefined) {
      parent.process.noteMissing(argv[0] ?? '');
      return 127;
    }
    const process = table.create({ parent: parent.process, command: argv.join(' ') });
    const descriptors = parent.descriptors.clone();
    const replaced = [options.stdin, options.stdout, options.stderr];
    for (const [fd, file] of replaced.entries()) {
      if (!file) continue;
      file.retain();
      descriptors.put(fd, file);
    }
    using _link = killWith(process, options.signal ?? parent.process.signal);
    return await this.run({
      ...parent,
      argv,
      path: absolute(path, cwd),
      environment,
      cwd,
      uid: options.uid ?? parent.uid,
      gid: options.gid ?? parent.gid,
      descriptors,
      process,
    });
  }
}

function absolute(path: ShellText, cwd: ShellText): ShellText {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

/** Kills a process when a signal is aborted, by the signal that it names. */
export function killWith(process: Process, signal: AbortSignal): Disposable {
  const kill = () => {
    process.onSignal = undefined;
    process.send(typeof signal.reason === 'string' ? signal.reason : 'SIGTERM');
  };
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', kill) };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
