/** What of a name is compared: a client may send any. */
const comparedCharacters = 64;

/** The one of `known` that `name` was most likely meant to be; `undefined` where none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const asked = name.slice(0, comparedCharacters).toLowerCase();
  const farthest = Math.max(1, Math.floor(asked.length / 3));
  let nearest: { readonly name: string; readonly distance: number } | undefined;
  for (const each of known) {
    const candidate = each.toLowerCase();
    // `timeout` for `timeoutMs`, `env` for `envs`: a unit or an ending that was left out.
    const isPart = asked.length >= 3 && (candidate.startsWith(asked) || asked.startsWith(candidate));
    const distance = isPart ? 1 : editDistance(asked, candidate);
    if (distance <= farthest && distance < (nearest?.distance ?? Number.POSITIVE_INFINITY)) {
      nearest = { name: each, distance };
    }
  }
  return nearest?.name;
}

/** Insertions, deletions and substitutions between two texts (Wagner and Fischer, 1974). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
