import { gzipSync } from 'node:zlib';
import { nameOf } from '../../arn.ts';
import type { Closable, Invoker, Warn } from '../../invoke/invoker.ts';
import type { LogNotice } from '../../logs/subscriptions.ts';

/** Hands on what subscription filters have found. */
export interface LogNotices {
  put(notice: LogNotice): void;
  /** Gets every notice from now on. There is one listener. */
  listen(listener: (notice: LogNotice) => void): void;
}

/**
 * Returns notices without a listener; earlier ones are lost, as they are when a function cannot be invoked.
 */
export function logNotices(): LogNotices {
  let deliver: (notice: LogNotice) => void = () => {};
  return {
    put: (notice) => deliver(notice),
    listen: (listener) => {
      deliver = listener;
    },
  };
}

/**
 * Invokes functions with the lines that their filters have found, one message for each.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html#LambdaFunctionExample
 */
export function startLogNotices(options: {
  readonly functions: Invoker;
  readonly notices: LogNotices;
  readonly warn: Warn;
}): Closable {
  const { functions, notices, warn } = options;
  let closed = false;
  notices.listen(({ destination, message }) => {
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
