import type { UnclaimedSandboxes } from '../elements/model/shell-first.ts';
import type { OpenSandbox } from '../elements/model/workspace.ts';

const storageKey = 'coppice.open';
const unclaimedKey = 'coppice.unclaimed';
const mostOpen = 8;
/** Those that could not be deleted wait for a later visit; the oldest of more stay in the list of sandboxes. */
const mostUnclaimed = 64;

/** The sandboxes to open: those of the address, else those of this browser that were open last. */
export function readOpenSandboxes(hash: string, storage: Pick<Storage, 'getItem'>): OpenSandbox[] {
  const named = new URLSearchParams(hash.replace(/^#/, '')).get('s');
  try {
    return parseList(named ?? storage.getItem(storageKey) ?? '');
  } catch {
    return parseList(named ?? '');
  }
}

/** Keeps the open sandboxes in the address, for this tab; and those of this browser in storage, for the next. */
export function rememberOpenSandboxes(open: readonly OpenSandbox[]): void {
  history.replaceState(null, '', `#s=${formatList(open)}`);
  const here = open.filter(({ host }) => host === undefined);
  if (here.length === 0) return;
  try {
    localStorage.setItem(storageKey, here.map(({ id }) => id).join(','));
  } catch {
    // The address alone still reopens them.
  }
}

/** For the fragment of an address: `one,two@http://127.0.0.1:7070`. */
export function formatList(open: readonly OpenSandbox[]): string {
  const entries = open.map(({ id, host }) =>
    host === undefined ? id : `${id}@${host.replace(/[%,]/g, encodeURIComponent)}`,
  );
  return entries
    .map((entry) => encodeURIComponent(entry).replace(/%(3A|2F|40)/g, decodeURIComponent))
    .join(',');
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

function parseList(list: string): OpenSandbox[] {
  return idsOf(list)
    .slice(0, mostOpen)
    .map((entry) => {
      const at = entry.indexOf('@');
      if (at < 0) return { id: entry };
      return { id: entry.slice(0, at), host: entry.slice(at + 1).replace(/%2C|%25/g, decodeURIComponent) };
    });
}

function idsOf(list: string): string[] {
  return list.split(',').filter((id) => id !== '');
}
