import type { Command } from 'commander';
import { examplesOf } from '../examples.ts';
import { exitCodes } from '../exit-codes.ts';
import { variables } from '../man/manual-page.ts';

/** What the pages begin with, for those who would edit them. */
const mark = '<!-- Made from the program by `npm run reference`. -->';

/** The pages of docs/reference/cli, text by name of file: one for each command, the exit codes, and a list of all. */
export function referencePages(program: Command): ReadonlyMap<string, string> {
  const commands = program.createHelp().visibleCommands(program);
  return new Map([
    ['README.md', page([...indexLines(program, commands), ...variableLines()])],
    ['exit-codes.md', page(exitCodeLines())],
    ...commands.map((command) => [`${command.name()}.md`, page(commandLines(command))] as const),
  ]);
}

function indexLines(program: Command, commands: readonly Command[]): string[] {
  const lines = ['# The command line', '', program.description()];
  let heading = '';
  for (const command of commands) {
    if (command.helpGroup() !== heading) {
      heading = command.helpGroup();
      lines.push('', `## ${heading.replace(/:$/, '')}`, '', '| command | what it does |', '| --- | --- |');
    }
    lines.push(row(`[\`${command.name()}\`](${command.name()}.md)`, command.description()));
  }
  return [...lines, '', 'What they end with: [exit codes](exit-codes.md).'];
}

function variableLines(): string[] {
  return [
    '',
    '## Environment',
    '',
    'An option counts more than a variable, and a variable more than the default.',
    '',
    '| variable | what it says |',
    '| --- | --- |',
    ...variables.map(([name, does]) => row(`\`${name}\``, does)),
  ];
}

function exitCodeLines(): string[] {
  return [
    '# Exit codes',
    '',
    'A command that runs a program in a sandbox (`run`, `exec`, `supervise`) ends with the exit code of that program, and',
    'with 128 and the number of the signal where a signal ended it. Errors of coppice itself have the codes of the',
    '[table of errors](../errors.md). With `--json` an error is one object on standard error:',
    '`{"error":{"code","message","details"}}`.',
    '',
    '| code | what it says |',
    '| --- | --- |',
    ...exitCodes().map(({ code, means }) => row(String(code), means)),
  ];
}

function commandLines(command: Command, above = 'coppice', depth = 1): string[] {
  const help = command.createHelp();
  const name = `${above} ${command.name()}`;
  const below = help.visibleCommands(command);
  const args = help.visibleArguments(command);
  const options = help.visibleOptions(command);
  const examples = examplesOf(command);
  const own = hasOwnHelp(command) ? ['', ...fenced('text', command.helpInformation().trimEnd())] : [];
  return [
    `${'#'.repeat(depth)} ${name}`,
    '',
    `${capital(command.description())}.`,
    '',
    ...fenced('sh', `${name} ${command.usage()}`.trimEnd()),
    ...own,
    ...table(
      'argument',
      own.length > 0 ? [] : args.map((each) => [each.name(), help.argumentDescription(each)]),
    ),
    ...table(
      'option',
      options.map((option) => [option.flags, help.optionDescription(option)]),
    ),
    ...(examples.length === 0
      ? []
      : ['', ...fenced('sh', examples.map(([line, does]) => `# ${does}\n${line}`).join('\n\n'))]),
    ...below.flatMap((each) => ['', ...commandLines(each, name, depth + 1)]),
  ];
}

/** One that reads its options itself. */
function hasOwnHelp(command: Command): boolean {
  return command.configureHelp().formatHelp !== undefined;
}

function table(heading: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  return [
    '',
    `| ${heading} | what it says |`,
    '| --- | --- |',
    ...rows.map(([name, does]) => row(`\`${name}\``, does)),
  ];
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function fenced(language: string, text: string): string[] {
  return [`\`\`\`${language}`, text, '```'];
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function page(lines: readonly string[]): string {
  return `${mark}\n\n${lines.join('\n')}\n`;
}
