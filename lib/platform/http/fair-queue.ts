import { TooManyRequests } from '../../http/http-error.ts';

/** Two of the four threads that Node has for scrypt and files: reading a file must not wait for passwords. */
const MOST_RUNNING = 2;
const MOST_WAITING = 32;
const MOST_WAITING_PER_KEY = 4;
const RETRY_AFTER_SECONDS = 2;

interface Job {
  readonly start: () => void;
}

/**
 * Runs jobs two at a time. Those that wait take turns by key, so that many of one key do not delay the others, and are
 * dropped when their signal aborts. Throws TooManyRequests beyond 32 that wait, or 4 of one key.
 */
export class FairQueue {
  readonly #waiting = new Map<string, Job[]>();
  #count = 0;
  #running = 0;

  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const ofKey = this.#waiting.get(key) ?? [];
    if (this.#count >= MOST_WAITING || ofKey.length >= MOST_WAITING_PER_KEY) {
      throw new TooManyRequests('Too many passwords are being checked.', RETRY_AFTER_SECONDS);
    }
    return new Promise((resolve, reject) => {
      const job: Job = { start: () => void this.#work(work).then(resolve, reject) };
      const drop = () => {
        if (this.#remove(key, job)) reject(new TooManyRequests('The client has left.', RETRY_AFTER_SECONDS));
      };
      signal.addEventListener('abort', drop, { once: true });
      this.#waiting.set(key, [...ofKey, job]);
      this.#count += 1;
      this.#startNext();
    });
  }

  async #work<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#startNext();
    }
  }

  #startNext(): void {
    if (this.#running >= MOST_RUNNING) return;
    const [first] = this.#waiting;
    if (!first) return;
    const [key, [job, ...others]] = first;
    // A Map keeps insertion order: the next turn of this key comes after those of the others.
    this.#waiting.delete(key);
    if (others.length > 0) this.#waiting.set(key, others);
    this.#count -= 1;
    job?.start();
  }

  #remove(key: string, job: Job): boolean {
    const jobs = this.#waiting.get(key);
    if (!jobs?.includes(job)) return false;
    const others = jobs.filter((one) => one !== job);
    if (others.length > 0) this.#waiting.set(key, others);
    else this.#waiting.delete(key);
    this.#count -= 1;
    return true;
  }
}
