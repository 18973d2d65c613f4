/**
 * What `/bin/bash -s -- PATH` reads, as root: it is read to its closing brace before it runs. It makes a directory
 * beside PATH that belongs to `user` and says `staged`, or `present` where PATH is there already, even as a link that
 * leads nowhere. Told to `keep`, it moves what is in it to PATH in one step; whatever else happens, it clears it away, and
 * the directory has the time of its last change again, unless others have changed it.
 * What an attempt that was cut short has left has the same name, and goes first.
 */
export const stagingScript = `{
set -euo pipefail
name=\${1##*/}
stage=.$name.coppice-clone
cd -- "\${1%/*}/"
if [[ -e ./$name || -L ./$name ]]; then
  echo present
  exit
fi
made=
clear_away() {
  trap "" HUP INT TERM
  local now=$(stat -c %y .)
  rm -rf -- "./$stage"
  [[ $now != "$made" ]] || touch -d "$before" .
}
trap clear_away EXIT
trap 'trap "" HUP INT TERM; exit 143' HUP INT TERM
rm -rf -- "./$stage"
before=$(stat -c %y .)
mkdir -m 700 -- "./$stage"
# Where there is one user id, it is theirs already.
chown user: "./$stage" 2>/dev/null || :
made=$(stat -c %y .)
echo staged
read -r word
[[ $word == keep ]]
trap '' HUP INT TERM
mv -T -- "./$stage/tree" "./$name"
exit
}
`;
