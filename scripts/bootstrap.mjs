// Runs before `npm start`, `npm test` and others on whatever Node is there (20 or newer, built-ins only):
// brings npm's packages (Node 24 among them) and Debian's, or says exactly which are missing.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const purpose = process.argv[2];

/**
 * What each purpose needs of the system: a probe, and the Debian packages that bring it. What builds
 * the kernel is not among it: where it is missing, the image builder brings it into its cache.
 */
const needs = [
  { for: ['start', 'test'], what: 'apt', commands: ['apt-get', 'dpkg'], packages: ['apt'] },
  {
    for: ['test'],
    what: 'a C compiler for the tests of init',
    commands: ['gcc'],
    files: ['/usr/include/stdio.h'],
    packages: ['gcc', 'libc6-dev'],
  },
  { for: ['test'], what: 'Chromium', commands: ['chromium'], packages: ['chromium'] },
  { for: ['test'], what: 'Firefox', commands: ['firefox-esr'], packages: ['firefox-esr'] },
  { for: ['test'], what: 'git', commands: ['git'], packages: ['git'] },
  { for: ['test'], what: 'Python', commands: ['python3'], packages: ['python3'] },
  { for: ['test'], what: 'newuidmap', commands: ['newuidmap'], packages: ['uidmap'] },
  { for: ['test'], what: 'ip', commands: ['ip'], packages: ['iproute2'] },
  { for: ['test'], what: 'btrfs', commands: ['btrfs'], packages: ['btrfs-progs'] },
];

installPackages();
installSystemPackages();

/**
 * Installs when package-lock.json is not what node_modules was made from. Not `npm ci`: it refuses a lock
 * without the optional packages of other platforms, and not every registry has all of those.
 */
function installPackages() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Coppice needs Node 20 or newer to start; this is ${process.version}.`);
  const stamp = join(root, 'node_modules', '.coppice-lock');
  const digest = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  say('Installing npm packages …');
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const run = spawnSync(command, [...first, 'install', '--no-save', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (run.status !== 0) fail('`npm install` failed; its message is above.');
  writeFileSync(stamp, digest);
}

function installSystemPackages() {
  const missing = needs.filter((need) => need.for.includes(purpose) && !isPresent(need));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.flatMap((need) => need.packages))];
  const words = missing.map((need) => need.what).join(', ');
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const prefix = asRoot();
  if (!prefix || !hasCommand('apt-get')) fail(`Missing: ${words}. Install with:\n  sudo ${line}`);
  say(`Installing ${words} …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env: environment };
  // A stale or partly unreachable index is apt's to judge: the install below decides.
  spawnSync(
    prefix[0] ?? 'apt-get',
    [...prefix.slice(1), ...(prefix.length > 0 ? ['apt-get'] : []), 'update', '-qq'],
    options,
  );
  const [command, ...rest] = [...prefix, ...line.split(' ')];
  if (spawnSync(command, rest, options).status !== 0)
    fail(`Could not install ${words}. Try:\n  sudo ${line}`);
}

/** The words that make a command run as root: none for root, sudo where it asks nothing, else undefined. */
function asRoot() {
  if (process.getuid?.() === 0) return [];
  return hasCommand('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
    ? ['sudo', '-n']
    : undefined;
}

function isPresent({ commands = [], files = [] }) {
  return commands.every(hasCommand) && files.every((file) => existsSync(file));
}

function hasCommand(name) {
  try {
    execFileSync('sh', ['-c', 'command -v "$1"', 'sh', name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
