import type { OpenFile } from '../../io/open-file.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import type { ProgramCall } from '../program.ts';
import { openInput } from './input.ts';

/** Opens several files, uses them beside each other, and releases them. @throws ProgramError of one that cannot be opened */
export async function withInputs<T>(
  call: ProgramCall,
  names: readonly ShellText[],
  use: (files: readonly OpenFile[]) => Promise<T>,
): Promise<T> {
  const files: OpenFile[] = [];
  try {
    for (const name of names) files.push(opened(call, name));
    return await use(files);
  } finally {
    for (const file of files) file.release();
  }
}

function opened(call: ProgramCall, name: ShellText): OpenFile {
  try {
    return openInput(call, name);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new ProgramError(`${nameInMessage(name)}: ${error.message}`);
  }
}
