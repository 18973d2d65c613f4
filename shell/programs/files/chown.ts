import type { ShellText } from '../../text.ts';
import { Accounts } from '../attributes/accounts.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { eachFile } from './each-file.ts';

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

const options = {
  changes: '-c, --changes  like verbose but report only when a change is made',
  quiet: '-f, --silent, --quiet  suppress most error messages',
  verbose: '-v, --verbose  output a diagnostic for every file processed',
  dereference: '--dereference  affect the referent of each symbolic link (the default)',
  noDereference: '-h, --no-dereference  affect symbolic links instead of any referenced file',
  from: '--from=CURRENT_OWNER:CURRENT_GROUP  change only files that have this owner and group',
  noPreserve: "--no-preserve-root  do not treat '/' specially (the default)",
  preserve: "--preserve-root  fail to operate recursively on '/'",
  reference: "--reference=RFILE  use RFILE's owner and group",
  recursive: '-R, --recursive  operate on files and directories recursively',
  operandLinks: '-H  with -R, traverse links to directories that are operands',
  allLinks: '-L  with -R, traverse every symbolic link to a directory',
  noLinks: '-P  with -R, do not traverse any symbolic links (default)',
};

export const chown: Program = defineProgram({
  usage: '[OPTION]... [OWNER][:[GROUP]] FILE...',
  summary: 'Change the owner and/or group of each FILE to OWNER and/or GROUP.',
  options,
  run: (invocation) => change(invocation, (text, accounts) => parseOwner(text, accounts)),
});

export const chgrp: Program = defineProgram({
  usage: '[OPTION]... GROUP FILE...',
  summary: 'Change the group of each FILE to GROUP.',
  options,
  run: (invocation) => change(invocation, (text, accounts) => ({ gid: groupId(text, accounts, text) })),
});

async function change(
  invocation: Invocation<keyof typeof options>,
  read: (text: ShellText, accounts: Accounts) => Owner,
): Promise<number> {
  const { call, options: given, operands, out } = invocation;
  const accounts = new Accounts(call.files);
  const reference = given.value('reference');
  const [text, ...rest] = operands;
  if (text === undefined) throw new UsageError('missing operand');
  const names = reference === undefined ? rest : operands;
  if (names.length === 0) throw new UsageError(`missing operand after ${quoteName(text)}`);
  const owner: Owner =
    reference === undefined ? read(text, accounts) : call.files.stat(pathOf(call, reference));
  const { uid, gid } = owner;
  const from = given.value('from');
  const wanted = from === undefined ? {} : parseOwner(from, accounts);
  const follow = !given.has('noDereference');
  const isDone = await eachFile(
    { ...invocation, warn: given.has('quiet') ? async () => {} : invocation.warn },
    names,
    {
      isRecursive: given.has('recursive'),
      followsOperands: given.has('recursive') ? given.has('operandLinks', 'allLinks') : follow,
      failing: 'cannot access',
      visit: (name, inode) => {
        if (wanted.uid !== undefined && wanted.uid !== inode.uid) return;
        if (wanted.gid !== undefined && wanted.gid !== inode.gid) return;
        const before = `${accounts.userName(inode.uid)}:${accounts.groupName(inode.gid)}`;
        const after = `${accounts.userName(uid ?? inode.uid)}:${accounts.groupName(gid ?? inode.gid)}`;
        call.files.chown(pathOf(call, name), {
          ...(uid !== undefined && { uid }),
          ...(gid !== undefined && { gid }),
          follow: follow && !given.has('recursive'),
        });
        if (!given.has('verbose') && !(given.has('changes') && before !== after)) return;
        const what = `ownership of ${quoteName(name)}`;
        out.add(
          before === after
            ? `${what} retained as ${before}\n`
            : `changed ${what} from ${before} to ${after}\n`,
        );
      },
    },
  );
  return isDone ? 0 : 1;
}

/** `user`, `user:group`, `user:` with the user's own group, `:group`, and numbers. */
function parseOwner(text: ShellText, accounts: Accounts): Owner {
  const separator = text.search(/[:]/);
  const user = separator < 0 ? text : text.slice(0, separator);
  const group = separator < 0 ? undefined : text.slice(separator + 1);
  const account = accounts.userNamed(user);
  const uid = user === '' ? undefined : (account?.uid ?? (/^\+?\d+$/.test(user) ? Number(user) : Number.NaN));
  if (Number.isNaN(uid)) throw new ProgramError(`invalid user: ${quoteName(text)}`);
  if (group === '' && user !== '') {
    if (account === undefined) throw new ProgramError(`invalid spec: ${quoteName(text)}`);
    return { uid: account.uid, gid: account.gid };
  }
  const gid = group === undefined || group === '' ? undefined : groupId(group, accounts, text);
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}

function groupId(group: ShellText, accounts: Accounts, whole: ShellText): number {
  const gid = accounts.groupNamed(group)?.gid ?? (/^\+?\d+$/.test(group) ? Number(group) : undefined);
  if (gid === undefined) throw new ProgramError(`invalid group: ${quoteName(whole)}`);
  return gid;
}
