import { Sandbox } from '../../../sdk/sandbox.ts';
import type { Benchmark, Figures } from '../figure.ts';
import type { LightLab } from '../lab/light-lab.ts';
import { median, round } from '../median.ts';

const warmUps = 10;
const commandsInRun = 20;
const command = 'echo hi > /tmp/said; cat /tmp/said';
const output = 'hi\n';

/** `session_ms_ratio`: a command in a shell that lives in a jail, and the same by a bash of its own in that jail, by turns. */
export const session: Benchmark<LightLab> = { keys: ['session_ms_ratio'], measure };

async function measure(lab: LightLab): Promise<Figures> {
  await using sandbox = await Sandbox.create({ backend: await lab.jails() });
  await using shell = await sandbox.shell();
  const times = { session: [] as number[], exec: [] as number[] };
  for (let n = 0; n < warmUps + lab.runs * commandsInRun; n++) {
    const sessionMs = await timeMs(() => shell.run(command));
    const execMs = await timeMs(() => sandbox.run(['bash', '-c', command]));
    if (n < warmUps) continue;
    times.session.push(sessionMs);
    times.exec.push(execMs);
  }
  const [sessionMs, execMs] = [median(times.session), median(times.exec)];
  return {
    session_ms_ratio: {
      value: round(sessionMs / execMs),
      details: {
        sessionMs: round(sessionMs),
        execMs: round(execMs),
        fastestMs: { session: round(Math.min(...times.session)), exec: round(Math.min(...times.exec)) },
        commands: times.session.length,
        command,
        where: 'a jail, by WebSocket',
      },
    },
  };
}

/** @throws Error when it has not said what it should */
async function timeMs(run: () => Promise<{ readonly stdout: string }>): Promise<number> {
  const startMs = performance.now();
  const { stdout } = await run();
  const ms = performance.now() - startMs;
  if (stdout !== output) throw new Error(`The command has printed ${JSON.stringify(stdout)}`);
  return ms;
}
