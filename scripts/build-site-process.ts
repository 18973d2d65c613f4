// The process in which `npm start` builds: `build-site-process.ts IMAGE…`. Tells its parent how far it is (`SiteMessage`).
import { createProgress, type Progress } from '../host/progress.ts';
import { SandboxError } from '../protocol/errors.ts';
import { buildSite } from './build-site.ts';

/** The page's folder, once it can be served; then each step of the image that is begun; at the end that all is there. */
export type SiteMessage =
  | { readonly type: 'page'; readonly folder: string }
  | { readonly type: 'step'; readonly label: string }
  | { readonly type: 'done' };

// The parent has ended, and with it the reason to build; after the answer this ends the process as well.
process.on('disconnect', () => process.exit());

const shown = createProgress();
const progress: Progress = {
  ...shown,
  step: (label, work) => {
    tell({ type: 'step', label });
    return shown.step(label, work);
  },
};
try {
  await buildSite({
    images: process.argv.slice(2),
    progress,
    onPage: (folder) => tell({ type: 'page', folder }),
  });
  process.send?.({ type: 'done' } satisfies SiteMessage, () => process.disconnect());
} catch (error) {
  console.error(error instanceof SandboxError ? error.message : error);
  process.exit(1);
}

function tell(message: SiteMessage): void {
  process.send?.(message);
}
