import { HarnessAgent } from '@ai-sdk/harness/agent';
import { createHarnessProvider } from 'coppice/ai-sdk-harness';
import { mockHarness } from './mock-harness.ts';

// Put a harness here, such as Claude Code's or Codex's: this one takes its prompts for commands.
const agent = new HarnessAgent({ harness: mockHarness(), sandbox: createHarnessProvider() });

const session = await agent.createSession();
const { text } = await agent.generate({ session, prompt: 'echo "set up: $(cat ~/.mock/log)"' });
console.log(text);
await session.destroy();
