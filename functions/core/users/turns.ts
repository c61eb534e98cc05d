import { DeployError } from '../errors.ts';

/** Two of the four threads that Node has for scrypt and files: reading a file must not wait for passwords. */
const MOST_RUNNING = 2;
const MOST_WAITING = 32;
const MOST_WAITING_PER_USER = 4;
const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  readonly user: string;
  readonly begin: () => void;
}

/**
 * Returns what checks passwords two at a time, in the order in which they came. It throws `request:throttled` when 32
 * wait, or 4 of the user.
 */
export function passwordTurns(): <T>(user: string, work: () => Promise<T>) => Promise<T> {
  const waiting: Waiting[] = [];
  let running = 0;
  const turn = (user: string) => {
    const ofUser = waiting.filter((one) => one.user === user).length;
    if (waiting.length >= MOST_WAITING || ofUser >= MOST_WAITING_PER_USER) throw tooMany();
    return new Promise<void>((begin) => waiting.push({ user, begin }));
  };
  return async (user, work) => {
    if (running < MOST_RUNNING) running += 1;
    else await turn(user);
    try {
      return await work();
    } finally {
      // The next one takes the place, so that nobody who comes now is before it.
      const next = waiting.shift();
      if (next) next.begin();
      else running -= 1;
    }
  };
}

function tooMany(): DeployError {
  const detail = `Too many passwords are being checked; try again in ${RETRY_AFTER_SECONDS} s, or log in with an API token.`;
  return new DeployError('request:throttled', detail, { retryAfter: RETRY_AFTER_SECONDS });
}
