/** A place in a recording, as a link names it: `#t=12.5&path=/etc/hosts&view=changes&terminal=2`. */
export interface ReplayPlace {
  /** Seconds. */
  readonly at: number;
  readonly path?: string | undefined;
  readonly view?: 'changes' | 'files' | undefined;
  readonly terminal?: number | undefined;
}

/** The most characters that a path of a link has. */
const mostPath = 4_096;

/** The place that a fragment names. It is a link's: nothing of it is believed. */
export function readPlace(hash: string): ReplayPlace {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const at = parseTime(given.get('t') ?? '');
  const path = given.get('path') ?? '';
  const view = given.get('view');
  const terminal = Number(given.get('terminal'));
  return {
    at,
    ...(path.startsWith('/') && path.length <= mostPath ? { path } : {}),
    ...(view === 'changes' || view === 'files' ? { view } : {}),
    ...(Number.isSafeInteger(terminal) && terminal > 1 ? { terminal } : {}),
  };
}

/** The fragment of a place, without its `#`. */
export function formatPlace({ at, path, view, terminal }: ReplayPlace): string {
  const parts = [`t=${Number(at.toFixed(3))}`];
  if (terminal !== undefined && terminal > 1) parts.push(`terminal=${terminal}`);
  if (path !== undefined) parts.push(`path=${encodeURIComponent(path).replaceAll('%2F', '/')}`);
  if (path !== undefined && view !== undefined) parts.push(`view=${view}`);
  return parts.join('&');
}

/** Seconds of `12.5`, `1:02` or `1:02:03`; 0 of anything else. */
function parseTime(text: string): number {
  if (!/^\d{1,6}(:\d{1,2}){0,2}(\.\d{1,3})?$/.test(text)) return 0;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
