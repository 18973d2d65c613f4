import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';

/** Files and directories of a full sandbox, those of its image among them. */
export const fullSandboxFiles = 20_000;

/** Makes up for what the image lacks, a hundred files to a directory, of 200 bytes each. */
export const fillHome = `
set -e
missing=$((${fullSandboxFiles} - $(find / -xdev | wc -l)))
mkdir /home/user/many
for ((n = 0; n < missing; n++)); do
  folder=/home/user/many/d$((n / 100))
  if ((n % 100 == 0)); then mkdir $folder; fi
  printf '%0200d' $n > $folder/f$n
done`;

/** A new sandbox with 20,000 files, and a snapshot of them. The caller's to close. */
export async function createFullSandbox(backend: SandboxBackend): Promise<Sandbox> {
  const sandbox = await Sandbox.create({ backend });
  try {
    const { exitCode, stderr } = await sandbox.run(fillHome, { user: 'root' });
    if (exitCode !== 0) throw new Error(`The sandbox is not filled: ${stderr}`);
    await sandbox.createSnapshot({ label: 'full' });
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
