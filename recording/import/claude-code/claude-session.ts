import { type Fields, fieldsIn, fieldsOf, parseJson, textIn, timeIn } from '../fields.ts';
import type { ImportSource } from '../importer.ts';
import { importLimits } from '../limits.ts';
import { type Line, readLines } from '../read-lines.ts';
import { cutTitle, type DatedEvent, Transcript } from '../transcript.ts';
import { blocksOf, textOfBlocks } from './claude-blocks.ts';
import { shellResultOf } from './claude-shell-result.ts';
import { readAgentFile, readLongOutput } from './claude-side-files.ts';
import { MessageTree } from './message-tree.ts';

/** Names of the tool that starts a sub-agent. */
const agentTools = new Set(['Task', 'Agent']);

/** Where a line is: in the session's own file, or in that of a sub-agent. */
interface Position {
  readonly terminal: number;
  /** Agents that this one is within. */
  readonly depth: number;
  /** The message that began the agent. */
  readonly root?: string | undefined;
}

/** Reads a session line by line. */
export class ClaudeSession {
  readonly #source: ImportSource;
  readonly #transcript = new Transcript('claude-code');
  readonly #tree = new MessageTree();
  /** Calls of sub-agents that have not ended, and the messages that made them. */
  readonly #agents = new Map<string, { readonly title: string; readonly message: string | undefined }>();
  readonly #readAgents = new Set<string>();
  #sideFiles = 0;
  #sidechain: number | undefined;

  constructor(source: ImportSource) {
    this.#source = source;
    source.facts.omitted.push('Images in messages are not imported');
  }

  get waitsForAgent(): boolean {
    return this.#agents.size > 0;
  }

  get ms(): number {
    return this.#transcript.ms;
  }

  take(): DatedEvent[] {
    return this.#transcript.take();
  }

  finish(): DatedEvent[] {
    return this.#transcript.finish();
  }

  async read(line: Line, position: Position = { terminal: 1, depth: 0 }): Promise<void> {
    const { text, number } = line;
    if (text === undefined) return this.#transcript.leftOut(number, 'it is too long');
    if (text.trim() === '') return;
    const fields = fieldsOf(parseJson(text));
    this.#transcript.at(timeIn(fields, 'timestamp'));
    this.#noteFacts(fields, position);
    const type = textIn(fields, 'type');
    const at = this.#positionOf(fields, position);
    if (type === 'user' && isMessage(fields)) await this.#user(fields, at);
    else if (type === 'assistant' && isMessage(fields)) this.#assistant(fields, at);
    else if (type === 'system' && textIn(fields, 'content') !== undefined) this.#system(fields, at);
    else {
      this.#tree.pass(fields);
      this.#transcript.foreign(text);
    }
  }

  #system(fields: Fields, { terminal, root }: Position): void {
    const text = textIn(fields, 'content') ?? '';
    this.#transcript.message({ role: 'system', text, ...this.#tree.place(fields, root) }, terminal);
  }

  async #user(fields: Fields, at: Position): Promise<void> {
    const blocks = blocksOf(fields);
    const results = blocks.filter((block) => textIn(block, 'type') === 'tool_result');
    const text = textOfBlocks(blocks.filter((block) => !results.includes(block)));
    if (text === '') this.#tree.pass(fields);
    else {
      // What the agent itself puts in, as if a person had said it, and what it asks of a sub-agent.
      const isTyped = at.terminal === 1 && fields.isMeta !== true && fields.isCompactSummary !== true;
      const role = isTyped ? 'user' : 'system';
      this.#transcript.message({ role, text, ...this.#tree.place(fields, at.root) }, at.terminal);
    }
    for (const block of results) await this.#result(block, fields, at);
  }

  #assistant(fields: Fields, { terminal, root }: Position): void {
    const blocks = blocksOf(fields);
    const given = textIn(fieldsIn(fields, 'message'), 'model');
    const model = given === undefined || given.startsWith('<') ? {} : { model: given };
    const thinking = blocks.flatMap((block) => textIn(block, 'thinking') ?? []).join('\n\n');
    const text = textOfBlocks(blocks);
    const place = text === '' && thinking === '' ? undefined : this.#tree.place(fields, root);
    if (place === undefined) this.#tree.pass(fields);
    const ofThinking = text === '' ? place : place?.parent === undefined ? {} : { parent: place.parent };
    this.#transcript.message({ role: 'thinking', text: thinking, ...ofThinking, ...model }, terminal);
    this.#transcript.message({ role: 'assistant', text, ...place, ...model }, terminal);
    for (const block of blocks) if (textIn(block, 'type') === 'tool_use') this.#call(block, fields, terminal);
  }

  #call(block: Fields, fields: Fields, terminal: number): void {
    const id = textIn(block, 'id') ?? '';
    const tool = textIn(block, 'name') ?? '';
    const input = fieldsIn(block, 'input');
    if (agentTools.has(tool) && this.#agents.size < importLimits.openCalls) {
      const title = textIn(input, 'description') ?? textIn(input, 'subagent_type') ?? tool;
      this.#agents.set(id, { title, message: this.#tree.nearest(fields) });
    }
    const cwd = textIn(fields, 'cwd');
    const command = tool === 'Bash' ? textIn(input, 'command') : undefined;
    this.#transcript.call(
      {
        id,
        tool,
        arguments: block.input ?? {},
        ...(command === undefined ? {} : { shell: { text: command, ...(cwd === undefined ? {} : { cwd }) } }),
      },
      terminal,
    );
  }

  async #result(block: Fields, fields: Fields, { depth }: Position): Promise<void> {
    const id = textIn(block, 'tool_use_id') ?? '';
    const told = fieldsIn(fields, 'toolUseResult');
    const agent = this.#agents.get(id);
    this.#agents.delete(id);
    if (agent) await this.#readAgent(textIn(told, 'agentId'), agent, depth + 1);
    const content = typeof block.content === 'string' ? block.content : textOfBlocks(blocksIn(block));
    const isError = block.is_error === true;
    const shell = this.#transcript.isShell(id)
      ? shellResultOf({ content, isError, told, whole: await this.#longOutput(told) })
      : undefined;
    this.#transcript.result({ id, result: content, isError, ...(shell === undefined ? {} : { shell }) });
  }

  #longOutput(told: Fields): Promise<string | undefined> {
    const path = textIn(told, 'persistedOutputPath');
    if (path === undefined || !this.#mayReadMore()) return Promise.resolve(undefined);
    return readLongOutput(path, this.#source.readSideFile);
  }

  /** What a sub-agent did, from the file that it wrote. */
  async #readAgent(
    id: string | undefined,
    { title, message }: { readonly title: string; readonly message: string | undefined },
    depth: number,
  ): Promise<void> {
    if (id === undefined || depth > importLimits.agentDepth || this.#readAgents.has(id)) return;
    if (!this.#mayReadMore()) return;
    this.#readAgents.add(id);
    const bytes = await readAgentFile(id, this.#source.readSideFile);
    if (!bytes) return;
    const { ms } = this.#transcript;
    const lines = readLines(single(bytes));
    let terminal: number | undefined;
    for await (const line of lines) {
      if (terminal === undefined) {
        this.#transcript.at(timeIn(fieldsOf(parseJson(line.text ?? '')), 'timestamp'));
        terminal = this.#transcript.openTerminal(title);
      }
      await this.read(line, { terminal, depth, root: message });
    }
    this.#transcript.at(ms);
  }

  /** Older versions wrote what sub-agents did into the session's own file. */
  #positionOf(fields: Fields, position: Position): Position {
    if (position.depth > 0 || fields.isSidechain !== true) return position;
    this.#sidechain ??= this.#transcript.openTerminal('Sub-agents');
    return { ...position, terminal: this.#sidechain };
  }

  #mayReadMore(): boolean {
    this.#sideFiles += 1;
    return this.#sideFiles <= importLimits.sideFiles;
  }

  #noteFacts(fields: Fields, { depth }: Position): void {
    if (depth > 0) return;
    const { facts } = this.#source;
    const version = textIn(fields, 'version');
    const cwd = textIn(fields, 'cwd');
    const title = textIn(fields, 'customTitle') ?? textIn(fields, 'aiTitle') ?? textIn(fields, 'summary');
    if (version !== undefined) facts.agent ??= `claude-code ${cutTitle(version)}`;
    if (cwd !== undefined) facts.cwd ??= cwd;
    if (title !== undefined && title !== '') facts.title ??= cutTitle(title);
  }
}

function isMessage(fields: Fields): boolean {
  const { content } = fieldsIn(fields, 'message');
  return typeof content === 'string' || Array.isArray(content);
}

function blocksIn({ content }: Fields): Fields[] {
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
