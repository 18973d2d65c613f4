/** Who there is: commands run as `user` unless they ask for root. Nobody is refused anything: the shell checks no permissions. */
export const users = {
  user: { name: 'user', uid: 1000, gid: 1000, home: '/home/user' },
  root: { name: 'root', uid: 0, gid: 0, home: '/root' },
} as const;

export const hostname = 'coppice';

/** What init gives programs on other runtimes (guest/init/environment.c), with what a request adds. */
export function environmentFor(
  user: keyof typeof users,
  requested: Readonly<Record<string, string>> = {},
): Map<string, string> {
  const { name, home } = users[user];
  return new Map([
    ['HOME', home],
    ['USER', name],
    ['LOGNAME', name],
    ['SHELL', '/bin/bash'],
    [
      'PATH',
      user === 'root'
        ? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
        : '/usr/local/bin:/usr/bin:/bin',
    ],
    ['LANG', 'C.UTF-8'],
    ['TERM', 'dumb'],
    ...Object.entries(requested),
  ]);
}
