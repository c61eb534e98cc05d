import { afterAll, beforeAll, expect, it } from 'vitest';
import { application, entryAddress } from '../support/service/git-folder.ts';
import { repositories, type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

let started: Started<ServiceUnderTest>;
const repository = repositories(() => started);
beforeAll(async () => {
  started = await startForTest('returned', { reconcileMinutes: 0 });
});
afterAll(async () => {
  await started.close();
});

it('a restart whose process ends soon is crashed, with the reason, and what ran before serves', async () => {
  const tree = await repository('shop');
  const files = application('shop', 'up');
  const server = `setTimeout(() => process.env.BAD && process.exit(3), 800);\n${files['server.js']}`;
  tree.commit({ ...files, 'server.js': server });
  const { doc } = await started.until(entryAddress(await tree.push()), 'ok', 'error');
  const { body } = await started.call('/1/apps/demo/shop/env', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ BAD: '1' }),
  });
  const entry = await started.until(body.restart.id, 'crashed', 'error');
  expect(entry).toMatchObject({ status: 'crashed', operation: 'restart' });
  expect(entry.reason).toMatch(
    /^The application ended soon after its start, and what ran before serves again, with the variables that it had: .*code 3\.$/,
  );
  expect(await (await fetch(doc.url)).text()).toBe('up');
});
