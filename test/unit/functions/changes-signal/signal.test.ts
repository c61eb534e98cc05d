import { describe, expect, it } from 'vitest';
import { signal } from '../../../../functions/changes-signal/signal.ts';
import type { Connection, Side } from '../../../../functions/core/ports/signals.ts';
import { memoryConnections } from '../../../fakes/signals.ts';

async function world(
  users: Record<string, string[]>,
  post: (connection: Connection) => Promise<boolean> = async () => true,
) {
  const connections = memoryConnections();
  const subscribe = async (user: string, id: string, side: Side = 'public') => {
    await connections.open({ id, side }, user);
    await connections.register({ id, side });
  };
  for (const [user, ids] of Object.entries(users)) for (const id of ids) await subscribe(user, id);
  const posted: [string, string][] = [];
  const record = async (connection: Connection, message: string) => {
    posted.push([connection.id, message]);
    return post(connection);
  };
  /** What was posted since the last call. */
  const since = () => posted.splice(0);
  return { connections, subscribe, posted, since, notify: signal({ connections, post: record }) };
}

const update = (last: number, user = 'ann') => ({ user, last, changes: [`{"seq":${last}}`] });
const ids = (posts: readonly [string, string][]) => posts.map(([id]) => id).sort();

describe('a signal', () => {
  it('is posted to every connection of the user and to no other', async () => {
    const { notify, posted } = await world({ ann: ['a1', 'a2'], bob: ['b1'] });
    await notify(update(7));
    expect(posted).toEqual([
      ['a1', '{"last":7}'],
      ['a2', '{"last":7}'],
    ]);
  });

  it('has the new changes for internal connections only', async () => {
    const { notify, subscribe, since } = await world({ ann: ['out'] });
    await subscribe('ann', 'in', 'internal');
    await notify({ user: 'ann', last: 8, changes: ['{"seq":7}', '{"seq":8,"message":"ü"}'] });
    expect(since()).toEqual([
      ['out', '{"last":8}'],
      ['in', '{"last":8,"changes":[{"seq":7},{"seq":8,"message":"ü"}]}'],
    ]);
  });

  it('is sent without the changes when it would count as more than one message', async () => {
    const { notify, subscribe, since } = await world({});
    await subscribe('ann', 'in', 'internal');
    const around = Buffer.byteLength('{"last":9,"changes":[]}');
    const filling = (bytes: number) => JSON.stringify('ü'.repeat((bytes - 2) / 2));
    const fits = filling(32 * 1024 - around - 1);
    await notify({ user: 'ann', last: 9, changes: [fits] });
    await notify({ user: 'ann', last: 9, changes: [filling(32 * 1024 - around + 1)] });
    expect(since()).toEqual([
      ['in', `{"last":9,"changes":[${fits}]}`],
      ['in', '{"last":9}'],
    ]);
  });

  it('is not posted when the user has no connections', async () => {
    const { notify, posted } = await world({ bob: ['b1'] });
    await notify(update(7));
    expect(posted).toEqual([]);
  });

  it('removes a closed connection', async () => {
    const { notify, connections } = await world({ ann: ['gone', 'here'] }, async ({ id }) => id !== 'gone');
    await notify(update(1));
    expect((await connections.list('ann')).map(({ id }) => id)).toEqual(['here']);
  });

  it('is posted to all others when posting to one fails, which throws at the end and removes nothing', async () => {
    const { notify, since, connections } = await world({ ann: ['a1', 'bad', 'a3'] }, async ({ id }) => {
      if (id === 'bad') throw new Error('throttled');
      return true;
    });
    for (const last of [1, 2]) {
      await expect(notify(update(last))).rejects.toThrow('1 connections could not be notified');
      expect(ids(since())).toEqual(['a1', 'a3', 'bad']);
    }
    expect(await connections.list('ann')).toHaveLength(3);
  });

  it('is posted to at most twenty connections at a time', async () => {
    let now = 0;
    let most = 0;
    const crowd = Array.from({ length: 90 }, (_, place) => `c${place}`);
    const { notify, posted } = await world({ ann: crowd }, async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return true;
    });
    await notify(update(1));
    await notify(update(2));
    expect([posted.length, most]).toEqual([180, 20]);
  });
});
