import { SandboxError } from '../../protocol/errors.ts';
import type { DriverStart, FilesDriver, ImageDriver } from '../../sandbox/backend/runtime-driver.ts';
import { noImageObjects } from '../../sandbox/image-objects.ts';
import type { LocalSandbox } from '../../sandbox/local-sandbox.ts';
import type { HostServices } from '../../sandbox/local-sandbox-parts.ts';
import { noMachine } from '../../sandbox/machine/no-machine.ts';
import type { SandboxRecord } from '../../sandbox/sandbox-settings.ts';
import { type StartParts, startLocalSandbox } from '../../sandbox/start-sandbox.ts';
import type { HostImages } from './host-images.ts';
import { hostResources } from './host-resources.ts';

/** Open sandboxes of a host to read their history, without what runs them. */
export function readingDrivers({
  images,
  quota,
}: {
  readonly images: HostImages;
  readonly quota: HostServices['quota'];
}): [ImageDriver, FilesDriver] {
  const resources = hostResources();
  const start = (
    info: SandboxRecord,
    { readOnly, ...rest }: DriverStart & Pick<StartParts, 'source'>,
  ): Promise<LocalSandbox> => {
    if (!readOnly)
      throw new SandboxError('read-only', 'Cannot write to the sandbox: its folder was opened to read');
    return startLocalSandbox(info, {
      ...rest,
      readOnly,
      host: { quota },
      machineFor: async () => noMachine,
    });
  };
  return [
    {
      runtime: 'jail',
      resources,
      images: {
        assertRuns: async () => undefined,
        load: (which) => images.load(which),
        list: () => images.list(),
        openToExport: async (digest) => (await images.load({ digest })).source,
      },
      start: async (info, { image, ...rest }) => start(info, { ...rest, source: image.source }),
    },
    {
      runtime: 'shell',
      resources,
      start: async (info, parts) => start(info, { ...parts, source: noImageObjects }),
    },
  ];
}
