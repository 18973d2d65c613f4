import { Bash, InMemoryFs } from 'just-bash';
import { shellBackend } from '../../../runtimes/shell/shell-backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';

const files = 5_000;
/** Makes, reads, searches, changes, lists and removes them, a hundred to a directory. */
const script = `
set -e
mkdir /tmp/many
for ((d = 0; d < ${files / 100}; d++)); do
  mkdir /tmp/many/d$d
  for ((f = 0; f < 100; f++)); do echo "file $f of $d" > /tmp/many/d$d/f$f; done
done
cd /tmp/many
cat d*/f7 | wc -l
grep -rl 'file 42 of' . | wc -l
find . -type f -name 'f*9' | wc -l
sed -i 's/file/changed file/' d1*/f*
for d in d*; do cp -r $d copy-of-$d; done
find . -type f | wc -l
rm -r copy-of-*
cat d1*/f* | sort | uniq | wc -l
cd /
rm -r /tmp/many`;
const output = ['50', '50', '500', '10000', '1100'];
const unlimited = 10_000_000;

/**
 * `shell_fs_ratio`: a script over 5,000 files by our shell on our tree, and by the bare engine on its own files, by turns. Each is
 * made once, before it is timed; the script leaves its files as they were.
 */
export const shellFiles: Benchmark<LightLab> = { keys: ['shell_fs_ratio'], measure };

async function measure({ runs }: LightLab): Promise<Figures> {
  await using sandbox = await Sandbox.create({ backend: shellBackend() });
  const engine = newEngine();
  const times = { ours: [] as number[], engine: [] as number[] };
  for (let n = 0; n <= runs; n++) {
    const oursMs = await timeMs(() => sandbox.run(script));
    const engineMs = await timeMs(() => engine.exec(script));
    if (n === 0) continue;
    times.ours.push(oursMs);
    times.engine.push(engineMs);
  }
  const [oursMs, engineMs] = [median(times.ours), median(times.engine)];
  return {
    shell_fs_ratio: {
      value: round(oursMs / engineMs),
      details: {
        oursMs: round(oursMs),
        engineMs: round(engineMs),
        allOursMs: times.ours.map((ms) => round(ms)),
        allEngineMs: times.engine.map((ms) => round(ms)),
        files,
        where: 'Node',
      },
    },
  };
}

function newEngine(): Bash {
  return new Bash({
    fs: new InMemoryFs(),
    executionLimits: { maxCommandCount: unlimited, maxLoopIterations: unlimited },
  });
}

/** @throws Error when it has not done what it should */
async function timeMs(
  run: () => Promise<{ readonly stdout: string; readonly stderr: string }>,
): Promise<number> {
  const startMs = performance.now();
  const { stdout, stderr } = await run();
  const ms = performance.now() - startMs;
  const counts = stdout.split(/\s+/).filter((count) => count !== '');
  if (counts.join() !== output.join()) throw new Error(`The script has printed "${stdout}${stderr}"`);
  return ms;
}
