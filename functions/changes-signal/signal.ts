import { forEachLimit } from '../core/concurrency.ts';
import type { Connection, ConnectionRegistry, Side } from '../core/ports/signals.ts';
import type { LogUpdate } from '../triggers/log-stream.ts';

interface SignalPorts {
  readonly connections: Pick<ConnectionRegistry, 'list' | 'close'>;
  /** Posts a message to a connection; false when it is closed. Throws when the message could not be sent. */
  readonly post: (connection: Connection, message: string) => Promise<boolean>;
}

/** Maximum of concurrent posts to one user's connections. */
const MAX_CONCURRENT_POSTS = 20;

/**
 * Maximum size of a signal with changes; a larger one is sent without them. API Gateway counts a message for each 32
 * KB. https://aws.amazon.com/api-gateway/pricing/
 */
const MAX_SIGNAL_BYTES = 32 * 1024;

/**
 * Returns a function that notifies a user's connections of the log's last change, `{"last": n}`; the service's own
 * connections get the new changes too, `{"last": n, "changes": […]}`, so that they need not read the log. A closed
 * connection is removed from the registry. When posting to one fails, the others are notified all the same, and an
 * AggregateError is thrown at the end.
 */
export function signal({ connections, post }: SignalPorts): (update: LogUpdate) => Promise<void> {
  return async (update) => {
    const messages = messagesOf(update);
    const failures: unknown[] = [];
    await forEachLimit(await connections.list(update.user), MAX_CONCURRENT_POSTS, async (connection) => {
      try {
        const isOpen = await post(connection, messages[connection.side]);
        if (!isOpen) await connections.close(connection.id);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} connections could not be notified.`);
    }
  };
}

function messagesOf({ last, changes }: LogUpdate): Record<Side, string> {
  const short = JSON.stringify({ last });
  const full = `${short.slice(0, -1)},"changes":[${changes.join()}]}`;
  return { public: short, internal: Buffer.byteLength(full) > MAX_SIGNAL_BYTES ? short : full };
}
