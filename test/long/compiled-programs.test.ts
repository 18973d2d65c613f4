import { test } from 'vitest';
import {
  compileHostProgram,
  type HostProgramName,
  hostPrograms,
} from '../../bridge-server/programs/build-host-program.ts';
import { CacheFolder, cachePath } from '../../host/cache/cache-folder.ts';
import { AptRoot } from '../../host/debian/apt-root.ts';
import { createProgress } from '../../host/progress.ts';
import { openToolchain } from '../../host/toolchain/open-toolchain.ts';
import { compileMachine } from '../../images/machine/compile-machine.ts';

const cache = new CacheFolder(cachePath());
const progress = createProgress();
const apt = () => AptRoot.open(cache, { architecture: 'i386', progress });

// Each throws where the bytes of guest/compiled are others.
test('I-1 the kernel and init that come compiled are what their sources make', () =>
  compileMachine({ verifies: true }, { cache, progress, apt }));

test.each(Object.keys(hostPrograms) as HostProgramName[])(
  'O-1 the %s that comes compiled is what its sources make',
  async (name) => {
    const toolchain = await openToolchain({ cache, progress });
    await compileHostProgram(name, { verifies: true, cache, toolchain });
  },
);
