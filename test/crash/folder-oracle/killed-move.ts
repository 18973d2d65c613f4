// A process that undoes, does again or checks out, and kills itself at an instant of the write: node killed-move.ts ROOT FOLDER WHAT INSTANT
import { openFolderHistory } from '../../../bridge-server/main/open-folder-history.ts';
import { SandboxError } from '../../../protocol/errors.ts';
import { Sandbox } from '../../../sdk/sandbox.ts';
import { type Move, makeMove } from './make-move.ts';

const [root = '', folder = '', move = '', instant = ''] = process.argv.slice(2);
let left = Number(instant);
const between = () => {
  if (left-- === 0) process.kill(process.pid, 'SIGKILL');
};
await using history = await openFolderHistory({ root, folder }, { probe: { between } });
const [only] = await history.backend.list();
const sandbox = await Sandbox.open(only?.id ?? '', { backend: history.backend });
try {
  await makeMove(sandbox, JSON.parse(move) as Move);
} catch (error) {
  console.log(SandboxError.from(error).code);
}
await sandbox.close();
