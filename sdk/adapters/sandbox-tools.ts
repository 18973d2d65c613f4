import { limits } from '../../protocol/limits.ts';
import type { FileInfo } from '../../protocol/sandbox/files.ts';
import { recordCall } from '../record-call.ts';
import type { Sandbox } from '../sandbox.ts';
import { cutList } from './cut-list.ts';
import { cutText } from './cut-text.ts';
import { defineTool, type ModelTool, type ToolAnswer } from './define-tool.ts';
import { describeRun } from './describe-run.ts';
import { readTextFile } from './read-text-file.ts';
import { replaceOnce } from './replace-once.ts';
import { type Move, SandboxSteps, type Step } from './sandbox-steps.ts';
import { shortId } from './short-id.ts';
import { writeFile } from './write-file.ts';

export type ToolName = 'run' | 'read' | 'write' | 'edit' | 'list' | 'snapshot' | 'checkout' | 'undo';

export interface ToolOptions<Name extends ToolName = ToolName> {
  /** Where commands run and relative paths begin; where the sandbox's commands begin by default. */
  readonly cwd?: string;
  /** The longest that a command may take, unless the model gives it less; `limits.modelCommandMs` by default. */
  readonly timeoutMs?: number;
  /** These tools only. */
  readonly only?: readonly Name[];
}

const path = { type: 'string', description: 'Absolute, or relative to the working directory.' } as const;
const afterwards =
  'What ran in the sandbox ends. Answers "previousHead", a snapshot of the files before, as the way back.';

/** The tools that a model needs to work in a sandbox and to go back in it, for any framework. */
export function sandboxTools(sandbox: Sandbox, options: ToolOptions = {}): readonly ModelTool[] {
  const { cwd, timeoutMs = limits.modelCommandMs, only } = options;
  const steps = SandboxSteps.of(sandbox);
  const change = async (
    work: () => Promise<ToolAnswer>,
    step: { label: string; signal: AbortSignal | undefined },
  ) => {
    const { value, snapshot, unsaved } = await steps.take(work, step);
    return {
      ...value,
      ...(snapshot ? { snapshot: shortId(snapshot) } : {}),
      ...(unsaved ? { unsaved } : {}),
    };
  };
  const tools = [
    defineTool({
      name: 'run',
      description:
        'Runs a command under bash and answers its exit code, its output and the id of a snapshot of the files after it.',
      fields: {
        command: { type: 'string', description: 'A bash script.' },
        timeoutSeconds: {
          type: 'integer',
          description: `It is killed after this long; ${timeoutMs / 1000} by default and at most.`,
          optional: true,
        },
      },
      run: async ({ command, timeoutSeconds }, signal) => {
        const givenMs = Math.max(1, timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
        const step: Step<Awaited<ReturnType<Sandbox['run']>>> = await steps.take(
          () =>
            sandbox.commands.run(command, {
              timeoutMs: Math.min(givenMs, timeoutMs),
              ...(cwd === undefined ? {} : { cwd }),
              ...(signal ? { signal } : {}),
            }),
          { label: command, signal },
        );
        return { ...describeRun(step) };
      },
    }),
    defineTool({
      name: 'read',
      description: 'Answers the text of a file, or of some of its lines.',
      fields: {
        path,
        firstLine: { type: 'integer', description: 'Counted from 1.', optional: true },
        lastLine: { type: 'integer', description: 'The last line that is wanted.', optional: true },
      },
      run: async ({ path, firstLine = 1, lastLine }) => {
        const text = await readTextFile(sandbox, await steps.resolve(path, cwd));
        const lines = text.split('\n');
        const wanted = lines.slice(Math.max(1, firstLine) - 1, lastLine).join('\n');
        return { text: cutText(wanted), lines: text.endsWith('\n') ? lines.length - 1 : lines.length };
      },
    }),
    defineTool({
      name: 'write',
      description: 'Creates a file with its directories, or replaces all of its content.',
      fields: { path, text: { type: 'string', description: 'All of the new content.' } },
      run: async ({ path, text }, signal) => {
        const file = await steps.resolve(path, cwd);
        const write = async () => {
          await writeFile(sandbox, file, text);
          return { path: file };
        };
        return change(write, { label: `write ${file}`, signal });
      },
    }),
    defineTool({
      name: 'edit',
      description: 'Replaces a piece of a file that occurs in it exactly once.',
      fields: {
        path,
        old: {
          type: 'string',
          description: 'The text to replace, with as much around it as makes it unique.',
        },
        new: { type: 'string', description: 'What takes its place.' },
      },
      run: async ({ path, old, new: replacement }, signal) => {
        const file = await steps.resolve(path, cwd);
        const edit = async () => {
          const edited = replaceOnce(await readTextFile(sandbox, file), {
            from: old,
            to: replacement,
            path: file,
          });
          await sandbox.files.write(file, edited.text);
          return { path: file, line: edited.line };
        };
        return change(edit, { label: `edit ${file}`, signal });
      },
    }),
    defineTool({
      name: 'list',
      description: 'Answers the entries of a directory: directories end in a slash, files have their size.',
      fields: { path: { ...path, optional: true } },
      run: async ({ path = '.' }) => {
        const entries = await sandbox.files.list(await steps.resolve(path, cwd));
        const shown = cutList(entries.slice(0, limits.modelEntries).map(describeEntry));
        const more = entries.length - shown.length;
        return { entries: shown, ...(more > 0 ? { more } : {}) };
      },
    }),
    defineTool({
      name: 'snapshot',
      description: 'Names the files as they are now, so that checkout can go back to them.',
      fields: { label: { type: 'string', description: 'What has been done so far.' } },
      run: async ({ label }, signal) => {
        const { value } = await steps.take(() => sandbox.createSnapshot({ label }), { label, signal });
        return { snapshot: shortId(value.id) };
      },
    }),
    defineTool({
      name: 'checkout',
      description: `Puts all files back as they were in a snapshot. ${afterwards}`,
      fields: { snapshot: { type: 'string', description: 'Its id, as another tool answered it, or a tag.' } },
      run: async ({ snapshot }, signal) => describeMove(await steps.checkout(snapshot, signal)),
    }),
    defineTool({
      name: 'undo',
      description: `Puts all files back as they were before the last step that changed any. ${afterwards}`,
      fields: {},
      run: async (_input, signal) => describeMove(await steps.undo(signal)),
    }),
  ];
  return tools
    .filter(({ name }) => only === undefined || (only as readonly string[]).includes(name))
    .map((tool) => ({
      ...tool,
      run: (input, options) => {
        const call = { tool: tool.name, arguments: input };
        return recordCall(sandbox.connection, call, () => tool.run(input, options));
      },
    }));
}

function describeMove({ snapshot, previousHead }: Move): ToolAnswer {
  return { snapshot: shortId(snapshot), previousHead: shortId(previousHead) };
}

function describeEntry({ name, type, sizeBytes, target }: FileInfo): string {
  if (type === 'directory') return `${name}/`;
  if (type === 'symlink') return `${name} -> ${target}`;
  return type === 'file' ? `${name} (${sizeBytes} bytes)` : `${name} (${type})`;
}
