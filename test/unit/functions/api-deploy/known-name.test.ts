import { beforeEach, describe, expect, it } from 'vitest';
import { withKnownName } from '../../../../functions/api-deploy/known-name.ts';
import type { DeliveryPorts } from '../../../../functions/api-deploy/ports.ts';
import type { BuildResult } from '../../../../functions/core/payload/delivery.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { append, repository, sha } from '../../../support/entries.ts';

const owner = { host: 'memory', owner: 'ann', name: 'shop', id: '7' };
const target = { user: 'ann', host: 'memory', branch: 'master', track: 'master', path: undefined };
const build = {
  kind: 'build',
  branch: 'master',
  sha: sha('b'),
  repository: { hostname: null, owner: 'ann', name: 'store', id: '7', url: null, private: false },
} as BuildResult;

let log = memoryLog();
beforeEach(async () => {
  log = memoryLog();
  await log.ownApp('ann', 'shop', { ...owner, branch: 'master' });
});

const nameOf = async (patch: Partial<BuildResult> = {}, environment?: string) => {
  const ports = { facts: log } as unknown as DeliveryPorts;
  return (await withKnownName({ ...build, ...patch }, { ...target, environment }, ports)).repository.name;
};

describe('a build of a repository that was renamed', () => {
  it('is of its former name until a push comes by the new one', async () => {
    expect(await nameOf()).toBe('shop');
    await append(log, { repository: { ...repository, name: 'store', id: '7' } });
    expect(await nameOf()).toBe('store');
  });

  it('is of the new name once that owns the application', async () => {
    await log.ownApp('ann', 'shop', { ...owner, name: 'store' });
    expect(await nameOf()).toBe('store');
  });

  it('of another branch is of the former name only where its commit is held by that', async () => {
    expect(await nameOf({ branch: 'blue' })).toBe('store');
    const { number } = await append(log, {
      sha: sha('b'),
      kind: 'preview',
      branch: 'blue',
      pullRequest: { number: 5 },
    });
    await log.move('ann', number, () => ({ changes: { status: 'held' }, commitState: { held: number } }));
    expect(await nameOf({ branch: 'blue' })).toBe('shop');
    expect(await nameOf({ branch: 'blue', sha: sha('c') })).toBe('store');
  });

  it('keeps its name without an id, with that of another repository, and for another environment', async () => {
    const { id: _, ...unknown } = build.repository;
    expect(await nameOf({ repository: unknown })).toBe('store');
    expect(await nameOf({ repository: { ...unknown, id: '8' } })).toBe('store');
    expect(await nameOf({}, 'staging')).toBe('store');
  });
});
