import { Throttled } from '../invoke/function-error.ts';
import { functionName } from '../invoke/settings.ts';
import type { Template } from '../template/template.ts';

/** The invocations that an account may run at a time. */
export interface Concurrency {
  /**
   * Takes a place for an invocation; returns what gives it back, once.
   *
   * @throws Throttled when there is none
   */
  take(functionName: string): () => void;
  /**
   * Reserves places for a function that was created by a call. Returns the refusal of Lambda when too few would be left
   * for the functions without a reservation.
   */
  reserve(functionName: string, places: number): string | undefined;
  /** Returns how often each function has been invoked. */
  counts(): ReadonlyMap<string, number>;
  /** Gives reserved places back. */
  release(functionName: string): void;
}

/** The concurrency of a new account: https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
const NEW_ACCOUNT = 10;
/** What must stay unreserved: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
const UNRESERVED = 100;

/**
 * Counts the invocations of an account: of the template's functions, and of those that were created by calls. Functions
 * with a reserved concurrency have places of their own, which the others do not have.
 */
export function accountConcurrency(template: Template, limit = NEW_ACCOUNT): Concurrency {
  const reserved = reservations(template);
  const shared = () => limit - [...reserved.values()].reduce((sum, places) => sum + places, 0);
  const running = new Map<string, number>();
  const counts = new Map<string, number>();
  return {
    take: (name) => {
      const pool = reserved.has(name) ? name : '';
      const taken = running.get(pool) ?? 0;
      if (taken >= (reserved.get(name) ?? shared())) throw new Throttled(name, reserved.has(name));
      running.set(pool, taken + 1);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      let isTaken = true;
      return () => {
        if (isTaken) running.set(pool, (running.get(pool) ?? 1) - 1);
        isTaken = false;
      };
    },
    counts: () => new Map(counts),
    reserve: (name, places) => {
      const least = Math.min(UNRESERVED, limit);
      if (places > 0 && shared() + (reserved.get(name) ?? 0) - places < least) {
        return `Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [${least}].`;
      }
      reserved.set(name, places);
      return undefined;
    },
    release: (name) => void reserved.delete(name),
  };
}

/** Returns how many runs are reserved for each function of the template that has a reservation. */
export function reservations(template: Template): Map<string, number> {
  return new Map(
    template.ofType('AWS::Lambda::Function').flatMap((resource) => {
      const places = resource.properties.ReservedConcurrentExecutions;
      return places === undefined ? [] : [[functionName(resource), Number(places)] as const];
    }),
  );
}
