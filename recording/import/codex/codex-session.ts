import { type Fields, fieldsIn, fieldsOf, listIn, parseJson, textIn } from '../fields.ts';
import type { SessionFacts } from '../importer.ts';
import { importLimits } from '../limits.ts';
import type { Transcript } from '../transcript.ts';
import { type CallEnd, endOf, modelResultOf } from './codex-results.ts';

/** Events that say what an item of the other log says too. */
const mirrors = new Set([
  'agent_message',
  'agent_message_delta',
  'agent_reasoning',
  'agent_reasoning_delta',
  'exec_command_begin',
  'exec_command_output_delta',
  'patch_apply_begin',
  'mcp_tool_call_begin',
  'web_search_begin',
]);

/** Makes events of a rollout's lines. What is known of lines ahead was said before (`expect…`). */
export class CodexSession {
  readonly #transcript: Transcript;
  readonly #facts: SessionFacts;
  #model: string | undefined;
  /** Texts that a person typed, whose item of the other log has not come. */
  readonly #typed: string[] = [];
  /** Calls whose ends are told by `event_msg`, and which of their two accounts came. */
  readonly #ends = new Map<string, 'ahead' | 'end came' | 'mirror came'>();
  /** Web searches in the order in which they began, some without an id. */
  #searches = 0;

  constructor(transcript: Transcript, facts: SessionFacts) {
    this.#transcript = transcript;
    this.#facts = facts;
  }

  expectTyped(text: string): void {
    this.#typed.push(text.trim());
    if (this.#typed.length > importLimits.lookaheadLines) this.#typed.shift();
  }

  expectEnd(id: string): void {
    if (this.#ends.size >= importLimits.openCalls) this.#ends.clear();
    this.#ends.set(id, 'ahead');
  }

  read(line: Fields, text: string): void {
    const payload = fieldsIn(line, 'payload');
    switch (textIn(line, 'type')) {
      case 'response_item':
        this.#item(payload, text);
        break;
      case 'event_msg':
        this.#event(payload, text);
        break;
      case 'turn_context':
        this.#model = textIn(payload, 'model') ?? this.#model;
        if (this.#model !== undefined) this.#facts.model ??= this.#model;
        this.#transcript.foreign(text);
        break;
      default:
        this.#transcript.foreign(text);
        break;
    }
  }

  #item(item: Fields, text: string): void {
    const transcript = this.#transcript;
    const id = textIn(item, 'call_id') ?? '';
    switch (textIn(item, 'type')) {
      case 'message':
        this.#message(item);
        break;
      case 'reasoning': {
        const said = [...listIn(item, 'summary'), ...listIn(item, 'content')];
        transcript.message({ role: 'thinking', text: textsOf(said).join('\n\n'), ...this.#byModel() });
        break;
      }
      case 'function_call': {
        const given = textIn(item, 'arguments') ?? '';
        const tool = textIn(item, 'name') ?? '';
        transcript.call({ id, tool, arguments: parseJson(given) ?? given });
        break;
      }
      case 'custom_tool_call':
        transcript.call({
          id,
          tool: textIn(item, 'name') ?? '',
          arguments: { input: textIn(item, 'input') ?? '' },
        });
        break;
      case 'local_shell_call':
        transcript.call({ id, tool: 'local_shell', arguments: fieldsIn(item, 'action') });
        break;
      case 'web_search_call':
        this.#searches += 1;
        transcript.call({
          id: id || `web_search:${this.#searches}`,
          tool: 'web_search',
          arguments: fieldsIn(item, 'action'),
        });
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#output(id, item);
        break;
      default:
        transcript.foreign(text);
        break;
    }
  }

  #message(item: Fields): void {
    const text = textsOf(listIn(item, 'content')).join('\n\n');
    if (textIn(item, 'role') === 'assistant') {
      this.#transcript.message({ role: 'assistant', text, ...this.#byModel() });
      return;
    }
    // `user_message` tells what a person typed; anything else was put in by the program.
    const typed = this.#typed.indexOf(text.trim());
    if (typed >= 0) this.#typed.splice(typed, 1);
    else this.#transcript.message({ role: 'system', text });
  }

  #output(id: string, item: Fields): void {
    const end = this.#ends.get(id);
    if (end === 'end came') this.#ends.delete(id);
    else if (end === 'ahead') this.#ends.set(id, 'mirror came');
    if (end !== undefined) return;
    const { output } = item;
    const isShell = this.#transcript.isShell(id);
    const { shell, ...told } = modelResultOf(output, { isShell });
    this.#transcript.result({ id, ...told, ...(shell === undefined ? {} : { shell }) });
  }

  #event(event: Fields, text: string): void {
    const type = textIn(event, 'type') ?? '';
    if (mirrors.has(type)) return;
    if (type === 'user_message') {
      this.#transcript.message({ role: 'user', text: textIn(event, 'message') ?? '' });
      return;
    }
    const end = endOf(event);
    if (end) {
      this.#end(end, text);
      return;
    }
    this.#transcript.foreign(text);
    if (type === 'turn_aborted')
      this.#transcript.note(`The turn was ended: ${textIn(event, 'reason') ?? 'no reason is told'}`);
    if (type === 'error') this.#transcript.note(`Error: ${textIn(event, 'message') ?? ''}`);
  }

  #end({ id, result, isError, shell }: CallEnd, text: string): void {
    // Its call was answered before, as that of a command that went on in the background.
    if (!this.#transcript.isOpen(id)) {
      this.#transcript.foreign(text);
      return;
    }
    if (this.#ends.get(id) === 'mirror came') this.#ends.delete(id);
    else this.#ends.set(id, 'end came');
    const ran = this.#transcript.isShell(id) && shell !== undefined ? { shell } : {};
    this.#transcript.result({ id, result, isError, ...ran });
  }

  #byModel(): { readonly model?: string } {
    return this.#model === undefined ? {} : { model: this.#model };
  }
}

function textsOf(items: readonly unknown[]): string[] {
  return items.flatMap((item) => textIn(fieldsOf(item), 'text') ?? []);
}
