import type { ShellText } from '../../text.ts';

export type JsCommandLine =
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'wrong'; readonly message: string }
  | {
      readonly type: 'run';
      /** A file, a text, or standard input. */
      readonly source: { readonly file: ShellText } | { readonly text: ShellText } | 'stdin';
      readonly printsResult: boolean;
      readonly isModule: boolean;
      readonly args: readonly ShellText[];
    };

export const jsUsage = `Usage: js [-m] [-e SCRIPT | -p SCRIPT | FILE | -] [ARGUMENT]...
Run a script of JavaScript by QuickJS. It is not Node: of its modules there are fs, path, os, util, buffer and process.
  -e SCRIPT   run SCRIPT
  -p SCRIPT   run SCRIPT and print what it answers
  -m          it is an ECMAScript module, as a file named .mjs or with import or export is
`;

export function parseJsCommandLine(given: readonly ShellText[]): JsCommandLine {
  const args = [...given];
  let isModule = false;
  for (let option = args.shift(); option !== undefined; option = args.shift()) {
    switch (option) {
      case '-h':
      case '--help':
        return { type: 'help' };
      case '-v':
      case '--version':
        return { type: 'version' };
      case '-m':
      case '--module':
        isModule = true;
        continue;
      case '-e':
      case '--eval':
      case '-p':
      case '--print': {
        const text = args.shift();
        if (text === undefined) return { type: 'wrong', message: `${option} needs a script` };
        const printsResult = option === '-p' || option === '--print';
        if (args[0] === '--') args.shift();
        return { type: 'run', source: { text }, printsResult, isModule, args };
      }
      case '-':
        return { type: 'run', source: 'stdin', printsResult: false, isModule, args };
    }
    if (option.startsWith('-') && option !== '--')
      return { type: 'wrong', message: `unknown option ${option}` };
    const file = option === '--' ? args.shift() : option;
    if (file === undefined) break;
    return { type: 'run', source: { file }, printsResult: false, isModule, args };
  }
  return { type: 'run', source: 'stdin', printsResult: false, isModule, args: [] };
}
