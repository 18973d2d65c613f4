import { SandboxError } from '../../../protocol/errors.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';

/** What a page can do with the past of its instance (`open-history.ts`): methods by name, with the arguments as they came. */
export type HistoryMethods = Readonly<Record<string, (argument: unknown) => Promise<unknown>>>;

/** Snapshots of an instance, for the page that embeds it: WebContainer's own API has none. */
export function historyMethods(sandbox: Sandbox): HistoryMethods {
  return {
    snapshot: async (label) => {
      const options = label === undefined ? {} : { label: text(label, 'label') };
      return (await sandbox.createSnapshot(options)).id;
    },
    log: async () =>
      (await sandbox.history.log()).map(({ id, tags, takenAtMs, changes }) => ({
        id,
        tags,
        takenAtMs,
        changes,
      })),
    checkout: (reference) => sandbox.checkout(text(reference, 'snapshot')),
    /** Stays when the instance is torn down: the settings of another name it. */
    fork: async (reference) => {
      const from = reference === undefined ? 'HEAD' : text(reference, 'snapshot');
      const [fork] = await sandbox.fork({ from, name: `${sandbox.info.name} fork` });
      if (!(fork instanceof Sandbox)) throw fork ?? new SandboxError('internal', 'There is no fork');
      try {
        // On a bridge it has the end of its parent, which this page renews for that one only.
        if (fork.info.expiresAtMs !== undefined) await fork.setTimeout(undefined);
      } finally {
        await fork.close().catch(() => undefined); // The fork is there.
      }
      return fork.id;
    },
  };
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new SandboxError('invalid-argument', `The ${name} is no text`);
}
