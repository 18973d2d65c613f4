import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { cutText } from './cut-text.ts';
import { parentDirectory } from './parent-directory.ts';
import { readTextFile } from './read-text-file.ts';
import { replaceOnce } from './replace-once.ts';
import { writeFile } from './write-file.ts';

/** The commands of Anthropic's text editor and memory tools. */
export type EditCommand =
  | { readonly command: 'view'; readonly path: string; readonly view_range?: readonly [number, number] }
  | { readonly command: 'create'; readonly path: string; readonly file_text: string }
  | {
      readonly command: 'str_replace';
      readonly path: string;
      readonly old_str: string;
      readonly new_str?: string;
    }
  | {
      readonly command: 'insert';
      readonly path: string;
      readonly insert_line: number;
      readonly insert_text: string;
    }
  | { readonly command: 'delete'; readonly path: string }
  | { readonly command: 'rename'; readonly old_path: string; readonly new_path: string };

/** Depth of directories that `view` shows. */
const viewedLevels = 2;

/** Does one command, of which a model has sent the fields. `find` answers the absolute path of what it names. */
export async function editText(
  sandbox: Sandbox,
  sent: EditCommand,
  find: (path: string) => Promise<string>,
): Promise<string> {
  const command = checkFields(sent);
  switch (command.command) {
    case 'view':
      return view(sandbox, command, await find(command.path));
    case 'create':
      await writeFile(sandbox, await find(command.path), command.file_text);
      return `File created successfully at: ${command.path}`;
    case 'str_replace': {
      const { path, old_str: from, new_str: to = '' } = command;
      const file = await find(path);
      const { text, line } = replaceOnce(await readTextFile(sandbox, file), { from, to, path });
      await sandbox.files.write(file, text);
      return `The file has been edited.\n${numbered(text.split('\n'), line - 3, line + to.split('\n').length + 2)}`;
    }
    case 'insert': {
      const { path, insert_line: at, insert_text: text } = command;
      const file = await find(path);
      const lines = (await readTextFile(sandbox, file)).split('\n');
      if (at < 0 || at > lines.length) {
        throw invalid(`Cannot insert into ${path}: it has ${lines.length} lines, and no line ${at}`);
      }
      lines.splice(at, 0, ...text.replace(/\n$/, '').split('\n'));
      await sandbox.files.write(file, lines.join('\n'));
      return `The file ${path} has been edited.`;
    }
    case 'delete':
      await sandbox.files.remove(await find(command.path));
      return `Successfully deleted ${command.path}`;
    case 'rename': {
      const target = await find(command.new_path);
      if (await sandbox.files.exists(target))
        throw invalid(`The destination ${command.new_path} already exists`);
      await sandbox.files.makeDirectory(parentDirectory(target));
      await sandbox.files.rename(await find(command.old_path), target);
      return `Successfully renamed ${command.old_path} to ${command.new_path}`;
    }
    default:
      throw invalid(
        `Cannot do ${JSON.stringify((command as { command: unknown }).command)}: it is no command of this tool`,
      );
  }
}

async function view(
  sandbox: Sandbox,
  { path, view_range: range }: Extract<EditCommand, { command: 'view' }>,
  file: string,
): Promise<string> {
  if ((await sandbox.files.stat(file)).type === 'directory') {
    const lines: string[] = [];
    await listInto(lines, { sandbox, directory: file, shown: path.replace(/\/$/, ''), levels: viewedLevels });
    const title = `Here're the files and directories up to ${viewedLevels} levels deep in ${path}, excluding hidden items:`;
    return cutText([title, ...lines].join('\n'));
  }
  const lines = (await readTextFile(sandbox, file)).split('\n');
  const [from, to] = range ?? [1, -1];
  return `Here's the content of ${path} with line numbers:\n${cutText(numbered(lines, from - 1, to < 0 ? lines.length : to))}`;
}

async function listInto(
  lines: string[],
  at: {
    readonly sandbox: Sandbox;
    readonly directory: string;
    readonly shown: string;
    readonly levels: number;
  },
): Promise<void> {
  for (const { name, type, sizeBytes, path } of await at.sandbox.files.list(at.directory)) {
    if (name.startsWith('.')) continue;
    if (lines.length >= limits.modelEntries) {
      if (lines.length === limits.modelEntries)
        lines.push(`[only the first ${limits.modelEntries} are listed]`);
      return;
    }
    const shown = `${at.shown}/${name}`;
    lines.push(type === 'directory' ? `-\t${shown}/` : `${sizeBytes}\t${shown}`);
    if (type === 'directory' && at.levels > 1) {
      await listInto(lines, { ...at, directory: path, shown, levels: at.levels - 1 });
    }
  }
}

/** Lines `from` to `to`, counted from 0, with their numbers, as `cat -n` prints them. */
function numbered(lines: readonly string[], from: number, to: number): string {
  const first = Math.max(0, from);
  return lines
    .slice(first, to)
    .map((line, index) => `${String(first + index + 1).padStart(6)}\t${line}`)
    .join('\n');
}

const fieldTypes: Readonly<Record<string, 'string' | 'number'>> = {
  path: 'string',
  old_path: 'string',
  new_path: 'string',
  file_text: 'string',
  old_str: 'string',
  new_str: 'string',
  insert_text: 'string',
  insert_line: 'number',
};
const requiredFields: Readonly<Record<EditCommand['command'], readonly string[]>> = {
  view: ['path'],
  create: ['path', 'file_text'],
  str_replace: ['path', 'old_str'],
  insert: ['path', 'insert_line', 'insert_text'],
  delete: ['path'],
  rename: ['old_path', 'new_path'],
};

/** @throws invalid-argument that names the field */
function checkFields(sent: EditCommand): EditCommand {
  const fields: Readonly<Record<string, unknown>> = { ...sent };
  const required = Object.hasOwn(requiredFields, sent.command) ? requiredFields[sent.command] : [];
  for (const [name, type] of Object.entries(fieldTypes)) {
    const isAbsent = fields[name] === undefined || fields[name] === null;
    if (isAbsent ? required.includes(name) : typeof fields[name] !== type) {
      throw invalid(`Cannot ${sent.command}: "${name}" has to be a ${type}`);
    }
  }
  const range = fields.view_range ?? undefined;
  if (
    range !== undefined &&
    !(Array.isArray(range) && range.length === 2 && range.every(Number.isSafeInteger))
  ) {
    throw invalid(`Cannot ${sent.command}: "view_range" has to be two line numbers`);
  }
  return sent;
}

function invalid(message: string): SandboxError {
  return new SandboxError('invalid-argument', message);
}
