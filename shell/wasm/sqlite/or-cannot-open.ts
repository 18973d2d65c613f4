import { ShellError } from '../../shell-error.ts';

/** Reads, or says as sqlite3 does that it cannot. */
export async function orCannotOpen<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ShellError) throw new Error(`Error: cannot open "${file}"`);
    throw error;
  }
}
