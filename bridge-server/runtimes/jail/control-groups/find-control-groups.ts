import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlGroupMaker } from './control-groups.ts';
import { V1GroupMaker, type V1Parents, v1Controllers } from './groups-v1.ts';
import { V2GroupMaker } from './groups-v2.ts';

/** What this host offers, or why it offers nothing. */
export type FoundControlGroups =
  | { readonly type: 'found'; readonly maker: ControlGroupMaker }
  | { readonly type: 'none'; readonly reason: string };

const v2Needs = ['memory', 'pids', 'cpu'];

/** The control groups in which this process may make others: below its own, so that its own limits hold too. */
export async function findControlGroups(root = '/sys/fs/cgroup'): Promise<FoundControlGroups> {
  const own = parseOwnGroups(await readFile('/proc/self/cgroup', 'utf8').catch(() => ''));
  const v1 = await findV1(root, own);
  if (typeof v1 !== 'string') return { type: 'found', maker: new V1GroupMaker(v1) };
  const v2 = await findV2(root, own.get('') ?? '/');
  if (v2) return { type: 'found', maker: new V2GroupMaker(v2) };
  const reason = `Version 1: ${v1}. Version 2: no group with ${v2Needs.join(', ')} is delegated to us`;
  return { type: 'none', reason };
}

/** The path of our group by controller, with `''` for version 2 (cgroups(7), /proc/pid/cgroup). */
function parseOwnGroups(text: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const controller of controllers?.split(',') ?? []) groups.set(controller, path ?? '/');
  }
  return groups;
}

/** Where groups can be made, or the reason why not. */
async function findV1(root: string, own: ReadonlyMap<string, string>): Promise<V1Parents | string> {
  const parents: [string, string][] = [];
  for (const controller of v1Controllers) {
    const path = own.get(controller);
    if (path === undefined) return `no controller ${controller}`;
    const parent = join(root, controller, path);
    if (!(await isWritable(parent))) return `${parent} is not writable`;
    parents.push([controller, parent]);
  }
  const blkio = join(root, 'blkio', own.get('blkio') ?? '');
  if (own.has('blkio') && (await isWritable(blkio))) parents.push(['blkio', blkio]);
  return Object.fromEntries(parents) as V1Parents;
}

/**
 * A group with processes of its own cannot pass controllers on, unless it is the root: so it is our
 * own or, where a service manager has put us below what it delegates (systemd's DelegateSubgroup=),
 * the one above.
 */
async function findV2(root: string, own: string): Promise<string | undefined> {
  for (const path of own === '/' ? [own] : [own, dirname(own)]) {
    const parent = join(root, path);
    const text = await readFile(join(parent, 'cgroup.subtree_control'), 'utf8').catch(() => '');
    const enabled = text.trim().split(' ');
    if (v2Needs.every((need) => enabled.includes(need)) && (await isWritable(parent))) return parent;
  }
  return undefined;
}

/** Root may write to a file system that is mounted read-only by its mode, and still cannot: access(2) tells. */
async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
