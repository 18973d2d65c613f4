import { quoteWords } from '../quote-words.ts';

/**
 * The script that `/bin/bash -s -- DIRECTORY` reads from its input, in front of the archive. Bash reads up to the
 * closing brace before it runs it, and tar then reads the rest. Everything is unpacked into a staging directory in
 * DIRECTORY and then moved: if one member cannot be moved, none is, and none through an existing link. Existing
 * directories keep their attributes; new files belong to DIRECTORY's owner. Once moving begins, signals are
 * ignored. The staging directory's name is set before it is made, so that SIGTERM at any time deletes it; further
 * signals do not interrupt the deletion.
 */
export const unpackScript = `{
set -euo pipefail
shopt -s dotglob nullglob
cd -- "$1"
stage=
trap 'trap "" HUP INT TERM; [ -z "$stage" ] || rm -rf -- "$stage"' EXIT
trap 'trap "" HUP INT TERM; exit 143' HUP INT TERM
stage=.coppice-$SRANDOM$SRANDOM
mkdir -m 700 -- "$stage"
tar --extract --file=- --directory="$stage" --no-same-owner --same-permissions --delay-directory-restore \\
  --warning=no-unknown-keyword
chown --recursive --no-dereference --reference=. -- "$stage"
is_directory() { [[ -d $1 && ! -L $1 ]]; }
merge() {
  local name moved=()
  for name in *; do
    if is_directory "$name" && is_directory "$2/$name"; then
      (cd -- "./$name"; merge "$1" "../$2/$name")
    elif [[ $1 == move ]]; then
      moved+=("$name")
    elif is_directory "$2/$name" || { is_directory "$name" && [[ -e $2/$name || -L $2/$name ]]; }; then
      echo "something else is in the place of $name" >&2
      exit 1
    fi
  done
  [ "\${#moved[@]}" = 0 ] || printf '%s\\0' "\${moved[@]}" | xargs -0 mv -f -t "$2" --
}
(cd -- "$stage"; merge check ..; trap '' HUP INT TERM; merge move ..)
exit
}
`;

/** What runs the script, with the archive for `path` behind it. It is no argument, as the history shows the command. */
export function unpackCommand(path: string): readonly string[] {
  return [...unpackProgram, path];
}

/** What the history calls a command in its place: `undefined` of any other. */
export function unpackTitle(command: string | readonly string[]): string | undefined {
  if (typeof command === 'string' || command.length !== unpackProgram.length + 1) return undefined;
  const isOne = unpackProgram.every((word, at) => word === command[at]);
  return isOne ? `unpack an archive into ${quoteWords(command.slice(unpackProgram.length))}` : undefined;
}

const unpackProgram: readonly string[] = ['/bin/bash', '-s', '--'];
