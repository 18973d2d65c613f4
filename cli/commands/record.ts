import type { Command } from 'commander';
import { loginShell } from '../../protocol/sandbox/processes.ts';
import type { Cli } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { collect } from '../options/collect.ts';
import { runOptions, type TypedRunOptions, takesRunOptions } from '../run/run-options.ts';

interface RecordCommandOptions extends TypedRunOptions {
  readonly output?: string;
  readonly force?: boolean;
  readonly title?: string;
  readonly input?: boolean;
  readonly history?: boolean;
  readonly withImage?: boolean;
  readonly secret: readonly string[];
}

export function addRecord(program: Command, cli: Cli): void {
  const command = takesRunOptions(program.command('record'))
    .description('run a command, or a shell, in a new sandbox, and record the session in a file')
    .argument('[words...]', 'as of run; a login shell without any')
    .option(
      '-o, --output <file>',
      'where it goes, as gzip where the name ends with .gz; by default NAME.cast.gz',
    )
    .option('--force', 'replace a file that there is')
    .option('--title <text>', 'what the recording is called')
    .option('--input', 'record what is typed too, which may have passwords in it')
    .option('--history', 'put in the snapshots that led to where it begins')
    .option('--with-image', 'put in the files of the image, for places without it: many times the size')
    .option(
      '--secret <name>',
      'a variable of this process whose value is replaced wherever it occurs; may be given several times',
      collect,
      [],
    )
    .passThroughOptions()
    .action(async (words: string[], options: RecordCommandOptions, command: Command) => {
      const { stdin, stdout } = cli.context;
      const tty = options.tty ?? (stdin.isTTY === true && stdout.isTTY === true);
      const { runInSandbox } = await import('../run/run-in-sandbox.ts');
      const { output, force = false, title, input, history, withImage, secret } = options;
      return runInSandbox(words, runOptions({ ...options, tty }), {
        ...{ cli, command, usual: { command: loginShell } },
        record: {
          ...{ output, force, input, history, image: withImage, secretNames: secret },
          name: words[0] ?? 'shell',
          title: title ?? (words.length > 0 ? words.join(' ') : undefined),
        },
      });
    });
  addExamples(command, [
    ['coppice record -- make test', 'writes make.cast.gz; the exit code is that of make'],
    ['coppice record --mount-in src --workdir src -o fix.cast.gz', 'a shell on a copy of a folder'],
    ['coppice record --secret API_KEY --env API_KEY=$API_KEY ./agent', 'its value is not in the file'],
    ['coppice record --sandbox work -- ./deploy.sh', 'in a sandbox that there is'],
  ]);
}
