import type { Effect } from './effect.ts';

/** What init runs commands as; its home is make-home.ts's. */
export const user = { name: 'user', id: 1000, home: '/home/user', shell: '/bin/bash' } as const;

/** Groups that the user is in besides its own. */
const userGroups = ['sudo'];

/** /etc/passwd and /etc/group from base-passwd's masters (its postinst), with the ordinary user added. */
export const accounts: Effect = ({ root }) => {
  const passwd = root.read('/usr/share/base-passwd/passwd.master') ?? 'root:*:0:0:root:/root:/bin/bash\n';
  const group = root.read('/usr/share/base-passwd/group.master') ?? 'root:*:0:\n';
  root.file(
    '/etc/passwd',
    `${passwd}${user.name}:*:${user.id}:${user.id}:${user.name},,,:${user.home}:${user.shell}\n`,
  );
  const joined = group.replaceAll(/^([^:\n]+):.*$/gm, (line, name: string) =>
    userGroups.includes(name) ? line + user.name : line,
  );
  root.file('/etc/group', `${joined}${user.name}:*:${user.id}:\n`);
  root.directory('/home');
};
