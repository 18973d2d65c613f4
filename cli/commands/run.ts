import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { runOptions, type TypedRunOptions, takesRunOptions } from '../run/run-options.ts';

export function addRun(program: Command, cli: Cli): void {
  const command = takesRunOptions(program.command('run'))
    .description('run a command in a new sandbox, which is deleted afterwards')
    .argument('[words...]', 'a script of this host, - for standard input, text for bash, or a program')
    .passThroughOptions()
    .action(async (words: string[], options: TypedRunOptions, command: Command) => {
      const { runInSandbox } = await import('../run/run-in-sandbox.ts');
      return runInSandbox(words, runOptions(options), { cli, command });
    });
  addExamples(command, [
    ["coppice run 'echo hello'", 'text for bash, in a sandbox that is gone afterwards'],
    ['coppice run ./build.sh --fast', 'a script of this host with its arguments'],
    ['curl -s https://example.org/x.sh | coppice run -', 'a script that nobody has read'],
    ['coppice run --timeout 30s --memory 512M -- python3 -c "print(1)"', 'a program, held to limits'],
    ['coppice run --mount-in src --workdir src make', 'on a copy of a folder'],
    [
      'coppice run --allow pypi.org --allow "*.pythonhosted.org" pip download six',
      'with a network of two names',
    ],
    [
      'coppice run --isolation none --mount-in src --workdir src make',
      'without walls, on a machine to throw away',
    ],
    ['coppice run --json --runtime shell "ls /"', 'its result as JSON, from a shell that starts at once'],
    ['coppice run --sandbox work make test', 'in a sandbox that there is, which stays'],
  ]);
}
