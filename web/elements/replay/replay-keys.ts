/** What the player's keys do, for the list that `?` shows. */
export const replayKeys: readonly (readonly [keys: string, what: string])[] = [
  ['Space', 'play or pause'],
  ['← →', 'five seconds back, on'],
  ['Page Up, Page Down', 'a minute back, on'],
  ['Home, End', 'the beginning, the end'],
  ['J, K', 'the step before, the next step'],
  ['Shift+J, Shift+K', 'the command or tool call before, the next one'],
  ['[ ]', 'the snapshot before, the next one'],
  ['< >', 'slower, faster'],
  ['I', 'skip idle time, or not'],
  ['T', 'the next terminal'],
  ['/', 'search in output and messages; Enter goes to the next place'],
  ['C', 'continue from here'],
  ['?', 'this list'],
];

/** What a key asks of the player. */
export type ReplayKey =
  | { readonly type: 'toggle' | 'skip-idle' | 'next-terminal' | 'search' | 'continue' | 'help' }
  | { readonly type: 'move'; readonly seconds: number }
  | { readonly type: 'end'; readonly to: 'first' | 'last' }
  | { readonly type: 'step'; readonly by: 1 | -1; readonly kinds?: readonly string[] }
  | { readonly type: 'speed'; readonly by: 1 | -1 };

const actions = ['command', 'call'];
const snapshots = ['snapshot'];

const byKey: Readonly<Record<string, ReplayKey>> = {
  ' ': { type: 'toggle' },
  ArrowLeft: { type: 'move', seconds: -5 },
  ArrowRight: { type: 'move', seconds: 5 },
  PageUp: { type: 'move', seconds: -60 },
  PageDown: { type: 'move', seconds: 60 },
  Home: { type: 'end', to: 'first' },
  End: { type: 'end', to: 'last' },
  j: { type: 'step', by: -1 },
  k: { type: 'step', by: 1 },
  J: { type: 'step', by: -1, kinds: actions },
  K: { type: 'step', by: 1, kinds: actions },
  '[': { type: 'step', by: -1, kinds: snapshots },
  ']': { type: 'step', by: 1, kinds: snapshots },
  '<': { type: 'speed', by: -1 },
  '>': { type: 'speed', by: 1 },
  i: { type: 'skip-idle' },
  t: { type: 'next-terminal' },
  '/': { type: 'search' },
  c: { type: 'continue' },
  '?': { type: 'help' },
};

/** Keys that what has the focus needs itself: to press it, to move in it, or to scroll it. */
const pressing = new Set([' ']);
const moving = new Set(['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);

/** What a key asks of the player; `undefined` where it is of the focused element, or of the browser. */
export function readReplayKey(event: KeyboardEvent): ReplayKey | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return undefined;
  if (target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')) return undefined;
  if (pressing.has(event.key) && target.matches('button, a, summary, input')) return undefined;
  if (moving.has(event.key) && target.matches('[role=slider], [role=tab], table, pre')) return undefined;
  return byKey[event.key];
}
