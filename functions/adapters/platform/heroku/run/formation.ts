import { requiredList } from '../../provider/answers.ts';
import type { Formation } from '../../provider/formation.ts';
import type { HerokuParts } from '../parts.ts';

const CODE = 'deploy:platform:start_app';

/** Returns the formation of an app; empty before its first release. */
export async function readFormation(app: string, { api }: HerokuParts): Promise<Formation> {
  const what = 'the number of dynos';
  const { body } = await api({ method: 'GET', path: ['apps', app, 'formation'], code: CODE, what });
  const types = requiredList(body, CODE).flatMap(({ type, quantity }) =>
    typeof type === 'string' && typeof quantity === 'number' ? [[type, quantity] as const] : [],
  );
  return Object.fromEntries(types);
}

/** Sets the number of dynos of these process types. */
export async function scale(app: string, formation: Formation, { api }: HerokuParts): Promise<void> {
  const updates = Object.entries(formation).map(([type, quantity]) => ({ type, quantity }));
  if (updates.length === 0) return;
  const path = ['apps', app, 'formation'];
  await api({ method: 'PATCH', path, json: { updates }, code: CODE, what: 'the number of dynos' });
}

/**
 * Ends what Heroku has started in the app that only builds: with its first release an app gets a web dyno. Where the
 * release is not there yet, the next build or start does it; a failure changes nothing for the deploy.
 */
export async function restBuilder(app: string, parts: HerokuParts): Promise<void> {
  const running = Object.entries(await readFormation(app, parts).catch(() => ({}))).filter(([, count]) => count > 0);
  await scale(app, Object.fromEntries(running.map(([type]) => [type, 0])), parts).catch(() => {});
}
