import type { SandboxSettings, SnapshotImportOptions } from '../protocol/sandbox/backend.ts';
import { hasImage, type RuntimeName, type SandboxInfo } from '../protocol/sandbox/sandbox-info.ts';

/**
 * What a sandbox is to be elsewhere that begins with a snapshot of this one. Its memory is as usual there unless it is
 * said: a machine's in a tab is another thing than a limit on a host.
 */
export function importOptions(
  info: SandboxInfo,
  {
    name = info.name,
    memoryMiB,
    diskMiB = info.diskMiB,
    runtime,
    settings = {},
  }: {
    readonly name?: string | undefined;
    readonly memoryMiB?: number | undefined;
    readonly diskMiB?: number | undefined;
    readonly runtime?: RuntimeName | undefined;
    readonly settings?: SandboxSettings | undefined;
  } = {},
): SnapshotImportOptions {
  const { imageDigest, architecture } = info;
  return {
    ...(runtime === undefined ? {} : { runtime }),
    ...(hasImage(info) ? { imageDigest } : {}),
    ...(architecture === undefined ? {} : { architecture }),
    name,
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    diskMiB,
    ...settings,
  };
}
