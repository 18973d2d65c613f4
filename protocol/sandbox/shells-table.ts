import {
  absentOr,
  closed,
  dictionary,
  flag,
  list,
  nothing,
  oneOf,
  record,
  type Schema,
  text,
  word,
} from '../schema.ts';
import type { Table } from './row.ts';
import { argument, name, noFields, path } from './schemas.ts';
import {
  lostShellParts,
  type RestoreShell,
  type ShellInfo,
  type ShellOptions,
  type ShellRun,
  type ShellsFacet,
} from './shells.ts';

const shellInfo: Schema<ShellInfo> = record<ShellInfo>({
  id: text,
  user: word('user', 'root'),
  cwd: text,
  isRunning: flag,
  lost: list(word(...lostShellParts)),
});

/** A command can change anything. */
export const shellsTable: Table<ShellsFacet> = {
  open: {
    access: 'run',
    ask: closed<ShellOptions & { readonly id?: string }>({
      id: absentOr(name),
      cwd: absentOr(path),
      envs: absentOr(dictionary(argument, argument)),
      user: absentOr(oneOf('user', 'root')),
    }),
    gives: 'json',
    answer: shellInfo,
  },
  run: {
    access: 'run',
    ask: closed<ShellRun>({ id: name, command: argument, stdin: absentOr(flag) }),
    gives: 'process',
  },
  list: { access: 'read', ask: noFields, gives: 'json', answer: list(shellInfo) },
  save: { access: 'read', ask: closed<{ readonly id: string }>({ id: name }), gives: 'bytes' },
  restore: {
    access: 'run',
    ask: closed<Omit<RestoreShell, 'bytes'>>({ user: absentOr(oneOf('user', 'root')) }),
    takesBytes: true,
    gives: 'json',
    answer: shellInfo,
  },
  close: {
    access: 'run',
    ask: closed<{ readonly id: string }>({ id: name }),
    gives: 'json',
    answer: nothing,
  },
};
