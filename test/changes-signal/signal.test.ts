import { describe, expect, it } from 'vitest';
import { memoryConnections } from '../../functions/adapters/signals/memory.ts';
import { signal } from '../../functions/changes-signal/signal.ts';
import type { Connection } from '../../functions/core/ports/signals.ts';

async function world(
  users: Record<string, string[]>,
  post: (connection: Connection) => Promise<boolean> = async () => true,
) {
  const connections = memoryConnections();
  for (const [user, ids] of Object.entries(users)) {
    for (const id of ids) {
      await connections.open({ id, side: 'outside' }, user);
      await connections.register({ id, side: 'outside' });
    }
  }
  const posted: [string, string][] = [];
  const posting = {
    post: async (connection: Connection, text: string) => {
      posted.push([connection.id, text]);
      return post(connection);
    },
  };
  return { connections, posted, tell: signal({ connections, posting }) };
}

describe('telling of a change', () => {
  it('reaches every connection of the user and of nobody else', async () => {
    const { tell, posted } = await world({ ann: ['a1', 'a2'], bob: ['b1'] });
    await tell({ user: 'ann', last: 7 });
    expect(posted).toEqual([
      ['a1', '{"last":7}'],
      ['a2', '{"last":7}'],
    ]);
  });

  it('costs nothing more than a look when nobody listens', async () => {
    const { tell, posted } = await world({ bob: ['b1'] });
    await tell({ user: 'ann', last: 7 });
    expect(posted).toEqual([]);
  });

  it('forgets a connection that is gone', async () => {
    const { tell, connections } = await world({ ann: ['gone', 'here'] }, async ({ id }) => id !== 'gone');
    await tell({ user: 'ann', last: 1 });
    expect((await connections.list('ann')).map(({ id }) => id)).toEqual(['here']);
  });

  it('tells all the others when one cannot be told, and says so at the end without forgetting it', async () => {
    const { tell, posted, connections } = await world({ ann: ['a1', 'bad', 'a3'] }, async ({ id }) => {
      if (id === 'bad') throw new Error('throttled');
      return true;
    });
    await expect(tell({ user: 'ann', last: 1 })).rejects.toThrow('1 connections could not be told');
    expect(posted).toHaveLength(3);
    expect(await connections.list('ann')).toHaveLength(3);
  });

  it('posts to at most twenty connections at a time', async () => {
    let now = 0;
    let most = 0;
    const ids = Array.from({ length: 90 }, (_, place) => `c${place}`);
    const { tell, posted } = await world({ ann: ids }, async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return true;
    });
    await tell({ user: 'ann', last: 1 });
    expect([posted.length, most]).toEqual([90, 20]);
  });
});
