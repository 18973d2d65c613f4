import { isFile } from '../../tree/live/file-mode.ts';
import { assignByName, expandText, expandWords, subscriptKey } from '../expand/expand.ts';
import { absolutePath, type OpenFlags } from '../files/tree-files.ts';
import { BytesInput } from '../io/bytes-input.ts';
import type { OpenFile } from '../io/open-file.ts';
import { descriptorOfPath } from '../processes/process-files.ts';
import { ShellError } from '../shell-error.ts';
import { AssignmentError } from '../state/variables.ts';
import type { HereDocNode, RedirectionNode, WordNode } from '../syntax/ast.ts';
import { encodeText, type ShellText } from '../text.ts';
import { sourceOfWord } from './command-text.ts';
import { ShellExit } from './control-flow.ts';
import type { Shell } from './shell.ts';

/** A redirection could not be done. `message` is bash's, without prefix. */
class RedirectionError extends Error {}

/** What a descriptor was before a command's redirections. */
interface Replaced {
  readonly fd: number;
  readonly file: OpenFile | undefined;
}

const flagsOf: Readonly<Record<'<' | '>' | '>|' | '>>' | '<>', OpenFlags>> = {
  '<': { read: true },
  '>': { write: true, create: true, truncate: true },
  '>|': { write: true, create: true, truncate: true },
  '>>': { write: true, append: true, create: true },
  '<>': { read: true, write: true, create: true },
};

/**
 * Runs with redirections done, and undoes them afterwards, unless `keeps` answers that they stay. Answers 1 where
 * one of them fails, which it tells; the shell ends then where that `isFatal`.
 */
export async function withRedirections(
  shell: Shell,
  redirections: readonly RedirectionNode[],
  { run, keeps, isFatal }: { run: () => Promise<number>; keeps?: () => boolean; isFatal?: boolean },
): Promise<number> {
  if (redirections.length === 0) return await run();
  const replaced: Replaced[] = [];
  try {
    try {
      for (const redirection of redirections) await redirect(shell, redirection, replaced);
    } catch (error) {
      if (!(error instanceof RedirectionError)) throw error;
      await shell.tell(error.message);
      if (isFatal) throw new ShellExit(1);
      shell.hasRedirectionFailed = true;
      return 1;
    }
    return await run();
  } finally {
    await shell.flushWarnings();
    restore(shell, replaced, keeps?.() ?? false);
  }
}

function restore(shell: Shell, replaced: readonly Replaced[], keep: boolean): void {
  for (const { fd, file } of replaced.toReversed()) {
    if (keep) file?.release();
    else if (file) shell.descriptors.put(fd, file);
    else shell.descriptors.close(fd);
  }
}

/** Opens what `<file` names, for `$(<file)`. Tells why not. */
export async function openInput(shell: Shell, redirection: RedirectionNode): Promise<OpenFile | undefined> {
  try {
    const { target } = redirection;
    if (target.type === 'HereDoc') return undefined;
    const path = await expandTarget(shell, target);
    return openPath(shell, path, '<');
  } catch (error) {
    if (!(error instanceof RedirectionError)) throw error;
    await shell.tell(error.message);
    return undefined;
  }
}

async function redirect(shell: Shell, redirection: RedirectionNode, replaced: Replaced[]): Promise<void> {
  const { operator, target, fdVariable } = redirection;
  const isInput = operator.startsWith('<');
  const closesVariable = fdVariable !== undefined && target.type === 'Word' && isDash(target);
  if (closesVariable) {
    await closeVariable(shell, fdVariable);
    return;
  }
  const fd = fdVariable === undefined ? (redirection.fd ?? (isInput ? 0 : 1)) : pickDescriptor(shell);
  // A descriptor that a variable names stays open after the command.
  const save = (saved: number) => {
    if (fdVariable === undefined) replaced.push(saveDescriptor(shell, saved));
  };
  await guarded(async () => {
    if (target.type === 'HereDoc') {
      const file = await hereDocument(shell, target);
      save(fd);
      shell.descriptors.put(fd, file);
    } else if (operator === '<<<') {
      const text = await expandText(target, shell.scope);
      save(fd);
      shell.descriptors.put(fd, new BytesInput(encodeText(`${text}\n`)));
    } else if (operator === '>&' || operator === '<&') {
      await duplicate(shell, { redirection, target, fd, save });
    } else if (operator === '&>' || operator === '&>>') {
      await redirectBoth(shell, { target, operator: operator === '&>' ? '>' : '>>', save });
    } else {
      const path = await expandTarget(shell, target);
      const file = openPath(shell, path, operator === '<<' || operator === '<<-' ? '<' : operator);
      save(fd);
      shell.descriptors.put(fd, file);
    }
  });
  if (fdVariable !== undefined) await nameDescriptor(shell, fdVariable, fd);
}

/** Gives a variable, or an element of an array, the number of a descriptor that was opened for it. */
async function nameDescriptor(shell: Shell, name: string, fd: number): Promise<void> {
  try {
    await assignByName(name, String(fd), shell.scope);
  } catch (error) {
    if (!(error instanceof AssignmentError)) throw error;
    shell.descriptors.close(fd);
    await shell.tell(error.message);
    throw new RedirectionError(`${name}: cannot assign fd to variable`);
  }
}

function pickDescriptor(shell: Shell): number {
  try {
    return shell.descriptors.pick();
  } catch (error) {
    throw error instanceof ShellError ? new RedirectionError(error.message) : error;
  }
}

/** Errors of system calls with no path of their own. */
async function guarded(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw error instanceof ShellError ? new RedirectionError(error.message) : error;
  }
}

function saveDescriptor(shell: Shell, fd: number): Replaced {
  const file = shell.descriptors.get(fd);
  file?.retain();
  return { fd, file };
}

async function hereDocument(shell: Shell, { content, quoted }: HereDocNode): Promise<OpenFile> {
  const text = quoted ? literalOf(content) : await expandText(content, shell.scope);
  const bytes = encodeText(text);
  shell.process.meter.check('hereDocumentBytes', bytes.length);
  return new BytesInput(bytes);
}

function literalOf({ parts }: WordNode): ShellText {
  return parts.map((part) => (part.type === 'Literal' ? part.value : '')).join('');
}

async function duplicate(
  shell: Shell,
  {
    redirection,
    target,
    fd,
    save,
  }: { redirection: RedirectionNode; target: WordNode; fd: number; save: (fd: number) => void },
): Promise<void> {
  const word = await expandTarget(shell, target);
  if (word === '-') {
    save(fd);
    shell.descriptors.close(fd);
    return;
  }
  const [, digits, moves] = /^(\d+)(-?)$/.exec(word) ?? [];
  if (digits === undefined) {
    const isBoth = redirection.operator === '>&' && (redirection.fd === null || redirection.fd === 1);
    if (!isBoth || redirection.fdVariable !== undefined) {
      throw new RedirectionError(`${sourceOfWord(target)}: ambiguous redirect`);
    }
    await redirectBoth(shell, { target, operator: '>', save, word });
    return;
  }
  const from = Number(digits);
  if (!shell.descriptors.get(from))
    throw new RedirectionError(`${sourceOfWord(target)}: Bad file descriptor`);
  save(fd);
  shell.descriptors.duplicate(from, fd);
  if (moves && from !== fd) {
    save(from);
    shell.descriptors.close(from);
  }
}

async function redirectBoth(
  shell: Shell,
  {
    target,
    operator,
    save,
    word,
  }: { target: WordNode; operator: '>' | '>>'; save: (fd: number) => void; word?: ShellText },
): Promise<void> {
  const file = openPath(shell, word ?? (await expandTarget(shell, target)), operator);
  save(1);
  shell.descriptors.put(1, file);
  save(2);
  shell.descriptors.duplicate(1, 2);
}

async function expandTarget(shell: Shell, target: WordNode): Promise<ShellText> {
  const words = await expandWords([target], shell.scope);
  const [word] = words;
  if (word === undefined || words.length > 1) {
    throw new RedirectionError(`${sourceOfWord(target)}: ambiguous redirect`);
  }
  return word;
}

function openPath(shell: Shell, path: ShellText, operator: keyof typeof flagsOf): OpenFile {
  const fd = descriptorOfPath(path);
  if (fd !== undefined) {
    const file = shell.descriptors.get(fd);
    if (!file) throw new RedirectionError(`${path}: No such file or directory`);
    file.retain();
    return file;
  }
  const absolute = absolutePath(shell.cwd, path);
  if (operator === '>' && shell.options.has('noclobber') && isRegularFile(shell, absolute)) {
    throw new RedirectionError(`${path}: cannot overwrite existing file`);
  }
  try {
    return shell.scope.files.openDescriptor(absolute, flagsOf[operator], shell);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new RedirectionError(`${path}: ${error.message}`);
  }
}

function isRegularFile(shell: Shell, path: ShellText): boolean {
  return shell.scope.files.exists(path) && isFile(shell.scope.files.stat(path).mode);
}

function isDash({ parts }: WordNode): boolean {
  const [part, ...rest] = parts;
  return rest.length === 0 && part?.type === 'Literal' && part.value === '-';
}

async function closeVariable(shell: Shell, name: string): Promise<void> {
  const [, array = name, subscript] = /^(\w+)\[(.*)\]$/s.exec(name) ?? [];
  const value =
    subscript === undefined
      ? shell.variables.get(name)
      : shell.variables.element(array, await subscriptKey(array, subscript, shell.scope));
  if (!/^\d+$/.test(value ?? '')) throw new RedirectionError(`${name}: ambiguous redirect`);
  shell.descriptors.close(Number(value));
}
