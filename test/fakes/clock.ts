import type { Clock, Ids } from '../../functions/core/ports/system.ts';

/** Returns a clock that only `pass` and `sleep` move forward. */
export function memoryClock(start = Date.parse('2026-01-01T00:00:00Z')): Clock & { pass(milliseconds: number): void } {
  let now = start;
  return {
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
    pass: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** Returns identifiers that count up, so that a test's expectations are readable. */
export function memoryIds(): Ids {
  let next = 0;
  const count = () => {
    next += 1;
    return next.toString(16);
  };
  return {
    uuid: () => `00000000-0000-4000-8000-${count().padStart(12, '0')}`,
    hex: (digits) => count().padStart(digits, '0'),
    fraction: () => 0.5,
  };
}
