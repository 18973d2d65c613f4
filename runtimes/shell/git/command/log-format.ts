import { GitCommandError, NotInShellError } from '../git-command-error.ts';
import { dateText } from './date-text.ts';
import { bodyOf, type HistoryCommit, type Signature, subjectOf } from './history-commit.ts';

/** How commits are shown. */
export interface CommitStyle {
  /** `oneline`, `medium` and so on, or a text with placeholders. */
  readonly format: string;
  /** Whether what stands between commits ends the last one too. */
  readonly isTerminated: boolean;
  readonly date: string | undefined;
  readonly isWholeId: boolean;
  readonly decorations: ReadonlyMap<string, readonly string[]> | undefined;
}

/** What the log of a ref says of a commit (`log -g`). */
export interface ReflogPlace {
  readonly name: string;
  readonly message: string;
}

interface Shown {
  readonly commit: HistoryCommit;
  readonly style: CommitStyle;
  readonly mark?: string | undefined;
  readonly place?: ReflogPlace | undefined;
}

const named = ['oneline', 'short', 'medium', 'full', 'fuller', 'reference', 'raw'];

/** What `--format` says. @throws GitCommandError for a name that is none */
export function parseFormat(text: string | undefined): Pick<CommitStyle, 'format' | 'isTerminated'> {
  if (text === undefined) return { format: 'medium', isTerminated: false };
  if (named.includes(text)) return { format: text, isTerminated: text === 'oneline' || text === 'reference' };
  if (text === '') return { format: '%', isTerminated: true };
  const [, kind, rest = ''] = /^(t?)format:([\s\S]*)$/.exec(text) ?? [];
  if (kind !== undefined) return { format: `%${rest}`, isTerminated: kind === 't' };
  if (text.includes('%')) return { format: `%${text}`, isTerminated: true };
  throw new GitCommandError(`fatal: invalid --pretty format: ${text}`);
}

export function isOneLine({ format }: Pick<CommitStyle, 'format'>): boolean {
  return format === 'oneline' || format === 'reference' || format.startsWith('%');
}

/** A commit without what it changed. Lines end with newlines, but for the last one of a format of one line. */
export function commitText(shown: Shown): string {
  const { commit, style, mark = '', place } = shown;
  const { format } = style;
  if (format.startsWith('%')) return placeholders(format.slice(1), shown);
  const id = style.isWholeId ? commit.id : commit.id.slice(0, 7);
  const names = decoration(shown, ' (', ')');
  const subject = subjectOf(commit.message);
  if (format === 'oneline')
    return `${mark}${id}${names} ${place ? `${place.name}: ${place.message}` : subject}`;
  if (format === 'reference') return `${id} (${subject}, ${dateText(commit.author, style.date ?? 'short')})`;
  const lines = [`commit ${mark}${id}${names}`];
  if (format === 'raw') {
    lines.push(`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`));
    lines.push(`author ${person(commit.author)} ${dateText(commit.author, 'raw')}`);
    lines.push(`committer ${person(commit.committer)} ${dateText(commit.committer, 'raw')}`);
  } else {
    if (commit.parents.length > 1)
      lines.push(`Merge: ${commit.parents.map((each) => each.slice(0, 7)).join(' ')}`);
    if (place)
      lines.push(`Reflog: ${place.name} (${person(commit.committer)})`, `Reflog message: ${place.message}`);
    const pad = format === 'fuller' ? '    ' : '';
    lines.push(`Author: ${pad}${person(commit.author)}`);
    if (format === 'medium') lines.push(`Date:   ${dateText(commit.author, style.date)}`);
    if (format === 'fuller') lines.push(`AuthorDate: ${dateText(commit.author, style.date)}`);
    if (format === 'full' || format === 'fuller') lines.push(`Commit: ${pad}${person(commit.committer)}`);
    if (format === 'fuller') lines.push(`CommitDate: ${dateText(commit.committer, style.date)}`);
  }
  const message = format === 'short' ? subject : commit.message.trimEnd();
  const body = message.split('\n').map((line) => `    ${line}`);
  return `${[...lines, '', ...(message === '' ? [] : body)].join('\n')}\n`;
}

function person({ name, email }: Signature): string {
  return `${name} <${email}>`;
}

function decoration({ commit, style }: Shown, before: string, after: string): string {
  const names = style.decorations?.get(commit.id);
  return names ? `${before}${names.join(', ')}${after}` : '';
}

const colors = /^C(?:\([^)]*\)|red|green|blue|reset)/;

function placeholders(format: string, shown: Shown): string {
  let text = '';
  for (let at = 0; at < format.length; at++) {
    const unit = format.charAt(at);
    if (unit !== '%') {
      text += unit;
      continue;
    }
    const rest = format.slice(at + 1);
    const [color] = colors.exec(rest) ?? [];
    const [whole = '', sign = '', key = ''] =
      /^([-+ ]?)(x[0-9a-fA-F]{2}|[ac][neldDrtiIsh]|aN|aE|cN|cE|g[dDs]|[HhTtPpsfbBdDnm%])/.exec(rest) ?? [];
    if (color !== undefined) at += color.length;
    else if (key !== '') {
      at += whole.length;
      const value = placeholder(key, shown);
      if (sign === '-' && value === '') text = text.replace(/\n+$/, '');
      text += value === '' ? '' : `${sign === '+' ? '\n' : sign === ' ' ? ' ' : ''}${value}`;
    } else if (/^[GNSwe<>(]/.test(rest)) {
      throw new NotInShellError(`fatal: the git of a shell knows no %${rest.slice(0, 2)} in a format`, 128);
    } else text += unit;
  }
  return text;
}

function placeholder(key: string, shown: Shown): string {
  const { commit, style, place } = shown;
  if (key.startsWith('x')) return String.fromCharCode(Number.parseInt(key.slice(1), 16));
  const [first, second = ''] = key;
  if ((first === 'a' || first === 'c') && second !== '') {
    const who = first === 'a' ? commit.author : commit.committer;
    const modes: Readonly<Record<string, string>> = {
      D: 'rfc',
      r: 'relative',
      t: 'unix',
      i: 'iso',
      I: 'iso-strict',
      s: 'short',
    };
    if (second === 'n' || second === 'N') return who.name;
    if (second === 'e' || second === 'E') return who.email;
    if (second === 'l') return who.email.replace(/@.*$/, '');
    return dateText(who, second === 'd' ? style.date : modes[second]);
  }
  switch (key) {
    case 'H':
      return commit.id;
    case 'h':
      return commit.id.slice(0, 7);
    case 'T':
      return commit.tree;
    case 't':
      return commit.tree.slice(0, 7);
    case 'P':
      return commit.parents.join(' ');
    case 'p':
      return commit.parents.map((each) => each.slice(0, 7)).join(' ');
    case 's':
      return subjectOf(commit.message);
    case 'f':
      return subjectOf(commit.message)
        .replaceAll(/[^A-Za-z0-9._]+/g, '-')
        .replaceAll(/^-|[-.]+$/g, '');
    case 'b':
      return bodyOf(commit.message);
    case 'B':
      return commit.message;
    case 'd':
      return decoration(shown, ' (', ')');
    case 'D':
      return decoration(shown, '', '');
    case 'm':
      return shown.mark?.trim() || '>';
    case 'gd':
    case 'gD':
      return place?.name ?? '';
    case 'gs':
      return place?.message ?? '';
    case 'n':
      return '\n';
    case '%':
      return '%';
    default:
      return '';
  }
}
