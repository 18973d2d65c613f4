import { expect, test } from 'vitest';
import type { MachineProcessEvent } from '../../protocol/machine-process.ts';
import { InputProcess } from './input-process.ts';

/** One whose file is written when `written` is resolved. */
function begun({ written }: { written: Promise<void> }) {
  const events: MachineProcessEvent[] = [];
  const calls: string[] = [];
  const process = new InputProcess({
    pid: 1,
    request: { command: 'cat' },
    listener: async (event) => void events.push(event),
    makeFile: async () => {
      await written;
      return { name: '.input', remove: async () => void calls.push('remove') };
    },
    start: async () => {
      calls.push('start');
      throw new Error('it was to be ended');
    },
  });
  return { process, events, calls };
}

for (const [how, end] of [
  ['killed', (process: InputProcess) => process.kill('SIGTERM')],
  ['closed', (process: InputProcess) => process.close('checkout')],
] as const) {
  test(`B-6 a program that is ${how} while its input is written does not start`, async () => {
    const written = Promise.withResolvers<void>();
    const { process, events, calls } = begun({ written: written.promise });
    await process.write(new TextEncoder().encode('text'));
    const closed = process.closeStdin();
    await end(process);
    written.resolve();
    await closed;
    expect(calls).toEqual(['remove']);
    expect(events).toMatchObject([{ type: 'exit', reason: how === 'killed' ? 'signalled' : 'checkout' }]);
  });
}
