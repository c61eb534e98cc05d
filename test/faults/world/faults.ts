import type { Random } from './random.ts';

/** What can happen to a call on its way; the first four before it arrives, the last three after. */
const faults = ['refused', 'hangs', 'throttled', 'fails', 'cut', 'lost', 'late'] as const;
export type Fault = (typeof faults)[number];

/** An answer in place of the service's own. */
export interface FaultyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a service says that it is called too often, and that it has failed; `target`: the operation, on AWS. */
export interface FaultyAnswers {
  throttled(target: string): FaultyAnswer;
  failed(): FaultyAnswer;
}

/** Returns the words of a service with an API like GitHub's or the platform's, or of a gateway in front of it. */
export function httpAnswers(retryAfterSeconds: number): FaultyAnswers {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  const body = '{"message":"API rate limit exceeded","error":"Too many requests."}';
  return {
    throttled: () => ({ status: 429, headers, body }),
    failed: () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' }),
  };
}

/** Returns what happens to the next call: rarely something, and often while its service has an outage. */
export class Weather<Service extends string> {
  readonly #random: Random;
  readonly #services: readonly Service[];
  /** The share of calls with a fault, when no service has an outage. */
  share: number;
  #outage: { readonly service: Service; left: number } | null = null;

  constructor(random: Random, services: readonly Service[], share: number) {
    this.#random = random;
    this.#services = services;
    this.share = share;
  }

  next(service: Service): Fault | null {
    const random = this.#random;
    if (this.share === 0) return null;
    if (!this.#outage && random.happens(this.share / 10)) {
      this.#outage = { service: random.pick(this.#services), left: 5 + random.below(35) };
    }
    const isOut = this.#outage?.service === service;
    if (this.#outage) this.#outage.left -= 1;
    if (this.#outage && this.#outage.left <= 0) this.#outage = null;
    if (!random.happens(isOut ? 0.7 : this.share)) return null;
    // What hangs costs real time.
    const fault = random.pick(faults);
    return (fault === 'hangs' || fault === 'late') && random.happens(0.6) ? 'refused' : fault;
  }
}
