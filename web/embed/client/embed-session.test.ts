import { expect, test } from 'vitest';
import { shellBackend } from '../../../cli/shell-backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { EmbedFile } from '../embed-file.ts';
import type { EmbedConnection } from './connect-embed.ts';
import { EmbedSession } from './embed-session.ts';

test('B-11 H-8 a sandbox into which the files of the page cannot be written is deleted, and the one before goes on', async () => {
  const backend = shellBackend();
  const shown: (readonly string[])[] = [];
  const view = {
    show: (sandboxes: readonly { readonly id: string }[]) => void shown.push(sandboxes.map(({ id }) => id)),
  };
  let files: readonly EmbedFile[] = [{ path: 'note', text: 'of the page' }];
  const options = {
    ...({ runtime: 'shell', image: undefined, snapshot: undefined, continued: undefined } as const),
    ...{ takeFiles: () => files, signal: new AbortController().signal, onEvent: () => undefined },
  };
  const connection = { backend, view } as unknown as EmbedConnection;
  const session = await EmbedSession.open(connection, options);
  const [first] = await backend.list();
  await session.fork();
  const ids = async () => (await backend.list()).map(({ id }) => id);
  const before = await ids();

  const other = await Sandbox.create({ backend });
  await other.close();
  // A file cannot be a directory too.
  files = [...files, { path: 'note/below', text: '' }];
  await expect(session.continueIn(other.id)).rejects.toThrow('note');
  expect(await ids()).toEqual(before);
  expect(session.sandbox.id).toBe(first?.id);
  expect(shown.at(-1)).toEqual(before);
  await expect(EmbedSession.open(connection, options)).rejects.toThrow('note');
  expect(await ids()).toEqual(before);
});
