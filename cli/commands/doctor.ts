import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Cli } from '../cli.ts';
import { remedyFor } from '../doctor/remedies.ts';
import { addExamples } from '../examples.ts';
import type { Printer } from '../output/printer.ts';

/** Something that this host can, or lacks. */
interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'unsupported';
  readonly why: string;
}

interface DoctorOptions {
  readonly root?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function addDoctor(program: Command, cli: Cli): void {
  const command = program
    .command('doctor')
    .description('what this host can do, and what to install or allow for more')
    .addOption(new Option('--root <folder>', 'where sandboxes would be kept; or COPPICE_ROOT'))
    .option('--json', 'print JSON, one object a line')
    .option('-q, --quiet', 'no progress')
    .action(async (options: DoctorOptions) => {
      const printer = cli.printer(options);
      const { environment, stderr, platform = process.platform } = cli.context;
      if (platform === 'linux') await enterRange();
      for (const finding of everywhere(platform)) print(finding, printer);
      if (platform !== 'linux') return print(notLinux(platform), printer);
      const root = options.root ?? environment.COPPICE_ROOT ?? join(homedir(), '.local/share/coppice');
      const { examineHost } = await import('../doctor/examine-host.ts');
      const { cliProgress } = await import('../output/cli-progress.ts');
      const progress = cliProgress(stderr, options);
      for (const finding of await examineHost(root, { progress })) print(finding, printer);
    });
  addExamples(command, [
    ['coppice doctor', 'a line for each thing that can be there or missing, with what helps'],
    ['coppice doctor --json | grep unsupported', 'what is missing, for programs'],
    ['coppice doctor --root /srv/coppice', 'what works on the disk of that folder'],
  ]);
}

/** As commands that open a folder do: what they find is what is told. */
async function enterRange(): Promise<void> {
  const { enterIdRange } = await import('../../bridge-server/main/id-range.ts');
  await enterIdRange();
}

/** What needs nothing of the host. */
function everywhere(platform: NodeJS.Platform): Finding[] {
  return [
    { name: 'node', state: 'ok', why: `${process.version} on ${platform}, ${process.arch}` },
    {
      name: 'shells in this process',
      state: 'ok',
      why: 'bash without a jail: init, create and run make it where there are no jails, run and create with --runtime shell',
    },
    { name: 'bridges', state: 'ok', why: 'sandboxes of another host: --bridge URL' },
  ];
}

function notLinux(platform: string): Finding {
  const why = `jails are Linux's; on ${platform} use shells, or a bridge on a Linux host or in a virtual machine`;
  return { name: 'jails', state: 'unsupported', why };
}

function print(finding: Finding, printer: Printer): void {
  const remedy = finding.state === 'ok' ? undefined : remedyFor(finding.name);
  const mark = finding.state === 'ok' ? 'ok     ' : 'missing';
  printer.result({ ...finding, ...(remedy === undefined ? {} : { remedy }) }, () =>
    [
      `${mark}  ${finding.name}: ${finding.why}`,
      ...(remedy === undefined ? [] : [`           → ${remedy}`]),
    ].join('\n'),
  );
}
