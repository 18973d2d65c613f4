import type { ShellText } from '../../text.ts';
import { type Account, Accounts } from '../attributes/accounts.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program, ProgramCall } from '../program.ts';

interface Identity {
  readonly user: Account;
  readonly groups: readonly number[];
}

/** A user by name or number, or who the process is. */
function identityOf(
  call: ProgramCall,
  accounts: Accounts,
  name: ShellText | undefined,
): Identity | undefined {
  const found =
    name === undefined ? accounts.user(call.uid) : (accounts.userNamed(name) ?? accounts.user(Number(name)));
  if (name !== undefined) return found && { user: found, groups: accounts.groupsOf(found) };
  const itself = { name: String(call.uid), uid: call.uid, gid: call.gid, fullName: '', home: '/', shell: '' };
  const user = { ...(found ?? itself), gid: call.gid };
  return { user, groups: accounts.groupsOf(user) };
}

export const id: Program = defineProgram({
  usage: '[OPTION]... [USER]...',
  summary:
    'Print user and group information for each specified USER, or (when USER omitted) for the current process.',
  options: {
    ignored: '-a  (ignored)',
    context: '-Z, --context  print only the security context (not supported)',
    group: '-g, --group  print only the effective group ID',
    groups: '-G, --groups  print all group IDs',
    name: '-n, --name  print a name instead of a number, for -ugG',
    real: '-r, --real  print the real ID instead of the effective ID, with -ugG',
    user: '-u, --user  print only the effective user ID',
    zero: '-z, --zero  delimit entries with NUL characters, not whitespace',
  },
  async run({ call, options, operands, out, warn }) {
    const accounts = new Accounts(call.files);
    const only = (['user', 'group', 'groups'] as const).filter((key) => options.has(key));
    if (only.length > 1) throw new ProgramError('cannot print "only" of more than one choice');
    if (only.length === 0 && options.has('name', 'real'))
      throw new ProgramError('cannot print only names or real IDs in default format');
    const isNamed = options.has('name');
    const separator = options.has('zero') ? '\0' : ' ';
    const end = options.has('zero') ? '\0' : '\n';
    const groupText = (gid: number) => (isNamed ? accounts.groupName(gid) : String(gid));
    let status = 0;
    for (const name of operands.length > 0 ? operands : [undefined]) {
      const identity = identityOf(call, accounts, name);
      if (identity === undefined) {
        await warn(`${quoteName(name ?? '')}: no such user`);
        status = 1;
        continue;
      }
      const { user, groups } = identity;
      if (only[0] === 'user') out.add(`${isNamed ? user.name : user.uid}${end}`);
      else if (only[0] === 'group') out.add(`${groupText(user.gid)}${end}`);
      else if (only[0] === 'groups') out.add(`${groups.map(groupText).join(separator)}${end}`);
      else {
        const shown = groups.map((gid) => `${gid}${inParentheses(accounts.group(gid)?.name)}`).join(',');
        const own = `${user.gid}${inParentheses(accounts.group(user.gid)?.name)}`;
        out.add(
          `uid=${user.uid}${inParentheses(accounts.user(user.uid)?.name)} gid=${own} groups=${shown}\n`,
        );
      }
    }
    return status;
  },
});

function inParentheses(name: ShellText | undefined): ShellText {
  return name === undefined ? '' : `(${name})`;
}

export const whoami: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print the user name associated with the current effective user ID.',
  async run({ call, operands, out }) {
    if (operands[0] !== undefined) throw new UsageError(`extra operand ${quoteName(operands[0])}`);
    const user = new Accounts(call.files).user(call.uid);
    if (user === undefined) throw new ProgramError(`cannot find name for user ID ${call.uid}`);
    out.add(`${user.name}\n`);
    return 0;
  },
});

export const groups: Program = defineProgram({
  usage: '[OPTION]... [USERNAME]...',
  summary:
    'Print group memberships for each USERNAME or, if no USERNAME is specified, for the current process.',
  async run({ call, operands, out, warn }) {
    const accounts = new Accounts(call.files);
    let status = 0;
    for (const name of operands.length > 0 ? operands : [undefined]) {
      const identity = identityOf(call, accounts, name);
      if (identity === undefined) {
        await warn(`${quoteName(name ?? '')}: no such user`);
        status = 1;
        continue;
      }
      const names = identity.groups.map((gid) => accounts.groupName(gid)).join(' ');
      out.add(name === undefined ? `${names}\n` : `${name} : ${names}\n`);
    }
    return status;
  },
});
