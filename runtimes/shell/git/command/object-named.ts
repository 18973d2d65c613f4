import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { type NamedObject, objectOf } from '../../../../sandbox/git/library/revisions.ts';
import { GitCommandError } from '../git-command-error.ts';

/** The object that a caller names. @throws GitCommandError, as git says it */
export async function objectNamed(repository: Repository, name: string): Promise<NamedObject> {
  try {
    return await objectOf(repository, name);
  } catch (error) {
    throw notNamed(repository, name, error);
  }
}

function notNamed({ library }: Repository, name: string, error: unknown): unknown {
  if (!(error instanceof library.Errors.NotFoundError)) return error;
  const [, revision, path] = /^([^:]+):([\s\S]+)$/.exec(name) ?? [];
  if (path !== undefined) return new GitCommandError(`fatal: path '${path}' does not exist in '${revision}'`);
  return new GitCommandError(
    `fatal: ambiguous argument '${name}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'`,
  );
}
