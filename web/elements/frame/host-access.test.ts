import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CommandEnd } from '../../../protocol/sandbox.ts';
import { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { HostPanel } from '../move/host-panel.ts';
import { HostAccess } from './host-access.ts';

let asked: CommandEnd[];
let access: HostAccess;
beforeEach(() => {
  vi.stubGlobal('sessionStorage', { getItem: () => '[{}]' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  asked = [];
  const panel = {
    perform: () => undefined,
    consider: async (trouble: CommandEnd) => {
      asked.push(trouble);
      return { command: trouble.command, reasons: ['of memory'] };
    },
  };
  access = new HostAccess(async () => panel as unknown as HostPanel, new Notices());
});
afterEach(() => vi.unstubAllGlobals());

function pane(id: string): SandboxModel & { readonly showOffer: ReturnType<typeof vi.fn> } {
  return { state: { info: { id } }, showOffer: vi.fn() } as never;
}

const killed = (command: string): CommandEnd => ({ command, exitCode: 137 }) as CommandEnd;

test('B-8 each command that ended badly is remarked on once, whichever pane is looked at between', async () => {
  const [one, other] = [pane('one'), pane('other')];
  const [first, second] = [killed('make'), killed('cc')];
  await access.consider(first, { pane: one, shellPid: 7 });
  await access.consider(second, { pane: other, shellPid: 7 });
  await access.consider(first, { pane: one, shellPid: 7 });
  expect(asked).toEqual([first, second]);
  expect(one.showOffer.mock.calls).toEqual([[{ command: 'make', reasons: ['of memory'] }]]);
});

test('B-8 of a sandbox where a remark was dismissed no more is said, in whichever pane it is; of others it is', async () => {
  await access.consider(killed('make'), { pane: pane('one'), shellPid: 7 });
  await access.perform({ type: 'dismiss-offer' }, { pane: pane('one'), shellPid: 7 });
  const [again, other] = [pane('one'), pane('other')];
  await access.consider(killed('make again'), { pane: again, shellPid: 7 });
  await access.consider(killed('make there'), { pane: other, shellPid: 7 });
  expect(again.showOffer).not.toHaveBeenCalled();
  expect(other.showOffer).toHaveBeenCalledOnce();
});

test('B-8 a remark that comes after another was dismissed is not shown', async () => {
  const one = pane('one');
  const considering = access.consider(killed('make'), { pane: one, shellPid: 7 });
  await access.perform({ type: 'dismiss-offer' }, { pane: one, shellPid: 7 });
  await considering;
  expect(one.showOffer).not.toHaveBeenCalled();
});
