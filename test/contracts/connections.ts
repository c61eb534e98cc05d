import { beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Connections } from '../../functions/core/ports/connections.ts';

let users = 0;

/** What every book of connections does. */
export function connectionsContract(title: string, open: () => Connections): void {
  describe(`${title}, as the book of connections`, () => {
    let connections: Connections;
    let ann: string;
    const socket = (id: string): Connection => ({ id: `${ann}-${id}=`, side: 'outside' });
    beforeEach(() => {
      connections = open();
      users += 1;
      ann = `ann-${users}`;
    });

    it('lists a connection from its registration on, with the side that it came through', async () => {
      const inside: Connection = { id: `${ann}-in=`, side: 'inside' };
      await connections.open(inside, ann);
      await connections.open(socket('out'), ann);
      expect(await connections.list(ann)).toEqual([]);
      expect(await connections.register(inside)).toBe(ann);
      expect(await connections.register(socket('out'))).toBe(ann);
      const listed = [...(await connections.list(ann))].sort((one, other) => one.id.localeCompare(other.id));
      expect(listed).toEqual([inside, socket('out')]);
    });

    it('gives the user who opened it, whoever registers', async () => {
      await connections.open(socket('1'), ann);
      expect(await connections.register(socket('1'))).toBe(ann);
      expect(await connections.list(`${ann}-other`)).toEqual([]);
    });

    it('knows no connection that nobody opened', async () => {
      expect(await connections.register(socket('forged'))).toBeNull();
      expect(await connections.list(ann)).toEqual([]);
    });

    it('counts a connection that registers twice once', async () => {
      await connections.open(socket('1'), ann);
      await connections.register(socket('1'));
      await connections.register(socket('1'));
      expect(await connections.list(ann)).toEqual([socket('1')]);
    });

    it('forgets a closed connection, also one that never registered or was never there', async () => {
      for (const id of ['1', '2']) await connections.open(socket(id), ann);
      await connections.register(socket('1'));
      for (const id of ['1', '2', '3', '1']) await connections.close(socket(id).id);
      expect(await connections.list(ann)).toEqual([]);
      expect(await connections.register(socket('1'))).toBeNull();
      expect(await connections.register(socket('2'))).toBeNull();
    });

    it('keeps users apart whose names look like its own keys', async () => {
      const names = [ann, `C#${ann}`, `U#${ann}`];
      for (const [place, name] of names.entries()) {
        await connections.open(socket(String(place)), name);
        await connections.register(socket(String(place)));
      }
      for (const [place, name] of names.entries())
        expect(await connections.list(name)).toEqual([socket(String(place))]);
    });
  });
}
