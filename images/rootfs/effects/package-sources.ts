import type { Effect } from './effect.ts';

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** What an installer sets up for apt: Debian's own archive. And settings that suit a sandbox, as images of containers have them. */
export const packageSources: Effect = ({ root }) => {
  const release = /^VERSION_CODENAME=([a-z]+)$/m.exec(root.read('/usr/lib/os-release') ?? '')?.[1];
  if (release === undefined || !root.find(keyring)) return;
  const sources = [
    source('http://deb.debian.org/debian', [release, `${release}-updates`]),
    source('http://deb.debian.org/debian-security', [`${release}-security`]),
  ];
  root.file('/etc/apt/sources.list.d/debian.sources', sources.join('\n'));
  root.file('/etc/apt/apt.conf.d/50sandbox', aptSettings);
  root.file('/etc/dpkg/dpkg.cfg.d/sandbox', dpkgSettings);
  root.file('/usr/sbin/policy-rc.d', noServices, { permissions: 0o755 });
};

function source(address: string, suites: readonly string[]): string {
  const fields = { Types: 'deb', URIs: address, Suites: suites.join(' '), Components: 'main' };
  const lines = Object.entries({ ...fields, 'Signed-By': keyring });
  return lines.map(([name, value]) => `${name}: ${value}\n`).join('');
}

const aptSettings = `// A jail with one user id cannot become the user _apt.
APT::Sandbox::User "root";
// What is downloaded would be part of every snapshot after.
APT::Keep-Downloaded-Packages "false";
Acquire::Languages "none";
`;

const dpkgSettings = `# A power cut is one rewind away; without this each file is flushed to the disk.
force-unsafe-io
`;

const noServices = `#!/bin/sh
# No service manager runs here: packages do not start their services.
exit 101
`;
