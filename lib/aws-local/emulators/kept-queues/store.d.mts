import type { buildApp } from 'fauxqs';

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** A store of the emulator. */
export interface KeptQueues extends NonNullable<Stores['sqsStore']> {
  /** Time of the last change of a message that was kept, in milliseconds; null without a journal that can be read. */
  readonly keptUntil: number | null;
  /** Where a journal is now that could not be read. */
  readonly unread: string | undefined;
  giveBack(queues: readonly string[]): void;
  close(): void;
}

export function keptQueues(path: string): KeptQueues;
