import { quoteWords } from '../../protocol/quote-words.ts';
import { recordingLimits } from '../limits.ts';
import { type Fields, fieldsOf, listIn, textIn } from './fields.ts';

/** A call of a tool that runs a command in a shell. */
export interface ShellCall {
  /** What a person would have typed. */
  readonly text: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
}

/** Names of tools that run a command, of the agents that write the formats we read. */
const shellTools = new Set([
  'bash',
  'bash_command',
  'shell',
  'local_shell',
  'shell_command',
  'container.exec',
  'exec',
  'exec_command',
  'execute_bash',
  'execute_command',
  'run_command',
  'run_shell_command',
  'run_terminal_cmd',
  'terminal',
]);

const commandNames = ['command', 'cmd', 'keystrokes', 'script', 'input'];
const directoryNames = ['cwd', 'workdir', 'working_directory', 'directory'];
const shells = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

/** What a call runs in a shell; `undefined` where its tool is no shell. */
export function shellCallOf(tool: string, given: unknown): ShellCall | undefined {
  if (!shellTools.has(tool.toLowerCase())) return undefined;
  const fields = fieldsOf(given);
  const cwd = firstText(fields, directoryNames);
  for (const name of commandNames) {
    const text = textIn(fields, name);
    if (text !== undefined) return { text, ...(cwd === undefined ? {} : { cwd }) };
    const argv = listIn(fields, name).filter((word) => typeof word === 'string');
    if (argv.length > 0 && argv.length <= recordingLimits.arguments)
      return { text: commandText(argv), argv, ...(cwd === undefined ? {} : { cwd }) };
  }
  return undefined;
}

/** A command as a person would type it: what is given to `bash -lc` is what that runs. */
function commandText(argv: readonly string[]): string {
  const [program = '', option = '', inner] = argv;
  const isWrapped = argv.length === 3 && shells.test(program) && /^-[a-z]*c$/.test(option);
  return isWrapped && inner !== undefined ? inner : quoteWords(argv);
}

function firstText(fields: Fields, names: readonly string[]): string | undefined {
  return names.map((name) => textIn(fields, name)).find((text) => text !== undefined);
}
