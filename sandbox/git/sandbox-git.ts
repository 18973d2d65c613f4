import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { describeRuntime } from '../../protocol/runtime-description.ts';
import type { GitFacet } from '../../protocol/sandbox/git.ts';
import type { CaptureTimer } from '../capture/capture-timer.ts';
import type { CommandLog } from '../capture/command-log.ts';
import type { RunningMachine } from '../machine/sandbox-machine.ts';
import { type SandboxRecord, withSettings } from '../sandbox-settings.ts';
import { assertRefName, assertRevision, assertTreePath, assertWorkingTree } from './git-names.ts';

export interface SandboxGitParts {
  readonly running: () => Promise<RunningMachine>;
  /** Resolves once the sandbox has a history: what git changes is no part of its first snapshot. @throws read-only */
  readonly begun: () => Promise<void>;
  readonly info: SandboxRecord;
  readonly commands: CommandLog;
  readonly captures: CaptureTimer;
}

/** The git of a sandbox, whatever its machine has: what is asked is checked, and what changes files is a command of the history. */
export function sandboxGit(parts: SandboxGitParts): GitFacet {
  const git = () => findGit(parts);
  const change = <T>(name: string, work: () => Promise<T>) => asCommand(parts, `git ${name}`, work);
  return {
    clone: async (ask, onProgress) => {
      assertWorkingTree(ask.directory, 'Cannot clone');
      assertReaches(parts.info, ask.url);
      const pause = parts.captures.pause(limits.clearedAwayPauseMs);
      try {
        return await change('clone', async () => {
          await pause.begun;
          return (await git()).clone(ask, onProgress);
        });
      } finally {
        pause.end();
      }
    },
    fetch: async (ask, onProgress) => {
      assertWorkingTree(ask.directory, 'Cannot fetch');
      assertRefName(ask.remote, 'Cannot fetch');
      return change('fetch', async () => (await git()).fetch(ask, onProgress));
    },
    push: async (ask, onProgress) => {
      assertWorkingTree(ask.directory, 'Cannot push');
      for (const name of [ask.remote, ask.branch]) assertRefName(name, 'Cannot push');
      return change('push', async () => (await git()).push(ask, onProgress));
    },
    pull: async (ask, onProgress) => {
      assertWorkingTree(ask.directory, 'Cannot pull');
      for (const name of [ask.remote, ask.branch]) assertRefName(name, 'Cannot pull');
      return change('pull', async () => (await git()).pull(ask, onProgress));
    },
    merge: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot merge');
      assertRevision(ask.ref, 'Cannot merge');
      return change('merge', async () => (await git()).merge(ask));
    },
    status: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot tell the status');
      return (await git()).status(ask);
    },
    diff: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot compare');
      for (const side of [ask.from, ask.to]) assertRevision(side, 'Cannot compare');
      for (const path of ask.paths ?? []) assertTreePath(path, 'Cannot compare');
      if (ask.to !== undefined && (ask.from === undefined || ask.staged)) {
        throw new SandboxError(
          'invalid-argument',
          'Cannot compare: `to` needs `from`, and is not for the index',
        );
      }
      return (await git()).diff(ask);
    },
    add: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot add');
      for (const path of ask.paths ?? []) assertTreePath(path, 'Cannot add');
      return change('add', async () => (await git()).add(ask));
    },
    unstage: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot unstage');
      for (const path of ask.paths ?? []) assertTreePath(path, 'Cannot unstage');
      return change('unstage', async () => (await git()).unstage(ask));
    },
    commit: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot commit');
      return change('commit', async () => (await git()).commit(ask));
    },
    log: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot tell the log');
      assertRevision(ask.ref, 'Cannot tell the log');
      return (await git()).log(ask);
    },
    branches: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot list the branches');
      return (await git()).branches(ask);
    },
    checkout: async (ask) => {
      assertWorkingTree(ask.directory, 'Cannot check out');
      (ask.create ? assertRefName : assertRevision)(ask.ref, 'Cannot check out');
      return change('checkout', async () => (await git()).checkout(ask));
    },
  };
}

/**
 * A machine without a network reaches servers of its own only: it is refused before a command begins, whose failure
 * would be a row of the history. @throws unsupported
 */
function assertReaches({ runtime, network }: SandboxRecord, url: string): void {
  const description = describeRuntime(runtime);
  if (!description?.linux || !description.confines || network === 'full') return;
  const [, host] = /^(?:https?|ssh):\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/.exec(url) ?? [];
  if (host === undefined || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)) return;
  const remedy =
    description.network !== 'full'
      ? "Clone in a sandbox whose runtime is 'shell', then go on in a machine, or in a sandbox of a bridge with network: 'full'."
      : "Make the sandbox with network: 'full'.";
  throw new SandboxError('unsupported', `Cannot clone from ${host}: this sandbox has no network. ${remedy}`, {
    details: { feature: 'network', remedy },
  });
}

/** @throws unsupported */
async function findGit({ running, info }: SandboxGitParts): Promise<GitFacet> {
  const { git, processes } = await running();
  if (git === 'program') {
    // Loaded for those who use it: a page starts without.
    const { ProgramGit } = await import('./program/program-git.ts');
    return new ProgramGit({
      start: (request, ...rest) => processes.start(withSettings(request, info), ...rest),
    });
  }
  if (git) return git();
  throw new SandboxError('unsupported', 'Cannot use git: this sandbox has none', {
    details: { feature: 'git' },
  });
}

async function asCommand<T>(
  { begun, commands, captures }: SandboxGitParts,
  command: string,
  work: () => Promise<T>,
): Promise<T> {
  await begun();
  const stream = {};
  commands.start(stream, command);
  let exitCode = 1;
  try {
    const result = await captures.during(work);
    exitCode = 0;
    return result;
  } finally {
    commands.end(stream, { exitCode });
  }
}
