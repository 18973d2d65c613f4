import type { Command } from 'commander';
import type { Cli, SharedOptions } from '../cli.ts';
import { addExamples } from '../examples.ts';
import { takesHostOptions } from '../options/host-options.ts';

export function addDaemon(program: Command, cli: Cli): void {
  const command = takesHostOptions(program.command('daemon'))
    .description('serve the folder on its socket, for ctl and every other command, until SIGTERM')
    .option('--background', 'as a process of its own; this command ends when it answers')
    .action(async (options: SharedOptions & { readonly background?: boolean }) => {
      if (options.background) {
        const { startInBackground } = await import('../supervise/start-in-background.ts');
        const started = await startInBackground(options, cli.context);
        cli.printer(options).result(started, () => `Process ${started.pid} answers at ${started.socket}`);
        return;
      }
      const { serveUntilStopped } = await import('../supervise/serve-until-stopped.ts');
      await serveUntilStopped(options, { context: cli.context, printer: cli.printer(options) });
    });
  addExamples(command, [
    ['coppice daemon --background', 'commands are quicker: the folder is open already'],
    ['coppice exec -- make', 'goes through it'],
    ['coppice ctl stop', 'saves and closes everything'],
  ]);
}
