import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hostFolder } from '../../bridge-server/main/host-folder.ts';
import { ownPrivileges } from '../../bridge-server/privileges.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CliContext } from '../context.ts';
import { controlSocketName } from '../control/messages.ts';
import { plainText } from '../output/plain-text.ts';
import { bridgeUrl } from './bridge-url.ts';
import type { FolderPlace, Place, PlaceOptions } from './place.ts';

export type { Place, PlaceOptions } from './place.ts';

/**
 * Opens the place that the options and the environment name: a bridge, or a folder of this host, which this process
 * holds until the place is disposed of; where another process of ours holds it, the place is reached through that one.
 * Another command that holds it is waited for, `limits.folderWaitMs` at most.
 * @throws busy where somebody holds the folder who cannot be asked; as `connect` and `openLocalHost`
 */
export async function openPlace(options: PlaceOptions, context: CliContext): Promise<Place> {
  const url = bridgeUrl(options, context);
  if (options.inPlace !== undefined) return openHistory(options, context);
  if (url) return openBridge(url, options, context);
  const sinceMs = performance.now();
  let isTold = options.quiet === true;
  for (;;) {
    const served = await openServed(options, context);
    if (served) return served;
    try {
      return await openFolder(options, context);
    } catch (error) {
      const waitedMs = performance.now() - sinceMs;
      if (!isHeldForAWhile(error) || waitedMs > limits.folderWaitMs) throw error;
      if (!isTold && waitedMs > limits.folderWaitNoteMs) {
        context.stderr.write(`coppice: waiting. ${plainText(SandboxError.from(error).message)}\n`);
        isTold = true;
      }
    }
    await delay(limits.folderRetryMs, undefined, { signal: context.signal });
  }
}

/**
 * For a command that reads standard input before it opens a place: opening a folder may start this process anew
 * (`enterIdRange`), and what was read would be lost. Does that now, where it will be done. @throws as `openPlace`
 */
export async function prepareToOpen(options: PlaceOptions, context: CliContext): Promise<void> {
  if (context.openFolder || options.inPlace !== undefined || bridgeUrl(options, context)) return;
  if ((context.platform ?? process.platform) !== 'linux') return;
  // Nothing is started anew.
  if (ownPrivileges() !== 'one-id') return;
  await using served = await openServed(options, context);
  if (served) return;
  const { enterIdRange } = await import('../../bridge-server/main/id-range.ts');
  await enterIdRange();
}

/** Whether a folder is held by a command that ends soon, or that is about to serve it. A bridge does neither. */
function isHeldForAWhile(error: unknown): boolean {
  const { code, details } = SandboxError.from(error);
  return code === 'busy' && details.folder !== undefined && details.url === undefined;
}

/** The folder that the options and the environment name, held by this process. @throws as `openLocalHost` */
export async function openFolder(options: PlaceOptions, context: CliContext): Promise<FolderPlace> {
  if (context.openFolder) return context.openFolder(options);
  // Loaded when it is needed: a command that does without is done before this would have been read.
  const { openFolderPlace } = await import('./open-folder-place.ts');
  return openFolderPlace(options, context);
}

/** The same to read what is stored, without what sandboxes run in: see `openHostToRead`. @throws as it and `connect` */
export async function openPlaceToRead(options: PlaceOptions, context: CliContext): Promise<Place> {
  const url = bridgeUrl(options, context);
  if (options.inPlace !== undefined) return openHistory(options, context, { readOnly: true });
  if (url) return openBridge(url, options, context);
  if (context.openFolder) return openPlace(options, context);
  const { openReadPlace } = await import('./open-read-place.ts');
  return openReadPlace(options, context);
}

/**
 * The same to look at sandboxes as they are now: through whoever serves the folder, or else as they are stored, since then nobody
 * changes them. @throws as `openPlaceToRead`
 */
export async function openPlaceToLook(options: PlaceOptions, context: CliContext): Promise<Place> {
  const url = bridgeUrl(options, context);
  if (options.inPlace !== undefined) return openHistory(options, context, { readOnly: true });
  const served = url ? undefined : await openServed(options, context);
  return served ?? openPlaceToRead(options, context);
}

/** Through whoever serves the folder; nothing where nobody does. @throws as `openServedPlace` */
async function openServed(options: PlaceOptions, context: CliContext): Promise<Place | undefined> {
  const folder = options.root ?? hostFolder(context.environment);
  if (!existsSync(join(folder, controlSocketName))) return undefined;
  const { openServedPlace } = await import('./open-served-place.ts');
  return openServedPlace(folder, context, options);
}

async function openBridge(url: string, options: PlaceOptions, context: CliContext): Promise<Place> {
  const { assertNoHostOptions, assertSameNetwork } = await import('./assert-same-host.ts');
  assertNoHostOptions(options, 'the bridge');
  if (options.networkAllow !== undefined)
    assertSameNetwork(options, context, { served: undefined, holder: 'the bridge' });
  const { openBridgePlace } = await import('./open-bridge-place.ts');
  return openBridgePlace(url, options, context);
}

async function openHistory(
  options: PlaceOptions,
  context: CliContext,
  use: { readonly readOnly: boolean } = { readOnly: false },
): Promise<Place> {
  const { openHistoryPlace } = await import('./open-history-place.ts');
  return openHistoryPlace(options, context, use);
}
