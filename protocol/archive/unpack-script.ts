/**
 * What `/bin/bash -s -- DIRECTORY` reads before the archive: it is read to its closing brace before it runs,
 * and tar then reads on where it ends. All is unpacked into a directory of its own in DIRECTORY, and then
 * moved: what cannot be, nothing of it, and nothing through a link that is there already. A directory that
 * both have stays as it is there. What is new belongs to whom DIRECTORY belongs to. Once it moves, it is not
 * to be interrupted. The directory has its name before it is there, so that whenever it is told to end it clears it
 * away; told again, it goes on with that.
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
