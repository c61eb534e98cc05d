import { expect, it } from 'vitest';
import { applicationIn } from '../../../../lib/client/applications.ts';
import { entryIn } from '../../../../lib/client/entry.ts';
import { previewsOf } from '../../../../lib/client/previews.ts';
import { doc, entry } from '../../../support/cli-entries.ts';

const pull = { app_name: 'shop-pr-7', pull_request: 7, preview_of: 'shop' };
const said = doc({ message: 'Blue', author: 'octocat', branch: 'blue' });
const deploy = (number: number, more: object = {}) => entry(number, { ...pull, doc: said, ...more });
const app = (more: object = {}) => ({ name: 'shop-pr-7', state: 'running', ...pull, ...more });

function previews(apps: readonly object[], entries: readonly object[]) {
  return previewsOf(
    apps.flatMap((one) => applicationIn(one) ?? []),
    entries.flatMap((one) => entryIn(one) ?? []),
  );
}

it('A preview has the title, the author and the branch of its newest deploy, and the address of its application', () => {
  const later = deploy(9, { status: 'ok', doc: doc({ message: 'Red', author: 'kiwi', branch: 'blue' }) });
  const found = previews([{ name: 'shop', state: 'running' }, app({ url: 'http://a' })], [later, deploy(8)]);
  expect(found).toMatchObject([
    { ...{ name: 'shop-pr-7', preview_of: 'shop', pull_request: 7, state: 'ok', url: 'http://a' }, title: 'Red' },
  ]);
  expect(found[0]).toMatchObject({ author: 'kiwi', branch: 'blue' });
});

it('A preview whose entries are older than the part of the log that was read has what its live one says', () => {
  const active = deploy(3, { status: 'ok' });
  expect(previews([app({ active })], [])).toMatchObject([{ title: 'Blue', author: 'octocat', branch: 'blue' }]);
  expect(previews([app()], [])).toMatchObject([{ title: null, author: null, branch: null, state: 'ok' }]);
});

it.each([
  ['running', 'running', 'running'],
  ['running', 'queued', 'queued'],
  ['asleep', 'held', 'held'],
  ['running', 'error', 'error'],
  ['never', 'error', 'error'],
  ['running', 'ok', 'ok'],
  ['asleep', 'ok', 'asleep'],
  ['stopped', 'ok', 'stopped'],
  ['crashed', 'ok', 'crashed'],
  ['asleep', 'skipped', 'asleep'],
  ['running', 'superseded', 'ok'],
])('An application that is %s, its newest deploy %s: %s', (state, status, shown) => {
  expect(previews([app({ state })], [deploy(8, { status })])[0]?.state).toBe(shown);
});

it('A restart or a stop is no deploy', () => {
  const stopped = deploy(9, { operation: 'stop', status: 'ok', doc: doc({ message: null }) });
  expect(previews([app({ state: 'stopped' })], [stopped, deploy(8, { status: 'ok' })])).toMatchObject([
    { title: 'Blue', state: 'stopped' },
  ]);
});

it('Without an application there is a preview only while its deploy has not ended', () => {
  expect(previews([], [deploy(8, { status: 'held' })])).toMatchObject([{ title: 'Blue', state: 'held', url: null }]);
  const removed = deploy(9, { operation: 'remove', status: 'ok' });
  for (const entries of [[removed, deploy(8, { status: 'ok' })], [deploy(8, { status: 'error' })]]) {
    expect(previews([], entries)).toEqual([]);
  }
});

it('They are sorted by what they preview and by the number, not by its digits', () => {
  const names = [
    ['shop', 10],
    ['shop', 9],
    ['cart', 11],
  ] as const;
  const apps = names.map(([parent, number]) =>
    app({ name: `${parent}-pr-${number}`, preview_of: parent, pull_request: number }),
  );
  expect(previews(apps, []).map(({ name }) => name)).toEqual(['cart-pr-11', 'shop-pr-9', 'shop-pr-10']);
});
