import type { Effect } from './effect.ts';

const folder = '/var/lib/dpkg';

/** dpkg's record of what is installed, so that `dpkg -l`, `-L`, `-S` and `-i` work inside. */
export const dpkgDatabase: Effect = ({ root, installed }) => {
  const stanzas = installed.map(({ deb }) => {
    const [first = '', ...rest] = deb.control.trimEnd().split('\n');
    return [first, 'Status: install ok installed', ...rest].join('\n');
  });
  root.file(`${folder}/status`, stanzas.map((stanza) => `${stanza}\n\n`).join(''));
  root.file(`${folder}/available`, '');
  root.directory(`${folder}/updates`);
  root.file(`${folder}/info/format`, '1\n');
  for (const {
    package: { name, architecture },
    deb,
    paths,
  } of installed) {
    const shared = /^Multi-Arch: same$/m.test(deb.control);
    const stem = `${folder}/info/${shared ? `${name}:${architecture}` : name}`;
    root.file(`${stem}.list`, paths.map((path) => `${path === '/' ? '/.' : path}\n`).join(''));
    // Without it `dpkg --audit` lists the package; `dpkg --verify` is to miss none of the files that are left out.
    const kept = new Set(paths);
    const sums = deb.md5sums.split('\n').filter((line) => line !== '' && kept.has(`/${line.slice(34)}`));
    root.file(`${stem}.md5sums`, sums.map((line) => `${line}\n`).join(''));
    if (deb.conffiles.length > 0)
      root.file(`${stem}.conffiles`, deb.conffiles.map((path) => `${path}\n`).join(''));
  }
};
