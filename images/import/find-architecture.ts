import type { Architecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type { FileTree } from '../../tree/live/file-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';

/** Programs that a root may have, the likeliest first. */
const programs = ['/bin/sh', '/bin/bash', '/bin/busybox', '/usr/bin/env', '/sbin/init', '/init'];

/** Where an ELF file says for which processors it is (elf(5), `e_machine`), and what it says. */
const headerBytes = 20;
const machineAt = 18;
const elfMagic = Buffer.from('\x7fELF', 'latin1');
const machines: ReadonlyMap<number, Architecture> = new Map([
  [3, 'i386'],
  [62, 'amd64'],
]);

/**
 * For which processors the programs of a root are, as the first that is there says.
 * @throws unsupported for others than we know, invalid-argument where there is no program to ask
 */
export function findArchitecture(tree: FileTree): Architecture {
  for (const path of programs) {
    const machine = machineOf(tree, path);
    if (machine === undefined) continue;
    const architecture = machines.get(machine);
    if (architecture) return architecture;
    throw new SandboxError(
      'unsupported',
      `Cannot import it: ${path} is for processors of ELF number ${machine}`,
      {
        details: { feature: `ELF ${machine}` },
      },
    );
  }
  const asked = programs.join(', ');
  throw new SandboxError(
    'invalid-argument',
    `Cannot import it: none of ${asked} says for which processors it is. Give --architecture, or the folder that is the root`,
  );
}

function machineOf(tree: FileTree, path: string): number | undefined {
  const found = resolvePath(tree, path);
  const ino = typeof found === 'number' ? 0 : found.ino;
  const header = Buffer.alloc(headerBytes);
  if (ino === 0 || tree.read(ino, 0, header) !== headerBytes) return undefined;
  return header.subarray(0, elfMagic.length).equals(elfMagic) ? header.readUInt16LE(machineAt) : undefined;
}
