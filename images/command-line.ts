import { parseArgs } from 'node:util';
import { architectures, isArchitecture } from '../protocol/architecture.ts';
import { SandboxError } from '../protocol/errors.ts';
import type { ImportRequest } from './import/import-image.ts';

/** What the command is asked to do. */
export type Command =
  | { readonly type: 'help' }
  | { readonly type: 'build'; readonly profile: string; readonly golden: boolean }
  | ({ readonly type: 'import' } & ImportRequest)
  | { readonly type: 'update'; readonly profile: string | undefined }
  | { readonly type: 'kernel'; readonly verifies: boolean }
  | { readonly type: 'list' }
  | { readonly type: 'verify'; readonly profile: string | undefined };

/** The profile that the page starts. */
const defaultProfile = 'debian';

export const usage: string = `Usage: npm run images -- <command> [profile] [options]

Commands
  build [profile]    build an image from its lock file (default: ${defaultProfile}); does nothing when it is built
  import <name>      make an image for hosts of files of your own: with --from or --tarball
  update [profile]   write the lock file anew from the archive of today (default: all profiles)
  kernel             build the kernel and init of guest/compiled anew, from what the lock names
  list               the profiles, what is in them, and which are built; then what was imported
  verify [profile]   read every byte of a built image and check it (default: all that are built)

Options
  --no-golden        build without the saved state: the machine boots at each start
  --from FOLDER      import: the folder that is the root, or /; what is mounted below it stays out
  --tarball ARCHIVE  import: a tar archive, a file or a URL; plain, or packed by gzip, xz or zstd
  --sha256 HEX       import: what the archive has to be
  --architecture A   import: ${architectures.join(' or ')}; by default what a program of it says
  --verify           kernel: change nothing, and fail where guest/compiled differs from what its sources make
  --help             this text

Downloads and built images are kept in COPPICE_CACHE, else in coppice/ in the user's cache folder.
`;

const options = {
  help: { type: 'boolean' },
  golden: { type: 'boolean', default: true },
  from: { type: 'string' },
  tarball: { type: 'string' },
  sha256: { type: 'string' },
  architecture: { type: 'string' },
  verify: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse>['values'];

/** Reads the command line, without the program's name. @throws invalid-argument */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  const [name, profile, surplus] = positionals;
  if (values.help || name === undefined) return { type: 'help' };
  if (surplus !== undefined) throw refuse(`Unexpected argument "${surplus}"`);
  switch (name) {
    case 'build':
      return { type: 'build', profile: profile ?? defaultProfile, golden: values.golden !== false };
    case 'import':
      return { type: 'import', ...importRequest(profile, values) };
    case 'update':
    case 'verify':
      return { type: name, profile };
    case 'kernel':
      if (profile !== undefined) throw refuse(`Unexpected argument "${profile}"`);
      return { type: 'kernel', verifies: values.verify === true };
    case 'list':
      return { type: 'list' };
    default:
      throw refuse(`There is no command "${name}"; try --help`);
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowNegative: true, allowPositionals: true });
  } catch (cause) {
    throw refuse((cause as Error).message, cause);
  }
}

function importRequest(
  name: string | undefined,
  { from, tarball, sha256, architecture }: Values,
): ImportRequest {
  if (name === undefined) throw refuse('import needs a name for the image');
  if ((from === undefined) === (tarball === undefined)) throw refuse('import needs --from or --tarball');
  if (sha256 !== undefined && (tarball === undefined || !/^[0-9a-f]{64}$/.test(sha256)))
    throw refuse('--sha256 goes with --tarball, and has 64 hex digits');
  if (architecture !== undefined && !isArchitecture(architecture))
    throw refuse(`--architecture is ${architectures.join(' or ')}, not "${architecture}"`);
  const origin =
    tarball === undefined
      ? ({ type: 'folder', path: from ?? '/' } as const)
      : ({ type: 'tarball', from: tarball, sha256 } as const);
  return { name, origin, architecture };
}

function refuse(message: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid-argument', message, { cause });
}
