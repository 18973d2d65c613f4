import type { ModuleMarks } from '../../../runtimes/v86/live/page-states.ts';

/** v86's WebAssembly, which tells what its guest writes, unless it is of a version that is not known: put in the place of this file by the bundler (`scripts/watch-v86.ts`). */
export declare const watchedV86: { readonly url: string; readonly marks: ModuleMarks | undefined };
