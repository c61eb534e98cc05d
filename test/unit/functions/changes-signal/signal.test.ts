import { describe, expect, it } from 'vitest';
import { signal } from '../../../../functions/changes-signal/signal.ts';
import type { Connection, Side } from '../../../../functions/core/ports/connections.ts';
import { memoryConnections } from '../../../fakes/signals.ts';

async function world(
  users: Record<string, string[]>,
  post: (connection: Connection) => Promise<boolean> = async () => true,
) {
  const connections = memoryConnections();
  const join = async (user: string, id: string, side: Side = 'outside') => {
    await connections.open({ id, side }, user);
    await connections.register({ id, side });
  };
  for (const [user, ids] of Object.entries(users)) for (const id of ids) await join(user, id);
  const posted: [string, string][] = [];
  const posting = {
    post: async (connection: Connection, text: string) => {
      posted.push([connection.id, text]);
      return post(connection);
    },
  };
  /** What was posted since the last call. */
  const since = () => posted.splice(0);
  return { connections, join, posted, since, tell: signal({ connections, posting }) };
}

const grown = (last: number, user = 'ann') => ({ user, last, changes: [`{"seq":${last}}`] });
const ids = (posts: readonly [string, string][]) => posts.map(([id]) => id).sort();

describe('telling of a change', () => {
  it('reaches every connection of the user and of nobody else', async () => {
    const { tell, posted } = await world({ ann: ['a1', 'a2'], bob: ['b1'] });
    await tell(grown(7));
    expect(posted).toEqual([
      ['a1', '{"last":7}'],
      ['a2', '{"last":7}'],
    ]);
  });

  it('says what is new to those of the service itself, and to nobody outside', async () => {
    const { tell, join, since } = await world({ ann: ['out'] });
    await join('ann', 'in', 'inside');
    await tell({ user: 'ann', last: 8, changes: ['{"seq":7}', '{"seq":8,"message":"ü"}'] });
    expect(since()).toEqual([
      ['out', '{"last":8}'],
      ['in', '{"last":8,"changes":[{"seq":7},{"seq":8,"message":"ü"}]}'],
    ]);
  });

  it('goes without the changes when it would count as more than one message', async () => {
    const { tell, join, since } = await world({});
    await join('ann', 'in', 'inside');
    const around = Buffer.byteLength('{"last":9,"changes":[]}');
    const filling = (bytes: number) => JSON.stringify('ü'.repeat((bytes - 2) / 2));
    const fits = filling(32 * 1024 - around - 1);
    await tell({ user: 'ann', last: 9, changes: [fits] });
    await tell({ user: 'ann', last: 9, changes: [filling(32 * 1024 - around + 1)] });
    expect(since()).toEqual([
      ['in', `{"last":9,"changes":[${fits}]}`],
      ['in', '{"last":9}'],
    ]);
  });

  it('costs nothing more than a look when nobody listens', async () => {
    const { tell, posted } = await world({ bob: ['b1'] });
    await tell(grown(7));
    expect(posted).toEqual([]);
  });

  it('tells those at once whom it told the last time, and those who came since after a look, each once', async () => {
    const { tell, join, since, connections } = await world({ ann: ['a1', 'a2'] });
    await tell(grown(1));
    since();
    await join('ann', 'a3');
    const { list } = connections;
    let before: string[] = [];
    connections.list = async (user) => {
      before = ids(since());
      return list(user);
    };
    await tell(grown(2));
    expect([before, ids(since())]).toEqual([['a1', 'a2'], ['a3']]);
    await tell(grown(3));
    expect(before).toEqual(['a1', 'a2', 'a3']);
  });

  it('forgets a connection that is gone', async () => {
    const { tell, connections } = await world({ ann: ['gone', 'here'] }, async ({ id }) => id !== 'gone');
    await tell(grown(1));
    expect((await connections.list('ann')).map(({ id }) => id)).toEqual(['here']);
  });

  it('forgets one that was told the last time and is gone by now, and tries it once', async () => {
    let isGone = false;
    const { tell, since, connections } = await world(
      { ann: ['leaves', 'here'] },
      async ({ id }) => !isGone || id !== 'leaves',
    );
    await tell(grown(1));
    since();
    isGone = true;
    await tell(grown(2));
    expect(ids(since())).toEqual(['here', 'leaves']);
    await tell(grown(3));
    expect(ids(since())).toEqual(['here']);
    expect(await connections.list('ann')).toHaveLength(1);
  });

  it('tells all the others when one cannot be told, and says so at the end without forgetting it', async () => {
    const { tell, since, connections } = await world({ ann: ['a1', 'bad', 'a3'] }, async ({ id }) => {
      if (id === 'bad') throw new Error('throttled');
      return true;
    });
    for (const last of [1, 2]) {
      await expect(tell(grown(last))).rejects.toThrow('1 connections could not be told');
      expect(ids(since())).toEqual(['a1', 'a3', 'bad']);
    }
    expect(await connections.list('ann')).toHaveLength(3);
  });

  it('has told all whom it knows by the time that it says that the book cannot be read', async () => {
    let pending = 0;
    const { tell, since, connections } = await world({ ann: ['a1', 'a2'] }, async () => {
      pending += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      pending -= 1;
      return true;
    });
    await tell(grown(1));
    since();
    connections.list = async () => {
      throw new Error('away');
    };
    await expect(tell(grown(2))).rejects.toThrow('away');
    expect([ids(since()), pending]).toEqual([['a1', 'a2'], 0]);
  });

  it('posts to at most twenty connections at a time', async () => {
    let now = 0;
    let most = 0;
    const crowd = Array.from({ length: 90 }, (_, place) => `c${place}`);
    const { tell, posted } = await world({ ann: crowd }, async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return true;
    });
    await tell(grown(1));
    await tell(grown(2));
    expect([posted.length, most]).toEqual([180, 20]);
  });
});
