import { readFileSync } from 'node:fs';

/**
 * Whose ids this process has to give to jails and to files on disk. `root`: the host's, any of them.
 * `id-range`: those of a user namespace that it is root of, enough for one jail's users. `one-id`: its
 * user's own, which all users in a jail are then.
 */
export type Privileges = 'root' | 'id-range' | 'one-id';

/** A jail has ids 0 … 65535 (guest/launch/id-map.h). */
export const idCount = 65_536;

/** What this process has, which does not change while it runs. */
export function ownPrivileges(): Privileges {
  if (process.geteuid?.() !== 0) return 'one-id';
  const maps = ['uid_map', 'gid_map'].map((name) => readFileSync(`/proc/self/${name}`, 'utf8'));
  if (maps.every(isOfHost)) return 'root';
  return maps.every(hasJailIds) ? 'id-range' : 'one-id';
}

/** Whether an id map (user_namespaces(7)) is that of no namespace but the host's. */
function isOfHost(map: string): boolean {
  return /^\s*0\s+0\s+4294967295\s*$/.test(map);
}

/**
 * Whether a namespace with that id map can pass on 0, and 1 … 65535 in one piece: lines of the map of a
 * namespace inside must each lie within one of its own.
 */
export function hasJailIds(map: string): boolean {
  const has = (first: number, last: number): boolean =>
    map.split('\n').some((line) => {
      const [inside = Number.NaN, , count = 0] = line.trim().split(/\s+/).map(Number);
      return inside <= first && last < inside + count;
    });
  return has(0, 0) && has(1, idCount - 1);
}
