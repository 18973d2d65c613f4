import { fileMode } from '../../tree/live/file-mode.ts';
import type { InodeView } from '../../tree/live/file-tree.ts';
import { madeInode } from '../files/made-inode.ts';
import { encodeText, type ShellText } from '../text.ts';

/** Above the numbers that a tree gives. */
const firstIno = 2 ** 40;
const inos = new Map<ShellText, number>();
export const programPermissions = 0o755;
const scriptHead = '#!/bin/sh\n# This program is built into the shell.\nexec /usr/bin/';

/** What a process sees of a built-in program's file, of which the tree has nothing. */
export function programInode(name: ShellText): InodeView {
  const ino = inos.get(name) ?? firstIno + inos.size;
  inos.set(name, ino);
  return { ...madeInode, ino, mode: fileMode.file | programPermissions, sizeBytes: programText(name).length };
}

/** A script, so that a copy of the file does what the program does. */
export function programText(name: ShellText): Uint8Array {
  return encodeText(`${scriptHead}${name} "$@"\n`);
}

/** The program whose file a file is a copy of, by how it begins: then it runs that one, also where it has taken its place. */
export function programOfText(head: ShellText): ShellText | undefined {
  if (!head.startsWith(scriptHead)) return undefined;
  return /^([^ /\n]+) "\$@"\n/.exec(head.slice(scriptHead.length))?.[1];
}
