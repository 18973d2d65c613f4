import type { ShellText } from '../../text.ts';
import { Accounts } from '../attributes/accounts.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';

/** Runs a command as another user: here by its environment alone, since nothing asks who may do what. */
export const sudo: Program = defineProgram({
  usage: '[-u USER] [VAR=VALUE]... COMMAND [ARG]...',
  summary: 'Execute a command as another user. No password is asked.',
  permutes: false,
  options: {
    user: '-u, --user=USER  run command as specified user name or ID',
    group: '-g, --group=GROUP  run command as the specified group name or ID (ignored)',
    preserve: '-E, --preserve-env  preserve user environment when running command',
    home: "-H, --set-home  set HOME variable to target user's home dir",
    login: '-i, --login  run login shell as the target user',
    shell: '-s, --shell  run shell as the target user',
    nonInteractive: '-n, --non-interactive  non-interactive mode, no prompts are used',
    list: '-l, --list  list what may be run: everything',
    validate: "-v, --validate  update user's timestamp without running a command",
    kill: '-k, --reset-timestamp  invalidate timestamp file',
  },
  async run(invocation) {
    const { call, options, out } = invocation;
    const words = [...invocation.operands];
    const accounts = new Accounts(call.files);
    const name = options.value('user') ?? 'root';
    const account =
      accounts.userNamed(name.replace(/^#/, '')) ?? accounts.user(Number(name.replace(/^#/, '')));
    if (account === undefined) throw new ProgramError(`unknown user ${name}`);
    if (options.has('list')) out.add('(ALL : ALL) NOPASSWD: ALL\n');
    if (words.length === 0 && options.has('list', 'validate', 'kill')) return 0;
    const environment = new Map<ShellText, ShellText>(call.environment);
    environment.set('SUDO_USER', accounts.userName(call.uid));
    environment.set('SUDO_UID', String(call.uid));
    environment.set('SUDO_GID', String(call.gid));
    environment.set('USER', account.name);
    environment.set('LOGNAME', account.name);
    environment.set('HOME', account.home);
    for (let word = words[0]; word !== undefined && /^[A-Za-z_]\w*=/.test(word); word = words[0]) {
      environment.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
      words.shift();
    }
    const startsShell = options.has('login', 'shell');
    if (words.length === 0 && !startsShell) throw new UsageError('a command is required');
    const identity = { uid: account.uid, gid: account.gid };
    const argv = !startsShell ? words : words.length > 0 ? ['bash', '-c', '"$0" "$@"', ...words] : ['bash'];
    const cwd = options.has('login') && call.files.exists(account.home) ? account.home : call.cwd;
    return runCommand(invocation, argv, { options: { environment, cwd, ...identity }, isBare: true });
  },
});
