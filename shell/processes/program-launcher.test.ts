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

test('A script is called by the name that it was started with, and ps shows what reads it', async () => {
  const { stdout } =
    await runScript(`mkdir b; printf '#!/bin/sh -e\\necho "$0"; ps -o args= -p $$\\n' > b/s; chmod 755 b/s
    ./b/s x; (cd b; ./s); PATH=$PWD/b:$PATH s; printf 'echo "$0"\\n' > b/plain; chmod 755 b/plain; b/plain; (cd b; ./plain)`);
  expect(stdout).toBe(
    './b/s\n/bin/sh -e ./b/s x\n./s\n/bin/sh -e ./s\n/tmp/case/b/s\n/bin/sh -e /tmp/case/b/s\nb/plain\n./plain\n',
  );
});

test('Programs that are built in have files, which scripts can find, copy, link and read', async () => {
  const { stdout, stderr } = await runScript(`[ -x /usr/bin/env ] && [[ -f /bin/cut ]] && echo there
    command -v cut; for found in /usr/bin/gre[p]; do echo "$found"; done; find /usr/bin -name tac; ls -l /usr/bin/sed | cut -c1-10
    cp /usr/bin/cut mycut; ./mycut -c1 <<< abc; ln -s /bin/rev myrev; ./myrev <<< abc; readlink -f myrev; tail -1 < /usr/bin/tr
    stat /usr/bin/nowhere 2> /dev/null || echo none; echo 'echo own' > /usr/bin/wc; chmod 755 /usr/bin/wc; wc; cat /usr/bin/wc`);
  expect(stderr).toBe('');
  expect(stdout).toBe(
    'there\n/usr/bin/cut\n/usr/bin/grep\n/usr/bin/tac\n-rwxr-xr-x\na\ncba\n/bin/rev\nexec /usr/bin/tr "$@"\nnone\nown\necho own\n',
  );
});

test('A process can put its own program where a built-in one is, by every means, with its own mode', async () => {
  const { stdout, stderr } =
    await runScript(`exec < /dev/null; printf '#!/bin/sh\\necho own "$0"\\n' > s; chmod 755 s; mkdir -p t/usr/bin; cp s t/usr/bin/jq; tar cf x.tar -C t usr
    tar xf x.tar -C / && jq; install -m 750 s /usr/bin/rev && rev; stat -c %a /usr/bin/rev; ln -sf $PWD/s /usr/bin/tac && tac
    cp s /usr/bin/awk && awk; mv -f s /usr/bin/nl && nl; ln /usr/bin/nl hard; ln -f hard /usr/bin/od && od`);
  expect(stderr).toBe('');
  expect(stdout).toBe(
    ['jq', 'rev', '750', 'tac', 'awk', 'nl', 'od']
      .map((name) => (name === '750' ? '750\n' : `own /usr/bin/${name}\n`))
      .join(''),
  );
});

test('What a shell redirects into the file of a built-in program changes that file, which noclobber keeps', async () => {
  const { stdout, stderr } =
    await runScript(`echo '# more' >> /usr/bin/wc; stat -c %a /usr/bin/wc; tail -2 /usr/bin/wc
    exec 5<> /usr/bin/cut; exec 5>&-; stat -c %a /usr/bin/cut; tail -1 /usr/bin/cut; set -C
    echo x > /usr/bin/rev || echo kept; rev <<< abc; set +C; echo 'echo own' > /usr/bin/rev; stat -c %a /usr/bin/rev; rev`);
  expect(stderr).toBe('.script: line 3: /usr/bin/rev: cannot overwrite existing file\n');
  expect(stdout).toBe(
    '755\nexec /usr/bin/wc "$@"\n# more\n755\nexec /usr/bin/cut "$@"\nkept\ncba\n755\nown\n',
  );
});

test('A built-in program is the same file as itself, stays one when its file is changed, copied or moved, and can be deleted', async () => {
  const { stdout, stderr } =
    await runScript(`cp /usr/bin/ls /usr/bin/ls; [ /usr/bin/seq -ef /usr/bin/cat ] || echo other; [ /usr/bin/seq -ef /bin/seq ] && echo same
    echo x >> /usr/bin/wc; wc -c <<< abc; chmod 700 /usr/bin/cut; stat -c %a /usr/bin/cut; cut -c1 <<< abc
    mv /usr/bin/tr mytr; ./mytr a b <<< a; ln /usr/bin/rev myrev; ./myrev <<< abc; rev <<< abc
    cp /usr/bin/sort real; printf '#!/bin/sh\\n$OLDPWD/real -r\\n' > /usr/bin/sort; chmod 755 /usr/bin/sort; cd /; printf '1\\n2\\n' | sort
    rm -f /usr/bin/seq && echo gone; ln -s /usr/bin /tmp/x; [ -x /tmp/x/ls ] && /tmp/x/ls /tmp/x | grep -x cat; rm -rf /usr/bin && echo all`);
  expect(stderr).toBe("cp: '/usr/bin/ls' and '/usr/bin/ls' are the same file\n");
  expect(stdout).toBe('other\nsame\n4\n700\na\nb\ncba\ncba\n2\n1\ngone\ncat\nall\n');
});
