import { setTimeout } from 'node:timers/promises';
import * as v from 'valibot';
import { basicHeader } from '../../../functions/core/basic-auth.ts';
import { OperatorError } from '../../files/errors.ts';
import { localFetch } from '../../http/local-fetch.ts';
import { printable, printableValue } from '../../terminal/printable.ts';

const Answer = v.object({
  apps: v.array(
    v.object({
      name: v.string(),
      state: v.string(),
      url: v.nullable(v.string()),
      snapshot: v.optional(v.nullable(v.string())),
    }),
  ),
});

/** An application of the user. Its state is that of the platform, or `never` before a start has succeeded. */
export interface ShownApplication {
  readonly name: string;
  readonly state: string;
  readonly url: string | null;
}

/** A start of the service starts the applications in the background; what takes longer is shown as it is. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 150;

function shown({ name, state, url, snapshot }: v.InferOutput<typeof Answer>['apps'][number]): ShownApplication {
  return { name, state: snapshot === null ? 'never' : state, url };
}

/**
 * Returns the applications of a user by name, as soon as none is being started. Throws an `OperatorError` with the
 * platform's sentence when it cannot list them, as with a damaged record.
 */
export async function applicationsOf(
  platformUrl: string,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<readonly ShownApplication[]> {
  const authorization = basicHeader(`${user}:${password}`);
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await localFetch(`${platformUrl}/apps/${user}`, { headers: { authorization } });
    const text = await response.text();
    if (!response.ok) throw new OperatorError(printable(`The applications cannot be listed: ${text.trim()}`));
    const { apps } = printableValue(v.parse(Answer, JSON.parse(text)));
    const isSettled = apps.every(({ state }) => state !== 'starting' && state !== 'restarting');
    if (isSettled || performance.now() > end) {
      return apps.map(shown).toSorted((one, other) => (one.name < other.name ? -1 : 1));
    }
    await setTimeout(PAUSE_MS);
  }
}
