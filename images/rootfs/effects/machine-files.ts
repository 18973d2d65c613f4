import type { Effect } from './effect.ts';

/** Files that base-files and libc-bin copy from their defaults. */
const defaults = {
  '/etc/profile': '/usr/share/base-files/profile',
  '/root/.profile': '/usr/share/base-files/dot.profile',
  '/root/.bashrc': '/usr/share/base-files/dot.bashrc',
  '/etc/nsswitch.conf': '/usr/share/libc-bin/nsswitch.conf',
};

/** What base-files' postinst and an installer leave behind, and the hook of the shell integration. */
export const machineFiles: Effect = ({ root, profile }) => {
  for (const [path, source] of Object.entries(defaults)) {
    const content = root.read(source);
    if (content !== undefined) root.file(path, content);
  }
  for (const path of ['/mnt', '/srv', '/opt', '/media', '/etc/opt', '/var/opt']) root.directory(path);
  for (const path of ['bin', 'etc', 'include', 'lib', 'sbin', 'share', 'src'])
    root.directory(`/usr/local/${path}`);
  root.directory('/var/mail', { permissions: 0o2775, gid: 8 });
  root.directory('/run');
  root.symlink('/etc/dpkg/origins/default', 'debian');
  root.symlink('/etc/mtab', '/proc/self/mounts');
  root.file('/etc/hostname', `${profile.hostname}\n`);
  root.file('/etc/hosts', `127.0.0.1\tlocalhost\n127.0.1.1\t${profile.hostname}\n`);
  root.file('/etc/resolv.conf', '');
  root.file('/etc/fstab', '');
  // Empty: whoever starts a machine or a fork gives it an identity of its own (H-7).
  root.file('/etc/machine-id', '');
  root.file('/etc/timezone', 'Etc/UTC\n');
  root.symlink('/etc/localtime', '/usr/share/zoneinfo/Etc/UTC');
  const bashrc = root.read('/etc/bash.bashrc') ?? '';
  root.file('/etc/bash.bashrc', `${bashrc}\n[ -r /etc/coppice/bashrc ] && . /etc/coppice/bashrc\n`);
};
