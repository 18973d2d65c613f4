import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Operation } from '../../cli/control/operation.ts';
import { operations } from '../../cli/control/operations.ts';
import { inRepository } from '../../host/repository.ts';

const page = inRepository('docs/reference/control-socket.md');
const [begin, end] = ['<!-- made from cli/control/operations.ts -->\n', '<!-- until here -->\n'];

test('R-7 the reference has every operation of the socket, as the program describes it', () => {
  const written = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = written.split(begin);
  const after = rest.split(end)[1] ?? '';
  const made = `${before}${begin}\n${Object.entries(operations).map(section).join('\n')}\n${end}${after}`;
  // `COPPICE_WRITE=1 npx vitest run test/docs/control-socket.test.ts` writes it.
  if (process.env.COPPICE_WRITE) writeFileSync(page, made);
  else expect(written).toBe(made);
});

function section([name, { summary, fields, result, events }]: [string, Operation]): string {
  const rows = Object.entries(fields).map(([field, { kind, summary: what, isRequired }]) => {
    const type = { text: 'text', flag: 'true or false', count: 'number', words: 'list of texts' }[kind];
    return `| \`${field}\` | ${type}${isRequired ? ', required' : ''} | ${what} |`;
  });
  const table = rows.length === 0 ? [] : ['| field | is | what |', '| --- | --- | --- |', ...rows, ''];
  return [
    `### ${name}`,
    '',
    summary,
    '',
    ...table,
    ...(events ? [`Events: ${events}`, ''] : []),
    `Result: ${result}.`,
    '',
  ].join('\n');
}
