import { MockLanguageModelV4 } from 'ai/test';

interface PlannedCall {
  readonly toolName: string;
  readonly input: unknown;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model of the AI SDK that calls these tools, one after the other, and then says "done". */
export function modelThatCalls(...calls: readonly PlannedCall[]): MockLanguageModelV4 {
  const results = calls.map(({ toolName, input }, index) => ({
    content: [
      { type: 'tool-call' as const, toolCallId: `call-${index}`, toolName, input: JSON.stringify(input) },
    ],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage,
    warnings: [],
  }));
  const end = {
    content: [{ type: 'text' as const, text: 'done' }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    usage,
    warnings: [],
  };
  const planned = [...results, end];
  let turn = 0;
  return new MockLanguageModelV4({ doGenerate: async () => planned[turn++] ?? end });
}
