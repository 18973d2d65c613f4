import { parseQuotedText, SyntaxProblem } from '../../syntax/parse.ts';
import type { ShellText } from '../../text.ts';
import { formatTime } from '../../time/format-time.ts';
import type { Expansion } from '../expansion.ts';
import { ExpansionError } from '../expansion-scope.ts';
import type { Steps } from '../steps.ts';

/** A prompt's text: `PS1`, `${x@P}`. Its escapes are decoded, then it is expanded as if in double quotes. */
export function* expandPromptText(text: ShellText, expansion: Expansion): Steps<ShellText> {
  const decoded = decodePrompt(text, expansion);
  if (!expansion.scope.options.hasShopt('promptvars') || !/[$`\\]/.test(decoded)) return decoded;
  try {
    const { parts } = parseQuotedText(decoded);
    return yield* expansion.text({ type: 'Word', parts: [{ type: 'DoubleQuoted', parts }] });
  } catch (error) {
    // A prompt that cannot be expanded is shown as it is.
    if (!(error instanceof ExpansionError || error instanceof SyntaxProblem)) throw error;
    expansion.scope.warn(error.message);
    return decoded;
  }
}

function decodePrompt(text: ShellText, expansion: Expansion): ShellText {
  return text.replace(/\\(D\{[^}]*\}|[0-7]{1,3}|[\s\S])/g, (whole: string, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
    if (code.startsWith('D{')) return timeText(code.slice(2, -1) || '%X', expansion);
    return escapeText(code, expansion) ?? whole;
  });
}

function escapeText(code: string, expansion: Expansion): ShellText | undefined {
  const { scope } = expansion;
  const { variables } = scope;
  // What a directory is named does not run.
  const hasVariables = scope.options.hasShopt('promptvars');
  const quoted = (text: ShellText): ShellText => (hasVariables ? text.replace(/[$`\\]/g, '\\$&') : text);
  const variable = (name: string): ShellText => variables.get(name) ?? scope.special(name) ?? '';
  switch (code) {
    case 'a':
      return '\x07';
    case 'e':
      return '\x1b';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case '\\':
      return '\\';
    case '[':
    case ']':
      return '';
    case 'd':
      return timeText('%a %b %d', expansion);
    case 't':
      return timeText('%H:%M:%S', expansion);
    case 'T':
      return timeText('%I:%M:%S', expansion);
    case '@':
      return timeText('%I:%M %p', expansion);
    case 'A':
      return timeText('%H:%M', expansion);
    case 'h':
      return quoted(variable('HOSTNAME').split('.')[0] ?? '');
    case 'H':
      return quoted(variable('HOSTNAME'));
    case 'u':
      return variable('USER') || (variable('EUID') === '0' ? 'root' : 'user');
    case 'w':
      return quoted(shortened(scope.cwd, variable('HOME')));
    case 'W':
      return quoted(lastName(scope.cwd, variable('HOME')));
    case 's':
      return lastName(scope.special('0') ?? 'bash', '');
    case 'v':
      return '5.2';
    case 'V':
      return '5.2.15';
    case '$':
      return variable('EUID') === '0' ? '#' : '\\$';
    case 'j':
      return '0';
    case 'l':
      return 'tty';
    case '!':
    case '#':
      return variable('HISTCMD') || '1';
    default:
      return undefined;
  }
}

function shortened(directory: ShellText, home: ShellText): ShellText {
  if (home === '' || home === '/') return directory;
  if (directory === home) return '~';
  return directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}

function lastName(directory: ShellText, home: ShellText): ShellText {
  if (directory === home) return '~';
  return directory === '/' ? '/' : directory.slice(directory.lastIndexOf('/') + 1);
}

function timeText(format: string, { scope }: Expansion): string {
  return formatTime(format, { seconds: Math.floor(Date.now() / 1000), zone: scope.variables.get('TZ') });
}
