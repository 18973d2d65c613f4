import { evaluateArithmeticNode, evaluateArithmeticNow } from '../expand/expand.ts';
import type { ExpansionScope } from '../expand/expansion-scope.ts';
import type { DescriptorTable } from '../io/descriptor-table.ts';
import { ProcessFiles } from '../processes/process-files.ts';
import type { Process } from '../processes/process-table.ts';
import type { BashOptions } from '../state/options.ts';
import type { ShellVariables, ShellVariablesOptions } from '../state/shell-variables.ts';
import type { ArithmeticExpressionNode, ScriptNode } from '../syntax/ast.ts';
import type { ShellText } from '../text.ts';
import type { ShellHost } from './shell-host.ts';
import type { SpecialParameters } from './special-parameters.ts';

/** What of a shell its expansions need. */
export interface ExpandingShell {
  readonly host: Pick<ShellHost, 'files' | 'table' | 'users' | 'executables'>;
  readonly process: Pick<Process, 'signal'>;
  readonly descriptors: DescriptorTable;
  readonly variables: ShellVariables;
  readonly options: BashOptions;
  readonly specials: SpecialParameters;
  readonly cwd: ShellText;
  readonly positional: readonly ShellText[];
  substituteCommand(script: ScriptNode): Promise<ShellText>;
  substituteProcess(script: ScriptNode, direction: 'input' | 'output'): Promise<ShellText>;
  warn(message: ShellText): void;
}

/** What expansions see of a shell. */
export class ShellScope implements ExpansionScope {
  readonly files: ProcessFiles;
  readonly variableOptions: ShellVariablesOptions;
  readonly #shell: ExpandingShell;

  constructor(shell: ExpandingShell) {
    this.#shell = shell;
    this.files = new ProcessFiles(shell.host.files, {
      descriptors: shell.descriptors,
      signal: shell.process.signal,
      table: shell.host.table,
      executables: shell.host.executables,
    });
    this.variableOptions = {
      evaluate: (text) => evaluateArithmeticNow(text, this),
      exportsAll: () => shell.options.has('allexport'),
    };
  }

  get variables(): ShellVariables {
    return this.#shell.variables;
  }

  get options(): BashOptions {
    return this.#shell.options;
  }

  get cwd(): ShellText {
    return this.#shell.cwd;
  }

  get positional(): readonly ShellText[] {
    return this.#shell.positional;
  }

  special(name: string): ShellText | undefined {
    return this.#shell.specials.get(name);
  }

  specialArray(name: string): readonly ShellText[] | undefined {
    return this.#shell.specials.array(name);
  }

  substitute(script: ScriptNode): Promise<ShellText> {
    return this.#shell.substituteCommand(script);
  }

  substituteProcess(script: ScriptNode, direction: 'input' | 'output'): Promise<ShellText> {
    return this.#shell.substituteProcess(script, direction);
  }

  descriptor(fd: number): { readonly isTerminal: boolean } | undefined {
    const file = this.#shell.descriptors.get(fd);
    return file && { isTerminal: file.isTerminal ?? false };
  }

  homeOf(user: string): ShellText | undefined {
    return this.#shell.host.users.find(({ name }) => name === user)?.home;
  }

  warn(message: ShellText): void {
    this.#shell.warn(message);
  }

  evaluate(expression: ArithmeticExpressionNode): Promise<bigint> {
    return evaluateArithmeticNode(expression, this);
  }
}
