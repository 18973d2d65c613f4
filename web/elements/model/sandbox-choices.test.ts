import { expect, test } from 'vitest';
import { choiceLike, listChoices } from './sandbox-choices.ts';

const bridge = { url: 'http://127.0.0.1:7070', token: 'cpc_token' };
const image = { digest: '0'.repeat(64), architecture: 'i386' } as const;

test('S-1 every place that could run a sandbox is listed, and why one cannot', () => {
  const choices = listChoices([]);
  expect(choices.map(({ title, place }) => `${title} ${place}`)).toEqual([
    'Machine in this tab',
    'Shell in this tab',
    'WebContainer in this tab',
    'Jail on a host',
  ]);
  const unavailable = choices.filter((choice) => choice.unavailable !== undefined);
  expect(unavailable.map(({ key }) => key)).toEqual(['webcontainer', 'jail']);
  for (const { can, costs } of choices) expect([can, costs]).not.toContain('');
});

test('B-8 each known host is a place of its own, with its images where there are several', () => {
  const images = [
    { ...image, name: 'debian', isDefault: true },
    { ...image, name: 'node', isDefault: false },
  ];
  const one = { name: 'one', bridge, images, problem: undefined };
  const other = {
    name: 'other',
    bridge: { ...bridge, url: 'https://other' },
    images: images.slice(0, 1),
    problem: 'It does not answer.',
  };
  expect(listChoices([one, other]).slice(3)).toMatchObject([
    { place: 'on one', unavailable: undefined, images, action: { bridge: bridge.url } },
    { place: 'on other', unavailable: 'It does not answer.', images: [] },
  ]);
});

test('the choice that is selected makes another sandbox like the one in the pane', () => {
  expect(choiceLike({ runtime: 'shell' }, undefined)).toBe('shell');
  expect(choiceLike({ runtime: 'jail' }, bridge.url)).toBe(bridge.url);
  expect(choiceLike(undefined, undefined)).toBe('v86');
});
