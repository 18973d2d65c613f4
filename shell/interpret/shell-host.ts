import type { TreeFiles } from '../files/tree-files.ts';
import type { Executables } from '../processes/executables.ts';
import type { ProcessTable } from '../processes/process-table.ts';
import type { ProgramLauncher } from '../processes/program-launcher.ts';
import type { ScriptTransform } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';

interface ShellUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: ShellText;
}

/** The sandbox that a shell runs in. */
export interface ShellHost {
  readonly files: TreeFiles;
  readonly table: ProcessTable;
  readonly executables: Executables;
  readonly launcher: ProgramLauncher;
  readonly users: readonly ShellUser[];
  readonly hostname: string;
  readonly transform?: ScriptTransform | undefined;
}
