// The entry of the worker that reads recordings for a player: reading and searching 100 MB is not the page's work.

import { exposeReplay } from '../transports/replay-link.ts';
import { ReplayWorker } from './replay-worker.ts';

/** The worker's script is in the site's `assets/` folder; the development server has it elsewhere. */
const site = new URL(import.meta.env.DEV ? '/' : '..', location.href);
exposeReplay(new ReplayWorker(site));
