import { gzipSync } from 'node:zlib';
import { nameOf } from '../arn.ts';
import type { Closable, Invoker, Warn } from '../invoke/invoker.ts';
import type { RunningServices } from '../services.ts';

/**
 * Invokes functions with the lines that their filters have found, one message for each.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample
 */
export function startLogNotices(options: {
  readonly functions: Invoker;
  readonly bus: RunningServices['bus'];
  readonly warn: Warn;
}): Closable {
  const { functions, bus, warn } = options;
  let closed = false;
  bus.on('notice', ({ destination, message }) => {
    if (closed) return;
    const data = gzipSync(JSON.stringify(message)).toString('base64');
    functions.invoke(nameOf(destination), { awslogs: { data } }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      if (!closed) warn(`${nameOf(destination)}, invoked by a log, failed: ${reason}`);
    });
  });
  return {
    close: async () => {
      closed = true;
    },
  };
}
