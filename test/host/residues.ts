import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { groupPrefix } from '../../bridge-server/runtimes/jail/control-groups/group-names.ts';
import { readJailRecord } from '../../bridge-server/runtimes/jail/jail-record.ts';
import { openRegistry } from '../../bridge-server/stores/registry.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { controlGroupsNamed, processesWith } from './jail/leftovers.ts';
import type { Serving } from './serving.ts';

/**
 * What earlier bridges on `folder` have left on the host that is no part of a sandbox that goes on, and what such a
 * sandbox lacks. Roots of files that could not be saved are no residue: they wait for their sandbox.
 */
export async function residues(
  folder: string,
  {
    backend,
    bridge: { running },
  }: { readonly backend: SandboxBackend; readonly bridge: Pick<Serving, 'running'> },
): Promise<string[]> {
  const prefix = await groupPrefix(folder);
  const known = new Set((await backend.list()).map(({ id }) => id));
  const jails = await readdir(join(folder, 'jails'));
  const notes = jails.map((name) => readJailRecord(join(folder, 'jails', name)));
  const noted = new Set([
    ...notes.flatMap(({ cgroup, root }) => [cgroup, root.folder]),
    ...unsavedRoots(folder),
  ]);
  const strangers = [...running, ...notes.map(({ sandbox }) => sandbox)].filter((id) => !known.has(id));
  const groups = (await controlGroupsNamed((name) => name.startsWith(prefix))).map((path) => basename(path));
  const stores = (await readdir(join(folder, 'sandboxes'))).filter((name) => !known.has(name));
  const roots: string[] = [];
  for (const kind of await readdir(join(folder, 'roots'))) {
    for (const place of ['roots', 'making']) {
      roots.push(...(await readdir(join(folder, 'roots', kind, place)).catch(() => [])));
    }
  }
  return [...strangers, ...stores, ...[...groups, ...roots].filter((name) => !noted.has(name))];
}

/** Groups, processes and mounts that a bridge on `folder` has left which was ended with all that ran. */
export async function remains(folder: string): Promise<string[]> {
  const prefix = await groupPrefix(folder);
  const groups = await controlGroupsNamed((name) => name.startsWith(prefix));
  const processes = (await processesWith(folder)).map((pid) => `process ${pid}`);
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return [...groups, ...processes, ...mounts.filter((line) => line.includes(` ${folder}/`))];
}

function unsavedRoots(folder: string): string[] {
  using registry = openRegistry(folder);
  return registry.unsaved.list().map(({ root }) => root.folder);
}
