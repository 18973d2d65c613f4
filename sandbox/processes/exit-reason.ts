import type { MachineProcessExit } from '../../protocol/machine-process.ts';
import type { RunningMachine } from '../machine/sandbox-machine.ts';

type ExitReason = MachineProcessExit['reason'];

/** As a shell reports a child: 128 and the number of SIGKILL. */
const killedExitCode = 128 + 9;

/**
 * Tells why a process ended that starts now. A process that is killed for lack of memory or disk looks like any that
 * is killed, and so does a shell that ends with it: the machine's counts of such kills tell them apart.
 */
export function watchExitReason(machine: RunningMachine): (exit: MachineProcessExit) => ExitReason {
  const before = countKills(machine);
  return ({ reason, signal, exitCode }) => {
    const mayLack = signal === 'SIGKILL' ? reason === 'signalled' : exitCode === killedExitCode;
    if (!mayLack) return reason;
    const { outOfMemory, diskLimit } = countKills(machine);
    if (outOfMemory > before.outOfMemory) return 'out-of-memory';
    return diskLimit > before.diskLimit ? 'disk-limit' : reason;
  };
}

function countKills(machine: RunningMachine): { outOfMemory: number; diskLimit: number } {
  return { outOfMemory: machine.outOfMemoryKills?.() ?? 0, diskLimit: machine.diskLimitKills?.() ?? 0 };
}
