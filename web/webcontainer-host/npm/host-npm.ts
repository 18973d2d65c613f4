import { SandboxError } from '../../../protocol/errors.ts';
import { installPackages } from './install-packages.ts';
import { parseInstallArguments } from './npm-arguments.ts';
import { NpmError } from './npm-error.ts';
import { listScripts, scriptCommand } from './npm-script.ts';
import { type InstallSandbox, type ProjectFiles, projectFiles } from './project-files.ts';
import { readProject } from './project-manifest.ts';
import type { PackageCache } from './registry/package-cache.ts';
import type { ReifyReport, TargetPlatform } from './reify-tree.ts';

export interface HostNpmParts {
  readonly sandbox: InstallSandbox;
  /** The registry of the host's settings. */
  readonly registry: string | undefined;
  readonly platform: TargetPlatform;
  readonly fetch: typeof fetch;
  readonly openCache: () => Promise<PackageCache | undefined>;
}

/** What a command of npm is: a program of the sandbox, or work of this page that prints, and answers its exit code. */
export type NpmPlan =
  | {
      readonly type: 'program';
      readonly command: readonly string[];
      readonly envs: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'work';
      readonly run: (print: (text: string) => void, signal: AbortSignal) => Promise<number>;
    };

interface NpmCall {
  /** `npm` or `npx` with its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly envs: Readonly<Record<string, string>>;
}

const installs = ['install', 'i', 'in', 'add', 'ci', 'clean-install'];
const scripts = ['start', 'test', 't', 'stop', 'restart'];
const isHostProgram = (name: string | undefined): boolean => name === 'npm' || name === 'npx';

/** The part of npm that a page can do for a sandbox whose image has none: installs, and scripts of the project. */
export class HostNpm {
  readonly #parts: HostNpmParts;

  constructor(parts: HostNpmParts) {
    this.#parts = parts;
  }

  /** `undefined` for another program than npm and npx. */
  async plan(call: NpmCall): Promise<NpmPlan | undefined> {
    const [program, ...args] = call.argv;
    if (!isHostProgram(program)) return undefined;
    const project = projectFiles(this.#parts.sandbox, call.cwd);
    try {
      return program === 'npx'
        ? await runInstalled(args, { call, project })
        : await this.#planNpm(args, { call, project });
    } catch (error) {
      return failing(error);
    }
  }

  async #planNpm(args: readonly string[], { call, project }: Planned): Promise<NpmPlan> {
    const [command = '', ...rest] = args;
    if (installs.includes(command))
      return this.#planInstall(rest, { call, project, isClean: /^c/.test(command) });
    if (command === 'exec' || command === 'x')
      return runInstalled(
        rest.filter((word) => word !== '--'),
        { call, project },
      );
    if (command === 'run' || command === 'run-script') {
      const words = dropFlags(rest);
      const [event, ...given] = words;
      if (event !== undefined) return runScript({ event, args: given }, { call, project });
      const text = listScripts(await readProject(project));
      return printing(text, 0);
    }
    if (scripts.includes(command))
      return runScript(
        { event: command === 't' ? 'test' : command, args: dropFlags(rest) },
        { call, project },
      );
    throw new NpmError(
      'EUNSUPPORTED',
      `The installer of this host does not know "npm ${command}". It knows install, ci, run, start, test, stop, restart and exec; a bridge's image has npm itself`,
    );
  }

  #planInstall(
    args: readonly string[],
    { call, project, isClean }: Planned & { readonly isClean: boolean },
  ): NpmPlan {
    const { registry, platform, fetch, openCache } = this.#parts;
    const request = parseInstallArguments(args, { isClean, nodeEnv: call.envs.NODE_ENV });
    return {
      type: 'work',
      run: async (print, signal) => {
        const startedMs = performance.now();
        const warn = (text: string) => print(`npm warn ${text}\n`);
        try {
          const cache = await openCache();
          const report = await installPackages(request, {
            project,
            registry,
            platform,
            fetch,
            cache,
            warn,
            signal,
          });
          for (const name of report.unrun) warn(`install scripts are not run here: ${name}`);
          for (const name of report.lacking) warn(describeLack(name, platform));
          print(`\n${summarize(report)} in ${spent(performance.now() - startedMs)}\n`);
          return 0;
        } catch (error) {
          print(describeError(error));
          return 1;
        }
      },
    };
  }
}

interface Planned {
  readonly call: NpmCall;
  readonly project: ProjectFiles;
}

async function runScript(
  script: { event: string; args: readonly string[] },
  { call, project }: Planned,
): Promise<NpmPlan> {
  const command = scriptCommand(await readProject(project), script);
  return { type: 'program', command, envs: withPrograms(call) };
}

/** @throws NpmError E404 for a command that no installed package has */
async function runInstalled(args: readonly string[], { call, project }: Planned): Promise<NpmPlan> {
  const [program, ...rest] = dropFlags(args);
  if (program === undefined) throw new NpmError('EUSAGE', 'npx needs the name of a command');
  if (program.includes('/') || !(await project.exists(`node_modules/.bin/${program}`))) {
    const remedy = `Install the package that has it (npm install …), and then run it`;
    throw new NpmError('E404', `No installed package has the command ${JSON.stringify(program)}. ${remedy}`);
  }
  return {
    type: 'program',
    command: [`${call.cwd}/node_modules/.bin/${program}`, ...rest],
    envs: withPrograms(call),
  };
}

function withPrograms({ cwd, envs }: NpmCall): Record<string, string> {
  const own = `${cwd}/node_modules/.bin`;
  const path = envs.PATH ?? '';
  return { ...envs, PATH: path.split(':').includes(own) ? path : `${own}:${path}` };
}

/** Options of npm itself, which come before what they are for. */
function dropFlags(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => word === '--' || !word.startsWith('-'));
  if (first < 0) return [];
  return words.slice(words[first] === '--' ? first + 1 : first);
}

function failing(error: unknown): NpmPlan {
  return printing(describeError(error), 1);
}

function printing(text: string, exitCode: number): NpmPlan {
  const run = async (print: (text: string) => void): Promise<number> => {
    print(text);
    return exitCode;
  };
  return { type: 'work', run };
}

/** Said before what needs it is started, and fails. */
function describeLack(name: string, { os, cpu }: TargetPlatform): string {
  return `${name} has no program for this machine (${os} on ${cpu}): what needs it fails here, and runs in a sandbox of a host. A build of it for WebAssembly, where there is one, can stand in for it ("overrides" of package.json)`;
}

function summarize({ added, removed, changed }: ReifyReport): string {
  const parts = Object.entries({ added, removed, changed }).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'up to date';
  return parts.map(([word, count]) => `${word} ${count} package${count === 1 ? '' : 's'}`).join(', ');
}

function spent(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)}ms` : `${Math.round(ms / 1_000)}s`;
}

function describeError(error: unknown): string {
  const code = error instanceof NpmError ? error.code : SandboxError.from(error).code;
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const isStopped =
    isLate || code === 'aborted' || (error instanceof DOMException && error.name === 'AbortError');
  const text = isStopped
    ? `The install was ended (${isLate ? 'it took too long' : 'killed'})`
    : messageOf(error);
  const lines = text.split('\n').map((line) => `npm error ${line}\n`);
  return `npm error code ${isStopped ? 'ECANCELED' : code}\n${lines.join('')}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
