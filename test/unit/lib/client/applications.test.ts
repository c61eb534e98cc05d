import { expect, it } from 'vitest';
import { allApplications } from '../../../../lib/client/applications.ts';
import type { ApiRequest } from '../../../../lib/client/client.ts';

/** Lists the applications of a service whose pages have two, and that says it has `total`, if any. */
async function listed(names: readonly string[], total = names.length) {
  let pages = 0;
  const call = async ({ query = {} }: ApiRequest) => {
    pages += 1;
    const skip = Number(query.skip ?? 0);
    const apps = names.slice(skip, skip + 2).map((name) => ({ name, state: 'running' }));
    return { apps, ...(total > 0 && { total }) };
  };
  const { apps } = await allApplications({ user: 'ann', call });
  return { names: apps.map(({ name }) => name), pages };
}

it.each([
  [[], 1],
  [['a', 'b'], 1],
  [['a', 'b', 'c'], 2],
  [['a', 'b', 'c', 'd'], 2],
])('The applications %j are listed with %i calls', async (names, pages) => {
  expect(await listed(names)).toEqual({ names, pages });
});

it('A list without a total is the whole list', async () => {
  expect(await listed(['a', 'b', 'c'], 0)).toEqual({ names: ['a', 'b'], pages: 1 });
});

it('A list does not wait for applications that were removed in the meantime', async () => {
  expect(await listed(['a', 'b'], 3)).toEqual({ names: ['a', 'b'], pages: 2 });
});

it('Another answer is no empty list', async () => {
  await expect(allApplications({ user: 'ann', call: async () => ({}) })).rejects.toThrow('something unknown');
});
