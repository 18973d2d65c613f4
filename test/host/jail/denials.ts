export interface Denial {
  /** Of the escape classes B2. */
  readonly row: number;
  readonly what: string;
  readonly attempt: readonly string[];
  /** What a host answers that would let it: without that, the attempt proves nothing there. */
  readonly outside: string;
  /** One of them, between `|`. */
  readonly inside: string;
  /** The same in a jail without namespaces, where it differs, or why it proves nothing there. */
  readonly ownId?: string | { readonly notApplicable: string };
}

const noTerminals = { notApplicable: 'it cannot make a terminal; own-id.test.ts gives it one' };

/** Of Landlock, where there is one, as it is asked first. */
const deviceDenial = 'EACCES|EPERM';

export const denials: readonly Denial[] = [
  {
    ...deny(7, 'the host’s core pattern', ['open', '/proc/sys/kernel/core_pattern'], 'EACCES'),
    ownId: 'ENOENT',
  },
  { ...deny(7, 'the magic key', ['open', '/proc/sysrq-trigger'], 'EACCES'), ownId: 'ENOENT' },
  deny(8, 'mounting a control group', ['mount-cgroup']),
  deny(8, 'mounting anything', ['mount-tmpfs']),
  { ...deny(10, 'putting input into a terminal', ['inject', 'sti']), ownId: noTerminals },
  { ...deny(10, 'the console’s selection', ['inject', 'linux']), outside: 'ENOTTY', ownId: noTerminals },
  deny(11, 'the session keyring', ['keyctl']),
  deny(11, 'keys', ['add-key']),
  deny(12, 'user namespaces', ['unshare-user']),
  deny(12, 'user namespaces by clone', ['clone-user']),
  { ...deny(12, 'clone3, the flags of which no filter sees', ['clone3'], 'ENOSYS'), outside: 'EINVAL' },
  deny(13, 'bpf', ['bpf']),
  deny(13, 'perf events', ['perf']),
  deny(13, 'userfaultfd', ['userfaultfd']),
  { ...deny(13, 'kexec', ['kexec']), outside: 'EINVAL' },
  { ...deny(13, 'kernel modules', ['module']), outside: 'EBADF' },
  deny(14, 'io_uring', ['io-uring'], 'ENOSYS'),
  {
    ...deny(14, 'a call of a newer kernel that nobody has looked at (O-1)', ['call', '457'], 'ENOSYS'),
    outside: 'EFAULT',
  },
  ...['allocate', 'keep'].map((how) =>
    deny(49, `room that no write takes, by ${how}`, ['take-room', how], 'EOPNOTSUPP'),
  ),
  ...['ioctl', 'large'].map((how) => deny(49, `room that no write takes, by ${how}`, ['take-room', how])),
  deny(49, 'nothing that gives room back', ['take-room', 'punch'], 'ok'),
  deny(18, 'netlink sockets', ['socket', '16'], 'EAFNOSUPPORT'),
  deny(18, 'packet sockets', ['socket', '17'], 'EAFNOSUPPORT'),
  deny(18, 'sockets of the kernel’s ciphers', ['socket', '38'], 'EAFNOSUPPORT'),
  deny(18, 'sockets to the hypervisor', ['socket', '40'], 'EAFNOSUPPORT'),
  deny(20, 'mounting an overlay', ['mount-overlay']),
  deny(20, 'the new calls for mounts', ['fsopen']),
  deny(22, 'block devices', ['node', 'block'], deviceDenial),
  deny(22, 'character devices', ['node', 'character'], deviceDenial),
  ...[
    ['limits of its init', 'limit'],
    ['processors of its init', 'processors'],
    ['the scheduler of its init', 'policy'],
    ['parameters of that', 'parameters'],
    ['the priority of its init', 'priority'],
    ['that of all of a user, init among them', 'priority-of-user'],
    ['the turn of its init at the disk', 'disk'],
    ['that of all of a user', 'disk-of-user'],
  ].map(([what = '', setting = '']) => deny(49, what, ['settings', setting])),
];

function deny(row: number, what: string, attempt: readonly string[], inside = 'EPERM'): Denial {
  return { row, what, attempt, outside: 'ok', inside };
}
