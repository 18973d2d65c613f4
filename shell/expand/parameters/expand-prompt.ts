import { parseQuotedText, SyntaxProblem } from '../../syntax/parse.ts';
import type { ShellText } from '../../text.ts';
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
    if (code.startsWith('D{')) return formatTime(code.slice(2, -1) || '%X');
    return escapeText(code, expansion) ?? whole;
  });
}

function escapeText(code: string, { scope }: Expansion): ShellText | undefined {
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
      return formatTime('%a %b %d');
    case 't':
      return formatTime('%H:%M:%S');
    case 'T':
      return formatTime('%I:%M:%S');
    case '@':
      return formatTime('%I:%M %p');
    case 'A':
      return formatTime('%H:%M');
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

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The formats of `strftime` that prompts use. */
function formatTime(format: string): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  return format.replace(/%([aAbBdeHIMSpyYmjFTRXxs%])/g, (whole: string, letter: string) => {
    switch (letter) {
      case 'a':
        return days[now.getDay()] ?? '';
      case 'b':
        return months[now.getMonth()] ?? '';
      case 'd':
        return two(now.getDate());
      case 'e':
        return String(now.getDate()).padStart(2, ' ');
      case 'H':
        return two(now.getHours());
      case 'I':
        return two(now.getHours() % 12 || 12);
      case 'M':
        return two(now.getMinutes());
      case 'S':
        return two(now.getSeconds());
      case 'p':
        return now.getHours() < 12 ? 'AM' : 'PM';
      case 'y':
        return two(now.getFullYear() % 100);
      case 'Y':
        return String(now.getFullYear());
      case 'm':
        return two(now.getMonth() + 1);
      case 'F':
        return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
      case 'T':
      case 'X':
        return time;
      case 'R':
        return time.slice(0, 5);
      case 's':
        return String(Math.floor(now.getTime() / 1000));
      case '%':
        return '%';
      default:
        return whole;
    }
  });
}
