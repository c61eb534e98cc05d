import { expect, it } from 'vitest';
import { allApps } from '../../../../functions/page/service/all-apps.ts';

/** Lists the applications of a service whose pages have two, and that says it has `total`, if any. */
async function listed(names: readonly string[], total = names.length) {
  let pages = 0;
  const call = async ({ query: { skip } }: { readonly query: { readonly skip: number } }) => {
    pages += 1;
    return { apps: names.slice(skip, skip + 2), ...(total > 0 && { total }) };
  };
  return { names: await allApps({ user: 'ann', call }), pages };
}

it.each([
  [[], 1],
  [['a', 'b'], 1],
  [['a', 'b', 'c'], 2],
  [['a', 'b', 'c', 'd'], 2],
])('The page lists %j with %i calls', async (names, pages) => {
  expect(await listed(names)).toEqual({ names, pages });
});

it('The page takes a list without a total as the whole list', async () => {
  expect(await listed(['a', 'b', 'c'], 0)).toEqual({ names: ['a', 'b'], pages: 1 });
});

it('The page does not wait for applications that were removed while it listed them', async () => {
  expect(await listed(['a', 'b'], 3)).toEqual({ names: ['a', 'b'], pages: 2 });
});
