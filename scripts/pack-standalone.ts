// `npm run pack:standalone`: one archive that needs no Node, in `dist`. Prints its path.
import { join } from 'node:path';
import { packStandalone } from './pack/pack-standalone.ts';
import { root } from './run-step.ts';

console.log(await packStandalone(join(root, 'dist')));
