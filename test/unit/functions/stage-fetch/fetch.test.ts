import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../functions/core/entry/entry.ts';
import { DeployError } from '../../../../functions/core/errors.ts';
import { fetchTarball } from '../../../../functions/stage-fetch/fetch.ts';
import { memoryHost } from '../../../fakes/repository-host.ts';
import { memoryTarballs } from '../../../fakes/tarball-store.ts';
import { checked, entry } from '../../../support/entries.ts';

function world(files: Record<string, string> = { 'package.json': '{}', 'src/main.js': '' }) {
  const host = memoryHost();
  const tarballs = memoryTarballs();
  const { sha } = host.commit({ owner: 'ann', name: 'shop', files });
  const run = fetchTarball({ host: () => host, token: async () => null, tarballs });
  const fetching: Entry = entry({ ...checked, stage: 'fetch', sha });
  return { host, tarballs, run, fetching };
}

describe('fetching', () => {
  it('stores the tarball of exactly that commit with its length and digest', async () => {
    const { run, fetching, tarballs } = world();
    const outcome = await run(fetching);
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    const stored = await tarballs.get(`ann/1/${fetching.sha}.tar.gz`);
    if (!stored) throw new Error('Nothing was stored.');
    const sha256 = createHash('sha256')
      .update(await buffer(stored.body))
      .digest('hex');
    expect(outcome.transition?.changes?.tarball).toEqual({
      key: `ann/1/${fetching.sha}.tar.gz`,
      bytes: stored.bytes,
      sha256,
    });
    expect(outcome.detail).toContain(`${stored.bytes} bytes`);
  });

  it('replaces what an earlier try has left', async () => {
    const { run, fetching, tarballs } = world();
    await run(fetching);
    expect(await run(fetching)).toMatchObject({ kind: 'done' });
    expect(tarballs.keys()).toHaveLength(1);
  });

  it('stores under a key that no user’s name can lead out of', async () => {
    const { run, fetching, tarballs } = world();
    await run({ ...fetching, user: '../bob' });
    expect(tarballs.keys()).toEqual([`..%2Fbob/1/${fetching.sha}.tar.gz`]);
  });

  it('stores nothing of a tarball that is refused, and says why', async () => {
    const { run, fetching, tarballs } = world({ '../../etc/passwd': 'root' });
    await expect(run(fetching)).rejects.toMatchObject({ code: 'deploy:tar:unsafe_path', retry: false });
    expect(tarballs.keys()).toEqual([]);
  });

  it('stores nothing of a download that breaks off', async () => {
    const { run, fetching, tarballs, host } = world();
    const tarball = host.tarball.bind(host);
    host.tarball = async (...call) => {
      const body = await buffer(await tarball(...call));
      async function* broken() {
        yield body.subarray(0, 20);
        throw new DeployError('deploy:repohost:download_tarball', 'The connection was lost.');
      }
      return broken();
    };
    await expect(run(fetching)).rejects.toMatchObject({ code: 'deploy:repohost:download_tarball', retry: true });
    expect(tarballs.keys()).toEqual([]);
  });

  it('ends at once when the host knows the commit but has no tarball of it', async () => {
    const { run, fetching, host } = world({ 'src/main.js': '' });
    const missing = new DeployError('deploy:repohost:download_tarball', 'It answered 404.', {
      retry: false,
      host: 'unknown',
    });
    host.failWith('tarball', missing);
    host.branch({ host: 'memory', owner: 'ann', name: 'shop', sha: fetching.sha ?? '' }, 'main');
    const failed = run(fetching);
    await expect(failed).rejects.toMatchObject({ detail: 'It answered 404.', retry: false, host: undefined });
  });

  it('lets go of the download when the store fails', async () => {
    const { run, fetching, tarballs, host } = world();
    let signal: AbortSignal | undefined;
    const tarball = host.tarball.bind(host);
    host.tarball = async (commit, token, given) => {
      signal = given;
      return tarball(commit, token, given);
    };
    tarballs.put = async () => {
      throw new Error('The store is away.');
    };
    await expect(run(fetching)).rejects.toThrow('The store is away.');
    expect(signal?.aborted).toBe(true);
  });
});
