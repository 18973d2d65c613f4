import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRepository } from '../../host/repository.ts';
import { remains } from '../host/residues.ts';
import { openHostCli } from '../host/supervising.ts';
import { whatJailsLack } from '../host/what-jails-lack.ts';
import { type ScriptedModel, serveScriptedModel } from './agents/scripted-model.ts';
import { makeFreshRoot, whatDebootstrapLacks } from './fresh-root.ts';

const execute = promisify(execFile);

/** The agents as npm has them on the day of the run, unmodified; their model is a stand-in on this machine. */
const packages = ['@anthropic-ai/claude-code', '@openai/codex'];
const lack =
  process.platform === 'linux' && process.arch === 'x64' ? undefined : 'programs for Linux on x86-64';

/** Where a jail reaches this host. */
const hostAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const jailLack =
  lack ??
  whatDebootstrapLacks() ??
  (await whatJailsLack()) ??
  (hostAddress ? undefined : 'an address but loopback');

/** How each is started for one task without a person, with a model of one's own: the program itself, which needs no Node. */
const agents = {
  claude: ({ modules }: Place) => [
    join(modules, '@anthropic-ai/claude-code-linux-x64/claude'),
    ...['-p', 'repair it', '--model', 'scripted', '--dangerously-skip-permissions'],
  ],
  codex: ({ modules, model }: Place) => {
    const provider = `{name="scripted",base_url="${model.url}/v1",wire_api="responses"}`;
    return [
      join(modules, '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'),
      ...['exec', '-m', 'scripted', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['-c', 'model_provider="scripted"', '-c', `model_providers.scripted=${provider}`, 'repair it'],
    ];
  },
} as const;

interface Place {
  /** npm's folder of packages. */
  readonly modules: string;
  readonly model: ScriptedModel;
}

describe.skipIf(lack)(`agents that people have${lack ? ` (not here: ${lack})` : ''}`, () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-agents-'));
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    await execute('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
      cwd: folder,
    });
    await mkdir(join(folder, 'bin'));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${inRepository('cli/main.ts')}" "$@"\n`;
    await writeFile(join(folder, 'bin/coppice'), command);
    await chmod(join(folder, 'bin/coppice'), 0o755);
  }, 600_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A project with a history, and the agent's hooks in it. */
  async function openProject(agent: keyof typeof agents, name: string) {
    const work = join(folder, name, 'work');
    const home = join(folder, name, 'home');
    await mkdir(join(work, 'src'), { recursive: true });
    await mkdir(home);
    await writeFile(join(work, 'src/main.c'), 'int main(void) { return 1; }\n');
    await writeFile(join(work, 'notes'), 'mine\n');
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: home,
      COPPICE_ROOT: join(folder, name, 'root'),
      // Claude Code refuses root without a permission otherwise.
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_API_KEY: 'none',
    };
    const coppice = async (...args: string[]) => (await execute('coppice', args, { cwd: work, env })).stdout;
    await coppice('init', '--in-place', '.');
    await coppice('wrap', agent, '--write');
    return { work, env, coppice, read: (path: string) => readFile(join(work, path), 'utf8') };
  }

  async function ended(child: ChildProcess): Promise<{ code: number; output: string }> {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = await once(child, 'close');
    return { code, output };
  }

  for (const agent of ['claude', 'codex'] as const) {
    test(`R-12 ${agent} under wrap: what it damaged is taken back, and nothing else`, async () => {
      await using model = await serveScriptedModel([
        'sed -i "s/return 1/return 0/" src/main.c',
        'find src -delete; echo wrong > notes',
      ]);
      const { work, env, coppice, read } = await openProject(agent, `wrap-${agent}`);
      const [program = '', ...args] = agents[agent]({ modules: join(folder, 'node_modules'), model });
      const child = spawn(program, args, {
        cwd: work,
        env: { ...env, ANTHROPIC_BASE_URL: model.url },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect(await ended(child)).toMatchObject({ code: 0, output: expect.stringContaining('All is done.') });
      expect(model.asked).toBe(2);
      expect(await readdir(work)).not.toContain('src');
      // Codex runs its hook beside its own end.
      await expect
        .poll(() => coppice('log'), { timeout: 60_000 })
        .toContain(agent === 'claude' ? 'find src' : 'repair it');
      // A save of the user's after the agent's steps stays.
      await writeFile(join(work, 'later'), 'mine, too\n');
      const log = await coppice('log');
      await coppice('undo');
      const left = agent === 'claude' ? 'return 0' : 'return 1';
      expect({ log, main: await read('src/main.c') }).toMatchObject({ main: expect.stringContaining(left) });
      expect([await read('notes'), await read('later')]).toEqual(['mine\n', 'mine, too\n']);
      if (agent === 'claude') {
        expect(log).toContain('Bash: find src -delete');
        await coppice('undo');
        expect(await read('src/main.c')).toContain('return 1');
        expect(await read('later')).toBe('mine, too\n');
      }
    });
  }

  describe.skipIf(jailLack)(`in a sandbox${jailLack ? ` (not here: ${jailLack})` : ''}`, () => {
    /** Awaited until what the agent damages is gone: both names. */
    const gone = 'ls -d /usr/share /etc/debian_version 2>/dev/null | wc -l';
    const damage = 'find /usr/share /etc/debian_version -delete; sleep 1000';

    test('R-6 under supervise: what they damage is rolled back while they work; they start again and end their task', async () => {
      const root = join(folder, 'debian');
      await makeFreshRoot(root);
      await mkdir(join(root, 'opt/agents'), { recursive: true });
      await execute('cp', ['-a', join(folder, 'node_modules'), join(root, 'opt/agents')]);
      const variables = { COPPICE_NETWORK_ALLOW: `${hostAddress}/32` };
      await using cli = await openHostCli('root', { names: [], variables });
      await cli.run('init', '--from', root, '--allow', `${hostAddress}`, '--quiet');
      for (const agent of ['claude', 'codex'] as const) {
        const [isReached, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        await using model = await serveScriptedModel(
          [`echo ${agent} > /root/good`, damage, 'cat /root/good /etc/debian_version > /root/again'],
          {
            hostname: hostAddress ?? '',
            before: async (command) => {
              if (command !== damage) return;
              isReached.resolve();
              await mayGoOn.promise;
            },
          },
        );
        const program = agents[agent]({ modules: '/opt/agents/node_modules', model });
        const environment = [`ANTHROPIC_BASE_URL=${model.url}`, 'ANTHROPIC_API_KEY=none', 'IS_SANDBOX=1'];
        const flags = environment.flatMap((one) => ['--env', one]);
        await using supervised = cli.start([
          'supervise',
          '--user',
          'root',
          '--no-tty',
          ...flags,
          '--',
          ...['sh', '-c', 'exec "$@" < /dev/null', 'sh', ...program], // Codex reads its input to the end.
        ]);
        const early = supervised.ended.then((code) => {
          throw new Error(`${agent} ended with ${code}: ${supervised.output()}`);
        });
        await Promise.race([isReached.promise, early]);
        await cli.ctl('commit', 'good');
        await cli.ctl('tag', agent);
        mayGoOn.resolve();
        await expect.poll(() => cli.run('exec', '--', 'sh', '-c', gone), { timeout: 120_000 }).toBe('0\n');
        await cli.ctl('checkout', agent);
        early.catch(() => undefined);
        expect({ code: await supervised.ended, said: supervised.output() }).toMatchObject({
          code: 0,
          said: expect.stringContaining('All is done.'),
        });
        const again = await cli.run('exec', '--user', 'root', '--', 'cat', '/root/again');
        expect(again).toMatch(new RegExp(`^${agent}\\n\\d`));
      }
      expect(await remains(cli.folder)).toEqual([]);
    });
  });
});
