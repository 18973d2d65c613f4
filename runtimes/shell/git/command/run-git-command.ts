import { SandboxError } from '../../../../protocol/errors.ts';
import { absolutePath } from '../../../../shell/files/absolute-path.ts';
import type { ProgramCall } from '../../../../shell/programs/program.ts';
import { ShellError } from '../../../../shell/shell-error.ts';
import { encodeText } from '../../../../shell/text.ts';
import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { blameCommands } from './blame-command.ts';
import { branchCommand } from './branch-command.ts';
import { checkoutCommands } from './checkout-commands.ts';
import { clean } from './clean-command.ts';
import { commitCommands } from './commit-commands.ts';
import { describeCommands } from './describe-commands.ts';
import { diffCommands } from './diff-command.ts';
import { fileCommands } from './file-commands.ts';
import { GitCall, type GitCommand } from './git-call.ts';
import type { GitProgramParts } from './git-program-parts.ts';
import { grepCommands } from './grep-command.ts';
import { inspectCommands } from './inspect-commands.ts';
import { logCommands } from './log-command.ts';
import { mergeCommands } from './merge-command.ts';
import { missingCommand } from './missing-commands.ts';
import { pickCommands } from './pick-commands.ts';
import { pushCommands } from './push-command.ts';
import { rebaseCommands } from './rebase-command.ts';
import { refCommands } from './ref-commands.ts';
import { remoteCommand } from './remote-command.ts';
import { remoteCommands } from './remote-commands.ts';
import { resetCommands } from './reset-command.ts';
import { revParseCommands } from './rev-parse-command.ts';
import { settingCommands } from './setting-commands.ts';
import { showCommands } from './show-command.ts';
import { stashCommands } from './stash-command.ts';
import { statusCommands } from './status-command.ts';
import { tagCommands } from './tag-command.ts';

const commands: Readonly<Record<string, GitCommand>> = {
  ...settingCommands,
  ...remoteCommands,
  ...remoteCommand,
  ...pushCommands,
  ...fileCommands,
  ...commitCommands,
  ...statusCommands,
  ...logCommands,
  ...showCommands,
  ...diffCommands,
  ...branchCommand,
  ...tagCommands,
  ...refCommands,
  ...describeCommands,
  ...blameCommands,
  ...grepCommands,
  ...revParseCommands,
  ...checkoutCommands,
  ...resetCommands,
  ...mergeCommands,
  ...pickCommands,
  ...rebaseCommands,
  ...stashCommands,
  ...inspectCommands,
  clean,
};

const version = 'git version 2.39.0 (Coppice)\n';

/** `git [-C DIR] [-c NAME=VALUE] COMMAND …`. What git prints goes to the caller's streams; answers the exit code. */
export async function runGitCommand(call: ProgramCall, parts: GitProgramParts): Promise<number> {
  const say = (text: string) =>
    call.stderr.write(encodeText(text.endsWith('\n') ? text : `${text}\n`), call.signal);
  let git: GitCall | undefined;
  try {
    const { cwd, settings, words } = readGlobals(call);
    const [name, ...rest] = words;
    if (name === '--version' || name === 'version') {
      await call.stdout.write(encodeText(version), call.signal);
      return 0;
    }
    if (name === undefined || name === 'help' || name === '--help') {
      const list = Object.keys(commands).sort().join(' ');
      await call.stdout.write(
        encodeText(`usage: git [-C <path>] [-c <name>=<value>] <command> [<args>]\n\nCommands: ${list}\n`),
        call.signal,
      );
      return name === undefined ? 1 : 0;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw missingCommand(name);
    git = new GitCall(call, { parts, cwd, settings });
    const status = await command(git, rest);
    await git.out.flush();
    return status;
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof ShellError) throw error;
    // What it has found out by then comes first.
    await git?.out.flush();
    if (error instanceof NotInShellError) call.noteMissing?.(`git-${call.args[0] ?? ''}`);
    if (error instanceof GitCommandError) {
      if (error.message !== '') await say(error.message);
      return error.exitCode;
    }
    await say(`fatal: ${explain(error)}`);
    return 128;
  }
}

/** What git says before its command. @throws GitCommandError */
function readGlobals(call: ProgramCall): { cwd: string; settings: Map<string, string>; words: string[] } {
  const words = [...call.args];
  const settings = new Map<string, string>();
  let { cwd } = call;
  while (words[0]?.startsWith('-') && words[0] !== '--version' && words[0] !== '--help') {
    const word = words.shift() ?? '';
    if (word === '-C') {
      const path = words.shift() ?? '';
      cwd = absolutePath(cwd, path).replace(/(.)\/$/, '$1');
      if (!call.files.exists(cwd)) {
        throw new GitCommandError(`fatal: cannot change to '${path}': No such file or directory`);
      }
    } else if (word === '-c') {
      const [, key = '', value = 'true'] = /^([^=]*)=?([\s\S]*)$/.exec(words.shift() ?? '') ?? [];
      settings.set(key, value);
    } else if (!['--no-pager', '-P', '--literal-pathspecs', '--no-optional-locks'].includes(word)) {
      throw new GitCommandError(`unknown option: ${word}`, 129);
    }
  }
  return { cwd: call.files.realpath(cwd), settings, words };
}

function explain(error: unknown): string {
  const { message, details } = SandboxError.from(error);
  const { remedy } = details;
  return `${message.replace(/^(?:fatal: )+/, '')}${typeof remedy === 'string' ? `\nhint: ${remedy}` : ''}`;
}
