import { chosenRuntimes } from '../../protocol/runtime-description.ts';
import type { RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';

/** Runtimes in which Node creates sandboxes on this host; `jail` is the first of those with a host of their own. */
export const nodeRuntimes: readonly RuntimeName[] = ['shell', ...chosenRuntimes('host')];
