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
  outcome: 'passed',
  repository: { hostname: null, owner: 'ann', name: 'store', id: '7', url: null, private: false },
} as BuildResult;

let log = memoryLog();
beforeEach(async () => {
  log = memoryLog();
  await log.ownApp('ann', 'shop', { ...owner, branch: 'master' });
});

/** Returns the name with which a build is stored, and the other one. */
const namesOf = async (patch: Partial<BuildResult> = {}, environment?: string) => {
  const ports = { facts: log, log } as unknown as DeliveryPorts;
  const named = await withKnownName({ ...build, ...patch }, { ...target, environment }, ports);
  return [named.delivery.repository.name, named.otherName?.name];
};

describe('a build of a repository that was renamed', () => {
  it('has its name, and is expected by the former one, until the new one owns the application', async () => {
    expect(await namesOf()).toEqual(['store', 'shop']);
    expect(await namesOf({ outcome: 'failed' })).toEqual(['store', 'shop']);
    await log.ownApp('ann', 'shop', { ...owner, name: 'store' });
    expect(await namesOf()).toEqual(['store', undefined]);
  });

  it('is told to what is held for its commit by the former name, unless it passes the branch', async () => {
    const { number } = await append(log, { sha: sha('b'), branch: 'blue' });
    await log.move('ann', number, () => ({ changes: { status: 'held' }, commitState: { held: number } }));
    expect(await namesOf({ outcome: 'failed' })).toEqual(['shop', 'store']);
    expect(await namesOf({ branch: 'blue' })).toEqual(['shop', 'store']);
    expect(await namesOf({ branch: 'blue', sha: sha('c') })).toEqual(['store', 'shop']);
    expect(await namesOf()).toEqual(['store', 'shop']);
  });

  it('has the new name where CI without an id goes on to send the former one', async () => {
    const { id: _, ...known } = build.repository;
    const { number } = await append(log, { repository: { ...repository, id: '7' } });
    await log.move('ann', number, () => ({ promotes: true }));
    await log.ownApp('ann', 'shop', { ...owner, name: 'store' });
    const former = { ...known, name: 'shop' };
    expect(await namesOf({ repository: former })).toEqual(['store', 'shop']);
    expect(await namesOf({ repository: { ...former, id: '7' } })).toEqual(['shop', 'store']);
    expect(await namesOf({ repository: { ...former, id: '8' } })).toEqual(['shop', undefined]);
  });

  it('has no other name without an id, with that of another repository, and for another environment', async () => {
    const { id: _, ...unknown } = build.repository;
    expect(await namesOf({ repository: unknown })).toEqual(['store', undefined]);
    expect(await namesOf({ repository: { ...unknown, id: '8' } })).toEqual(['store', undefined]);
    expect(await namesOf({}, 'staging')).toEqual(['store', undefined]);
  });
});
