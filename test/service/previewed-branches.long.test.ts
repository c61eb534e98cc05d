import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application } from '../support/service/git-folder.ts';
import { repositories, type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

describe('A branch that is pushed with the option preview', () => {
  let started: Started<ServiceUnderTest>;
  const repository = repositories(() => started);
  const textAt = async (url: string) => (await fetch(url)).text();
  const names = async (): Promise<string[]> =>
    (await started.call('/1/apps/demo')).body.apps.map(({ app }: { app: string }) => app);

  beforeAll(async () => {
    started = await startForTest('previewed-branches');
  });
  afterAll(() => started.close());

  it('answers at an address of its own until it is deleted, and nothing of the live branch changes', async () => {
    const shop = await repository('shop');
    shop.commit(application('shop', 'live'));
    await shop.pushAndWatch();
    await started.call('/1/apps/demo/shop/env?previews=true&restart=false', {
      method: 'PATCH',
      body: '{"MARKED":"1"}',
    });
    await started.call('/1/apps/demo/shop/env?restart=false', { method: 'PATCH', body: '{"SECRET":"2"}' });
    shop.commit(application('shop', 'changed'));
    const printed = await shop.pushAndWatch('--push-option', 'preview', 'main:changes');
    expect(printed).toContain('shop-pr-1');
    const preview = (await started.call('/1/apps/demo/shop-pr-1')).body;
    expect(printed).toContain(preview.url);
    expect(await textAt(preview.url)).toBe('changed');
    const { env } = (await started.call('/1/apps/demo/shop-pr-1/env?values=true')).body;
    expect(env).toEqual({ MARKED: '1', PREVIEW_VARIABLES: 'MARKED' });
    shop.commit(application('shop', 'changed again'));
    await shop.pushAndWatch('main:changes');
    expect(await textAt(preview.url)).toBe('changed again');
    const live = (await started.call('/1/apps/demo/shop')).body;
    expect(await textAt(live.url)).toBe('live');
    expect(await shop.pushAndWatch(':changes')).toContain('The branch changes was deleted; its preview is removed');
    await expect.poll(names, { timeout: 20_000 }).not.toContain('shop-pr-1');
    expect(await textAt(live.url)).toBe('live');
  });
});
