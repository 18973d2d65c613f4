import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandLimits } from '../../protocol/sandbox/processes.ts';
import type { RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';
import type { SharedOptions } from '../cli.ts';
import { collect } from '../options/collect.ts';
import { allowOption } from '../options/network-options.ts';
import { addVariable } from '../options/program-options.ts';
import {
  parseAmount,
  parseBytes,
  parseDurationMs,
  parseMebibytes,
  parseWhole,
} from '../options/quantities.ts';
import { runtimeOption } from '../options/runtime-option.ts';

/** What `coppice run` is told, beside what to run. Times are in ms, sizes in the unit that the name says. */
export interface RunCommandOptions extends SharedOptions {
  /** Text for bash. */
  readonly c?: string;
  readonly keep?: string;
  readonly timeout?: number;
  readonly limit?: CommandLimits;
  readonly memory?: number;
  readonly cpus?: number;
  readonly pids?: number;
  readonly disk?: number;
  readonly network?: 'off' | 'public';
  readonly allow?: readonly string[];
  readonly isolation?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir?: string;
  readonly outputCap?: number;
  readonly fileSize?: number;
  readonly user: 'user' | 'root';
  readonly runtime?: RuntimeName;
  readonly image?: string;
  readonly mountIn: readonly string[];
  readonly tty?: boolean;
  readonly verbose?: boolean;
}

/** As Commander hands them over. */
export interface TypedRunOptions extends Omit<RunCommandOptions, 'runtime'> {
  readonly runtime?: RuntimeName | 'auto';
}

/** `auto` is as if nothing were said. */
export function runOptions({ runtime, ...options }: TypedRunOptions): RunCommandOptions {
  return runtime === undefined || runtime === 'auto' ? options : { ...options, runtime };
}

/** Those of them that a sandbox is made with, and cannot be given to one that there is. */
export const makingOptions: readonly (keyof RunCommandOptions)[] = [
  'memory',
  'cpus',
  'pids',
  'disk',
  'network',
  'allow',
  'isolation',
  'runtime',
  'image',
  'keep',
];

const walls = ['auto', 'namespace', 'landlock', 'none'];

const limitNames: readonly (keyof CommandLimits)[] = [
  'commands',
  'loopIterations',
  'callDepth',
  'hereDocumentBytes',
];

function addLimit(text: string, before: CommandLimits = {}): CommandLimits {
  const [name, number = ''] = text.split('=');
  const known = limitNames.find((limit) => limit === name);
  if (known && /^[1-9]\d*$/.test(number)) return { ...before, [known]: Number(number) };
  throw new InvalidArgumentError(`Give NAME=NUMBER, where NAME is one of ${limitNames.join(', ')}.`);
}

/** Has `command` take them. */
export function takesRunOptions(command: Command): Command {
  return command
    .option('-c <text>', 'run this text with bash; further words are its arguments')
    .option('--keep <name>', 'keep the sandbox afterwards, under this name')
    .option('--timeout <time>', 'end the command after so long, such as 30s; exit code 124', parseDurationMs)
    .option(
      '--limit <name=number>',
      'in a shell: the most commands, loopIterations, callDepth or hereDocumentBytes; may be given several times',
      addLimit,
    )
    .option('--memory <size>', 'the most memory, such as 512M; exit code 137', parseMebibytes)
    .option('--cpus <number>', 'the most processors at once, such as 0.5', parseAmount)
    .option('--pids <number>', 'the most processes and threads', parseWhole)
    .option('--disk <size>', 'the most that files may take', parseMebibytes)
    .addOption(new Option('--network <which>', 'none, or the public internet').choices(['off', 'public']))
    .addOption(allowOption())
    .addOption(
      new Option(
        '--isolation <walls>',
        'what a jail is made of; none runs it on this host itself, in a new folder, without walls',
      ).choices(walls),
    )
    .option('--env <name=value>', 'a variable; may be given several times', addVariable, {})
    .option(
      '--workdir <directory>',
      "where it begins; a path without / at its start is below the user's home, which is the default",
    )
    .option('--output-cap <size>', 'pass on at most so much of each output, and drop the rest', parseBytes)
    .option('--file-size <size>', 'the most that one file may grow to', parseBytes)
    .addOption(new Option('--user <name>', 'as whom').choices(['user', 'root']).default('user'))
    .addOption(runtimeOption('what runs it; auto is a jail where this host can, else a shell'))
    .option('--image <name>', 'what the sandbox is made from')
    .option(
      '--mount-in <folder[:path]>',
      'copy a folder of this host in first; may be given several times',
      collect,
      [],
    )
    .option('--tty', 'give it this terminal')
    .option('-v, --verbose', 'say where it ran and what it took');
}
