import type { Change } from '../../functions/core/ports/log.ts';
import type { Connection, ConnectionRegistry, OnSignal, Signals } from '../../functions/core/ports/signals.ts';

/** Returns an in-memory fake of the signals; `notify` sends one. */
export function memorySignals(): Signals & {
  notify(user: string, last: number | null, changes?: readonly Change[]): void;
  subscribers(): number;
} {
  const listeners = new Set<{ readonly user: string; readonly onSignal: OnSignal }>();
  return {
    subscribe: (user, onSignal) => {
      const listener = { user, onSignal };
      listeners.add(listener);
      // As after every connection: earlier signals were missed.
      queueMicrotask(() => listeners.has(listener) && onSignal(null));
      return { close: () => void listeners.delete(listener) };
    },
    notify: (user, last, changes) => {
      for (const listener of [...listeners]) if (listener.user === user) listener.onSignal(last, changes);
    },
    subscribers: () => listeners.size,
  };
}

/** Returns an in-memory fake of the connection registry. */
export function memoryConnections(): ConnectionRegistry {
  const open = new Map<string, { readonly user: string; readonly connection: Connection; registered: boolean }>();
  return {
    open: async (connection, user) => void open.set(connection.id, { user, connection, registered: false }),
    register: async ({ id }) => {
      const known = open.get(id);
      if (!known) return null;
      known.registered = true;
      return known.user;
    },
    close: async (id) => void open.delete(id),
    list: async (user) =>
      [...open.values()].filter((one) => one.user === user && one.registered).map(({ connection }) => connection),
  };
}
