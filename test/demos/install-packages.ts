import type { Sandbox } from '../../sdk/sandbox.ts';
import { HostNpm } from '../../web/webcontainer-host/npm/host-npm.ts';
import { packInstalled } from '../fixtures/package-registry.ts';
import { serveRegistry } from '../fixtures/serve-registry.ts';

/** What is installed of this checkout for the demos. */
const packages = ['express'];

/** Of a package, what nobody runs: it would be most of a recording. */
const unread = /(?:^|\/)(?:test|docs?|examples|\.github)\/|\.(?:md|map|d\.m?ts)$|(?:^|\/)\./;

/** Runs `npm install` in a folder of a sandbox without npm, as the page does, with the packages of this checkout. @throws Error */
export async function installPackages(sandbox: Sandbox, folder: string): Promise<string> {
  const isPacked = (path: string) => !unread.test(path) || /license/i.test(path);
  await using registry = await serveRegistry(packInstalled(packages, isPacked));
  const npm = new HostNpm({
    ...{ sandbox, fetch, openCache: async () => undefined },
    registry: registry.url,
    platform: { os: 'linux', cpu: 'ia32', libc: 'glibc' },
  });
  const plan = await npm.plan({ argv: ['npm', 'install'], cwd: folder, envs: {} });
  if (plan?.type !== 'work') throw new Error('The image has an npm of its own');
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const exitCode = await plan.run(print, new AbortController().signal);
  if (exitCode !== 0) throw new Error(`npm ended with ${exitCode}: ${printed}`);
  return printed.trim();
}
