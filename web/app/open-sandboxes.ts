const storageKey = 'coppice.open';

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

function split(list: string): string[] {
  return list
    .split(',')
    .filter((id) => id !== '')
    .slice(0, 8);
}
