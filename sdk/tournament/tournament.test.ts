import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { shellBackend } from '../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../sandbox.ts';
import { KeptOutput } from './kept-output.ts';

type Backend = ReturnType<typeof shellBackend>;

let backend: Backend;
let sandbox: Sandbox;

beforeEach(async () => {
  backend = shellBackend();
  sandbox = await Sandbox.create({ backend, name: 'work' });
  await sandbox.run('echo 0 > value');
  return () => sandbox.close();
});

/** Only the sandbox is left, whatever came of candidates. */
async function expectNoneLeft(
  among: Backend = backend,
  ids: readonly string[] = [sandbox.id],
): Promise<void> {
  expect((await Sandbox.list({ backend: among })).map(({ id }) => id)).toEqual(ids);
}

describe('R-9 X-4 a tournament', () => {
  test('of eight candidates has one winner, whose files become HEAD; nothing of the others is left', async () => {
    const updates: string[] = [];
    const tournament = await sandbox.tournament({
      candidates: [1, 2, 3, 4, 5, 6, 7, 8].map((value) => `echo ${value} > value; echo tried ${value}`),
      test: 'touch from-test; echo "it is $(cat value)"; grep -qx 5 value',
      jobs: 3,
      onUpdate: (all) => updates.push(all.map(({ state }) => state).join()),
    });
    expect(tournament).toMatchObject({ winner: 4, judge: 'first', leftOver: [] });
    expect(tournament.candidates[4]).toMatchObject({
      state: 'won',
      why: 'its test passed first',
      run: { exitCode: 0, output: 'tried 5\n' },
      test: { exitCode: 0, output: 'it is 5\n' },
      changes: [{ type: 'modified', path: '/home/user/value' }],
    });
    expect(tournament.candidates[0]).toMatchObject({ state: 'failed', why: 'the test exited with 1' });
    expect(await sandbox.files.read('/home/user/value')).toBe('5\n');
    expect(await sandbox.files.exists('/home/user/from-test')).toBe(false);
    expect(await sandbox.history.head()).toBe(tournament.snapshot);
    await sandbox.checkout(String(tournament.previousHead));
    expect(await sandbox.files.read('/home/user/value')).toBe('0\n');
    // At most three at a time.
    const busy = updates.map((states) => states.match(/forking|running|testing/g)?.length ?? 0);
    expect(Math.max(...busy)).toBe(3);
    await expectNoneLeft();
  });

  test('ends the others as soon as one has passed', async () => {
    const { candidates, winner } = await sandbox.tournament({
      candidates: ['sleep 600', 'true', 'sleep 600', 'echo never'],
      test: 'true',
      jobs: 3,
    });
    expect(winner).toBe(1);
    expect(candidates.map(({ state }) => state)).toEqual(['cancelled', 'won', 'cancelled', 'cancelled']);
    expect(candidates[0]?.why).toBe('candidate 2 passed first');
    expect(candidates[3]?.run).toBeUndefined();
    await expectNoneLeft();
  });

  test('that nobody wins says why of each, and changes nothing', async () => {
    const { id: before } = await sandbox.createSnapshot();
    const tournament = await sandbox.tournament({
      candidates: ['exit 3', 'echo 1 > value', 'sleep 600', 'kill -9 $$'],
      test: 'echo no >&2; exit 2',
      timeoutMs: 5_000,
      jobs: 4,
    });
    expect(tournament).not.toHaveProperty('winner');
    expect(tournament).not.toHaveProperty('snapshot');
    expect(tournament.candidates.map(({ why }) => why)).toEqual([
      'the command exited with 3',
      'the test exited with 2',
      'the command did not end within the 5 s of a candidate',
      expect.stringMatching(/^the command (was ended|exited)/),
    ]);
    expect(tournament.candidates[1]?.test?.output).toBe('no\n');
    expect(await sandbox.history.head()).toBe(before);
    await expectNoneLeft();
  });

  test('leaves nothing of a candidate whose sandbox could not be prepared', async () => {
    vi.spyOn(backend, 'setTimeout').mockRejectedValue(new SandboxError('storage-full', 'No room'));
    const { candidates, leftOver } = await sandbox.tournament({ candidates: ['true'], test: 'true' });
    expect([candidates[0]?.why, leftOver]).toEqual([expect.stringContaining('No room'), []]);
    await expectNoneLeft();
  });

  test('takes the best number of all, and the quicker of two that have it', async () => {
    const { winner, candidates } = await sandbox.tournament({
      candidates: ['echo 2 > value', 'sleep 0.3; echo 7 > value', 'echo 7 > value', 'echo x > value'],
      test: 'echo "score: $(cat value)"',
      judge: 'best:score: (\\d+)',
      keep: { tag: 'best' },
      jobs: 4,
    });
    expect(winner).toBe(2);
    expect(candidates.map(({ state, score }) => [state, score])).toEqual([
      ['passed', 2],
      ['passed', 7],
      ['won', 7],
      ['failed', undefined],
    ]);
    expect(candidates[0]?.why).toBe('candidate 3 was better: 7');
    expect(await sandbox.files.read('/home/user/value')).toBe('0\n');
    const tagged = await sandbox.history.resolve('best');
    expect(await sandbox.files.read('/home/user/value', { at: tagged })).toBe('7\n');
    await expectNoneLeft();
  });

  test('begins with an earlier snapshot, and keeps nothing where it is told so', async () => {
    const { id } = await sandbox.createSnapshot();
    await sandbox.run('echo later > value');
    const { winner, candidates } = await sandbox.tournament({
      base: id,
      candidates: ['true'],
      test: 'grep -qx 0 value',
      keep: 'none',
    });
    expect([winner, candidates[0]?.changed]).toEqual([0, 0]);
    expect(await sandbox.files.read('/home/user/value')).toBe('later\n');
  });

  test('that is aborted leaves no sandbox, and the sandbox as it was', async () => {
    const aborting = new AbortController();
    const running = sandbox.tournament({
      candidates: ['echo 1 > value; sleep 600', 'sleep 600', 'true'],
      test: 'sleep 600',
      jobs: 2,
      signal: aborting.signal,
      onUpdate: (all) => {
        if (all.filter(({ state }) => state === 'running').length === 2) aborting.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(await sandbox.files.read('/home/user/value')).toBe('0\n');
    await expectNoneLeft();
    const aborted = sandbox.tournament({ candidates: ['true'], test: 'true', signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
  });

  test('whose listener throws ends with what it threw, and leaves no sandbox', async () => {
    const running = sandbox.tournament({
      candidates: ['sleep 600', 'true'],
      test: 'true',
      jobs: 2,
      onUpdate: (all) => {
        if (all[1]?.state === 'testing') throw new Error('mine');
      },
    });
    await expect(running).rejects.toThrow('mine');
    await expectNoneLeft();
  });

  test('counts a candidate whose fork cannot be made as failed, with the reason', async () => {
    const full = shellBackend();
    full.openImport = () =>
      Promise.reject(Object.assign(new Error('no room is left'), { code: 'storage-full' }));
    const { winner, candidates } = await sandbox.tournament({
      candidates: [{ command: 'true', place: { name: 'full', backend: full } }, 'sleep 0.1'],
      test: 'true',
    });
    expect(winner).toBe(1);
    expect(candidates[0]).toMatchObject({ state: 'failed', place: 'full', why: 'no room is left' });
    await expectNoneLeft();
  });

  test('has candidates in another backend, from one copy, and brings the winner home', async () => {
    const other = shellBackend();
    const place = { name: 'elsewhere', backend: other };
    const { winner, candidates } = await sandbox.tournament({
      candidates: ['exit 1', { command: 'echo 8 > value', place }, { command: 'exit 1', place }],
      test: 'grep -qx 8 value',
    });
    expect(winner).toBe(1);
    expect(candidates[1]).toMatchObject({ place: 'elsewhere', state: 'won' });
    expect(await sandbox.files.read('/home/user/value')).toBe('8\n');
    await expectNoneLeft();
    await expectNoneLeft(other, []);
  });

  test('calls the hooks of the sandbox around the commands of candidates', async () => {
    const seen: string[] = [];
    await using hooked = await Sandbox.open((await sandbox.fork().then(([fork]) => fork as Sandbox)).id, {
      backend,
      hooks: { onCommand: ({ command }) => void seen.push(String(command)) },
    });
    await hooked.tournament({ candidates: ['echo one'], test: 'echo two', keep: 'none' });
    expect(seen).toEqual(['echo one', 'echo two']);
  });

  test.each<[object, string]>([
    [{ candidates: [] }, 'invalid-argument'],
    [{ candidates: [' '] }, 'invalid-argument'],
    [{ test: '' }, 'invalid-argument'],
    [{ jobs: 0 }, 'invalid-argument'],
    [{ jobs: 1.5 }, 'invalid-argument'],
    [{ timeoutMs: 0 }, 'invalid-argument'],
    [{ judge: 'best:(a+)+' }, 'invalid-argument'],
    [{ base: 'absent' }, 'not-found'],
    [{ base: 'HEAD', memory: true }, 'invalid-argument'],
  ])('is refused with %j', async (options, code) => {
    const running = sandbox.tournament({ candidates: ['true'], test: 'true', ...options });
    await expect(running).rejects.toMatchObject({ code });
  });

  test('of more candidates than there may be is refused', async () => {
    const running = sandbox.tournament({ candidates: Array(257).fill('true'), test: 'true' });
    await expect(running).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('257 candidates: 256 is the most'),
    });
  });

  test('is told in Markdown, out of which no output breaks', async () => {
    const tournament = await sandbox.tournament({
      candidates: [
        `printf '\\033[31m\`\`\`\\n# not a heading\\n'; touch 'a|\`b'; exit 1`,
        'echo `date +%s`>made',
      ],
      test: 'true',
      jobs: 1,
    });
    const text = tournament.toMarkdown();
    expect(text).toContain('Candidate 2 won: its test passed first.');
    expect(text).toContain('- created ``/home/user/a|`b``');
    expect(text).toContain('````text\n�[31m```\n# not a heading\n````');
    expect(text).toMatch(
      /^\| 2 \| ``echo `date \+%s`>made`` \| here \| won \| [\d.]+ s \| {2}\| 1 \| its test passed first \|$/m,
    );
    expect(JSON.parse(JSON.stringify(tournament))).toMatchObject({ winner: 1 } satisfies { winner: number });
  });
});

test('R-9 of a long output both ends are kept, and how much is left out is said', () => {
  const kept = new KeptOutput(20);
  for (let line = 0; line < 1_000; line++) kept.push(`${line}\n`);
  expect(kept.text()).toBe('0\n1\n2\n3\n4\n\n[3870 characters left out]\n7\n998\n999\n');
});
