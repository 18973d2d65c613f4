import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import type { BetaTool } from '@anthropic-ai/sdk/resources/beta/messages/messages';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { Sandbox } from '../sandbox.ts';
import { createBash } from './anthropic-bash.ts';
import { SandboxSteps } from './sandbox-steps.ts';
import { sandboxTools, type ToolOptions } from './sandbox-tools.ts';
import { shortId } from './short-id.ts';
import { type EditCommand, editText } from './text-editor.ts';

export interface AnthropicOptions extends Pick<ToolOptions, 'cwd' | 'timeoutMs'> {
  /** The directory of the sandbox that the memory tool's `/memories` is; `memories` in `cwd` by default. */
  readonly memoryDirectory?: string;
}

/** Tools that `client.beta.messages.toolRunner` runs. */
export interface AnthropicTools {
  readonly bash: BetaRunnableTool;
  readonly textEditor: BetaRunnableTool;
  /** Its files go back with all others: give it a sandbox of its own if a model is to remember what was undone. */
  readonly memory: BetaRunnableTool;
  /** `snapshot`, `checkout` and `undo`. */
  readonly history: readonly BetaRunnableTool[];
}

/**
 * Anthropic's client-run tools over a sandbox: `bash_20250124`, `text_editor_20250728` and `memory_20250818`, and tools that
 * go back in its history.
 */
export function createAnthropicTools(sandbox: Sandbox, options: AnthropicOptions = {}): AnthropicTools {
  const steps = SandboxSteps.of(sandbox);
  const { cwd, memoryDirectory = 'memories' } = options;
  const locate = (path: string) => steps.resolve(path, cwd);
  const locateMemory = async (path: string) => {
    const within = /^\/memories(\/|$)/.exec(path)
      ? path.slice('/memories'.length).replace(/^\/+/, '')
      : undefined;
    if (within === undefined || within.split('/').includes('..')) {
      throw new SandboxError('invalid-argument', `Cannot use ${path}: memories are below /memories`);
    }
    const directory = await locate(memoryDirectory);
    await sandbox.files.makeDirectory(directory);
    return steps.resolve(within, directory);
  };
  const locateMemoryToChange = async (path: string) => {
    const file = await locateMemory(path);
    if (file !== (await locate(memoryDirectory))) return file;
    throw new SandboxError('invalid-argument', `Cannot change ${path}: it is the directory of all memories`);
  };
  const edit = (command: EditCommand, find: typeof locate, signal: AbortSignal | undefined) => {
    const work = () => editText(sandbox, command, find);
    if (command.command === 'view') return work();
    const label = `${command.command} ${'path' in command ? command.path : command.old_path}`;
    return steps
      .take(work, { label, tool: 'text_editor', signal })
      .then(
        ({ value, snapshot, unsaved }) =>
          `${value}\n[${snapshot ? `snapshot ${shortId(snapshot)}` : `no snapshot: ${unsaved}`}]`,
      );
  };
  return {
    bash: createBash(sandbox, options),
    textEditor: {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      max_characters: limits.modelOutputCharacters,
      parse: (input) => input,
      run: (input: EditCommand, context) => edit(input, locate, context?.signal ?? undefined),
    },
    memory: {
      type: 'memory_20250818',
      name: 'memory',
      parse: (input) => input,
      run: (input: EditCommand, context) => {
        const find = input.command === 'view' ? locateMemory : locateMemoryToChange;
        return edit(input, find, context?.signal ?? undefined);
      },
    },
    history: sandboxTools(sandbox, { only: ['snapshot', 'checkout', 'undo'] }).map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: { ...tool.parameters } as BetaTool['input_schema'],
      parse: (input: unknown) => input,
      run: async (input: unknown, context) =>
        JSON.stringify(await tool.run(input, { signal: context?.signal ?? undefined })),
    })),
  };
}
