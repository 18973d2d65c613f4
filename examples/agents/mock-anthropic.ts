import Anthropic from '@anthropic-ai/sdk';

interface PlannedCall {
  readonly name: string;
  readonly input: object;
}

/** A client of Anthropic's without a network, whose model calls these tools, one after the other, and then says "done". */
export function anthropicThatCalls(...calls: readonly PlannedCall[]) {
  const results: { content: string; is_error: boolean }[] = [];
  let turn = 0;
  const fetch = async (_url: unknown, init?: { body?: unknown }) => {
    const { messages } = JSON.parse(String(init?.body));
    const last = messages.at(-1);
    if (turn > 0) {
      const { content, is_error = false } = last.content[0];
      results.push({ content: typeof content === 'string' ? content : content[0].text, is_error });
    }
    const call = calls[turn++];
    const content = call
      ? [{ type: 'tool_use', id: `toolu_${turn}`, name: call.name, input: call.input }]
      : [{ type: 'text', text: 'done' }];
    return Response.json({
      id: `msg_${turn}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content,
      stop_reason: call ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
  };
  return { client: new Anthropic({ apiKey: 'none', fetch }), results };
}
