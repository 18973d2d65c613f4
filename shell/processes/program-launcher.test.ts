import { expect, test } from 'vitest';
import { LiveTree } from '../../tree/live/live-tree.ts';
import { createShellProcesses } from '../create-shell-processes.ts';
import { TreeFiles } from '../files/tree-files.ts';
import { runScript } from '../fixtures/run-script.ts';
import { BytesInput } from '../io/bytes-input.ts';
import { CaptureOutput } from '../io/capture-output.ts';
import type { Program } from '../programs/program.ts';
import { encodeText } from '../text.ts';

test('A program that goes on when its process was killed changes nothing any longer', async () => {
  const files = new TreeFiles(new LiveTree());
  const creator = { uid: 0, gid: 0, umask: 0o022 };
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const { promise: killed, resolve: goOn } = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stubborn: Program = async (call) => {
    const file = call.files.open('/open', { write: true, create: true }, call);
    start();
    await killed;
    await file.write(encodeText('late')).catch((error) => failures.push(error));
    try {
      call.files.writeFile('/late', encodeText('late'), call);
    } catch (error) {
      failures.push(error);
    }
    await call.stdout.write(encodeText('late')).catch((error) => failures.push(error.code));
    end();
    return 0;
  };
  const programs = new Map([['stubborn', stubborn]]);
  const processes = createShellProcesses({ files, programs, users: [], hostname: 'host' });
  const stdout = new CaptureOutput();
  const process = processes.start({
    argv: ['/bin/stubborn'],
    environment: new Map(),
    cwd: '/',
    uid: creator.uid,
    gid: creator.gid,
    stdin: new BytesInput(new Uint8Array(0)),
    stdout,
    stderr: new CaptureOutput(),
  });
  await started;
  process.kill('SIGKILL');
  await process.ended;
  goOn();
  await ended;
  expect(failures).toEqual(['SIGKILL', 'SIGKILL', 'EBADF']);
  expect(files.stat('/open').sizeBytes).toBe(0);
  expect(files.exists('/late')).toBe(false);
  expect(stdout.take()).toHaveLength(0);
});

test('A program is found where programs usually are when there is no PATH, and a name that is nowhere is said', async () => {
  const script = `env -i A=1 bash -c 'echo "$A \${HOME-none}"'; env -i PATH=/tmp cat; echo $?; env -i nowhere; echo $?`;
  const { stdout, stderr } = await runScript(script);
  expect(stdout).toBe('1 none\n127\n127\n');
  expect(stderr).toBe("env: 'cat': No such file or directory\nenv: 'nowhere': No such file or directory\n");
});
