import type { AppEventCursor } from '../../functions/core/ports/applications.ts';

/** Returns an in-memory fake of the cursor of the platform's events; `at` is where it stands. */
export function memoryCursor(): AppEventCursor & { at: number } {
  return {
    at: 0,
    async read() {
      return this.at;
    },
    async write(seq) {
      this.at = seq;
    },
  };
}
