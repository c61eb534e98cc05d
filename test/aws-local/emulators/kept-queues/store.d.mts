import type { buildApp } from 'fauxqs';

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** A store of the emulator. */
export interface KeptQueues extends NonNullable<Stores['sqsStore']> {
  /** Time of the last stored change of a message, in milliseconds; null without a journal, or with a damaged one. */
  readonly keptUntil: number | null;
  /** The copy of a journal that could not be read completely. */
  readonly unread: string | undefined;
  giveBack(queues: readonly string[]): void;
  close(): void;
}

export function keptQueues(path: string): KeptQueues;
