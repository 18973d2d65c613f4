import { Sandbox, SandboxError } from '../coppice/coppice.js';

const ways = ["sed -i 's/hello/goodbye/' greeting", 'tr a-z A-Z < greeting > loud'];

const sandbox = await Sandbox.create({ name: 'two ways' });
try {
  await sandbox.run('echo hello > greeting');
  const start = await sandbox.createSnapshot({ label: 'start' });
  for (const way of ways) {
    show('state', `Trying ${way}`);
    show('report', await attempt(way, start.id));
  }
  show('state', 'Done.');
} finally {
  await sandbox.close();
  await Sandbox.delete(sandbox.id);
}

/**
 * Runs a command in a fork of its own and tells what it changed.
 * @param {string} command
 * @param {string} from the snapshot to fork
 */
async function attempt(command, from) {
  const [fork] = await sandbox.fork({ from });
  if (!fork || fork instanceof SandboxError) throw fork;
  try {
    const { exitCode, files } = await fork.run(command);
    return `${command}\n  exit code ${exitCode}\n  created ${files.created}\n  modified ${files.modified}\n`;
  } finally {
    await fork.close();
    await Sandbox.delete(fork.id);
  }
}

/**
 * Adds a line. What a sandbox says is data: it is shown as text, never as markup.
 * @param {string} id
 * @param {string} text
 */
function show(id, text) {
  document.getElementById(id)?.append(`${text}\n`);
}
