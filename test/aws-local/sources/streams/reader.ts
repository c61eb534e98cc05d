import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Invoker, Warn } from '../../invoke/invoker.ts';
import type { Mapping } from '../event-source-mapping.ts';
import type { StreamsApi } from './api.ts';
import type { PollBackoff } from './poll-backoff.ts';

/** One mapping and the stream that it reads. */
export interface StreamReader {
  readonly mapping: Mapping;
  readonly streamArn: string;
  readonly api: StreamsApi;
  readonly queues: SQSClient;
  readonly endpoints: { readonly sqs: string };
  readonly functions: Invoker;
  /** The position of each shard's reader: the sequence number of the last record that was handled. */
  readonly positions: Map<string, string>;
  readonly backoff: PollBackoff;
  readonly signal: AbortSignal;
  /** Resolves when the signal fires; shared, because listeners on a signal are never removed. */
  readonly stopped: Promise<void>;
  readonly warn: Warn;
}
