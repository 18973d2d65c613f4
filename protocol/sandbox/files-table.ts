import {
  closed,
  count,
  list,
  nothing,
  number,
  optional,
  record,
  type Schema,
  text,
  word,
} from '../schema.ts';
import type { FileInfo, FilesFacet, PathAt } from './files.ts';
import type { Table } from './row.ts';
import { path, treeRef } from './schemas.ts';

const fileInfo: Schema<FileInfo> = record<FileInfo>({
  path: text,
  name: text,
  type: word('file', 'directory', 'symlink', 'device', 'fifo', 'socket'),
  mode: number,
  uid: number,
  gid: number,
  sizeBytes: number,
  modifiedAtMs: number,
  target: optional(text),
});

const pathAt: Schema<PathAt> = closed<PathAt>({ path, at: optional(treeRef) });
const twoPaths: Schema<{ readonly from: string; readonly to: string }> = closed({ from: path, to: path });
const onePath: Schema<{ readonly path: string }> = closed({ path });

export const filesTable: Table<FilesFacet> = {
  read: { access: 'read', ask: pathAt, gives: 'bytes' },
  write: {
    access: 'write',
    ask: closed({ path, mode: optional(count(0o7777)) }),
    takesBytes: true,
    gives: 'json',
    answer: nothing,
  },
  list: { access: 'read', ask: pathAt, gives: 'json', answer: list(fileInfo) },
  stat: { access: 'read', ask: pathAt, gives: 'json', answer: fileInfo },
  makeDirectory: { access: 'write', ask: onePath, gives: 'json', answer: nothing },
  remove: { access: 'write', ask: onePath, gives: 'json', answer: nothing },
  rename: { access: 'write', ask: twoPaths, gives: 'json', answer: nothing },
  copy: { access: 'write', ask: twoPaths, gives: 'json', answer: nothing },
};
