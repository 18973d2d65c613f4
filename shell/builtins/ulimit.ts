import type { Builtin } from '../interpret/builtin.ts';
import type { Shell } from '../interpret/shell.ts';
import { shellLimits } from '../limits.ts';
import type { ShellText } from '../text.ts';
import { readOptions } from './option-letters.ts';

type Limit = number | 'unlimited';

/** The soft and the hard limit of a resource, as a script has set them. */
interface ResourceLimit {
  readonly soft: Limit;
  readonly hard: Limit;
}

interface Resource {
  readonly letter: string;
  readonly name: string;
  readonly unit: string;
  readonly value: Limit;
}

/** What limits there are at the start. Those that a script sets are shown, and not enforced. */
const resources: readonly Resource[] = [
  { letter: 'R', name: 'real-time non-blocking time', unit: 'microseconds, ', value: 'unlimited' },
  { letter: 'c', name: 'core file size', unit: 'blocks, ', value: 0 },
  { letter: 'd', name: 'data seg size', unit: 'kbytes, ', value: 'unlimited' },
  { letter: 'e', name: 'scheduling priority', unit: '', value: 0 },
  { letter: 'f', name: 'file size', unit: 'blocks, ', value: 'unlimited' },
  { letter: 'm', name: 'max memory size', unit: 'kbytes, ', value: 'unlimited' },
  { letter: 'n', name: 'open files', unit: '', value: shellLimits.descriptors },
  { letter: 'p', name: 'pipe size', unit: '512 bytes, ', value: 8 },
  { letter: 's', name: 'stack size', unit: 'kbytes, ', value: 8192 },
  { letter: 't', name: 'cpu time', unit: 'seconds, ', value: 'unlimited' },
  { letter: 'u', name: 'max user processes', unit: '', value: shellLimits.processes },
  { letter: 'v', name: 'virtual memory', unit: 'kbytes, ', value: 'unlimited' },
];

/** `ulimit [-SHa…] [limit]` */
export const ulimit: Builtin = async (shell, call) => {
  const letters = `SHa${resources.map(({ letter }) => letter).join('')}`;
  const options = readOptions(shell, call, { letters, usage: `ulimit [-${letters}] [limit]` });
  if (!options) return 2;
  const { on, operands } = options;
  const kind = on.has('H') && !on.has('S') ? 'hard' : 'soft';
  const wanted = resources.filter(({ letter }) => on.has(letter));
  if (on.has('a')) {
    await shell.print(resources.map((resource) => labelled(shell, resource, kind)).join(''));
    return 0;
  }
  const chosen = wanted.length === 0 ? resources.filter(({ letter }) => letter === 'f') : wanted;
  const [limit] = operands;
  if (limit === undefined) {
    for (const resource of chosen) {
      await shell.print(
        chosen.length > 1 ? labelled(shell, resource, kind) : `${limitOf(shell, resource)[kind]}\n`,
      );
    }
    return 0;
  }
  for (const resource of chosen) {
    const problem = change(shell, resource, {
      limit,
      soft: on.has('S') || !on.has('H'),
      hard: on.has('H') || !on.has('S'),
    });
    if (problem === undefined) continue;
    await shell.tell(`ulimit: ${problem}`);
    return 1;
  }
  return 0;
};

function labelled(shell: Shell, resource: Resource, kind: keyof ResourceLimit): ShellText {
  const { name, unit, letter } = resource;
  return `${name.padEnd(28)}${`(${unit}-${letter})`.padStart(12)} ${limitOf(shell, resource)[kind]}\n`;
}

function limitOf(shell: Shell, { letter, value }: Resource): ResourceLimit {
  return shell.resourceLimits.get(letter) ?? { soft: value, hard: value };
}

/** Answers what is wrong. */
function change(
  shell: Shell,
  resource: Resource,
  { limit, soft, hard }: { limit: ShellText; soft: boolean; hard: boolean },
): string | undefined {
  const before = limitOf(shell, resource);
  const value = parseLimit(limit, before);
  if (value === undefined) return `${limit}: invalid number`;
  const after = { soft: soft ? value : before.soft, hard: hard ? value : before.hard };
  if (isAbove(after.hard, before.hard))
    return `${resource.name}: cannot modify limit: Operation not permitted`;
  if (isAbove(after.soft, after.hard)) return `${resource.name}: cannot modify limit: Invalid argument`;
  shell.resourceLimits.set(resource.letter, after);
  return undefined;
}

function parseLimit(limit: ShellText, { soft, hard }: ResourceLimit): Limit | undefined {
  if (limit === 'hard') return hard;
  if (limit === 'soft') return soft;
  if (limit === 'unlimited') return limit;
  return /^\d+$/.test(limit) ? Number(limit) : undefined;
}

function isAbove(limit: Limit, other: Limit): boolean {
  if (other === 'unlimited') return false;
  return limit === 'unlimited' || limit > other;
}
