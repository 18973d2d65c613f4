import { createShellProcesses } from '../../shell/create-shell-processes.ts';
import { TreeFiles } from '../../shell/files/tree-files.ts';
import { BytesInput } from '../../shell/io/bytes-input.ts';
import type { ProcessEnd } from '../../shell/processes/process-table.ts';
import { createPrograms } from '../../shell/programs/create-programs.ts';
import type { Programs } from '../../shell/programs/program.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import {
  type Answer,
  caseEnvironment,
  caseFolder,
  foldersOf,
  hostname,
  suiteFolder,
  systemFiles,
  users,
} from './case-place.ts';
import { helperNames, helperPrograms } from './helper-programs.ts';
import type { SuiteCase, SuiteFile } from './suite.ts';
import { TakenOutput } from './taken-output.ts';

/** A compiled program is the shell's own of that name. */
const compiledMark = Buffer.from('\x7fELF');
const root = { uid: 0, gid: 0, umask: 0o022 };
/** What our shell made of a case. `failure` says why it did not end by itself. */
export type OurAnswer = Answer & { readonly failure?: string };

/** Our shell, each case in a tree of its own that begins as real bash's does. */
export class OurBash {
  readonly #base: TreeSnapshot;
  readonly #programs: Programs = new Map([...createPrograms(), ...helperPrograms]);

  constructor(suiteFiles: readonly SuiteFile[]) {
    const tree = new LiveTree();
    const files = new TreeFiles(tree);
    for (const folder of ['usr', 'usr/bin', 'usr/lib', 'etc', 'dev', 'proc', 'tmp']) {
      files.mkdir(`/${folder}`, root, folder === 'tmp' ? 0o1777 : 0o755);
    }
    files.symlink('usr/bin', '/bin', root);
    files.symlink('usr/lib', '/lib', root);
    for (const { path, bytes, isExecutable } of suiteFiles) {
      const names = `${suiteFolder}/${path}`.split('/');
      for (let depth = 2; depth < names.length; depth++) {
        const folder = names.slice(0, depth).join('/');
        if (!files.exists(folder)) files.mkdir(folder, root, 0o755);
      }
      const isProgram = helperNames.some((name) => path === `spec/bin/${name}`);
      files.writeFile(names.join('/'), isProgram ? compiledMark : bytes, root);
      if (isExecutable) files.chmod(names.join('/'), 0o755);
    }
    for (const [path, text] of systemFiles) files.writeFile(path, Buffer.from(text), root);
    this.#base = tree.snapshot();
  }

  async answer(one: SuiteCase, deadlineMs: number): Promise<OurAnswer> {
    const files = new TreeFiles(LiveTree.from(this.#base));
    for (const folder of foldersOf(one)) files.mkdir(folder, root, 0o755);
    const processes = createShellProcesses({ files, programs: this.#programs, users, hostname });
    const [stdout, stderr] = [new TakenOutput(), new TakenOutput()];
    const stdin = new BytesInput(Buffer.from(one.code));
    const shell = { argv: ['bash'], environment: caseEnvironment, cwd: caseFolder, uid: 0, gid: 0 };
    try {
      const process = processes.start({ ...shell, stdin, stdout, stderr });
      const timer = setTimeout(() => process.kill('SIGKILL'), deadlineMs);
      const startMs = performance.now();
      const end = await process.ended.finally(() => clearTimeout(timer));
      const isLate = performance.now() - startMs >= deadlineMs;
      return {
        stdout: stdout.text,
        stderr: stderr.text,
        status: end.exitCode,
        ...failureOf(end, { isLate, deadlineMs }),
      };
    } finally {
      await processes.close();
    }
  }
}

function failureOf(end: ProcessEnd, options: { isLate: boolean; deadlineMs: number }): { failure?: string } {
  if (options.isLate) return { failure: `did not end in ${options.deadlineMs / 1000} s` };
  return end.limit === undefined ? {} : { failure: `reached the limit ${end.limit}` };
}
