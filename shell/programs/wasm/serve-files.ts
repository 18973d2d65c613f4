import { fileMode, isDirectory, isFile, isSymlink } from '../../../tree/live/file-mode.ts';
import type { OpenFile } from '../../io/open-file.ts';
import { shellLimits } from '../../limits.ts';
import { ShellError, ShellLimitError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';
import { readAll } from '../streams/input.ts';
import type { Answer, CopiedFile, FileChange, Question } from './program-worker.ts';

/** Answers what a program in another thread asks of its process. @throws ShellError, ShellLimitError */
export async function answerQuestion(call: ProgramCall, question: Question): Promise<Answer> {
  switch (question.type) {
    case 'stdin':
      return await readAll(call.stdin, call.signal);
    case 'read':
      return await readPath(call, question.path);
    case 'files':
      return copyFiles(call);
    case 'change':
      await change(call, question.change);
      return null;
  }
}

async function readPath(call: ProgramCall, path: ShellText): Promise<Uint8Array> {
  const file = call.files.open(path, { read: true }, call);
  try {
    return await readAll(file, call.signal);
  } finally {
    file.release();
  }
}

/**
 * Those of the current directory first, as a program most likely reads them. The content of what is too large, or comes when
 * the copy is full, is left out.
 * @throws ShellLimitError where there are more files than a program may get
 */
function copyFiles({ files, cwd }: ProgramCall): readonly CopiedFile[] {
  const copied = new Map<ShellText, CopiedFile>();
  let bytes = 0;
  const visit = (path: ShellText): void => {
    const known = path === '' ? '/' : path;
    if (copied.has(known)) return;
    const inode = files.lstat(known);
    const { mode, sizeBytes } = inode;
    const modifiedMs = inode.mtimeSeconds * 1000 + Math.floor(inode.mtimeNanoseconds / 1_000_000);
    const file = { path: known, mode, modifiedMs };
    if (copied.size >= shellLimits.copiedFiles) throw tooManyFiles();
    if (isFile(mode)) {
      const fits = sizeBytes <= shellLimits.inputBytes && bytes + sizeBytes <= shellLimits.copiedBytes;
      if (fits) bytes += sizeBytes;
      copied.set(
        known,
        fits ? { ...file, bytes: files.readFile(path) } : { ...file, leftOutBytes: sizeBytes },
      );
    } else if (isSymlink(mode)) copied.set(known, { ...file, target: files.readlink(path) });
    else if (isDirectory(mode)) {
      copied.set(known, file);
      if (path === '/dev' || path === '/proc') return;
      for (const name of files.readdir(known)) visit(`${path}/${name}`);
    }
  };
  if (cwd !== '/' && files.exists(cwd) && isDirectory(files.lstat(cwd).mode)) visit(cwd);
  visit('');
  return [...copied.values()].sort((one, other) => one.path.length - other.path.length);
}

function tooManyFiles(): ShellLimitError {
  return new ShellLimitError(
    'copiedFiles',
    `this program works on a copy of the sandbox's files, and they are more than ${shellLimits.copiedFiles}: use a machine`,
  );
}

async function change(call: ProgramCall, asked: FileChange): Promise<void> {
  const { files } = call;
  switch (asked.type) {
    case 'write':
      return await writePath(call, asked, false);
    case 'append':
      return await writePath(call, asked, true);
    case 'replace':
      if (asked.bytes.length > shellLimits.inputBytes) throw new ShellError('EFBIG');
      if (!isUnchanged(call, asked)) throw new ShellError('EBUSY');
      return files.writeFile(asked.path, asked.bytes, call);
    case 'makeDirectory':
      return files.mkdir(asked.path, call);
    case 'remove':
      return isDirectory(files.lstat(asked.path).mode) ? files.rmdir(asked.path) : files.unlink(asked.path);
    case 'rename':
      return files.rename(asked.path, asked.to);
    case 'chmod':
      return files.chmod(asked.path, asked.permissions & fileMode.permissions);
    case 'symlink':
      return files.symlink(asked.target, asked.path, call);
  }
}

async function writePath(
  call: ProgramCall,
  { path, bytes }: { path: ShellText; bytes: Uint8Array },
  append: boolean,
): Promise<void> {
  const flags = { write: true, create: true, append, truncate: !append };
  const file: OpenFile = call.files.open(path, flags, call);
  try {
    await file.write(bytes, call.signal);
  } finally {
    file.release();
  }
}

function isUnchanged(
  { files }: ProgramCall,
  { path, before }: { path: ShellText; before: Uint8Array | null },
): boolean {
  if (!files.exists(path)) return before === null;
  if (before === null) return false;
  const now = files.readFile(path);
  return now.length === before.length && now.every((byte, at) => byte === before[at]);
}
