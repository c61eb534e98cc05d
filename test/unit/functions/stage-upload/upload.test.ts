import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deployOfSnapshot } from '../../../../functions/core/entry/snapshot.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { upload } from '../../../../functions/stage-upload/upload.ts';
import { memoryAppVariables } from '../../../fakes/applications.ts';
import { memoryPlatform } from '../../../fakes/hosting-platform.ts';
import { memoryTarballs } from '../../../fakes/tarball-store.ts';
import { checked, entry } from '../../../support/entries.ts';

const bytes = Buffer.from('a tarball');
const tarball = { key: 'k', bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
const uploading = entry({ ...checked, stage: 'upload', tarball, manifest: { name: 'shop', main: 'main.js' } });
const app = { user: 'ann', app: 'shop' };

async function world() {
  const tarballs = memoryTarballs();
  const platform = memoryPlatform();
  async function* body() {
    yield bytes;
  }
  await tarballs.put('k', body());
  const variables = memoryAppVariables(platform);
  return { tarballs, platform, variables, run: upload({ platform, tarballs, variables }) };
}

let { run, tarballs, platform, variables } = {} as Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  ({ run, tarballs, platform, variables } = await world());
});

describe('uploading', () => {
  it('makes the application with its manifest and hands the tarball over unchanged', async () => {
    expect(await run(uploading)).toMatchObject({ kind: 'done' });
    expect(platform.app(app)?.manifest).toEqual({ name: 'shop', main: 'main.js' });
    expect(platform.app(app)?.snapshots['1.0.0-1']?.bytes.toString()).toBe('a tarball');
  });

  it('says of previews only that they may sleep, and of which application they are', async () => {
    const ensureApp = vi.spyOn(platform, 'ensureApp');
    await run(uploading);
    await run(entry({ ...uploading, pullRequest: { number: 7, parent: 'shop' } }));
    expect(ensureApp.mock.calls.map(([, , how]) => how)).toEqual([
      { maySleep: false },
      { maySleep: true, previewOf: 'shop' },
    ]);
  });

  it('may be done again: the same snapshot with the same bytes', async () => {
    await run(uploading);
    expect(await run(uploading)).toMatchObject({ kind: 'done' });
  });

  it('takes another id with the same number when the platform has other bytes under that of the entry', async () => {
    const of = (text: string) => ({ bytes: Buffer.from(text), state: 'ready', pollsLeft: 0 }) as const;
    platform.write(app, { snapshots: { '1.0.0-1': of('before'), '1.0.0-2-1': of('before that') } });
    const outcome = await run(uploading);
    expect(outcome).toMatchObject({ kind: 'done', transition: { changes: { snapshot: '1.0.0-3-1' } } });
    expect(platform.app(app)?.snapshots['1.0.0-3-1']?.bytes.toString()).toBe('a tarball');
    expect(platform.app(app)?.snapshots['1.0.0-1']?.bytes.toString()).toBe('before');
    expect(deployOfSnapshot('1.0.0-3-1')).toBe(1);
    expect(await run(uploading)).toEqual(outcome);
  });

  it('has a tarball that is gone fetched again', async () => {
    await tarballs.remove('k');
    expect(await run(uploading)).toMatchObject({ kind: 'back', to: 'fetch' });
    expect(await run({ ...uploading, tarball: null })).toMatchObject({ kind: 'back', to: 'fetch' });
  });

  it('opens no tarball that it then does not read, when the platform is away', async () => {
    platform.fail('ensureApp', new DeployError('deploy:platform:upload_tarball', 'Away.'));
    tarballs.get = async () => {
      throw new Error('Nothing must be opened.');
    };
    await expect(run(uploading)).rejects.toThrow('Away.');
  });

  it('is refused by the platform when the bytes are not those that were inspected', async () => {
    const other = { ...tarball, sha256: '0'.repeat(64) };
    await expect(run({ ...uploading, tarball: other })).rejects.toMatchObject({
      code: 'deploy:platform:upload_tarball',
    });
  });
});

describe('the variables of a preview', () => {
  const preview = { user: 'ann', app: 'shop-pr-7' };
  const deploy = () => run(entry({ ...uploading, appName: 'shop-pr-7', pullRequest: { number: 7, parent: 'shop' } }));

  it.each<[string, Readonly<Record<string, string | null>>, Readonly<Record<string, string>>]>([
    ['marks nothing any more', { PREVIEW_VARIABLES: null }, {}],
    ['marks one less', { PREVIEW_VARIABLES: 'B' }, { B: '2', PREVIEW_VARIABLES: 'B' }],
    ['marks others', { PREVIEW_VARIABLES: 'C B' }, { C: '3', B: '2', PREVIEW_VARIABLES: 'C,B' }],
    ['has another value', { A: '4' }, { A: '4', B: '2', PREVIEW_VARIABLES: 'A,B' }],
    ['has one less', { A: null }, { B: '2', PREVIEW_VARIABLES: 'B' }],
    ['has none', { A: null, B: null, C: null, PREVIEW_VARIABLES: null }, {}],
    ['is marked by itself', { PREVIEW_VARIABLES: 'PREVIEW_VARIABLES' }, {}],
  ])('are those that are marked at its deploy, and its own, when its parent %s', async (_, changes, given) => {
    platform.write(app, { variables: { A: '1', B: '2', C: '3', PREVIEW_VARIABLES: 'A, B' } });
    platform.write(preview, { variables: { OWN: 'yes' } });
    await deploy();
    expect(platform.app(preview)?.variables).toEqual({ OWN: 'yes', A: '1', B: '2', PREVIEW_VARIABLES: 'A,B' });
    await variables.set(app, changes);
    await deploy();
    expect(platform.app(preview)?.variables).toEqual({ OWN: 'yes', ...given });
  });

  it('are only its own when its parent was removed', async () => {
    platform.write(app, { variables: { A: '1', PREVIEW_VARIABLES: 'A' } });
    await deploy();
    platform.write(app, null);
    await deploy();
    expect(platform.app(preview)?.variables).toEqual({});
  });
});
