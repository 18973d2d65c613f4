import type { Sandbox } from '../../../sdk/sandbox.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { extractTar } from '../../../tree/tar/extract-tar.ts';
import { openLineProgram } from './line-program.ts';
import { type StressOptions, type StressReport, stressFiles, writerCode } from './stress-files.ts';

/** `stressFiles` in a sandbox, whose image has python3: each capture is a snapshot, read by its archive. */
export async function stressSandbox(
  sandbox: Sandbox,
  { seed, ...options }: StressOptions & { readonly seed: number },
): Promise<StressReport> {
  const home = (await sandbox.run('echo $HOME')).stdout.trim();
  const path = `${home}/stress-${seed}`;
  await using program = await openLineProgram(sandbox, { code: writerCode, args: [path, `${seed}`] });
  const capture = async () => {
    const { id } = await sandbox.createSnapshot();
    const pieces: Uint8Array[] = [];
    for await (const piece of await sandbox.exportTar({ at: id, path })) pieces.push(piece);
    const tree = new LiveTree();
    extractTar(tree, pieces);
    return tree;
  };
  // Awaited here, where the program still runs.
  return await stressFiles({ ask: program.ask, capture, path: '' }, options);
}
