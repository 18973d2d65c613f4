import { realpath } from 'node:fs/promises';
import { SandboxError } from '../../../protocol/errors.ts';
import type { JailSpec, RootMount } from '../../contract.ts';

/** What the launcher is told beyond the spec. */
export interface LaunchOptions {
  /** Files of control groups by which the jail's PID 1 joins them. */
  readonly groups: readonly string[];
  readonly ids: JailIds;
}

/** Whose ids a jail's are, as in guest/launch/spec.h. */
export type JailIds =
  | { readonly type: 'one' }
  | { readonly type: 'ours' }
  /** 65536 of the host. */
  | { readonly type: 'host'; readonly firstId: number }
  /** One of the host's, and no namespaces. */
  | { readonly type: 'alone'; readonly firstId: number };

/**
 * The request as guest/launch/spec.h reads it. Paths are resolved here, since the launcher follows
 * no symbolic link.
 * @throws not-found for a missing layer, invalid-argument for text with a NUL in it
 */
export async function launchRequest(spec: JailSpec, { groups, ids }: LaunchOptions): Promise<Uint8Array> {
  const pairs: (readonly [string, string | number])[] = [
    ...(await rootPairs(spec.root)),
    ['hostname', spec.hostname],
    ...(spec.nested ? [['nested', 1] as const] : []),
    ['ids', ids.type],
    ...('firstId' in ids ? [['first-id', ids.firstId] as const] : []),
    ['processes', spec.limits.pids],
    // A quarter of the memory each for /dev/shm and /run: with both full, there is room to clear them.
    ['shared-kib', Math.max(1, spec.limits.memoryMiB * 256)],
    ...(spec.network
      ? ([
          ['relay', spec.network.folder],
          ['relay-key', spec.network.key],
          ['relay-flows', spec.network.flows],
          ['relay-rate', spec.network.perSecond],
        ] as const)
      : []),
    ...(spec.outlives
      ? ([
          ['meet', spec.outlives.folder],
          ['wait-ms', spec.outlives.waitMs],
        ] as const)
      : []),
    ...groups.map((path) => ['group', path] as const),
  ];
  for (const [key, value] of pairs) {
    if (!String(value).includes('\0')) continue;
    throw new SandboxError('invalid-argument', `Cannot start a jail: its ${key} has a NUL in it`);
  }
  return new TextEncoder().encode(pairs.map(([key, value]) => `${key}=${value}\0`).join(''));
}

async function rootPairs(root: RootMount): Promise<(readonly [string, string])[]> {
  if (root.type === 'bind') return [['bind', await resolvePath(root.path)]];
  const lower = await Promise.all(root.lower.map(resolvePath));
  return [
    ...lower.map((path) => ['lower', path] as const),
    ['upper', await resolvePath(root.upper)],
    ['work', await resolvePath(root.work)],
    ['userxattr', root.userxattr ? '1' : '0'],
  ];
}

async function resolvePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new SandboxError('not-found', `Cannot start a jail: there is no layer ${path}`, { cause });
  }
}
