import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentId, type EntryContainers, openEntryContainers } from './container/entry-container.ts';
import { whatOwnIdLacks } from './what-jails-lack.ts';

const execute = promisify(execFile);
const lack = await whatOwnIdLacks();

describe.skipIf(lack)(
  `what an agent leaves for the next start as root${lack ? ` (not here: ${lack})` : ''}`,
  () => {
    let containers: EntryContainers;
    const at = (...names: string[]) => join(containers.folder, ...names);
    const root = { data: 'data', system: 'system' } as const;
    beforeAll(async () => {
      containers = await openEntryContainers();
    });
    afterAll(() => containers?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      // Not Node's, which cannot remove what is deeper than a path is long.
      await execute('rm', ['-rf', ...['home', 'volume', root.data, root.system].map((name) => at(name))]);
      for (const name of ['home', 'volume', root.system]) await mkdir(at(name));
      // A volume of the agent's, and folders of root's: what was planted must not reach those.
      await execute('chown', [`${agentId}:${agentId}`, at('volume')]);
      await writeFile(at(root.system, 'passwd'), 'root\n');
    });
    const settings = (more: Record<string, string> = {}) => ({
      WORKSPACE_PATH: at('volume/work'),
      DATA_PATH: at(root.data),
      ...more,
    });
    /** What the agent may write to in the folders of root's, or has taken their place. */
    const reached = async () => {
      const own = await execute('find', [at(root.system), '!', '-user', '0', '-o', '-type', 'l']);
      return [own.stdout, await readdir(at(root.system)), (await stat(at(root.system))).isDirectory()];
    };
    const untouched = ['', ['passwd'], true];

    describe.each(['mounts', 'docker'] as const)('in a container with %s', (kind) => {
      test('a link in the place of the workspace is not followed, with or without its base', async () => {
        const own = settings({ SESSION_ID: 'main' });
        expect(
          await containers.run({ kind, settings: own }, 'echo mine > $WORKSPACE_PATH/passwd'),
        ).toMatchObject({
          code: 0,
        });
        for (const session of [{ SESSION_ID: 'main' }, { SESSION_ID: 'other' }, {}]) {
          const plant = `cd ${at('volume')}; rm -rf work work.coppice-base; ln -s ${at(root.system)} work`;
          await containers.run({ kind, settings: { DATA_PATH: at(root.data) } }, plant);
          const next = await containers.run({ kind, settings: settings(session) }, 'echo ran');
          expect(next).toMatchObject({
            code: 125,
            stdout: '',
            stderr: expect.stringContaining('a link is on the way'),
          });
          expect(await reached()).toEqual(untouched);
        }
        await containers.run({ kind }, `rm ${at('volume/work')}`);
        expect(await containers.run({ kind, settings: own }, 'cat $WORKSPACE_PATH/passwd')).toMatchObject({
          code: 0,
          stdout: 'mine\n',
        });
      });

      test('a link above workspace, home or data is not followed either', async () => {
        await symlink(at(root.system), at('volume/to'));
        await execute('chown', ['-h', `${agentId}`, at('volume/to')]);
        const cases = [
          { WORKSPACE_PATH: at('volume/to/new') },
          { WORKSPACE_PATH: at('volume/to/new'), WORKSPACE_REPOSITORY: '/no/such' },
          { ...settings(), SESSION_ID: 'main', DATA_PATH: at('volume/to/data') },
        ];
        for (const settings of cases) {
          const next = await containers.run({ kind, settings }, 'echo ran');
          expect({ settings, ...next }).toMatchObject({ code: 125, stdout: '' });
          expect(await reached()).toEqual(untouched);
        }
        const script = `sed 's#${at('home/agent')}#${at('volume/to/agent')}#' /etc/passwd > ${at('passwd.other')}; mount --bind ${at('passwd.other')} /etc/passwd`;
        expect(await containers.run({ kind, script }, 'echo ran')).toMatchObject({ code: 125, stdout: '' });
        expect(await reached()).toEqual(untouched);
      });

      test('a folder for sessions that is the agent’s is not used', async () => {
        const own = { SESSION_ID: 'main', WORKSPACE_PATH: at('home/work') };
        const refused = {
          code: 125,
          stdout: '',
          stderr: expect.stringContaining('can be changed by the agent'),
        };
        for (const DATA_PATH of [at('volume'), at('volume/data')])
          expect(await containers.run({ kind, settings: { ...own, DATA_PATH } }, 'echo ran')).toMatchObject(
            refused,
          );
        // As volumes of clusters begin: root's, and all may write to it.
        await mkdir(at(root.data));
        await chmod(at(root.data), 0o777);
        await mkdir(at(root.data, 'sessions'));
        await execute('chown', [`${agentId}`, at(root.data, 'sessions')]);
        const shared = { ...own, DATA_PATH: at(root.data) };
        expect(await containers.run({ kind, settings: shared }, 'echo ran')).toMatchObject(refused);
        await rmdir(at(root.data, 'sessions'));
        expect(
          await containers.run(
            { kind, settings: shared },
            `mv ${at(root.data, 'sessions')} ${at(root.data, 'mine')}; echo $?`,
          ),
        ).toMatchObject({ code: 0, stdout: '1\n' });
      });

      test('other sessions can be neither listed nor found', async () => {
        const own = (id?: string) =>
          settings({ WORKSPACE_PATH: at('home/work'), ...(id ? { SESSION_ID: id } : {}) });
        expect(
          await containers.run(
            { kind, settings: own('alice') },
            'echo secret > $WORKSPACE_PATH/file; chmod -R 777 ~',
          ),
        ).toMatchObject({ code: 0 });
        const look = `cd ${at(root.data)}/sessions/alice && ls; find ${at(root.data)} -name file; echo; cat workspace/copy/file workspace/upper/file`;
        for (const id of ['bob', undefined]) {
          const found = await containers.run({ kind, settings: own(id) }, look);
          expect(found).toMatchObject({
            code: 1,
            stdout: '\n',
            stderr: expect.stringContaining('Permission denied'),
          });
        }
      });

      test('names that only this program gives are no reason not to start', async () => {
        const own = settings({ SESSION_ID: 'main' });
        const template = { HOME_TEMPLATE: '/etc/skel' };
        const deep = `import os
for name in [${JSON.stringify(at('volume/.work.coppice-new'))}, os.path.expanduser('~/.coppice-new')]:
    os.makedirs(name); os.chdir(name)
    for level in range(600): os.mkdir('x' * 200); os.chdir('x' * 200)`;
        await mkdir(at('home/agent'));
        await execute('chown', [`${agentId}`, at('home/agent')]);
        await writeFile(at('deep.py'), deep);
        for (const plant of [
          `touch ${at('volume/work.coppice-base')}`,
          `ln -s /etc ${at('volume/work.coppice-base')}`,
          `rm ~/.coppice-home; python3 ${at('deep.py')}; touch ${at('volume/.planted')}`,
        ]) {
          expect(await containers.run({ kind }, plant)).toMatchObject({ code: 0, stderr: '' });
          const next = await containers.run({ kind, settings: { ...own, ...template } }, 'echo ran; ls -A ~');
          expect({ plant, ...next }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ran\n/) });
          expect(next.stdout).not.toContain('.coppice-new');
          await containers.run({ kind }, `rm -rf ${at('volume')}/work*`);
        }
        expect(await readdir(at('volume'))).not.toContain('.work.coppice-new');
      });
    });

    test('programs in the container’s PATH are not run by root, nor given a password', async () => {
      const bin = at('volume/bin');
      const words = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin` };
      const tool = `#!/bin/sh\nid; env\n`;
      const plant = `mkdir ${bin}; for name in git dockerd; do printf '${tool.replaceAll('\n', '\\n')}' | sed 's#; env#; env; > ${at('volume')}/ran-'$name'#' > ${bin}/$name; chmod +x ${bin}/$name; done`;
      expect(await containers.run({}, plant)).toMatchObject({ code: 0, stderr: '' });
      await writeFile(at('secret'), 'ada:lovelace\n', { mode: 0o600 });
      const cloned = settings({
        ...words,
        WORKSPACE_REPOSITORY: 'http://127.0.0.1:1/x.git',
        WORKSPACE_CREDENTIALS: at('secret'),
      });
      expect(await containers.run({ settings: cloned }, 'echo ran')).toMatchObject({ code: 125, stdout: '' });
      const docker = { ...words, DATA_PATH: at(root.data), DOCKER: 'auto', DOCKER_TIMEOUT: '1' };
      const script = 'mount -t tmpfs none /run';
      expect(await containers.run({ settings: docker, script }, 'echo ran')).toMatchObject({
        stdout: 'ran\n',
        stderr: expect.stringContaining('there is no dockerd'),
      });
      expect(await readdir(at('volume'))).toEqual(['bin']);
      // The agent's own PATH is the container's.
      expect(await containers.run({ settings: words }, 'command -v git')).toMatchObject({
        stdout: `${bin}/git\n`,
      });
    });
  },
);
