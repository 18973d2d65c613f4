import type { Program } from '../../../../shell/programs/program.ts';
import type { GitProgramParts } from './git-program-parts.ts';

/** The command `git`, loaded when it is first called. */
export function gitProgram(parts: GitProgramParts): Program {
  return async (call) => {
    const { runGitCommand } = await import('./run-git-command.ts');
    return runGitCommand(call, parts);
  };
}
