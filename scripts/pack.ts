// `npm run pack`: the package, as npm would publish it, in `dist`. Prints its path.
import { join } from 'node:path';
import { packTarball } from './pack/pack-tarball.ts';
import { root } from './run-step.ts';

console.log(await packTarball(join(root, 'dist')));
