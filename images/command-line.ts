import { parseArgs } from 'node:util';
import { SandboxError } from '../protocol/errors.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'build'; readonly profile: string; readonly golden: boolean }
  | { readonly type: 'update'; readonly profile: string | undefined }
  | { readonly type: 'list' }
  | { readonly type: 'verify'; readonly profile: string | undefined };

/** The profile that the page starts. */
const defaultProfile = 'debian';

export const usage: string = `Usage: npm run images -- <command> [profile] [options]

Commands
  build [profile]    build an image from its lock file (default: ${defaultProfile}); does nothing when it is built
  update [profile]   write the lock file anew from the archive of today (default: all profiles)
  list               the profiles, what is in them, and which are built
  verify [profile]   read every byte of a built image and check it (default: all that are built)

Options
  --no-golden        build without the saved state: the machine boots at each start
  --help             this text

Downloads and built images are kept in COPPICE_CACHE, else in coppice/ in the user's cache folder.
`;

/** Reads the command line, without the program's name. @throws invalid-argument */
export function parseCommandLine(argv: readonly string[]): Command {
  let parsed: { values: { help?: boolean; golden?: boolean }; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean' }, golden: { type: 'boolean', default: true } },
      allowNegative: true,
      allowPositionals: true,
    });
  } catch (cause) {
    throw new SandboxError('invalid-argument', (cause as Error).message, { cause });
  }
  const { values, positionals } = parsed;
  const [name, profile, surplus] = positionals;
  if (values.help || name === undefined) return { type: 'help' };
  if (surplus !== undefined) throw new SandboxError('invalid-argument', `Unexpected argument "${surplus}"`);
  switch (name) {
    case 'build':
      return { type: 'build', profile: profile ?? defaultProfile, golden: values.golden !== false };
    case 'update':
    case 'verify':
      return { type: name, profile };
    case 'list':
      return { type: 'list' };
    default:
      throw new SandboxError('invalid-argument', `There is no command "${name}"; try --help`);
  }
}
