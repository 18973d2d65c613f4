/** What to install or allow, by the name of the row that says what is missing. */
const remedies: Readonly<Record<string, string>> = {
  'C programs': 'apt-get install gcc libc6-dev, or use the package for Linux on x64, which has them compiled',
  'control groups':
    'run as root, or where systemd delegates groups: systemd-run --user --scope -p Delegate=yes coppice …; in a ' +
    'container, mount /sys/fs/cgroup to be written',
  cpus: 'have the controller cpu delegated: systemd-run --user --scope -p Delegate=yes coppice …',
  ioMiBps: 'keep the folder (COPPICE_ROOT) on a disk of its own, and have the controller io delegated',
  diskMiB: 'keep the folder (COPPICE_ROOT) on btrfs, or on ext4 or XFS mounted with prjquota, as root',
  jails:
    'allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0; ' +
    'in a container, seccomp=unconfined and apparmor=unconfined, or go without them: --isolation landlock',
  'jails without namespaces':
    'a kernel from 5.19 on, better 6.12, that has Landlock among its lsm= (cat /sys/kernel/security/lsm)',
  'second wall (Landlock)':
    'a kernel from 5.19 on that has Landlock among its lsm= (cat /sys/kernel/security/lsm)',
  cores: 'sysctl kernel.core_pattern=core, or start with a limit of cores: ulimit -c 1',
  network: 'allow user and network namespaces, as for jails',
  'btrfs roots':
    'keep the folder (COPPICE_ROOT) on btrfs; for an ordinary user mounted with user_subvol_rm_allowed',
  'overlay roots': 'run as root, or on a kernel from 5.11 on, on ext4, XFS or btrfs (not on another overlay)',
  'programs for i386': 'a kernel with CONFIG_IA32_EMULATION; the image debian-amd64 does without',
  'programs for amd64': 'a 64-bit kernel on x64',
  'ids of users': 'apt-get install uidmap, and a line for this user in /etc/subuid and /etc/subgid',
};

/** What helps against what a row misses, if anything is known to. */
export function remedyFor(name: string): string | undefined {
  return remedies[name];
}
