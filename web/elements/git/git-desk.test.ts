import { expect, test } from 'vitest';
import { SandboxError } from '../../../protocol/errors.ts';
import type { GitFacet, GitMerged } from '../../../protocol/sandbox/git.ts';
import { connectionDouble, type SomeMethods } from '../../../test/fixtures/connection-double.ts';
import { SandboxModel } from '../model/sandbox-model.ts';
import { GitDesk } from './git-desk.ts';

const origin = 'https://git.example.org';
const ask = { url: `${origin}/one.git`, directory: '/home/user/one', isWhole: false };
const progress = (text: string) =>
  ({ stage: 'git', doneBytes: 0, totalBytes: 0, elapsedMs: 0, text }) as const;

const repository = {
  status: async () => ({ files: [], more: 0 }),
  branches: async () => ({ current: 'main', branches: [] }),
};

/** The desk of a sandbox in whose home is nothing, or a repository, with a git of the test's. */
async function openDesk(
  git: Partial<GitFacet>,
  { hasRepository = false }: { readonly hasRepository?: boolean } = {},
): Promise<GitDesk> {
  const methods = {
    events: { subscribe: async () => () => undefined },
    info: { get: async () => ({ id: 'one', name: 'one' }), storage: async () => ({ stopped: undefined }) },
    history: { get: async () => ({ snapshots: [] }) },
    files: { list: async () => (hasRepository ? [{ type: 'directory', name: '.git' }] : []) },
    git,
  };
  // Parts of what the page reads of it.
  const model = new SandboxModel(async () => connectionDouble(methods as unknown as SomeMethods));
  model.noteShell();
  await model.start();
  return new GitDesk(model);
}

/** Resolves once the desk's state is as wanted. */
function until(desk: GitDesk, isWanted: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isWanted()) return;
      desk.removeEventListener('change', look);
      resolve();
    };
    desk.addEventListener('change', look);
    look();
  });
}

function refusal(): SandboxError {
  const details = { needs: 'credentials', origin };
  return new SandboxError('forbidden', 'Cannot clone: the server asks for credentials', { details });
}

test('B-7 progress is told while a clone is under way; what comes after its end shows nothing any more', async () => {
  let tellLate = (): void => {};
  const seen: (number | undefined)[] = [];
  const desk = await openDesk({
    clone: async (_ask, onProgress) => {
      onProgress(progress('Receiving objects: 5/10'));
      tellLate = () => onProgress(progress('Receiving objects: 10/10'));
      return {};
    },
  });
  desk.addEventListener('change', () => void (desk.state.task && seen.push(desk.state.task.share)));
  expect(await desk.clone(ask, undefined)).toBe(true);
  tellLate();
  expect(seen).toEqual([undefined, 0.5]);
  expect(desk.state).toMatchObject({ task: undefined, problem: undefined });
});

test('B-7 what git says is shown behind the title, which is not said twice', async () => {
  const desk = await openDesk({
    clone: async (_ask, onProgress) => {
      for (const text of [`Cloning ${ask.url}`, 'Receiving objects: 5/10']) onProgress(progress(text));
      return {};
    },
  });
  const seen: unknown[] = [];
  desk.addEventListener('change', () => void (desk.state.task && seen.push(desk.state.task)));
  expect(await desk.clone(ask, undefined)).toBe(true);
  expect(seen).toEqual([
    { title: 'Cloning', text: '', share: undefined },
    { title: 'Cloning', text: ask.url, share: undefined },
    { title: 'Cloning', text: 'Receiving objects: 5/10', share: 0.5 },
  ]);
});

test('B-7 a sign-in goes to the server that asked; one that is kept and refused is asked for again', async () => {
  const given: unknown[] = [];
  let isRight = true;
  const desk = await openDesk({
    push: async ({ credentials }) => {
      given.push(credentials);
      if (!credentials || !isRight) throw refusal();
      return {};
    },
  });
  const signIn = { username: 'ada', password: 'lovelace' };
  const first = desk.exchange('push', undefined);
  await until(desk, () => desk.state.signIn !== undefined);
  desk.signIn(signIn, { keep: true });
  expect(await first).toBe(true);
  isRight = false;
  expect(await desk.exchange('push', undefined)).toBe(false);
  expect(desk.state.problem?.code).toBe('forbidden');
  expect(given).toEqual([undefined, { origin, ...signIn }, undefined, { origin, ...signIn }]);
  const again = desk.exchange('push', undefined);
  await until(desk, () => desk.state.signIn !== undefined);
  desk.cancel();
  expect(await again).toBe(false);
  // To give up is no error.
  expect(desk.state).toMatchObject({ problem: undefined, signIn: undefined, task: undefined });
});

test('B-7 a kept sign-in is not given to a bridge that it was not entered for', async () => {
  const asked: unknown[] = [];
  const desk = await openDesk({
    fetch: async ({ credentials }) => {
      if (!credentials) throw refusal();
    },
  });
  desk.addEventListener('change', () => {
    const { signIn } = desk.state;
    if (signIn === undefined || asked.includes(signIn)) return;
    asked.push(signIn);
    queueMicrotask(() => desk.signIn({ username: 'ada', password: 'lovelace' }, { keep: true }));
  });
  for (const proxy of [undefined, { url: 'http://127.0.0.1:7070', token: 'cpc_token' }, undefined])
    expect(await desk.exchange('fetch', proxy)).toBe(true);
  expect(asked).toEqual([
    { origin, through: undefined },
    { origin, through: 'http://127.0.0.1:7070' },
  ]);
});

test('B-7 an error that the user has to answer stays while the panel reads; reading has one of its own', async () => {
  let isReadable = true;
  const details = { needs: 'author' };
  const desk = await openDesk(
    {
      ...repository,
      commit: async () => {
        throw new SandboxError('invalid-argument', 'Cannot commit: nobody is named', { details });
      },
      diff: async () => {
        if (!isReadable) throw new SandboxError('timeout', 'Cannot compare');
        return { patch: '', isCut: false };
      },
    },
    { hasRepository: true },
  );
  await desk.refresh();
  expect(await desk.commit('one', undefined)).toBe(false);
  await desk.diff('file', { staged: false });
  await desk.refresh();
  expect(desk.state).toMatchObject({ problem: { details }, readProblem: undefined });
  isReadable = false;
  expect(await desk.diff('file', { staged: false })).toBeUndefined();
  expect(desk.state).toMatchObject({ problem: { details }, readProblem: { code: 'timeout' } });
});

test('B-7 what is asked for while the repository is being changed is not done: one message is one commit', async () => {
  const messages: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const desk = await openDesk(
    {
      ...repository,
      commit: async ({ message }) => {
        messages.push(message);
        await promise;
        return {
          id: '0'.repeat(40),
          parents: [],
          message,
          author: { name: 'Ada', email: 'ada@example.org' },
          authoredAtMs: 0,
        };
      },
    },
    { hasRepository: true },
  );
  await desk.refresh();
  const first = desk.commit('one', undefined);
  expect(desk.state.isChanging).toBe(true);
  expect(await desk.commit('one', undefined)).toBe(false);
  resolve();
  expect(await first).toBe(true);
  expect(messages).toEqual(['one']);
  expect(desk.state).toMatchObject({ isChanging: false, said: 'Committed “one”.' });
});

test('B-7 a pull says what it did, has the author that was entered, and tells of a merge that cannot be', async () => {
  const authors: unknown[] = [];
  let merged = async (): Promise<GitMerged> => ({ kind: 'merge' });
  const desk = await openDesk(
    {
      ...repository,
      pull: async ({ author }) => {
        authors.push(author);
        return merged();
      },
    },
    { hasRepository: true },
  );
  await desk.refresh();
  desk.author = { name: 'Ada', email: 'ada@example.org' };
  expect(await desk.exchange('pull', undefined)).toBe(true);
  expect(desk.state.said).toBe('Pulled, and merged with your commits.');
  expect(authors).toEqual([desk.author]);
  merged = async () => {
    throw new SandboxError('conflict', 'Cannot pull: both sides have changed "file"');
  };
  expect(await desk.exchange('pull', undefined)).toBe(false);
  expect(desk.state.problem?.message).toContain('"file"');
});

test('B-7 one file is unstaged, and compared, without the others', async () => {
  const asked: unknown[] = [];
  const desk = await openDesk(
    {
      ...repository,
      unstage: async ({ paths }) => void asked.push(paths),
      diff: async ({ paths, staged }) => {
        asked.push([paths, staged]);
        return { patch: '', isCut: false };
      },
    },
    { hasRepository: true },
  );
  await desk.refresh();
  await desk.unstage(['one']);
  await desk.diff('two', { staged: true });
  expect(asked).toEqual([['one'], [['two'], true]]);
});
