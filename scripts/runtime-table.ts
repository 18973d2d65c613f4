import { describeRuntime } from '../protocol/runtime-description.ts';
import { type RuntimeName, runtimeNames } from '../protocol/sandbox/sandbox-info.ts';

const start = '<!-- Made from the descriptions of runtimes by `npm run reference`: begin. -->';
const end = '<!-- Made from the descriptions of runtimes: end. -->';

/** What a person can choose to run a sandbox, and what it can, as a table of Markdown. */
export function runtimeTable(): string {
  const heads = [
    'runtime',
    'runs in',
    'can',
    'costs',
    'goes back with memory',
    '64 bits',
    'network',
    'terminals',
    'servers inside',
    'memory and disk at most',
  ];
  const lines = [heads, heads.map(() => '---'), ...runtimeNames.flatMap(rowOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The text of the support table with that in place of what was between the marks. */
export function withRuntimeTable(text: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from)
    throw new Error('The support table has no place for the descriptions of runtimes');
  return `${text.slice(0, from)}${start}\n\n${runtimeTable()}\n\n${text.slice(to)}`;
}

function rowOf(name: RuntimeName): string[][] {
  const description = describeRuntime(name);
  if (!description?.isChosen) return [];
  const { runsIn, can, costs, checkpoints, architectures, network, pty, previews, most } = description;
  const is = (can: boolean) => (can ? 'yes' : 'no');
  return [
    [
      `\`${name}\``,
      runsIn === 'tab' ? 'a page' : 'a host',
      can,
      costs,
      is(checkpoints),
      is(architectures.includes('amd64')),
      is(network === 'full'),
      is(pty),
      is(previews),
      `${most.memoryMiB.toLocaleString('en')} and ${most.diskMiB.toLocaleString('en')} MiB`,
    ],
  ];
}
