import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { helperNames, isKnownPython } from './helper-programs.ts';
import { concernsBash, parseSpecFile, type SpecCase } from './spec-file.ts';

/** A case that concerns bash. */
export interface SuiteCase extends SpecCase {
  /** Without `.test.sh`. */
  readonly file: string;
  /** Finds a folder `_tmp` where it runs. */
  readonly hasTmpFolder: boolean;
  /** Why it can not be run. */
  readonly skipped?: string;
}

/** A file of the suite that cases run or read. */
export interface SuiteFile {
  /** From the folder of the suite: `spec/testdata/hello.txt`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

export interface Suite {
  readonly cases: readonly SuiteCase[];
  readonly files: readonly SuiteFile[];
}

const programs = new URL('./programs/', import.meta.url).pathname;

/** Reads a checkout of github.com/oils-for-unix/oils. @throws Error that says what is wrong with the folder */
export async function readSuite(folder: string): Promise<Suite> {
  const names = await readdir(join(folder, 'spec')).catch(() => []);
  const specs = names.filter((name) => name.endsWith('.test.sh')).sort();
  if (specs.length === 0)
    throw new Error(`There is no spec/*.test.sh in ${folder}: it is no checkout of Oils`);
  const cases: SuiteCase[] = [];
  for (const name of specs) {
    const spec = parse(await readFile(join(folder, 'spec', name), 'utf8'), name);
    if (!concernsBash(spec)) continue;
    const file = name.slice(0, -'.test.sh'.length);
    const hasTmpFolder = spec.metadata.has('legacy_tmp_dir');
    for (const one of spec.cases) cases.push({ ...one, file, hasTmpFolder, ...skippedOf(one.code) });
  }
  return { cases, files: [...(await readFiles(folder)), ...(await readPrograms())] };
}

function parse(source: string, name: string): ReturnType<typeof parseSpecFile> {
  try {
    return parseSpecFile(source);
  } catch (error) {
    throw new Error(`Cannot read spec/${name}: ${(error as Error).message}`, { cause: error });
  }
}

function skippedOf(code: string): { skipped?: string } {
  if (code.includes('read_from_fd.py')) return { skipped: 'a program reads a descriptor past 2' };
  if (code.includes('show_fd_table.py')) return { skipped: 'a program lists its descriptors' };
  const sources = [...code.matchAll(/python2 -c '([^']*)'/g)].map(([, source = '']) => source);
  return sources.every(isKnownPython) ? {} : { skipped: 'runs a Python program' };
}

async function readFiles(folder: string): Promise<SuiteFile[]> {
  const files: SuiteFile[] = [];
  for (const part of ['spec/bin', 'spec/testdata']) {
    for (const name of (await readdir(join(folder, part), { recursive: true })).sort()) {
      const path = `${part}/${name}`;
      const found = await stat(join(folder, path));
      if (found.isDirectory() || (part === 'spec/bin' && name.endsWith('.py'))) continue;
      files.push({
        path,
        bytes: await readFile(join(folder, path)),
        isExecutable: (found.mode & 0o111) !== 0,
      });
    }
  }
  return files;
}

/** The suite's programs that are for Python 2, as they are for Python 3. */
async function readPrograms(): Promise<SuiteFile[]> {
  const read = async (name: string) => await readFile(join(programs, name));
  return await Promise.all(
    helperNames.map(async (name) => ({
      path: `spec/bin/${name}`,
      bytes: await read(name),
      isExecutable: true,
    })),
  );
}
