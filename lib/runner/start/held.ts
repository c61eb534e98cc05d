import { busyPort } from '../../../functions/core/output/diagnosis.ts';
import { HttpError, withSentence } from '../../http/http-error.ts';
import type { Live } from '../live.ts';

const REMEDY = '"hooks set overlap=false" ends it before the new one starts';
/** What programs print that find a lock of another one: files of locks, LevelDB, LMDB, SQLite, pid files. */
const LOCKED =
  /(?<![\w-])lock(?:ed|s)?\b|already (?:held|running|locked|in use|open)|temporarily unavailable|\bE(?:AGAIN|WOULDBLOCK|BUSY)\b|another (?:instance|process)/i;

/** Adds what helps to the error of a start, when the release that runs has kept the new one from something. */
export async function withAdvice(error: unknown, { running, formation }: Live): Promise<unknown> {
  if (!(error instanceof HttpError) || !(running || formation?.isBusy())) return error;
  const { status, message, log = [] } = error;
  const port = busyPort(log);
  const held = port === undefined ? [] : [await running?.ports(), await formation?.ports()].flat();
  if (held.includes(port)) return new HttpError(status, `The release that runs holds port ${port}: ${REMEDY}.`, log);
  if (![message, ...log].some((line) => LOCKED.test(line))) return error;
  return withSentence(error, `If the release that runs holds that: ${REMEDY}.`);
}
