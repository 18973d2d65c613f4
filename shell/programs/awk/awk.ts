import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../../text.ts';
import type { Program, ProgramCall } from '../program.ts';
import { readInput } from '../streams/input.ts';
import { AwkProblem } from './awk-problem.ts';
import { SyntaxProblem } from './awk-syntax.ts';
import { builtins } from './builtins.ts';
import { compileAwk } from './compile-awk.ts';
import { expandAwkEscapes } from './escapes.ts';
import { Machine } from './machine.ts';
import { assignmentOperand } from './main-input.ts';
import { parseAwk } from './parse-awk.ts';
import { readArguments } from './read-arguments.ts';
import { InputText } from './values.ts';

/** All that programs can call without a definition. */
const builtinNames: ReadonlySet<string> = new Set([
  ...builtins.keys(),
  ...['split', 'match', 'sub', 'gsub', 'gensub', 'asort', 'asorti', 'system', 'close', 'fflush'],
]);

/** POSIX awk, with what scripts use of gawk and mawk. */
export const awk: Program = async (call) => {
  const complain = (message: ShellText) =>
    call.stderr.write(encodeText(`${call.name}: ${message}\n`), call.signal);
  let machine: Machine | undefined;
  try {
    const invocation = readArguments(call.args);
    if (invocation.type === 'answer') {
      const file = invocation.exitCode === 0 ? call.stdout : call.stderr;
      await file.write(encodeText(invocation.text), call.signal);
      return invocation.exitCode;
    }
    const { source, operands } = await sourceOf(call, invocation);
    machine = new Machine(compileAwk(parseAwk(source, builtinNames)), call);
    const argv = machine.globalArray('ARGV');
    for (const [index, operand] of [call.name, ...operands].entries())
      argv.set(`${index}`, new InputText(operand));
    machine.assign('ARGC', operands.length + 1);
    if (invocation.separator !== undefined) machine.assign('FS', separatorOf(invocation.separator));
    for (const assignment of invocation.assignments) {
      const [, name, value = ''] = assignmentOperand.exec(assignment) ?? [];
      if (name === undefined) throw new SyntaxProblem(`improper assignment: -v ${assignment}`);
      machine.assign(name, new InputText(expandAwkEscapes(value)));
    }
    try {
      await machine.run();
    } finally {
      machine.skipFile();
      if (call.signal.aborted) machine.files.abandon();
      else await machine.files.closeAll();
    }
    return machine.exitCode;
  } catch (error) {
    if (error instanceof SyntaxProblem) await complain(error.message);
    else if (error instanceof AwkProblem && error.isRunTime && machine) {
      await complain(`run time error: ${error.message}\n\t${machine.position}`);
    } else if (error instanceof AwkProblem) await complain(error.message);
    else throw error;
    return 2;
  }
};

async function sourceOf(
  call: ProgramCall,
  {
    programFiles,
    program,
    operands,
  }: {
    programFiles: readonly (ShellText | { text: ShellText })[];
    program: ShellText | undefined;
    operands: readonly ShellText[];
  },
): Promise<{ source: ShellText; operands: readonly ShellText[] }> {
  if (program !== undefined) return { source: program, operands };
  const sources: ShellText[] = [];
  for (const file of programFiles) {
    if (typeof file !== 'string') {
      sources.push(file.text);
      continue;
    }
    try {
      sources.push(decodeText(await readInput(call, file === '/dev/stdin' ? '-' : file)));
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new SyntaxProblem(`cannot open ${file} (${error.message})`);
    }
  }
  return { source: sources.join('\n').replace(/^#![^\n]*/, ''), operands };
}

/** `-Ft` is a tab. */
function separatorOf(text: ShellText): ShellText {
  return text === 't' ? '\t' : expandAwkEscapes(text);
}
