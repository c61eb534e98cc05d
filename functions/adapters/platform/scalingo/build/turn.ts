import { isObject, parseJson } from '../../../../core/json.ts';
import type { AppRef } from '../../../../core/ports/hosting-platform.ts';
import { keys } from '../../in-table/keys.ts';
import type { ScalingoParts } from '../parts.ts';

/**
 * The last deployment of an application that the service has begun on Scalingo, and the snapshot that serves there. One
 * is in progress at a time, because the one that ends last is the one that serves. It is one attribute of the
 * application's item, written on condition that it is unchanged: of two concurrent functions one takes the next turn.
 */
export interface Turn {
  /** Incremented with each deployment; part of the name by which the deployment is found on Scalingo. */
  readonly number: number;
  readonly snapshot: string;
  /** The order of the deploy or the rollback that began it. */
  readonly order: number;
  /** Its id on Scalingo; null until Scalingo has answered. */
  readonly deployment: string | null;
  /** When the turn was taken, in milliseconds since 1970. */
  readonly since: number;
  readonly isOver: boolean;
  /** The snapshot of the last deployment that succeeded, which serves; null before the first. */
  readonly live: string | null;
  readonly liveOrder: number;
}

/** A turn as it was read. */
export interface KnownTurn {
  readonly app: AppRef;
  /** The id of the app on Scalingo. */
  readonly run: string;
  readonly turn: Turn | null;
  readonly text: string | null;
}

/** Returns the turn of an application; null for an application without an app on Scalingo. */
export async function readTurn(
  { user, app }: AppRef,
  { table }: Pick<ScalingoParts, 'table'>,
): Promise<KnownTurn | null> {
  const item = await table.read(keys.app({ user, app }));
  if (item?.run === undefined) return null;
  const text = item.turn ?? null;
  return { app: { user, app }, run: item.run, turn: text === null ? null : turnIn(text), text };
}

/** Replaces a turn, and returns the new one; null when another call has replaced it before. */
export async function writeTurn(known: KnownTurn, turn: Turn, { table }: ScalingoParts): Promise<KnownTurn | null> {
  const text = JSON.stringify(turn);
  const isSame = { attribute: 'turn', is: known.text };
  return (await table.write(keys.app(known.app), { turn: text }, isSame)) ? { ...known, turn, text } : null;
}

/** Returns the name of a turn's deployment on Scalingo: `1.0.0-7.3`. */
export function refOf({ snapshot, number }: Turn): string {
  return `${snapshot}.${number}`;
}

function turnIn(text: string): Turn {
  const parsed = parseJson(text);
  const { number, snapshot, order, deployment, since, isOver, live, liveOrder } =
    parsed.ok && isObject(parsed.value) ? parsed.value : {};
  return {
    number: Number(number),
    snapshot: String(snapshot),
    order: Number(order),
    deployment: typeof deployment === 'string' ? deployment : null,
    since: Number(since),
    isOver: isOver === true,
    live: typeof live === 'string' ? live : null,
    liveOrder: Number(liveOrder),
  };
}
