import type { GitCredentials } from '../../../protocol/sandbox/git.ts';

/**
 * Settings of git, by its environment, that answer what one server asks. They reset what the user has configured, which
 * might store the password, and are seen by that git and by nobody who is not its user.
 */
export function credentialSettings(
  credentials: GitCredentials | undefined,
): Readonly<Record<string, string>> {
  if (!credentials) return {};
  const { origin, username, password } = credentials;
  const helper =
    '!f() { [ "$1" = get ] && printf "username=%s\\npassword=%s\\n" "$COPPICE_GIT_USERNAME" "$COPPICE_GIT_PASSWORD"; }; f';
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'credential.helper',
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: `credential.${origin}.helper`,
    GIT_CONFIG_VALUE_1: helper,
    COPPICE_GIT_USERNAME: username,
    COPPICE_GIT_PASSWORD: password,
  };
}
