import { beforeEach, describe, expect, it } from 'vitest';
import type { Connection, ConnectionRegistry } from '../../functions/core/ports/signals.ts';

let users = 0;

/** The contract of the port `ConnectionRegistry`; every implementation must pass it. */
export function connectionRegistryContract(title: string, open: () => ConnectionRegistry): void {
  describe(`${title}, as the connection registry`, () => {
    let connections: ConnectionRegistry;
    let ann: string;
    const socket = (id: string): Connection => ({ id: `${ann}-${id}=`, side: 'public' });
    beforeEach(() => {
      connections = open();
      users += 1;
      ann = `ann-${users}`;
    });

    it('lists a connection once it is registered, with the side that it was opened on', async () => {
      const internal: Connection = { id: `${ann}-in=`, side: 'internal' };
      await connections.open(internal, ann);
      await connections.open(socket('out'), ann);
      expect(await connections.list(ann)).toEqual([]);
      expect(await connections.register(internal)).toBe(ann);
      expect(await connections.register(socket('out'))).toBe(ann);
      const listed = [...(await connections.list(ann))].sort((one, other) => one.id.localeCompare(other.id));
      expect(listed).toEqual([internal, socket('out')]);
    });

    it('returns the user who opened the connection', async () => {
      await connections.open(socket('1'), ann);
      expect(await connections.register(socket('1'))).toBe(ann);
      expect(await connections.list(`${ann}-other`)).toEqual([]);
    });

    it('does not register a connection that was not opened', async () => {
      expect(await connections.register(socket('forged'))).toBeNull();
      expect(await connections.list(ann)).toEqual([]);
    });

    it('lists a connection that registers twice once', async () => {
      await connections.open(socket('1'), ann);
      await connections.register(socket('1'));
      await connections.register(socket('1'));
      expect(await connections.list(ann)).toEqual([socket('1')]);
    });

    it('removes a closed connection, even one that never registered or is unknown', async () => {
      for (const id of ['1', '2']) await connections.open(socket(id), ann);
      await connections.register(socket('1'));
      for (const id of ['1', '2', '3', '1']) await connections.close(socket(id).id);
      expect(await connections.list(ann)).toEqual([]);
      expect(await connections.register(socket('1'))).toBeNull();
      expect(await connections.register(socket('2'))).toBeNull();
    });

    it('separates users whose names look like its own keys', async () => {
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
