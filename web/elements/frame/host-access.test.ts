import { afterEach, beforeEach, expect, type Mock, test, vi } from 'vitest';
import type { CommandEnd } from '../../../protocol/sandbox/events.ts';
import type { RuntimeOffer } from '../model/move-state.ts';
import { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { HostPanel } from '../move/host-panel.ts';
import { HostAccess } from './host-access.ts';

let asked: CommandEnd[];
let access: HostAccess;
let reasons: string[];
beforeEach(() => {
  vi.stubGlobal('sessionStorage', { getItem: () => '[{}]' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  [asked, reasons] = [[], ['of memory']];
  const panel = {
    perform: () => undefined,
    follow: () => undefined,
    consider: async (trouble: CommandEnd) => {
      asked.push(trouble);
      return { command: trouble.command, reasons };
    },
  };
  access = new HostAccess(async () => panel as unknown as HostPanel, new Notices());
});
afterEach(() => vi.unstubAllGlobals());

/** A pane of a sandbox, with a remark in it where there was one. */
function pane(id: string, offer?: RuntimeOffer): SandboxModel & { readonly showOffer: Mock } {
  return { state: { info: { id }, offer }, showOffer: vi.fn() } as never;
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

test('B-8 what was dismissed in a sandbox is not said there again, in whichever pane it is', async () => {
  const offer = { command: 'make', reasons: ['of memory'] };
  await access.perform({ type: 'dismiss-offer' }, { pane: pane('one', offer), shellPid: 7 });
  const [again, other] = [pane('one'), pane('other')];
  await access.consider(killed('make again'), { pane: again, shellPid: 7 });
  await access.consider(killed('make there'), { pane: other, shellPid: 7 });
  expect(again.showOffer).not.toHaveBeenCalled();
  expect(other.showOffer).toHaveBeenCalledOnce();
  reasons = ['of memory', 'of 64 bits'];
  await access.consider(killed('make more'), { pane: again, shellPid: 7 });
  expect(again.showOffer).toHaveBeenCalledOnce();
});

test('B-8 a remark that comes after its like was dismissed is not shown', async () => {
  const one = pane('one', { command: 'make', reasons: ['of memory'] });
  const considering = access.consider(killed('make'), { pane: one, shellPid: 7 });
  await access.perform({ type: 'dismiss-offer' }, { pane: one, shellPid: 7 });
  await considering;
  expect(one.showOffer).not.toHaveBeenCalled();
});
