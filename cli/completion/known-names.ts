import type { CliContext } from '../context.ts';
import { openPlaceToRead } from '../place/open-place.ts';
import type { PlaceOptions } from '../place/place.ts';

/** What there is that a word on the command line can name. */
export interface KnownNames {
  sandboxes(): Promise<readonly string[]>;
  /** HEAD and the tags of a sandbox. */
  references(sandbox: string): Promise<readonly string[]>;
}

/** A shell waits for its completion: what takes longer is left out. */
const mostMs = 2_000;
const mostNames = 200;

/** Those of the place that the words before name. Nothing where it cannot be asked. */
export function knownNames(options: PlaceOptions, context: CliContext): KnownNames {
  return {
    sandboxes: () =>
      inTime(async () => {
        await using place = await openPlaceToRead(options, context);
        return (await place.backend.list()).map(({ name }) => name);
      }),
    references: (sandbox) =>
      inTime(async () => {
        await using place = await openPlaceToRead(options, context);
        const found = (await place.backend.list()).find(({ id, name }) => id === sandbox || name === sandbox);
        if (!found) return [];
        const { Sandbox } = await import('../../sdk/sandbox.ts');
        await using opened = await Sandbox.open(found.id, { backend: place.backend, readOnly: true });
        return ['HEAD', ...(await opened.history.tags()).keys()];
      }),
  };
}

async function inTime(ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(() => resolve([]), mostMs).unref();
  ask().then(
    (names) => resolve(names.slice(0, mostNames)),
    () => resolve([]),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
