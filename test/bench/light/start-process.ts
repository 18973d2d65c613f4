// One side of `shell_start_ms`, as a process of its own, which loads that side only; ours brings what it uses of the engine.
// Prints the milliseconds of the first and of the second time.
import { type StartSide, startCommand, startOutput } from './start-sides.ts';

type Start = () => Promise<AsyncDisposable & { readonly stdout: string }>;

/** Each resolves when its side is loaded, which no time includes. */
const sides: Readonly<Record<StartSide, () => Promise<Start>>> = {
  ours: async () => {
    const { Sandbox } = await import('../../../cli/index.ts');
    return async () => {
      const sandbox = await Sandbox.create();
      const { stdout } = await sandbox.run(startCommand);
      return { stdout, [Symbol.asyncDispose]: () => sandbox.close() };
    };
  },
  engine: async () => {
    const { Bash } = await import('just-bash');
    return async () => {
      const { stdout } = await new Bash().exec(startCommand);
      return { stdout, [Symbol.asyncDispose]: async () => {} };
    };
  },
};

const start = await sides[process.argv[2] === 'ours' ? 'ours' : 'engine']();
const times: number[] = [];
for (let n = 0; n < 2; n++) {
  const startMs = performance.now();
  await using there = await start();
  times.push(performance.now() - startMs);
  if (there.stdout !== startOutput) throw new Error(`It has printed ${JSON.stringify(there.stdout)}`);
}
console.log(JSON.stringify(times));
