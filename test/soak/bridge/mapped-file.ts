import type { Sandbox } from '../../../sdk/sandbox.ts';
import { openLineProgram } from '../files/line-program.ts';

const code = `
import mmap, sys
path, size = sys.argv[1], int(sys.argv[2])
with open(path, "wb") as file:
    file.write(b"." * size)
with open(path, "r+b") as file:
    memory = mmap.mmap(file.fileno(), size)
for line in sys.stdin:
    offset, text = line.split()
    memory[int(offset):int(offset) + len(text)] = text.encode()
    print("done", flush=True)
`;

/** A file that a program in a sandbox has mapped, and writes to through its mapping alone; the program ends on disposal. */
export interface MappedFile extends AsyncDisposable {
  readonly path: string;
  /** What is in it, as far as the program has said so. */
  readonly content: Uint8Array;
  /** Resolves when the program has written it. @throws ProgramEnded */
  write(offset: number, text: string): Promise<void>;
}

/** Makes a file full of dots, and maps it. */
export async function openMappedFile(
  sandbox: Sandbox,
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
): Promise<MappedFile> {
  const content = new Uint8Array(sizeBytes).fill(0x2e);
  const program = await openLineProgram(sandbox, { code, args: [path, String(sizeBytes)] });
  return {
    path,
    content,
    write: async (offset, text) => {
      await program.ask(`${offset} ${text}`);
      content.set(new TextEncoder().encode(text), offset);
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
