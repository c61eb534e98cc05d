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
}

/** The concurrency of a new account: https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
export const NEW_ACCOUNT = 10;

/**
 * Counts the invocations of an account. Functions with a reserved concurrency have places of their own, which the
 * others do not have.
 */
export function accountConcurrency(template: Template, limit = NEW_ACCOUNT): Concurrency {
  const reserved = new Map(
    template.ofType('AWS::Lambda::Function').flatMap((resource) => {
      const places = resource.properties.ReservedConcurrentExecutions;
      return places === undefined ? [] : [[functionName(resource), Number(places)] as const];
    }),
  );
  const shared = limit - [...reserved.values()].reduce((sum, places) => sum + places, 0);
  const running = new Map<string, number>();
  return {
    take: (name) => {
      const pool = reserved.has(name) ? name : '';
      const taken = running.get(pool) ?? 0;
      if (taken >= (reserved.get(name) ?? shared)) throw new Throttled(name);
      running.set(pool, taken + 1);
      let isTaken = true;
      return () => {
        if (isTaken) running.set(pool, (running.get(pool) ?? 1) - 1);
        isTaken = false;
      };
    },
  };
}
