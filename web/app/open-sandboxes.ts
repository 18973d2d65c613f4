import type { UnclaimedSandboxes } from '../elements/model/shell-first.ts';

const storageKey = 'coppice.open';
const unclaimedKey = 'coppice.unclaimed';
const mostOpen = 8;
/** Those that could not be deleted wait for a later visit; the oldest of more stay in the list of sandboxes. */
const mostUnclaimed = 64;

/** The ids of the sandboxes to open: those of the address, else those that were open last. */
export function readOpenSandboxes(hash: string, storage: Pick<Storage, 'getItem'>): string[] {
  const named = new URLSearchParams(hash.replace(/^#/, '')).get('s');
  try {
    return split(named ?? storage.getItem(storageKey) ?? '');
  } catch {
    return split(named ?? '');
  }
}

/** Keeps the open sandboxes in the address, for this tab, and in storage, for the next. */
export function rememberOpenSandboxes(ids: readonly string[]): void {
  const list = ids.map((id) => encodeURIComponent(id)).join(',');
  history.replaceState(null, '', `#s=${list}`);
  try {
    localStorage.setItem(storageKey, ids.join(','));
  } catch {
    // The address alone still reopens them.
  }
}

/** Where the ids of sandboxes are kept that were made before anybody asked. Without storage, nobody deletes those. */
export const unclaimedSandboxes: UnclaimedSandboxes = {
  read() {
    try {
      return idsOf(localStorage.getItem(unclaimedKey) ?? '');
    } catch {
      return [];
    }
  },
  write(ids) {
    try {
      if (ids.length === 0) localStorage.removeItem(unclaimedKey);
      else localStorage.setItem(unclaimedKey, [...new Set(ids)].slice(-mostUnclaimed).join(','));
    } catch {
      // They stay in the list of sandboxes.
    }
  },
};

function split(list: string): string[] {
  return idsOf(list).slice(0, mostOpen);
}

function idsOf(list: string): string[] {
  return list.split(',').filter((id) => id !== '');
}
