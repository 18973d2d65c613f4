// The adapter in Node: sandboxes that it makes are shells of this process, where no backend is given.
import '../index.ts';

export * from '../../sdk/adapters/ai-sdk-harness.ts';
