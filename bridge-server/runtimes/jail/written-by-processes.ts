import { readFile } from 'node:fs/promises';

/** What processes have written so far, of each whose parent is another of them: not the first, which is init. */
export async function writtenByProcesses(
  pids: readonly number[],
  { launcher }: { readonly launcher: number },
): Promise<ReadonlyMap<number, number | undefined>> {
  const told = await Promise.all(pids.map(async (pid) => [pid, await lookAt(pid)] as const));
  const others = told.flatMap(([pid, found]) =>
    found === undefined || found.parent === launcher || pid === launcher
      ? []
      : [[pid, found.written] as const],
  );
  return new Map(others);
}

/** As `proc_pid_io(5)` tells: also what was written to mapped pages, and not what was only allocated. */
async function lookAt(pid: number): Promise<{ parent: number; written: number | undefined } | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const parent = /^PPid:\t(\d+)/m.exec(status ?? '')?.[1];
  if (parent === undefined) return undefined;
  const io = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  const written = /^write_bytes: (\d+)/m.exec(io)?.[1];
  return { parent: Number(parent), written: written === undefined ? undefined : Number(written) };
}
