import type { Effect } from './effect.ts';

const permitAll = {
  'common-auth': 'auth required pam_permit.so\n',
  'common-account': 'account required pam_permit.so\n',
  'common-password': 'password required pam_permit.so\n',
  'common-session': 'session required pam_permit.so\n',
  'common-session-noninteractive': 'session required pam_permit.so\n',
};

/**
 * The user may become root without a password: the machine is the sandbox, its only user owns it,
 * and what it breaks is one rewind away.
 */
export const passwordlessRoot: Effect = ({ root }) => {
  for (const [name, line] of Object.entries(permitAll)) root.file(`/etc/pam.d/${name}`, line);
  if (root.find('/etc/sudoers.d')) {
    root.file('/etc/sudoers.d/user', 'user ALL=(ALL:ALL) NOPASSWD: ALL\n', { permissions: 0o440 });
  }
};
