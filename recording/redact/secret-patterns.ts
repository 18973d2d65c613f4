import { isRandom } from './is-random.ts';

/** A shape that secrets have. Of a match, the group `secret` is one or, where there is none, all of it. */
export interface SecretPattern {
  /** The kind in `<secret:KIND:HASH8>`. */
  readonly kind: string;
  /** Each quantifier is bounded, so that no text takes more than its length times that. */
  readonly pattern: RegExp;
  /** Whether a match is one, where the shape alone does not tell; `at`: where in `text` it is. */
  readonly isSecret?: (secret: string, text: string, at: number) => boolean;
  /** A test that is fast, without which there is no match: most output has nothing like a secret in it. */
  readonly mayHave: (text: string) => boolean;
}

const secretNames =
  'pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|credentials?';

const hasSecretName = new RegExp(secretNames, 'i');

/** Beginnings of tokens by which their issuers make them known. */
export const tokenPrefixes = [
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
  'github_pat_',
  'glpat-',
  'sk-',
  'sk_live_',
  'sk_test_',
  'rk_live_',
  'AKIA',
  'ASIA',
  'xox',
  'xapp-',
  'AIza',
  'ya29.',
  'npm_',
  'pypi-',
  'hf_',
  'dop_v1_',
  'eyJ',
  'Bearer',
  'Authorization',
] as const;

/** In order: what an earlier one replaced, no later one sees. */
export const secretPatterns: readonly SecretPattern[] = [
  {
    kind: 'private-key',
    mayHave: (text) => text.includes('PRIVATE KEY'),
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----(?:BEGIN|END) )){0,16384}(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|(?=-----BEGIN )|$(?![\s\S]))/g,
  },
  {
    kind: 'token',
    mayHave: (text) =>
      /gh[pousr]_|github_pat|glpat-|sk-|[sr]k_|xox|xapp-|AIza|ya29\.|npm_|pypi-|hf_|dop_v1|A[KS]IA/.test(
        text,
      ),
    pattern:
      /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}|glpat-[\w-]{20,255}|sk-(?:ant-|proj-|live-|or-)?[\w-]{20,255}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}|xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}|AIza[\w-]{35}|ya29\.[\w-]{20,1024}|npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,255}|hf_[A-Za-z0-9]{30,255}|dop_v1_[0-9a-f]{64}|(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Za-z0-9])/g,
  },
  {
    kind: 'jwt',
    mayHave: (text) => text.includes('eyJ'),
    pattern: /(?<![\w-])eyJ[\w-]{8,2048}\.eyJ[\w-]{8,8192}\.[\w-]{8,2048}/g,
  },
  {
    kind: 'authorization',
    mayHave: (text) => /bearer|authorization/i.test(text),
    pattern:
      /(?:authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:basic|token|digest|bearer)\s{1,8}|bearer\s{1,8})(?<secret>[\w.~+/-]{12,4096}={0,2})/gi,
    isSecret: (secret) => /\d/.test(secret) || /[A-Z]/.test(secret.slice(1)),
  },
  {
    kind: 'password',
    mayHave: (text) => text.includes('://'),
    pattern: /:\/\/[^\s/:@"'<>]{0,256}:(?<secret>[^\s/@"'<>]{1,256})(?=@)/g,
    // A port or a placeholder.
    isSecret: (secret) => !secret.startsWith('<secret:') && !/^(?:\$|\*+$|x+$)/i.test(secret),
  },
  {
    kind: 'password',
    mayHave: (text) => hasSecretName.test(text),
    pattern: new RegExp(
      `(?<!<|<secret:)(?:(?:${secretNames})["']?\\s{0,4}[:=]\\s{0,4}|--(?:${secretNames})\\s{1,4})["']?(?<secret>[^\\s"'<>,;&(){}\\[\\]$]{8,512})`,
      'gi',
    ),
    isSecret: (secret) => looksChosen(secret),
  },
  {
    kind: 'random',
    mayHave: (text) => /[\w+/-]{32}/.test(text),
    // A run as long as it is: nothing before or after it belongs to it.
    pattern: /[\w+/-]{32,}={0,2}/g,
    isSecret: (secret, text, at) =>
      secret.length <= 258 &&
      !/^(?:[+/]|AAAA|sha\d{1,3}-)/.test(secret) &&
      !/(?:sha\d{1,3}[:=]|h1:)$/i.test(text.slice(Math.max(0, at - 8), at)) &&
      !isLineOfData(text, at, secret.length) &&
      isRandom(secret),
  },
];

/** Environment variables, fields and options whose values are secrets, by their names. */
const secretName =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase)?|secret|token|(?:api|access|private|secret|auth|encryption|signing)[_-]?key|credentials?|cookie|dsn|pat)(?:$|[_.-](?!path|file|dir|url|name|type|length|count|ttl|expiry))|(?:password|passwd|passphrase|secret|token|apikey|accesskey|privatekey)$/i;

/** Whether a variable or a field of this name has a secret, as a rule. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Not a name with a number at its end, a path, a number or a checksum: what a program's text has in such a place. */
function looksChosen(secret: string): boolean {
  if (/^(?:[./~]|https?:|\*+$)/.test(secret) || /^[A-Za-z_$.]+\d{0,4}$/.test(secret)) return false;
  return /\d/.test(secret) && /[A-Za-z]/.test(secret) && !isChecksum(secret);
}

/** Whether it is one of several lines of one length, as base64 and keys that are public are written. */
function isLineOfData(text: string, at: number, length: number): boolean {
  const line = (from: number): string => text.slice(from, from + length).replace(/\s[\s\S]*/, '');
  const end = /^\r?\n/.exec(text.slice(at + length, at + length + 2))?.[0].length;
  const begin = /\r?\n$/.exec(text.slice(Math.max(0, at - 2), at))?.[0].length;
  if (end !== undefined && line(at + length + end).length === length) return true;
  return begin !== undefined && at >= begin + length && line(at - begin - length).length === length;
}

function isChecksum(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(text);
}
