import type { Clock } from '../../../core/ports/clock.ts';
import type { Ids } from '../../../core/ports/ids.ts';
import type { Connection } from './connection.ts';
import type { Writer } from './writer.ts';

/** What the stores of one database share. */
export interface StoreContext {
  /** Reads outside a transaction: what has been committed. */
  readonly connection: Connection;
  readonly writer: Writer;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'hex'>;
}
